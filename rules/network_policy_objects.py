"""NetworkPolicy objects that select Ray pods: the ways that a cluster cannot do without.

Policies add up: what one of them lets through is through. Facts: Kubernetes "Network Policies"; Ray "Configuring
Ray", ports of a node (the raylet's are chosen at random unless they are written).
"""

from __future__ import annotations

from raylint.manifest import KubeObject, RayObject
from raylint.rule import Confidence, Fact, Problem, Severity

from .bundle import folder_of
from .network_policy import dashboard_port, operator_asks, store_port
from .outline import outlined
from .selected_pods import labels_of_pods, matches, pods_of, selects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from raylint.cluster import RayCluster
    from raylint.rule import Problems, Test

__all__ = ["network_policy_object_shuts_in"]

MENTIONS = ("NetworkPolicy", "ray.io/")
_GCS_PORT = 6379
_DNS_PORT = 53
_DNS_NAMESPACE = "kube-system"
# Ports that others listen on: GCS, Serve, metrics, dashboard, Ray Client, the agent. None of them is the raylet's.
_NOT_RAYLET = (6379, 8000, 8080, 8265, 10001, 44217, 44227, 52365)
# What KubeRay's labels of a pod begin with.
_OF_KUBERAY = ("ray.io/", "app.kubernetes.io/")
_WAIT = "workers wait for the head in wait-gcs-ready for ever"
_OPEN_CLUSTER = "add a policy that lets all pods of the cluster reach DNS (port 53, UDP) and each other"


def policies(found: KubeObject) -> Iterator[Fact]:
    """Labels of Ray pods, what else their heads must be reached by or reach, and policies."""
    if isinstance(found, RayObject):
        # What KubeRay's own policy for the cluster opens adds up with the others.
        if found.cluster is not None and not found.cluster.has("networkPolicy"):
            yield from pods_of(found)
            yield from _ports_of(found.cluster)
    elif found.kind == "NetworkPolicy" and found.api_version.startswith("networking.k8s.io/"):
        import json  # few files hold a policy

        spec = found.part("spec")
        text = json.dumps(spec.data, default=str)
        yield Fact(("policy", found.ref.namespace, text), spec.part("podSelector").at, str(found.ref))


def selected_by_any(facts: Sequence[Fact]) -> Test:
    """Has the object all labels that one of the policies selects by, but for KubeRay's, whatever their values?"""
    import json

    selectors = [selects(json.loads(fact.key[2]).get("podSelector")) or {} for fact in facts]
    sought = [{key for key in selector if not key.startswith(_OF_KUBERAY)} for selector in selectors]

    def may_be_selected(found: KubeObject) -> bool:
        written: set[str] = set()
        for group in found.cluster.groups if isinstance(found, RayObject) and found.cluster is not None else ():
            written.update(group.template.labels.data, group.part("labels").data)
        return any(written.issuperset(keys) for keys in sought)

    return may_be_selected


def _ports_of(cluster: RayCluster) -> Iterator[Fact]:
    """The dashboard's port where the operator asks it, and that of the cluster's Redis."""
    owner = cluster.owner.ref
    asked = dashboard_port(cluster) if operator_asks(cluster) else None
    for name, port in (("dashboard", asked), ("redis", store_port(cluster))):
        if port is not None:
            yield Fact((name, owner.namespace, cluster.owner.kind, owner.name, str(port)), cluster.at, str(owner))


@outlined(
    "RAY821",
    Severity.WARNING,
    confidence=Confidence.MEDIUM,
    gathers=policies,
    context=("NetworkPolicy",),
    sought=selected_by_any,
    reports=("FR-117",),
)
def network_policy_object_shuts_in(facts: Sequence[Fact]) -> Problems:
    """NetworkPolicy objects that cut Ray pods off from DNS, from each other, or from what drives them.

    Policies of `networking.k8s.io` among the files that select pods of a cluster in the same namespace, none of
    which lets through: port 53 over UDP to the DNS server; the workers to the head's GCS (port 6379), on either
    side; the head to the workers; the operator to the dashboard of a RayJob or RayService; the head to the Redis
    of GCS fault tolerance. A rule that only selects pods of its own namespace does not reach DNS, one that only
    selects pods by KubeRay's labels reaches neither the operator nor Redis.

    It stays silent where a selector has `matchExpressions`, on pods that no policy selects, and on a cluster with
    `networkPolicy` of its own.

    Then: Workers find the head by the name of its Service, then by its port: without one of them they wait in the
    init container `wait-gcs-ready` for ever. A head that cannot reach a worker starts no task on it and gives it
    up as dead. Without the dashboard a RayJob or RayService never gets further, and a head without its Redis
    restarts again and again.

    Fix: Add a policy that lets all pods of the cluster reach DNS and each other, and the head what it needs
    besides.
    Ignore: Where a policy that is not among the files lets it through.
    Source: Kubernetes "Network Policies" (a port without `protocol` is TCP alone); Ray "Configuring Ray", ports;
    ray-project/kuberay#4638.

    bad RayCluster
      meta: name: trainer
      group: groupName: cpu
      also: ---
      also: apiVersion: networking.k8s.io/v1
      also: kind: NetworkPolicy
      also: metadata: {name: only-storage}
      also: spec:
      also:   podSelector: {matchLabels: {ray.io/cluster: trainer}}  # <-
      also:   policyTypes: [Egress]
      also:   egress: [{ports: [{port: 443}]}]
    bad RayService
      group: groupName: cpu
      also: ---
      also: apiVersion: networking.k8s.io/v1
      also: kind: NetworkPolicy
      also: metadata: {name: head}
      also: spec:
      also:   podSelector: {matchLabels: {ray.io/node-type: head}}  # <-
      also:   ingress:
      also:   - from: [{podSelector: {matchLabels: {app: gateway}}}]
      also:     ports: [{port: 8265}]
    bad RayCluster -- The head's requests do not come in to the workers:
      group: groupName: cpu
      also: ---
      also: apiVersion: networking.k8s.io/v1
      also: kind: NetworkPolicy
      also: metadata: {name: workers}
      also: spec:
      also:   podSelector: {matchLabels: {ray.io/node-type: worker}}  # <-
      also:   ingress: []
    bad RayService -- The operator does not come in to the dashboard:
      group: groupName: cpu
      also: ---
      also: apiVersion: networking.k8s.io/v1
      also: kind: NetworkPolicy
      also: metadata: {name: ray}
      also: spec:
      also:   podSelector: {matchLabels: {ray.io/is-ray-node: "yes"}}  # <-
      also:   ingress: [{from: [{podSelector: {matchLabels: {ray.io/is-ray-node: "yes"}}}]}]
    good RayCluster -- Two policies, and what one lets through is through:
      meta: name: trainer
      group: groupName: cpu
      also: ---
      also: apiVersion: networking.k8s.io/v1
      also: kind: NetworkPolicy
      also: metadata: {name: deny-all}
      also: spec: {podSelector: {}, policyTypes: [Egress, Ingress]}
      also: ---
      also: apiVersion: networking.k8s.io/v1
      also: kind: NetworkPolicy
      also: metadata: {name: ray}
      also: spec:
      also:   podSelector: {matchLabels: {ray.io/is-ray-node: "yes"}}
      also:   ingress: [{from: [{podSelector: {matchLabels: {ray.io/is-ray-node: "yes"}}}]}]
      also:   egress: [{ports: [{port: 53, protocol: UDP}]}, {to: [{podSelector: {}}]}]
    good RayCluster -- It selects other pods:
      group: groupName: cpu
      also: ---
      also: apiVersion: networking.k8s.io/v1
      also: kind: NetworkPolicy
      also: metadata: {name: web}
      also: spec: {podSelector: {matchLabels: {app: web}}, policyTypes: [Egress]}
    near-miss RayCluster -- Nothing but the cluster's own pods and the dashboard's users may come in:
      meta: name: trainer
      group: groupName: cpu
      also: ---
      also: apiVersion: networking.k8s.io/v1
      also: kind: NetworkPolicy
      also: metadata: {name: trainer}
      also: spec:
      also:   podSelector: {matchLabels: {ray.io/cluster: trainer}}
      also:   ingress:
      also:   - from: [{podSelector: {matchLabels: {ray.io/cluster: trainer}}}]
      also:   - from: [{podSelector: {matchLabels: {app: gateway}}}]
      also:     ports: [{port: 8265}]
    """
    import json

    # By folder and namespace; of policies that say the same the first stands for all.
    policies_at: dict[tuple[str, str], dict[str, Fact]] = {}
    of_clusters: dict[tuple[str, ...], list[Fact]] = {}
    for fact in facts:
        if fact.key[0] == "policy":
            policies_at.setdefault((folder_of(fact), fact.key[1]), {}).setdefault(fact.key[2], fact)
        else:
            of_clusters.setdefault(fact.key[1:4], []).append(fact)
    read = {at: [(fact, json.loads(text)) for text, fact in found.items()] for at, found in policies_at.items()}
    pods = [fact for fact in facts if fact.key[0] == "pods"]
    told: set[tuple[int, str]] = set()
    for pod in pods:
        found = read.get((folder_of(pod), pod.key[1]))
        chosen = _choosing(pod, found) if found else []
        if not chosen:
            continue
        for direction, what, effect, fix in _shut(pod, of_clusters[pod.key[1:4]], chosen):
            first = next(fact for fact, spec in chosen if direction in _directions(spec))
            if (id(first), what) not in told:
                told.add((id(first), what))
                yield Problem(
                    first.at,
                    f"no policy here lets {what}",
                    because=[(pod.at, f"{pod.owner}, which it selects")],
                    effect=effect,
                    fix=fix,
                )


def _choosing(pod: Fact, found: list[tuple[Fact, dict[str, Any]]]) -> list[tuple[Fact, dict[str, Any]]]:
    """The policies that select the pod; none where expressions leave that open for one of them."""
    labels = labels_of_pods(pod)
    chosen = []
    for fact, spec in found:
        selector = selects(spec.get("podSelector"))
        if selector is None:
            return []
        if matches(selector, labels):
            chosen.append((fact, spec))
    return chosen


def _directions(spec: dict[str, Any]) -> list[str]:
    """``Ingress`` unless written otherwise; ``Egress`` where the types name it or rules for it are there."""
    types = spec.get("policyTypes")
    if isinstance(types, list) and types:
        return types
    return ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]


def _shut(
    pod: Fact, of_cluster: Sequence[Fact], chosen: list[tuple[Fact, dict[str, Any]]]
) -> Iterator[tuple[str, str, str, str]]:
    """For each direction the first thing that does not get through, with what comes of it and what to do."""
    shut: set[str] = set()
    for direction, what, effect, fix, fits in _needs(pod, of_cluster):
        specs = [spec for _, spec in chosen if direction in _directions(spec)]
        if not specs or direction in shut:
            continue
        if not any(fits(rule) for spec in specs for rule in _mappings(spec.get(direction.lower()))):
            shut.add(direction)
            yield direction, what, effect, fix


def _needs(
    pod: Fact, of_cluster: Sequence[Fact]
) -> Iterator[tuple[str, str, str, str, Callable[[dict[str, Any]], bool]]]:
    """What must get through to or from the pod, with a test whether a rule lets it."""
    namespace, role = pod.key[1], pod.key[4]
    others = [labels_of_pods(fact) for fact in of_cluster if fact.key[0] == "pods" and fact.key[4] != role]
    what = "these Ray pods reach DNS (port 53, UDP)"
    yield "Egress", what, _WAIT, _OPEN_CLUSTER, lambda rule: _reaches_dns(rule, namespace)
    if others and role == "head":
        what = "the workers in to the head's GCS (port 6379)"
        yield "Ingress", what, _WAIT, _OPEN_CLUSTER, lambda rule: _opens_gcs(rule, "from", others)
    elif others:
        what = "the workers out to the head's GCS (port 6379)"
        yield "Egress", what, _WAIT, _OPEN_CLUSTER, lambda rule: _opens_gcs(rule, "to", others)
        effect = "the head starts no task on a worker, and gives it up as dead"
        yield (
            "Ingress",
            "the head in to the workers",
            effect,
            _OPEN_CLUSTER,
            lambda rule: _opens_raylet(rule, others),
        )
    for fact in of_cluster if role == "head" else ():
        if fact.key[0] != "pods":
            yield _outside(fact)


def _outside(fact: Fact) -> tuple[str, str, str, str, Callable[[dict[str, Any]], bool]]:
    """What the head needs besides its cluster: the operator, or Redis."""
    port = int(fact.key[4])
    if fact.key[0] == "dashboard":
        what = f"the operator in to the dashboard (port {port})"
        effect = f"the operator cannot ask the dashboard: the {fact.key[2]} never gets further"
        fix = f"add a policy for the head: from the operator's namespace, to port {port}"
        return "Ingress", what, effect, fix, lambda rule: _opens_outside(rule, "from", port)
    what = f"the head out to Redis (port {port})"
    effect = "the head waits for Redis and gives up; its container restarts again and again"
    return (
        "Egress",
        what,
        effect,
        f"let the head out to port {port}",
        lambda rule: _opens_outside(rule, "to", port),
    )


def _mappings(written: object) -> list[dict[str, Any]]:
    return [item for item in written if isinstance(item, dict)] if isinstance(written, list) else []


def _has_port(rule: dict[str, Any], number: int, protocol: str = "TCP") -> bool:
    if not rule.get("ports"):
        return True
    for port in _mappings(rule["ports"]):
        first, last = port.get("port"), port.get("endPort")
        # A port that only a name tells may be any.
        fits = not isinstance(first, int) or first == number or (isinstance(last, int) and first <= number <= last)
        if fits and port.get("protocol", "TCP") == protocol:
            return True
    return False


def _reaches_dns(rule: dict[str, Any], namespace: str) -> bool:
    """The DNS server runs in a namespace of its own, which a selector of pods alone does not leave."""
    peers = _mappings(rule.get("to"))
    leaves = not peers or namespace == _DNS_NAMESPACE or any(not _is_near(peer) for peer in peers)
    return leaves and _has_port(rule, _DNS_PORT, "UDP")


def _opens_gcs(rule: dict[str, Any], side: str, others: list[dict[str, str]]) -> bool:
    return _has_port(rule, _GCS_PORT) and _is_for(rule, side, others)


def _opens_raylet(rule: dict[str, Any], others: list[dict[str, str]]) -> bool:
    """A rule for the head, of which a port may be the raylet's."""
    ports = _mappings(rule.get("ports"))
    known = bool(ports) and all(port.get("port") in _NOT_RAYLET and "endPort" not in port for port in ports)
    return not known and _is_for(rule, "from", others)


def _opens_outside(rule: dict[str, Any], side: str, port: int) -> bool:
    """Pods with labels of KubeRay's are neither the operator nor Redis; any others may be."""
    peers = _mappings(rule.get(side))
    far = not peers or any(not _is_near(peer) or not _is_of_ray(peer) for peer in peers)
    return far and _has_port(rule, port)


def _is_near(peer: dict[str, Any]) -> bool:
    """Pods of the policy's own namespace? Addresses and other namespaces may be those of anybody."""
    return "namespaceSelector" not in peer and "ipBlock" not in peer


def _is_of_ray(peer: dict[str, Any]) -> bool:
    selector = selects(peer.get("podSelector"))
    return selector is not None and any(key.startswith("ray.io/") for key in selector)


def _is_for(rule: dict[str, Any], side: str, others: list[dict[str, str]]) -> bool:
    """Is one of the pods, by their labels, among the rule's peers?"""
    if not rule.get(side):
        return True
    for peer in _mappings(rule[side]):
        selector = selects(peer.get("podSelector"))
        if not _is_near(peer) or selector is None or any(matches(selector, labels) for labels in others):
            return True
    return False
