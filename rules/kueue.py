"""What Kueue refuses, or passes over, of an object that is given to one of its queues.

Facts: kubernetes-sigs/kueue ``pkg/controller/jobs/rayjob`` and ``raycluster`` (webhooks), as reported in
kubernetes-sigs/kueue#667, kubernetes-sigs/kueue#780, kubernetes-sigs/kueue#7257 and kubernetes-sigs/kueue#8082.
"""

from __future__ import annotations

from raylint.manifest import KubeObject, Labels, RayObject
from raylint.rule import Confidence, Fact, Problem, Severity, unsafe

from .bundle import beside
from .near_miss import nearest
from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from raylint.rule import Problems

__all__ = ["kueue_queue_missing", "kueue_refuses", "kueue_with_autoscaler", "kueue_with_selector"]

MENTIONS = ("kueue.x-k8s.io",)
_QUEUE = "kueue.x-k8s.io/queue-name"
_ELASTIC = "kueue.x-k8s.io/elastic-job"
# A workload of Kueue has at most eight sets of pods; the head is one.
_MOST_GROUPS = 7


@outlined("RAY901", Severity.ERROR, _QUEUE, reports=("FR-091",), fixes="unsafe")
def kueue_refuses(labels: Labels) -> Problems:
    """A RayJob or RayCluster in a queue of Kueue whose spec Kueue does not take.

    The label `kueue.x-k8s.io/queue-name` on
    a RayJob that keeps its cluster (`shutdownAfterJobFinishes` not true, no `deletionStrategy`), or on an object
    with more than 7 worker groups.

    It stays silent on a RayJob with a `clusterSelector` (RAY902).

    Then: Kueue's webhook refuses the object at once; where the webhook is not asked (the label came later), the
    workload is never admitted, or its quota is held for as long as the cluster is kept.

    Fix: Set `shutdownAfterJobFinishes: true`; merge worker groups.
    Ignore: Where Kueue is not installed, and the label is a left-over.
    Source: kubernetes-sigs/kueue#667, kubernetes-sigs/kueue#780, ray-project/kuberay#1813; Kueue "Run a RayJob".

    bad RayJob
      meta: labels:
      meta:   kueue.x-k8s.io/queue-name: gpus  # <-
    bad RayCluster
      meta: labels: {kueue.x-k8s.io/queue-name: gpus}
      cluster: workerGroupSpecs:  # <-
      cluster: - &group
      cluster:   groupName: g1
      cluster:   template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
      cluster: - {<<: *group, groupName: g2}
      cluster: - {<<: *group, groupName: g3}
      cluster: - {<<: *group, groupName: g4}
      cluster: - {<<: *group, groupName: g5}
      cluster: - {<<: *group, groupName: g6}
      cluster: - {<<: *group, groupName: g7}
      cluster: - {<<: *group, groupName: g8}
    good RayJob
      meta: labels: {kueue.x-k8s.io/queue-name: gpus}
      job: shutdownAfterJobFinishes: true
    good RayJob
      job: shutdownAfterJobFinishes: false
    near-miss RayCluster -- A RayCluster is kept by nature:
      meta: labels: {kueue.x-k8s.io/queue-name: gpus}
    """
    owner = labels.owner
    job = owner.job if owner.kind == "RayJob" else None
    label = labels.string(_QUEUE)
    if not label.value or (job is not None and job.uses_existing_cluster):
        return
    if job is not None and not job.job_spec.data.get("deletionStrategy"):
        shutdown = job.job_spec.boolean("shutdownAfterJobFinishes", False)
        if shutdown.value is False:
            yield label.flag(
                "a RayJob that keeps its cluster is refused by Kueue",
                label="a queue of Kueue, and shutdownAfterJobFinishes is not true",
                because=[(shutdown.at, "kept")] if shutdown else [],
                effect="Kueue's webhook refuses the object, or the job is never admitted",
                fix="set shutdownAfterJobFinishes: true",
                repair=unsafe(job.job_spec.at_key("shutdownAfterJobFinishes").set(True)),
            )
    cluster = owner.cluster
    if cluster is not None and len(cluster.worker_groups) > _MOST_GROUPS:
        yield Problem(
            cluster.at_key("workerGroupSpecs").key(),
            f"there are {len(cluster.worker_groups)} worker groups, and Kueue takes at most {_MOST_GROUPS}",
            because=[(label.at, "a queue of Kueue")],
            effect="Kueue's webhook refuses the object, or it is never admitted",
            fix="merge worker groups",
        )


@outlined("RAY902", Severity.WARNING, _QUEUE, reports=("FR-092",), fixes="unsafe")
def kueue_with_selector(labels: Labels) -> Problems:
    """A RayJob on a cluster of somebody else brings no pods of its own: Kueue has nothing to queue.

    The label `kueue.x-k8s.io/queue-name` on a RayJob with a `clusterSelector`.

    Then: Kueue's webhook refuses the RayJob, or passes it over; releases before late 2025 may crash on it, and
    with them stand all queues.

    Fix: Remove the label from the RayJob; put it on the RayCluster that runs the job.
    Ignore: Where Kueue is not installed.
    Source: kubernetes-sigs/kueue#7257.

    bad RayJob
      meta: labels: {kueue.x-k8s.io/queue-name: gpus}  # <-
      job: clusterSelector: {ray.io/cluster: shared}
      no-cluster:
    bad RayJob
      meta: labels:
      meta:   kueue.x-k8s.io/queue-name: gpus  # <-
      job: shutdownAfterJobFinishes: true
      job: clusterSelector: {ray.io/cluster: shared}
      no-cluster:
    good RayJob
      job: clusterSelector: {ray.io/cluster: shared}
      no-cluster:
    near-miss RayJob -- An empty selector selects nothing:
      meta: labels: {kueue.x-k8s.io/queue-name: gpus}
      job: shutdownAfterJobFinishes: true
      job: clusterSelector: {}
    """
    job = labels.owner.job if labels.owner.kind == "RayJob" else None
    label = labels.string(_QUEUE)
    if label.value and job is not None and job.uses_existing_cluster:
        yield label.flag(
            "a RayJob on an existing cluster has no pods that Kueue could queue",
            because=[(job.job_spec.at_key("clusterSelector").key(), "the pods are those of another object")],
            effect="Kueue refuses the RayJob or passes it over; older releases may crash on it",
            fix="remove the label here, and put it on the RayCluster",
            repair=unsafe(label.at.delete()),
        )


@outlined("RAY903", Severity.INFO, _QUEUE, reports=("FR-091",))
def kueue_with_autoscaler(labels: Labels) -> Problems:
    """Autoscaling of an object in a queue of Kueue works with Kueue's elastic jobs alone.

    The label `kueue.x-k8s.io/queue-name` on an object with `enableInTreeAutoscaling: true`, and not the
    annotation `kueue.x-k8s.io/elastic-job: "true"`.

    Then: Without elastic jobs (a feature gate of Kueue, late 2025) the webhook refuses the object: the number of
    pods that a queue admitted must not change.

    Fix: Turn autoscaling off; or enable elastic jobs in Kueue and add the annotation.
    Ignore: Where Kueue is set to take it.
    Source: kubernetes-sigs/kueue#8082; Kueue "Elastic Workloads".

    bad RayCluster
      meta: labels: {kueue.x-k8s.io/queue-name: gpus}  # <-
      cluster: enableInTreeAutoscaling: true
    bad RayJob
      meta: labels: {kueue.x-k8s.io/queue-name: gpus}  # <-
      job: shutdownAfterJobFinishes: true
      cluster: enableInTreeAutoscaling: true
    good RayCluster
      meta: labels: {kueue.x-k8s.io/queue-name: gpus}
    near-miss RayCluster
      meta: labels: {kueue.x-k8s.io/queue-name: gpus}
      meta: annotations: {kueue.x-k8s.io/elastic-job: "true"}
      cluster: enableInTreeAutoscaling: true
    """
    cluster = labels.owner.cluster
    label = labels.string(_QUEUE)
    if not label.value or cluster is None or not cluster.is_built or not cluster.autoscaler.enabled:
        return
    if labels.owner.annotations.data.get(_ELASTIC) != "true":
        yield label.flag(
            "autoscaling in a queue of Kueue needs elastic jobs",
            because=[(cluster.autoscaler.switch.at, "autoscaling is on")],
            effect="without them Kueue refuses the object",
            fix=f'turn autoscaling off, or add the annotation {_ELASTIC}: "true" and enable elastic jobs in Kueue',
        )


def queues(found: KubeObject) -> Iterator[Fact]:
    """Queues that objects are given to, and queues that the files make."""
    if isinstance(found, RayObject):
        label = found.metadata.part("labels").string(_QUEUE)
        if label.value:
            yield Fact(("used", found.ref.namespace, label.value), label.at, str(found.ref))
    elif found.kind == "LocalQueue":
        yield Fact(("made", found.ref.namespace, found.ref.name), found.at, str(found.ref))


@outlined(
    "RAY904",
    Severity.WARNING,
    confidence=Confidence.MEDIUM,
    gathers=queues,
    context=("LocalQueue",),
)
def kueue_queue_missing(facts: Sequence[Fact]) -> Problems:
    """The queue of Kueue that an object names is not there; one with almost the same name is.

    A value of `kueue.x-k8s.io/queue-name` for which the files hold no LocalQueue in the object's namespace, but
    one whose name differs by a letter or two, or one of the same name in another namespace.

    It stays silent where the files hold neither: queues are often made elsewhere.

    Then: Kueue holds the object back until its queue appears: the RayCluster or RayJob stays suspended, with
    `LocalQueue gpus doesn't exist` among the workload's conditions.

    Fix: Correct the name, or make the LocalQueue in the object's namespace.
    Ignore: Where a queue of that very name exists already.
    Source: Kueue "Troubleshooting Jobs": a LocalQueue belongs to the namespace of its jobs.

    bad RayCluster
      meta: labels: {kueue.x-k8s.io/queue-name: gpu-queu}  # <-
      also: ---
      also: apiVersion: kueue.x-k8s.io/v1beta1
      also: kind: LocalQueue
      also: metadata: {name: gpu-queue}
      also: spec: {clusterQueue: all}
    bad RayJob
      meta: namespace: research
      meta: labels: {kueue.x-k8s.io/queue-name: gpus}  # <-
      job: shutdownAfterJobFinishes: true
      also: ---
      also: apiVersion: kueue.x-k8s.io/v1beta1
      also: kind: LocalQueue
      also: metadata: {name: gpus, namespace: prod}
      also: spec: {clusterQueue: all}
    good RayCluster
      meta: labels: {kueue.x-k8s.io/queue-name: gpus}
      also: ---
      also: apiVersion: kueue.x-k8s.io/v1beta1
      also: kind: LocalQueue
      also: metadata: {name: gpus}
      also: spec: {clusterQueue: all}
    near-miss RayCluster -- Another queue, of another name:
      meta: labels: {kueue.x-k8s.io/queue-name: gpus}
      also: ---
      also: apiVersion: kueue.x-k8s.io/v1beta1
      also: kind: LocalQueue
      also: metadata: {name: batch}
      also: spec: {clusterQueue: all}
    """
    made = {fact.key[1:]: fact for fact in facts if fact.key[0] == "made"}
    for fact in facts:
        _, namespace, name = fact.key
        if fact.key[0] != "used" or (namespace, name) in made:
            continue
        here = [key for key, queue in made.items() if beside(queue, fact)]
        other = nearest(name, [queue for space, queue in here if space == namespace])
        elsewhere = next((space for space, queue in here if queue == name), None)
        if other is None and elsewhere is None:
            continue
        place = made[(namespace, other)] if other is not None else made[(str(elsewhere), name)]
        hint = f"{other!r} is there" if other is not None else f"it is in the namespace {elsewhere!r}"
        yield Problem(
            fact.at,
            f"there is no LocalQueue {name!r} in this namespace; {hint}",
            because=[(place.at, "the queue that is there")],
            effect="Kueue holds the object back until its queue appears",
            fix="correct the name, or make the LocalQueue in the object's namespace",
        )
