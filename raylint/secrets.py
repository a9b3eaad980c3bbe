"""Keeps secrets out of reports: finds literal passwords and tokens in an object and covers them in any text.

A report shows source lines, and rules quote values. Whatever a rule does, what this module finds never leaves
the engine.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache

from raylint.patterns import pattern
from raylint.schema_fault import path_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.finding import Path, Span
    from raylint.schema_fault import Trail

__all__ = ["Mask", "cover"]

# Names of variables, options and fields whose value is a secret. ``key`` and ``secretName`` only name one. Plain
# words instead of a pattern: compiling one that ignores case costs a millisecond.
_SECRET_WORDS: tuple[str, ...] = ("password", "passwd", "passphrase", "requirepass", "masterauth")
_SECRET_WORDS += ("apikey", "api-key", "api_key", "privatekey", "private-key", "private_key")
_SECRET_ENDS = ("accesskey", "-key", "_key", "credential", "credentials", "token", "secret", "-pwd", "_pwd")
# A stretch of text that an address could stand in.
_WORD = pattern(r"[^\s\"'`,]+")
_KEYWORD = (
    r"(?:passw(?:or)?d|requirepass|api[-_]?key|secret[-_]?key|access[-_]?key|private[-_]?key|[-_]token|_secret)"
)
# One of these is in whatever the keyword matches.
_HINTS = ("passw", "requirepass", "key", "token", "secret")
_VALUE = r"(\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|[^\s\"',}&;]+)"
# ``password: value`` or ``TOKEN=value`` inside any text. What stands before the keyword is left to the text: a
# pattern that took it in would go back over a long word from each of its characters.
_ASSIGNED = pattern(rf"({_KEYWORD}[\"']?\s*[:=]\s*){_VALUE}", re.IGNORECASE)
# ``--redis-password value`` in a command; the callback looks for the dashes.
_FLAG = pattern(rf"({_KEYWORD}[ \t]+){_VALUE}", re.IGNORECASE)
_LONGEST_FLAG = 40
# No secret although it stands where one could: a reference to a variable, a switch, the path of a key's file.
_NO_SECRET = pattern(
    r"\$[({]*[A-Za-z_][A-Za-z0-9_]*[)}]*\Z|(?:true|false|null|~|[0-9])\Z|/\S+\.(?:key|pem|crt|cert|json)\Z",
    re.IGNORECASE,
)
# Begins something else than a plain scalar, where a line of YAML is read as text.
_YAML_INDICATORS = "{[|>&*!"
# Fields whose text is YAML of its own.
_EMBEDDED = ("serveConfigV2", "runtimeEnvYAML")
# Numbers and switches are no secrets.
_TELLING = (str, dict, list)
# A shorter text would cover innocent words of a message.
_SHORTEST = 3


class Mask:
    """Covers the secrets of one document. ``paths`` lead to the values that are secret as a whole: in the source
    they may be written in ways that no search for their text finds. ``inner_paths`` lead to those in a text that
    holds YAML of its own: the path of the text, the text, the path in it."""

    __slots__ = ("_values", "inner_paths", "paths")

    def __init__(self, data: object) -> None:
        found: set[str] = set()
        self.paths: list[Path] = []
        self.inner_paths: list[tuple[Path, str, Path]] = []
        for path, text, whole in _secrets(data):
            if whole:
                self.paths.append(path)
                found.update(_spellings(text))
                continue
            found.update(text[start:end] for start, end in _userinfo(text))
            for inner, inner_text in _embedded_secrets(path, text):
                self.inner_paths.append((path, text, inner))
                found.update(_spellings(inner_text))
        # The longest first: one secret may contain another.
        known = (value for value in found if len(value) >= _SHORTEST)
        self._values = sorted(known, key=lambda value: (-len(value), value))

    def __call__(self, text: str) -> str:
        """The text with every secret replaced by as many asterisks, so that columns stay true."""
        for value in self._values:
            if value in text:
                text = text.replace(value, "*" * len(value))
        text = _without_userinfo(text)
        lower = text.lower()
        if not any(hint in lower for hint in _HINTS):
            return text
        return _FLAG.sub(_cover_flag, _ASSIGNED.sub(_cover_assigned, text))


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
    if isinstance(data, str):
        yield (), data, False
    # A name is the key or the variable that a value stands under; None: whatever is below is secret.
    queue: list[tuple[Trail, object, str | None]] = [(None, data, "")]
    while queue:
        trail, value, name = queue.pop()
        for step, item, owner in _named_items(value, name):
            if not isinstance(item, str):
                queue.append(((trail, step), item, owner))
                continue
            whole = owner is None or (_names_a_secret(owner) and not _NO_SECRET.match(item))
            if item and (whole or "@" in item or step in _EMBEDDED):
                yield path_of((trail, step)), item, whole


def _named_items(value: object, name: str | None) -> Iterator[tuple[str | int, object, str | None]]:
    """The texts, mappings and lists right in ``value``, with what they stand under."""
    if isinstance(value, dict):
        variable = value.get("name")
        # An environment variable: {name: REDIS_PASSWORD, value: hunter2}; redisPassword: {value: hunter2}.
        of_value = variable if isinstance(variable, str) else name
        secret = ("data", "stringData") if value.get("kind") == "Secret" else ()
        for key, item in value.items():
            if isinstance(item, _TELLING):
                yield key, item, None if name is None or key in secret else of_value if key == "value" else key
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, _TELLING):
                flag = value[index - 1] if index else None
                follows = isinstance(flag, str) and flag.startswith("-") and "=" not in flag
                yield index, item, flag if follows and name is not None else name


def _embedded_secrets(path: Path, text: str) -> Iterator[tuple[Path, str]]:
    """The texts that are secret as a whole in a YAML document inside a field, with their paths in it."""
    if path and path[-1] in _EMBEDDED:
        from raylint.embedded_document import embedded_data  # it imports what reads YAML

        for inner, inner_text, whole in _secrets(embedded_data(text)):
            if whole:
                yield inner, inner_text


# The same few names come up again and again.
@lru_cache(maxsize=1024)
def _names_a_secret(name: str) -> bool:
    name = name.lower()
    return name == "pwd" or name.endswith(_SECRET_ENDS) or any(word in name for word in _SECRET_WORDS)


def _spellings(secret: str) -> Iterator[str]:
    """A secret as messages and source lines may show it."""
    yield secret
    yield repr(secret)[1:-1]
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    yield secret.replace("'", "''")
    # A block shows up line by line.
    yield from (line.strip() for line in secret.splitlines())
