"""An object as the API server stores it: unknown fields pruned, nulls dropped, defaults applied.

Source (kubernetes v1.36): ``apiextensions-apiserver/pkg/apiserver/schema/pruning`` and ``.../defaulting``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from raylint.structure import Structure

__all__ = ["settled"]


def settled(structure: Structure, value: Any) -> Any:
    """``value`` as the server stores it under this part of a schema; the value itself is not changed."""
    structure = structure.compiled()
    if value.__class__ is list:
        items = structure.items
        return value if items is None else [settled(items, item) for item in value]
    if value.__class__ is not dict:
        return value
    fields, extra = structure.fields, structure.extra
    kept: dict[str, Any] = {}
    for key, item in value.items():
        child = fields.get(key, extra)
        if child is not None and (item is not None or child.nullable):
            kept[key] = settled(child, item)
    for key, child in fields.items():
        if key not in kept and "default" in child.definition:
            kept[key] = settled(child, child.definition["default"])
    return kept
