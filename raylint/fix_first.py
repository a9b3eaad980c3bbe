"""The item of a list that is to be the first: its text, as it is, goes before that of the others.

Lists stay as far in as they are, so nothing of the item has to change; comments that belong to it go with it.
"""

from __future__ import annotations

from raylint.fix_extent import Extent, NoFixError, closing_text
from raylint.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Move", "move_to_front"]

# The header of a block of text to which the blank lines behind it belong.
_KEEPS = pattern(r"[|>]\d?\+")


class Move:
    """What stands from ``start`` to ``end`` is to stand at ``at``, as ``text``; ``gone`` is the stretch to take
    out."""

    __slots__ = ("at", "end", "gone", "start", "text")

    def __init__(self, start: int, end: int, at: int, text: str, gone: tuple[int, int]) -> None:
        self.start = start
        self.end = end
        self.at = at
        self.text = text
        self.gone = gone


def move_to_front(extent: Extent, owner: Any, index: int) -> Move:
    """How the item number ``index``, which is not the first, becomes it. NoFixError: not without touching more."""
    if extent.is_flow(owner):
        return _in_flow(extent, owner, index)
    return _in_block(extent, owner, index)


def _in_block(extent: Extent, owner: Any, index: int) -> Move:
    string = extent.string
    first, dash = (extent.entry_begin(owner, number) for number in (0, index))
    end = extent.entry_end(owner, index)
    indent = extent.indent(first)
    if indent.strip(" ") or not extent.ends_its_line(end):
        raise NoFixError("something else stands on its lines")
    if any(_takes_blank_lines(extent, item) for item in owner.value[index - 1 : index + 1]):
        raise NoFixError("blank lines belong to a text")
    start = extent.above_comments(extent.line_start(dash), indent)
    end = _behind_comments(extent, extent.next_line(end), indent)
    text = string[start:end]
    if not text.endswith(("\n", "\r")):
        text += extent.newline(first)
        if closing_text(owner.value[index]) is not None:
            raise NoFixError("its text would end in a line break")
    at = extent.above_comments(extent.line_start(first), indent)
    return Move(start, end, at, text, (start, end))


def _in_flow(extent: Extent, owner: Any, index: int) -> Move:
    if extent.has_comment(extent.begin(owner), extent.end(owner)):
        raise NoFixError("there may be comments in between")
    first = extent.entry_begin(owner, 0)
    start, end = extent.entry_begin(owner, index), extent.entry_end(owner, index)
    indent = extent.indent(first)
    separator = " " if indent.strip(" \t") else extent.newline(first) + indent
    text = f"{extent.string[start:end]},{separator}"
    return Move(start, end, first, text, (extent.entry_end(owner, index - 1), end))


def _behind_comments(extent: Extent, at: int, indent: str) -> int:
    """Behind the comments that begin there and stand deeper than the item's dash."""
    while (line := extent.string[at : extent.line_end(at)]).startswith(f"{indent} ") and line.lstrip()[:1] == "#":
        at = extent.next_line(at)
    return at


def _takes_blank_lines(extent: Extent, item: Any) -> bool:
    text = closing_text(item)
    return text is not None and _KEEPS.match(extent.string, extent.begin(text)) is not None
