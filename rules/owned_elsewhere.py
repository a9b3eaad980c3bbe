"""What others do to a Ray cluster: GitOps, the scale-down of nodes, clouds that take nodes back."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.field import View
from raylint.group import HeadGroup, WorkerGroup
from raylint.rule import Confidence, Problem, Severity

from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.group import Group
    from raylint.rule import Location, Problems

__all__ = [
    "head_may_be_evicted",
    "head_on_spot_nodes",
    "replicas_under_gitops",
    "spot_workers_without_grace",
]

MENTIONS = (
    "argocd.argoproj.io",
    "fluxcd.io",
    "karpenter.sh",
    "safe-to-evict",
    "gke-spot",
    "gke-preemptible",
    "capacityType",
    "scalesetpriority",
    "node.kubernetes.io/lifecycle",
)
_GITOPS = {
    "argocd.argoproj.io/": "Argo CD",
    "kustomize.toolkit.fluxcd.io/": "Flux",
    "helm.toolkit.fluxcd.io/": "Flux",
}
# Marks with which the tool leaves a live object alone.
_HANDS_OFF = {
    "kustomize.toolkit.fluxcd.io/reconcile": "disabled",
    "kustomize.toolkit.fluxcd.io/ssa": "IfNotPresent",
}
_GUARDS = {
    "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
    "karpenter.sh/do-not-disrupt": "true",
    "karpenter.sh/do-not-evict": "true",
}
# Labels of nodes that are taken back at short notice, and the value that says so.
_SPOT = {
    "cloud.google.com/gke-spot": "true",
    "cloud.google.com/gke-preemptible": "true",
    "eks.amazonaws.com/capacityType": "SPOT",
    "karpenter.sh/capacity-type": "spot",
    "kubernetes.azure.com/scalesetpriority": "spot",
    "node.kubernetes.io/lifecycle": "spot",
}


@outlined("RAY920", Severity.INFO, confidence=Confidence.MEDIUM, reports=("FR-030",))
def replicas_under_gitops(group: WorkerGroup) -> Problems:
    """GitOps and the autoscaler both write `replicas`: workers come and go.

    A worker group with `replicas` under `enableInTreeAutoscaling: true`, in an object with a label or annotation
    of Argo CD (`argocd.argoproj.io/`) or Flux (`kustomize.toolkit.fluxcd.io/`, `helm.toolkit.fluxcd.io/`).

    It stays silent where Flux is told to leave the live object alone.

    Then: The autoscaler writes the number that it needs, the next sync writes the manifest's back. KubeRay deletes
    workers in the middle of their tasks and makes them anew, at every round.

    Versions: `replicas` may be left out since KubeRay 1.0.

    Fix: Remove `replicas`, or let the tool ignore differences in `/spec/workerGroupSpecs/*/replicas`.
    Ignore: Where the tool ignores that difference, or syncs only by hand.
    Source: ray-project/kuberay#1120, ray-project/kuberay#4149, ray-project/ray#59085.

    bad RayCluster
      meta: annotations: {argocd.argoproj.io/sync-wave: "2"}
      cluster: enableInTreeAutoscaling: true
      group: replicas: 2  # <-
      group: maxReplicas: 8
    bad RayService
      meta: labels: {kustomize.toolkit.fluxcd.io/name: apps}
      cluster: enableInTreeAutoscaling: true
      group: replicas: 1  # <-
      group: maxReplicas: 8
    good RayCluster
      meta: annotations: {argocd.argoproj.io/sync-wave: "2"}
      cluster: enableInTreeAutoscaling: true
      group: minReplicas: 2
      group: maxReplicas: 8
    near-miss RayCluster -- Nobody but GitOps changes the number:
      meta: annotations: {argocd.argoproj.io/sync-wave: "2"}
      group: replicas: 2
    near-miss RayCluster
      meta: annotations: {kustomize.toolkit.fluxcd.io/ssa: IfNotPresent}
      cluster: enableInTreeAutoscaling: true
      group: replicas: 2
      group: maxReplicas: 8
    """
    if not group.replicas or not group.cluster.autoscaler.enabled:
        return
    owner = group.cluster.owner
    labels, notes = owner.metadata.part("labels"), owner.annotations
    if any(notes.data.get(key) == value for key, value in _HANDS_OFF.items()):
        return
    for part in (notes, labels):
        for key in part.data:
            tool = next((name for prefix, name in _GITOPS.items() if key.startswith(prefix)), None)
            if tool is not None:
                yield group.replicas.flag(
                    f"replicas of {group.title} are written by {tool} and by the autoscaler",
                    because=[(part.at_key(key), f"the object is {tool}'s")],
                    effect="each sync takes back what the autoscaler did: workers go in the middle of tasks",
                    fix="remove replicas, or let the tool ignore differences in it",
                )
                return


@outlined("RAY921", Severity.INFO, confidence=Confidence.MEDIUM, reports=("FR-111",))
def head_may_be_evicted(cluster: RayCluster) -> Problems:
    """The head may be moved when nodes are scaled down, and with it goes the cluster.

    A head without an annotation that keeps it where it is (`karpenter.sh/do-not-disrupt: "true"`,
    `cluster-autoscaler.kubernetes.io/safe-to-evict: "false"`), without GCS fault tolerance, where the manifest
    shows that nodes come and go: a node selector or toleration of Karpenter, or workers with such an annotation.

    It stays silent where nothing shows how nodes are managed.

    Then: Karpenter drains nodes to pack pods more tightly. The head is evicted with its GCS, and all tasks, actors
    and jobs of the cluster are lost.

    Fix: Add the annotation to the head's template.
    Ignore: Where losing the cluster now and then does no harm.
    Source: ray-project/kuberay#4900, ray-project/ray#64907; Karpenter "Disruption".

    bad RayCluster
      head.pod: nodeSelector: {karpenter.sh/nodepool: ray}  # <-
      head.ray: imagePullPolicy: Always
    bad RayCluster
      group.meta: annotations:
      group.meta:   cluster-autoscaler.kubernetes.io/safe-to-evict: "false"  # <-
    good RayCluster
      head.meta: annotations: {karpenter.sh/do-not-disrupt: "true"}
      head.pod: nodeSelector: {karpenter.sh/nodepool: ray}
      head.ray: imagePullPolicy: Always
    good RayCluster
      head.pod: nodeSelector: {example.com/pool: ray}
      head.ray: imagePullPolicy: Always
    near-miss RayCluster -- The state is kept in Redis:
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis:6379"}
      head.pod: nodeSelector: {karpenter.sh/nodepool: ray}
      head.ray: imagePullPolicy: Always
    """
    if not cluster.is_built or cluster.gcs_fault_tolerance or _is_guarded(cluster.head):
        return
    sign = next(_signs_of_moving(cluster), None)
    if sign is not None:
        yield Problem(
            sign,
            "nodes come and go here, and nothing keeps the head where it is",
            effect="a scale-down evicts the head, and all tasks, actors and jobs of the cluster are lost",
            fix='annotate the head\'s template with karpenter.sh/do-not-disrupt: "true" or'
            ' cluster-autoscaler.kubernetes.io/safe-to-evict: "false"',
        )


def _is_guarded(group: Group) -> bool:
    notes = group.template.annotations.data
    return any(str(notes.get(key)).lower() == value for key, value in _GUARDS.items())


def _signs_of_moving(cluster: RayCluster) -> Iterator[Location]:
    for group in cluster.groups:
        selector = group.pod.part("nodeSelector")
        yield from (selector.at_key(key) for key in selector.data if key.startswith("karpenter.sh/"))
        for path, item in group.pod.parts("tolerations"):
            toleration = View(group.document, path, item)
            if str(toleration.data.get("key")).startswith("karpenter.sh/"):
                yield toleration.at
        notes = group.template.annotations
        yield from (notes.at_key(key) for key in _GUARDS if str(notes.data.get(key)).lower() == _GUARDS[key])


def _spot_selector(group: Group) -> Location | None:
    """The entry of the node selector that asks for nodes which are taken back at short notice."""
    selector = group.pod.part("nodeSelector")
    for key, value in _SPOT.items():
        if str(selector.data.get(key)).lower() == value.lower():
            return selector.at_key(key)
    return None


@outlined("RAY922", Severity.WARNING, "template")
def head_on_spot_nodes(head: HeadGroup) -> Problems:
    """The head runs on nodes that the cloud takes back at short notice, and with it goes the cluster.

    A head whose `nodeSelector` asks for spot or preemptible nodes, without GCS fault tolerance.

    It stays silent on a mere toleration, and on workers.

    Then: The cloud takes the node back with a notice of two minutes or 30 seconds. The GCS is gone: all tasks,
    actors and jobs are lost, and the workers restart.

    Fix: Keep the head on on-demand nodes; the workers may stay on spot nodes.
    Ignore: Where a job is short and is simply run again.
    Source: Ray "Fault tolerance: head node"; ray-project/kuberay#5004; the clouds' pages on spot nodes.

    bad RayCluster
      head.pod: nodeSelector: {cloud.google.com/gke-spot: "true"}  # <-
      head.ray: imagePullPolicy: Always
    bad RayService
      head.pod: nodeSelector:
      head.pod:   karpenter.sh/capacity-type: spot  # <-
      head.ray: imagePullPolicy: Always
    good RayCluster
      head.pod: nodeSelector: {karpenter.sh/capacity-type: on-demand}
      head.ray: imagePullPolicy: Always
    good RayCluster
      group.pod: nodeSelector: {eks.amazonaws.com/capacityType: SPOT}
      group.ray: imagePullPolicy: Always
    near-miss RayCluster -- It may run there, it need not:
      head.pod: tolerations: [{key: cloud.google.com/gke-spot, operator: Exists}]
      head.ray: imagePullPolicy: Always
    """
    at = _spot_selector(head)
    cluster = head.cluster
    if at is not None and cluster.is_built and not cluster.gcs_fault_tolerance:
        yield Problem(
            at,
            "the head is on nodes that are taken back at short notice, and nothing keeps its state",
            effect="when the node goes, all tasks, actors and jobs of the cluster are lost",
            fix="keep the head on on-demand nodes, or turn GCS fault tolerance on",
        )


@outlined("RAY923", Severity.INFO, "template", reports=("FR-112",))
def spot_workers_without_grace(group: WorkerGroup) -> Problems:
    """Workers on spot nodes have 30 seconds to end their tasks, unless they are given more.

    A worker group whose `nodeSelector` asks for spot or preemptible nodes, with neither
    `terminationGracePeriodSeconds` nor a `preStop` hook.

    Then: When the node is taken back, Kubernetes ends the pod after 30 seconds. Tasks in it are run again
    elsewhere, actors lose their state.

    Fix: Write `terminationGracePeriodSeconds` of what the cloud's notice allows (AWS 120, GKE and Azure about 30),
    and let long tasks write checkpoints.
    Ignore: Where all tasks are short, or repeat without harm.
    Source: ray-project/kuberay#5004; Kubernetes "Pod Lifecycle".

    bad RayCluster
      group.pod: nodeSelector: {eks.amazonaws.com/capacityType: SPOT}  # <-
      group.ray: imagePullPolicy: Always
    bad RayJob
      group.pod: nodeSelector: {cloud.google.com/gke-spot: "true"}  # <-
      group.ray: imagePullPolicy: Always
    good RayCluster
      group.pod: nodeSelector: {eks.amazonaws.com/capacityType: SPOT}
      group.pod: terminationGracePeriodSeconds: 110
      group.ray: imagePullPolicy: Always
    near-miss RayCluster
      group.pod: nodeSelector: {eks.amazonaws.com/capacityType: ON_DEMAND}
      group.ray: imagePullPolicy: Always
    """
    at = _spot_selector(group)
    if at is None or not group.cluster.is_built or group.pod.has("terminationGracePeriodSeconds"):
        return
    if not group.ray_container.part("lifecycle").has("preStop"):
        yield Problem(
            at,
            f"pods of {group.title} are on nodes that are taken back, and have 30 seconds to end their tasks",
            effect="tasks in them are run again elsewhere, actors lose their state",
            fix="write terminationGracePeriodSeconds of what the cloud's notice allows",
        )
