"""What the views answer, and who they say decided it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from raylint.cluster import RayCluster
from raylint.fault_tolerance import Means
from raylint.field import Field, Origin
from raylint.group import UNBOUNDED_REPLICAS, Group, WorkerGroup
from raylint.manifest import KubeObject, RayCronJob, RayJob, RayObject, RayService, objects
from raylint.pod import Container
from raylint.reader import read
from raylint.target import Target

PODS = Path(__file__).parent / "fixtures" / "effective-pods"
RECORDED: dict[str, Any] = json.loads((PODS / "pods.json").read_text())


def load(text: str, kuberay: tuple[int, ...] = (1, 7), ray: tuple[int, ...] | None = None) -> KubeObject:
    """The only object of a YAML text."""
    (document,) = read("test.yaml", text.encode()).documents
    (found,) = objects(document, Target(kuberay, ray))
    return found


def ray_object(text: str, kuberay: tuple[int, ...] = (1, 7), ray: tuple[int, ...] | None = None) -> RayObject:
    found = load(text, kuberay, ray)
    assert isinstance(found, RayObject)
    return found


def cluster(
    spec: str,
    kuberay: tuple[int, ...] = (1, 7),
    *,
    version: str = "v1",
    annotations: str = "{}",
    ray: tuple[int, ...] | None = None,
) -> RayCluster:
    """A RayCluster with this spec in flow style."""
    text = (
        f"apiVersion: ray.io/{version}\nkind: RayCluster\n"
        f"metadata: {{name: demo, annotations: {annotations}}}\nspec: {spec}\n"
    )
    found = ray_object(text, kuberay, ray).cluster
    assert found is not None
    return found


def worker(group: str, kuberay: tuple[int, ...] = (1, 7), *, spec: str = "", version: str = "v1") -> WorkerGroup:
    (found,) = cluster(f"{{{spec} workerGroupSpecs: [{group}]}}", kuberay, version=version).worker_groups
    return found


def container(text: str) -> Container:
    found = cluster(f"{{headGroupSpec: {{template: {{spec: {{containers: [{text}]}}}}}}}}")
    return found.head.ray_container


def answer(field: Field[Any]) -> tuple[object, Origin]:
    return field.value, field.origin


# --- The operator's own answers --------------------------------------------------------------------------------


def recorded_pods() -> list[tuple[str, str]]:
    return [(name, pod) for name, case in RECORDED.items() for pod in case["pods"]]


def recorded_view(name: str, pod: str) -> Group:
    found = ray_object((PODS / f"{name}.yaml").read_text()).cluster
    assert found is not None
    if pod == "head":
        return found.head
    return next(group for group in found.worker_groups if group.name == pod)


def test_recorded_pods_cover_every_object() -> None:
    assert {path.stem for path in PODS.glob("*.yaml")} == set(RECORDED)
    assert len(RECORDED) >= 39


@pytest.mark.parametrize(("name", "pod"), recorded_pods())
@pytest.mark.parametrize("param", ["num-cpus", "memory", "num-gpus"])
def test_resources_are_those_of_the_generated_command(name: str, pod: str, param: str) -> None:
    command = RECORDED[name]["pods"][pod]["ray_start_command"]
    match = re.search(rf" --{param}=(\S+)", command)
    view = recorded_view(name, pod)
    field = {"num-cpus": view.num_cpus, "memory": view.memory, "num-gpus": view.num_gpus}[param]
    # Devices that KubeRay passes over Ray counts itself.
    has_gpus = any(key.endswith("gpu") for key in view.ray_container.limits)
    absent = 0 if param == "num-gpus" and not has_gpus else None
    assert field.value == (int(match[1]) if match else absent)
    assert (field.origin is Origin.UNKNOWN) == (field.value is None)


@pytest.mark.parametrize(("name", "pod"), recorded_pods())
def test_restart_policy_is_that_of_the_pod(name: str, pod: str) -> None:
    recorded = RECORDED[name]["pods"][pod]["restartPolicy"]
    assert recorded_view(name, pod).pod.restart_policy.value == (recorded or "Always")


@pytest.mark.parametrize("name", RECORDED)
def test_fault_tolerance_is_that_of_the_head(name: str) -> None:
    env = RECORDED[name]["pods"]["head"]["env"]
    fault_tolerance = recorded_view(name, "head").cluster.gcs_fault_tolerance
    if "RAY_REDIS_ADDRESS" in env:
        assert fault_tolerance.uses_redis
        assert fault_tolerance.redis_address.value == env["RAY_REDIS_ADDRESS"]
        namespace = fault_tolerance.storage_namespace
        expected = env["RAY_external_storage_namespace"]
        assert (namespace.value or RECORDED[name]["uid"]) == expected
    else:
        assert not fault_tolerance.uses_redis


# --- The four kinds --------------------------------------------------------------------------------------------

SPEC = "{rayVersion: 2.52.0, workerGroupSpecs: [{groupName: cpu, replicas: 2}]}"


@pytest.mark.parametrize(
    ("kind", "body", "path"),
    [
        ("RayCluster", f"spec: {SPEC}", ("spec",)),
        ("RayJob", f"spec: {{rayClusterSpec: {SPEC}}}", ("spec", "rayClusterSpec")),
        ("RayService", f"spec: {{rayClusterConfig: {SPEC}}}", ("spec", "rayClusterConfig")),
        (
            "RayCronJob",
            f"spec: {{jobTemplate: {{rayClusterSpec: {SPEC}}}}}",
            ("spec", "jobTemplate", "rayClusterSpec"),
        ),
    ],
)
def test_cluster_of_every_kind(kind: str, body: str, path: tuple[str, ...]) -> None:
    found = ray_object(f"apiVersion: ray.io/v1\nkind: {kind}\nmetadata: {{name: demo}}\n{body}\n")
    assert found.kind == kind
    assert found.cluster is not None
    assert found.cluster.path == path
    assert found.cluster.ray_version == (2, 52, 0)
    (group,) = found.cluster.worker_groups
    assert group.path == (*path, "workerGroupSpecs", 0)
    assert group.title == "worker group 'cpu'"
    assert group.replicas.at.path == (*path, "workerGroupSpecs", 0, "replicas")
    assert found.cluster.guaranteed_workers == 2
    assert (found.job is not None) == (kind in ("RayJob", "RayCronJob"))


def test_job_part_of_a_cron_job_is_its_template() -> None:
    found = ray_object(
        "apiVersion: ray.io/v1\nkind: RayCronJob\nmetadata: {name: demo}\n"
        "spec: {submissionMode: HTTPMode, jobTemplate: {submissionMode: SidecarMode, entrypointNumCpus: 0.5}}\n"
    )
    assert isinstance(found, RayCronJob)
    assert answer(found.submission_mode) == ("SidecarMode", Origin.WRITTEN)
    assert found.submission_mode.at.path == ("spec", "jobTemplate", "submissionMode")
    assert answer(found.entrypoint_num_cpus) == (0.5, Origin.WRITTEN)
    assert found.cluster is None


def test_annotations_of_a_cron_job_reach_no_cluster() -> None:
    def fault_tolerance(kind: str, spec: str) -> Means:
        metadata = "metadata: {annotations: {ray.io/ft-enabled: 'true'}}"
        found = ray_object(f"apiVersion: ray.io/v1\nkind: {kind}\n{metadata}\nspec: {spec}\n").cluster
        assert found is not None
        return found.gcs_fault_tolerance.means

    assert fault_tolerance("RayJob", "{rayClusterSpec: {}}") is Means.ANNOTATION
    assert fault_tolerance("RayCronJob", "{jobTemplate: {rayClusterSpec: {}}}") is Means.NONE


@pytest.mark.parametrize(
    ("selector", "built"), [("", True), ("clusterSelector: {},", True), ("clusterSelector: {a: b},", False)]
)
def test_cluster_is_not_built_where_a_job_selects_another(selector: str, built: bool) -> None:
    found = ray_object(f"apiVersion: ray.io/v1\nkind: RayJob\nspec: {{{selector} rayClusterSpec: {{}}}}\n")
    assert isinstance(found, RayJob)
    assert found.uses_existing_cluster is not built
    assert found.cluster is not None
    assert found.cluster.is_built is built


def test_job_defaults() -> None:
    found = ray_object("apiVersion: ray.io/v1\nkind: RayJob\nspec: {}\n")
    assert isinstance(found, RayJob)
    assert answer(found.submission_mode) == ("K8sJobMode", Origin.API)
    assert answer(found.backoff_limit) == (0, Origin.API)
    assert answer(found.entrypoint_num_cpus) == (0.0, Origin.RAY)


@pytest.mark.parametrize("value", ["'1'", "true", "[1]"])
def test_entrypoint_cpus_of_a_wrong_type_are_unknown(value: str) -> None:
    found = ray_object(f"apiVersion: ray.io/v1\nkind: RayJob\nspec: {{entrypointNumCpus: {value}}}\n")
    assert isinstance(found, RayJob)
    assert answer(found.entrypoint_num_cpus) == (None, Origin.UNKNOWN)


def test_service_parts() -> None:
    found = ray_object(
        "apiVersion: ray.io/v1\nkind: RayService\nspec:\n  upgradeStrategy: {type: None}\n"
        "  serveConfigV2: |\n    applications: [{deployments: [{name: A, num_replicas: 3}, {name: B}]}]\n"
    )
    assert isinstance(found, RayService)
    assert answer(found.upgrade_strategy) == ("None", Origin.WRITTEN)
    assert found.serve_config.listed_replicas == 4


@pytest.mark.parametrize(
    ("config", "replicas"),
    [
        ("", None),
        ("[]", None),
        ("applications: [", None),
        ("applications: []", None),
        ("applications: [{import_path: a:b}]", None),
        ("applications: [{deployments: [{name: A}]}]", 1),
        ("applications: [{deployments: [{name: A, num_replicas: auto}]}]", 1),
        ("applications: [{deployments: [{name: A, num_replicas: x}]}]", None),
        ("applications: [{deployments: [{name: A, num_replicas: true}]}]", None),
        ("applications: [{deployments: [{name: A, num_replicas: 9, autoscaling_config: {min_replicas: 2}}]}]", 2),
        ("applications: [{deployments: [{name: A}]}, {import_path: a:b}]", None),
        ("applications: [{deployments: [{name: A}]}, {deployments: [{name: B, num_replicas: 2}]}]", 3),
    ],
)
def test_listed_replicas(config: str, replicas: int | None) -> None:
    quoted = json.dumps(config)
    found = ray_object(f"apiVersion: ray.io/v1\nkind: RayService\nspec: {{serveConfigV2: {quoted}}}\n")
    assert isinstance(found, RayService)
    assert found.serve_config.listed_replicas == replicas


def test_actor_options_of_every_listed_deployment() -> None:
    config = "applications: [{deployments: [{name: A, ray_actor_options: {num_gpus: 1}}, {name: B}]}]"
    found = ray_object(f"apiVersion: ray.io/v1\nkind: RayService\nspec: {{serveConfigV2: {json.dumps(config)}}}\n")
    assert isinstance(found, RayService)
    assert list(found.serve_config.actor_options) == [{"num_gpus": 1}, {}]


def test_upgrade_strategy_of_kuberay() -> None:
    found = ray_object("apiVersion: ray.io/v1\nkind: RayService\nspec: {}\n")
    assert isinstance(found, RayService)
    assert answer(found.upgrade_strategy) == ("NewCluster", Origin.KUBERAY)


# --- Objects inside objects ------------------------------------------------------------------------------------


def test_list_items_keep_their_path() -> None:
    text = "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: ray.io/v1, kind: RayJob}\n- {kind: Secret}\n- 7\n"
    (document,) = read("list.yaml", text.encode()).documents
    found = list(objects(document, Target()))
    assert [(type(item), item.path) for item in found] == [(RayJob, ("items", 0)), (KubeObject, ("items", 1))]


def test_object_without_a_name_is_known_by_its_prefix() -> None:
    found = load("apiVersion: ray.io/v1\nkind: RayJob\nmetadata: {generateName: nightly-, namespace: ml}\n")
    assert str(found.ref) == "RayJob ml/nightly-"


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [("apps/v1", "RayCluster"), ("ray.io/v1", "Raycluster"), ("example.ray.io/v1", "RayJob")],
)
def test_other_objects_are_no_ray_objects(api_version: str, kind: str) -> None:
    assert type(load(f"apiVersion: {api_version}\nkind: {kind}\nspec: {{}}\n")) is KubeObject


# --- Ray versions ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("image", "declared", "target", "version"),
    [
        ("rayproject/ray:2.43.0", "2.9.0", None, (2, 43, 0)),
        ("rayproject/ray:2.43.0", "2.9.0", (2, 50), (2, 50)),
        ("registry.example/own:1", "2.9.0", None, (2, 9, 0)),
        ("rayproject/ray:nightly", "nightly", None, None),
        ("rayproject/ray:latest", "2", None, None),
    ],
)
def test_ray_version(
    image: str, declared: str, target: tuple[int, ...] | None, version: tuple[int, ...] | None
) -> None:
    template = f"{{spec: {{containers: [{{image: '{image}'}}]}}}}"
    spec = f"{{rayVersion: '{declared}', headGroupSpec: {{template: {template}}}}}"
    assert cluster(spec, ray=target).ray_version == version


# --- The autoscaler --------------------------------------------------------------------------------------------


def autoscaled(options: str = "", env: str = "", ray: str = "2.43.0") -> str:
    entry = f"[{{name: RAY_enable_autoscaler_v2, {env}}}]" if env else "[]"
    return (
        f"{{enableInTreeAutoscaling: true, autoscalerOptions: {{{options}}}, headGroupSpec: {{template: {{spec:"
        f" {{containers: [{{image: 'rayproject/ray:{ray}', env: {entry}}}]}}}}}},"
        " workerGroupSpecs: [{groupName: cpu}]}"
    )


@pytest.mark.parametrize(
    ("spec", "kuberay", "version", "origin"),
    [
        (autoscaled("version: v2"), (1, 7), "v2", Origin.WRITTEN),
        (autoscaled("version: v1", ray="2.52.0"), (1, 7), "v1", Origin.WRITTEN),
        (autoscaled("version: v2"), (1, 3), "v1", Origin.RAY),
        (autoscaled("version: '{{ v }}'"), (1, 7), None, Origin.UNKNOWN),
        (autoscaled(env="value: '1'"), (1, 7), "v2", Origin.WRITTEN),
        (autoscaled(env="value: 'True'"), (1, 7), "v2", Origin.WRITTEN),
        (autoscaled(env="value: '0'", ray="2.52.0"), (1, 7), "v1", Origin.WRITTEN),
        (autoscaled(env="valueFrom: {fieldRef: {}}", ray="2.52.0"), (1, 7), None, Origin.UNKNOWN),
        (autoscaled(), (1, 7), "v1", Origin.RAY),
        (autoscaled(ray="2.46.0"), (1, 7), "v1", Origin.RAY),
        (autoscaled(ray="2.47.1"), (1, 7), None, Origin.UNKNOWN),
        (autoscaled(ray="2.48.0"), (1, 7), "v2", Origin.RAY),
        (autoscaled(ray="nightly"), (1, 7), None, Origin.UNKNOWN),
    ],
)
def test_autoscaler_version(spec: str, kuberay: tuple[int, ...], version: str | None, origin: Origin) -> None:
    assert answer(cluster(spec, kuberay).autoscaler.version) == (version, origin)


def test_options_of_v1alpha1_have_no_version() -> None:
    autoscaler = cluster(autoscaled("version: v2"), version="v1alpha1").autoscaler
    assert answer(autoscaler.version) == ("v1", Origin.RAY)
    assert not autoscaler.is_v2_by_options


@pytest.mark.parametrize(
    ("switch", "value", "origin"),
    [
        ("", False, Origin.API),
        ("enableInTreeAutoscaling: null,", False, Origin.API),
        ("enableInTreeAutoscaling: false,", False, Origin.WRITTEN),
        ("enableInTreeAutoscaling: true,", True, Origin.WRITTEN),
        ("enableInTreeAutoscaling: 'true',", None, Origin.UNKNOWN),
    ],
)
def test_autoscaler_switch(switch: str, value: bool | None, origin: Origin) -> None:
    autoscaler = cluster(f"{{{switch} autoscalerOptions: {{version: v2}}}}").autoscaler
    assert answer(autoscaler.switch) == (value, origin)
    assert autoscaler.enabled is (value is True)


# --- Restart policies ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "kuberay", "policy", "origin"),
    [
        (autoscaled("version: v2"), (1, 7), "Never", Origin.KUBERAY),
        (autoscaled("version: v2"), (1, 3), "Always", Origin.API),
        (autoscaled("version: v1"), (1, 7), "Always", Origin.API),
        (autoscaled(env="value: '1'"), (1, 7), "Always", Origin.API),
        (autoscaled(ray="2.52.0"), (1, 7), "Always", Origin.API),
        ("{autoscalerOptions: {version: v2}, workerGroupSpecs: [{}]}", (1, 7), "Always", Origin.API),
        (
            "{workerGroupSpecs: [{template: {spec: {restartPolicy: OnFailure}}}]}",
            (1, 7),
            "OnFailure",
            Origin.WRITTEN,
        ),
        ("{workerGroupSpecs: [{template: {spec: {restartPolicy: 1}}}]}", (1, 7), None, Origin.UNKNOWN),
    ],
)
def test_restart_policy_of_workers(
    spec: str, kuberay: tuple[int, ...], policy: str | None, origin: Origin
) -> None:
    (group,) = cluster(spec, kuberay).worker_groups
    assert answer(group.pod.restart_policy) == (policy, origin)


@pytest.mark.parametrize(
    ("mode", "kuberay", "policy"),
    [("SidecarMode", (1, 5), "Never"), ("SidecarMode", (1, 4), "OnFailure"), ("HTTPMode", (1, 7), "OnFailure")],
)
def test_sidecar_mode_forces_the_head_alone(mode: str, kuberay: tuple[int, ...], policy: str) -> None:
    template = "template: {spec: {restartPolicy: OnFailure}}"
    found = ray_object(
        f"apiVersion: ray.io/v1\nkind: RayJob\nspec: {{submissionMode: {mode}, rayClusterSpec: "
        f"{{headGroupSpec: {{{template}}}, workerGroupSpecs: [{{{template}}}]}}}}\n",
        kuberay,
    ).cluster
    assert found is not None
    assert found.head.pod.restart_policy.value == policy
    assert answer(found.worker_groups[0].pod.restart_policy) == ("OnFailure", Origin.WRITTEN)


# --- Replicas --------------------------------------------------------------------------------------------------


def test_replica_defaults() -> None:
    group = worker("{}")
    assert answer(group.replicas) == (0, Origin.API)
    assert answer(group.min_replicas) == (0, Origin.API)
    assert answer(group.max_replicas) == (UNBOUNDED_REPLICAS, Origin.API)
    assert answer(group.num_of_hosts) == (1, Origin.API)
    assert group.title == "worker group"


@pytest.mark.parametrize(
    ("text", "guaranteed", "possible"),
    [
        ("{replicas: 3}", 3, 3),
        ("{replicas: 3.0}", 3, 3),
        ("{replicas: 3, numOfHosts: 4}", 12, 12),
        ("{replicas: 3, numOfHosts: 0}", 0, 0),
        ("{replicas: 3, numOfHosts: -1}", 0, 0),
        ("{replicas: 9, maxReplicas: 5}", 5, 5),
        ("{replicas: 1, minReplicas: 2}", 2, 2),
        ("{replicas: -2}", 0, 0),
        ("{replicas: 3, minReplicas: 4, maxReplicas: 2}", 2, 2),
        ("{replicas: 3, suspend: true}", 0, 0),
        ("{replicas: 3.5}", None, None),
        ("{replicas: true}", None, None),
        ("{replicas: '3'}", None, None),
        ("{replicas: 3, maxReplicas: x}", None, None),
        ("{replicas: 3, numOfHosts: x}", None, None),
    ],
)
def test_pods_without_autoscaler(text: str, guaranteed: int | None, possible: int | None) -> None:
    group = worker(text)
    assert (group.guaranteed_pods, group.possible_pods) == (guaranteed, possible)
    assert (group.cluster.guaranteed_workers, group.cluster.possible_workers) == (guaranteed, possible)


def test_pods_under_the_autoscaler() -> None:
    group = worker(
        "{replicas: 3, minReplicas: 1, maxReplicas: 4, numOfHosts: 2}", spec="enableInTreeAutoscaling: true,"
    )
    assert (group.guaranteed_pods, group.possible_pods) == (2, 8)


def test_older_and_other_versions_drop_newer_fields() -> None:
    text = "{replicas: 3, numOfHosts: 4, suspend: true}"
    assert worker(text, (1, 0)).guaranteed_pods == 3
    assert worker(text, (1, 2)).guaranteed_pods == 12
    assert worker(text, (1, 3)).guaranteed_pods == 0
    assert worker(text, version="v1alpha1").guaranteed_pods == 3


# --- What Ray schedules on -------------------------------------------------------------------------------------


def group_of(
    params: str = "", resources: str = "", own: str = "", kuberay: tuple[int, ...] = (1, 7)
) -> WorkerGroup:
    return worker(
        f"{{rayStartParams: {{{params}}}, resources: {{{own}}},"
        f" template: {{spec: {{containers: [{{resources: {{{resources}}}}}]}}}}}}",
        kuberay,
    )


@pytest.mark.parametrize(
    ("params", "resources", "own", "kuberay", "cpus", "origin"),
    [
        ("num-cpus: '4'", "limits: {cpu: 2}", "", (1, 7), 4, Origin.WRITTEN),
        ("num-cpus: '0'", "", "", (1, 7), 0, Origin.WRITTEN),
        ("num-cpus: 4", "limits: {cpu: 2}", "", (1, 7), None, Origin.UNKNOWN),
        ("num-cpus: $CPUS", "limits: {cpu: 2}", "", (1, 7), None, Origin.UNKNOWN),
        ("num-cpus: '" + "9" * 5000 + "'", "", "", (1, 7), None, Origin.UNKNOWN),
        ("", "limits: {cpu: 1500m}, requests: {cpu: 8}", "", (1, 7), 2, Origin.KUBERAY),
        ("", "requests: {cpu: 2500m}", "", (1, 7), 3, Origin.KUBERAY),
        ("", "requests: {cpu: 2500m}", "", (1, 2), None, Origin.UNKNOWN),
        ("", "limits: {cpu: 0}", "", (1, 7), None, Origin.UNKNOWN),
        ("", "limits: {cpu: '0'}, requests: {cpu: 2}", "", (1, 7), 2, Origin.KUBERAY),
        ("", "limits: {cpu: x}", "", (1, 7), None, Origin.UNKNOWN),
        ("", "limits: {cpu: 2}", "cpu: '8'", (1, 7), 8, Origin.WRITTEN),
        ("num-cpus: '4'", "", "CPU: 7500m", (1, 7), 8, Origin.WRITTEN),
        ("", "limits: {cpu: 2}", "cpu: x y", (1, 7), 2, Origin.KUBERAY),
        ("", "limits: {cpu: 2}", "cpu: '8'", (1, 4), 2, Origin.KUBERAY),
    ],
)
def test_cpus(
    params: str, resources: str, own: str, kuberay: tuple[int, ...], cpus: int | None, origin: Origin
) -> None:
    assert answer(group_of(params, resources, own, kuberay).num_cpus) == (cpus, origin)


def test_memory_of_a_request_does_not_count() -> None:
    assert answer(group_of(resources="requests: {memory: 4Gi}").memory) == (None, Origin.UNKNOWN)
    assert answer(group_of(resources="limits: {memory: 4Gi}").memory) == (4 * 2**30, Origin.KUBERAY)
    assert answer(group_of("memory: '1000'", "limits: {memory: 4Gi}").memory) == (1000, Origin.WRITTEN)


@pytest.mark.parametrize(
    ("params", "resources", "own", "gpus", "origin"),
    [
        ("", "", "", 0, Origin.KUBERAY),
        ("", "requests: {nvidia.com/gpu: 1}", "", 0, Origin.KUBERAY),
        ("", "limits: {nvidia.com/gpu: 2, amd.com/gpu: 3}", "", 3, Origin.KUBERAY),
        ("", "limits: {amd.com/gpu: 0, nvidia.com/gpu: 2}", "", 2, Origin.KUBERAY),
        ("", "limits: {nvidia.com/mig-1g.5gb: 2}", "", 2, Origin.KUBERAY),
        ("", "limits: {nvidia.com/gpu: x}", "", None, Origin.UNKNOWN),
        ("num-gpus: '0'", "limits: {nvidia.com/gpu: 2}", "", 0, Origin.WRITTEN),
        ("", "limits: {nvidia.com/gpu: 2}", "GPU: '4'", 4, Origin.WRITTEN),
        ("resources: '''{\"a\": 1}'''", "limits: {nvidia.com/gpu: 2}", "", 2, Origin.KUBERAY),
        ("resources: 'a: 1'", "limits: {nvidia.com/gpu: 2}", "", None, Origin.UNKNOWN),
        ("resources: 'a: 1'", "limits: {cpu: 2}", "", 0, Origin.KUBERAY),
    ],
)
def test_gpus(params: str, resources: str, own: str, gpus: int | None, origin: Origin) -> None:
    assert answer(group_of(params, resources, own).num_gpus) == (gpus, origin)


def test_request_of_a_container_with_only_a_limit() -> None:
    found = container("{resources: {limits: {cpu: 2}}}")
    field = found.request("cpu")
    assert field.origin is Origin.API
    assert field.value is not None
    assert field.value.rounded_up == 2
    assert found.request("memory").origin is Origin.ABSENT


# --- GCS fault tolerance ---------------------------------------------------------------------------------------

ON = "{ray.io/ft-enabled: 'True'}"
OPTIONS = "{gcsFaultToleranceOptions: {redisAddress: 'redis:6379'}}"


@pytest.mark.parametrize(
    ("spec", "annotations", "kuberay", "version", "means"),
    [
        (OPTIONS, "{}", (1, 7), "v1", Means.OPTIONS),
        (OPTIONS, "{}", (1, 2), "v1", Means.NONE),
        (OPTIONS, "{}", (1, 7), "v1alpha1", Means.NONE),
        ("{gcsFaultToleranceOptions: {}}", "{}", (1, 7), "v1", Means.OPTIONS),
        ("{gcsFaultToleranceOptions: null}", "{}", (1, 7), "v1", Means.NONE),
        ("{gcsFaultToleranceOptions: []}", "{}", (1, 7), "v1", Means.NONE),
        ("{}", ON, (1, 0), "v1", Means.ANNOTATION),
        ("{}", "{ray.io/ft-enabled: ' true'}", (1, 7), "v1", Means.NONE),
        ("{}", "{ray.io/ft-enabled: 'false'}", (1, 7), "v1", Means.NONE),
        ("{}", "{ray.io/ft-enabled: true}", (1, 7), "v1", Means.NONE),
    ],
)
def test_means_of_fault_tolerance(
    spec: str, annotations: str, kuberay: tuple[int, ...], version: str, means: Means
) -> None:
    found = cluster(spec, kuberay, version=version, annotations=annotations).gcs_fault_tolerance
    assert found.means is means
    assert bool(found) is (means is not Means.NONE)


def head_env(*entries: str) -> str:
    return f"{{headGroupSpec: {{template: {{spec: {{containers: [{{env: [{', '.join(entries)}]}}]}}}}}}}}"


@pytest.mark.parametrize(
    ("entries", "address", "origin"),
    [
        ([], None, Origin.ABSENT),
        (["{name: RAY_REDIS_ADDRESS, value: 'redis:6379'}"], "redis:6379", Origin.WRITTEN),
        (["{name: RAY_REDIS_ADDRESS}"], "", Origin.WRITTEN),
        (["{name: RAY_REDIS_ADDRESS, valueFrom: {secretKeyRef: {}}}"], None, Origin.UNKNOWN),
        (
            ["{name: H, value: redis}", "{name: RAY_REDIS_ADDRESS, value: '$(H):6379'}"],
            "redis:6379",
            Origin.WRITTEN,
        ),
        # Kubernetes expands what stands earlier only.
        (
            ["{name: RAY_REDIS_ADDRESS, value: '$(H):6379'}", "{name: H, value: redis}"],
            "$(H):6379",
            Origin.WRITTEN,
        ),
        (
            ["{name: H, valueFrom: {}}", "{name: RAY_REDIS_ADDRESS, value: '$(H):1'}"],
            None,
            Origin.UNKNOWN,
        ),
        (["{name: RAY_REDIS_ADDRESS, value: '$(REDIS_SERVICE_HOST):1'}"], None, Origin.UNKNOWN),
        (["{name: RAY_REDIS_ADDRESS, value: '$$(H):1'}"], "$(H):1", Origin.WRITTEN),
    ],
)
def test_redis_address_under_the_annotation(entries: list[str], address: str | None, origin: Origin) -> None:
    found = cluster(head_env(*entries), annotations=ON).gcs_fault_tolerance
    assert answer(found.redis_address) == (address, origin)


def test_redis_address_of_the_options() -> None:
    assert answer(cluster(OPTIONS).gcs_fault_tolerance.redis_address) == ("redis:6379", Origin.WRITTEN)
    empty = cluster("{gcsFaultToleranceOptions: {}}").gcs_fault_tolerance
    assert answer(empty.redis_address) == ("", Origin.KUBERAY)


@pytest.mark.parametrize(
    ("options", "annotation", "entries", "namespace", "origin"),
    [
        ("externalStorageNamespace: opt", "", [], "opt", Origin.WRITTEN),
        ("externalStorageNamespace: ''", "", [], None, Origin.ABSENT),
        ("", "ray.io/external-storage-namespace: ann", [], "ann", Origin.WRITTEN),
        (
            "externalStorageNamespace: opt",
            "",
            ["{name: RAY_external_storage_namespace, value: env}"],
            "env",
            Origin.WRITTEN,
        ),
        ("", "", ["{name: RAY_external_storage_namespace, valueFrom: {}}"], None, Origin.UNKNOWN),
    ],
)
def test_storage_namespace(
    options: str, annotation: str, entries: list[str], namespace: str | None, origin: Origin
) -> None:
    spec = head_env(*entries)[:-1] + f", gcsFaultToleranceOptions: {{{options}}}}}"
    found = cluster(spec, annotations=f"{{{annotation}}}").gcs_fault_tolerance
    assert answer(found.storage_namespace) == (namespace, origin)


@pytest.mark.parametrize(
    ("options", "kuberay", "backend", "redis"),
    [
        ("{}", (1, 7), "redis", True),
        ("{backend: rocksdb}", (1, 7), "rocksdb", False),
        ("{backend: rocksdb}", (1, 6), "redis", True),
    ],
)
def test_backend(options: str, kuberay: tuple[int, ...], backend: str, redis: bool) -> None:
    found = cluster(f"{{gcsFaultToleranceOptions: {options}}}", kuberay).gcs_fault_tolerance
    assert found.backend.value == backend
    assert found.uses_redis is redis


# --- Containers ------------------------------------------------------------------------------------------------


def test_ray_container_is_the_first_one() -> None:
    found = cluster(
        "{headGroupSpec: {template: {spec:"
        " {containers: [{name: proxy}, {name: ray-head}], initContainers: [{}]}}}}"
    )
    pod = found.head.pod
    assert pod.ray_container.name.value == "proxy"
    assert [sidecar.name.value for sidecar in pod.sidecars] == ["ray-head"]
    assert len(pod.init_containers) == 1
    assert cluster("{}").head.ray_container.name.origin is Origin.ABSENT


def test_last_entry_of_a_name_counts() -> None:
    found = container("{env: [{name: A, value: '1'}, {name: A, value: '2'}, 7, {value: x}]}")
    entry = found.env("A")
    assert entry is not None
    assert answer(entry.value) == ("2", Origin.WRITTEN)
    assert not entry.is_true()
    assert found.env("B") is None


def test_a_template_is_unknown() -> None:
    field = cluster("{rayVersion: '{{ .Values.ray }}'}").string("rayVersion")
    assert answer(field) == (None, Origin.UNKNOWN)
    assert field
    assert not field.known
