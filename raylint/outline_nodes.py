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

    from raylint.finding import Path
    from raylint.outline import Entry, Outline, Spot

__all__ = ["Nodes", "PlainStep"]


class Nodes:
    """The nodes of one text. Each is made once: whoever asks again gets the same."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self._made: dict[Spot, Any] = {}
        self.root = self.at(outline.top())

    def at(self, spot: Spot) -> Any:
        made = self._made.get(spot)
        if made is None:
            made = self._made[spot] = self._node(spot)
        return made

    def walk(self, path: Path) -> tuple[list[PlainStep], Path]:
        """The steps that are written, and what is left of the path."""
        child, spot = self.outline.child, self.outline.top()
        steps = []
        for step in path:
            found = child(spot, step)
            if found is None:
                break
            steps.append(PlainStep(self, spot, found))
            spot = found[2]
        return steps, path[len(steps) :]

    def _node(self, spot: Spot) -> Any:
        outline = self.outline
        form, row, start, end = spot
        if form == MAPPING:
            return _Mapping(self, spot)
        if form == LIST:
            return _List(self, spot)
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
        items = [self.at((SCALAR, row, *item)) for item in outline.items(row, start, end)]
        return SequenceNode("", items, *marks, True)


class PlainStep:
    """One step of a path, as :class:`raylint.fix_extent.Step`, whose nodes are made when they are asked for."""

    def __init__(self, nodes: Nodes, spot: Spot, entry: Entry) -> None:
        self._nodes = nodes
        self._spot = spot
        self.index, _, self._value = entry

    @cached_property
    def owner(self) -> Any:
        return self._nodes.at(self._spot)

    @cached_property
    def key(self) -> Any:
        return self.owner.value[self.index][0] if self._spot[0] == MAPPING else None

    @cached_property
    def value(self) -> Any:
        return self._nodes.at(self._value)


class _Mark:
    """A place in the text, counted in characters."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index


class _Entries:
    """The entries of a block, each made when it is asked for."""

    def __init__(self, nodes: Nodes, spot: Spot) -> None:
        self._nodes = nodes
        self._rows = list(nodes.outline.rows(spot))
        self._made: list[Any] = [None] * len(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, number: int) -> Any:
        made = self._made[number]
        if made is None:
            made = self._made[number] = self._make(self._rows[number])
        return made

    def _make(self, row: int) -> Any:
        return self._nodes.at(self._nodes.outline.item(row))


class _Pairs(_Entries):
    def _make(self, row: int) -> Any:
        outline = self._nodes.outline
        return _scalar(outline, row, *outline.key(row)), self._nodes.at(outline.value(row))


class _Block:
    """A mapping or list over several lines."""

    tag = ""
    flow_style = False

    def __init__(self, nodes: Nodes, spot: Spot) -> None:
        self._nodes = nodes
        self._spot = spot
        self.start_mark: Any = _Mark(nodes.outline.starts[spot[1]] + spot[2])


class _Mapping(_Block, MappingNode):
    @cached_property
    def value(self) -> Any:
        return _Pairs(self._nodes, self._spot)


class _List(_Block, SequenceNode):
    @cached_property
    def value(self) -> Any:
        return _Entries(self._nodes, self._spot)


def _scalar(outline: Outline, row: int, start: int, end: int) -> ScalarNode:
    """What stands from one column to another."""
    written = outline.lines[row][start:end]
    at = outline.starts[row]
    marks: tuple[Any, Any] = _Mark(at + start), _Mark(at + end)
    quote = written[:1]
    if quote in ("'", '"'):
        return ScalarNode(QUOTED, written[1:-1], *marks, quote)
    return ScalarNode(PLAIN, written, *marks)
