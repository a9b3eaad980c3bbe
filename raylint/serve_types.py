"""The types of a Serve configuration, as pydantic reads them: version 1 up to Ray 2.51, version 2 in Ray 2.60.

Version 1 turns numbers into text and cuts fractions off; version 2 refuses both. Each reader returns what Serve
makes of a value from JSON, or raises WrongTypeError.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from raylint.ray_release import RayRelease

__all__ = ["WrongTypeError", "flag", "mapping", "number", "sequence", "text", "whole", "written"]

_TRUE = frozenset({"1", "on", "t", "true", "y", "yes"})
_FALSE = frozenset({"0", "off", "f", "false", "n", "no"})
_SHOWN = 40


class WrongTypeError(Exception):
    """What the value must be."""


def written(value: object) -> str:
    """A value as a message quotes it."""
    if isinstance(value, dict):
        return "a map"
    if isinstance(value, list):
        return "a list"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    shown = f'"{_without_credentials(value)}"' if isinstance(value, str) else str(value)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."


def _without_credentials(uri: str) -> str:
    """Cut to its beginning, an address would show a password that nobody finds in it any more."""
    scheme, sign, rest = uri.partition("://")
    return f"{scheme}://***@{rest.rpartition('@')[2]}" if sign and "@" in rest else uri


def text(value: object, release: RayRelease) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)) and not release.strict:
        return str(value)
    raise WrongTypeError("text")


def whole(value: object, release: RayRelease) -> int:
    if isinstance(value, float) and not (release.strict and not value.is_integer()):
        return int(value)
    if isinstance(value, (int, str)):
        try:
            return int(value)
        except ValueError:
            if release.strict and isinstance(value, str) and value.strip().rstrip("0").endswith("."):
                return whole(value.strip().rstrip("0")[:-1], release)
    raise WrongTypeError("a whole number")


def strictly_whole(value: object, release: RayRelease) -> int:
    """A whole number that is written as one; no release takes anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise WrongTypeError("a whole number")


def number(value: object, release: RayRelease) -> float:
    if isinstance(value, (int, float, str)):
        try:
            return float(value)
        except (ValueError, OverflowError):
            pass
    raise WrongTypeError("a number")


def flag(value: object, release: RayRelease) -> bool:
    if isinstance(value, (bool, int, float)) and value in (0, 1):
        return bool(value)
    if isinstance(value, str) and value.lower() in _TRUE | _FALSE:
        return value.lower() in _TRUE
    raise WrongTypeError("true or false")


def mapping(value: object, release: RayRelease) -> dict[Any, Any]:
    """Version 1 also takes what Python's ``dict`` can make one of, such as an empty list."""
    if isinstance(value, dict):
        return value
    if not release.strict and isinstance(value, (str, list)):
        pairs: Any = value
        try:
            return {str(key): item for key, item in dict(pairs).items()}
        except (TypeError, ValueError):
            pass
    raise WrongTypeError("a map")


def sequence(value: object, release: RayRelease) -> list[Any]:
    if isinstance(value, list):
        return value
    raise WrongTypeError("a list")
