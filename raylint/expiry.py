"""Days until which something is accepted: ``2027-03-31`` counts through that day, in UTC."""

from __future__ import annotations

import time

__all__ = ["days_until", "has_passed", "is_day", "today"]


def is_day(text: str) -> bool:
    """Is it a day of the calendar, written as ``2027-03-31``?"""
    if len(text) != 10 or not text.isascii():
        return False
    from datetime import date  # few things expire

    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def today() -> str:
    return time.strftime("%Y-%m-%d", time.gmtime())


def has_passed(until: str) -> bool:
    """Is the day over? Never for an empty text, which is no day."""
    return bool(until) and until < today()


def days_until(until: str) -> int:
    from datetime import date

    return (date.fromisoformat(until) - date.fromisoformat(today())).days
