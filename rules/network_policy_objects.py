"""NetworkPolicy objects that select Ray pods: DNS for all of them, and the way from the workers to the head.

Policies add up: what one of them lets through is through. Facts: Kubernetes "Network Policies".
"""

from __future__ import annotations

from raylint.manifest import KubeObject, RayObject
from raylint.rule import Confidence, Fact, Problem, Severity

from .bundle import beside
from .outline import outlined
from .selected_pods import labels_of_pods, matches, pods_of, selects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from raylint.rule import Problems

__all__ = ["network_policy_object_shuts_in"]

MENTIONS = ("NetworkPolicy", "ray.io/")
_GCS_PORT = 6379
_DNS_PORT = 53


def policies(found: KubeObject) -> Iterator[Fact]:
    """Labels of Ray pods, and policies."""
    if isinstance(found, RayObject):
        yield from pods_of(found)
    elif found.kind == "NetworkPolicy" and found.api_version.startswith("networking.k8s.io/"):
        import json  # few files hold a policy

        spec = found.part("spec")
        text = json.dumps(spec.data, default=str)
        yield Fact(("policy", found.ref.namespace, text), spec.part("podSelector").at, str(found.ref))


@outlined(
    "RAY821",
    Severity.WARNING,
    confidence=Confidence.MEDIUM,
    gathers=policies,
    context=("NetworkPolicy",),
    reports=("FR-117",),
)
def network_policy_object_shuts_in(facts: Sequence[Fact]) -> Problems:
    """NetworkPolicy objects that select Ray pods and leave them no way to DNS, or no way to the head.

    Policies of `networking.k8s.io` among the files that select pods of a cluster in the same namespace: for what
    leaves, and none of those that select the pods lets port 53 through; or for what comes in to the head, and none
    lets its own workers in to the GCS (port 6379).

    It stays silent where a selector has `matchExpressions`, and on pods that no policy selects.

    Then: Workers find the head by the name of its Service, then by its port. Without one of them they wait in the
    init container `wait-gcs-ready` for ever.

    Fix: Add a policy that lets all pods of the cluster reach DNS and each other.
    Ignore: Where a policy that is not among the files lets it through.
    Source: Kubernetes "Network Policies"; ray-project/kuberay#4638.

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
    near-miss RayCluster -- A policy for what comes in to the workers leaves the head alone:
      group: groupName: cpu
      also: ---
      also: apiVersion: networking.k8s.io/v1
      also: kind: NetworkPolicy
      also: metadata: {name: workers}
      also: spec: {podSelector: {matchLabels: {ray.io/node-type: worker}}, ingress: []}
    """
    import json

    of_namespace: dict[str, list[tuple[Fact, dict[str, Any]]]] = {}
    for fact in facts:
        if fact.key[0] == "policy":
            of_namespace.setdefault(fact.key[1], []).append((fact, json.loads(fact.key[2])))
    pods = [fact for fact in facts if fact.key[0] == "pods"]
    told: set[tuple[int, str]] = set()
    for pod in pods:
        chosen = _choosing(pod, of_namespace.get(pod.key[1], []))
        for direction, what in _shut(pod, pods, chosen):
            first = next(fact for fact, spec in chosen if direction in _directions(spec))
            if (id(first), what) not in told:
                told.add((id(first), what))
                yield Problem(
                    first.at,
                    f"no policy here lets {what}",
                    because=[(pod.at, f"{pod.owner}, which it selects")],
                    effect="workers wait for the head in wait-gcs-ready for ever",
                    fix="add a policy that lets all pods of the cluster reach DNS (port 53) and each other",
                )


def _choosing(pod: Fact, found: list[tuple[Fact, dict[str, Any]]]) -> list[tuple[Fact, dict[str, Any]]]:
    """The policies that select the pod; none where expressions leave that open for one of them."""
    labels = labels_of_pods(pod)
    chosen = []
    for fact, spec in found:
        if not beside(fact, pod):
            continue
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


def _shut(pod: Fact, pods: Sequence[Fact], chosen: list[tuple[Fact, dict[str, Any]]]) -> Iterator[tuple[str, str]]:
    """Directions in which the pod is shut off, with what does not get through."""
    leaving = [spec for _, spec in chosen if "Egress" in _directions(spec)]
    if leaving and not any(_has_port(rule, _DNS_PORT) for spec in leaving for rule in _rules(spec, "egress")):
        yield "Egress", "these Ray pods reach DNS (port 53)"
    workers = [other for other in pods if other.key[1:4] == pod.key[1:4] and other.key[4] == "worker"]
    entering = [spec for _, spec in chosen if "Ingress" in _directions(spec)]
    if pod.key[4] != "head" or not entering or not workers:
        return
    rules = [rule for spec in entering for rule in _rules(spec, "ingress") if _has_port(rule, _GCS_PORT)]
    if not any(_lets_in(rule, worker) for rule in rules for worker in workers):
        yield "Ingress", "the workers in to the head's GCS (port 6379)"


def _rules(spec: dict[str, Any], direction: str) -> list[dict[str, Any]]:
    rules = spec.get(direction)
    return [rule for rule in rules if isinstance(rule, dict)] if isinstance(rules, list) else []


def _has_port(rule: dict[str, Any], number: int) -> bool:
    ports = rule.get("ports")
    for port in ports if isinstance(ports, list) else ():
        first, last = (port.get("port"), port.get("endPort")) if isinstance(port, dict) else (None, None)
        # A port that only a name tells may be any.
        if not isinstance(first, int) or first == number or (isinstance(last, int) and first <= number <= last):
            return True
    return not ports


def _lets_in(rule: dict[str, Any], worker: Fact) -> bool:
    peers = rule.get("from")
    if not isinstance(peers, list) or not peers:
        return True
    return any(isinstance(peer, dict) and _is_peer(peer, labels_of_pods(worker)) for peer in peers)


def _is_peer(peer: dict[str, Any], labels: dict[str, str]) -> bool:
    """Addresses and other namespaces may well be those of the workers."""
    if "namespaceSelector" in peer or "ipBlock" in peer:
        return True
    selector = selects(peer.get("podSelector"))
    return selector is None or matches(selector, labels)
