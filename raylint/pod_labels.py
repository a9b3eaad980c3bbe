"""Labels and annotations of the pods that KubeRay makes.

Facts: ray-project/kuberay v1.7.0 ``common/pod.go`` (``labelPod``, ``initTemplateAnnotations``,
``configureGCSFaultTolerance``).
"""

from __future__ import annotations

from raylint.fault_tolerance import FT_ANNOTATION, NAMESPACE_ANNOTATION
from raylint.field import Field, Origin, is_template
from raylint.group import OVERWRITE_ANNOTATION
from raylint.object_names import clipped_label

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.field import View
    from raylint.group import Group, WorkerGroup
    from raylint.object_names import ObjectNames
    from raylint.target import Target

__all__ = ["FIXED_LABELS", "annotations_of", "label_values", "labels_of", "sets_fixed_labels"]

# By these KubeRay finds its pods; other labels of the template win over KubeRay's.
FIXED_LABELS = ("ray.io/node-type", "ray.io/group", "ray.io/cluster")
_SOURCE = "(common/pod.go)"


def sets_fixed_labels(target: Target) -> bool:
    """Does KubeRay keep the user from changing :data:`FIXED_LABELS`? From 1.3 on (ray-project/kuberay#2555)."""
    return target.kuberay_at_least(1, 3)


def labels_of(group: Group, names: ObjectNames, workers: WorkerGroup | None) -> dict[str, Field[str]]:
    """The pod's labels; ``workers`` is the group again where it is a worker group. Of a group with several hosts
    those of the first pod."""
    fixed = _fixed(group)
    found = {
        name: _set(group, value, "fixed" if name in fixed else "unless the template sets it")
        for name, value in _defaults(names, workers).items()
    }
    for labels in _written(group):
        for name, value in labels.data.items():
            if name not in fixed and value is not None:
                found[name] = labels.string(name)
    for name, (value, reason) in _changing(group, names, workers).items():
        found[name] = _set(group, value, reason)
    return dict(sorted(found.items()))


def label_values(group: Group, names: ObjectNames, workers: WorkerGroup | None) -> dict[str, str | None]:
    """The values of :func:`labels_of` alone, in no order, for what is asked of many clusters; None: unknown."""
    found: dict[str, str | None] = {**_defaults(names, workers)}
    fixed = _fixed(group)
    for labels in _written(group):
        for name, value in labels.data.items():
            if name not in fixed and value is not None:
                found[name] = value if isinstance(value, str) and not is_template(value) else None
    for name, (value, _) in _changing(group, names, workers).items():
        found[name] = value
    return found


def _fixed(group: Group) -> tuple[str, ...]:
    return FIXED_LABELS if sets_fixed_labels(group.cluster.target) else ()


def _defaults(names: ObjectNames, workers: WorkerGroup | None) -> dict[str, str]:
    """What KubeRay sets on every pod."""
    cluster = names.of_cluster
    node_type = "head" if workers is None else "worker"
    return {
        "ray.io/is-ray-node": "yes",
        "ray.io/cluster": cluster,
        "ray.io/node-type": node_type,
        "ray.io/group": "headgroup" if workers is None else workers.name,
        "ray.io/identifier": clipped_label(f"{cluster}-{node_type}"),
        "app.kubernetes.io/name": "kuberay",
        "app.kubernetes.io/created-by": "kuberay-operator",
    }


def _written(group: Group) -> list[View]:
    """Where people write labels of the pods."""
    return [group.template.labels, *([group.part("labels")] if group.has_fields_for_ray else [])]


def _changing(group: Group, names: ObjectNames, workers: WorkerGroup | None) -> dict[str, tuple[str, str]]:
    """What KubeRay sets, and changes, while the pods run: with the value of the first pod and the reason."""
    found = {}
    if workers is not None and group.cluster.target.gate("RayMultiHostIndexing"):
        found["ray.io/worker-group-replica-index"] = "0", "counts the replicas"
        if (workers.num_of_hosts.value or 0) > 1:
            name = f"{workers.name}-{names.assigned.suffix}"
            found["ray.io/worker-group-replica-name"] = name, "one for the hosts of a replica"
            found["ray.io/replica-host-index"] = "0", "counts the hosts of a replica"
    if group.cluster.kind == "RayService":
        ready = "false" if workers is None else "true"
        reason = "turns true once the Serve proxy answers" if workers is None else "the readiness probe decides"
        if workers is None and _is_kept_from_serve(group):
            reason = "stays false: by excludeHeadPodFromServeSvc"
        found["ray.io/serve"] = ready, reason
    return found


def _is_kept_from_serve(head: Group) -> bool:
    """Does no request to Serve go to the head (KubeRay 1.3 and later, v1)?"""
    cluster = head.cluster
    written = cluster.owner.spec.data.get("excludeHeadPodFromServeSvc") is True
    return written and cluster.target.kuberay_at_least(1, 3) and cluster.serves_v1


def annotations_of(group: Group, names: ObjectNames, *, is_head: bool) -> dict[str, Field[str]]:
    """The pod's annotations."""
    cluster = group.cluster
    written = group.template.annotations
    found = {name: written.string(name) for name, value in written.data.items() if value is not None}
    overwrite = cluster.annotations.string(OVERWRITE_ANNOTATION)
    if cluster.target.kuberay_at_least(1, 1) and (overwrite.value or "").lower() == "true":
        reason = f"from the {cluster.kind} {_SOURCE}"
        found[OVERWRITE_ANNOTATION] = Field("true", Origin.KUBERAY, overwrite.at, reason)
    fault_tolerance = cluster.gcs_fault_tolerance
    if is_head or not cluster.target.kuberay_at_least(1, 3):
        state = "true" if fault_tolerance else "false"
        reason = f"GCS fault tolerance {'on' if fault_tolerance else 'off'} {_SOURCE}"
        found[FT_ANNOTATION] = Field(state, Origin.KUBERAY, fault_tolerance.at_switch, reason)
    if is_head and fault_tolerance.uses_redis:
        namespace = fault_tolerance.namespace_of_cluster
        reason = f"the prefix of the keys in Redis {_SOURCE}"
        value = namespace.value or names.assigned.uid
        found[NAMESPACE_ANNOTATION] = Field(value, Origin.KUBERAY, namespace.at, reason)
    return dict(sorted(found.items()))


def _set(group: Group, value: str, reason: str) -> Field[str]:
    return Field(value, Origin.KUBERAY, group.template.labels.at, f"{reason} {_SOURCE}")
