"""What a crash costs: restart policies of a cluster whose GCS is fault tolerant."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.field import Origin
from raylint.rule import Severity, rule, unsafe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Location, Problems

MENTIONS = ("gcsFaultToleranceOptions", "ray.io/ft-enabled")


@rule("RAY101", Severity.WARNING, reports=("FR-001",), fixes="unsafe")
def restart_never_with_gcs_ft(cluster: RayCluster) -> Problems:
    """A fault-tolerant head with `restartPolicy: Never` is replaced after a crash, not restarted.

    ## What it flags
    A head whose pod template says `restartPolicy: Never` while GCS fault tolerance is on.

    It stays silent where `Never` is not the user's choice or is upstream's advice: KubeRay forces it when
    `autoscalerOptions.version: v2` is written (1.4 and later) and on the head of a RayJob in SidecarMode; with
    autoscaling on and the version left to Ray, v2 may be in effect as well.

    ## What happens
    Fault tolerance keeps the cluster's state in Redis so that a dead GCS can come back in the same pod within
    seconds, with the same IP address. Under `Never` the container stays dead. KubeRay deletes the pod and makes
    a new one: scheduling, image pull, volume attach, a new IP address. Until then no actor can be created and no
    job submitted, and workers that wait longer than their reconnect timeout (KubeRay sets 600 seconds) exit.
    Everything that ran on the head is gone: job drivers, Ray Client sessions, actors placed there. With
    `num-cpus: "0"` on the head and one worker, or none that always runs, nothing is left to run on meanwhile.

    ## Versions
    KubeRay 1.0 and later: a terminated Ray container under `Never` means delete and recreate.

    ## Fix
    Remove `restartPolicy` from the head's template (the default is `Always`). Do not do this under autoscaler v2:
    KubeRay up to 1.7 refuses any other policy there. A running cluster takes the change only when its head pod is
    made anew.

    ## When to ignore it
    When something outside the cluster must see the head pod fail, and the longer outage is accepted.

    ## Source
    ray-project/kuberay v1.7.0, `raycluster_controller.go` (`shouldDeletePod`), `common/pod.go`; upstream asks for
    `Never` on autoscaled workers (ray-project/ray#64855) and forces it under v2 (ray-project/kuberay#3578).

    ## Examples
    The setting was copied from an autoscaler v2 sample, autoscaling itself is not on:

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      rayVersion: 2.52.0
      gcsFaultToleranceOptions:
        redisAddress: redis.data.svc:6379
      headGroupSpec:
        rayStartParams: {num-cpus: "0"}
        template:
          spec:
            restartPolicy: Never  # <-
            containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]
      workerGroupSpecs:
      - groupName: cpu
        replicas: 1
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    The older way to fault tolerance, inside a RayService:

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
              restartPolicy: Never  # <-
              containers:
              - name: ray-head
                image: rayproject/ray:2.9.3
                env: [{name: RAY_REDIS_ADDRESS, value: "redis:6379"}]
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

    Autoscaler v2 is written out: KubeRay would force `Never` anyway.

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      enableInTreeAutoscaling: true
      autoscalerOptions: {version: v2}
      gcsFaultToleranceOptions: {redisAddress: "redis.data.svc:6379"}
      headGroupSpec:
        template:
          spec:
            restartPolicy: Never
            containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]
    ```

    A RayJob in SidecarMode: the head must not restart, the submitter lives in its pod.

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayJob
    metadata: {name: nightly}
    spec:
      submissionMode: SidecarMode
      entrypoint: python main.py
      rayClusterSpec:
        gcsFaultToleranceOptions: {redisAddress: "redis.data.svc:6379"}
        headGroupSpec:
          template:
            spec:
              restartPolicy: Never
              containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]
    ```
    """
    policy = cluster.head.pod.restart_policy
    if not cluster.gcs_fault_tolerance or policy.origin is not Origin.WRITTEN or policy.value != "Never":
        return
    if not cluster.is_built or _may_be_autoscaler_v2(cluster):
        return
    worse, reasons = _what_makes_it_worse(cluster)
    yield policy.flag(
        "the head pod is replaced, not restarted, after a crash, although GCS fault tolerance is on" + worse,
        label="a crash makes KubeRay delete the pod and schedule a new one",
        because=[
            (cluster.gcs_fault_tolerance.at_switch.key(), "fault tolerance expects the head back quickly"),
            *reasons,
        ],
        effect="after a head crash no actor starts and no job can be submitted until a new head pod is scheduled,"
        " has pulled its image and got a new IP address; drivers on the head are lost (KubeRay 1.0 and later)",
        fix="remove restartPolicy, the default is Always (safe here: autoscaler v2 is off)",
        repair=unsafe(policy.at.delete()),
    )


def _may_be_autoscaler_v2(cluster: RayCluster) -> bool:
    return cluster.autoscaler.enabled and cluster.autoscaler.version.value != "v1"


def _what_makes_it_worse(cluster: RayCluster) -> tuple[str, list[tuple[Location, str]]]:
    """Words for the message, and the places that show them."""
    words: list[str] = []
    places: list[tuple[Location, str]] = []
    cpus = cluster.head.num_cpus
    if cpus and cpus.value == 0:
        words.append("num-cpus is 0 on the head")
        places.append((cpus.at, "nothing that needs a CPU runs on the head"))
    workers = cluster.guaranteed_workers
    if workers is not None and workers <= 1:
        words.append("no worker always runs" if workers == 0 else "a single worker is guaranteed")
    return (f"; {' and '.join(words)}, so nothing else can take over" if words else ""), places


@rule("RAY102", Severity.INFO, reports=("FR-001",), fixes="unsafe")
def worker_restart_never_without_autoscaler(cluster: RayCluster) -> Problems:
    """Workers with `restartPolicy: Never` are replaced after a crash; without an autoscaler that brings nothing.

    ## What it flags
    A worker group of a cluster with GCS fault tolerance that says `restartPolicy: Never` while autoscaling is off.

    It stays silent with autoscaling on: there upstream asks for `Never`, because a worker that restarts in place
    keeps its id and the autoscaler loses track of it.

    ## What happens
    When the raylet of a worker dies (out of memory, a head that stayed away for longer than the reconnect
    timeout), its pod ends as Failed, and KubeRay makes a new pod: scheduling and image pull instead of a restart
    in place within seconds. With one worker nothing can run until then.

    ## Versions
    KubeRay 1.0 and later.

    ## Fix
    Remove `restartPolicy` from the group's template. If autoscaling was meant, turn it on instead:
    `enableInTreeAutoscaling: true`.

    ## When to ignore it
    When a crashed worker must leave its node (a broken GPU, a full disk) rather than come back on it.

    ## Source
    ray-project/kuberay v1.7.0, `raycluster_controller.go` (`shouldDeletePod`); ray-project/ray#64855 and #64900
    for autoscaled workers.

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
        replicas: 3
        template:
          spec:
            restartPolicy: Never  # <-
            containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]
    ```

    Only one of two groups:

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      enableInTreeAutoscaling: false
      gcsFaultToleranceOptions: {redisAddress: "redis.data.svc:6379"}
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 3
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
      - groupName: gpu
        replicas: 1
        template:
          spec:
            restartPolicy: Never  # <-
            containers: [{name: ray-worker, image: "rayproject/ray:2.52.0-gpu"}]
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
        replicas: 3
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    Autoscaling is on: `Never` is what upstream asks for.

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      enableInTreeAutoscaling: true
      gcsFaultToleranceOptions: {redisAddress: "redis.data.svc:6379"}
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.9.3"}]}}
      workerGroupSpecs:
      - groupName: cpu
        minReplicas: 1
        maxReplicas: 5
        template:
          spec:
            restartPolicy: Never
            containers: [{name: ray-worker, image: "rayproject/ray:2.9.3"}]
    ```
    """
    if not cluster.gcs_fault_tolerance or not cluster.is_built or cluster.autoscaler.switch.value is not False:
        return
    for group in cluster.worker_groups:
        policy = group.pod.restart_policy
        if policy.origin is Origin.WRITTEN and policy.value == "Never":
            yield policy.flag(
                f"a crashed pod of {group.title} is replaced, not restarted, and no autoscaler needs that",
                label="a crash makes KubeRay delete the pod and schedule a new one",
                effect="after a crash the worker is away for scheduling and image pull instead of seconds"
                " (KubeRay 1.0 and later)",
                fix="remove restartPolicy (the default is Always), or turn the autoscaler on if it was meant",
                repair=unsafe(policy.at.delete()),
            )
