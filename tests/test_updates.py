"""Updates: what differs, what rules say of it, and where they are not even loaded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from raylint.cli import main
from raylint.config.discovery import _known
from raylint.document import Document
from raylint.engine import Engine
from raylint.finding import Finding, Severity
from raylint.packs import installed_rules
from raylint.rule import rule
from raylint.target import Target
from raylint.update import VIEWS, ClusterUpdate, changes, updates

if TYPE_CHECKING:
    from raylint.rule import Problems

RULES = [rule for rule in installed_rules() if rule.visits in VIEWS]
CLUSTER = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo}
spec:
  headGroupSpec:
    template:
      spec:
        containers:
          - {name: ray-head, image: "rayproject/ray:2.46.0"}
"""
NEWER = CLUSTER.replace("2.46.0", "2.60.0")


def told(before: str, after: str, target: Target | None = None) -> list[Finding]:
    engine = Engine(RULES, target or Target())
    return engine.compare("cluster.yaml", before.encode(), after.encode())


@pytest.mark.parametrize(
    ("old", "new", "paths"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1, "b": {"c": 2}}, {"a": 1, "b": {"c": 3}}, [("b", "c")]),
        ({"a": 1}, {}, [()]),
        ({}, {"a": 1}, [("a",)]),
        ({"a": None}, {}, []),
        ({}, {"a": None}, []),
        ({"a": {}, "b": 1}, {"b": 1, "c": []}, []),
        ({"a": {}}, {"a": {"b": 1}}, [("a", "b")]),
        ({"a": 0}, {}, [()]),
        ({"a": [1, 2]}, {"a": [1, 3]}, [("a", 1)]),
        ({"a": [1]}, {"a": [1, 2]}, [("a",)]),
        (
            [{"name": "x", "v": 1}, {"name": "y", "v": 2}],
            [{"name": "y", "v": 2}, {"name": "x", "v": 3}],
            [(1, "v")],
        ),
        ([{"name": "x"}, {"name": "x"}], [{"name": "x"}, {"name": "y"}], [(1, "name")]),
        ({"a": 1}, {"a": "1"}, [("a",)]),
        ({"a": {"b": 1}}, {"a": [1]}, [("a",)]),
    ],
)
def test_changes(old: object, new: object, paths: list[tuple[str | int, ...]]) -> None:
    assert list(changes(old, new)) == paths


def test_objects_are_matched_by_their_names() -> None:
    def named(*names: str, release: str = "2.46.0") -> list[Document]:
        common = {"apiVersion": "ray.io/v1", "kind": "RayCluster", "spec": {"rayVersion": release}}
        return [Document.from_object({**common, "metadata": {"name": name}}) for name in names]

    def matched(before: list[Document], after: list[Document]) -> list[object]:
        return [update.new.name.value for update in updates(before, after, Target())]

    changed = named("b", release="2.60.0")
    assert matched(named("a", "b"), [*changed, *named("a", "c")]) == ["b"]
    assert matched(named("b", "b"), changed) == []
    assert matched(named(""), named("", release="2.60.0")) == []


def test_an_image_that_is_not_rolled_out() -> None:
    (found,) = told(CLUSTER, NEWER)
    assert (found.rule_id, found.place.line, found.severity) == ("RAY720", 9, Severity.WARNING)
    assert told(NEWER, NEWER) == []
    assert told("", NEWER) == []


@pytest.mark.parametrize(("release", "count"), [((1, 5), 1), ((1, 7), 0)], ids=["no such field yet", "rolls"])
def test_a_strategy_counts_from_the_release_that_has_it(release: tuple[int, ...], count: int) -> None:
    strategy = "  upgradeStrategy: {type: Recreate}\n"
    assert len(told(CLUSTER + strategy, NEWER + strategy, Target(release))) == count


def test_what_is_empty_is_as_good_as_not_written() -> None:
    empty = NEWER.replace("    template:", "    rayStartParams: {}\n    template:")
    assert told(NEWER, empty) == []
    assert told(empty, NEWER) == []
    assert [found.place.line for found in told(NEWER, empty.replace("{}", '{num-cpus: "0"}'))] == [6]


def test_what_another_controller_looks_after() -> None:
    managed = "  managedBy: kueue.x-k8s.io/multikueue\n"
    assert told(CLUSTER + managed, NEWER + managed) == []


@pytest.mark.parametrize(
    ("lines", "more"),
    [
        ("enableInTreeAutoscaling: true", ["all pods are"]),
        ("enableInTreeAutoscaling: false", []),
        ("autoscalerOptions: {idleTimeoutSeconds: 30, upscalingMode: Default}", []),
        ("autoscalerOptions: {image: 'repo/a:1'}", ["the autoscaler is"]),
        ("rayVersion: 2.60.0", []),
        ("workerGroupSpecs: [{groupName: a, template: {spec: {containers: []}}}]", []),
    ],
)
def test_what_shapes_pods(lines: str, more: list[str]) -> None:
    before = f"{CLUSTER}  autoscalerOptions: {{}}\n" if lines.startswith("autoscaler") else CLUSTER
    found = told(before, f"{CLUSTER}  {lines}\n")
    assert [finding.message.partition(" made")[0] for finding in found] == more


@pytest.mark.parametrize(
    ("scale", "count"),
    [("replicas: 0", 0), ("replicas: 1", 1), ("minReplicas: 1", 1), ("replicas: 2, suspend: true", 0)],
)
def test_a_group_without_pods_has_nothing_to_replace(scale: str, count: int) -> None:
    group = "  workerGroupSpecs: [{groupName: a, SCALE, template: {spec: {nodeName: one}}}]\n".replace(
        "SCALE", scale
    )
    assert len(told(CLUSTER + group, CLUSTER + group.replace("one", "two"))) == count
    scaled = group + "  enableInTreeAutoscaling: true\n"
    assert len(told(CLUSTER + scaled, CLUSTER + scaled.replace("one", "two"))) == ("suspend" not in scale)


@pytest.mark.parametrize(
    ("release", "count"), [((1, 5), 0), ((1, 6), 1)], ids=["makes a new cluster", "is in no hash"]
)
def test_tolerations_of_a_service(release: tuple[int, ...], count: int) -> None:
    text = json.dumps(
        {
            "apiVersion": "ray.io/v1",
            "kind": "RayService",
            "metadata": {"name": "shop"},
            "spec": {"rayClusterConfig": {"headGroupSpec": {"template": {"spec": {"tolerations": ["T"]}}}}},
        }
    )
    before, after = text.replace('"T"', '{"key": "a"}'), text.replace('"T"', '{"key": "b"}')
    assert [found.rule_id for found in told(before, after, Target(release))] == ["RAY722"] * count


def test_a_rule_that_fails_is_told_of() -> None:
    @rule("XX100", Severity.WARNING)
    def failing(update: ClusterUpdate) -> Problems:
        if update.new.is_ray:
            raise ValueError("secret")
        yield from ()

    (found,) = Engine([failing], Target()).compare("cluster.yaml", CLUSTER.encode(), NEWER.encode())
    assert (found.rule_id, found.identity) == ("RL000", "XX100")
    assert "secret" not in found.message


# --- --diff-base -----------------------------------------------------------------------------------------------


def git(*words: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *words], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    _known.clear()
    git("init", "-q", "-b", "main")
    (tmp_path / "cluster.yaml").write_text(CLUSTER)
    git("add", ".")
    git("commit", "-q", "-m", "first")
    return tmp_path


def since_head(capsys: pytest.CaptureFixture[str], *words: str) -> list[tuple[str, str, int]]:
    main(["--diff-base", "HEAD", "--format", "json", "--select", "RAY72,RL", *words, "."])
    report = json.loads(capsys.readouterr().out)
    return [(found["rule"], found["severity"], found["line"]) for found in report["findings"]]


def test_since_a_revision(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert since_head(capsys) == []
    (repository / "cluster.yaml").write_text(NEWER)
    assert since_head(capsys) == [("RAY720", "warning", 9)]
    assert since_head(capsys, "--severity", "RAY720=error") == [("RAY720", "error", 9)]
    assert since_head(capsys, "--ignore", "RAY720") == []
    assert main(["--select", "RAY72", "."]) == 0


def test_a_suppression_counts_and_is_not_called_unused(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = '- {name: ray-head, image: "rayproject/ray:2.60.0"}'
    (repository / "cluster.yaml").write_text(NEWER.replace(line, f"{line}  # raylint: ignore[RAY720] by hand"))
    assert since_head(capsys) == []
    assert main(["--select", "RAY72,RL", "."]) == 0


def test_without_an_object_from_before_nothing_of_it_is_imported(tmp_path: Path) -> None:
    (tmp_path / "cluster.yaml").write_text(CLUSTER)
    code = (
        "import sys; from raylint.cli import main; main(['cluster.yaml']);"
        "sys.exit(any(name in sys.modules for name in ('raylint.update', 'raylint_rules.updates')))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("suspended", "rules"), [((), ["RAY722"]), (("before",), []), (("after",), [])])
def test_a_suspended_service_has_no_pods_that_stay_as_they_were(
    suspended: tuple[str, ...], rules: list[str]
) -> None:
    running = """\
apiVersion: ray.io/v1
kind: RayService
metadata: {name: demo}
spec:
  upgradeStrategy: {type: None}
  rayClusterConfig:
    headGroupSpec:
      template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.46.0"}]}}
"""
    waiting = running.replace("spec:\n", "spec:\n  suspend: true\n", 1)
    before = waiting if "before" in suspended else running
    after = (waiting if "after" in suspended else running).replace("2.46.0", "2.60.0")
    assert [finding.rule_id for finding in told(before, after)] == rules
