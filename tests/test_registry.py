"""Which rules run, and how bad their findings are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from raylint.cluster import RayCluster
from raylint.errors import UsageError
from raylint.finding import Confidence, Severity
from raylint.registry import catalogue, choose, matching
from raylint.remarks import REMARKS
from raylint.rule import Rule

if TYPE_CHECKING:
    from raylint.rule import Problems


def silent(_: RayCluster) -> Problems:
    yield from ()


def made(id: str, name: str, *, preview: bool = False) -> Rule:
    return Rule(id, name, Severity.WARNING, Confidence.HIGH, silent, preview=preview)


RULES = (
    made("RAY101", "restart-never"),
    made("RAY102", "worker-restart"),
    made("RAY201", "worker-may-restart"),
    made("RAY301", "port-clash", preview=True),
    made("KR026", "min-replicas-negative"),
    made("API001", "unknown-field"),
)
ALL = {"API001", "KR026", "RAY101", "RAY102", "RAY201"}
OWN = {remark.id for remark in REMARKS}


def chosen(*select: str, ignore: tuple[str, ...] = (), preview: bool = False) -> set[str]:
    """The ids that run, raylint's own remarks left out."""
    picked = choose(RULES, select, ignore, preview=preview).rules
    return {rule.id for rule in picked} - OWN


def test_catalogue_is_in_the_order_of_the_ids() -> None:
    ids = [rule.id for rule in catalogue(RULES)]
    assert ids == sorted(ids)
    assert set(ids) == {rule.id for rule in RULES} | OWN


@pytest.mark.parametrize(
    ("select", "ignore", "expected"),
    [
        ((), (), ALL),
        (("RAY",), (), {"RAY101", "RAY102", "RAY201"}),
        (("ray1",), (), {"RAY101", "RAY102"}),
        (("RAY101", "KR"), (), {"RAY101", "KR026"}),
        (("worker-restart",), (), {"RAY102"}),
        ((), ("RAY",), {"API001", "KR026"}),
        ((), ("unknown-field", "RAY2"), {"KR026", "RAY101", "RAY102"}),
        # The more exact selector wins, in either direction; ignoring wins a tie.
        (("RAY",), ("RAY1",), {"RAY201"}),
        (("RAY101",), ("RAY",), {"RAY101"}),
        (("RAY101",), ("RAY101",), set()),
        (("restart-never",), ("RAY1",), {"RAY101"}),
        (("RAY1",), ("restart-never",), {"RAY102"}),
        (("restart-never",), ("RAY101",), set()),
    ],
)
def test_choice(select: tuple[str, ...], ignore: tuple[str, ...], expected: set[str]) -> None:
    assert chosen(*select, ignore=ignore) == expected


def test_rules_in_preview_run_when_named_or_asked_for() -> None:
    assert "RAY301" not in chosen()
    assert "RAY301" in chosen(preview=True)
    assert chosen("RAY301") == {"RAY301"}
    assert chosen("port-clash") == {"RAY301"}
    assert "RAY301" not in chosen("RAY")
    assert "RAY301" in chosen("RAY", preview=True)
    assert chosen("RAY301", ignore=("RAY301",), preview=True) == set()


def test_remarks_stay_on_unless_ignored_by_name() -> None:
    assert {rule.id for rule in choose(RULES, ["KR"]).rules} == OWN | {"KR026"}
    assert "RL010" not in {rule.id for rule in choose(RULES, ["KR"], ["RL010"]).rules}
    assert "RL001" not in {rule.id for rule in choose(RULES, [], ["unreadable"]).rules}


def test_severities_by_id_name_and_family() -> None:
    choice = choose(RULES, severities={"RAY1": "info", "worker-restart": "Error", "KR": "WARNING"})
    assert choice.severities == {
        "RAY101": Severity.INFO,
        "RAY102": Severity.ERROR,
        "KR026": Severity.WARNING,
    }


@pytest.mark.parametrize(
    ("selector", "words"),
    [
        ("RAY109", "did you mean 'RAY10"),
        ("RAY1xx", "did you mean 'RAY1'? a family is named by its beginning"),
        ("RAY1*", "did you mean 'RAY1'?"),
        ("RAY1O1", "did you mean 'RAY101'?"),
        ("ray10l", "did you mean 'RAY101'?"),
        ("restart-nevr", "did you mean 'restart-never'"),
        ("XYZ", "`raylint rules` lists them"),
        ("", "unknown rule ''"),
    ],
)
def test_unknown_selector_is_refused_with_a_suggestion(selector: str, words: str) -> None:
    for wrong in (
        lambda: choose(RULES, [selector]),
        lambda: choose(RULES, [], [selector]),
        lambda: choose(RULES, severities={selector: "info"}),
        lambda: matching(RULES, selector),
    ):
        with pytest.raises(UsageError) as raised:
            wrong()
        assert words in str(raised.value)
        assert repr(selector) in str(raised.value)


def test_unknown_severity_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown severity 'fatal': use info, warning or error"):
        choose(RULES, severities={"RAY101": "fatal"})


def test_choice_does_not_depend_on_the_order_of_the_rules() -> None:
    forwards = choose(RULES, ["RAY", "KR026"], ["RAY102"], {"RAY": "info"})
    backwards = choose(RULES[::-1], ["KR026", "RAY"], ["RAY102"], {"RAY": "info"})
    assert [rule.id for rule in forwards.rules] == [rule.id for rule in backwards.rules]
    assert forwards.severities == backwards.severities
