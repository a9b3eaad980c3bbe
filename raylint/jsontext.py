"""JSON as kubectl reads it: a stream of objects, each to the letter of Go's decoder.

A file whose first character is ``{`` is tried as JSON first; after at most one object kubectl falls back to
YAML, after more it does not (``YAMLOrJSONDecoder``, Kubernetes 1.36). The same text read as YAML would differ:
``\\/``, surrogate pairs, big numbers.
"""

from __future__ import annotations

import json
import re

from raylint.fault import RefusedError
from raylint.nodes import MAX_DEPTH, PLAIN, QUOTED
from raylint.patterns import pattern
from raylint.pyyaml import MappingNode, Mark, ScalarNode, SequenceNode
from raylint.scalars import json_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from raylint.pyyaml import Node

__all__ = ["JsonObject", "compose_json", "json_objects"]

_BLANK = pattern(r"[ \t\r\n]*")
_TOKEN = pattern(r'[ \t\r\n]*(?:([\[\]{},:])|("(?:[^"\\]|\\.)*")|([^\s\[\]{},:"]+))', re.DOTALL)
_BRACKETS = pattern(r'"(?:[^"\\]|\\.)*"|([\[{])|([\]}])', re.DOTALL)
_LONE_SURROGATE = pattern("[\ud800-\udfff]")


class JsonObject:
    """An object of the stream: where it stands in the text, and its data, or the fault that spoils it."""

    __slots__ = ("data", "end", "fault", "repeats", "start")

    def __init__(self, start: int, end: int, data: object, fault: RefusedError | None, repeats: bool) -> None:
        self.start = start
        self.end = end
        self.data = data
        self.fault = fault
        self.repeats = repeats


def json_objects(text: str) -> tuple[list[JsonObject], int]:
    """The objects at the beginning of ``text``, and the offset of what follows them: whatever is no JSON."""
    objects: list[JsonObject] = []
    decoder = _Decoder()
    may_be_deep = text.count("[") + text.count("{") > MAX_DEPTH
    position = _blank_end(text, 0)
    while position < len(text) and not (may_be_deep and _is_deep(text, position)):
        try:
            data, end = decoder.read(text, position)
        except ValueError:
            break
        objects.append(JsonObject(position, end, data, decoder.fault(position, end), decoder.repeats))
        position = _blank_end(text, end)
    return objects, position


def _blank_end(text: str, start: int) -> int:
    blank = _BLANK.match(text, start)
    return blank.end() if blank else start


class _Decoder:
    """Python's JSON decoder with the numbers, strings and duplicate keys of Go's."""

    def __init__(self) -> None:
        self.repeats = False
        self.overflow = False
        self.decoder = json.JSONDecoder(
            object_pairs_hook=self._mapping,
            parse_float=self._float,
            parse_int=self._int,
            parse_constant=self._constant,
        )

    def read(self, text: str, start: int) -> tuple[object, int]:
        self.repeats = self.overflow = False
        data, end = self.decoder.raw_decode(text, start)
        if "\\u" in text[start:end]:
            data = _without_surrogates(data)
        return data, end

    def fault(self, start: int, end: int) -> RefusedError | None:
        if not self.overflow:
            return None
        return RefusedError("a number that no float64 can hold", "write it as text, in quotes", start, end)

    def _mapping(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        data = dict(pairs)
        if len(data) != len(pairs):
            self.repeats = True
        return data

    def _float(self, digits: str) -> int | float:
        value = float(digits)
        if value in (float("inf"), float("-inf")):
            self.overflow = True
            return 0
        return json_number(value)

    def _int(self, digits: str) -> int | float:
        # Go keeps 64 bits; Python refuses to read numbers of more than 4,300 digits.
        if len(digits) > 20:
            return self._float(digits)
        value = int(digits)
        return value if -(2**63) <= value < 2**63 else float(value)

    def _constant(self, name: str) -> object:
        raise ValueError(f"{name} is no JSON")


def _without_surrogates(value: Any) -> Any:
    """Half a surrogate pair becomes U+FFFD in Go."""
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    return value


def _is_deep(text: str, start: int) -> bool:
    """Whether the object at ``start`` has more levels than raylint walks; the YAML path then says so."""
    depth = 0
    for bracket in _BRACKETS.finditer(text, start):
        if bracket[1]:
            depth += 1
            if depth > MAX_DEPTH:
                return True
        elif bracket[2]:
            depth -= 1
            if depth <= 0:
                return False
    return False


def compose_json(text: str) -> Node:
    """The nodes of a text that is known to be one JSON object, for their positions."""
    stack: list[Any] = []
    keys: list[Any] = []
    node: Node
    for token in _TOKEN.finditer(text):
        sign = token[1]
        if sign and sign in "{[":
            kind = MappingNode if sign == "{" else SequenceNode
            stack.append(kind("", [], _mark(token.start(1)), None))
            keys.append(None)
            continue
        if sign and sign in ",:":
            continue
        if sign:
            node = stack.pop()
            keys.pop()
            node.end_mark = _mark(token.end(1))
        else:
            node = _scalar(token)
        if not stack:
            return node
        _attach(stack, keys, node)
    raise AssertionError("no JSON object")


def _scalar(token: re.Match[str]) -> ScalarNode:
    if token[2]:
        value = _without_surrogates(json.loads(token[2]))
        return ScalarNode(QUOTED, value, _mark(token.start(2)), _mark(token.end(2)), style='"')
    return ScalarNode(PLAIN, token[3], _mark(token.start(3)), _mark(token.end(3)))


def _mark(index: int) -> Mark:
    return Mark("", index, 0, 0, None, 0)


def _attach(stack: list[Any], keys: list[Any], node: Any) -> None:
    parent = stack[-1]
    if isinstance(parent, SequenceNode):
        parent.value.append(node)
    elif keys[-1] is None:
        keys[-1] = node
    else:
        parent.value.append((keys[-1], node))
        keys[-1] = None
