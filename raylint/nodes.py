"""What the composers of YAML and JSON and the readers of their nodes agree on."""

from __future__ import annotations

from raylint.pyyaml import MappingNode, ScalarNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["MAX_DEPTH", "PLAIN", "QUOTED", "scalars_below"]

# The tags of scalars that are written without one. To be compared by identity: `!<plain>` may be a written tag.
PLAIN, QUOTED = "plain", "quoted"

# kubectl reads 10,000 levels. A Ray manifest has about 20; 256 leave room for whatever walks the data with one
# or two Python frames a level, under Python's own limit of 1,000.
MAX_DEPTH = 256


def scalars_below(root: Any) -> list[ScalarNode]:
    """Every scalar below ``root`` once, keys included, in no particular order."""
    found: list[ScalarNode] = []
    seen: set[int] = set()
    queue: list[Any] = [root]
    while queue:
        node = queue.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, ScalarNode):
            found.append(node)
        elif isinstance(node, MappingNode):
            queue.extend(part for pair in node.value for part in pair)
        else:
            queue.extend(node.value)
    return found
