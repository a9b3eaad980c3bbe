"""GitOps over what the autoscaler writes."""

from __future__ import annotations

from raylint.group import WorkerGroup
from raylint.rule import Confidence, Severity, unsafe

from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

__all__ = ["replicas_under_gitops"]

MENTIONS = ("argocd.argoproj.io", "fluxcd.io")
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


@outlined("RAY920", Severity.INFO, confidence=Confidence.MEDIUM, reports=("FR-030",), fixes="unsafe")
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
                    repair=unsafe(group.replicas.at.delete()),
                )
                return
