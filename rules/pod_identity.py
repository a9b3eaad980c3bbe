"""The account that a Ray pod runs under, and the secrets with which it pulls its image."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.rule import Confidence, Problem, Severity, unsafe

from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

__all__ = ["head_cannot_pull"]

MENTIONS = ("imagePullSecrets",)


@outlined(
    "RAY815",
    Severity.WARNING,
    "enableInTreeAutoscaling",
    confidence=Confidence.MEDIUM,
    reports=("FR-038",),
    fixes="unsafe",
)
def head_cannot_pull(cluster: RayCluster) -> Problems:
    """With autoscaling the head runs under an account of its own, which has no pull secrets.

    `enableInTreeAutoscaling: true`, a worker group with `imagePullSecrets`, and a head whose image is of the same
    registry, without `imagePullSecrets` and without `serviceAccountName`.

    Then: For the autoscaler KubeRay makes a service account and puts the head under it. Pull secrets that the
    namespace's default account brings do not reach it: the head stays in `ImagePullBackOff`, while workers, or the
    same manifest without autoscaling, pull well.

    Versions: All.

    Fix: Give the head the workers' `imagePullSecrets`.
    Ignore: Where the nodes pull without a secret.
    Source: ray-project/kuberay v1.7.0, `common/rbac.go`; ray-project/kuberay#892.

    bad RayCluster
      cluster: enableInTreeAutoscaling: true
      head.containers: containers: [{name: ray-head, image: "registry.example.com/ml/train:7"}]  # <-
      group.pod: imagePullSecrets: [{name: registry}]
      group.containers: containers: [{name: ray-worker, image: "registry.example.com/ml/train:7"}]
    bad RayService
      cluster: enableInTreeAutoscaling: true
      head.containers: containers: [{name: ray-head, image: "registry.example.com/head:7"}]  # <-
      group.pod: imagePullSecrets: [{name: registry}]
      group.containers: containers: [{name: ray-worker, image: "registry.example.com/serve:7"}]
    good RayCluster
      cluster: enableInTreeAutoscaling: true
      head.pod: imagePullSecrets: [{name: registry}]
      head.containers: containers: [{name: ray-head, image: "registry.example.com/ml/train:7"}]
      group.pod: imagePullSecrets: [{name: registry}]
      group.containers: containers: [{name: ray-worker, image: "registry.example.com/ml/train:7"}]
    good RayCluster -- Without autoscaling both run under the default account:
      head.containers: containers: [{name: ray-head, image: "registry.example.com/ml/train:7"}]
      group.pod: imagePullSecrets: [{name: registry}]
      group.containers: containers: [{name: ray-worker, image: "registry.example.com/ml/train:7"}]
    near-miss RayCluster -- The head's image is public:
      cluster: enableInTreeAutoscaling: true
      group.pod: imagePullSecrets: [{name: registry}]
      group.containers: containers: [{name: ray-worker, image: "registry.example.com/ml/train:7"}]
    """
    head = cluster.head
    if not cluster.autoscaler.enabled or not cluster.is_built:
        return
    if head.pod.data.get("imagePullSecrets") or head.pod.has("serviceAccountName") or head.image is None:
        return
    registry = head.image.repository.partition("/")[0]
    for group in cluster.worker_groups:
        other = group.image
        if group.pod.data.get("imagePullSecrets") and other is not None:
            if other.repository.partition("/")[0] != registry:
                continue
            yield Problem(
                head.ray_container.at_key("image"),
                f"the head pulls from {registry!r} without the pull secrets that {group.title} has",
                because=[(group.pod.at_key("imagePullSecrets").key(), "the workers have them")],
                effect="under autoscaling the head's account is its own, without pull secrets: ImagePullBackOff",
                fix="give the head the same imagePullSecrets",
                repair=unsafe(head.pod.at_key("imagePullSecrets").set(group.pod.data["imagePullSecrets"])),
            )
            return
