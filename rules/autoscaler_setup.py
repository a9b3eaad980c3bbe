"""How the autoscaler goes about its work: hosts of a replica, idle workers, a head that must not die.

Facts: ray-project/kuberay v1.7.0 ``common/pod.go`` (``BuildAutoscalerContainer``: an idle worker is removed after
60 seconds); ray-project/ray#48212.
"""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.rule import Severity, unsafe

from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.field import Field
    from raylint.rule import Problems

__all__ = ["head_memory_small_under_v2", "idle_timeout_short", "multi_host_before_ray_2_40"]

MENTIONS = ("enableInTreeAutoscaling",)
_SMALL_HEAD = 4 * 1024**3
_SHORT = 30


@outlined("RAY235", Severity.WARNING, ray="..2.39", reports=("FR-032",))
def multi_host_before_ray_2_40(cluster: RayCluster) -> Problems:
    """Before Ray 2.40 the autoscaler does not know groups with several hosts a replica.

    Autoscaling, a worker group with `numOfHosts` above 1, and a Ray before 2.40.

    Then: The autoscaler counts pods, KubeRay counts replicas of several pods: the group gets several times the
    pods that were asked for, or a replica loses one of its hosts.

    Versions: The border is near 2.40.

    Fix: Use a newer Ray, or turn autoscaling off.
    Ignore: Where the group has a fixed size (`minReplicas` equal to `maxReplicas`).
    Source: ray-project/ray#48212.

    bad RayCluster
      cluster: enableInTreeAutoscaling: true
      head.containers: containers: [{name: ray-head, image: "rayproject/ray:2.35.0"}]
      group: maxReplicas: 4
      group: numOfHosts: 2  # <-
    bad RayJob
      cluster: enableInTreeAutoscaling: true
      cluster: rayVersion: 2.38.0
      head.containers: containers: [{name: ray-head, image: "registry.example.com/train:7"}]
      group: numOfHosts: 4  # <-
    good RayCluster
      cluster: enableInTreeAutoscaling: true
      group: numOfHosts: 2
    near-miss RayCluster -- A fixed size:
      cluster: enableInTreeAutoscaling: true
      head.containers: containers: [{name: ray-head, image: "rayproject/ray:2.35.0"}]
      group: minReplicas: 2
      group: maxReplicas: 2
      group: numOfHosts: 2
    """
    for group in cluster.worker_groups if cluster.autoscaler.enabled and cluster.is_built else ():
        fixed = group.min_replicas.value == group.max_replicas.value
        if (group.num_of_hosts.value or 0) > 1 and not fixed:
            yield group.num_of_hosts.flag(
                f"the autoscaler of this Ray does not know that a replica of {group.title} is"
                f" {group.num_of_hosts.value} pods",
                effect="the group gets several times the pods, or a replica loses one of its hosts",
                fix="use Ray 2.40 or newer, or turn autoscaling off",
            )


@outlined("RAY237", Severity.WARNING, reports=("FR-036",), fixes="unsafe")
def idle_timeout_short(cluster: RayCluster) -> Problems:
    """A very short idle timeout: workers are removed between two tasks, and pulled anew for the next one.

    `idleTimeoutSeconds` of `autoscalerOptions` or of a worker group below 30 seconds, 0 included.

    Then: Between two stages of a job a worker is idle for some seconds. It is deleted, sometimes with a task that
    has just reached it; the next stage waits for a new pod, an image pull and a start.

    Versions: All; a group's own timeout since KubeRay 1.3.

    Fix: Write 60 (the default) or more.
    Ignore: Where pods start in a second or two.
    Source: ray-project/ray#35560, ray-project/kuberay#865.

    bad RayCluster
      cluster: enableInTreeAutoscaling: true
      cluster: autoscalerOptions:
      cluster:   idleTimeoutSeconds: 5  # <-
    bad RayCluster
      cluster: enableInTreeAutoscaling: true
      cluster: autoscalerOptions: {version: v2}
      group: idleTimeoutSeconds: 0  # <-
    good RayCluster
      cluster: enableInTreeAutoscaling: true
      cluster: autoscalerOptions: {idleTimeoutSeconds: 300}
    near-miss RayCluster -- Nobody reads it:
      cluster: autoscalerOptions: {idleTimeoutSeconds: 5}
    """
    for seconds in _idle_timeouts(cluster) if cluster.autoscaler.enabled and cluster.is_built else ():
        if seconds and seconds.value is not None and 0 <= seconds.value < _SHORT:
            yield seconds.flag(
                f"workers are removed after {seconds.value} seconds without work",
                effect="between two stages of a job workers are deleted, and made anew for the next one",
                fix="write 60 (the default) or more",
                repair=unsafe(seconds.at.set(60)),
            )


def _idle_timeouts(cluster: RayCluster) -> Iterator[Field[int]]:
    yield cluster.autoscaler.integer("idleTimeoutSeconds")
    for group in cluster.worker_groups:
        yield group.integer("idleTimeoutSeconds")


@outlined("RAY238", Severity.INFO, kuberay="1.4..1.7", reports=("FR-022",))
def head_memory_small_under_v2(cluster: RayCluster) -> Problems:
    """Under autoscaler v2 a head that runs out of memory is not restarted in place; this one has little.

    `autoscalerOptions.version: v2`, no GCS fault tolerance, and a head whose memory limit is below 4Gi.

    Then: KubeRay forces `restartPolicy: Never` on the head. When the kernel kills its Ray process, the pod must be
    replaced: all state is lost, and where another container of the pod goes on the pod does not even fail.

    Fix: Give the head 4Gi of memory or more, or turn GCS fault tolerance on.
    Ignore: In small tests.
    Source: ray-project/ray#62340, ray-project/kuberay#4816.

    bad RayCluster
      cluster: enableInTreeAutoscaling: true
      cluster: autoscalerOptions: {version: v2}
      head.ray: resources: {limits: {cpu: "1", memory: 2Gi}}  # <-
    bad RayJob
      cluster: enableInTreeAutoscaling: true
      cluster: autoscalerOptions: {version: v2}
      head.ray: resources:
      head.ray:   limits:
      head.ray:     memory: 3G  # <-
    good RayCluster
      cluster: enableInTreeAutoscaling: true
      cluster: autoscalerOptions: {version: v2}
      head.ray: resources: {limits: {cpu: "2", memory: 8Gi}}
    near-miss RayCluster
      cluster: enableInTreeAutoscaling: true
      cluster: autoscalerOptions: {version: v1}
      head.ray: resources: {limits: {cpu: "1", memory: 2Gi}}
    """
    memory = cluster.head.ray_container.limit("memory")
    if cluster.autoscaler.forced_restart_policy is None or cluster.gcs_fault_tolerance or not cluster.is_built:
        return
    if memory.value is not None and 0 < memory.value.rounded_up < _SMALL_HEAD:
        yield memory.flag(
            "the head has less than 4Gi of memory, and under autoscaler v2 it is not restarted in place",
            effect="when the kernel kills its Ray process, all state of the cluster is lost",
            fix="give the head 4Gi of memory or more, or turn GCS fault tolerance on",
        )
