"""Rules on images, accelerators, memory and feasibility, where their pages' examples do not lead."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from raylint.engine import Engine
from raylint.finding import Finding
from raylint.packs import installed_rules
from raylint.target import NEWEST_KUBERAY, Target

Version = tuple[int, ...]

RULES = {rule.id: rule for rule in installed_rules()}
OURS = [id for id in RULES if id.startswith(("RAY4", "RAY7"))]


def found(
    text: str, ids: Iterable[str] = OURS, kuberay: Version = NEWEST_KUBERAY, kubernetes: Version | None = None
) -> list[str]:
    """The ids of what the rules find in a manifest."""
    engine = Engine([RULES[id] for id in ids], Target(kuberay, kubernetes=kubernetes))
    result = engine.check("m.yaml", text.encode())
    findings = [*result.findings, *engine.conclude(result.facts)]
    assert not [finding.message for finding in findings if finding.rule_id.startswith("RL")]
    return sorted(finding.rule_id for finding in findings)


def head_with(container: str = "", image: str = "rayproject/ray:2.60.0") -> str:
    return (
        f"headGroupSpec: {{template: {{spec: {{containers: [{{name: ray-head, image: '{image}'{container}}}]}}}}}}"
    )


def workers_with(container: str = "", group: str = "", pod: str = "") -> str:
    return (
        f"workerGroupSpecs: [{{groupName: w{group}, template: {{spec: {{{pod}"
        f"containers: [{{name: ray-worker, image: 'rayproject/ray:2.60.0'{container}}}]}}}}}}]"
    )


def indented(lines: Iterable[str], by: int) -> str:
    return "".join(f"{' ' * by}{line}\n" for part in lines for line in part.splitlines())


def cluster(*spec: str, api: str = "ray.io/v1") -> str:
    lines = spec if any(line.startswith("headGroupSpec") for line in spec) else (head_with(), *spec)
    return f"apiVersion: {api}\nkind: RayCluster\nmetadata: {{name: c}}\nspec:\n{indented(lines, 2)}"


def on_nodes_with(*expressions: str) -> str:
    """A cluster whose head may run on nodes that meet one of these."""
    terms = "".join(f"{{matchExpressions: [{expression}]}}, " for expression in expressions)
    nodes = f"requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: [{terms}]}}"
    return cluster(f"headGroupSpec: {{template: {{spec: {{affinity: {{nodeAffinity: {{{nodes}}}}}}}}}}}")


def service(serve: str, *spec: str) -> str:
    """``serve``: a deployment in flow style."""
    lines = spec if any(line.startswith("headGroupSpec") for line in spec) else (head_with(), *spec)
    return (
        "apiVersion: ray.io/v1\nkind: RayService\nmetadata: {name: s}\nspec:\n  serveConfigV2: |\n"
        f"    applications: [{{import_path: 'a:b', deployments: [{serve}]}}]\n"
        f"  rayClusterConfig:\n{indented(lines, 4)}"
    )


def job(*spec: str, lines: tuple[str, ...] = ()) -> str:
    return (
        "apiVersion: ray.io/v1\nkind: RayJob\nmetadata: {name: j}\nspec:\n  entrypoint: python a.py\n"
        f"{indented(spec, 2)}  rayClusterSpec:\n{indented(lines or (head_with(),), 4)}"
    )


CPU_8 = ", resources: {limits: {cpu: '8', memory: 32Gi}}"
NO_CPUS = (
    "headGroupSpec: {rayStartParams: {num-cpus: '0'}, template: {spec: {containers: [{name: h, image: 'x/y:1'}]}}}"
)

# Everything at once that the rules dislike in a cluster.
DREADFUL = (
    "rayVersion: '2.9.0'",
    "enableInTreeAutoscaling: true",
    "autoscalerOptions: {version: v2, image: 'rayproject/ray:2.8.0', resources: {limits: {cpu: '64'}}}",
    "headGroupSpec:",
    "  rayStartParams: {num-gpus: '4', memory: '64000000000'}",
    "  resources: {num-cpus: '4'}",
    "  template:",
    "    spec:",
    "      nodeSelector: {cloud.google.com/gke-spot: 'true', kubernetes.io/arch: arm64}",
    "      containers:",
    "      - name: ray-head",
    "        image: rayproject/ray:2.12.0-py37",
    "        lifecycle: {preStop: {exec: {command: [ray, stop]}}}",
    "        resources: {limits: {memory: 1Gi}, requests: {nvidia.com/gpu: '1', memory: 1Mi}}",
    "      - {name: autoscaler, image: 'x/y:1'}",
    "workerGroupSpecs:",
    "- groupName: tpu",
    "  maxReplicas: 200",
    "  template:",
    "    spec:",
    "      initContainers: [{name: i, image: 'b:1', command: [sh, -c, nslookup $RAY_IP], restartPolicy: Always}]",
    "      volumes: [{name: b, csi: {driver: gcsfuse.csi.storage.gke.io}}]",
    "      nodeSelector:",
    "        cloud.google.com/gke-tpu-accelerator: tpu-v4-podslice",
    "        cloud.google.com/gke-tpu-topology: 4x4",
    "      containers:",
    "      - {name: ray-worker, image: 'rayproject/ray:latest', resources: {limits: {google.com/tpu: '4'}}}",
    "- groupName: odd",
    "  template:",
    "    spec:",
    "      resourceClaims: [{name: g}]",
    "      containers:",
    "      - {name: ray-worker, image: 'python:3.11-slim', resources: {claims: [{name: g}]}}",
    "- groupName: gpu",
    "  template:",
    "    spec:",
    "      containers:",
    "      - name: log",
    "        image: fluent/fluent-bit:1",
    "        env: [{name: NVIDIA_VISIBLE_DEVICES, value: all}]",
    "        resources: {limits: {cpu: '1'}}",
    "      - {name: ray-worker, image: 'rayproject/ray:2.40.0'}",
    "- groupName: device",
    "  template:",
    "    spec:",
    "      containers:",
    "      - name: ray-worker",
    "        image: x/y:1",
    "        resources: {limits: {a.com/gpu: '1', b.com/gpu: '1', habana.ai/gaudi: '1', google.com/tpu: '1'}}",
)


def test_a_dreadful_cluster_shows_most_of_the_rules() -> None:
    seen = set(found(cluster(*DREADFUL), kubernetes=(1, 28)))
    # What a cluster alone never is: a job, a service without room, the update of an object.
    others = ("RayJob", "CrowdedService", "ClusterUpdate", "JobUpdate", "ServiceUpdate")
    about_clusters = {id for id in OURS if RULES[id].visits not in others and id != "RAY431"}
    # Their opposites are there: a tag that moves, an image for all devices, groups without a bound, a
    # topology that the TPU does not have.
    opposites = {"RAY701", "RAY408", "RAY427", "RAY411"}
    # Pods that Kubernetes or ray start refuses: tests/test_pod_rules.py.
    refused = {"RAY409", "RAY428", "RAY429"}
    # Names beside those that are there: the tests of misspelt ones below.
    misspelt = {"RAY410", "RAY414", "RAY415"}
    assert about_clusters - seen == opposites | refused | misspelt


def test_nothing_is_said_of_a_cluster_that_a_job_does_not_build() -> None:
    selecting = ("clusterSelector: {ray.io/cluster: other}", "entrypointNumCpus: 99")
    assert found(job(*selecting, lines=DREADFUL), kubernetes=(1, 28)) == []


@pytest.mark.parametrize(
    ("id", "text", "count"),
    [
        # An init container may ask for devices as well, and huge pages follow the same rule.
        (
            "RAY402",
            cluster(workers_with(pod="initContainers: [{name: i, resources: {requests: {a.com/gpu: 1}}}], ")),
            1,
        ),
        ("RAY402", cluster(workers_with(", resources: {requests: {hugepages-2Mi: 4Mi}}")), 1),
        ("RAY402", cluster(workers_with(", resources: {requests: {a.com/gpu: some}}")), 0),
        ("RAY402", cluster(workers_with(", resources: {limits: {nvidia.com/gpu: '0'}}")), 0),
        # The variable decides, whatever else is there.
        (
            "RAY401",
            cluster(
                workers_with(
                    ", securityContext: {privileged: true}, env: [{name: NVIDIA_VISIBLE_DEVICES, value: void}]",
                    pod="nodeSelector: {gpu: 'yes'}, ",
                )
            ),
            0,
        ),
        (
            "RAY401",
            cluster(workers_with(", securityContext: {privileged: true}", pod="nodeSelector: {gpu: 'y'}, ")),
            1,
        ),
        (
            "RAY401",
            cluster(workers_with(", securityContext: {privileged: false}", pod="nodeSelector: {gpu: 'y'}, ")),
            0,
        ),
        (
            "RAY401",
            cluster(
                workers_with(
                    ", env: [{name: NVIDIA_VISIBLE_DEVICES, value: all}], resources: {limits:"
                    " {nvidia.com/mig-1g.5gb: 1}}"
                )
            ),
            0,
        ),
        (
            "RAY401",
            cluster(
                workers_with(
                    ", env: [{name: NVIDIA_VISIBLE_DEVICES, value: all}], resources: {limits:"
                    " {aliyun.com/gpu-mem: 1}}"
                )
            ),
            0,
        ),
        (
            "RAY401",
            cluster(head_with(image="x/y:1", container=", env: [{name: NVIDIA_VISIBLE_DEVICES, value: all}]")),
            1,
        ),
        (
            "RAY403",
            cluster(
                "enableInTreeAutoscaling: true",
                workers_with(
                    ", resources: {limits: {gpu.intel.com/i915: 1}}",
                    ", maxReplicas: 2, rayStartParams: {num-gpus: '1'}",
                ),
            ),
            0,
        ),
        (
            "RAY403",
            cluster(
                "enableInTreeAutoscaling: true",
                workers_with(
                    ", resources: {limits: {habana.ai/gaudi: 1}}", ", maxReplicas: 2, resources: {HPU: '1'}"
                ),
            ),
            0,
        ),
        # Ray's name of a share of a GPU is GPU; what else is said of resources does not tell of it.
        *(
            (
                "RAY403",
                cluster(
                    "enableInTreeAutoscaling: true",
                    workers_with(", resources: {limits: {nvidia.com/gpu.shared: 2}}", f", maxReplicas: 2{params}"),
                ),
                1,
            )
            for params in ("", """, rayStartParams: {resources: '"{\\"slot\\": 1}"'}""")
        ),
        # A head is not scaled.
        (
            "RAY403",
            cluster("enableInTreeAutoscaling: true", head_with(", resources: {limits: {a.com/gpu: 1}}")),
            0,
        ),
        ("RAY406", cluster(head_with(", resources: {claims: [{name: g}]}")), 0),
        ("RAY407", job("submissionMode: HTTPMode", "submitterPodTemplate: {spec: {containers: [{name: s}]}}"), 0),
        ("RAY411", cluster(workers_with(", resources: {limits: {google.com/tpu: '0'}}")), 0),
        (
            "RAY411",
            cluster(
                workers_with(
                    ", resources: {limits: {google.com/tpu: '4'}}",
                    pod="nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v5p-slice,"
                    " cloud.google.com/gke-tpu-topology: 3x3}, ",
                )
            ),
            0,
        ),
        (
            "RAY411",
            cluster(
                workers_with(
                    ", resources: {limits: {google.com/tpu: '4'}}",
                    pod="nodeSelector: {cloud.google.com/gke-tpu-topology: any}, ",
                )
            ),
            0,
        ),
        # Three hosts would leave a chip over: no number of hosts will do.
        (
            "RAY411",
            cluster(
                workers_with(
                    ", resources: {limits: {google.com/tpu: '3'}}",
                    pod="nodeSelector: {cloud.google.com/gke-tpu-topology: 2x2x1}, ",
                )
            ),
            1,
        ),
        (
            "RAY412",
            cluster(
                workers_with(
                    ", resources: {limits: {google.com/tpu: '4'}}",
                    pod="nodeSelector: {cloud.google.com/gke-tpu-topology: axbxc,"
                    " cloud.google.com/gke-tpu-accelerator: tpu7x}, ",
                )
            ),
            1,
        ),
        ("RAY405", cluster(workers_with(", resources: {limits: {a.com/gpu: '1', b.com/gpu: '0'}}")), 0),
        ("RAY422", cluster(workers_with(", resources: {}")), 0),
        ("RAY423", cluster(workers_with(", resources: {requests: {memory: 1Gi}}")), 0),
        ("RAY423", cluster(workers_with(", resources: {requests: {cpu: 1}, limits: {memory: 8Gi}}")), 0),
        ("RAY425", cluster(workers_with(group=", resources: {num-cpus: '1'}"), api="ray.io/v1alpha1"), 0),
        ("RAY426", cluster("autoscalerOptions: {resources: {limits: {cpu: 64}}}"), 0),
        (
            "RAY426",
            cluster(
                "enableInTreeAutoscaling: true",
                "autoscalerOptions: {resources: {limits: {cpu: 64}, requests: {cpu: 64, memory: x}}}",
            ),
            1,
        ),
        (
            "RAY427",
            cluster("enableInTreeAutoscaling: false", workers_with(group=", maxReplicas: 500, replicas: 200")),
            0,
        ),
        (
            "RAY427",
            cluster(
                "enableInTreeAutoscaling: true",
                "autoscalerOptions: {resources: {limits: {cpu: 1}}}",
                workers_with(group=", maxReplicas: 500"),
            ),
            0,
        ),
        ("RAY703", cluster(head_with(image="rayproject/ray:2.9")), 1),
        ("RAY703", cluster(head_with(image="rayproject/ray")), 1),
        ("RAY703", cluster(head_with(image="$IMAGE")), 0),
        ("RAY703", cluster(head_with(image="x/y:nightly")), 0),
        ("RAY701", cluster(head_with(image="x/y:1")), 0),
        # Another word for the name of the official images is no such image.
        ("RAY701", cluster(head_with(image="rayproject/kuberay:1")), 0),
        ("RAY701", job("submitterPodTemplate: {spec: {containers: [{name: s}]}}"), 0),
        ("RAY701", job("submitterPodTemplate: {spec: {containers: []}}"), 0),
        ("RAY701", job("submitterPodTemplate: {spec: {containers: [x]}}"), 0),
        ("RAY702", cluster("rayVersion: 2.9.0", head_with(image="rayproject/kuberay:1")), 0),
        ("RAY706", cluster("enableInTreeAutoscaling: true", workers_with(pod="initContainers: [{name: i}], ")), 0),
        ("RAY713", cluster(head_with(image="x/y:1")), 0),
        ("RAY713", cluster(head_with(image="rayproject/ray:2.38.0")), 0),
        ("RAY714", cluster(head_with(image="rayproject/ray:1.13.0-py36")), 0),
        ("RAY716", cluster("headGroupSpec: {template: {spec: {nodeSelector: {karpenter.sh/nodepool: a}}}}"), 1),
        ("RAY716", cluster("headGroupSpec: {template: {spec: {nodeSelector: {pool: spot}}}}"), 0),
        ("RAY716", on_nodes_with("{key: karpenter.sh/capacity-type, operator: In, values: [spot]}"), 1),
        ("RAY716", on_nodes_with("{key: karpenter.sh/capacity-type, operator: NotIn, values: [spot]}"), 0),
        (
            "RAY716",
            on_nodes_with(
                "{key: cloud.google.com/gke-spot, operator: In, values: ['true']}",
                "{key: pool, operator: In, values: [spot]}",
            ),
            0,
        ),
        ("RAY716", cluster(head_with() + " # karpenter.sh/", workers_with(pod="nodeSelector: {a: spot}, ")), 0),
        (
            "RAY716",
            cluster(
                "headGroupSpec: {template: {metadata: {annotations: {karpenter.sh/do-not-evict: 'true'}}}}",
                workers_with(),
            ),
            0,
        ),
    ],
)
def test_one_rule(id: str, text: str, count: int) -> None:
    assert found(text, [id]) == [id] * count


@pytest.mark.parametrize(("kuberay", "count"), [((1, 0), 0), ((1, 1), 1), ((1, 2), 1), ((1, 3), 1), ((1, 7), 1)])
def test_an_old_ray_is_told_of_with_the_kuberay_that_wants_a_newer_one(kuberay: Version, count: int) -> None:
    assert found(cluster(head_with(image="rayproject/ray:2.7.0")), ["RAY713"], kuberay) == ["RAY713"] * count


@pytest.mark.parametrize(
    ("serve", "spec", "expected"),
    [
        # Nothing is known of what the code decides, or of what is no number.
        ("{name: a}", (NO_CPUS,), []),
        ("{name: a, ray_actor_options: {num_cpus: lots}}", (NO_CPUS,), []),
        ("{name: a, placement_group_bundles: []}", (NO_CPUS,), []),
        ("{name: a, placement_group_bundles: [{CPU: many}]}", (NO_CPUS,), []),
        ("{name: a, placement_group_bundles: [x]}", (NO_CPUS,), []),
        # One CPU unless it is written, and the head has none.
        ("{name: a, ray_actor_options: {}}", (NO_CPUS,), ["RAY441"]),
        ("{name: a, ray_actor_options: {num_cpus: 0}, num_replicas: 4}", (NO_CPUS,), []),
        # Together on one node, or on as many as there are.
        (
            "{name: a, placement_group_strategy: STRICT_PACK, placement_group_bundles: [{CPU: 5}, {CPU: 5}]}",
            (NO_CPUS, workers_with(CPU_8, ", replicas: 2")),
            ["RAY441"],
        ),
        (
            "{name: a, placement_group_bundles: [{CPU: 5}, {CPU: 5}]}",
            (NO_CPUS, workers_with(CPU_8, ", replicas: 2")),
            [],
        ),
        (
            "{name: a, placement_group_strategy: STRICT_SPREAD, placement_group_bundles: [{CPU: 5}, {CPU: 50}]}",
            (NO_CPUS, workers_with(CPU_8, ", replicas: 1")),
            ["RAY441"],
        ),
        (
            "{name: a, placement_group_strategy: STRICT_SPREAD, placement_group_bundles: [{CPU: 5}, {CPU: 5}]}",
            (NO_CPUS, workers_with(CPU_8, ", replicas: 2")),
            [],
        ),
        (
            "{name: a, placement_group_strategy: STRICT_SPREAD, placement_group_bundles: [{CPU: 5}, {CPU: 5}]}",
            (NO_CPUS, workers_with(CPU_8, ", replicas: many")),
            [],
        ),
        # Bundles of all replicas against all pods.
        (
            "{name: a, num_replicas: 3, placement_group_bundles: [{CPU: 4}, {CPU: 4}]}",
            (NO_CPUS, workers_with(CPU_8, ", replicas: 2")),
            ["RAY442"],
        ),
        (
            "{name: a, num_replicas: 3, ray_actor_options: {num_cpus: 1}, max_replicas_per_node: 1}",
            (NO_CPUS, workers_with(CPU_8, ", replicas: 2")),
            ["RAY442"],
        ),
        # What fits nowhere is not counted as well; what may be anywhere is not counted.
        (
            "{name: a, num_replicas: 3, ray_actor_options: {num_cpus: 9}}",
            (NO_CPUS, workers_with(CPU_8, ", replicas: 2")),
            ["RAY441"],
        ),
        ("{name: a, num_replicas: 99, ray_actor_options: {num_cpus: 9}}", (), []),
        (
            "{name: a, num_replicas: 99, ray_actor_options: {num_cpus: 2}}",
            (NO_CPUS, workers_with(CPU_8, ", replicas: many")),
            [],
        ),
        # No group has all of it in one pod, though each thing is somewhere.
        (
            "{name: a, ray_actor_options: {num_cpus: 8, resources: {disk: 1}}}",
            (
                "headGroupSpec: {resources: {cpu: '2', disk: '1'}, template: {spec: {containers: [{name: h,"
                " image: x}]}}}",
                workers_with(CPU_8, ", replicas: 2"),
            ),
            ["RAY441"],
        ),
    ],
)
def test_feasibility_of_serve(serve: str, spec: tuple[str, ...], expected: list[str]) -> None:
    assert found(service(serve, *spec), ["RAY441", "RAY442"]) == expected


def test_a_service_without_a_cluster_or_a_configuration_is_passed_over() -> None:
    bare = "apiVersion: ray.io/v1\nkind: RayService\nmetadata: {name: s}\nspec: "
    assert found(bare + "{serveConfigV2: 'applications: []'}", ["RAY441", "RAY442"]) == []
    assert found(bare + "{serveConfigV2: [x], rayClusterConfig: {headGroupSpec: {}}}", ["RAY441", "RAY442"]) == []


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (("entrypointNumCpus: 0",), []),
        (("entrypointNumCpus: 4", "submissionMode: InteractiveMode"), []),
        (("entrypointResources: '{\"disk\": 1}'",), ["RAY443"]),
        (("entrypointResources: 'disk'",), []),
        (("entrypointResources: [disk]",), []),
        (("entrypointNumGpus: 1",), ["RAY443"]),
        (("entrypointNumGpus: some",), []),
        (("entrypointNumCpus: 0.5",), ["RAY443"]),
    ],
)
def test_feasibility_of_a_driver(spec: tuple[str, ...], expected: list[str]) -> None:
    assert found(job(*spec, lines=(NO_CPUS,)), ["RAY443"]) == expected


def test_a_claim_of_other_shape_is_passed_over() -> None:
    user = cluster(
        workers_with(group=", replicas: 2", pod="volumes: [{name: v, persistentVolumeClaim: {claimName: c}}], ")
    )
    claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: c}\nspec: {accessModes: %s}\n---\n"
    assert found(claim % "[ReadWriteOnce]" + user, ["RAY431"]) == ["RAY431"]
    assert found(claim % "[ReadWriteOnce, ReadWriteMany]" + user, ["RAY431"]) == []
    assert found(claim % "{}" + user, ["RAY431"]) == []
    unnamed = user.replace("claimName: c", "claimName: ''")
    assert found(claim % "[ReadWriteOnce]" + unnamed, ["RAY431"]) == []


def test_only_a_mounted_bucket_blocks_the_start() -> None:
    annotated = workers_with(pod="volumes: [{name: b, csi: {driver: gcsfuse.csi.storage.gke.io}}], ").replace(
        "template: {", "template: {metadata: {annotations: {gke-gcsfuse/volumes: 'true'}}, "
    )
    assert found(cluster(annotated), ["RAY708"], kubernetes=(1, 28)) == []


def only(text: str, rule: str) -> Finding:
    """The one finding that a rule has."""
    (finding,) = Engine([RULES[rule]], Target(NEWEST_KUBERAY)).check("m.yaml", text.encode()).findings
    return finding


def test_the_number_that_is_to_be_told_is_that_of_the_limit() -> None:
    group = workers_with(", resources: {limits: {habana.ai/gaudi: 8}}", ", maxReplicas: 2")
    text = cluster("enableInTreeAutoscaling: true", group)
    assert 'HPU\\": 8' in only(text, "RAY403").fix


@pytest.mark.parametrize(("pods", "bound"), [(2, True), (9, False)])
def test_replicas_that_only_their_limit_to_a_pod_keeps_out(pods: int, bound: bool) -> None:
    serve = "{name: a, num_replicas: 80, ray_actor_options: {num_cpus: 1}, max_replicas_per_node: PODS}"
    text = service(serve.replace("PODS", str(pods)), NO_CPUS, workers_with(CPU_8, ", replicas: 2"))
    finding = only(text, "RAY442")
    assert (f"({pods} to a pod by max_replicas_per_node)" in finding.message) is bound
    assert ("raise max_replicas_per_node" in finding.fix) is bound


def device(name: str, kind: str = "limits") -> str:
    return cluster(workers_with(f", resources: {{{kind}: {{cpu: 2, memory: 8Gi, {name}: 1}}}}"))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("nvidia.com/gpus", "nvidia.com/gpu"),
        ("nvidia.com/GPU", "nvidia.com/gpu"),
        ("nvdia.com/gpu", "nvidia.com/gpu"),
        ("nvidia/gpu", "nvidia.com/gpu"),
        ("nvidia.com/gpu-shared", "nvidia.com/gpu.shared"),
        ("nvidia.com/mig-1g.5g", "nvidia.com/mig-1g.5gb"),
        ("nvidia.com/mig-3g-20gb", "nvidia.com/mig-3g.20gb"),
        ("amd.com/gpus", "amd.com/gpu"),
        ("gpu.intel.com/I915", "gpu.intel.com/i915"),
        ("habana.ai/gaudy", "habana.ai/gaudi"),
        ("huawei.com/ascend910", "huawei.com/Ascend910"),
        ("google.com/TPU", "google.com/tpu"),
        ("cloud.google.com/tpu", "google.com/tpu"),
        ("aws.amazon.com/neuroncores", "aws.amazon.com/neuroncore"),
    ],
)
def test_a_device_that_is_misspelt(written: str, meant: str) -> None:
    finding = only(device(written), "RAY410")
    assert finding.fix == f"write {meant}"
    assert repr(written) in finding.message


@pytest.mark.parametrize(
    "name",
    [
        *("nvidia.com/gpu", "nvidia.com/mig-1g.5gb", "nvidia.com/mig-1g.5gb.me", "nvidia.com/mig-1c.2g.20gb"),
        *("nvidia.com/vgpu", "nvidia.com/gpumem", "nvidia.com/gpu1", "nvidia.com/GA102GL_A10", "amd.com/cpx_nps4"),
        *("gpu.intel.com/xe", "huawei.com/Ascend310P", "huawei.com/Ascend910A-memory", "aws.amazon.com/neuron"),
        *("example.com/gpus", "vpc.amazonaws.com/efa", "rdma/hca", "smarter-devices/fuse"),
    ],
)
def test_names_of_devices_that_somebody_offers(name: str) -> None:
    assert found(device(name), ["RAY410", "RAY414"]) == []
    assert found(device(name, "requests"), ["RAY410", "RAY414"]) == []


@pytest.mark.parametrize(
    ("name", "meant"), [("gpu", "nvidia.com/gpu"), ("TPU", "google.com/tpu"), ("memry", "memory")]
)
def test_a_resource_that_kubernetes_does_not_know(name: str, meant: str) -> None:
    assert only(device(name, "requests"), "RAY414").fix == f"write {meant}"


@pytest.mark.parametrize(
    ("accelerator", "meant"),
    [
        ("tpu-v6e-slices", "tpu-v6e-slice"),
        ("tpu-v6e", "tpu-v6e-slice"),
        ("tpu-v4-podslic", "tpu-v4-podslice"),
        ("tpu-v5-lite-podslices", "tpu-v5-lite-podslice"),
        ("tpu-v5e-slice", "tpu-v5-lite-podslice"),
    ],
)
def test_a_tpu_that_is_misspelt(accelerator: str, meant: str) -> None:
    assert only(cluster(tpu(accelerator)), "RAY415").fix == f"write {meant}"


@pytest.mark.parametrize("accelerator", ["tpu7x", "tpu-v7e-slice", "tpu-v6p-slice", "tpu-v6e-device", "nvidia-l4"])
def test_a_tpu_that_may_exist(accelerator: str) -> None:
    assert found(cluster(tpu(accelerator)), ["RAY415"]) == []


def tpu(accelerator: str) -> str:
    selector = f"nodeSelector: {{cloud.google.com/gke-tpu-accelerator: {accelerator}}}, "
    return workers_with(", resources: {limits: {google.com/tpu: 4}}", pod=selector)
