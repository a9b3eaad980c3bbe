"""Whatever a manifest holds, at whatever place: views answer, and rules neither fail nor guess aloud."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raylint.cluster import RayCluster
from raylint.derived import cached_property
from raylint.document import Document
from raylint.engine import Engine
from raylint.fault_tolerance import GcsFaultTolerance
from raylint.field import Field, View
from raylint.finding import path_text
from raylint.group import Group
from raylint.manifest import objects
from raylint.packs import installed_rules
from raylint.pod import Container, EnvVar
from raylint.reader import read
from raylint.serve import ServeConfig
from raylint.target import Target

RULES = installed_rules()
TARGETS = [Target(), Target((1, 5)), Target((1, 2)), Target((1, 0), (2, 9))]
ENGINES = {target: Engine(RULES, target) for target in TARGETS}

HEAD = """
headGroupSpec:
  serviceType: ClusterIP
  rayStartParams: {num-cpus: "0", dashboard-host: 0.0.0.0, resources: '{"a": 1}'}
  resources: {cpu: "0", GPU: "1"}
  template:
    metadata: {labels: {a: b}, annotations: {c: d}}
    spec:
      restartPolicy: Never
      containers:
      - name: ray-head
        image: rayproject/ray:2.43.0-py310
        command: [bash]
        args: [-c, ray start]
        ports: [{containerPort: 8265, name: dashboard}]
        env:
        - {name: RAY_REDIS_ADDRESS, value: "$(HOST):6379"}
        - {name: HOST, value: redis}
        - {name: RAY_enable_autoscaler_v2, value: "1"}
        - {name: REDIS_PASSWORD, valueFrom: {secretKeyRef: {name: redis, key: password}}}
        envFrom: [{secretRef: {name: more}}]
        resources: {limits: {cpu: 1500m, memory: 4Gi, nvidia.com/gpu: 1}, requests: {cpu: 1, memory: 2Gi}}
        volumeMounts: [{name: logs, mountPath: /tmp/ray}]
      - {name: sidecar, image: fluent-bit, command: [run]}
      initContainers: [{name: init, image: busybox}]
      volumes: [{name: logs, emptyDir: {}}]
"""
WORKERS = """
workerGroupSpecs:
- groupName: cpu
  replicas: 1
  minReplicas: 1
  maxReplicas: 100
  numOfHosts: 1
  idleTimeoutSeconds: 60
  suspend: false
  rayStartParams: {num-cpus: "2"}
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: ray-worker
        image: rayproject/ray:2.43.0
        env: [{name: RAY_gcs_rpc_server_reconnect_timeout_s, value: "30"}]
        resources: {limits: {cpu: "2"}}
- {groupName: gpu, replicas: 5, minReplicas: 7, maxReplicas: 3}
"""
REDIS = """
gcsFaultToleranceOptions:
  redisAddress: rediss://user:pass@redis:6379
  redisUsername: {value: me}
  redisPassword: {value: hunter2}
  externalStorageNamespace: ns
  backend: redis
"""
CLUSTER = (
    "rayVersion: 2.43.0\nenableInTreeAutoscaling: true\nautoscalerOptions: {version: v2, idleTimeoutSeconds: 60}\n"
    + HEAD
    + WORKERS
    + REDIS
)
SERVE = """|
  http_options: {port: 8000}
  applications:
  - {name: a, import_path: a:b, deployments: [{name: A, num_replicas: 1, ray_actor_options: {num_cpus: 1}}]}
"""


def indented(text: str, depth: int) -> str:
    return "".join(" " * depth + line + "\n" for line in text.splitlines() if line)


MANIFESTS = {
    "RayCluster": "kind: RayCluster\nspec:\n" + indented(CLUSTER, 2),
    "RayJob": "kind: RayJob\nspec:\n  entrypoint: python main.py\n  entrypointNumCpus: 2\n  backoffLimit: 1\n"
    "  submissionMode: SidecarMode\n  clusterSelector: {}\n  managedBy: ray.io/kuberay-operator\n"
    "  rayClusterSpec:\n" + indented(HEAD, 4),
    "RayService": "kind: RayService\nspec:\n  upgradeStrategy: {type: NewCluster}\n"
    "  serveConfigV2: " + indented(SERVE, 2).lstrip() + "  rayClusterConfig:\n" + indented(HEAD + REDIS, 4),
    "RayCronJob": "kind: RayCronJob\nspec:\n  schedule: '@daily'\n  jobTemplate:\n    entrypoint: python main.py\n"
    "    rayClusterSpec:\n" + indented(WORKERS, 6),
}
PREFIX = "apiVersion: ray.io/v1\nmetadata: {name: demo, namespace: ml, annotations: {ray.io/ft-enabled: 'true'}}\n"

DEEP: Any = {"name": "x"}
for _ in range(200):
    DEEP = [DEEP]
# Longer than what Python makes an integer of.
LONG = "9" * 6000
# One value of every sort, for every place.
SORTS: list[Any] = [None, True, -1, 0.5, 10**40, "", "x", LONG, "{{ x }}", [], {}, [None], {"name": ["x"]}, DEEP]
# Odder values take turns over the places.
ODD: list[Any] = [
    *(
        False,
        0,
        7,
        2.0,
        float("nan"),
        float("inf"),
        -(10**40),
        " ",
        "0",
        "1e9999",
        "9" * 6000,
        "$(A)$(A",
        "{",
        "a: [",
    ),
    *("\ud800", "\0", "名前", "v2", "true", [[]], [{}], ["x"], [1], {"": None}, {"value": {}}, {"a": {"b": [1]}}),
]


def data_of(kind: str) -> Any:
    (document,) = read("test.yaml", (PREFIX + MANIFESTS[kind]).encode()).documents
    return document.data


def paths(data: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield path
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for step, value in items:
        yield from paths(value, (*path, step))


def changed(data: Any, path: tuple[str | int, ...], value: Any) -> Any:
    """The data with another value at the path; what is not on the way there is shared."""
    if not path:
        return value
    copied: Any = dict(data) if isinstance(data, dict) else list(data)
    copied[path[0]] = changed(data[path[0]], path[1:], value)
    return copied


CASES = [(kind, path) for kind in MANIFESTS for path in paths(data_of(kind))]


def properties(part: object) -> Iterator[object]:
    """What every property of a view answers."""
    for owner in type(part).__mro__:
        for name, member in vars(owner).items():
            # What the schema says is asked for by the rules that speak of it, and has tests of its own.
            if isinstance(member, (property, cached_property)) and not name.startswith("schema"):
                yield getattr(part, name)


def answers(part: object, seen: dict[int, object]) -> None:
    """Ask a view, and all views that it leads to, everything that they can be asked. ``seen`` keeps what was asked
    alive, so that no id is used twice."""
    if id(part) in seen:
        return
    seen[id(part)] = part
    following: list[object] = []
    if isinstance(part, Field):
        assert part.known or part.value is None
        assert repr(part)
    elif isinstance(part, (View, ServeConfig)):
        # What it was made with, such as the groups of a cluster, besides what it derives.
        following = [*vars(part).values(), *properties(part), *called(part)]
    elif isinstance(part, (tuple, list, Iterator)):
        following = list(part)
    for answer in following:
        answers(answer, seen)


def called(part: object) -> Iterator[object]:
    """What the methods of a view answer that take an argument."""
    if isinstance(part, Container):
        yield from (part.env("HOST"), part.limit("cpu"), part.request("memory"), part.expand("$(HOST):$(X)$$"))
        yield part.expand("$(HOST)", before="HOST")
    if isinstance(part, EnvVar):
        yield part.is_true()
    if isinstance(part, Group):
        yield from (part.start_param("num-cpus"), part.start_params)
    if isinstance(part, GcsFaultTolerance):
        yield bool(part)


def ask(data: object, target: Target) -> dict[int, object]:
    seen: dict[int, object] = {}
    for found in objects(Document.from_object(data), target):
        answers(found, seen)
    return seen


def judge(data: object, target: Target) -> list[str]:
    """The ids of the rules that speak of the data; no rule may fail."""
    engine = ENGINES[target]
    result = engine.check_document(Document.from_object(data, "live"))
    findings = [*result.findings, *engine.conclude(result.facts)]
    crashes = [finding.message for finding in findings if finding.rule_id == "RL000"]
    assert crashes == []
    return [finding.rule_id for finding in findings]


@pytest.mark.parametrize("kind", MANIFESTS)
def test_the_manifests_are_rich_enough_to_mean_something(kind: str) -> None:
    reached = {type(part) for part in ask(data_of(kind), TARGETS[0]).values()}
    assert {RayCluster, Container, GcsFaultTolerance, Field} <= reached
    assert judge(data_of(kind), TARGETS[0])


@pytest.mark.parametrize(
    ("kind", "path"), CASES, ids=lambda part: part if isinstance(part, str) else path_text(part)
)
def test_any_junk_at_any_place(kind: str, path: tuple[str | int, ...]) -> None:
    whole = data_of(kind)
    turn = CASES.index((kind, path))
    odd = [ODD[(turn * 3 + number) % len(ODD)] for number in range(3)]
    for number, junk in enumerate([*SORTS, *odd]):
        data = changed(whole, path, junk)
        target = TARGETS[(turn + number) % len(TARGETS)]
        assert isinstance(ask(data, target), dict)
        assert isinstance(judge(data, target), list)


SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8))
# Names that the views look for, so that random objects are not merely passed over.
NAMES = sorted({step for kind, path in CASES for step in path if isinstance(step, str)})
KEYS = st.one_of(st.sampled_from(NAMES), st.text(max_size=4))
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=6)),
    max_leaves=40,
)


@settings(max_examples=150)
@given(st.sampled_from([*MANIFESTS, "List"]), ANYTHING, ANYTHING, st.sampled_from(TARGETS))
def test_any_object(kind: str, spec: object, metadata: object, target: Target) -> None:
    data = {"apiVersion": "ray.io/v1", "kind": kind, "metadata": metadata, "spec": spec, "items": [spec, metadata]}
    assert isinstance(ask(data, target), dict)
    assert isinstance(judge(data, target), list)


@settings(max_examples=50)
@given(ANYTHING)
def test_any_document(data: object) -> None:
    assert isinstance(ask(data, TARGETS[0]), dict)
    assert isinstance(judge(data, TARGETS[0]), list)


def test_lists_in_lists_end() -> None:
    data: dict[str, object] = {"apiVersion": "ray.io/v1", "kind": "RayCluster", "spec": {}}
    for _ in range(5000):
        data = {"kind": "List", "apiVersion": "v1", "items": [data]}
    # kubectl follows them to the object at the bottom, which lacks its name and its head group.
    assert judge(data, TARGETS[0]) == ["API003", "API003"]
