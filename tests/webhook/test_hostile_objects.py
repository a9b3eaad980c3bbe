"""Every path of the CRDs with values of wrong types: findings or nothing, and never a rule that fails. And one
answer from all processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hostile_paths import Path as HostilePath
from hostile_paths import base, broken, paths, try_all
from hypothesis import given, settings
from hypothesis import strategies as st
from reviews import CAPTURED, create, update

from raylint.admission import KINDS, Admission
from raylint.admission_setup import admission_of


@cache
def admission() -> Admission:
    return admission_of("")


def test_every_path_of_the_schema_is_there_to_be_tried() -> None:
    found = list(paths("RayCluster"))
    assert len(found) == len(set(found)) > 3_000
    assert ("spec", "headGroupSpec", "template", "spec", "containers", 0, "env", 0, "value") in found
    for kind in KINDS:
        for path in paths(kind):
            at: Any = broken(kind, path, "here")
            for step in path:
                at = at[step]
            assert at == "here"


@pytest.mark.parametrize("kind", KINDS)
def test_wrong_types_give_findings_or_nothing(kind: str) -> None:
    """Two wrong values at every path, in turn; ``python -m bench.webhook_paths`` tries all of them."""
    tried, told = try_all(admission(), kind, 2)
    assert tried > 3_000
    assert told > tried


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(-1e9, 1e9) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
PATHS = [path for path in paths("RayJob") if path[0] == "spec" and len(path) < 9]


@settings(max_examples=150)
@given(path=st.sampled_from(PATHS), value=JSON, old=st.booleans())
def test_anything_anywhere_is_answered(path: HostilePath, value: Any, old: bool) -> None:
    data = broken("RayJob", path, value)
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
