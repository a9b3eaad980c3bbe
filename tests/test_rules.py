"""Every example of every rule runs, and every page is complete."""

from __future__ import annotations

import pytest

from raylint.finding import Severity
from raylint.packs import installed_rules
from raylint.pages import Page
from raylint.rule import Rule
from raylint.rule_options import options_of
from raylint.testing import Case, cases

RULES = installed_rules()
NAMES = ("KubeRay ", "Ray ", "RAY_", "Redis ", "GCS ")
SECTIONS = ["What it flags", "What happens", "Versions", "Fix", "When to ignore it", "Source", "Examples"]


@pytest.mark.parametrize("case", cases(RULES), ids=str)
def test_example(case: Case) -> None:
    case.verify()


@pytest.mark.parametrize("case", cases(RULES), ids=str)
def test_finding_says_what_happens_and_how_to_fix_it(case: Case) -> None:
    for finding in case.findings():
        for text in (finding.message, finding.effect, finding.fix):
            assert len(text) > 15
            assert "\n" not in text
            assert not text.endswith(".")
        # Lower case, unless a name of the field stands first.
        assert finding.message[0].islower() or finding.message.startswith(NAMES)
        assert finding.object is not None
        assert finding.object.name
        assert finding.place.span is not None
        assert finding.place.lines


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_page_is_complete(rule: Rule) -> None:
    page = Page(rule.doc)
    options = options_of(rule)
    assert page.sections == [*SECTIONS[:5], *["Options"] * bool(options), *SECTIONS[5:]]
    for name, option in options.items():
        assert f"- `{name}` ({option.default}): " in page.text
    assert page.summary.endswith(".")
    assert "\n\n" not in page.summary
    bad = [example for example in page.examples if example.bad]
    good = [example for example in page.examples if not example.bad]
    assert len(bad) >= 2
    assert len(good) >= 2
    assert any(example.near_miss for example in good)
    assert all(example.marked_lines for example in bad)
    assert not any(example.marked_lines for example in good)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_of_one_level_says_so_in_its_own(rule: Rule) -> None:
    """A rule's own severity is the one of its plain case: some bad example must show it."""
    bad = [case for case in cases([rule]) if case.example.bad]
    shown: set[Severity] = {finding.severity for case in bad for finding in case.findings()}
    assert rule.severity in shown
