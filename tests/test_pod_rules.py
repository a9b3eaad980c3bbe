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
CUDA = "CUDA_VISIBLE_DEVICES"
SELECTOR = {"ray.io/cluster": "shared"}


def pod(container: dict[str, Any] | None = None, **more: object) -> dict[str, Any]:
    """A group with one pod; ``container`` adds to its Ray container, everything else to its spec."""
    return {"template": {"spec": {"containers": [{"name": "ray", "image": IMAGE, **(container or {})}], **more}}}


def said(
    rule: str, head: dict[str, Any], *, kind: str = "RayCluster", name: str = "demo", **more: object
) -> list[Finding]:
    """What the rule finds in a cluster, or in the RayJob around it; ``more`` goes to its spec, ``workers`` are
    groups of the cluster."""
    cluster = {"headGroupSpec": head, "workerGroupSpecs": more.pop("workers", [])}
    spec = {**cluster, **more} if kind == "RayCluster" else {"rayClusterSpec": cluster, **more}
    manifest = {"apiVersion": "ray.io/v1", "kind": kind, "metadata": {"name": name}, "spec": spec}
    result = Engine([RULES[rule]], Target(NEWEST_KUBERAY)).check("demo.yaml", json.dumps(manifest).encode())
    assert {finding.rule_id for finding in result.findings} <= {rule}
    return list(result.findings)


BROKEN: dict[str, dict[str, Any]] = {
    "RAY364": pod({"volumeMounts": [{"name": "models", "mountPath": "/models"}]}),
    "RAY428": pod({"resources": {"limits": {"cpu": 1}, "requests": {"cpu": 2}}}),
    "RAY365": pod({"image": ""}),
    "RAY366": pod({"ports": [{"containerPort": 0}]}),
    "RAY367": pod(tolerations=[{"key": "gpu", "operator": "Exists", "value": "yes"}]),
    "RAY409": pod({"resources": {"limits": {"nvidia.com/gpu": 1}}, "env": [{"name": CUDA, "value": ""}]}),
    "RAY429": pod({"resources": {"limits": {"memory": "400m"}}}),
    "RAY322": pod({"env": [{"name": "RAY_DEDUP_LOG", "value": "0"}]}),
}


@pytest.mark.parametrize("rule", BROKEN)
def test_only_a_cluster_that_is_built_counts(rule: str) -> None:
    """A RayJob that selects a cluster makes no pods of its own."""
    assert len(said(rule, BROKEN[rule])) == 1
    assert len(said(rule, BROKEN[rule], kind="RayJob")) == 1
    assert not said(rule, BROKEN[rule], kind="RayJob", clusterSelector=SELECTOR)


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


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("metrics-of-ray-2", "16 characters"),
        ("Metrics", "lower-case letters"),
        ("serve.http", "lower-case letters"),
        ("a--b", "beside another"),
        ("-a", "first"),
        ("a-", "last"),
        ("8000", "no letter"),
    ],
)
def test_port_names(name: str, words: str) -> None:
    (finding,) = said("RAY366", pod({"ports": [{"containerPort": 8000, "name": name}]}))
    assert words in finding.message


@pytest.mark.parametrize(
    ("port", "refused"),
    [
        ({"containerPort": 1}, 0),
        ({"containerPort": 65535, "hostPort": 65535}, 0),
        ({"containerPort": 8000, "hostPort": 0}, 0),
        ({"containerPort": -1, "hostPort": 65536}, 2),
        ({"containerPort": "8000"}, 0),
    ],
)
def test_port_numbers(port: dict[str, object], refused: int) -> None:
    assert len(said("RAY366", pod({"ports": [port]}))) == refused


@pytest.mark.parametrize(
    ("toleration", "words"),
    [
        ({}, "has no key"),
        ({"operator": "Equal", "value": "yes"}, "has no key"),
        ({"key": "gpu", "tolerationSeconds": 5}, "tolerationSeconds"),
        ({"operator": "Exists", "effect": "NoSchedule", "tolerationSeconds": 5}, "tolerationSeconds"),
        ({"key": "gpu"}, ""),
        ({"key": "cores", "operator": "Gt", "value": "8"}, ""),
        ({"operator": "{{ .operator }}"}, ""),
        ({"operator": "Exists", "effect": "{{ .effect }}", "tolerationSeconds": 5}, ""),
    ],
)
def test_tolerations(toleration: dict[str, object], words: str) -> None:
    found = said("RAY367", pod(tolerations=[toleration]))
    assert len(found) == bool(words)
    assert all(words in finding.message for finding in found)


@pytest.mark.parametrize(
    ("expression", "of_nodes", "of_pods"),
    [
        ({"operator": "In", "values": ["a"]}, True, True),
        ({"operator": "NotIn", "values": []}, False, False),
        ({"operator": "DoesNotExist"}, True, True),
        ({"operator": "Exists", "values": ["a"]}, False, False),
        ({"operator": "Lt", "values": ["8"]}, True, False),
        ({"operator": "Gt", "values": ["8", "9"]}, False, False),
        ({"operator": "Equals", "values": ["a"]}, False, False),
        ({"operator": None}, True, True),
    ],
)
def test_expressions(expression: dict[str, object], of_nodes: bool, of_pods: bool) -> None:
    """Nodes are compared by number as well; pods are not. Each expression stands at every place that takes one."""
    held = {"matchExpressions": [{"key": "zone", **expression}]}
    required, preferred = (f"{how}DuringSchedulingIgnoredDuringExecution" for how in ("required", "preferred"))
    nodes = {required: {"nodeSelectorTerms": [held]}, preferred: [{"weight": 1, "preference": held}]}
    term = {"topologyKey": "zone", "labelSelector": held}
    pods = {required: [term], preferred: [{"weight": 1, "podAffinityTerm": term}]}
    assert len(said("RAY367", pod(affinity={"nodeAffinity": nodes}))) == (0 if of_nodes else 2)
    assert len(said("RAY367", pod(affinity={"podAffinity": pods, "podAntiAffinity": pods}))) == 4 * (not of_pods)
    assert len(said("RAY367", pod(topologySpreadConstraints=[{"maxSkew": 1, **term}]))) == (not of_pods)


@pytest.mark.parametrize(
    ("name", "cluster", "kind", "refused"),
    [
        ("gpu_a", "demo", "RayCluster", True),
        ("gpu_a", "demo", "RayJob", True),
        # The pod's name holds 50 characters of "cluster-group".
        ("gpu_a", "c" * 45, "RayCluster", True),
        ("gpu_a", "c" * 46, "RayCluster", False),
        ("gpu_a", "c" * 40, "RayJob", False),
        ("a..b", "demo", "RayCluster", True),
        ("a.-b", "demo", "RayCluster", True),
        ("a-.b", "demo", "RayCluster", True),
        ("a.b-C", "demo", "RayCluster", False),
        ("-a", "demo", "RayCluster", True),
        ("a-", "demo", "RayCluster", True),
        ("a" * 63, "demo", "RayCluster", False),
        ("a" * 64, "demo", "RayCluster", True),
        ("gr\u00fcn", "demo", "RayCluster", True),
        ("_a", "c" * 50, "RayCluster", True),
        ("", "demo", "RayCluster", False),
        ("{{ .group }}", "demo", "RayCluster", False),
    ],
)
def test_group_names(name: str, cluster: str, kind: str, refused: bool) -> None:
    workers = [{"groupName": name, **pod()}]
    assert len(said("RAY368", pod(), name=cluster, kind=kind, workers=workers)) == refused
    assert not said("RAY368", pod(), name=cluster, kind="RayJob", workers=workers, clusterSelector=SELECTOR)


@pytest.mark.parametrize(
    "container",
    [
        {"env": [{"name": CUDA, "valueFrom": {"configMapKeyRef": {"name": "gpus", "key": "ids"}}}]},
        {"env": [{"name": CUDA, "value": "$(GPU_SERVICE_HOST)"}]},
        {"env": [{"name": CUDA, "value": "0"}], "command": ["bash", "-c", "ray start --num-gpus 1"]},
        {"env": [{"name": CUDA, "value": "0"}], "resources": {"limits": {"amd.com/gpu": 4}}},
        {"env": [{"name": CUDA, "value": "0"}], "resources": {"limits": {"nvidia.com/gpu": "{{ .gpus }}"}}},
    ],
)
def test_visible_devices_that_cannot_be_counted(container: dict[str, Any]) -> None:
    assert not said("RAY409", pod({"resources": {"limits": {"nvidia.com/gpu": 4}}, **container}))


def test_name_resolution_by_hand_needs_no_dns() -> None:
    assert said("RAY345", pod(), workers=[{"groupName": "cpu", **pod(dnsPolicy="Default")}])
    named = pod(dnsPolicy="Default", hostAliases=[{"ip": "10.0.0.7", "hostnames": ["demo-head-svc"]}])
    assert not said("RAY345", pod(), workers=[{"groupName": "cpu", **named}])


@pytest.mark.parametrize("sources", [[], [{"secret": {"name": "ca"}}], ["token"]])
def test_projected_volume_without_a_token(sources: list[object]) -> None:
    volumes = [{"name": "other", "emptyDir": {}}, {"name": "mixed", "projected": {"sources": sources}}]
    head = pod(automountServiceAccountToken=False, volumes=volumes)
    assert said("RAY818", head, enableInTreeAutoscaling=True)


def test_unused_cluster_of_a_job_may_be_suspended() -> None:
    suspended = {"suspend": True, "headGroupSpec": pod()}
    assert said("RAY521", pod(), kind="RayJob", rayClusterSpec=suspended)
    assert not said("RAY521", pod(), kind="RayJob", rayClusterSpec=suspended, clusterSelector=SELECTOR)


@pytest.mark.parametrize(
    ("template", "found"),
    [
        ({"spec": {"containers": [{"name": "submit"}]}}, 1),
        ({"spec": {"containers": []}}, 1),
        ({"spec": {"containers": ["submit"]}}, 1),
        ({"spec": {"containers": [{"name": "submit", "command": ["python", "submit.py"]}]}}, 0),
    ],
)
def test_job_without_entrypoint_and_its_submitter(template: dict[str, object], found: int) -> None:
    assert len(said("RAY520", pod(), kind="RayJob", submitterPodTemplate=template)) == found


def test_a_verdict_that_fails_is_told_by_its_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("raylint.pod_verdict.faults", fail)
    manifest = {"apiVersion": "ray.io/v1", "kind": "RayCluster", "spec": {"headGroupSpec": pod(affinity={})}}
    result = Engine([RULES["RAY366"]], Target(NEWEST_KUBERAY)).check("demo.yaml", json.dumps(manifest).encode())
    assert [finding.rule_id for finding in result.findings] == ["RL000"]
    assert "RAY366" in result.findings[0].message


def test_an_empty_list_or_what_is_none_tells_nothing() -> None:
    odd = {"env": ["x"], "ports": "x", "volumeMounts": [5], "resources": {"limits": [], "requests": {"cpu": "1"}}}
    for rule in BROKEN:
        assert not said(rule, pod(odd, volumes=["x"], tolerations={}))


def test_init_containers_alone_have_no_order() -> None:
    alone = {
        "template": {"spec": {"initContainers": [{"name": "a", "image": IMAGE}, {"name": "b", "image": IMAGE}]}}
    }
    assert not said("RAY705", alone)
    assert not said("RAY365", alone)


def test_a_shared_volume_elsewhere_leaves_the_sessions_apart() -> None:
    volumes = [
        {"name": "scratch", "emptyDir": {}},
        {"name": "data", "persistentVolumeClaim": {"claimName": "data"}},
    ]
    for volume, found in (("scratch", 0), ("data", 1)):
        workers = pod({"volumeMounts": [{"name": volume, "mountPath": "/tmp/ray"}]}, volumes=volumes)
        group = {"groupName": "cpu", "replicas": 2, "minReplicas": 2, "maxReplicas": 2, **workers}
        assert len(said("RAY342", pod(), workers=[group])) == found


def test_where_the_start_is_overwritten_any_container_may_be_first() -> None:
    log, ray = {"name": "log", "image": "fluent/fluent-bit:3.2.2"}, {"name": "ray-head", "image": IMAGE}
    head: dict[str, Any] = {"template": {"spec": {"containers": [log, ray]}}}
    assert said("RAY705", head)
    head["template"]["metadata"] = {"annotations": {"ray.io/overwrite-container-cmd": "true"}}
    assert not said("RAY705", head)
