"""PyYAML's own parser in the place of libyaml's, where PyYAML was built without it: some 20 times slower.

It is stricter than libyaml about tabs, which libyaml and kubectl take for blanks between and inside of tokens.
"""

from __future__ import annotations

from yaml.parser import Parser
from yaml.reader import Reader, ReaderError
from yaml.scanner import Scanner, ScannerError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["PureParser"]

_BREAKS = "\r\n\x85\u2028\u2029"
_END = "\0" + _BREAKS


class PureParser(Reader, Scanner, Parser):
    """The part of the interface of libyaml's binding that composing from events takes."""

    def __init__(self, raw: bytes) -> None:
        try:
            text = raw.decode()
        except UnicodeDecodeError as error:
            raise ReaderError("", error.start, raw[error.start], "utf-8", error.reason) from None
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)

    def scan_to_next_token(self) -> None:
        scanner: Any = self
        while True:
            # A tab may not indent: where a key could begin, only spaces are skipped.
            blanks = " " if scanner.allow_simple_key and not scanner.flow_level else " \t"
            while scanner.peek() in blanks:
                scanner.forward()
            if scanner.peek() == "#":
                while scanner.peek() not in _END:
                    scanner.forward()
            if not scanner.scan_line_break():
                return
            if not scanner.flow_level:
                scanner.allow_simple_key = True

    def scan_plain_spaces(self, indent: int, start_mark: Any) -> list[str]:
        scanner: Any = self
        length = 0
        while scanner.peek(length) in " \t":
            length += 1
        blanks = scanner.prefix(length)
        scanner.forward(length)
        if scanner.peek() not in _BREAKS:
            return [blanks] if blanks else []
        first = scanner.scan_line_break()
        scanner.allow_simple_key = True
        breaks: list[str] = []
        while not self._at_separator():
            if scanner.peek() == "\t" and scanner.column < indent:
                message = "found a tab character that violates indentation"
                raise ScannerError("while scanning a plain scalar", start_mark, message, scanner.get_mark())
            if scanner.peek() in " \t":
                scanner.forward()
            elif scanner.peek() in _BREAKS:
                breaks.append(scanner.scan_line_break())
            else:
                return [*([first] if first != "\n" else [] if breaks else [" "]), *breaks]
        return []

    def _at_separator(self) -> bool:
        scanner: Any = self
        begins = scanner.column == 0 and scanner.prefix(3) in ("---", "...")
        return begins and scanner.peek(3) in _END + " \t"
