"""``raylint explain`` finds rules from pasted messages: as programs wrote them, with other names, cut short."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from raylint.messages import explaining, known_messages
from raylint.packs import installed_rules
from raylint.registry import catalogue

MESSAGES = known_messages(["raylint_rules"])

# What was pasted, and the rule that must stand first.
PASTED = [
    (
        'Error from server (BadRequest): error when creating "cluster.yaml": RayCluster in version "v1" cannot be'
        ' handled as a RayCluster: strict decoding error: unknown field "spec.headGroupSpec.templat"',
        "API001",
    ),
    ('The RayCluster "gpu-pool" is invalid: \n* spec.headGroupSpec: Required value\n', "API003"),
    (
        '* spec.workerGroupSpecs[2].replicas: Invalid value: "string": spec.workerGroupSpecs[2].replicas in body'
        ' must be of type integer: "string"',
        "API002",
    ),
    (
        "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string",
        "API002",
    ),
    (
        'spec.autoscalerOptions.upscalingMode: Unsupported value: "conservative": supported values: "Default",'
        ' "Aggressive", "Conservative"',
        "API004",
    ),
    (
        'The RayCluster "a" is invalid: <nil>: Invalid value: "": Checked value must be of type integer'
        " with format"
        " int32 in spec.workerGroupSpecs[0].minReplicas",
        "API005",
    ),
    (
        'The RayJob "x" is invalid: spec.deletionStrategy: Invalid value: deletionStrategy requires either BOTH'
        " onSuccess and onFailure, OR the deletionRules field (cannot be empty)",
        "API009",
    ),
    (
        'The RayCluster "Team_A" is invalid: metadata.name: Invalid value: "Team_A": a lowercase RFC 1123'
        " subdomain"
        " must consist of lower case alphanumeric characters, '-' or '.'",
        "API010",
    ),
    (
        'error: resource mapping not found for name: "q" namespace: "" from "q.yaml": no matches for kind'
        ' "RayClustr" in version "ray.io/v1"\nensure CRDs are installed first',
        "API011",
    ),
    (
        "Warning  InvalidRayClusterMetadata  3s  raycluster-controller  RayCluster name should be no more than 53"
        " characters",
        "KR001",
    ),
    (
        "The RayJob metadata is invalid: RayJob name should be a valid DNS1035 label: [a DNS-1035 label must"
        " consist of lower case alphanumeric characters]",
        "KR004",
    ),
    ("headGroupSpec should have at least one container", "KR020"),
    (
        "resource fields should not be set in both rayStartParams and Resources for trainers group; please"
        " use only"
        " one",
        "KR021",
    ),
    (
        "ray.io/ft-enabled annotation and GcsFaultToleranceOptions are both set. Please use only"
        " GcsFaultToleranceOptions to configure GCS fault tolerance",
        "KR038",
    ),
    (
        "cannot set `REDIS_PASSWORD` env var in head Pod when GcsFaultToleranceOptions is enabled",
        "KR041",
    ),
    ("worker group big-gpu cannot be suspended with Autoscaler enabled", "KR057"),
    (
        "restartPolicy for worker group small should be Never or unset when using autoscaler V2",
        "KR060",
    ),
    (
        "authOptions.mode is 'token' but minimum Ray version is 2.52.0, got 2.46.0",
        "KR080",
    ),
    (
        "The RayJob spec is invalid: a RayJob with shutdownAfterJobFinishes set to false is not allowed to be"
        " suspended",
        "KR110",
    ),
    ("The RayJob spec is invalid: one of RayClusterSpec or ClusterSelector must be set", "KR133"),
    ("The RayJob spec is invalid: BackoffLimit is incompatible with InteractiveMode", "KR137"),
    ("failed to unmarshal RuntimeEnvYAML: : error converting YAML to JSON", "KR143"),
    (
        "spec.rayClusterConfig.headGroupSpec.headService.metadata.name should not be set",
        "KR162",
    ),
    (
        'Job.batch "nightly" is invalid: spec.template.spec.restartPolicy: Unsupported value: "Always": supported'
        ' values: "OnFailure", "Never"',
        "KR210",
    ),
    (
        'Service "demo-head-svc" is invalid: spec.ports[4].name: Duplicate value: "dashboard"',
        "RAY804",
    ),
    ("Error: Got unexpected extra arguments (1, TPU: 4})\nUsage: ray start [OPTIONS]", "RAY309"),
    ("Error: No such option: --redis-shard-ports\nUsage: ray start [OPTIONS]", "RAY301"),
    (
        "ValueError: Ray component worker_ports is trying to use a port number 10002 that is used by other"
        " components.",
        "RAY307",
    ),
    (
        "ValueError: not enough values to unpack (expected 2, got 1) redis_address = redis",
        "RAY108",
    ),
    (
        "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: unable to get local issuer"
        " certificate: redis",
        "RAY112",
    ),
    (
        'Warning  FailedAttachVolume  Multi-Attach error for volume "pvc-77" Volume is already used by pod(s) w-1',
        "RAY431",
    ),
    (
        "runtime_envs in the Serve config support only remote URIs in working_dir and py_modules. Got error when"
        " parsing URI",
        "RAY604",
    ),
    (
        'admission webhook "vrayjob.kb.io" denied the request: spec.shutdownAfterJobFinishes: Invalid'
        " value: false:"
        " a kueue managed job should delete the cluster after finishing",
        "RAY901",
    ),
    (
        "Warning  FailedGetScale  horizontal-pod-autoscaler  the server could not find the requested resource",
        "RAY930",
    ),
    ("Readiness probe failed: success", "RAY616"),
    (
        'Pod "w" is invalid: spec.containers[0].resources.requests: Invalid value: "2": must be equal to'
        " nvidia.com/gpu limit of 1",
        "RAY402",
    ),
    ("OOMKilled head", "RAY421"),
    ("autoscaler: OOMKilled", "RAY427"),
    ('serviceaccounts "robot" not found: failed to create pod of the head', "RAY822"),
    ("PermissionError: [Errno 13] Permission denied: '/home/ray/.cache'", "RAY814"),
]


@pytest.mark.parametrize(
    ("text", "rule"), PASTED, ids=[f"{rule}-{number}" for number, (_, rule) in enumerate(PASTED)]
)
def test_pasted_message_finds_its_rule_first(text: str, rule: str) -> None:
    assert explaining(text, MESSAGES)[:1] == [rule]


@pytest.mark.parametrize(
    "text",
    [
        "the quick brown fox jumps over the lazy dog",
        "Connection reset by peer",
        "error",
        "the pod is not ready",
        "spec.replicas",
        "",
    ],
)
def test_what_is_like_no_message_is_not_explained(text: str) -> None:
    assert explaining(text, MESSAGES) == []


def test_every_message_leads_to_rules_that_are_there() -> None:
    ids = {rule.id for rule in catalogue(installed_rules())}
    assert {id for _, rules in MESSAGES for id in rules} <= ids
    assert all(rules for _, rules in MESSAGES)


def test_every_message_finds_itself() -> None:
    """Its own words, upside down and in capitals, lead to the rules of its line."""
    for words, rules in MESSAGES:
        found = explaining(" ".join(reversed(words.upper().split())), MESSAGES)
        assert rules[0] in found, words


def test_a_pack_without_messages_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "quiet_pack.py").write_text("RULES = ()\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert known_messages(["quiet_pack", "raylint_rules"]) == MESSAGES


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "raylint", *words], capture_output=True, text=True, check=False)


def test_explain_shows_the_page_of_a_single_rule() -> None:
    shown = run("explain", "worker group big-gpu cannot be suspended with Autoscaler enabled")
    assert shown.returncode == 0
    assert shown.stdout.startswith("KR057 ")


def test_explain_lists_several_rules_likeliest_first() -> None:
    shown = run("explain", 'RayCluster name should be no more than 53 characters: "a-very-long-name"')
    assert shown.returncode == 0
    assert shown.stdout.index("KR001") < shown.stdout.index("RAY116")
    assert "raylint explain ID" in shown.stdout


def test_explain_says_where_it_only_guesses() -> None:
    shown = run("explain", "small image without wget")
    assert shown.returncode == 0
    assert shown.stdout.startswith("no rule is called so, and no known message is like it")
    assert "raylint explain ID" in shown.stdout


def test_explain_says_that_it_knows_nothing_of_it() -> None:
    shown = run("explain", "zyzzyva quux frobnicates")
    assert shown.returncode == 2
    assert "no rule" in shown.stderr
