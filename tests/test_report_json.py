from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import ValidationError
from report_samples import NEVER, OPTIONS, assert_golden, finding, place, read_json, report
from test_report_text import SAMPLES

from raylint.finding import Finding, ObjectRef, Place, Severity
from raylint.report import Coverage, render
from raylint.report.fingerprint import fingerprints
from raylint.target import Target


def test_golden() -> None:
    other = place(3, 7, 13, "kind: Secret", "here", file="b.yaml")
    sample = report(
        finding(NEVER, OPTIONS, other),
        finding(Place("c.json", 2, ("spec", "ray.io/x", 0), None), object=None, severity=Severity.INFO, effect=""),
        coverage=Coverage(212, 9, 30, 14, 2),
        target=Target((1, 6), (2, 43, 0)),
    )
    text = render(sample, "json")
    read_json(text)
    assert_golden("report.json", text)


@pytest.mark.parametrize("name", SAMPLES)
def test_every_report_keeps_to_the_schema(name: str) -> None:
    sample = SAMPLES[name]
    value = read_json(render(sample, "json"))
    assert [found["rule"] for found in value["findings"]] == [found.rule_id for found in sample.findings]
    assert value["target"] == {"kuberay": "1.7", "ray": "auto", "feature_gates": {}}


def test_nothing_found() -> None:
    value = read_json(render(report(), "json"))
    assert value["findings"] == []
    assert value["summary"] == {
        "errors": 0,
        "warnings": 0,
        "infos": 0,
        "suppressed": 0,
        "fixed": 0,
        "files": 212,
        "documents": 30,
        "ray_objects": 14,
    }


def test_texts_survive_as_they_are() -> None:
    text = '日本 🙂 \x1b[31m \x9b \u202e \ud800 \\udcff " \n'
    output = render(report(finding(NEVER, message=text)), "json")
    assert read_json(output)["findings"][0]["message"] == text
    assert "日本 🙂" in output
    assert not {"\x1b", "\x9b", "\u202e", "\ud800"} & set(output)
    output.encode()


INVISIBLE = (
    "\xad\u034f\u115f\u1160\u17b4\u17b5\u180b\u180e\u180f\u2800\u3164\uffa0\ufff9\ufffa\ufffb"
    "\U0001bca0\U0001d173\U0001d17a\U000e0001\U000e0041\U000e007f\U000e0100\U000e01ef"
)


@pytest.mark.parametrize("format", ["json", "text", "concise"])
def test_nothing_invisible_is_written_as_it_is(format: str) -> None:
    sample = report(finding(place(1, 1, 2, f"a{INVISIBLE}", file=f"{INVISIBLE}.yaml"), message=f"x{INVISIBLE}y"))
    output = render(sample, format)
    assert not set(INVISIBLE) & set(output)
    if format == "json":
        assert read_json(output)["findings"][0]["message"] == f"x{INVISIBLE}y"


def test_orders_to_ci_services_are_escaped() -> None:
    text = "##vso[task.complete] ###[group] \\##[error] # ## ##vso"
    output = render(report(finding(NEVER, message=text)), "json")
    assert read_json(output)["findings"][0]["message"] == text
    assert "##vso[" not in output
    assert "##[" not in output
    assert "# ## ##vso" in output


def test_a_file_name_that_is_not_utf8_survives() -> None:
    output = render(report(finding(place(1, 1, 2, "a", file="\udcff.yaml"))), "json")
    assert read_json(output)["findings"][0]["file"] == "\udcff.yaml"


@pytest.mark.parametrize("where", ["finding", "report", "object"])
def test_the_schema_is_strict(where: str) -> None:
    value = json.loads(render(report(finding(NEVER)), "json"))
    at = {"finding": value["findings"][0], "report": value, "object": value["findings"][0]["object"]}[where]
    at["surplus"] = 1
    with pytest.raises(ValidationError, match="surplus"):
        read_json(json.dumps(value) + "\n")


def one(**changes: Any) -> Finding:
    return finding(NEVER, **changes)


def test_fingerprints_tell_findings_apart() -> None:
    other = ObjectRef("ray.io/v1", "RayCluster", "production", "other")
    samples = [
        one(),
        one(),
        one(identity="spec/workerGroupSpecs/groupName=a"),
        one(rule_id="RAY102"),
        one(object=other),
        one(object=ObjectRef("ray.io/v1", "RayJob", "production", "other")),
        one(object=None),
        finding(place(1, 1, 1, "", file="b.yaml"), object=None),
    ]
    assert len(set(fingerprints(samples))) == len(samples)


def test_fingerprints_do_not_know_of_positions_files_or_words() -> None:
    moved = finding(place(99, 1, 4, "x", file="moved.yaml"), message="worded anew", severity=Severity.ERROR)
    assert fingerprints([one()]) == fingerprints([moved])
    assert fingerprints([one(object=None)]) != fingerprints([moved])


def test_a_fingerprint_never_changes() -> None:
    """People store these: another value for an old finding would bring back everything that was accepted."""
    assert fingerprints([one(), one(object=None)]) == [
        "a861e7349b365bb1c248dd73e2ccf3877cae6fcd42a32bd7f151b2b6a934759b",
        "4ccd244c45bef670687ee16d52fbfe1e5e1ade6ccbf9f607bf1f3aff36074370",
    ]


def test_a_fingerprint_takes_any_name() -> None:
    assert len(fingerprints([one(object=ObjectRef("", "\ud800", "\x00", "日本"))])) == 1
