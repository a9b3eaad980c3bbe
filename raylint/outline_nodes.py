"""The nodes of a text that was read by its lines, as the composer makes them, each when somebody asks for it.

A fix looks at a few mappings on the way to one key; to compose the whole text for it takes ten times as long as to
judge it. Where a block ends is left open: a fix asks what its last line is.
"""

from __future__ import annotations

from raylint.derived import cached_property
from raylint.nodes import PLAIN, QUOTED
from raylint.outline import BLOCK, LIST, MAPPING, NESTED, SCALAR
from raylint.pyyaml import MappingNode, ScalarNode, SequenceNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from raylint.outline import Outline, Spot

__all__ = ["Block", "root_of"]


def root_of(outline: Outline) -> Any:
    """The node of the mapping that the text is."""
    return _node(outline, outline.top())


class _Mark:
    """A place in the text, counted in characters."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index


class Block:
    """A mapping or list over several lines. Each entry is made once: whoever asks again gets the same nodes."""

    tag = ""
    flow_style = False

    def __init__(self, outline: Outline, spot: Spot) -> None:
        self._outline = outline
        self._spot = spot
        # By their rows: the nodes of a key (None: an item) and its value.
        self._made: dict[int, tuple[Any, Any]] = {}
        self.start_mark: Any = _Mark(outline.starts[spot[1]] + spot[2])

    def entry(self, step: str | int) -> tuple[int, Any, Any] | None:
        """The number of the entry that a step leads to, the node of its key (None: an item), and its value."""
        found = self._outline.child(self._spot, step)
        return None if found is None else (found[0], *self._at(found[1]))

    def _entries(self) -> list[tuple[Any, Any]]:
        return [self._at(row) for row in self._outline.rows(self._spot)]

    def _at(self, row: int) -> tuple[Any, Any]:
        made = self._made.get(row)
        if made is None:
            made = self._made[row] = self._make(row)
        return made

    def _make(self, row: int) -> tuple[Any, Any]:
        outline = self._outline
        if self._spot[0] == LIST:
            return None, _node(outline, outline.item(row))
        return _scalar(outline, row, *outline.key(row)), _node(outline, outline.value(row))


class _Mapping(Block, MappingNode):
    @cached_property
    def value(self) -> list[tuple[Any, Any]]:
        return self._entries()


class _List(Block, SequenceNode):
    @cached_property
    def value(self) -> list[Any]:
        return [item for _, item in self._entries()]


def _node(outline: Outline, spot: Spot) -> Any:
    form, row, start, end = spot
    if form == MAPPING:
        return _Mapping(outline, spot)
    if form == LIST:
        return _List(outline, spot)
    if form == SCALAR:
        return _scalar(outline, row, start, end)
    at = outline.starts[row]
    if form == NESTED:
        # Nothing stands behind the colon.
        behind: Any = _Mark(at + outline.key(row)[1] + 1)
        return ScalarNode(PLAIN, "", behind, behind)
    if form == BLOCK:
        text, last = outline.text_below(row)
        end = outline.starts[last] - at
    marks: tuple[Any, Any] = _Mark(at + start), _Mark(at + end)
    if form == BLOCK:
        return ScalarNode(QUOTED, text, *marks, "|")
    if outline.lines[row].startswith("{", start):
        return MappingNode("", [], *marks, True)
    return SequenceNode("", [_scalar(outline, row, *it) for it in outline.items(row, start, end)], *marks, True)


def _scalar(outline: Outline, row: int, start: int, end: int) -> ScalarNode:
    """What stands from one column to another."""
    written = outline.lines[row][start:end]
    at = outline.starts[row]
    marks: tuple[Any, Any] = _Mark(at + start), _Mark(at + end)
    quote = written[:1]
    if quote in ("'", '"'):
        return ScalarNode(QUOTED, written[1:-1], *marks, quote)
    return ScalarNode(PLAIN, written, *marks)
