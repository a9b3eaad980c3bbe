"""Fields of a pod that take one of a few words, which the API server does not check inside KubeRay's kinds.

Facts: Kubernetes 1.36 ``core/v1`` types and ``pkg/apis/core/validation``; the CRDs of KubeRay hold these fields as
plain text, and a pod with another word is refused when the operator makes it.
"""

from __future__ import annotations

from raylint.field import View
from raylint.group import Group
from raylint.rule import Severity

from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import TypeAlias

    from raylint.rule import Problems

    # Fields and the words that they take.
    Known: TypeAlias = Mapping[str, tuple[str, ...]]
    # A field whose value is none of its words, and these.
    Unknown: TypeAlias = tuple[View, str, tuple[str, ...]]

__all__ = ["pod_word_unknown"]

_POD = {
    "restartPolicy": ("Always", "OnFailure", "Never"),
    "dnsPolicy": ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"),
    "preemptionPolicy": ("PreemptLowerPriority", "Never"),
}
_CONTAINER = {
    "imagePullPolicy": ("Always", "IfNotPresent", "Never"),
    "terminationMessagePolicy": ("File", "FallbackToLogsOnError"),
}
_TOLERATION = {
    "operator": ("Exists", "Equal", "Lt", "Gt"),
    "effect": ("NoSchedule", "PreferNoSchedule", "NoExecute"),
}
_PORT = {"protocol": ("TCP", "UDP", "SCTP")}
_SERVICE = {"serviceType": ("ClusterIP", "NodePort", "LoadBalancer", "ExternalName")}


@outlined("RAY361", Severity.ERROR)
def pod_word_unknown(group: Group) -> Problems:
    """A word that Kubernetes does not know in a field that takes one of a few: the pod is never made.

    `restartPolicy`, `dnsPolicy` or `preemptionPolicy` of a pod template, `imagePullPolicy` or
    `terminationMessagePolicy` of a container, `operator` or `effect` of a toleration, the `protocol` of a port,
    and the head's `serviceType`, with a word that is none of theirs. Letter case counts.

    Then: The API server takes the RayCluster, whose schema holds these fields as plain text, and refuses the pod
    or Service that the operator makes of it: an event `FailedToCreate...`, no pod, again and again.

    Fix: Write one of the words that the message lists.
    Ignore: Where a newer Kubernetes knows the word.
    Source: Kubernetes 1.36 API reference, `core/v1`; the CRDs of ray-project/kuberay v1.0.0 to v1.7.0.

    bad RayCluster
      head.pod: restartPolicy: never  # <-
      head.ray: imagePullPolicy: Always
    bad RayJob
      head: serviceType: Loadbalancer  # <-
      group.ray: imagePullPolicy: IfNotPresnt  # <-
    bad RayCluster
      group.pod: tolerations:
      group.pod: - {key: gpu, operator: Exist}  # <-
      group.ray: imagePullPolicy: Always
    good RayCluster
      head.pod: restartPolicy: Never
      head.pod: dnsPolicy: ClusterFirst
      head.ray: imagePullPolicy: IfNotPresent
    near-miss RayCluster -- Nothing is written:
      head.pod: restartPolicy: null
      head.pod: tolerations: [{operator: Exists}]
      head.ray: ports: [{containerPort: 8265, name: dashboard, protocol: TCP}]
    """
    if not group.cluster.is_built:
        return
    for view, name, words in _unknown_words(group):
        field = view.string(name)
        if field.value:
            yield field.flag(
                f"{name} {field.value!r} is none of {', '.join(words)}",
                effect="Kubernetes refuses the pod or Service that the operator makes: there is none, and no end",
                fix=f"write one of {', '.join(words)}",
            )


def _unknown_words(group: Group) -> Iterator[Unknown]:
    if group is group.cluster.head:
        yield from _of(group, _SERVICE)
    pod = group.pod
    yield from _of(pod, _POD)
    if pod.has("tolerations"):
        yield from _of_items(pod, "tolerations", _TOLERATION)
    for container in (*pod.containers, *pod.init_containers):
        yield from _of(container, _CONTAINER)
        if container.has("ports"):
            yield from _of_items(container, "ports", _PORT)


def _of_items(owner: View, key: str, known: Known) -> Iterator[Unknown]:
    for path, item in owner.parts(key):
        if isinstance(item, dict) and not known.keys().isdisjoint(item):
            yield from _of(View(owner.document, path, item), known)


def _of(view: View, known: Known) -> list[Unknown]:
    """Nearly all views have none of the fields, or a word that is known."""
    data = view.data
    if known.keys().isdisjoint(data):
        return []
    return [(view, name, words) for name, words in known.items() if data.get(name) not in (None, *words)]
