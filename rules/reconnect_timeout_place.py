"""A reconnect timeout that no raylet reads."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.rule import Problem, Severity, rule, safe

from .reconnect_timeout import KUBERAY_DEFAULT, RAY_DEFAULT, RECONNECT_ENV, reconnect_variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.group import WorkerGroup
    from raylint.pod import Container, EnvVar
    from raylint.rule import Problems

MENTIONS = ("RAY_gcs_rpc_server_reconnect_timeout_s", "RAY_REDIS_ADDRESS")


@rule("RAY104", Severity.WARNING, reports=("FR-002",), fixes="safe")
def reconnect_timeout_without_effect(cluster: RayCluster) -> Problems:
    """A reconnect timeout in a place where it does nothing, or workers that KubeRay gives none.

    ## What it flags
    With GCS fault tolerance on: `RAY_gcs_rpc_server_reconnect_timeout_s` in a sidecar or an init container of a
    worker group, and not in its Ray container (the first one). A sidecar that runs Ray itself is fine: a driver
    there reads the variable.

    Up to KubeRay 1.2: a head with `RAY_REDIS_ADDRESS` and without the annotation `ray.io/ft-enabled: "true"`,
    whose workers do not set the variable. Ray is fault tolerant then, and KubeRay does not know.

    ## What happens
    The workers' raylets read the variable of their own container only. There KubeRay sets 600 seconds, whatever
    the sidecar says. Where KubeRay does not recognise fault tolerance it sets nothing: workers give up after 60
    seconds, before most heads are back, and their actors are lost.

    ## Versions
    All. From KubeRay 1.3 on `RAY_REDIS_ADDRESS` without fault tolerance is refused.

    ## Fix
    Move the variable to the first container, or remove it. Up to KubeRay 1.2 add the annotation to the object.

    ## When to ignore it
    When a process of your own in that container reads the variable.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go` (`configureGCSFaultTolerance`) and `validation.go`.

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
            - {name: ray-worker, image: "rayproject/ray:2.52.0"}
            - name: logs
              image: fluent/fluent-bit:3.2
              env:
              - name: RAY_gcs_rpc_server_reconnect_timeout_s
                value: "900"  # <-
    ```

    ```yaml bad kuberay=1.2
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.9.3
              env:
              - name: RAY_REDIS_ADDRESS  # <-
                value: redis.data.svc:6379
      workerGroupSpecs:
      - groupName: cpu
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.9.3"}]}}
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
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.52.0
              env: [{name: RAY_gcs_rpc_server_reconnect_timeout_s, value: "900"}]
    ```

    A driver in a sidecar:

    ```yaml good near-miss
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
            - {name: ray-worker, image: "rayproject/ray:2.52.0"}
            - name: driver
              image: rayproject/ray:2.52.0
              env: [{name: RAY_gcs_rpc_server_reconnect_timeout_s, value: "900"}]
    ```

    Workers that help themselves:

    ```yaml good near-miss kuberay=1.2
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.9.3
              env: [{name: RAY_REDIS_ADDRESS, value: "redis.data.svc:6379"}]
      workerGroupSpecs:
      - groupName: cpu
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.9.3
              env: [{name: RAY_gcs_rpc_server_reconnect_timeout_s, value: "600"}]
    ```
    """
    if cluster.gcs_fault_tolerance:
        for group in cluster.worker_groups:
            if reconnect_variable(group) is not None:
                continue
            for container, variable in _elsewhere(group):
                name = container.name.value or "without a name"
                yield variable.value.flag(
                    f"{RECONNECT_ENV} stands in container {name!r} of {group.title}, where Ray does not read it",
                    label="only the first container runs Ray",
                    effect=f"the workers keep the {KUBERAY_DEFAULT} seconds that KubeRay sets in the first"
                    " container",
                    fix="move the variable to the first container of the group, or remove it",
                    repair=safe(variable.at.delete()),
                )
        return
    address = cluster.gcs_fault_tolerance.address_env
    if address is None or cluster.target.kuberay_at_least(1, 3):
        return
    unset = [
        group
        for group in cluster.worker_groups
        if reconnect_variable(group) is None and not group.ray_container.has_env_from
    ]
    if unset:
        names = ", ".join(group.title for group in unset)
        yield Problem(
            address.at_key("name"),
            "KubeRay before 1.3 does not see this fault tolerance and sets no reconnect timeout; workers exit"
            f" after {RAY_DEFAULT} seconds without a GCS",
            label="not enough for KubeRay to see fault tolerance",
            effect=f"after a head failure the workers of {names} end with their tasks and actors",
            fix='add the annotation ray.io/ft-enabled: "true" to the object (KubeRay 1.0 to 1.2), or use KubeRay'
            " 1.3 and"
            " gcsFaultToleranceOptions",
        )


def _elsewhere(group: WorkerGroup) -> Iterator[tuple[Container, EnvVar]]:
    """The containers besides the Ray container that set the variable and run no Ray."""
    for container in (*group.pod.sidecars, *group.pod.init_containers):
        variable = container.env(RECONNECT_ENV)
        if variable is not None and not (container.image is not None and container.image.is_ray):
            yield container, variable
