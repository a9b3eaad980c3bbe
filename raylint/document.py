"""One document of a file: its data as kubectl reads it, and where each value is written."""

from __future__ import annotations

import re

from raylint.build import is_merge, merged, written_key
from raylint.compose import compose_document
from raylint.finding import Span
from raylint.nodes import PLAIN, QUOTED, scalars_below
from raylint.patterns import pattern
from raylint.position import Text
from raylint.pyyaml import MappingNode, ScalarNode, SequenceNode
from raylint.scalars import KEYS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from raylint.comments import Comment
    from raylint.finding import Path
    from raylint.outline import Outline
    from raylint.pyyaml import Node

__all__ = ["Document", "Source"]

_NAMES = ("groupName", "name")
_ANCHOR = pattern(r"&[-\w]+\s+(?:#[^\r\n]*\s*)*")


class Source:
    """The text behind a document, decoded and taken apart only when somebody asks for a position.

    ``root`` is None for JSON and for what was read as an ``outline``; it is made when somebody asks for nodes.
    ``offset`` is that of the first byte in the file.
    """

    __slots__ = (
        "_entries",
        "_root",
        "_shown",
        "_text",
        "column",
        "is_json",
        "line",
        "offset",
        "outline",
        "prelude",
        "prelude_line",
        "raw",
    )

    def __init__(
        self,
        raw: bytes,
        line: int,
        column: int = 1,
        *,
        root: Node | None = None,
        outline: Outline | None = None,
        prelude: bytes = b"",
        prelude_line: int = 1,
        offset: int = 0,
    ) -> None:
        self.raw = raw
        self.offset = offset
        self.line = line
        self.column = column
        self.prelude = prelude
        self.prelude_line = prelude_line
        self.outline = outline
        self.is_json = root is None and outline is None
        self._root = root
        self._text: Text | None = None
        # By the identity of a node, which lives as long as the root does.
        self._entries: dict[int, dict[str, tuple[Any, Any]]] = {}
        self._shown: dict[int, Any] = {}

    @property
    def text(self) -> Text:
        if self._text is None:
            outline = self.outline
            if outline is None:
                self._text = Text(self.raw.decode("utf-8", "replace"), self.line, self.column)
            else:
                self._text = Text(outline.text, self.line, self.column, outline.lines)
        return self._text

    def span(self, row: int, start: int, last_row: int, end: int) -> Span:
        """The span from one row and column, counted from 0, to another."""
        return Span(
            self.line + row,
            start + (1 if row else self.column),
            self.line + last_row,
            end + (1 if last_row else self.column),
        )

    def decoded(self, text: Text) -> None:
        """Take a text that is decoded already, such as one inside another document."""
        self._text = text

    @property
    def root(self) -> Node:
        if self._root is None:
            self._root = self._composed()
        return self._root

    def _composed(self) -> Node:
        if self.is_json:
            from raylint.jsontext import compose_json  # few manifests are JSON

            return compose_json(self.text.string)
        root = compose_document(self.raw)
        assert root is not None
        return root

    def child(self, node: Any, step: str | int) -> tuple[Any, Any] | None:
        """The key (None for an item) and the value that ``step`` leads to."""
        if isinstance(step, int):
            if isinstance(node, SequenceNode) and -1 < step < len(node.value):
                return None, node.value[step]
            return None
        return self._entries_of(node).get(step) if isinstance(node, MappingNode) else None

    def _entries_of(self, node: Any) -> dict[str, tuple[Any, Any]]:
        """The entries that win: the last of a name, and `<<` counts where it stands. Kept, because a mapping of
        thousands of keys may be asked for each of them."""
        entries = self._entries.get(id(node))
        if entries is None:
            entries = {}
            for pair in node.value:
                key = pair[0]
                name = KEYS[key.value] if key.tag is PLAIN else key.value if key.tag is QUOTED else None
                if name is not None:
                    entries[name] = pair
                elif is_merge(key):
                    for source in merged(pair[1]):
                        entries.update(self._entries_of(source))
                else:
                    entries[written_key(key)] = pair
            self._entries[id(node)] = entries
        return entries

    def shown(self, node: Any) -> Any:
        """What stands for a value that has no key: the root, or an item."""
        shown = self._shown.get(id(node))
        if shown is None:
            shown = self._shown[id(node)] = _shown(node)
        return shown


class Document:
    """A document as kubectl hands it to the API server.

    ``data`` is plain dict, list, str, int, float, bool and None; keys are str; it is never to be changed.
    ``index`` counts the file's non-empty documents from 0.
    """

    __slots__ = ("_source", "data", "file", "index")

    def __init__(self, file: str, index: int, data: object, source: Source | None = None) -> None:
        self.file = file
        self.index = index
        self.data = data
        self._source = source

    @classmethod
    def from_object(cls, data: object, file: str = "") -> Document:
        """A live object: it has data and no text, so nothing in it has a position."""
        return cls(file, 0, data)

    @property
    def raw(self) -> bytes | None:
        """The text as it stands in the file; None where there is none."""
        return self._source.raw if self._source is not None else None

    @property
    def raw_lines(self) -> list[str] | None:
        """The lines of the text, where it was taken apart to be read."""
        outline = None if self._source is None else self._source.outline
        return None if outline is None else outline.lines

    @property
    def source(self) -> Source | None:
        """The text and its nodes; None where there is none."""
        return self._source

    def forget(self) -> None:
        """Let go of the text and the data, which views that refer to each other would keep for a while."""
        self.forget_text()
        self.data = None

    def forget_text(self) -> None:
        """Let go of the text alone: nothing in it can be located any more."""
        self._source = None

    def written(self, path: Path) -> bool:
        """Whether ``path`` is written in the document; a null is."""
        value: Any = self.data
        for step in path:
            if isinstance(step, str):
                if not isinstance(value, dict) or step not in value:
                    return False
            elif not isinstance(value, list) or not -1 < step < len(value):
                return False
            value = value[step]
        return True

    def locate(self, path: Path, *, key: bool = False) -> Span | None:
        """The span of the value at ``path``; with ``key`` that of the last step's key.

        A mapping or list answers with its key, an item that is a mapping with its ``groupName`` or ``name``,
        the root with the value of ``kind``. What is not written answers for its nearest written ancestor.
        None only if there is no text. Aliases and merge keys are followed to where the value stands.
        """
        source = self._source
        if source is None:
            return None
        if source.outline is not None:
            row, start, last, end = source.outline.locate(path, key=key)
            return source.span(row, start, last, end)
        node: Any = source.root
        key_node: Any = None
        for number, step in enumerate(path):
            found = source.child(node, step)
            if found is None:
                key = key and number > 0 and number == len(path)
                break
            key_node, node = found
        if key_node is None:
            shown = source.shown(node)
        elif key or not _is_visible_scalar(node):
            shown = key_node
        else:
            shown = node
        return _span(source.text, shown)

    def scalar(self, path: Path) -> tuple[Text, ScalarNode] | None:
        """The text of the document and the scalar in it that is written at ``path``; None where there is none."""
        node = self.node(path)
        return (self._source.text, node) if self._source is not None and isinstance(node, ScalarNode) else None

    def tree(self) -> tuple[Text, Any] | None:
        """The text and its root node; None where there is no YAML text."""
        source = self._source
        return None if source is None or source.is_json else (source.text, source.root)

    @property
    def prelude(self) -> tuple[bytes, int]:
        """What stands between this document and the one before, and the line on which that begins."""
        return (self._source.prelude, self._source.prelude_line) if self._source is not None else (b"", 1)

    def node(self, path: Path) -> Any:
        """The node that is written at ``path``; None where there is none."""
        node: Any = None if self._source is None else self._source.root
        for step in path:
            found = None if self._source is None else self._source.child(node, step)
            if found is None:
                return None
            node = found[1]
        return node

    def lines(self, span: Span) -> dict[int, str]:
        """The source lines of a span: the first two and the last."""
        return self._source.text.lines(span) if self._source else {}

    def comments(self) -> list[Comment]:
        """The comments of the document and of what stands between it and the document before, top down."""
        from raylint.comments import comments_in, comments_of  # few rules read comments

        source = self._source
        if source is None or source.is_json:
            return []
        scalars = scalars_below(source.root)
        end = max((node.end_mark.index for node in scalars), default=0)
        string = source.text.string
        stop = re.compile(r"^\.\.\.(?:\s|\Z)", re.MULTILINE).search(string, end)
        prelude = Text(source.prelude.decode("utf-8", "replace"), source.prelude_line)
        within = comments_of(source.text, scalars, stop.start() if stop else len(string))
        return comments_in(prelude) + within


def _is_visible_scalar(node: Any) -> bool:
    """A null of no characters cannot be pointed at; its key can."""
    return isinstance(node, ScalarNode) and node.end_mark.index > node.start_mark.index


def _shown(node: Any) -> Any:
    while not isinstance(node, ScalarNode):
        if not node.value:
            return node
        if isinstance(node, SequenceNode):
            node = node.value[0]
            continue
        names = ("kind", *_NAMES)
        entries = {key.value: value for key, value in node.value if isinstance(key, ScalarNode)}
        named = next((entries[name] for name in names if isinstance(entries.get(name), ScalarNode)), None)
        if named is not None and _is_visible_scalar(named):
            return named
        node = node.value[0][0]
    return node


def _span(text: Text, node: Any) -> Span:
    """A scalar's span, without its anchor and, for a block scalar, without the line breaks after it."""
    start, end = node.start_mark.index, node.end_mark.index
    string = text.string
    if isinstance(node, ScalarNode):
        anchor = _ANCHOR.match(string, start, end) if string.startswith("&", start) else None
        if anchor:
            start = anchor.end()
        if node.style in ("|", ">"):
            end = start + len(string[start:end].rstrip())
    return text.span(start, end)
