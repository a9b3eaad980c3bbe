"""A head that offers no CPUs: good advice, if somebody else does."""

from __future__ import annotations

from raylint.cluster import RayCluster, total
from raylint.field import Origin
from raylint.group import Group, WorkerGroup
from raylint.rule import Problem, Severity, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Location, Problems


@rule("RAY205", Severity.INFO)
def head_without_cpus(cluster: RayCluster) -> Problems:
    """With `num-cpus: "0"` on the head all work depends on the workers, so some must be there.

    ## What it flags
    A head that offers Ray no CPUs. This is upstream's advice for production, so it is an info that says how many
    worker pods are guaranteed. It becomes worse with what else the file says:

    - warning: no worker is guaranteed, so every first task waits;
    - warning: a single worker is all there can be, and GCS fault tolerance is off, or on while that worker has
      `restartPolicy: Never` and no autoscaler: a crash replaces the pod, and nothing runs until then;
    - error: nothing can ever run, because no worker group offers CPUs or can have a pod. Only a warning where some
      group offers GPUs or custom resources, as then work without CPUs may be meant, or is merely suspended.

    ## What happens
    Tasks and actors that need a CPU never run on the head. With autoscaling and no guaranteed worker the first
    task waits until a pod is scheduled and its image is pulled; without autoscaling it waits until somebody
    raises `replicas`. With no worker at all it waits for ever, without an error. Still on the head: the driver of
    a job that asks for no resources, Serve's controller and proxy, actors with `num_cpus=0`.

    ## Versions
    All KubeRay and Ray releases.

    ## Fix
    Keep `num-cpus: "0"` and guarantee workers: `minReplicas` of 1 or more under the autoscaler, `replicas` of 2 or
    more without.

    ## When to ignore it
    The info, always, once read. The warnings: when a wait for the first pod is fine, or the cluster only carries
    actors without CPUs.

    ## Source
    Ray 2.60.0 `doc/source/cluster/vms/user-guides/large-cluster-best-practices.rst` and
    `dashboard/modules/job/job_manager.py`; ray-project/kuberay v1.7.0 `common/pod.go`.

    ## Examples
    ```yaml bad severity=info
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {num-cpus: "0"}  # <-
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 3
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    The only worker is replaced, not restarted, after a crash:

    ```yaml bad severity=warning
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions: {redisAddress: "redis.data.svc:6379"}
      headGroupSpec:
        rayStartParams: {num-cpus: "0"}  # <-
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 1
        template:
          spec:
            restartPolicy: Never
            containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]
    ```

    Nothing is guaranteed, the first task of the day waits for a node:

    ```yaml bad severity=warning
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      enableInTreeAutoscaling: true
      autoscalerOptions: {version: v2}
      headGroupSpec:
        rayStartParams:
          num-cpus: "0"  # <-
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        minReplicas: 0
        maxReplicas: 10
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    No worker group, so no task can ever run:

    ```yaml bad severity=error
    apiVersion: ray.io/v1
    kind: RayJob
    metadata: {name: nightly}
    spec:
      entrypoint: python main.py
      rayClusterSpec:
        headGroupSpec:
          rayStartParams: {num-cpus: "0"}  # <-
          template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {num-cpus: "2"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    A limit of `0` means no limit: KubeRay passes no `num-cpus`, and Ray counts the node's CPUs.

    ```yaml good near-miss
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
              resources: {limits: {cpu: "0", memory: 8Gi}}
    ```
    """
    if not cluster.head.offers_no_cpus or not cluster.is_built:
        return
    offering = [group for group in cluster.worker_groups if not group.offers_no_cpus]
    alive = [group for group in offering if group.can_have_pods]
    if not alive:
        yield _nothing_ever_runs(cluster, offering)
        return
    count = _guaranteed(cluster, alive)
    if count == 0:
        yield _no_worker_guaranteed(cluster, alive)
    else:
        lonely = _hangs_on_one_worker(cluster, alive) if count == 1 else None
        yield lonely or _for_the_reviewer(cluster, count)


def _nothing_ever_runs(cluster: RayCluster, offering: list[WorkerGroup]) -> Problem:
    if not cluster.worker_groups:
        reason = "there is no worker group"
    elif not offering:
        reason = "no worker group offers CPUs either"
    else:
        reason = "no worker group can have a pod (suspended, or maxReplicas or numOfHosts is 0)"
    # Work without CPUs may be meant, and a suspended group comes back.
    milder = any(_offers_other_resources(group) for group in cluster.groups) or any(g.suspended for g in offering)
    return cluster.head.num_cpus.flag(
        f"num-cpus is 0 on the head and {reason}: no task or actor that needs a CPU can ever run",
        label="the head offers no CPUs",
        because=[(group.at, "adds no CPUs") for group in cluster.worker_groups],
        effect="every such task stays pending for ever, without an error (all Ray releases)",
        fix='add a worker group that has CPUs, or give the head some, such as num-cpus: "2"',
        severity=Severity.WARNING if milder else Severity.ERROR,
    )


def _offers_other_resources(group: Group) -> bool:
    """Does it offer GPUs or custom resources, for work that asks for no CPUs?"""
    others = [key for key in group.part("resources").data if key.lower() not in ("cpu", "memory")]
    return group.num_gpus.value != 0 or bool(group.start_param("resources")) or bool(others)


def _guaranteed(cluster: RayCluster, alive: list[WorkerGroup]) -> int | None:
    """Pods with CPUs that are there whatever the load; None where it cannot be known."""
    if not isinstance(cluster.data.get("enableInTreeAutoscaling"), (bool, type(None))):
        return None
    return total([group.guaranteed_pods for group in alive])


def _no_worker_guaranteed(cluster: RayCluster, alive: list[WorkerGroup]) -> Problem:
    if cluster.is_autoscaled:
        wait = "every first task waits until a pod is scheduled and its image pulled"
        fix = "write minReplicas: 1 or more for a group that has CPUs"
        places = [(group.min_replicas.at, f"{group.title} may have no pod") for group in alive]
    else:
        wait = "every task hangs until somebody raises replicas"
        fix = "write replicas: 2 or more for a group that has CPUs, or turn autoscaling on"
        places = [(group.replicas.at, f"{group.title} has no pod") for group in alive]
    return cluster.head.num_cpus.flag(
        f"num-cpus is 0 on the head and no worker pod is guaranteed: {wait}",
        label="the head offers no CPUs",
        because=places,
        effect="jobs look stuck: their tasks stay pending, without an error (all Ray releases)",
        fix=fix,
        severity=Severity.WARNING,
    )


def _hangs_on_one_worker(cluster: RayCluster, alive: list[WorkerGroup]) -> Problem | None:
    if total([group.possible_pods for group in alive]) != 1:
        return None
    only = next(group for group in alive if group.possible_pods)
    places: list[tuple[Location, str]] = [(only.at, "the only worker pod")]
    if not cluster.gcs_fault_tolerance:
        why = "GCS fault tolerance is off"
        effect = "a crash of that pod stops all work until it is back, a crash of the head loses all of it"
    else:
        policy = only.pod.restart_policy
        if policy.origin is not Origin.WRITTEN or policy.value != "Never" or cluster.is_autoscaled:
            return None
        why = "restartPolicy Never replaces it after a crash"
        effect = "after a crash nothing runs until a new pod is scheduled and has pulled its image"
        places.append((policy.at, "a crash makes KubeRay delete the pod and schedule a new one"))
    return cluster.head.num_cpus.flag(
        f"num-cpus is 0 on the head and all work hangs on a single worker pod, and {why}",
        label="the head offers no CPUs",
        because=places,
        effect=f"{effect} (all Ray releases)",
        fix="guarantee a second worker pod",
        severity=Severity.WARNING,
    )


def _for_the_reviewer(cluster: RayCluster, count: int | None) -> Problem:
    if count is None:
        guaranteed = "how many worker pods are guaranteed cannot be told from here"
    elif count == 1:
        guaranteed = "a single worker pod is guaranteed"
    else:
        guaranteed = f"{count} worker pods are guaranteed"
    return cluster.head.num_cpus.flag(
        f"num-cpus is 0 on the head, so all work that needs a CPU runs on workers: {guaranteed}",
        label="the head offers no CPUs",
        effect="nothing that needs a CPU runs while no worker is there (upstream's advice for production,"
        " all Ray releases)",
        fix="keep it, if that many workers are enough",
    )
