"""Fault tolerance whose store is missing, or named where the head's GCS does not look."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.fault_tolerance import FT_ANNOTATION, REDIS_ADDRESS_ENV, Means
from raylint.rule import Location, Problem, Severity, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.rule import Problems

MENTIONS = ("RAY_REDIS_ADDRESS", "ray.io/ft-enabled")

STORAGE_ENV = "RAY_gcs_storage"


def _has_store(cluster: RayCluster) -> bool:
    """Does the head have, or may it have, a store: by the options, by its own ``env`` or by ``envFrom``?"""
    container = cluster.head.ray_container
    named = container.env(REDIS_ADDRESS_ENV) is not None or container.env(STORAGE_ENV) is not None
    return named or container.has_env_from or cluster.gcs_fault_tolerance.by_options


def _misplaced(cluster: RayCluster) -> Iterator[tuple[Location, str]]:
    """Where ``RAY_REDIS_ADDRESS`` stands besides the head's Ray container."""
    for group in cluster.groups:
        containers = [*group.pod.sidecars, *group.pod.init_containers]
        if group is not cluster.head:
            containers.insert(0, group.ray_container)
        for container in containers:
            variable = container.env(REDIS_ADDRESS_ENV)
            if variable is not None:
                name = container.name.value or "without a name"
                yield variable.at_key("name"), f"container {name!r} of the {group.title}"
    job = cluster.owner.job
    variables = (job.runtime_env or {}).get("env_vars") if job is not None else None
    if job is not None and isinstance(variables, dict) and REDIS_ADDRESS_ENV in variables:
        yield job.job_spec.at_key("runtimeEnvYAML").key(), "runtimeEnvYAML, which reaches the job's workers only"


@rule("RAY118", Severity.WARNING, reports=("FR-013",))
def redis_address_misplaced(cluster: RayCluster) -> Problems:
    """A Redis address in a place where the GCS never sees it.

    ## What it flags
    `RAY_REDIS_ADDRESS` on a worker, in a sidecar or an init container, or among the `env_vars` of a RayJob's
    `runtimeEnvYAML`, while the head's Ray container (the first one) has neither this variable nor another store.

    It stays silent where the head has its address, by `gcsFaultToleranceOptions` or by `env`, or may have it from
    `envFrom`: a further copy elsewhere does no harm.

    ## What happens
    The GCS runs on the head and reads its own environment. It finds no address, keeps everything in memory, and
    Redis stays empty. When the head dies the cluster's state is gone.

    ## Versions
    All.

    ## Fix
    Write `gcsFaultToleranceOptions.redisAddress` (KubeRay 1.3 and later), or move the variable to the head's first
    container and set the annotation `ray.io/ft-enabled: "true"`.

    ## When to ignore it
    When a program of your own reads the variable.

    ## Source
    Ray `python/ray/_private/node.py`; ray-project/ray#28878.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: trainer
      annotations: {ray.io/ft-enabled: "true"}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.52.0
              env:
              - name: RAY_REDIS_ADDRESS  # <-
                value: redis:6379
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayJob
    metadata: {name: nightly}
    spec:
      entrypoint: python main.py
      runtimeEnvYAML: |  # <-
        env_vars:
          RAY_REDIS_ADDRESS: redis:6379
      rayClusterSpec:
        headGroupSpec:
          template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: trainer
      annotations: {ray.io/ft-enabled: "true"}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              env: [{name: RAY_REDIS_ADDRESS, value: "redis:6379"}]
    ```

    A copy on the workers, next to the head's own:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions: {redisAddress: "redis:6379"}
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.52.0
              env: [{name: RAY_REDIS_ADDRESS, value: "redis:6379"}]
    ```
    """
    if _has_store(cluster):
        return
    for place, where in _misplaced(cluster):
        yield Problem(
            place,
            f"{REDIS_ADDRESS_ENV} stands in {where}, and not on the head; the GCS keeps its state in memory",
            label="the head's GCS does not see it",
            effect="Redis stays empty, and the cluster's actors, jobs and placement groups are gone after a head"
            " failure",
            fix="write gcsFaultToleranceOptions.redisAddress (KubeRay 1.3 and later), or move the variable to the"
            " head's"
            f' first container and annotate the {cluster.kind} with ray.io/ft-enabled: "true"',
        )


@rule("RAY121", Severity.WARNING, reports=("FR-013",))
def fault_tolerance_without_store(cluster: RayCluster) -> Problems:
    """Fault tolerance is turned on by annotation, and the head has no Redis: it is off.

    ## What it flags
    The annotation `ray.io/ft-enabled: "true"` where the head's Ray container has no `RAY_REDIS_ADDRESS`.

    It stays silent with `envFrom`, which may bring the address, with another store (`RAY_gcs_storage`), and where
    the address stands in a wrong place (RAY118 points there). `gcsFaultToleranceOptions` without an address is
    another matter: the head cannot start then (RAY108).

    ## What happens
    KubeRay takes the cluster for fault tolerant: workers wait 600 seconds for a lost GCS, a finalizer holds the
    deleted cluster until a cleanup Job has run, which has no Redis to clean and fails. The GCS itself keeps
    everything in memory: after a head failure the state is gone, and the workers have waited in vain.

    ## Versions
    All, up to KubeRay 1.7.

    ## Fix
    Use `gcsFaultToleranceOptions` with `redisAddress` (KubeRay 1.3 and later) in place of the annotation, or set
    `RAY_REDIS_ADDRESS` in the head's first container. If no fault tolerance is wanted, remove the annotation.

    ## When to ignore it
    When the image itself sets the variable.

    ## Source
    ray-project/kuberay v1.7.0, `validation.go` (nothing checks it), `common/pod.go`.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: trainer
      annotations:
        ray.io/ft-enabled: "true"  # <-
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayService
    metadata:
      name: ranker
      annotations:
        ray.io/ft-enabled: "true"  # <-
    spec:
      rayClusterConfig:
        headGroupSpec:
          template:
            spec:
              containers:
              - name: ray-head
                image: rayproject/ray:2.52.0
                env: [{name: REDIS_ADDRESS, value: "redis:6379"}]
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: trainer
      annotations: {ray.io/ft-enabled: "true"}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              env: [{name: RAY_REDIS_ADDRESS, value: "redis:6379"}]
    ```

    The ConfigMap may hold the address:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: trainer
      annotations: {ray.io/ft-enabled: "true"}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              envFrom: [{configMapRef: {name: redis}}]
    ```
    """
    fault_tolerance = cluster.gcs_fault_tolerance
    if fault_tolerance.means is not Means.ANNOTATION or _has_store(cluster) or any(_misplaced(cluster)):
        return
    yield Problem(
        fault_tolerance.at_switch,
        f"{FT_ANNOTATION} is on, and the head has no {REDIS_ADDRESS_ENV}; there is no fault tolerance at all",
        label="turns on the finalizer and the cleanup Job only",
        effect="a head failure loses the cluster's state, and deleting the cluster waits for a cleanup Job"
        " without a Redis (KubeRay up to 1.7)",
        fix="write gcsFaultToleranceOptions with redisAddress in place of the annotation (KubeRay 1.3 and later),"
        f" or set {REDIS_ADDRESS_ENV} in the head's first container",
    )
