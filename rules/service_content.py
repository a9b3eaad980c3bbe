"""RayServices that have nothing to serve."""

from __future__ import annotations

from raylint.manifest import RayService
from raylint.rule import Severity

from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

__all__ = ["service_without_applications"]


@outlined("RAY617", Severity.WARNING)
def service_without_applications(service: RayService) -> Problems:
    """A RayService without `serveConfigV2` serves nothing and is never ready.

    A RayService whose `serveConfigV2` is missing, or holds nothing but blanks.

    Then: The operator starts the cluster and sends Serve an empty configuration, again and again. No application
    ever runs: the RayService is never ready, its Service for Serve has no endpoints, and a change of the cluster
    never takes over, since the new cluster is not ready either.

    Fix: Write the applications. For a cluster to which people deploy by hand use a RayCluster.
    Ignore: Where another tool writes the field into the live object.
    Source: ray-project/kuberay v1.7.0, `rayservice_controller.go` (`reconcileServe`).

    bad RayService marked=spec
    bad RayService
      spec: serveConfigV2: ""  # <-
    good RayService
      spec: serveConfigV2: |
      spec:   applications: [{name: rank, import_path: "rank:app"}]
    near-miss RayService -- An empty list is RAY605's:
      spec: serveConfigV2: "applications: []"
    """
    text = service.spec.data.get("serveConfigV2")
    if text is None or (isinstance(text, str) and not text.strip()):
        yield service.spec.string("serveConfigV2").flag(
            "the RayService has no serveConfigV2: it serves nothing and is never ready",
            label="no applications",
            effect="the cluster runs and costs, and every request is refused",
            fix="write the applications, or make it a RayCluster",
        )
