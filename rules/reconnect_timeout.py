"""How long workers, and the head itself, wait for a GCS that is away."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.patterns import pattern
from raylint.rule import Severity, rule, unsafe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.group import Group
    from raylint.pod import EnvVar
    from raylint.rule import Problems

MENTIONS = ("RAY_gcs_rpc_server_reconnect_timeout_s",)

# Names are case-sensitive in Ray: any other spelling is ignored. Seconds, uint32.
RECONNECT_ENV = "RAY_gcs_rpc_server_reconnect_timeout_s"
RAY_DEFAULT = 60
KUBERAY_DEFAULT = 600
# A head pod that is restarted in place needs about a minute; one that is made anew needs more.
SHORTEST = 120

# What Ray's parser takes for a whole number; anything else ends every Ray process, which is not said here.
_SECONDS = pattern(r"\s*\+?[0-9]+\Z")
_LONGEST = 30


def _seconds(variable: EnvVar | None) -> int | None:
    """The literal number of a variable; None where there is none."""
    text = variable.value.value if variable is not None else None
    # Ray cuts a number that is too large to the largest one; more digits than that change nothing here.
    return int(text[:_LONGEST]) if text is not None and _SECONDS.match(text) else None


def reconnect_variable(group: Group) -> EnvVar | None:
    """The variable where Ray reads it: in the Ray container's ``env``."""
    return group.ray_container.env(RECONNECT_ENV)


@rule("RAY103", Severity.WARNING, reports=("FR-002",), fixes="unsafe")
def worker_reconnect_timeout_too_short(cluster: RayCluster, *, shortest: int = SHORTEST) -> Problems:
    """Workers that wait for a lost GCS for less time than the head needs to come back.

    ## What it flags
    `RAY_gcs_rpc_server_reconnect_timeout_s` in the Ray container of a worker group while GCS fault tolerance is
    on, if it is below 120 seconds, or not longer than the head's own value (60 unless the head sets it).

    It stays silent where the variable is absent: KubeRay then sets 600. Names are case-sensitive in Ray, so
    `RAY_GCS_RPC_SERVER_RECONNECT_TIMEOUT_S` has no effect and is not meant here. Values that cannot be known
    (`valueFrom`) are not judged.

    ## What happens
    The head's GCS dies and comes back from Redis. A worker that has waited for its timeout gives up and exits: its
    tasks, actors and objects are lost although fault tolerance is on, and the pods start anew. The head's raylet
    itself notices its dead GCS only after the head's own value (60 seconds); workers have to wait longer than that
    and than the restart of the head on top: image pull, volume, failover of Redis.

    ## Versions
    KubeRay 1.0 and later set 600 on workers where the variable is absent; Ray's default is 60.

    ## Fix
    Remove the variable from the workers.

    ## When to ignore it
    Where workers are to leave quickly, a broken node for instance, and starting anew is cheap.

    ## Options
    - `shortest` (120): the seconds that a worker must wait at the least.

    ## Source
    Ray `src/ray/common/ray_config_def.h`; ray-project/kuberay v1.7.0, `common/pod.go`
    (`configureGCSFaultTolerance`); ray-project/ray#52480.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions: {redisAddress: "redis.data.svc:6379"}
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
              - name: RAY_gcs_rpc_server_reconnect_timeout_s
                value: "30"  # <-
    ```

    Long enough in itself, but the head waits as long:

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions: {redisAddress: "redis.data.svc:6379"}
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              env: [{name: RAY_gcs_rpc_server_reconnect_timeout_s, value: "300"}]
      workerGroupSpecs:
      - groupName: cpu
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.52.0
              env:
              - name: RAY_gcs_rpc_server_reconnect_timeout_s
                value: "300"  # <-
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions: {redisAddress: "redis.data.svc:6379"}
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    No fault tolerance, and nothing to wait for:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
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
              env: [{name: RAY_gcs_rpc_server_reconnect_timeout_s, value: "30"}]
    ```
    """
    if not cluster.gcs_fault_tolerance:
        return
    head = _head_seconds(cluster)
    for group in cluster.worker_groups:
        variable = reconnect_variable(group)
        seconds = _seconds(variable)
        if variable is None or seconds is None:
            continue
        not_longer = head is not None and seconds <= head
        if seconds < shortest or not_longer:
            than = f"not longer than the head's {head} seconds" if not_longer else "shorter than a head's restart"
            yield variable.value.flag(
                f"{group.title} waits {seconds} seconds for a lost GCS, {than}; its workers may exit before it is"
                " back",
                label=f"KubeRay would set {KUBERAY_DEFAULT}",
                because=[(cluster.gcs_fault_tolerance.at_switch.key(), "GCS fault tolerance is on")],
                effect="after a head failure the worker pods end as well, with their tasks, actors and objects,"
                " as if there were no fault tolerance",
                fix=f"remove {RECONNECT_ENV} from the workers; KubeRay then sets {KUBERAY_DEFAULT} (KubeRay 1.0"
                " and later)",
                repair=unsafe(variable.at.delete()),
            )


def _head_seconds(cluster: RayCluster) -> int | None:
    """The head's own value; None where it cannot be known."""
    container = cluster.head.ray_container
    if container.env(RECONNECT_ENV) is None:
        return None if container.has_env_from else RAY_DEFAULT
    return _seconds(container.env(RECONNECT_ENV))


@rule("RAY105", Severity.WARNING, reports=("FR-002",), fixes="unsafe")
def head_reconnect_timeout_raised(cluster: RayCluster) -> Problems:
    """A head that waits longer than usual for its own dead GCS.

    ## What it flags
    `RAY_gcs_rpc_server_reconnect_timeout_s` above 60 in the head's Ray container while GCS fault tolerance is on.

    It stays silent for the default itself and for values that cannot be known.

    ## What happens
    On the head the variable says how long the raylet waits for the GCS next to it before it ends, and with it the
    container, which is what brings the GCS back. With 600 the head stays up for ten minutes with a dead GCS: no
    actor starts, no job is taken, and workers with the same timeout give up at the same moment.

    ## Versions
    All. KubeRay sets the variable on workers only.

    ## Fix
    Remove the variable from the head.

    ## When to ignore it
    When a GCS that hangs for a while, on a slow Redis for instance, is to be waited for on the head.

    ## Source
    Ray `src/ray/common/ray_config_def.h`; ray-project/kuberay v1.7.0, `common/pod.go`; ray-project/ray#52480.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions: {redisAddress: "redis.data.svc:6379"}
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              env:
              - name: RAY_gcs_rpc_server_reconnect_timeout_s
                value: "600"  # <-
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayService
    metadata:
      name: ranker
      annotations: {ray.io/ft-enabled: "true"}
    spec:
      rayClusterConfig:
        headGroupSpec:
          template:
            spec:
              containers:
              - name: ray-head
                image: rayproject/ray:2.52.0
                env:
                - {name: RAY_REDIS_ADDRESS, value: "redis:6379"}
                - name: RAY_gcs_rpc_server_reconnect_timeout_s
                  value: "300"  # <-
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions: {redisAddress: "redis.data.svc:6379"}
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    The long timeout stands on the workers, where it belongs, and the head is quicker than usual:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions: {redisAddress: "redis.data.svc:6379"}
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              env: [{name: RAY_gcs_rpc_server_reconnect_timeout_s, value: "20"}]
      workerGroupSpecs:
      - groupName: cpu
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.52.0
              env: [{name: RAY_gcs_rpc_server_reconnect_timeout_s, value: "900"}]
    ```
    """
    variable = reconnect_variable(cluster.head)
    seconds = _seconds(variable)
    if not cluster.gcs_fault_tolerance or variable is None or seconds is None or seconds <= RAY_DEFAULT:
        return
    yield variable.value.flag(
        f"the head waits {seconds} seconds for its own dead GCS before it restarts; Ray's default is"
        f" {RAY_DEFAULT}",
        label="on the head this delays the recovery",
        because=[(cluster.gcs_fault_tolerance.at_switch.key(), "GCS fault tolerance is on")],
        effect=f"after a crash of the GCS the cluster takes no job and starts no actor for up to {seconds}"
        " seconds, and workers may give up in the meantime",
        fix=f"remove {RECONNECT_ENV} from the head; on workers KubeRay sets {KUBERAY_DEFAULT} by itself",
        repair=unsafe(variable.at.delete()),
    )
