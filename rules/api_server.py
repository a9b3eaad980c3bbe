"""How the API server's faults are told: places, values and what becomes of the object."""

from __future__ import annotations

import json

from raylint.finding import path_text
from raylint.manifest import RayObject
from raylint.rule import Location
from raylint.schema_fault import FaultKind, SchemaFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_LONGEST = 60


def faults(found: RayObject, kind: FaultKind) -> Iterator[SchemaFault]:
    """The object's faults of one kind, without those that only follow from another."""
    return (fault for fault in found.schema_faults if fault.kind is kind and not fault.consequence)


def place(found: RayObject, fault: SchemaFault) -> Location:
    return Location(found.document, fault.path, on_key=fault.on_key)


def name(found: RayObject, fault: SchemaFault) -> str:
    """The field as the server names it: its path from the object's root."""
    return path_text(fault.path[len(found.path) :])


def raw(found: RayObject, fault: SchemaFault) -> object:
    """The value at fault."""
    data: Any = found.document.data
    for step in fault.path:
        data = data[step]
    return data


def value(found: RayObject, fault: SchemaFault) -> str:
    """The value at fault as JSON, cut where it is long."""
    text = json.dumps(raw(found, fault), ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def refused(found: RayObject, fault: SchemaFault) -> str:
    """What people see when the server refuses the object whichever client sends it."""
    return (
        f"the API server answers {name(found, fault)}: {fault.detail}; the {found.kind} is neither created nor"
        " changed, with or without strict validation"
    )
