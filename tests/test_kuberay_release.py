"""Which release of KubeRay a file shows."""

from __future__ import annotations

from typing import Any

import pytest

from raylint.kuberay_release import shown_release


def chart(text: Any) -> dict[str, Any]:
    return {"kind": "RayCluster", "metadata": {"name": "a", "labels": {"helm.sh/chart": text}}}


def operator(image: Any) -> dict[str, Any]:
    return {"kind": "Deployment", "spec": {"template": {"spec": {"containers": [{"image": image}]}}}}


@pytest.mark.parametrize(
    ("documents", "release"),
    [
        ([chart("ray-cluster-1.4.2")], (1, 4)),
        ([chart("kuberay-operator-1.10.0")], (1, 10)),
        ([chart("ray-cluster-1.6.0-rc.1")], (1, 6)),
        ([operator("quay.io/kuberay/operator:v1.3.2")], (1, 3)),
        ([operator("kuberay/operator:1.3.2@sha256:0")], (1, 3)),
        ([chart("ray-cluster-1.4.2"), operator("quay.io/kuberay/operator:v1.4.0")], (1, 4)),
        ([chart("ray-cluster-1.4.2"), operator("quay.io/kuberay/operator:v1.3.2")], None),
        ([chart("redis-1.4.2")], None),
        ([operator("quay.io/kuberay/operator:nightly")], None),
        ([operator("example.com/other/operator:v1.3.2")], None),
        ([chart(7), operator(None), None, [], {"spec": {"template": []}}, {"metadata": {"labels": "x"}}], None),
        ([], None),
    ],
)
def test_release(documents: list[object], release: tuple[int, ...] | None) -> None:
    assert shown_release(documents) == release
