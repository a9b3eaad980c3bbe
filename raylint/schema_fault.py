"""What the API server objects to in an object."""

from __future__ import annotations

from raylint.typed import Enum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from raylint.finding import Path

    # A path from its end: (how one came here, last step), None at the root. Unlike a path it costs next to
    # nothing to make longer, and it is made a path only for a fault.
    Trail: TypeAlias = tuple["Trail", str | int] | None

__all__ = ["FaultKind", "SchemaFault", "path_of", "trail_of"]


class FaultKind(Enum):
    """Kinds of fault, as people tell them apart (the server knows fewer)."""

    __slots__ = ()

    UNKNOWN_FIELD = "unknown field"
    WRONG_TYPE = "wrong type"
    MISSING = "required value"
    NOT_SUPPORTED = "unsupported value"
    OUT_OF_RANGE = "number out of range"
    MALFORMED = "malformed value"
    SIZE = "wrong length"
    DUPLICATE = "duplicate value"
    RULE = "validation rule"
    METADATA = "invalid metadata"


class SchemaFault:
    """One fault.

    ``path`` leads to the value, or with ``on_key`` to the key; where something is missing, to where it should be.
    ``detail`` says what the server would say of it, ``wanted`` what it would take (a type, or values separated by
    commas), ``given`` the type that it got instead.

    ``dropped``: a server that was not asked to validate strictly does not refuse the object for it, but drops
    the field. ``consequence``: it only follows from a wrong type of a value above it.
    """

    __slots__ = ("consequence", "detail", "dropped", "given", "kind", "on_key", "path", "wanted")

    def __init__(
        self,
        kind: FaultKind,
        path: Path,
        detail: str,
        *,
        on_key: bool = False,
        wanted: str = "",
        given: str = "",
        consequence: bool = False,
    ) -> None:
        self.kind = kind
        self.path = path
        self.detail = detail
        self.on_key = on_key
        self.wanted = wanted
        self.given = given
        self.dropped = kind is FaultKind.UNKNOWN_FIELD
        self.consequence = consequence

    def __repr__(self) -> str:
        return f"SchemaFault({self.kind.name}, {self.path!r}, {self.detail!r})"


def trail_of(path: Path) -> Trail:
    trail: Trail = None
    for step in path:
        trail = (trail, step)
    return trail


def path_of(trail: Trail) -> Path:
    steps: list[str | int] = []
    while trail is not None:
        trail, step = trail
        steps.append(step)
    return tuple(reversed(steps))
