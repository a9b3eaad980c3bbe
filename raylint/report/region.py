"""One line of a file that stands for a place: what services with a view of the source can show."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.finding import Place

__all__ = ["Region"]


class Region:
    """The first line of a place. Columns are 1-based and count characters; ``end_column`` is one past the last.
    A place without a text is the start of its file."""

    __slots__ = ("column", "end_column", "line", "text")

    def __init__(self, place: Place) -> None:
        span = place.span
        self.line = max(span.line, 1) if span else 1
        self.column = max(span.column, 1) if span else 1
        self.text = place.lines.get(self.line, "")
        ends_here = span is not None and span.end_line == span.line
        end = span.end_column if span is not None and ends_here else len(self.text.rstrip()) + 1
        self.end_column = max(end, self.column + 1)

    def bytes_before(self, column: int) -> int:
        """The column counted in bytes of UTF-8, from 1."""
        known = self.text[: column - 1]
        # Where the line's text is not known, or ends earlier, a character counts as a byte.
        return len(known.encode("utf-8", "surrogateescape")) + (column - 1 - len(known)) + 1
