"""A head on a node that is taken away."""

from __future__ import annotations

from raylint.field import Field, Origin, View
from raylint.group import HeadGroup
from raylint.rule import Severity, unsafe

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.group import Group
    from raylint.rule import Location, Problems, Repair

__all__ = ["head_may_be_evicted"]

MENTIONS = ("spot", "SPOT", "preemptible", "karpenter.sh/", "cluster-autoscaler.kubernetes.io/")

# Node labels and taints of machines that the cloud takes back, and the value that says so.
_SPOT = {
    "cloud.google.com/gke-spot": "true",
    "cloud.google.com/gke-preemptible": "true",
    "eks.amazonaws.com/capacityType": "SPOT",
    "karpenter.sh/capacity-type": "spot",
    "kubernetes.azure.com/scalesetpriority": "spot",
}
_GUARDS = {
    "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
    "karpenter.sh/do-not-disrupt": "true",
    "karpenter.sh/do-not-evict": "true",
}


@looks_into("RAY716", Severity.WARNING, reports=("FR-111", "FR-112"), fixes="unsafe")
def head_may_be_evicted(head: HeadGroup) -> Problems:
    """The head runs where nodes are taken away, and the cluster ends with it.

    ## What it flags
    A head whose node selector or required node affinity picks spot or preemptible nodes, on a cluster without GCS
    fault tolerance. And, as an info, a head without a guard against eviction
    (`cluster-autoscaler.kubernetes.io/safe-to-evict: "false"`, `karpenter.sh/do-not-disrupt: "true"`) where a
    worker group of the same cluster has one, or where the head's node selector shows that Karpenter manages the
    nodes.

    It stays silent about spot workers, which Ray is made to lose, and with fault tolerance.

    ## What happens
    The node goes with half a minute's notice, or is emptied when the node autoscaler finds a cheaper fit. Without
    GCS fault tolerance the new head knows nothing of the old cluster: all jobs, actors and objects are lost, and
    the workers are started anew.

    ## Versions
    All KubeRay and Ray releases.

    ## Fix
    Put the head on nodes that stay, with the guard among the annotations of its pod template; or turn on fault
    tolerance.

    ## When to ignore it
    For clusters of a single job that starts again from a checkpoint.

    ## Source
    Cluster Autoscaler FAQ; Karpenter documentation, "Disruption"; ray-project/kuberay#4900, #5004,
    ray-project/ray#64907.

    ## Examples
    ```yaml bad cluster
    headGroupSpec:
      template:
        spec:
          nodeSelector:
            cloud.google.com/gke-spot: "true"  # <-
          containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]
    ```

    ```yaml bad cluster
    headGroupSpec:
      template:
        spec:
          affinity:
            nodeAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
                nodeSelectorTerms:
                - matchExpressions:
                  - {key: kubernetes.io/arch, operator: In, values: [amd64]}
                  - {key: karpenter.sh/capacity-type, operator: In, values: [spot]}  # <-
          containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]
    ```

    The workers are guarded, and the head that they depend on is not:

    ```yaml bad severity=info cluster
    headGroupSpec:
      template:  # <-
        spec:
          containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]
    workerGroupSpecs:
    - groupName: cpu
      template:
        metadata:
          annotations: {karpenter.sh/do-not-disrupt: "true"}
        spec:
          containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]
    ```

    ```yaml good cluster
    headGroupSpec:
      template:
        metadata:
          annotations: {karpenter.sh/do-not-disrupt: "true"}
        spec:
          nodeSelector: {karpenter.sh/nodepool: heads}
          containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]
    ```

    Either kind of node will do:

    ```yaml good near-miss cluster
    headGroupSpec:
      template:
        spec:
          affinity:
            nodeAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
                nodeSelectorTerms:
                - matchExpressions: [{key: karpenter.sh/capacity-type, operator: In, values: [spot, on-demand]}]
          containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]
    ```

    The workers may go, and so may a head that comes back with its state:

    ```yaml good near-miss cluster
    headGroupSpec:
      template:
        spec:
          nodeSelector: {karpenter.sh/capacity-type: on-demand}
          containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]
    workerGroupSpecs:
    - groupName: cpu
      template:
        spec:
          nodeSelector: {cloud.google.com/gke-spot: "true"}
          containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]
    gcsFaultToleranceOptions: {redisAddress: "redis.data.svc:6379"}
    ```
    """
    cluster = head.cluster
    if not cluster.is_built or cluster.gcs_fault_tolerance:
        return
    selector = head.pod.part("nodeSelector")
    spot = _spot_nodes(head, selector)
    if spot is not None:
        yield spot.flag(
            "the head runs on nodes that the cloud takes back, and without fault tolerance the cluster ends with"
            " it",
            label="spot nodes",
            effect="when the node goes, all jobs, actors and objects are lost",
            fix="put the head on nodes that stay, or turn on GCS fault tolerance",
        )
        return
    if _is_guarded(head):
        return
    hint = next(_hints(head, selector), None)
    if hint is not None:
        at: Field[str] = Field(None, Origin.WRITTEN, head.template.at.key())
        yield at.flag(
            "nothing keeps the node autoscaler from evicting the head, and without fault tolerance the cluster"
            " ends"
            " with it",
            label="no guard",
            because=[hint],
            effect="when a node is emptied to save cost, all jobs, actors and objects are lost",
            fix='annotate the pod template with cluster-autoscaler.kubernetes.io/safe-to-evict: "false" or'
            ' karpenter.sh/do-not-disrupt: "true"',
            severity=Severity.INFO,
            repair=_guarded(head, hint[0]),
        )


def _spot_nodes(head: HeadGroup, selector: View) -> Field[str] | None:
    """What allows the head on spot nodes alone."""
    for key, value in _SPOT.items():
        if selector.data.get(key) == value:
            return selector.string(key)
    required = (
        head.pod.part("affinity").part("nodeAffinity").part("requiredDuringSchedulingIgnoredDuringExecution")
    )
    terms = [
        _spot_expression(View(head.document, path, term)) for path, term in required.parts("nodeSelectorTerms")
    ]
    # A node that meets one of the terms will do, so each must ask for spot.
    return terms[0] if terms and None not in terms else None


def _spot_expression(term: View) -> Field[str] | None:
    for path, item in term.parts("matchExpressions"):
        expression = View(term.document, path, item)
        key = expression.string("key")
        value = _SPOT.get(key.value or "")
        if (
            value is not None
            and expression.data.get("operator") == "In"
            and expression.strings("values") == (value,)
        ):
            return key
    return None


def _guarded(head: HeadGroup, hint: Location) -> Repair:
    """The guard of the scaler that shows here."""
    karpenter = any("karpenter.sh/" in str(step) for step in hint.path)
    key = "karpenter.sh/do-not-disrupt" if karpenter else "cluster-autoscaler.kubernetes.io/safe-to-evict"
    return unsafe(head.template.annotations.at_key(key).set(_GUARDS[key]))


def _is_guarded(group: Group) -> bool:
    annotations = group.template.annotations.data
    return any(annotations.get(key) == value for key, value in _GUARDS.items())


def _hints(head: HeadGroup, selector: View) -> Iterator[tuple[Location, str]]:
    """What shows that nodes are emptied here."""
    for group in head.cluster.worker_groups:
        if _is_guarded(group):
            yield group.template.annotations.at, f"{group.title} is guarded"
    for key in selector.data:
        if key.startswith("karpenter.sh/"):
            yield selector.at_key(key), "Karpenter manages these nodes"
