"""Ports of containers as the API server refuses them in a pod, or in a Service that KubeRay makes of them.

Facts: Kubernetes 1.36 ``pkg/apis/core/validation/validation.go`` (``validateContainerPorts``) and
``apimachinery/pkg/util/validation`` (``IsValidPortName``, ``IsValidPortNum``).
"""

from __future__ import annotations

from raylint.rule import Severity

from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import FaultyPod
    from raylint.rule import Problems

__all__ = ["container_port_refused"]


@outlined("RAY366", Severity.ERROR)
def container_port_refused(group: FaultyPod) -> Problems:
    """A port of a container with a name or number that no pod may have: the pod is never made.

    Among the `ports` of a container: a `name` of more than 15 characters, with others than lower-case letters,
    digits and single dashes, without a letter, or with a dash first or last; a name that another port of the same
    container has; a `containerPort` or `hostPort` outside 1 to 65535.

    Then: The API server stores the object of KubeRay without looking at this, and refuses each pod that the
    operator makes of it: "must be no more than 15 characters", "must be between 1 and 65535", "Duplicate value".
    On the head it refuses the Service as well, which has the same ports: no head, no cluster.

    Fix: Shorten the name (`prometheus-metrics` to `metrics`), write a number of a port.
    Ignore: Never.
    Source: Kubernetes 1.36, `pkg/apis/core/validation/validation.go` (`validateContainerPorts`),
    `apimachinery/pkg/util/validation/validation.go` (`IsValidPortName`).

    bad RayCluster
      head.ray: ports:
      head.ray: - {containerPort: 8265, name: dashboard}
      head.ray: - {containerPort: 9090, name: prometheus-metrics}  # <-
      head.ray: - {containerPort: 80800, name: metrics}  # <-
    bad RayService
      group.ray: ports:
      group.ray: - {containerPort: 8000, name: serve_http}  # <-
      group.ray: - {containerPort: 8001, name: debug, hostPort: 0}
      group.ray: - {containerPort: 8002, name: debug}  # <-
    good RayCluster
      head.ray: ports:
      head.ray: - {containerPort: 6379, name: gcs-server}
      head.ray: - {containerPort: 9090, name: metrics, hostPort: 9090}
    near-miss RayCluster -- 15 characters, none at all, and one name in two containers:
      head.containers: containers:
      head.containers: - name: ray-head
      head.containers:   image: rayproject/ray:2.52.0
      head.containers:   ports: [{containerPort: 8080, name: metrics-of-ray2}, {containerPort: 65535}]
      head.containers: - name: agent
      head.containers:   image: registry.example/team/agent:7
      head.containers:   ports: [{containerPort: 9100, name: metrics-of-ray2}]
    """
    for fault in group.faults_of_pod("port"):
        yield fault.flag(
            f"{fault.what}: the API server refuses the pods of the {group.title}",
            effect="no pod of the group is created, and no head Service with such a port",
            fix=f"write {fault.fix}",
        )
