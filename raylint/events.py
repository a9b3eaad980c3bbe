"""Composes nodes from a parser's events, with go-yaml's bookkeeping of anchors and its budget for aliases."""

from __future__ import annotations

from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from raylint.fault import RefusedError, too_deep
from raylint.nodes import MAX_DEPTH, PLAIN, QUOTED
from raylint.pyyaml import MappingNode, ScalarNode, SequenceNode, fulfil

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from raylint.pyyaml import Node

__all__ = ["compose_events"]

# Of these classes libyaml's binding is to make its events.
fulfil("events")

# 99 % of all decoded nodes may come from aliases up to 400,000 nodes, falling to 10 % at 4,000,000
# (decode.go of yaml.v2, allowedAliasRatio).
_ALIAS_FREE, _DECODE_FREE = 100, 1000
_RATIO_LOW, _RATIO_HIGH = 400_000, 4_000_000


class _Anchor:
    """A node that aliases may name; ``size`` is what decoding it costs, None while it is still open."""

    __slots__ = ("node", "size")

    def __init__(self, node: Node) -> None:
        self.node = node
        self.size: int | None = None


class _Open:
    """A collection whose end has not come yet."""

    __slots__ = ("anchor", "before", "key", "node")

    def __init__(self, node: Node, anchor: _Anchor | None, before: int) -> None:
        self.node = node
        self.anchor = anchor
        self.before = before
        self.key: Node | None = None


def compose_events(parser: Any) -> Node | None:
    """The root of the first document; None if there is none. Raises RefusedError and yaml.YAMLError."""
    composer = _Composer()
    while True:
        event = parser.get_event()
        if event is None or isinstance(event, DocumentEndEvent | StreamEndEvent):
            return composer.root
        composer.take(event)


class _Composer:
    def __init__(self) -> None:
        self.root: Node | None = None
        self.stack: list[_Open] = []
        self.anchors: dict[str, _Anchor] = {}
        self.decoded = 0
        self.aliased = 0

    def take(self, event: Any) -> None:
        if isinstance(event, ScalarEvent):
            self._scalar(event)
        elif isinstance(event, AliasEvent):
            self._alias(event)
        elif isinstance(event, MappingStartEvent):
            self._open(event, MappingNode)
        elif isinstance(event, SequenceStartEvent):
            self._open(event, SequenceNode)
        elif isinstance(event, MappingEndEvent | SequenceEndEvent):
            self._close(event)

    def _scalar(self, event: Any) -> None:
        # A bare `!` means text, though libyaml calls such a scalar plain. The merge key it leaves alone.
        if event.tag == "!":
            tag = PLAIN if event.value == "<<" and not event.style else QUOTED
        else:
            tag = event.tag or (PLAIN if event.implicit[0] else QUOTED)
        node = ScalarNode(tag, event.value, event.start_mark, event.end_mark, style=event.style)
        self.decoded += 1
        anchor = self._anchor(event, node)
        if anchor:
            anchor.size = 1
        self._attach(node)

    def _open(self, event: Any, kind: type[MappingNode] | type[SequenceNode]) -> None:
        if len(self.stack) >= MAX_DEPTH:
            raise too_deep(MAX_DEPTH, event.start_mark.index)
        node = kind("", [], event.start_mark, None, flow_style=event.flow_style)
        self.stack.append(_Open(node, self._anchor(event, node), self.decoded))
        self.decoded += 1

    def _close(self, event: Any) -> None:
        done = self.stack.pop()
        done.node.end_mark = event.end_mark
        if done.anchor:
            done.anchor.size = self.decoded - done.before
        self._attach(done.node)

    def _anchor(self, event: Any, node: Node) -> _Anchor | None:
        if event.anchor is None:
            return None
        anchor = self.anchors[event.anchor] = _Anchor(node)
        return anchor

    def _alias(self, event: Any) -> None:
        start, end = event.start_mark.index, event.end_mark.index
        target = self.anchors.get(event.anchor)
        if target is None:
            message = f"the alias `*{event.anchor}` names no anchor that is written before it"
            raise RefusedError(message, f"define `&{event.anchor}` above, or quote the value", start, end)
        if target.size is None:
            message = f"the anchor `&{event.anchor}` contains itself"
            raise RefusedError(message, f"remove the alias `*{event.anchor}`", start, end)
        self.decoded += 1 + target.size
        self.aliased += target.size
        if self._excessive():
            message = "aliases expand to far more than the document itself (excessive aliasing)"
            raise RefusedError(message, "write the values out, or reuse smaller parts", start, end)
        if self._merges() and not isinstance(target.node, MappingNode):
            # `<<` takes a list of mappings that is written there, and no alias of one.
            message = "`<<` merges something that is no mapping"
            raise RefusedError(message, "name an anchor of a mapping", start, end)
        self._attach(target.node)

    def _excessive(self) -> bool:
        """Within an alias the share only grows, so asking once at its end is as good as at every node."""
        if self.aliased <= _ALIAS_FREE or self.decoded <= _DECODE_FREE:
            return False
        progress = min(max((self.decoded - _RATIO_LOW) / (_RATIO_HIGH - _RATIO_LOW), 0.0), 1.0)
        return self.aliased / self.decoded > 0.99 - 0.89 * progress

    def _merges(self) -> bool:
        key: Any = self.stack[-1].key if self.stack else None
        return key is not None and key.tag is PLAIN and key.value == "<<"

    def _attach(self, node: Node) -> None:
        if not self.stack:
            self.root = node
            return
        top = self.stack[-1]
        if isinstance(top.node, SequenceNode):
            top.node.value.append(node)
        elif top.key is None:
            top.key = node
        else:
            top.node.value.append((top.key, node))
            top.key = None
