"""Excerpts: the lines of a file that a finding is about, with marks below what is meant."""

from __future__ import annotations

from raylint.report.terminal import cells, is_plain, pieces, printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from raylint.finding import Place
    from raylint.report.terminal import Paint

__all__ = ["excerpt", "gutter_width", "text_of"]

# Columns of a source line that are shown; a longer one is cut around its first mark.
_WIDEST = 100
# Columns that stay visible before a mark in a cut line.
_BEFORE = 30
_CUT = "..."
_TAB = "    "


class Mark:
    """One underlined stretch of one line: characters from ``start`` to ``end``, counted from 0."""

    __slots__ = ("color", "end", "label", "sign", "start")

    def __init__(self, place: Place, text: str, sign: str, color: str) -> None:
        assert place.span is not None
        span = place.span
        self.start = min(max(span.column - 1, 0), len(text))
        # A stretch of several lines is marked on its first one.
        end = span.end_column - 1 if span.end_line == span.line else len(text.rstrip())
        self.end = max(min(end, len(text)), self.start)
        self.sign = sign
        self.color = color
        self.label = place.label


def gutter_width(places: Sequence[Place]) -> int:
    """The width of the line numbers of all places that have lines to show."""
    last = 0
    for place in places:
        span = place.span
        if span is not None and span.line > last and text_of(place) is not None:
            last = span.line
    return len(str(last))


def excerpt(places: Sequence[Place], primary: Place | None, gutter: int, color: str, paint: Paint) -> list[str]:
    """The marked lines of places in one file, in the order of the lines; nothing where no text is known."""
    lines: dict[int, str] = {}
    marks: dict[int, list[Mark]] = {}
    for place in places:
        text = text_of(place)
        if text is not None:
            mark = Mark(place, text, "^", color) if place is primary else Mark(place, text, "-", "blue")
            number = place.line
            if number in lines:
                marks[number].append(mark)
            else:
                lines[number], marks[number] = text, [mark]
    if not lines:
        return []
    bar = " " * gutter + " " + paint("blue", "|")
    shown = [bar]
    before = 0
    for number in sorted(lines):
        if before and number > before + 1:
            shown.append(" " * gutter + " " + paint("blue", _CUT))
        before = number
        line = Line(lines[number], min([mark.start for mark in marks[number]]))
        shown.append(f"{paint('blue', f'{number:>{gutter}} |')} {line.shown}".rstrip())
        for mark in marks[number]:
            offset, width = line.columns(mark.start, mark.end)
            note = f"{mark.sign * width} {printable(mark.label)}".rstrip()
            shown.append(f"{bar} {' ' * offset}{paint(mark.color, note)}")
    return shown


def text_of(place: Place) -> str | None:
    """The first source line of a place, where it is known."""
    return None if place.span is None else place.text_of(place.span.line)


class Line:
    """A source line as it is shown: escaped, tabs expanded, cut to what fits around a mark."""

    __slots__ = ("_pieces", "_skipped", "shown")

    def __init__(self, text: str, mark: int) -> None:
        self._pieces: Sequence[str]
        if len(text) <= _WIDEST and is_plain(text):
            self._skipped = 0
            self._pieces = self.shown = text
            return
        # Far longer lines than fit are cut before any other work: a line may be a file of one megabyte.
        self._skipped = max(0, mark - _BEFORE) if len(text) > _WIDEST else 0
        text = text[self._skipped : self._skipped + _WIDEST + 1]
        self._pieces = pieces(text, tab=_TAB)
        fitting = self._fitting()
        cut = fitting < len(self._pieces)
        self._pieces = self._pieces[:fitting]
        self.shown = _CUT * bool(self._skipped) + "".join(self._pieces) + _CUT * cut

    def _fitting(self) -> int:
        together = "".join(self._pieces)
        if len(together) <= _WIDEST and together.isascii():
            return len(self._pieces)
        width = 0
        for count, piece in enumerate(self._pieces):
            width += cells(piece)
            if width > _WIDEST:
                return count
        return len(self._pieces)

    def columns(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of characters begins on the terminal, and how wide it is there (at least 1)."""
        if self._pieces is self.shown:
            return start, max(end - start, 1)
        start = min(max(start - self._skipped, 0), len(self._pieces))
        end = min(max(end - self._skipped, 0), len(self._pieces))
        before = len(_CUT) * bool(self._skipped) + cells("".join(self._pieces[:start]))
        return before, max(cells("".join(self._pieces[start:end])), 1)
