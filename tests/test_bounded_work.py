"""Inputs of a few hundred kilobytes that once took many seconds. Work is counted in calls of functions, of which a
run of one input makes the same number everywhere, and compared with that of a harmless input of the same shape."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any

import pytest

from raylint import suppression_cover
from raylint.collection import MOST_FINDINGS
from raylint.engine import Engine, FileResult
from raylint.finding import Severity
from raylint.packs import installed_rules
from raylint.registry import choose
from raylint.suppression import Ignores
from raylint.target import Target
from raylint_rules import network_policy_objects
from raylint_rules.selected_pods import matches

CHOICE = choose(installed_rules())
WORKER = {"containers": [{"name": "ray-worker", "image": "rayproject/ray:2.46.0"}]}


def check(data: dict[str, Any], selected: tuple[str, ...] = ()) -> FileResult:
    choice = choose(installed_rules(), selected) if selected else CHOICE
    return Engine(choice.rules, Target(), choice.severities).check("f.yaml", json.dumps(data).encode())


def work(data: dict[str, Any]) -> int:
    """Calls of functions, Python's own included, that judging an object takes."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    check(data)  # what a process does once is no part of it
    before = sys.getprofile()
    sys.setprofile(count)
    try:
        check(data)
    finally:
        sys.setprofile(before)
    return calls


def cluster(**head: Any) -> dict[str, Any]:
    container = {"name": "ray-head", "image": "rayproject/ray:2.46.0", **head}
    spec = {"rayVersion": "2.46.0", "headGroupSpec": {"template": {"spec": {"containers": [container]}}}}
    return {"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": {"name": "a"}, "spec": spec}


def job(**fields: Any) -> dict[str, Any]:
    spec = {"entrypoint": "python a.py", "rayClusterSpec": cluster()["spec"], **fields}
    return {"apiVersion": "ray.io/v1", "kind": "RayJob", "metadata": {"name": "a"}, "spec": spec}


def service(config: str) -> dict[str, Any]:
    spec = {"serveConfigV2": config, "rayClusterConfig": cluster()["spec"]}
    return {"apiVersion": "ray.io/v1", "kind": "RayService", "metadata": {"name": "a"}, "spec": spec}


def unknown_fields(number: int) -> dict[str, Any]:
    data = cluster()
    data["spec"] |= {f"field{at}": 1 for at in range(number)}
    return data


def aliases(number: int) -> dict[str, Any]:
    """``number`` applications, each of which stands for the same 20 deployments."""
    deployments = ", ".join(f"{{name: d{at}, bogus{at}: 1}}" for at in range(20))
    applications = "\n".join(f"- {{name: a{at}, import_path: 'm:a', deployments: *d}}" for at in range(number))
    return service(f"x-d: &d [{deployments}]\napplications:\n{applications}\n")


def keys(number: int) -> str:
    return ", ".join(f"key{at}: 1" for at in range(number))


def variables(number: int) -> dict[str, Any]:
    return cluster(env=[{"name": f"RAY_gcs_server_x{at}", "value": "1"} for at in range(number)])


# What once took long, and the calls that one more of it may cost.
@pytest.mark.parametrize(
    ("hostile", "calls"),
    [
        pytest.param(aliases, 20 * 500, id="applications of aliases"),
        pytest.param(lambda number: job(entrypoint="run " + "word " * number), 1, id="words of an entrypoint"),
        pytest.param(variables, 800, id="unknown RAY_ variables"),
        pytest.param(unknown_fields, 200, id="unknown fields"),
        pytest.param(lambda number: service(f"applications: [{{name: a, {keys(number)}}}]"), 250, id="Serve keys"),
        pytest.param(lambda number: job(runtimeEnvYAML="a: 1\n" * (number - 2000)), 1500, id="one key again"),
        pytest.param(lambda number: job(runtimeEnvYAML=f"{{{keys(number)}}}"), 400, id="runtime environment keys"),
    ],
)
def test_work_grows_slowly(hostile: Callable[[int], dict[str, Any]], calls: int) -> None:
    small, large = 2100, 2400
    if hostile is aliases:
        small, large = 110, 120
    more = (work(hostile(large)) - work(hostile(small))) / (large - small)
    assert more < calls


def lines_run(text: str, file: str) -> int:
    """How often a line of a module runs while a file is checked, each turn of a loop in it included."""
    lines = 0

    def count(frame: FrameType, event: str, _argument: object) -> Callable[..., Any] | None:
        nonlocal lines
        lines += event == "line"
        return count if frame.f_code.co_filename == file else None

    engine = Engine(CHOICE.rules, Target(), ignores=Ignores)
    before = sys.gettrace()
    sys.settrace(count)
    try:
        result = engine.check("f.yaml", text.encode())
    finally:
        sys.settrace(before)
    assert len(result.suppressions) == text.count("# raylint")
    return lines


def test_a_run_of_suppressions_is_walked_through_once() -> None:
    head = "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: a}\n"
    comment = "# raylint: ignore[RAY351] w\n"
    small, large = (
        lines_run(f"{head}{comment * number}spec: {{}}\n", suppression_cover.__file__) for number in (200, 800)
    )
    assert small > 200
    assert large < 6 * small


def test_a_rule_is_not_followed_for_ever() -> None:
    found = check(unknown_fields(5 * MOST_FINDINGS), ("API001", "RL013")).findings
    assert len(found) == MOST_FINDINGS + 1
    assert (found[-1].rule_id, found[-1].severity) == ("RL013", Severity.ERROR)


def test_what_is_not_looked_at_counts_as_an_error() -> None:
    found = check(service(f"applications: [{{name: a, {keys(3 * MOST_FINDINGS)}}}]"), ("RAY602", "RL013")).findings
    assert {finding.severity for finding in found if finding.rule_id == "RAY602"} == {Severity.WARNING}
    assert (found[-1].rule_id, found[-1].severity) == ("RL013", Severity.ERROR)


def test_policies_that_say_the_same_are_matched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    matched = 0

    def counted(selector: Mapping[str, object], labels: dict[str, str]) -> bool:
        nonlocal matched
        matched += 1
        fits: bool = matches(selector, labels)
        return fits

    monkeypatch.setattr(network_policy_objects, "matches", counted)
    policy = {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "spec": {"podSelector": {}}}
    objects = [cluster() | {"metadata": {"name": f"c{at}"}} for at in range(40)]
    objects += [policy | {"metadata": {"name": f"p{at}"}} for at in range(40)]
    engine = Engine(choose(installed_rules(), ("RAY821",)).rules, Target())
    result = engine.check("f.yaml", "\n---\n".join(json.dumps(item) for item in objects).encode())
    engine.conclude(result.facts)
    assert 40 <= matched <= 80
