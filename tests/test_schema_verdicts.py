"""raylint's verdicts are the API server's.

``fixtures/api/mutations.jsonl.gz``: 2,000 objects, mutated at one to three places, with the answers of a
kube-apiserver v1.36.2 that held the CRDs of the named KubeRay release, to strict field validation (as kubectl asks
for) and to none (as many others do). ``fixtures/api/verdicts.jsonl.gz``: 111 manifests and what kubectl v1.36.4
and the same server with the CRDs of KubeRay 1.7.0 said.
"""

from __future__ import annotations

import gzip
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from raylint.reader import read
from raylint.schema import Schema, bundled_schema
from raylint.schema_fault import SchemaFault
from raylint.settle import settled
from raylint.target import parse_version

FIXTURES = Path(__file__).parent / "fixtures" / "api"

# Where raylint cannot agree, and why.
CANNOT_AGREE = {
    "v1.6.2-0067": "posted to the namespace `default` with namespace `0` in the object: the server minds that they"
    " differ; raylint cannot know where a client posts, and `0` is the name of a namespace like any other",
    "043-cel-managedby-changed.yaml": "the second of two manifests: what changed since the first cannot be seen",
}


@cache
def lines_of(name: str) -> list[dict[str, Any]]:
    with gzip.open(FIXTURES / name, "rt", encoding="utf-8", newline="") as file:
        return [json.loads(line) for line in file.read().split("\n") if line]


def schema_of(kuberay: str) -> Schema:
    return bundled_schema((parse_version(kuberay) or ())[:2])


def as_the_server_writes(path: tuple[str | int, ...]) -> str:
    """Keys are never quoted in the server's paths."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def unnamed(fields: list[str], faults: list[SchemaFault]) -> list[str]:
    """The fields that the server names and raylint does not. The server names no more than ``metadata.labels`` for
    a label; raylint is more exact there. ``<nil>`` is no field: a remark on the answer."""
    ours = {as_the_server_writes(fault.path) for fault in faults}
    return [
        field
        for field in fields
        if field != "<nil>"
        and field not in ours
        and not (field.startswith("metadata.") and any(re.match(rf"{re.escape(field)}[.\[]", own) for own in ours))
    ]


def fields_named(answer: dict[str, Any]) -> list[str]:
    return [*answer.get("unknown_fields", ()), *(cause["field"] for cause in answer.get("causes", ()))]


def refuses(faults: list[SchemaFault], *, strict: bool) -> bool:
    return any(strict or not fault.dropped for fault in faults)


def test_all_mutations_are_there() -> None:
    found = lines_of("mutations.jsonl.gz")
    assert len(found) == 2000
    assert len({case["id"] for case in found}) == 2000
    assert len({case["kuberay"] for case in found}) == 7


@pytest.mark.parametrize("kuberay", ["v1.0.0", "v1.2.2", "v1.3.2", "v1.4.2", "v1.5.2", "v1.6.2", "v1.7.0"])
def test_mutations(kuberay: str) -> None:
    differing = []
    for case in lines_of("mutations.jsonl.gz"):
        if case["kuberay"] != kuberay or case["id"] in CANNOT_AGREE:
            continue
        faults = schema_of(kuberay).faults(case["manifest"])
        strict, lenient = case["strict"], case["ignore"]
        if (
            refuses(faults, strict=True) is strict["accepted"]
            or refuses(faults, strict=False) is lenient["accepted"]
            or unnamed(fields_named(strict) + fields_named(lenient), faults)
        ):
            differing.append((case["id"], strict, lenient, faults))
    assert differing == []


def manifests(*keys: str) -> list[Any]:
    """The manifests on which raylint can agree and whose verdict has all the keys."""
    return [
        pytest.param(case, id=case["file"])
        for case in lines_of("verdicts.jsonl.gz")
        if case["file"] not in CANNOT_AGREE and case.keys() >= set(keys)
    ]


def test_all_manifests_are_there() -> None:
    assert len(lines_of("verdicts.jsonl.gz")) == 111
    assert len(manifests()) == 110


@pytest.mark.parametrize("case", manifests())
def test_manifest(case: dict[str, Any]) -> None:
    reading = read(case["file"], case["text"].encode())
    unreadable = any(remark.rule_id == "RL001" for remark in reading.remarks)
    schema = schema_of("v1.7.0")
    served = all(
        schema.serves(document.data["apiVersion"], document.data["kind"])
        for document in reading.documents
        if isinstance(document.data, dict)
    )
    faults = [
        fault
        for document in reading.documents
        if isinstance(document.data, dict)
        for fault in schema.faults(document.data)
    ]
    assert (unreadable or not served or refuses(faults, strict=True)) is not case["accepted"]
    lenient = unreadable or not served or refuses(faults, strict=False)
    assert lenient is not case["accepted_without_validation"]
    named = [cause["field"] for cause in case["causes"]]
    named += re.findall(r'unknown field "([^"]+)"', case["message"])
    assert unnamed(named, faults) == []


@pytest.mark.parametrize("case", manifests("accepted_as"))
def test_what_is_stored(case: dict[str, Any]) -> None:
    """Pruned, nulls dropped, defaults applied: as the server answers."""
    documents = [document.data for document in read(case["file"], case["text"].encode()).documents]
    (data,) = (data for data in documents if isinstance(data, dict))
    root = schema_of("v1.7.0").root(data["apiVersion"], data["kind"])
    assert root is not None
    stored = settled(root, data)
    own = {key: value for key, value in stored.items() if key not in ("apiVersion", "kind", "metadata", "status")}
    assert own == case["accepted_as"]


def test_stored_objects_are_compared() -> None:
    assert len(manifests("accepted_as")) == 42
