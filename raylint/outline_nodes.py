"""The nodes of a text that was read by its lines, as the composer makes them, each when somebody asks for it.

A fix looks at a few mappings on the way to one key; to compose the whole text for it takes ten times as long as to
judge it. Where a block ends is left open: a fix asks what its last line is.
"""

from __future__ import annotations

from raylint.nodes import PLAIN, QUOTED
from raylint.outline import BLOCK, LIST, MAPPING, NESTED, SCALAR
from raylint.pyyaml import MappingNode, ScalarNode, SequenceNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from raylint.outline import Outline, Spot

__all__ = ["root_of"]


def root_of(outline: Outline) -> Any:
    """The node of the mapping that the text is."""
    return _node(outline, outline.top())


class _Mark:
    """A place in the text, counted in characters."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index


class _Block:
    """A mapping or list over several lines. ``value``: its entries, once they are known."""

    def __init__(self, outline: Outline, spot: Spot) -> None:
        self._outline = outline
        self._spot = spot
        self.tag = ""
        self.flow_style = False
        self.start_mark = self.end_mark = _Mark(outline.starts[spot[1]] + spot[2])

    def __getattr__(self, name: str) -> Any:
        if name != "value":
            raise AttributeError(name)
        found = self.value = self._entries(self._outline)
        return found

    def _entries(self, outline: Outline) -> list[Any]:
        raise NotImplementedError


class _BlockMapping(_Block, MappingNode):
    def _entries(self, outline: Outline) -> list[Any]:
        return [(_key(outline, row), _node(outline, outline.value(row))) for row in outline.rows(self._spot)]


class _BlockList(_Block, SequenceNode):
    def _entries(self, outline: Outline) -> list[Any]:
        return [_node(outline, outline.item(row)) for row in outline.rows(self._spot)]


def _node(outline: Outline, spot: Spot) -> Any:
    form, row, start, end = spot
    if form == MAPPING:
        return _BlockMapping(outline, spot)
    if form == LIST:
        return _BlockList(outline, spot)
    if form == SCALAR:
        return _scalar(outline, row, start, end)
    at = outline.starts[row]
    if form == NESTED:
        # Nothing stands behind the colon.
        behind = _Mark(at + outline.key(row)[1] + 1)
        return ScalarNode(PLAIN, "", behind, behind)
    if form == BLOCK:
        text, last = outline.text_below(row)
        return ScalarNode(QUOTED, text, _Mark(at + start), _Mark(outline.starts[last]), "|")
    marks = _Mark(at + start), _Mark(at + end)
    if outline.lines[row].startswith("{", start):
        return MappingNode("", [], *marks, True)
    return SequenceNode("", [_scalar(outline, row, *it) for it in outline.items(row, start, end)], *marks, True)


def _key(outline: Outline, row: int) -> ScalarNode:
    return _scalar(outline, row, *outline.key(row))


def _scalar(outline: Outline, row: int, start: int, end: int) -> ScalarNode:
    """What stands from one column to another."""
    written = outline.lines[row][start:end]
    at = outline.starts[row]
    marks = _Mark(at + start), _Mark(at + end)
    quote = written[:1]
    if quote in ("'", '"'):
        return ScalarNode(QUOTED, written[1:-1], *marks, quote)
    return ScalarNode(PLAIN, written, *marks)
