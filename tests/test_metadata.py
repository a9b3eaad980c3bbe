"""What the API server asks of the metadata of any object."""

from __future__ import annotations

from typing import Any

import pytest

from raylint.formats import compile_pattern, is_date_time, is_integral, is_rfc3339, json_type
from raylint.metadata import ANNOTATIONS_LIMIT, check_metadata
from raylint.schema_fault import FaultKind, SchemaFault

OWNER = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a", "uid": "1"}


def judged(metadata: Any) -> list[tuple[FaultKind, tuple[str | int, ...]]]:
    faults: list[SchemaFault] = []
    check_metadata(metadata, ("metadata",), faults)
    return [(fault.kind, fault.path[1:]) for fault in faults]


@pytest.mark.parametrize(
    "metadata",
    [
        {"name": "a"},
        {"name": "a.b-c.0"},
        {"name": "a" * 253},
        {"generateName": "trainer-"},
        {"generateName": "a.b-", "name": None},
        {"name": "a", "namespace": "", "labels": None, "annotations": {"a": None}},
        {"name": "a", "labels": {"a": None, "example.com/A_b.c": "x" * 63, "b": ""}},
        {"name": "a", "annotations": {"Example.COM/x": "any text\n", "k": "x" * (ANNOTATIONS_LIMIT - 23)}},
        {"name": "a", "generation": 1.0, "uid": "x", "resourceVersion": "7", "selfLink": "/x"},
        {"name": "a", "creationTimestamp": "2026-11-30T16:42:00.5Z", "deletionTimestamp": None},
        {"name": "a", "ownerReferences": [OWNER, {**OWNER, "controller": True}], "finalizers": ["example.com/x"]},
        {"name": "a", "managedFields": [{"manager": "kubectl", "fieldsV1": {"f:spec": {}}, "time": None}]},
    ],
)
def test_fine(metadata: Any) -> None:
    assert judged(metadata) == []


@pytest.mark.parametrize(
    ("metadata", "kind", "path"),
    [
        (None, FaultKind.MISSING, ("name",)),
        ({}, FaultKind.MISSING, ("name",)),
        ({"name": ""}, FaultKind.MISSING, ("name",)),
        ("text", FaultKind.WRONG_TYPE, ()),
        ({"name": 7, "generateName": "a"}, FaultKind.WRONG_TYPE, ("name",)),
        ({"name": "A"}, FaultKind.METADATA, ("name",)),
        ({"name": "a-"}, FaultKind.METADATA, ("name",)),
        ({"name": "a..b"}, FaultKind.METADATA, ("name",)),
        ({"name": "a\n"}, FaultKind.METADATA, ("name",)),
        ({"name": "a" * 254}, FaultKind.METADATA, ("name",)),
        ({"generateName": "a.-"}, FaultKind.METADATA, ("generateName",)),
        ({"generateName": "-"}, FaultKind.METADATA, ("generateName",)),
        ({"generateName": "a" * 57 + ".-b"}, FaultKind.METADATA, ("generateName",)),
        ({"name": "a", "namespace": "a.b"}, FaultKind.METADATA, ("namespace",)),
        ({"name": "a", "namespace": "a" * 64}, FaultKind.METADATA, ("namespace",)),
        ({"name": "a", "lables": {}}, FaultKind.UNKNOWN_FIELD, ("lables",)),
        ({"name": "a", "labels": ["a"]}, FaultKind.WRONG_TYPE, ("labels",)),
        ({"name": "a", "labels": {"a": 1}}, FaultKind.WRONG_TYPE, ("labels", "a")),
        ({"name": "a", "labels": {"a": "x" * 64}}, FaultKind.METADATA, ("labels", "a")),
        ({"name": "a", "labels": {"a": "b c"}}, FaultKind.METADATA, ("labels", "a")),
        ({"name": "a", "labels": {"": "b"}}, FaultKind.METADATA, ("labels", "")),
        ({"name": "a", "labels": {"x" * 64: "b"}}, FaultKind.METADATA, ("labels", "x" * 64)),
        ({"name": "a", "labels": {"a/b/c": "b"}}, FaultKind.METADATA, ("labels", "a/b/c")),
        ({"name": "a", "labels": {"/c": "b"}}, FaultKind.METADATA, ("labels", "/c")),
        ({"name": "a", "labels": {"A.com/c": "b"}}, FaultKind.METADATA, ("labels", "A.com/c")),
        ({"name": "a", "annotations": {"a b": "c"}}, FaultKind.METADATA, ("annotations", "a b")),
        ({"name": "a", "annotations": {"a": True}}, FaultKind.WRONG_TYPE, ("annotations", "a")),
        ({"name": "a", "annotations": {"a": "x" * ANNOTATIONS_LIMIT}}, FaultKind.METADATA, ("annotations",)),
        ({"name": "a", "generation": 1.5}, FaultKind.WRONG_TYPE, ("generation",)),
        ({"name": "a", "creationTimestamp": "now"}, FaultKind.MALFORMED, ("creationTimestamp",)),
        ({"name": "a", "creationTimestamp": 1}, FaultKind.WRONG_TYPE, ("creationTimestamp",)),
        ({"name": "a", "finalizers": "x"}, FaultKind.WRONG_TYPE, ("finalizers",)),
        ({"name": "a", "finalizers": [None]}, FaultKind.METADATA, ("finalizers", 0)),
        ({"name": "a", "finalizers": ["orphan", "foregroundDeletion"]}, FaultKind.METADATA, ("finalizers",)),
        ({"name": "a", "ownerReferences": {}}, FaultKind.WRONG_TYPE, ("ownerReferences",)),
        ({"name": "a", "ownerReferences": ["x"]}, FaultKind.WRONG_TYPE, ("ownerReferences", 0)),
        (
            {"name": "a", "ownerReferences": [{**OWNER, "uid": ""}]},
            FaultKind.METADATA, ("ownerReferences", 0, "uid"),
        ),
        (
            {"name": "a", "ownerReferences": [{**OWNER, "controller": "x"}]},
            FaultKind.WRONG_TYPE, ("ownerReferences", 0, "controller"),
        ),
        (
            {"name": "a", "ownerReferences": [{**OWNER, "controller": True}] * 2},
            FaultKind.METADATA, ("ownerReferences", 1, "controller"),
        ),
        (
            {"name": "a", "managedFields": [{"time": "x"}]},
            FaultKind.MALFORMED, ("managedFields", 0, "time"),
        ),
    ],
)  # fmt: skip
def test_fault(metadata: Any, kind: FaultKind, path: tuple[str | int, ...]) -> None:
    assert judged(metadata) == [(kind, path)]


def test_all_faults_are_told() -> None:
    metadata = {"name": "A", "labels": {"a": 1, "b c": "d e"}, "typo": 1, "ownerReferences": [None]}
    assert len(judged(metadata)) == 1 + 1 + 2 + 1 + 4


# --- Formats ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "rfc3339", "date_time"),
    [
        ("2026-11-30T16:42:00Z", True, True),
        ("2026-11-30T16:42:00.123+01:00", True, True),
        ("2026-11-30t16:42:00z", False, True),
        ("2024-02-29T00:00:00Z", True, True),
        ("2023-02-29T00:00:00Z", False, False),
        ("2100-02-29T00:00:00Z", False, False),
        ("2026-13-01T00:00:00Z", False, False),
        ("2026-11-31T00:00:00Z", False, False),
        ("2026-11-30T24:00:00Z", False, False),
        ("2026-11-30", False, False),
        ("2026-11-30T16:42:00Z\n", False, False),
        ("", False, False),
    ],
)
def test_times(text: str, rfc3339: bool, date_time: bool) -> None:
    assert is_rfc3339(text) is rfc3339
    assert is_date_time(text) is date_time


@pytest.mark.parametrize(
    ("value", "name"),
    [("", "string"), (True, "boolean"), (1, "integer"), (1.0, "integer"), (1.5, "number"), (2**63, "number"),
     (-(2**63), "integer"), (1e300, "number"), ({}, "object"), ([], "array"), (None, "null")],
)  # fmt: skip
def test_json_type(value: object, name: str) -> None:
    assert json_type(value) == name
    assert is_integral(value) is (name == "integer")


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [("^a$", "a", True), ("^a$", "a\n", False), ("b", "abc", True), ("[$]", "$", True), (r"\$", "$", True),
     (r"a\\$", "a\\", True), ("^[^$]$", "x", True), ("^[]$]$", "$", True)],
)  # fmt: skip
def test_patterns_end_where_go_ends(pattern: str, text: str, matches: bool) -> None:
    compiled = compile_pattern(pattern)
    assert compiled is not None
    assert bool(compiled.search(text)) is matches


@pytest.mark.parametrize("pattern", ["[[:alpha:]]", r"\pL", "(", r"a\z", "(?U)a*"])
def test_patterns_that_python_does_not_read_are_left_to_the_server(pattern: str) -> None:
    assert compile_pattern(pattern) is None
