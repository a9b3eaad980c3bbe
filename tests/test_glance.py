"""What is told of a group at a glance: where it doubts nothing, whoever looks closer finds nothing."""

from __future__ import annotations

import copy
from itertools import combinations
from typing import Any

import pytest

from raylint.document import Document
from raylint.glance import DEVICES, KEYS, POD, REFUSABLE, SETTINGS, SIZE, START, has_prefix
from raylint.group import Group
from raylint.manifest import RayObject, objects
from raylint.packs import installed_rules
from raylint.pod_verdict import faults
from raylint.reader import read
from raylint.target import Target
from raylint.testing import cases

POD_OF_RAY: dict[str, Any] = {
    "serviceAccountName": "ranker",
    "restartPolicy": "Always",
    "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
    "containers": [
        {
            "name": "ray",
            "image": "rayproject/ray:2.52.0",
            "imagePullPolicy": "IfNotPresent",
            "ports": [
                {"containerPort": 6379, "name": "gcs-server"},
                {"containerPort": 8265, "name": "dashboard", "protocol": "TCP"},
                {"containerPort": 8000, "name": "serve"},
            ],
            "env": [
                {"name": "OMP_NUM_THREADS", "value": "4"},
                {"name": "BUCKET", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "bucket"}}},
            ],
            "resources": {
                "limits": {"cpu": "4", "memory": "16Gi"},
                "requests": {"cpu": "4", "memory": "16Gi"},
            },
            "volumeMounts": [{"name": "logs", "mountPath": "/tmp/ray"}, {"name": "shared-mem", "mountPath": "/x"}],
        }
    ],
    "volumes": [{"name": "logs", "emptyDir": {}}],
}
PLAIN: dict[str, Any] = {
    "groupName": "cpu",
    "replicas": 1,
    "minReplicas": 1,
    "maxReplicas": 3,
    "rayStartParams": {"num-cpus": "4"},
    "template": {"metadata": {"labels": {"team": "ads"}}, "spec": POD_OF_RAY},
}

SPEC = ("template", "spec")
RAY = (*SPEC, "containers", 0)
AMOUNTS: list[object] = ["2", 2, 2.5, True, "3000", "500m", "x", None, [], {"a": 1}, "4" * 30, "-1", 2 * 10**12]
MEMORY: list[object] = ["8Gi", "32Gi", "512", "100m", 8_000_000_000, True, "x", None, [], "1k"]
PORT_NAMES: list[object] = ["a--b", "A", "9", "", "x" * 16, "{{ n }}", 7, None, []]
INIT: list[object] = [[{"name": "wait-gcs-ready"}], [{"name": "ray"}], ["x"], [], "x", None]
SOURCES: list[dict[str, object]] = [
    {"value": "b", "valueFrom": {}},
    {"value": "b", "valueFrom": None},
    {"valueFrom": {}, "value": ""},
]
MOUNTED: list[object] = ["ray-logs", "gcs-storage", "lost", "{{ v }}", "", None, []]
NOTHING: list[object] = [None, []]
CONTAINERS: list[object] = [[], None, ["x"], [{"name": "a"}, {"name": "a"}]]
VOLUMES: list[object] = [[], [{"name": "other"}], ["logs"], None]
AFFINITIES: list[object] = [{}, [{}], None]
TEMPLATES: list[object] = [{}, None, {"spec": None}, {"spec": []}]
NO_AMOUNTS: list[object] = [{}, None, "x"]
KINDS = ("limits", "requests")
PORTS: list[object] = [
    [{"containerPort": 6380, "name": "gcs-server"}],
    [{"containerPort": 8265, "name": "dashboard"}, {"containerPort": 8266, "name": "dashboard"}],
    *([{"containerPort": 9000, "name": name}] for name in PORT_NAMES),
    *([{"containerPort": number, "name": "web"}] for number in (0, 1, True, 65536, 9000.0, "9000", *NOTHING)),
    *([{"containerPort": 9000, "name": "web", "hostPort": number}] for number in (0, 70000, None)),
    *([{"containerPort": 9000, "name": "web", "protocol": word}] for word in ("UDP", "tcp", *NOTHING)),
    [{"containerPort": 9000, "name": "web"}, {"containerPort": 9001, "name": "web"}],
    *([{"containerPort": 9000}], ["web"], [None], "web", {}, []),
]
# What becomes of a plain group when this stands at that place.
CHANGES: list[tuple[tuple[str | int, ...], object]] = [
    *((("groupName",), name) for name in ("a_b", "-a", "a.-b", "x" * 64, "ä", "", 7, *NOTHING)),
    *((("serviceType",), word) for word in ("ClusterIP", "External", *NOTHING)),
    *((("rayStartParams",), params) for params in ({"port": "6380"}, {"dashboard-port": "8266"}, *NOTHING)),
    *(((*SPEC, "restartPolicy"), word) for word in ("Never", "never", *NOTHING)),
    *(((*SPEC, "dnsPolicy"), word) for word in ("Default", "default")),
    *(((*SPEC, "preemptionPolicy"), word) for word in ("Never", "Always")),
    *(
        ((*SPEC, "tolerations"), [term])
        for term in (
            {"operator": "Exists", "value": "a"},
            {"key": "a", "operator": "Equal", "value": "b", "effect": "noschedule"},
            *({"operator": "Equal"}, {"key": "a", "operator": "Exist"}, "a"),
            {"key": "a", "operator": "Exists", "effect": "NoSchedule", "tolerationSeconds": 5},
        )
    ),
    *(((*SPEC, key), value) for key in ("affinity", "topologySpreadConstraints") for value in AFFINITIES),
    ((*SPEC, "affinity"), {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"topologyKey": "", "labelSelector": {"matchExpressions": [{"key": "a", "operator": "In"}]}}]}}),
    *(((*SPEC, "initContainers"), value) for value in INIT),
    *(((*SPEC, "containers"), value) for value in CONTAINERS),
    *(((*SPEC, "volumes"), value) for value in VOLUMES),
    *((("template",), value) for value in TEMPLATES),
    *(((*RAY, "name"), name) for name in ("autoscaler", "ray-job-submitter", "wait-gcs-ready", *NOTHING)),
    *(((*RAY, "image"), image) for image in ("", None)),
    *(((*RAY, "imagePullPolicy"), word) for word in ("Sometimes", *NOTHING)),
    *(((*RAY, "terminationMessagePolicy"), word) for word in ("File", "Log")),
    *(((*RAY, "ports"), ports) for ports in PORTS),
    *(((*RAY, "env"), [{"name": "A", **source}]) for source in SOURCES),
    *(((*RAY, "env"), value) for value in (["A"], "A", None)),
    *(((*RAY, "volumeMounts"), [{"name": name}]) for name in MOUNTED),
    *(((*RAY, "volumeMounts"), value) for value in (["logs"], "logs", None)),
    *(((*RAY, "resources", kind, "cpu"), amount) for kind in KINDS for amount in AMOUNTS),
    *(((*RAY, "resources", kind, "memory"), amount) for kind in KINDS for amount in MEMORY),
    *(((*RAY, "resources", kind, "ephemeral-storage"), size) for kind in KINDS for size in ("1Gi", "2Gi")),
    *(((*RAY, "resources", kind), value) for kind in KINDS for value in NO_AMOUNTS),
    *(((*RAY, "resources"), value) for value in NO_AMOUNTS),
]  # fmt: skip
OPTIONS: list[dict[str, Any]] = [
    {},
    {"enableInTreeAutoscaling": True},
    {
        "enableInTreeAutoscaling": True,
        "autoscalerOptions": {"resources": {"limits": {"memory": "512"}, "requests": {"memory": "1Gi"}}},
    },
    {"enableInTreeAutoscaling": True, "autoscalerOptions": {"volumeMounts": [{"name": "lost"}]}},
    {"autoscalerOptions": {"volumeMounts": [{"name": "lost"}]}},
]


def changed(*changes: tuple[tuple[str | int, ...], object]) -> dict[str, Any] | None:
    """The plain group with these changes; None where one of them takes the other's place away."""
    group: Any = copy.deepcopy(PLAIN)
    for path, value in changes:
        part = group
        for step in path[:-1]:
            if isinstance(part, dict):
                part = part.get(step)
            elif isinstance(part, list) and isinstance(step, int) and step < len(part):
                part = part[step]
        if not isinstance(part, dict):
            return None
        part[path[-1]] = value
    assert isinstance(group, dict)
    return group


def groups_of(group: dict[str, Any], options: dict[str, Any], kind: str = "RayCluster") -> tuple[Group, ...]:
    cluster = {"headGroupSpec": group, "workerGroupSpecs": [group], **options}
    spec: dict[str, Any] = cluster
    if kind == "RayJob":
        spec = {"submissionMode": "SidecarMode", "rayClusterSpec": cluster}
    data = {"apiVersion": "ray.io/v1", "kind": kind, "metadata": {"name": "ranker"}, "spec": spec}
    (found,) = objects(Document.from_object(data), Target())
    assert isinstance(found, RayObject)
    assert found.cluster is not None
    return found.cluster.groups


def all_changes() -> list[tuple[tuple[tuple[str | int, ...], object], ...]]:
    pairs = [(one, other) for one, other in combinations(CHANGES, 2) if one[0] != other[0]]
    return [*((one,) for one in CHANGES), *pairs]


def test_a_pod_that_is_not_doubted_has_no_fault() -> None:
    sound = 0
    for number, changes in enumerate(all_changes()):
        group = changed(*changes)
        if group is not None:
            for view in groups_of(group, OPTIONS[number % len(OPTIONS)], ("RayCluster", "RayJob")[number % 2]):
                if not view.doubts & POD:
                    sound += 1
                    assert faults(view) == (), (group, number)
    assert sound


@pytest.mark.parametrize("options", OPTIONS, ids=range(len(OPTIONS)))
def test_nor_has_one_with_a_single_change(options: dict[str, Any]) -> None:
    for change in CHANGES:
        for kind in ("RayCluster", "RayJob"):
            for view in groups_of(changed(change) or PLAIN, options, kind):
                assert view.doubts & POD or faults(view) == (), change


def test_nor_has_one_of_the_examples_of_the_rules() -> None:
    sound = 0
    for case in cases(installed_rules()):
        for document in read("m.yaml", case.example.text.encode(), (b"ray.io",)).documents:
            for found in objects(document, case.target):
                cluster = found.cluster if isinstance(found, RayObject) else None
                for group in () if cluster is None else cluster.groups:
                    if not group.doubts & POD:
                        sound += 1
                        assert faults(group) == (), case
    assert sound


@pytest.mark.parametrize("options", [*OPTIONS[:2], OPTIONS[4]])
def test_what_nearly_everybody_writes_is_beyond_doubt(options: dict[str, Any]) -> None:
    assert [group.doubts for group in groups_of(PLAIN, options)] == [0, 0]


@pytest.mark.parametrize(
    ("place", "value", "doubted"),
    [
        ((*RAY, "ports"), [{"containerPort": 6380, "name": "gcs"}], POD),
        ((*RAY, "resources", "limits", "cpu"), "5000", POD | SIZE),
        ((*RAY, "resources", "limits", "memory"), "8Gi", POD | SIZE),
        ((*RAY, "resources", "limits", "nvidia.com/gpu"), 1, DEVICES),
        ((*RAY, "resources", "limits", "cpu"), [], SIZE),
        (("rayStartParams",), {"num-cpus": "8"}, SIZE),
        (("rayStartParams",), {"port": "6380"}, START),
        (("labels",), {"a": "b"}, START | REFUSABLE),
        (("priority",), 1, REFUSABLE),
        (("maxReplicas",), 0, REFUSABLE),
        ((*RAY, "env"), [{"name": "A"}, {"name": "RAY_x"}], SETTINGS),
        ((*RAY, "env"), [{"name": "a"}, "RAY_x", {"name": 7}], SETTINGS),
        ((*SPEC, "containers"), [{"env": [{"name": "A"}]}, {"env": [{"name": "a"}]}], POD | SIZE),
        ((*SPEC, "containers"), [{"env": [{"name": "a"}]}, "x"], POD | SIZE | SETTINGS),
        (("template", "metadata"), {"annotations": {"ray.io/x": "1"}}, KEYS),
    ],
)
def test_what_is_doubted(place: tuple[str | int, ...], value: object, doubted: int) -> None:
    _, worker = groups_of(changed((place, value)) or {}, {})
    assert worker.doubts == doubted


def test_what_was_plain_before_is_told_from_what_equals_it() -> None:
    for number, doubted in ((1, 0), (True, POD)):
        ports = [{"containerPort": number, "name": "web"}]
        assert [group.doubts for group in groups_of(changed(((*RAY, "ports"), ports)) or {}, {})] == [doubted] * 2
    assert not groups_of(PLAIN, {})[0].doubts
    moved = changed((("rayStartParams",), {"num-cpus": "4", "dashboard-port": "8266"})) or {}
    assert [group.doubts for group in groups_of(moved, {})] == [START | POD, START]


def test_a_long_list_is_judged_every_time() -> None:
    from raylint import glance

    tolerations = [{"key": f"pool-{number}", "operator": "Exists"} for number in range(100)]
    mounts = [{"name": "logs", "mountPath": f"/tmp/{number}"} for number in range(100)]
    ports = [{"containerPort": 9000 + number, "name": f"web-{number}"} for number in range(100)]
    changes = (((*SPEC, "tolerations"), tolerations), ((*RAY, "volumeMounts"), mounts), ((*RAY, "ports"), ports))
    assert [group.doubts for group in groups_of(changed(*changes) or {}, {})] == [0, 0]
    assert not any(kept in (tolerations, ports) for kept in glance._before.values())


@pytest.mark.parametrize("number", [1, True])
def test_what_is_remembered_of_a_number_is_not_taken_for_another(number: object) -> None:
    amounts = {"limits": {"cpu": "1", "memory": number}, "requests": {"cpu": "1", "memory": number}}
    _, worker = groups_of(changed(((*RAY, "resources"), amounts)) or {}, {})
    # One byte of memory is no size; a true is no amount at all.
    assert bool(worker.doubts & POD) is (number is not True)


def test_sizes_and_ports_do_not_pile_up() -> None:
    from raylint import glance

    for number in range(1, 400):
        amounts = {kind: {"cpu": "4", "memory": f"{number + 3}Gi"} for kind in KINDS}
        ports = [{"containerPort": number, "name": "web"}]
        (head, _) = groups_of(changed(((*RAY, "resources"), amounts), ((*RAY, "ports"), ports)) or {}, {})
        assert not head.doubts
    assert len(glance._plain_sizes) <= 128


NO_PREFIX: list[dict[str, object]] = [{}, {"labels": None}, {"labels": ["a/b"]}, {"annotations": {"a": "/"}}]


@pytest.mark.parametrize("metadata", NO_PREFIX)
def test_keys_without_a_prefix(metadata: dict[str, object]) -> None:
    assert not has_prefix(metadata)
