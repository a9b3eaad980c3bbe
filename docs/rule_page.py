"""One rule's page: its docstring, and what the rule's metadata, the profiles, the measurements, the field reports
and the other rules say of it. Nothing here is written for a single rule."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from raylint import cluster, group, manifest, narrow, update
from raylint.pages import Page, text_of
from raylint.registry import choose
from raylint.report import Coverage, Report, render
from raylint.rule import Rule, Severity
from raylint.rule_options import options_of
from raylint.target import NEWEST_KUBERAY
from raylint.testing import Case

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from raylint.pages import Example

__all__ = ["Almanac", "counted", "thread"]

# Where views are written.
_VIEWS = (manifest, cluster, group, narrow, update)
PROFILES = ("recommended", "production", "dev", "all")
_EVERY_KIND = ("RayCluster", "RayJob", "RayService", "RayCronJob")
# The kinds of objects in which a view is found, by its nearest ancestor that is named here.
_KINDS = {
    "KubeObject": ("objects of every kind",),
    "RayClusterObject": ("RayCluster",),
    "RayService": ("RayService",),
    "RayCronJob": ("RayCronJob",),
    "RayJob": ("RayJob", "RayCronJob"),
    "RayObject": _EVERY_KIND,
    "Labels": _EVERY_KIND,
    "RayCluster": _EVERY_KIND,
    "Group": _EVERY_KIND,
    "ClusterUpdate": ("updates of a RayCluster",),
    "JobUpdate": ("updates of a RayJob",),
    "ServiceUpdate": ("updates of a RayService",),
}
# How a kind of fix is made.
_FLAGS = {"safe": "`--fix`", "unsafe": "`--fix --unsafe-fixes`"}
_ID = re.compile(r"\b(?:API|KR|RAY|RL)\d{3}\b")
_NAME = re.compile(r"`([a-z][a-z0-9]*(?:-[a-z0-9]+)+)`")
_FENCE = re.compile(r"^```yaml (?:bad|good)\b.*?^```(?:\n|\Z)", re.MULTILINE | re.DOTALL)
_MOST_RELATED = 6
# More lines than these are shown when they are asked for.
_SHORT = 14


class Almanac:
    """What there is to say of all rules beside their docstrings. ``docs``: the folder of the data, ``history``:
    instead of ``rule-history.yaml``."""

    def __init__(self, rules: tuple[Rule, ...], docs: Path, history: Mapping[str, Any] | None = None) -> None:
        self.rules = rules
        self._by_id = {rule.id: rule for rule in rules}
        self._ids = {rule.name: rule.id for rule in rules}
        self._samples = _data(docs / "precision.yaml")
        reports = _data(docs / "field-reports.yaml")
        self._reports = reports["reports"]
        self._by_hand = reports["by_hand"]
        self._history = _data(docs / "rule-history.yaml") if history is None else history
        root = docs.parent
        self._repaired = len(list((root / "tests" / "exam").glob("*.repaired.yaml")))
        self._profiles = {name: _data(root / "rules" / "profiles" / f"{name}.yaml") for name in PROFILES}

    def page(self, rule: Rule) -> str:
        """The page below ``docs/rules/``."""
        text = text_of(rule)
        body = text[len(text.split("\n\n")[0]) :].strip("\n")
        head, examples, tail = body.partition("\n## Examples\n")
        parts = [
            f"# {rule.id} {rule.name}",
            Page(rule.doc).summary,
            self._facts(rule),
            _with_lists_apart(head.strip("\n")),
            self._seen(rule),
            f"## Examples\n{_with_lists_apart(_with_output(rule, tail))}".rstrip("\n") if examples else "",
            self._related(rule),
            self._story(rule),
        ]
        return "\n\n".join(part for part in parts if part) + "\n"

    def _facts(self, rule: Rule) -> str:
        rows = {
            "severity": rule.severity.label,
            "confidence": rule.confidence.label,
            "KubeRay": str(rule.kuberay),
            "Ray": str(rule.ray),
            "profiles": self._choices(rule),
            "looks at": ", ".join(kinds(rule)),
            "other files": _other_files(rule),
            "fix": _fix(rule) if rule.fixes else f"none. {self._by_hand.get(rule.id, '')}".removesuffix(". "),
            "options": ", ".join(f"`{name}`" for name in options_of(rule)) or "none",
            "preview": "yes: it runs where it is named, or with `--preview`" if rule.preview else "no",
            "since": f"raylint {self._since(rule)}",
            "measured": self._measured(rule),
        }
        lines = [f"| {name} | {value} |" for name, value in rows.items() if value]
        return "\n".join(["| | |", "| --- | --- |", *lines])

    def _choices(self, rule: Rule) -> str:
        """The profiles in which the rule runs, each with its severity where that is not the rule's own."""
        said = []
        for name in PROFILES:
            severity = self._choice[name].get(rule.id)
            if severity is not None:
                said.append(name if severity is rule.severity else f"{name} ({severity.label})")
        return ", ".join(said)

    @cached_property
    def _choice(self) -> dict[str, dict[str, Severity]]:
        """By profile the rules that run, with their severities."""
        return {name: self._chosen(settings) for name, settings in self._profiles.items()}

    def _chosen(self, settings: Mapping[str, Any]) -> dict[str, Severity]:
        # The choice puts raylint's remarks to the rules itself.
        own = [rule for rule in self.rules if not rule.id.startswith("RL")]
        choice = choose(
            own, (), settings.get("ignore", ()), settings.get("severity"), preview=settings.get("preview", False)
        )
        least = settings.get("min-confidence", "low").upper()
        return {
            rule.id: choice.severities.get(rule.id, rule.severity)
            for rule in choice.rules
            if rule.confidence >= type(rule.confidence)[least]
        }

    def _measured(self, rule: Rule) -> str:
        if rule.preview:
            return "no: without a flag it does not run"
        if NEWEST_KUBERAY not in rule.kuberay:
            return f"no: the samples are for KubeRay {self._samples['kuberay']}"
        found = self._samples["findings"].get(rule.id, {})
        levels = [counted(found[level], level) for level in ("error", "warning", "info") if level in found]
        said = f"{', '.join(levels)} ([Precision](../precision.md))" if levels else "none"
        samples = f"on the {self._samples['files']} samples of KubeRay {self._samples['kuberay']}: {said}"
        if rule.id.startswith("RL"):
            return samples
        return f"{samples}; on the {self._repaired} repaired manifests of `tests/exam`: none"

    def _seen(self, rule: Rule) -> str:
        rows = [f"- [{report}](../field-reports.md): {self._seen_in(report)}" for report in rule.reports]
        return "\n".join(["## Seen in the field", "", *rows]) if rows else ""

    def _seen_in(self, report: str) -> str:
        entry = self._reports[report]
        threads = ", ".join(map(thread, entry.get("threads", ())))
        return f"{entry['seen']} ({threads})" if threads else str(entry["seen"])

    def _related(self, rule: Rule) -> str:
        lines = [f"- [{one.id}]({one.id}.md) `{one.name}`: {Page(one.doc).summary}" for one in self.related(rule)]
        return "\n".join(["## Related rules", "", *lines]) if lines else ""

    def related(self, rule: Rule) -> list[Rule]:
        """The rules that its page names and whose pages name it, then those that answer the same report, then
        those of the same module, the nearest first."""
        here = self.rules.index(rule)
        ranked = []
        for at, other in enumerate(self.rules):
            if other.id in self._named[rule.id] or self._is_named(rule, other):
                rank = 0
            elif not set(rule.reports).isdisjoint(other.reports):
                rank = 1
            elif other.module == rule.module:
                rank = 2
            else:
                continue
            if other is not rule:
                ranked.append((rank, abs(at - here), at))
        return [self.rules[at] for _, _, at in sorted(ranked)[:_MOST_RELATED]]

    def _is_named(self, rule: Rule, other: Rule) -> bool:
        """Remarks name rules only to show how a rule is named."""
        return rule.id in self._named[other.id] and not other.id.startswith("RL")

    @cached_property
    def _named(self) -> dict[str, set[str]]:
        """By rule the ids of those that its page names, by id or alias."""
        return {rule.id: set(self._names_in(rule.doc)) for rule in self.rules}

    def _names_in(self, text: str) -> Iterable[str]:
        yield from (id for id in _ID.findall(text) if id in self._by_id)
        yield from (self._ids[name] for name in _NAME.findall(text) if name in self._ids)

    def _since(self, rule: Rule) -> str:
        return str(self._history["rules"].get(rule.id, {}).get("since", self._history["first"]))

    def _story(self, rule: Rule) -> str:
        changes = self._history["rules"].get(rule.id, {}).get("changes", {})
        since = f"## History\nSince raylint {self._since(rule)}"
        lines = [f"- {version}: {change}" for version, change in changes.items()]
        return "\n".join([f"{since}:", "", *lines]) if lines else f"{since}, unchanged."

    def samples_table(self) -> str:
        """What was found on KubeRay's samples: a row for each rule and level."""
        rows = [
            (level, -found[level], id, found.get("note", ""))
            for id, found in self._samples["findings"].items()
            for level in ("error", "warning", "info")
            if level in found
        ]
        order = ("error", "warning", "info")
        rows.sort(key=lambda row: (order.index(row[0]), *row[1:]))
        lines = [
            f"| [{id}](rules/{id}.md) | {'; '.join(filter(None, (level, note)))} | {-number} |"
            for level, number, id, note in rows
        ]
        return "\n".join(["| rule | level | findings |", "| --- | --- | --- |", *lines])


def _data(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def kinds(rule: Rule) -> tuple[str, ...]:
    """The kinds of the objects that the rule is asked about; none for remarks on files."""
    found = [getattr(module, rule.visits, None) for module in _VIEWS if rule.visits]
    ancestors = [ancestor.__name__ for view in found if view is not None for ancestor in view.__mro__]
    return next((_KINDS[name] for name in ancestors if name in _KINDS), ())


def _other_files(rule: Rule) -> str:
    if rule.visits in update.VIEWS:
        return "the object as it was: in the [webhook](../webhook.md), and with `--diff-base`"
    if rule.context:
        read = dict.fromkeys(entry.partition("/")[0] for entry in rule.context)
        return f"also reads {', '.join(read)} of the run"
    return "compares the objects of all files of a run" if rule.whole_run else "no"


def _fix(rule: Rule) -> str:
    flags = " or ".join(_FLAGS[word] for word in rule.fixes.split(" or "))
    return f"{rule.fixes} ({flags}), where the text allows it"


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def thread(name: str) -> str:
    """``owner/repository#number`` as a link; GitHub leads on from an issue's address to a pull request's."""
    repository, _, number = name.partition("#")
    return f"[{name}](https://github.com/{repository}/issues/{number})"


def _with_output(rule: Rule, text: str) -> str:
    """The examples with a title each, behind the first bad one what raylint prints of it."""
    examples = enumerate(Page(rule.doc).examples, 1)
    is_shown = False

    def shown(fence: re.Match[str]) -> str:
        nonlocal is_shown
        number, example = next(examples)
        plain = f'```yaml title="{_title(example)}"\n{example.text}```\n'
        if not example.bad or is_shown:
            return plain
        is_shown = True
        return f"{plain}\n{_output(printed(Case(rule, number, example)))}\n"

    return _FENCE.sub(shown, text)


def _title(example: Example) -> str:
    """Whether the example is flagged, and for which target where that is not the usual one."""
    names = {"kuberay": "KubeRay", "ray": "Ray", "kubernetes": "Kubernetes", "gates": "gates"}
    target = ", ".join(f"{name} {value}" for key, name in names.items() if (value := example.option(key)))
    return f"{'flagged' if example.bad else 'not flagged'}{target and f' ({target})'}"


def printed(case: Case) -> str:
    """The report for people on an example, by its rule alone."""
    result, findings = case.judged()
    findings.sort(key=lambda finding: finding.sort_key)
    objects = result.ray_objects
    coverage = Coverage(1, int(objects > 0), result.documents, objects, len(result.suppressed))
    return render(Report(findings, coverage, case.target, rules=(case.rule,)), "text")


def _output(output: str) -> str:
    fenced = f"```text\n{output.rstrip()}\n```"
    if output.count("\n") <= _SHORT:
        return f"raylint prints:\n\n{fenced}"
    return f'<details markdown="1">\n<summary>raylint prints</summary>\n\n{fenced}\n\n</details>'


def _with_lists_apart(text: str) -> str:
    """An empty line before each list outside of the examples: without it the site goes on with the paragraph."""
    lines: list[str] = []
    in_example = False
    for line in text.split("\n"):
        in_example ^= line.startswith("```")
        if line.startswith("- ") and not in_example and lines[-1] and not lines[-1].startswith(("- ", "  ")):
            lines.append("")
        lines.append(line)
    return "\n".join(lines)
