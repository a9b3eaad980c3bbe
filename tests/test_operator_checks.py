"""Checks of the operator without a rule: every number is a rule's, has a reason, or does not exist."""

from __future__ import annotations

import pytest

from raylint.cli import main
from raylint.operator_checks import WITHOUT_RULE, why_without_rule
from raylint.packs import installed_rules

RULES = {rule.id for rule in installed_rules()}
# The operator's checks by the hundred, and the numbers between them that no check has.
NUMBERS = (
    *(range(1, 11), range(20, 101), range(110, 149), range(160, 172), range(180, 185), range(190, 194)),
    *(range(200, 227), range(250, 262), range(300, 314)),
)
UNUSED = {224}


@pytest.mark.parametrize("number", [number for numbers in NUMBERS for number in numbers])
def test_a_check_has_a_rule_or_a_reason(number: int) -> None:
    id = f"KR{number:03}"
    assert (id in RULES) + bool(why_without_rule(id)) == (number not in UNUSED)


@pytest.mark.parametrize("text", ["KR149", "KR1", "KR0142", "RAY142", "KR142x", ""])
def test_what_is_no_check_has_no_reason(text: str) -> None:
    assert why_without_rule(text) == ""


@pytest.mark.parametrize("typed", ["KR142", "kr142", "KR-142", " KR-161 "])
def test_a_number_may_be_typed_in_any_way(typed: str) -> None:
    assert why_without_rule(typed) == WITHOUT_RULE["KR-142, KR-161"]


@pytest.mark.parametrize(
    ("id", "where"), [("KR142", "KR020 to KR099"), ("KR184", "KR110 to KR146"), ("KR215", "")]
)
def test_explain_says_where_the_fault_is_told(id: str, where: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", id]) == 0
    said = capsys.readouterr()
    assert said.out.startswith(f"{id} is a check of KubeRay without a rule: ")
    assert where in said.out
    assert said.err == ""


@pytest.mark.parametrize("flag", ["--select", "--ignore", "--severity"])
def test_to_choose_one_is_wrong_usage(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([flag, "KR142=info" if flag == "--severity" else "KR142", "."]) == 2
    said = capsys.readouterr().err
    assert said.startswith("raylint: KR142 is a check without a rule: ")
    assert "by KR020 to KR099" in said
