"""Idle timeouts of worker groups that the KubeRay operator refuses."""

from __future__ import annotations

from raylint.cluster import AUTOSCALER_V2_ENV, RayCluster
from raylint.group import WorkerGroup
from raylint.rule import unsafe

from .refusal import refused, refuses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems, Repair


@refuses("KR033", "1.6..", "idleTimeoutSeconds", full_page=True, reports=("FR-021",), fixes="unsafe")
def idle_timeout_needs_autoscaler_v2(group: WorkerGroup) -> Problems:
    """The operator refuses a group's `idleTimeoutSeconds` unless autoscaler v2 is written out.

    ## What it flags
    A worker group with `idleTimeoutSeconds` (0 included) where neither `autoscalerOptions.version` is `v2` nor the
    head's first container has `RAY_enable_autoscaler_v2` with the literal value `1` or `true`.

    Autoscaling need not be on for the refusal, and Ray's own default of v2 (2.48 and later) does not count. It
    stays silent for `v1alpha1`, which drops the field, and where `managedBy` gives the object to another
    controller.

    ## What happens
    The API server stores the object, and the operator refuses it afterwards: event `InvalidRayClusterSpec` and no
    pods for a RayCluster, `ValidationFailed` for a RayJob or RayService, no job at all for a RayCronJob.

    ## Versions
    KubeRay 1.6 and later. The field exists since 1.3; earlier releases accept it and only v2 obeys it.

    ## Fix
    Write `autoscalerOptions.version: v2` and `enableInTreeAutoscaling: true`, or set
    `autoscalerOptions.idleTimeoutSeconds` for the whole cluster, which v1 knows, too.

    ## When to ignore it
    Never; the object cannot start.

    ## Source
    ray-project/kuberay v1.7.0, `utils/validation.go` (`ValidateRayClusterSpec`); ray-project/kuberay#4162.

    ## Examples
    Ray 2.52 would choose v2, but KubeRay wants it written:

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      rayVersion: 2.52.0
      enableInTreeAutoscaling: true
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        maxReplicas: 5
        idleTimeoutSeconds: 300  # <-
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    `True` is not `true`:

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayService
    metadata: {name: ranker}
    spec:
      rayClusterConfig:
        enableInTreeAutoscaling: true
        headGroupSpec:
          template:
            spec:
              containers:
              - name: ray-head
                image: rayproject/ray:2.52.0
                env: [{name: RAY_enable_autoscaler_v2, value: "True"}]
        workerGroupSpecs:
        - groupName: cpu
          maxReplicas: 5
          idleTimeoutSeconds: 0  # <-
          template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      enableInTreeAutoscaling: true
      autoscalerOptions: {version: v2}
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        maxReplicas: 5
        idleTimeoutSeconds: 300
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    The older way to v2, by the environment, is enough for the operator.

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      enableInTreeAutoscaling: true
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.43.0
              env: [{name: RAY_enable_autoscaler_v2, value: "1"}]
      workerGroupSpecs:
      - groupName: cpu
        maxReplicas: 5
        idleTimeoutSeconds: 300
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.43.0"}]}}
    ```
    """
    cluster = group.cluster
    timeout = group.integer("idleTimeoutSeconds")
    if timeout.value is None or cluster.autoscaler.data.get("version") == "v2" or cluster.head_wants_v2:
        return
    yield refused(
        group,
        timeout,
        f"idleTimeoutSeconds of {group.title} without a written autoscaler v2",
        label="only autoscaler v2 knows a timeout for each group",
        fix=f"write autoscalerOptions.version: v2{_instead_of_env(cluster)}, or use"
        " autoscalerOptions.idleTimeoutSeconds for all groups",
        repair=_written_v2(cluster),
    )


@refuses("KR032", "1.6..", "idleTimeoutSeconds")
def group_idle_timeout_negative(group: WorkerGroup) -> Problems:
    """The operator refuses a negative `idleTimeoutSeconds` of a worker group.

    A number below 0.

    Versions: The field came with 1.3; earlier releases than 1.6 take the number as it is.
    Fix: Write 0 or more, or remove the field: `autoscalerOptions.idleTimeoutSeconds` then counts.

    bad RayCluster
      cluster: autoscalerOptions: {version: v2}
      group: idleTimeoutSeconds: -1  # <-
    bad RayService
      cluster: autoscalerOptions: {version: v2}
      group: idleTimeoutSeconds: -300  # <-
    good RayCluster
      cluster: autoscalerOptions: {version: v2}
      group: idleTimeoutSeconds: 300
    near-miss RayCluster
      cluster: autoscalerOptions: {version: v2}
      group: idleTimeoutSeconds: 0
    """
    timeout = group.integer("idleTimeoutSeconds")
    if timeout.value is not None and timeout.value < 0:
        yield refused(
            group,
            timeout,
            f"idleTimeoutSeconds of {group.title} is {timeout.value}",
            fix="write 0 or more, or remove it: autoscalerOptions.idleTimeoutSeconds then counts",
        )


def _written_v2(cluster: RayCluster) -> Repair | None:
    if cluster.head.ray_container.env(AUTOSCALER_V2_ENV) is not None:
        return None
    version = cluster.at_key("autoscalerOptions", "version")
    return unsafe(version.set("v2", after="enableInTreeAutoscaling"))


def _instead_of_env(cluster: RayCluster) -> str:
    """Under autoscaling KubeRay refuses the version and the variable together, whatever the latter says."""
    written = cluster.head.ray_container.env(AUTOSCALER_V2_ENV)
    return f" instead of {AUTOSCALER_V2_ENV}" if written is not None else ""
