"""The findings of the API family as people see them."""

from __future__ import annotations

from typing import Any

import pytest

from raylint.engine import Engine
from raylint.finding import Finding
from raylint.packs import installed_rules
from raylint.schema import Schema
from raylint.target import Target

RULES = tuple(rule for rule in installed_rules() if rule.id.startswith("API"))
HEAD = "  headGroupSpec: {template: {spec: {containers: [{name: ray-head}]}}}\n"
CLUSTER = f"apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {{name: trainer}}\nspec:\n{HEAD}"


def findings(text: str, target: Target | None = None) -> list[Finding]:
    return Engine(RULES, target or Target()).check("cluster.yaml", text.encode()).findings


def told(text: str, target: Target | None = None) -> list[tuple[str, int]]:
    return sorted((finding.rule_id, finding.place.line) for finding in findings(text, target))


def test_the_family_is_complete() -> None:
    assert [rule.id for rule in RULES] == [f"API{number:03}" for number in range(1, 13)]


def test_a_plain_cluster_is_fine() -> None:
    assert told(CLUSTER) == []


def test_what_is_dropped_is_told_from_what_is_refused() -> None:
    dropped, refused = findings(f"{CLUSTER}  typo: 1\n  suspend: never\n")
    assert dropped.rule_id == "API001"
    assert "drops it and the RayCluster runs without it" in dropped.effect
    assert 'strict decoding error: unknown field "spec.typo"' in dropped.effect
    assert refused.rule_id == "API002"
    assert "with or without strict validation" in refused.effect


def test_one_finding_for_a_mapping_in_the_place_of_a_text() -> None:
    """The server complains of unknown fields below it first; that helps nobody."""
    text = CLUSTER.replace("name: ray-head", "name: ray-head, image: {a: 1, b: 2}")
    (finding,) = findings(text)
    assert finding.rule_id == "API002"
    assert "must be a text, and is a mapping" in finding.message


@pytest.mark.parametrize(
    ("line", "rule_id", "fix"),
    [
        ("  rayVersion: 2.52", "API002", 'put it in quotes: "2.52"'),
        ("  suspend: 'yes'", "API002", "write true or false, without quotes"),
        ("  workerGroupSpecs: {a: {}}", "API002", "write a list: items below each other, each behind a dash"),
        ("  workerGroupSpecs: [null]", "API002", "remove the empty item, or write what belongs there"),
        ("  autoscalerOptions: [1]", "API002", "write a mapping"),
        ("  upgradeStrategy: {type: Rolling}", "API004", 'write one of "Recreate", "None"'),
        ("  autoscalerOptions: {idleTimeoutSeconds: 3000000000}", "API005",
         "write a number in the range: -2147483648 to 2147483647"),
        ("  autoscalerOptions: {resources: {limits: {cpu: 1.5.0}}}", "API006",
         "write a quantity such as 500m, 2 or 8Gi"),
        ("  managedBy: nobody", "API009", "do what the rule asks for"),
    ],
)  # fmt: skip
def test_fix(line: str, rule_id: str, fix: str) -> None:
    (finding,) = findings(f"{CLUSTER}{line}\n")
    assert (finding.rule_id, finding.fix) == (rule_id, fix)
    assert finding.place.line == 6


def test_long_values_are_cut() -> None:
    (finding,) = findings(f"{CLUSTER}  managedBy: {'x' * 500}\n  upgradeStrategy: {{type: {'y' * 500}}}\n")[:1]
    assert all(
        len(finding.message) < 250 for finding in findings(f"{CLUSTER}  upgradeStrategy: {{type: {'y' * 500}}}\n")
    )
    assert finding.rule_id in ("API004", "API009")


def test_objects_in_lists_are_named_by_their_own_paths() -> None:
    text = (
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: ray.io/v1\n  kind: RayCluster\n  metadata: {name: a}\n"
        "  spec:\n    typo: 1\n    headGroupSpec: {template: {spec: {containers: []}}}\n"
    )
    (finding,) = findings(text)
    assert 'unknown field "spec.typo"' in finding.effect
    assert finding.place.line == 8
    assert finding.place.path == ("items", 0, "spec", "typo")


@pytest.mark.parametrize(
    ("text", "kuberay", "expected"),
    [
        (CLUSTER.replace("RayCluster", "RayCronJob"), (1, 5), [("API011", 2)]),
        (CLUSTER.replace("ray.io/v1", "ray.io/v1beta1"), (1, 7), [("API011", 1)]),
        (CLUSTER.replace("ray.io/v1", "ray.io/v1alpha1"), (1, 6), [("API003", 5)]),
        (CLUSTER.replace("ray.io/v1", "ray.io/v1alpha1"), (1, 7), [("API003", 5), ("API012", 1)]),
        (CLUSTER, (1, 3), [("API003", 5)]),
        (CLUSTER, (1, 4), []),
    ],
)
def test_target(text: str, kuberay: tuple[int, ...], expected: list[tuple[str, int]]) -> None:
    assert told(text, Target(kuberay)) == expected


def test_a_users_crds_are_what_counts() -> None:
    spec: dict[str, Any] = {"type": "object", "properties": {"headGroupSpec": {"type": "string"}}}
    root = {"type": "object", "properties": {"spec": spec}}
    tables = {"kinds": {"RayCluster": {"v1": {"schema": 0}}}, "definitions": [root]}
    target = Target(schema=Schema(tables, "crds.yaml"))
    assert told(CLUSTER, target) == [("API002", 5)]
    job = CLUSTER.replace("RayCluster", "RayJob")
    assert told(job, target) == [("API011", 2)]
    (finding,) = findings(f"{CLUSTER}  suspend: true\n", target)[:1]
    assert "the target is crds.yaml" in finding.message


def test_secrets_are_not_shown() -> None:
    text = f"{CLUSTER}  gcsFaultToleranceOptions: {{redisAddress: a, redisPassword: {{value: [s3cr3t-pass]}}}}\n"
    (finding,) = findings(text)
    assert "s3cr3t" not in repr([finding.message, finding.effect, finding.fix, finding.place.lines])
