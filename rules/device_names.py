"""Names of devices among limits and requests: those that nobody offers, and those that Kubernetes refuses."""

from __future__ import annotations

import re
from functools import lru_cache

from raylint.rule import Confidence, Problem, Severity, unsafe

from .inner_page import looks_into
from .near_miss import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.field import View
    from raylint.narrow import DeviceGroup
    from raylint.pod import Container
    from raylint.rule import Problems, Repair

__all__ = ["device_misspelt", "resource_name_refused"]

# What the vendors' device plugins offer, by the part before the slash (their documentation; Ray 2.60.0,
# _private/accelerators). Those behind the bar are theirs, too, or of a well-known plugin beside them.
_OFFERED = {
    "nvidia.com": "gpu gpu.shared | pgpu vgpu gpumem gpucores gpumem-percentage hostdev",
    "amd.com": "gpu |",
    "gpu.intel.com": "i915 xe | i915_monitoring xe_monitoring millicores memory.max tiles",
    "habana.ai": "gaudi |",
    "huawei.com": "Ascend310 Ascend310P Ascend910 |",
    "aws.amazon.com": "neuron neuroncore neurondevice |",
    "google.com": "tpu |",
    "rebellions.ai": "ATOM |",
}
_VENDORS = {
    vendor: (tuple(meant.split()), frozenset(others.split()))
    for vendor, (meant, _, others) in ((vendor, names.partition("|")) for vendor, names in _OFFERED.items())
}
_SHORT_VENDORS = {
    "nvidia": "nvidia.com",
    "amd": "amd.com",
    "google": "google.com",
    "cloud.google.com": "google.com",
}
_STANDARD = frozenset({"cpu", "memory", "ephemeral-storage"})
_FULL_NAMES = {
    "gpu": "nvidia.com/gpu",
    "gpus": "nvidia.com/gpu",
    "tpu": "google.com/tpu",
    "tpus": "google.com/tpu",
}


@looks_into("RAY410", Severity.ERROR, confidence=Confidence.MEDIUM, reports=("FR-073",), fixes="unsafe")
def device_misspelt(group: DeviceGroup) -> Problems:
    """A device under a name that is almost one that nodes offer: the pods stay Pending.

    ## What it flags
    A limit or request of a container on a resource that is a letter, a plural or upper case away from one that a
    device plugin offers: `nvidia.com/gpus`, `nvdia.com/gpu`, `google.com/TPU`, `huawei.com/ascend910`.

    It stays silent on names that other plugins offer (`nvidia.com/pgpu`), on partitions, and on names that are
    not near any.

    ## What happens
    The API server takes every name of this form, for any plugin may offer it. No node does: the scheduler writes
    "Insufficient nvidia.com/gpus", the pods are Pending for ever, and the autoscaler of the nodes makes none.

    ## Versions
    All.

    ## Fix
    Write the name that the nodes show under `status.allocatable`.

    ## When to ignore it
    When a device plugin of yours was told to offer its devices under this name.

    ## Source
    The device plugins of the vendors; Ray 2.60.0, `_private/accelerators`; ray-project/kuberay v1.7.0,
    `common/pod.go`.

    ## Examples
    ```yaml bad worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-gpu
          resources: {limits: {cpu: "8", memory: 32Gi, nvidia.com/gpus: "1"}}  # <-
    ```

    ```yaml bad worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: registry.example/team/npu:7
          resources:
            limits:
              cpu: "8"
              huawei.com/ascend910: "2"  # <-
            requests:
              huawei.com/ascend910: "2"
    ```

    ```yaml good worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-gpu
          resources: {limits: {cpu: "8", memory: 32Gi, nvidia.com/gpu: "1"}}
    ```

    ```yaml good worker
    rayStartParams: {resources: "'{\\"NPU\\": 2}'"}
    template:
      spec:
        containers:
        - name: ray-worker
          image: registry.example/team/npu:7
          resources: {limits: {cpu: "8", huawei.com/Ascend910: "2"}}
    ```

    A whole card for a virtual machine, a network card, a device of one's own:

    ```yaml good near-miss worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: registry.example/team/trainer:7
          resources: {limits: {cpu: "8", nvidia.com/pgpu: "1", rdma/hca: "1", example.com/gpus: "1"}}
    ```
    """
    if not group.cluster.is_built:
        return
    for container, where, name in _amounts(group):
        meant = _meant(name) if "/" in name else None
        limits, requests = _limits_and_requests(container)
        if meant is None or (where.path == requests.path and limits.has(name)):
            continue
        yield Problem(
            where.at_key(name).key(),
            f"no node offers {name!r}, which is almost {meant!r}: the pods of the {group.title} stay Pending",
            label="almost the name of a device",
            effect=f'"Insufficient {name}" in the events of the pods, for ever',
            fix=f"write {meant}",
            repair=_renamed(container, name, meant),
        )


@looks_into("RAY414", Severity.ERROR, reports=("FR-073",), fixes="unsafe")
def resource_name_refused(group: DeviceGroup) -> Problems:
    """A resource without a vendor's name that is not one of Kubernetes' own: no pod of the group can be made.

    ## What it flags
    A limit or request of a container on a resource without a slash that is not `cpu`, `memory`,
    `ephemeral-storage` or `hugepages-...`: `gpu`, `tpu`, `cpus`.

    ## What happens
    The RayCluster is accepted, for its CRD takes any name. The API server refuses the pod: "must be a standard
    resource type or fully qualified". The operator tries again, without end, and no pod appears.

    ## Versions
    All Kubernetes releases.

    ## Fix
    Write the full name, such as `nvidia.com/gpu`. Ray's own resources belong into `rayStartParams`.

    ## When to ignore it
    Never.

    ## Source
    Kubernetes 1.34, `pkg/apis/core/validation/validation.go` (`validateContainerResourceName`).

    ## Examples
    ```yaml bad worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-gpu
          resources: {limits: {cpu: "8", memory: 32Gi, gpu: "1"}}  # <-
    ```

    ```yaml bad cluster
    headGroupSpec:
      template:
        spec:
          containers:
          - name: ray-head
            image: rayproject/ray:2.60.0
            resources:
              limits: {cpu: "4", memory: 16Gi}
              requests:
                cpus: "4"  # <-
    ```

    ```yaml good worker
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
          image: rayproject/ray:2.60.0
          resources: {limits: {cpu: "8", memory: 32Gi}, requests: {cpu: "4", memory: 32Gi}}
    ```

    Huge pages have a size in their name; Ray's resources may be called anything:

    ```yaml good near-miss worker
    rayStartParams: {resources: "'{\\"gpu_slot\\": 1}'"}
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0
          resources: {limits: {cpu: "8", memory: 32Gi, hugepages-2Mi: 1Gi, ephemeral-storage: 10Gi}}
    ```
    """
    if not group.cluster.is_built:
        return
    for container, where, name in _amounts(group):
        if "/" in name or name in _STANDARD or name.startswith("hugepages-"):
            continue
        near = _FULL_NAMES.get(name.lower()) or nearest(name, _STANDARD)
        yield Problem(
            where.at_key(name).key(),
            f"there is no resource {name!r} in Kubernetes: the API server refuses the pods of the {group.title}",
            label="neither one of Kubernetes' own nor a vendor's",
            effect='no pod of the group is created: "must be a standard resource type or fully qualified"',
            fix=f"write {near}" if near else "write the full name of the resource, such as nvidia.com/gpu",
            repair=_renamed(container, name, near) if near else None,
        )


def _renamed(container: Container, name: str, meant: str) -> Repair | None:
    """Give the amount its right name, in the limits and in the requests; none where that is there as well."""
    both = [amounts for amounts in _limits_and_requests(container) if amounts.has(name)]
    if any(amounts.has(meant) for amounts in both):
        return None
    return unsafe(*(amounts.at_key(name).rename(meant) for amounts in both))


def _amounts(group: DeviceGroup) -> Iterator[tuple[Container, View, str]]:
    """The container, the limits or requests, and the name, for each of them."""
    pod = group.pod
    for container in (*pod.containers, *pod.init_containers):
        if container.has("resources"):
            for where in _limits_and_requests(container):
                for name in where.data:
                    yield container, where, name


def _limits_and_requests(container: Container) -> tuple[View, View]:
    resources = container.part("resources")
    return resources.part("limits"), resources.part("requests")


# One manifest after another has the same names.
@lru_cache(maxsize=256)
def _meant(resource: str) -> str | None:
    """The device that this name is near to: one of its parts exact, the other one a letter or the case away."""
    vendor, _, name = resource.partition("/")
    exact = _VENDORS.get(vendor)
    if exact is not None:
        names, others = exact
        if name in names or name in others:
            return None
        if vendor == "nvidia.com" and name.startswith("mig-"):
            return _slice_meant(name)
        near = next((other for other in names if _is_near(name, other)), None)
        return f"{vendor}/{near}" if near else None
    meant = _SHORT_VENDORS.get(vendor) or nearest(vendor.lower(), _VENDORS)
    return f"{meant}/{name}" if meant and name in _VENDORS[meant][0] else None


def _slice_meant(name: str) -> str | None:
    """A slice such as mig-1g.5gb whose dot or unit is another one."""
    match = re.fullmatch(r"mig-(\d+)g[.-]?(\d+)(?:g|gb|gi|gib)?", name.lower())
    meant = f"mig-{match[1]}g.{match[2]}gb" if match else name
    return None if meant == name else f"nvidia.com/{meant}"


def _is_near(name: str, other: str) -> bool:
    """Another case, or a plural; a longer one may be any letter off. A number behind it makes it a name of its
    own."""
    if name.lower().rstrip("s") == other.lower().rstrip("s"):
        return True
    return not name[-1:].isdigit() and nearest(name.lower(), [other.lower()]) is not None
