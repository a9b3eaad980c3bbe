"""The hooks, tried with the real ``pre-commit`` in a repository of its own; one hook environment for all tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from kubectl_layer import unpacked

ROOT = Path(__file__).resolve().parent.parent

GOOD = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: trainer}
spec:
  rayVersion: 2.52.0
  headGroupSpec:
    rayStartParams: {}
    template:
      spec:
        containers:
        - name: ray-head
          image: rayproject/ray:2.52.0
          resources:
            requests: {cpu: "2", memory: 8Gi}
            limits: {cpu: "2", memory: 8Gi}
  workerGroupSpecs:
  - groupName: cpu
    replicas: 2
    minReplicas: 2
    maxReplicas: 2
    rayStartParams: {}
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.52.0
          resources:
            requests: {cpu: "4", memory: 16Gi}
            limits: {cpu: "4", memory: 16Gi}
"""

# kubectl: error converting YAML to JSON: yaml: found character that cannot start any token
BROKEN = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: trainer}
spec:
\theadGroupSpec: {}
"""

# Accepted by everybody, and yet no good idea: what only a rule of the built-in pack can know.
RISKY = GOOD.replace(
    "spec:\n  ray", "spec:\n  gcsFaultToleranceOptions: {redisAddress: 'redis:6379'}\n  ray"
).replace("      spec:\n", "      spec:\n        restartPolicy: Never\n")

NOT_OURS = {
    "deploy.yaml": "apiVersion: apps/v1\nkind: Deployment\nspec: {replicas: -1, replicas: 2}\n",
    "broken.yaml": "key: [1, 2\nother: }\n\t- tab\n",
    "latin.yaml": "name: caf\udce9\n",
    "empty.yaml": "",
    "chart/Chart.yaml": "apiVersion: v2\nname: web\nversion: 0.1.0\n",
    "chart/templates/web.yaml": "{{- if .Values.on }}\nkind: Service\nname: {{ .Release.Name }}\n{{- end }}\n",
    "ci.yml": "on: [push]\njobs: {a: {runs-on: x, steps: [{run: 'echo'}]}}\n",
    "data.json": '{"a": 1, "a": 2,}\n',
    "docs/ray.txt": "apiVersion: ray.io/v1\nkind: RayCluster\n\tnot a manifest\n",
}


class Repository:
    """A git repository and the environment in which programs run there."""

    def __init__(self, root: Path, environment: dict[str, str]) -> None:
        self.root = root
        self.environment = environment
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet")

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=self.root, env=self.environment, capture_output=True, text=True, check=False
        )

    def git(self, *arguments: str) -> str:
        result = self.run("git", *arguments)
        assert result.returncode == 0, result.stderr
        return result.stdout.strip()

    def stage(self, files: dict[str, str]) -> None:
        for name, content in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8", errors="surrogateescape")
        self.git("add", "--all")

    def hook(self, name: str) -> subprocess.CompletedProcess[str]:
        return self.run(sys.executable, "-m", "pre_commit", "run", name)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Ours, without what a surrounding git command or the person's git configuration would bring along."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "RAYLINT_"))}
    person = {
        f"GIT_{role}_{part}": f"{role}@example" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")
    }
    return {
        **inherited,
        **person,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "PATH": os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]]),
        "PRE_COMMIT_HOME": str(tmp_path_factory.mktemp("pre-commit")),
        "NO_COLOR": "1",
    }


@pytest.fixture(scope="module")
def hook_repository(tmp_path_factory: pytest.TempPathFactory, environment: dict[str, str]) -> tuple[str, str]:
    """The working tree as a repository that a configuration can name: its path and its revision."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        check=True,
    )
    repository = Repository(tmp_path_factory.mktemp("raylint"), environment)
    for name in sorted(set(map(os.fsdecode, listed.stdout.split(b"\0"))) - {""}):
        if os.path.lexists(ROOT / name):
            (repository.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, repository.root / name, follow_symlinks=False)
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--message=raylint")
    return str(repository.root), repository.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path, environment: dict[str, str], hook_repository: tuple[str, str]) -> Repository:
    """A user's repository with all our hooks, and one that is stricter."""
    url, revision = hook_repository
    hooks: list[dict[str, object]] = [
        {"id": "raylint"},
        {"id": "raylint-repo"},
        {"id": "raylint-system"},
        {"id": "raylint-fix"},
        {"id": "raylint", "alias": "strict", "args": ["--fail-on=warning"]},
        {"id": "raylint-helm", "args": ["chart", "--values=chart/prod.yaml", "--fail-on=warning"]},
    ]
    configuration = {"repos": [{"repo": url, "rev": revision, "hooks": hooks}]}
    repository = Repository(tmp_path / "user", environment)
    repository.stage({".pre-commit-config.yaml": yaml.safe_dump(configuration)})
    repository.git("commit", "--quiet", "--message=configuration")
    return repository


def test_the_name_without_a_dot_is_the_same_file() -> None:
    dotted = ROOT / ".pre-commit-hooks.yaml"
    assert not dotted.is_symlink()
    assert (ROOT / "pre-commit-hooks.yaml").read_bytes() == dotted.read_bytes()


@pytest.mark.parametrize("hook", ["raylint", "raylint-repo", "raylint-system"])
def test_good_manifest_passes(repository: Repository, hook: str) -> None:
    repository.stage({"prod/cluster.yaml": GOOD})
    result = repository.hook(hook)
    assert "Passed" in result.stdout, result.stdout
    assert result.returncode == 0


@pytest.mark.parametrize("hook", ["raylint", "raylint-repo", "raylint-system"])
def test_bad_manifest_is_refused(repository: Repository, hook: str) -> None:
    repository.stage({"prod/cluster.yaml": BROKEN, "prod/other.yaml": GOOD})
    result = repository.hook(hook)
    assert "Failed" in result.stdout, result.stdout
    assert "exit code: 1" in result.stdout
    assert "error[RL001]" in result.stdout
    assert "prod/cluster.yaml:5:1" in result.stdout
    assert result.returncode == 1


def test_what_is_fixed_stops_the_commit_once(repository: Repository) -> None:
    repository.stage({"cluster.yaml": GOOD.replace("rayVersion: 2.52.0", "rayVersion: 2.52  # soon 2.53")})
    result = repository.hook("raylint-fix")
    assert "files were modified by this hook" in result.stdout, result.stdout
    assert result.returncode == 1
    fixed = GOOD.replace("rayVersion: 2.52.0", 'rayVersion: "2.52"  # soon 2.53')
    assert (repository.root / "cluster.yaml").read_text() == fixed
    repository.git("add", "--all")
    assert repository.hook("raylint-fix").returncode == 0


def test_the_rules_come_along_and_arguments_count(repository: Repository) -> None:
    repository.stage({"prod/cluster.yaml": RISKY})
    result = repository.hook("strict")
    assert "exit code: 1" in result.stdout, result.stdout
    assert "[RAY101]" in result.stdout


def test_commit_is_refused_and_then_made(repository: Repository) -> None:
    repository.run(sys.executable, "-m", "pre_commit", "install")
    repository.stage({"cluster.yaml": BROKEN})
    refused = repository.run("git", "commit", "--message=bad")
    assert refused.returncode == 1
    assert "error[RL001]" in refused.stdout + refused.stderr
    repository.stage({"cluster.yaml": GOOD})
    repository.git("commit", "--message=good")
    assert repository.git("log", "-1", "--format=%s") == "good"


@pytest.mark.parametrize("hook", ["raylint", "raylint-repo", "raylint-system", "strict"])
def test_what_is_not_rays_passes(repository: Repository, hook: str) -> None:
    repository.stage(NOT_OURS)
    result = repository.hook(hook)
    assert "Passed" in result.stdout, result.stdout
    assert result.returncode == 0
    repository.stage({"ray/cluster.yaml": RISKY})
    assert repository.hook("strict").returncode == 1


def test_repository_hook_sees_what_the_commit_leaves_alone(repository: Repository) -> None:
    repository.stage({"old.yaml": BROKEN})
    repository.git("commit", "--quiet", "--message=old")
    repository.stage({"new.yaml": GOOD})
    assert repository.hook("raylint").returncode == 0
    result = repository.hook("raylint-repo")
    assert "old.yaml:5:1" in result.stdout
    assert result.returncode == 1


def test_no_manifest_no_run(repository: Repository) -> None:
    repository.stage({"README.md": "apiVersion: ray.io/v1\n"})
    assert "(no files to check)Skipped" in repository.hook("raylint-repo").stdout


def test_a_chart_is_rendered_when_something_of_it_changes(repository: Repository, tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    unpacked(programs)
    repository.environment = {**repository.environment, "PATH": f"{programs}:{repository.environment['PATH']}"}
    shutil.copytree(ROOT / "tests" / "fixtures" / "charts" / "cluster", repository.root / "chart")
    repository.stage({"notes.yaml": "a: 1\n"})
    result = repository.hook("raylint-helm")
    assert result.returncode == 1, result.stdout
    assert "chart/templates/cluster.yaml:22:" in result.stdout
    repository.stage({"chart/prod.yaml": "worker: {maxReplicas: 1}\n"})
    assert repository.hook("raylint-helm").returncode == 0
    repository.git("commit", "--quiet", "--no-verify", "--message=chart")
    repository.stage({"notes.yaml": "a: 2\n"})
    assert "no files to check" in repository.hook("raylint-helm").stdout
