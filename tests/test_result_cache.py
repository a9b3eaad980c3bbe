"""The cache: the same answer where nothing has changed, and never another."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from raylint import result_cache
from raylint.cli import main
from raylint.config.discovery import _known
from raylint.kustomize import _patches
from raylint.progress import progress
from raylint.source import Source

CLUSTER = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo}
spec:
  gcsFaultToleranceOptions: {redisAddress: "redis:6379"}
  headGroupSpec:
    template:
      spec:
        restartPolicy: Never
        containers: [{name: ray-head, image: "rayproject/ray:2.60.0", resources: {limits: {cpu: 2, memory: 8Gi}}}]
"""


class Runs:
    """Runs with a cache, and how many of them looked at the files."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.count = 0

    def __call__(self, *words: str) -> tuple[int, str, bool]:
        """The exit code, what was written, and whether the files were looked at."""
        _known.clear()
        _patches.cache_clear()
        before = self.count
        self._capsys.readouterr()
        code = main(["--cache-dir", "cache", *(words or ["."])])
        return code, self._capsys.readouterr().out, self.count > before


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runs:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    (tmp_path / ".git").mkdir()
    # The files of a test are younger than two seconds.
    monkeypatch.setattr(result_cache, "_SETTLED", -(10**12))
    (tmp_path / "a.yaml").write_text(CLUSTER)
    counted = Runs(capsys)
    import raylint.run

    plain: Callable[..., object] = raylint.run.run

    def run(*arguments: object, **options: object) -> object:
        counted.count += 1
        return plain(*arguments, **options)

    monkeypatch.setattr(raylint.run, "run", run)
    return counted


def test_the_second_answer_is_the_first(runs: Runs) -> None:
    first = runs()
    assert first[2]
    assert "RAY101" in first[1]
    assert runs() == (first[0], first[1], False)
    for words in (["--format", "json", "."], ["--fail-on", "warning", "."], ["--color", "always", "."]):
        fresh = runs(*words)
        assert fresh[2]
        assert runs(*words) == (fresh[0], fresh[1], False)
    assert runs() == (first[0], first[1], False)


CHANGES: dict[str, Callable[[Path], object]] = {
    "content": lambda folder: (folder / "a.yaml").write_text(CLUSTER.replace("Never", "Always")),
    "size alone the same": lambda folder: (folder / "a.yaml").write_text(CLUSTER.replace("demo", "deme")),
    "a new file": lambda folder: (folder / "b.yaml").write_text(CLUSTER.replace("demo", "other")),
    "a lost file": lambda folder: (folder / "a.yaml").rename(folder / "a.txt"),
    "a new name": lambda folder: (folder / "a.yaml").rename(folder / "c.yaml"),
    "a configuration": lambda folder: (folder / ".raylint.yaml").write_text("ignore: [RAY101]\n"),
    "a kustomization": lambda folder: (folder / "kustomization.yaml").write_text("patches: [{path: a.yaml}]\n"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_whatever_changes_is_seen(runs: Runs, tmp_path: Path, change: Callable[[Path], object]) -> None:
    first = runs()
    change(tmp_path)
    changed = runs()
    assert changed[2]
    assert changed[:2] != first[:2]
    assert runs() == (changed[0], changed[1], False)


def test_what_is_extended_and_what_is_accepted_counts(runs: Runs, tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text("ignore: [RAY102]\n")
    (tmp_path / ".raylint.yaml").write_text("extends: ./base.yaml\nbaseline: base.json\n")
    (tmp_path / "base.json").write_text('{"version": "raylint-baseline/v1", "findings": []}')
    first = runs("a.yaml")
    assert not runs("a.yaml")[2]
    (tmp_path / "base.yaml").write_text("ignore: [RAY101]\n")
    second = runs("a.yaml")
    assert second[2]
    assert second[1] != first[1]
    (tmp_path / "base.json").write_text('{"version": "raylint-baseline/v1",  "findings": []}')
    assert runs("a.yaml")[2]


def test_the_environment_the_code_and_the_day_count(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    runs()
    monkeypatch.setenv("RAYLINT_IGNORE", "RAY101")
    assert runs()[2]
    monkeypatch.delenv("RAYLINT_IGNORE")
    assert not runs()[2]
    with monkeypatch.context() as patched:
        patched.setattr(result_cache, "today", lambda: "2999-01-01")
        assert runs()[2]
    with monkeypatch.context() as patched:
        patched.setattr(result_cache, "_code", lambda: [("raylint/rule.py", 1, 2)])
        assert runs()[2]
    assert not runs()[2]


def test_a_fresh_checkout_has_the_same_content(runs: Runs, tmp_path: Path) -> None:
    first = runs()
    (tmp_path / "copy").write_text(CLUSTER)
    os.replace(tmp_path / "copy", tmp_path / "a.yaml")
    assert runs() == (first[0], first[1], False)


def test_a_change_right_after_is_seen_by_content(
    runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The times of a file may stay as they are if it changes twice within their grain."""
    monkeypatch.setattr(result_cache, "_SETTLED", 2_000_000_000)
    runs()
    same = result_cache._sign(str(tmp_path / "a.yaml"))
    (tmp_path / "a.yaml").write_text(CLUSTER.replace("demo", "deme"))
    monkeypatch.setattr(result_cache, "_sign", lambda path: same if path.endswith("a.yaml") else None)
    assert runs()[2]


@pytest.mark.parametrize("damage", [b"", b"x", b"\n{}", b"00\n{", None])
def test_a_broken_cache_is_no_answer(runs: Runs, tmp_path: Path, damage: bytes | None) -> None:
    first = runs()
    (kept,) = (tmp_path / "cache").glob("*.raylint")
    content = kept.read_bytes()
    kept.write_bytes(content[:-3] + b"..." if damage is None else damage)
    again = runs()
    assert again == (first[0], first[1], True)
    assert runs() == (first[0], first[1], False)


def test_nothing_is_kept_of_a_run_that_failed(runs: Runs, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert runs("--require-objects", "empty")[0] == 3
    assert list((tmp_path / "cache").glob("*.raylint")) == []
    for words in (["--diff", "."], ["-v", "."], ["--no-config", "--debug", "."]):
        assert runs(*words)[2]
        assert runs(*words)[2]


def test_no_cache_and_a_folder_that_cannot_be(
    runs: Runs, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".raylint.yaml").write_text("cache-dir: cache\n")
    assert main(["--no-cache", "."]) == 0
    assert not (tmp_path / "cache").exists()
    (tmp_path / "file").write_text("")
    assert main(["--cache-dir", "file/cache", "."]) == 2
    assert "--cache-dir: 'file/cache' is no folder and cannot be made" in capsys.readouterr().err


def test_old_answers_go(runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_cache, "_KEPT", 2)
    for rule in ("RAY1", "RAY2", "RAY3", "RAY4"):
        runs("--select", rule, ".")
    assert len(list((tmp_path / "cache").glob("*.raylint"))) == 2
    assert not runs("--select", "RAY4", ".")[2]


def test_no_secret_is_kept(runs: Runs, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(CLUSTER.replace("redis:6379", "redis://u:hunter2secret@redis:6379"))
    runs("--format", "json", ".")
    (kept,) = (tmp_path / "cache").glob("*.raylint")
    assert b"hunter2secret" not in kept.read_bytes()
    assert json.loads(kept.read_bytes().partition(b"\n")[2])["code"] in (0, 1)


def test_progress_is_for_long_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    sources = [Source(f"{number}.yaml", None) for number in range(100)]
    quick, slow = io.StringIO(), io.StringIO()
    assert list(progress(sources, quick)) == sources
    assert quick.getvalue() == ""
    clock = iter(range(1000))
    monkeypatch.setattr("time.monotonic", lambda: float(next(clock)))
    assert list(progress(sources, slow)) == sources
    assert "\rraylint: 16 files" in slow.getvalue()
    assert slow.getvalue().endswith("\r\x1b[K")
