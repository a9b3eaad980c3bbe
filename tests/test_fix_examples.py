"""Every fix that a rule offers on its own page's bad examples: it mends them, and touches nothing else.

ruamel.yaml, which shares no code with what reads and edits manifests here, judges what became of the data.
"""

from __future__ import annotations

import io
import math

import pytest
from ruamel.yaml import YAML

from raylint.engine import Engine
from raylint.finding import Change, Finding, Fix
from raylint.fix import fix_text
from raylint.packs import installed_rules
from raylint.rule import Rule
from raylint.testing import Case, cases

RULES = installed_rules()
FIXING = [rule for rule in RULES if rule.fixes]
API = [rule for rule in RULES if rule.id.startswith("API")]


class Example:
    """A bad example of a rule with fixes."""

    def __init__(self, case: Case) -> None:
        self.rule = case.rule
        self.name = str(case)
        self.raw = case.example.text.encode()
        self.engine = Engine([case.rule, *(rule for rule in API if rule is not case.rule)], case.target)
        self.result = self.engine.check("example.yaml", self.raw)

    def __str__(self) -> str:
        return self.name

    @property
    def findings(self) -> list[Finding]:
        return [finding for finding in self.result.findings if finding.rule_id == self.rule.id]


EXAMPLES = [Example(case) for case in cases(FIXING) if case.example.bad]


def offered(rule: Rule) -> set[str]:
    """What kinds of fix a rule offers on its page."""
    fixes = [fix for it in EXAMPLES if it.rule is rule for finding in it.findings for fix in finding.fixes]
    return {"safe" if fix.safe else "unsafe" for fix in fixes}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_says_which_fixes_it_offers(rule: Rule) -> None:
    assert offered(rule) == set(rule.fixes.split(" or ") if rule.fixes else ())


@pytest.mark.parametrize("rule", [rule for rule in RULES if not rule.fixes], ids=lambda rule: rule.id)
def test_a_rule_offers_no_fix_without_saying_so(rule: Rule) -> None:
    for case in cases([rule]):
        assert not [finding for finding in case.findings() if finding.fixes]


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_a_fix_mends_its_example(example: Example) -> None:
    """Each finding that offers a fix is gone, the API server accepts what it accepted before, nothing is new."""
    fixable = [finding for finding in example.findings if finding.fixes]
    fixed = fix_text(example.engine, example.raw, example.result, unsafe=True)
    assert fixed.taken_back() == []
    assert fixed.count >= len(fixable)
    left = [finding for finding in fixed.result.findings if finding.rule_id == example.rule.id]
    assert len(left) == len(example.findings) - len(fixable)
    before = [finding.rule_id for finding in example.result.findings]
    after = [finding.rule_id for finding in fixed.result.findings]
    assert all(after.count(rule_id) <= before.count(rule_id) for rule_id in set(after))


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_a_fix_changes_what_it_says_and_nothing_else(example: Example) -> None:
    for finding in example.findings:
        for fix in finding.fixes:
            after = replaced(example.raw.decode(), fix)
            assert data(after) == changed(data(example.raw.decode()), fix), after


def replaced(text: str, fix: Fix) -> str:
    """The text after a fix, made by lines and columns as an editor would, not by bytes."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for replacement in reversed(fix.replacements):
        span = replacement.span
        start = starts[span.line - 1] + span.column - 1
        end = starts[span.end_line - 1] + span.end_column - 1
        text = text[:start] + replacement.text + text[end:]
    return text


def data(text: str) -> list[object]:
    yaml = YAML(typ="safe", pure=True)
    yaml.allow_duplicate_keys = True
    return [plain(document) for document in yaml.load_all(io.StringIO(text))]


def plain(value: object) -> object:
    """Data in which 1 and true are two things."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return ("nan",) if isinstance(value, float) and math.isnan(value) else (type(value).__name__, value)


def changed(documents: list[object], fix: Fix) -> list[object]:
    """The data after a fix, one change after the other."""
    root = documents[fix.document]
    for change in sorted(
        fix.changes, key=lambda change: (change.action == "delete", [str(it) for it in change.path])
    ):
        change_one(root, change)
    return documents


def change_one(root: object, change: Change) -> None:
    owner = root
    for number, step in enumerate(change.path[:-1]):
        if isinstance(owner, dict) and owner.get(step) in (None, ("NoneType", None)):
            owner[step] = [] if isinstance(change.path[number + 1], int) else {}
        assert isinstance(owner, (dict, list))
        owner = owner[step]  # type: ignore[index]
    last = change.path[-1]
    if isinstance(owner, list):
        assert isinstance(last, int)
        if change.action == "delete":
            del owner[last]
        elif change.action == "first":
            owner.insert(0, owner.pop(last))
        else:
            owner[last:] = [plain(change.value), *owner[last + 1 :]]
        return
    assert isinstance(owner, dict)
    if change.action == "delete":
        del owner[last]
    elif change.action == "rename":
        owner[str(change.value)] = owner.pop(last)
    else:
        owner[last] = plain(change.value)
