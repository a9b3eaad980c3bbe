"""Every field report, and every group of what the operator accepts, is answered by a rule or by a reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from raylint.packs import installed_rules
from raylint.rule import Rule

ROOT = Path(__file__).parent.parent
REPORTS = (ROOT / "tests" / "fixtures" / "field-report-ids.txt").read_text().split()
DATA: dict[str, dict[Any, Any]] = yaml.safe_load((ROOT / "docs" / "field-reports.yaml").read_text())
BY_HAND: dict[str, str] = DATA["by_hand"]
RULES = installed_rules()
ANSWERED = {report for rule in RULES for report in rule.reports}
PAGE = (ROOT / "docs" / "field-reports.md").read_text()


def test_the_reports_are_those_of_the_list() -> None:
    assert len(REPORTS) == len(set(REPORTS)) == 136
    assert sorted(DATA["reports"]) == sorted(REPORTS)


@pytest.mark.parametrize("report", REPORTS)
def test_report_has_a_rule_or_a_reason_and_not_both(report: str) -> None:
    why = DATA["reports"][report].get("why", "")
    assert (report in ANSWERED) != bool(why)
    assert not why or (why.endswith(".") and len(why) > 40)


@pytest.mark.parametrize("report", REPORTS)
def test_report_stands_in_the_table_once(report: str) -> None:
    (row,) = [line for line in PAGE.split("\n") if line.startswith(f"| {report} |")]
    assert DATA["reports"][report].get("fix", "") in row
    assert row.count(" | ") == 4
    assert row.rstrip(" |").rpartition("|")[2].strip()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_that_answers_a_report_mends_it_or_says_why_not(rule: Rule) -> None:
    """``--fix`` or ``--unsafe-fixes`` does, which the tests of the examples hold."""
    why = BY_HAND.get(rule.id, "")
    assert bool(why) == (bool(rule.reports) and not rule.fixes)
    if why:
        assert why.endswith(".")
        assert len(why) > 40
        assert f"| [{rule.id}](rules/{rule.id}.md) | {why} |" in PAGE
        assert f"| fix | none. {why} |" in (ROOT / "docs" / "rules" / f"{rule.id}.md").read_text()


def test_rules_answer_only_reports_that_exist() -> None:
    assert set(REPORTS) >= ANSWERED


@pytest.mark.parametrize("number", range(1, 25))
def test_group_has_rules_that_exist(number: int) -> None:
    ids = {rule.id for rule in RULES}
    rules = DATA["groups"][number]["rules"]
    assert rules
    assert set(rules) <= ids
    assert f"| {number} | {DATA['groups'][number]['accepts']} |" in PAGE


def test_there_are_no_other_groups() -> None:
    assert sorted(DATA["groups"]) == list(range(1, 25))
