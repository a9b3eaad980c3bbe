"""From bytes to data, as strictly as an API server writes: whatever else arrives comes from somebody else."""

from __future__ import annotations

import json
from typing import Any

import orjson

__all__ = ["BodyError", "decode"]

# A manifest has about 20 levels. Rules walk the data with one or two Python frames a level.
MOST_LEVELS = 200
# More levels than these are not written by orjson (its RECURSION_LIMIT); what it reads may have a thousand.
_MOST_WRITTEN = 254


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
    if isinstance(data, dict) and _is_deep(data):
        raise BodyError("depth", f"the body has more than {MOST_LEVELS} levels")
    if refuse_duplicate_keys:
        json.loads(body, object_pairs_hook=_unique)
    return data


def _is_deep(data: dict[str, Any]) -> bool:
    """Do lists and objects lie more than 200 deep in each other? To write the data again, wrapped in as many lists
    as are missing to the limit of the writer, takes a tenth of the time of a look at every level."""
    wrapped: Any = data
    for _ in range(_MOST_WRITTEN - MOST_LEVELS):
        wrapped = [wrapped]
    try:
        orjson.dumps(wrapped)
    except orjson.JSONEncodeError:
        # What was read from JSON can be written but for its depth.
        return True
    return False


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise BodyError("duplicate_key", "a key stands twice in one object")
    return found
