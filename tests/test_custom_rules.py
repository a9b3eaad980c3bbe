"""Rules of one's own: CEL in the configuration, and a pack in Python."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from raylint.cli import main

ROOT = Path(__file__).resolve().parent.parent
ACME = ROOT / "examples" / "acme-rules"

CLUSTER = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata:
  name: trainer
spec:
  rayVersion: 2.52.0
  headGroupSpec:
    rayStartParams: {}
    template:
      spec:
        containers:
        - name: ray
          image: rayproject/ray:2.52.0
          resources: {limits: {cpu: "2", memory: 8Gi}, requests: {cpu: "2", memory: 8Gi}}
"""

Lint = Callable[..., tuple[int, list[dict[str, Any]]]]


@pytest.fixture
def lint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Lint:
    """Lint a cluster with a configuration; the exit code, and the findings of the rules ACME."""
    monkeypatch.chdir(tmp_path)

    def run(config: str, manifest: str = CLUSTER, *words: str) -> tuple[int, list[dict[str, Any]]]:
        Path(".raylint.yaml").write_text(config)
        Path("cluster.yaml").write_text(manifest)
        code = main(["cluster.yaml", "--format", "json", *words])
        found = json.loads(capsys.readouterr().out)["findings"]
        return code, [finding for finding in found if finding["rule"].startswith("ACME")]

    return run


def rule(expression: str, **more: object) -> str:
    entry = {"id": "ACME101", "expression": expression, "message": "not as we do it", **more}
    return f"cel-rules:\n- {json.dumps(entry)}\n"


@pytest.mark.parametrize(
    "expression",
    [
        'object.metadata.name == "trainer"',
        "object.spec.headGroupSpec.template.spec.containers.all(c, has(c.resources))",
        # What nobody has written: KubeRay's and Ray's defaults.
        'effective.pods.all(pod, pod.restartPolicy == "Always")',
        'effective.pods.exists(pod, pod.group == "head" && pod.seenByRay.CPU == 2)',
        "effective.cluster.autoscaling == false && effective.cluster.pods.maximum == 1",
        "target.kuberay >= [1, 0] || target.kuberay[0] >= 1",
        '!has(object.metadata.labels) || object.metadata.labels.exists(k, k.startsWith("team"))',
    ],
)
def test_what_is_true_is_fine(lint: Lint, expression: str) -> None:
    assert lint(rule(expression)) == (0, [])


def test_what_is_false_is_a_finding_with_all_that_findings_have(lint: Lint) -> None:
    code, found = lint(rule("has(object.metadata.labels)", severity="error", fix="write labels", name="labels"))
    assert code == 1
    (finding,) = found
    assert (finding["rule"], finding["name"], finding["severity"]) == ("ACME101", "labels", "error")
    assert (finding["message"], finding["fix_hint"]) == ("not as we do it", "write labels")
    assert (finding["file"], finding["line"], finding["path"]) == ("cluster.yaml", 4, "metadata.name")
    assert finding["effect"] == "a rule of this repository asks for it (.raylint.yaml:2:21)"


@pytest.mark.parametrize(
    ("at", "line"),
    [("spec.headGroupSpec", 7), ("spec.headGroupSpec.template.spec.containers[0].image", 13), ("spec.lost.x", 5)],
)
def test_a_rule_says_where_to_point(lint: Lint, at: str, line: int) -> None:
    (finding,) = lint(rule("false", at=at))[1]
    assert finding["line"] == line


def test_kinds_limit_a_rule(lint: Lint) -> None:
    assert lint(rule("false", kinds=["RayJob", "RayService"]))[1] == []
    assert len(lint(rule("false", kinds=["RayCluster"]))[1]) == 1


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("object.spec.suspend", "asks for 'suspend', which is not written; has() asks whether it is"),
        ("object.spec.rayVersion + 1 == 2", "it applies an operation to values of other types"),
        ("size(object.spec.workers())", "it calls a function that there is not"),
        ("object.metadata.name", "answers with str, not with true or false"),
    ],
)
def test_no_answer_is_no_consent(lint: Lint, expression: str, reason: str) -> None:
    (finding,) = lint(rule(expression))[1]
    assert finding["message"].startswith("not as we do it (the rule ")
    assert reason in finding["message"]


def test_a_failing_expression_quotes_no_value(lint: Lint) -> None:
    secret = CLUSTER.replace(
        "spec:\n  ray", 'spec:\n  gcsFaultToleranceOptions: {redisPassword: {value: "s3cr3t"}}\n  ray'
    )
    (finding,) = lint(rule("object.spec.gcsFaultToleranceOptions.redisPassword.value < 5"), secret)[1]
    assert "s3cr3t" not in json.dumps(finding)


def test_comments_exemptions_severities_and_selection_work_as_for_any_rule(lint: Lint) -> None:
    failing = rule("false")
    ignored = CLUSTER.replace("name: trainer", "name: trainer # raylint: ignore[ACME101] tried")
    assert lint(failing, ignored)[1] == []
    exempt = 'exemptions: [{rule: ACME101, name: "train*", reason: old}]\n'
    assert lint(failing + exempt)[1] == []
    assert lint(failing + "severity: {ACME101: info}\n")[1][0]["severity"] == "info"
    assert lint(failing + "ignore: [ACME]\n")[1] == []
    assert lint(failing, CLUSTER, "--ignore", "acme101")[1] == []
    assert len(lint(failing, CLUSTER, "--select", "ACME101")[1]) == 1
    assert len(lint(failing + "mandatory: [ACME101]\n", ignored)[1]) == 1


def test_a_nearer_configuration_changes_a_rule_of_a_farther_one(lint: Lint) -> None:
    Path("team.yaml").write_text(rule("false"))
    assert len(lint("extends: team.yaml\n")[1]) == 1
    assert lint("extends: team.yaml\n" + rule("true"))[1] == []


def test_a_rule_reaches_as_far_as_its_configuration(lint: Lint) -> None:
    Path("dev").mkdir()
    Path("dev/cluster.yaml").write_text(CLUSTER)
    Path("dev/.raylint.yaml").write_text("ignore: [RAY]\n")
    found = lint(rule("false"), CLUSTER, "dev")[1]
    assert [finding["file"] for finding in found] == ["cluster.yaml"]


def test_every_report_can_tell_of_it(lint: Lint) -> None:
    lint(rule("false"))
    for format in ("sarif", "html", "junit", "gitlab", "markdown", "text"):
        assert main(["cluster.yaml", "--format", format, "-o", f"out.{format}"]) == 0
        assert "not as we do it" in Path(f"out.{format}").read_text()


def test_the_configuration_shows_it_with_its_place(lint: Lint, capsys: pytest.CaptureFixture[str]) -> None:
    lint(rule("true", name="ours"))
    assert main(["config", "show"]) == 0
    assert re.search(r"^cel-rules\.ACME101: ours +# \.raylint\.yaml:1:1$", capsys.readouterr().out, re.M)
    assert main(["config", "validate"]) == 0


def test_its_page_is_explained(lint: Lint, capsys: pytest.CaptureFixture[str]) -> None:
    lint(rule("false"))
    assert main(["explain", "ACME101"]) == 0
    assert "Objects of the kinds" in capsys.readouterr().out
    assert main(["rules", "ACME"]) == 0
    assert "ACME101" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("config", "complaint"),
    [
        (rule("object.spec. =="), ".raylint.yaml:2:21: this is no CEL: line 1, column 14: "),
        (
            rule("spec.x == 1"),
            ".raylint.yaml:2:21: there is no variable 'spec' in a rule; there are object, effective",
        ),
        (rule("true", id="RAY101"), "'RAY101' is the id of a rule of raylint: take a prefix of your own"),
        (rule("true", id="acme"), "'acme' is no id"),
        (rule("true", name="restart-never-with-gcs-ft"), "there is a rule"),
        (
            rule("true", kinds=["RayClutser"]),
            "entry 1 of kinds is one of RayCluster, RayJob, RayService, RayCronJob",
        ),
        (rule("true", severity="fatal"), "severity is one of error, warning, info"),
        (rule("true", expresion="x"), "unknown setting 'expresion' (did you mean expression?)"),
        ("cel-rules: [{id: ACME101, expression: 'true'}]\n", "has no message"),
        (
            rule("true") + "- {id: ACME101, expression: 'true', message: b}\n",
            "there is a rule ACME101 (acme101) already",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_place(
    lint: Lint, capsys: pytest.CaptureFixture[str], config: str, complaint: str
) -> None:
    Path(".raylint.yaml").write_text(config)
    Path("cluster.yaml").write_text(CLUSTER)
    assert main(["cluster.yaml"]) == 2
    assert complaint in capsys.readouterr().err


def test_without_the_extra_the_run_says_what_to_install(
    lint: Lint, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "cel", None)
    Path(".raylint.yaml").write_text(rule("true"))
    assert main(["."]) == 2
    assert (
        "CEL rules need the package common-expression-language: pip install 'raylint[cel]'"
        in capsys.readouterr().err
    )


@pytest.fixture(scope="module")
def acme(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment in which the example pack is installed."""
    folder = tmp_path_factory.mktemp("acme")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--target", str(folder), str(ACME)], check=True, capture_output=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RAYLINT_", "GITHUB_"))}
    return {**kept, "PYTHONPATH": str(folder)}


def test_the_examples_on_the_pages_of_the_pack_hold(acme: dict[str, str]) -> None:
    program = (
        "from acme_rules import RULES\nfrom raylint.testing import cases\n"
        "found = cases(RULES)\n[case.verify() for case in found]\nprint(len(list(found)))"
    )
    done = subprocess.run([sys.executable, "-c", program], env=acme, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("8\n", "")


def test_an_installed_pack_runs_with_its_profile_and_options(acme: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "cluster.yaml").write_text(CLUSTER)
    (tmp_path / ".raylint.yaml").write_text("extends: [acme]\nrules: {ACME101: {label: owner}}\nignore: [RAY]\n")
    words = [sys.executable, "-m", "raylint", "--format", "concise", "-q"]
    done = subprocess.run(words, env=acme, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "cluster.yaml:4:9: error[ACME101] no label 'owner' says which team this RayCluster belongs to",
        "cluster.yaml:13:18: error[ACME201] the image 'rayproject/ray:2.52.0' is not from registry.acme.example",
    ]
