"""Where a character of a text stands: offsets to lines and columns, as an editor counts them."""

from __future__ import annotations

from io import StringIO
from itertools import accumulate

from raylint.finding import Span
from raylint.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Text"]

# libyaml also breaks lines at U+0085, U+2028 and U+2029; editors, SARIF and git do not.
_LINE_END = pattern(r"\r\n|\n|\r")
# In a text of so many characters lines are counted for each place, without a list of all their beginnings.
_SHORT = 10_000


class Text:
    """A stretch of a file: its characters, and the 1-based line and column of the first of them. ``rows``: its
    lines without their ends, where they are known."""

    __slots__ = ("_rows", "_starts", "column", "line", "string")

    def __init__(self, string: str, line: int = 1, column: int = 1, rows: Sequence[str] | None = None) -> None:
        self.string = string
        self._rows = rows
        self.line = line
        self.column = column
        self._starts: list[int] | None = None

    @property
    def starts(self) -> list[int]:
        """The offsets at which lines begin. Built at the first question: most documents are never asked."""
        if self._starts is None:
            self._starts = _starts(self.string)
        return self._starts

    def place(self, offset: int) -> tuple[int, int]:
        """1-based line and column of the character at ``offset``."""
        if len(self.string) <= _SHORT and "\r" not in self.string:
            row = self.string.count("\n", 0, offset)
            start = self.string.rfind("\n", 0, offset) + 1
        else:
            from bisect import bisect_right  # it is a library of its own, to be loaded

            row = bisect_right(self.starts, offset) - 1
            start = self.starts[row]
        return self.line + row, offset - start + (self.column if row == 0 else 1)

    def span(self, start: int, end: int) -> Span:
        return Span(*self.place(start), *self.place(end))

    def lines(self, span: Span) -> dict[int, str]:
        """The first two lines of the span and its last one, without their line ends."""
        wanted = {span.line, min(span.line + 1, span.end_line), span.end_line}
        return {number: self._row(number - self.line) for number in sorted(wanted) if self._has(number)}

    def _has(self, number: int) -> bool:
        return 0 <= number - self.line < len(self.starts if self._rows is None else self._rows)

    def _row(self, row: int) -> str:
        if self._rows is not None:
            return self._rows[row]
        start = self.starts[row]
        end = self.starts[row + 1] if row + 1 < len(self.starts) else len(self.string)
        return self.string[start:end].rstrip("\r\n")


def _starts(string: str) -> list[int]:
    if "\r" in string:
        return [0, *(end.end() for end in _LINE_END.finditer(string))]
    starts = list(accumulate(map(len, StringIO(string, newline="\n")), initial=0))
    if len(starts) > 1 and not string.endswith("\n"):
        # Behind the last line no other begins.
        starts.pop()
    return starts
