"""Names of worker groups that make no name or label of a pod.

Facts: ray-project/kuberay v1.7.0 ``utils/util.go`` (``PodName``: cut to 50 characters, lower case) and
``common/pod.go`` (``labelPod``); Kubernetes 1.36 ``apimachinery/pkg/util/validation`` (``IsDNS1123Subdomain``,
``IsValidLabelValue``).
"""

from __future__ import annotations

from raylint.kube_names import label_value_fault
from raylint.manifest import RayClusterObject
from raylint.pod_verdict import PodFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.cluster import RayCluster
    from raylint.group import Group

__all__ = ["judge_group_name"]

# KubeRay cuts "cluster-group" to so many characters before it adds "-worker-".
_CUT = 50
# "-" and five random characters, or up to 1.3 "-raycluster-" and five.
_ADDED = 17
_OF_NAMES = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-.")


def judge_group_name(group: Group, found: list[PodFault]) -> None:
    """Add what is wrong with the name of a worker group."""
    name = group.string("groupName")
    fault = _fault(name.value or "", _reach(group.cluster))
    if fault:
        found.append(PodFault("group name", name.at, f"the group name {name.value!r} makes no pod: {fault}"))


def _reach(cluster: RayCluster) -> int:
    """How many characters of a group's name surely stand in the pod's name."""
    owner = cluster.owner
    own = isinstance(owner, RayClusterObject) and bool(owner.name.value)
    return _CUT - len(owner.ref.name) - 1 - (0 if own else _ADDED)


def _fault(name: str, reach: int) -> str:
    fault = label_value_fault(name)
    if fault:
        return fault
    part = name[: max(reach, 0)].lower()
    if not set(part) <= _OF_NAMES:
        return "an underscore is not allowed in the name of a pod"
    empty = any(pair in part for pair in ("..", ".-", "-."))
    return "a part between dots begins or ends with a dash, or is empty" if empty else ""
