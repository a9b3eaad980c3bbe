"""GPUs: those that a limit gives, and those that Ray is told of."""

from __future__ import annotations

from raylint.field import Origin
from raylint.rule import Confidence, Severity, unsafe

from .devices import device_limits, ray_name
from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import DeviceGroup
    from raylint.rule import Problems

__all__ = ["gpu_kinds_mixed", "gpu_with_cpu_image", "gpus_differ_from_limit"]

MENTIONS = ("gpu", "GPU", "nvidia.com/")


@looks_into("RAY404", Severity.WARNING, reports=("FR-074",), fixes="unsafe")
def gpus_differ_from_limit(group: DeviceGroup) -> Problems:
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
    limits = [(name, limit) for name, limit in device_limits(group.ray_container) if _is_gpu(name)]
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
        repair=unsafe(gpus.at.delete()) if have else None,
    )


def _is_gpu(name: str) -> bool:
    return name.endswith("gpu") or ray_name(name) == "GPU"


@looks_into("RAY405", Severity.WARNING)
def gpu_kinds_mixed(group: DeviceGroup) -> Problems:
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
        (name, limit)
        for name, limit in device_limits(group.ray_container)
        if group.is_gpu(name) and name != counted
    ]
    for name, limit in others:
        yield limit.flag(
            f"KubeRay counts {counted} as the GPUs of the {group.title} and leaves out {name}: no task can use it",
            label="not counted",
            because=[(gpus.at, f"counted: {gpus.value}")],
            effect="the devices are reserved and paid for, and stay idle",
            fix="say the sum in num-gpus, or use a worker group for each kind",
        )


@looks_into("RAY408", Severity.WARNING, confidence=Confidence.MEDIUM)
def gpu_with_cpu_image(group: DeviceGroup) -> Problems:
    """The container has a GPU, and its image is the one for CPUs.

    ## What it flags
    A limit on an NVIDIA GPU together with an official Ray image whose tag says `-cpu`.

    It stays silent about tags that say nothing: with a framework that brings its own CUDA libraries they do.

    ## What happens
    The image has no CUDA libraries: a framework that is built for CPUs finds no device, and the GPU is paid for
    and idle, or the first task that asks for it fails.

    ## Versions
    All.

    ## Fix
    Use the `-gpu` or `-cuNNN` tag of the same release and Python.

    ## When to ignore it
    When the CUDA libraries come with a runtime environment.

    ## Source
    Ray 2.60.0, `docker/README.md`; Ray `doc/source/cluster/kubernetes/user-guides/gpu.rst`.

    ## Examples
    ```yaml bad worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-py311-cpu  # <-
          resources: {limits: {cpu: "8", memory: 32Gi, nvidia.com/gpu: "1"}}
    ```

    ```yaml bad worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: registry.example/rayproject/ray-ml:2.49.2.deprecated-py311-cpu  # <-
          resources: {limits: {cpu: "8", memory: 32Gi, nvidia.com/mig-1g.5gb: "1"}}
    ```

    ```yaml good worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-py311-cu128
          resources: {limits: {cpu: "8", memory: 32Gi, nvidia.com/gpu: "1"}}
    ```

    ```yaml good near-miss cluster
    headGroupSpec:
      template:
        spec:
          containers:
          - name: ray-head
            image: rayproject/ray:2.60.0-py311-cpu
            resources: {limits: {cpu: "2", memory: 8Gi, nvidia.com/gpu: "0"}}
    workerGroupSpecs:
    - groupName: gpu
      template:
        spec:
          containers:
          - name: ray-worker
            image: rayproject/ray:2.60.0-py311
            resources: {limits: {cpu: "8", memory: 32Gi, nvidia.com/gpu: "1"}}
    ```
    """
    image = group.image
    if image is None or "cpu" not in image.flavours or not group.cluster.is_built:
        return
    gpu = next((name for name, _ in device_limits(group.ray_container) if name.startswith("nvidia.com/")), "")
    if gpu:
        yield group.ray_container.string("image").flag(
            f"the image of the {group.title} is the one for CPUs, and the container has {gpu}",
            label="without CUDA",
            because=[(group.ray_container.limit(gpu).at, "the GPU")],
            effect="frameworks find no device, and the GPU is paid for and idle",
            fix="use the -gpu or -cuNNN tag of the same release and Python",
        )
