"""Cuts a file into documents as kubectl's line reader does, before any YAML is parsed.

Source: ``k8s.io/apimachinery/pkg/util/yaml/decoder.go`` (YAMLReader), Kubernetes 1.36. A line that begins with
``---`` separates wherever it stands, inside a quoted text or a block scalar too, and only blanks and a
comment may follow it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["BOM", "Chunk", "Stray", "line_breaks", "split"]

BOM = b"\xef\xbb\xbf"


class Chunk:
    """One document's bytes, without its byte-order mark.

    ``line`` and ``column`` are those of the first character, ``offset`` is that of the first byte; ``prelude`` is
    what stands between the document before and this one (separators, comments), and ``prelude_line`` is where
    that begins.
    """

    __slots__ = ("column", "line", "offset", "prelude", "prelude_line", "raw")

    def __init__(
        self,
        raw: bytes,
        line: int,
        column: int = 1,
        prelude: bytes = b"",
        prelude_line: int = 1,
        offset: int = 0,
    ) -> None:
        self.raw = raw
        self.line = line
        self.column = column
        self.prelude = prelude
        self.prelude_line = prelude_line
        self.offset = offset


class Stray:
    """A line that begins with ``---`` and is no separator; ``position`` counts the chunks before it, and
    ``spoils`` tells that kubectl loses the last of them to it."""

    __slots__ = ("line", "position", "raw", "spoils")

    def __init__(self, raw: bytes, line: int, position: int, spoils: bool) -> None:
        self.raw = raw
        self.line = line
        self.position = position
        self.spoils = spoils


def line_breaks(raw: bytes) -> int:
    """How many lines end in ``raw``: at ``\\n``, ``\\r\\n`` and a lone ``\\r``."""
    count = raw.count(b"\n")
    if b"\r" in raw:
        count += raw.count(b"\r") - raw.count(b"\r\n")
    return count


def split(raw: bytes, line: int = 1, column: int = 1) -> tuple[list[Chunk], list[Stray]]:
    """The non-empty documents of ``raw``, whose first character stands at ``line`` and ``column``."""
    cutter = _Cutter(raw, line, column)
    for at, after in _separators(raw):
        cutter.separate(at, after)
    cutter.close(len(raw))
    return cutter.chunks, cutter.strays


def _separators(raw: bytes) -> Iterator[tuple[int, int]]:
    """Where each line begins that begins with ``---``, and where the next one does."""
    at = 0 if raw.startswith(b"---") else raw.find(b"\n---") + 1
    if at == 0 and not raw.startswith(b"---"):
        return
    while True:
        after = raw.find(b"\n", at) + 1 or len(raw)
        yield at, after
        found = raw.find(b"\n---", after - 1)
        if found < 0:
            return
        at = found + 1


class _Cutter:
    """Goes through the separators of one file; ``start`` is where the current document's bytes begin."""

    def __init__(self, raw: bytes, line: int, column: int) -> None:
        self.raw = raw
        self.chunks: list[Chunk] = []
        self.strays: list[Stray] = []
        self.start = 0
        self.line = line
        self.column = column
        self.prelude_start = 0
        self.prelude_line = line
        # kubectl keeps a separator with the document below it if there is not one line above it to cut off.
        self.kept: int | None = None

    def separate(self, at: int, after: int) -> None:
        raw = self.raw
        spoils = self.close(at)
        self.kept = at if at == self.start and self.kept is None else None
        self.start = at
        rest = raw[at + 3 : after].strip()
        if rest and not rest.startswith(b"#"):
            self.strays.append(Stray(raw[at:after].rstrip(b"\r\n"), self.line, len(self.chunks), spoils))
            if raw[at + 3 : at + 4].isspace():
                # YAML proper reads what follows `--- ` as the document's first line, and so do we.
                return
        self.line += line_breaks(raw[at:after])
        self.column = 1
        self.start = after

    def close(self, end: int) -> bool:
        """End a document's bytes; false if there is nothing in them."""
        body = self.raw[self.start : end]
        line, next_line = self.line, self.line + line_breaks(body)
        has_content = _has_content(body)
        if has_content:
            prelude = self.raw[self.prelude_start : self.start]
            start = self.start
            if body.startswith(BOM):
                if self.kept is None:
                    start += len(BOM)
                else:
                    # No longer at the beginning, the mark counts as a character.
                    start = self.kept
                    line -= 1
                body = self.raw[start:end]
            self.chunks.append(Chunk(body, line, self.column, prelude, self.prelude_line, start))
            self.prelude_start, self.prelude_line = end, next_line
        self.line = next_line
        return has_content


def _has_content(body: bytes) -> bool:
    """Is there more than blank lines and comments? A tab counts: kubectl refuses a document of nothing else."""
    if body.startswith(BOM):
        body = body[3:]
    if b"\r" in body:
        body = body.replace(b"\r", b"\n")
    first = body.lstrip(b" \n")[:1]
    if first != b"#":
        return bool(first)
    return any(line.lstrip(b" ")[:1] not in (b"", b"#") for line in body.split(b"\n"))
