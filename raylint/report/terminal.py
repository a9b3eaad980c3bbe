"""Text that is safe to show: escapes, widths and colours of a terminal."""

from __future__ import annotations

from raylint.finding import Severity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.finding import Finding, Place

__all__ = [
    "ORDERS",
    "Paint",
    "cells",
    "fixable",
    "is_plain",
    "level",
    "level_color",
    "pieces",
    "position",
    "printable",
]

# What CI services read as orders in a job's log wherever it stands in a line.
ORDERS = ("##[", "##vso[")

# Characters that nobody sees although they count as printable: fillers, joiners, the empty pattern of Braille
# (Unicode: Default_Ignorable_Code_Point, but not the selectors that emoji need).
_INVISIBLE = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
_SELECTORS = ("\U000e0100", "\U000e01ef")

# By severity: its name and colour.
_LEVELS = (("", ""), ("info", "cyan"), ("warning", "yellow"), ("error", "red"))
_COLORS = {"bold": "1", "red": "1;31", "yellow": "1;33", "cyan": "1;36", "blue": "1;34"}


def printable(text: str) -> str:
    """The text in one line. What is not plainly visible (control characters, formatting that hides or reorders
    text, other blanks than the space, bytes that are not UTF-8) becomes ``\\x1b`` or ``\\u202e``."""
    return text if is_plain(text) else "".join(pieces(text, tab="\\x09"))


def is_plain(text: str) -> bool:
    """Is every character shown as it is? With ``##`` or ``::`` there may be one of the ORDERS in it."""
    return text.isascii() and text.isprintable() and "::" not in text and "##" not in text


def pieces(text: str, *, tab: str) -> list[str]:
    """What stands on the terminal for each character of the text; ``tab``: for a tab."""
    if text.isascii() and text.isprintable():
        shown = list(text)
    else:
        shown = [_shown(character) if character != "\t" else tab for character in text]
    for order in ORDERS:
        at = text.find(order)
        while at >= 0:
            shown[at] = "\\x23"
            at = text.find(order, at + 1)
    # GitHub's orders stand at the start of a line.
    if text.lstrip().startswith("::"):
        shown[text.index(":")] = "\\x3a"
    return shown


def _shown(character: str) -> str:
    return character if _visible(character) else _escape(character)


def _visible(character: str) -> bool:
    first, last = _SELECTORS
    return character.isprintable() and character not in _INVISIBLE and not first <= character <= last


def _escape(character: str) -> str:
    code = ord(character)
    if character == "\n":
        return "\\n"
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a file name that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def cells(text: str) -> int:
    """How many columns of a terminal the (printable) text takes."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    width = 0
    for character in text:
        if category(character) not in ("Mn", "Me", "Cf"):
            width += 2 if east_asian_width(character) in "WF" else 1
    return width


class Paint:
    """Colours, or none: every method returns the text as it is where colours are off."""

    __slots__ = ("on",)

    def __init__(self, on: bool) -> None:
        self.on = on

    def __call__(self, color: str, text: str) -> str:
        return f"\x1b[{_COLORS[color]}m{text}\x1b[0m" if self.on else text


def level_color(severity: Severity) -> str:
    return _LEVELS[severity][1]


def level(finding: Finding, paint: Paint) -> str:
    """``warning[RAY101]``, in the severity's colour."""
    name, color = _LEVELS[finding.severity]
    return paint(color, f"{name}[{finding.rule_id}]")


def fixable(finding: Finding) -> str:
    """``[fixable]`` or ``[fixable, unsafe]``, where a machine can mend it."""
    if not finding.fixes:
        return ""
    return "[fixable]" if any(fix.safe for fix in finding.fixes) else "[fixable, unsafe]"


def position(place: Place) -> str:
    """``file:line:column``, or the file alone where there is no text."""
    name = printable(place.file)
    return f"{name}:{place.line}:{place.column}" if place.span else name
