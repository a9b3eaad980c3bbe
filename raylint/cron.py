"""Schedules as the operator reads them: robfig/cron v3, ``ParseStandard``.

Five fields, or a descriptor such as ``@daily`` or ``@every 1h``. Sunday is 0 and not 7; there is no ``L``, ``W``
or ``#``, and no ``@reboot``. ``TZ=`` and ``CRON_TZ=`` in front are read; KubeRay 1.7 refuses them before it asks.
"""

from __future__ import annotations

import re

from raylint.go_duration import nanoseconds
from raylint.time_zones import is_time_zone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["can_fire", "schedule_fault"]

_MONTHS = {name: number for number, name in enumerate(
    ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1
)}  # fmt: skip
_DAYS = {name: number for number, name in enumerate(("sun", "mon", "tue", "wed", "thu", "fri", "sat"))}
_FIELDS: tuple[tuple[str, int, int, Mapping[str, int]], ...] = (
    ("minute", 0, 59, {}),
    ("hour", 0, 23, {}),
    ("day of the month", 1, 31, {}),
    ("month", 1, 12, _MONTHS),
    ("day of the week", 0, 6, _DAYS),
)
_DESCRIPTORS = ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")
_EVERY = "@every "
_LONGEST_MONTH = {2: 29, 4: 30, 6: 30, 9: 30, 11: 30}
# Longer ones may not fit into 64 bits.
_MOST_DIGITS = 18
# What Go's unicode.IsSpace and strings.Fields take for blanks.
_BLANKS = "[\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+"


class _FaultError(Exception):
    """The schedule is refused; the text says why."""


def schedule_fault(text: str) -> str:
    """Why the operator refuses a schedule; ``""`` where it takes it."""
    try:
        _fields(text)
    except _FaultError as fault:
        return str(fault)
    return ""


def can_fire(text: str) -> bool:
    """Is there a day on which a schedule that the operator takes fires? ``0 0 31 2 *`` has none."""
    fields = _fields(text)
    if not fields:
        return True
    minutes, hours, days, months, weekdays = fields
    if not (minutes and hours and days and months and weekdays):
        return False
    # Where both are limited, one of the two is enough: some weekday comes in every month.
    if _is_limited(text, 2) and _is_limited(text, 4):
        return True
    return any(min(days) <= _LONGEST_MONTH.get(month, 31) for month in months)


def _is_limited(text: str, field: int) -> bool:
    return _split(text)[field][:1] not in ("*", "?")


def _split(text: str) -> list[str]:
    if text.isascii() and text.isprintable():
        # Nearly all: the only blank in them is the space.
        return text.split()
    return [part for part in re.split(_BLANKS, text) if part]


def _fields(text: str) -> list[set[int]]:
    """The values of the five fields; none for a descriptor."""
    if text.startswith(("TZ=", "CRON_TZ=")):
        zone, _, text = text.partition(" ")
        if not is_time_zone(zone.partition("=")[2]):
            raise _FaultError(f"there is no time zone {zone.partition('=')[2]!r}")
        text = text.strip()
    if not text:
        raise _FaultError("it is empty")
    if text.startswith("@"):
        if text in _DESCRIPTORS:
            return []
        if text.startswith(_EVERY) and nanoseconds(text[len(_EVERY) :]) is not None:
            return []
        if text.startswith(_EVERY):
            raise _FaultError(f"{text[len(_EVERY) :]!r} is no duration such as 1h30m")
        raise _FaultError(f"there is no descriptor {text!r}")
    parts = _split(text)
    if len(parts) != len(_FIELDS):
        raise _FaultError(f"it has {len(parts)} fields, not 5")
    return [_values(part, *field) for part, field in zip(parts, _FIELDS, strict=True)]


def _values(text: str, title: str, least: int, most: int, names: Mapping[str, int]) -> set[int]:
    found: set[int] = set()
    for part in text.split(","):
        if part:
            found |= _range(part, title, least, most, names)
    return found


def _range(text: str, title: str, least: int, most: int, names: Mapping[str, int]) -> set[int]:
    steps = text.split("/")
    ends = steps[0].split("-")
    if len(steps) > 2:
        raise _FaultError(f"{text!r} in the {title} has more than one slash")
    if ends[0] in ("*", "?"):
        low, high = least, most
    else:
        if len(ends) > 2:
            raise _FaultError(f"{text!r} in the {title} has more than one dash")
        low = high = _number(ends[0], title, names)
        if len(ends) == 2:
            high = _number(ends[1], title, names)
        elif len(steps) == 2:
            high = most
    step = _number(steps[1], title, {}) if len(steps) == 2 else 1
    if low < least or high > most:
        raise _FaultError(
            f"{text!r} in the {title} is outside {least} to {most}{_SUNDAY if title == _WEEKDAY else ''}"
        )
    if low > high:
        raise _FaultError(f"{text!r} in the {title} begins behind its end")
    if not step:
        raise _FaultError(f"{text!r} in the {title} has a step of 0")
    return set(range(low, high + 1, step))


_WEEKDAY = _FIELDS[4][0]
_SUNDAY = "; Sunday is 0"


def _number(text: str, title: str, names: Mapping[str, int]) -> int:
    number = names.get(text.lower())
    if number is not None:
        return number
    # Atoi takes a sign, and a plus changes nothing.
    is_plain = text.isdecimal() and text.isascii() and len(text) <= _MOST_DIGITS
    if not is_plain and not re.fullmatch(rf"\+?[0-9]{{1,{_MOST_DIGITS}}}|-0{{1,{_MOST_DIGITS}}}", text):
        raise _FaultError(f"{text!r} in the {title} is no number")
    return int(text)
