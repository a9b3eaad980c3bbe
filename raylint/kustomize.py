"""Kustomize: which files are patches and no objects of their own.

A patch names an object and holds what is to change in it. Judged alone it lacks everything else.
"""

from __future__ import annotations

import os
from functools import lru_cache

from raylint.reader import Unreadable, read_embedded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["LEVELS", "NAMES", "is_patch"]

# The names that Kustomize looks for (kustomize `api/konfig/general.go`).
NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
# So many folders above a file may the kustomization be that uses it.
LEVELS = 4
_LARGEST = 1 << 20


def is_patch(file: str) -> bool:
    """Does a kustomization in the file's folder, or close above it, list the file as a patch?"""
    if os.path.islink(file):
        file = os.path.realpath(file)
    if not os.path.isabs(file):
        file = os.path.join(os.getcwd(), file)
    folder, name = os.path.split(file)
    known, listed = _around(folder)
    return bool(listed) and os.path.join(known, name) in listed


@lru_cache(maxsize=256)
def _around(folder: str) -> tuple[str, frozenset[str]]:
    """The real path of a folder, and what the kustomizations in it and close above it list as patches: most files
    of a run are in few folders."""
    known = above = os.path.realpath(folder)
    listed: set[str] = set()
    for _ in range(LEVELS):
        for name in NAMES:
            listed |= _patches(os.path.join(above, name))
        above, below = os.path.dirname(above), above
        if above == below:
            break
    return known, frozenset(listed)


@lru_cache(maxsize=256)
def _patches(kustomization: str) -> frozenset[str]:
    """The files that a kustomization lists as patches; none where there is no such file or it cannot be read."""
    try:
        with open(kustomization, encoding="utf-8") as file:
            data = read_embedded(file.read(_LARGEST))
    except (OSError, ValueError, Unreadable):
        return frozenset()
    folder = os.path.dirname(kustomization)
    return frozenset(os.path.realpath(os.path.join(folder, name)) for name in _listed(data))


def _listed(data: object) -> Iterator[str]:
    for key in ("patches", "patchesStrategicMerge", "patchesJson6902"):
        entries = data.get(key) if isinstance(data, dict) else None
        for entry in entries if isinstance(entries, list) else ():
            name = entry.get("path") if isinstance(entry, dict) else entry
            # An inline patch has lines; a file's name has none.
            if isinstance(name, str) and name and "\n" not in name:
                yield name
