"""The findings of one file: each written place once, and not more than people and programs can take.

An alias stands for what is written elsewhere, so that one fault of a small file may be found a thousand times.
"""

from __future__ import annotations

from raylint.finding import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from raylint.finding import Severity

__all__ = ["MOST_FINDINGS", "Collection"]

MOST_FINDINGS = 1000


class Collection(list[Finding]):
    """``worst_left_out`` is the severity of the worst finding that had no room; None: all had."""

    __slots__ = ("_seen", "worst_left_out")

    def __init__(self) -> None:
        super().__init__()
        self._seen: set[Any] = set()
        self.worst_left_out: Severity | None = None

    @property
    def is_full(self) -> bool:
        return len(self) >= MOST_FINDINGS

    def leave_out(self, severity: Severity) -> None:
        if self.worst_left_out is None or severity > self.worst_left_out:
            self.worst_left_out = severity

    def append(self, finding: Finding) -> None:
        """Take a finding in, unless the same rule has said the same of the same characters before."""
        place = finding.place
        if place.span is None:
            # A key and its value have one path, and may have the same fault.
            where: tuple[object, ...] = (place.path, finding.fix)
        else:
            where = place.document, place.inner, *place.span.as_tuple()
        sign = (finding.rule_id, finding.message, where)
        if sign not in self._seen:
            self._seen.add(sign)
            super().append(finding)
