"""Services of one's own that open a head to the outside."""

from __future__ import annotations

from raylint.field import View
from raylint.manifest import KubeObject, RayObject
from raylint.rule import Confidence, Fact, Problem, Severity

from .bundle import beside
from .exposure import DANGEROUS_NAMES, DANGEROUS_PORTS, OPEN_TYPES, says_internal
from .outline import outlined
from .selected_pods import labels_in, labels_of_pods, pairs, pods_of
from .token_auth import asks_for_token

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from raylint.rule import Problems

__all__ = ["service_object_opens_head"]

MENTIONS = ("ray.io/",)


def openings(found: KubeObject) -> Iterator[Fact]:
    """Labels of heads that ask nobody for a token, and what Services open to the outside select."""
    if isinstance(found, RayObject):
        if found.cluster is not None and not asks_for_token(found.cluster):
            yield from (pods for pods in pods_of(found) if pods.key[4] == "head")
        return
    spec = found.part("spec")
    opener = "type" if spec.data.get("type") in OPEN_TYPES else "externalIPs"
    selector = spec.part("selector").data
    if spec.data.get(opener) and selector and _has_dangerous_port(spec):
        who = "few" if _is_guarded(found, spec) else "all"
        yield Fact(("service", found.ref.namespace, who, *pairs(selector)), spec.at_key(opener), str(found.ref))


def _has_dangerous_port(spec: View) -> bool:
    ports = [View(spec.document, path, item).data for path, item in spec.parts("ports")]
    targets = [port.get("targetPort", port.get("port")) for port in ports]
    return any(target in DANGEROUS_PORTS or target in DANGEROUS_NAMES for target in targets)


def _is_guarded(found: KubeObject, spec: View) -> bool:
    notes = found.annotations.data.items()
    return bool(spec.data.get("loadBalancerSourceRanges")) or any(
        says_internal(key, str(text)) for key, text in notes
    )


@outlined(
    "RAY823",
    Severity.WARNING,
    confidence=Confidence.MEDIUM,
    gathers=openings,
    context=("Service/ray.io/",),
    reports=("FR-118",),
)
def service_object_opens_head(facts: Sequence[Fact]) -> Problems:
    """A Service of one's own opens a head to the outside, and nobody is asked for a token.

    A Service of type LoadBalancer or NodePort, or with `externalIPs`, that selects the head of a cluster among the
    files, for the dashboard, Ray Client or the GCS, while the cluster has neither `authOptions.mode: token` nor
    `RAY_AUTH_MODE`. An info for an internal load balancer (by annotation) or `loadBalancerSourceRanges`.

    It stays silent where the selector names a cluster that KubeRay gives its name.

    Then: As with a head Service that is open itself (RAY801): the Jobs API and Ray Client run what they are sent.

    Fix: Make it a ClusterIP and use `kubectl port-forward`; or set `authOptions: {mode: token}`.
    Ignore: Where a firewall in front lets only the right people through.
    Source: Ray "Security"; Kubernetes "Service".

    bad RayCluster
      meta: name: trainer
      also: ---
      also: apiVersion: v1
      also: kind: Service
      also: metadata: {name: public}
      also: spec:
      also:   type: LoadBalancer  # <-
      also:   selector: {ray.io/cluster: trainer, ray.io/node-type: head}
      also:   ports: [{port: 80, targetPort: 8265}]
    bad RayService
      meta: name: ranker
      also: ---
      also: apiVersion: v1
      also: kind: Service
      also: metadata: {name: heads}
      also: spec:
      also:   externalIPs: [203.0.113.7]  # <-
      also:   selector: {ray.io/node-type: head}
      also:   ports: [{port: 10001}]
    bad RayCluster severity=info -- The load balancer is an internal one:
      meta: name: trainer
      also: ---
      also: apiVersion: v1
      also: kind: Service
      also: metadata: {name: office, annotations: {networking.gke.io/load-balancer-type: Internal}}
      also: spec:
      also:   type: LoadBalancer  # <-
      also:   selector: {ray.io/cluster: trainer, ray.io/node-type: head}
      also:   ports: [{port: 8265, targetPort: dashboard}]
    good RayCluster
      meta: name: trainer
      also: ---
      also: apiVersion: v1
      also: kind: Service
      also: metadata: {name: inside}
      also: spec: {selector: {ray.io/cluster: trainer, ray.io/node-type: head}, ports: [{port: 8265}]}
    good RayCluster
      meta: name: trainer
      cluster: rayVersion: 2.52.0
      cluster: authOptions: {mode: token}
      also: ---
      also: apiVersion: v1
      also: kind: Service
      also: metadata: {name: public}
      also: spec:
      also:   type: NodePort
      also:   selector: {ray.io/cluster: trainer, ray.io/node-type: head}
      also:   ports: [{port: 8265}]
    near-miss RayCluster -- Serve is what it opens:
      meta: name: trainer
      also: ---
      also: apiVersion: v1
      also: kind: Service
      also: metadata: {name: public}
      also: spec:
      also:   type: LoadBalancer
      also:   selector: {ray.io/cluster: trainer, ray.io/node-type: head}
      also:   ports: [{port: 80, targetPort: 8000}]
    near-miss RayCluster -- It is for another cluster:
      meta: name: trainer
      also: ---
      also: apiVersion: v1
      also: kind: Service
      also: metadata: {name: public}
      also: spec:
      also:   type: LoadBalancer
      also:   selector: {ray.io/cluster: ranker, ray.io/node-type: head}
      also:   ports: [{port: 8265}]
    """
    heads = [fact for fact in facts if fact.key[0] == "pods"]
    for fact in facts:
        if fact.key[0] != "service":
            continue
        selector = labels_in(fact.key[3:]).items()
        near = (head for head in heads if head.key[1] == fact.key[1] and beside(head, fact))
        head = next((head for head in near if selector <= labels_of_pods(head).items()), None)
        if head is not None:
            yield Problem(
                fact.at,
                f"this opens the {head.owner} to the outside, and nobody is asked for a token",
                severity=Severity.INFO if fact.key[2] == "few" else None,
                because=[(head.at, "the head that it selects")],
                effect="everybody who can reach the Service submits jobs and reads what the pods can read",
                fix="make it a ClusterIP and use kubectl port-forward, or set authOptions: {mode: token}",
            )
