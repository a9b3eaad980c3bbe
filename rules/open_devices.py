"""GPUs that a container sees without having asked for them."""

from __future__ import annotations

from raylint.field import Field, Origin
from raylint.group import Group
from raylint.rule import Severity

from .devices import device_limits, is_accelerator
from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

__all__ = ["gpus_of_the_whole_node"]

MENTIONS = ("NVIDIA_VISIBLE_DEVICES", "privileged")


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
    if any(is_accelerator(name) for name, _ in device_limits(container)):
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
