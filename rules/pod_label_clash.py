"""Labels of Ray pods that the operator's own Services and controllers go by.

Facts: ray-project/kuberay v1.7.0 ``common/pod.go`` (``labelPod``) and ``common/service.go``
(``HeadServiceLabels``).
"""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.group import Group, WorkerGroup
from raylint.object_names import clipped_label
from raylint.pod_labels import FIXED_LABELS, sets_fixed_labels
from raylint.rule import Severity, safe, unsafe

from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.field import View
    from raylint.rule import Problems

__all__ = ["head_selector_label", "operator_label_lost"]

MENTIONS = ("app.kubernetes.io/", "ray.io/identifier", "ray.io/cluster", "ray.io/group", "ray.io/node-type")
_NAME = "app.kubernetes.io/name"
_CREATOR = "app.kubernetes.io/created-by"
_IDENTIFIER = "ray.io/identifier"


@outlined("RAY809", Severity.WARNING, reports=("FR-123",), fixes="unsafe")
def head_selector_label(cluster: RayCluster) -> Problems:
    """A label of the head's pod that its Service looks for, with another value: the Service finds no head.

    Among the labels of the head's template, or (KubeRay 1.5) of `headGroupSpec.labels`, a value of one's own for
    `app.kubernetes.io/created-by` or `ray.io/identifier`; for `app.kubernetes.io/name` in `headGroupSpec.labels`,
    or in the template of a RayService.

    It stays silent on `app.kubernetes.io/name` in the template of a RayCluster or RayJob, whose Service follows
    it, and on the values that KubeRay itself gives.

    Then: The label wins over KubeRay's, and the head's Service goes on looking for KubeRay's value. It has no
    endpoints: the name resolves to nothing, workers wait in `wait-gcs-ready`, the dashboard does not answer. On a
    RayService the Service follows the label when it is made; a later change of the label leaves it behind.

    Fix: Remove the label, or use one of your own name.
    Ignore: Never, but for a RayService whose label never changes.
    Source: ray-project/kuberay v1.7.0, `common/pod.go` and `common/service.go`; ray-project/kuberay#495,
    ray-project/kuberay#571, ray-project/kuberay#2564, ray-project/kuberay#5102.

    bad RayCluster
      head.meta: labels:
      head.meta:   app.kubernetes.io/created-by: platform  # <-
    bad RayService
      head.meta: labels:
      head.meta:   app.kubernetes.io/name: ranker  # <-
    bad RayCluster
      head: labels: {app.kubernetes.io/name: trainer}  # <-
    good RayCluster
      head.meta: labels: {team: vision}
    good RayCluster
      meta: name: trainer
      head.meta: labels: {ray.io/identifier: trainer-head, app.kubernetes.io/created-by: kuberay-operator}
    near-miss RayCluster -- The Service follows this one:
      head.meta: labels: {app.kubernetes.io/name: trainer}
    near-miss RayService -- Workers may be called as you like:
      group.meta: labels: {app.kubernetes.io/name: ranker, app.kubernetes.io/created-by: platform}
    """
    if not cluster.is_built:
        return
    for labels, key in _looked_for(cluster):
        label = labels.string(key)
        if label.value is None or label.value == _expected(cluster, key):
            continue
        # In the template it counts when the Service is made, and not when it is changed.
        is_kept = key == _NAME and "template" in label.at.path
        yield label.flag(
            f"the Service of a RayService's head keeps the {key} that it was made with"
            if is_kept
            else f"{key} is what the head's Service looks for, and this value is not the one that it finds",
            label="wins over KubeRay's own label",
            effect="once the label is changed, the Service has no endpoints"
            if is_kept
            else "the head's Service has no endpoints: no worker finds the head",
            fix="remove the label",
            repair=unsafe(label.at.delete()),
        )


def _looked_for(cluster: RayCluster) -> Iterator[tuple[View, str]]:
    """Labels of the head, with the keys in which they must not differ."""
    head = cluster.head
    followed = cluster.kind != "RayService"
    for key in (_CREATOR, _IDENTIFIER) if followed else (_NAME, _CREATOR, _IDENTIFIER):
        yield head.template.labels, key
    if head.has_fields_for_ray:
        for key in (_NAME, _CREATOR, _IDENTIFIER):
            yield head.part("labels"), key


def _expected(cluster: RayCluster, key: str) -> str:
    """KubeRay's own value; empty where only the cluster's name, which KubeRay makes up, would tell."""
    if key == _IDENTIFIER:
        name = cluster.owner.ref.name if cluster.kind == "RayCluster" else ""
        return clipped_label(f"{name}-head") if name else ""
    return "kuberay" if key == _NAME else "kuberay-operator"


@outlined("RAY810", Severity.INFO, reports=("FR-132",), fixes="safe")
def operator_label_lost(group: Group) -> Problems:
    """A label that KubeRay sets itself, and by which it finds its own pods.

    `ray.io/cluster`, `ray.io/group` or `ray.io/node-type` among the labels of a pod template, or of a group's
    `labels` (KubeRay 1.5), with another value than KubeRay's.

    Then: From KubeRay 1.3 on the value is replaced without a word, and whoever selects pods by it finds none: an
    info. Before, the value stands: KubeRay does not find the pod that it has made and makes another one, again and
    again: an error.

    Fix: Remove the label.
    Ignore: Never.
    Source: ray-project/kuberay v1.7.0, `common/pod.go` (`labelPod`); ray-project/kuberay#2555.

    bad RayCluster
      group.meta: labels:
      group.meta:   ray.io/group: gpu-a100  # <-
    bad RayService
      head.meta: labels: {ray.io/node-type: control-plane}  # <-
    bad RayCluster severity=error kuberay=1.2 -- The value stands, and KubeRay does not find its pods:
      meta: name: trainer
      group.meta: labels: {ray.io/cluster: research}  # <-
    good RayCluster
      group.meta: labels: {example.com/group: gpu-a100}
    near-miss RayCluster -- The value that it gets anyway:
      meta: name: trainer
      group: groupName: gpu-a100
      group.meta: labels: {ray.io/group: gpu-a100, ray.io/cluster: trainer, ray.io/node-type: worker}
    """
    if not group.cluster.is_built:
        return
    for labels in (group.template.labels, *([group.part("labels")] if group.has_fields_for_ray else [])):
        for key in FIXED_LABELS:
            label = labels.string(key)
            if label.value is not None and label.value != _set_by_operator(group, key):
                if sets_fixed_labels(group.cluster.target):
                    severity, message = None, f"KubeRay sets {key} itself; {label.value!r} is lost"
                    effect = "who selects pods by this value finds none"
                else:
                    severity, message = (
                        Severity.ERROR,
                        f"KubeRay looks for its pods by {key}, and this is not its value",
                    )
                    effect = "it does not find the pod that it has made, and makes pods without end"
                yield label.flag(
                    message,
                    severity=severity,
                    effect=effect,
                    fix="remove the label, or use a name of your own",
                    repair=safe(label.at.delete()),
                )


def _set_by_operator(group: Group, key: str) -> str | None:
    """KubeRay's value; None where it makes it up."""
    if key == "ray.io/cluster":
        return group.cluster.owner.ref.name if group.cluster.kind == "RayCluster" else None
    if isinstance(group, WorkerGroup):
        return group.name if key == "ray.io/group" else "worker"
    return "headgroup" if key == "ray.io/group" else "head"
