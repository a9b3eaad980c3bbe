"""What objects tell rules that compare them is the same, whichever way a run comes to it: from what it has kept of
a file, from the file read again, or from a process of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from raylint import run as run_module
from raylint.finding import Finding, Severity
from raylint.manifest import KubeObject, RayJob
from raylint.packs import installed_rules
from raylint.registry import choose
from raylint.report import render
from raylint.rule import Fact, Problem, Rule, rule
from raylint.run import Inspector, report_of, run
from raylint.selection import Selection
from raylint.target import Target
from raylint.testing import cases

if TYPE_CHECKING:
    from raylint.rule import Test

COMPARING = tuple(rule for rule in installed_rules() if rule.whole_run)
CLUSTER = (
    "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: %s, labels: {token: hunter2hunter2}}\nspec: {}\n"
)
JOB = (
    "apiVersion: ray.io/v1\nkind: RayJob\nmetadata: {name: job}\nspec:\n"
    '  entrypoint: python a.py\n  runtimeEnvYAML: |\n    env_vars: {A: "1"}\n'
)
QUEUE = "apiVersion: kueue.x-k8s.io/v1beta1\nkind: LocalQueue\nmetadata: {name: %s}\n"
# How a run comes to what Ray objects tell, by the bytes that it may keep and its processes.
WAYS = {"kept": (1 << 20, 1), "room for some": (700, 1), "read again": (0, 1), "processes": (1 << 20, 2)}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture(params=WAYS)
def processes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    room, number = WAYS[request.param]
    monkeypatch.setattr(run_module, "_MOST_KEPT", room)
    return number


def write(**files: str) -> None:
    for name, text in files.items():
        Path(f"{name}.yaml").write_text(text)


def told(rule: Rule, processes: int, target: Target | None = None) -> list[Finding]:
    report, _ = run(choose((rule,), [rule.id]), target or Target(), Selection(["."]), processes=processes)
    return [finding for finding in report.findings if finding.rule_id in (rule.id, "RL000")]


def test_examples_of_the_rules_that_compare_objects(processes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The documents of an example, each in a file of its own, say what they say in one file."""
    expected = 0
    for number, case in enumerate(cases(COMPARING)):
        folder = Path(str(number))
        folder.mkdir()
        for part, text in enumerate(case.example.text.split("---\n")):
            (folder / f"{part}.yaml").write_text(text)
        monkeypatch.chdir(folder)
        findings = told(case.rule, processes, case.target)
        monkeypatch.chdir("..")
        alone = case.findings()
        expected += len(alone)
        assert sorted(map(in_words, findings)) == sorted(map(in_words, alone))
    assert expected > len(COMPARING)


def in_words(finding: Finding) -> tuple[str, ...]:
    places = [(place.path, list(place.lines.values()), place.label) for place in (finding.place, *finding.related)]
    return finding.message, str(finding.object), finding.identity, repr(places)


def test_all_rules_at_once_give_the_report_of_facts_that_are_gathered_at_once(processes: int) -> None:
    write(**{f"f{number}": case.example.text for number, case in enumerate(cases(COMPARING))})
    choice, sources = choose(COMPARING, [rule.id for rule in COMPARING]), list(Selection(["."]))
    at_once = Inspector(choice, Target(), once=True)
    inspection = at_once.inspect(sources)
    at_once.conclude(inspection)
    expected = report_of(inspection, choice, Target())
    assert len(expected.findings) > len(COMPARING)
    report, _ = run(choice, Target(), sources, processes=processes)
    assert render(report, "json", color=False) == render(expected, "json", color=False)


def names(found: KubeObject) -> Iterator[Fact]:
    at = found.metadata.at_key("name") if found.kind != "RayCluster" else found.metadata.at_key("labels", "token")
    yield Fact((found.kind,), at, str(found.ref))


@rule("XX001", Severity.WARNING, gathers=names, context=("LocalQueue",))
def each_in_its_order(facts: list[Fact]) -> Iterator[Problem]:
    """Each object, in the order of the facts."""
    for number, fact in enumerate(facts):
        because = [(facts[0].at, "the first")]
        yield Problem(fact.at, f"{fact.owner} is {number}", effect="none", fix="none", because=because)


def test_objects_come_in_their_order(processes: int) -> None:
    items = [CLUSTER % "c", QUEUE % "d", CLUSTER % "e"]
    listed = "".join("- " + item.replace("\n", "\n  ").rstrip() + "\n" for item in items)
    write(
        a=CLUSTER % "a" + "---\n" + QUEUE % "b",
        b=f"apiVersion: v1\nkind: List\nitems:\n{listed}---\n" + CLUSTER % "f",
    )
    findings = told(each_in_its_order, processes)
    assert [finding.message for finding in findings] == [
        "RayCluster a is 0",
        "LocalQueue b is 1",
        "RayCluster c is 2",
        "LocalQueue d is 3",
        "RayCluster e is 4",
        "RayCluster f is 5",
    ]
    assert [str(finding.object) for finding in findings][:3] == ["RayCluster a", "LocalQueue b", "RayCluster c"]
    assert [finding.place.line for finding in findings] == [3, 8, 6, 10, 13, 18]
    assert {finding.related[0].line for finding in findings} == {3}


def test_secrets_are_covered_in_what_is_told_of_a_file_that_is_gone_from_memory(processes: int) -> None:
    write(a=CLUSTER % "a", b=QUEUE % "b")
    first, _ = told(each_in_its_order, processes)
    assert first.place.lines == {3: "metadata: {name: a, labels: {token: **************}}"}


def test_a_patch_is_not_compared(processes: int) -> None:
    write(a=CLUSTER % "a", b=QUEUE % "b", patch=QUEUE % "c", kustomization="patches: [{path: patch.yaml}]\n")
    findings = told(each_in_its_order, processes)
    assert [finding.message for finding in findings] == ["RayCluster a is 0", "LocalQueue b is 1"]


def test_a_rule_that_fails_on_an_object_is_told_of_with_its_place(processes: int) -> None:
    def fails(found: KubeObject) -> Iterator[Fact]:
        yield from names(found)
        if found.is_ray:
            raise ValueError

    failing = rule("XX001", Severity.INFO, gathers=fails, context=("LocalQueue",))(each_in_its_order.check)
    write(a=CLUSTER % "a", b=QUEUE % "b")
    crash, first, second = told(failing, processes)
    assert (crash.rule_id, crash.place.file, crash.place.line) == ("RL000", "a.yaml", 2)
    assert str(crash.object) == "RayCluster a"
    assert [finding.message for finding in (first, second)] == ["RayCluster a is 0", "LocalQueue b is 1"]


def test_only_objects_that_may_matter_are_asked(processes: int) -> None:
    asked: list[str] = []

    def noted(found: KubeObject) -> Iterator[Fact]:
        asked.append(found.ref.name)
        yield from names(found)

    def of_the_same_name(facts: Sequence[Fact]) -> Test:
        owners = {fact.owner.removeprefix("LocalQueue ") for fact in facts}
        return lambda found: found.ref.name in owners

    choosy = rule("XX001", Severity.INFO, gathers=noted, context=("LocalQueue",), sought=of_the_same_name)(
        each_in_its_order.check
    )
    write(a=CLUSTER % "a", b=CLUSTER % "b", c=QUEUE % "b")
    findings = told(choosy, processes)
    assert [finding.message for finding in findings] == ["RayCluster b is 0", "LocalQueue b is 1"]
    assert "a" not in asked


@pytest.mark.parametrize("fails_at", ["once", "each"])
def test_where_it_is_not_certain_who_matters_all_are_asked(processes: int, fails_at: str) -> None:
    def fails(found: object) -> bool:
        raise ValueError(found)

    def sought(facts: Sequence[Fact]) -> Test:
        if fails_at == "once":
            raise ValueError(facts)
        return fails

    unsure = rule("XX001", Severity.INFO, gathers=names, context=("LocalQueue",), sought=sought)(
        each_in_its_order.check
    )
    write(a=CLUSTER % "a", b=QUEUE % "b")
    findings = told(unsure, processes)
    assert [finding.message for finding in findings] == ["RayCluster a is 0", "LocalQueue b is 1"]


def test_a_place_in_a_text_of_the_document(processes: int) -> None:
    def inside(found: KubeObject) -> Iterator[Fact]:
        document = found.runtime_env_document if isinstance(found, RayJob) else None
        at = found.at if document is None else document.at("env_vars", "A")
        yield Fact((found.kind,), at, str(found.ref))

    looking = rule("XX001", Severity.INFO, gathers=inside, context=("LocalQueue",))(each_in_its_order.check)
    write(a=JOB, b=QUEUE % "b")
    first, _ = told(looking, processes)
    assert first.place.path_text == "spec.runtimeEnvYAML:env_vars.A"
    assert first.place.line == 7


def test_a_file_that_is_gone_when_a_place_in_it_is_reported(processes: int) -> None:
    def deletes(facts: list[Fact]) -> Iterator[Problem]:
        Path("a.yaml").unlink()
        yield from each_in_its_order.check(facts)

    deleting = rule("XX001", Severity.INFO, gathers=names, context=("LocalQueue",))(deletes)
    write(a=CLUSTER % "a", b=QUEUE % "b")
    first, second = told(deleting, processes)
    assert (first.place.file, first.place.span, first.object) == ("a.yaml", None, None)
    assert (second.place.file, second.place.line) == ("b.yaml", 3)


def test_a_rule_that_fails_in_the_end_is_told_of_at_its_first_fact(processes: int) -> None:
    def fails(facts: list[Fact]) -> Iterator[Problem]:
        yield Problem(facts[1].at, "the second", effect="none", fix="none")
        raise ValueError

    failing = rule("XX001", Severity.INFO, gathers=names, context=("LocalQueue",))(fails)
    write(a=CLUSTER % "a", b=QUEUE % "b")
    findings = told(failing, processes)
    assert [(finding.rule_id, finding.place.line) for finding in findings] == [("RL000", 3), ("XX001", 3)]


def test_many_files_with_something_to_tell(processes: int) -> None:
    write(**{f"c{number:02}": CLUSTER % f"c{number:02}" for number in range(20)}, q=QUEUE % "q")
    findings = told(each_in_its_order, processes)
    assert [finding.place.file for finding in findings] == [f"c{number:02}.yaml" for number in range(20)] + [
        "q.yaml"
    ]
    assert {finding.place.line for finding in findings} == {3}
    assert {finding.related[0].file for finding in findings} == {"c00.yaml"}
