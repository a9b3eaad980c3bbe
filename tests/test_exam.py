"""An exam over the field reports: manifests that break as people reported it, each with its repaired form.

``exam/NN-*.broken.yaml``: a line that ends in ``# !! FR-NNN`` must have a finding of a rule that answers this
report (``reports`` of the rule), and nothing else in the file is worse than an info. ``exam/NN-*.repaired.yaml``:
nothing is found. The manifests are written from the reports, not from the pages of the rules.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from raylint.engine import Engine
from raylint.finding import Finding, Severity
from raylint.packs import installed_rules
from raylint.target import NEWEST_KUBERAY, Target

FOLDER = Path(__file__).parent / "exam"
BROKEN = sorted(FOLDER.glob("*.broken.yaml"))
REPORTS = {rule.id: frozenset(rule.reports) for rule in installed_rules()}
GATES = {"RayCronJob": True, "RayClusterNetworkPolicy": True}
ENGINE = Engine(installed_rules(), Target(NEWEST_KUBERAY, None, gates=GATES))
MARK = "  # !! "


def findings(path: Path) -> list[Finding]:
    result = ENGINE.check(path.name, path.read_bytes())
    return [*result.findings, *ENGINE.conclude(result.facts)]


def name(path: Path) -> str:
    return path.name.partition(".")[0]


def test_there_are_enough() -> None:
    assert len(BROKEN) >= 20
    assert {name(path) for path in BROKEN} == {name(path) for path in FOLDER.glob("*.repaired.yaml")}
    reports = [
        line.partition(MARK)[2] for path in BROKEN for line in path.read_text().splitlines() if MARK in line
    ]
    assert len(set(reports)) >= 20


@pytest.mark.parametrize("path", BROKEN, ids=name)
def test_what_breaks_is_named_on_its_line(path: Path) -> None:
    marked = {
        number: line.partition(MARK)[2]
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if MARK in line
    }
    assert marked
    found = findings(path)
    for number, report in marked.items():
        on_the_line = [finding.rule_id for finding in found if finding.place.line == number]
        assert any(report in REPORTS[rule] for rule in on_the_line), (report, on_the_line)
    beside = [
        (finding.rule_id, finding.place.line, finding.message)
        for finding in found
        if finding.severity > Severity.INFO and finding.place.line not in marked
    ]
    # Two lines that make one mistake together: the mark stands on the last.
    assert [entry for entry in beside if not any(REPORTS[entry[0]] & {report} for report in marked.values())] == []


@pytest.mark.parametrize("path", BROKEN, ids=name)
def test_its_repaired_form_is_quiet(path: Path) -> None:
    repaired = path.with_name(path.name.replace(".broken.", ".repaired."))
    assert [(finding.rule_id, finding.message) for finding in findings(repaired)] == []
