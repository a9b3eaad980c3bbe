"""The words of the Ray container's own command, and whether KubeRay leaves them alone."""

from __future__ import annotations

from raylint.field import Field, Origin
from raylint.rule import Location

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.group import Group

__all__ = ["GENERATED", "OVERWRITE", "START", "is_overwritten", "joined", "last_word"]

OVERWRITE = "ray.io/overwrite-container-cmd"
GENERATED = "KUBERAY_GEN_RAY_START_CMD"
START = "ray start"


def words(group: Group) -> tuple[str, ...]:
    container = group.ray_container
    return (*container.strings("command"), *container.strings("args"))


def last_word(group: Group) -> Field[str]:
    """The last of the container's words: bash's complaint, or the wait, is about it."""
    container = group.ray_container
    key = "args" if container.strings("args") else "command"
    paths = [path for path, _ in container.parts(key)]
    return Field(None, Origin.WRITTEN, Location(container.document, paths[-1] if paths else container.path))


def is_overwritten(group: Group) -> bool:
    """Does an annotation make KubeRay leave the command alone (1.1 and later)?"""
    if not group.cluster.target.kuberay_at_least(1, 1):
        return False
    places = (group.cluster.annotations, group.template.annotations)
    return any((place.string(OVERWRITE).value or "").lower() == "true" for place in places)


def joined(group: Group) -> str:
    """The words as KubeRay joins them."""
    return "".join(f" {word} " for word in words(group))
