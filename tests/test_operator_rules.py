"""How the KR rules see an object: as the operator does, once, wherever the cluster stands, and never guessing."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from test_operator_verdicts import CASES, RULES, position

from raylint.document import Document
from raylint.engine import Engine
from raylint.feature_gates import GATES
from raylint.finding import Finding, Severity, path_text
from raylint.packs import installed_rules
from raylint.reader import read
from raylint.target import Target
from raylint.testing import Case, cases

API_RULES = tuple(rule for rule in installed_rules() if rule.id.startswith("API"))
CONTAINER = {"containers": [{"name": "ray", "image": "rayproject/ray:2.52.0"}]}


def cluster(**spec: Any) -> dict[str, Any]:
    return {"headGroupSpec": {"template": {"spec": dict(CONTAINER)}}, **spec}


def in_kind(kind: str, spec: dict[str, Any]) -> dict[str, Any]:
    job = {"entrypoint": "python main.py", "rayClusterSpec": spec}
    bodies = {
        "RayCluster": spec,
        "RayJob": job,
        "RayService": {"rayClusterConfig": spec},
        "RayCronJob": {"schedule": "0 3 * * *", "jobTemplate": job},
    }
    return {"apiVersion": "ray.io/v1", "kind": kind, "metadata": {"name": "demo"}, "spec": bodies[kind]}


def judge(data: dict[str, Any], target: Target | None = None) -> list[Finding]:
    target = target or Target(gates={"RayCronJob": True})
    return Engine(RULES, target).check("demo.json", json.dumps(data).encode()).findings


@pytest.mark.parametrize(
    ("kind", "place"),
    [
        ("RayCluster", "spec.autoscalerOptions.idleTimeoutSeconds"),
        ("RayJob", "spec.rayClusterSpec.autoscalerOptions.idleTimeoutSeconds"),
        ("RayService", "spec.rayClusterConfig.autoscalerOptions.idleTimeoutSeconds"),
        ("RayCronJob", "spec.jobTemplate.rayClusterSpec.autoscalerOptions.idleTimeoutSeconds"),
    ],
)
def test_a_fault_of_the_cluster_is_told_once_at_its_place(kind: str, place: str) -> None:
    (finding,) = judge(in_kind(kind, cluster(autoscalerOptions={"idleTimeoutSeconds": -1})))
    assert finding.rule_id == "KR061"
    assert path_text(finding.place.path) == place
    assert finding.message.endswith(f"the operator refuses the {kind}")


NO_CLUSTER = [
    ("RayCluster", {}, "KR020"),
    ("RayCluster", {"spec": None}, "KR020"),
    ("RayService", {}, "KR020"),
    ("RayService", {"spec": None}, "KR020"),
    ("RayJob", {}, "KR133"),
    # Of a RayCronJob the schedule is looked at first.
    ("RayCronJob", {}, "KR181"),
]


@pytest.mark.parametrize(("kind", "body", "first"), NO_CLUSTER)
def test_an_object_without_a_spec_is_refused_for_what_the_operator_meets_first(
    kind: str, body: dict[str, Any], first: str
) -> None:
    found = judge({"apiVersion": "ray.io/v1", "kind": kind, "metadata": {"name": "demo"}, **body})
    errors = [finding for finding in found if finding.severity is Severity.ERROR]
    assert min((position(finding, kind, "1.7"), finding.rule_id) for finding in errors)[1] == first


@pytest.mark.parametrize("kind", ["RayCluster", "RayService"])
def test_before_validation_nobody_refused_an_object_without_a_spec(kind: str) -> None:
    assert judge({"apiVersion": "ray.io/v1", "kind": kind, "metadata": {"name": "demo"}}, Target((1, 2))) == []


@pytest.mark.parametrize("kind", ["RayCluster", "RayJob", "RayService", "RayCronJob"])
@pytest.mark.parametrize("template", [{}, {"spec": None}, {"metadata": {"labels": {"a": "b"}}}])
def test_a_template_without_a_pod_has_no_container(kind: str, template: dict[str, Any]) -> None:
    head = {"headGroupSpec": {"template": template}}
    assert [finding.rule_id for finding in judge(in_kind(kind, head))] == ["KR020"]
    groups = cluster(workerGroupSpecs=[{"groupName": "cpu", "template": template}])
    assert [finding.rule_id for finding in judge(in_kind(kind, groups))] == ["KR024"]


@pytest.mark.parametrize(("names", "count"), [(["a", "b", "a", "a"], 2), (["{{ a }}", "{{ a }}"], 0), ([7, 7], 0)])
def test_groups_of_one_name_are_told_of_where_the_name_is_known(names: list[object], count: int) -> None:
    groups = [{"groupName": name, "template": {"spec": CONTAINER}} for name in names]
    found = judge(in_kind("RayCluster", cluster(workerGroupSpecs=groups)))
    assert [finding.rule_id for finding in found] == ["KR190"] * count


@pytest.mark.parametrize("spec", [{}, {"headGroupSpec": {}}, {"headGroupSpec": {"template": {"spec": {}}}}])
def test_what_the_api_server_refuses_is_left_to_it(spec: dict[str, Any]) -> None:
    assert judge(in_kind("RayCluster", spec)) == []
    text = json.dumps(in_kind("RayCluster", spec)).encode()
    assert {finding.rule_id for finding in Engine(API_RULES, Target()).check("a.json", text).findings} == {
        "API003"
    }


@pytest.mark.parametrize(
    ("mode", "text", "good"),
    [
        ("HTTPMode", '{"a": null}', True),
        ("HTTPMode", '{"a": true}', False),
        ("HTTPMode", '{"a": 1}\n', True),
        ("K8sJobMode", '{"a": null}', False),
        ("K8sJobMode", '{"a": true}', True),
        ("K8sJobMode", '{"a": 1.5}', True),
        ("K8sJobMode", '{"a": 1}\n', False),
        ("K8sJobMode", "{'a': 1}", False),
        ("K8sJobMode", "null", False),
        ("K8sJobMode", "[1]", False),
        ("K8sJobMode", '{"a": $N}', True),
        ("SidecarMode", "a=1", False),
        ("InteractiveMode", "a=1", True),
        ("K8sJobMode", "", True),
    ],
)
def test_entrypoint_resources_are_json_to_whoever_submits(mode: str, text: str, good: bool) -> None:
    data = in_kind("RayJob", cluster())
    data["spec"] |= {"submissionMode": mode, "entrypointResources": text}
    assert [finding.rule_id for finding in judge(data)] == ([] if good else ["KR211"])


def test_a_submitter_with_a_command_of_its_own_is_left_alone() -> None:
    data = in_kind("RayJob", cluster())
    own = {"name": "submitter", "image": "a", "command": ["python", "submit.py"]}
    pod = {"restartPolicy": "Never", "containers": [own]}
    data["spec"] |= {"entrypointResources": "a=1", "submitterPodTemplate": {"spec": pod}}
    assert judge(data) == []


@pytest.mark.parametrize(
    ("release", "gates", "rule"),
    [
        ((1, 4), {}, "KR163"),
        ((1, 5), {}, "KR227"),
        ((1, 6), {}, "KR227"),
        ((1, 7), {}, None),
        ((1, 7), {"RayServiceIncrementalUpgrade": False}, "KR227"),
        ((1, 5), {"RayServiceIncrementalUpgrade": True}, None),
    ],
)
def test_an_incremental_upgrade_whose_gate_is_off(
    release: tuple[int, ...], gates: dict[str, bool], rule: str | None
) -> None:
    data = in_kind("RayService", cluster(enableInTreeAutoscaling=True))
    options = {"stepSizePercent": 10, "intervalSeconds": 30, "gatewayClassName": "istio", "maxSurgePercent": 50}
    data["spec"]["upgradeStrategy"] = {
        "type": "NewClusterWithIncrementalUpgrade",
        "clusterUpgradeOptions": options,
    }
    data["spec"]["rayClusterConfig"]["headGroupSpec"]["rayStartParams"] = {}
    found = judge(data, Target(release, gates=gates))
    assert [finding.rule_id for finding in found] == [rule] * (rule is not None)
    assert all((finding.severity is Severity.WARNING) == (rule == "KR227") for finding in found)


@pytest.mark.parametrize("base", ["demo-", "2024-"])
@pytest.mark.parametrize("release", [(1, 0), (1, 1), (1, 3), (1, 4)])
def test_the_webhook_judges_a_generated_name(base: str, release: tuple[int, ...]) -> None:
    data = in_kind("RayCluster", cluster())
    data["metadata"] = {"generateName": base}
    data["spec"]["headGroupSpec"]["rayStartParams"] = {}
    by_release: dict[tuple[int, ...], list[str]] = {(1, 1): ["KR191"], (1, 3): ["KR191"], (1, 4): ["KR002"]}
    told = [finding.rule_id for finding in judge(data, Target(release))]
    assert told == (by_release.get(release, []) if base == "2024-" else [])


@pytest.mark.parametrize(
    ("kind", "release", "words"),
    [
        ("RayCluster", (1, 7), "no pods"),
        ("RayJob", (1, 7), "ValidationFailed"),
        ("RayJob", (1, 4), "again and again"),
        ("RayJob", (1, 3), "the RayCluster made of it is refused"),
        ("RayService", (1, 6), "condition Ready is False"),
        ("RayService", (1, 5), "again and again"),
        ("RayCronJob", (1, 6), "InvalidRayCronJobSpec"),
    ],
)
def test_the_effect_is_what_the_release_does(kind: str, release: tuple[int, ...], words: str) -> None:
    spec = cluster()
    spec["headGroupSpec"]["rayStartParams"] = {"redis-username": "default"}
    (finding,) = judge(in_kind(kind, spec), Target(release, gates={"RayCronJob": True}))
    assert finding.rule_id == "KR054"
    assert words in finding.effect


def test_an_object_inside_a_list_is_judged() -> None:
    item = in_kind("RayCluster", cluster(autoscalerOptions={"idleTimeoutSeconds": -1}, misspelt=1))
    (finding,) = judge({"apiVersion": "v1", "kind": "List", "items": [item]})
    assert path_text(finding.place.path) == "items[0].spec.autoscalerOptions.idleTimeoutSeconds"


def test_what_the_server_drops_the_operator_never_sees() -> None:
    spec = cluster(authOptions={"mode": "token"})
    data = in_kind("RayCluster", spec)
    assert [finding.rule_id for finding in judge(data)] == ["KR078"]
    assert judge({**data, "apiVersion": "ray.io/v1alpha1"}) == []
    assert judge(data, Target((1, 5, 0))) == []
    assert [finding.rule_id for finding in judge(data, Target((1, 5)))] == ["KR078"]


def test_an_object_of_another_controller_is_left_alone() -> None:
    data = in_kind("RayJob", cluster(autoscalerOptions={"idleTimeoutSeconds": -1}))
    data["spec"]["managedBy"] = "kueue.x-k8s.io/multikueue"
    assert [finding.rule_id for finding in judge(data)] == ["KR200"]
    # Before 1.3 there is no such field: the operator gets the object without it.
    assert "KR200" not in {finding.rule_id for finding in judge(data, Target((1, 2)))}


def test_a_gate_is_named_with_the_way_to_turn_it_on() -> None:
    data = in_kind("RayCluster", cluster(tlsOptions={"enabled": True}))
    (finding,) = judge(data)
    assert "RayClusterMTLS" in finding.message
    assert "--feature-gates=RayClusterMTLS=true" in finding.fix
    assert judge(data, Target(gates={"RayClusterMTLS": True})) == []


@pytest.mark.parametrize(
    "spec",
    [
        {"rayVersion": "{{ .Values.version }}", "authOptions": {"mode": "token"}},
        {"rayVersion": "2.52.0", "upgradeStrategy": {"type": "{{ .Values.type }}"}},
        {"autoscalerOptions": {"idleTimeoutSeconds": "{{ .Values.idle }}"}},
    ],
)
def test_what_a_template_will_say_is_not_guessed(spec: dict[str, Any]) -> None:
    assert judge(in_kind("RayCluster", cluster(**spec))) == []


EXAMPLES = cases(RULES)


@pytest.mark.parametrize("case", [case for case in EXAMPLES if not case.example.bad], ids=str)
def test_nobody_refuses_a_good_example(case: Case) -> None:
    engine = Engine(API_RULES + RULES, case.target)
    found = engine.check("good.yaml", case.example.text.encode()).findings
    assert [finding.message for finding in found if finding.severity is Severity.ERROR] == []


@pytest.mark.parametrize("case", [case for case in EXAMPLES if case.example.bad], ids=str)
def test_the_page_says_so_if_the_api_server_refuses_a_bad_example_first(case: Case) -> None:
    found = Engine(API_RULES, case.target).check("bad.yaml", case.example.text.encode()).findings
    page = " ".join(case.rule.doc.split())
    assert bool(found) == ("The API server refuses it first" in page), [finding.message for finding in found]


ODD: tuple[Any, ...] = (None, "", "x", 0, -1, 1.5, True, [], {}, [None], [[]], {"": None}, "{{ x }}", ["x"], 2**70)


def _mutated(value: Any, dice: random.Random) -> Any:
    """The value with one part of it replaced, removed or repeated."""
    if isinstance(value, dict) and value and dice.random() < 0.93:
        key = dice.choice(list(value))
        return {**value, key: _mutated(value[key], dice)}
    if isinstance(value, list) and value and dice.random() < 0.93:
        index = dice.randrange(len(value))
        return [*value[:index], _mutated(value[index], dice), *value[index:]][: len(value) + dice.randrange(2)]
    return dice.choice(ODD)


def test_no_rule_fails_on_an_odd_shape() -> None:
    dice = random.Random(4)
    engines = [Engine(RULES, Target(release)) for release in ((1, 3), (1, 5, 0), (1, 7))]
    engines.append(Engine(RULES, Target(gates=dict.fromkeys(GATES, True))))
    crashed = []
    for case in CASES:
        (document,) = read(case["file"], case["text"].encode()).documents
        for _ in range(6):
            data = _mutated(document.data, dice)
            for engine in engines:
                found = engine.check_document(Document(case["file"], 0, data)).findings
                crashed += [(finding.message, data) for finding in found if finding.rule_id == "RL000"]
    assert crashed == []
