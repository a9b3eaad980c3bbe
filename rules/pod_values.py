"""Fields of a pod that take one of a few words, which the API server does not check inside KubeRay's kinds.

Facts: Kubernetes 1.36 ``core/v1`` types and ``pkg/apis/core/validation``; the CRDs of KubeRay hold these fields as
plain text, and a pod with another word is refused when the operator makes it.
"""

from __future__ import annotations

from raylint.rule import Severity

from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import FaultyPod
    from raylint.rule import Problems

__all__ = ["pod_word_unknown"]


@outlined("RAY361", Severity.ERROR)
def pod_word_unknown(group: FaultyPod) -> Problems:
    """A word that Kubernetes does not know in a field that takes one of a few: the pod is never made.

    `restartPolicy`, `dnsPolicy` or `preemptionPolicy` of a pod template, `imagePullPolicy` or
    `terminationMessagePolicy` of a container, `operator` or `effect` of a toleration, the `protocol` of a port,
    and the head's `serviceType`, with a word that is none of theirs. Letter case counts.

    Then: The API server takes the RayCluster, whose schema holds these fields as plain text, and refuses the pod
    or Service that the operator makes of it: an event `FailedToCreate...`, no pod, again and again.

    Fix: Write one of the words that the message lists.
    Ignore: Where a newer Kubernetes knows the word.
    Source: Kubernetes 1.36 API reference, `core/v1`; the CRDs of ray-project/kuberay v1.0.0 to v1.7.0.

    bad RayCluster
      head.pod: restartPolicy: never  # <-
      head.ray: imagePullPolicy: Always
    bad RayJob
      head: serviceType: Loadbalancer  # <-
      group.ray: imagePullPolicy: IfNotPresnt  # <-
    bad RayCluster
      group.pod: tolerations:
      group.pod: - {key: gpu, operator: Exist}  # <-
      group.ray: imagePullPolicy: Always
    good RayCluster
      head.pod: restartPolicy: Never
      head.pod: dnsPolicy: ClusterFirst
      head.ray: imagePullPolicy: IfNotPresent
    near-miss RayCluster -- Nothing is written:
      head.pod: restartPolicy: null
      head.pod: tolerations: [{operator: Exists}]
      head.ray: ports: [{containerPort: 8265, name: dashboard, protocol: TCP}]
    """
    for fault in group.faults_of_pod("word"):
        yield fault.flag(
            fault.what,
            effect="Kubernetes refuses the pod or Service that the operator makes: there is none, and no end",
            fix=f"write {fault.fix}",
        )
