"""The fixed text of a file: put in the file's place, or shown as a unified diff."""

from __future__ import annotations

import os
import shutil
import stat

from raylint.source import failure

__all__ = ["UnwritableError", "diff", "replace"]


class UnwritableError(Exception):
    """Why a file was left as it is, in a few words."""


def replace(path: str, before: bytes, after: bytes) -> None:
    """Put a text in the place of the one that was read. Whoever reads the file sees the old text or the new one,
    never a part; permissions, owner and links to it stay. UnwritableError: nothing was changed."""
    path = os.path.realpath(path)
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            raise UnwritableError("it is no plain file")
        # To replace a file takes no permission but the folder's: who protects a file does not mean that.
        if not os.access(path, os.W_OK):
            raise UnwritableError("permission denied")
        if status.st_nlink > 1:
            raise UnwritableError("it has a second name (a hard link), which would keep the old text")
        _replace(path, before, after, status)
    except OSError as error:
        raise UnwritableError(failure(error)) from error


def _replace(path: str, before: bytes, after: bytes, status: os.stat_result) -> None:
    temporary = os.path.join(os.path.dirname(path), f".raylint-{os.urandom(8).hex()}.tmp")
    # "x": a file or link that somebody else put there is neither written to nor removed.
    with open(temporary, "xb") as file:
        try:
            file.write(after)
            file.flush()
            os.fsync(file.fileno())
            file.close()
            if hasattr(os, "chown"):
                own = os.stat(temporary)
                if (own.st_uid, own.st_gid) != (status.st_uid, status.st_gid):
                    os.chown(temporary, status.st_uid, status.st_gid)
            shutil.copystat(path, temporary)
            os.utime(temporary)
            with open(path, "rb") as current:
                if current.read() != before:
                    raise UnwritableError("it was changed meanwhile")
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise


def diff(name: str, before: bytes, after: bytes) -> str:
    """What ``patch -p1`` and ``git apply`` make the new text of the old one with."""
    from difflib import unified_diff

    old, new = _lines(before), _lines(after)
    # A blank in a name would end it.
    tab = "\t" if " " in name else ""
    pieces = unified_diff(old, new, f"{_side('a', name)}{tab}", f"{_side('b', name)}{tab}")
    return "".join(
        piece if piece.endswith("\n") else f"{piece}\n\\ No newline at end of file\n" for piece in pieces
    )


def _lines(raw: bytes) -> list[str]:
    """Lines as patch counts them: a lone carriage return ends none."""
    lines = [f"{line}\n" for line in raw.decode("utf-8", "replace").split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _side(side: str, name: str) -> str:
    return name if os.path.isabs(name) else f"{side}/{name}"
