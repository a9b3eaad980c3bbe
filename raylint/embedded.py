"""YAML texts inside a manifest that the operator wants to be mappings: ``runtimeEnvYAML`` and ``serveConfigV2``.

Source: KubeRay v1.7.0 reads them with ``sigs.k8s.io/yaml`` into a Go map: the first document counts alone, nothing
and null are fine, a value that JSON cannot write is not.
"""

from __future__ import annotations

from raylint.reader import Unreadable, read_embedded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["mapping_fault"]

_NAMES = {list: "a list", str: "a text", bool: "a boolean", int: "a number", float: "a number"}


def mapping_fault(text: str, known: dict[str, object] | None = None) -> str:
    """Why the operator cannot use the text, such as ``it is a list``; ``""`` where it can. ``known``: the mapping
    that it holds, where it is read already."""
    data: object = known
    if data is None:
        try:
            data = read_embedded(text)
        except Unreadable as fault:
            return f"it is no YAML ({fault})"
    if data is None:
        return ""
    if not isinstance(data, dict):
        return f"it is {_NAMES.get(type(data), 'no mapping')}, not a mapping"
    lower = text.lower()
    odd = (".nan" in lower or ".inf" in lower) and _has_odd_number([data])
    return "it holds a number that JSON does not have" if odd else ""


def _has_odd_number(queue: list[object]) -> bool:
    seen: set[int] = set()
    while queue:
        value = queue.pop()
        if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
            return True
        if isinstance(value, (dict, list)) and id(value) not in seen:
            seen.add(id(value))
            children: Iterable[object] = value.values() if isinstance(value, dict) else value
            queue.extend(children)
    return False
