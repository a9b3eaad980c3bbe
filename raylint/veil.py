"""Shows the shape of source lines that nobody could read: which of their words is a secret cannot be known, so no
value is shown."""

from __future__ import annotations

from raylint.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

__all__ = ["veiled", "veiled_quotes"]

_TOKEN = pattern(
    r"(?P<tag>\{\{-?\s*(?:[.$]|[a-z]\w*\s)[^}]{0,400}\}\}|\{%[^%]{0,400}%\})"
    r"|(?P<sign>---(?!-)|\A\.\.\.(?=\s|\Z)|%(?:YAML|TAG)\b|[\[\]{},]|[-?:](?=\s|\Z)|[#&*!@%`|>\\])"
    r"|(?P<quoted>\"(?:[^\"\\]|\\.)*\"?|'[^']*'?)"
    r"|(?P<word>:?[^\s\[\]{},\"':]+(?::[^\s\[\]{},\"':]+)*:*(?<!:)|:)"
    r"|(?P<blank>\s+)"
    r"|(?P<other>.)"
)
_KEY = pattern(r"[\"']?[A-Za-z_][A-Za-z0-9_./-]{0,62}[\"']?\Z")
_COLON = pattern(r"\s*:(?=\s|\Z)")
_QUOTED_COLON = pattern(r"\s*:")
_IN_TAG = pattern(r"\"[^\"]*\"|'[^']*'|\b[0-9]\w*|`[^`]*`")
_QUOTE = pattern(r"`[^`]*`|'[^']*'")
_ALL_QUOTES = pattern(r"`.*`|'.*'")
# No statement of raylint's own quotes more.
_LONGEST_OWN = 12


def veiled(line: str) -> str:
    """The line with its values replaced by as many asterisks: indentation, brackets, signs and keys stay."""
    shown: list[str] = []
    begins, depth = True, 0
    for match in _TOKEN.finditer(line):
        text, kind = match[0], match.lastgroup
        if kind in ("word", "quoted"):
            is_key = begins and _KEY.match(text) and _is_before_colon(line, match)
            shown.append(text if is_key or text == ":" else _stars(text))
            begins = False
        elif kind == "tag":
            shown.append(_IN_TAG.sub(lambda part: _stars(part[0]), text))
        elif kind == "other":
            shown.append("*")
        else:
            shown.append(text)
            depth += (text in "{[") - (text in "}]") if kind == "sign" else 0
            begins = (
                (begins and (kind == "blank" or text in "-?---")) or text == "{" or (text == "," and depth > 0)
            )
    return "".join(shown)


def veiled_quotes(message: str, lines: Iterable[str]) -> str:
    """A statement about lines that could not be read, without what it quotes of them."""
    source = "\n".join(lines)
    if "`" not in message and "'" not in message:
        return message
    quote = _ALL_QUOTES if any(sign in source and message.count(sign) > 2 for sign in "`'") else _QUOTE

    def shown(match: re.Match[str]) -> str:
        inner = match[0][1:-1]
        own = len(inner) <= _LONGEST_OWN and inner.strip("&*!") not in source
        return match[0] if own else match[0][0] + veiled(inner) + match[0][-1]

    return quote.sub(shown, message)


def _is_before_colon(line: str, match: re.Match[str]) -> bool:
    colon = _QUOTED_COLON if match["quoted"] else _COLON
    return colon.match(line, match.end()) is not None


def _stars(text: str) -> str:
    return "*" * len(text)
