"""The answer of an earlier run over the same files: what it wrote, and its exit code.

It is used if nothing has changed that an answer depends on: raylint and its packs themselves, the settings, every
configuration, baseline and CRD file, and the files that are read with what lies beside them. A file is the same if
the system says so (size, times, inode), or else if its content is. Whatever else is found in the cache's folder,
broken or half of another run's, is no answer.
"""

from __future__ import annotations

import json
import os
import sys
import time

from raylint import __version__, output
from raylint.errors import UsageError
from raylint.expiry import today
from raylint.kustomize import LEVELS, NAMES
from raylint.packs import find_entry_points

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any, TypeAlias

    from raylint.policy import Policies
    from raylint.source import Source

    # Size, time of the last change of the content and of the inode, inode, device.
    Sign: TypeAlias = tuple[int, int, int, int, int]

__all__ = ["ResultCache", "usable"]

_LARGEST = 256 << 20
# Answers of other settings that are kept beside the last one.
_KEPT = 16
# A change so soon after another might leave the times as they are, on a file system that counts in seconds.
_SETTLED = 2_000_000_000
# Settings that change nothing in what is written, or that the list of files tells.
_IRRELEVANT = {"jobs", "cache_dir", "no_cache", "output", "given", "origins", "picks", "arguments", "webhook"}
_UNCHANGED = (0, 1)


def usable(policies: Policies) -> bool:
    """Is the answer one text of the files alone? Not if git is asked, files are fixed or rendered, standard input
    is read, or several reports are written."""
    settings = policies.settings
    if settings.helm or settings.kustomize:
        return False
    if not settings.cache_dir or settings.no_cache or "-" in settings.arguments or settings.report:
        return False
    if settings.format == "auto" and os.environ.get("GITHUB_ACTIONS"):
        return False
    return not (settings.fix or settings.diff or settings.diff_base or settings.verbose or settings.debug)


class ResultCache:
    """The answer for some sources in the cache of the settings. UsageError: there can be no such folder.

    ``asked`` is what else the answer depends on, such as colours.
    """

    def __init__(self, policies: Policies, sources: Sequence[Source], asked: Sequence[object]) -> None:
        self._folder = policies.settings.cache_dir
        _make(self._folder)
        self._sources = sources
        self._began = time.time_ns()
        self._signs = [_sign(source.path or "") for source in sources]
        self._key = _key(policies, sources, asked)
        self._file = os.path.join(self._folder, f"{self._key[:32]}.raylint")

    def answer(self) -> tuple[str, int] | None:
        """The text and the exit code of a run in which everything was as it is now."""
        known = self._known()
        if known is None:
            return None
        moved = False
        for source, sign, (name, before, content) in zip(self._sources, self._signs, known["files"], strict=True):
            if source.name != name or sign is None:
                return None
            if list(sign) != before:
                if _content(source.path or "") != content:
                    return None
                moved = True
        if moved:
            self._write([content for _, _, content in known["files"]], known["text"], known["code"])
        return known["text"], known["code"]

    def keep(self, text: str, code: int) -> None:
        """Keep the answer of this run, unless it says that something failed or a file has changed meanwhile."""
        if code not in _UNCHANGED or any(source.fault for source in self._sources):
            return
        contents = [_content(source.path or "") for source in self._sources]
        now = [_sign(source.path or "") for source in self._sources]
        if now == self._signs and None not in contents:
            self._write(contents, text, code)

    def _known(self) -> dict[str, Any] | None:
        try:
            with open(self._file, "rb") as file:
                digest, _, body = file.read(_LARGEST).partition(b"\n")
        except OSError:
            return None
        if _hash(body).encode() != digest:
            return None
        known: dict[str, Any] = json.loads(body)
        return known if known["key"] == self._key and len(known["files"]) == len(self._sources) else None

    def _write(self, contents: Sequence[str | None], text: str, code: int) -> None:
        """Replace the answer as a whole. Who cannot write does without."""
        fresh = self._began - _SETTLED
        signs = [sign if sign and max(sign[1:3]) < fresh else None for sign in self._signs]
        names = (source.name for source in self._sources)
        files = list(zip(names, signs, contents, strict=True))
        body = json.dumps({"key": self._key, "code": code, "text": text, "files": files})
        try:
            output.write(f"{_hash(body.encode())}\n{body}", self._file)
            _forget_old(self._folder)
        except (UsageError, OSError):
            return


def _make(folder: str) -> None:
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--cache-dir: {folder!r} is no folder and cannot be made: {error.strerror}") from None


def _forget_old(folder: str) -> None:
    with os.scandir(folder) as entries:
        known = sorted(
            (entry.stat().st_mtime_ns, entry.path) for entry in entries if entry.name.endswith(".raylint")
        )
    for _, path in known[:-_KEPT]:
        os.unlink(path)


def _sign(path: str) -> Sign | None:
    """What the system says of a file; None where it is gone or no plain file."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_dev


def _content(path: str) -> str | None:
    """The hash of a file's content."""
    try:
        with open(path, "rb", buffering=0) as file:
            return _hash(file.readall())
    except (OSError, ValueError):
        return None


def _hash(content: bytes) -> str:
    from hashlib import blake2b

    return blake2b(content, digest_size=24).hexdigest()


def _key(policies: Policies, sources: Sequence[Source], asked: Sequence[object]) -> str:
    """A hash of everything but the sources that the answer depends on."""
    settings = policies.settings
    chosen = {name: value for name, value in vars(settings).items() if name not in _IRRELEVANT}
    picks = [(pick.select, pick.extend, pick.ignore) for pick in settings.picks]
    folders = sorted({os.path.dirname(os.path.abspath(source.path or "")) for source in sources})
    parts = (
        (__version__, sys.hexversion, os.getcwd(), today()),
        _code(),
        sorted((name, repr(value)) for name, value in chosen.items()),
        picks,
        [(file, _content(file)) for file in (*settings.crd, settings.baseline) if file],
        list(_beside(folders)),
        sorted(_configurations(policies, folders)),
        asked,
    )
    return _hash(repr(parts).encode("utf-8", "surrogatepass"))


def _configurations(policies: Policies, folders: Iterable[str]) -> Iterator[tuple[str, str, str | None]]:
    """Which folder has which configuration, and what that and all that it extends hold."""
    for folder in folders:
        config = policies.config_of(os.path.join(folder, "x"))
        stack = policies.stack(config)
        for file in stack.files if stack is not None else ():
            yield folder, file, _content(file)


def _beside(folders: Iterable[str]) -> Iterator[tuple[str, Sign | None]]:
    """The kustomizations in and above the folders, which make patches of files."""
    seen: set[str] = set()
    for folder in folders:
        for _ in range(LEVELS):
            if folder not in seen:
                seen.add(folder)
                for name in NAMES:
                    sign = _sign(os.path.join(folder, name))
                    if sign is not None:
                        yield os.path.join(folder, name), sign
            folder = os.path.dirname(folder)


def _code() -> list[tuple[str, int, int]]:
    """The files of raylint, of the packs of rules and schemas, and of PyYAML: an editable installation changes
    without a new version."""
    modules = {"raylint", "yaml"}
    for group in ("raylint.rules", "raylint.schemas"):
        modules.update(
            entry.value.partition(":")[0].strip().partition(".")[0] for entry in find_entry_points(group)
        )
    found = []
    for name in sorted(modules):
        module = sys.modules.get(name) or __import__(name)
        pending = [os.path.dirname(os.path.abspath(module.__file__ or name))]
        while pending:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    if entry.is_dir() and entry.name != "__pycache__":
                        pending.append(entry.path)
                    elif entry.is_file():
                        status = entry.stat()
                        found.append((entry.path, status.st_size, status.st_mtime_ns))
    return sorted(found)
