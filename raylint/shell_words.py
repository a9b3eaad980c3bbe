"""What a POSIX shell makes of a command line: operators that are not quoted, expansions, quotes that do not pair.

Source: the POSIX shell language, section 2 (quoting, tokens, expansions); bash's own additions where the
operator's line is run by bash.
"""

from __future__ import annotations

from raylint.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["COMMENT", "EXPANSION", "OPERATOR", "UNPAIRED", "Mark", "marks"]

OPERATOR, EXPANSION, COMMENT, UNPAIRED = "operator", "expansion", "comment", "unpaired"

_OPERATORS = ("&&", "||", ";;", ">>", "<<", "&>", ";", "|", "&", ">", "<", "\n")
# What stands for itself wherever it is written: an entrypoint may be a program of a megabyte.
_PLAIN = pattern(r"""[^\\"'$`#()&|;<>\n]+""")
_NAME_START = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
_NAME = _NAME_START | frozenset("0123456789")
_SPECIAL = frozenset("0123456789?$!#*@-")
# Without one of these a line has nothing to it; most have none.
_SIGNS = ("\\", '"', "'", "$", "`", "#", "(", ")", "&", "|", ";", "<", ">", "\n")


class Mark:
    """Something that a shell sees in a line: ``kind``, where, and its text; for the expansion of a variable the
    variable's name."""

    __slots__ = ("end", "kind", "name", "start", "text")

    def __init__(self, kind: str, start: int, end: int, text: str, name: str = "") -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.text = text
        self.name = name


def marks(line: str) -> Iterator[Mark]:
    """All of them in the order of the line. After an UNPAIRED one there is no more."""
    if not any(map(line.__contains__, _SIGNS)):
        return
    position, quoted, opened = 0, False, 0
    parentheses: list[int] = []
    while position < len(line):
        plain = _PLAIN.match(line, position)
        if plain is not None:
            position = plain.end()
            continue
        character = line[position]
        if character == "\\":
            position += 2
        elif character == '"':
            quoted, opened = not quoted, position
            position += 1
        elif character == "'" and not quoted:
            end = line.find("'", position + 1)
            if end < 0:
                yield Mark(UNPAIRED, position, len(line), "'")
                return
            position = end + 1
        elif character in "$`":
            mark = _expansion(line, position)
            if mark is not None:
                yield mark
                if mark.kind == UNPAIRED:
                    return
            position = mark.end if mark is not None else position + 1
        elif quoted:
            position += 1
        elif character == "#" and (position == 0 or line[position - 1] in " \t\n;&|("):
            end = line.find("\n", position)
            end = len(line) if end < 0 else end
            yield Mark(COMMENT, position, end, line[position:end])
            position = end
        elif character in "()":
            if character == "(":
                parentheses.append(position)
            elif parentheses:
                parentheses.pop()
            else:
                yield Mark(UNPAIRED, position, position + 1, ")")
                return
            yield Mark(OPERATOR, position, position + 1, character)
            position += 1
        else:
            operator = next((sign for sign in _OPERATORS if line.startswith(sign, position)), "")
            if operator:
                yield Mark(OPERATOR, position, position + len(operator), operator)
            position += len(operator) or 1
    if quoted:
        yield Mark(UNPAIRED, opened, len(line), '"')
    elif parentheses:
        yield Mark(UNPAIRED, parentheses[-1], len(line), "(")


def _expansion(line: str, start: int) -> Mark | None:
    """What ``$`` or a backtick begins; None where the sign stands for itself."""
    if line[start] == "`":
        return _until(line, start, start + 1, "`")
    following = line[start + 1 : start + 2]
    if following in ("(", "{"):
        mark = _until(line, start, start + 2, ")" if following == "(" else "}")
        if following == "{" and mark.kind == EXPANSION:
            mark.name = _name(line, start + 2)
        return mark
    if following in _NAME_START and following:
        name = _name(line, start + 1)
        return Mark(EXPANSION, start, start + 1 + len(name), f"${name}", name)
    if following in _SPECIAL and following:
        return Mark(EXPANSION, start, start + 2, line[start : start + 2])
    return None


def _name(line: str, start: int) -> str:
    end = start
    while end < len(line) and line[end] in _NAME:
        end += 1
    return line[start:end]


def _until(line: str, start: int, position: int, close: str) -> Mark:
    """An expansion up to the sign that closes it; quotes and further parentheses within are stepped over."""
    depth, opening = 1, {")": "(", "}": "{"}.get(close, "")
    while position < len(line):
        character = line[position]
        if character == "\\":
            position += 1
        elif character == "'" and close == ")":
            position = max(line.find("'", position + 1), position)
        elif character == close:
            depth -= 1
            if not depth:
                return Mark(EXPANSION, start, position + 1, line[start : position + 1])
        elif character == opening:
            depth += 1
        position += 1
    return Mark(UNPAIRED, start, len(line), line[start : start + 2] if close != "`" else "`")
