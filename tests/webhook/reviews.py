"""Reviews for tests: as an API server would send them, with as little in them as a test needs."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "admission"
CAPTURED = sorted(path for path in FIXTURES.glob("[0-9]*.json"))
PERSON = "alice"
OPERATOR = "system:serviceaccount:kuberay-system:kuberay-operator"
AUTOSCALER = "system:serviceaccount:team:demo-head"


def captured(name: str) -> dict[str, Any]:
    """A captured review, by the beginning of its file's name."""
    (path,) = FIXTURES.glob(f"{name}*.json")
    found: dict[str, Any] = json.loads(path.read_bytes())
    return found


def container(name: str, **more: Any) -> dict[str, Any]:
    size = {"cpu": "2", "memory": "8Gi"}
    return {
        "name": name,
        "image": "rayproject/ray:2.46.0",
        "resources": {"limits": size, "requests": size},
        **more,
    }


def cluster(**metadata: Any) -> dict[str, Any]:
    """A RayCluster in which no built-in rule finds an error."""
    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayCluster",
        "metadata": {"name": "demo", "namespace": "team", **metadata},
        "spec": {
            "rayVersion": "2.46.0",
            "headGroupSpec": {
                "rayStartParams": {},
                "template": {"spec": {"containers": [container("ray-head")]}},
            },
            "workerGroupSpecs": [
                {
                    "groupName": "gpu",
                    "replicas": 1,
                    "minReplicas": 0,
                    "maxReplicas": 3,
                    "rayStartParams": {},
                    "template": {"spec": {"containers": [container("ray-worker")]}},
                }
            ],
        },
    }


def changed(data: dict[str, Any], *path: str | int, to: Any) -> dict[str, Any]:
    """A copy of the data with another value at a path."""
    made = copy.deepcopy(data)
    at: Any = made
    for step in path[:-1]:
        at = at.setdefault(step, {}) if isinstance(at, dict) and isinstance(step, str) else at[step]
    at[path[-1]] = to
    return made


def create(data: dict[str, Any], user: str = PERSON, **request: Any) -> dict[str, Any]:
    group, _, version = data["apiVersion"].partition("/")
    kind = {"group": group, "version": version, "kind": data["kind"]}
    metadata = data["metadata"]
    return {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "uid": "3b1d0b0e-0000-4000-8000-000000000001",
            "kind": kind,
            "requestKind": kind,
            "operation": "CREATE",
            "name": metadata.get("name", ""),
            "namespace": metadata.get("namespace", ""),
            "userInfo": {"username": user, "groups": ["system:authenticated"], "extra": {"token": ["hidden-id"]}},
            "object": data,
            "oldObject": None,
            "dryRun": False,
            **request,
        },
    }


def update(
    old: dict[str, Any] | None, new: dict[str, Any] | None, user: str = PERSON, **request: Any
) -> dict[str, Any]:
    shown = new or old or {}
    return create(shown, user, operation="UPDATE", object=new, oldObject=old, **request)
