"""What a pod needs of Kubernetes for Ray to find it and to speak with the API server."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.field import View
from raylint.group import WorkerGroup
from raylint.rule import Severity, unsafe

from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.pod import Pod
    from raylint.rule import Problems

__all__ = ["autoscaler_without_token", "worker_without_cluster_dns"]

MENTIONS = ("dnsPolicy", "automountServiceAccountToken")


@outlined("RAY345", Severity.WARNING, fixes="unsafe")
def worker_without_cluster_dns(group: WorkerGroup) -> Problems:
    """A worker with `dnsPolicy: Default` asks the node's name servers, which do not know the head's Service.

    A worker group whose pod template has `dnsPolicy: Default`. The word does not name what holds without the
    field: that is `ClusterFirst`.

    Then: Workers find the head by the name of its Service (`FQ_RAY_IP`). The init container that KubeRay adds asks
    for it again and again, and the pods stay at `Init:0/1`; without that container `ray start` fails.

    Fix: Remove `dnsPolicy`; with `hostNetwork` write `ClusterFirstWithHostNet`.
    Ignore: Where the nodes' name servers know the cluster's names, or `hostAliases` holds the head's.
    Source: Kubernetes 1.36 API reference, `core/v1` (`dnsPolicy`); ray-project/kuberay v1.7.0, `common/pod.go`
    (`DefaultWorkerPodTemplate`).

    bad RayCluster
      group.pod: dnsPolicy: Default  # <-
      group.ray: imagePullPolicy: Always
    bad RayService
      group.pod: nodeSelector: {pool: gpu}
      group.pod: dnsPolicy: Default  # <-
      group.ray: imagePullPolicy: Always
    good RayCluster
      group.pod: dnsPolicy: ClusterFirst
      group.ray: imagePullPolicy: Always
    good RayCluster
      group.pod: hostNetwork: true
      group.pod: dnsPolicy: ClusterFirstWithHostNet
      group.ray: imagePullPolicy: Always
    near-miss RayCluster -- The head asks for no name of the cluster:
      head.pod: dnsPolicy: Default
      head.ray: imagePullPolicy: Always
    """
    policy = group.pod.string("dnsPolicy")
    if policy.value == "Default" and group.cluster.is_built and not group.pod.data.get("hostAliases"):
        yield policy.flag(
            f"the pods of the {group.title} ask the node's name servers, which do not know the head's Service",
            label="not the cluster's DNS",
            effect="the workers wait for the head for ever and never join",
            fix="remove dnsPolicy: without it ClusterFirst holds",
            repair=unsafe(policy.at.delete()),
        )


@outlined("RAY818", Severity.ERROR, fixes="unsafe")
def autoscaler_without_token(cluster: RayCluster) -> Problems:
    """The head's pod gets no token of its service account, and the autoscaler in it cannot speak with Kubernetes.

    `enableInTreeAutoscaling` with `automountServiceAccountToken: false` in the head's pod template.

    It stays silent where a volume of the pod projects a token (`serviceAccountToken`).

    Then: The autoscaler reads `/var/run/secrets/kubernetes.io/serviceaccount/token` before it does anything. The
    file is not there: its container fails again and again, the head is not ready, and no worker is ever added.

    Fix: Remove the field from the head's template; on workers it is right.
    Ignore: Where an admission webhook mounts a token.
    Source: Ray 2.60.0, `autoscaler/_private/kuberay/node_provider.py` (`load_k8s_secrets`); Kubernetes 1.36 API
    reference, `core/v1` (`automountServiceAccountToken`).

    bad RayCluster
      cluster: enableInTreeAutoscaling: true
      head.pod: automountServiceAccountToken: false  # <-
      head.ray: imagePullPolicy: Always
    bad RayService
      cluster: enableInTreeAutoscaling: true
      cluster: autoscalerOptions: {version: v2}
      head.pod: serviceAccountName: ray
      head.pod: automountServiceAccountToken: false  # <-
      head.ray: imagePullPolicy: Always
    good RayCluster
      head.pod: automountServiceAccountToken: false
      head.ray: imagePullPolicy: Always
    good RayCluster
      cluster: enableInTreeAutoscaling: true
      head.pod: automountServiceAccountToken: true
      head.ray: imagePullPolicy: Always
    near-miss RayCluster -- Workers need none, and a token may come by a volume:
      cluster: enableInTreeAutoscaling: true
      cluster: autoscalerOptions:
      cluster:   volumeMounts: [{name: token, mountPath: /var/run/secrets/kubernetes.io/serviceaccount}]
      head.pod: automountServiceAccountToken: false
      head.pod: volumes: [{name: token, projected: {sources: [{serviceAccountToken: {path: token}}]}}]
      head.ray: imagePullPolicy: Always
      group.pod: automountServiceAccountToken: false
      group.ray: imagePullPolicy: Always
    """
    mounted = cluster.head.pod.boolean("automountServiceAccountToken")
    if mounted.value is not False or not (cluster.is_built and cluster.autoscaler.enabled):
        return
    if not _projects_token(cluster.head.pod):
        yield mounted.flag(
            "the autoscaler has no token for the API server: its container fails again and again",
            label="no token in the head's pod",
            because=[(cluster.autoscaler.switch.at, "autoscaling is on")],
            effect="the head is never ready, and no worker is added",
            fix="remove it from the head's template",
            repair=unsafe(mounted.at.delete()),
        )


def _projects_token(pod: Pod) -> bool:
    for path, item in pod.parts("volumes"):
        projected = View(pod.document, path, item).part("projected")
        for _, source in projected.parts("sources"):
            if isinstance(source, dict) and source.get("serviceAccountToken") is not None:
                return True
    return False
