"""JSON types, formats and patterns as the API server (written in Go) understands them."""

from __future__ import annotations

import re
from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "FORMATS",
    "INTEGER_RANGES",
    "compile_pattern",
    "is_date_time",
    "is_integral",
    "is_rfc3339",
    "json_type",
    "matches",
]

INTEGER_RANGES = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}
# Beyond this a float no longer counts as a whole number (kube-openapi, swag.IsFloat64AJSONInteger).
_LARGEST_WHOLE_FLOAT = 2**53 - 1

# Compiled when they are used: few manifests hold a time.
_RFC3339 = (
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{1,2}):([0-9]{2}):([0-9]{2})([.,][0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})\Z"
)
_DATE_TIME = r"[0-9]{4}-[0-9]{2}-[0-9]{2}t([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))\Z"
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def json_type(value: object) -> str:
    """The server's name of a value's type. A whole float is an integer; an integer that does not fit into 64 bits
    is a number, because the server reads it as a float."""
    if isinstance(value, str):
        return "string"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "integer" if is_integral(value) else "number"
    if isinstance(value, dict):
        return "object"
    return "array" if isinstance(value, list) else "null"


def is_integral(value: object) -> bool:
    """Is it an integer to the server? ``1.0`` is, ``true`` and 2**63 are not."""
    if value.__class__ is int:
        assert isinstance(value, int)
        return -(2**63) <= value < 2**63
    if isinstance(value, float):
        return value.is_integer() and abs(value) <= _LARGEST_WHOLE_FLOAT
    return False


def is_rfc3339(text: str) -> bool:
    """Would Go's ``time.Parse(time.RFC3339, text)`` read it?"""
    match = re.match(_RFC3339, text)
    if match is None:
        return False
    year, month, day, hour, minute, second = (int(match[number]) for number in range(1, 7))
    return hour < 24 and minute < 60 and second < 60 and _is_date(year, month, day)


def is_date_time(text: str) -> bool:
    """The format ``date-time`` of kube-openapi (``strfmt.IsDateTime``): laxer than RFC 3339."""
    match = re.match(_DATE_TIME, text.lower())
    if match is None or match[1] > "23" or match[2] > "59" or match[3] > "59":
        return False
    return _is_date(int(text[:4]), int(text[5:7]), int(text[8:10]))


def _is_date(year: int, month: int, day: int) -> bool:
    if not 1 <= month <= 12 or not 1 <= day <= _DAYS[month - 1]:
        return False
    return (month, day) != (2, 29) or (year % 4 == 0 and (year % 100 != 0 or year % 400 == 0))


# The formats of strings that are checked. KubeRay's CRDs use no other.
FORMATS: dict[str, Callable[[str], bool]] = {"date-time": is_date_time}


# The one pattern that most manifests meet: that of quantities, as controller-gen writes it.
_QUANTITY = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
    r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)
# The patterns of KubeRay's own CRDs, of which it is known that they take no time that grows faster than a text.
_KNOWN = frozenset(
    (
        _QUANTITY,
        r"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
        r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
    )
)
# Ways to match that Python is let try, which takes it a second at the worst.
_MOST_WAYS = 10_000_000
_SIGN = r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|(\)[*+{])|([*+{])|([?|])"
_SUFFIXES = frozenset(("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", *"numkMGTPE"))


def matches(pattern: str, text: str) -> bool:
    """Does a pattern of the schema match somewhere in a text? One that Python does not read always does, and one
    that it may take very long for: they are left to the server."""
    if pattern == _QUANTITY:
        # Nearly all quantities; the pattern takes a millisecond to compile.
        digits = text.rstrip("numkKMGTPEi")
        if digits.isdecimal() and digits.isascii() and text[len(digits) :] in _SUFFIXES:
            return True
    if pattern not in _KNOWN and _ways(pattern, text) > _MOST_WAYS:
        return True
    compiled = compile_pattern(pattern)
    return compiled is None or compiled.search(text) is not None


def _ways(pattern: str, text: str) -> int:
    """A bound of the ways that a search tries: the server's matcher never goes back, Python's does.

    Each repetition of a character may end anywhere, each ``?`` and each ``|`` doubles the ways. What a repeated
    group may do is beyond counting.
    """
    groups, repetitions, choices = _signs(pattern)
    if groups:
        return _MOST_WAYS + 1
    return int((len(text) + 1) ** min(repetitions + 1, 9) << min(choices, 30))


@lru_cache(maxsize=64)
def _signs(pattern: str) -> tuple[int, int, int]:
    """How many repeated groups, repetitions and choices there are in a pattern."""
    found = [match.lastindex for match in re.finditer(_SIGN, pattern, re.DOTALL)]
    return found.count(1), found.count(2), found.count(3)


# Classes such as [[:alpha:]], and what Python means to give a meaning of its own inside brackets.
_READ_DIFFERENTLY = ("[[", "[:", "--", "&&", "~~", "||")


@lru_cache(maxsize=64)
def compile_pattern(pattern: str) -> re.Pattern[str] | None:
    """A pattern of the schema, searched as Go does: ``$`` is the end of the text and not also before a last line
    break. None: it is written in a way that Python does not read, so it is left to the server."""
    if any(sign in pattern for sign in _READ_DIFFERENTLY):
        return None
    try:
        return re.compile(_at_the_end(pattern), re.ASCII)
    except (re.error, OverflowError, RecursionError):
        return None


def _at_the_end(pattern: str) -> str:
    """Write ``\\Z`` for each ``$`` that is not escaped and not inside brackets."""
    parts: list[str] = []
    in_class = False
    at = 0
    while at < len(pattern):
        sign = pattern[at]
        if sign == "\\":
            sign = pattern[at : at + 2]
        elif sign == "[" and not in_class:
            in_class = True
        elif sign == "]" and in_class and pattern[at - 1] not in "[^":
            in_class = False
        parts.append("\\Z" if sign == "$" and not in_class else sign)
        at += max(len(sign), 1)
    return "".join(parts)
