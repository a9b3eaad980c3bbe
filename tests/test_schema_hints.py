"""What raylint says of a field that does not exist."""

from __future__ import annotations

import pytest

from raylint.schema import bundled_schema
from raylint.schema_hints import distance, hint, nearest_kind, releases_with

GROUP = ("spec", "workerGroupSpecs", 0)
HEAD = ("spec", "headGroupSpec")


@pytest.mark.parametrize(
    ("kind", "path", "meant"),
    [
        # The table of invented names.
        ("RayCluster", (*GROUP, "minWorkers"), "'minReplicas'"),
        ("RayCluster", (*GROUP, "max_workers"), "'maxReplicas'"),
        ("RayCluster", (*GROUP, "name"), "'groupName'"),
        ("RayCluster", ("spec", "gcsFaultTolerance"), "'gcsFaultToleranceOptions'"),
        ("RayCluster", ("spec", "headGroup"), "'headGroupSpec'"),
        ("RayCluster", ("spec", "workerGroups"), "'workerGroupSpecs'"),
        ("RayCluster", ("spec", "autoscaler"), "'autoscalerOptions'"),
        ("RayCluster", ("spec", "upscaling_speed"), "'spec.autoscalerOptions.upscalingMode'"),
        ("RayCluster", ("spec", "minWorkers"), "'spec.workerGroupSpecs[0].minReplicas'"),
        ("RayCluster", (*HEAD, "numCpus"), "the key 'num-cpus' of rayStartParams"),
        ("RayJob", ("spec", "runtimeEnvYaml"), "'runtimeEnvYAML'"),
        ("RayJob", ("spec", "rayClusterConfig"), "'rayClusterSpec'"),
        ("RayService", ("spec", "rayClusterSpec"), "'rayClusterConfig'"),
        # Slips of the pen.
        ("RayCluster", ("sepc",), "'spec'"),
        ("RayCluster", ("spec", "RayVersion"), "'rayVersion'"),
        ("RayCluster", ("spec", "enableInTreeAutoscalling"), "'enableInTreeAutoscaling'"),
        ("RayCluster", (*GROUP, "replica"), "'replicas'"),
        ("RayCluster", ("metadata", "lables"), "'labels'"),
        # The wrong level.
        ("RayCluster", (*GROUP, "nodeSelector"), "'spec.workerGroupSpecs[0].template.spec.nodeSelector'"),
        ("RayCluster", (*HEAD, "image"), "'spec.headGroupSpec.template.spec.containers[0].image'"),
        ("RayCluster", ("spec", "redisAddress"), "'spec.gcsFaultToleranceOptions.redisAddress'"),
        ("RayJob", ("spec", "headGroupSpec"), "'spec.rayClusterSpec.headGroupSpec'"),
        ("RayJob", ("spec", "rayClusterSpec", "entrypoint"), "'spec.entrypoint'"),
    ],
)
def test_did_you_mean(kind: str, path: tuple[str | int, ...], meant: str) -> None:
    found = hint(bundled_schema((1, 7)), "ray.io/v1", kind, path, (1, 7))
    assert found.note == f"did you mean {meant}?"
    assert found.fix == f"write {meant} instead"


@pytest.mark.parametrize(
    ("kind", "path", "release", "note", "fix"),
    [
        (
            "RayCluster", ("spec", "gcsFaultToleranceOptions"), (1, 2),
            "it is known from KubeRay 1.3 on; the target is KubeRay 1.2",
            "remove it, or upgrade KubeRay and its CRDs first",
        ),
        (
            "RayCluster", ("spec", "gcsFaultTolerance"), (1, 2),
            "'gcsFaultToleranceOptions' may be meant, known from KubeRay 1.3 on; the target is KubeRay 1.2",
            "remove it, or upgrade KubeRay and its CRDs first",
        ),
        (
            "RayService", ("spec", "rayClusterConfig", "workerGroupSpecs", 0, "numOfHosts"), (1, 0),
            "it is known from KubeRay 1.1 on; the target is KubeRay 1.0",
            "remove it, or upgrade KubeRay and its CRDs first",
        ),
        (
            "RayJob", ("spec", "deletionPolicy"), (1, 7),
            "KubeRay 1.4 was the last to have it; the target is KubeRay 1.7", "write 'deletionStrategy' instead",
        ),
        (
            "RayJob", ("spec", "runtimeEnv"), (1, 7),
            "KubeRay 1.0 was the last to have it; the target is KubeRay 1.7", "write 'runtimeEnvYAML' instead",
        ),
        (
            "RayService", ("spec", "serveConfig"), (1, 7),
            "KubeRay 1.0 was the last to have it; the target is KubeRay 1.7", "write 'serveConfigV2' instead",
        ),
        (
            "RayCluster", (*HEAD, "replicas"), (1, 7),
            "KubeRay 1.0 was the last to have it; the target is KubeRay 1.7", "remove it",
        ),
    ],
)  # fmt: skip
def test_fields_of_other_releases(
    kind: str, path: tuple[str | int, ...], release: tuple[int, ...], note: str, fix: str
) -> None:
    found = hint(bundled_schema(release), "ray.io/v1", kind, path, release)
    assert (found.note, found.fix) == (note, fix)


def test_fields_of_v1_in_v1alpha1() -> None:
    path = ("spec", "gcsFaultToleranceOptions")
    found = hint(bundled_schema((1, 7)), "ray.io/v1alpha1", "RayCluster", path, (1, 7))
    assert (found.note, found.fix) == ("it exists in ray.io/v1 only", "write apiVersion: ray.io/v1")


@pytest.mark.parametrize(
    ("kind", "path", "note"),
    [
        ("RayCluster", ("spec", "entrypoint"), "a RayJob has such a field, a RayCluster does not"),
        ("RayCluster", ("spec", "somethingElse"), ""),
        ("RayCluster", ("metadata", "ownerReferences", 0, "nonsense"), ""),
        ("RayCluster", ("spec", "nowhere", "atAll"), ""),
        ("RayCluster", (*HEAD, "name"), ""),
    ],
)
def test_nothing_is_invented(kind: str, path: tuple[str | int, ...], note: str) -> None:
    found = hint(bundled_schema((1, 7)), "ray.io/v1", kind, path, (1, 7))
    assert (found.note, found.fix) == (note, "")


@pytest.mark.parametrize(
    ("one", "other", "steps"),
    [("", "", 0), ("abc", "abc", 0), ("abc", "acb", 1), ("abc", "ab", 1), ("ab", "abc", 1), ("abc", "axc", 1),
     ("abcd", "badc", 2), ("abc", "xyz", 3), ("a", "abcde", 4), ("kitten", "sitting", 3)],
)  # fmt: skip
def test_distance(one: str, other: str, steps: int) -> None:
    assert distance(one, other, 3) == steps
    assert distance(other, one, 3) == steps


def test_kinds() -> None:
    schema = bundled_schema((1, 7))
    assert nearest_kind(schema, "Raycluster") == "RayCluster"
    assert nearest_kind(schema, "RayCronjob") == "RayCronJob"
    assert nearest_kind(schema, "Deployment") == ""
    assert releases_with("ray.io/v1", "RayCronJob") == ["1.6", "1.7"]
    assert releases_with("ray.io/v2", "RayCluster") == []
