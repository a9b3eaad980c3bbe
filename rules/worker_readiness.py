"""When a worker of a RayService counts as ready, and what hangs on a single one."""

from __future__ import annotations

from raylint.manifest import RayService
from raylint.rule import Problem, Severity

from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

__all__ = ["own_readiness_on_serve_worker"]

MENTIONS = ("readinessProbe",)


@outlined("RAY630", Severity.WARNING, kuberay="1.1..")
def own_readiness_on_serve_worker(service: RayService) -> Problems:
    """A readiness probe of one's own on a RayService's workers takes the place of the one that asks Serve's proxy.

    A `readinessProbe` on the Ray container of a worker group of a RayService that does not ask Serve: neither the
    port 8000 nor one called `serve`, nor a command that mentions `-/healthz`.

    Then: KubeRay's own probe asks Serve's proxy beside the raylet, so that only workers with a proxy get requests.
    With another probe each worker is ready as soon as that passes: requests reach workers without a proxy, and
    callers see `connection refused` after each scaling and each upgrade.

    Fix: Remove the probe; or let it ask `/-/healthz` on Serve's port as well.
    Ignore: Where the probe asks Serve by other means.
    Source: ray-project/kuberay v1.7.0, `common/pod.go` (`initLivenessAndReadinessProbe`).

    bad RayService
      group.ray: readinessProbe:  # <-
      group.ray:   httpGet: {path: /api/local_raylet_healthz, port: 52365}
    bad RayService
      group.ray: readinessProbe: {exec: {command: ["true"]}}  # <-
    good RayService
      group.ray: livenessProbe: {exec: {command: ["true"]}}
    good RayService
      group.ray: readinessProbe: {httpGet: {path: /-/healthz, port: 8000}}
    near-miss RayService -- The head has a proxy anyway:
      head.ray: readinessProbe: {exec: {command: ["true"]}}
    near-miss RayCluster
      group.ray: readinessProbe: {exec: {command: ["true"]}}
    """
    cluster = service.cluster
    for group in cluster.worker_groups if cluster is not None else ():
        probe = group.ray_container.part("readinessProbe")
        # Numbers and commands of a probe may stand in any of its handlers.
        text = repr(probe.data)
        if probe.data and not any(sign in text for sign in ("-/healthz", "8000", "'serve")):
            yield Problem(
                probe.at.key(),
                f"this probe takes the place of KubeRay's, which asks Serve's proxy on workers of {group.title}",
                effect="requests reach workers that have no proxy yet: connection refused after each scaling",
                fix="remove the probe, or let it ask /-/healthz on Serve's port as well",
            )
