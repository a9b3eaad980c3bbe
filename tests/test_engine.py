"""The engine: which rules see what, what becomes of a rule that fails, and that the answer is always the same."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raylint.cluster import RayCluster
from raylint.document import Document
from raylint.engine import Engine, concerns
from raylint.finding import Confidence, Finding, Place, Severity
from raylint.group import Group, HeadGroup, WorkerGroup
from raylint.manifest import KubeObject, RayJob, RayObject, RayService
from raylint.packs import installed_rules
from raylint.registry import catalogue
from raylint.rule import Fact, Location, Problem, Rule, pack, rule
from raylint.target import Target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from raylint.rule import Problems

CLUSTER = (
    "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: demo, namespace: ml}\nspec: {rayVersion: 2.52.0}\n"
)


def problem(at: Location | Place, message: str = "something is wrong") -> Problem:
    return Problem(at, message, effect="something happens", fix="write something else")


def visiting(view: type, id: str = "XX001", **options: Any) -> Rule:
    """A rule that flags every part of this kind."""

    def flags(part: Any) -> Problems:
        yield problem(part.at, f"{type(part).__name__} at {part.path}")

    flags.__annotations__["part"] = view.__name__
    return rule(id, Severity.WARNING, **options)(flags)


def raising(error: Callable[[], BaseException], id: str = "XX002") -> Rule:
    def fails(found: RayCluster) -> Problems:
        yield problem(found.at, "found before the failure")
        raise error()

    return rule(id, Severity.INFO)(fails)


def check(
    rules: Sequence[Rule], text: str = CLUSTER, target: Target | None = None, **severities: Severity
) -> list[Finding]:
    return Engine(rules, target or Target(), severities).check("test.yaml", text.encode()).findings


# --- What rules see --------------------------------------------------------------------------------------------

GROUPS = "{headGroupSpec: {}, workerGroupSpecs: [{groupName: a}, {groupName: b}]}"
KINDS = {
    "RayCluster": f"apiVersion: ray.io/v1\nkind: RayCluster\nspec: {GROUPS}\n",
    "RayJob": f"apiVersion: ray.io/v1\nkind: RayJob\nspec: {{rayClusterSpec: {GROUPS}}}\n",
    "RayService": f"apiVersion: ray.io/v1\nkind: RayService\nspec: {{rayClusterConfig: {GROUPS}}}\n",
    "RayCronJob": f"apiVersion: ray.io/v1\nkind: RayCronJob\nspec: {{jobTemplate: {{rayClusterSpec: {GROUPS}}}}}",
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("view", "kinds", "count"),
    [
        (KubeObject, list(KINDS), 1),
        (RayObject, list(KINDS), 1),
        (RayJob, ["RayJob", "RayCronJob"], 1),
        (RayService, ["RayService"], 1),
        (RayCluster, list(KINDS), 1),
        (HeadGroup, list(KINDS), 1),
        (WorkerGroup, list(KINDS), 2),
        (Group, list(KINDS), 3),
    ],
)
def test_visits(kind: str, view: type, kinds: list[str], count: int) -> None:
    found = check([visiting(view)], KINDS[kind])
    assert len(found) == (count if kind in kinds else 0)
    assert all(finding.object is not None and finding.object.kind == kind for finding in found)


def test_other_objects_are_seen_by_rules_for_any_object_only() -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ray.io}\n"
    assert len(check([visiting(KubeObject)], text)) == 1
    assert check([visiting(RayObject), visiting(RayCluster, "XX002")], text) == []


def test_list_items_are_objects_of_their_own() -> None:
    item = "- {{apiVersion: ray.io/v1, kind: RayCluster, metadata: {{name: {}}}, spec: {{}}}}\n"
    text = "apiVersion: v1\nkind: List\nitems:\n" + item.format("one") + item.format("two")
    result = Engine([visiting(RayCluster)], Target()).check("list.yaml", text.encode())
    assert [(str(finding.object), finding.place.path, finding.place.line) for finding in result.findings] == [
        ("RayCluster one", ("items", 0, "spec"), 4),
        ("RayCluster two", ("items", 1, "spec"), 5),
    ]
    assert [finding.identity for finding in result.findings] == ["spec", "spec"]
    assert (result.documents, result.ray_objects) == (1, 2)


def test_documents_are_counted_and_told_apart() -> None:
    text = "kind: Service\napiVersion: v1\n---\n" + CLUSTER + "---\n" + CLUSTER
    result = Engine([visiting(RayCluster)], Target()).check("test.yaml", text.encode())
    assert (result.documents, result.ray_objects) == (3, 2)
    assert [(finding.place.document, finding.place.line) for finding in result.findings] == [(1, 7), (2, 12)]


def test_identity_names_list_items() -> None:
    found = check([visiting(WorkerGroup)], KINDS["RayJob"])
    assert [finding.identity for finding in found] == [
        "spec/rayClusterSpec/workerGroupSpecs/groupName=a",
        "spec/rayClusterSpec/workerGroupSpecs/groupName=b",
    ]


# --- Which rules run -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kuberay", "target", "runs"),
    [("1.6..", (1, 6), True), ("1.6..", (1, 5), False), ("..1.5", (1, 5), True), ("..1.5", (1, 6), False)],
)
def test_range_of_kuberay_releases(kuberay: str, target: tuple[int, ...], runs: bool) -> None:
    assert bool(check([visiting(RayCluster, kuberay=kuberay)], target=Target(target))) is runs


@pytest.mark.parametrize(
    ("ray", "version", "runs"),
    [
        ("2.48..", "2.52.0", True),
        ("..2.48", "2.48.3", True),
        ("..2.47", "2.52.0", False),
        ("2.9..", "nightly", False),
    ],
)
@pytest.mark.parametrize("view", [RayObject, RayCluster, Group])
def test_range_of_ray_releases(ray: str, version: str, runs: bool, view: type) -> None:
    text = CLUSTER.replace("2.52.0", version)
    assert bool(check([visiting(view, ray=ray)], text)) is runs


def test_targets_ray_version_counts_before_the_manifests() -> None:
    ranged = visiting(RayCluster, ray="..2.40")
    assert check([ranged]) == []
    assert len(check([ranged], target=Target(ray=(2, 40)))) == 1


def test_severity_of_problem_rule_and_user() -> None:
    def worse(found: RayCluster) -> Problems:
        yield problem(found.at)
        yield Problem(
            found.at,
            "a worse case",
            effect="",
            fix="",
            severity=Severity.ERROR,
            confidence=Confidence.LOW,
        )

    one = rule("XX001", Severity.INFO)(worse)
    found = check([one])
    assert [finding.severity for finding in found] == [Severity.INFO, Severity.ERROR]
    assert [finding.confidence for finding in found] == [Confidence.HIGH, Confidence.LOW]
    assert [f.severity for f in check([one], XX001=Severity.WARNING)] == [Severity.WARNING] * 2


def test_finding_carries_all_that_the_problem_says() -> None:
    def whole(found: RayCluster) -> Problems:
        version = found.string("rayVersion")
        yield version.flag(
            "message",
            effect="effect",
            fix="fix",
            label="label",
            because=[(found.at_key("rayVersion").key(), "why")],
        )

    (found,) = check([rule("XX001", Severity.WARNING)(whole)])
    assert (found.rule_id, found.rule_name) == ("XX001", "whole")
    assert (found.message, found.effect, found.fix, found.place.label) == ("message", "effect", "fix", "label")
    assert str(found.object) == "RayCluster ml/demo"
    assert (found.place.file, found.place.path) == ("test.yaml", ("spec", "rayVersion"))
    assert found.place.span is not None
    assert found.place.span.as_tuple() == (4, 20, 4, 26)
    assert found.place.lines == {4: "spec: {rayVersion: 2.52.0}"}
    ((related),) = found.related
    assert related.label == "why"
    assert related.span is not None
    assert related.span.as_tuple() == (4, 8, 4, 18)


# --- Rules that fail -------------------------------------------------------------------------------------------


def endless(depth: int = 0) -> int:
    return endless(depth + 1)


@pytest.mark.parametrize(
    ("error", "name"),
    [
        (lambda: ValueError("secret hunter2"), "ValueError"),
        (lambda: KeyError("x"), "KeyError"),
        (lambda: AssertionError(), "AssertionError"),
        (lambda: MemoryError(), "MemoryError"),
        (endless, "RecursionError"),
    ],
)
def test_failed_rule_is_a_finding_and_the_others_still_report(
    error: Callable[[], BaseException], name: str
) -> None:
    found = check([raising(error), visiting(RayCluster)])
    crashed = [finding for finding in found if finding.rule_id == "RL000"]
    assert len(crashed) == 1
    assert crashed[0].message == f"rule XX002 (fails) failed with {name}; the others still report"
    assert crashed[0].severity is Severity.ERROR
    assert crashed[0].place.line == 4
    assert str(crashed[0].object) == "RayCluster ml/demo"
    assert crashed[0].identity == "XX002"
    assert [finding.rule_id for finding in found if finding.rule_id != "RL000"] == ["XX002", "XX001"]
    assert "hunter2" not in "".join((crashed[0].message, crashed[0].effect, crashed[0].fix))


def test_interrupt_is_not_swallowed() -> None:
    with pytest.raises(KeyboardInterrupt):
        check([raising(KeyboardInterrupt)])


def test_rule_that_yields_nonsense_has_failed() -> None:
    def nonsense(found: RayCluster) -> Any:
        return ["no problem", found]

    (found,) = check([rule("XX001", Severity.INFO)(nonsense)])
    assert found.rule_id == "RL000"


def test_rule_that_answers_nothing_at_all_has_failed() -> None:
    def nothing(_: RayCluster) -> Any:
        return None

    (found,) = check([rule("XX001", Severity.INFO)(nothing)])
    assert found.message == "rule XX001 (nothing) failed with TypeError; the others still report"


# --- Rules over the whole run ----------------------------------------------------------------------------------


def names(found: RayCluster) -> Iterator[Fact]:
    name = found.owner.name
    if name.value is not None:
        yield Fact((name.value,), name.at, str(found.owner.ref))


def twice(facts: list[Fact]) -> Problems:
    seen: dict[tuple[str, ...], Fact] = {}
    for fact in facts:
        earlier = seen.setdefault(fact.key, fact)
        if earlier is not fact:
            yield Problem(
                fact.at,
                f"{fact.owner} again",
                effect="effect",
                fix="fix",
                because=[(earlier.at, f"first as {earlier.owner}")],
            )


def conclude(engine: Engine, *texts: str) -> list[Finding]:
    results = [engine.check(f"{number}.yaml", text.encode()) for number, text in enumerate(texts)]
    assert [result.findings for result in results] == [[]] * len(texts)
    return engine.conclude([fact for result in results for fact in result.facts])


def test_facts_of_several_files_make_a_finding() -> None:
    engine = Engine([rule("XX001", Severity.WARNING, gathers=names)(twice)], Target())
    assert conclude(engine, CLUSTER) == []
    (found,) = conclude(engine, CLUSTER, CLUSTER.replace("demo", "other"), CLUSTER.replace("ml", "web"))
    assert found.message == "RayCluster web/demo again"
    assert str(found.object) == "RayCluster web/demo"
    assert (found.place.file, found.place.line) == ("2.yaml", 3)
    assert found.place.lines == {3: "metadata: {name: demo, namespace: web}"}
    assert [(place.file, place.label) for place in found.related] == [("0.yaml", "first as RayCluster ml/demo")]


def test_nothing_gathered_is_nothing_to_conclude() -> None:
    def never(facts: list[Fact]) -> Problems:
        raise AssertionError(facts)

    engine = Engine([rule("XX001", Severity.WARNING, gathers=names)(never)], Target())
    assert conclude(engine, CLUSTER.replace("name: demo, ", "")) == []


@pytest.mark.parametrize("kuberay", ["..1.5", ""])
def test_ranges_hold_for_gathering_rules(kuberay: str) -> None:
    one = rule("XX001", Severity.WARNING, gathers=names, kuberay=kuberay, ray="" if kuberay else "..2.9")(twice)
    assert conclude(Engine([one], Target()), CLUSTER, CLUSTER) == []


def test_failure_while_gathering() -> None:
    def fails(_: RayCluster) -> Iterator[Fact]:
        raise ValueError

    engine = Engine([rule("XX001", Severity.INFO, gathers=fails)(twice)], Target())
    (found,) = engine.check("test.yaml", CLUSTER.encode()).findings
    assert (found.rule_id, found.place.line) == ("RL000", 4)


@pytest.mark.parametrize("outcome", ["error", "location"])
def test_failure_while_concluding(outcome: str) -> None:
    def fails(facts: list[Fact]) -> Problems:
        if outcome == "error":
            raise ValueError(facts)
        yield problem(Location(Document.from_object({}), ()))

    engine = Engine([rule("XX001", Severity.INFO, gathers=names)(fails)], Target())
    (found,) = conclude(engine, CLUSTER)
    assert found.rule_id == "RL000"
    assert (found.place.file, found.place.line) == ("0.yaml", 3)


def test_secrets_are_covered_in_what_a_run_concludes() -> None:
    def quotes(facts: list[Fact]) -> Problems:
        for fact in facts:
            yield problem(fact.at, f"redis://user:hunter2@{fact.owner} password=hunter2")

    engine = Engine([rule("XX001", Severity.INFO, gathers=names)(quotes)], Target())
    (found,) = conclude(engine, CLUSTER)
    assert "hunter2" not in found.message
    assert "redis://" in found.message


def kinds_of(found: KubeObject) -> Iterator[Fact]:
    yield Fact((found.kind,), found.at, str(found.ref))


def tells(facts: list[Fact]) -> Problems:
    for fact in facts:
        yield problem(fact.at, fact.owner)


def test_objects_that_a_rule_wants_as_context() -> None:
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: redis}\n"
    config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other, labels: {kind: Secret}}\n"
    with_context = Engine([rule("XX001", Severity.INFO, gathers=kinds_of, context=("Secret",))(tells)], Target())
    assert with_context.concerns(secret.encode())
    assert not with_context.concerns(b"apiVersion: v1\nkind: Service\n")
    found = conclude(with_context, secret, config, CLUSTER)
    assert [finding.message for finding in found] == ["Secret redis", "RayCluster ml/demo"]

    without = Engine([rule("XX001", Severity.INFO, gathers=kinds_of)(tells)], Target())
    assert not without.concerns(secret.encode())
    assert [finding.message for finding in conclude(without, secret, CLUSTER)] == ["RayCluster ml/demo"]


# --- Files -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        (CLUSTER.encode(), True),
        (CLUSTER.encode("utf-16"), True),
        (CLUSTER.encode("utf-16-be"), True),
        (CLUSTER.encode("utf-32-le"), True),
        (b"kind: RayJob", True),
        (b"kind: Service", False),
        (b"", False),
    ],
)
def test_files_that_concern_ray(raw: bytes, wanted: bool) -> None:
    assert concerns(raw) is wanted


def test_unreadable_file_is_a_remark_that_can_be_ignored_and_graded() -> None:
    broken = CLUSTER + "  - x: [\n"
    assert check([], broken) == []
    (found,) = check([one for one in catalogue(()) if one.id == "RL001"], broken)
    assert (found.rule_id, found.severity, found.object) == ("RL001", Severity.ERROR, None)
    (found,) = check(list(catalogue(())), broken, RL001=Severity.INFO)
    assert found.severity is Severity.INFO


@given(st.one_of(st.binary(max_size=200), st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace"))))
def test_never_raises_on_any_bytes(raw: bytes) -> None:
    engine = Engine(catalogue([visiting(KubeObject)]), Target())
    for content in (raw, b"apiVersion: ray.io/v1\nkind: RayCluster\n" + raw, CLUSTER.encode() + b"---\n" + raw):
        findings = engine.check("any.yaml", content).findings
        assert all(finding.rule_id != "RL000" for finding in findings)


# --- The same answer, always -----------------------------------------------------------------------------------

RUN = """
import sys
from raylint.engine import Engine
from raylint.packs import installed_rules
from raylint.pages import Page
from raylint.registry import catalogue
from raylint.target import Target

engine = Engine(catalogue(installed_rules()), Target((1, 5)))
for rule in installed_rules():
    for example in Page(rule.doc).examples:
        result = engine.check(rule.id, example.text.encode())
        for f in result.findings + engine.conclude(result.facts):
            places = [(p.file, p.path, p.span, p.label, sorted(p.lines.items())) for p in (f.place, *f.related)]
            print(f.sort_key, f.severity, f.effect, f.fix, f.identity, places)
"""


def test_answer_does_not_depend_on_the_order_of_sets() -> None:
    def run(seed: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", RUN],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    first = run("0")
    assert first.count("\n") > len(installed_rules())
    assert run("1") == first
    assert run("4711") == first


# --- Rules -----------------------------------------------------------------------------------------------------


def test_what_a_rule_visits_is_its_first_parameter() -> None:
    assert visiting(WorkerGroup).visits == "WorkerGroup"
    assert rule("XX001", Severity.INFO, gathers=names)(twice).visits == "RayCluster"
    with pytest.raises(TypeError, match="first parameter must be annotated"):
        rule("XX001", Severity.INFO)(lambda found: ())


def test_name_of_a_rule_is_that_of_its_function() -> None:
    def worker_is_tired(found: RayCluster) -> Problems:
        """Page."""
        yield from ()

    one = rule("XX001", Severity.INFO)(worker_is_tired)
    assert (one.name, one.doc, one.module) == ("worker-is-tired", "Page.", __name__)
    assert repr(one) == "Rule(XX001 worker-is-tired)"


def test_pack_refuses_two_rules_of_one_id() -> None:
    class First:
        b = visiting(RayCluster, "XX002")
        a = visiting(RayCluster, "XX001")

    class Second:
        again = visiting(RayJob, "XX001")

    assert [one.id for one in pack(First)] == ["XX001", "XX002"]
    with pytest.raises(ValueError, match="two rules are called XX001"):
        pack(First, Second)
