"""How far a long run has come: a line on the terminal of whoever waits, which is gone in the end."""

from __future__ import annotations

import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TextIO

    from raylint.source import Source

__all__ = ["progress"]

# Seconds before the first line, and between two.
_PATIENCE = 1.0
_PAUSE = 0.2


def progress(sources: Iterable[Source], stream: TextIO | None = None) -> Iterator[Source]:
    """The same sources; the standard error, or ``stream``, tells how many have been read."""
    stream = sys.stderr if stream is None else stream
    due = time.monotonic() + _PATIENCE
    shown = False
    try:
        for number, source in enumerate(sources):
            if not number % 16 and time.monotonic() >= due:
                stream.write(f"\rraylint: {number} files")
                stream.flush()
                due = time.monotonic() + _PAUSE
                shown = True
            yield source
    finally:
        if shown:
            stream.write("\r\x1b[K")
            stream.flush()
