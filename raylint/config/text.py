"""A configuration file as it is written: its data, and the place of each value for whoever wrote it wrongly."""

from __future__ import annotations

import os
import re
import sys

from raylint.errors import UsageError
from raylint.source import UnreadableError, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.document import Document
    from raylint.finding import Path

__all__ = ["ConfigText", "Spot"]

_LARGEST = 1 << 20
_HEADER = re.compile(r"\s*\[\[?([^\]]+)\]\]?")
_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")


class ConfigText:
    """One file. ``folder`` is what its relative paths are relative to; ``data`` is its mapping, empty for a file
    of comments. UsageError: it cannot be read, or holds no mapping."""

    __slots__ = ("_document", "_lines", "_origin", "data", "file", "folder")

    def __init__(self, file: str, origin: str = "") -> None:
        self.file = file
        self.folder = os.path.dirname(os.path.abspath(file))
        self._origin = origin
        self._document: Document | None = None
        self._lines: list[str] = []
        self.data: dict[str, object] = {}
        raw = self._content()
        data = self._toml(raw) if file.endswith(".toml") else self._yaml(raw)
        if not isinstance(data, dict):
            raise UsageError(f"{self.shown}: a configuration is a mapping of settings")
        self.data = data

    @property
    def shown(self) -> str:
        """The file, as people know it: what raylint brings by its name, others from the working directory on."""
        if self._origin:
            return self._origin
        try:
            return os.path.relpath(self.file)
        except (OSError, ValueError):
            return self.file

    @property
    def root(self) -> Spot:
        return Spot(self, ())

    def _content(self) -> bytes:
        try:
            # Editors of Windows begin a text with a mark.
            return whole(self.file, _LARGEST).removeprefix(b"\xef\xbb\xbf")
        except UnreadableError as error:
            raise UsageError(f"{self.shown} cannot be read: {error}") from None

    def _yaml(self, raw: bytes) -> object:
        from raylint.build import build
        from raylint.clash import clashes
        from raylint.compose import compose
        from raylint.document import Document, Source
        from raylint.fault import RefusedError
        from raylint.position import Text
        from raylint.split import split

        try:
            root = compose(raw + b"\n")
            data, repeating = (None, []) if root is None else build(root)
        except RefusedError as error:
            line, column = Text(raw.decode("utf-8", "replace")).place(error.start)
            raise UsageError(f"{self.shown} cannot be read: {error.message} (line {line}:{column})") from None
        documents, _ = split(raw)
        if len(documents) > 1:
            raise UsageError(f"{self.shown}:{documents[1].line}:1: a configuration is one document")
        if root is None or data is None:
            return {}
        self._document = Document(self.shown, 0, data, Source(raw, 1, root=root))
        for clash in clashes(root, repeating):
            raise Spot(self, clash.path).error(f"{clash.path[-1]} is written twice")
        return data

    def _toml(self, raw: bytes) -> object:
        if sys.version_info >= (3, 11):
            import tomllib
        else:
            import tomli as tomllib
        try:
            text = raw.decode()
            data = tomllib.loads(text)
        except ValueError as error:
            raise UsageError(f"{self.shown} cannot be read: {error}") from None
        self._lines = text.splitlines()
        tool = data.get("tool")
        return tool.get("raylint", {}) if isinstance(tool, dict) else {}

    def position(self, path: Path) -> tuple[int, int]:
        """Line and column of the key at ``path``, from 1; zeros where nobody can tell."""
        if self._document is not None:
            span = self._document.locate(path, key=True)
            return (span.line, span.column) if span else (0, 0)
        return _toml_place(self._lines, ("tool", "raylint", *path)) if self._lines else (0, 0)

    def place(self, path: Path) -> str:
        """``file:line:column`` of the key at ``path``; the file alone where nobody can tell."""
        line, column = self.position(path)
        return f"{self.shown}:{line}:{column}" if line else self.shown


class Spot:
    """A value of a file: what complaints about it begin with."""

    __slots__ = ("path", "text")

    def __init__(self, text: ConfigText, path: Path) -> None:
        self.text = text
        self.path = path

    def at(self, step: str | int) -> Spot:
        return Spot(self.text, (*self.path, step))

    @property
    def place(self) -> str:
        return self.text.place(self.path)

    def error(self, message: object) -> UsageError:
        return UsageError(f"{self.place}: {message}")


def _toml_place(lines: list[str], path: Path) -> tuple[int, int]:
    """Where the longest written part of a path stands. TOML's parser keeps no places; the keys that begin lines
    tell them for everything but the inside of an inline table, which has its key's."""
    wanted = [str(step) for step in path if isinstance(step, str)]
    table: list[str] = []
    best = (0, 0, 0)
    for number, line in enumerate(lines, 1):
        header = _HEADER.match(line)
        key = _KEY.match(line)
        if header and not key:
            table = _steps(header[1])
            found = table
            column = line.index("[") + 1
        elif key:
            found = table + _steps(key[1])
            column = len(line) - len(line.lstrip()) + 1
        else:
            continue
        length = len(found)
        if found == wanted[:length] and length > best[0]:
            best = length, number, column
    return best[1:]


def _steps(dotted: str) -> list[str]:
    return [part.strip().strip("\"'") for part in dotted.split(".")]
