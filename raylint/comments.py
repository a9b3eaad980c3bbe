"""The comments of a document, and where they stand."""

from __future__ import annotations

import re

from raylint.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from raylint.position import Text

__all__ = ["Comment", "comments_in", "comments_of"]

_HASH = pattern(r"(?<![^\s])#[^\r\n]*")
_BLOCK_HEADER_END = pattern(r"\r\n|\n|\r|\Z")
# Anchor and tag of a scalar, with the blanks and comments that may part them from it.
_PROPERTIES = pattern(r"(?:[&!]\S*\s*(?:(?<=\s)#[^\r\n]*\s*)*)+")


class Comment:
    """One comment. ``text`` is what follows the ``#``, without blanks at its ends; ``trailing`` tells that
    something else stands before it on its line; ``line`` and ``column`` are 1-based and those of the ``#``,
    ``end_column`` is one past the last character."""

    __slots__ = ("column", "end_column", "line", "text", "trailing")

    def __init__(self, line: int, column: int, text: str, trailing: bool, end_column: int = 0) -> None:
        self.line = line
        self.column = column
        self.text = text
        self.trailing = trailing
        self.end_column = end_column

    def __repr__(self) -> str:
        return f"Comment({self.line}, {self.column}, {self.text!r}, trailing={self.trailing})"


def comments_of(text: Text, scalars: list[Any], end: int) -> list[Comment]:
    """The comments of a parsed document up to offset ``end``: every ``#`` after a blank that is in no scalar."""
    string = text.string
    taken = sorted(_extent(node, string) for node in scalars)
    found: list[Comment] = []
    position = current = 0
    while match := _HASH.search(string, position, end):
        while current < len(taken) and taken[current][1] <= match.start():
            current += 1
        if current < len(taken) and taken[current][0] <= match.start():
            position = taken[current][1]
            continue
        found.append(_comment(text, match))
        position = match.end()
    return found


def comments_in(text: Text) -> list[Comment]:
    """The comments of a stretch that holds no YAML but separators."""
    return [_comment(text, match) for match in _HASH.finditer(text.string)]


def _comment(text: Text, match: re.Match[str]) -> Comment:
    line, column = text.place(match.start())
    row_start = text.starts[line - text.line]
    trailing = bool(text.string[row_start : match.start()].strip())
    return Comment(line, column, match[0][1:].strip(), trailing, column + len(match[0].rstrip()))


def _extent(node: Any, string: str) -> tuple[int, int]:
    """Where no comment can be. The header of a block scalar (``| # like this``) may have one."""
    start, end = node.start_mark.index, node.end_mark.index
    properties = _PROPERTIES.match(string, start, end)
    start = properties.end() if properties else start
    if node.style in ("|", ">"):
        header = _BLOCK_HEADER_END.search(string, start)
        start = header.end() if header else start
    return start, max(start, end)
