"""Ray's settings in the environment: what reads a name, and what a value does to the processes that read it.

Facts: ``src/ray/common/ray_config.h`` (every setting ``x`` of the core is read from ``RAY_x``, in this very
spelling), ``python/ray/_private/ray_constants.py``; values tried on Ray 2.9.3, 2.40.0, 2.51.1 and 2.60.0.
"""

from __future__ import annotations

from functools import lru_cache

from raylint.patterns import pattern
from raylint.ray_settings_table import OBSOLETE, SETTINGS, SINCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from raylint.target import Version

__all__ = ["PREFIX", "Setting", "is_obsolete", "meant", "setting"]

PREFIX: Final = "RAY_"
# The releases that the table was read off.
_RELEASES = ((2, 9), (2, 40), (2, 51), (2, 60))
# Older releases were not looked at.
_OLDEST = (2, 7)

# What the core's streams take for a number; anything left over ends the process. Blanks before it do no harm.
_INTEGER = pattern(r"\s*[+-]?[0-9]+\Z")
_FLOAT = pattern(r"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z")
# Edits between a name and the one that was meant.
_MOST_EDITS = 2
_SHORTEST = 8
# Letters at an end of a name that tell whether it is worth a closer look.
_END = 5


class Setting:
    """One setting. ``name`` is without the prefix; ``kind`` as in the table."""

    __slots__ = ("_read", "kind", "name")

    def __init__(self, name: str, kind: str, read: str) -> None:
        self.name = name
        self.kind = kind
        self._read = read

    @property
    def variable(self) -> str:
        return PREFIX + self.name

    @property
    def of_core(self) -> bool:
        """Do the core's processes read it, GCS, raylet and workers?"""
        return self.kind in ("bool", "int", "float", "text")

    @property
    def since(self) -> Version | None:
        """The first release that reads it, as far as that is known."""
        return SINCE.get(self.name)

    def is_read_by(self, ray: Version | None) -> bool | None:
        """Does this release read it? None: not known. Without a release: do all of them, or none?"""
        if ray is None:
            found = set(self._read)
            return None if len(found) > 1 else found == {"1"}
        line = ray[:2]
        if self.since is not None:
            return line >= self.since
        before = [read for release, read in zip(_RELEASES, self._read, strict=True) if release <= line]
        after = [read for release, read in zip(_RELEASES, self._read, strict=True) if release >= line]
        if not after:
            # Newer than the table: a name may have come, none is likely to have gone.
            return True if before[-1] == "1" else None
        if not before:
            return True if after[0] == "1" and line >= _OLDEST else None
        return before[-1] == "1" if before[-1] == after[0] else None

    def ends_processes(self, value: str) -> bool:
        """Is it a number to the core that does not parse completely? Then every process ends as it starts."""
        if self.kind == "int":
            return not (value.isascii() and value.isdecimal()) and _INTEGER.match(value) is None
        return self.kind == "float" and _FLOAT.match(value) is None

    def falls_back(self, value: str) -> bool:
        """Does the Python package warn and use its default instead?"""
        if self.kind not in ("pyint", "pyfloat"):
            return False
        try:
            int(value) if self.kind == "pyint" else float(value)
        except ValueError:
            return True
        return False

    def is_unexpectedly_off(self, value: str) -> bool:
        """Does the value look like on and mean off?"""
        if self.kind == "one":
            return value != "1" and value.strip().lower() in ("1", "true", "yes", "on", "y", "t", "enabled")
        if self.kind not in ("bool", "pybool"):
            return False
        text = value.strip().lower()
        return text in ("yes", "on", "y", "t", "enable", "enabled") or (
            value != text and value.lower() not in ("1", "true") and text in ("1", "true")
        )


@lru_cache(maxsize=1)
def _settings() -> dict[str, Setting]:
    return {name: Setting(name, kind, read) for kind, read, names in SETTINGS for name in names.split()}


@lru_cache(maxsize=1)
def _folded() -> dict[str, Setting]:
    """The settings by their names in one letter case."""
    return {name.lower(): setting for name, setting in _settings().items()}


def setting(variable: str) -> Setting | None:
    """The setting that a variable sets, in exactly this spelling."""
    return _settings().get(variable[len(PREFIX) :]) if variable.startswith(PREFIX) else None


def is_obsolete(variable: str) -> bool:
    """A name of the past that nothing reads any more?"""
    return variable.startswith(PREFIX) and variable[len(PREFIX) :] in OBSOLETE


@lru_cache(maxsize=256)
def meant(variable: str) -> Setting | None:
    """The setting that was meant by a variable that nothing reads: another letter case, a missing prefix, a name
    that differs in two letters or in an end. None where that is not certain.

    Names in capitals are left alone: the Python package and libraries read many more of them than the table has.
    """
    if setting(variable) is not None:
        return None
    prefixed = variable[: len(PREFIX)].upper() == PREFIX
    rest = variable[len(PREFIX) :] if prefixed else variable
    found = _folded().get(rest.lower())
    if found is not None:
        # A plain word without the prefix may be anybody's variable.
        return found if prefixed or (found.of_core and rest == rest.lower() and rest.count("_") > 1) else None
    if not prefixed or rest != rest.lower() or len(rest) < _SHORTEST:
        return None
    return _nearest(rest)


@lru_cache(maxsize=1)
def _by_ends() -> dict[str, list[Setting]]:
    """The settings of the core by the letters that their names begin with, and by those that they end in."""
    found: dict[str, list[Setting]] = {}
    for setting in _settings().values():
        if setting.of_core:
            for end in ("^" + setting.name[:_END], setting.name[-_END:] + "$"):
                found.setdefault(end, []).append(setting)
    return found


def _nearest(name: str) -> Setting | None:
    """The one setting of the core that is closest, if it is close enough."""
    from raylint.schema_hints import distance  # few manifests write a name that is not known

    best: set[Setting] = set()
    least = _MOST_EDITS + 1
    # Comparing all of them letter by letter takes milliseconds; a slip seldom hits both ends of a name.
    ends = _by_ends()
    for candidate in (*ends.get("^" + name[:_END], ()), *ends.get(name[-_END:] + "$", ())):
        edits = distance(name, candidate.name, least)
        if _differs_in_end(name, candidate.name):
            edits = min(edits, _MOST_EDITS)
        if edits < least:
            best, least = {candidate}, edits
        elif edits == least <= _MOST_EDITS:
            best.add(candidate)
    return best.pop() if len(best) == 1 else None


def _differs_in_end(name: str, other: str) -> bool:
    """``..._ms`` for ``..._s``, ``..._milliseconds`` for ``..._ms``, or the unit left out."""
    units = ("", "_s", "_ms", "_seconds", "_milliseconds", "_bytes")
    stem, unit = _split(name, units)
    other_stem, other_unit = _split(other, units)
    return stem == other_stem and unit != other_unit


def _split(name: str, units: tuple[str, ...]) -> tuple[str, str]:
    unit = max((unit for unit in units if name.endswith(unit)), key=len)
    return name[: len(name) - len(unit)], unit
