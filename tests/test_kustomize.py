"""Files that a kustomization uses as patches are no objects."""

from __future__ import annotations

from pathlib import Path

import pytest

from raylint.kustomize import is_patch
from raylint.packs import installed_rules
from raylint.registry import choose
from raylint.run import run
from raylint.selection import Selection
from raylint.target import Target

PATCH = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo}
spec:
  workerGroupSpecs:
  - groupName: cpu
    replicas: 5
"""


@pytest.mark.parametrize(
    "kustomization",
    [
        "patches:\n- path: patches/replicas.yaml\n  target: {kind: RayCluster}\n",
        "patchesStrategicMerge:\n- ./patches/replicas.yaml\n",
        "patchesJson6902:\n- {path: patches/replicas.yaml, target: {kind: RayCluster, name: demo}}\n",
    ],
)
@pytest.mark.parametrize("name", ["kustomization.yaml", "kustomization.yml", "Kustomization"])
def test_a_listed_file_is_a_patch(tmp_path: Path, name: str, kustomization: str) -> None:
    (tmp_path / "patches").mkdir()
    patch = tmp_path / "patches" / "replicas.yaml"
    patch.write_text(PATCH)
    (tmp_path / name).write_text(kustomization)
    assert is_patch(str(patch))


@pytest.mark.parametrize(
    "kustomization",
    [
        "resources:\n- replicas.yaml\n",
        "patches:\n- path: other.yaml\n- patch: |\n    - op: remove\n",
        "patchesStrategicMerge:\n- |\n  kind: RayCluster\n- 1\n",
        "patches: replicas.yaml\n",
        "- a\n",
        "a: [\n",
        "",
    ],
)
def test_any_other_file_is_none(tmp_path: Path, kustomization: str) -> None:
    resource = tmp_path / "replicas.yaml"
    resource.write_text(PATCH)
    (tmp_path / "kustomization.yaml").write_text(kustomization)
    assert not is_patch(str(resource))


def test_a_kustomization_that_is_not_text_lists_nothing(tmp_path: Path) -> None:
    (tmp_path / "kustomization.yaml").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "kustomization.yml").mkdir()
    assert not is_patch(str(tmp_path / "replicas.yaml"))


def test_a_patch_is_told_and_not_judged(tmp_path: Path) -> None:
    (tmp_path / "replicas.yaml").write_text(PATCH)
    (tmp_path / "kustomization.yaml").write_text("patches:\n- path: replicas.yaml\n")
    report, _ = run(choose(installed_rules()), Target(), Selection([str(tmp_path)]))
    assert [(finding.rule_id, finding.severity.label) for finding in report.findings] == [("RL012", "info")]
    (tmp_path / "kustomization.yaml").write_text("resources:\n- replicas.yaml\n")
    for memo in ("_around", "_patches"):
        is_patch.__globals__[memo].cache_clear()
    report, _ = run(choose(installed_rules()), Target(), Selection([str(tmp_path)]))
    assert {finding.rule_id for finding in report.findings} == {"API003"}
