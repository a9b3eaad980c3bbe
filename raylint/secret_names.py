"""Which values of an object are secrets, by the names that they stand under."""

from __future__ import annotations

import json
import re
from functools import lru_cache

from raylint.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeAlias

    from raylint.schema_fault import Trail

    # A step, what it leads to, the name that this stands under (None: whatever is there is secret), the context.
    Entry: TypeAlias = tuple[str | int, object, str | None, int]

__all__ = [
    "NO_SECRET",
    "is_secret",
    "may_hold_secrets",
    "named_scalars",
    "names_a_secret",
    "names_an_address",
    "written",
]

# Names of variables, options and fields whose value is a secret. ``key`` and ``secretName`` only name one. Plain
# words instead of a pattern: compiling one that ignores case costs a millisecond.
_SECRET_WORDS: tuple[str, ...] = (
    "password",
    "passwd",
    "pasword",
    "passwrd",
    "passphrase",
    "requirepass",
    "masterauth",
)
_SECRET_WORDS += ("apikey", "api-key", "api_key", "privatekey", "private-key", "private_key")
_SECRET_ENDS: tuple[str, ...] = ("accesskey", "secretkey", "-key", "_key", "credential", "credentials", "secret")
_SECRET_ENDS += ("token", "tokens", "-pwd", "_pwd", "_pass", "-pass", "_pw", "-pw", "_auth", "_pat")
_SECRET_NAMES = ("pwd", "pass", "pw")
_ADDRESS_ENDS = ("redisaddress", "redisurl", "redisuri")
# Wherever a secret is, one of these is written: a part of every word above, or a sign of an address's credentials.
_SIGNS: tuple[str, ...] = ("secret", "token", "pass", "pw", "auth", "-key", "_key", "credential", "apikey")
_SIGNS += ("privatekey", "accesskey", "signingkey", "encryptionkey", "@", "?", "redis-cli", "_pat")
# A form may go over several lines of a text, of which a report shows one.
_SIGNS += ("private key-----", "curl", "mysql", "wandb login")
# Lines without a sign that are remembered: so many, and none that is longer.
_MOST_HARMLESS, _LONGEST_HARMLESS = 1024, 160
_harmless: set[str] = set()
# Fields of Kubernetes that are named like secrets and only refer to them.
_REFERRING = ("secret", "serviceAccountToken")
# What a ``valueFrom`` holds to find a value elsewhere.
_REFERENCES = ("secretKeyRef", "configMapKeyRef", "fieldRef", "resourceFieldRef", "fileKeyRef")
_REFERENCE_PARTS: tuple[str, ...] = (
    "name",
    "key",
    "optional",
    "fieldPath",
    "apiVersion",
    "containerName",
    "resource",
    "divisor",
)
_REFERENCE_PARTS += ("volumeName", "path")
_KNOWN_KEYS = frozenset(("value", "valueFrom", *_REFERENCE_PARTS, *_REFERENCES))
_PLAIN, _ALL_SECRET, _REFERENCE, _VARIABLES = range(4)
# No secret although it stands where one could: a reference to a variable, a switch, the path of a key's file.
NO_SECRET = pattern(
    r"\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\}?|\([A-Za-z_]\w*\)?)\Z|(?:true|false|null|~|[0-9])\Z"
    r"|/\S+\.(?:key|pem|crt|cert|json)\Z",
    re.IGNORECASE | re.ASCII,
)


def may_hold_secrets(raw: bytes | None, lines: Sequence[str] | None = None) -> bool:
    """Could the text of a document hold a secret? Most hold none, and to go through their data takes as long as
    to judge them. Unknown for what has no text, and where words may be written in other characters than their own:
    behind an escape or a tag, or with letters of which others are the small ones. ``lines``: those of the text,
    where they are known."""
    if raw is None or b"\\" in raw or b"!" in raw or not raw.isascii():
        return True
    if lines is None:
        return _shows_sign(raw.decode("ascii"))
    # Most lines of a manifest are those of the one before.
    if _harmless.issuperset(lines):
        return False
    new = set(lines) - _harmless
    if _shows_sign("\n".join(new)):
        return True
    if len(_harmless) + len(new) > _MOST_HARMLESS:
        _harmless.clear()
    if len(new) <= _MOST_HARMLESS:
        _harmless.update([line for line in new if len(line) <= _LONGEST_HARMLESS])
    return False


def written(data: object) -> bytes | None:
    """Data that has no text as one in which signs of secrets can be looked for. In its quotes and ends of lines
    none can hide; other escapes stay. None where it is too deep to be written."""
    try:
        text = json.dumps(data, ensure_ascii=False, default=str)
    except RecursionError:
        return None
    return text.replace('\\"', '"').replace("\\n", "\n").encode("utf-8", "surrogatepass")


# A rule asks, and whoever reports what it found.
@lru_cache(maxsize=2)
def _shows_sign(text: str) -> bool:
    # A `_pat` is a token; an `import_path` is in every Serve configuration.
    small = text.lower().replace("_path", " ")
    return bool([sign for sign in _SIGNS if sign in small])


def is_secret(value: object, owner: str | None, context: int) -> bool:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)) or value == "":
        return False
    if owner is None:
        return True
    if context != _ALL_SECRET and not names_a_secret(owner):
        return False
    written = str(value)
    # ``max_tokens: 4096`` counts words.
    counts = owner.lower().endswith("tokens") and written.isdigit()
    return not counts and not NO_SECRET.match(written)


def named_scalars(data: object) -> Iterator[tuple[Trail, object, str | None, int]]:
    """The scalars in ``data`` that may be secret; a None stands for a key that is itself."""
    queue: list[tuple[Trail, object, str | None, int]] = [(None, data, "", _PLAIN)]
    while queue:
        trail, value, name, context = queue.pop()
        entries = _entries(value, name, context) if isinstance(value, dict) else _items(value, name, context)
        for step, item, owner, below in entries:
            if isinstance(item, (dict, list)):
                queue.append(((trail, step), item, owner, below))
            elif below == _ALL_SECRET and item is None:
                if owner is not None and isinstance(step, str) and step not in _KNOWN_KEYS:
                    yield (trail, step), None, owner, below
            elif isinstance(item, str) or (item.__class__ in (int, float) and below != _REFERENCE):
                yield (trail, step), item, owner, below


def _entries(value: dict[str, object], name: str | None, context: int) -> Iterator[Entry]:
    """What is right in a mapping, with what it stands under."""
    if context in (_ALL_SECRET, _REFERENCE):
        for key, item in value.items():
            refers = isinstance(item, dict) and (context == _REFERENCE or key in ("valueFrom", *_REFERENCES))
            if refers or context == _ALL_SECRET or key not in _REFERENCE_PARTS:
                yield key, item, name, _REFERENCE if refers else _ALL_SECRET
        return
    # An environment variable: {name: REDIS_PASSWORD, value: hunter2}; redisPassword: {value: hunter2}.
    variable = _variable(value) if context == _VARIABLES else value.get("name")
    of_value = variable if isinstance(variable, str) else name
    if context == _VARIABLES and of_value and names_a_secret(of_value):
        for key, item in value.items():
            if item != variable:
                refers = isinstance(item, dict) and key == "valueFrom"
                yield key, item, of_value, _REFERENCE if refers else _ALL_SECRET
        return
    secret = ("data", "stringData") if value.get("kind") == "Secret" else ()
    for key, item in value.items():
        if name is None or key in secret:
            yield key, item, None, _ALL_SECRET
        elif key[:3].lower() == "val" and key != "valueFrom":
            all_below = isinstance(item, (dict, list)) and of_value and names_a_secret(of_value)
            yield key, item, of_value, _ALL_SECRET if all_below else _PLAIN
        elif isinstance(item, dict) and key not in _REFERRING and names_a_secret(key):
            yield key, item, key, _ALL_SECRET
        else:
            is_env = isinstance(item, list) and key[:3].lower() == "env" and key != "envFrom"
            yield key, item, key, _VARIABLES if is_env else _PLAIN


def _items(value: object, name: str | None, context: int) -> Iterator[Entry]:
    """What is right in a list, with what it stands under."""
    if not isinstance(value, list):
        yield from ()
        return
    for index, item in enumerate(value):
        flag = value[index - 1] if index else None
        follows = isinstance(flag, str) and flag.startswith("-") and "=" not in flag
        owner = flag if follows and name is not None and context == _PLAIN else name
        if flag == "-a" and index > 1 and str(value[0]).endswith("redis-cli"):
            owner = "password"
        yield index, item, owner, context


def _variable(entry: dict[str, object]) -> object:
    """The name of an environment variable, also where the key of the name is misspelt."""
    if isinstance(entry.get("name"), str):
        return entry["name"]
    texts = (item for key, item in entry.items() if isinstance(item, str) and key[:3].lower() != "val")
    return next((text for text in texts if names_a_secret(text)), None)


# The same few names come up again and again.
@lru_cache(maxsize=1024)
def names_a_secret(name: str) -> bool:
    # OLD_TOKEN2, MY_SECRET_VALUE
    name = name.lower().rstrip("0123456789").removesuffix("_value")
    if name in _SECRET_NAMES or name.endswith(_SECRET_ENDS):
        return True
    return any(word in name for word in _SECRET_WORDS)


@lru_cache(maxsize=1024)
def names_an_address(name: str) -> bool:
    """Whether the address of a Redis stands under the name: ``redisAddress``, ``RAY_REDIS_ADDRESS``."""
    return name.replace("_", "").replace("-", "").lower().endswith(_ADDRESS_ENDS)
