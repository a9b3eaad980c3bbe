"""Findings, reports and the check of JSON output that several tests of reports share."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

import raylint
from raylint.finding import Confidence, Finding, ObjectRef, Place, Severity, Span
from raylint.report import Coverage, Report
from raylint.target import Target

GOLDEN = Path(__file__).parent / "golden"
SCHEMA = json.loads((Path(raylint.__file__).parent / "raylint-v1.schema.json").read_text())

CLUSTER = ObjectRef("ray.io/v1", "RayCluster", "production", "hm-ray-cluster")


def read_json(text: str) -> Any:
    """The JSON that raylint wrote, after it was held against the published schema."""
    assert text.endswith("}\n")
    value = json.loads(text)
    Draft202012Validator(SCHEMA).validate(value)
    return value


def assert_golden(name: str, text: str) -> None:
    """Compare with ``tests/golden/NAME``; ``RAYLINT_REGENERATE=1 pytest`` writes these files anew."""
    path = GOLDEN / name
    if os.environ.get("RAYLINT_REGENERATE"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), "if it is meant, run RAYLINT_REGENERATE=1 pytest"


def place(
    line: int,
    start: int,
    end: int,
    text: str,
    label: str = "",
    *,
    file: str = "deploy/prod/cluster.yaml",
    path: tuple[str | int, ...] = ("spec", "headGroupSpec"),
) -> Place:
    """A place in one line: columns ``start`` to ``end``, the latter excluded, both counted from 1."""
    return Place(file, 0, path, Span(line, start, line, end), label, {line: text})


def finding(at: Place, *related: Place, **changes: Any) -> Finding:
    values: dict[str, Any] = {
        "rule_id": "RAY101",
        "rule_name": "restart-never-with-gcs-ft",
        "severity": Severity.WARNING,
        "confidence": Confidence.HIGH,
        "message": "the head pod is replaced, not restarted, although GCS fault tolerance is on",
        "effect": "every crash costs the time of a new pod, and its jobs start over",
        "fix": "remove the line or set Always",
        "object": CLUSTER,
        "identity": "spec/headGroupSpec",
    }
    return Finding(place=at, related=related, **{**values, **changes})


def report(*findings: Finding, target: Target | None = None, coverage: Coverage | None = None) -> Report:
    return Report(findings, coverage or Coverage(212, 9, 30, 14), target or Target((1, 7)))


NEVER = place(27, 24, 29, "        restartPolicy: Never", "a crash makes KubeRay delete the pod")
OPTIONS = place(13, 3, 27, "  gcsFaultToleranceOptions:", "fault tolerance expects the head back quickly")
