"""What a git revision holds, read from git's own store: nothing is checked out, nothing is written."""

from __future__ import annotations

import os

from raylint.errors import UsageError
from raylint.source import LARGEST, Source, own_output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["Revision"]

# The mode of a plain file begins so; links and submodules are none.
_PLAIN = b"100"
_SUFFIXES = (".yaml", ".yml", ".json")


class _Blob(Source):
    """A file as it was. It is judged by what the configuration says of its path today."""

    __slots__ = ("_raw",)

    def __init__(self, name: str, path: str, raw: bytes) -> None:
        super().__init__(name, path)
        self._raw = raw

    def read(self, concerns: Callable[[bytes], bool]) -> bytes:
        return b"" if own_output(self._raw) else self._raw


class Revision:
    """A commit of the repository that the working directory is in. UsageError: there is no git, no repository, or
    no such commit."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.root = os.path.realpath(os.fsdecode(_git("rev-parse", "--show-toplevel").rstrip(b"\n")))
        if name.startswith("-"):
            raise UsageError(f"--diff-base: {name!r} is no revision")
        try:
            self._commit = _git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}").strip().decode()
        except _GitError:
            raise UsageError(
                f"--diff-base: git knows no revision {name!r} here; in a shallow clone fetch it first"
            ) from None
        self._tree = self._files()
        # What the working tree has otherwise, by the name of then.
        self._changed = self._differences()

    def _files(self) -> set[str]:
        listing = _git("ls-tree", "-r", "-z", "--full-tree", self._commit)
        entries = (entry.partition(b"\t") for entry in listing.split(b"\0") if entry)
        return {os.fsdecode(path) for facts, _, path in entries if facts.startswith(_PLAIN)}

    def _differences(self) -> dict[str, str]:
        """The files of the revision that are otherwise or gone today, with the ids of what they held."""
        listing = _git("diff", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-ext-diff", self._commit, "--")
        parts = listing.split(b"\0")
        found = {}
        for facts, path in zip(parts[0::2], parts[1::2], strict=False):
            mode, _, before, _, _ = facts.lstrip(b":").split(b" ")
            if mode.startswith(_PLAIN):
                found[os.fsdecode(path)] = before.decode()
        return found

    def holds(self, path: str) -> bool:
        """Is the file the same today as in the revision?"""
        relative = os.path.relpath(os.path.realpath(path), self.root).replace(os.sep, "/")
        return relative in self._tree and relative not in self._changed

    def changed_files(self) -> Iterator[Source]:
        """The manifests of the revision that are otherwise or gone today, as they were."""
        wanted = sorted(path for path in self._changed if path.endswith(_SUFFIXES))
        for path, raw in zip(wanted, _contents([self._changed[path] for path in wanted]), strict=True):
            file = os.path.join(self.root, path)
            yield _Blob(os.path.relpath(file).replace(os.sep, "/"), file, raw)


class _GitError(Exception):
    """git says no."""


def _git(*words: str) -> bytes:
    import subprocess

    try:
        done = subprocess.run(["git", *words], capture_output=True, check=False, env=_environment())
    except OSError:
        raise UsageError("--diff-base needs git, which is not installed") from None
    if done.returncode:
        if words[0] == "rev-parse" and "--show-toplevel" in words:
            raise UsageError("--diff-base: the working directory is in no git repository")
        if words[0] == "rev-parse":
            raise _GitError
        raise UsageError(f"--diff-base: git {words[0]} failed: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def _environment() -> dict[str, str]:
    """git is not to refresh its index for a reader, nor to go by paths of another place."""
    return {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}


def _contents(ids: Sequence[str]) -> Iterator[bytes]:
    """What blobs hold, from one process. What is too large to be a manifest counts as empty."""
    if not ids:
        return
    import subprocess

    with subprocess.Popen(
        ["git", "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=_environment()
    ) as batch:
        assert batch.stdin is not None
        assert batch.stdout is not None
        for id in ids:
            batch.stdin.write(f"{id}\n".encode())
            batch.stdin.flush()
            header = batch.stdout.readline().split()
            if len(header) != 3:
                raise UsageError(f"--diff-base: git has lost what it held: {b' '.join(header).decode()}")
            raw = batch.stdout.read(int(header[2]) + 1)[:-1]
            yield raw if len(raw) <= LARGEST else b""
        batch.stdin.close()
