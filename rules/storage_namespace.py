"""The storage namespace: the prefix under which a cluster keeps its state in Redis."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.manifest import RayCronJob, RayJob, RayService
from raylint.rule import Fact, Problem, Severity, rule, unsafe

from .address import RedisAddress, address_in_force, readers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from raylint.field import Field
    from raylint.rule import Problems

MENTIONS = ("gcsFaultToleranceOptions", "ray.io/ft-enabled")


_OVERLAP = (
    "the new GCS restores the nodes and actors of the old cluster, takes over too early and crashes; deleting the"
    " old cluster wipes the new one's state (KubeRay up to 1.7)"
)
_LEFTOVERS = (
    "the new GCS restores jobs, nodes and actors that are gone, and the cleanup of the old cluster wipes the new"
    " one's state (KubeRay up to 1.7)"
)


@rule("RAY106", Severity.ERROR, reports=("FR-003",), fixes="unsafe")
def pinned_storage_namespace(cluster: RayCluster) -> Problems:
    """A fixed storage namespace on an object that makes one cluster after another: they share one state.

    ## What it flags
    A storage namespace that is written (`gcsFaultToleranceOptions.externalStorageNamespace`, the annotation
    `ray.io/external-storage-namespace`, or `RAY_external_storage_namespace` on the head) in a RayService (error;
    warning with `upgradeStrategy.type: None`), in a RayJob with `backoffLimit` above 0 or in a RayCronJob
    (warning).

    It stays silent on a RayCluster, which is one cluster for all its life, for a value that holds a variable
    (`$(RAY_CLUSTER_NAME)`), and for a RayJob without retries.

    ## What happens
    An upgrade of a RayService makes a second RayCluster next to the first. With one namespace the new GCS reads
    the old one's nodes, actors and Serve applications as its own: it restores actors that run elsewhere, looks
    ready at once, takes over the traffic too early and then crashes, while both write to the same keys. Deleting
    the old cluster removes the state of the new one. A retried or scheduled job starts in the leftovers of the run
    before.

    ## Versions
    All with fault tolerance, up to KubeRay 1.7. `backoffLimit` exists since KubeRay 1.2, RayCronJob since 1.6.

    ## Fix
    Remove the namespace: KubeRay then takes the UID of each RayCluster, which is unique.

    ## When to ignore it
    On a RayService that is never upgraded in place, with `upgradeStrategy.type: None`, to find the old state again
    after the RayService was deleted without a cleanup.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go`; ray-project/kuberay#1296, ray-project/kuberay#5052,
    ray-project/ray#66057; Ray's guide to GCS fault tolerance on KubeRay gives the same advice.

    ## Examples
    ```yaml bad severity=error
    apiVersion: ray.io/v1
    kind: RayService
    metadata: {name: ranker}
    spec:
      rayClusterConfig:
        gcsFaultToleranceOptions:
          redisAddress: redis.data.svc:6379
          externalStorageNamespace: ranker  # <-
        headGroupSpec:
          template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    A job that is tried again:

    ```yaml bad severity=warning
    apiVersion: ray.io/v1
    kind: RayJob
    metadata:
      name: nightly
      annotations:
        ray.io/ft-enabled: "true"
        ray.io/external-storage-namespace: nightly  # <-
    spec:
      backoffLimit: 2
      entrypoint: python main.py
      rayClusterSpec:
        headGroupSpec:
          template:
            spec:
              containers:
              - name: ray-head
                image: rayproject/ray:2.52.0
                env: [{name: RAY_REDIS_ADDRESS, value: "redis.data.svc:6379"}]
    ```

    ```yaml bad severity=warning
    apiVersion: ray.io/v1
    kind: RayService
    metadata: {name: ranker}
    spec:
      upgradeStrategy: {type: None}
      rayClusterConfig:
        gcsFaultToleranceOptions:
          redisAddress: redis.data.svc:6379
          externalStorageNamespace: ranker  # <-
        headGroupSpec:
          template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayService
    metadata: {name: ranker}
    spec:
      rayClusterConfig:
        gcsFaultToleranceOptions: {redisAddress: "redis.data.svc:6379"}
        headGroupSpec:
          template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    A RayCluster is one cluster:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions:
        redisAddress: redis.data.svc:6379
        externalStorageNamespace: trainer
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    namespace = _literal_namespace(cluster)
    if namespace is None:
        return
    repeated = _what_makes_clusters(cluster)
    if repeated is None:
        return
    what, effect, severity = repeated
    yield namespace.flag(
        f"the storage namespace {namespace.value!r} is fixed; {what}",
        label="the same for every cluster of this object",
        severity=severity,
        effect=effect,
        fix="remove the storage namespace; KubeRay then uses the UID of each RayCluster",
        repair=unsafe(namespace.at.delete()),
    )


def _literal_namespace(cluster: RayCluster) -> Field[str] | None:
    """The storage namespace that is written and the same for every cluster made of this text."""
    if not cluster.gcs_fault_tolerance.uses_redis:
        return None
    namespace = cluster.gcs_fault_tolerance.storage_namespace
    if not namespace.value or "$(" in namespace.value:
        return None
    return namespace


def _what_makes_clusters(cluster: RayCluster) -> tuple[str, str, Severity] | None:
    """How the owner comes to a second cluster, and what that leads to; None where it does not."""
    owner = cluster.owner
    if isinstance(owner, RayService):
        strategy = owner.upgrade_strategy.value
        if strategy == "None" or strategy is None:
            return "a RayService that is made anew finds the state of the old one", _LEFTOVERS, Severity.WARNING
        return "an upgrade of a RayService runs a second cluster on the same state", _OVERLAP, Severity.ERROR
    if isinstance(owner, RayCronJob):
        return "every run of a RayCronJob starts on the state of the run before", _LEFTOVERS, Severity.WARNING
    if isinstance(owner, RayJob) and (owner.backoff_limit.value or 0) > 0:
        return "every retry of a RayJob starts on the state of the attempt before", _LEFTOVERS, Severity.WARNING
    return None


def storage_in_use(cluster: RayCluster) -> Iterator[Fact]:
    """Server and namespace of a cluster, where both are known and the server is the same from other pods."""
    namespace = _literal_namespace(cluster)
    field = address_in_force(cluster)
    if namespace is None or namespace.value is None or field is None or field.value is None:
        return
    address = RedisAddress(field.value)
    if address.is_loopback or any(address.refusal(reader) for reader in readers(cluster.ray_version)):
        return
    server = f"{_server_name(address, cluster)}:{address.port_number}"
    yield Fact((server, namespace.value), namespace.at, str(cluster.owner.ref))


def _server_name(address: RedisAddress, cluster: RayCluster) -> str:
    """One name for one server: ``redis`` of the Kubernetes namespace ``data`` is ``redis.data``, and so are
    ``redis.data.svc`` and ``redis.data.svc.cluster.local``."""
    host = address.bare_host.lower().rstrip(".")
    host = host.removesuffix(".cluster.local").removesuffix(".svc")
    namespace = cluster.owner.ref.namespace
    return f"{host}.{namespace}" if namespace and "." not in host and ":" not in host else host


@rule("RAY107", Severity.ERROR, gathers=storage_in_use, reports=("FR-004",))
def storage_namespace_shared(facts: Sequence[Fact]) -> Problems:
    """Two clusters with one Redis and one storage namespace overwrite each other's state.

    ## What it flags
    A second object of the run with the same Redis and the same written storage namespace as an earlier one. The
    scheme of the address does not count, nor does what follows the first address of a list; `redis`,
    `redis.data.svc` and `redis.data.svc.cluster.local` are one server for an object in the namespace `data`.

    Two versions of one object (same kind, namespace and name) are no pair. A short host name, such as `redis`, in
    two Kubernetes namespaces means two servers. Without a written storage namespace each cluster has its own.

    ## What happens
    Both GCS write to the same keys. Each takes the nodes and actors of the other for its own, marks them as dead
    or restores them; jobs vanish from the one and turn up in the other. Deleting one cluster wipes the state of
    both.

    ## Versions
    All with fault tolerance.

    ## Fix
    Remove the storage namespaces (KubeRay then uses the RayCluster's UID), or give each object its own.

    ## When to ignore it
    When the objects never exist at the same time, and the second is to go on with the state of the first.

    ## Source
    ray-project/kuberay#1286; ray-project/kuberay v1.7.0, `common/pod.go`; the keys were seen in Redis with Ray
    2.9.3 to 2.60.0 (`RAY<namespace>@...`).

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer, namespace: data}
    spec:
      gcsFaultToleranceOptions:
        redisAddress: redis:6379
        externalStorageNamespace: shared
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ---
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: ranker, namespace: serving}
    spec:
      gcsFaultToleranceOptions:
        redisAddress: redis://redis.data.svc:6379
        externalStorageNamespace: shared  # <-
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    The older way and the newer one:

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: trainer
      annotations: {ray.io/ft-enabled: "true", ray.io/external-storage-namespace: shared}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              env: [{name: RAY_REDIS_ADDRESS, value: "redis:6379"}]
    ---
    apiVersion: ray.io/v1
    kind: RayJob
    metadata: {name: nightly}
    spec:
      entrypoint: python main.py
      rayClusterSpec:
        gcsFaultToleranceOptions:
          redisAddress: redis:6379
          externalStorageNamespace: shared  # <-
        headGroupSpec:
          template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    Two namespaces in one Redis:

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions: {redisAddress: "redis:6379", externalStorageNamespace: trainer}
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ---
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: ranker}
    spec:
      gcsFaultToleranceOptions: {redisAddress: "redis:6379", externalStorageNamespace: ranker}
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    A short name in two Kubernetes namespaces:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer, namespace: dev}
    spec:
      gcsFaultToleranceOptions: {redisAddress: "redis:6379", externalStorageNamespace: trainer}
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ---
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer, namespace: prod}
    spec:
      gcsFaultToleranceOptions: {redisAddress: "redis:6379", externalStorageNamespace: trainer}
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    first_by_key: dict[tuple[str, ...], Fact] = {}
    for fact in facts:
        first = first_by_key.setdefault(fact.key, fact)
        if first.owner == fact.owner:
            continue
        server, namespace = fact.key
        yield Problem(
            fact.at,
            f"the storage namespace {namespace!r} in the Redis {server} is that of {first.owner} as well; the two"
            " clusters overwrite each other's state",
            label=f"also used by {first.owner}",
            because=[(first.at, f"{first.owner} uses it first")],
            effect="each GCS takes the other's nodes and actors for its own and marks them dead; deleting one"
            " cluster wipes the state of both",
            fix="remove externalStorageNamespace (KubeRay then uses the RayCluster's UID), or write another one",
        )
