"""How a class of Serve's schema reads a map: the keys that it knows, takes, drops and refuses."""

from __future__ import annotations

from raylint.ray_release import Fault
from raylint.serve_types import WrongTypeError, flag, mapping, number, sequence, text, whole, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from raylint.finding import Path
    from raylint.ray_release import Bound, RayRelease

    Read: TypeAlias = Callable[[Any, RayRelease], Any]
    Judge: TypeAlias = "Callable[[Reading, Any, Path], Any]"

__all__ = [
    "DROPPED",
    "FLAG",
    "MAP",
    "NUMBER",
    "REFUSED",
    "TEXT",
    "WHOLE",
    "Key",
    "Reading",
    "at_least",
    "called",
    "items_of",
    "nested",
    "one_of",
]

# What becomes of what a fault is about: Serve passes over it, or answers 400 and takes nothing at all.
DROPPED, REFUSED = "dropped", "refused"


class OfType:
    """A value of a type. ``plain``: values of this very class are taken as they are, by every release."""

    __slots__ = ("_read", "plain")

    def __init__(self, read: Read, plain: type | None = None) -> None:
        self._read = read
        self.plain = plain

    def __call__(self, reading: Reading, value: object, path: Path) -> Any:
        return reading.take(self._read, value, path)


class Key:
    """A key of a class. ``judge`` reads its value; ``since`` and ``until`` tell the releases that know it
    (``until``: the last one with it, the first one without); ``null``: may it be null. ``plain``: the class of
    values that ``judge`` takes as they are."""

    __slots__ = ("judge", "null", "plain", "since", "until")

    def __init__(
        self,
        judge: Judge,
        since: Bound | None = None,
        until: tuple[tuple[int, int], tuple[int, int]] | None = None,
        *,
        null: bool = False,
    ) -> None:
        self.judge = judge
        self.plain = judge.plain if isinstance(judge, OfType) else None
        self.since = since
        self.until = until
        self.null = null

    def known_to(self, release: RayRelease) -> bool:
        return (self.since is None or release.reached(self.since)) and not self.gone_from(release)

    def gone_from(self, release: RayRelease) -> bool:
        # Seen early, a change of an uncertain date brings new keys and keeps the old ones: nothing is dropped.
        if self.until is None:
            return False
        last, first = self.until
        return release.version >= first or (release.version > last and not release.early)


class Reading:
    """One reading of a configuration by one release; ``faults`` is what it found, ``applications`` what it took.
    A class that was read says under the key ``""`` where it stands."""

    def __init__(self, release: RayRelease) -> None:
        self.release = release
        self.faults: list[Fault] = []
        self.applications: list[dict[str, Any]] = []

    def refuse(self, path: Path, message: str, fix: str, *, kind: str = REFUSED, on_key: bool = False) -> None:
        self.faults.append(Fault(kind, path, message, fix, on_key=on_key))

    def take(self, read: Read, value: object, path: Path) -> Any:
        """The value as Serve takes it; None where it does not."""
        try:
            return read(value, self.release)
        except WrongTypeError as wrong:
            # Nobody covers a password that is a number.
            shown = "a number" if path and str(path[-1]).endswith("password") else written(value)
            self.refuse(
                path,
                f"{called(path)} is {shown}, not {wrong}",
                f"give {called(path)} a value that is {wrong}",
            )
            return None

    def model(self, value: object, path: Path, keys: dict[str, Key], *, closed: bool = False) -> dict[str, Any]:
        """What was accepted, by key. ``closed``: a key that is not known is refused, not dropped."""
        data = value if value.__class__ is dict else self.take(mapping, value, path)
        known = self._known(keys)
        taken: dict[str, Any] = {}
        for name, item in (data or {}).items():
            key = known.get(name)
            if key is None:
                self._unknown((*path, name), known, closed=closed)
            elif item.__class__ is key.plain:
                taken[name] = item
            elif item is not None:
                found = key.judge(self, item, (*path, name))
                if found is not None:
                    taken[name] = found
            elif key.null:
                taken[name] = None
            else:
                here = (*path, name)
                self.refuse(here, f"{called(here)} is null", f"leave {called(here)} out, or write a value")
        return taken

    def _known(self, keys: dict[str, Key]) -> dict[str, Key]:
        """Those that the release knows."""
        release = self.release
        known = release.known.get(id(keys))
        if known is None:
            known = release.known[id(keys)] = {name: key for name, key in keys.items() if key.known_to(release)}
        return known

    def _unknown(self, path: Path, known: dict[str, Key], *, closed: bool) -> None:
        if not closed:
            self.faults.append(Fault(DROPPED, path, "", "", on_key=True))
            return
        message = f"{called(path)} is no key of {called(path[:-1])}"
        self.refuse(path, message, f"use one of {', '.join(known)}", on_key=True)

    def require(self, taken: dict[str, Any], value: object, name: str, path: Path) -> None:
        """The key must be written, whatever its value."""
        if isinstance(value, dict) and name not in value and name not in taken:
            self.refuse(path, f"{called(path)} has no {name}", f"write {name} there")


def called(path: Path) -> str:
    """What a message calls the place: its key, and the number of an item."""
    if not path:
        return "the configuration"
    last = path[-1]
    if isinstance(last, int):
        return f"{path[-2]}[{last}]"
    return last if last[:1].islower() else f"the key {last}"


def at_least(read: Read, least: float, most: float | None = None, *, above: bool = False) -> Judge:
    """A number from ``least``, or above it, to ``most``."""
    bounds = (f"above {least:g}" if above else f"{least:g} or more") + (
        "" if most is None else f", at most {most:g}"
    )

    plain = int if read is whole else float

    def judge(reading: Reading, value: Any, path: Path) -> Any:
        found = value if value.__class__ is plain else reading.take(read, value, path)
        if found is None:
            return None
        enough = found > least if above else found >= least
        if enough and (most is None or found <= most):
            return found
        reading.refuse(
            path,
            f"{called(path)} is {written(value)}; it must be {bounds}",
            f"give {called(path)} a value of {bounds}",
        )
        return None

    return judge


def one_of(*allowed: str) -> Judge:
    """Exactly one of these words."""

    def judge(reading: Reading, value: object, path: Path) -> Any:
        if isinstance(value, str) and value in allowed:
            return value
        choice = f"{', '.join(allowed[:-1])} or {allowed[-1]}"
        reading.refuse(path, f"{called(path)} is {written(value)}, not {choice}", f"write one of {choice}")
        return None

    return judge


def nested(keys: dict[str, Key], *, closed: bool = False) -> Judge:
    """A map with keys of its own."""
    return lambda reading, value, path: reading.model(value, path, keys, closed=closed)


def items_of(judge: Judge) -> Judge:
    """A list of such values; an item that is refused is left out."""

    def judge_all(reading: Reading, value: object, path: Path) -> Any:
        found = value if value.__class__ is list else reading.take(sequence, value, path)
        if found is None:
            return None
        taken = []
        for index, item in enumerate(found):
            here = (*path, index)
            if item is None:
                reading.refuse(here, f"{called(here)} is null", "remove the empty item")
                continue
            result = judge(reading, item, here)
            if result is not None:
                taken.append(result)
        return taken

    return judge_all


TEXT = OfType(text, str)
FLAG = OfType(flag, bool)
MAP = OfType(mapping, dict)
WHOLE = OfType(whole, int)
NUMBER = OfType(number, float)
