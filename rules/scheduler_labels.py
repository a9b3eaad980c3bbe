"""Labels and annotations for schedulers and for KubeRay: their spelling.

Facts: ray-project/kuberay v1.7.0 ``utils/constant.go`` and ``controllers/ray/batchscheduler``.
"""

from __future__ import annotations

from functools import lru_cache

from raylint.rule import Problem, Severity, unsafe

from .near_miss import nearest
from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import Prefixed
    from raylint.rule import Problems

__all__ = ["label_misspelt"]

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


_PLACES = (("label", "labels"), ("annotation", "annotations"))


@outlined("RAY910", Severity.WARNING, reports=("FR-152",), fixes="unsafe")
def label_misspelt(found: Prefixed) -> Problems:
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
    for metadata in found.own_metadata:
        for what, place in _PLACES:
            labels = metadata.data.get(place)
            if not isinstance(labels, dict):
                continue
            for key in labels:
                meant = _meant(key) if "/" in key and key not in _KNOWN else None
                if meant is not None:
                    at = metadata.at_key(place, key)
                    yield Problem(
                        at,
                        f"nobody reads the {what} {key!r}; {meant!r} is one that is read",
                        label="almost a known key",
                        effect="what it was to turn on is off, without a word",
                        fix=f"write {meant}",
                        repair=unsafe(at.rename(meant)),
                    )


_SAID_OTHERWISE = {"ray.io/overwrite-container-command": "ray.io/overwrite-container-cmd"}


# One manifest after another has the same keys.
@lru_cache(maxsize=256)
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
