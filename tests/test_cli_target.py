"""What a manifest is judged against: releases, CRDs of one's own, and what is printed of them."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from raylint.cli import main

pytest_plugins = ["sharing"]

SCHEMA = json.loads((Path(__file__).parent.parent / "raylint" / "raylint-v1.schema.json").read_text())
# The options for fault tolerance came with KubeRay 1.3.
CLUSTER = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata:
  name: demo
  labels: {{helm.sh/chart: ray-cluster-{chart}}}
spec:
  gcsFaultToleranceOptions: {{redisAddress: "redis:6379"}}
  headGroupSpec:
    rayStartParams: {{}}
    template: {{spec: {{containers: [{{name: ray-head, image: "rayproject/ray:2.52.0"}}]}}}}
"""
CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: rayclusters.ray.io}
spec:
  group: ray.io
  names: {kind: RayCluster, plural: rayclusters, singular: raycluster, listKind: RayClusterList}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          apiVersion: {type: string}
          kind: {type: string}
          metadata: {type: object}
          spec:
            type: object
            properties:
              headGroupSpec: {type: object, x-kubernetes-preserve-unknown-fields: true}
              homeMade: {type: integer}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rules_of(capsys: pytest.CaptureFixture[str]) -> list[tuple[str, str]]:
    report = json.loads(capsys.readouterr().out)
    jsonschema.validate(report, SCHEMA)
    return [(finding["file"], finding["rule"]) for finding in report["findings"]]


def test_auto_takes_each_file_for_the_release_that_it_shows(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "new.yaml").write_text(CLUSTER.format(chart="1.6.0"))
    (folder / "old.yaml").write_text(CLUSTER.format(chart="1.2.2"))
    (folder / "strange.yaml").write_text(CLUSTER.format(chart="9.9.9"))
    assert main(["--kuberay", "auto", "--select", "API", "--format", "json"]) == 1
    assert rules_of(capsys) == [("old.yaml", "API001")]


def test_auto_stands_in_the_closing_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "new.yaml").write_text(CLUSTER.format(chart="1.6.0"))
    assert main(["--kuberay", "auto", "--select", "API"]) == 0
    assert "target KubeRay as each file shows, else 1.7" in capsys.readouterr().out


def test_kubernetes_changes_what_is_found_and_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = CLUSTER.format(chart="1.6.0").replace("{containers:", "{initContainers: [SIDECAR], containers:")
    (folder / "new.yaml").write_text(text.replace("SIDECAR", "{name: s, restartPolicy: Always}"))
    assert main(["--select", "RAY718", "--format", "json"]) == 0
    assert rules_of(capsys) == []
    assert main(["--select", "RAY718", "--kubernetes", "1.28.4", "--format", "json"]) == 1
    assert rules_of(capsys) == [("new.yaml", "RAY718")]
    assert main(["--select", "RAY718", "--kubernetes", "1.29"]) == 0
    assert capsys.readouterr().out.endswith("Ray as each manifest says, Kubernetes 1.29\n")
    old = folder / "old"
    old.mkdir()
    (old / ".raylint.yaml").write_text('target: {kubernetes: "1.28", kuberay: auto}\n')
    (folder / "new.yaml").rename(old / "new.yaml")
    assert main(["--select", "RAY718", "--format", "concise", "old"]) == 1
    assert "and Kubernetes 1.28 waits for its end" in capsys.readouterr().out


@pytest.mark.parametrize("release", ["1.6.2", "v1.6.2", "1.6"])
def test_a_release_with_a_patch_keeps_the_contract(
    folder: Path, capsys: pytest.CaptureFixture[str], release: str
) -> None:
    (folder / "new.yaml").write_text(CLUSTER.format(chart="1.6.0"))
    assert main(["--kuberay", release, "--select", "API", "--format", "json"]) == 0
    assert rules_of(capsys) == []


def test_crds_of_ones_own_replace_the_bundled_ones(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "crd.yaml").write_text(CRD)
    (folder / "own.yaml").write_text(
        "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: demo}\nspec: {homeMade: 1, rayVersion: x}\n"
    )
    assert main(["own.yaml", "--crd", "crd.yaml", "--select", "API", "--format", "json"]) == 1
    assert rules_of(capsys) == [("own.yaml", "API001")]
    assert main(["own.yaml", "--select", "API", "--format", "json"]) == 1
    assert ("own.yaml", "API003") in rules_of(capsys)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--crd", "missing.yaml", "."], "missing.yaml cannot be read"),
        (["--crd", "none.yaml", "."], "none.yaml"),
        (["schema"], "raylint schema needs one kind"),
        (["schema", "RayCluster", "RayJob"], "raylint schema needs one kind"),
        (["schema", "RayClustre"], "has no kind 'RayClustre'"),
        (["schema", "RayCronJob", "--kuberay", "1.4"], "has no kind 'RayCronJob'"),
        (["--select", "KR026", "--ignore", "KR026"], "no rule is left to run"),
        (["--select", "KR028", "--kuberay", "1.5"], "no rule is left to run"),
        (["rules", "--crd", "crd.yaml"], "--crd has no effect on 'raylint rules'"),
    ],
)
def test_wrong_usage(folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], reason: str) -> None:
    (folder / "none.yaml").write_text("kind: List\napiVersion: v1\nitems: []\n")
    assert main(words) == 2
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["RayCluster", "RayJob", "RayService", "RayCronJob"])
def test_the_schema_for_editors_is_one(capsys: pytest.CaptureFixture[str], kind: str) -> None:
    assert main(["schema", kind]) == 0
    schema = json.loads(capsys.readouterr().out)
    jsonschema.Draft7Validator.check_schema(schema)
    wrong = {"apiVersion": "ray.io/v1", "kind": kind, "metadata": {"name": "a"}, "spec": {"noSuchField": 1}}
    assert list(jsonschema.Draft7Validator(schema).iter_errors(wrong))


DELETION = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: kuberay-operator}
spec:
  template:
    spec:
      containers:
      - {name: manager, image: "quay.io/kuberay/operator:v1.5.1", args: ["--feature-gates=GATES"]}
---
apiVersion: ray.io/v1
kind: RayJob
metadata: {name: demo}
spec:
  entrypoint: python a.py
  deletionStrategy: {onSuccess: {policy: DeleteSelf}, onFailure: {policy: DeleteNone}}
  rayClusterSpec:
    headGroupSpec:
      rayStartParams: {}
      template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
"""


def test_auto_takes_the_gates_of_the_operator_in_the_file(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "on.yaml").write_text(DELETION.replace("GATES", "RayJobDeletionPolicy=true"))
    (folder / "off.yaml").write_text(DELETION.replace("GATES", "RayMultiHostIndexing=true"))
    assert main(["--kuberay", "auto", "--select", "KR", "--format", "json"]) == 1
    report = json.loads(capsys.readouterr().out)
    jsonschema.validate(report, SCHEMA)
    assert report["target"] == {"kuberay": "auto", "ray": "auto", "feature_gates": {}}
    (finding,) = report["findings"]
    assert (finding["file"], finding["rule"]) == ("off.yaml", "KR113")
    assert (finding["kuberay"], finding["feature_gates"]) == ("1.5", {"RayMultiHostIndexing": True})


@pytest.mark.usefixtures("shares")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_each_finding_tells_the_release_that_it_was_judged_by(
    folder: Path, capsys: pytest.CaptureFixture[str], jobs: str
) -> None:
    (folder / "old.yaml").write_text(CLUSTER.format(chart="1.2.2"))
    (folder / "new.yaml").write_text(CLUSTER.format(chart="9.9.9").replace("spec:\n  gcs", "spec:\n  x: 1\n  gcs"))
    words = ["--kuberay", "auto", "--feature-gates", "RayCronJob=true", "--jobs", jobs]
    assert main([*words, "--select", "API001", "--format", "json"]) == 1
    report = json.loads(capsys.readouterr().out)
    jsonschema.validate(report, SCHEMA)
    told = {finding["file"]: finding["kuberay"] for finding in report["findings"]}
    assert told == {"old.yaml": "1.2", "new.yaml": "1.7"}
    assert all(finding["feature_gates"] == {"RayCronJob": True} for finding in report["findings"])
    main([*words, "--select", "API001"])
    assert "target KubeRay as each file shows, else 1.7, RayCronJob=true, Ray" in capsys.readouterr().out


@pytest.mark.parametrize(("word", "shown"), [("auto", "1.2"), ("1.6", "1.6")])
def test_effective_takes_a_file_for_the_release_that_it_shows(
    folder: Path, capsys: pytest.CaptureFixture[str], word: str, shown: str
) -> None:
    (folder / "old.yaml").write_text(CLUSTER.format(chart="1.2.2"))
    assert main(["effective", "--kuberay", word]) == 0
    assert f"as KubeRay {shown} makes it" in capsys.readouterr().out
    assert main(["effective", "--kuberay", word, "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    (found,) = data["objects"]
    assert data["target"]["kuberay"] == word
    assert found.get("target", data["target"])["kuberay"] == shown
