"""Nodes to the plain data that kubectl makes of them."""

from __future__ import annotations

from raylint.fault import RefusedError, too_deep
from raylint.nodes import MAX_DEPTH, PLAIN, QUOTED
from raylint.pyyaml import MappingNode, ScalarNode, SequenceNode
from raylint.scalars import KEYS, WORDS, ScalarError, key_text, resolve, tagged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from raylint.pyyaml import Node
    from raylint.scalars import Scalar

__all__ = ["build", "is_merge", "key_identity", "merged", "written_key"]

_MERGE_TAG = "tag:yaml.org,2002:merge"


def build(root: Node) -> tuple[object, list[Node]]:
    """The data, and the mappings in which a key came a second time. Raises RefusedError."""
    builder = _Builder()
    try:
        return builder.value(root, 0), builder.repeating
    except ScalarError:
        raise _not_json(root) from None


class _Builder:
    __slots__ = ("repeating",)

    def __init__(self) -> None:
        self.repeating: list[Node] = []

    def value(self, node: Any, depth: int) -> object:
        if node.__class__ is ScalarNode:
            return _scalar(node)
        if depth >= MAX_DEPTH:
            raise too_deep(MAX_DEPTH, node.start_mark.index)
        if node.__class__ is MappingNode:
            return self._mapping(node, depth + 1)
        items: list[object] = []
        for item in node.value:
            if item.__class__ is ScalarNode:
                tag = item.tag
                items.append(WORDS[item.value] if tag is PLAIN else item.value if tag is QUOTED else _scalar(item))
            else:
                items.append(self.value(item, depth + 1))
        return items

    def _mapping(self, node: Any, depth: int) -> dict[str, object]:
        # The hottest loop of a run: scalars, nine of ten values, are read in place.
        data: dict[str, object] = {}
        repeats = False
        for key_node, value_node in node.value:
            tag = key_node.tag
            key: str | None = KEYS[key_node.value] if tag is PLAIN else key_node.value if tag is QUOTED else None
            if key is None:
                if is_merge(key_node):
                    repeats = self._merge(data, value_node, depth) or repeats
                    continue
                key = written_key(key_node)
            if key in data:
                repeats = True
            if value_node.__class__ is ScalarNode:
                tag = value_node.tag
                if tag is PLAIN:
                    data[key] = WORDS[value_node.value]
                else:
                    data[key] = value_node.value if tag is QUOTED else _scalar(value_node)
            else:
                data[key] = self.value(value_node, depth)
        if repeats:
            self.repeating.append(node)
        return data

    def _merge(self, data: dict[str, object], node: Node, depth: int) -> bool:
        """``<<`` overrides what stands above it, as go-yaml does and YAML's own merge type does not."""
        overrides = False
        for source in merged(node):
            before = len(data)
            added: Any = self.value(source, depth)
            data.update(added)
            overrides = overrides or len(data) < before + len(added)
        return overrides


def _scalar(node: Any) -> object:
    tag = node.tag
    if tag is PLAIN:
        return WORDS[node.value]
    if tag is QUOTED:
        return node.value
    try:
        return tagged(tag, node.value)
    except ScalarError as error:
        raise _fault(node, str(error), "correct the tag or the value") from None


def is_merge(node: Any) -> bool:
    """Whether a key is the merge key: ``<<`` without quotes."""
    return node.value == "<<" and (node.tag is PLAIN or node.tag == _MERGE_TAG)


def merged(node: Any) -> list[Node]:
    """The mappings that a merge key takes in, in the order in which they override each other: of a list the
    first wins, so it comes last. Raises RefusedError."""
    sources = list(reversed(node.value)) if node.__class__ is SequenceNode else [node]
    for source in sources:
        if source.__class__ is not MappingNode:
            message = "`<<` merges something that is no mapping"
            raise _fault(source, message, "name a mapping, or quote the key `<<`")
    return sources


def written_key(node: Any) -> str:
    """The text of a key as it reaches the API server. Raises RefusedError for what cannot be a key."""
    if node.__class__ is not ScalarNode:
        kind = "mapping" if node.__class__ is MappingNode else "list"
        start = node.start_mark.index
        fix = "quote the key if it is text; `{{ }}` must be rendered first"
        raise RefusedError(f"a {kind} stands where a key is due", fix, start, start + 1)
    try:
        return key_text(_key(node))
    except ScalarError as error:
        name = f"`{node.value}`" if node.value else "an empty key"
        raise _fault(node, f"{name} cannot be a key: {error}", "quote the key") from None


def key_identity(node: Any) -> tuple[str, Scalar]:
    """Type and value under which Go files a key: ``1`` and ``"1"`` are two keys with one text."""
    key = _key(node)
    return key.__class__.__name__, key


def _key(node: Any) -> Scalar:
    if node.tag is PLAIN:
        return resolve(node.value)
    if node.tag is QUOTED:
        written: str = node.value
        return written
    return tagged(node.tag, node.value, as_key=True)


def _fault(node: Any, message: str, fix: str) -> RefusedError:
    return RefusedError(message, fix, node.start_mark.index, node.end_mark.index)


def _not_json(root: Node) -> RefusedError:
    """The first plain value that JSON cannot carry: the builder's loop does not know where it stands."""
    refused = next(node for node in _values(root) if node.tag is PLAIN and not _is_json(node.value))
    message = f"`{refused.value}` is a number that JSON does not have"
    return _fault(refused, message, "quote it if it is meant as text")


def _is_json(text: str) -> bool:
    try:
        WORDS[text]
    except ScalarError:
        return False
    return True


def _values(node: Any) -> Iterator[Any]:
    if node.__class__ is ScalarNode:
        yield node
    else:
        for item in node.value:
            yield from _values(item[1] if node.__class__ is MappingNode else item)
