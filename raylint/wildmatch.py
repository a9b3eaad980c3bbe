"""Wildcards in paths, matched as git matches them (``wildmatch.c`` of git 2.39, with ``WM_PATHNAME``).

``*``, ``?`` and sets such as ``[a-z]`` stop at a slash, ``**`` does not. git compares bytes, so ``?`` is one byte
and not one character; hence ``bytes`` here. No backtracking: a match is one step per byte of the name, and no
pattern can make it slow.
"""

from __future__ import annotations

from raylint.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Glob", "literal_length"]

_STAR = ord("*")
_SLASH = ord("/")
# A path is not longer on Linux. Compiling takes the square of a pattern's length.
_LONGEST = 4096
_NO_SLASH = frozenset(range(256)) - {_SLASH}

_DIGIT = frozenset(b"0123456789")
_LOWER = frozenset(b"abcdefghijklmnopqrstuvwxyz")
_UPPER = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_GRAPH = frozenset(range(0x21, 0x7F))
_NAMED_CLASS = pattern(rb"\[:([^\]]*):\]")
_CLASSES = {
    b"alnum": _LOWER | _UPPER | _DIGIT,
    b"alpha": _LOWER | _UPPER,
    b"blank": frozenset(b" \t"),
    b"cntrl": frozenset(range(0x20)) | {0x7F},
    b"digit": _DIGIT,
    b"graph": _GRAPH,
    b"lower": _LOWER,
    b"print": _GRAPH | {0x20},
    b"punct": _GRAPH - _LOWER - _UPPER - _DIGIT,
    b"space": frozenset(b" \t\n\r"),
    b"upper": _UPPER,
    b"xdigit": _DIGIT | frozenset(b"abcdefABCDEF"),
}


class Glob:
    """A compiled pattern: an automaton whose states, the places between two tokens, are the bits of an integer."""

    __slots__ = ("_accept", "_cross", "_final", "_skip", "_stay")

    def __init__(self, text: bytes) -> None:
        # Bits of the states that go on with a byte, stay on any byte but a slash (at "*"), stay on any byte
        # (at "**"), and need not wait for the slash (at "**/", which stands for no directory as well).
        self._accept = [0] * 256
        self._stay = 0
        self._cross = 0
        self._skip = 0
        self._final = self._compile(text) if len(text) <= _LONGEST else 0

    def matches(self, name: bytes) -> bool:
        """Whether the whole of ``name`` matches; the time grows with the product of both lengths at most."""
        accept, stay, cross, skip = self._accept, self._stay, self._cross, self._skip
        states = 1 | (1 & skip) << 1
        for byte in name:
            reached = (states & accept[byte]) << 1
            kept = states & (cross if byte == _SLASH else stay | cross)
            states = reached | (reached & skip) << 1 | kept
            if not states:
                return False
        return bool(states & self._final)

    def _compile(self, text: bytes) -> int:
        """Fill the masks; returns the bit of the final state, 0 for a pattern that git never matches."""
        state = 1
        at = 0
        while at < len(text):
            if text[at] == _STAR:
                at = self._compile_stars(text, at, state)
                continue
            token = _token(text, at)
            if token is None:
                return 0
            accepted, at = token
            for byte in accepted:
                self._accept[byte] |= state
            state <<= 1
        return state

    def _compile_stars(self, text: bytes, at: int, state: int) -> int:
        end = _after_stars(text, at)
        if not _crosses_directories(text, at, end):
            self._stay |= state
            return end
        # After "**/" another "**" adds nothing, whatever follows it; without it no skip leads to another skip.
        while text[end : end + 3] == b"/**":
            end = _after_stars(text, end + 1)
        self._cross |= state
        if text[end : end + 1] == b"/":
            self._skip |= state
        return end


def _after_stars(text: bytes, at: int) -> int:
    while text[at : at + 1] == b"*":
        at += 1
    return at


def _crosses_directories(text: bytes, start: int, end: int) -> bool:
    """Whether the stars from ``start`` to ``end`` stand for several directories. They must fill the space
    between two slashes, but git cuts off what comes before the first special character, so that for
    ``foo**/bar`` it sees ``**/bar``."""
    if end - start < 2:
        return False
    if text[start - 1 : start] not in (b"", b"/") and literal_length(text) < start:
        return False
    return end == len(text) or text.startswith((b"/", b"\\/"), end)


def literal_length(text: bytes) -> int:
    """How many bytes come before the first special character."""
    for at, byte in enumerate(text):
        if byte in b"*?[\\":
            return at
    return len(text)


def _token(text: bytes, at: int) -> tuple[Iterable[int], int] | None:
    """The bytes that the token at ``at`` accepts and where it ends; None for one that git never matches."""
    char = text[at : at + 1]
    if char == b"?":
        return _NO_SLASH, at + 1
    if char == b"[":
        return _bracket(text, at + 1)
    if char == b"\\":
        at += 1
        return (text[at : at + 1], at + 1) if at < len(text) else None
    return char, at + 1


def _bracket(text: bytes, at: int) -> tuple[Iterable[int], int] | None:
    """A set such as ``[a-z]``, ``[!0]`` or ``[[:alpha:]]`` from behind its opening bracket on. It never
    accepts a slash; a closing bracket in the first place is a member."""
    if b"]" not in text[at:]:
        return None
    inverted = text[at : at + 1] in (b"!", b"^")
    at += inverted
    members: set[int] = set()
    first = at
    low: int | None = None  # what a "-" that comes next would begin a range with
    while text[at : at + 1] != b"]" or at == first:
        if named := _NAMED_CLASS.match(text, at):
            if named[1] not in _CLASSES:
                return None
            members |= _CLASSES[named[1]]
            low, at = None, named.end()
            continue
        start = None
        if text[at : at + 1] == b"-" and text[at + 1 : at + 2] not in (b"", b"]"):
            start = low
        at += start is not None
        at += text[at : at + 1] == b"\\"
        if at >= len(text):
            return None
        members.update(range(text[at] if start is None else start, text[at] + 1))
        low = text[at] if start is None else None
        at += 1
    return (_NO_SLASH - members if inverted else members & _NO_SLASH), at + 1
