"""Regular expressions that are compiled when they are first used.

Compiling the patterns of all modules takes a fifth of the time in which a file is to be linted, and most runs use
few of them.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["pattern"]


# Not looked up when it is called: `raylint/pyyaml.py` puts another function in its place for a while.
_compile = re.compile


class _Deferred:
    """A pattern that compiles itself when something of it is asked for."""

    def __init__(self, source: str | bytes, flags: int = 0) -> None:
        self._source = source
        self._flags = flags

    def match(self, *arguments: Any) -> object:
        """Written out, because json takes the bare method as a default value when it is imported."""
        found = self.__dict__.get("match") or self.__getattr__("match")
        return found(*arguments)

    def __getattr__(self, name: str) -> Any:
        found = getattr(_compile(self._source, self._flags), name)
        # The next call finds it without coming here.
        self.__dict__[name] = found
        return found


if TYPE_CHECKING:
    pattern = re.compile
else:
    pattern = _Deferred
