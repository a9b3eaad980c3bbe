"""The Job that removes a deleted cluster's keys from Redis."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.patterns import pattern
from raylint.rule import Problem, Severity, rule, unsafe
from raylint.target import version_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

MENTIONS = ("gcsFaultToleranceOptions", "ray.io/ft-enabled")

TIMEOUT_ANNOTATION = "ray.io/gcs-ft-deletion-timeout"
JOB_SUFFIX = "-redis-cleanup"
LABEL_LENGTH = 63
# RayService and RayJob call their clusters NAME-raycluster-XXXXX (KubeRay 1.0 to 1.3).
CLUSTER_SUFFIX_LENGTH = len("-raycluster-") + 5

_POSITIVE = pattern(r"\+?0*[1-9][0-9]*\Z")


@rule("RAY115", Severity.INFO, ray="..2.49", reports=("FR-009",), fixes="unsafe")
def redis_cleanup_may_hang(cluster: RayCluster) -> Problems:
    """Deleting a fault-tolerant cluster may hang on the Redis cleanup Job of an old Ray.

    ## What it flags
    GCS fault tolerance with Redis on a head of Ray 2.49 or older, without the annotation
    `ray.io/gcs-ft-deletion-timeout` (a positive whole number of seconds; another value counts as absent).

    It stays silent from Ray 2.50 on, without Redis, and on a RayCronJob, whose annotations reach no cluster.

    ## What happens
    A finalizer holds the deleted RayCluster until a Job with the head's image has removed its keys. The Job of an
    old Ray uses commands that some managed Redis servers do not know, and fails; under Kueue it may never be let
    in. The cluster stays in Terminating, and so do its quota and, with Kueue, the preemption that waits for it.
    KubeRay 1.6.2 and later give up after 300 seconds; before, nothing ends the wait for a Job that never finishes.

    ## Versions
    Ray up to 2.49. The annotation is read by KubeRay 1.6.2 and later; KubeRay 1.0 never gave up on a failed Job.

    ## Fix
    Use Ray 2.50 or later. With KubeRay 1.6.2 or later set the annotation to as many seconds as a deletion may
    take.

    ## When to ignore it
    With a plain Redis of your own: the Job works there.

    ## Source
    ray-project/kuberay#4767, ray-project/kuberay#4836 (in v1.6.2 by #4909), `raycluster_controller.go`.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions:  # <-
        redisAddress: master.trainer.ab12cd.use1.cache.amazonaws.com:6379
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.49.0"}]}}
    ```

    Not a number of seconds:

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: trainer
      annotations: {ray.io/gcs-ft-deletion-timeout: 60s}
    spec:
      gcsFaultToleranceOptions:  # <-
        redisAddress: redis.data.svc:6379
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.40.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: trainer
      annotations: {ray.io/gcs-ft-deletion-timeout: "60"}
    spec:
      gcsFaultToleranceOptions: {redisAddress: "redis.data.svc:6379"}
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.49.0"}]}}
    ```

    Ray 2.50:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions: {redisAddress: "redis.data.svc:6379"}
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.50.0"}]}}
    ```
    """
    knows_timeout = cluster.target.kuberay_at_least(1, 6)
    if not cluster.gcs_fault_tolerance.uses_redis or cluster.kind == "RayCronJob":
        return
    timeout = cluster.annotations.string(TIMEOUT_ANNOTATION)
    if knows_timeout and timeout and (not timeout.known or _POSITIVE.match(timeout.value or "")):
        return
    version = version_text(cluster.ray_version or ())
    by_annotation = f', or set the annotation {TIMEOUT_ANNOTATION}: "60" (KubeRay 1.6.2 and later)'
    yield Problem(
        cluster.gcs_fault_tolerance.at_switch.key(),
        f"deleting this cluster may hang on the Redis cleanup Job of Ray {version}, which some managed Redis"
        " refuse",
        label="a finalizer waits for the cleanup Job",
        effect="the deleted cluster stays in Terminating and holds its quota: for 300 seconds with KubeRay 1.6.2"
        " and later, without a limit before",
        fix="use Ray 2.50 or later" + (by_annotation if knows_timeout else ""),
        repair=unsafe(timeout.at.set("60")) if knows_timeout else None,
    )


@rule("RAY116", Severity.ERROR, kuberay="..1.2", reports=("FR-010",))
def redis_cleanup_name_too_long(cluster: RayCluster) -> Problems:
    """A cluster whose name is too long for its Redis cleanup Job cannot be deleted.

    ## What it flags
    Up to KubeRay 1.2, with GCS fault tolerance: a RayCluster whose name and `-redis-cleanup` together are longer
    than 63 characters (a name of more than 49), and a RayService or RayJob of more than 32, because KubeRay calls
    its cluster `NAME-raycluster-` and five letters.

    ## What happens
    The cluster is deleted, and a finalizer waits for the cleanup Job. The API server refuses that Job, its name
    does not fit into a label: the event says `FailedToCreateRedisCleanupJob ... must be no more than 63
    characters`. KubeRay tries again for ever, the cluster stays in Terminating, and the keys stay in Redis.

    ## Versions
    KubeRay 1.0 to 1.2. From 1.3 on the Job's name is cut to 63 characters.

    ## Fix
    Choose a shorter name, or use KubeRay 1.3 or later. A cluster that hangs is freed by removing the finalizer
    `ray.io/gcs-ft-redis-cleanup-finalizer` by hand.

    ## When to ignore it
    When the operator runs with `ENABLE_GCS_FT_REDIS_CLEANUP=false`.

    ## Source
    ray-project/kuberay#2845, fixed by ray-project/kuberay#2846 in v1.3.0.

    ## Examples
    ```yaml bad kuberay=1.2
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: text-translation-model-for-the-european-languages-b  # <-
      annotations: {ray.io/ft-enabled: "true"}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.9.3
              env: [{name: RAY_REDIS_ADDRESS, value: "redis:6379"}]
    ```

    KubeRay adds to the name of a RayService:

    ```yaml bad kuberay=1.1
    apiVersion: ray.io/v1
    kind: RayService
    metadata:
      name: text-translation-model-rayservice  # <-
      annotations: {ray.io/ft-enabled: "true"}
    spec:
      rayClusterConfig:
        headGroupSpec:
          template:
            spec:
              containers:
              - name: ray-head
                image: rayproject/ray:2.9.3
                env: [{name: RAY_REDIS_ADDRESS, value: "redis:6379"}]
    ```

    ```yaml good kuberay=1.2
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: text-translation
      annotations: {ray.io/ft-enabled: "true"}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.9.3
              env: [{name: RAY_REDIS_ADDRESS, value: "redis:6379"}]
    ```

    63 characters with the suffix, the most that fits:

    ```yaml good near-miss kuberay=1.2
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: text-translation-model-for-the-european-languages
      annotations: {ray.io/ft-enabled: "true"}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.9.3
              env: [{name: RAY_REDIS_ADDRESS, value: "redis:6379"}]
    ```
    """
    name = cluster.owner.name
    if not cluster.gcs_fault_tolerance or not name.value:
        return
    made_by_kuberay = cluster.kind != "RayCluster"
    length = len(name.value) + len(JOB_SUFFIX) + (CLUSTER_SUFFIX_LENGTH if made_by_kuberay else 0)
    if length <= LABEL_LENGTH:
        return
    yield name.flag(
        f"the name of the Redis cleanup Job would be {length} characters long, {LABEL_LENGTH} are allowed; a"
        " deleted cluster stays in Terminating",
        label=f"at most {len(name.value) - length + LABEL_LENGTH} characters",
        because=[(cluster.gcs_fault_tolerance.at_switch.key(), "fault tolerance brings the cleanup Job")],
        effect="the event FailedToCreateRedisCleanupJob repeats, the finalizer is never removed and the keys stay"
        " in Redis (KubeRay 1.0 to 1.2)",
        fix="choose a shorter name, or use KubeRay 1.3 or later, which cuts the Job's name",
    )
