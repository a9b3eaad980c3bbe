"""What a comment covers: the entries of a YAML text by the lines on which they begin.

An entry is a key with its value, or an item of a list. It reaches to the end of its value, so that one comment
above a container covers all of the container.
"""

from __future__ import annotations

from raylint.pyyaml import MappingNode, ScalarNode, SequenceNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from raylint.comments import Comment
    from raylint.position import Text

__all__ = ["Entries"]


class Entry:
    """``start`` and ``end`` are characters of the text; ``depth`` counts the entries around it; ``closed``: its
    value is a scalar or stands in brackets, so that a comment can stand right behind its end."""

    __slots__ = ("closed", "depth", "end", "start")

    def __init__(self, start: int, end: int, depth: int, closed: bool) -> None:
        self.start = start
        self.end = end
        self.depth = depth
        self.closed = closed


class Entries:
    """The entries of one text, and its comments."""

    __slots__ = ("_below", "_ending", "_starting", "_text")

    def __init__(self, text: Text, root: Any, comments: Sequence[Comment]) -> None:
        self._text = text
        self._below = _lines_below(comments)
        self._starting: dict[int, list[Entry]] = {}
        self._ending: dict[int, list[Entry]] = {}
        for entry in _entries(root):
            self._starting.setdefault(text.place(entry.start)[0], []).append(entry)
            if entry.closed:
                self._ending.setdefault(text.place(entry.end)[0], []).append(entry)

    def covered(self, comment: Comment) -> list[Entry]:
        """What a comment covers; nothing where there is no entry on its line, or on the next one that is no
        comment.

        It is what begins there: the outermost that does. A comment behind the end of something that began on an
        earlier line covers that.
        """
        if not comment.trailing:
            return _outermost(self._starting.get(self._below[comment.line], []))
        at = self._text.starts[comment.line - self._text.line] + comment.column - 1
        if comment.line == self._text.line:
            at -= self._text.column - 1
        begun = _outermost([entry for entry in self._starting.get(comment.line, ()) if entry.start < at])
        if begun:
            return begun
        ended = [entry for entry in self._ending.get(comment.line, ()) if entry.end <= at]
        last = max((entry.end for entry in ended), default=0)
        return _outermost([entry for entry in ended if entry.end == last])


def _outermost(entries: list[Entry]) -> list[Entry]:
    depth = min((entry.depth for entry in entries), default=0)
    return [entry for entry in entries if entry.depth == depth]


def _lines_below(comments: Sequence[Comment]) -> dict[int, int]:
    """By the lines of comments that stand alone the first line below that is none. All at once: a run of comments
    would be walked through for each of them."""
    below: dict[int, int] = {}
    for line in sorted((comment.line for comment in comments if not comment.trailing), reverse=True):
        below[line] = below.get(line + 1, line + 1)
    return below


def _entries(root: Any) -> list[Entry]:
    """All entries. What an alias stands for is where its anchor is."""
    found: list[Entry] = []
    seen: set[int] = set()
    waiting: list[tuple[Any, int]] = [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, MappingNode):
            for key, value in node.value:
                start, end = key.start_mark.index, key.end_mark.index
                alias = value.start_mark.index < start
                found.append(Entry(start, end if alias else max(end, _end(value)), depth, alias or _closed(value)))
                waiting += [(key, depth + 1)] if alias else [(key, depth + 1), (value, depth + 1)]
        elif isinstance(node, SequenceNode):
            position = node.start_mark.index
            for item in node.value:
                if item.start_mark.index >= position:
                    position = item.start_mark.index
                    found.append(Entry(position, _end(item), depth, _closed(item)))
                    waiting.append((item, depth + 1))
    return found


def _end(node: Any) -> int:
    end: int = node.end_mark.index
    return end


def _closed(node: Any) -> bool:
    if isinstance(node, ScalarNode):
        return node.style not in ("|", ">")
    return bool(node.flow_style)
