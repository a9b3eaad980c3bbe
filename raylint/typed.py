"""``Generic`` and ``Enum`` for the type checker: at run time something lighter stands in for them. Importing
``typing`` costs 5 ms of a cold start's 45, and making an ``Enum`` takes as long as importing four modules."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from enum import Enum as Enum
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

    class Enum:
        """Stands in for ``enum.Enum``: the texts of a class become its members, each one object with a name and a
        value. They can be neither counted nor looked up."""

        __slots__ = ("name", "value")

        def __init_subclass__(cls):
            for name, value in [*vars(cls).items()]:
                if name.isupper():
                    member = object.__new__(cls)
                    member.name, member.value = name, value
                    setattr(cls, name, member)

        def __repr__(self):
            return f"{type(self).__name__}.{self.name}"

        def __reduce__(self):
            return getattr, (type(self), self.name)


__all__ = ["Enum", "Generic", "T"]
