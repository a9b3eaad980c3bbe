"""The structural walker against a second implementation: pruning, dropping of nulls and defaulting done
beforehand, then ``jsonschema``.

The second implementation shares no code with the walker: it expands the tables to JSON Schema by itself and prunes
and defaults by itself. Metadata and CEL rules have tests of their own.
"""

from __future__ import annotations

import json
import random
from functools import cache
from typing import Any, cast

import jsonschema
import pytest

import raylint_schemas
from raylint.schema import bundled_schema
from raylint.schema_fault import FaultKind
from raylint.target import KUBERAY_RELEASES

SEED = 20261130
MUTANTS_A_RELEASE = 510

POD = {
    "metadata": {"labels": {"team": "ml"}, "annotations": {"note": "text"}},
    "spec": {
        "containers": [
            {
                "name": "ray",
                "image": "rayproject/ray:2.52.0",
                "command": ["bash", "-c"],
                "env": [{"name": "A", "value": "1"}, {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "a"}}}],
                "ports": [{"containerPort": 6379, "name": "gcs"}, {"containerPort": 8265, "protocol": "TCP"}],
                "resources": {"limits": {"cpu": "1", "memory": "4Gi"}, "requests": {"cpu": 1}},
                "volumeMounts": [{"name": "logs", "mountPath": "/tmp/ray"}],
                "readinessProbe": {"httpGet": {"path": "/", "port": 8265}, "periodSeconds": 5},
                "securityContext": {"runAsUser": 1000, "capabilities": {"add": ["SYS_PTRACE"]}},
            }
        ],
        "tolerations": [{"key": "gpu", "operator": "Exists", "tolerationSeconds": 60}],
        "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}],
        "volumes": [{"name": "logs", "emptyDir": {"sizeLimit": "1Gi"}}, {"name": "c", "configMap": {"name": "c"}}],
    },
}
GROUP = {
    "groupName": "cpu",
    "replicas": 1,
    "minReplicas": 0,
    "maxReplicas": 3,
    "rayStartParams": {},
    "template": POD,
}
CLUSTER = {
    "rayVersion": "2.52.0",
    "enableInTreeAutoscaling": True,
    "autoscalerOptions": {
        "upscalingMode": "Default",
        "idleTimeoutSeconds": 60,
        "env": [{"name": "X", "value": "y"}],
    },
    "headGroupSpec": {"rayStartParams": {"num-cpus": "0"}, "serviceType": "ClusterIP", "template": POD},
    "workerGroupSpecs": [GROUP, {**GROUP, "groupName": "gpu", "scaleStrategy": {"workersToDelete": ["a"]}}],
}
JOB = {"entrypoint": "python main.py", "entrypointNumCpus": 0.5, "rayClusterSpec": CLUSTER, "suspend": False}
SPECS: dict[str, dict[str, Any]] = {
    "RayCluster": {**CLUSTER, "gcsFaultToleranceOptions": {"redisAddress": "redis:6379"}},
    "RayJob": {
        **JOB,
        "deletionStrategy": {
            "deletionRules": [{"policy": "DeleteSelf", "condition": {"jobStatus": "FAILED", "ttlSeconds": 5}}]
        },
    },
    "RayService": {"serveConfigV2": "a: b", "rayClusterConfig": CLUSTER, "serveService": {"spec": {"ports": []}}},
    "RayCronJob": {"schedule": "0 3 * * *", "jobTemplate": JOB},
}
VALUES: list[Any] = [
    None, "", "text", "4Gi", "4GB", "1e3", "-1", "yes", "Ä" * 400, 0, 1, -1, 7, 2**31, 2**63, -(2**63), 0.5, 1.0,
    2.5e9, True, False, [], {}, [None], ["a", "a"], [{}], [[1]], {"a": 1}, {"name": "x"}, {"a": None},
    [{"name": "x"}] * 2,
]  # fmt: skip


# --- Mutants ------------------------------------------------------------------------------------------------


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path]
    for step, item in value.items() if isinstance(value, dict) else enumerate(value):
        found += places(item, (*path, step)) if isinstance(item, (dict, list)) else [(*path, step)]
    return found


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


def separate(value: Any) -> Any:
    """A copy in which nothing is shared: ``copy.deepcopy`` would keep the two uses of one pod one."""
    return json.loads(json.dumps(value))


def mutated(spec: dict[str, Any], names: list[str], draw: random.Random) -> dict[str, Any]:
    spec = separate(spec)
    for _ in range(draw.randint(1, 3)):
        path = draw.choice([place for place in places(spec) if place])
        owner, step = at(spec, path[:-1]), path[-1]
        change = draw.randrange(6)
        if change == 0:
            del owner[step]
        elif change == 1:
            owner[step] = separate(draw.choice(VALUES))
        elif change == 2 and isinstance(owner, dict):
            owner[draw.choice(names)] = separate(draw.choice(VALUES))
        elif change == 3 and isinstance(owner, list):
            owner.insert(draw.randint(0, len(owner)), separate(owner[step]))
        elif change == 4:
            owner[step] = separate(at(spec, draw.choice(places(spec))))
        else:
            owner[step] = [owner[step]] if draw.random() < 0.5 else {draw.choice(names): owner[step]}
    return spec


# --- The second implementation ------------------------------------------------------------------------------


class Second:
    """Answers which fields are unknown and where faults lie, of a spec in one release."""

    def __init__(self, release: tuple[int, ...], kind: str) -> None:
        tables = raylint_schemas.load(release)
        assert tables is not None
        self.definitions = tables["definitions"]
        self.root = self.definition(tables["kinds"][kind]["v1"]["schema"])["properties"]["spec"]
        self.validator = jsonschema.Draft7Validator(self.expanded(self.root))

    def definition(self, part: Any) -> dict[str, Any]:
        if isinstance(part, int):
            found: dict[str, Any] = self.definitions[part]
            return found
        return {"type": part} if isinstance(part, str) else part

    def expanded(self, part: Any) -> dict[str, Any]:
        """As JSON Schema. Required fields that have a default are there by then; unknown ones are gone."""
        part = self.definition(part)
        copied = ("type", "enum", "pattern", "minimum", "minLength", "maxLength", "minItems", "required")
        found: dict[str, Any] = {key: part[key] for key in copied if key in part}
        if "pattern" in found:
            found["pattern"] = found["pattern"].replace("$", r"\Z")
        if part.get("x-kubernetes-int-or-string"):
            found["type"] = ["integer", "string"]
            found |= {"minimum": -(2**63), "maximum": 2**63 - 1}
        if part.get("type") == "integer":
            bits = 32 if part.get("format") == "int32" else 64
            found["minimum"] = max(found.get("minimum", -(2**63)), -(2 ** (bits - 1)))
            found["maximum"] = 2 ** (bits - 1) - 1
        if part.get("nullable"):
            found["type"] = [found["type"], "null"]
        if "properties" in part:
            found["properties"] = {name: self.expanded(child) for name, child in part["properties"].items()}
        for key in ("items", "additionalProperties"):
            if key in part:
                found[key] = self.expanded(part[key])
        return found

    def judge(self, spec: Any) -> tuple[set[tuple[Any, ...]], set[tuple[Any, ...]]]:
        """The paths of unknown fields, and of all other faults."""
        spec = separate(spec)
        unknown: set[tuple[Any, ...]] = set()
        self.prune(self.root, spec, (), unknown)
        self.default(self.root, spec)
        faulty = set()
        for error in self.validator.iter_errors(spec):
            path = tuple(error.absolute_path)
            if error.validator == "required":
                # One error for each missing field; the name stands in the message alone.
                required, instance = (
                    cast("list[str]", error.validator_value),
                    cast("dict[str, Any]", error.instance),
                )
                faulty |= {(*path, name) for name in required if name not in instance}
            else:
                faulty.add(path)
        self.duplicates(self.root, spec, (), faulty)
        return unknown, faulty

    def prune(self, part: Any, value: Any, path: tuple[Any, ...], unknown: set[tuple[Any, ...]]) -> None:
        definition = self.definition(part) if part is not None else {}
        if isinstance(value, list):
            for index, item in enumerate(value):
                self.prune(definition.get("items"), item, (*path, index), unknown)
        elif isinstance(value, dict):
            for key in list(value):
                child = definition.get("properties", {}).get(key, definition.get("additionalProperties"))
                if child is None:
                    unknown.add((*path, key))
                    del value[key]
                else:
                    self.prune(child, value[key], (*path, key), unknown)

    def default(self, part: Any, value: Any) -> None:
        definition = self.definition(part) if part is not None else {}
        if isinstance(value, list):
            for item in value:
                self.default(definition.get("items"), item)
        elif isinstance(value, dict):
            properties = {key: self.definition(child) for key, child in definition.get("properties", {}).items()}
            for key in list(value):
                child = properties.get(key) or self.definition(definition.get("additionalProperties", "object"))
                if value[key] is None and not child.get("nullable"):
                    del value[key]
            for key, child in properties.items():
                if key not in value and "default" in child:
                    value[key] = separate(child["default"])
            for key in value:
                self.default(properties.get(key, definition.get("additionalProperties")), value[key])

    def duplicates(self, part: Any, value: Any, path: tuple[Any, ...], faulty: set[tuple[Any, ...]]) -> None:
        definition = self.definition(part) if part is not None else {}
        if isinstance(value, dict):
            for key, item in value.items():
                child = definition.get("properties", {}).get(key, definition.get("additionalProperties"))
                self.duplicates(child, item, (*path, key), faulty)
        elif isinstance(value, list) and "items" in definition:
            kind = definition.get("x-kubernetes-list-type")
            keys = definition.get("x-kubernetes-list-map-keys")
            seen: list[str] = []
            for index, item in enumerate(value):
                self.duplicates(definition["items"], item, (*path, index), faulty)
                if kind == "map" and keys and all(isinstance(item, dict) for item in value):
                    item = {key: item[key] for key in keys if key in item}
                elif kind != "set":
                    continue
                text = json.dumps(item, sort_keys=True)
                if text in seen:
                    faulty.add((*path, index))
                seen.append(text)


@cache
def second(release: tuple[int, ...], kind: str) -> Second:
    return Second(release, kind)


@cache
def names_of(release: tuple[int, ...]) -> list[str]:
    """Names of fields anywhere in a release, and two that are nowhere."""
    tables = raylint_schemas.load(release)
    assert tables is not None
    found = {name for part in tables["definitions"] if part for name in part.get("properties", ())}
    return [*sorted(found), "nowhere", "minWorkers"]


@pytest.mark.parametrize("release", KUBERAY_RELEASES, ids=lambda release: ".".join(map(str, release)))
def test_both_find_the_same(release: tuple[int, ...]) -> None:
    draw = random.Random(f"{SEED}/{release}")
    schema = bundled_schema(release)
    differing, refused = [], 0
    for _ in range(MUTANTS_A_RELEASE):
        kind = draw.choice([kind for kind in SPECS if kind in schema.kinds])
        spec = mutated(SPECS[kind], names_of(release), draw)
        manifest = {"apiVersion": "ray.io/v1", "kind": kind, "metadata": {"name": "a"}, "spec": spec}
        faults = [fault for fault in schema.faults(manifest) if fault.kind is not FaultKind.RULE]
        ours = (
            {fault.path[1:] for fault in faults if fault.dropped},
            {fault.path[1:] for fault in faults if not fault.dropped},
        )
        theirs = second(release, kind).judge(spec)
        refused += bool(faults)
        if ours != theirs:
            differing.append((kind, spec, ours[0] ^ theirs[0], ours[1] ^ theirs[1]))
    assert differing == []
    # The mutants are worth something: many are refused, and some are not.
    assert MUTANTS_A_RELEASE * 0.5 < refused < MUTANTS_A_RELEASE


def test_more_than_four_thousand_mutants() -> None:
    assert MUTANTS_A_RELEASE * len(KUBERAY_RELEASES) >= 4000


@pytest.mark.parametrize("value", [float(2**53), 1e18, 1e300])
def test_large_whole_floats_are_where_the_two_differ(value: float) -> None:
    """The one difference: the server no longer takes a float beyond 2**53 for a whole number (kube-openapi,
    ``swag.IsFloat64AJSONInteger``); jsonschema takes any. Hence no mutant has one."""
    spec = {
        **CLUSTER,
        "workerGroupSpecs": [{**GROUP, "template": {"spec": {"terminationGracePeriodSeconds": value}}}],
    }
    manifest = {"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": {"name": "a"}, "spec": spec}
    faults = bundled_schema((1, 7)).faults(manifest)
    assert {fault.path[-1] for fault in faults} == {"terminationGracePeriodSeconds", "containers"}
    assert FaultKind.WRONG_TYPE in {fault.kind for fault in faults}
