"""A deadline that ends the work, not only the waiting for it.

A rule that never ends would hold the event loop, and with it every other request. The work runs in the main
thread, where a signal interrupts it: between two bytecodes, and inside Python's own regular expressions.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

__all__ = ["Deadline", "DeadlineError"]

Result = TypeVar("Result")


class DeadlineError(BaseException):
    """The work took longer than it was given. No Exception: what catches those must not catch this."""


class Deadline:
    """One for the process: there is one timer. To be used in the main thread alone."""

    def __init__(self) -> None:
        self._armed = False
        signal.signal(signal.SIGALRM, self._ring)

    def within(self, seconds: float, work: Callable[[], Result]) -> Result:
        """DeadlineError: the work was ended after ``seconds``."""
        if seconds <= 0:
            raise DeadlineError
        self._armed = True
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            return work()
        finally:
            self._armed = False
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        # What rings after the work is done must not hit whatever runs then.
        if self._armed:
            raise DeadlineError
