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
from raylint.secret_forms import secret_forms
from raylint.secret_names import NO_SECRET, is_secret, named_scalars, names_a_secret, names_an_address

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from raylint.finding import Path
    from raylint.schema_fault import Trail

__all__ = ["Mask", "Secrets", "blank", "credentials", "told"]

# A stretch of text that an address could stand in.
_WORD = pattern(r"[^\s\"'`,]+")
_DIGEST = pattern(r"@sha256:[0-9a-f]{32}")
_SCHEME = pattern(r"[\s\"']*(?:(?:rediss?|unix|tcp|https?):/+)?")
_QUERY_VALUE = pattern(r"=([^&\s,\"']+)")
_PIECE = pattern(r"[^\s:,/@'\"?;=&]+")
# Parts of an address that nobody chose.
_COMMON = frozenset({"redis", "rediss", "default", "user", "username", "admin", "root", "ray", "head", "6379"})
_NUMBER = pattern(r"[0-9A-Za-z_.+-]+")
_KEYWORD = (
    r"(?:passw(?:or)?d|requirepass|api[-_]?key|secret[-_]?key|access[-_]?key|private[-_]?key|[-_]tokens?|_secret"
    r"|[-_]pass|[-_]pwd?|_auth)"
)
# One of these is in whatever the keyword matches.
_HINTS = ("pass", "key", "token", "secret", "pw", "_auth", "bearer")
_VALUE = r"(\\+\"[^\"\n]{0,400}\"|\\+'[^'\n]{0,400}'|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|[^\s\"',}&;]+)"
# ``password: value`` or ``TOKEN=value`` inside any text. What stands before the keyword is left to the text: a
# pattern that took it in would go back over a long word from each of its characters.
_ASSIGNED = pattern(rf"({_KEYWORD}\\*[\"']?\s*[:=]\s*){_VALUE}", re.IGNORECASE)
# ``--redis-password value`` in a command; the callback looks for the dashes.
_FLAG = pattern(rf"({_KEYWORD}[ \t]+){_VALUE}", re.IGNORECASE)
_DASHES = pattern(r"(?:\A|[\s\"'=,\[])--?[\w-]*\Z")
_LONGEST_FLAG = 40
_BEARER = pattern(r"(\bBearer[ \t]+)([^\s\"',}&;]{3,})")
# People's own words: ``password is value``.
_TOLD = pattern(
    r"((?:passw(?:or)?d|passphrase|\bpwd?|\bpass|token|secret|\bkey)[\"']?\s*(?:\b(?:is|was)\s+|[:=]\s*))(\S+)",
    re.IGNORECASE,
)
# Begins something else than a plain scalar, where a line of YAML is read as text.
_YAML_INDICATORS = "{[|>&*!"
# Fields whose text is YAML of its own.
_EMBEDDED = ("serveConfigV2", "runtimeEnvYAML")
# A shorter text would cover innocent words of a message.
_SHORTEST = 3
# How many texts of at most how many characters are remembered: findings of one kind repeat themselves.
_MOST_KNOWN, _LONGEST_KNOWN = 1024, 2000


class Secrets:
    """The secrets of one document.

    ``paths`` lead to the values that are secret as a whole, ``keys`` to the keys that are, ``addresses`` to those
    that hold credentials: in the source they may be written in ways that no search for their text finds.
    ``inner_paths`` lead to those in a text that holds YAML of its own: the path of the text, the text, the path in
    it. ``texts`` and ``numbers`` are what they say.
    """

    __slots__ = ("addresses", "inner_paths", "keys", "numbers", "paths", "texts")

    def __init__(self, data: object) -> None:
        self.texts: set[str] = set()
        self.numbers: set[str] = set()
        self.paths: list[Path] = []
        self.keys: list[Path] = []
        self.addresses: list[Path] = []
        self.inner_paths: list[tuple[Path, str, Path]] = []
        if isinstance(data, str):
            self._note(_userinfo(data), data)
        for trail, value, owner, context in named_scalars(data):
            self._take(trail, value, owner, context)

    def _take(self, trail: Trail, value: object, owner: str | None, context: int) -> None:
        if value is None:
            # ``redisPassword: {hunter2}``: no field has such a name.
            path = path_of(trail)
            self.keys.append(path)
            self._learn(str(path[-1]))
        elif is_secret(value, owner, context):
            self.paths.append(path_of(trail))
            self._learn(value)
        elif isinstance(value, str):
            if "@" in value or "?" in value:
                self._take_address(path_of(trail), value, owner)
            forms = secret_forms(value)
            if forms:
                self._note(forms, value)
            if owner == "env":
                self._take_variables(value)
            if trail is not None and trail[1] in _EMBEDDED:
                self._take_embedded(path_of(trail), value)

    def _take_variables(self, text: str) -> None:
        """``env: DB_PASSWORD hunter2``, where a list belongs."""
        words = text.split()
        for at, name in enumerate(words[:-1], 1):
            if names_a_secret(name):
                self._learn(words[at])

    def _take_address(self, path: Path, text: str, owner: str | None) -> None:
        if owner is None or not names_an_address(owner):
            self._note(_userinfo(text), text)
            return
        spans = list(credentials(text))
        if spans:
            self.addresses.append(path)
            self._note(spans, text)
            for start, end in spans:
                for piece in _PIECE.findall(text[start:end]):
                    if piece.lower() not in _COMMON:
                        (self.numbers if piece.isdigit() else self.texts).add(piece)

    def _take_embedded(self, path: Path, text: str) -> None:
        from raylint.embedded_document import embedded_data  # it imports what reads YAML

        inner = Secrets(embedded_data(text))
        self.texts |= inner.texts
        self.numbers |= inner.numbers
        for inner_path in (*inner.paths, *inner.addresses, *inner.keys):
            self.inner_paths.append((path, text, inner_path))

    def _learn(self, value: object) -> None:
        if isinstance(value, str):
            self.texts.update(_spellings(value))
        elif isinstance(value, (int, float)):
            self.numbers.update((str(value), repr(value), json.dumps(value), f"{value:g}"))
            if isinstance(value, float) and value.is_integer():
                self.numbers.add(str(int(value)))

    def _note(self, spans: Iterable[tuple[int, int]], text: str) -> None:
        for start, end in spans:
            self.texts.update(_spellings(text[start:end]))


class Mask:
    """Covers the secrets of documents in any text. ``secrets`` are those of each of the ``data``."""

    __slots__ = ("_by_start", "_known", "_numbers", "secrets")

    def __init__(self, *data: object) -> None:
        self.secrets = [Secrets(item) for item in data]
        self._numbers = {
            number for secrets in self.secrets for number in secrets.numbers if len(number) >= _SHORTEST
        }
        # By how they begin: a file may hold thousands of secrets.
        self._by_start: dict[str, list[str]] = {}
        for text in {text for secrets in self.secrets for text in secrets.texts if len(text) >= _SHORTEST}:
            self._by_start.setdefault(text[:_SHORTEST], []).append(text)
        self._known: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        """The text with every secret replaced by as many asterisks, so that columns stay true."""
        if not (self._by_start or self._numbers):
            return _known_by_form(text) if len(text) <= _LONGEST_KNOWN else _by_form(text)
        known = self._known.get(text)
        if known is None:
            known = self._covered(text)
            if len(text) <= _LONGEST_KNOWN:
                if len(self._known) >= _MOST_KNOWN:
                    self._known.clear()
                self._known[text] = known
        return known

    def _covered(self, text: str) -> str:
        spans = list(self._literal(text)) if self._by_start else []
        if self._numbers:
            spans += self._written_numbers(text)
        return _by_form(text, spans)

    def _written_numbers(self, text: str) -> Iterator[tuple[int, int]]:
        for match in _NUMBER.finditer(text):
            for word in (match[0], match[0].strip(".+-")):
                if word in self._numbers:
                    start = match.start() + match[0].index(word)
                    yield start, start + len(word)

    def _literal(self, text: str) -> Iterator[tuple[int, int]]:
        for start in self._starts(text):
            for secret in self._by_start[start]:
                at = text.find(secret)
                while at >= 0:
                    yield at, at + len(secret)
                    at = text.find(secret, at + len(secret))

    def _starts(self, text: str) -> Iterable[str]:
        if len(self._by_start) < len(text):
            return [start for start in self._by_start if start in text]
        return self._by_start.keys() & {text[at : at + _SHORTEST] for at in range(len(text))}


def _by_form(text: str, known: Iterable[tuple[int, int]] = ()) -> str:
    """The text without what is ``known`` to be secret in it, and without what its form or the words beside it tell
    to be secret."""
    spans = [*known, *_userinfo(text), *secret_forms(text)]
    if spans:
        text = blank(text, spans)
    lower = text.lower()
    for hint in _HINTS:
        if hint in lower:
            break
    else:
        return text
    text = _FLAG.sub(_cover_flag, _ASSIGNED.sub(_cover_assigned, text))
    return _BEARER.sub(_cover_assigned, text) if "Bearer" in text else text


# Rules say the same of one manifest after another, and hardly any of them holds a secret.
_known_by_form = lru_cache(maxsize=512)(_by_form)


def blank(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with what lies in the spans replaced by asterisks, in one pass."""
    parts: list[str] = []
    position = 0
    for start, end in sorted(spans):
        start = max(start, position)
        end = min(end, len(text))
        if end > start:
            parts += (text[position:start], "*" * (end - start))
            position = end
    parts.append(text[position:])
    return "".join(parts)


def credentials(address: str) -> Iterator[tuple[int, int]]:
    """Where a Redis address holds what nobody is to see: all before its last @ but the scheme, whatever it is, and
    the values of its query."""
    end = address.rfind("@")
    scheme = _SCHEME.match(address)
    start = scheme.end() if scheme else 0
    if end > start:
        yield start, end
    query = address.find("?", max(end, 0))
    if query >= 0:
        for match in _QUERY_VALUE.finditer(address, query):
            yield match.span(1)


def _userinfo(text: str) -> Iterator[tuple[int, int]]:
    """Where credentials stand in addresses: what is before the last @ of ``scheme://user:password@host``, whatever
    is in it, and of a ``user:password@host`` that begins the text; an image's ``tag@sha256:...`` is none."""
    if "@" not in text:
        return
    for word in _WORD.finditer(text):
        end = word[0].rfind("@")
        if end < 0 or _DIGEST.match(word[0], end):
            continue
        scheme = word[0].find("://", 0, end)
        if scheme >= 0:
            yield word.start() + scheme + 3, word.start() + end
        elif word.start() == 0 and ":" in word[0][:end] and "/" not in word[0][:end]:
            yield 0, end


def told(comment: str) -> str:
    """A person's comment without the secret that it tells."""
    return _TOLD.sub(lambda match: match[1] + "*" * len(match[2]), comment)


def _cover_assigned(match: re.Match[str]) -> str:
    value = match[2]
    quoted = value[0] in "\"'"
    if NO_SECRET.match(value[1:-1] if quoted else value) or value[0] in _YAML_INDICATORS:
        return match[0]
    if value.isdigit() and "tokens" in match[1].lower():
        return match[0]
    return match[1] + "*" * len(value)


def _cover_flag(match: re.Match[str]) -> str:
    flag = match[1].rstrip()
    before = match.string[max(0, match.start() - _LONGEST_FLAG) : match.start()]
    return _cover_assigned(match) if _DASHES.search(before + flag) else match[0]


def _spellings(secret: str) -> Iterator[str]:
    """A secret as messages and source lines may show it."""
    yield secret
    yield repr(secret)[1:-1]
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    yield secret.replace("'", "''")
    # A block shows up line by line.
    yield from (line.strip() for line in secret.splitlines())
