"""A cluster of thousands of pods."""

from __future__ import annotations

from raylint.cluster import MANY_WORKERS
from raylint.rule import Problem, Severity

from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.group import WorkerGroup
    from raylint.narrow import OddlyScaled
    from raylint.rule import Location, Problems

__all__ = ["probes_of_large_cluster"]

# RAY202 takes so many as no limit at all.
_UNBOUNDED = 10_000


@outlined("RAY924", Severity.INFO, reports=("FR-131",))
def probes_of_large_cluster(cluster: OddlyScaled) -> Problems:
    """A head of a very large cluster answers KubeRay's probes too late.

    A cluster that can have 1000 worker pods or more, and whose head's Ray container does not set both
    `livenessProbe` and `readinessProbe`.

    It stays silent where the number of workers cannot be known, or is not limited.

    Then: With thousands of nodes the dashboard and the GCS take longer than the probe's 5 seconds. The head is
    NotReady and its Service empty while it works, or its container is restarted in full flight.

    Fix: Set both probes on the head, with a `timeoutSeconds` of 30 or more.
    Ignore: Where a test at that size showed that the probes pass.
    Source: ray-project/kuberay#3799; KubeRay 1.7.0 `utils/constant.go` (timeout 5 s, period 5 s).

    bad RayCluster
      cluster: enableInTreeAutoscaling: true
      group: maxReplicas: 2000  # <-
    bad RayJob
      group: replicas: 600
      group: numOfHosts: 2  # <-
    good RayCluster
      group: replicas: 100
    near-miss RayCluster -- Both probes are the user's:
      cluster: enableInTreeAutoscaling: true
      head.ray: livenessProbe: {exec: {command: ["true"]}, timeoutSeconds: 60}
      head.ray: readinessProbe: {exec: {command: ["true"]}, timeoutSeconds: 60}
      group: maxReplicas: 2000
    near-miss RayCluster -- No limit at all is another rule's (RAY202):
      cluster: enableInTreeAutoscaling: true
    """
    workers = cluster.possible_workers
    if workers is None or workers < MANY_WORKERS or not cluster.is_built:
        return
    ray = cluster.head.ray_container
    if ray.has("livenessProbe") and ray.has("readinessProbe"):
        return
    largest = max(cluster.worker_groups, key=lambda group: group.possible_pods or 0)
    if (largest.max_replicas.value or 0) >= _UNBOUNDED and cluster.autoscaler.enabled:
        return
    yield Problem(
        _number_of(largest),
        f"the cluster can have {workers} workers, and the head has KubeRay's probes with their 5 seconds",
        effect="the head answers late, is NotReady while it works, or is restarted in full flight",
        fix="set livenessProbe and readinessProbe on the head, with a timeoutSeconds of 30 or more",
    )


def _number_of(group: WorkerGroup) -> Location:
    """The number that makes the group large."""
    if (group.num_of_hosts.value or 0) > 1:
        return group.num_of_hosts.at
    return group.max_replicas.at if group.cluster.autoscaler.enabled else group.replicas.at
