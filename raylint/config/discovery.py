"""Which configuration file a folder has: the nearest one upwards, not above the root of the repository."""

from __future__ import annotations

import os

from raylint.errors import UsageError
from raylint.patterns import pattern

__all__ = ["NAME", "PYPROJECT", "TABLE", "nearest"]

NAME = ".raylint.yaml"
PYPROJECT = "pyproject.toml"
TABLE = b"tool.raylint"
_MISNAMED = ".raylint.yml"
_LARGEST = 1 << 20

_HEADER = pattern(rb"(?:\xef\xbb\xbf)?\s*\[\[?\s*tool\.raylint\b")
_known: dict[str, str | None] = {}


def nearest(folder: str) -> str | None:
    """The configuration file for what lies in ``folder``. UsageError: a folder holds two.

    The answer is kept: a run asks for the folder of every file.
    """
    try:
        start = os.path.abspath(folder)
    except OSError:
        # The working directory is gone.
        return None
    if start not in _known:
        _known[start] = _search(start)
    return _known[start]


def _search(folder: str) -> str | None:
    while True:
        file = _of(folder)
        if file:
            return file
        above = os.path.dirname(folder)
        if above == folder or os.path.lexists(os.path.join(folder, ".git")):
            return None
        folder = above


def _of(folder: str) -> str | None:
    own = os.path.join(folder, NAME)
    project = os.path.join(folder, PYPROJECT)
    shared = os.path.isfile(project) and _has_table(project)
    # A folder, a pipe or a link to nowhere of this name counts too: whoever reads it is told.
    if not os.path.lexists(own):
        if os.path.lexists(os.path.join(folder, _MISNAMED)):
            raise UsageError(f"{os.path.relpath(os.path.join(folder, _MISNAMED))} is not read: call it {NAME}")
        return project if shared else None
    if shared:
        raise UsageError(
            f"two configurations in one folder: {os.path.relpath(own)} and [tool.raylint] of"
            f" {os.path.relpath(project)}; remove one of them"
        )
    return own


def _has_table(project: str) -> bool:
    try:
        with open(project, "rb") as stream:
            raw = stream.read(_LARGEST)
    except OSError:
        # If it matters, whoever built the project is told by others.
        return False
    if TABLE not in raw:
        return False
    return any(_HEADER.match(line) for line in raw.splitlines())
