"""Narrow views: what they leave out is nothing to the rules that visit them."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import pytest

from raylint import narrow
from raylint.document import Document
from raylint.manifest import RayObject, objects
from raylint.packs import installed_rules
from raylint.plan import PARTS
from raylint.rule import Problem, Rule
from raylint.target import Target

# The parts of an object of which a narrow view picks some.
WIDE = {
    "OddKind": "KubeObject",
    "OddlyNamed": "RayObject",
    "OddJob": "RayJob",
    "StallingCluster": "RayCluster",
    "Prefixed": "RayObject",
    "OddImages": "RayCluster",
    "OddlyScaled": "RayCluster",
    "OddStart": "Group",
    "RefusableHead": "HeadGroup",
    "RefusableWorkers": "WorkerGroup",
    "OddlySized": "Group",
    "DeviceGroup": "Group",
    "TunedGroup": "Group",
}
RULES = [rule for rule in installed_rules() if rule.visits in WIDE]
TARGETS = [Target(), Target((1, 4)), Target((1, 2)), Target((1, 0), (2, 9, 0))]
FIELDS = {
    "RayCluster": "",
    "RayJob": "rayClusterSpec",
    "RayService": "rayClusterConfig",
    "RayCronJob": "jobTemplate",
}


def manifest(kind: str, version: object, metadata: object, cluster: dict[str, Any]) -> dict[str, Any]:
    field = FIELDS.get(kind, "")
    spec = {"rayClusterSpec": cluster} if field == "jobTemplate" else cluster
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": {field: spec} if field else spec}


ORDINARY: dict[str, Any] = {
    "groupName": "cpu",
    "replicas": 1,
    "minReplicas": 0,
    "maxReplicas": 3,
    "rayStartParams": {"num-cpus": "4", "block": "true"},
    "template": {
        "spec": {
            "containers": [
                {
                    "name": "ray",
                    "image": "rayproject/ray:2.52.0-cpu",
                    "resources": {
                        "limits": {"cpu": "8", "memory": "32Gi"},
                        "requests": {"cpu": "4", "memory": "32Gi"},
                    },
                },
                {"name": "log", "image": "fluent/fluent-bit:3.2"},
            ]
        }
    },
}

POD = ("template", "spec")
RAY = (*POD, "containers", 0, "resources")
LOG = (*POD, "containers", 1, "resources")
CPUS = ["8", 8, "0", "-1", "500m", "1500m", 1.5, "2000m", True, "many", None]
MEMORY = ["16Gi", "4G", "3Gi", "1Gi", "0", "-8Gi", 8_000_000_000, "32768Mi", "much", None]
NUMBERS = ["0", "8", "16", " 16", "-1", "+9", "{{ n }}", 4, None, "200", "64000000000"]
DEVICES = [
    "nvidia.com/gpu",
    "amd.com/gpu",
    "nvidia.com/mig-1g.5gb",
    "google.com/tpu",
    "habana.ai/gaudi",
    "hugepages-2Mi",
]
BOUNDS = [1, 5, -1, 2.0, "2", True, None]
NO_MAPPINGS: list[object] = [{}, None, []]
NO_AMOUNTS: list[object] = [{}, None, "8"]
NO_RESOURCES: list[object] = [*NO_MAPPINGS, {"claims": [{"name": "gpus"}]}]
VARIABLES: list[object] = [
    *("RAY_num_heartbeats_timeout", "Ray_health_check_period_ms", "RAY_DEDUP_LOG", "health_check_period_ms"),
    *("HEALTH_CHECK_PERIOD_MS", 7),
]
NO_CONTAINERS: list[object] = [[], None, ["x"], "x"]
INIT: list[object] = [[{"resources": {"requests": {"a.b/gpu": "1"}}}], ["x"], {}]
# What becomes of an ordinary group when this stands at that place.
CHANGES: list[tuple[tuple[str | int, ...], object]] = [
    *(((*RAY, "limits", "cpu"), amount) for amount in CPUS),
    *(((*RAY, "limits", "memory"), amount) for amount in MEMORY),
    *(((*RAY, "requests", "cpu"), amount) for amount in CPUS),
    *(((*RAY, "requests", "memory"), amount) for amount in MEMORY),
    *(((*place, kind, name), "1") for place in (RAY, LOG) for kind in ("limits", "requests") for name in DEVICES),
    *(((*RAY, "limits", "nvidia.com/gpu"), amount) for amount in ("0", "500m", "some")),
    *(((*RAY, kind), value) for kind in ("limits", "requests") for value in NO_AMOUNTS),
    *((place, value) for place in (RAY, LOG) for value in NO_RESOURCES),
    *(((*POD, "initContainers"), value) for value in INIT),
    *(((*POD, "containers"), value) for value in NO_CONTAINERS),
    ((*POD, "resourceClaims"), [{"name": "gpus"}]),
    *(((*POD, "containers", 0, "env"), [{"name": "A", "value": "1"}, {"name": name}]) for name in VARIABLES),
    *(((*POD, "containers", 1, "env"), [{"name": name}]) for name in VARIABLES[:2]),
    *(((*POD, "containers", 0, "env"), value) for value in ([], ["RAY_x"], "RAY_x", None)),
    *((("template", "spec"), value) for value in NO_MAPPINGS),
    *((("template",), value) for value in NO_MAPPINGS),
    *((("rayStartParams", name), value) for name in ("num-cpus", "num-gpus", "memory") for value in NUMBERS),
    *((("rayStartParams", "labels"), value) for value in ("a=b", None)),
    *((("rayStartParams", "resources"), value) for value in ('{"GPU": 1}', '"{\\"a\\": 1}"')),
    *((("rayStartParams",), value) for value in NO_MAPPINGS),
    *((("rayStartParams", name), "false") for name in ("block", "include-dashboard", "log-color", "no-monitor")),
    *((("rayStartParams", name), "true") for name in ("head", "no-monitor")),
    (("rayStartParams", "dashboard-host"), "0.0.0.0"),
    *((("resources",), {key: value}) for key in ("cpu", "CPU", "memory", "GPU") for value in ("1", "64Gi", None)),
    *((("resources",), value) for value in NO_MAPPINGS),
    *((("labels",), value) for value in ({"a": "b"}, {"a b": "c"}, None)),
    *(((name,), value) for name in ("minReplicas", "maxReplicas") for value in BOUNDS),
    *((("priority",), value) for value in (0, 5)),
]  # fmt: skip


def changed(*changes: tuple[tuple[str | int, ...], object]) -> dict[str, Any] | None:
    """The ordinary group with these changes; None where one of them takes the other's place away."""
    group: Any = copy.deepcopy(ORDINARY)
    for path, value in changes:
        part = group
        for step in path[:-1]:
            if isinstance(part, dict):
                part = part.setdefault(step, {})
            elif isinstance(part, list) and isinstance(step, int) and step < len(part):
                part = part[step]
            else:
                return None
        if not isinstance(part, dict):
            return None
        part[path[-1]] = value
    assert isinstance(group, dict)
    return group


def odd_groups() -> Iterator[dict[str, Any]]:
    for change in CHANGES:
        yield from filter(None, [changed(change)])
    for one, other in combinations(CHANGES, 2):
        if one[0] != other[0]:
            yield from filter(None, [changed(one, other)])


def unseen(
    data: dict[str, Any], target: Target, rules: list[Rule] = RULES, wide: dict[str, str] = WIDE
) -> list[tuple[Rule, Problem]]:
    """What rules would say of parts that their view leaves out."""
    (found,) = objects(Document.from_object(data), target)
    said = []
    for rule in rules:
        if target.kuberay in rule.kuberay and (rule.visits == "OddKind" or isinstance(found, RayObject)):
            seen = PARTS[rule.visits](found)
            for part in PARTS[wide[rule.visits]](found):
                applies = not rule.where or part.body.get(rule.where) is not None
                if applies and not any(part is one for one in seen):
                    said += [(rule, problem) for problem in rule.check(part)]
    return said


@pytest.mark.parametrize("scaled", [False, True])
def test_rules_have_nothing_to_say_of_groups_that_their_view_leaves_out(scaled: bool) -> None:
    for number, group in enumerate(odd_groups()):
        cluster = {
            "enableInTreeAutoscaling": scaled,
            "rayVersion": "2.52.0",
            "headGroupSpec": group,
            "workerGroupSpecs": [group],
        }
        data = manifest("RayCluster", "ray.io/v1", {"name": "ranker"}, cluster)
        assert unseen(data, TARGETS[number % len(TARGETS)]) == [], group


NAMES = [
    *("ranker", "a--b-2", "x" * 36, "x" * 37, "x" * 48, "x" * 54, "-", "a-", "1-ranker", "a.b", "Ranker", "ä", ""),
    *("{{ name }}", 7, None),
]
VERSIONS = ["ray.io/v1", "ray.io/v1alpha1", "ray.io/v2", "kuberay.io/v1", "ray/v1", "v1", None]


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: str(target.kuberay))
@pytest.mark.parametrize("kind", [*FIELDS, "RayTune", "Deployment"])
def test_nor_of_such_objects(kind: str, target: Target) -> None:
    for version, name, base in product(VERSIONS, NAMES, ("x" * 60, "a.b", None)):
        assert unseen(manifest(kind, version, {"name": name, "generateName": base}, {}), target) == []


JOBS: dict[str, list[object]] = {
    "entrypoint": ["python a.py --lr=1e-3 s3://b/c_d:1,2@x+5%", "a && $B", "it's", "{{ line }}", "", None],
    "rayClusterSpec": [{"headGroupSpec": ORDINARY}, {}, None],
    "clusterSelector": [{"ray.io/cluster": "shared"}, {}, None],
    "ttlSecondsAfterFinished": [0, 60, -1, "60", None],
    "shutdownAfterJobFinishes": [True, "true", None],
    "submissionMode": ["HTTPMode", "InteractiveMode", None],
}


IMAGES = [
    *("rayproject/ray:2.52.0-cpu", "mirror.example/rayproject/ray:2.52.0-cpu", "rayproject/ray:2.51.0-py311"),
    *("rayproject/ray:2.52.0@sha256:0f", "rayproject/ray:latest", "rayproject/ray:2.52", "python:3.11", "own"),
    *("$IMAGE", None),
]


def test_nor_of_such_images() -> None:
    for one, other, release in product(IMAGES, IMAGES, ("2.52.0", "2.52", "2.40.0", "x", None)):
        head, worker = (
            changed(((*POD, "containers"), [{"name": "ray", "image": image}])) for image in (one, other)
        )
        job = {"rayClusterSpec": {"rayVersion": release, "headGroupSpec": head, "workerGroupSpecs": [worker]}}
        template = {"spec": {"containers": [{"name": "submitter", "image": other}]}}
        for spec in (job, {**job, "submitterPodTemplate": template}):
            data = {"apiVersion": "ray.io/v1", "kind": "RayJob", "metadata": {"name": "ranker"}, "spec": spec}
            assert unseen(data, Target()) == [], spec


COUNTS: dict[str, list[object]] = {
    "replicas": [1, 20, 2000, -1, "2", None],
    "minReplicas": [0, 5, -1, None],
    "maxReplicas": [0, 3, 20, 5000, 20_000, None],
    "numOfHosts": [400, None],
    "suspend": [True, None],
    "idleTimeoutSeconds": [60, None],
}


@pytest.mark.parametrize("options", [{}, {"version": "v2"}, None])
@pytest.mark.parametrize("switch", [True, False, "{{ on }}", None])
def test_nor_of_such_numbers_of_workers(switch: object, options: object) -> None:
    for number, values in enumerate(product(*COUNTS.values(), ("Never", None))):
        group = changed(*(((name,), value) for name, value in zip(COUNTS, values, strict=False)))
        pod = {"restartPolicy": values[-1], "containers": [{"name": "ray"}]}
        cluster = {
            "enableInTreeAutoscaling": switch,
            "autoscalerOptions": options,
            "headGroupSpec": ORDINARY,
            "workerGroupSpecs": [{**(group or {}), "template": {"spec": pod}}],
        }
        data = manifest("RayCluster", "ray.io/v1", {"name": "ranker"}, cluster)
        assert unseen(data, TARGETS[number % len(TARGETS)]) == [], cluster


@pytest.mark.parametrize("place", ["labels", "annotations"])
@pytest.mark.parametrize("key", ["ray.io/cluster-dashbord", "kueue.x-k8s.io/queue-nam", "app", "ray.io-a", "/"])
def test_nor_of_such_labels(place: str, key: str) -> None:
    metadata: dict[str, Any] = {"name": "ranker", place: {key: "a"}}
    group = {**ORDINARY, "template": {**ORDINARY["template"], "metadata": metadata}}
    for own, head, worker in product((metadata, {"name": "ranker"}), (group, ORDINARY), (group, ORDINARY)):
        cluster = {"headGroupSpec": head, "workerGroupSpecs": [worker]}
        assert unseen(manifest("RayCluster", "ray.io/v1", own, cluster), Target()) == []


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: str(target.kuberay))
@pytest.mark.parametrize("kind", ["RayJob", "RayCronJob"])
def test_nor_of_such_jobs(kind: str, target: Target) -> None:
    for values in product(*JOBS.values()):
        job = {name: value for name, value in zip(JOBS, values, strict=True) if value is not None}
        spec = {"jobTemplate": job} if kind == "RayCronJob" else job
        data = {"apiVersion": "ray.io/v1", "kind": kind, "metadata": {"name": "ranker"}, "spec": spec}
        assert unseen(data, target) == [], job


PORTS: list[object] = [
    *([{"name": name} for name in names] for names in product(("dashboard", "serve", "serve-x", None), repeat=2)),
    *([], ["dashboard", "serve"], [{"name": ["serve"]}], "dashboard", None),
]
GROUP_NAMES: list[list[object]] = [
    [],
    ["a"],
    ["a", "b"],
    ["a", "a"],
    ["a", "b", "a"],
    ["{{ a }}"] * 2,
    [None, None],
]


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: str(target.kuberay))
@pytest.mark.parametrize("kind", FIELDS)
def test_nor_of_such_clusters(kind: str, target: Target) -> None:
    for ports, names, asks in product(PORTS, GROUP_NAMES, ("true", "false", None)):
        cluster = {
            "headGroupSpec": {"template": {"spec": {"containers": [{"name": "ray", "ports": ports}]}}},
            "workerGroupSpecs": [{**ORDINARY, "groupName": name} for name in names],
        }
        annotations = {"ray.io/enable-serve-service": asks} if asks else {}
        data = manifest(kind, "ray.io/v1", {"name": "ranker", "annotations": annotations}, cluster)
        assert unseen(data, target) == [], (ports, names)


@pytest.mark.parametrize("kind", FIELDS)
def test_of_an_ordinary_object_they_leave_everything_out(kind: str) -> None:
    cluster = {"headGroupSpec": ORDINARY, "workerGroupSpecs": [ORDINARY]}
    data = manifest(kind, "ray.io/v1", {"name": "ranker"}, cluster)
    for job in (data["spec"], data["spec"].get("jobTemplate")):
        if job is not None and "rayClusterSpec" in job:
            job["entrypoint"] = "python run.py"
    (found,) = objects(Document.from_object(data), Target())
    assert {view: list(PARTS[view](found)) for view in WIDE} == {view: [] for view in WIDE}


def test_each_of_them_is_visited() -> None:
    assert {rule.visits for rule in RULES} == set(WIDE)


def test_each_has_its_name() -> None:
    assert set(narrow.__all__) <= PARTS.keys()
    assert set(WIDE) <= set(narrow.__all__)
