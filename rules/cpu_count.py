"""How many CPUs Ray believes to have."""

from __future__ import annotations

from raylint.field import Field, Origin
from raylint.group import Group
from raylint.rule import Severity, rule
from raylint.target import version_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import OddlySized
    from raylint.rule import Problems


@rule("RAY351", Severity.WARNING, reports=("FR-023", "FR-026"))
def cpus_left_to_the_node(group: OddlySized) -> Problems:
    """No CPU limit, request or `num-cpus`: Ray counts the CPUs of the whole node, and the autoscaler refuses to
    work.

    ## What it flags
    A Ray container without a CPU limit and (from KubeRay 1.3 on) without a CPU request, in a group without
    `num-cpus` and without a CPU among the group's `resources`.

    An error under the in-tree autoscaler: there a CPU limit or `num-cpus` is needed before Ray 2.41, a request
    is enough from 2.41 on. Where the Ray version cannot be told, only what all releases refuse is an error.

    ## What happens
    Ray schedules as many tasks as the node has CPUs, while the pod gets what the other pods leave: everything is
    slow, health checks fail, and the cluster's size depends on the node it landed on. The autoscaler ends with
    "Autoscaler failed to detect `CPU` resources for group", again and again, and scales nothing.

    ## Versions
    KubeRay: requests count since 1.3. Ray's autoscaler reads requests since 2.41.

    ## Fix
    Set a CPU limit, or a request if CPUs above it are welcome. `num-cpus: "0"` keeps work off the head.

    ## When to ignore it
    For a pod that has its node to itself, without the autoscaler.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go` (`updateRayStartParamsResources`); Ray 2.40.0 and 2.60.0,
    `autoscaler/_private/kuberay/autoscaling_config.py` (`_get_num_cpus`); ray-project/kuberay#2361, #1943.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {num-cpus: "0"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.52.0
              resources: {limits: {memory: 8Gi}}  # <-
    ```

    ```yaml bad severity=error
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
              image: rayproject/ray:2.40.0
              resources: {requests: {cpu: "2"}}  # <-
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              resources: {limits: {cpu: "2", memory: 8Gi}}
    ```

    A request is enough for KubeRay 1.3 and for the autoscaler of Ray 2.41; and `num-cpus` always is.

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      enableInTreeAutoscaling: true
      headGroupSpec:
        rayStartParams: {num-cpus: "0"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.41.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        maxReplicas: 5
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.41.0
              resources: {requests: {cpu: "4"}}
    ```
    """
    if not group.pod.containers or not group.cluster.is_built:
        return
    container = group.ray_container
    at = (container.part("resources") if container.has("resources") else container).at
    if _autoscaler_fails(group):
        version = group.ray_version
        release = f"Ray {version_text(version)}" if version is not None else "all Ray releases"
        yield Field(None, Origin.WRITTEN, at).flag(
            f"the autoscaler finds no CPUs for the {group.title} and scales nothing",
            label="no CPU limit",
            because=[(group.cluster.autoscaler.switch.at.key(), "the autoscaler has to know each group's CPUs")],
            effect='the autoscaler ends with "Autoscaler failed to detect `CPU` resources for group", again and'
            f" again ({release})",
            fix="set a CPU limit (from Ray 2.41 on a request will do), or num-cpus",
            severity=Severity.ERROR,
        )
    elif _is_left_to_node(group):
        yield Field(None, Origin.WRITTEN, at).flag(
            f"nothing tells Ray the CPUs of the {group.title}: it counts those of the whole node",
            label="no CPU limit or request" if group.cluster.target.kuberay_at_least(1, 3) else "no CPU limit",
            effect="Ray runs more tasks than the pod has CPUs; how many depends on the node",
            fix="set a CPU limit or a request, or num-cpus",
        )


def _is_left_to_node(group: Group) -> bool:
    """Is it that nothing is written, not that what is written cannot be known?"""
    return group.num_cpus.origin is Origin.UNKNOWN and bool(group.num_cpus.reason)


def _autoscaler_fails(group: Group) -> bool:
    """As ``_get_num_cpus`` does: only the key CPU counts among the group's resources, in capitals."""
    container = group.ray_container
    if not group.cluster.autoscaler.enabled or group.start_params.has("num-cpus"):
        return False
    if group.part("resources").has("CPU") or container.part("resources").part("limits").has("cpu"):
        return False
    ray = group.ray_version
    requests_count = ray is None or ray[:2] >= (2, 41)
    return not (requests_count and container.part("resources").part("requests").has("cpu"))


@rule("RAY352", Severity.INFO, reports=("FR-024",))
def cpu_limit_rounded_up(group: OddlySized) -> Problems:
    """A CPU limit that is no whole number: Ray gets the next one.

    ## What it flags
    A CPU limit, or without one a request (KubeRay 1.3 and later), that is no whole number of CPUs and from which
    KubeRay derives `num-cpus`.

    It stays silent with `num-cpus` or a CPU among the group's `resources`.

    ## What happens
    KubeRay rounds up: with `500m` Ray schedules one CPU and the container is throttled at half of it; with `1500m`
    two tasks of one CPU share one and a half.

    ## Versions
    All; requests count since KubeRay 1.3.

    ## Fix
    Use whole CPUs for pods that run tasks, or set `num-cpus` to say what you mean.

    ## When to ignore it
    For a head that runs no tasks worth mentioning.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go` (`updateRayStartParamsResources`); ray-project/kuberay#1166.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              resources:
                limits:
                  cpu: 500m  # <-
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {num-cpus: "0"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.52.0
              resources:
                requests:
                  cpu: "1.5"  # <-
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              resources: {limits: {cpu: "2"}}
    ```

    Whole in other words; and a fraction that `num-cpus` overrides:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {num-cpus: "0"}
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              resources: {limits: {cpu: 500m}}
      workerGroupSpecs:
      - groupName: cpu
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.52.0
              resources: {limits: {cpu: 2000m}}
    ```
    """
    cpus = group.num_cpus
    if cpus.origin is not Origin.KUBERAY or not group.cluster.is_built:
        return
    container = group.ray_container
    amount = container.limit("cpu") if "limits" in cpus.at.path else container.request("cpu")
    if amount.value is None or amount.value.is_whole:
        return
    yield amount.flag(
        f"the CPUs of the {group.title} are no whole number: Ray schedules {cpus.value}",
        label="rounded up",
        effect=f"tasks for {cpus.value} CPUs share less than that, and the container is throttled",
        fix="use whole CPUs, or set num-cpus",
    )


@rule("RAY353", Severity.INFO)
def cpus_above_limit(group: OddlySized) -> Problems:
    """Ray is told of more CPUs than the container may use.

    ## What it flags
    `num-cpus`, or `cpu` among the group's `resources`, above the CPU limit of the Ray container, rounded up.

    It stays silent without a limit: a request is no bound.

    ## What happens
    Ray runs that many tasks at once, and the container is throttled at its limit: each takes as much longer, and
    so do heartbeats and health checks. For tasks that mostly wait it is what people want.

    ## Versions
    All KubeRay and Ray releases; the group's `resources` since KubeRay 1.5.

    ## Fix
    Remove `num-cpus`: KubeRay takes the limit. Let tasks that wait ask for less (`num_cpus=0.1`).

    ## When to ignore it
    When the tasks mostly wait.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go` (`updateRayStartParamsResources`); Ray
    `doc/source/cluster/kubernetes/user-guides/config.md`.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams:
          num-cpus: "8"  # <-
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              resources: {limits: {cpu: "2", memory: 8Gi}}
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {num-cpus: "0"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        resources:
          cpu: "16"  # <-
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.52.0
              resources: {limits: {cpu: "4", memory: 8Gi}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {num-cpus: "0"}
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              resources: {limits: {cpu: "2", memory: 8Gi}}
    ```

    Rounded up it is the limit; and a request may be exceeded:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {num-cpus: "2"}
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              resources: {limits: {cpu: 1500m, memory: 8Gi}}
      workerGroupSpecs:
      - groupName: cpu
        rayStartParams: {num-cpus: "8"}
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.52.0
              resources: {requests: {cpu: "2"}}
    ```
    """
    cpus = group.num_cpus
    if cpus.origin is not Origin.WRITTEN or not cpus.value or not group.cluster.is_built:
        return
    limit = group.ray_container.limit("cpu")
    if limit.value is not None and 0 < limit.value.rounded_up < cpus.value:
        yield cpus.flag(
            f"Ray is told of {cpus.value} CPUs, and the container of the {group.title} may use"
            f" {limit.value.nanos / 1e9:g}",
            label="more than the limit",
            because=[(limit.at, "the limit")],
            effect="that many tasks share the limit: the container is throttled, health checks included",
            fix="remove num-cpus: KubeRay takes the number from the limit",
        )
