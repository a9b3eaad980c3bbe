"""The command line and the webhook say the same of the same object, rule for rule.

Rules over several objects are left out: a review shows one.
"""

from __future__ import annotations

import gzip
import itertools
import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from api_server import ApiServer
from reviews import CAPTURED, changed, cluster, create, update
from server_process import serving

from raylint.admission import KINDS, Admission
from raylint.admission_policy import AdmissionPolicy, Mode
from raylint.admission_setup import admission_of
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
TESTS = Path(__file__).resolve().parent.parent
FIXTURES = TESTS / "fixtures"
EXAMPLES = TESTS.parent / "examples"
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


Manifest: TypeAlias = tuple[str, str, dict[str, Any]]


@cache
def manifests() -> tuple[Manifest, ...]:
    """The objects of all other fixtures and examples: KubeRay's release, its gates, the object."""
    return tuple(_manifests())


def _manifests() -> Iterator[Manifest]:
    for file in sorted([*TESTS.rglob("*.yaml"), *EXAMPLES.rglob("*.yaml")]):
        yield from (("", "", data) for data in ray_objects(file.read_bytes()))
    for case in _cases("operator-verdicts.jsonl.gz"):
        yield from (("", case["gates"], data) for data in ray_objects(case["text"].encode()))
    for case in _cases("api/verdicts.jsonl.gz"):
        yield from (("", "", data) for data in ray_objects(case["text"].encode()))
    for case in _cases("api/mutations.jsonl.gz"):
        yield from ((case["kuberay"], "", data) for data in ray_objects(json.dumps(case["manifest"]).encode()))
    yield from (("", "", data) for data in _told_as_parts())


def _told_as_parts() -> Iterator[dict[str, Any]]:
    """Fixtures that hold what Ray and the operator say of one field: the field in an object of its own."""
    head = ("spec", "headGroupSpec")
    container = (*head, "template", "spec", "containers", 0)
    job = {"kind": "RayJob", "spec": {"entrypoint": "python a.py", "rayClusterSpec": cluster()["spec"]}}
    service = {"kind": "RayService", "spec": {"rayClusterConfig": cluster()["spec"]}}
    for case in _told("runtime-env-verdicts.json"):
        yield changed({**cluster(), **job}, "spec", "runtimeEnvYAML", to=case["text"])
    for case in _told("serve-verdicts.json"):
        yield changed({**cluster(), **service}, "spec", "serveConfigV2", to=case["text"])
    for case in _told("ray-start.json"):
        yield changed(cluster(), *head, "rayStartParams", to=case["params"])
    for case in _told("ray-env.json"):
        yield changed(cluster(), *container, "env", to=[{"name": case["name"], "value": case["value"]}])
    for case in _told("redis-address.json"):
        external = changed(cluster(), "metadata", "annotations", to={"ray.io/ft-enabled": "true"})
        address = [{"name": "RAY_REDIS_ADDRESS", "value": case["address"]}]
        yield changed(external, *container, "env", to=address)


def _cases(name: str) -> list[dict[str, Any]]:
    with gzip.open(FIXTURES / name, "rt") as lines:
        return [json.loads(line) for line in lines]


def _told(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((FIXTURES / name).read_bytes())["cases"]
    return found


def test_they_agree_on_every_fixture() -> None:
    for kuberay, gates, data in manifests():
        release = (parse_version(kuberay) or NEWEST_KUBERAY)[:2]
        pairs = (part.partition("=") for part in gates.split(",") if part)
        judge = engine(release, None, tuple((name, value == "true") for name, _, value in pairs))
        assert by_webhook(judge, data) == by_command_line(judge, data)
    kinds = Counter(data["kind"] for _, _, data in manifests())
    assert len(manifests()) > 3_000
    assert min(kinds[kind] for kind in KINDS) > 100


def test_an_update_is_answered_as_if_all_rules_had_judged_the_old_object() -> None:
    """The rules that say nothing of the new object are not run on the old one."""

    class Thorough(Admission):
        def _engine_of(self, wanted: frozenset[str]) -> Engine:
            return self.engine

    judge = engine(NEWEST_KUBERAY, None, ())
    admissions = [made(judge, AdmissionPolicy(), RULES, "") for made in (Admission, Thorough)]
    kept, brought = 0, 0
    for kind in KINDS:
        objects = [data for _, _, data in manifests() if data["kind"] == kind][::7]
        for old, new in itertools.pairwise(objects):
            review = update(old, new)
            short, whole = (judged.answer(review, "2026-11-30") for judged in admissions)
            assert short.response == whole.response
            assert [(item.mode, item.existing) for item in short.decisions] == [
                (item.mode, item.existing) for item in whole.decisions
            ]
            kept += sum(item.existing for item in short.decisions)
            brought += sum(not item.existing for item in short.decisions)
    assert min(kept, brought) > 100


def test_the_server_sends_what_is_judged_here(tmp_path: Path) -> None:
    """Over HTTP and TLS, from a process with another seed of hashes: the same answers, of one object in 25."""
    with serving(tmp_path, config="webhook: {rules: {API: enforce}}\n") as server:
        admission = admission_of(str(server.config))
        api_server = ApiServer(server.port, server.authority.certificate)
        denied = 0
        for number, (_, _, data) in enumerate(manifests()[::25]):
            body = json.dumps(create(data, uid=f"agreement-{number}")).encode()
            reply = api_server.post(body, 10)
            answer = admission.answer(json.loads(body), "2026-11-30", body).response
            assert (reply.status, json.loads(reply.body)) == (200, answer)
            denied += not answer["response"]["allowed"]
        api_server.close()
    assert denied > 20
