"""Which Ray releases a check has to answer for, and what they know.

What Ray does was recorded at 2.9.3, 2.40.0, 2.51.1 and 2.60.0. Of a release in between it is not always known
whether a change had come yet; then it is taken both ways, and only what holds both ways is said.
"""

from __future__ import annotations

from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from raylint.target import Version

    # From when on: a release, or the last one known to be without and the first one known to have it.
    Bound: TypeAlias = "Version | tuple[Version, Version]"

__all__ = ["Fault", "RayRelease", "agreed", "is_newer_than_known", "releases"]

RECORDED: tuple[Version, ...] = ((2, 9), (2, 40), (2, 51), (2, 60))


class RayRelease:
    """One release, or one of the two ways to see one. ``strict``: its Serve has the stricter types of pydantic 2
    (2.60; up to 2.51 it has pydantic 1). ``early``: take it that changes of an uncertain date had come.

    ``known`` remembers what it knows of tables that hold several releases, by the ``id`` of the table, which is a
    module's own and lives as long as the process."""

    __slots__ = ("early", "known", "strict", "version")

    def __init__(self, version: Version, *, strict: bool, early: bool) -> None:
        self.version = version
        self.strict = strict
        self.early = early
        self.known: dict[int, dict[str, Any]] = {}

    def reached(self, bound: Bound) -> bool:
        """Is it of ``bound`` or later?"""
        if isinstance(bound[0], int):
            return self.version >= bound
        without, first = bound
        assert isinstance(without, tuple)
        assert isinstance(first, tuple)
        if self.version <= without:
            return False
        return self.version >= first or self.early


# The files of a run name few versions.
@lru_cache(maxsize=32)
def releases(version: Version | None) -> tuple[RayRelease, ...]:
    """The releases to ask: of an unknown or older version all that were recorded."""
    if version is None or version < RECORDED[0]:
        return tuple(RayRelease(known, strict=known >= RECORDED[-1], early=True) for known in RECORDED)
    line = version[:2]
    if line in RECORDED or line > RECORDED[-1]:
        return (RayRelease(line, strict=line >= RECORDED[-1], early=True),)
    # A type is refused late by the one and early by the other: a fault has to hold both ways.
    return (RayRelease(line, strict=False, early=True), RayRelease(line, strict=line > RECORDED[-2], early=False))


def is_newer_than_known(version: Version | None) -> bool:
    """Is it a release that may know keys of which raylint does not?"""
    return version is not None and version[:2] > RECORDED[-1]


def agreed(version: Version | None, data: object, judge: Callable[[RayRelease], list[Fault]]) -> list[Fault]:
    """The faults in ``data`` that every release to ask would find. A text that a template engine has yet to fill
    in cannot be known and is none."""
    first, *others = releases(version)
    faults = judge(first)
    if not faults:
        return faults
    for other in others:
        keys = {fault.identity for fault in judge(other)}
        faults = [fault for fault in faults if fault.identity in keys]
    return [fault for fault in faults if not _is_template(data, fault.path)]


def _is_template(data: object, path: tuple[str | int, ...]) -> bool:
    for step in path:
        if isinstance(data, dict):
            data = data.get(step)
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
    return isinstance(data, str) and "{{" in data


class Fault:
    """Something in a text that Ray refuses, drops or fails on. ``path`` leads to it inside the text; ``kind``
    says what becomes of it; ``sure`` is False where it depends on files that the manifest does not show."""

    __slots__ = ("fix", "kind", "label", "message", "on_key", "path", "sure")

    def __init__(
        self,
        kind: str,
        path: tuple[str | int, ...],
        message: str,
        fix: str,
        *,
        label: str = "",
        on_key: bool = False,
        sure: bool = True,
    ) -> None:
        self.kind = kind
        self.path = path
        self.message = message
        self.fix = fix
        self.label = label
        self.on_key = on_key
        self.sure = sure

    @property
    def identity(self) -> tuple[str, tuple[str | int, ...]]:
        return self.kind, self.path
