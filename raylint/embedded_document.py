"""A YAML document inside a scalar of another one, such as ``serveConfigV2``: its data, and where in the file each
value of it stands.

It is read as the operator reads it: ``sigs.k8s.io/yaml`` takes the first document and ignores the rest, even if
it is broken; of a key that is written twice the last one counts.
"""

from __future__ import annotations

import re
from functools import lru_cache

from raylint.build import build
from raylint.clash import clashes
from raylint.compose import compose
from raylint.derived import cached_property
from raylint.document import Document, Source
from raylint.fault import RefusedError, UnreadableError
from raylint.patterns import pattern
from raylint.position import Text
from raylint.reader import by_lines
from raylint.rule import Location
from raylint.scalar_text import ScalarText, TextLocation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from raylint.finding import Path, Span
    from raylint.pyyaml import Node

__all__ = ["EmbeddedDocument", "EmbeddedLocation", "embedded_data"]

# A line that ends a document: no scalar can contain it.
_MARKER = pattern(r"^(?:---|\.\.\.)(?=[ \t\r\n]|\Z)", re.MULTILINE)
_MEANS_SOMETHING = pattern(r"^(?!---[ \t]*\r?$|\.\.\.[ \t]*\r?$)[ \t]*[^#\s]", re.MULTILINE)


class _Reading:
    """What a text holds."""

    __slots__ = ("_root", "data", "fault", "outline", "raw", "repeating", "string")

    def __init__(self, text: str) -> None:
        self.string = text.removeprefix("\ufeff")
        self.raw = self.string.encode("utf-8", "surrogatepass")
        self._root: Node | None = None
        self.data: object = None
        self.repeating: list[Node] = []
        self.fault: RefusedError | None = None
        # The last of several lines may lack its end, and then a text in it ends otherwise than in a file.
        self.outline = by_lines(self.raw) if self.raw.endswith(b"\n") else None
        if self.outline is not None:
            self.data = self.outline.data
            return
        try:
            self._root = compose(self.raw)
            if self._root is not None:
                self.data, self.repeating = build(self._root)
        except RefusedError as fault:
            self.fault = fault

    @property
    def is_readable(self) -> bool:
        """Does it hold anything, and nothing that cannot be read?"""
        return self.outline is not None or (self._root is not None and self.fault is None)

    @property
    def root(self) -> Node | None:
        """None where it holds nothing or cannot be read."""
        if self._root is None and self.outline is not None:
            self._root = compose(self.raw)
        return self._root


# Several rules and the mask of secrets read the same text.
_read = lru_cache(maxsize=32)(_Reading)


def embedded_data(text: str) -> object:
    """The first document of the text; None where it holds none or cannot be read."""
    reading = _read(text)
    return None if reading.fault else reading.data


class EmbeddedDocument:
    """The document in the text ``text``, which is the value at ``path`` of ``outer``."""

    def __init__(self, outer: Document, path: Path, text: str) -> None:
        self.outer = outer
        self.path = path
        self.text = text
        self._reading = _read(text)

    @property
    def data(self) -> object:
        """The first document; None where the text holds none or cannot be read."""
        return None if self._reading.fault else self._reading.data

    @property
    def is_plain(self) -> bool:
        """Is it certain that nothing in the text is passed over: no line ends a document, no key comes again?"""
        return not self._reading.repeating and "---" not in self.text and "..." not in self.text

    @property
    def fault(self) -> UnreadableError | None:
        """Why the text cannot be read."""
        refused = self._reading.fault
        return None if refused is None else UnreadableError(refused.message, fix=refused.fix)

    @property
    def at_fault(self) -> Location:
        """Where the text stops to be readable."""
        refused = self._reading.fault
        return self._stretch(0, 0) if refused is None else self._stretch(refused.start, refused.end)

    @property
    def at_ignored(self) -> Location | None:
        """Where a second document begins, which nobody reads; None if there is none."""
        string, root = self._reading.string, self._reading.root
        if self._reading.fault is not None:
            return None
        position = 0 if root is None else root.end_mark.index
        position = string.rfind("\n", 0, position) + 1
        first = _MARKER.search(string, position)
        if root is None and first is not None:
            first = _MARKER.search(string, first.end())
        ignored = None if first is None else _MEANS_SOMETHING.search(string, first.start())
        if first is None or ignored is None:
            return None
        end = string.find("\n", ignored.end())
        return self._stretch(ignored.start(), len(string) if end < 0 else end)

    def at(self, *steps: str | int) -> Location:
        """The place of a value inside the text."""
        return EmbeddedLocation(self, steps)

    def missing(self, path: Path, shown: Path) -> Location:
        """The place of a value that is not written, shown at the key of another one."""
        return EmbeddedLocation(self, path, on_key=True, shown=shown)

    def written(self, path: Path) -> bool:
        return self.inner.written(path)

    def repeated_keys(self) -> Iterator[tuple[Path, Location, Location]]:
        """Keys that are written twice: path, the later one, the earlier one."""
        if self._reading.fault is not None or self._reading.root is None:
            return
        for clash in clashes(self._reading.root, self._reading.repeating):
            if not clash.merge:
                later, earlier = self._node_at(clash.path, clash.later), self._node_at(clash.path, clash.earlier)
                yield clash.path, later, earlier

    def _node_at(self, path: Path, node: Any) -> Location:
        return self._stretch(node.start_mark.index, node.end_mark.index, path)

    def _stretch(self, start: int, end: int, inner: Path = ()) -> Location:
        """A part of the text, in characters."""
        shift = self._shift
        return _Stretch(self, start + shift, end + shift, inner)

    @property
    def _shift(self) -> int:
        """A byte-order mark is not read."""
        return len(self.text) - len(self._reading.string)

    def locate(self, path: Path, *, key: bool = False) -> Span | None:
        """The span in the file, as :meth:`raylint.document.Document.locate` answers for the text alone."""
        if not self._reading.is_readable:
            return self.outer.locate(self.path)
        inner = self.inner.locate(path, key=key)
        if inner is None:
            return self.outer.locate(self.path)
        starts = self._lines.starts
        start = starts[inner.line - 1] + inner.column - 1
        end = starts[inner.end_line - 1] + inner.end_column - 1
        return self.spread(start, end)

    def spread(self, start: int, end: int) -> Span | None:
        """The span in the file of characters of the text."""
        if self.scalar is None:
            return self.outer.locate(self.path)
        return self.scalar.span(start + self._shift, end + self._shift)

    @cached_property
    def _lines(self) -> Text:
        return Text(self._reading.string)

    @cached_property
    def inner(self) -> Document:
        """The text as a document of its own."""
        reading = self._reading
        source = Source(reading.raw, 1, root=None if reading.outline else reading.root, outline=reading.outline)
        source.decoded(self._lines)
        return Document(self.outer.file, self.outer.index, self.data, source)

    @cached_property
    def scalar(self) -> ScalarText | None:
        """The text, character by character; None where the document has no text."""
        written = self.outer.scalar(self.path)
        return None if written is None else ScalarText(*written, self.text)


class _Stretch(TextLocation):
    """A stretch of an embedded document's text. All of a document share what is known of its characters."""

    __slots__ = ("embedded",)

    def __init__(self, embedded: EmbeddedDocument, start: int, end: int, inner: Path) -> None:
        super().__init__(
            embedded.outer, embedded.path, embedded.text, start, end, inner=inner, inner_data=embedded.data
        )
        self.embedded = embedded

    def locate(self) -> Span | None:
        scalar = self.embedded.scalar
        return super().locate() if scalar is None else scalar.span(self.start, self.end)


class EmbeddedLocation(Location):
    """A value inside an embedded document. ``path`` is that of the text in the outer document, ``inner`` leads on
    inside the text; ``shown`` is where people are to look, where that is elsewhere."""

    __slots__ = ("embedded", "inner", "inner_data", "shown")

    def __init__(
        self, embedded: EmbeddedDocument, inner: Path, *, on_key: bool = False, shown: Path | None = None
    ) -> None:
        super().__init__(embedded.outer, embedded.path, on_key=on_key)
        self.embedded = embedded
        self.inner = inner
        self.shown = inner if shown is None else shown
        self.inner_data = embedded.data

    def key(self) -> Location:
        return EmbeddedLocation(self.embedded, self.inner, on_key=True, shown=self.shown)

    def locate(self) -> Span | None:
        return self.embedded.locate(self.shown, key=self.on_key)
