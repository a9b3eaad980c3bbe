"""What is known already: by a baseline, or by an earlier revision of git."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from raylint.cli import main
from raylint.config.discovery import _known

CLUSTER = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: NAME}
spec:
  gcsFaultToleranceOptions: {redisAddress: "redis:6379"}
  headGroupSpec:
    rayStartParams: {num-cpus: "0"}
    template:
      spec:
        restartPolicy: Never
        containers:
          - {name: ray-head, image: "rayproject/ray:2.60.0", resources: {limits: {cpu: 2, memory: 8Gi}}}
  workerGroupSpecs:
    - groupName: one
      replicas: 1
      maxReplicas: 9
      rayStartParams: {}
      template:
        spec:
          restartPolicy: Never
          containers:
            - {name: ray-worker, image: "rayproject/ray:2.60.0", resources: {limits: {cpu: 2, memory: 8Gi}}}
"""
GROUP = CLUSTER[CLUSTER.index("    - groupName") :]
FINE = "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: fine}\nspec: {headGroupSpec: {template: {}}}\n"


def cluster(name: str = "demo") -> str:
    return CLUSTER.replace("NAME", name)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    _known.clear()
    return tmp_path


@pytest.fixture
def lint(capsys: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    def linted(*words: str) -> dict[str, Any]:
        capsys.readouterr()
        main(["--format", "json", "--select", "RAY", *words])
        report: dict[str, Any] = json.loads(capsys.readouterr().out)
        return report

    return linted


def found(report: dict[str, Any]) -> list[tuple[str, str, int]]:
    return [(entry["rule"], entry["file"], entry["line"]) for entry in report["findings"]]


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        file = folder / f"{name.replace('__', '/')}.yaml"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)


BASELINE = ".raylint-baseline.json"


def test_what_is_written_is_accepted(folder: Path, lint: Callable[..., dict[str, Any]]) -> None:
    write(folder, a=cluster(), deploy__b=cluster("other"))
    before = lint(".")
    assert len(before["findings"]) > 4
    assert main(["baseline", "write", "."]) == 0
    after = lint("--baseline", BASELINE, ".")
    assert after["findings"] == []
    assert after["summary"]["suppressed"] == len(before["findings"])
    assert {entry["by"] for entry in after["suppressed"]} == {"baseline"}
    assert main(["baseline", "check", "."]) == 0
    # It is no manifest itself.
    assert lint(".")["findings"] == before["findings"]
    write(folder, c=cluster("third"))
    assert {file for _, file, _ in found(lint("--baseline", BASELINE, "."))} == {"c.yaml"}


def test_the_file_is_for_people_too(folder: Path) -> None:
    write(folder, b=cluster(), a=cluster("other"))
    main(["baseline", "write", "."])
    text = (folder / BASELINE).read_text()
    entries = json.loads(text)["findings"]
    assert len(text.splitlines()) == len(entries) + 2
    assert entries == sorted(entries, key=lambda entry: [entry[key] for key in ("file", "rule", "object", "path")])
    assert {"rule": "RAY101", "object": "RayCluster demo", "file": "b.yaml", "count": 1}.items() <= next(
        entry for entry in entries if entry["file"] == "b.yaml" and entry["rule"] == "RAY101"
    ).items()
    main(["baseline", "write", "."])
    assert (folder / BASELINE).read_text() == text


def test_positions_order_and_files_do_not_matter(folder: Path, lint: Callable[..., dict[str, Any]]) -> None:
    two = GROUP.replace("one", "two")
    write(folder, a=cluster() + two)
    main(["baseline", "write", "."])
    moved = "# a comment\n\n" + cluster().removesuffix(GROUP) + two + GROUP
    (folder / "a.yaml").unlink()
    write(folder, deploy__renamed=moved)
    assert lint("--baseline", BASELINE, ".")["findings"] == []
    assert main(["baseline", "check", "."]) == 0
    # A third group is no matter of the two others.
    write(folder, deploy__renamed=moved + GROUP.replace("one", "three"))
    assert {rule for rule, _, _ in found(lint("--baseline", BASELINE, "."))} >= {"RAY102"}


def test_a_baseline_counts(folder: Path, lint: Callable[..., dict[str, Any]]) -> None:
    write(folder, a=cluster())
    main(["baseline", "write", "."])
    write(folder, b=cluster())
    new = found(lint("--baseline", BASELINE, "."))
    # Equal in all but the file: the one that was there before is the known one.
    assert {file for _, file, _ in new} == {"b.yaml"}
    main(["baseline", "write", "."])
    assert lint("--baseline", BASELINE, ".")["findings"] == []


def test_prune_takes_out_what_is_gone_and_nothing_else(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, a=cluster(), b=cluster("other"))
    main(["baseline", "write", "."])
    whole = json.loads((folder / BASELINE).read_text())["findings"]
    write(folder, a=cluster().replace("        restartPolicy: Never\n        containers", "        containers", 1))
    capsys.readouterr()
    # Of files that are not looked at nothing is known.
    assert main(["baseline", "check", "b.yaml"]) == 0
    assert main(["baseline", "check", "."]) == 1
    assert "a.yaml: RAY101 RayCluster demo spec.headGroupSpec" in capsys.readouterr().out
    write(folder, c=cluster("third"))
    assert main(["baseline", "prune", "."]) == 0
    pruned = json.loads((folder / BASELINE).read_text())["findings"]
    assert [entry for entry in whole if entry not in pruned] == [
        entry for entry in whole if (entry["rule"], entry["file"]) == ("RAY101", "a.yaml")
    ]
    assert all(entry in whole for entry in pruned)
    (folder / "b.yaml").unlink()
    main(["baseline", "prune", "a.yaml"])
    assert {entry["file"] for entry in json.loads((folder / BASELINE).read_text())["findings"]} == {"a.yaml"}


def test_the_configuration_names_it_and_mandatory_rules_stay(
    folder: Path, lint: Callable[..., dict[str, Any]]
) -> None:
    write(folder, deploy__a=cluster())
    (folder / ".raylint.yaml").write_text(f"baseline: {BASELINE}\nmandatory: [RAY101]\n")
    _known.clear()
    assert main(["baseline", "write", "deploy"]) == 0
    assert [rule for rule, _, _ in found(lint("."))] == ["RAY101"]
    os.chdir("deploy")
    assert [rule for rule, _, _ in found(lint("."))] == ["RAY101"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read: No such file"),
        ("{", "cannot be read"),
        ("[]", "is no baseline of version raylint-baseline/v1"),
        ('{"version": "raylint-baseline/v2", "findings": []}', "is no baseline of version"),
        ('{"version": "raylint-baseline/v1", "findings": [{"rule": 3}]}', "finding 1 is none"),
    ],
)
def test_a_broken_baseline_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], content: str | None, message: str
) -> None:
    write(folder, a=cluster())
    if content is not None:
        (folder / "base.json").write_text(content)
    assert main(["--baseline", "base.json", "a.yaml"]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["baseline"], ["baseline", "wirte"], ["baseline", "write", "--fail-on", "info"]]
)
def test_the_command_wants_to_know_what(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert "raylint baseline" in capsys.readouterr().err


def git(*words: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *words], check=True, capture_output=True)


@pytest.fixture
def repository(folder: Path) -> Path:
    git("init", "-q", "-b", "main")
    write(folder, a=cluster(), deploy__b=cluster("other"))
    git("add", ".")
    git("commit", "-q", "-m", "first")
    return folder


def test_only_what_is_new_since_a_revision(repository: Path, lint: Callable[..., dict[str, Any]]) -> None:
    every = len(lint(".")["findings"])
    same = lint("--diff-base", "main", ".")
    assert (same["findings"], same["summary"]["suppressed"]) == ([], every)
    assert {entry["by"] for entry in same["suppressed"]} == {"diff-base"}
    write(repository, a=cluster() + GROUP.replace("one", "two"), c=cluster("third"))
    new = lint("--diff-base", "HEAD", ".")
    assert {file for _, file, _ in found(new)} == {"a.yaml", "c.yaml"}
    assert ("RAY102", "a.yaml", 29) in found(new)
    assert ("RAY102", "a.yaml", 20) not in found(new)
    assert len(new["findings"]) + new["summary"]["suppressed"] == len(lint(".")["findings"])
    assert {file for _, file, _ in found(lint("--diff-base", "HEAD", "a.yaml"))} == {"a.yaml"}


def test_renames_and_new_orders_are_not_new(repository: Path, lint: Callable[..., dict[str, Any]]) -> None:
    (repository / "a.yaml").unlink()
    git("mv", "deploy/b.yaml", "moved.yaml")
    write(repository, deploy__all="# both\n" + cluster("other") + "---\n# here\n" + cluster())
    (repository / "moved.yaml").unlink()
    assert lint("--diff-base", "HEAD", ".")["findings"] == []
    os.chdir("deploy")
    assert lint("--diff-base", "HEAD", ".")["findings"] == []


def test_what_was_suppressed_then_is_new_without_it(repository: Path, lint: Callable[..., dict[str, Any]]) -> None:
    marked = cluster().replace("restartPolicy: Never", "restartPolicy: Never # raylint: ignore[RAY101] x", 1)
    write(repository, a=marked)
    git("commit", "-qam", "suppress")
    write(repository, a=cluster())
    assert found(lint("--diff-base", "HEAD", ".")) == [("RAY101", "a.yaml", 10)]
    assert lint("--diff-base", "HEAD~1", ".")["findings"] == []


def test_findings_over_several_files(repository: Path, lint: Callable[..., dict[str, Any]]) -> None:
    shared = "{redisAddress: 'redis:6379', externalStorageNamespace: shared}"
    both = {name: cluster(name).replace('{redisAddress: "redis:6379"}', shared) for name in ("a", "b")}
    write(repository, **both)
    git("add", ".")
    git("commit", "-qm", "two")
    write(repository, a="# moved down\n" + both["a"])
    assert lint("--diff-base", "HEAD", ".")["findings"] == []
    (repository / "b.yaml").unlink()
    git("commit", "-qam", "one")
    write(repository, b=both["b"])
    assert "RAY107" in {rule for rule, _, _ in found(lint("--diff-base", "HEAD", "."))}


def test_git_is_only_asked(repository: Path, lint: Callable[..., dict[str, Any]]) -> None:
    write(repository, a=FINE)
    before = {path: path.stat().st_mtime_ns for path in sorted((repository / ".git").rglob("*"))}
    lint("--diff-base", "HEAD", ".")
    assert {path: path.stat().st_mtime_ns for path in sorted((repository / ".git").rglob("*"))} == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--diff-base", "gone", "."], "git knows no revision 'gone' here; in a shallow clone fetch it first"),
        (["--diff-base=--all", "."], "'--all' is no revision"),
        (["--diff-base", "HEAD", "-"], "--diff-base has no effect: git knows nothing of the standard input"),
    ],
)
def test_a_wrong_revision_is_refused(
    repository: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert main(words) == 2
    assert message in capsys.readouterr().err


def test_outside_of_a_repository(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, a=cluster())
    assert main(["--diff-base", "HEAD", "."]) == 2
    assert "the working directory is in no git repository" in capsys.readouterr().err
    monkeypatch.setenv("PATH", str(folder))
    assert main(["--diff-base", "HEAD", "."]) == 2
    assert "needs git, which is not installed" in capsys.readouterr().err
