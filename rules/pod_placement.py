"""Where a pod may run: tolerations and affinities that the API server refuses in a pod.

Facts: Kubernetes 1.36 ``pkg/apis/core/validation/validation.go`` (``ValidateTolerations``,
``ValidateNodeSelectorRequirement``) and ``apimachinery/pkg/apis/meta/v1/validation`` (``ValidateLabelSelector``).
"""

from __future__ import annotations

from raylint.rule import Severity

from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import FaultyPod
    from raylint.rule import Problems

__all__ = ["placement_term_refused"]


@outlined("RAY367", Severity.ERROR)
def placement_term_refused(group: FaultyPod) -> Problems:
    """A toleration or an affinity that contradicts itself: the pod is never made.

    In a pod template: a toleration with `operator: Exists` and a `value`, without a `key` and with another
    operator, or with `tolerationSeconds` and another effect than `NoExecute`; an expression of an affinity or a
    spread constraint with `In` or `NotIn` and no `values`, with `Exists` or `DoesNotExist` and some, with `Gt` or
    `Lt` and not just one, or with an operator that there is not.

    Then: The API server stores the object of KubeRay without looking at this, and refuses each pod that the
    operator makes of it: "value must be empty when operator is Exists", "must be specified when operator is In or
    NotIn". The group stays empty, and only the operator's events and log tell why.

    Fix: As the message says: a value goes with `Equal`, a list of values with `In`.
    Ignore: Never.
    Source: Kubernetes 1.36, `pkg/apis/core/validation/validation.go` (`ValidateTolerations`,
    `ValidateNodeSelectorRequirement`), `apimachinery/pkg/apis/meta/v1/validation/validation.go`.

    bad RayCluster
      group.pod: tolerations:
      group.pod: - key: gpu
      group.pod:   operator: Exists
      group.pod:   value: present  # <-
      group.pod:   effect: NoSchedule
      group.pod: - key: spot
      group.pod:   effect: NoSchedule
      group.pod:   tolerationSeconds: 60  # <-
      group.ray: imagePullPolicy: Always
    bad RayCluster
      group.pod: affinity:
      group.pod:   nodeAffinity:
      group.pod:     requiredDuringSchedulingIgnoredDuringExecution:
      group.pod:       nodeSelectorTerms:
      group.pod:       - matchExpressions:
      group.pod:         - key: zone
      group.pod:           operator: In  # <-
      group.pod:   podAntiAffinity:
      group.pod:     preferredDuringSchedulingIgnoredDuringExecution:
      group.pod:     - weight: 1
      group.pod:       podAffinityTerm:
      group.pod:         topologyKey: kubernetes.io/hostname
      group.pod:         labelSelector:
      group.pod:           matchExpressions:
      group.pod:           - key: ray.io/group
      group.pod:             operator: Exists  # <-
      group.pod:             values: [gpu]
      group.ray: imagePullPolicy: Always
    good RayCluster
      group.pod: tolerations:
      group.pod: - {key: gpu, operator: Equal, value: present, effect: NoSchedule}
      group.pod: - {key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 60}
      group.pod: affinity:
      group.pod:   nodeAffinity:
      group.pod:     requiredDuringSchedulingIgnoredDuringExecution:
      group.pod:       nodeSelectorTerms:
      group.pod:       - matchExpressions: [{key: zone, operator: In, values: [a, b]}]
      group.ray: imagePullPolicy: Always
    near-miss RayCluster -- Whatever the taint; an empty value; one number:
      group.pod: tolerations:
      group.pod: - {operator: Exists}
      group.pod: - {key: gpu, operator: Exists, value: ""}
      group.pod: affinity:
      group.pod:   nodeAffinity:
      group.pod:     preferredDuringSchedulingIgnoredDuringExecution:
      group.pod:     - weight: 1
      group.pod:       preference: {matchExpressions: [{key: cores, operator: Gt, values: ["8"]}]}
      group.ray: imagePullPolicy: Always
    """
    for fault in group.faults_of_pod("term"):
        yield fault.flag(
            f"{fault.what}: the API server refuses the pods of the {group.title}",
            effect="no pod of the group is created, and only the operator's events tell why",
            fix=f"write {fault.fix}",
        )
