"""What is mounted in the Ray container, and which volume is behind it."""

from __future__ import annotations

from functools import lru_cache

from raylint.field import View, is_template

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.finding import Path
    from raylint.group import Group
    from raylint.pod import Pod

__all__ = ["RAY_FILES", "SHM", "Mount", "mount_at", "mounts"]

# Where Ray keeps its sessions, and where its object store.
RAY_FILES = "/tmp/ray"
SHM = "/dev/shm"


class Mount:
    """A mount of the Ray container. ``path`` is without a slash at its end."""

    __slots__ = ("_at", "_item", "_pod", "path")

    def __init__(self, at: Path, item: object, path: str, pod: Pod) -> None:
        self._at = at
        self._item = item
        self.path = path
        self._pod = pod

    @property
    def view(self) -> View:
        return View(self._pod.document, self._at, self._item)

    @property
    def volume(self) -> View | None:
        """None where the pod has no volume of that name (a volume claim template's, or none at all)."""
        wanted = self.view.string("name").value
        for path, item in self._pod.parts("volumes") if wanted else ():
            if isinstance(item, dict) and item.get("name") == wanted:
                return View(self._pod.document, path, item)
        return None


# Several rules ask for the same group, one after the other.
@lru_cache(maxsize=4)
def mounts(group: Group) -> tuple[Mount, ...]:
    """What the Ray container mounts, with the volumes of the pod."""
    return tuple(_mounts(group))


def _mounts(group: Group) -> Iterator[Mount]:
    pod, container = group.pod, group.ray_container
    for path, item in container.parts("volumeMounts"):
        where = item.get("mountPath") if isinstance(item, dict) else None
        if isinstance(where, str) and where and not is_template(where):
            yield Mount(path, item, where.rstrip("/") or "/", pod)


def mount_at(group: Group, path: str) -> Mount | None:
    """What the Ray container mounts at exactly this path."""
    for mount in mounts(group):
        if mount.path == path:
            return mount
    return None
