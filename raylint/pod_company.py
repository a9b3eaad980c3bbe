"""What is wrong with the containers of a pod that has several.

Facts: ray-project/kuberay v1.7.0 ``common/pod.go`` (``utils.RayContainerIndex``: Ray is started in the first one);
Kubernetes 1.36 ``pkg/apis/core/validation/validation.go`` (one name is given once, init containers included).
"""

from __future__ import annotations

from raylint.pod_verdict import PodFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.group import Group
    from raylint.pod import Container

__all__ = ["judge_company"]

_RAY_NAMES = ("ray-head", "ray-worker")
# The last part of the repositories of well-known companions.
_COMPANIONS = frozenset({
    "fluent-bit", "fluentd", "promtail", "vector", "filebeat", "opentelemetry-collector",
    "opentelemetry-collector-contrib", "proxyv2", "envoy", "oauth2-proxy", "cloud-sql-proxy", "cloudsql-proxy",
    "redis", "valkey", "nginx", "busybox", "gcs-fuse-csi-driver-sidecar-mounter",
})  # fmt: skip
_COMPANION_NAMES = frozenset({"istio-proxy", "linkerd-proxy", "fluentbit", "fluent-bit", "fluentd", "promtail"})


def judge_company(group: Group, found: list[PodFault]) -> None:
    """Add the names that are given twice, and a container in the place of Ray's."""
    _judge_names(group, found)
    if not group.start_is_overwritten:
        _judge_order(group, found)


def _judge_names(group: Group, found: list[PodFault]) -> None:
    first: dict[str, Container] = {}
    for container in group.pod.init_containers + group.pod.containers:
        name = container.name.value
        other = first.setdefault(name, container) if name else container
        if other is not container:
            found.append(PodFault("name", container.name.at, container.name.value or "", other=other.name.at))


def _judge_order(group: Group, found: list[PodFault]) -> None:
    containers = group.pod.containers
    if len(containers) < 2 or _is_ray(containers[0]):
        return
    first = containers[0]
    ray = next((container for container in containers[1:] if _is_ray(container)), None)
    if ray is not None or _is_companion(first):
        what = f"the first container of the {group.title} is {first.name.value or ''!r}"
        found.append(PodFault("order", first.name.at, what, other=None if ray is None else ray.at))


def _is_ray(container: Container) -> bool:
    return container.name.value in _RAY_NAMES or (container.image is not None and container.image.is_ray)


def _is_companion(container: Container) -> bool:
    image = container.image
    return container.name.value in _COMPANION_NAMES or (
        image is not None and image.repository.rpartition("/")[2] in _COMPANIONS
    )
