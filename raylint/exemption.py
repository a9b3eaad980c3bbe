"""Exemptions: findings that are accepted by the configuration, where no manifest can say so."""

from __future__ import annotations

from raylint.expiry import has_passed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from raylint.finding import ObjectRef

__all__ = ["Exemption"]


class Exemption:
    """Accepts findings of ``rules`` (ids) on objects whose kind, namespace and name match, until a day that is
    over. ``*`` stands for any text, ``?`` for one character; an object without a namespace matches ``*`` alone.
    ``place`` is where the exemption is written, in words; ``position`` the line and column in ``file``, zeros
    where nobody can tell."""

    __slots__ = ("file", "kind", "name", "namespace", "place", "position", "reason", "rules", "until")

    def __init__(
        self,
        rules: frozenset[str],
        reason: str,
        *,
        kind: str = "*",
        namespace: str = "*",
        name: str = "*",
        until: str = "",
        place: str = "",
        file: str = "",
        position: tuple[int, int] = (0, 0),
    ) -> None:
        self.rules = rules
        self.reason = reason
        self.kind = kind
        self.namespace = namespace
        self.name = name
        self.until = until
        self.place = place
        self.file = file
        self.position = position

    @property
    def expired(self) -> bool:
        return has_passed(self.until)

    def covers(self, rule_id: str, ref: ObjectRef | None) -> bool:
        """Does it accept what this rule says of this object? One that names objects accepts nothing about none."""
        if rule_id not in self.rules or self.expired:
            return False
        if ref is None:
            return (self.kind, self.namespace, self.name) == ("*", "*", "*")
        wanted: Sequence[tuple[str, str]] = (
            (self.kind, ref.kind),
            (self.namespace, ref.namespace),
            (self.name, ref.name),
        )
        return all(pattern == "*" or _matches(pattern, text) for pattern, text in wanted)


def _matches(pattern: str, text: str) -> bool:
    """Wildcards without backtracking: each piece between stars is taken where it first fits."""
    first, *rest = pattern.split("*")
    if not rest:
        return _fits(first, text, 0) and len(first) == len(text)
    if not _fits(first, text, 0):
        return False
    at = len(first)
    *middle, last = rest
    for piece in middle:
        found = next((start for start in range(at, len(text) - len(piece) + 1) if _fits(piece, text, start)), None)
        if found is None:
            return False
        at = found + len(piece)
    end = len(text) - len(last)
    return end >= at and _fits(last, text, end)


def _fits(piece: str, text: str, start: int) -> bool:
    return len(text) - start >= len(piece) and all(
        wanted in ("?", found) for wanted, found in zip(piece, text[start:], strict=False)
    )
