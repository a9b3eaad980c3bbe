"""Accelerators by the names of their Kubernetes resources."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.field import Field
    from raylint.pod import Container
    from raylint.quantity import Quantity

__all__ = ["device_limits", "is_accelerator", "ray_name"]

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


def ray_name(resource: str) -> str:
    """What Ray calls the accelerator of this resource; empty: none that is known to be missed."""
    exact = _DEVICES.get(resource)
    if exact is not None:
        return exact
    for pattern, name in _DEVICES.items():
        if pattern[-1] == "*" and resource.startswith(pattern[:-1]):
            return name
    return ""


def is_accelerator(resource: str) -> bool:
    return resource.endswith("gpu") or resource.startswith(_ANY_ACCELERATOR) or bool(ray_name(resource))


def device_limits(container: Container) -> Iterator[tuple[str, Field[Quantity]]]:
    """The limits on resources that are not Kubernetes' own, zeros left out."""
    for name in sorted(container.limits):
        if "/" in name and "kubernetes.io/" not in name:
            limit = container.limit(name)
            if limit.value is not None and limit.value.nanos > 0:
                yield name, limit
