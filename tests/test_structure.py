"""The structural walker where KubeRay's own CRDs do not go: what a user's CRDs may hold."""

from __future__ import annotations

from typing import Any

import pytest

from raylint.schema import Schema, bundled_schema
from raylint.schema_fault import FaultKind
from raylint.settle import settled


def schema(properties: dict[str, Any], **of_spec: Any) -> Schema:
    spec = {"type": "object", "properties": properties, **of_spec}
    root = {"type": "object", "properties": {"spec": spec}}
    return Schema({"kinds": {"RayCluster": {"v1": {"schema": 0}}}, "definitions": [root]}, "these CRDs")


def manifest(spec: Any) -> dict[str, Any]:
    return {"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": {"name": "a"}, "spec": spec}


def judged(properties: dict[str, Any], spec: Any, **of_spec: Any) -> list[tuple[FaultKind, tuple[str | int, ...]]]:
    faults = schema(properties, **of_spec).faults(manifest(spec))
    return [(fault.kind, fault.path[1:]) for fault in faults]


INTEGER = {"type": "integer"}


@pytest.mark.parametrize(
    ("part", "value", "kind"),
    [
        ({"type": "integer", "minimum": 1}, 0, FaultKind.OUT_OF_RANGE),
        ({"type": "integer", "minimum": 1}, "0", FaultKind.WRONG_TYPE),
        ({"type": "integer", "minimum": 1, "exclusiveMinimum": True}, 1, FaultKind.OUT_OF_RANGE),
        ({"type": "number", "maximum": 1.5}, 2, FaultKind.OUT_OF_RANGE),
        ({"type": "number", "maximum": 2, "exclusiveMaximum": True}, 2, FaultKind.OUT_OF_RANGE),
        ({"type": "integer", "multipleOf": 5}, 7, FaultKind.OUT_OF_RANGE),
        ({"type": "integer", "format": "int32", "enum": [1, 2]}, 3, FaultKind.NOT_SUPPORTED),
        ({"type": "string", "enum": ["1"]}, "2", FaultKind.NOT_SUPPORTED),
        ({"type": "string", "maxLength": 2}, "abc", FaultKind.SIZE),
        ({"type": "string", "minLength": 2}, "ä", FaultKind.SIZE),
        ({"type": "string", "format": "date-time"}, "now", FaultKind.MALFORMED),
        ({"type": "string", "pattern": "^a$"}, "b", FaultKind.MALFORMED),
        ({"type": "array", "items": "string", "maxItems": 1}, ["a", "b"], FaultKind.SIZE),
        ({"type": "array", "items": "string", "x-kubernetes-list-type": "set"}, ["a", "a"], FaultKind.DUPLICATE),
        ({"type": "object", "additionalProperties": "string", "minProperties": 1}, {}, FaultKind.SIZE),
        ({"type": "string", "x-kubernetes-validations": [{"rule": "self != 'a'"}]}, "a", FaultKind.RULE),
    ],
)
def test_one_fault(part: dict[str, Any], value: Any, kind: FaultKind) -> None:
    found = judged({"field": part}, {"field": value})
    assert [(fault, path[:2]) for fault, path in found] == [
        (kind, ("field",) if len(found[0][1]) < 2 else ("field", 1))
    ]


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 3, "multipleOf": 1}, 2.0),
        ({"type": "number", "enum": [1, 2.5]}, 1.0),
        ({"type": "string", "maxLength": 2}, "äö"),
        ({"type": "string", "pattern": r"\pL"}, "7"),
        ({"type": "string", "format": "uuid"}, "not checked here"),
        ({"type": "array", "items": {"type": "string", "nullable": True}}, [None]),
        ({"type": "array"}, [1, None, {}]),
        ({"x-kubernetes-preserve-unknown-fields": True}, {"any": [{"thing": 1}]}),
        ({"type": "object", "x-kubernetes-preserve-unknown-fields": True}, {"any": [{"thing": 1}]}),
        ({"type": "string", "x-kubernetes-validations": [{"rule": "self.matches('b')"}]}, "a"),
        ({"type": "string", "x-kubernetes-validations": [{"rule": "self < 1"}]}, "a"),
    ],
)
def test_no_fault(part: dict[str, Any], value: Any) -> None:
    assert judged({"field": part}, {"field": value}) == []


def test_a_nullable_field_that_is_required_may_be_null() -> None:
    part = {"a": {"type": "string", "nullable": True}}
    assert judged(part, {"a": None}, required=["a"]) == []
    assert judged(part, {}, required=["a"]) == [(FaultKind.MISSING, ("a",))]
    assert judged({"a": "string"}, {"a": None}, required=["a"]) == [(FaultKind.MISSING, ("a",))]


def test_a_required_field_with_a_default_is_never_missing() -> None:
    assert judged({"a": {"type": "integer", "default": 1}}, {"a": None}, required=["a"]) == []


def test_known_fields_beside_preserved_ones_are_judged() -> None:
    part = {"a": INTEGER}
    found = judged(part, {"a": "x", "b": 1}, **{"x-kubernetes-preserve-unknown-fields": True})
    assert found == [(FaultKind.WRONG_TYPE, ("a",))]


def test_an_embedded_resource_has_metadata() -> None:
    part = {"type": "object", "properties": {"spec": "string"}, "x-kubernetes-embedded-resource": True}
    good = {"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {"a": "b"}}, "spec": ""}
    assert judged({"pod": part}, {"pod": good}) == []
    bad = {**good, "metadata": {"labels": {"a b": "c"}, "typo": 1}, "extra": 1}
    assert set(judged({"pod": part}, {"pod": bad})) == {
        (FaultKind.METADATA, ("pod", "metadata", "labels", "a b")),
        (FaultKind.UNKNOWN_FIELD, ("pod", "metadata", "typo")),
        (FaultKind.UNKNOWN_FIELD, ("pod", "extra")),
    }


def test_rules_wait_until_the_rest_is_in_order() -> None:
    part = {"type": "object", "properties": {"a": INTEGER},
            "x-kubernetes-validations": [{"rule": "has(self.a) && self.a == 1", "message": "a is 1"}]}  # fmt: skip
    assert judged({"o": part}, {"o": {"a": "x"}}) == [(FaultKind.WRONG_TYPE, ("o", "a"))]
    assert judged({"o": part}, {"o": {"a": 2}}) == [(FaultKind.RULE, ("o",))]
    unknown = [(FaultKind.UNKNOWN_FIELD, ("o", "b")), (FaultKind.RULE, ("o",))]
    assert judged({"o": part}, {"o": {"b": 2}}) == unknown


def test_rules_see_defaults_and_no_nulls() -> None:
    part = {"type": "object", "properties": {"a": {"type": "integer", "default": 1}, "b": INTEGER},
            "x-kubernetes-validations": [{"rule": "has(self.a) && !has(self.b)", "message": "m"}]}  # fmt: skip
    assert judged({"o": part}, {"o": {"b": None}}) == []


def test_a_mapping_where_none_can_stand_is_unknown_below_and_says_so() -> None:
    faults = schema({"a": "string", "l": {"type": "array", "items": "string"}}).faults(
        manifest({"a": {"x": {"y": 1}}, "l": [[{"z": 1}]]})
    )
    told = {(fault.kind, fault.path[1:], fault.consequence, fault.dropped) for fault in faults}
    assert told == {
        (FaultKind.WRONG_TYPE, ("a",), False, False),
        (FaultKind.UNKNOWN_FIELD, ("a", "x"), True, True),
        (FaultKind.WRONG_TYPE, ("l", 0), False, False),
        (FaultKind.UNKNOWN_FIELD, ("l", 0, 0, "z"), True, True),
    }


def test_defaults_are_set_and_the_object_is_left_alone() -> None:
    ports = {
        "type": "array",
        "items": {"type": "object", "properties": {"p": {"type": "string", "default": "TCP"}}},
    }
    found = schema({"ports": ports, "gone": "string"})
    data = manifest({"ports": [{}, {"p": "UDP", "x": 1}], "gone": None})
    root = found.root("ray.io/v1", "RayCluster")
    assert root is not None
    assert settled(root, data)["spec"] == {"ports": [{"p": "TCP"}, {"p": "UDP"}]}
    assert data == manifest({"ports": [{}, {"p": "UDP", "x": 1}], "gone": None})


def test_paths_begin_where_the_object_stands() -> None:
    (fault,) = schema({"a": INTEGER}).faults(manifest({"a": "x"}), ("items", 3))
    assert fault.path == ("items", 3, "spec", "a")
    assert "WRONG_TYPE" in repr(fault)


def test_status_is_dropped_after_its_fields_were_looked_at() -> None:
    """Its values do not matter; fields that the release does not have are refused by strict validation."""
    data = {**manifest({"headGroupSpec": {"template": {"spec": {"containers": []}}}}), "status": {"state": 7}}
    assert bundled_schema((1, 7)).faults(data) == []
    (fault,) = bundled_schema((1, 7)).faults({**data, "status": {"nonsense": 1}})
    assert (fault.kind, fault.path) == (FaultKind.UNKNOWN_FIELD, ("status", "nonsense"))
    assert schema({}).faults({**manifest({}), "status": {}})[0].path == ("status",)


def test_where_nothing_is_served_nothing_is_said() -> None:
    found = schema({})
    assert found.faults({"apiVersion": "ray.io/v2", "kind": "RayCluster"}) == []
    assert found.part("ray.io/v1", "RayJob", ("spec",)) is None
    assert found.part("ray.io/v1", "RayCluster", ("spec", "a", 0, "b")) is None
    assert found.deprecation("ray.io/v1", "RayJob") == ""
