"""Options of ``ray start``: what the rules say against what bash and real Ray do with KubeRay's line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from raylint.engine import Engine
from raylint.finding import Finding, Severity
from raylint.packs import installed_rules
from raylint.shell import command
from raylint.target import Target, parse_version

FIXTURE = json.loads((Path(__file__).parent / "fixtures" / "ray-start.json").read_text(encoding="utf-8"))
RULES = tuple(rule for rule in installed_rules() if rule.id.startswith("RAY3"))
ENGINE = Engine(RULES, Target())

_LEFT_OVER = (
    "Ray works out what memory is left on the node; KubeRay passes a limit on as memory, and Ray does not ask"
)
# Refused for a reason that no manifest shows.
NOT_IN_THE_TEXT = {
    "num-object-store-memory-16500000000": _LEFT_OVER,
    "num-object-store-memory-17179869184": _LEFT_OVER,
    "mem-object-store-takes-all": _LEFT_OVER,
    "plasma-directory-missing": "what directories the image has",
    "other-object-spilling-directory": "what directories the image has (up to 2.51 Ray does not make it)",
    "other-isolation": "whether the node lets the container write to its cgroup",
    "other-labels-two-kinds": "what files the image has",
}


class Recorded:
    """One set of parameters in one Ray version. ``refused`` holds the options that Ray names, None: it starts."""

    def __init__(self, case: dict[str, object], ray: str) -> None:
        self.case = case
        self.id = str(case["id"])
        self.ray = ray
        refused = case["refused"]
        assert isinstance(refused, dict)
        self.refused: list[str] | None = refused.get(ray)

    def __str__(self) -> str:
        return f"{self.id}-{self.ray}"

    @property
    def is_shown(self) -> bool:
        """Does a manifest show why? An option that the release does not know is always shown."""
        return self.id not in NOT_IN_THE_TEXT or (
            self.id.startswith("other-") and parse_version(self.ray) in ((2, 9, 3), (2, 40, 0))
        )


RECORDED = [Recorded(case, ray) for case in FIXTURE["cases"] for ray in FIXTURE["meta"]["ray_versions"]]


def group_of(case: dict[str, object], image: str) -> dict[str, object]:
    """A group with the parameters of the case; a size of /dev/shm becomes the volume that has it."""
    container: dict[str, object] = {"name": "ray", "image": image}
    pod: dict[str, object] = {"containers": [container]}
    host = case.get("host")
    if isinstance(host, dict) and "shm_bytes" in host:
        container["volumeMounts"] = [{"name": "shm", "mountPath": "/dev/shm"}]
        pod["volumes"] = [{"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": str(host["shm_bytes"])}}]
    env = case.get("env")
    if isinstance(env, dict):
        container["env"] = [{"name": name, "value": value} for name, value in env.items()]
    return {"rayStartParams": case["params"], "template": {"spec": pod}}


def findings(case: dict[str, object], image: str) -> list[Finding]:
    group = group_of(case, image)
    spec: dict[str, object] = {"headGroupSpec": group}
    if case["node"] == "worker":
        head = {"template": {"spec": {"containers": [{"name": "ray", "image": image}]}}}
        spec = {"headGroupSpec": head, "workerGroupSpecs": [{"groupName": "cpu", **group}]}
    manifest = {"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": {"name": "demo"}, "spec": spec}
    return ENGINE.check("cluster.yaml", json.dumps(manifest).encode()).findings


def errors(case: dict[str, object], image: str) -> list[Finding]:
    return [finding for finding in findings(case, image) if finding.severity is Severity.ERROR]


@pytest.mark.parametrize("case", RECORDED, ids=str)
def test_an_error_if_and_only_if_ray_does_not_start(case: Recorded) -> None:
    found = errors(case.case, f"rayproject/ray:{case.ray}")
    assert bool(found) == (case.refused is not None and case.is_shown), [finding.message for finding in found]


@pytest.mark.parametrize("case", [case for case in RECORDED if case.refused and case.is_shown], ids=str)
def test_the_error_stands_at_an_option_that_ray_names(case: Recorded) -> None:
    assert case.refused is not None
    named = {name.strip("-") for name in case.refused}
    written = [str(finding.place.path[-1]) for finding in errors(case.case, f"rayproject/ray:{case.ray}")]
    assert any(name.strip("- ") in named for name in written), (written, case.refused)


@pytest.mark.parametrize("case", FIXTURE["cases"], ids=lambda case: str(case["id"]))
def test_of_an_unknown_ray_only_what_every_release_refuses(case: dict[str, object]) -> None:
    verdicts = [recorded for recorded in RECORDED if recorded.id == case["id"]]
    if errors(case, "registry.example/ray:stable"):
        assert all(recorded.refused is not None for recorded in verdicts)
    elif all(recorded.is_shown for recorded in verdicts):
        assert any(recorded.refused is None for recorded in verdicts)


@pytest.mark.parametrize("case", FIXTURE["cases"], ids=lambda case: str(case["id"]))
def test_the_shell_splits_the_line_as_bash_does(case: dict[str, object]) -> None:
    found = command(str(case["command"]))
    if case["argv"] is None:
        assert found.fault
        return
    assert not found.fault
    if all(word.known for word in found.words):
        assert [word.text for word in found.words[1:]] == case["argv"]


def test_few_lines_hold_what_the_text_does_not_tell() -> None:
    unknown = [
        case["id"] for case in FIXTURE["cases"] if not all(word.known for word in command(case["command"]).words)
    ]
    assert unknown == ["resources-dollar"]


def test_reasons_outside_the_text_are_real_cases() -> None:
    """Nothing is excused that Ray accepts."""
    for name in NOT_IN_THE_TEXT:
        cases = [case for case in RECORDED if case.id == name]
        assert len(cases) == 4
        assert any(case.refused is not None and not case.is_shown for case in cases)


def test_secrets_on_the_line_are_not_repeated() -> None:
    for password in ("hunter2 and more", "hunter2(", "hunter2'"):
        case: dict[str, object] = {"node": "head", "params": {"redis-password": password}}
        found = findings(case, "rayproject/ray:2.51.1")
        assert any(finding.rule_id == "RAY309" for finding in found)
        for finding in found:
            for text in (finding.message, finding.effect, finding.fix, *finding.place.lines.values()):
                assert "hunter2" not in text


def test_many_braces_do_not_explode() -> None:
    line = "ray start --labels=" + "{a,b}" * 200
    assert len(command(line).words) < 300
    deep = "ray start --labels=" + "{" * 5000 + "a,b" + "}" * 5000
    assert command(deep).words


def test_the_groups_own_fields_are_judged_too() -> None:
    group = {
        "resources": {"slot": "500m"},
        "template": {"spec": {"containers": [{"name": "ray", "image": "rayproject/ray:2.51.1"}]}},
    }
    spec = {"headGroupSpec": group}
    manifest = {"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": {"name": "demo"}, "spec": spec}
    found = [
        finding
        for finding in ENGINE.check("cluster.yaml", json.dumps(manifest).encode()).findings
        if finding.rule_id == "RAY310"
    ]
    assert [finding.place.path[-2:] for finding in found] == [("resources", "slot")]
