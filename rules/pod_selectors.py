"""Services, disruption budgets and monitors that select pods of a Ray cluster by labels which no pod has."""

from __future__ import annotations

from raylint.manifest import KubeObject, RayObject
from raylint.rule import Confidence, Fact, Problem, Severity

from .bundle import beside
from .near_miss import nearest
from .outline import outlined
from .selected_pods import labels_in, labels_of_pods, matches, pairs, pods_of, selects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from raylint.rule import Problems, Test

__all__ = ["cluster_selector_misses", "selector_selects_nothing"]

MENTIONS = ("ray.io/",)
_CLUSTER = "ray.io/cluster"
_BY_MATCH = ("PodDisruptionBudget", "PodMonitor", "NetworkPolicy")


def selectors(found: KubeObject) -> Iterator[Fact]:
    """Labels of Ray pods, and selectors with a label of ``ray.io/``."""
    if isinstance(found, RayObject):
        yield from pods_of(found)
        return
    spec = found.part("spec")
    field = "podSelector" if found.kind == "NetworkPolicy" else "selector"
    selector = spec.part(field)
    chosen = selects(selector.data) if found.kind in _BY_MATCH else dict(selector.data)
    if chosen and any(key.startswith("ray.io/") for key in chosen):
        yield Fact(("selector", found.ref.namespace, *pairs(chosen)), selector.at, str(found.ref))


@outlined(
    "RAY820",
    Severity.WARNING,
    confidence=Confidence.MEDIUM,
    gathers=selectors,
    context=tuple(f"{kind}/ray.io/" for kind in ("Service", *_BY_MATCH)),
)
def selector_selects_nothing(facts: Sequence[Fact]) -> Problems:
    """A Service, PodDisruptionBudget, PodMonitor or NetworkPolicy that is meant for Ray pods selects none.

    A selector with `ray.io/cluster` that names a RayCluster among the files, in the same namespace, while none
    of its groups has all the labels that are asked for; one that names a RayJob or RayService, whose cluster has
    another name; or one that names a cluster which differs from one among the files by a letter or two.

    It stays silent on selectors for clusters that are not among the files, and on `matchExpressions`.

    Then: The Service has no endpoints, the budget protects nothing, the monitor scrapes nothing, the policy lets
    everything through. None of them says so.

    Fix: Select by labels that KubeRay sets: `ray.io/cluster` with the RayCluster's name, `ray.io/node-type` head
    or worker, `ray.io/group` with a group's name. For a RayService use its own Services, or
    `ray.io/originated-from-cr-name`. Ignore: Where other pods have these labels.
    Source: ray-project/kuberay v1.7.0, `common/pod.go` (`labelPod`) and `utils/util.go` (names of clusters).

    bad RayCluster
      meta: name: trainer
      group: groupName: gpu
      also: ---
      also: apiVersion: v1
      also: kind: Service
      also: metadata: {name: gpus}
      also: spec:
      also:   ports: [{port: 9000}]
      also:   selector: {ray.io/cluster: trainer, ray.io/group: gpus}  # <-
    bad RayService
      meta: name: ranker
      also: ---
      also: apiVersion: policy/v1
      also: kind: PodDisruptionBudget
      also: metadata: {name: ranker}
      also: spec:
      also:   maxUnavailable: 1
      also:   selector: {matchLabels: {ray.io/cluster: ranker, ray.io/node-type: worker}}  # <-
    bad RayCluster
      meta: name: trainer
      also: ---
      also: apiVersion: v1
      also: kind: Service
      also: metadata: {name: head}
      also: spec:
      also:   ports: [{port: 8265}]
      also:   selector: {ray.io/cluster: trainr}  # <-
    good RayCluster
      meta: name: trainer
      group: groupName: gpu
      also: ---
      also: apiVersion: v1
      also: kind: Service
      also: metadata: {name: gpus}
      also: spec: {ports: [{port: 9000}], selector: {ray.io/cluster: trainer, ray.io/group: gpu}}
    good RayCluster -- Of another cluster nothing is known:
      meta: name: trainer
      also: ---
      also: apiVersion: v1
      also: kind: Service
      also: metadata: {name: other}
      also: spec: {ports: [{port: 8265}], selector: {ray.io/cluster: ranker, ray.io/node-type: master}}
    near-miss RayService -- Whatever the cluster is called:
      meta: name: ranker
      also: ---
      also: apiVersion: v1
      also: kind: Service
      also: metadata: {name: proxies}
      also: spec: {ports: [{port: 8000}], selector: {ray.io/serve: "true", ray.io/node-type: worker}}
    near-miss RayCluster -- A label of the template's own:
      meta: name: trainer
      group.meta: labels: {tier: gpu}
      also: ---
      also: apiVersion: policy/v1
      also: kind: PodDisruptionBudget
      also: metadata: {name: gpu}
      also: spec: {maxUnavailable: 1, selector: {matchLabels: {ray.io/cluster: trainer, tier: gpu}}}
    """
    pods = [fact for fact in facts if fact.key[0] == "pods"]
    for fact in facts:
        if fact.key[0] != "selector":
            continue
        selector = labels_in(fact.key[2:])
        reason = _why_nothing(selector, [pod for pod in pods if pod.key[1] == fact.key[1] and beside(pod, fact)])
        if reason:
            yield Problem(
                fact.at,
                f"no Ray pod has these labels: {reason}",
                effect="a Service has no endpoints, a budget protects nothing, a policy lets everything through",
                fix="select by labels that KubeRay sets: ray.io/cluster, ray.io/node-type, ray.io/group",
            )


def _why_nothing(selector: dict[str, str], pods: list[Fact]) -> str:
    """Why none of the pods fits; empty where one does, or where the pods that are meant are not here."""
    wanted = selector.get(_CLUSTER)
    if wanted is None:
        return ""
    clusters = {fact.key[3] for fact in pods if fact.key[2] == "RayCluster"}
    if wanted in clusters:
        groups = [labels_of_pods(fact) for fact in pods if fact.key[2:4] == ("RayCluster", wanted)]
        if any(matches(selector, labels) for labels in groups):
            return ""
        return f"the RayCluster {wanted!r} has no group with all of them"
    owner = next((fact.key[2] for fact in pods if fact.key[3] == wanted and fact.key[2] != "RayCronJob"), None)
    if owner is not None:
        return f"{wanted!r} is a {owner}, and its cluster gets another name"
    near = nearest(wanted, clusters)
    return f"there is a RayCluster {near!r}, and none called {wanted!r}" if near else ""


def clusters(found: RayObject) -> Iterator[Fact]:
    """RayClusters and others by name, and the clusters that RayJobs look for."""
    namespace = found.ref.namespace
    yield Fact(("made", namespace, found.ref.name, found.kind), found.at, str(found.ref))
    job = found.job
    if job is not None and job.uses_existing_cluster:
        selector = job.job_spec.part("clusterSelector")
        name = selector.string(_CLUSTER)
        if name.value:
            yield Fact(("wanted", namespace, name.value), name.at, str(found.ref))


def almost_as_long(facts: Sequence[Fact]) -> Test:
    """Is the object's name so long that it may be, or be meant by, one that a RayJob looks for?"""
    lengths = {len(fact.key[2]) + more for fact in facts if fact.key[0] == "wanted" for more in range(-2, 3)}
    return lambda found: len(found.ref.name) in lengths


@outlined(
    "RAY530",
    Severity.WARNING,
    confidence=Confidence.MEDIUM,
    gathers=clusters,
    context=("RayJob/clusterSelector", "RayCronJob/clusterSelector"),
    sought=almost_as_long,
)
def cluster_selector_misses(facts: Sequence[Fact]) -> Problems:
    """A RayJob looks for a cluster that is not there; almost the same is.

    A `clusterSelector` with a name that no RayCluster of the files has in the RayJob's namespace, while one is
    there whose name differs by a letter or two, one of that name is in another namespace, or the name is that of
    a RayService or RayJob, whose cluster has another name.

    It stays silent where the files hold nothing like it: the cluster then lives elsewhere.

    Then: The operator writes the event `RayClusterNotFound` again and again; the job is never submitted.

    Fix: Write the name of the RayCluster, and put the RayJob into its namespace.
    Ignore: Where a RayCluster of that very name exists already.
    Source: ray-project/kuberay v1.7.0, `rayjob_controller.go`.

    bad RayJob
      job: clusterSelector: {ray.io/cluster: shared-clster}  # <-
      no-cluster:
      also: ---
      also: apiVersion: ray.io/v1
      also: kind: RayCluster
      also: metadata: {name: shared-cluster}
      also: spec: {headGroupSpec: {template: {spec: {containers: [{name: h, image: "rayproject/ray:2.52.0"}]}}}}
    bad RayJob
      meta: namespace: research
      job: clusterSelector: {ray.io/cluster: shared}  # <-
      no-cluster:
      also: ---
      also: apiVersion: ray.io/v1
      also: kind: RayCluster
      also: metadata: {name: shared, namespace: prod}
      also: spec: {headGroupSpec: {template: {spec: {containers: [{name: h, image: "rayproject/ray:2.52.0"}]}}}}
    good RayJob
      job: clusterSelector: {ray.io/cluster: shared}
      no-cluster:
      also: ---
      also: apiVersion: ray.io/v1
      also: kind: RayCluster
      also: metadata: {name: shared}
      also: spec: {headGroupSpec: {template: {spec: {containers: [{name: h, image: "rayproject/ray:2.52.0"}]}}}}
    near-miss RayJob -- The cluster lives elsewhere:
      job: clusterSelector: {ray.io/cluster: shared}
      no-cluster:
      also: ---
      also: apiVersion: ray.io/v1
      also: kind: RayCluster
      also: metadata: {name: trainer}
      also: spec: {headGroupSpec: {template: {spec: {containers: [{name: h, image: "rayproject/ray:2.52.0"}]}}}}
    """
    made = {fact.key[1:]: fact for fact in facts if fact.key[0] == "made"}
    for fact in facts:
        if fact.key[0] != "wanted" or (*fact.key[1:], "RayCluster") in made:
            continue
        _, namespace, name = fact.key
        here = {key: made[key] for key in made if beside(made[key], fact) and made[key].owner != fact.owner}
        names = [cluster for space, cluster, kind in here if space == namespace and kind == "RayCluster"]
        near = nearest(name, names)
        others = (key for key in here if key[1] == name and (key[2] == "RayCluster" or key[0] == namespace))
        key = (namespace, near, "RayCluster") if near is not None else next(others, None)
        if key is None:
            continue
        other = made[key]
        yield Problem(
            fact.at,
            f"there is no RayCluster {name!r} in this namespace; {other.owner} is there",
            because=[(other.at, "this one is there")],
            effect="the operator writes the event RayClusterNotFound again and again; the job is never submitted",
            fix="write the name of the RayCluster, and put the RayJob into its namespace",
        )
