"""Suppressions: findings that the manifest itself accepts, by a comment or an annotation.

They are kept until the end of a run: what shows only over several files is accepted by them as well, and only then
it is known which of them accept nothing.
"""

from __future__ import annotations

from raylint.finding import Place, Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import TypeAlias

    from raylint.exemption import Exemption
    from raylint.finding import Finding, ObjectRef, Path
    from raylint.rule import Rule

    # First line and column, last line and the column behind it.
    Stretch: TypeAlias = tuple[int, int, int, int]

__all__ = ["Complaint", "Ignores", "Suppression", "accepted", "expired_exemption", "unused"]

# A family may have been exempted.
_MOST_NAMED = 5


class Ignores:
    """What counts as a suppression. ``heed``: whether any does; ``mandatory``: ids of rules that none can
    suppress; ``rules`` gives all rules there are, so that an unknown name is told (without it any name is
    taken)."""

    __slots__ = ("heed", "mandatory", "max_days", "require_reason", "rules")

    def __init__(
        self,
        *,
        heed: bool = True,
        require_reason: bool = False,
        max_days: int | None = None,
        mandatory: frozenset[str] = frozenset(),
        rules: Callable[[], Sequence[Rule]] | None = None,
    ) -> None:
        self.heed = heed
        self.require_reason = require_reason
        self.max_days = max_days
        self.mandatory = mandatory
        self.rules = rules


class Suppression:
    """One suppression that counts.

    It covers places in ``file``: all of them; or, where ``stretches`` are given, what begins in one of these; or,
    where a ``document`` is given, what lies below ``path`` in it. ``rules`` are ids. ``place`` and ``object`` are
    where it is written. ``judged`` are the ids of which it can be told here whether they find anything; ``used``
    those that did.
    """

    __slots__ = (
        "by",
        "document",
        "file",
        "judged",
        "object",
        "path",
        "place",
        "reason",
        "rules",
        "stretches",
        "until",
        "used",
    )

    def __init__(
        self,
        by: str,
        place: Place,
        rules: Sequence[str],
        reason: str,
        until: str,
        ref: ObjectRef | None,
        *,
        stretches: Sequence[Stretch] | None = None,
        document: int | None = None,
        path: Path = (),
    ) -> None:
        self.by = by
        self.place = place
        self.file = place.file
        self.rules = tuple(rules)
        self.reason = reason
        self.until = until
        self.object = ref
        self.stretches = stretches
        self.document = document
        self.path = path
        self.judged: frozenset[str] = frozenset()
        self.used: set[str] = set()

    @property
    def where(self) -> str:
        return f"{self.file}:{self.place.line}" if self.place.span else self.file

    def covers(self, finding: Finding) -> bool:
        """Does it accept the finding, for its own place or one of the related ones?"""
        if finding.rule_id not in self.rules:
            return False
        return self._holds(finding.place) or any(self._holds(place) for place in finding.related)

    def _holds(self, place: Place) -> bool:
        if place.file != self.file:
            return False
        if self.document is not None:
            return place.document == self.document and place.path[: len(self.path)] == self.path
        if self.stretches is None:
            return True
        if place.span is None:
            return False
        at = (place.span.line, place.span.column)
        return any(stretch[:2] <= at < stretch[2:] for stretch in self.stretches)


class Complaint:
    """A remark on a suppression (RL003 to RL006), before the engine makes a finding of it. ``identity`` tells it
    from others without its position."""

    __slots__ = ("effect", "fix", "identity", "message", "object", "place", "rule_id")

    def __init__(
        self, rule_id: str, place: Place, ref: ObjectRef | None, message: str, effect: str, fix: str, identity: str
    ) -> None:
        self.rule_id = rule_id
        self.place = place
        self.object = ref
        self.message = message
        self.effect = effect
        self.fix = fix
        self.identity = identity


def accepted(finding: Finding, suppressions: Iterable[Suppression]) -> Suppression | None:
    """The suppression that accepts a finding; all that cover it are counted as used."""
    covering = [suppression for suppression in suppressions if suppression.covers(finding)]
    for suppression in covering:
        suppression.used.add(finding.rule_id)
    return covering[0] if covering else None


def expired_exemption(exemption: Exemption) -> Complaint:
    """What is to be said of an exemption whose day is over."""
    line, column = (max(1, number) for number in exemption.position)
    rules = sorted(exemption.rules)
    more = len(rules) - _MOST_NAMED
    shown = ", ".join(rules[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
    return Complaint(
        "RL006",
        Place(exemption.file, 0, (), Span(line, column, line, column + 1)),
        None,
        f"this exemption from {shown} ended on {exemption.until}",
        "it accepts nothing any more: the findings that it accepted are reported",
        "correct what it was to accept for a while, or give it a later day, and remove it in the end",
        f"exemption:{','.join(rules)}:{exemption.kind}:{exemption.namespace}:{exemption.name}",
    )


def unused(suppression: Suppression, names: Mapping[str, str]) -> list[Complaint]:
    """What a suppression lists and no finding asked for, at the end of a run. ``names``: of rules, by their
    ids."""
    return [
        Complaint(
            "RL004",
            suppression.place,
            suppression.object,
            f"this suppression accepts nothing: {rule_id} ({names[rule_id]}) finds nothing in what it covers",
            "a later finding would be accepted that nobody has looked at",
            f"remove {rule_id} from the {suppression.by}, or write it where it covers what it was meant for",
            f"{suppression.by}:{rule_id}",
        )
        for rule_id in suppression.rules
        if rule_id in suppression.judged and rule_id not in suppression.used
    ]
