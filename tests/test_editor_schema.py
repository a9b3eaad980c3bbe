"""The schemas for editors."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from raylint.editor_schema import editor_schema, editor_schema_text
from raylint.errors import UsageError
from raylint.schema import bundled_schema
from raylint.target import KUBERAY_RELEASES, version_text

KINDS = [
    pytest.param(release, kind, id=f"{kind}-{version_text(release)}")
    for release in KUBERAY_RELEASES
    for kind in bundled_schema(release).kinds
]
POD = {"spec": {"containers": [{"name": "ray", "resources": {"limits": {"cpu": 1, "memory": "4Gi"}}}]}}
GROUP = {"groupName": "cpu", "rayStartParams": {}, "template": POD}
CLUSTER = {"headGroupSpec": {"rayStartParams": {"num-gpus": None}, "template": POD}, "workerGroupSpecs": [GROUP]}


def manifest(spec: dict[str, Any], version: str = "v1") -> dict[str, Any]:
    return {"apiVersion": f"ray.io/{version}", "kind": "RayCluster", "metadata": {"name": "a"}, "spec": spec}


@pytest.mark.parametrize(("release", "kind"), KINDS)
def test_is_a_json_schema(release: tuple[int, ...], kind: str) -> None:
    schema = editor_schema(bundled_schema(release), kind)
    jsonschema.Draft7Validator.check_schema(schema)
    assert json.loads(editor_schema_text(bundled_schema(release), kind)) == schema
    text = json.dumps(schema)
    assert all(f'"{name}"' in text for name in schema["definitions"])


@pytest.mark.parametrize("version", ["v1", "v1alpha1"])
def test_takes_what_the_server_takes(version: str) -> None:
    validator = jsonschema.Draft7Validator(editor_schema(bundled_schema((1, 7)), "RayCluster"))
    assert list(validator.iter_errors(manifest(CLUSTER, version))) == []
    assert list(validator.iter_errors({**manifest(CLUSTER, version), "status": {"state": "ready"}})) == []


@pytest.mark.parametrize(
    ("spec", "version"),
    [
        ({**CLUSTER, "headGroup": {}}, "v1"),
        ({**CLUSTER, "enableInTreeAutoscaling": "true"}, "v1"),
        ({**CLUSTER, "autoscalerOptions": {"upscalingMode": "aggressive"}}, "v1"),
        ({**CLUSTER, "workerGroupSpecs": [{**GROUP, "replicas": 2**31}]}, "v1"),
        ({**CLUSTER, "workerGroupSpecs": [{"groupName": "a"}]}, "v1"),
        ({**CLUSTER, "gcsFaultToleranceOptions": {}}, "v1alpha1"),
        ({}, "v1"),
    ],
)
def test_marks_what_the_server_refuses(spec: dict[str, Any], version: str) -> None:
    validator = jsonschema.Draft7Validator(editor_schema(bundled_schema((1, 7)), "RayCluster"))
    assert list(validator.iter_errors(manifest(spec, version))) != []
    assert bundled_schema((1, 7)).faults(manifest(spec, version)) != []


def test_a_kind_that_is_not_there_is_refused() -> None:
    with pytest.raises(UsageError, match=r"KubeRay 1\.5 has no kind 'RayCronJob'; it has RayCluster, RayJob,"):
        editor_schema(bundled_schema((1, 5)), "RayCronJob")
