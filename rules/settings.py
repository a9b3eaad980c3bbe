"""The ``RAY_`` variables of a Ray container that count, for the rules on them."""

from __future__ import annotations

from raylint.target import version_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.group import Group
    from raylint.pod import EnvVar

__all__ = ["release", "settings", "short"]

_PREFIX = "RAY_"


def settings(group: Group) -> Iterator[tuple[EnvVar, str]]:
    """The entries of ``env`` that set one of Ray's variables and count, with their literal values."""
    if group.ray_data.get("env") is None or not group.cluster.is_built:
        return
    counted = {entry.name: entry for entry in group.ray_container.env_vars if entry.name.startswith(_PREFIX)}
    for entry in counted.values():
        value = entry.value.value
        if value is not None and "$(" not in value:
            yield entry, value


def release(group: Group) -> str:
    version = group.ray_version
    return f"Ray {version_text(version)}" if version is not None else "all Ray releases"


def short(value: str) -> str:
    return repr(value) if len(value) <= 60 else f"{value[:57]!r}..."
