"""Durations and whole numbers as Go reads them (``time.ParseDuration`` and ``strconv.Atoi``, Go 1.24)."""

from __future__ import annotations

import re

__all__ = ["is_integer", "nanoseconds"]

_UNITS = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "μs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}
_PART = r"([0-9]*)(?:\.([0-9]*))?(ns|us|µs|μs|ms|s|m|h)"
_MOST = 2**63
# More digits cannot stand for a number of 64 bits, and Python takes long to read very many.
_LONGEST = 200


def nanoseconds(text: str) -> int | None:
    """``1h30m``, ``-1.5s``, ``0``: its length, cut to whole nanoseconds. None where it is no duration."""
    sign, digits = (text[0], text[1:]) if text[:1] in ("+", "-") else ("", text)
    if digits == "0":
        return 0
    if not digits or len(digits) > _LONGEST:
        return None
    total = end = 0
    for match in re.finditer(_PART, digits):
        whole, fraction, unit = match[1], match[2] or "", match[3]
        if match.start() != end or not (whole or fraction):
            return None
        end = match.end()
        total += int(whole or "0") * _UNITS[unit] + int(fraction or "0") * _UNITS[unit] // 10 ** len(fraction)
    if end != len(digits) or total > (_MOST if sign == "-" else _MOST - 1):
        return None
    return -total if sign == "-" else total


def is_integer(text: str) -> bool:
    """Does ``strconv.Atoi`` read it? An optional sign and digits, within 64 bits."""
    if not re.fullmatch(r"[+-]?[0-9]{1,200}", text):
        return False
    return -_MOST <= int(text) < _MOST
