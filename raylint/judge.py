"""How the API server judges one value by one part of a schema; see ``raylint/structure.py``.

Every judge has the same form: it takes the part, the value and the way to it, and adds to the faults.
"""

from __future__ import annotations

from functools import lru_cache

from raylint.formats import FORMATS, is_integral, json_type, matches
from raylint.metadata import check_metadata
from raylint.schema_fault import FaultKind, SchemaFault, path_of
from raylint.settle import settled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from raylint.schema_fault import Trail
    from raylint.structure import Check, Structure

__all__ = [
    "accept", "judge_boolean", "judge_embedded_metadata", "judge_int_or_string", "judge_integer", "judge_list",
    "judge_number", "judge_object", "judge_string", "judge_untyped", "with_counts", "with_rules",
]  # fmt: skip


_LONGEST_AMOUNT = 32
_matches_known = lru_cache(maxsize=512)(matches)


def judge_object(structure: Structure, value: Any, trail: Trail, faults: list[SchemaFault]) -> None:
    if value.__class__ is not dict:
        _refuse_type(structure, "object", value, trail, faults)
        return
    fields = structure.fields
    extra = structure.extra
    for key, item in value.items():
        child = fields.get(key, extra)
        if child is None:
            faults.append(_unknown((trail, key)))
        elif item.__class__ is not child.plain and item is not None:
            child.check(child, item, (trail, key), faults)
    for key in structure.required:
        if value.get(key) is None and not (key in value and key in fields and fields[key].nullable):
            _miss((trail, key), faults)


def judge_list(structure: Structure, value: Any, trail: Trail, faults: list[SchemaFault]) -> None:
    if value.__class__ is not list:
        _refuse_type(structure, "array", value, trail, faults)
        return
    items = structure.items
    if items is None:
        return
    plain = items.plain
    for index, item in enumerate(value):
        if item.__class__ is plain:
            continue
        if item is None:
            if not items.nullable:
                _refuse_type(items, _type_of(items), None, (trail, index), faults)
        else:
            items.check(items, item, (trail, index), faults)


def _check_duplicates(structure: Structure, value: list[Any], trail: Trail, faults: list[SchemaFault]) -> None:
    """Lists that the server holds as maps (by the values of their keys) or as sets."""
    keys = structure.definition.get("x-kubernetes-list-map-keys")
    if keys is not None:
        # Nearly all lists: their first keys are different texts, or different numbers.
        first = keys[0]
        firsts = set()
        for item in value:
            told = item.get(first) if item.__class__ is dict else None
            if told.__class__ is str or told.__class__ is int:
                firsts.add(told)
        if len(firsts) == len(value):
            return
    seen: set[str] = set()
    for index, item in enumerate(value):
        shown = item
        if keys is not None:
            if not isinstance(item, dict):
                return
            shown = _map_key(structure, item, keys)
        import json  # few lists hold items without a name

        text = json.dumps(shown, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        if text in seen:
            faults.append(SchemaFault(FaultKind.DUPLICATE, path_of((trail, index)), f"Duplicate value: {text}"))
        seen.add(text)


def _map_key(structure: Structure, item: dict[str, Any], keys: list[str]) -> dict[str, Any]:
    """The part of an item that must be unique, defaults included: a port without a protocol is a TCP port."""
    fields = structure.items.compiled().fields if structure.items else {}
    found = {}
    for key in keys:
        value = item.get(key)
        if value is None and key in fields:
            value = fields[key].definition.get("default")
        if value is not None:
            found[key] = value
    return found


def judge_string(structure: Structure, value: Any, trail: Trail, faults: list[SchemaFault]) -> None:
    if value.__class__ is not str:
        _refuse_type(structure, "string", value, trail, faults)
        return
    definition = structure.definition
    if "enum" in definition:
        _check_enum(structure, value, trail, faults)
    if structure.pattern is not None and len(value) <= definition.get("maxLength", len(value)):
        _check_pattern(structure, value, trail, faults)  # no pattern is to meet a text without bounds
    if "minLength" in definition or "maxLength" in definition:
        _check_size(structure, len(value), "Length", trail, faults)
    good = FORMATS.get(definition.get("format", ""))
    if good is not None and not good(value):
        wanted = definition["format"]
        faults.append(
            SchemaFault(FaultKind.MALFORMED, path_of(trail), f"must be of type {wanted}: {value!r}", wanted=wanted)
        )


def _check_pattern(structure: Structure, value: str, trail: Trail, faults: list[SchemaFault]) -> None:
    if structure.pattern is None or matches(structure.pattern, value):
        return
    faults.append(
        SchemaFault(
            FaultKind.MALFORMED,
            path_of(trail),
            f"should match '{structure.pattern}'",
            wanted=_type_of(structure),
        )
    )


def judge_int_or_string(structure: Structure, value: Any, trail: Trail, faults: list[SchemaFault]) -> None:
    if value.__class__ is str:
        # A fleet asks for few different amounts.
        wanted = structure.pattern
        if wanted is not None and not (len(value) <= _LONGEST_AMOUNT and _matches_known(wanted, value)):
            _check_pattern(structure, value, trail, faults)
    elif not is_integral(value):
        _refuse_type(structure, _type_of(structure), value, trail, faults)


def judge_integer(structure: Structure, value: Any, trail: Trail, faults: list[SchemaFault]) -> None:
    least, most = structure.least, structure.most
    if value.__class__ is int and least <= value <= most:
        return
    if not is_integral(value):
        _refuse_type(structure, "integer", value, trail, faults)
    elif not least <= value <= most:
        detail = f"must be an integer of format {structure.definition['format']}: {least} to {most}"
        faults.append(SchemaFault(FaultKind.OUT_OF_RANGE, path_of(trail), detail, wanted=f"{least} to {most}"))


def judge_number(structure: Structure, value: Any, trail: Trail, faults: list[SchemaFault]) -> None:
    """Numbers and integers with limits of their own."""
    if structure.definition["type"] == "integer":
        before = len(faults)
        judge_integer(structure, value, trail, faults)
        if len(faults) > before:
            return
    elif value.__class__ is not int and value.__class__ is not float:
        _refuse_type(structure, "number", value, trail, faults)
        return
    if "enum" in structure.definition:
        _check_enum(structure, value, trail, faults)
    for words, wanted in _broken_limits(structure.definition, value):
        faults.append(SchemaFault(FaultKind.OUT_OF_RANGE, path_of(trail), f"should be {words}", wanted=wanted))


def _broken_limits(definition: dict[str, Any], value: float) -> list[tuple[str, str]]:
    least, most, step = (definition.get(key) for key in ("minimum", "maximum", "multipleOf"))
    found: list[tuple[str, str]] = []
    if least is not None and definition.get("exclusiveMinimum") and value <= least:
        found.append((f"greater than {least}", f"more than {least}"))
    elif least is not None and value < least:
        found.append((f"greater than or equal to {least}", f"{least} or more"))
    if most is not None and definition.get("exclusiveMaximum") and value >= most:
        found.append((f"less than {most}", f"less than {most}"))
    elif most is not None and value > most:
        found.append((f"less than or equal to {most}", f"{most} or less"))
    if step and value % step:
        found.append((f"a multiple of {step}", f"a multiple of {step}"))
    return found


def judge_boolean(structure: Structure, value: Any, trail: Trail, faults: list[SchemaFault]) -> None:
    if value.__class__ is not bool:
        _refuse_type(structure, "boolean", value, trail, faults)


def judge_untyped(structure: Structure, value: Any, trail: Trail, faults: list[SchemaFault]) -> None:
    """A part that says nothing of a type: only what stands below it unknown can be said."""
    if not structure.open:
        _all_unknown(value, trail, faults)


def _check_enum(structure: Structure, value: Any, trail: Trail, faults: list[SchemaFault]) -> None:
    members = structure.definition["enum"]
    if not any(json_type(value) == json_type(member) and value == member for member in members):
        import json

        wanted = ", ".join(json.dumps(member) for member in members)
        faults.append(
            SchemaFault(FaultKind.NOT_SUPPORTED, path_of(trail), f"supported values: {wanted}", wanted=wanted)
        )


def _check_size(structure: Structure, size: int, what: str, trail: Trail, faults: list[SchemaFault]) -> None:
    least, most = structure.definition.get(f"min{what}"), structure.definition.get(f"max{what}")
    unit = {"Length": "characters", "Items": "items", "Properties": "properties"}[what]
    if least is not None and size < least:
        words = f"at least {least}"
    elif most is not None and size > most:
        words = f"at most {most}"
    else:
        return
    faults.append(
        SchemaFault(FaultKind.SIZE, path_of(trail), f"should have {words} {unit}", wanted=f"{words} {unit}")
    )


def judge_embedded_metadata(structure: Structure, value: Any, trail: Trail, faults: list[SchemaFault]) -> None:
    found: list[SchemaFault] = []
    check_metadata(value, path_of(trail), found)
    faults.extend(fault for fault in found if fault.kind is not FaultKind.MISSING)


def _refuse_type(structure: Structure, wanted: str, value: Any, trail: Trail, faults: list[SchemaFault]) -> None:
    given = json_type(value)
    detail = f'must be of type {wanted}: "{given}"'
    faults.append(SchemaFault(FaultKind.WRONG_TYPE, path_of(trail), detail, wanted=wanted, given=given))
    if not structure.open:
        _all_unknown(value, trail, faults)


def _all_unknown(value: Any, trail: Trail, faults: list[SchemaFault]) -> None:
    """A server drops every key of a mapping that stands where no mapping can, before it looks at types."""
    if value.__class__ is dict:
        faults.extend(_unknown((trail, key), consequence=True) for key in value)
    elif value.__class__ is list:
        for index, item in enumerate(value):
            _all_unknown(item, (trail, index), faults)


def _miss(trail: Trail, faults: list[SchemaFault]) -> None:
    faults.append(SchemaFault(FaultKind.MISSING, path_of(trail), "Required value"))


def _unknown(trail: Trail, *, consequence: bool = False) -> SchemaFault:
    return SchemaFault(
        FaultKind.UNKNOWN_FIELD, path_of(trail), "unknown field", on_key=True, consequence=consequence
    )


def _type_of(structure: Structure) -> str:
    if structure.definition.get("x-kubernetes-int-or-string"):
        return "quantity" if "pattern" in structure.definition else "integer or string"
    return str(structure.definition.get("type", "object"))


def accept(structure: Structure, value: Any, trail: Trail, faults: list[SchemaFault]) -> None:
    """Whatever stands here is kept."""


def with_rules(check: Check) -> Check:
    """Judge by the rules as well, but only what is otherwise in order, as the server does."""

    def both(structure: Structure, value: Any, trail: Trail, faults: list[SchemaFault]) -> None:
        before = len(faults)
        check(structure, value, trail, faults)
        if any(not fault.dropped for fault in faults[before:]):
            return
        itself = settled(structure, value)
        for holds, message in structure.rules:
            if holds(itself) is False:
                faults.append(SchemaFault(FaultKind.RULE, path_of(trail), message))

    return both


def with_counts(check: Check, definition: dict[str, Any]) -> Check:
    """Judge how many items or properties there are, too, and whether items repeat."""
    is_bounded = "minItems" in definition or "maxItems" in definition
    is_distinct = "x-kubernetes-list-type" in definition

    def both(structure: Structure, value: Any, trail: Trail, faults: list[SchemaFault]) -> None:
        check(structure, value, trail, faults)
        if value.__class__ is list:
            if is_bounded:
                _check_size(structure, len(value), "Items", trail, faults)
            if is_distinct and len(value) > 1:
                _check_duplicates(structure, value, trail, faults)
        elif value.__class__ is dict:
            _check_size(structure, len(value), "Properties", trail, faults)

    return both
