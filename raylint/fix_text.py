"""Edits of a document's data as edits of its text: the stretches that go, and what takes their place.

Whatever an edit does not concern stays as it is: comments, quotes, blanks, line ends. NoFixError where that cannot
be had.
"""

from __future__ import annotations

from raylint.build import is_merge, written_key
from raylint.finding import Change
from raylint.fix_extent import Extent, NoFixError, Step, closing_text
from raylint.fix_render import block_entry, block_item, flow, quoted, scalar
from raylint.nodes import PLAIN, QUOTED
from raylint.pyyaml import MappingNode, ScalarNode, SequenceNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from raylint.document import Source
    from raylint.finding import Path
    from raylint.outline_nodes import PlainStep

__all__ = ["TextEdits"]


class TextEdits:
    """The edits of one repair in one text. ``spans`` are stretches of characters with what replaces them."""

    def __init__(self, source: Source) -> None:
        self.text = Extent(source)
        self.spans: list[tuple[int, int, str]] = []
        self.changes: list[Change] = []
        self.locks: set[int] = set()
        # Stretches whose text comes to stand elsewhere.
        self.moved: list[tuple[int, int]] = []
        self._deleted: dict[int, int] = {}

    def delete(self, path: Path) -> None:
        steps, rest = self.text.walk(path)
        if rest or not steps:
            raise NoFixError("it is not written")
        step = steps[-1]
        owner = step.owner
        if step.key is None and len(owner.value) == 1 and len(steps) > 1 and steps[-2].key is not None:
            # A list in which nothing is left has no meaning of its own.
            self.delete(path[:-1])
            return
        self._refuse_shared_parts(step)
        if isinstance(owner, MappingNode) and _is_ambiguous(owner, step.key):
            raise NoFixError("another value of the key would come to light")
        self._deleted[id(owner)] = self._deleted.get(id(owner), 0) + 1
        if self._deleted[id(owner)] > 1 and len(owner.value) == self._deleted[id(owner)]:
            raise NoFixError("nothing would be left around it")
        self._lock(owner)
        if self.text.is_flow(owner):
            self._delete_from_flow(step)
        elif len(owner.value) > 1:
            self._delete_from_block(step)
        else:
            self._empty(steps)
        self.changes.append(Change("delete", path))

    def set(self, path: Path, value: object, after: str = "") -> None:
        steps, rest = self.text.walk(path)
        if not rest:
            self._replace(steps[-1].value, value)
        else:
            owner = steps[-1].value if steps else self.text.root
            self._add(owner, rest, value, after)
        self.changes.append(Change("set", path, value))

    def rename(self, path: Path, key: str) -> None:
        steps, rest = self.text.walk(path)
        if rest or not steps or steps[-1].key is None:
            raise NoFixError("it is not written")
        step = steps[-1]
        names = [name for name, _ in step.owner.value]
        if any(is_merge(name) for name in names) or key in map(written_key, names):
            raise NoFixError(f"there may be a {key} beside it")
        if step.key.tag not in (PLAIN, QUOTED) or self.text.begin(step.key) != step.key.start_mark.index:
            raise NoFixError("the key has a tag or an anchor")
        self._lock(step.owner)
        written = scalar(key, style=step.key.style, is_json=self.text.is_json)
        self.spans.append((step.key.start_mark.index, self.text.end(step.key), written))
        self.changes.append(Change("rename", path, key))

    def quote(self, path: Path) -> None:
        steps, rest = self.text.walk(path)
        node = steps[-1].value if steps and not rest else None
        if not isinstance(node, ScalarNode) or node.tag is not PLAIN:
            raise NoFixError("it is no plain scalar")
        start, end = self.text.begin(node), self.text.end(node)
        written = self.text.string[start:end]
        if not written or "\n" in written or "\r" in written:
            raise NoFixError("it is empty, or longer than a line")
        self.spans.append((start, end, quoted(written)))
        self.changes.append(Change("set", path, written))

    def move_to_front(self, path: Path) -> None:
        steps, rest = self.text.walk(path)
        if rest or not steps or steps[-1].key is not None or not steps[-1].index:
            raise NoFixError("it is no item with others before it")
        from raylint.fix_first import move_to_front  # hardly any fix moves something

        step = steps[-1]
        self._refuse_shared_parts(step, self.text.entry_begin(step.owner, 0))
        move = move_to_front(self.text, step.owner, step.index)
        self._lock(step.owner)
        self.spans += [(move.at, move.at, move.text), (*move.gone, "")]
        self.moved.append((move.start, move.end))
        self.changes.append(Change("first", path))

    def delete_entry(self, owner: Any, index: int) -> None:
        """Take out one of two entries with the same key, of which the other one counts: the data stays."""
        step = Step(owner, index, *owner.value[index])
        self._refuse_shared_parts(step)
        self._lock(owner)
        if self.text.is_flow(owner):
            self._delete_from_flow(step)
        else:
            self._delete_from_block(step)

    def settled(self) -> list[tuple[int, int, str]]:
        """The spans in the order of the text. A line that was to come behind one that goes takes its place."""
        gone = [(start, end) for start, end, written in self.spans if not written and self._is_lines(start, end)]
        spans = []
        for start, end, written in self.spans:
            around = next(((first, last) for first, last in gone if first < start == end < last), None)
            newline = self.text.newline(start)
            if around is not None and written.startswith(newline):
                spans.append((around[0], around[0], written.removeprefix(newline) + newline))
            else:
                spans.append((start, end, written))
        return sorted(spans)

    def _is_lines(self, start: int, end: int) -> bool:
        return start < end and start == self.text.line_start(start) and end == self.text.next_line(end - 1)

    def _lock(self, owner: Any) -> None:
        self.locks.add(owner.start_mark.index)

    def _refuse_shared_parts(self, step: Step | PlainStep, start: int | None = None) -> None:
        """An anchor in what is to be deleted, or from ``start`` on, may be used elsewhere."""
        if not self.text.shared:
            return
        if start is None:
            start = self.text.entry_begin(step.owner, step.index)
        queue = [step.value]
        while queue:
            node = queue.pop()
            if id(node) in self.text.shared and node.start_mark.index >= start:
                raise NoFixError("an anchor in it is used elsewhere as well")
            if isinstance(node, MappingNode):
                queue.extend(part for pair in node.value for part in pair)
            elif isinstance(node, SequenceNode):
                queue.extend(node.value)

    def _delete_from_block(self, step: Step | PlainStep) -> None:
        text = self.text
        start, end = text.entry_begin(step.owner, step.index), text.entry_end(step.owner, step.index)
        if not text.ends_its_line(end):
            raise NoFixError("something else stands on its last line")
        indent = text.indent(start)
        if not indent.strip(" \t"):
            first = text.line_start(start)
            if step.key is None:
                first = text.above_comments(first, indent)
            self.spans.append((first, text.next_line(end), ""))
            return
        if step.index or step.key is None or indent.strip(" \t-"):
            raise NoFixError("something else stands on its line")
        # The first key of an item stands behind the item's dash, and the next one takes its place.
        following = text.entry_begin(step.owner, 1)
        if text.has_comment(text.next_line(end), following):
            self.spans.append((text.line_start(start) + len(indent.rstrip(" \t")), text.line_end(end), ""))
        else:
            self.spans.append((start, following, ""))

    def _empty(self, steps: Sequence[Step | PlainStep]) -> None:
        """Delete the only entry of a block. Its mapping or list stays, empty: without a value it would be null."""
        text, step = self.text, steps[-1]
        owner = step.owner
        nothing = "{}" if step.key is not None else "[]"
        if len(steps) < 2 or text.begin(owner) != owner.start_mark.index:
            raise NoFixError("the document or an anchored part of it would be empty")
        start, end = text.entry_begin(owner, step.index), text.entry_end(owner, step.index)
        if not text.ends_its_line(end):
            raise NoFixError("something else stands on its last line")
        indent = text.indent(start)
        outer = steps[-2]
        if outer.key is None:
            if indent.strip(" \t-") or "-" not in indent:
                raise NoFixError("it does not stand behind a dash")
            self.spans.append((start, end, nothing))
            return
        if indent.strip(" \t"):
            raise NoFixError("something else stands on its line")
        colon = text.behind_colon(outer)
        self._lock(outer.owner)
        self.spans.append((colon, colon, f" {nothing}"))
        self.spans.append((text.line_start(start), text.next_line(end), ""))

    def _delete_from_flow(self, step: Step | PlainStep) -> None:
        text, owner, index = self.text, step.owner, step.index
        start, end = text.entry_begin(owner, index), text.entry_end(owner, index)
        if text.string[text.begin(owner) : start].rstrip().endswith("?"):
            raise NoFixError("the key is written with a question mark")
        if len(owner.value) == 1:
            self._empty_flow(owner, start, end)
            return
        comma = text.comma(end)
        if index + 1 < len(owner.value):
            following = text.entry_begin(owner, index + 1)
            if comma is None or comma > following:
                raise NoFixError("its comma cannot be found")
            self.spans.append((start, comma if text.has_comment(comma, following) else following, ""))
            return
        before = text.entry_end(owner, index - 1)
        comma = text.comma(before)
        if comma is None or comma > start:
            raise NoFixError("its comma cannot be found")
        if text.has_comment(before, start):
            self.spans += [(comma - 1, comma, ""), (start, end, "")]
        else:
            self.spans.append((before, end, ""))

    def _empty_flow(self, owner: Any, start: int, end: int) -> None:
        """Take out the only entry, and a comma behind it; comments stay."""
        inside = self.text.begin(owner) + 1, self.text.end(owner) - 1
        if not self.text.has_comment(*inside):
            self.spans.append((*inside, ""))
            return
        comma = self.text.comma(end)
        self.spans.append((start, end, ""))
        if comma is not None and comma <= inside[1]:
            self.spans.append((comma - 1, comma, ""))

    def _replace(self, node: Any, value: object) -> None:
        text = self.text
        simple = not isinstance(value, (dict, list, tuple))
        if isinstance(node, ScalarNode):
            if node.tag is not PLAIN and node.tag is not QUOTED:
                raise NoFixError("it has a tag")
            style = node.style if node.style in ("'", '"') else None
            written = scalar(value, style=style, is_json=text.is_json) if simple else flow(value)
            start, end = text.begin(node), text.end(node)
            self.spans.append((start, end, written if start < end else f" {written}"))
        elif text.is_flow(node):
            self.spans.append((text.begin(node), text.end(node), flow(value, is_json=text.is_json)))
        else:
            raise NoFixError("it is a block of its own")

    def _add(self, owner: Any, rest: Path, value: object, after: str) -> None:
        """Write ``value`` under the keys ``rest``, of which not even the first is there."""
        key, *deeper = rest
        for step in reversed(deeper):
            if not isinstance(step, str):
                raise NoFixError("a list is missing")
            value = {step: value}
        if isinstance(owner, ScalarNode):
            if owner.tag is not PLAIN or owner.value not in ("", "~", "null") or not isinstance(key, str):
                raise NoFixError("something else stands in its place")
            self._replace(owner, {key: value})
        elif isinstance(owner, SequenceNode):
            if key != len(owner.value):
                raise NoFixError("the list is not that long")
            self._append(owner, None, value, len(owner.value) - 1)
        elif not isinstance(key, str):
            raise NoFixError("it is no list")
        else:
            names = [written_key(name) for name, _ in owner.value] if after else []
            self._append(owner, key, value, names.index(after) if after in names else len(owner.value) - 1)

    def _append(self, owner: Any, key: str | None, value: object, index: int) -> None:
        """Write an entry behind the one of number ``index``."""
        self._lock(owner)
        if self.text.is_flow(owner):
            self._append_to_flow(owner, key, value, index)
        else:
            self._append_to_block(owner, key, value, index)

    def _append_to_flow(self, owner: Any, key: str | None, value: object, index: int) -> None:
        text = self.text
        written = flow(value, is_json=text.is_json)
        if key is not None:
            written = f"{scalar(key, is_json=text.is_json)}: {written}"
        if index < 0:
            start = text.begin(owner) + 1
            self.spans.append((start, start, written))
            return
        begin, end = text.entry_begin(owner, index), text.entry_end(owner, index)
        indent = text.indent(begin)
        separator = " " if indent.strip(" \t") else text.newline(begin) + indent
        self.spans.append((end, end, f",{separator}{written}"))

    def _append_to_block(self, owner: Any, key: str | None, value: object, index: int) -> None:
        text = self.text
        first = text.entry_begin(owner, 0)
        indent = text.indent(first)
        if key is not None:
            indent = "".join(" " if sign == "-" else sign for sign in indent)
        if indent.strip(" \t"):
            raise NoFixError("something else stands before the first key")
        lines = block_item(value, indent) if key is None else block_entry(key, value, indent)
        # Behind a block of text a line would belong to it, if only the blank ones before it.
        while index >= 0 and closing_text(owner.value[index]) is not None:
            index -= 1
        if index < 0:
            newline = text.newline(first)
            self.spans.append((first, first, newline.join([*lines, ""])[len(indent) :] + indent))
            return
        end = text.entry_end(owner, index)
        if not text.ends_its_line(end):
            raise NoFixError("something else stands on the line above")
        newline, at = text.newline(end), text.line_end(end)
        self.spans.append((at, at, "".join(newline + line for line in lines)))


def _is_ambiguous(owner: Any, key: Any) -> bool:
    """Whether the mapping has the key twice, or takes in others."""
    names = [name for name, _ in owner.value]
    name = written_key(key)
    return any(is_merge(other) or (other is not key and written_key(other) == name) for other in names)
