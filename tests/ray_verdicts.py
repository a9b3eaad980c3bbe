"""What real Ray said to the texts in ``tests/fixtures``, and manifests that hold them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from raylint.engine import Engine
from raylint.finding import Finding, Severity
from raylint.packs import installed_rules
from raylint.target import Target, parse_version

VERSIONS = ("2.9.3", "2.40.0", "2.51.1", "2.60.0")
# The rules that look into these texts, and the operator's two that refuse a text that is no mapping.
RULES = tuple(
    rule for rule in installed_rules() if rule.id[:4] in ("RAY5", "RAY6") or rule.id in ("KR143", "KR213")
)


def load(name: str) -> list[dict[str, Any]]:
    """The cases of a fixture; a verdict holds up to the version before the next one that is written."""
    text = (Path(__file__).parent / "fixtures" / name).read_text()
    cases: list[dict[str, Any]] = json.loads(text)["cases"]
    for case in cases:
        verdicts = case.get("verdicts")
        if verdicts is not None:
            found = None
            case["verdicts"] = {}
            for version in VERSIONS:
                found = verdicts.get(version, found)
                case["verdicts"][version] = found
    return cases


@cache
def engine(ray: str) -> Engine:
    return Engine(RULES, Target(ray=parse_version(ray)))


def head(ray: str) -> dict[str, Any]:
    """An official image with nothing mounted."""
    container = {"name": "ray-head", "image": f"rayproject/ray:{ray or 'nightly'}"}
    return {"headGroupSpec": {"template": {"spec": {"containers": [container]}}}}


def findings(kind: str, spec: dict[str, Any], ray: str) -> list[Finding]:
    """What the rules say; ``ray`` empty: the version is unknown. JSON keeps the text byte for byte."""
    manifest = {"apiVersion": "ray.io/v1", "kind": kind, "metadata": {"name": "shop"}, "spec": spec}
    result = engine(ray).check("manifest.yaml", json.dumps(manifest).encode())
    assert not [finding for finding in result.findings if finding.rule_id.startswith("RL")], result.findings
    return result.findings


def errors(found: list[Finding]) -> list[Finding]:
    return [finding for finding in found if finding.severity is Severity.ERROR]


def meets(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Is one path the other, or above it, or below it?"""
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]
