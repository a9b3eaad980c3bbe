"""``runtimeEnvYAML``: what the rules say against what ``ray job submit`` and the Jobs API of four releases do."""

from __future__ import annotations

from typing import Any

import pytest
from ray_verdicts import VERSIONS, errors, findings, head, load

from raylint.finding import Finding

CASES = load("runtime-env-verdicts.json")
REACHED_RAY = [case for case in CASES if "verdicts" in case]
MODES = {"K8sJobMode": "submit", "SidecarMode": "submit", "HTTPMode": "http"}

# Keys that mean nothing to any release, and where the warning is due.
UNKNOWN = {
    "env-camel": ["envVars"],
    "env-singular": ["env_var"],
    "wd-camel": ["workingDir"],
    "wd-dash": ["working-dir"],
    "pip-typo": ["pipp"],
    "config-unknown": ["timeout"],
    "config-top-level": ["setup_timeout_seconds"],
    "other-unknown": ["colour"],
    "other-wrapped-camel": ["runtimeEnv"],
    "other-entrypoint": ["entrypoint"],
    "other-profiling": ["rocprof-sys"],
    "anchors": ["x"],
    "number-key": ["1"],
}


def said(case: dict[str, Any], ray: str, mode: str = "K8sJobMode") -> list[Finding]:
    spec = {
        "entrypoint": "python train.py",
        "submissionMode": mode,
        "activeDeadlineSeconds": 600,
        "shutdownAfterJobFinishes": True,
        "runtimeEnvYAML": case["text"],
        "rayClusterSpec": head(ray),
    }
    return findings("RayJob", spec, ray)


def name(case: dict[str, Any]) -> str:
    return str(case["id"])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("ray", VERSIONS)
@pytest.mark.parametrize("case", REACHED_RAY, ids=name)
def test_there_is_an_error_where_the_job_cannot_start_and_nowhere_else(
    case: dict[str, Any], ray: str, mode: str
) -> None:
    refusal = case["verdicts"][ray][MODES[mode]]
    found = errors(said(case, ray, mode))
    assert bool(found) == bool(refusal), (refusal, [finding.message for finding in found])
    for finding in found:
        assert finding.place.path == ("spec", "runtimeEnvYAML")
        assert finding.place.inner


@pytest.mark.parametrize("case", REACHED_RAY, ids=name)
def test_an_unknown_key_is_a_warning_at_the_key(case: dict[str, Any]) -> None:
    found = [finding for finding in said(case, "2.60.0") if finding.rule_id == "RAY502"]
    by_release = {"docker": ["docker"], "other-mpi": ["mpi"]}
    assert [finding.place.inner[-1] for finding in found] == (UNKNOWN | by_release).get(case["id"], [])


@pytest.mark.parametrize(
    ("case_id", "ray", "key"),
    [
        ("uv-map", "2.9.3", "uv"),
        ("image-uri-env", "2.9.3", "image_uri"),
        ("other-py-executable", "2.40.0", "py_executable"),
        ("docker", "2.51.1", "docker"),
        ("other-mpi", "2.51.1", "mpi"),
    ],
)
def test_a_key_of_another_release_is_a_warning(case_id: str, ray: str, key: str) -> None:
    (case,) = (case for case in CASES if case["id"] == case_id)
    (found,) = (finding for finding in said(case, ray) if finding.rule_id == "RAY502")
    assert found.place.inner == (key,)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", REACHED_RAY, ids=name)
def test_what_the_submitters_shell_changes_is_named(case: dict[str, Any], mode: str) -> None:
    found = [finding.rule_id for finding in said(case, "2.60.0", mode) if finding.rule_id == "RAY504"]
    assert found == ["RAY504"] * (case.get("shell", False) and mode != "HTTPMode")


# A text with `{{` in it waits for a template engine; what it will be nobody knows.
NOT_TO_BE_KNOWN = {"template"}
REFUSED = [case for case in CASES if "operator" in case and case["id"] not in NOT_TO_BE_KNOWN]


@pytest.mark.parametrize("case", REFUSED, ids=name)
def test_what_the_operator_cannot_read_is_refused(case: dict[str, Any]) -> None:
    assert [finding.rule_id for finding in errors(said(case, "2.60.0"))] == ["KR143"]


@pytest.mark.parametrize("case", REACHED_RAY, ids=name)
def test_of_an_unknown_ray_only_what_every_release_refuses_is_an_error(case: dict[str, Any]) -> None:
    everywhere = all(case["verdicts"][ray]["submit"] for ray in VERSIONS)
    found = errors(said(case, ""))
    assert not found or everywhere, [finding.message for finding in found]


def test_in_interactive_mode_nobody_sends_the_environment() -> None:
    assert not errors(said({"text": "pip: 3"}, "2.60.0", "InteractiveMode"))


def test_paths_may_exist_in_an_image_of_your_own() -> None:
    cluster = head("2.60.0")
    spec = {"entrypoint": "python a.py", "runtimeEnvYAML": "working_dir: /app", "rayClusterSpec": cluster}
    container = cluster["headGroupSpec"]["template"]["spec"]["containers"][0]
    container["image"] = "registry.example/train:7"
    found = findings("RayJob", spec, "2.60.0")
    assert not errors(found)
    assert "RAY503" in {finding.rule_id for finding in found}


@pytest.mark.parametrize(
    "text", ['working_dir: "{{ .Values.code }}"', 'env_vars: {A: "{{ a }}"}', 'conda: "{{ env }}.yaml"']
)
def test_what_a_template_engine_fills_in_cannot_be_known(text: str) -> None:
    assert not errors(said({"text": text}, "2.60.0"))
