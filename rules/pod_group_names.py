"""Names of worker groups of which no pod can be made.

Facts: ray-project/kuberay v1.7.0 ``utils/util.go`` (``PodName``) and ``common/pod.go`` (``labelPod``).
"""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.manifest import RayClusterObject
from raylint.rule import Severity

from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

__all__ = ["group_name_refused"]

# KubeRay cuts "cluster-group" to so many characters before it adds "-worker-".
_CUT = 50
# "-" and five random characters, or up to 1.3 "-raycluster-" and five.
_ADDED = 17
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
_OF_NAMES = _PLAIN | {"."}
_LONGEST_LABEL = 63


@outlined("RAY368", Severity.ERROR)
def group_name_refused(cluster: RayCluster) -> Problems:
    """A worker group's name cannot be part of a pod's name or label: the group gets no pod.

    A `groupName` of more than 63 characters; one that is no value of a label (letters, digits, `-`, `_` and `.`, a
    letter or digit first and last); or one with an underscore, two dots, or a dot beside a dash among the
    characters that reach the pod's name.
    Upper case is right: KubeRay writes the pod's name in lower case.

    Then: The API server stores the object of KubeRay without looking at this. The operator makes pods called
    `CLUSTER-GROUP-worker-...` with the label `ray.io/group`, and the API server refuses them: "Invalid value". The
    group stays empty, and only the operator's events and log tell why.

    Fix: Use lower-case letters, digits and dashes (`gpu_a100` becomes `gpu-a100`), and be short. Renaming a group
    of a live cluster replaces its pods.
    Ignore: Never.
    Source: ray-project/kuberay v1.7.0, `utils/util.go` (`PodName`: cut to 50 characters, lower case),
    `common/pod.go` (`labelPod`); Kubernetes 1.36, `apimachinery/pkg/util/validation` (`IsDNS1123Subdomain`,
    `IsValidLabelValue`).

    bad RayCluster
      group: groupName: gpu_a100  # <-
      group2: groupName: "spot workers"  # <-
    bad RayJob
      group: groupName: workers-for-the-long-training-of-the-recommendation-model-of-march  # <-
    good RayCluster
      group: groupName: gpu-a100
      group2: groupName: spot-workers
    near-miss RayCluster -- Upper case, a dot, and an underscore that the pod's name does not reach:
      group: groupName: smallGroup.v2
      group2: groupName: workers-for-the-long-training-of-the-recommender_7
    """
    if not cluster.is_built:
        return
    for group in cluster.worker_groups:
        name = group.string("groupName")
        fault = _fault(name.value or "", _reach(cluster))
        if fault:
            yield name.flag(
                f"the group name {name.value!r} makes no pod: {fault}",
                label="no part of a pod's name",
                effect="the API server refuses every pod of the group; the cluster runs without it",
                fix="use lower-case letters, digits and dashes, at most 63",
            )


def _reach(cluster: RayCluster) -> int:
    """How many characters of a group's name surely stand in the pod's name."""
    owner = cluster.owner
    own = isinstance(owner, RayClusterObject) and bool(owner.name.value)
    return _CUT - len(owner.ref.name) - 1 - (0 if own else _ADDED)


def _fault(name: str, reach: int) -> str:
    if _is_plain(name):
        return ""
    from raylint.kube_names import label_value_fault  # nearly all names are plain

    fault = label_value_fault(name)
    if fault:
        return fault
    part = name[: max(reach, 0)].lower()
    if not set(part) <= _OF_NAMES:
        return "an underscore is not allowed in the name of a pod"
    empty = any(pair in part for pair in ("..", ".-", "-."))
    return "a part between dots begins or ends with a dash, or is empty" if empty else ""


def _is_plain(name: str) -> bool:
    """Letters, digits and dashes, no dash first or last: right in names and labels."""
    ends = name[:1] + name[-1:]
    return len(name) <= _LONGEST_LABEL and name.isascii() and set(name.lower()) <= _PLAIN and "-" not in ends
