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
    from collections.abc import Iterable, Mapping
    from typing import BinaryIO

__all__ = ["abandon_stdout", "refuse_unwritable", "say", "wants_color", "write"]


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
    folder = os.path.dirname(path) or "."
    if os.path.isdir(path):
        raise UsageError(f"cannot write to {path!r}: it is a folder")
    if not os.path.isdir(folder):
        raise UsageError(f"cannot write to {path!r}: there is no folder {folder!r}")


def _replace(path: str, pieces: Iterable[bytes]) -> None:
    """Write next to the file, then rename: a reader sees the old content or the new one, never a part."""
    path = os.path.realpath(path)
    try:
        mode = os.stat(path).st_mode
    except OSError:
        mode = 0
    try:
        if mode and not stat.S_ISREG(mode):
            with open(path, "wb") as device:
                device.writelines(pieces)
            return
        temporary = f"{path}.{os.getpid()}.tmp"
        try:
            with open(temporary, "xb") as file:
                file.writelines(pieces)
            if mode:
                os.chmod(temporary, stat.S_IMODE(mode))
            os.replace(temporary, path)
        except BaseException:
            if os.path.exists(temporary):
                os.unlink(temporary)
            raise
    except OSError as error:
        raise UsageError(f"cannot write to {path!r}: {failure(error)}") from error
