"""``Generic`` for the type checker alone: importing ``typing`` at run time costs 5 ms of a cold start's 45."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Generic as Generic
    from typing import TypeVar

    T = TypeVar("T")
else:
    T = "T"

    class Generic:
        """Stands in for ``typing.Generic`` at run time, where type parameters mean nothing."""

        __slots__ = ()

        def __class_getitem__(cls, _parameters):
            return cls


__all__ = ["Generic", "T"]
