"""Keys that are written twice: kubectl keeps one of them and tells nobody."""

from __future__ import annotations

from raylint.build import is_merge, key_identity, merged, written_key
from raylint.pyyaml import MappingNode, ScalarNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from raylint.finding import Path
    from raylint.pyyaml import Node

__all__ = ["Clash", "clashes"]


class Clash:
    """A key that is written again. ``ambiguous``: the two are of different types (``1`` and ``"1"``), so that
    Go's maps decide at random; else the later one wins. ``merge``: the later one comes in by ``<<``."""

    __slots__ = ("ambiguous", "earlier", "later", "mapping", "merge", "path")

    def __init__(
        self, mapping: Any, path: Path, earlier: Any, later: Any, *, ambiguous: bool, merge: bool = False
    ) -> None:
        self.mapping = mapping
        self.path = path
        self.earlier = earlier
        self.later = later
        self.ambiguous = ambiguous
        self.merge = merge


def clashes(root: Node, repeating: list[Node] | None) -> list[Clash]:
    """What a person must know of the mappings that ``build`` reported, in the order of the text; None: of all."""
    paths = _paths(root, None if repeating is None else {id(node) for node in repeating})
    found: list[Clash] = []
    for node, path in paths:
        found.extend(_mapping_clashes(node, path))
    return sorted(found, key=lambda clash: clash.later.start_mark.index)


def _paths(root: Any, wanted: set[int] | None) -> list[tuple[Any, Path]]:
    found: list[tuple[Any, Path]] = []
    seen: set[int] = set()
    queue: list[tuple[Any, Path]] = [(root, ())]
    while queue:
        node, path = queue.pop()
        if id(node) in seen or node.__class__ is ScalarNode:
            continue
        seen.add(id(node))
        if (wanted is None and node.__class__ is MappingNode) or (wanted and id(node) in wanted):
            found.append((node, path))
        if node.__class__ is MappingNode:
            queue.extend(
                (value, path if is_merge(key) else (*path, written_key(key))) for key, value in node.value
            )
        else:
            queue.extend((item, (*path, number)) for number, item in enumerate(node.value))
    return found


def _mapping_clashes(node: Any, path: Path) -> list[Clash]:
    first: dict[str, Any] = {}
    found: list[Clash] = []
    for key, value in node.value:
        if is_merge(key):
            found.extend(
                Clash(node, (*path, text), first[text], key, ambiguous=False, merge=True)
                for source in merged(value)
                for text in _texts(source)
                if text in first
            )
            continue
        text = written_key(key)
        if text in first:
            ambiguous = key_identity(key) != key_identity(first[text])
            found.append(Clash(node, (*path, text), first[text], key, ambiguous=ambiguous))
        first[text] = key
    return found


def _texts(node: Any) -> list[str]:
    """The keys that merging ``node`` brings along."""
    texts: dict[str, None] = {}
    for key, value in node.value:
        if is_merge(key):
            for source in merged(value):
                texts.update(dict.fromkeys(_texts(source)))
        else:
            texts[written_key(key)] = None
    return list(texts)
