"""How far the parts of a document reach in its text: lines, entries, dashes, commas, comments.

The parser tells where a node begins; where a block ends, it tells the place of what follows. A fix must know the
last character that belongs to a value, and what else stands on its line.
"""

from __future__ import annotations

from raylint.build import is_merge, written_key
from raylint.outline_nodes import Nodes
from raylint.patterns import pattern
from raylint.pyyaml import MappingNode, ScalarNode, SequenceNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from raylint.document import Source
    from raylint.finding import Path
    from raylint.outline_nodes import PlainStep

__all__ = ["Extent", "NoFixError", "Step", "closing_text"]

_PROPERTIES = pattern(r"(?:[&!]\S*\s+)*")
_BLANK_REST = pattern(r"[ \t]*(?:(?<=[ \t])#[^\r\n]*)?")
_GAP = r"(?:[\s,]|(?<=\s)#[^\r\n]*)*"
_ALIAS_VALUE = pattern(rf"\s*:{_GAP}\*[^\s,\]\[{{}}]+")
_ALIAS_ITEM = pattern(rf"(?:{_GAP}-)?{_GAP}\*[^\s,\]\[{{}}]+")
_COMMA = pattern(r"(?:\s|(?<=\s)#[^\r\n]*)*,")
_COLON = pattern(r"\s*:")


class NoFixError(Exception):
    """An edit that cannot be made without touching something else."""


class Step:
    """One step of a path: the entry number ``index`` of ``owner``, a mapping or list."""

    __slots__ = ("index", "key", "owner", "value")

    def __init__(self, owner: Any, index: int, key: Any, value: Any) -> None:
        self.owner = owner
        self.index = index
        self.key = key
        self.value = value


class Extent:
    """The text of one document, in characters."""

    def __init__(self, source: Source) -> None:
        self.string = source.text.string
        self.is_json = source.is_json
        self.shared: frozenset[int] = frozenset()
        # What was read by its lines holds no anchor and no merge key.
        self._plain = None if source.outline is None else Nodes(source.outline)
        if self._plain is not None:
            self.root: Any = self._plain.root
            return
        self.root = source.root
        if "*" in self.string and "&" in self.string:
            self.shared = _shared(self.root)

    def walk(self, path: Path) -> tuple[Sequence[Step | PlainStep], Path]:
        """The steps that are written, and what is left of the path. NoFixError: on the way lies something that
        other places share, or that a merge key has a say in."""
        if self._plain is not None:
            return self._plain.walk(path)
        steps: list[Step] = []
        node = self.root
        for number, wanted in enumerate(path):
            step = self._item(node, wanted) if isinstance(wanted, int) else self._entry(node, wanted)
            if step is None:
                return steps, path[number:]
            if id(step.value) in self.shared:
                raise NoFixError("it is anchored and used elsewhere as well")
            steps.append(step)
            node = step.value
        return steps, ()

    def _item(self, node: Any, index: int) -> Step | None:
        if not isinstance(node, SequenceNode) or not 0 <= index < len(node.value):
            return None
        return Step(node, index, None, node.value[index])

    def _entry(self, node: Any, key: str) -> Step | None:
        if not isinstance(node, MappingNode):
            return None
        merges = [number for number, (name, _) in enumerate(node.value) if is_merge(name)]
        named = [
            number
            for number, (name, _) in enumerate(node.value)
            if number not in merges and written_key(name) == key
        ]
        if not named:
            if merges:
                raise NoFixError("it may come in by a merge key")
            return None
        if merges and merges[-1] > named[-1]:
            raise NoFixError("a merge key may override it")
        return Step(node, named[-1], *node.value[named[-1]])

    def begin(self, node: Any) -> int:
        """The first character of a node, behind its anchor and tag."""
        start: int = node.start_mark.index
        if not self.string.startswith(("&", "!"), start):
            return start
        properties = _PROPERTIES.match(self.string, start, node.end_mark.index)
        return start if properties is None else properties.end()

    def end(self, node: Any) -> int:
        """Behind the last character of a node."""
        is_scalar = isinstance(node, ScalarNode)
        if not (is_scalar or self.is_flow(node)) and node.value:
            return self.entry_end(node, len(node.value) - 1)
        stop = min(node.end_mark.index, len(self.string))
        if is_scalar and node.style in ("|", ">"):
            start = node.start_mark.index
            return int(start + len(self.string[start:stop].rstrip()))
        return int(stop)

    def entry_end(self, owner: Any, index: int) -> int:
        """Behind the last character of an entry's value."""
        if isinstance(owner, SequenceNode):
            value = owner.value[index]
            before = self.entry_end(owner, index - 1) if index else self.begin(owner) + self.is_flow(owner)
            alias = _ALIAS_ITEM
        else:
            key, value = owner.value[index]
            before = self.end(key)
            alias = _ALIAS_VALUE
            if key.start_mark.index < owner.start_mark.index:
                raise NoFixError("a key is an alias")
        if value.start_mark.index >= before:
            return self.end(value)
        written = alias.match(self.string, before)
        if written is None:
            raise NoFixError("an alias cannot be told from what is around it")
        return written.end()

    def entry_begin(self, owner: Any, index: int) -> int:
        """The first character of an entry: of its key, or of an item's dash or value."""
        if isinstance(owner, MappingNode):
            start: int = owner.value[index][0].start_mark.index
            if start < owner.start_mark.index:
                raise NoFixError("a key is an alias")
            return start
        if self.is_flow(owner):
            start = owner.value[index].start_mark.index
            if index and start < self.entry_end(owner, index - 1):
                raise NoFixError("an item is an alias")
            return start
        return self._dash(owner, index)

    def _dash(self, owner: Any, index: int) -> int:
        first: int = self.begin(owner)
        if not index:
            return first
        column = first - self.line_start(first)
        at = self.next_line(self.entry_end(owner, index - 1))
        while at < len(self.string):
            dash = at + column
            if self.string[dash : dash + 1] == "-" and not self.string[at:dash].strip(" \t"):
                return dash
            at = self.next_line(at)
        raise NoFixError("an item's dash cannot be found")

    def is_flow(self, node: Any) -> bool:
        return self.is_json or bool(node.flow_style)

    def behind_colon(self, step: Step | PlainStep) -> int:
        """Where the value of a mapping's entry may begin."""
        colon = _COLON.match(self.string, self.end(step.key))
        if colon is None:
            raise NoFixError("the key has no colon")
        return colon.end()

    def comma(self, position: int) -> int | None:
        """Behind the comma that follows ``position``; None where none does."""
        found = _COMMA.match(self.string, position)
        return None if found is None else found.end()

    def line_start(self, position: int) -> int:
        return max(self.string.rfind("\n", 0, position), self.string.rfind("\r", 0, position)) + 1

    def line_end(self, position: int) -> int:
        """Where the line's own characters end."""
        string = self.string
        end = string.find("\n", position)
        if end < 0:
            end = len(string)
        first = string.find("\r", position, end)
        return end if first < 0 else first

    def next_line(self, position: int) -> int:
        end = self.line_end(position)
        return min(end + (2 if self.string.startswith("\r\n", end) else 1), len(self.string))

    def newline(self, position: int) -> str:
        """How the line at ``position`` ends; the last one, as the first."""
        end = self.line_end(position)
        if end == len(self.string):
            end = self.line_end(0)
        return self.string[end : self.next_line(end)] or "\n"

    def indent(self, position: int) -> str:
        """What stands before ``position`` on its line."""
        return self.string[self.line_start(position) : position]

    def ends_its_line(self, position: int) -> bool:
        """Whether but a comment stands behind ``position`` on its line."""
        rest = _BLANK_REST.match(self.string, position)
        return rest is not None and rest.end() == self.line_end(position)

    def above_comments(self, line: int, indent: str) -> int:
        """Where the comments begin that stand right above the line that begins at ``line``, as far in as that."""
        while line:
            above = self.line_start(line - (2 if self.string.endswith("\r\n", 0, line) else 1))
            if not self.string.startswith(f"{indent}#", above):
                break
            line = above
        return line

    def has_comment(self, start: int, end: int) -> bool:
        return "#" in self.string[start:end]


def closing_text(entry: Any) -> Any:
    """The block of text in which an entry, a pair or an item, ends; None where it ends in something else."""
    node = entry
    while isinstance(node, tuple) or (not isinstance(node, ScalarNode) and node.value and not node.flow_style):
        node = node[1] if isinstance(node, tuple) else node.value[-1]
    return node if isinstance(node, ScalarNode) and node.style in ("|", ">") else None


def _shared(root: Any) -> frozenset[int]:
    """The nodes that the document refers to more than once, by identity."""
    seen: set[int] = set()
    shared: set[int] = set()
    queue = [root]
    while queue:
        node = queue.pop()
        if id(node) in seen:
            shared.add(id(node))
            continue
        seen.add(id(node))
        if isinstance(node, MappingNode):
            queue.extend(part for pair in node.value for part in pair)
        elif isinstance(node, SequenceNode):
            queue.extend(node.value)
    return frozenset(shared)
