"""The command line and the webhook say the same of the same object, rule for rule.

Rules over several objects are left out: a review shows one.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from reviews import CAPTURED, create

from raylint.admission import KINDS, Admission
from raylint.admission_policy import AdmissionPolicy, Mode
from raylint.engine import Engine
from raylint.finding import Finding, Severity
from raylint.packs import installed_rules
from raylint.pages import Page
from raylint.reader import read
from raylint.registry import choose
from raylint.remarks import REMARKS
from raylint.rule import Rule
from raylint.target import NEWEST_KUBERAY, Target, parse_version

RULES = installed_rules()
CHOICE = choose([rule for rule in RULES if not rule.whole_run], preview=True)
FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
EXAMPLES = FIXTURES.parent.parent / "examples"
# What raylint says of a text, which a webhook never sees.
OF_TEXTS = {rule.id for rule in REMARKS}


@cache
def engine(kuberay: tuple[int, ...], ray: tuple[int, ...] | None, gates: tuple[tuple[str, bool], ...]) -> Engine:
    return Engine(CHOICE.rules, Target(kuberay, ray, gates=dict(gates)), CHOICE.severities)


def told(findings: list[Finding]) -> list[tuple[str, str, str, str]]:
    return sorted(
        (found.rule_id, found.severity.label, found.place.path_text, found.message)
        for found in findings
        if found.rule_id not in OF_TEXTS
    )


def by_command_line(judge: Engine, data: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    """As of a file that holds the object and nothing else."""
    result = judge.check("object.json", json.dumps(data).encode())
    return told([*result.findings, *judge.conclude(result.facts)])


def by_webhook(judge: Engine, data: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    modes = dict.fromkeys(Severity, Mode.ENFORCE)
    rules = {rule.id: Mode.ENFORCE for rule in RULES}
    policy = AdmissionPolicy(severities=modes, rules=rules, annotations=False)
    review = create(data)
    outcome = Admission(judge, policy, RULES, "").answer(review, "2026-11-30", json.dumps(review).encode())
    assert outcome.failed == []
    assert outcome.response["response"]["allowed"] == (not outcome.decisions)
    return told([decision.finding for decision in outcome.decisions])


def ray_objects(text: bytes) -> Iterator[dict[str, Any]]:
    """The objects of a file that an API server would send to a webhook."""
    for document in read("", text).documents:
        data = document.data
        if isinstance(data, dict) and data.get("kind") in KINDS and isinstance(data.get("metadata"), dict):
            version = data.get("apiVersion")
            # The API server keeps no status of a new object, and shows none to a webhook.
            if version in ("ray.io/v1", "ray.io/v1alpha1") and "status" not in data:
                yield json.loads(json.dumps(data))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_they_agree_on_the_examples_of_every_rule(rule: Rule) -> None:
    for example in Page(rule.doc).examples:
        kuberay = parse_version(example.option("kuberay") or "") or NEWEST_KUBERAY
        ray = parse_version(example.option("ray") or "")
        judge = engine(kuberay, ray, tuple(sorted(example.gates.items())))
        for data in ray_objects(example.text.encode()):
            assert by_webhook(judge, data) == by_command_line(judge, data)


@pytest.mark.parametrize("path", CAPTURED, ids=lambda path: path.stem)
def test_they_agree_on_captured_objects(path: Path) -> None:
    request = json.loads(path.read_bytes())["request"]
    judge = engine(NEWEST_KUBERAY, None, ())
    for data in filter(None, (request["object"], request["oldObject"])):
        notes = ("managedFields", "deletionTimestamp")
        plain = {key: value for key, value in data.items() if key != "status"}
        plain["metadata"] = {key: value for key, value in data["metadata"].items() if key not in notes}
        assert by_webhook(judge, plain) == by_command_line(judge, plain)


def manifests() -> Iterator[tuple[str, str, bytes]]:
    """The texts of all other fixtures and examples: KubeRay's release, its gates, the text. Of the mutations, that
    are much alike, every tenth."""
    for file in sorted([*FIXTURES.rglob("*.yaml"), *EXAMPLES.rglob("*.yaml")]):
        yield "", "", file.read_bytes()
    for case in _cases("operator-verdicts.jsonl.gz"):
        yield "", case["gates"], case["text"].encode()
    for case in _cases("api/verdicts.jsonl.gz"):
        yield "", "", case["text"].encode()
    for case in _cases("api/mutations.jsonl.gz")[::10]:
        yield case["kuberay"], "", json.dumps(case["manifest"]).encode()


def _cases(name: str) -> list[dict[str, Any]]:
    with gzip.open(FIXTURES / name, "rt") as lines:
        return [json.loads(line) for line in lines]


def test_they_agree_on_every_fixture() -> None:
    seen = 0
    for kuberay, gates, text in manifests():
        release = (parse_version(kuberay) or NEWEST_KUBERAY)[:2]
        pairs = (part.partition("=") for part in gates.split(",") if part)
        judge = engine(release, None, tuple((name, value == "true") for name, _, value in pairs))
        for data in ray_objects(text):
            seen += 1
            assert by_webhook(judge, data) == by_command_line(judge, data)
    assert seen > 700
