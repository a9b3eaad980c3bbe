"""One volume claim for several worker pods."""

from __future__ import annotations

from raylint.field import View
from raylint.manifest import KubeObject, RayObject
from raylint.rule import Confidence, Fact, Problem, Severity, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from raylint.rule import Problems

__all__ = ["single_node_claim"]

MENTIONS = ("PersistentVolumeClaim", "persistentVolumeClaim")

_CLAIM, _USE = "claim", "use"
_ONE_NODE = {"ReadWriteOnce", "ReadWriteOncePod"}


def claims_and_users(found: KubeObject) -> Iterator[Fact]:
    """Claims that one node alone can mount, and worker groups of several pods that mount a claim."""
    namespace = found.ref.namespace
    if found.kind == "PersistentVolumeClaim" and found.api_version == "v1":
        modes = found.part("spec").strings("accessModes")
        if modes and set(modes) <= _ONE_NODE:
            at = found.part("spec").at_key("accessModes")
            yield Fact((_CLAIM, namespace, found.ref.name, modes[0]), at, found.ref.name)
    cluster = found.cluster if isinstance(found, RayObject) else None
    for group in cluster.worker_groups if cluster is not None and cluster.is_built else ():
        pods = group.possible_pods
        if pods is not None and pods > 1:
            for path, item in group.pod.parts("volumes"):
                claim = View(found.document, path, item).part("persistentVolumeClaim")
                name = claim.string("claimName")
                if name.value:
                    yield Fact((_USE, namespace, name.value, group.title), name.at, found.ref.name)


@rule(
    "RAY431",
    Severity.WARNING,
    confidence=Confidence.MEDIUM,
    gathers=claims_and_users,
    context=("PersistentVolumeClaim",),
    reports=("FR-062",),
)
def single_node_claim(facts: Sequence[Fact]) -> Problems:
    """A worker group of several pods mounts a claim that one node alone can have.

    ## What it flags
    A volume in a worker group that can have more than one pod, whose PersistentVolumeClaim stands in the files of
    the run, in the same namespace, with `ReadWriteOnce` or `ReadWriteOncePod` alone.

    It stays silent where the claim is not among the files.

    ## What happens
    The first worker mounts the volume; those on other nodes stay in `ContainerCreating` with "Multi-Attach error",
    and with `ReadWriteOncePod` those on the same node too. The autoscaler goes on asking for pods that never
    start.

    ## Versions
    All; a rule of Kubernetes.

    ## Fix
    Use a claim with `ReadWriteMany`, or an `ephemeral` volume with a claim template, one for each pod.

    ## When to ignore it
    When all workers are bound to run on one node.

    ## Source
    Kubernetes documentation, "Persistent Volumes: Access Modes"; ray-project/kuberay#3839, #1118.

    ## Examples
    ```yaml bad
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata: {name: models}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 100Gi}}}
    ---
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 4
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.60.0
              volumeMounts: [{name: models, mountPath: /models}]
            volumes:
            - name: models
              persistentVolumeClaim:
                claimName: models  # <-
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayService
    metadata: {name: ranker, namespace: prod}
    spec:
      rayClusterConfig:
        enableInTreeAutoscaling: true
        headGroupSpec:
          template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
        workerGroupSpecs:
        - groupName: gpu
          minReplicas: 0
          maxReplicas: 8
          template:
            spec:
              containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]
              volumes:
              - {name: cache, persistentVolumeClaim: {claimName: cache}}  # <-
    ---
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata: {name: cache, namespace: prod}
    spec: {accessModes: [ReadWriteOncePod], resources: {requests: {storage: 100Gi}}}
    ```

    ```yaml good
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata: {name: models}
    spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 100Gi}}}
    ---
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 4
        template:
          spec:
            containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]
            volumes: [{name: models, persistentVolumeClaim: {claimName: models}}]
    ```

    One worker, the head's own volume, and another namespace's claim:

    ```yaml good near-miss
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata: {name: models, namespace: prod}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 100Gi}}}
    ---
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer, namespace: prod}
    spec:
      headGroupSpec:
        template:
          spec:
            containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]
            volumes: [{name: models, persistentVolumeClaim: {claimName: models}}]
      workerGroupSpecs:
      - groupName: one
        replicas: 1
        template:
          spec:
            containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]
            volumes: [{name: models, persistentVolumeClaim: {claimName: models}}]
    ---
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer, namespace: test}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: many
        replicas: 4
        template:
          spec:
            containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]
            volumes: [{name: models, persistentVolumeClaim: {claimName: models}}]
    ```
    """
    claims = {fact.key[1:3]: fact for fact in facts if fact.key[0] == _CLAIM}
    for fact in facts:
        role, namespace, name, title = fact.key
        claim = claims.get((namespace, name))
        if role == _USE and claim is not None:
            mode = claim.key[3]
            yield Problem(
                fact.at,
                f"the pods of {title} share the claim {name!r}, which is {mode}: those on other nodes cannot"
                " start",
                label=f"{mode}",
                because=[(claim.at, "the claim's access modes")],
                effect='workers stay in ContainerCreating with "Multi-Attach error for volume"',
                fix="use a claim with ReadWriteMany, or an ephemeral volume with a claim template",
            )
