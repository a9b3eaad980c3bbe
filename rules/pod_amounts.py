"""Amounts of CPU and memory that no pod gets.

Facts: Kubernetes 1.36 ``pkg/apis/core/validation/validation.go`` (``ValidateResourceRequirements``) and
``pkg/api/pod/warnings.go``.
"""

from __future__ import annotations

from raylint.rule import Severity

from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import FaultyPod
    from raylint.rule import Problems

__all__ = ["amount_of_wrong_unit", "request_above_limit"]


@outlined("RAY428", Severity.ERROR)
def request_above_limit(group: FaultyPod) -> Problems:
    """A container asks for more CPU, memory or disk than its limit allows: the pod is never made.

    `cpu`, `memory` or `ephemeral-storage` among `requests` with more than the same resource has among `limits`, in
    a container or init container of a group, or in the `resources` of `autoscalerOptions`. Amounts are compared,
    not texts: `16G` is less than `16Gi`.

    Then: The API server stores the object of KubeRay without looking at this, and refuses each pod that the
    operator makes of it: "must be less than or equal to memory limit". The group stays empty, and only the
    operator's events and log tell why.

    Fix: Raise the limit or lower the request; for Ray's own container give memory the same amount twice.
    Ignore: Where an admission webhook writes the amounts anew.
    Source: Kubernetes 1.36, `pkg/apis/core/validation/validation.go` (`ValidateResourceRequirements`).

    bad RayCluster
      group.ray: resources:
      group.ray:   limits: {cpu: "4", memory: 8Gi}
      group.ray:   requests:
      group.ray:     cpu: "4"
      group.ray:     memory: 16Gi  # <-
    bad RayService -- A G is less than a Gi:
      cluster: enableInTreeAutoscaling: true
      cluster: autoscalerOptions:
      cluster:   resources:
      cluster:     limits: {cpu: 500m, memory: 512Mi}
      cluster:     requests:
      cluster:       cpu: "1"  # <-
      cluster:       memory: 512Mi
      head.ray: resources:
      head.ray:   limits: {memory: 16G}
      head.ray:   requests:
      head.ray:     memory: 16Gi  # <-
    good RayCluster
      group.ray: resources:
      group.ray:   limits: {cpu: "8", memory: 16Gi}
      group.ray:   requests: {cpu: "4", memory: 16Gi}
    near-miss RayCluster -- One amount in two spellings, and a request without a limit:
      group.ray: resources:
      group.ray:   limits: {cpu: "2"}
      group.ray:   requests: {cpu: 2000m, memory: 64Gi}
    """
    for fault in group.faults_of_pod("request"):
        yield fault.flag(
            f"{fault.what}: the API server refuses the pods of the {group.title}",
            label="more than the limit",
            because="the limit",
            effect=f'no pod of the group is created: "must be less than or equal to {fault.at.path[-1]} limit"',
            fix="raise the limit, or lower the request",
        )


@outlined("RAY429", Severity.ERROR)
def amount_of_wrong_unit(group: FaultyPod) -> Problems:
    """An amount of memory or CPU with a slip in its unit: thousandths of a byte, or thousands of CPUs.

    In a container or init container of a group, or in the `resources` of `autoscalerOptions`: `memory` below 1Mi,
    which is what `400m` (thousandths of a byte), `16` (bytes) and `512k` say, and `cpu` of 2000 and more, which is
    what `8000` says where `8000m` was meant. An amount of memory among `requests`, and of CPU anywhere, is a
    warning.

    Then: With such a limit on memory the container is killed before its first process runs ("OOM-killed (memory
    limit too low?)"), and KubeRay tells Ray of 1 byte. With such a request the scheduler puts the pod on any node,
    however full. No node has thousands of CPUs: the pod is pending for ever.

    Fix: Write `Mi` or `Gi` for memory, and `m` or none for CPUs.
    Ignore: Never for memory; for CPUs where the number is a placeholder that something else replaces.
    Source: Kubernetes 1.36, `apimachinery/pkg/api/resource/quantity.go` (suffixes), `pkg/api/pod/warnings.go`
    (fractions of a byte); ray-project/kuberay v1.7.0, `common/pod.go` (`generateRayStartCommand`).

    bad RayCluster
      group.ray: resources:
      group.ray:   limits:
      group.ray:     cpu: 500m
      group.ray:     memory: 400m  # <-
    bad RayCluster severity=warning -- CPUs, and a request alone:
      head.ray: resources:
      head.ray:   requests:
      head.ray:     memory: 16  # <-
      group.ray: resources:
      group.ray:   limits:
      group.ray:     cpu: 8000  # <-
      group.ray:     memory: 16Gi
    good RayCluster
      group.ray: resources:
      group.ray:   limits: {cpu: 500m, memory: 400Mi}
      group.ray:   requests: {cpu: 500m, memory: 400Mi}
    near-miss RayCluster -- Bytes and thousandths of a byte, and enough of them; no memory at all:
      head.ray: resources: {requests: {memory: "0"}}
      group.ray: resources:
      group.ray:   limits: {cpu: 8000m, memory: "17179869184000m"}
      group.ray:   requests: {cpu: 192, memory: 17179869184}
    """
    for fault in group.faults_of_pod("memory"):
        is_limit = fault.at.path[-2] == "limits"
        yield fault.flag(
            f"{fault.what}, with which no container starts",
            label="no Mi or Gi",
            effect="the container is killed before its first process runs"
            if is_limit
            else "the scheduler puts the pod on any node, however full",
            fix="write the amount with Mi or Gi",
            severity=Severity.ERROR if is_limit else Severity.WARNING,
        )
    for fault in group.faults_of_pod("cpu"):
        yield fault.flag(
            f"{fault.what} is more CPUs than any node has",
            label="thousandths are meant",
            effect="the pod is pending for ever",
            fix="write thousandths of a CPU with an m, or the number of CPUs",
            severity=Severity.WARNING,
        )
