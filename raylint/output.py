"""Where output goes: the standard output, a file that appears whole or not at all, the standard error."""

from __future__ import annotations

import errno
import os
import stat
import sys

from raylint.errors import UsageError
from raylint.source import failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import BinaryIO

__all__ = [
    "abandon_stdout",
    "append",
    "real_path",
    "refuse_to_replace",
    "refuse_unwritable",
    "say",
    "wants_color",
    "write",
    "write_bytes",
]


def wants_color(setting: str, environ: Mapping[str, str], *, to_file: bool = False) -> bool:
    """``setting``: auto, always or never. In ``auto`` NO_COLOR, FORCE_COLOR and CLICOLOR_FORCE decide, in this
    order (no-color.org, force-color.org, bixense.com/clicolors), then whether the output is a capable terminal."""
    if setting != "auto":
        return setting == "always"
    if to_file or environ.get("NO_COLOR"):
        return False
    if any(environ.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    return environ.get("TERM") != "dumb" and sys.stdout is not None and sys.stdout.isatty()


def write(text: str | Iterable[str], path: str = "", *, utf8: bool = False) -> None:
    """Write a text or its pieces, to a file if a path is given. ``utf8``: whatever the locale says, as for files.
    What cannot be encoded is escaped. UsageError: it cannot be written. BrokenPipeError: nobody reads on."""
    pieces = [text] if isinstance(text, str) else text
    if path:
        _replace(path, (piece.encode("utf-8", "backslashreplace") for piece in pieces))
        return
    stream = sys.stdout
    if stream is None:
        raise UsageError("the standard output is closed")
    encoding = "utf-8" if utf8 else stream.encoding or "utf-8"
    try:
        stream.flush()
        for piece in pieces:
            content = piece.encode(encoding, "backslashreplace")
            if hasattr(stream, "buffer"):
                _write_all(stream.buffer, content)
            else:  # somebody put a text stream in its place
                stream.write(content.decode(encoding))
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        abandon_stdout()
        raise UsageError(f"cannot write to the standard output: {failure(error)}") from error


def write_bytes(content: bytes) -> None:
    """Write to the standard output as it is. UsageError, BrokenPipeError: as :func:`write`."""
    stream = sys.stdout
    if stream is None:
        raise UsageError("the standard output is closed")
    try:
        stream.flush()
        _write_all(stream.buffer, content)
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        abandon_stdout()
        raise UsageError(f"cannot write to the standard output: {failure(error)}") from error


def append(text: str, path: str) -> None:
    """Add to a file that others write to as well. UsageError: it cannot be written."""
    try:
        with open(path, "ab") as file:
            file.write(text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise UsageError(f"cannot write to {path!r}: {failure(error)}") from error


def _write_all(stream: BinaryIO, content: bytes) -> None:
    """Under PYTHONUNBUFFERED the stream is a raw file, whose ``write`` may take only a part."""
    rest = memoryview(content)
    while rest:
        written = stream.write(rest)
        if written is None:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        rest = rest[written:]


def say(text: str) -> None:
    """A line for people, on the standard error; a closed one is no reason to fail."""
    if sys.stderr is not None:
        try:
            sys.stderr.write(f"{text}\n")
            sys.stderr.flush()
        except OSError:
            return


def real_path(path: str) -> str:
    """The path without symbolic links; as it is where the working directory is gone."""
    try:
        return os.path.realpath(path)
    except OSError:
        return path


def abandon_stdout() -> None:
    """Lead the standard output into nothing, so that the interpreter does not stumble over the rest at its end."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        return


def refuse_unwritable(path: str) -> None:
    """UsageError for an output file that evidently cannot be written, before the work is done."""
    number = _descriptor(path)
    if number is not None:
        try:
            os.fstat(number)
        except (OSError, OverflowError) as error:
            raise UsageError(f"cannot write to {path!r}: it is not open") from error
        return
    folder = os.path.dirname(path) or "."
    if os.path.isdir(path):
        raise UsageError(f"cannot write to {path!r}: it is a folder")
    if not os.path.isdir(folder):
        raise UsageError(f"cannot write to {path!r}: there is no folder {folder!r}")
    # To replace a file takes no permission but the folder's: who protects a file does not mean that.
    if os.path.exists(path) and not os.access(path, os.W_OK):
        raise UsageError(f"cannot write to {path!r}: permission denied")


def refuse_to_replace(path: str, inputs: Sequence[str]) -> None:
    """UsageError for an output file that is one of the files to read (``-``: the standard input)."""
    try:
        status = os.stat(path)
    except OSError:
        return
    if not stat.S_ISREG(status.st_mode):
        return
    for name in inputs:
        try:
            same = os.path.samestat(status, os.fstat(0) if name == "-" else os.stat(name))
        except OSError:
            continue
        if same:
            raise UsageError(f"cannot write to {path!r}: it is one of the files to read")


def _descriptor(path: str) -> int | None:
    """The number of the open file that a path stands for. To open such a path again would fail for a socket, and
    would begin a file anew that the shell opened to append to it."""
    if path in ("/dev/stdout", "/dev/stderr"):
        return 1 if path == "/dev/stdout" else 2
    folder, _, number = path.rpartition("/")
    if folder in ("/dev/fd", "/proc/self/fd") and number.isascii() and number.isdecimal():
        return int(number)
    return None


def _replace(path: str, pieces: Iterable[bytes]) -> None:
    """Write next to the file, then rename: a reader sees the old content or the new one, never a part. What is no
    plain file is written to as it is."""
    try:
        number = _descriptor(path)
        if number is not None:
            _fill(os.dup(number), pieces)
            return
        try:
            mode = os.stat(path).st_mode
        except OSError:
            mode = 0
        if mode and not stat.S_ISREG(mode):
            _fill(_opened(path), pieces)
        else:
            _replace_file(os.path.realpath(path), mode, pieces)
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = "nobody reads from it" if error.errno == errno.ENXIO else failure(error)
        raise UsageError(f"cannot write to {path!r}: {reason}") from error


def _opened(path: str) -> int:
    """A pipe or a device, open. Without O_NONBLOCK, a pipe that nobody reads from would be waited for for ever."""
    descriptor = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))
    os.set_blocking(descriptor, True)
    return descriptor


def _fill(descriptor: int, pieces: Iterable[bytes]) -> None:
    with open(descriptor, "wb") as file:
        file.writelines(pieces)


def _replace_file(path: str, mode: int, pieces: Iterable[bytes]) -> None:
    temporary = os.path.join(os.path.dirname(path), f".raylint-{os.urandom(8).hex()}.tmp")
    # "x": a file or link that somebody else put there is neither written to nor removed.
    with open(temporary, "xb") as file:
        try:
            file.writelines(pieces)
            file.close()
            if mode:
                os.chmod(temporary, stat.S_IMODE(mode))
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
