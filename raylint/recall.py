"""Places in files that were let go of: a file is read again once a place in it is reported.

Of the facts that rules gather over a run, few are ever reported, and to resolve a place takes ten times as long as
to gather the fact.
"""

from __future__ import annotations

from raylint.finding import Place
from raylint.resolve import Gathered, owner_of
from raylint.rule import Location
from raylint.source import UnreadableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from raylint.finding import ObjectRef
    from raylint.resolve import Owners, Resolver

__all__ = ["Recall"]

# So many files are kept for what else is reported of them. Most findings lead to two.
_MOST_FILES = 8


class Recall(Gathered):
    """Resolves places of facts, wherever they were gathered. ``read`` gives the resolvers of a file's objects;
    KeyError: the file is none of the run's."""

    __slots__ = ("_files", "_read")

    def __init__(self, read: Callable[[str], Owners]) -> None:
        super().__init__()
        self._files: dict[str, Owners] = {}
        self._read = read

    def place(self, at: Location | Place, label: str = "") -> Place:
        return super().place(self._lasting(at), label)

    def identity(self, at: Location | Place) -> str:
        return super().identity(self._lasting(at))

    def ref(self, at: Location | Place, owner: ObjectRef | None) -> ObjectRef | None:
        if isinstance(at, Place):
            return owner
        resolver = self._resolver(at)
        return None if resolver is None else resolver.ref

    def _lasting(self, at: Location | Place) -> Place:
        if isinstance(at, Place):
            return at
        resolver = self._resolver(at)
        if resolver is None:
            # The file has changed since, and what of the path is secret is not known any more.
            return Place(at.document.file, at.document.index, (), None)
        return resolver.lasting(Location(resolver.document, at.path, on_key=at.on_key))

    def _resolver(self, at: Location) -> Resolver | None:
        file = at.document.file
        owners = self._files.get(file)
        if owners is None:
            try:
                owners = self._read(file)
            except UnreadableError:
                owners = {}
            if len(self._files) >= _MOST_FILES:
                del self._files[next(iter(self._files))]
            self._files[file] = owners
        return owner_of(owners, at.document.index, at.path)
