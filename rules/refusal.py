"""Rules that say what the KubeRay operator would say, and what becomes of an object that it refuses.

``refuses`` makes a rule of a check. Its findings are errors where the operator's validation refuses the object (or
the object that it makes of it); where an object is accepted and then goes nowhere, they are warnings: the
operator's verdict stands, and other means, a webhook or a controller of your own, may still set it right.

Source: ray-project/kuberay v1.3.0 to v1.7.0, ``raycluster_controller.go``, ``rayjob_controller.go``,
``rayservice_controller.go`` and ``raycronjob_controller.go``.
"""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.field import Field
from raylint.group import Group
from raylint.manifest import RayObject
from raylint.rule import Confidence, Problem, Rule, Severity
from raylint.target import version_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, TypeAlias

    from raylint.rule import Location, Repair

    Check: TypeAlias = Callable[..., Iterable[Problem]]
    Place: TypeAlias = Location | Field[Any]
    Part: TypeAlias = RayObject | RayCluster | Group

__all__ = ["gate_is_off", "refusal", "refused", "refuses"]


def refuses(
    id: str,
    kuberay: str,
    where: str = "",
    *,
    severity: Severity = Severity.ERROR,
    confidence: Confidence = Confidence.HIGH,
    preview: bool = False,
    fixes: str = "",
    stored: bool = True,
    full_page: bool = False,
    name: str = "",
    reports: tuple[str, ...] = (),
) -> Callable[[Check], Rule]:
    """Turn a check of the object that the operator reads into a rule. ``where``: the field without which there
    is nothing to check (see :class:`raylint.rule.Rule`). ``name`` stands in for the function's own where one
    function makes several checks. The docstring is a page in short form, as ``operator_page.py`` tells, unless it
    is a
    ``full_page``."""

    def decorate(check: Check) -> Rule:
        return Rule(
            id,
            name or check.__name__.replace("_", "-"),
            severity,
            confidence,
            check,
            kuberay=kuberay,
            where=where,
            preview=preview,
            fixes=fixes,
            stored=stored,
            compose=None if full_page else _page,
            reports=reports,
        )

    return decorate


def _page(rule: Rule) -> str:
    from .operator_page import compose  # only who reads pages pays for them

    return compose(rule)


def refused(
    part: Part,
    place: Place,
    fault: str,
    *,
    fix: str,
    label: str = "",
    because: Sequence[tuple[Location, str]] = (),
    repair: Repair | None = None,
) -> Problem:
    """The operator refuses the object that ``part`` is or belongs to, because of ``fault``."""
    return Problem(
        place.at if isinstance(place, Field) else place,
        f"{fault}: the operator refuses the {_owner(part).kind}",
        effect=refusal(part),
        fix=fix,
        label=label,
        because=because,
        repair=repair,
    )


def gate_is_off(part: Part, place: Location, field: str, gate: str) -> Problem:
    """The operator refuses a field because its feature gate is off. Whoever writes the field has most likely
    turned the gate on, so where nobody told raylint of the gates, it only warns."""
    owner = _owner(part)
    knows = owner.target.knows_gates
    release = version_text(owner.target.kuberay)
    return Problem(
        place,
        f"{field} needs the feature gate {gate}, which is off in KubeRay {release} unless it is turned on:"
        f" the operator refuses the {owner.kind}",
        effect=refusal(part),
        fix=f"start the operator with --feature-gates={gate}=true (Helm: featureGates) and give raylint the same"
        f" flag, or remove {field}",
        label=f"{gate} is off" if knows else f"is {gate} on?",
        severity=None if knows else Severity.WARNING,
        confidence=None if knows else Confidence.MEDIUM,
    )


def refusal(part: Part) -> str:
    """What people on call see in the target release."""
    owner = _owner(part)
    return f"{_outcome(owner, in_cluster=part is not owner)} (KubeRay {version_text(owner.target.kuberay)})"


def _owner(part: Part) -> RayObject:
    if isinstance(part, RayObject):
        return part
    return part.owner if isinstance(part, RayCluster) else part.cluster.owner


def _outcome(owner: RayObject, *, in_cluster: bool) -> str:
    kind, since = owner.kind, owner.target.kuberay_at_least
    if kind == "RayCluster":
        return (
            "kubectl says created, then the operator refuses the RayCluster with a warning event and makes no"
            " pods; one that already runs is no longer reconciled: no scaling, no new head"
        )
    if kind == "RayCronJob":
        return "kubectl says created, then the event InvalidRayCronJobSpec, and no job is ever started"
    if in_cluster and not since(1, 4):
        return f"the {kind} is accepted, then the RayCluster made of it is refused: no pods, and it waits for ever"
    if kind == "RayJob":
        return (
            "kubectl says created, then jobDeploymentStatus is ValidationFailed: no cluster, no job, no retry"
            if since(1, 5)
            else "kubectl says created, then a warning event comes again and again: no cluster, no job"
        )
    return (
        "kubectl says created, then the condition Ready is False with reason ValidationFailed; nothing is deployed"
        " or updated"
        if since(1, 6)
        else "kubectl says created, then a warning event comes again and again; nothing is deployed or updated"
    )
