"""Where a report's readers look for a file: relative to the checkout, not to the working directory."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Folders"]

# The checkout of a CI job, where the service names it.
_CHECKOUTS = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")


class Folders:
    """Paths as the services want them: with ``/``, relative to the checkout, symbolic links followed."""

    __slots__ = ("_known", "_root")

    def __init__(self, environ: Mapping[str, str], here: str | None = None) -> None:
        """``environ``: GITHUB_WORKSPACE or CI_PROJECT_DIR name the checkout; without them it is the repository
        around ``here`` (the working directory), or that folder itself."""
        folder = os.path.realpath(here or os.getcwd())
        named = [os.path.realpath(environ[name]) for name in _CHECKOUTS if environ.get(name)]
        self._root = next((root for root in named if _inside(folder, root)), None) or _repository(folder)
        self._known: dict[str, str | None] = {}

    def relative(self, file: str) -> str | None:
        """The path below the checkout; None for what lies outside of it."""
        if file not in self._known:
            whole = os.path.realpath(file)
            inside = _inside(whole, self._root)
            self._known[file] = os.path.relpath(whole, self._root).replace(os.sep, "/") if inside else None
        return self._known[file]

    def whole(self, file: str) -> str:
        """The absolute path."""
        return os.path.realpath(file).replace(os.sep, "/")

    def path(self, file: str) -> str:
        """The path below the checkout, and as it was given for what lies outside of it."""
        return self.relative(file) or file.replace(os.sep, "/")


def _inside(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def _repository(folder: str) -> str:
    root = folder
    while not os.path.exists(os.path.join(root, ".git")):
        parent = os.path.dirname(root)
        if parent == root:
            return folder
        root = parent
    return root
