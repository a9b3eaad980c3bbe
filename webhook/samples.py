"""Good objects of each kind, as reviews: what a new configuration is tried on before it is put in force."""

from __future__ import annotations

from typing import Any

from raylint.admission import GROUP
from raylint.admission_review import API_VERSION

__all__ = ["SAMPLES", "review_of"]


def review_of(data: dict[str, Any], uid: str = "sample") -> dict[str, Any]:
    """A review of the creation of an object."""
    group, _, version = data["apiVersion"].partition("/")
    return {
        "apiVersion": API_VERSION,
        "kind": "AdmissionReview",
        "request": {
            "uid": uid,
            "kind": {"group": group, "version": version, "kind": data["kind"]},
            "operation": "CREATE",
            "namespace": "default",
            "name": data["metadata"]["name"],
            "userInfo": {"username": "sample"},
            "object": data,
            "oldObject": None,
        },
    }


def _pod(name: str) -> dict[str, Any]:
    size = {"cpu": "2", "memory": "8Gi"}
    container = {
        "name": name,
        "image": "rayproject/ray:2.46.0",
        "resources": {"requests": size, "limits": size},
    }
    return {"spec": {"containers": [container]}}


_CLUSTER: dict[str, Any] = {
    "rayVersion": "2.46.0",
    "headGroupSpec": {"rayStartParams": {}, "template": _pod("ray-head")},
    "workerGroupSpecs": [
        {
            "groupName": "workers",
            "replicas": 1,
            "minReplicas": 1,
            "maxReplicas": 2,
            "rayStartParams": {},
            "template": _pod("ray-worker"),
        }
    ],
}
_JOB: dict[str, Any] = {"entrypoint": "python -m job", "rayClusterSpec": _CLUSTER}
_SERVE = "applications:\n- name: app\n  import_path: app:entry\n  route_prefix: /\n"
_SPECS: dict[str, dict[str, Any]] = {
    "RayCluster": _CLUSTER,
    "RayJob": _JOB,
    "RayService": {"serveConfigV2": _SERVE, "rayClusterConfig": _CLUSTER},
    "RayCronJob": {"schedule": "0 3 * * *", "jobTemplate": _JOB},
}

SAMPLES = tuple(
    review_of({"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": {"name": "sample"}, "spec": spec})
    for kind, spec in _SPECS.items()
)
