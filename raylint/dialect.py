"""Where Go's YAML parser and libyaml, of which it is a translation, differ today.

What Go takes and libyaml does not is masked for libyaml, and restored in the nodes. Each mask has as many
characters as what it hides, so that positions stay right.

- U+FEFF at the beginning of a line, not of the document: libyaml skips it, to Go it is a character.
- ``\\'`` in double quotes: libyaml knows no such escape, to Go it is a ``'``.
- ``:`` before ``,?[]{}`` in a flow collection: an error to libyaml, a character to Go (``{a:}``).
"""

from __future__ import annotations

import re
from itertools import chain

from raylint.fault import RefusedError
from raylint.nodes import PLAIN, scalars_below
from raylint.patterns import pattern
from raylint.pyyaml import MappingNode, ScalarNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from raylint.pyyaml import Node

__all__ = ["Disguise", "mask_byte_order_marks", "mask_colons", "mask_escapes", "refuse_what_go_refuses"]

_ESCAPE = pattern(r"\\(.)", re.DOTALL)
_ESCAPES = (("a", "\a"), ("v", "\v"), ("f", "\f"), ("b", "\b"), ("e", "\x1b"), ("0", "\0"))
# After a quoted text a colon needs no blank: `{"a":[1]}`.
_COLON = pattern("(?<=[^ \\t\\r\\n,\\[{}\\]\"']):(?=[,?\\[\\]{}])")


class Disguise:
    """A masked text, and what to put back into the values that are read from it."""

    __slots__ = ("raw", "restored")

    def __init__(self, raw: bytes, restored: tuple[tuple[str, str], ...]) -> None:
        self.raw = raw
        self.restored = restored

    def lift(self, root: Node | None) -> None:
        if root is None:
            return
        for node in scalars_below(root):
            for mask, hidden in self.restored:
                node.value = node.value.replace(mask, hidden)


def _unused(text: str) -> str:
    """A character that does not occur in ``text``, private if possible. Raises RefusedError in the text that uses
    them all."""
    used = set(text)
    for code in chain(range(0xE000, 0xF900), range(0x10FFFD, 0x10000, -1)):
        if chr(code) not in used:
            return chr(code)
    raise RefusedError("the text uses every character there is", "split the document", 0, 1)


def mask_byte_order_marks(raw: bytes) -> Disguise:
    text = raw.decode()
    mask = _unused(text)
    return Disguise(text.replace("\ufeff", mask).encode(), ((mask, "\ufeff"),))


def mask_escapes(raw: bytes) -> Disguise | None:
    """Masked as an escape of which the text has no trace; None in the text that uses them all."""
    for letter, character in _ESCAPES:
        if f"\\{letter}".encode() not in raw and character.encode() not in raw:
            masked = raw.replace(b"\\'", f"\\{letter}".encode())
            return Disguise(masked, ((f"\\{letter}", "\\'"), (character, "'")))
    return None


def mask_colons(raw: bytes) -> Disguise:
    text = raw.decode()
    mask = _unused(text)
    return Disguise(_COLON.sub(mask, text).encode(), ((mask, ":"),))


def refuse_what_go_refuses(root: Node, raw: bytes) -> None:
    """Raises RefusedError for what libyaml takes and Go does not: ``\\/``, and ``?`` in a flow collection."""
    if b"\\/" in raw:
        _refuse_escaped_slash(root, raw.decode())
    if b"?" in raw and (b"[" in raw or b"{" in raw):
        _refuse_question_mark(root)


def _refuse_escaped_slash(root: Node, text: str) -> None:
    for node in scalars_below(root):
        if node.style != '"':
            continue
        for escape in _ESCAPE.finditer(text, node.start_mark.index, node.end_mark.index):
            if escape[1] == "/":
                message = "the escape `\\/`, which YAML as kubectl reads it does not know"
                raise RefusedError(message, "write a plain `/`", escape.start(), escape.end())


def _refuse_question_mark(root: Node) -> None:
    """To Go a ``?`` ends an unquoted text within ``[]`` or ``{}``, and nothing may follow it there."""
    queue: list[tuple[Any, bool]] = [(root, False)]
    seen: set[int] = set()
    while queue:
        node, flow = queue.pop()
        if isinstance(node, ScalarNode):
            if flow and node.tag is PLAIN and "?" in node.value[1:]:
                message = f"an unquoted `?` in `{node.value}` within brackets"
                raise RefusedError(message, "quote the value", node.start_mark.index, node.end_mark.index)
        elif id(node) not in seen:
            seen.add(id(node))
            pairs = node.value if isinstance(node, MappingNode) else [node.value]
            queue.extend((part, flow or bool(node.flow_style)) for pair in pairs for part in pair)
