"""Which release of KubeRay a file shows."""

from __future__ import annotations

from typing import Any

import pytest

from raylint.kuberay_release import shown_gates, shown_release, target_of_file
from raylint.target import Target


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


def started(*args: Any, image: str = "quay.io/kuberay/operator:v1.5.1", key: str = "args") -> dict[str, Any]:
    return {"spec": {"template": {"spec": {"containers": [{"image": image, key: list(args)}]}}}}


@pytest.mark.parametrize(
    ("document", "gates"),
    [
        (started("--feature-gates=RayJobDeletionPolicy=true,RayCronJob=FALSE"),
         {"RayJobDeletionPolicy": True, "RayCronJob": False}),
        (started("--v=1", "--feature-gates", "RayCronJob=true"), {"RayCronJob": True}),
        (started("--feature-gates=RayCronJob=true", key="command"), {"RayCronJob": True}),
        (started("--feature-gates=RayCronJob=true", image="kuberay/operator"), {"RayCronJob": True}),
        (started("--feature-gates=RayCronJob=true", image="example.com/own:v1"), None),
        (started("--feature-gates=NoSuchGate=true,RayCronJob=perhaps,RayClusterMTLS"), {}),
        (started("--feature-gates", 7), {}),
        (started("--feature-gates"), {}),
    ],
)  # fmt: skip
def test_gates(document: dict[str, Any], gates: dict[str, bool] | None) -> None:
    assert shown_gates([None, document]) == gates


OPERATOR = b"""\
apiVersion: apps/v1
kind: Deployment
spec:
  template:
    spec:
      containers:
      - {image: "kuberay/operator:v1.5.1", args: ["--feature-gates=RayCronJob=true,RayClusterMTLS=true"]}
"""


def test_a_file_shows_its_target() -> None:
    found = target_of_file(Target(auto=True, gates={"RayCronJob": False}), OPERATOR)
    assert (found.kuberay, found.gates) == ((1, 5), {"RayCronJob": False, "RayClusterMTLS": True})


def test_only_the_operator_itself_shows_its_gates() -> None:
    chart = b"metadata: {labels: {helm.sh/chart: ray-cluster-1.5.1}}"
    assert (target_of_file(Target(auto=True), chart).knows_gates, Target(gates={}).knows_gates) == (False, True)
    assert target_of_file(Target(auto=True, gates={"RayCronJob": True}), chart).gates == {"RayCronJob": True}
    shown = target_of_file(Target(auto=True), OPERATOR.replace(b"--feature-gates=", b"--other="))
    assert (shown.kuberay, shown.knows_gates, shown.gates) == ((1, 5), True, {})


@pytest.mark.parametrize("raw", [b"", b"labels: {helm.sh/chart: ray-cluster-9.9.9}", b"kuberay/operator: ["])
def test_what_shows_nothing_leaves_the_target_alone(raw: bytes) -> None:
    target = Target(auto=True)
    assert target_of_file(target, raw) is target
    assert target_of_file(Target((1, 4)), OPERATOR).kuberay == (1, 4)
