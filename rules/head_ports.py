"""Ports that a container declares, and ports on which Ray listens."""

from __future__ import annotations

from raylint.rule import Severity

from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import FaultyPod
    from raylint.rule import Problems

__all__ = ["head_port_mismatch"]


@outlined("RAY362", Severity.WARNING)
def head_port_mismatch(group: FaultyPod) -> Problems:
    """The head declares a port under a name that people and KubeRay know, and Ray listens on another one.

    A port of the head's Ray container called `gcs-server`, `dashboard`, `client` or `metrics` whose number is not
    that of the option in `rayStartParams` (`port`, `dashboard-port`, `ray-client-server-port`,
    `metrics-export-port`), or Ray's default without it. It is an error where KubeRay itself goes by it:
    `dashboard` of a RayJob or RayService.

    It stays silent where the option cannot be known, and on a container with a start command of its own.

    Then: The head's Service leads to a port on which nobody listens. `gcs-server`: workers never join where the
    Service has an address of its own. `dashboard`: a RayJob is never submitted, a RayService never deployed.
    `client`: Ray Client is refused. `metrics`: nothing is scraped.

    Fix: Write the same number in both places.
    Ignore: Where something else in the pod listens there.
    Source: ray-project/kuberay v1.7.0, `common/service.go` (`getServicePorts`); Ray 2.60.0 `scripts.py`.

    bad RayCluster
      head: rayStartParams: {dashboard-port: "8266"}
      head.ray: ports:
      head.ray: - {containerPort: 8265, name: dashboard}  # <-
    bad RayJob severity=error
      head.ray: ports:
      head.ray: - {containerPort: 8266, name: dashboard}  # <-
      head.ray: - {containerPort: 6379, name: gcs-server}
    bad RayCluster
      head: rayStartParams: {metrics-export-port: "9100"}
      head.ray: ports:
      head.ray: - {containerPort: 8080, name: metrics}  # <-
    good RayCluster
      head: rayStartParams: {dashboard-port: "8266"}
      head.ray: ports: [{containerPort: 8266, name: dashboard}, {containerPort: 6379, name: gcs-server}]
    near-miss RayCluster -- Names of one's own:
      head.ray: ports: [{containerPort: 9000, name: admin}, {containerPort: 8265, name: dashboard}]
    near-miss RayCluster -- The container starts Ray itself:
      meta: annotations: {ray.io/overwrite-container-cmd: "true"}
      head.ray: command: [bash, -c, "ray start --head --dashboard-port=8266 --block"]
      head.ray: ports: [{containerPort: 8266, name: dashboard}]
    """
    for fault in group.faults_of_pod("unheard", "unheard dashboard"):
        # The operator drives jobs and services by the Service's port of this name.
        kuberay_asks = fault.kind == "unheard dashboard" and group.cluster.kind != "RayCluster"
        yield fault.flag(
            fault.what,
            because="this is what Ray gets",
            severity=Severity.ERROR if kuberay_asks else None,
            effect="the head's Service leads to a port on which nobody listens",
            fix="write the same number in both places",
        )
