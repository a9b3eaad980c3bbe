"""Expressions of affinities and spread constraints that the API server refuses in a pod.

Facts: Kubernetes 1.36 ``pkg/apis/core/validation/validation.go`` (``ValidateNodeSelectorRequirement``) and
``apimachinery/pkg/apis/meta/v1/validation`` (``ValidateLabelSelector``).
"""

from __future__ import annotations

from raylint.field import View
from raylint.pod_verdict import PodFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["judge_expressions"]

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_LISTS = ("In", "NotIn")
_ALONE = ("Exists", "DoesNotExist")
_NUMBERS = ("Gt", "Lt")


def judge_expressions(pod: View, found: list[PodFault]) -> None:
    """Add the faults of all expressions of a pod."""
    for term, of_nodes in _terms(pod):
        for path, item in term.parts("matchExpressions"):
            _judge_expression(View(term.document, path, item), found, of_nodes=of_nodes)


def _judge_expression(expression: View, found: list[PodFault], *, of_nodes: bool) -> None:
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
        what = f"the operator {operator.value} on {key!r} {said}"
        found.append(PodFault("term", operator.at, what, fix=fix))


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
