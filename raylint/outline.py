"""Reads the plain sort of YAML line by line: what nearly all manifests are written in.

A manifest shares most of its lines with the one before. What a line says (how far it is indented, a key, a value
on the same line) is remembered by its text, and only how lines belong together is found out anew. That takes a
tenth of the time in which libyaml composes nodes. Whatever is not as plain as that is left to the composer:
anchors, tags, escapes, texts of several lines other than ``|`` and ``|-``, brackets around anything but words,
tabs, letters beyond ASCII, a key that comes twice, and all that is no YAML.
"""

from __future__ import annotations

from itertools import accumulate, islice

from raylint.patterns import pattern
from raylint.scalars import KEYS, WORDS, ScalarError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    from raylint.finding import Path

    # What a line says: where its first character stands, where its key stands behind a dash (-1: there is no
    # dash), the key, which of the forms below the value has, the value, where that begins and ends.
    Line: TypeAlias = tuple[int, int, str | None, int, Any, int, int]
    # Row and column of the first character, and of the one behind the last.
    Stretch: TypeAlias = tuple[int, int, int, int]
    # A value: its form, its row or the first of its rows, where it begins and ends or the column of its keys.
    Spot: TypeAlias = tuple[int, int, int, int]
    # An entry of a mapping or list: its number, its row, its value.
    Entry: TypeAlias = tuple[int, int, Spot]

__all__ = ["BLOCK", "FLOW", "LINES", "LIST", "MAPPING", "NESTED", "SCALAR", "Outline", "outlined"]

# The forms of a value: on its line (the first, which is false), in brackets there, nothing on its line, a text on
# the lines below.
SCALAR, FLOW, NESTED, BLOCK = range(4)
# What is on the lines below where it is nothing.
MAPPING, LIST = range(4, 6)
_VISIBLE = (SCALAR, BLOCK)

_WORD = r"[A-Za-z0-9_./][A-Za-z0-9_./-]*"
_ITEM = rf""""[^"\\]*"|'[^']*'|{_WORD}"""
_LINE = pattern(
    r"( *)(- +)?(?:([A-Za-z_][A-Za-z0-9_./-]{0,127}):(?= |\Z) *)?"
    r"(?:\"(?P<double>[^\"\\]*)\"|'(?P<single>[^']*)'"
    rf"|(?P<flow>\[ *(?:(?:{_ITEM}) *(?:, *(?:{_ITEM}) *)*)?\]|\{{\}})"
    r"|(?P<block>\|-?)"
    # A colon before a blank would make a key of it, a # behind one a comment.
    r"|(?P<plain>(?:[A-Za-z0-9_./$(+~=<]|-(?=[A-Za-z0-9._-]))[^:# ]*(?:(?::(?=[^ ])|#| +(?=[^# ]))[^:# ]*)*)"
    r")?(?: +#.*| *)\Z"
)
_ITEMS = pattern(_ITEM)
_FORMS = {"double": SCALAR, "single": SCALAR, "plain": SCALAR, "flow": FLOW, "block": BLOCK}

# In larger texts to go through the lines for each place takes longer than to compose nodes once.
_LARGEST = 64 * 1024
# So many lines are remembered, and none that is longer: a process reads thousands of files.
_MOST_LINES, _LONGEST_LINE = 2048, 160
# Lines longer than this are rare, and are not worth a pattern's time.
_TOO_LONG = 4096
# A text of as many levels as composing can take has further to go to the right.
_MOST_INDENT = 100
_NAMES = ("kind", "groupName", "name")


class OtherLineError(Exception):
    """A text that is not as plain as those that are read here."""


class _Lines(dict[str, "Line | None"]):
    """What lines say; None for those that say nothing. Raises OtherLineError."""

    # What stands before the colon of those that were read: where it does, where behind a dash, the key.
    heads: dict[str, tuple[int, int, str]]

    def __init__(self) -> None:
        super().__init__()
        self.heads = {}

    def __missing__(self, text: str) -> Line | None:
        if len(text) > _TOO_LONG or not text.isprintable():
            raise OtherLineError
        head, _, value = text.partition(": ")
        known = self.heads.get(head)
        # Most lines that are new have a known key and another word, such as a name.
        line = _read(text) if known is None or not _is_word(value) else _with_word(known, value, len(text))
        if len(text) <= _LONGEST_LINE:
            if len(self) >= _MOST_LINES:
                self.clear()
                self.heads.clear()
            self[text] = line
            if known is None and value and line is not None and line[3] == SCALAR:
                indent, inner, key = line[:3]
                if key is not None:
                    self.heads[head] = indent, inner, key
        return line


LINES = _Lines()


def _is_word(value: str) -> bool:
    """Is a value behind a key nothing but letters, digits, dots and dashes, and begins with neither of those?"""
    return value[:1].isalnum() and value.replace("-", "").replace(".", "").isalnum()


def _with_word(head: tuple[int, int, str], word: str, end: int) -> Line:
    """What a line says that ends with such a word."""
    try:
        return *head, SCALAR, WORDS[word], end - len(word), end
    except ScalarError:
        raise OtherLineError from None


def _read(text: str) -> Line | None:
    if text.lstrip(" ")[:1] in ("", "#"):
        return None
    match = _LINE.match(text)
    if match is None:
        raise OtherLineError
    blanks, dash, written = match.group(1, 2, 3)
    indent = len(blanks)
    inner = indent + len(dash) if dash else -1
    kind = match.lastgroup
    key = None if written is None else KEYS[written]
    if indent > _MOST_INDENT or (key is None and (written is not None or dash is None or kind is None)):
        # A key that is no text; a value that goes on from the line above; a dash with its item below it.
        raise OtherLineError
    if kind is None:
        return indent, inner, key, NESTED, None, len(text), len(text)
    value: Any = match[kind]
    try:
        if kind == "plain":
            value = WORDS[value]
        elif kind == "flow":
            value = {} if value == "{}" else [_item(item) for item in _ITEMS.findall(value)]
    except ScalarError:
        raise OtherLineError from None
    return indent, inner, key, _FORMS[kind], value, *_whole(match, kind)


def _whole(match: Any, kind: str) -> tuple[int, int]:
    """Where a value begins and ends, with its quotes."""
    quotes = kind in ("double", "single")
    return match.start(kind) - quotes, match.end(kind) + quotes


def _item(written: str) -> object:
    return written[1:-1] if written[0] in "\"'" else WORDS[written]


class Outline:
    """A text that was read by its lines: the data, and where it is written. ``lines`` is the text in lines,
    without their ends; rows and columns count from 0."""

    __slots__ = ("_children", "_ends", "_said", "_starts", "data", "lines", "text")

    def __init__(self, text: str) -> None:
        """Raises OtherLineError."""
        self.text = text
        self.lines = text.split("\n")
        # What each row says; nothing where it is a part of a text above it.
        self._said: list[Line | None] = []
        # By the row of its ``|``: the row behind the last of a text.
        self._ends: dict[int, int] = {}
        self._starts: list[int] | None = None
        self._children: dict[Spot, dict[str | int, Entry | None]] = {}
        self.data = self._assembled()

    def _assembled(self) -> object:
        """How the lines belong together: the hottest loop of a run. The collections that are open are held with
        the columns of their keys or dashes; ``above`` is the one whose last key has no value yet."""
        said = self._said
        whole: dict[str, Any] = {}
        top: Any = whole
        above: Any = whole
        above_key: str | None = ""
        opened, columns = [top], [-1]
        column = -1
        texts = iter(self.lines)
        for line in map(LINES.__getitem__, texts):
            said.append(line)
            if line is None:
                continue
            indent, inner, key, form, value, _, _ = line
            while column > indent:
                opened.pop()
                columns.pop()
                column, top = columns[-1], opened[-1]
            if inner < 0:
                if column == indent and top.__class__ is list:
                    # It stood no further to the right than the key that it belongs to.
                    opened.pop()
                    columns.pop()
                    column, top = columns[-1], opened[-1]
                if column != indent:
                    if top is not above:
                        raise OtherLineError
                    top = above[above_key] = {}
                    column = indent
                    opened.append(top)
                    columns.append(column)
            else:
                if column != indent or top.__class__ is not list:
                    if top is not above:
                        raise OtherLineError
                    top = above[above_key] = []
                    opened.append(top)
                    columns.append(indent)
                    column = indent
                if key is not None:
                    item: dict[str, Any] = {}
                    top.append(item)
                    top, column = item, inner
                    opened.append(top)
                    columns.append(column)
            above = None
            if form:
                # Anything but a scalar on its line.
                if form == NESTED:
                    above, above_key = top, key
                elif form == FLOW:
                    # Not the one that is remembered: each document has its own.
                    value = value.copy()
                else:
                    row = len(said) - 1
                    value = self._text_below(row, column, value)
                    for _ in range(self._ends[row] - row - 1):
                        next(texts)
                        said.append(None)
            if key is None:
                top.append(value)
            elif key in top:
                raise OtherLineError
            else:
                top[key] = value
        if whole.get("").__class__ is not dict:
            raise OtherLineError
        return whole[""]

    def _text_below(self, row: int, column: int, sign: str) -> str:
        """The text of several lines below a ``|`` or ``|-`` in a row, indented by more than ``column``."""
        lines = self.lines
        first = lines[row + 1] if row + 1 < len(lines) else ""
        width = len(first) - len(first.lstrip(" "))
        if width <= column or width == len(first):
            raise OtherLineError
        margin = first[:width]
        found: list[str] = []
        for line in islice(lines, row + 1, None):
            if line.startswith(margin):
                found.append(line[width:])
            elif line.strip(" "):
                break
            else:
                found.append("")
        while not found[-1]:
            found.pop()
        if not "".join(found).isprintable():
            raise OtherLineError
        self._ends[row] = row + 1 + len(found)
        return "\n".join(found) + ("\n" if sign == "|" else "")

    def locate(self, path: Path, *, key: bool) -> Stretch:
        """Where a value or a key stands, as :meth:`raylint.document.Document.locate` tells."""
        spot = self.top()
        key_row: int | None = None
        for step in path:
            found = self.child(spot, step)
            if found is None:
                key = False
                break
            _, row, spot = found
            key_row = row if step.__class__ is str else None
        if key_row is None:
            return self._shown(spot)
        return self._key(key_row) if key or spot[0] not in _VISIBLE else self._stretch(spot)

    def top(self) -> Spot:
        """The mapping that the document is."""
        first = self._next(0)
        assert first is not None
        row, line = first
        return MAPPING, row, line[0], 0

    def _next(self, row: int) -> tuple[int, Line] | None:
        """The next row that says something."""
        for at in range(row, len(self._said)):
            line = self._said[at]
            if line is not None:
                return at, line
        return None

    def _line(self, row: int) -> Line:
        line = self._said[row]
        assert line is not None
        return line

    def child(self, spot: Spot, step: str | int) -> Entry | None:
        """The entry that a step leads to. Places of one document have most of their way in common."""
        known = self._children.get(spot)
        if known is None:
            known = self._children[spot] = {}
        elif step in known:
            return known[step]
        found = known[step] = self._entry(spot, step)
        return found

    def _entry(self, spot: Spot, step: str | int) -> Entry | None:
        form, row, start, end = spot
        if step.__class__ is str:
            if form == MAPPING:
                said = self._said
                for number, at in enumerate(self.rows(spot)):
                    line = said[at]
                    if line is not None and line[2] == step:
                        return number, at, self.value(at)
        elif form == LIST:
            for number, at in enumerate(self.rows(spot)):
                if number == step:
                    return number, at, self.item(at)
        elif form == FLOW:
            for number, (first, behind) in enumerate(self.items(row, start, end)):
                if number == step:
                    return number, row, (SCALAR, row, first, behind)
        return None

    def rows(self, spot: Spot) -> Iterator[int]:
        """The rows on which the keys of a mapping stand, or the dashes of a list."""
        form, first, column, _ = spot
        yield first  # a mapping's first key is perhaps behind the dash of an item
        said, is_list = self._said, form == LIST
        for row in range(first + 1, len(said)):
            line = said[row]
            if line is None or line[0] > column:
                continue
            if line[0] < column:
                return
            if (line[1] >= 0) is is_list:
                yield row
            elif is_list:
                return

    def items(self, row: int, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Where the items between two brackets begin and end."""
        return (match.span() for match in _ITEMS.finditer(self.lines[row], start, end))

    def item(self, row: int) -> Spot:
        """What stands behind the dash in a row."""
        _, inner, key, form, _, start, end = self._line(row)
        return (form, row, start, end) if key is None else (MAPPING, row, inner, 0)

    def value(self, row: int) -> Spot:
        """What stands behind the key in a row, or below it."""
        indent, inner, _, form, _, start, end = self._line(row)
        if form != NESTED:
            return form, row, start, end
        column = max(indent, inner)
        below = self._next(row + 1)
        if below is not None:
            at, line = below
            if line[1] >= 0 and line[0] >= column:
                return LIST, at, line[0], 0
            if line[1] < 0 and line[0] > column:
                return MAPPING, at, line[0], 0
        return NESTED, row, start, end

    def key(self, row: int) -> tuple[int, int]:
        """Where the key in a row begins and ends."""
        column = max(self._line(row)[:2])
        return column, self.lines[row].index(":", column)

    def text_below(self, row: int) -> tuple[str, int]:
        """The text of several lines below a row, and the row behind its last line."""
        return self._text_below(row, -1, self._line(row)[4]), self._ends[row]

    @property
    def starts(self) -> list[int]:
        """The offsets at which the rows begin."""
        if self._starts is None:
            self._starts = list(accumulate([len(line) + 1 for line in self.lines], initial=0))
        return self._starts

    def _shown(self, spot: Spot) -> Stretch:
        """What stands for a value that has no key: the root, or an item."""
        form, row, start, end = spot
        if form == FLOW:
            item = next(self.items(row, start, end), None)
            return (row, start, row, end) if item is None else (row, item[0], row, item[1])
        if form != MAPPING:
            return self._stretch(spot)
        rows = {self._line(at)[2]: at for at in self.rows(spot)}
        values = (self.value(rows[name]) for name in _NAMES if name in rows)
        named = next((value for value in values if value[0] in _VISIBLE or value[0] == NESTED), None)
        return self._key(row) if named is None or named[0] == NESTED else self._stretch(named)

    def _key(self, row: int) -> Stretch:
        begin, end = self.key(row)
        return row, begin, row, end

    def _stretch(self, spot: Spot) -> Stretch:
        form, row, start, end = spot
        if form != BLOCK:
            return row, start, row, end
        last = self._ends[row] - 1
        while not self.lines[last].rstrip():
            last -= 1
        return row, start, last, len(self.lines[last].rstrip())


def outlined(raw: bytes) -> Outline | None:
    """The outline of a document; None where that must be composed."""
    if len(raw) > _LARGEST or not raw.isascii():
        return None
    try:
        return Outline(raw.decode("ascii"))
    except OtherLineError:
        return None
