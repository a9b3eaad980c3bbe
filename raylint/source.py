"""One text to read: a file or the standard input, and why it cannot be read."""

from __future__ import annotations

import os
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from raylint.origin import Origins

    Read: TypeAlias = Callable[[int], bytes]

__all__ = ["LARGEST", "Source", "UnreadableError", "failure", "load", "own_output", "whole"]

# The largest file that is parsed, in bytes. etcd takes no object above 1.5 MiB, so this holds more than twenty of
# the largest objects there are; parsed, a file takes thirty times its size in memory.
LARGEST = 32 * 1024 * 1024
# The largest file that is scanned. A sparse file may claim any size; to scan a gigabyte takes seconds.
_MOST_SCANNED = 256 * 1024 * 1024

_CHUNK = 64 * 1024

# The parts of what raylint writes as JSON, by its version.
_OWN_PARTS = {
    "raylint-baseline/v1": {"version", "findings"},
    "raylint/v1": {"version", "target", "summary", "findings", "suppressed"},
    "raylint-effective/v1": {"version", "target", "objects"},
}


class UnreadableError(Exception):
    """Why a file cannot be read, in a few words."""


class Source:
    """One text to read: ``name`` as reports show it, ``path`` as the system knows it, None for the standard
    input. ``fault``: why it cannot be read, where that is known already. ``is_outside``: a link leads to it, out
    of the folders that were named."""

    __slots__ = ("fault", "is_outside", "name", "origins", "path")

    # The file that stands for all of it, and which rendering of that it is, where it is rendered.
    whole = ""
    variant = ""

    def __init__(self, name: str, path: str | None, fault: str = "", *, is_outside: bool = False) -> None:
        self.name = name
        self.is_outside = is_outside
        self.path = path
        self.fault = fault
        # The files that it was rendered from, where it tells.
        self.origins: Origins | None = None

    @property
    def judged_as(self) -> str | None:
        """The path by which a configuration is found and its patterns match; None: the standard input's."""
        return self.path

    @property
    def is_lasting(self) -> bool:
        """Is it a file, which can be read once more?"""
        return self.path is not None and not self.fault and not _handed_over(self.path)

    def read(self, concerns: Callable[[bytes], bool]) -> bytes:
        """The content, as :func:`load` reads it."""
        return load(self.path, concerns)


def load(path: str | None, concerns: Callable[[bytes], bool]) -> bytes:
    """The content of a file, or of the standard input for None.

    A file above :data:`LARGEST` is scanned, never held: no bytes, or UnreadableError if ``concerns`` finds
    something in it, or if it is too large even for that. No bytes either for what raylint itself wrote.
    UnreadableError as well: permission, a pipe, a device, a file that is gone, a stream above LARGEST, which may
    have no end.
    """
    content = _read(path, lambda read, endless: _drain(read, (lambda _: True) if endless else concerns))
    return b"" if own_output(content) else content


def whole(path: str | None, most: int) -> bytes:
    """The content of a file that raylint is to obey, a configuration or CRDs: UnreadableError as of :func:`load`,
    or where it is larger than ``most`` bytes."""
    return b"" if path == os.devnull else _read(path, lambda read, _: _up_to(read, most))


def own_output(content: bytes) -> bool:
    """Is it one of raylint's own reports, as ``--format json`` writes them, and nothing besides?"""
    if b'"raylint' not in content or not content[:_CHUNK].lstrip().startswith(b"{"):
        return False
    import json

    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return False
    version = value.get("version")
    return isinstance(version, str) and value.keys() == _OWN_PARTS.get(version)


def _read(path: str | None, drain: Callable[[Read, bool], bytes]) -> bytes:
    """What ``drain`` gets from a function that reads so many bytes; it is told whether they may have no end."""
    try:
        if path is None:
            if sys.stdin is None:
                raise UnreadableError("the standard input is closed")
            return drain(sys.stdin.buffer.read, True)
        # Without O_NONBLOCK, to open a pipe that nobody writes to would wait for ever.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        try:
            kind = _irregular(os.fstat(descriptor).st_mode)
            if kind and not _handed_over(path):
                raise UnreadableError(f"it is {kind}")
            if kind:
                os.set_blocking(descriptor, True)
            return drain(lambda size: os.read(descriptor, size), bool(kind))
        finally:
            os.close(descriptor)
    except OSError as error:
        raise UnreadableError(failure(error)) from error


def _up_to(read: Read, most: int) -> bytes:
    chunks = []
    room = most
    while chunk := read(_CHUNK):
        chunks.append(chunk)
        room -= len(chunk)
        if room < 0:
            raise UnreadableError(f"it is larger than {most >> 20} MiB")
    return b"".join(chunks)


def _drain(read: Read, concerns: Callable[[bytes], bool]) -> bytes:
    """All there is to read; above LARGEST, the rest only for as long as nothing in it is of concern."""
    chunks = []
    room = LARGEST
    while chunk := read(_CHUNK):
        chunks.append(chunk)
        room -= len(chunk)
        if room < 0:
            break
    else:
        return b"".join(chunks)
    found = concerns(b"".join(chunks))
    room = _MOST_SCANNED - LARGEST
    first = tail = chunks[0][:2]  # a UTF-16 file shows what it is in its first two bytes
    del chunks
    while not found and (chunk := read(_CHUNK * 16)):
        found = concerns(first + tail + chunk)
        tail = chunk[-64:]
        room -= len(chunk)
        if room < 0:
            raise UnreadableError(f"it is larger than {_MOST_SCANNED >> 20} MiB")
    if found:
        raise UnreadableError(f"it is larger than {LARGEST >> 20} MiB")
    return b""


def _irregular(mode: int) -> str:
    """What the file is, if it is not a plain one."""
    kinds = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))
    if stat.S_ISREG(mode):
        return ""
    return next((kind for test, kind in kinds if test(mode)), "a device")


def _handed_over(path: str) -> bool:
    """Is it an open pipe of this process, as the shell writes ``<(helm template .)``?"""
    return path.startswith(("/dev/fd/", "/proc/self/fd/")) or path == "/dev/stdin"


def failure(error: OSError) -> str:
    """The system's words for an error, such as ``permission denied``."""
    return (error.strerror or type(error).__name__).lower()
