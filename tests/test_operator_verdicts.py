"""The KR rules against the verdicts of KubeRay's own validation functions, release by release.

``fixtures/operator-verdicts.jsonl.gz``: manifests, and what the functions of six releases said about each, with
the defaults of their feature gates but for ``gates``. The operator stops at the first fault; a linter tells all,
but must tell that one, and none that the operator looks at earlier.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from raylint.engine import Engine
from raylint.finding import Finding, Severity
from raylint.packs import installed_rules
from raylint.target import Target

FIXTURE = Path(__file__).parent / "fixtures/operator-verdicts.jsonl.gz"
CASES = [json.loads(line) for line in gzip.decompress(FIXTURE.read_bytes()).splitlines()]
RELEASES = {
    "1.3.2": (1, 3),
    "1.4.2": (1, 4),
    "1.5.0": (1, 5, 0),
    "1.5.2": (1, 5, 2),
    "1.6.2": (1, 6),
    "1.7": (1, 7),
}
RULES = tuple(rule for rule in installed_rules() if rule.id.startswith("KR"))

# The order of the checks. Those of a worker group come group by group; the deletion rules are told all at once.
METADATA = ["KR001", "KR002", "KR003", "KR004", "KR005", "KR006", "KR007", "KR008"]
WORKERS = [f"KR{number:03}" for number in range(24, 38)]
DELETION_RULES = [f"KR{number}" for number in range(123, 131)]


def order(kind: str, release: str) -> list[str]:
    """The ids in the order in which the operator checks an object of a kind."""
    cluster = [f"KR{number:03}" for number in range(20, 100)]
    if kind == "RayJob" or kind == "RayCronJob":
        if release == "1.3.2":
            # The cluster of a job is checked once the job itself has passed.
            own = [f"KR{number}" for number in (110, *range(113, 122), 148, *range(131, 147))]
            return [*own, *cluster]
        first = [f"KR{number}" for number in (110, 111, 112, *range(113, 123), 148, *range(123, 142))]
        return [*METADATA, *first, *cluster, *[f"KR{number}" for number in range(143, 147)], "KR010"]
    if kind == "RayService":
        own = [f"KR{number}" for number in range(162, 172)]
        return [*own, *cluster] if release == "1.3.2" else [*METADATA, "KR160", *cluster, *own, "KR010"]
    return [*METADATA, *cluster, "KR009", "KR010"]


def position(finding: Finding, kind: str, release: str) -> tuple[int, int, int]:
    """Where the operator comes across a finding, as a key to sort by."""
    rule = finding.rule_id
    if kind == "RayCronJob":
        if rule == "KR004":
            # Nobody checks the name of a RayCronJob; its jobs are refused for it later.
            return 2, 0, 0
        if rule in ("KR008", "KR180", "KR181", "KR182", "KR183"):
            return 0, 0, int(rule[2:])
    place = order(kind, release).index("KR123" if rule in DELETION_RULES else rule)
    if rule not in WORKERS:
        return 1, place, 0
    steps = finding.place.path
    group = steps[steps.index("workerGroupSpecs") + 1]
    assert isinstance(group, int)
    return 1, order(kind, release).index(WORKERS[0]), group * 100 + place


def findings(case: dict[str, Any], release: str) -> list[Finding]:
    gates = dict(part.split("=") for part in case["gates"].split(",") if part)
    chosen = {name: value == "true" for name, value in gates.items()}
    engine = Engine(RULES, Target(RELEASES[release], gates=chosen))
    return engine.check(case["file"], case["text"].encode()).findings


def params() -> list[Any]:
    return [
        pytest.param(case, release, id=f"{release}-{case['file'].removesuffix('.yaml')}")
        for case in CASES
        for release in case["verdicts"]
    ]


def test_all_cases_are_here() -> None:
    assert len(CASES) == 512
    assert all(set(case["verdicts"]) == set(RELEASES) for case in CASES)


@pytest.mark.parametrize(("case", "release"), params())
def test_verdict(case: dict[str, Any], release: str) -> None:
    verdict = case["verdicts"][release]
    found = findings(case, release)
    errors = [finding for finding in found if finding.severity is Severity.ERROR]
    wanted = {id.replace("-", "") for id in [*verdict.get("kr", ()), *verdict.get("child_kr", ())]}
    told = {finding.rule_id for finding in errors}
    refused = bool(wanted)
    if verdict.get("no_such_kind"):
        # There is nothing that the operator could look at; the API family says so.
        assert told == set()
        return
    assert refused == (not verdict["accept"] or "child_kr" in verdict)
    assert bool(told) == refused, (case["meaning"], [finding.message for finding in errors])
    assert wanted <= told, (case["meaning"], told)
    kind = json.loads(json.dumps(case["text"].partition("kind: ")[2].split("\n")[0]))
    if errors:
        places = {finding.rule_id: position(finding, kind, release) for finding in reversed(errors)}
        first = min(position(finding, kind, release) for finding in errors)
        assert min(places[rule] for rule in wanted) == first, (case["meaning"], places)
    if verdict.get("warning"):
        assert verdict["warning"].replace("-", "") in {finding.rule_id for finding in found}
    assert "RL000" not in {finding.rule_id for finding in found}
