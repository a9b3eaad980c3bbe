"""Accelerators: what a pod asks Kubernetes for, what it gets, and what Ray believes it has."""

from __future__ import annotations

from raylint.field import Field, Origin, View
from raylint.group import Group
from raylint.manifest import RayJob
from raylint.quantity import parse_quantity
from raylint.rule import Problem, Severity
from raylint.target import version_text

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.pod import Container
    from raylint.quantity import Quantity
    from raylint.rule import Problems

__all__ = [
    "accelerator_of_submitter",
    "accelerator_unknown_to_ray",
    "claimed_devices_unknown_to_ray",
    "extended_resource_refused",
    "gpu_kinds_mixed",
    "gpus_differ_from_limit",
    "gpus_of_the_whole_node",
]

# A device of its own, or a part of one, under the resource's name: Ray's name for it (Ray 2.60.0,
# _private/accelerators). A name that ends with * begins so.
_DEVICES = {
    "habana.ai/gaudi": "HPU",
    "huawei.com/Ascend*": "NPU",
    "aws.amazon.com/neuron": "neuron_cores",
    "aws.amazon.com/neurondevice": "neuron_cores",
    "aws.amazon.com/neuroncore": "neuron_cores",
    "google.com/tpu": "TPU",
    "gpu.intel.com/*": "GPU",
    "nvidia.com/gpu.shared": "GPU",
    "nvidia.com/mig-*": "GPU",
    "aliyun.com/gpu-*": "GPU",
    "rebellions.ai/ATOM": "RBLN",
}
_ANY_ACCELERATOR = ("nvidia.com/", "amd.com/gpu", "intel.com/gpu")


def _ray_name(resource: str) -> str:
    """What Ray calls the accelerator of this resource; empty: none that is known to be missed."""
    exact = _DEVICES.get(resource)
    if exact is not None:
        return exact
    for pattern, name in _DEVICES.items():
        if pattern[-1] == "*" and resource.startswith(pattern[:-1]):
            return name
    return ""


def _is_accelerator(resource: str) -> bool:
    return resource.endswith("gpu") or resource.startswith(_ANY_ACCELERATOR) or bool(_ray_name(resource))


def _limits(container: Container) -> Iterator[tuple[str, Field[Quantity]]]:
    """The limits on resources that are not Kubernetes' own, zeros left out."""
    for name in sorted(container.limits):
        if "/" in name and "kubernetes.io/" not in name:
            limit = container.limit(name)
            if limit.value is not None and limit.value.nanos > 0:
                yield name, limit


@looks_into("RAY401", Severity.WARNING, reports=("FR-070",))
def gpus_of_the_whole_node(group: Group) -> Problems:
    """The container sees all GPUs of its node without having asked for one: so does Ray.

    ## What it flags
    A Ray container without a limit on a GPU, in a group without `num-gpus`, that has `NVIDIA_VISIBLE_DEVICES: all`
    in its environment; or that is privileged while its image or its node selector is one for GPUs.

    ## What happens
    Ray counts the devices that it can see: all eight, whoever else uses them. Kubernetes has given this pod none,
    so other pods get the same GPUs, and two jobs meet in the memory of one device: CUDA out of memory, at random.

    ## Versions
    All KubeRay and Ray releases.

    ## Fix
    Set a limit (`nvidia.com/gpu: "1"`) and remove the variable; for a pod that must not see GPUs set
    `NVIDIA_VISIBLE_DEVICES: void` or `num-gpus: "0"`.

    ## When to ignore it
    When the pod has its node to itself, and Kubernetes does not share out the GPUs.

    ## Source
    Ray 2.60.0, `_private/accelerators/nvidia_gpu.py`; Ray `doc/source/cluster/kubernetes/user-guides/gpu.rst`;
    ray-project/ray#20265, ray-project/kuberay#99.

    ## Examples
    ```yaml bad worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-gpu
          env:
          - {name: NVIDIA_VISIBLE_DEVICES, value: all}  # <-
    ```

    ```yaml bad worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-py311-cu128
          securityContext:
            privileged: true  # <-
          resources: {limits: {cpu: "8", memory: 32Gi}}
    ```

    ```yaml good worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-gpu
          resources: {limits: {cpu: "8", memory: 32Gi, nvidia.com/gpu: "1"}}
    ```

    Told how many there are, told to see none, and privileged for other reasons:

    ```yaml good near-miss cluster
    headGroupSpec:
      template:
        spec:
          containers:
          - name: ray-head
            image: rayproject/ray:2.60.0
            env: [{name: NVIDIA_VISIBLE_DEVICES, value: void}]
    workerGroupSpecs:
    - groupName: gpu
      rayStartParams: {num-gpus: "8"}
      template:
        spec:
          containers:
          - name: ray-worker
            image: rayproject/ray:2.60.0-gpu
            env: [{name: NVIDIA_VISIBLE_DEVICES, value: all}]
    - groupName: profiled
      template:
        spec:
          containers:
          - {name: ray-worker, image: "rayproject/ray:2.60.0", securityContext: {privileged: true}}
    ```
    """
    container = group.ray_container
    if not (container.has("env") or container.has("securityContext")) or not group.cluster.is_built:
        return
    opened = _opened(group)
    if opened is None or group.num_gpus.value != 0 or group.num_gpus.origin is not Origin.KUBERAY:
        return
    if any(_is_accelerator(name) for name, _ in _limits(container)):
        return
    yield opened.flag(
        f"the {group.title} sees every GPU of its node and has a limit on none: Ray counts them all as its own",
        label="all devices are visible",
        effect="several pods use the same GPU: out of memory at random, and more work than devices",
        fix='set a limit such as nvidia.com/gpu: "1" and remove this, or say num-gpus',
    )


def _opened(group: Group) -> Field[str] | None:
    """What lets the container see devices that nobody gave it."""
    container = group.ray_container
    variable = container.env("NVIDIA_VISIBLE_DEVICES") if container.has("env") else None
    if variable is not None:
        return variable.value if variable.value.value == "all" else None
    security = container.part("securityContext")
    if security.data.get("privileged") is not True:
        return None
    image = group.image
    for_gpus = image is not None and any(word == "gpu" or word.startswith("cu1") for word in image.flavours)
    selected = any("gpu" in f"{key}={value}".lower() for key, value in group.pod.part("nodeSelector").data.items())
    return Field("", Origin.WRITTEN, security.at_key("privileged")) if for_gpus or selected else None


@looks_into("RAY402", Severity.ERROR, reports=("FR-072",))
def extended_resource_refused(group: Group) -> Problems:
    """A device among the requests without an equal limit, or a part of one: no pod can be created.

    ## What it flags
    In any container of a group: a resource that is not Kubernetes' own (`nvidia.com/gpu`, `google.com/tpu`) or
    huge pages among `requests` and not, or with another amount, among `limits`; and an amount of such a resource
    that is no whole number.

    ## What happens
    The API server stores the object of KubeRay without looking at this, and refuses every pod that the operator
    then makes of it: "Limit must be set for non overcommitable resources", "must be equal to ... limit", "must be
    an integer". The group stays empty; the operator's events and log tell why.

    ## Versions
    All: a rule of Kubernetes.

    ## Fix
    Write the resource among `limits`; the request follows from it. For half a GPU ask for one and let Ray share it
    (`num_gpus=0.5` in the task), or use MIG or time slicing.

    ## When to ignore it
    Never.

    ## Source
    Kubernetes 1.36, `pkg/apis/core/validation/validation.go` (`ValidateResourceRequirements`);
    ray-project/kuberay#2528.

    ## Examples
    ```yaml bad worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-gpu
          resources:
            limits: {cpu: "8", memory: 32Gi}
            requests:
              nvidia.com/gpu: "1"  # <-
    ```

    ```yaml bad worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-gpu
          resources:
            limits: {amd.com/gpu: "2"}
            requests:
              amd.com/gpu: "1"  # <-
        - name: exporter
          image: registry.example/team/exporter:7
          resources:
            limits:
              nvidia.com/gpu: 500m  # <-
    ```

    ```yaml good worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-gpu
          resources:
            limits: {cpu: "8", memory: 32Gi, nvidia.com/gpu: "1"}
            requests: {cpu: "8", memory: 32Gi}
    ```

    CPU, memory and disk may differ; the same amount may be spelt in two ways:

    ```yaml good near-miss worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-gpu
          resources:
            limits: {memory: 32Gi, ephemeral-storage: 100Gi, nvidia.com/gpu: 1}
            requests: {cpu: "8", memory: 16Gi, ephemeral-storage: 10Gi, nvidia.com/gpu: "1"}
    ```
    """
    pod = group.pod
    if not group.cluster.is_built:
        return
    for container in pod.containers:
        if container.has("resources"):
            yield from _refused_amounts(container, group)
    for container in pod.init_containers if pod.has("initContainers") else ():
        yield from _refused_amounts(container, group)


def _refused_amounts(container: Container, group: Group) -> Problems:
    resources = container.part("resources")
    limits, requests = resources.part("limits"), resources.part("requests")
    for kind in (limits, requests):
        for name, raw in kind.data.items():
            if not (isinstance(name, str) and _is_extended(name)):
                continue
            amount = parse_quantity(raw)
            if amount is None:
                continue
            at: Field[str] = Field(None, Origin.WRITTEN, kind.at_key(name))
            if not amount.is_whole and not name.startswith("hugepages-"):
                yield at.flag(
                    f"the amount {raw} of {name} is no whole number: the API server refuses the pods of the"
                    f" {group.title}",
                    label="a part of a device",
                    effect='no pod of the group is created: "must be an integer"',
                    fix="ask for whole devices; Ray shares one out itself (num_gpus=0.5 in the task)",
                )
            elif kind is requests and parse_quantity(limits.data.get(name)) != amount:
                said = f"is not its limit, {limits.data[name]}" if limits.has(name) else "has no limit"
                yield at.flag(
                    f"the request of {raw} {name} {said}: the API server refuses the pods of the {group.title}",
                    label="no equal limit",
                    because=[(limits.at_key(name), "the limit")] if limits.has(name) else [],
                    effect="no pod of the group is created: devices cannot be overcommitted",
                    fix=f"write {name} among limits alone; the request follows from it",
                )


def _is_extended(name: str) -> bool:
    """A resource of which Kubernetes wants request and limit to be equal (``v1helper.IsExtendedResourceName``,
    ``IsOvercommitAllowed``)."""
    if name.startswith("hugepages-"):
        return True
    return "/" in name and "kubernetes.io/" not in name and not name.startswith("requests.")


@looks_into("RAY403", Severity.WARNING, reports=("FR-073", "FR-080"))
def accelerator_unknown_to_ray(group: Group) -> Problems:
    """The pod has an accelerator, and nothing tells Ray's autoscaler or `ray start` how many.

    ## What it flags
    A limit on an accelerator whose name KubeRay or the autoscaler does not understand, in a group that does not
    say the number itself (`num-gpus`, `resources` with Ray's name for it, or the group's `resources`):

    - Gaudi (`habana.ai/gaudi`, Ray: HPU), Ascend (`huawei.com/Ascend910`, NPU), Neuron devices and cores
      (`aws.amazon.com/neuron`, `neuroncore`, `neuron_cores`), Intel (`gpu.intel.com/i915`), shared and MIG GPUs
      (`nvidia.com/gpu.shared`, `nvidia.com/mig-1g.5gb`), GPU memory (`aliyun.com/gpu-mem`);
    - a TPU before KubeRay 1.3, and a MIG GPU before 1.4.

    Under the autoscaler it is a warning. Without it an info: a running node detects most of these by itself. An
    info as well: a `resources` parameter in a form that KubeRay cannot read, beside a limit on a GPU or TPU; then
    KubeRay passes neither.

    ## What happens
    The autoscaler works out from the RayCluster what a pod of each group would bring, and understands only names
    that end with `gpu`, and `google.com/tpu`. For a task that asks for an NPU no group seems to help: no pod is
    added, and the task is pending for ever although the group could have had ten. Without the autoscaler Ray
    counts what it finds in the container, and nothing where the vendor's tools are missing in the image.

    ## Versions
    All KubeRay releases up to 1.7; Neuron cores and TPUs are passed to `ray start` since 1.3, MIG since 1.4.

    ## Fix
    Say the number: `num-gpus: "1"`, or `resources: '"{\\"NPU\\": 2}"'`; with KubeRay 1.5 the group's `resources`.

    ## When to ignore it
    The info, where the nodes show the right number.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go` (`updateRayStartParamsResources`,
    `addWellKnownAcceleratorResources`); Ray 2.60.0, `autoscaler/_private/kuberay/autoscaling_config.py`
    (`_get_num_gpus`), `_private/accelerators`; ray-project/kuberay#5039, #2354, #1984, #2494.

    ## Examples
    ```yaml bad cluster
    enableInTreeAutoscaling: true
    workerGroupSpecs:
    - groupName: ascend
      maxReplicas: 4
      template:
        spec:
          containers:
          - name: ray-worker
            image: rayproject/ray:2.60.0
            resources:
              limits:
                cpu: "8"
                huawei.com/Ascend910: "2"  # <-
    ```

    ```yaml bad severity=info worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0
          resources:
            limits:
              cpu: "8"
              habana.ai/gaudi: "8"  # <-
    ```

    ```yaml bad severity=info kuberay=1.2 worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.40.0
          resources:
            limits:
              google.com/tpu: "4"  # <-
    ```

    KubeRay does not read this form of `resources`, and so passes no `num-gpus` either:

    ```yaml bad severity=info worker
    rayStartParams:
      resources: '"{\\"special\\": 1}"'  # <-
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-gpu
          resources: {limits: {cpu: "8", nvidia.com/gpu: "1"}}
    ```

    ```yaml good cluster
    enableInTreeAutoscaling: true
    workerGroupSpecs:
    - groupName: ascend
      maxReplicas: 4
      rayStartParams: {resources: '"{\\"NPU\\": 2}"'}
      template:
        spec:
          containers:
          - name: ray-worker
            image: rayproject/ray:2.60.0
            resources: {limits: {cpu: "8", huawei.com/Ascend910: "2"}}
    ```

    Names that both understand, and a device that is no accelerator:

    ```yaml good near-miss cluster
    enableInTreeAutoscaling: true
    workerGroupSpecs:
    - groupName: amd
      maxReplicas: 4
      template:
        spec:
          containers:
          - name: ray-worker
            image: rayproject/ray:2.60.0
            resources: {limits: {cpu: "8", amd.com/gpu: "2", rdma/hca: "1"}}
    - groupName: tpu
      maxReplicas: 4
      template:
        spec:
          containers:
          - name: ray-worker
            image: rayproject/ray:2.60.0
            resources: {limits: {cpu: "8", google.com/tpu: "4"}}
    ```
    """
    if not group.ray_container.has("resources") or not group.cluster.is_built or group.start_is_overwritten:
        return
    for name, limit in _limits(group.ray_container):
        ray = _ray_name(name)
        if not ray:
            if _is_accelerator(name) and _is_hidden_by_resources(group):
                yield _unreadable(group, name)
                return
            continue
        told = _tells_number(group, ray)
        scaled = group.cluster.autoscaler.enabled and not group.is_head
        if told or (not scaled and group.passes_accelerator(name)) or (scaled and name == "google.com/tpu"):
            continue
        option = 'num-gpus: "1"' if ray == "GPU" else f"""resources: '"{{\\"{ray}\\": 1}}"'"""
        yield limit.flag(
            f"the autoscaler does not know that the {group.title} has {name}: it adds no pod for a task that"
            f" asks for"
            f" {ray}"
            if scaled
            else f"KubeRay {version_text(group.cluster.target.kuberay)} does not tell Ray of {name}: the"
            f" {group.title} has as many {ray} as Ray detects",
            label=f"{ray} to Ray",
            effect="tasks and actors that ask for it stay pending although the group could grow"
            if scaled
            else "none, where the image lacks the vendor's tools",
            fix=f"say the number in rayStartParams, such as {option}",
            severity=None if scaled else Severity.INFO,
        )


def _tells_number(group: Group, ray: str) -> bool:
    """Does the group say itself how many of Ray's resource a pod has?"""
    if ray == "GPU" and group.num_gpus.origin is not Origin.KUBERAY:
        return True
    resources = group.start_param("resources")
    if resources and (resources.value is None or ray in resources.value):
        return True
    return group.has_fields_for_ray and group.part("resources").has(ray)


def _is_hidden_by_resources(group: Group) -> bool:
    return group.start_params.has("resources") and not group.takes_accelerators and not group.num_gpus.value


def _unreadable(group: Group, name: str) -> Problem:
    return group.start_param("resources").flag(
        f"KubeRay cannot read this form of resources, and therefore tells Ray nothing of {name} either",
        label="not JSON to KubeRay",
        because=[(group.ray_container.limit(name).at, "the limit")],
        effect="the number of GPUs or TPUs is what Ray detects on the node",
        fix="""write it in single quotes, such as "'{\\"special\\": 1}'", which both read; or say num-gpus too""",
        severity=Severity.INFO,
    )


@looks_into("RAY404", Severity.WARNING, reports=("FR-074",))
def gpus_differ_from_limit(group: Group) -> Problems:
    """Ray is told another number of GPUs than the container has.

    ## What it flags
    `num-gpus`, or a GPU among the group's `resources`, that is more than the limits on GPUs of the Ray container.
    Less than the limit is an info: those GPUs are paid for and never used.

    It stays silent where the container may get GPUs in another way: a resource claim, a runtime class, all devices
    of the node, a device under another name.

    ## What happens
    Ray schedules as many GPU tasks as it was told of: the second process finds no device ("no CUDA-capable device
    is detected") or shares the first one's and runs out of memory. With `num-gpus: "0"` on a pod that has GPUs no
    task that asks for one ever lands there.

    ## Versions
    All KubeRay and Ray releases.

    ## Fix
    Remove `num-gpus`: KubeRay takes the number from the limit.

    ## When to ignore it
    When one GPU is meant to be shared by several tasks that each ask for a whole one.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go`; Ray 2.60.0, `_private/resource_spec.py`; ray-project/ray#12881.

    ## Examples
    ```yaml bad worker
    rayStartParams:
      num-gpus: "4"  # <-
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-gpu
          resources: {limits: {cpu: "8", memory: 32Gi, nvidia.com/gpu: "1"}}
    ```

    ```yaml bad severity=info worker
    rayStartParams:
      num-gpus: "0"  # <-
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-gpu
          resources: {limits: {cpu: "8", memory: 32Gi, nvidia.com/gpu: "1"}}
    ```

    ```yaml good worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-gpu
          resources: {limits: {cpu: "8", memory: 32Gi, nvidia.com/gpu: "4"}}
    ```

    Two kinds of slices add up; a claim gives devices without a limit; no GPU at all:

    ```yaml good near-miss cluster
    headGroupSpec:
      rayStartParams: {num-gpus: "0"}
      template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
    workerGroupSpecs:
    - groupName: slices
      rayStartParams: {num-gpus: "3"}
      template:
        spec:
          containers:
          - name: ray-worker
            image: rayproject/ray:2.60.0-gpu
            resources: {limits: {cpu: "8", nvidia.com/mig-1g.5gb: "2", nvidia.com/mig-3g.20gb: "1"}}
    - groupName: claimed
      rayStartParams: {num-gpus: "2"}
      template:
        spec:
          resourceClaims: [{name: gpus, resourceClaimTemplateName: two-gpus}]
          containers:
          - name: ray-worker
            image: rayproject/ray:2.60.0-gpu
            resources: {claims: [{name: gpus}]}
    ```
    """
    gpus = group.num_gpus
    if gpus.origin is not Origin.WRITTEN or gpus.value is None or not group.cluster.is_built:
        return
    limits = [(name, limit) for name, limit in _limits(group.ray_container) if _is_gpu(name)]
    have = sum(limit.value.rounded_up for _, limit in limits if limit.value is not None)
    if gpus.value == have or gpus.value < 0 or (gpus.value > have and group.sees_other_devices):
        return
    more = gpus.value > have
    told = "1 GPU" if gpus.value == 1 else f"{gpus.value} GPUs"
    yield gpus.flag(
        f"Ray is told of {told}, and the container of the {group.title} has a limit of {have}"
        if have
        else f"Ray is told of {told}, and the container of the {group.title} has no limit on a GPU",
        label="more than there are" if more else "less than there are",
        because=[(limit.at, name) for name, limit in limits],
        effect="tasks find no device, or share one and run out of its memory"
        if more
        else "the rest is reserved and paid for, and no task can use it",
        fix="remove num-gpus: KubeRay takes the number from the limit" if have else "set a limit on the GPUs",
        severity=None if more else Severity.INFO,
    )


def _is_gpu(name: str) -> bool:
    return name.endswith("gpu") or _ray_name(name) == "GPU"


@looks_into("RAY405", Severity.WARNING)
def gpu_kinds_mixed(group: Group) -> Problems:
    """Two kinds of GPU in one container: KubeRay counts one of them.

    ## What it flags
    Limits on several resources that KubeRay takes for GPUs (a name that ends with `gpu`, MIG slices since KubeRay
    1.4) in a group that does not say `num-gpus` itself.

    ## What happens
    KubeRay passes the number of the first one, by alphabet, as `num-gpus`, and leaves out the others: they are
    reserved and paid for, and no task can use them.

    ## Versions
    All; MIG slices are counted at all since KubeRay 1.4.

    ## Fix
    Say the sum in `num-gpus`, or use one worker group for each kind, which also lets tasks choose.

    ## When to ignore it
    When one of the two is not meant for Ray.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go` (`updateRayStartParamsResources`): "only one GPU type".

    ## Examples
    ```yaml bad worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-gpu
          resources:
            limits:
              nvidia.com/mig-1g.5gb: "2"
              nvidia.com/mig-3g.20gb: "1"  # <-
    ```

    ```yaml bad worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-gpu
          resources:
            limits:
              amd.com/gpu: "1"
              nvidia.com/gpu: "1"  # <-
    ```

    ```yaml good worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-gpu
          resources: {limits: {nvidia.com/gpu: "2"}}
    ```

    The number is written, and other devices are no GPUs:

    ```yaml good near-miss cluster
    headGroupSpec:
      template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
    workerGroupSpecs:
    - groupName: slices
      rayStartParams: {num-gpus: "3"}
      template:
        spec:
          containers:
          - name: ray-worker
            image: rayproject/ray:2.60.0-gpu
            resources: {limits: {nvidia.com/mig-1g.5gb: "2", nvidia.com/mig-3g.20gb: "1"}}
    - groupName: network
      template:
        spec:
          containers:
          - name: ray-worker
            image: rayproject/ray:2.60.0-gpu
            resources: {limits: {nvidia.com/gpu: "2", nvidia.com/gpumem: "16000", rdma/hca: "1"}}
    ```
    """
    gpus = group.num_gpus
    if gpus.origin is not Origin.KUBERAY or not gpus.value or not group.cluster.is_built:
        return
    counted = gpus.at.path[-1]
    others = [
        (name, limit) for name, limit in _limits(group.ray_container) if group.is_gpu(name) and name != counted
    ]
    for name, limit in others:
        yield limit.flag(
            f"KubeRay counts {counted} as the GPUs of the {group.title} and leaves out {name}: no task can use it",
            label="not counted",
            because=[(gpus.at, f"counted: {gpus.value}")],
            effect="the devices are reserved and paid for, and stay idle",
            fix="say the sum in num-gpus, or use a worker group for each kind",
        )


@looks_into("RAY406", Severity.WARNING, reports=("FR-079",))
def claimed_devices_unknown_to_ray(group: Group) -> Problems:
    """Devices come by a resource claim, which neither KubeRay nor the autoscaler reads.

    ## What it flags
    A worker group whose Ray container uses a resource claim (dynamic resource allocation) while the group says
    neither `num-gpus` nor `resources`. A warning under the autoscaler, else an info.

    ## What happens
    KubeRay derives the GPUs of a group from limits alone. A running node may detect the device, but the autoscaler
    plans with zero: it adds no pod for a task that asks for a GPU, which stays pending for ever.

    ## Versions
    All KubeRay releases up to 1.7; claims are on by default since Kubernetes 1.34.

    ## Fix
    Say the number in `num-gpus` (or `resources`), as the claim's template has it.

    ## When to ignore it
    When the claim is no accelerator: a network interface, for example.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go`; Ray 2.60.0,
    `autoscaler/_private/kuberay/autoscaling_config.py`; ray-project/kuberay#3527.

    ## Examples
    ```yaml bad cluster
    enableInTreeAutoscaling: true
    workerGroupSpecs:
    - groupName: gpu
      maxReplicas: 4
      template:
        spec:
          resourceClaims:  # <-
          - {name: gpus, resourceClaimTemplateName: two-gpus}
          containers:
          - name: ray-worker
            image: rayproject/ray:2.60.0-gpu
            resources: {limits: {cpu: "8"}, claims: [{name: gpus}]}
    ```

    ```yaml bad severity=info worker
    replicas: 2
    template:
      spec:
        resourceClaims:  # <-
        - {name: gpus, resourceClaimTemplateName: two-gpus}
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-gpu
          resources: {limits: {cpu: "8"}, claims: [{name: gpus}]}
    ```

    ```yaml good cluster
    enableInTreeAutoscaling: true
    workerGroupSpecs:
    - groupName: gpu
      maxReplicas: 4
      rayStartParams: {num-gpus: "2"}
      template:
        spec:
          resourceClaims: [{name: gpus, resourceClaimTemplateName: two-gpus}]
          containers:
          - name: ray-worker
            image: rayproject/ray:2.60.0-gpu
            resources: {limits: {cpu: "8"}, claims: [{name: gpus}]}
    ```

    The claim is a sidecar's:

    ```yaml good near-miss worker
    template:
      spec:
        resourceClaims: [{name: nic, resourceClaimTemplateName: fast-network}]
        containers:
        - {name: ray-worker, image: "rayproject/ray:2.60.0"}
        - name: relay
          image: registry.example/team/relay:7
          resources: {claims: [{name: nic}]}
    ```
    """
    claims = group.ray_container.part("resources").data.get("claims")
    if not claims or not group.pod.has("resourceClaims") or group.is_head or not group.cluster.is_built:
        return
    written = group.num_gpus.origin is not Origin.KUBERAY or group.num_gpus.value != 0
    if written or group.start_params.has("resources") or group.part("resources").data:
        return
    scaled = group.cluster.autoscaler.enabled
    yield Field(None, Origin.WRITTEN, group.pod.at_key("resourceClaims").key()).flag(
        f"the devices of the {group.title} come by a claim, which the autoscaler does not read: it adds no pod"
        f" for them"
        if scaled
        else f"the devices of the {group.title} come by a claim, which KubeRay does not read: Ray has what"
        " it detects",
        label="not counted",
        effect="tasks that ask for a GPU stay pending although the group could grow"
        if scaled
        else "none, where the image lacks the vendor's tools",
        fix="say the number in num-gpus or resources, as the claim has it",
        severity=None if scaled else Severity.INFO,
    )


@looks_into("RAY407", Severity.WARNING, "submitterPodTemplate", reports=("FR-078",))
def accelerator_of_submitter(job: RayJob) -> Problems:
    """The pod that only submits the job holds a GPU.

    ## What it flags
    A limit or request on an accelerator in a container of `submitterPodTemplate`.

    ## What happens
    The submitter runs `ray job submit` and follows the log: it needs no device. The GPU is reserved until the job
    ends, and the job's own workers may wait for just that one.

    ## Versions
    All; the template counts in K8sJobMode alone.

    ## Fix
    Delete the resource from the template.

    ## When to ignore it
    When the template only sends the submitter to a node that has free devices in any case.

    ## Source
    ray-project/kuberay v1.7.0, `common/job.go` (`GetDefaultSubmitterTemplate`: CPU and memory alone);
    michelangelo-ai/michelangelo#1562.

    ## Examples
    ```yaml bad job
    submitterPodTemplate:
      spec:
        restartPolicy: Never
        containers:
        - name: submit
          image: rayproject/ray:2.60.0
          resources:
            limits:
              nvidia.com/gpu: "1"  # <-
    ```

    ```yaml bad job
    submitterPodTemplate:
      spec:
        restartPolicy: Never
        containers:
        - name: submit
          image: rayproject/ray:2.60.0
          resources:
            limits: {cpu: "1", google.com/tpu: "4"}  # <-
    ```

    ```yaml good job
    submitterPodTemplate:
      spec:
        restartPolicy: Never
        containers:
        - name: submit
          image: rayproject/ray:2.60.0
          resources: {limits: {cpu: "1", memory: 1Gi}}
    ```

    None, in so many words; and a mode that has no submitter:

    ```yaml good near-miss job
    submitterPodTemplate:
      spec:
        restartPolicy: Never
        containers:
        - name: submit
          image: rayproject/ray:2.60.0
          resources: {limits: {cpu: "1", nvidia.com/gpu: "0"}}
    ```
    """
    if job.submission_mode.value != "K8sJobMode":
        return
    for path, item in job.job_spec.part("submitterPodTemplate").part("spec").parts("containers"):
        limits = View(job.document, path, item).part("resources").part("limits")
        for name, raw in limits.data.items():
            amount = parse_quantity(raw)
            if _is_accelerator(name) and amount is not None and amount.nanos > 0:
                yield Field(None, Origin.WRITTEN, limits.at_key(name)).flag(
                    f"the submitter holds {raw} of {name} until the job ends, and only submits it",
                    label="reserved for nothing",
                    effect="a device is paid for twice, and the job's own workers may wait for it",
                    fix=f"delete {name} from the submitter's resources",
                )
