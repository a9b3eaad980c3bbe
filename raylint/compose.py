"""Bytes of one document to nodes: PyYAML's libyaml parser where it is sound, events where it is not.

libyaml and Go's yaml.v2 share their scanner, so they agree on what is YAML. Composing nodes in C takes a third
of the time of PyYAML's safe loader. But it does not compose what kubectl accepts and PyYAML refuses (an anchor
that is defined twice), does not bound what aliases expand to, and forgets a bare ``!``: documents that may hold
one of these are composed event by event.
"""

from __future__ import annotations

from operator import is_

from raylint.dialect import Disguise, mask_byte_order_marks, mask_colons, mask_escapes, refuse_what_go_refuses
from raylint.fault import RefusedError, explain
from raylint.nodes import PLAIN, QUOTED
from raylint.patterns import pattern
from raylint.pyyaml import ReaderError, YAMLError, is_of_composer
from raylint.split import BOM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from yaml._yaml import CParser

    from raylint.pyyaml import Node

    LIBYAML: bool
else:
    try:
        from yaml._yaml import CParser

        LIBYAML = True
    except ImportError:
        from raylint.pureyaml import PureParser as CParser

        LIBYAML = False

__all__ = ["LIBYAML", "compose", "compose_document"]

# So many levels the C composer's own recursion takes without harm to the smallest usual stack.
_SAFE_DEPTH = 500

_IMPLICIT = (QUOTED, PLAIN)
_ALIAS = pattern(rb"[\s\[{,]\*[-\w]")
_BARE_TAG = pattern(rb"!(?:[\s,\]}]|\Z)")
_NOT_UTF8 = "the Kubernetes decoder refuses it; kubectl itself puts U+FFFD in its place without a word"
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_FORBIDDEN = pattern("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_INNER_BOM = b"\n" + BOM


class _Parser(CParser):
    """Marks scalars as plain or quoted and leaves their meaning to the builder."""

    def resolve(self, kind: object, value: str | None, implicit: Any) -> str:
        return "" if value is None else _IMPLICIT[implicit[0]]

    # Called for every node, with nothing to do: built-ins of the right arity cost half of a Python function.
    descend_resolver = staticmethod(is_)
    ascend_resolver = staticmethod(tuple)


def compose(raw: bytes) -> Node | None:
    """The root node of the first YAML document in ``raw``; None if there is only white space and comments.

    A scalar's tag is PLAIN, QUOTED or the one that is written. Raises RefusedError.
    """
    disguise = _known_difference(raw)
    try:
        root = _compose(disguise.raw if disguise else raw)
    except YAMLError as error:
        disguise = _disguise(error, raw)
        root = _compose_masked(disguise, error, raw)
    if disguise:
        disguise.lift(root)
    if root is not None:
        refuse_what_go_refuses(root, raw)
    return root


def compose_document(raw: bytes) -> Node | None:
    """The root node of a document of a file. kubectl's line reader ends every line, the file's last one too."""
    return compose(raw if raw.endswith(b"\n") else raw + b"\n")


def _known_difference(raw: bytes) -> Disguise | None:
    """What must be masked beforehand, because the parser would misread it without an error."""
    if (_INNER_BOM in raw or raw.startswith(BOM)) and _is_utf8(raw):
        return mask_byte_order_marks(raw)
    return mask_colons(raw) if not LIBYAML and _is_utf8(raw) else None


def _disguise(error: YAMLError, raw: bytes) -> Disguise | None:
    """What may be masked to get past ``error``."""
    problem = getattr(error, "problem", None) or ""
    if "unknown escape character" in problem and b"\\'" in raw:
        return mask_escapes(raw)
    return mask_colons(raw) if "unexpected ':'" in problem and _is_utf8(raw) else None


def _compose_masked(disguise: Disguise | None, error: YAMLError, raw: bytes) -> Node | None:
    if disguise is None:
        raise _fault(error, raw) from None
    try:
        return _compose(disguise.raw)
    except YAMLError as still:
        raise _fault(still, raw) from None


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _compose(raw: bytes) -> Node | None:
    if not LIBYAML or _needs_care(raw):
        return _compose_events(raw)
    try:
        parser = _Parser(raw)
        return parser.get_node() if parser.check_node() else None
    except YAMLError as error:
        if not is_of_composer(error):
            raise
        return _compose_events(raw)


def _compose_events(raw: bytes) -> Node | None:
    from raylint.events import compose_events  # few manifests have aliases

    return compose_events(_Parser(raw))


def _needs_care(raw: bytes) -> bool:
    """True if the C composer might be wrong about ``raw``, or recurse deeply. True for nothing is harmless."""
    return (
        (b"&" in raw and b"*" in raw and _ALIAS.search(raw) is not None)
        or (b"!" in raw and _BARE_TAG.search(raw) is not None)
        or (len(raw) > _SAFE_DEPTH and _may_be_deep(raw))
        or raw.startswith(_WIDE)
    )


def _may_be_deep(raw: bytes) -> bool:
    """Whether more than _SAFE_DEPTH levels are possible. Block levels each need a line that is one character
    longer than the line above, or two characters on one line."""
    return (
        raw.count(b"[") + raw.count(b"{") > _SAFE_DEPTH
        or b"- - - -" in raw
        or b"? ?" in raw
        or (len(raw) > _SAFE_DEPTH**2 // 4 and b" " * (_SAFE_DEPTH // 2) in raw)
    )


def _fault(error: YAMLError, raw: bytes) -> RefusedError:
    """Where and why parsing stopped."""
    try:
        text = raw.decode()
    except UnicodeDecodeError as undecodable:
        at = len(raw[: undecodable.start].decode())
        message = f"byte 0x{raw[undecodable.start]:02x} is not UTF-8"
        return RefusedError(message, "save the file as UTF-8", at, at + 1, _NOT_UTF8)
    if isinstance(error, ReaderError) and (bad := _FORBIDDEN.search(text)):
        message = f"the control character U+{ord(bad[0]):04X} is not allowed in YAML"
        return RefusedError(message, "remove it", bad.start(), bad.end())
    problem = str(getattr(error, "problem", None) or error)
    stop = getattr(error, "problem_mark", None)
    begin = getattr(error, "context_mark", None) or stop
    return explain(problem, text, stop.index if stop else 0, begin.index if begin else 0)
