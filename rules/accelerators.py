"""Accelerators that neither KubeRay nor the autoscaler reads."""

from __future__ import annotations

from raylint.field import Field, Origin
from raylint.group import Group
from raylint.rule import Problem, Severity, unsafe
from raylint.target import version_text

from .devices import device_limits, is_accelerator, ray_name
from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import DeviceGroup
    from raylint.rule import Problems, Repair

__all__ = ["accelerator_unknown_to_ray", "claimed_devices_unknown_to_ray"]

MENTIONS = (
    "gpu",
    "resourceClaims",
    "habana.ai/",
    "huawei.com/",
    "aws.amazon.com/",
    "google.com/tpu",
    "nvidia.com/",
    "aliyun.com/",
    "rebellions.ai/",
)


@looks_into("RAY403", Severity.WARNING, reports=("FR-073", "FR-080"), fixes="unsafe")
def accelerator_unknown_to_ray(group: DeviceGroup) -> Problems:
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
    for name, limit in device_limits(group.ray_container):
        ray = ray_name(name)
        if not ray:
            if is_accelerator(name) and _is_hidden_by_resources(group):
                yield _unreadable(group, name)
                return
            continue
        told = _tells_number(group, ray)
        scaled = group.cluster.autoscaler.enabled and not group.is_head
        if told or (not scaled and group.passes_accelerator(name)) or (scaled and name == "google.com/tpu"):
            continue
        number = limit.value.rounded_up if limit.value is not None else 1
        option = f'num-gpus: "{number}"' if ray == "GPU" else f"""resources: '"{{\\"{ray}\\": {number}}}"'"""
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
            repair=_told(group, ray, number),
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


@looks_into("RAY406", Severity.WARNING, reports=("FR-079",))
def claimed_devices_unknown_to_ray(group: DeviceGroup) -> Problems:
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


def _told(group: Group, ray: str, number: int) -> Repair | None:
    """The number in words, where nothing else is said of resources."""
    if group.start_params.has("resources"):
        return None
    if ray == "GPU":
        return unsafe(group.start_params.at_key("num-gpus").set(str(number)))
    return unsafe(group.start_params.at_key("resources").set(f"'{{\"{ray}\": {number}}}'"))
