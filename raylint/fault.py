"""Why a text cannot be read, in words that a person can act on."""

from __future__ import annotations

import re

from raylint.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.finding import Span

__all__ = ["RefusedError", "UnreadableError", "explain", "too_deep"]


class RefusedError(Exception):
    """Something in one document that kubectl refuses. ``start`` and ``end`` are offsets in characters; ``effect``
    says what comes of it, where that is not that kubectl stops."""

    def __init__(self, message: str, fix: str, start: int, end: int, effect: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix
        self.start = start
        self.end = max(start, end)
        self.effect = effect


class UnreadableError(Exception):
    """A text that the reader it is meant for refuses. ``span`` counts lines and columns within that text."""

    def __init__(self, message: str, span: Span | None = None, fix: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.fix = fix


def too_deep(levels: int, start: int) -> RefusedError:
    """A list or mapping at ``start`` that is the first of more ``levels`` than raylint walks."""
    return RefusedError(f"nested more than {levels} levels deep", "flatten the structure", start, start + 1)


_TAB = ("a tab stands where YAML wants spaces", "indent with spaces; a tab cannot indent")
_OPEN_MAPPING = ("a `{` mapping goes on without a comma or is not closed", "add the missing `,` or `}`")
_OPEN_LIST = ("a `[` list goes on without a comma or is not closed", "add the missing `,` or `]`")
_BAD_ESCAPE = (
    "a `\\x` or `\\u` escape without enough hexadecimal digits",
    "write all digits, or double the backslash",
)

# What libyaml and PyYAML's own parser say, in their words, and what it means to a person. The first match wins.
_MEANINGS: tuple[tuple[str, tuple[str, str]], ...] = (
    ("could not find expected ':'",
     ("this is no `key: value` pair", "add the missing `: `, or check indentation and quotes here and above")),
    ("mapping values are not allowed",
     ("a key within the value of the line above", "correct the indentation, or the colon that is missing above")),
    ("did not find expected key",
     ("this line does not fit the indentation of its mapping", "align it with the other keys of its mapping")),
    ("expected <block end>",
     ("this line does not fit the indentation around it", "align it with its neighbours")),
    ("did not find expected '-' indicator",
     ("this line does not fit the list it stands in", "begin it with `- `, or indent it under the item above")),
    ("sequence entries are not allowed",
     ("a list item `- ` cannot stand here", "put the list on lines of its own below its key")),
    ("mapping keys are not allowed", ("a key cannot stand here", "put the key on a line of its own")),
    ("expected ',' or '}'", _OPEN_MAPPING),
    ("expected ',' or ']'", _OPEN_LIST),
    ("unexpected document",
     ("the quoted text that begins here is cut off by a line `---` or `...`", "close the quotes")),
    ("unexpected end of stream", ("the quoted text that begins here is never closed", "close the quotes")),
    ("unknown escape character",
     ("a backslash sequence that YAML does not know", "double the backslash, or use single quotes")),
    ("invalid Unicode character escape",
     ("a `\\u` escape that is no character by itself", "write the character itself; YAML has no surrogate pairs")),
    ("expected hexdecimal number", _BAD_ESCAPE),
    ("expected escape sequence of", _BAD_ESCAPE),
    ("found a tab character", _TAB),
    ("maximum nesting depth", ("nested too deeply to be read", "flatten the structure")),
    ("undefined tag handle", ("a `!name!` tag that nothing declares", "quote the value, or drop the tag")),
    ("expected tag URI", ("a tag `!` without a readable name", "quote the value, or drop the tag")),
    ("alphabetic or numeric character",
     ("an `&` or `*` that is no anchor or alias", "quote the value if it is meant as text")),
    ("expected <document start>",
     ("text that belongs to no document", "indent it, or separate it with a line `---`")),
    ("expected node content", ("a value is missing here", "write the value, or remove the sign before it")),
    ("expected the node content", ("a value is missing here", "write the value, or remove the sign before it")),
    ("comment or line break", ("text on the line of `|` or `>`", "begin the text on the next line")),
    ("indentation indicator", ("the number after `|` or `>` is not 1 to 9", "drop the number")),
)  # fmt: skip

_STARTERS = {
    "\t": _TAB,
    "@": ("an unquoted value cannot begin with `@`", "quote the value"),
    "`": ("an unquoted value cannot begin with a backtick", "quote the value"),
    "%": ("an unquoted value cannot begin with `%`", "quote the value"),
}

# Look-alikes of a blank, and line breaks that no editor shows.
_INVISIBLE = {
    "\xa0": "a no-break space (U+00A0), which is no blank to YAML",
    "\u3000": "an ideographic space (U+3000), which is no blank to YAML",
    "\u200b": "a zero-width space (U+200B), which is no blank to YAML",
    "\x85": "a next-line character (U+0085), which ends a line to YAML",
    "\u2028": "a line separator (U+2028), which ends a line to YAML",
    "\u2029": "a paragraph separator (U+2029), which ends a line to YAML",
}
_INVISIBLE_CHARACTER = pattern("[" + "".join(_INVISIBLE) + "]")
_TOKENS = r"""(?<![^\s])\#[^\n]*|'[^']*'|([\[{])|([\]}])"""
_FLOW_TOKEN = pattern(_TOKENS + r"""|"[^"\\]*(?:\\.[^"\\]*)*("?)""", re.DOTALL)
_UNQUOTED_TOKEN = pattern(_TOKENS)
_LINE_END = pattern(r"[\r\n]")
_LONG_KEY = 1024
_SHOWN = 80


def explain(problem: str, text: str, stop: int, begin: int) -> RefusedError:
    """A parser's complaint in plain words. ``stop`` is where it gave up, ``begin`` where the thing it was reading
    begins: the better place for what is never closed and for a line that turns out to be no key."""
    if text[stop:].strip() == "":
        opened = _last_open(text)
        if opened is not None:
            name, close = ("mapping", "}") if text[opened] == "{" else ("list", "]")
            message = f"the {name} that begins here with `{text[opened]}` is never closed"
            return RefusedError(message, f"add the missing `{close}`", opened, opened + 1)
        begin = min(begin, max(len(text.rstrip()) - 1, 0))
        stop = begin
    start = begin if "could not find" in problem or "unexpected document" in problem else stop
    line_start = text.rfind("\n", 0, start) + 1
    before = text[line_start:start]
    if "mapping values" in problem and ":" not in before:
        # The key itself is what is out of place, not the colon after it.
        start = line_start + len(before) - len(before.lstrip(" -"))
    end = _line_end(text, start)
    culprit = _INVISIBLE_CHARACTER.search(text, line_start, end)
    if culprit and "expected" in problem:
        message = f"this line holds {_INVISIBLE[culprit[0]]}"
        return RefusedError(message, "replace it with a plain space", culprit.start(), culprit.end())
    message, fix = _meaning(problem, text[line_start:end], start - line_start)
    if "could not find expected ':'" in problem and stop - start > _LONG_KEY:
        message, fix = f"a key of more than {_LONG_KEY} characters", "shorten it, or write it as a value"
    return RefusedError(message, fix, start, min(end, start + _SHOWN))


def _last_open(text: str) -> int | None:
    """The bracket that is still open at the end, if any, by a rough reading that minds quotes and comments."""
    stack: list[int] = []
    for token in _flow_tokens(text):
        if token[1]:
            stack.append(token.start(1))
        elif token[2] and stack:
            stack.pop()
    return stack[-1] if stack else None


def _flow_tokens(text: str) -> Iterator[re.Match[str]]:
    """Brackets, quoted texts and comments. Behind a quote that nothing closes no other can be closed either; to
    try each of them would take the square of the text's length."""
    for token in _FLOW_TOKEN.finditer(text):
        if token[0][0] == '"' and not token[3]:
            yield from _UNQUOTED_TOKEN.finditer(text, token.start() + 1)
            return
        yield token


def _meaning(problem: str, line: str, column: int) -> tuple[str, str]:
    if "cannot start any token" in problem:
        return _STARTERS.get(line[column : column + 1], ("this character cannot begin a value", "quote the value"))
    if "expected key" in problem and line.lstrip(" ").startswith("\t"):
        return _TAB
    if "expected key" in problem and line[:column].strip(" -"):
        return "text follows a value that is complete", "quote the whole value, and double a quote within it"
    if "mapping values" in problem and ":" in line[:column]:
        return "a second `: ` on one line", "quote the value if it holds `: `"
    for words, meaning in _MEANINGS:
        if words in problem:
            return meaning
    return f"invalid YAML: {problem}", "correct the syntax"


def _line_end(text: str, start: int) -> int:
    found = _LINE_END.search(text, start)
    return found.start() if found else len(text)
