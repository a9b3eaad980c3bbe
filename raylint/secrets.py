"""Keeps secrets out of reports: finds literal passwords and tokens in an object and covers them in any text.

A report shows source lines, and rules quote values. Whatever a rule does, what this module finds never leaves
the engine.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.finding import Path, Span

__all__ = ["Mask", "cover"]

# Names of variables, options and fields whose value is a secret. ``key`` and ``secretName`` only name one.
_SECRET_NAME = re.compile(
    r"passw(or)?d|passphrase|requirepass|masterauth|api[-_]?key|private[-_]?key|access[-_]?key\Z|[-_]key\Z"
    r"|credentials?\Z|(\A|[-_])(token|secret|pwd)\Z|[a-z](Token|Secret)\Z|_TOKEN\b",
    re.IGNORECASE,
)
# A stretch of text that an address could stand in.
_WORD = re.compile(r"[^\s\"'`,]+")
_KEYWORD = (
    r"(?:passw(?:or)?d|requirepass|api[-_]?key|secret[-_]?key|access[-_]?key|private[-_]?key|[-_]token|_secret)"
)
_VALUE = r"(\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|[^\s\"',}&;]+)"
# ``password: value`` or ``TOKEN=value`` inside any text. What stands before the keyword is left to the text: a
# pattern that took it in would go back over a long word from each of its characters.
_ASSIGNED = re.compile(rf"({_KEYWORD}[\"']?\s*[:=]\s*){_VALUE}", re.IGNORECASE)
# ``--redis-password value`` in a command; the callback looks for the dashes.
_FLAG = re.compile(rf"({_KEYWORD}[ \t]+){_VALUE}", re.IGNORECASE)
_LONGEST_FLAG = 40
# No secret although it stands where one could: a reference to a variable, a switch, the path of a key's file.
_NO_SECRET = re.compile(
    r"\$[({]*[A-Za-z_][A-Za-z0-9_]*[)}]*\Z|(?:true|false|null|~|[0-9])\Z|/\S+\.(?:key|pem|crt|cert|json)\Z",
    re.IGNORECASE,
)
# Begins something else than a plain scalar, where a line of YAML is read as text.
_YAML_INDICATORS = "{[|>&*!"
# A shorter text would cover innocent words of a message.
_SHORTEST = 3


class Mask:
    """Covers the secrets of one document. ``paths`` lead to the values that are secret as a whole: in the source
    they may be written in ways that no search for their text finds."""

    __slots__ = ("_values", "paths")

    def __init__(self, data: object) -> None:
        found: set[str] = set()
        self.paths: list[Path] = []
        for path, text, whole in _secrets(data):
            if whole:
                self.paths.append(path)
                found.update(_spellings(text))
            else:
                found.update(text[start:end] for start, end in _userinfo(text))
        # The longest first: one secret may contain another.
        known = (value for value in found if len(value) >= _SHORTEST)
        self._values = sorted(known, key=lambda value: (-len(value), value))

    def __call__(self, text: str) -> str:
        """The text with every secret replaced by as many asterisks, so that columns stay true."""
        for value in self._values:
            if value in text:
                text = text.replace(value, "*" * len(value))
        return _FLAG.sub(_cover_flag, _ASSIGNED.sub(_cover_assigned, _without_userinfo(text)))


def cover(line: str, number: int, span: Span) -> str:
    """The source line of this number with what of it lies in the span replaced by asterisks."""
    if not span.line <= number <= span.end_line:
        return line
    start = span.column - 1 if number == span.line else len(line) - len(line.lstrip())
    end = span.end_column - 1 if number == span.end_line else len(line)
    return line[:start] + "*" * (end - start) + line[end:]


def _userinfo(text: str) -> Iterator[tuple[int, int]]:
    """Where credentials stand in addresses: what is before the last @ of ``scheme://user:password@host``, whatever
    is in it, and of a ``user:password@host`` that begins the text; an image's ``tag@sha256:...`` is none."""
    if "@" not in text:
        return
    for word in _WORD.finditer(text):
        end = word[0].rfind("@")
        if end < 0 or word[0].startswith("@sha256:", end):
            continue
        scheme = word[0].find("://", 0, end)
        if scheme >= 0:
            yield word.start() + scheme + 3, word.start() + end
        elif word.start() == 0 and ":" in word[0][:end] and "/" not in word[0][:end]:
            yield 0, end


def _without_userinfo(text: str) -> str:
    for start, end in _userinfo(text):
        text = text[:start] + "*" * (end - start) + text[end:]
    return text


def _cover_assigned(match: re.Match[str]) -> str:
    value = match[2]
    quoted = value[0] in "\"'"
    if _NO_SECRET.match(value[1:-1] if quoted else value) or value[0] in _YAML_INDICATORS:
        return match[0]
    return match[1] + "*" * len(value)


def _cover_flag(match: re.Match[str]) -> str:
    before = match.string[max(0, match.start() - _LONGEST_FLAG) : match.start()]
    is_flag = re.search(r"(?:\A|[\s\"'])--[\w-]*\Z", before)
    return _cover_assigned(match) if is_flag else match[0]


def _secrets(data: object) -> Iterator[tuple[Path, str, bool]]:
    """The texts in ``data`` that are secret as a whole (True) or may hold a secret (False), with their paths."""
    # A name is the key or the variable that a value stands under; None: whatever is below is secret.
    queue: list[tuple[Path, object, str | None]] = [((), data, "")]
    while queue:
        path, value, name = queue.pop()
        if isinstance(value, dict):
            queue.extend(((*path, key), item, _owner(value, key, name)) for key, item in value.items())
        elif isinstance(value, list):
            for index, item in enumerate(value):
                flag = value[index - 1] if index else None
                follows = isinstance(flag, str) and flag.startswith("-") and "=" not in flag
                queue.append(((*path, index), item, flag if follows and name is not None else name))
        elif isinstance(value, str) and value:
            whole = name is None or (_names_a_secret(name) and not _NO_SECRET.match(value))
            yield path, value, whole


# The same few names come up again and again.
@lru_cache(maxsize=1024)
def _names_a_secret(name: str) -> bool:
    return _SECRET_NAME.search(name) is not None


def _owner(mapping: dict[str, object], key: str, name: str | None) -> str | None:
    """An environment variable: {name: REDIS_PASSWORD, value: hunter2}; redisPassword: {value: hunter2}."""
    if name is None or (mapping.get("kind") == "Secret" and key in ("data", "stringData")):
        return None
    variable = mapping.get("name")
    if key != "value":
        return key
    return variable if isinstance(variable, str) else name


def _spellings(secret: str) -> Iterator[str]:
    """A secret as messages and source lines may show it."""
    yield secret
    yield repr(secret)[1:-1]
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    yield secret.replace("'", "''")
    # A block shows up line by line.
    yield from (line.strip() for line in secret.splitlines())
