"""Devices that the environment hides from Ray."""

from __future__ import annotations

from raylint.group import Group
from raylint.rule import Severity

from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

__all__ = ["visible_devices_below_count"]

MENTIONS = ("CUDA_VISIBLE_DEVICES",)
_VARIABLE = "CUDA_VISIBLE_DEVICES"
# Ray looks at the devices of these by variables of their own.
_OTHERS = ("amd.com/gpu", "gpu.intel.com/")


@outlined("RAY409", Severity.ERROR)
def visible_devices_below_count(group: Group) -> Problems:
    """`CUDA_VISIBLE_DEVICES` names fewer GPUs than Ray is to count: `ray start` fails.

    A Ray container whose `CUDA_VISIBLE_DEVICES` lists fewer devices than KubeRay writes as `--num-gpus`: the limit
    on GPUs, `num-gpus` of `rayStartParams`, or the group's `resources`.

    It stays silent on a variable from elsewhere, on a start command of one's own, and on GPUs of AMD and Intel.

    Then: `ray start` ends with `ValueError: Attempting to start raylet with 4 GPU, but CUDA_VISIBLE_DEVICES
    contains ['0']`. The container starts again and again, and the node never joins the cluster.

    Fix: Remove the variable: the container sees the devices that its limit gives it, and Ray sets the variable for
    each task. To keep GPUs from Ray, write a smaller `num-gpus`.
    Ignore: Never.
    Source: Ray 2.60.0, `python/ray/_private/resource_and_label_spec.py`, `_private/accelerators/nvidia_gpu.py`;
    earlier releases have the same check in `_private/resource_spec.py`.

    bad RayCluster
      group.ray: resources: {limits: {nvidia.com/gpu: "4"}}
      group.ray: env:
      group.ray: - {name: CUDA_VISIBLE_DEVICES, value: "0"}  # <-
    bad RayCluster -- No device at all, and a number by hand:
      head: rayStartParams: {num-gpus: "2"}
      head.ray: env:
      head.ray: - {name: CUDA_VISIBLE_DEVICES, value: ""}  # <-
      group.ray: resources: {limits: {nvidia.com/gpu: "1"}}
      group.ray: env:
      group.ray: - {name: CUDA_VISIBLE_DEVICES, value: NoDevFiles}  # <-
    good RayCluster
      group.ray: resources: {limits: {nvidia.com/gpu: "4"}}
    near-miss RayCluster -- As many as the limit; and none of several, with a number that says so:
      head: rayStartParams: {num-gpus: "0"}
      head.ray: resources: {limits: {nvidia.com/gpu: "1"}}
      head.ray: env: [{name: CUDA_VISIBLE_DEVICES, value: ""}]
      group.ray: resources: {limits: {nvidia.com/gpu: "2"}}
      group.ray: env: [{name: CUDA_VISIBLE_DEVICES, value: "0,1"}]
    """
    container = group.ray_container
    entry = container.env(_VARIABLE)
    if entry is None or not group.cluster.is_built or group.own_start:
        return
    if any(name.startswith(_OTHERS) for name in container.limits):
        return
    value = entry.value.value
    seen = container.expand(value, before=_VARIABLE) if value is not None else None
    gpus = group.num_gpus.value
    if seen is None or gpus is None:
        return
    devices = [] if seen in ("", "NoDevFiles") else seen.split(",")
    if gpus > len(devices):
        yield (entry.string("value") or entry.string("name")).flag(
            f"the variable {_VARIABLE} shows {len(devices)} of the {gpus} GPUs of ray start, which fails",
            label="fewer than num-gpus",
            because=[(group.num_gpus.at, "the number of GPUs")],
            effect=f"the {group.title} never runs: Attempting to start raylet with {gpus} GPU",
            fix=f"remove {_VARIABLE}; the limit decides what the container sees",
        )
