"""A group's ``resources``: what Ray is to schedule on, in KubeRay's own words."""

from __future__ import annotations

from raylint.field import Field, Origin
from raylint.group import Group
from raylint.quantity import parse_quantity
from raylint.rule import Severity, unsafe

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

__all__ = ["group_resources_misread"]

# What people write for KubeRay's own keys, without letter case, dashes and underscores.
_MEANT = {
    "numcpus": "cpu", "numcpu": "cpu", "cpus": "cpu", "numgpus": "nvidia.com/gpu", "numgpu": "nvidia.com/gpu",
    "gpus": "nvidia.com/gpu", "mem": "memory", "ram": "memory", "objectstorememory": "",
}  # fmt: skip


@looks_into("RAY425", Severity.WARNING, "resources", kuberay="1.5..", fixes="unsafe")
def group_resources_misread(group: Group) -> Problems:
    """A key or an amount in a group's `resources` that KubeRay reads as something else, or not at all.

    ## What it flags
    In `headGroupSpec.resources` or `workerGroupSpecs[].resources`: the names of `ray start` options (`num-cpus`,
    `num_gpus`, `cpus`, `object-store-memory`), and amounts that are no Kubernetes quantity.

    ## What happens
    Only `cpu`, `memory` and names that end with `gpu` (or are MIG slices) mean what they say. Every other key
    becomes a custom resource of that name, which no task asks for, and an amount that cannot be read is skipped
    without a word: Ray then takes the CPUs or the memory from the limits, or from the node.

    ## Versions
    KubeRay 1.5 and later; before, the field does not exist.

    ## Fix
    Write `cpu`, `memory` and `nvidia.com/gpu` with Kubernetes' quantities, and options in `rayStartParams`.

    ## When to ignore it
    When a custom resource is really called that.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go` (`updateRayStartParamsResources`).

    ## Examples
    ```yaml bad worker
    resources:
      num-cpus: "4"  # <-
      memory: 16Gi
    template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]}}
    ```

    ```yaml bad worker
    resources:
      cpu: "4"
      memory: 16 GiB  # <-
    template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]}}
    ```

    ```yaml good worker
    resources: {cpu: "4", memory: 16Gi, nvidia.com/gpu: "1", large_disk: "2"}
    template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]}}
    ```

    Letter case does not matter, and a custom resource may look like one of the others:

    ```yaml good near-miss worker
    resources: {CPU: "4", Memory: 16Gi, gpu: "1", gpu_slots: "4"}
    template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]}}
    ```
    """
    if not group.has_fields_for_ray or not group.cluster.is_built:
        return
    resources = group.part("resources")
    for name, raw in resources.data.items():
        at: Field[str] = Field(None, Origin.WRITTEN, resources.at_key(name))
        plain = name.lower().replace("-", "").replace("_", "")
        if plain in _MEANT:
            meant = _MEANT[plain]
            yield at.flag(
                f"the resource {name!r} is a custom one to KubeRay, not the option of ray start",
                label="a custom resource",
                effect="no task asks for it, and CPUs, memory and GPUs are those of the limits or of the node",
                fix=f"write {meant}"
                if len(meant) > 10
                else f"write {meant} instead of it"
                if meant
                else "write object-store-memory among rayStartParams",
                repair=unsafe(at.at.rename(meant)) if meant else None,
            )
        elif isinstance(raw, str) and "{{" not in raw and parse_quantity(raw) is None:
            yield at.flag(
                f"the amount {raw!r} of {name} is no quantity, and KubeRay skips it without a word",
                label="skipped",
                effect="Ray has none of it, or what the limits or the node say",
                fix="write a Kubernetes quantity, such as 4, 500m or 16Gi",
            )
