"""What git ignores, as git decides it (``dir.c`` of git 2.39).

The matcher is our own because importing one costs too much: ``pathspec`` takes 40 ms, and a walk over a
directory with 104 manifests may take 110 in all.

Read are the ``.gitignore`` files from the repository's root down and the repository's ``info/exclude``, but not
a person's own ``core.excludesFile``: two people who lint one tree get one answer. Upper and lower case differ,
as with git on Linux.
"""

from __future__ import annotations

import os
import stat

from raylint.wildmatch import Glob, literal_length

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["IgnoreRules", "Pattern"]

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
# Without it, to open a pipe that nobody writes to would wait for ever.
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
# In bytes. Of a larger file nothing counts: whoever sends it does not mean patterns.
_LARGEST = 1 << 20


class IgnoreRules:
    """What is ignored in one directory of a walk. The walk calls :meth:`ignored` for every entry and, for a
    directory that is not ignored, :meth:`enter`; what an ignored directory holds can then not come back, which
    is git's rule as well."""

    __slots__ = ("_levels", "directory")

    def __init__(self, directory: str, levels: Sequence[tuple[bytes, Sequence[Pattern]]]) -> None:
        self.directory = directory
        # Of each file of patterns, the innermost first: the path from the directory that it speaks of to this
        # one, "" or ending in a slash, and the patterns, last first.
        self._levels = levels

    @classmethod
    def for_directory(cls, root: str) -> IgnoreRules:
        """The rules at the start of a walk, with those of the directories above, up to the repository's root.

        Without a repository nothing above ``root`` counts. A ``root`` that is ignored itself is meant to be
        read all the same, for somebody named it: then only what it holds counts.
        """
        root = os.path.abspath(root)
        repository = _repository_above(root)
        if repository is None:
            return cls(root, _level(root))
        rules = _start(repository)
        for name in os.path.relpath(root, repository).split(os.sep):
            if name == os.curdir:
                break
            if rules.ignored(name, True):
                return cls(root, _level(root))
            rules = rules.enter(os.path.join(rules.directory, name))
        return rules

    def enter(self, directory: str) -> IgnoreRules:
        """The rules in ``directory``, which lies directly in this one. The root of another repository, such as
        a submodule's, begins anew: git asks only the repository that a file belongs to."""
        if os.path.lexists(os.path.join(directory, ".git")):
            return _start(directory)
        name = os.fsencode(os.path.basename(directory)) + b"/"
        above = [(prefix + name, patterns) for prefix, patterns in self._levels]
        return IgnoreRules(directory, _level(directory) + above)

    def ignored(self, name: str, is_dir: bool) -> bool:
        """Whether git ignores the entry ``name`` of this directory. A symbolic link is never a directory."""
        encoded = os.fsencode(name)
        for prefix, patterns in self._levels:
            path = prefix + encoded
            for pattern in patterns:
                if pattern.matches(encoded, path, is_dir):
                    return not pattern.negated
        return False


class Pattern:
    """One line of a ``.gitignore``, without its end. ``anchored``: it holds a slash before its end and is
    matched against the path from the file's directory on, not against the name alone."""

    __slots__ = ("_glob", "_literal", "_suffix", "_text", "anchored", "directory_only", "negated")

    def __init__(self, line: bytes) -> None:
        self.negated = line.startswith(b"!")
        text = line[self.negated :]
        self.directory_only = text.endswith(b"/")
        text = text[: len(text) - self.directory_only]
        self.anchored = b"/" in text
        self._text = text = text[text.startswith(b"/") :]
        self._literal = literal_length(text) == len(text)
        self._suffix = text[:1] == b"*" and not self.anchored and literal_length(text[1:]) == len(text) - 1
        self._glob: Glob | None = None

    def matches(self, name: bytes, path: bytes, is_dir: bool) -> bool:
        if self.directory_only and not is_dir:
            return False
        target = path if self.anchored else name
        if self._literal:
            return target == self._text
        if self._suffix:
            return target.endswith(self._text[1:])
        if self._glob is None:
            self._glob = Glob(self._text)
        return self._glob.matches(target)


def _start(repository: str) -> IgnoreRules:
    exclude = _patterns(_content(os.path.join(_git_directory(repository), "info", "exclude")))
    return IgnoreRules(repository, [*_level(repository), (b"", exclude)])


def _level(directory: str) -> list[tuple[bytes, Sequence[Pattern]]]:
    # git does not follow a .gitignore that is a link.
    patterns = _patterns(_content(os.path.join(directory, ".gitignore"), _NO_FOLLOW))
    return [(b"", patterns)] if patterns else []


def _patterns(content: bytes) -> list[Pattern]:
    """The patterns of a file, last first: the first one that matches decides."""
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    stripped = (_without_trailing_spaces(line.removesuffix(b"\r")) for line in reversed(lines))
    return [Pattern(line) for line in stripped if line and not line.startswith(b"#")]


def _without_trailing_spaces(line: bytes) -> bytes:
    """Trailing spaces do not count, but one that a backslash escapes does."""
    stripped = line.rstrip(b" ")
    backslashes = len(stripped) - len(stripped.rstrip(b"\\"))
    return line[: len(stripped) + backslashes % 2]


def _content(path: str, flags: int = 0) -> bytes:
    """What a plain file holds, and nothing for anything else: a pipe or a device must not stop the walk."""
    try:
        descriptor = os.open(path, os.O_RDONLY | _NO_WAIT | flags)
    except (OSError, ValueError):  # a path out of a file may hold a NUL
        return b""
    try:
        with open(descriptor, "rb", closefd=False) as file:
            content = file.read(_LARGEST + 1) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    except OSError:
        return b""
    finally:
        os.close(descriptor)
    return content if len(content) <= _LARGEST else b""


def _repository_above(directory: str) -> str | None:
    while not os.path.lexists(os.path.join(directory, ".git")):
        parent = os.path.dirname(directory)
        if parent == directory:
            return None
        directory = parent
    return directory


def _git_directory(repository: str) -> str:
    """Where the repository's own files are. In a submodule or a worktree ``.git`` is a file that names the
    place, and a worktree's place names the one that it shares with the others."""
    path = os.path.join(repository, ".git")
    if os.path.isdir(path):
        return path
    link = _content(path)
    if not link.startswith(b"gitdir:"):
        return path
    path = os.path.join(repository, os.fsdecode(link[len(b"gitdir:") :].strip()))
    shared = _content(os.path.join(path, "commondir")).strip()
    return os.path.join(path, os.fsdecode(shared))
