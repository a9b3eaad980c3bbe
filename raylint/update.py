"""Updates: an object before and after a change, for rules on what a change does not bring about.

Where files are linted there is no object from before, and no rule on updates is run or imported. Admission has
both, and so has ``--diff-base``.
"""

from __future__ import annotations

from raylint.field import View
from raylint.manifest import RayClusterObject, RayJob, RayObject, RayService, objects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from raylint.document import Document
    from raylint.finding import Path
    from raylint.target import Target

__all__ = ["VIEWS", "ClusterUpdate", "JobUpdate", "ServiceUpdate", "Update", "changes", "updates"]


class Update(View):
    """A change of one object: the view is of the object as it will be, ``old`` is what it was. Both are as the
    operator reads them."""

    def __init__(self, old: RayObject, new: RayObject) -> None:
        super().__init__(new.document, new.path, new.data)
        self.old = old
        self.new = new

    @property
    def while_suspended(self) -> bool:
        """Are there no pods before or after it, so that all of it comes into force when they are made?"""
        return self.old.spec.data.get("suspend") is True or self.new.spec.data.get("suspend") is True


class ClusterUpdate(Update):
    """Of a RayCluster."""


class JobUpdate(Update):
    """Of a RayJob."""


class ServiceUpdate(Update):
    """Of a RayService."""


_OF_KIND: dict[type[RayObject], type[Update]] = {
    RayClusterObject: ClusterUpdate,
    RayJob: JobUpdate,
    RayService: ServiceUpdate,
}
_NOTHING: tuple[object, ...] = (None, {}, [])
# The views by their names, as rules ask for them.
VIEWS = {view.__name__: view for view in _OF_KIND.values()}


def updates(before: Iterable[Document], after: Iterable[Document], target: Target) -> Iterator[Update]:
    """The changes of objects that are there before and after, matched by kind, namespace and name. A name that is
    there twice tells nothing of which is which."""
    old = _by_name(before, target)
    for name, new in _by_name(after, target).items():
        was = old.get(name)
        view = _OF_KIND.get(type(new))
        if view is None or was is None or was.data == new.data:
            continue
        read_before, read = was.as_operator_reads_it(), new.as_operator_reads_it()
        if read_before is not None and read is not None:
            yield view(read_before, read)


def _by_name(documents: Iterable[Document], target: Target) -> dict[tuple[str, str, str], RayObject]:
    found: dict[tuple[str, str, str], RayObject] = {}
    twice = set()
    for document in documents:
        for one in objects(document, target):
            if isinstance(one, RayObject):
                name = one.kind, one.ref.namespace, one.ref.name
                if name in found:
                    twice.add(name)
                found[name] = one
    return {name: one for name, one in found.items() if name not in twice and name[2]}


def changes(old: object, new: object, path: Path = ()) -> Iterator[Path]:
    """Where two values differ, as paths in the new one: as deep as both have mappings and lists. For what is gone
    the path is that of what it was in. A null, an empty mapping and an empty list are as good as nothing; items of
    lists go by their names, where they have any."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys((*new, *old)):
            was, now = old.get(key), new.get(key)
            if was in _NOTHING and now in _NOTHING:
                continue
            if now is None:
                yield path
            else:
                yield from changes(was, now, (*path, key))
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield path
            return
        before, after = _named(old), _named(new)
        if before is not None and after is not None and before.keys() == after.keys():
            old = [before[name] for name in after]
        for number, (was, now) in enumerate(zip(old, new, strict=True)):
            yield from changes(was, now, (*path, number))
    elif old != new:
        yield path


def _named(items: list[object]) -> dict[str, object] | None:
    """The items by their names; None where one has none, or two have the same."""
    found: dict[str, object] = {}
    for item in items:
        name = item.get("name") if isinstance(item, dict) else None
        if not isinstance(name, str) or name in found:
            return None
        found[name] = item
    return found
