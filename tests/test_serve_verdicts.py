"""``serveConfigV2``: what the rules say against what four releases of Ray do with it."""

from __future__ import annotations

from typing import Any

import pytest
from ray_verdicts import VERSIONS, errors, findings, head, load, meets

from raylint.finding import Finding, Severity

CASES = load("serve-verdicts.json")
REACHED_RAY = [case for case in CASES if "verdicts" in case]


def said(case: dict[str, Any], ray: str) -> list[Finding]:
    return findings("RayService", {"serveConfigV2": case["text"], "rayClusterConfig": head(ray)}, ray)


def name(case: dict[str, Any]) -> str:
    return str(case["id"])


@pytest.mark.parametrize("ray", VERSIONS)
@pytest.mark.parametrize("case", REACHED_RAY, ids=name)
def test_there_is_an_error_where_ray_refuses_or_fails_and_nowhere_else(case: dict[str, Any], ray: str) -> None:
    verdict = case["verdicts"][ray]
    found = errors(said(case, ray))
    assert bool(found) == ("refused" in verdict or "fails" in verdict), [finding.message for finding in found]


@pytest.mark.parametrize("ray", VERSIONS)
@pytest.mark.parametrize("case", [case for case in REACHED_RAY if case["verdicts"]], ids=name)
def test_errors_are_where_ray_sees_the_fault(case: dict[str, Any], ray: str) -> None:
    verdict = case["verdicts"][ray]
    places = [finding.place.inner for finding in errors(said(case, ray))]
    for path in verdict.get("refused", ()):
        assert any(meets(tuple(path), place) for place in places), (path, places)
    if "fails" in verdict:
        stage, application, _, locations = verdict["fails"]
        within = ("applications", application, *(["runtime_env"] if stage == "runtime_env" else []))
        assert all(meets(within, place) for place in places)
        for location in locations:
            # Inside the class that failed: autoscaling_config as a whole, or a key of it.
            assert any("autoscaling_config" in place for place in places), (location, places)


@pytest.mark.parametrize("ray", VERSIONS)
@pytest.mark.parametrize("case", REACHED_RAY, ids=name)
def test_a_key_that_ray_drops_is_a_warning_at_the_key(case: dict[str, Any], ray: str) -> None:
    verdict = case["verdicts"][ray]
    keys = [f for f in said(case, ray) if f.rule_id in ("RAY602", "RAY603")]
    places = {finding.place.inner for finding in keys}
    dropped = {tuple(path) for path in verdict.get("dropped", ())}
    if "refused" not in verdict and "fails" not in verdict:
        assert places == dropped
    assert dropped <= places
    for finding in keys:
        anchors = str(finding.place.inner[0]).startswith("x-")
        assert finding.severity is (Severity.INFO if anchors else Severity.WARNING)
        assert finding.place.span is not None
        line = finding.place.lines[finding.place.line]
        assert line[finding.place.column - 1 :].lstrip("'\"\\").startswith(str(finding.place.inner[-1]))


@pytest.mark.parametrize("case", [case for case in CASES if "operator" in case], ids=name)
def test_what_the_operator_cannot_read_never_reaches_ray(case: dict[str, Any]) -> None:
    found = said(case, "2.60.0")
    assert [finding.rule_id for finding in found] == ["KR213"]


@pytest.mark.parametrize("case", REACHED_RAY, ids=name)
def test_of_an_unknown_ray_only_what_every_release_refuses_is_an_error(case: dict[str, Any]) -> None:
    everywhere = all("refused" in case["verdicts"][ray] or "fails" in case["verdicts"][ray] for ray in VERSIONS)
    found = errors(said(case, ""))
    assert bool(found) == everywhere, [finding.message for finding in found]


# Notes on the reading of YAML; each of these is accepted by every release.
IGNORED = {
    "doc-two-docs": ("RAY620", ()),
    "doc-second-doc-broken": ("RAY620", ()),
    "doc-end-marker-then-text": ("RAY620", ()),
    "doc-dup-top": ("RAY621", ("applications",)),
    "doc-dup-in-app": ("RAY621", ("applications", 0, "import_path")),
    "doc-dup-in-deployment": ("RAY621", ("applications", 0, "deployments", 0, "num_replicas")),
}


@pytest.mark.parametrize("case", [case for case in CASES if case["id"] in IGNORED], ids=name)
def test_what_the_reader_drops_is_named(case: dict[str, Any]) -> None:
    rule, path = IGNORED[case["id"]]
    found = said(case, "2.60.0")
    assert [(finding.rule_id, finding.place.inner) for finding in found] == [(rule, path)]


def test_a_release_in_between_is_judged_by_what_holds_for_both_neighbours() -> None:
    text = 'applications: [{name: 12, import_path: "a:b", deployments: [{name: D, num_replicas: 0}]}]'
    config = {"serveConfigV2": text, "rayClusterConfig": head("2.55.1")}
    places = [finding.place.inner[-1] for finding in errors(findings("RayService", config, "2.55.1"))]
    # Whether 2.55 still takes a number for text is not known; none takes 0 replicas.
    assert places == ["num_replicas"]


def test_a_key_of_a_known_date_is_known_from_then_on() -> None:
    text = 'applications: [{import_path: "a:b", deployments: [{name: D, request_router_config: {}}]}]'
    for ray, dropped in (("2.47.0", 1), ("2.48.0", 0)):
        found = findings("RayService", {"serveConfigV2": text, "rayClusterConfig": head(ray)}, ray)
        assert len([finding for finding in found if finding.rule_id == "RAY602"]) == dropped


def test_what_a_template_engine_fills_in_cannot_be_known() -> None:
    text = 'applications: [{import_path: "{{ app }}", route_prefix: "{{ prefix }}", args: {prompt: "{{ a }}"}}]'
    assert not findings("RayService", {"serveConfigV2": text, "rayClusterConfig": head("2.60.0")}, "2.60.0")


def test_a_password_in_an_address_is_not_quoted() -> None:
    address = "https://someone:a-password-of-many-characters-indeed@files.example.com/code.tar.bz2"
    text = f'applications: [{{import_path: "a:b", runtime_env: {{working_dir: "{address}"}}}}]'
    (found,) = findings("RayService", {"serveConfigV2": text, "rayClusterConfig": head("2.60.0")}, "2.60.0")
    assert "a-password" not in found.message
    assert "files.example.com" in found.message
