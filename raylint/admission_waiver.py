"""The ways out that an object carries in its annotations: rules ignored for a reason, and the broken glass.

::

    raylint/ignore: RAY101,RAY204          # ids or names
    raylint/ignore-reason: moves to the new image in May
    raylint/ignore-until: "2027-05-31"     # the last day, UTC; optional

    raylint/ignore-RAY101: "moves to the new image in May; until=2027-05-31"   # the same for one rule

    raylint/break-glass: INC-4711          # lets one write pass, for those who may
"""

from __future__ import annotations

from raylint.errors import UsageError
from raylint.expiry import is_day
from raylint.registry import matching
from raylint.resolve import gathered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from raylint.admission_policy import AdmissionPolicy
    from raylint.admission_review import Review
    from raylint.rule import Rule

__all__ = ["Waivers", "broken_glass"]

IGNORE = "raylint/ignore"
BREAK_GLASS = "raylint/break-glass"
_REASON = f"{IGNORE}-reason"
_UNTIL = f"{IGNORE}-until"


class Waivers:
    """What an object's annotations ask to be ignored. ``reasons`` are by rule id; ``notices`` tell people of what
    has no effect and why."""

    __slots__ = ("notices", "reasons")

    def __init__(
        self, review: Review, policy: AdmissionPolicy, known: Sequence[Rule], locked: frozenset[str], today: str
    ) -> None:
        """``locked`` are the rules that nothing can ignore, by id."""
        self.reasons: dict[str, str] = {}
        self.notices: list[str] = []
        for key, selectors, reason, until in _written(review.annotations):
            fault = self._fault(review, policy, reason, until, today)
            if fault:
                self.notices.append(f"{key} has no effect: {fault}")
            else:
                self._take(key, selectors, gathered.mask(reason), known, locked)

    def _fault(self, review: Review, policy: AdmissionPolicy, reason: str, until: str, today: str) -> str:
        if not policy.takes_annotations(review):
            return "the policy of this webhook takes no such annotation here"
        if not reason:
            return f"it needs a reason in {_REASON}"
        if until and not is_day(until):
            return f"{until!r} is not a day such as 2027-01-31"
        return f"it ended on {until}" if until and today > until else ""

    def _take(self, key: str, selectors: str, reason: str, known: Sequence[Rule], locked: frozenset[str]) -> None:
        for selector in filter(None, map(str.strip, selectors.split(","))):
            try:
                rules = matching(known, selector)
            except UsageError as error:
                self.notices.append(f"{key} has no effect on {selector!r}: {error}")
                continue
            for rule in rules:
                if rule.id in locked:
                    self.notices.append(f"{key} has no effect on {rule.id}: the policy does not let it be ignored")
                elif selector in (rule.id, rule.name):
                    self.reasons.setdefault(rule.id, reason)
                else:
                    self.notices.append(f"{key} has no effect on {selector!r}: name each rule, such as {rule.id}")
                    break


def _written(annotations: dict[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    """Each annotation that ignores rules: its key, the rules, the reason, and the last day."""
    for key in sorted(annotations):
        value = annotations[key]
        if not key.startswith(IGNORE) or not isinstance(value, str):
            continue
        if key == IGNORE:
            yield key, value, _stripped(annotations.get(_REASON)), _stripped(annotations.get(_UNTIL))
        elif key.startswith(f"{IGNORE}-") and key not in (_REASON, _UNTIL):
            reason, _, until = value.partition(";")
            yield key, key[len(IGNORE) + 1 :], reason.strip(), until.strip().removeprefix("until=").strip()


def broken_glass(review: Review) -> str:
    """The ticket under which this one write is to pass; empty where there is none. What the object carried before
    has been used up by the write that brought it."""
    ticket = _stripped(review.annotations.get(BREAK_GLASS))
    return "" if ticket == _stripped(review.old_annotations.get(BREAK_GLASS)) else gathered.mask(ticket)


def _stripped(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
