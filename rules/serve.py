"""Where Serve's replicas live, and what a restart of the head costs them."""

from __future__ import annotations

from raylint.manifest import RayService
from raylint.rule import Confidence, Problem, Severity, rule, unsafe

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.group import HeadGroup
    from raylint.rule import Problems

__all__ = ["serve_head_takes_traffic", "serve_replica_only_on_head"]

MENTIONS = ("gcsFaultToleranceOptions", "ray.io/ft-enabled")


@rule("RAY601", Severity.WARNING, confidence=Confidence.MEDIUM, reports=("FR-090",))
def serve_replica_only_on_head(service: RayService) -> Problems:
    """The only Serve replica may sit on the head, and then fault tolerance does not keep the service up.

    ## What it flags
    A RayService with GCS fault tolerance whose head may run replicas (its `num-cpus` is not 0) and whose
    `serveConfigV2` lists a single replica in all.

    It stays silent where the number of replicas cannot be told: an application without a list of deployments. Also
    where the replica asks for GPUs or CPUs that the head does not offer, as it cannot sit there.

    ## What happens
    GCS fault tolerance lets workers and their replicas go on while the head is away. A replica on the head goes
    down with it: the service answers with errors until the head is back and the replica has started again.

    ## Versions
    All KubeRay releases; Ray 2.0 and later.

    ## Fix
    Write `num-cpus: "0"` in the head's `rayStartParams`, so that replicas start on workers, and `num_replicas: 2`
    or more for what must stay up.

    ## When to ignore it
    When a short outage of the service after a head crash is accepted.

    ## Source
    Ray 2.60.0, `doc/source/cluster/kubernetes/user-guides/rayservice-high-availability.md`;
    ray-project/kuberay#1463 and #1551.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayService
    metadata: {name: ranker}
    spec:
      serveConfigV2: |
        applications:
        - name: ranker
          import_path: ranker:app
          deployments: [{name: Ranker, num_replicas: 1}]
      rayClusterConfig:
        gcsFaultToleranceOptions: {redisAddress: "redis.data.svc:6379"}
        headGroupSpec:
          rayStartParams:  # <-
            dashboard-host: 0.0.0.0
          template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
        workerGroupSpecs:
        - groupName: cpu
          replicas: 2
          template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayService
    metadata:
      name: ranker
      annotations: {ray.io/ft-enabled: "true"}
    spec:
      serveConfigV2: |
        applications:
        - import_path: ranker:app
          deployments:
          - name: Ranker
            autoscaling_config: {min_replicas: 1, max_replicas: 4}
            ray_actor_options: {num_cpus: 1}
      rayClusterConfig:
        headGroupSpec:
          rayStartParams:
            num-cpus: "4"  # <-
          template:
            spec:
              containers:
              - name: ray-head
                image: rayproject/ray:2.9.3
                env: [{name: RAY_REDIS_ADDRESS, value: "redis:6379"}]
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayService
    metadata: {name: ranker}
    spec:
      serveConfigV2: |
        applications:
        - import_path: ranker:app
          deployments: [{name: Ranker, num_replicas: 1}]
      rayClusterConfig:
        gcsFaultToleranceOptions: {redisAddress: "redis.data.svc:6379"}
        headGroupSpec:
          rayStartParams: {num-cpus: "0"}
          template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    The code decides how many replicas there are:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayService
    metadata: {name: ranker}
    spec:
      serveConfigV2: |
        applications:
        - import_path: ranker:app
      rayClusterConfig:
        gcsFaultToleranceOptions: {redisAddress: "redis.data.svc:6379"}
        headGroupSpec:
          template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    The replica needs a GPU, and the head has none:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayService
    metadata: {name: ranker}
    spec:
      serveConfigV2: |
        applications:
        - import_path: ranker:app
          deployments:
          - name: Ranker
            num_replicas: 1
            ray_actor_options: {num_gpus: 1}
      rayClusterConfig:
        gcsFaultToleranceOptions: {redisAddress: "redis.data.svc:6379"}
        headGroupSpec:
          template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    cluster = service.cluster
    if cluster is None or not cluster.gcs_fault_tolerance or cluster.head.num_cpus.value == 0:
        return
    replicas = service.serve_config.listed_replicas
    if replicas is None or replicas >= 2 or not _may_sit_on(cluster.head, service):
        return
    head = cluster.head
    yield Problem(
        head.start_param("num-cpus").at if head.start_param("num-cpus") else head.start_params.at,
        "the only Serve replica may sit on the head: the service goes down with it although GCS fault tolerance is"
        " on",
        label='no num-cpus: "0", so replicas may start on the head',
        because=[
            (service.serve_config.text.at.key(), "a single replica in all"),
            (cluster.gcs_fault_tolerance.at_switch.key(), "fault tolerance keeps only what runs on workers"),
        ],
        effect="after a crash of the head requests fail until the head is back and the replica has started again"
        " (all KubeRay releases)",
        fix='write num-cpus: "0" in the rayStartParams of the head, and num_replicas: 2 for what must stay up',
    )


def _may_sit_on(head: HeadGroup, service: RayService) -> bool:
    """Could the head offer what some listed deployment asks for? In doubt yes."""
    return any(
        _fits(options.get("num_gpus"), head.num_gpus.value) and _fits(options.get("num_cpus"), head.num_cpus.value)
        for options in service.serve_config.actor_options
    )


def _fits(wanted: object, offered: int | None) -> bool:
    if offered is None or not isinstance(wanted, (int, float)):
        return True
    return wanted <= offered


@looks_into("RAY615", Severity.INFO, kuberay="1.3..", reports=("FR-103",), fixes="unsafe")
def serve_head_takes_traffic(service: RayService) -> Problems:
    """The head takes part in Serve's traffic although fault tolerance lets the workers go on without it.

    ## What it flags
    A RayService with GCS fault tolerance and workers without `excludeHeadPodFromServeSvc: true`.

    ## What happens
    The Service for Serve sends requests to the head's proxy as well. While the head restarts, those are lost until
    the endpoint is taken out.

    ## Versions
    KubeRay 1.3 and later.

    ## Fix
    Write `excludeHeadPodFromServeSvc: true`, where at least one worker always has a replica.

    ## When to ignore it
    When the head is the only pod with a proxy now and then.

    ## Source
    ray-project/kuberay v1.7.0, `rayservice_types.go`; ray-project/kuberay#1153, #2593.

    ## Examples
    ```yaml bad service
    serveConfigV2: |
      applications: [{import_path: "rank:app"}]
    rayClusterConfig:
      gcsFaultToleranceOptions:  # <-
        redisAddress: redis:6379
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 2
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]}}
    ```

    ```yaml bad service
    excludeHeadPodFromServeSvc: false  # <-
    rayClusterConfig:
      gcsFaultToleranceOptions: {redisAddress: "redis:6379"}
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 2
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]}}
    ```

    ```yaml good service
    excludeHeadPodFromServeSvc: true
    rayClusterConfig:
      gcsFaultToleranceOptions: {redisAddress: "redis:6379"}
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 2
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]}}
    ```

    Without workers there is nobody else to take the traffic:

    ```yaml good near-miss service
    rayClusterConfig:
      gcsFaultToleranceOptions: {redisAddress: "redis:6379"}
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
    ```
    """
    cluster, written = service.cluster, service.spec.boolean("excludeHeadPodFromServeSvc", False)
    if cluster is None or not cluster.gcs_fault_tolerance or written.value is not False:
        return
    if cluster.guaranteed_workers:
        yield Problem(
            written.at if written else cluster.gcs_fault_tolerance.at_switch.key(),
            "the head takes requests for Serve although the workers could go on without it",
            label="" if written else "fault tolerance, but no excludeHeadPodFromServeSvc",
            effect="requests that go to the head are lost while it restarts",
            fix="write excludeHeadPodFromServeSvc: true in the RayService's spec",
            repair=unsafe(service.spec.at_key("excludeHeadPodFromServeSvc").set(True)),
        )
