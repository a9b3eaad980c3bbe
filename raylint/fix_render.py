"""Values as YAML or JSON text, for what a fix writes."""

from __future__ import annotations

import json

from raylint.patterns import pattern
from raylint.scalars import resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["block_entry", "block_item", "flow", "quoted", "scalar"]

# Texts that every YAML reader takes as they are, in a flow collection too, unless they read as another type.
_PLAIN = pattern(r"(?=.*[A-Za-z])[A-Za-z0-9_/][A-Za-z0-9_./-]*\Z")
_STEP = "  "


def scalar(value: object, *, style: str | None = None, is_json: bool = False) -> str:
    """A text, number, boolean or null; a text in the quotes ``style`` where it can be written in them."""
    if not isinstance(value, str) or is_json:
        return json.dumps(value, ensure_ascii=False)
    if style == "'" and _is_printable(value):
        return quoted(value, "'")
    if style != '"' and _is_plain(value):
        return value
    return quoted(value, '"')


def quoted(text: str, quote: str = '"') -> str:
    if quote == "'":
        doubled = text.replace("'", "''")
        return f"'{doubled}'"
    return json.dumps(text, ensure_ascii=not _is_printable(text))


def flow(value: object, *, is_json: bool = False) -> str:
    """A value on one line."""
    if isinstance(value, dict):
        pairs = (f"{scalar(key, is_json=is_json)}: {flow(item, is_json=is_json)}" for key, item in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(flow(item, is_json=is_json) for item in value) + "]"
    return scalar(value, is_json=is_json)


def block_entry(key: str, value: object, indent: str) -> list[str]:
    """The lines of ``key: value`` in block style."""
    start = f"{indent}{scalar(key)}:"
    if isinstance(value, dict) and value:
        lines = [start]
        for inner, item in value.items():
            lines += block_entry(inner, item, indent + _STEP)
        return lines
    if isinstance(value, (list, tuple)) and value:
        lines = [start]
        for item in value:
            lines += block_item(item, indent)
        return lines
    return [f"{start} {flow(value)}"]


def block_item(value: Any, indent: str) -> list[str]:
    """The lines of ``- value`` in block style."""
    if not isinstance(value, dict) or not value:
        return [f"{indent}- {flow(value)}"]
    lines: list[str] = []
    for key, item in value.items():
        lines += block_entry(key, item, indent + _STEP)
    lines[0] = f"{indent}- {lines[0][len(indent) + len(_STEP) :]}"
    return lines


def _is_printable(text: str) -> bool:
    return text.isprintable() and "\ufeff" not in text


def _is_plain(text: str) -> bool:
    return _PLAIN.match(text) is not None and resolve(text) == text
