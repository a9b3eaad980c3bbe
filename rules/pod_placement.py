"""Where a pod may run: tolerations and affinities that the API server refuses in a pod.

Facts: Kubernetes 1.36 ``pkg/apis/core/validation/validation.go`` (``ValidateTolerations``,
``ValidateNodeSelectorRequirement``) and ``apimachinery/pkg/apis/meta/v1/validation`` (``ValidateLabelSelector``).
"""

from __future__ import annotations

from raylint.field import View
from raylint.group import Group
from raylint.rule import Severity

from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.rule import Problem, Problems

__all__ = ["placement_term_refused"]

MENTIONS = ("tolerations", "affinity", "topologySpreadConstraints")
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_LISTS = ("In", "NotIn")
_ALONE = ("Exists", "DoesNotExist")
_NUMBERS = ("Gt", "Lt")


@outlined("RAY367", Severity.ERROR)
def placement_term_refused(group: Group) -> Problems:
    """A toleration or an affinity that contradicts itself: the pod is never made.

    In a pod template: a toleration with `operator: Exists` and a `value`, without a `key` and with another
    operator, or with `tolerationSeconds` and another effect than `NoExecute`; an expression of an affinity or a
    spread constraint with `In` or `NotIn` and no `values`, with `Exists` or `DoesNotExist` and some, with `Gt` or
    `Lt` and not just one, or with an operator that there is not.

    Then: The API server stores the object of KubeRay without looking at this, and refuses each pod that the
    operator makes of it: "value must be empty when operator is Exists", "must be specified when operator is In or
    NotIn". The group stays empty, and only the operator's events and log tell why.

    Fix: As the message says: a value goes with `Equal`, a list of values with `In`.
    Ignore: Never.
    Source: Kubernetes 1.36, `pkg/apis/core/validation/validation.go` (`ValidateTolerations`,
    `ValidateNodeSelectorRequirement`), `apimachinery/pkg/apis/meta/v1/validation/validation.go`.

    bad RayCluster
      group.pod: tolerations:
      group.pod: - key: gpu
      group.pod:   operator: Exists
      group.pod:   value: present  # <-
      group.pod:   effect: NoSchedule
      group.pod: - key: spot
      group.pod:   effect: NoSchedule
      group.pod:   tolerationSeconds: 60  # <-
      group.ray: imagePullPolicy: Always
    bad RayCluster
      group.pod: affinity:
      group.pod:   nodeAffinity:
      group.pod:     requiredDuringSchedulingIgnoredDuringExecution:
      group.pod:       nodeSelectorTerms:
      group.pod:       - matchExpressions:
      group.pod:         - key: zone
      group.pod:           operator: In  # <-
      group.pod:   podAntiAffinity:
      group.pod:     preferredDuringSchedulingIgnoredDuringExecution:
      group.pod:     - weight: 1
      group.pod:       podAffinityTerm:
      group.pod:         topologyKey: kubernetes.io/hostname
      group.pod:         labelSelector:
      group.pod:           matchExpressions:
      group.pod:           - key: ray.io/group
      group.pod:             operator: Exists  # <-
      group.pod:             values: [gpu]
      group.ray: imagePullPolicy: Always
    good RayCluster
      group.pod: tolerations:
      group.pod: - {key: gpu, operator: Equal, value: present, effect: NoSchedule}
      group.pod: - {key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 60}
      group.pod: affinity:
      group.pod:   nodeAffinity:
      group.pod:     requiredDuringSchedulingIgnoredDuringExecution:
      group.pod:       nodeSelectorTerms:
      group.pod:       - matchExpressions: [{key: zone, operator: In, values: [a, b]}]
      group.ray: imagePullPolicy: Always
    near-miss RayCluster -- Whatever the taint; an empty value; one number:
      group.pod: tolerations:
      group.pod: - {operator: Exists}
      group.pod: - {key: gpu, operator: Exists, value: ""}
      group.pod: affinity:
      group.pod:   nodeAffinity:
      group.pod:     preferredDuringSchedulingIgnoredDuringExecution:
      group.pod:     - weight: 1
      group.pod:       preference: {matchExpressions: [{key: cores, operator: Gt, values: ["8"]}]}
      group.ray: imagePullPolicy: Always
    """
    if not group.cluster.is_built:
        return
    for path, item in group.pod.parts("tolerations"):
        yield from _toleration(View(group.document, path, item), group)
    for term, of_nodes in _terms(group.pod):
        for path, item in term.parts("matchExpressions"):
            yield from _expression(View(term.document, path, item), group, of_nodes=of_nodes)


def _toleration(toleration: View, group: Group) -> Problems:
    operator, effect = toleration.string("operator", "Equal"), toleration.string("effect", "")
    if operator.value == "Exists" and toleration.data.get("value"):
        said = "the toleration with operator Exists has a value"
        yield _refused(toleration, "value", said, group, "operator Equal, or no value")
    if operator.value == "Equal" and not toleration.data.get("key"):
        said = "the toleration has no key, and its operator is not Exists"
        yield _refused(toleration, "operator", said, group, "operator Exists, or a key")
    if toleration.has("tolerationSeconds") and effect.value not in ("NoExecute", None):
        said = f"tolerationSeconds goes with the effect NoExecute alone, and the effect is {effect.value!r}"
        yield _refused(toleration, "tolerationSeconds", said, group, "effect NoExecute, or no tolerationSeconds")


def _expression(expression: View, group: Group, *, of_nodes: bool) -> Problems:
    operator, values = expression.string("operator"), expression.data.get("values")
    count = len(values) if isinstance(values, list) else 0
    if not operator.value:
        return
    if operator.value in _LISTS:
        said, fix = "has no values" if not count else "", "the values, or operator Exists"
    elif operator.value in _ALONE:
        said, fix = "has values" if count else "", "no values, or operator In"
    elif of_nodes and operator.value in _NUMBERS:
        said, fix = f"has {count} values instead of one" if count != 1 else "", "one number"
    else:
        said, fix = "is none that Kubernetes knows here", "In, NotIn, Exists or DoesNotExist"
    if said:
        key = expression.string("key").value or ""
        yield _refused(expression, "operator", f"the operator {operator.value} on {key!r} {said}", group, fix)


def _terms(pod: View) -> Iterator[tuple[View, bool]]:
    """What holds ``matchExpressions``, and whether it looks at nodes."""
    affinity = pod.part("affinity")
    nodes = affinity.part("nodeAffinity")
    for path, item in nodes.part(_REQUIRED).parts("nodeSelectorTerms"):
        yield View(pod.document, path, item), True
    for path, item in nodes.parts(_PREFERRED):
        yield View(pod.document, path, item).part("preference"), True
    for kind in ("podAffinity", "podAntiAffinity"):
        pods = affinity.part(kind)
        for path, item in pods.parts(_REQUIRED):
            yield View(pod.document, path, item).part("labelSelector"), False
        for path, item in pods.parts(_PREFERRED):
            yield View(pod.document, path, item).part("podAffinityTerm").part("labelSelector"), False
    for path, item in pod.parts("topologySpreadConstraints"):
        yield View(pod.document, path, item).part("labelSelector"), False


def _refused(view: View, key: str, message: str, group: Group, fix: str) -> Problem:
    return view.string(key).flag(
        f"{message}: the API server refuses the pods of the {group.title}",
        effect="no pod of the group is created, and only the operator's events tell why",
        fix=f"write {fix}",
    )
