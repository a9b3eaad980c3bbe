"""From bytes to data, as strictly as an API server writes: whatever else arrives comes from somebody else."""

from __future__ import annotations

import json
from typing import Any

import orjson

__all__ = ["BodyError", "decode"]

# A manifest has about 20 levels. Rules walk the data with one or two Python frames a level.
MOST_LEVELS = 200


class BodyError(Exception):
    """The body is no JSON that is taken. ``reason`` is a word for metrics."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def decode(body: bytes | bytearray, *, refuse_duplicate_keys: bool = False) -> Any:
    """BodyError: empty, not UTF-8, not JSON (NaN and infinities are none), a number beyond a double, too deep;
    with ``refuse_duplicate_keys`` a key that stands twice in an object."""
    if not body:
        raise BodyError("empty", "the body is empty")
    try:
        # Strict by itself: no byte order mark, no other encodings, no NaN, no numbers that become infinite.
        data = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise BodyError("json", f"the body is no JSON: {error.msg}") from None
    # What is no object is no review: whoever reads it will say so, however deep it is.
    if isinstance(data, dict) and _levels(data) > MOST_LEVELS:
        raise BodyError("depth", f"the body has more than {MOST_LEVELS} levels")
    if refuse_duplicate_keys:
        json.loads(body, object_pairs_hook=_unique)
    return data


def _levels(data: dict[str, Any]) -> int:
    """How deep lists and objects lie in each other; one more than allowed where it is more."""
    containers = (dict, list)
    level: list[Any] = [data]
    depth = 0
    while level and depth <= MOST_LEVELS:
        depth += 1
        level = [
            item
            for container in level
            for item in (container.values() if isinstance(container, dict) else container)
            if isinstance(item, containers)
        ]
    return depth


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise BodyError("duplicate_key", "a key stands twice in one object")
    return found
