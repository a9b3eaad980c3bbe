"""Edits inside a text that holds YAML of its own (``serveConfigV2``, ``runtimeEnvYAML``) as edits of the manifest.

Only a literal block (``|``) keeps the text line by line, so only there can an edit be carried over to the letter.
"""

from __future__ import annotations

from raylint.finding import Change
from raylint.fix_extent import NoFixError
from raylint.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.embedded_document import EmbeddedDocument
    from raylint.fix_text import TextEdits

    Stretch = tuple[int, int, str]

__all__ = ["carry_over"]

_HEADER = pattern(r"\|[^\r\n]*")


def carry_over(inner: TextEdits, embedded: EmbeddedDocument, outer: TextEdits) -> None:
    """Make the edits of the embedded text in the text around it."""
    block = _Block(embedded, outer)
    outer.spans += [block.stretch(*stretch) for stretch in inner.spans]
    outer.locks.add(block.start)
    text = embedded.text
    for start, end, written in sorted(inner.spans, reverse=True):
        text = text[:start] + written + text[end:]
    outer.changes.append(Change("set", embedded.path, text))


class _Block:
    """The lines of a literal block in the manifest, beside those of its value."""

    def __init__(self, embedded: EmbeddedDocument, outer: TextEdits) -> None:
        steps, rest = outer.text.walk(embedded.path)
        node = steps[-1].value if steps and not rest else None
        extent = outer.text
        if node is None or node.style != "|" or embedded.text != node.value or embedded.text.startswith("\ufeff"):
            raise NoFixError("the text is no literal block")
        self.start: int = node.start_mark.index
        header = _HEADER.match(extent.string, extent.begin(node))
        if header is None:
            raise NoFixError("the block's header cannot be found")
        self.newline = extent.newline(header.end())
        self.value = embedded.text
        lines = self.value.split("\n")
        self.inner_starts = [0]
        for line in lines[:-1]:
            self.inner_starts.append(self.inner_starts[-1] + len(line) + 1)
        self.outer_starts: list[int] = []
        at = extent.next_line(header.end())
        self.indent: int | None = None
        for line in lines:
            self.outer_starts.append(at)
            if line:
                self._compare(extent.string[at : extent.line_end(at)], line)
            at = extent.next_line(at)

    def _compare(self, written: str, line: str) -> None:
        if self.indent is None:
            self.indent = len(written) - len(line)
        if written != " " * self.indent + line:
            raise NoFixError("the block does not show its value line by line")

    def stretch(self, start: int, end: int, written: str) -> Stretch:
        """A stretch of the value, in the manifest."""
        first, last = self._line(start), self._line(end)
        indent = " " * (self.indent or 0)
        if start == self.inner_starts[first] and end == self.inner_starts[last]:
            lines = written.splitlines(keepends=True)
            text = "".join(indent + line for line in lines).replace("\n", self.newline)
            return self.outer_starts[first], self.outer_starts[last], text
        return self._outer(start, first), self._outer(end, last), written.replace("\n", self.newline + indent)

    def _line(self, offset: int) -> int:
        from bisect import bisect_right

        return bisect_right(self.inner_starts, offset) - 1

    def _outer(self, offset: int, line: int) -> int:
        return self.outer_starts[line] + (self.indent or 0) + offset - self.inner_starts[line]
