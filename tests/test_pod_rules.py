"""Rules on pods that the API server refuses, where their pages' examples do not lead.

What is refused is from Kubernetes 1.36, ``pkg/apis/core/validation``.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from raylint.engine import Engine
from raylint.finding import Finding
from raylint.packs import installed_rules
from raylint.target import NEWEST_KUBERAY, Target

RULES = {rule.id: rule for rule in installed_rules()}
IMAGE = "rayproject/ray:2.60.0"


def pod(container: dict[str, Any] | None = None, **more: object) -> dict[str, Any]:
    """A group with one pod; ``container`` adds to its Ray container, everything else to its spec."""
    return {"template": {"spec": {"containers": [{"name": "ray", "image": IMAGE, **(container or {})}], **more}}}


def said(rule: str, head: dict[str, Any], *, kind: str = "RayCluster", **more: object) -> list[Finding]:
    """What the rule finds in a cluster, or in the RayJob around it, to whose spec ``more`` is added."""
    cluster = {"headGroupSpec": head}
    spec = {**cluster, **more} if kind == "RayCluster" else {"rayClusterSpec": cluster, **more}
    manifest = {"apiVersion": "ray.io/v1", "kind": kind, "metadata": {"name": "demo"}, "spec": spec}
    result = Engine([RULES[rule]], Target(NEWEST_KUBERAY)).check("demo.yaml", json.dumps(manifest).encode())
    assert {finding.rule_id for finding in result.findings} <= {rule}
    return list(result.findings)


BROKEN: dict[str, dict[str, Any]] = {
    "RAY364": pod({"volumeMounts": [{"name": "models", "mountPath": "/models"}]}),
    "RAY428": pod({"resources": {"limits": {"cpu": 1}, "requests": {"cpu": 2}}}),
    "RAY429": pod({"resources": {"limits": {"memory": "400m"}}}),
}


@pytest.mark.parametrize("rule", BROKEN)
def test_only_a_cluster_that_is_built_counts(rule: str) -> None:
    """A RayJob that selects a cluster makes no pods of its own."""
    assert len(said(rule, BROKEN[rule])) == 1
    assert len(said(rule, BROKEN[rule], kind="RayJob")) == 1
    assert not said(rule, BROKEN[rule], kind="RayJob", clusterSelector={"ray.io/cluster": "shared"})


@pytest.mark.parametrize("mount", [{"mountPath": "/models"}, {"name": "{{ .name }}", "mountPath": "/models"}])
def test_mount_whose_volume_cannot_be_known(mount: dict[str, str]) -> None:
    assert not said("RAY364", pod({"volumeMounts": [mount]}))


def test_logs_are_a_volume_of_the_history_server_too() -> None:
    head = pod({"volumeMounts": [{"name": "ray-logs", "mountPath": "/logs"}]})
    assert said("RAY364", head)
    assert not said("RAY364", head, historyServerOptions={"collectorOptions": {"image": "registry.example/c:1"}})


@pytest.mark.parametrize(
    ("limits", "requests", "lines"),
    [
        # A request that equals its limit is the same slip.
        ({"memory": "512k"}, {"memory": "512000"}, ["memory of 512k is 512000 bytes"]),
        ({"memory": "16m"}, {"memory": "8"}, ["memory of 16m is 1 byte,", "memory of 8 is 8 bytes,"]),
        ({"cpu": 8000}, {"cpu": "8000"}, ["cpu of 8000"]),
        ({"cpu": 16}, {"cpu": 2000}, ["cpu of 2000"]),
        ({"cpu": "1999", "memory": "1Mi"}, {"cpu": "x", "memory": "-1"}, []),
    ],
)
def test_slips_in_units(limits: dict[str, object], requests: dict[str, object], lines: list[str]) -> None:
    found = said("RAY429", pod({"resources": {"limits": limits, "requests": requests}}))
    assert len(found) == len(lines)
    assert all(finding.message.startswith(line) for finding, line in zip(found, lines, strict=True))
