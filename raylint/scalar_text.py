"""Where each character of a YAML or JSON text value stands in the file that it is written in.

A block is indented, a folded text is broken anew, quotes double and escape: what all of them keep is the order of
the characters that are no white space. So the first such character of the value is the first one of the source,
and so on; white space is never pointed at.
"""

from __future__ import annotations

import re

from raylint.derived import cached_property
from raylint.finding import Span
from raylint.patterns import pattern
from raylint.rule import Location

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from raylint.document import Document
    from raylint.finding import Path
    from raylint.position import Text

__all__ = ["ScalarText", "TextLocation"]

# To YAML these are blanks and line breaks; libyaml folds the last three as well.
_BLANK = frozenset(" \t\r\n\x85\u2028\u2029")
_PROPERTIES = pattern(r"(?:[&!]\S*\s+(?:#[^\r\n]*\s+)*)*")
_HEADER = pattern(r"[|>][^\r\n]*")
_LINE = pattern(r"[^\r\n]*(?:\r\n|\r|\n)?")
_ESCAPE = pattern(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|x..|u....|U........|\r\n|.)|(?P<plain>[^\\])", re.DOTALL)
_ESCAPED = {"0": "\0", "a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b"}
_ESCAPED |= {"N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029", "\n": "", "\r": "", "\r\n": ""}


class ScalarText:
    """A scalar's value, character by character. ``node`` is the scalar, ``text`` the text around it, ``value``
    what was read from it."""

    def __init__(self, text: Text, node: Any, value: str) -> None:
        self._text = text
        self._node = node
        self._value = value

    def span(self, start: int, end: int) -> Span:
        """The stretch of the file in which ``value[start:end]`` is written; where that cannot be told, the line
        that is nearest."""
        from bisect import bisect_left

        atoms = self._atoms
        if atoms is None:
            return self._nearest_line(start)
        if not atoms:
            return self._text.span(self._node.start_mark.index, self._node.end_mark.index)
        first = min(bisect_left(self._visible, start), len(atoms) - 1)
        last = max(bisect_left(self._visible, end) - 1, first)
        begin, stop = atoms[first][0], atoms[last]
        return self._text.span(begin, stop[0] + stop[1])

    @cached_property
    def _visible(self) -> list[int]:
        """The offsets of the value's characters that are no white space."""
        return [offset for offset, character in enumerate(self._value) if character not in _BLANK]

    @cached_property
    def _atoms(self) -> list[tuple[int, int]] | None:
        """Offset and length in the file of every such character; None where file and value do not agree, such as
        for ``!!binary``."""
        start, end = self._content
        source = self._text.string[start:end]
        quote = self._node.style
        found = (
            _escaped(source)
            if quote == '"'
            else _doubled(source)
            if quote == "'"
            else [(offset, 1, character) for offset, character in enumerate(source)]
        )
        kept = [atom for atom in found if atom[2] and atom[2] not in _BLANK]
        if "".join(atom[2] for atom in kept) != "".join(self._value[offset] for offset in self._visible):
            return None
        return [(start + offset, length) for offset, length, _ in kept]

    @cached_property
    def _content(self) -> tuple[int, int]:
        """Where the scalar's own text begins and ends: without tag, anchor, quotes and the line of ``|``."""
        string = self._text.string
        start, end = self._node.start_mark.index, self._node.end_mark.index
        properties = _PROPERTIES.match(string, start, end)
        if properties and self._node.style:
            start = properties.end()
        if self._node.style in ("|", ">"):
            header = _HEADER.match(string, start, end)
            return (header.end() if header else start), end
        if self._node.style in ("'", '"'):
            return start + 1, max(end - 1, start + 1)
        if properties and properties[0]:
            start = properties.end()
        return start, end

    def _nearest_line(self, offset: int) -> Span:
        start, end = self._content
        string = self._text.string
        if self._node.style in ("|", ">"):
            start = min(start + 1 + string.startswith("\r\n", start), end)
        wanted = self._value.count("\n", 0, offset)
        for number, line in enumerate(_LINE.finditer(string, start, end)):
            text = line[0].rstrip()
            if number == wanted and text:
                return self._text.span(line.start() + len(text) - len(text.lstrip()), line.start() + len(text))
        return self._text.span(start, start + len(string[start:end].rstrip()))


class TextLocation(Location):
    """A stretch of the text at ``path``: ``value[start:end]``. ``inner`` as in :class:`raylint.rule.Location`."""

    __slots__ = ("end", "inner", "inner_data", "start", "value")

    def __init__(
        self,
        document: Document,
        path: Path,
        value: str,
        start: int,
        end: int,
        *,
        inner: Path = (),
        inner_data: object = None,
    ) -> None:
        super().__init__(document, path)
        self.value = value
        self.start = start
        self.end = end
        self.inner = inner
        self.inner_data = inner_data

    def locate(self) -> Span | None:
        written = self.document.scalar(self.path)
        if written is None:
            return self.document.locate(self.path)
        return ScalarText(*written, self.value).span(self.start, self.end)


def _doubled(source: str) -> list[tuple[int, int, str]]:
    """Single quotes: a quote is written twice."""
    found: list[tuple[int, int, str]] = []
    offset = 0
    while offset < len(source):
        length = 2 if source.startswith("''", offset) else 1
        found.append((offset, length, source[offset]))
        offset += length
    return found


def _escaped(source: str) -> list[tuple[int, int, str]]:
    """Double quotes: backslash sequences stand for a character, or for none."""
    return [(match.start(), len(match[0]), _unescaped(match)) for match in _ESCAPE.finditer(source)]


def _unescaped(match: re.Match[str]) -> str:
    if match["plain"]:
        return match["plain"]
    sequence = match[0][1:]
    kind = sequence[0]
    if kind not in "xuU" or len(sequence) == 1:
        return _ESCAPED.get(sequence, sequence)
    try:
        if len(sequence) > 9:
            high, low = int(sequence[1:5], 16), int(sequence[7:11], 16)
            return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
        character = chr(int(sequence[1:], 16))
    except (ValueError, OverflowError):
        return sequence
    # Half a surrogate pair is replaced where JSON is read.
    return "\ufffd" if 0xD800 <= ord(character) < 0xE000 else character
