"""Rules whose page is written in the short form of ``operator_page.py``, for what nobody refuses.

Their docstrings hold a summary, what the rule flags, then ``Then:`` (what happens), ``Fix:``, ``Ignore:`` and
``Source:``, and examples as what differs from the smallest manifest of a kind.
"""

from __future__ import annotations

from raylint.rule import Confidence, Rule, Severity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeAlias

    from raylint.rule import Fact, Problem, Sought

    Check: TypeAlias = Callable[..., Iterable[Problem]]

__all__ = ["outlined"]


def outlined(
    id: str,
    severity: Severity,
    where: str = "",
    *,
    confidence: Confidence = Confidence.HIGH,
    kuberay: str = "",
    ray: str = "",
    gathers: Callable[[Any], Iterable[Fact]] | None = None,
    context: tuple[str, ...] = (),
    sought: Sought | None = None,
    preview: bool = False,
    reports: tuple[str, ...] = (),
    fixes: str = "",
) -> Callable[[Check], Rule]:
    """Turn a check into a rule; :class:`raylint.rule.Rule` tells of the arguments."""

    def decorate(check: Check) -> Rule:
        return Rule(
            id,
            check.__name__.replace("_", "-"),
            severity,
            confidence,
            check,
            kuberay=kuberay,
            ray=ray,
            gathers=gathers,
            context=context,
            sought=sought,
            preview=preview,
            where=where,
            compose=_page,
            reports=reports,
            fixes=fixes,
        )

    return decorate


def _page(rule: Rule) -> str:
    from .operator_page import compose  # only who reads pages pays for them

    return compose(rule)
