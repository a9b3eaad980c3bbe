"""For authors of rule packs: run the examples on a rule's page.

In a test module::

    @pytest.mark.parametrize("case", cases(RULES), ids=str)
    def test_example(case):
        case.verify()
"""

from __future__ import annotations

from raylint.engine import RAY_NEEDLE, Engine
from raylint.pages import Page
from raylint.reader import read
from raylint.target import NEWEST_KUBERAY, Target, parse_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from raylint.engine import FileResult
    from raylint.finding import Finding
    from raylint.pages import Example
    from raylint.rule import Rule

__all__ = ["Case", "cases"]


class Case:
    """One example of one rule. ``str()`` names it for a test report."""

    __slots__ = ("example", "number", "rule")

    def __init__(self, rule: Rule, number: int, example: Example) -> None:
        self.rule = rule
        self.number = number
        self.example = example

    def __str__(self) -> str:
        kind = "bad" if self.example.bad else "near-miss" if self.example.near_miss else "good"
        return f"{self.rule.id}-{self.number}-{kind}"

    @property
    def target(self) -> Target:
        kuberay = parse_version(self.example.option("kuberay") or "")
        ray = parse_version(self.example.option("ray") or "")
        kubernetes = parse_version(self.example.option("kubernetes") or "")
        return Target(kuberay or NEWEST_KUBERAY, ray, gates=self.example.gates, kubernetes=kubernetes)

    def findings(self) -> list[Finding]:
        """What the rule, alone, says about the example."""
        return self.judged()[1]

    def judged(self) -> tuple[FileResult, list[Finding]]:
        """What is known of the example as a file, and the rule's findings."""
        if self.rule.id.startswith("RL"):
            return self._remarked()
        engine = Engine((self.rule,), self.target)
        result = engine.check("example.yaml", self.example.text.encode())
        if self.example.update:
            before, after = read("example.yaml", self.example.text.encode(), (RAY_NEEDLE,)).documents
            return result, result.findings + engine.check_update([before], [after])
        return result, result.findings + engine.conclude(result.facts)

    def _remarked(self) -> tuple[FileResult, list[Finding]]:
        """The same of one of raylint's own remarks, some of which tell of suppressions of other rules."""
        from raylint.packs import installed_rules
        from raylint.registry import catalogue
        from raylint.suppression import Ignores, unused

        rules = catalogue(installed_rules())
        engine = Engine(rules, self.target, ignores=lambda: Ignores(rules=lambda: rules))
        result = engine.check("example.yaml", self.example.text.encode())
        names = {rule.id: rule.name for rule in rules}
        left = [complaint for one in result.suppressions for complaint in unused(one, names)]
        findings = [*result.findings, *engine.complaints(left)]
        return result, [finding for finding in findings if finding.rule_id == self.rule.id]

    def verify(self) -> None:
        """Raises AssertionError where the findings are not those that the page promises."""
        found = self.findings()
        lines = sorted(finding.place.line for finding in found)
        assert lines == self.example.marked_lines, (
            f"{self}: findings on lines {lines}, {[f.message for f in found]}"
        )
        assert all(finding.rule_id == self.rule.id for finding in found)
        level = self.example.option("severity")
        assert level is None or {finding.severity.label for finding in found} == {level}, f"{self}: not {level}"


def cases(rules: Iterable[Rule]) -> list[Case]:
    """Every example of every rule."""
    return [
        Case(rule, number, example) for rule in rules for number, example in enumerate(Page(rule.doc).examples, 1)
    ]
