"""Labels and annotations for schedulers and for KubeRay: spelling, values, and what they do not go with.

Facts: ray-project/kuberay v1.7.0 ``utils/constant.go`` and ``controllers/ray/batchscheduler``.
"""

from __future__ import annotations

from raylint.manifest import RayObject
from raylint.rule import Severity, unsafe

from .near_miss import nearest
from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.field import View
    from raylint.rule import Problems

__all__ = ["gang_with_autoscaler", "label_misspelt", "switch_unread"]

# The keys by the part before their slash. Those that only the operator writes are known, too.
_KEYS = {
    "ray.io": """
        cluster cluster-dashboard cluster-namespace cronjob-name cronjob-scheduled-timestamp
        disable-provisioned-head-restart enable-serve-service external-storage-namespace ft-enabled
        gang-scheduling-enabled gcs-ft-deletion-timeout group hash-without-replicas-and-workers-to-delete
        headless-worker-svc health-state identifier initializing-timeout is-ray-node job-id job-submission-mode
        kuberay-version market-type node-group node-id node-type num-worker-groups originated-from-cr-name
        originated-from-crd overwrite-container-cmd priority-class-name accelerator-type availability-region
        availability-zone replica-host-index scheduler-name serve serving-service tpu-pod-type tpu-slice-name
        tpu-topology tpu-worker-id unhealthy-status upgrade-strategy-recreate-hash version
        worker-group-replica-index worker-group-replica-name""",
    "kueue.x-k8s.io": """
        elastic-job is-group-workload job-uid managed max-exec-time-seconds pod-group-fast-admission pod-group-name
        pod-group-pod-index pod-group-pod-index-label pod-group-serving pod-group-total-count pod-suspending-parent
        podset podset-group-name podset-preferred-topology podset-required-topology podset-slice-required-topology
        podset-slice-size podset-unconstrained-topology prebuilt-workload-name priority-class queue-name
        retriable-in-group safe-to-forcefully-delete workload workload-slice-replacement-for""",
    "volcano.sh": """
        cooldown-time group-min-resources job-name job-namespace job-type job-version jdb-max-unavailable
        jdb-min-available network-topology-highest-tier-allowed network-topology-mode numa-topology-policy
        preemptable queue-name revocable-zone task-index task-spec task-subgroup-name template-uid""",
    "scheduling.volcano.sh": "group-name queue-name group-min-member",
    "yunikorn.apache.org": """
        allow-preemption app-id ignore-application namespace.quota parentqueue placeholder queue
        scheduling-policy-parameters task-group-name task-groups user.info""",
    "kai.scheduler": "queue subgroup-name topology topology-preferred-placement topology-required-placement",
}
_KNOWN = frozenset(f"{prefix}/{name}" for prefix, names in _KEYS.items() for name in names.split())
_GANG = "ray.io/gang-scheduling-enabled"


def _own_labels(found: RayObject) -> Iterator[tuple[str, View]]:
    """Labels and annotations of the object and of its pod templates."""
    yield "label", found.metadata.part("labels")
    yield "annotation", found.annotations
    cluster = found.cluster
    for group in cluster.groups if cluster is not None else ():
        yield "label", group.template.labels
        yield "annotation", group.template.annotations


@outlined("RAY910", Severity.WARNING, reports=("FR-152",), fixes="unsafe")
def label_misspelt(found: RayObject) -> Problems:
    """A label or annotation that is almost one that KubeRay or a scheduler reads: nobody reads this one.

    A key of the object or of a pod template that is a letter or two away from a known key of `ray.io/`,
    `kueue.x-k8s.io/`, `volcano.sh/`, `scheduling.volcano.sh/`, `yunikorn.apache.org/` or `kai.scheduler/`.

    It stays silent on known keys and on keys that are not near any.

    Then: Labels may be called anything, so nobody objects. Gang scheduling, the queue, fault tolerance or the
    overwritten command is off without a word, and the pods are scheduled one by one, by the default scheduler's
    rules.

    Fix: Write the key that is meant.
    Ignore: Where a controller of your own reads the key.
    Source: ray-project/kuberay v1.7.0, `utils/constant.go`; ray-project/kuberay#3275.

    bad RayCluster
      meta: labels:
      meta:   ray.io/gang-scheduling-enable: "true"  # <-
    bad RayJob
      meta: labels:
      meta:   kueue.x-k8s.io/queuename: gpus  # <-
      job: shutdownAfterJobFinishes: true
    bad RayCluster
      meta: annotations:
      meta:   ray.io/overwrite-container-command: "true"  # <-
    good RayCluster
      meta: labels: {ray.io/gang-scheduling-enabled: "true", ray.io/priority-class-name: high}
    good RayJob
      meta: labels: {kueue.x-k8s.io/queue-name: gpus, kueue.x-k8s.io/priority-class: high}
      job: shutdownAfterJobFinishes: true
    near-miss RayCluster -- Keys of one's own:
      meta: labels: {example.com/queue-name: gpus, ray.io/owner: vision, queue: root.a}
    """
    for what, labels in _own_labels(found):
        for key in labels.data:
            meant = _meant(key) if "/" in key and key not in _KNOWN else None
            if meant is not None:
                yield labels.string(key).flag(
                    f"nobody reads the {what} {key!r}; {meant!r} is one that is read",
                    label="almost a known key",
                    effect="what it was to turn on is off, without a word",
                    fix=f"write {meant}",
                    repair=unsafe(labels.at_key(key).rename(meant)),
                )


_SAID_OTHERWISE = {"ray.io/overwrite-container-command": "ray.io/overwrite-container-cmd"}


def _meant(key: str) -> str | None:
    """The known key that this one is near to: both parts a letter or two away at most, one of them exact."""
    if key in _SAID_OTHERWISE:
        return _SAID_OTHERWISE[key]
    prefix, _, name = key.partition("/")
    if prefix in _KEYS:
        near = nearest(name, _KEYS[prefix].split())
        return f"{prefix}/{near}" if near else None
    for other, names in _KEYS.items():
        if name in names.split() and nearest(prefix, [other]):
            return f"{other}/{name}"
    return None


# Values that turn a switch on; where letter case counts, `True` does not.
_SWITCHES = (
    ("ray.io/enable-serve-service", False),
    ("ray.io/disable-provisioned-head-restart", False),
    ("ray.io/ft-enabled", True),
    ("ray.io/overwrite-container-cmd", True),
)


@outlined("RAY911", Severity.WARNING, fixes="unsafe")
def switch_unread(found: RayObject) -> Problems:
    """A switch of KubeRay whose value is meant to be on and is read as off.

    `ray.io/enable-serve-service` or `ray.io/disable-provisioned-head-restart` with `True`, `yes`, `1` or the like
    (`true` alone counts), `ray.io/ft-enabled` or `ray.io/overwrite-container-cmd` with `yes`, `1`, `on` or blanks
    around it (`true` in any letter case counts).

    Then: KubeRay compares texts and takes everything else as off: no Service for Serve, no fault tolerance, the
    container's own command is prepended to Ray's instead of replacing it.

    Fix: Write `"true"`.
    Ignore: Never.
    Source: ray-project/kuberay v1.7.0, `utils/util.go` and `common/pod.go`.

    bad RayCluster
      meta: annotations: {ray.io/enable-serve-service: "True"}  # <-
    bad RayCluster
      meta: annotations:
      meta:   ray.io/overwrite-container-cmd: "yes"  # <-
    bad RayCluster
      meta: annotations: {ray.io/ft-enabled: "true "}  # <-
    good RayCluster
      meta: annotations: {ray.io/enable-serve-service: "true"}
    good RayCluster
      meta: annotations: {ray.io/overwrite-container-cmd: "false"}
    near-miss RayCluster -- Letter case does not count here:
      meta: annotations: {ray.io/overwrite-container-cmd: "True"}
    """
    for key, any_case in _SWITCHES:
        switch = found.annotations.string(key)
        if switch.value is None:
            continue
        read = switch.value.lower() if any_case else switch.value
        if read != "true" and switch.value.strip().lower() in ("true", "yes", "on", "1", "y", "enabled"):
            yield switch.flag(
                f"{key}: {switch.value!r} is read as off",
                effect="KubeRay compares with the text true and takes everything else as off",
                fix=f'write {key}: "true"',
                repair=unsafe(switch.at.set("true")),
            )


@outlined("RAY912", Severity.INFO, reports=("FR-153",))
def gang_with_autoscaler(found: RayObject) -> Problems:
    """A gang of an autoscaling cluster is the head and the minimum of workers; what comes later is no gang.

    The label `ray.io/gang-scheduling-enabled` with `enableInTreeAutoscaling: true` and no worker that is
    guaranteed (`minReplicas` 0 in all groups).

    Then: The gang is the head alone. Every worker that the autoscaler adds is scheduled for itself: half of a
    job's workers may take the nodes that the other half of another job waits for, and both wait.

    Fix: Write `minReplicas` of what one job needs at least, or turn autoscaling off.
    Ignore: Where jobs do not need their workers all at once.
    Source: ray-project/kuberay v1.7.0, `batchscheduler`; ray-project/kuberay#5002, ray-project/kuberay#4360,
    volcano-sh/volcano#5650.

    bad RayCluster
      meta: labels: {ray.io/gang-scheduling-enabled: "true"}  # <-
      cluster: enableInTreeAutoscaling: true
      group: minReplicas: 0
      group: maxReplicas: 8
    bad RayJob
      meta: labels: {ray.io/gang-scheduling-enabled: "true"}  # <-
      cluster: enableInTreeAutoscaling: true
      group: maxReplicas: 8
    good RayCluster
      meta: labels: {ray.io/gang-scheduling-enabled: "true"}
      group: replicas: 8
    near-miss RayCluster
      meta: labels: {ray.io/gang-scheduling-enabled: "true"}
      cluster: enableInTreeAutoscaling: true
      group: minReplicas: 4
      group: maxReplicas: 8
    """
    label = found.metadata.part("labels").string(_GANG)
    cluster = found.cluster
    if not label or cluster is None or not cluster.worker_groups or not cluster.autoscaler.enabled:
        return
    if cluster.guaranteed_workers == 0:
        yield label.flag(
            "the gang is the head alone: no worker is guaranteed under autoscaling",
            because=[(cluster.autoscaler.switch.at, "workers come later, each for itself")],
            effect="jobs that need all their workers may wait for each other's nodes",
            fix="write minReplicas of what one job needs at least, or turn autoscaling off",
        )
