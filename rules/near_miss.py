"""Names that are almost another one."""

from __future__ import annotations

from raylint.schema_hints import distance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["nearest"]

# Of shorter names nearly every other one is a neighbour.
_SHORTEST, _LONG = 4, 12


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is a letter or two away (below twelve letters: one); None where none is."""
    found: tuple[int, str] | None = None
    limit = 2 if len(name) >= _LONG else 1
    for other in known:
        apart = distance(name, other, limit)
        if apart <= limit and min(len(name), len(other)) >= _SHORTEST:
            found = min(found or (apart, other), (apart, other))
    return found[1] if found else None
