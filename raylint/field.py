"""Fields and views: how rules see an object.

A view is a handle on a part of a document; it never copies the data and never raises on an odd shape. What it
answers is a :class:`Field`: a value that knows where it is written and who decided it.
"""

from __future__ import annotations

from raylint.rule import Location, Problem
from raylint.typed import Enum, Generic, T

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from raylint.document import Document
    from raylint.embedded_document import EmbeddedDocument
    from raylint.finding import Confidence, Path, Place, Severity
    from raylint.rule import Repair

__all__ = ["Field", "Origin", "View", "is_template"]


class Origin(Enum):
    """Who decided a value."""

    __slots__ = ()

    WRITTEN = "yours"
    API = "API default"
    KUBERAY = "KubeRay default"
    RAY = "Ray default"
    ABSENT = "not set"
    # Written, but not to be known from the text: valueFrom, a template, a value of a wrong type.
    UNKNOWN = "unknown"


class Field(Generic[T]):
    """A value, who decided it and where. ``value`` is None where there is none or it cannot be known.

    ``reason``: by which rule it was decided, in words with KubeRay's file; empty for what is simply written.
    """

    __slots__ = ("at", "origin", "reason", "value")

    def __init__(self, value: T | None, origin: Origin, at: Location, reason: str = "") -> None:
        self.value = value
        self.origin = origin
        self.at = at
        self.reason = reason

    def __bool__(self) -> bool:
        """Is it written here (even if its value cannot be known)?"""
        return self.origin is Origin.WRITTEN or self.origin is Origin.UNKNOWN

    @property
    def known(self) -> bool:
        return self.origin is not Origin.UNKNOWN

    def flag(
        self,
        message: str,
        *,
        effect: str,
        fix: str,
        label: str = "",
        because: Sequence[tuple[Location | Place, str]] = (),
        severity: Severity | None = None,
        confidence: Confidence | None = None,
        repair: Repair | None = None,
    ) -> Problem:
        """A problem at this field."""
        return Problem(
            self.at,
            message,
            effect=effect,
            fix=fix,
            label=label,
            because=because,
            severity=severity,
            confidence=confidence,
            repair=repair,
        )

    def __repr__(self) -> str:
        return f"Field({self.value!r}, {self.origin.name})"


def is_template(value: str) -> bool:
    """Text that a template engine has yet to fill in: what will stand there cannot be known."""
    return "{{" in value


def _whole(value: object) -> int | None:
    if value.__class__ is float and value.is_integer():
        return int(value)
    return value if value.__class__ is int else None


class View:
    """A part of a document. ``data`` is the mapping at ``path``, or an empty one where there is none: a null,
    a list or a scalar in its place reads as nothing written."""

    # Parts that were asked for: rules ask for the same ones again and again, but of few views for any.
    _parts: dict[str, View] | None = None

    def __init__(self, document: Document, path: Path, data: object) -> None:
        self.document = document
        self.path = path
        self.data: dict[str, object] = data if isinstance(data, dict) else {}

    @property
    def body(self) -> dict[str, object]:
        """The mapping whose fields a rule's ``where`` names."""
        return self.data

    @property
    def at(self) -> Location:
        return Location(self.document, self.path)

    def at_key(self, *steps: str | int) -> Location:
        return Location(self.document, self.path + steps)

    def has(self, key: str) -> bool:
        """Is the key written with something other than null? (The API server drops nulls.)"""
        return self.data.get(key) is not None

    def part(self, key: str) -> View:
        parts = self._parts
        if parts is None:
            parts = self._parts = {}
        part = parts.get(key)
        if part is None:
            part = parts[key] = View(self.document, (*self.path, key), self.data.get(key))
        return part

    def parts(self, key: str) -> Iterator[tuple[Path, object]]:
        """The items of the list at ``key`` with their paths; nothing where there is no list."""
        items = self.data.get(key)
        if isinstance(items, list):
            for index, item in enumerate(items):
                yield (*self.path, key, index), item

    def embedded(self, key: str) -> EmbeddedDocument | None:
        """The YAML document in the text at ``key``; None where there is no text."""
        from raylint.embedded_document import EmbeddedDocument  # few objects hold one

        value = self.data.get(key)
        return EmbeddedDocument(self.document, (*self.path, key), value) if isinstance(value, str) else None

    def string(self, key: str, default: str | None = None, origin: Origin = Origin.API) -> Field[str]:
        value = self.data.get(key)
        at = self.at_key(key)
        if value is None:
            return Field(default, Origin.ABSENT if default is None else origin, at)
        if isinstance(value, str) and not is_template(value):
            return Field(value, Origin.WRITTEN, at)
        return Field(None, Origin.UNKNOWN, at)

    def integer(self, key: str, default: int | None = None, origin: Origin = Origin.API) -> Field[int]:
        value = self.data.get(key)
        at = self.at_key(key)
        if value is None:
            return Field(default, Origin.ABSENT if default is None else origin, at)
        number = _whole(value)
        return Field(number, Origin.UNKNOWN if number is None else Origin.WRITTEN, at)

    def whole(self, key: str, default: int) -> int | None:
        """The value of :meth:`integer` alone, for what is asked of every manifest."""
        value = self.data.get(key)
        return default if value is None else _whole(value)

    def boolean(self, key: str, default: bool | None = None, origin: Origin = Origin.API) -> Field[bool]:
        value = self.data.get(key)
        at = self.at_key(key)
        if value is None:
            return Field(default, Origin.ABSENT if default is None else origin, at)
        if isinstance(value, bool):
            return Field(value, Origin.WRITTEN, at)
        return Field(None, Origin.UNKNOWN, at)

    def strings(self, key: str) -> tuple[str, ...]:
        """The texts in the list at ``key``; what is no text is left out."""
        items = self.data.get(key)
        return tuple(item for item in items if isinstance(item, str)) if isinstance(items, list) else ()
