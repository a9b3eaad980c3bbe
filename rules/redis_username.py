"""The user for Redis."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.rule import Problem, Severity, rule

from .redis_password import USERNAME_PARAM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

MENTIONS = ("gcsFaultToleranceOptions", "redis-username")


@rule("RAY119", Severity.ERROR, ray="..2.40", reports=("FR-014",))
def redis_username_before_ray_2_41(cluster: RayCluster) -> Problems:
    """A Redis user, which Ray knows from 2.41 on.

    ## What it flags
    `gcsFaultToleranceOptions.redisUsername` where the head runs Ray 2.40 or older. Up to KubeRay 1.2 also the
    parameter `redis-username` of the head; from 1.3 on KubeRay refuses that one itself.

    ## What happens
    KubeRay adds `--redis-username` to `ray start`, which an older Ray does not know: the head ends with
    `No such option: --redis-username` and restarts for ever.

    ## Versions
    Ray 2.40 and older; `redisUsername` exists since KubeRay 1.3.

    ## Fix
    Use Ray 2.41 or later, or the default user: remove `redisUsername` and give its password alone.

    ## When to ignore it
    Never: the head cannot start.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go`; run with Ray 2.9.3 and 2.40.0; ray-project/ray#63037.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions:
        redisAddress: redis.data.svc:6379
        redisUsername:  # <-
          value: ray
        redisPassword:
          valueFrom: {secretKeyRef: {name: redis, key: password}}
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.40.0"}]}}
    ```

    ```yaml bad kuberay=1.2
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: trainer
      annotations: {ray.io/ft-enabled: "true"}
    spec:
      headGroupSpec:
        rayStartParams:
          redis-username: ray  # <-
          redis-password: $REDIS_PASSWORD
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.9.3
              env:
              - {name: RAY_REDIS_ADDRESS, value: "redis:6379"}
              - {name: REDIS_PASSWORD, valueFrom: {secretKeyRef: {name: redis, key: password}}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions:
        redisAddress: redis.data.svc:6379
        redisPassword: {valueFrom: {secretKeyRef: {name: redis, key: password}}}
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.40.0"}]}}
    ```

    Ray 2.41 knows users:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions:
        redisAddress: redis.data.svc:6379
        redisUsername: {value: ray}
        redisPassword: {valueFrom: {secretKeyRef: {name: redis, key: password}}}
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.41.0"}]}}
    ```
    """
    options = cluster.gcs_fault_tolerance
    places = []
    if options.by_options and options.uses_redis and options.has("redisUsername"):
        places.append(options.redis_username.at)
    param = cluster.head.start_param(USERNAME_PARAM)
    if param and not cluster.target.kuberay_at_least(1, 3):
        places.append(param.at)
    for place in places:
        yield Problem(
            place,
            "a Redis user is given, which Ray knows from 2.41 on; the head cannot start",
            label="becomes the option --redis-username of ray start",
            effect='the head\'s log says "No such option: --redis-username" and the head restarts for ever (Ray'
            " 2.40"
            " and older)",
            fix="use Ray 2.41 or later, or remove the user and log in as Redis's default user",
        )
