"""Every path of the CRDs with values of wrong types: findings or nothing, and never a rule that fails. And one
answer from all processes."""

from __future__ import annotations

import copy
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reviews import CAPTURED, cluster, create, update

from raylint.admission import Admission
from raylint.admission_setup import admission_of
from raylint.schema import Schema, bundled_schema
from raylint.target import NEWEST_KUBERAY

SCHEMA: Schema = bundled_schema(NEWEST_KUBERAY)
KINDS = ("RayCluster", "RayJob", "RayService", "RayCronJob")
WRONG: tuple[Any, ...] = (
    None, True, -1, 1.5, 10**18, "", "{{ x }}", "\ud800", [], [None], [[]], [{}], {}, {"": None},
)  # fmt: skip
DEEPEST = 14
# A pod has 2,000 paths of its own, and a cluster is the same in each kind: of those one in so many is tried.
STEP = 29


@cache
def admission() -> Admission:
    return admission_of("")


def paths(kind: str) -> Iterator[tuple[str | int, ...]]:
    """The paths that the CRD knows: 0 is the item of a list, ``key`` that of a mapping."""
    root = SCHEMA.root("ray.io/v1", kind)
    assert root is not None
    waiting: list[tuple[tuple[str | int, ...], Any]] = [(("spec",), root.fields["spec"])]
    while waiting:
        path, part = waiting.pop()
        yield path
        part = part.compiled()
        if len(path) < DEEPEST:
            waiting += [((*path, name), child) for name, child in sorted(part.fields.items())]
            if part.items is not None:
                waiting.append(((*path, 0), part.items))
            if part.extra is not None and not part.open:
                waiting.append(((*path, "key"), part.extra))


def put(data: Any, path: tuple[str | int, ...], value: Any) -> bool:
    """Write the value at the path, with what leads there; False: something else is in the way."""
    for step, following in itertools.pairwise(path):
        empty: Any = [] if isinstance(following, int) else {}
        if isinstance(step, int):
            if not isinstance(data, list):
                return False
            if not data:
                data.append(empty)
            data = data[0]
        elif isinstance(data, dict):
            if not isinstance(data.get(step), (dict, list)):
                data[step] = empty
            data = data[step]
        else:
            return False
    last = path[-1]
    if isinstance(last, int) and isinstance(data, list):
        data[:] = [value]
        return True
    if isinstance(last, str) and isinstance(data, dict):
        data[last] = value
        return True
    return False


def base(kind: str) -> dict[str, Any]:
    spec = cluster()["spec"]
    job = {"entrypoint": "python a.py", "rayClusterSpec": spec}
    specs: dict[str, dict[str, Any]] = {
        "RayCluster": spec,
        "RayJob": job,
        "RayService": {"serveConfigV2": "applications: []\n", "rayClusterConfig": spec},
        "RayCronJob": {"schedule": "* * * * *", "jobTemplate": job},
    }
    return {
        "apiVersion": "ray.io/v1",
        "kind": kind,
        "metadata": {"name": "demo", "namespace": "team"},
        "spec": copy.deepcopy(specs[kind]),
    }


def test_every_path_of_the_schema_is_there_to_be_tried() -> None:
    found = list(paths("RayCluster"))
    assert len(found) > 3_000
    assert ("spec", "headGroupSpec", "template", "spec", "containers", 0, "env", 0, "value") in found


@pytest.mark.parametrize("kind", KINDS)
def test_wrong_types_give_findings_or_nothing(kind: str) -> None:
    tried = 0
    for number, path in enumerate(paths(kind)):
        in_pod = "template" in path and len(path) - path.index("template") > 5
        in_cluster = bool({"rayClusterSpec", "rayClusterConfig"} & set(path))
        if (in_pod or in_cluster) and number % STEP:
            continue
        value = WRONG[number % len(WRONG)]
        data = base(kind)
        if put(data, path, value):
            tried += 1
            outcome = admission().answer(create(data), "2026-11-30")
            assert outcome.failed == [], (path, value)
    assert tried > 100


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(-1e9, 1e9) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
PATHS = [path for path in paths("RayJob") if len(path) < 9]


@settings(max_examples=150, deadline=None)
@given(path=st.sampled_from(PATHS), value=JSON, old=st.booleans())
def test_anything_anywhere_is_answered(path: tuple[str | int, ...], value: Any, old: bool) -> None:
    data = base("RayJob")
    put(data, path, value)
    review = update(base("RayJob"), data) if old else create(data)
    outcome = admission().answer(review, "2026-11-30")
    assert outcome.failed == []
    assert outcome.response["response"]["uid"] == review["request"]["uid"]


ANSWERS = """
import json, sys
from raylint.admission_setup import admission_of
admission = admission_of("")
for path in sys.argv[1:]:
    review = json.load(open(path))
    review["request"].pop("subResource", None)
    print(json.dumps(admission.answer(review, "2026-11-30").response))
"""


def test_every_process_gives_the_same_answer(tmp_path: Path) -> None:
    """Byte for byte, whatever the seed of Python's hashes."""
    bad = tmp_path / "bad.json"
    wrong = base("RayJob")
    wrong["spec"] |= {"suspend": "yes", "backoffLimit": -1, "submissionMode": "?", "entrypoint": "", "odd": 1}
    wrong["spec"]["rayClusterSpec"]["workerGroupSpecs"] *= 2
    bad.write_text(json.dumps(create(wrong)))
    answers = {
        subprocess.run(
            [sys.executable, "-c", ANSWERS, str(bad), *map(str, CAPTURED)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4711")
    }
    assert len(answers) == 1
    assert answers.pop().count(b"\n") == len(CAPTURED) + 1
