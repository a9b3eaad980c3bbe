"""Who a Ray pod is: its user, its account, and the secrets with which it pulls its image."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.manifest import KubeObject, RayObject
from raylint.rule import Confidence, Fact, Problem, Severity, unsafe

from .bundle import beside
from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from raylint.rule import Problems

__all__ = ["autoscaler_account_without_rights", "head_cannot_pull"]

MENTIONS = ("imagePullSecrets", "serviceAccountName", "ServiceAccount")
_BINDINGS = ("RoleBinding", "ClusterRoleBinding")


@outlined("RAY815", Severity.WARNING, confidence=Confidence.MEDIUM, reports=("FR-038",), fixes="unsafe")
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


def accounts(found: KubeObject) -> Iterator[Fact]:
    """Accounts that autoscaling heads run under, that the files make, and that they give rights to."""
    namespace = found.ref.namespace
    if isinstance(found, RayObject):
        cluster = found.cluster
        if cluster is not None and cluster.is_built and cluster.autoscaler.enabled:
            account = cluster.head.pod.string("serviceAccountName")
            if account.value:
                yield Fact(("used", namespace, account.value), account.at, str(found.ref))
    elif found.kind == "ServiceAccount":
        yield Fact(("made", namespace, found.ref.name), found.at, str(found.ref))
    elif found.kind in _BINDINGS:
        for path, item in found.parts("subjects"):
            subject = item if isinstance(item, dict) else {}
            if subject.get("kind") == "ServiceAccount":
                named = str(subject.get("namespace") or namespace)
                key = ("bound", named, str(subject.get("name")))
                yield Fact(key, found.at_key(*path[len(found.path) :]), str(found.ref))


@outlined(
    "RAY816",
    Severity.WARNING,
    confidence=Confidence.MEDIUM,
    gathers=accounts,
    context=("ServiceAccount", *_BINDINGS),
    reports=("FR-037",),
)
def autoscaler_account_without_rights(facts: Sequence[Fact]) -> Problems:
    """The head of an autoscaling cluster runs under an account to which the files give no rights.

    `enableInTreeAutoscaling: true` with `serviceAccountName` on the head, where the same files make that
    ServiceAccount and no RoleBinding or ClusterRoleBinding of theirs names it.

    It stays silent where the ServiceAccount is not among the files: it and its rights then live elsewhere.

    Then: KubeRay makes an account, a Role and a binding only where the head names none. The autoscaler's sidecar
    is refused with 401 or 403 on every request, and the number of workers never changes.

    Fix: Bind the account to a Role that may `get`, `list`, `watch` and `patch` pods and RayClusters; or remove
    `serviceAccountName`.
    Ignore: Where the binding is made elsewhere.
    Source: ray-project/kuberay v1.7.0, `common/rbac.go`; ray-project/kuberay#960, ray-project/kuberay#1128.

    bad RayCluster
      cluster: enableInTreeAutoscaling: true
      head.pod: serviceAccountName: trainer  # <-
      head.ray: imagePullPolicy: Always
      also: ---
      also: apiVersion: v1
      also: kind: ServiceAccount
      also: metadata: {name: trainer}
    bad RayService -- The binding is for another account:
      meta: namespace: ml
      cluster: enableInTreeAutoscaling: true
      head.pod: serviceAccountName: ranker  # <-
      head.ray: imagePullPolicy: Always
      also: ---
      also: apiVersion: v1
      also: kind: ServiceAccount
      also: metadata: {name: ranker, namespace: ml}
      also: ---
      also: apiVersion: rbac.authorization.k8s.io/v1
      also: kind: RoleBinding
      also: metadata: {name: ranker, namespace: ml}
      also: roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: ranker}
      also: subjects: [{kind: ServiceAccount, name: default, namespace: ml}]
    good RayCluster
      cluster: enableInTreeAutoscaling: true
      head.pod: serviceAccountName: trainer
      head.ray: imagePullPolicy: Always
      also: ---
      also: apiVersion: v1
      also: kind: ServiceAccount
      also: metadata: {name: trainer}
      also: ---
      also: apiVersion: rbac.authorization.k8s.io/v1
      also: kind: RoleBinding
      also: metadata: {name: trainer}
      also: roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: autoscaler}
      also: subjects: [{kind: ServiceAccount, name: trainer}, {kind: User, name: ada}]
    good RayCluster -- The account lives elsewhere:
      cluster: enableInTreeAutoscaling: true
      head.pod: serviceAccountName: trainer
      head.ray: imagePullPolicy: Always
    near-miss RayCluster -- No autoscaler needs the rights:
      head.pod: serviceAccountName: trainer
      head.ray: imagePullPolicy: Always
      also: ---
      also: apiVersion: v1
      also: kind: ServiceAccount
      also: metadata: {name: trainer}
    """
    made = [fact for fact in facts if fact.key[0] == "made"]
    bound = {fact.key[1:] for fact in facts if fact.key[0] == "bound"}
    for fact in facts:
        account = fact.key[1:]
        own = next((other for other in made if other.key[1:] == account and beside(other, fact)), None)
        if fact.key[0] == "used" and own is not None and account not in bound:
            yield Problem(
                fact.at,
                f"the autoscaler runs under the account {account[1]!r}, and nothing here gives it any rights",
                because=[(own.at, "the account is made here")],
                effect="every request of the autoscaler is refused (403): the number of workers never changes",
                fix="bind the account to a Role for pods and RayClusters, or remove serviceAccountName",
            )
