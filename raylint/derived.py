"""What views derive from their data: computed when it is first asked for, and kept in the view.

``functools.cached_property`` does the same. Up to Python 3.11 it takes a lock at every first question, and a
manifest is asked some forty: a view lives in one thread, so the lock buys nothing and takes longer than most of
what is derived.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from functools import cached_property
    from typing import Any
else:

    class Derived:
        """A property whose value replaces it in the instance."""

        def __init__(self, compute: Callable[[Any], Any]) -> None:
            self._compute = compute
            self._name = compute.__name__
            self.__doc__ = compute.__doc__

        def __get__(self, view: Any, owner: type | None = None) -> Any:
            if view is None:
                return self
            value = self._compute(view)
            # Not by the view's __dict__: Python makes that of a view only when somebody asks for it.
            setattr(view, self._name, value)
            return value

    cached_property = Derived


__all__ = ["cached_property"]
