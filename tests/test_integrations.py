"""What is shipped for other tools, run as they run it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubectl_layer import unpacked

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
OUTAGE = ROOT / "examples" / "forum-outage.yaml"


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("programs")
    unpacked(folder)
    return folder


def environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "RAYLINT_"))}
    return {**kept, "PATH": f"{BIN}:{kept['PATH']}", **more}


@pytest.fixture(scope="module")
def action() -> dict[str, Any]:
    data: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
    return data


def run_action(action: dict[str, Any], folder: Path, **inputs: str) -> tuple[int, str, str]:
    """The step that lints, as GitHub's runner starts it: exit code, its output, and what it sets."""
    (step,) = (step for step in action["runs"]["steps"] if step["id"] == "lint")
    values = {name: given["default"] for name, given in action["inputs"].items()} | inputs
    given = {
        name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda found: values[found[1]], text)
        for name, text in step["env"].items()
    }
    (folder / "raylint" / "bin").mkdir(parents=True)
    (folder / "raylint" / "bin" / "raylint").symlink_to(BIN / "raylint")
    outputs = folder / "outputs"
    runner = environment(
        RUNNER_TEMP=str(folder),
        GITHUB_ACTIONS="true",
        GITHUB_OUTPUT=str(outputs),
        GITHUB_STEP_SUMMARY=str(folder / "summary.md"),
        GITHUB_WORKSPACE=str(ROOT),
        **given,
    )
    words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    done = subprocess.run(words, capture_output=True, text=True, env=runner, cwd=ROOT, check=False)
    return done.returncode, done.stdout + done.stderr, outputs.read_text()


def test_the_action_annotates_and_summarises(action: dict[str, Any], tmp_path: Path) -> None:
    arguments = f"{OUTAGE.relative_to(ROOT)}\n--fail-on=warning\n"
    code, said, outputs = run_action(action, tmp_path, arguments=arguments)
    assert (code, outputs) == (1, "exit-code=1\n")
    assert "::warning file=examples/forum-outage.yaml," in said
    assert "RAY101" in (tmp_path / "summary.md").read_text()


def test_the_action_writes_sarif_and_takes_words_as_they_are(action: dict[str, Any], tmp_path: Path) -> None:
    sarif = tmp_path / "out.sarif"
    name = tmp_path / "a b; exit 9.yaml"
    name.write_text(OUTAGE.read_text())
    code, _, outputs = run_action(action, tmp_path, arguments=str(name), sarif=str(sarif))
    assert (code, outputs) == (0, "exit-code=0\n")
    assert json.loads(sarif.read_text())["version"] == "2.1.0"


@pytest.mark.parametrize(("extras", "installed"), [("", "/action"), ("cel", "/action[cel]")])
def test_the_action_installs_its_extras(
    action: dict[str, Any], tmp_path: Path, extras: str, installed: str
) -> None:
    (step,) = (step for step in action["runs"]["steps"] if step["id"] == "install")
    python, told = tmp_path / "python", tmp_path / "told"
    # It makes an environment whose Python is the same.
    python.write_text(
        '#!/bin/sh\nprintf "%s\\n" "$@" >>"$TOLD"\n'
        '[ "$2" = pip ] || { mkdir -p "$3/bin" && cp "$0" "$3/bin/python"; }\n'
    )
    python.chmod(0o755)
    settings = {"INPUT_PYTHON": str(python), "INPUT_EXTRAS": extras, "ACTION_PATH": "/action"}
    surroundings = {**os.environ, **settings, "RUNNER_TEMP": str(tmp_path), "TOLD": str(told)}
    subprocess.run(["bash", "-e", "-c", step["run"]], check=True, env=surroundings)
    assert told.read_text().splitlines()[-1] == installed


def test_no_expression_of_the_action_stands_in_a_script(action: dict[str, Any]) -> None:
    """What a caller writes must not become a command."""
    assert all("${{" not in step["run"] for step in action["runs"]["steps"])


def test_the_problem_matcher_reads_concise_lines() -> None:
    matchers = json.loads((ROOT / "integrations" / "problem-matcher.json").read_text())["problemMatcher"]
    words = [str(BIN / "raylint"), "--format", "concise", "--select", "RAY101,RAY102,KR028", "-q", str(OUTAGE)]
    said = subprocess.run(words, capture_output=True, text=True, check=False, env=environment(), cwd=ROOT).stdout
    levels = {"raylint-error": "error", "raylint-warning": "warning", "raylint-info": "info"}
    read = []
    for line in [*said.splitlines(), "a b/c:1.yaml:3:4: error[KR028] minReplicas 5: above"]:
        for matcher in matchers:
            (pattern,) = matcher["pattern"]
            found = re.match(pattern["regexp"], line)
            if found:
                place = [found[pattern[key]] for key in ("file", "line", "column", "code", "message")]
                read.append((levels[matcher["owner"]], *place))
    assert len(read) == len(said.splitlines()) + 1 == 3
    assert read[0][:5] == ("warning", str(OUTAGE), "25", "24", "RAY101")
    assert read[1][:5] == ("info", str(OUTAGE), "54", "26", "RAY102")
    assert read[2] == ("error", "a b/c:1.yaml", "3", "4", "KR028", "minReplicas 5: above")


def test_the_gitlab_job_writes_what_gitlab_reads(tmp_path: Path) -> None:
    header, job = yaml.safe_load_all((ROOT / "integrations" / "gitlab-ci.yml").read_text())
    inputs = {name: (given or {})["default"] for name, given in header["spec"]["inputs"].items()}
    inputs["arguments"] = f"{OUTAGE} --fail-on warning"
    command = re.sub(r"\$\[\[ inputs\.(\w+) \]\]", lambda found: inputs[found[1]], job["raylint"]["script"][-1])
    command = command.replace("/tmp/raylint/bin/raylint", str(BIN / "raylint"))
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, env=environment(), capture_output=True, check=False)
    assert done.returncode == 1
    reports = job["raylint"]["artifacts"]["reports"]
    assert json.loads((tmp_path / reports["codequality"]).read_text())
    assert (tmp_path / reports["junit"]).read_text().startswith("<?xml")


def test_kubectl_finds_its_command(programs: Path, tmp_path: Path) -> None:
    words = [str(programs / "kubectl"), "raylint", "--select", "RAY101", "--format", "concise", str(OUTAGE)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment(HOME=str(tmp_path)))
    assert (done.returncode, done.stderr) == (0, "")
    assert "warning[RAY101]" in done.stdout
