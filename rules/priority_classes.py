"""Priority classes that pods and gangs name."""

from __future__ import annotations

from raylint.manifest import KubeObject, RayObject
from raylint.rule import Confidence, Fact, Problem, Severity

from .bundle import beside
from .near_miss import nearest
from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from raylint.field import Field
    from raylint.rule import Problems

__all__ = ["priority_class_missing"]

MENTIONS = ("priorityClassName", "priority-class", "PriorityClass")
_OF_GANG = "ray.io/priority-class-name"
_OF_QUEUE = "kueue.x-k8s.io/priority-class"
_KINDS = ("PriorityClass", "WorkloadPriorityClass")
# Every Kubernetes cluster has these.
_BUILT_IN = ("system-cluster-critical", "system-node-critical")


def classes(found: KubeObject) -> Iterator[Fact]:
    """Priority classes that objects name, and those that the files make."""
    if isinstance(found, RayObject):
        for kind, name in _named(found):
            if name.value and name.value not in _BUILT_IN:
                yield Fact(("used", kind, name.value), name.at, str(found.ref))
    elif found.kind in _KINDS:
        yield Fact(("made", found.kind, found.ref.name), found.at, str(found.ref))


def _named(found: RayObject) -> Iterator[tuple[str, Field[str]]]:
    labels = found.metadata.part("labels")
    yield "PriorityClass", labels.string(_OF_GANG)
    yield "WorkloadPriorityClass", labels.string(_OF_QUEUE)
    cluster = found.cluster
    for group in cluster.groups if cluster is not None and cluster.is_built else ():
        yield "PriorityClass", group.pod.string("priorityClassName")


@outlined(
    "RAY913",
    Severity.WARNING,
    confidence=Confidence.MEDIUM,
    gathers=classes,
    context=_KINDS,
)
def priority_class_missing(facts: Sequence[Fact]) -> Problems:
    """A priority class that is not there; one with almost the same name is.

    `priorityClassName` of a Ray pod, the label `ray.io/priority-class-name` (Volcano) or
    `kueue.x-k8s.io/priority-class` for which the files hold no class of that name, but one whose name differs by
    a letter or two.

    It stays silent where the files hold nothing like it: classes are often made elsewhere.

    Then: The API server refuses each pod: `no PriorityClass with name ... was found`; Volcano does not admit the
    PodGroup; Kueue does not take the workload. The RayCluster has no pods and an event at every try.

    Fix: Correct the name.
    Ignore: Where a class of that very name exists already.
    Source: Kubernetes "Pod Priority and Preemption"; ray-project/kuberay v1.7.0, `batchscheduler/volcano`.

    bad RayCluster
      head.pod: priorityClassName: ray-heads  # <-
      head.ray: imagePullPolicy: Always
      also: ---
      also: apiVersion: scheduling.k8s.io/v1
      also: kind: PriorityClass
      also: metadata: {name: ray-head}
      also: value: 1000
    bad RayJob
      meta: labels: {ray.io/priority-class-name: hihg-priority}  # <-
      also: ---
      also: apiVersion: scheduling.k8s.io/v1
      also: kind: PriorityClass
      also: metadata: {name: high-priority}
      also: value: 1000
    good RayCluster
      head.pod: priorityClassName: ray-head
      head.ray: imagePullPolicy: Always
      also: ---
      also: apiVersion: scheduling.k8s.io/v1
      also: kind: PriorityClass
      also: metadata: {name: ray-head}
      also: value: 1000
    near-miss RayCluster -- A class that every cluster has:
      head.pod: priorityClassName: system-cluster-critical
      head.ray: imagePullPolicy: Always
      also: ---
      also: apiVersion: scheduling.k8s.io/v1
      also: kind: PriorityClass
      also: metadata: {name: system-clusters-critical}
      also: value: 1000
    """
    made = [fact for fact in facts if fact.key[0] == "made"]
    known = {fact.key[1:] for fact in made}
    for fact in facts:
        _, kind, name = fact.key
        if fact.key[0] != "used" or (kind, name) in known:
            continue
        here = {other.key[2]: other for other in made if other.key[1] == kind and beside(other, fact)}
        near = nearest(name, here)
        if near is not None:
            yield Problem(
                fact.at,
                f"there is no {kind} {name!r}; {near!r} is there",
                because=[(here[near].at, "this one is there")],
                effect="Kubernetes refuses each pod, Volcano the gang, Kueue the workload",
                fix=f"write {near}, or make the class that is meant",
            )
