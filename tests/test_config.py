"""The configuration file says what flags say, and a flag wins."""

from __future__ import annotations

from pathlib import Path

import pytest

from raylint.cli import main
from raylint.config import apply, find
from raylint.errors import UsageError
from raylint.options import parse

FILE = """\
target:
  kuberay: "1.6"
  ray: "2.43"
  feature-gates: {RayCronJob: true, RayClusterMTLS: false}
  crd: [crds/kuberay.yaml]
select: [RAY, KR]
ignore: [RAY205]
severity: {RAY204: warning}
fail-on: warning
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_setting_is_read(folder: Path) -> None:
    (folder / ".raylint.yaml").write_text(FILE)
    options = parse(["x"])
    apply(options, str(folder / ".raylint.yaml"))
    assert (options.kuberay, options.ray) == ((1, 6), (2, 43))
    assert options.feature_gates == {"RayCronJob": True, "RayClusterMTLS": False}
    assert options.crd == [str(folder / "crds/kuberay.yaml")]
    assert (options.select, options.ignore) == (["RAY", "KR"], ["RAY205"])
    assert (options.severity, options.fail_on) == ({"RAY204": "warning"}, "warning")


def test_a_flag_wins(folder: Path) -> None:
    (folder / ".raylint.yaml").write_text(FILE)
    options = parse(["--kuberay", "1.5", "--ignore", "RAY101", "--fail-on", "error", "x"])
    apply(options, str(folder / ".raylint.yaml"))
    assert (options.kuberay, options.ignore, options.fail_on) == ((1, 5), ["RAY101"], "error")
    assert options.ray == (2, 43)


def test_other_commands_take_what_is_theirs(folder: Path) -> None:
    (folder / ".raylint.yaml").write_text(FILE)
    options = parse(["schema", "RayJob"])
    apply(options, str(folder / ".raylint.yaml"))
    assert (options.kuberay, options.select) == ((1, 6), [])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("slect: [RAY]\n", ".raylint.yaml:1:1: unknown setting 'slect' (did you mean select?)"),
        ("target:\n  kubray: '1.6'\n", ".raylint.yaml:2:3: unknown setting 'kubray' (did you mean kuberay?)"),
        ("target:\n  kuberay: 1.6\n", ".raylint.yaml:2:3: kuberay is a text in quotes"),
        ("target:\n  kuberay: '9.9'\n", ".raylint.yaml:2:3: --kuberay: raylint does not know KubeRay '9.9'"),
        ("target: '1.6'\n", ".raylint.yaml:1:1: target is a mapping of settings"),
        ("ignore: RAY205\n", ".raylint.yaml:1:1: ignore is a list"),
        ("severity: [RAY205]\n", ".raylint.yaml:1:1: severity is a mapping"),
        ("severity: {RAY205: bad}\n", ".raylint.yaml:1:1: --severity: 'bad' is not one of error, warning, info"),
        ("- a\n", ".raylint.yaml: a configuration is a mapping of settings"),
        ("a: [\n", ".raylint.yaml cannot be read: "),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(folder: Path, text: str, message: str) -> None:
    (folder / ".raylint.yaml").write_text(text)
    with pytest.raises(UsageError) as raised:
        apply(parse(["x"]), str(folder / ".raylint.yaml"))
    assert str(raised.value).startswith(message)


def test_an_empty_file_says_nothing(folder: Path) -> None:
    (folder / ".raylint.yaml").write_text("# nothing yet\n")
    options = parse(["x"])
    apply(options, str(folder / ".raylint.yaml"))
    assert (options.kuberay, options.ignore) == (parse(["x"]).kuberay, [])


def test_the_nearest_file_up_to_the_repository_counts(folder: Path) -> None:
    inner = folder / "repository" / "deploy"
    inner.mkdir(parents=True)
    (folder / ".raylint.yaml").write_text("ignore: [RAY205]\n")
    assert find(str(inner)) == str(folder / ".raylint.yaml")
    (folder / "repository" / ".git").mkdir()
    assert find(str(inner)) is None
    (folder / "repository" / ".raylint.yaml").write_text("ignore: [RAY204]\n")
    assert find(str(inner)) == str(folder / "repository" / ".raylint.yaml")


CRON = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo}
spec:
  tlsOptions: {enabled: true}
  headGroupSpec:
    template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
"""


def test_the_command_line_heeds_the_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "cluster.yaml").write_text(CRON)
    words = ["cluster.yaml", "--select", "KR", "--format", "concise"]
    assert main(words) == 1
    assert "error[KR093]" in capsys.readouterr().out
    (folder / ".raylint.yaml").write_text("target: {feature-gates: {RayClusterMTLS: true}}\n")
    assert main(words) == 0
    assert "KR093" not in capsys.readouterr().out
    (folder / "strict.yaml").write_text("target: {feature-gates: {RayClusterMTLS: false}}\n")
    assert main([*words, "--config", "strict.yaml"]) == 1
    assert "error[KR093]" in capsys.readouterr().out
    assert main([*words, "--no-config"]) == 1
    assert main([*words, "--config", "missing.yaml"]) == 2
    assert "missing.yaml cannot be read" in capsys.readouterr().err
