"""Names of worker groups of which no pod can be made.

Facts: ray-project/kuberay v1.7.0 ``utils/util.go`` (``PodName``) and ``common/pod.go`` (``labelPod``).
"""

from __future__ import annotations

from raylint.rule import Severity

from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import FaultyPod
    from raylint.rule import Problems

__all__ = ["group_name_refused"]


@outlined("RAY368", Severity.ERROR)
def group_name_refused(group: FaultyPod) -> Problems:
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
    for fault in group.faults_of_pod("group name"):
        yield fault.flag(
            fault.what,
            label="no part of a pod's name",
            effect="the API server refuses every pod of the group; the cluster runs without it",
            fix="use lower-case letters, digits and dashes, at most 63",
        )
