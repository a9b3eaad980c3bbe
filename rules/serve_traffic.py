"""Which pods take requests for Serve, and which are ready without doing so."""

from __future__ import annotations

from raylint.manifest import RayService
from raylint.rule import Confidence, Problem, Severity, unsafe

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

__all__ = [
    "serve_head_takes_traffic",
    "serve_proxy_not_on_workers",
    "serve_workers_without_replica",
]

MENTIONS = ("RayService",)


@looks_into("RAY612", Severity.WARNING, "serveConfigV2", kuberay="1.1..", reports=("FR-126",))
def serve_proxy_not_on_workers(service: RayService) -> Problems:
    """Serve's proxy runs on the head alone, or nowhere, while the workers are probed for one.

    ## What it flags
    `proxy_location: HeadOnly` or `Disabled` in `serveConfigV2` of a RayService that may have workers whose
    `readinessProbe` is KubeRay's own.

    ## What happens
    KubeRay's readiness probe asks every worker for a Serve proxy. With the proxy on the head alone no worker ever
    becomes ready, although replicas run there; upgrades wait for them. All traffic goes through the head, which
    becomes a single point of failure: GCS fault tolerance does not help while it is away. With `Disabled` there is
    no HTTP at all.

    ## Versions
    KubeRay 1.1 to 1.7.

    ## Fix
    Remove `proxy_location`: EveryNode, the default, puts a proxy beside the replicas.

    ## When to ignore it
    When the applications are called by handles alone, from within Ray.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go`; ray-project/kuberay#1828, #4994.

    ## Examples
    ```yaml bad service
    serveConfigV2: |
      proxy_location: HeadOnly  # <-
      applications: [{import_path: "rank:app"}]
    rayClusterConfig:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 2
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]}}
    ```

    ```yaml bad service
    serveConfigV2: |
      proxy_location: Disabled  # <-
      applications: [{import_path: "rank:app"}]
    rayClusterConfig:
      enableInTreeAutoscaling: true
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        maxReplicas: 4
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]}}
    ```

    ```yaml good service
    serveConfigV2: |
      applications: [{import_path: "rank:app"}]
    rayClusterConfig:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 2
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]}}
    ```

    Without workers the head is where the replicas are:

    ```yaml good near-miss serve
    proxy_location: HeadOnly
    applications: [{import_path: "rank:app"}]
    ```
    """
    location = (service.serve_config.data or {}).get("proxy_location")
    cluster, document = service.cluster, service.serve_config.document
    if location not in ("HeadOnly", "Disabled") or cluster is None or document is None:
        return
    probed = [
        group
        for group in cluster.worker_groups
        if group.possible_pods != 0 and not group.ray_container.has("readinessProbe")
    ]
    if probed:
        yield Problem(
            document.at("proxy_location"),
            f"proxy_location {location} leaves the workers without a proxy, and their probe asks for one",
            because=[(probed[0].at.key(), f"{probed[0].title} never becomes ready")],
            effect="no worker becomes ready"
            + (", and the head is the only way in" if location == "HeadOnly" else ", and there is no HTTP at all"),
            fix="remove proxy_location, so that a proxy runs on every node with replicas",
        )


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


@looks_into(
    "RAY616", Severity.INFO, "serveConfigV2", confidence=Confidence.MEDIUM, kuberay="1.1..", reports=("FR-127",)
)
def serve_workers_without_replica(service: RayService) -> Problems:
    """More workers than Serve has replicas: those without one are never ready.

    ## What it flags
    A RayService whose `serveConfigV2` lists fewer replicas in all, by fixed numbers, than the cluster has workers
    at the least.

    It stays silent where code or autoscaling decides the number, and where the workers bring a `readinessProbe` of
    their own.

    ## What happens
    A proxy runs on nodes with replicas alone, and KubeRay's readiness probe asks every worker for one. The others
    stay `0/1 Running` for ever: no harm to the traffic, but alarms, and pods that are paid for.

    ## Versions
    KubeRay 1.1 to 1.7.

    ## Fix
    Raise the number of replicas, with `max_replicas_per_node: 1` to spread them, or have fewer workers.

    ## When to ignore it
    When the workers serve batch work beside Serve.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go`; ray-project/ray#51095.

    ## Examples
    ```yaml bad service
    serveConfigV2: |  # <-
      applications:
      - import_path: rank:app
        deployments: [{name: Ranker, num_replicas: 1}]
    rayClusterConfig:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 3
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]}}
    ```

    ```yaml bad service
    serveConfigV2: |  # <-
      applications:
      - import_path: rank:app
        deployments: [{name: Ranker, num_replicas: 2}, {name: Reader}]
    rayClusterConfig:
      enableInTreeAutoscaling: true
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        minReplicas: 4
        maxReplicas: 8
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]}}
    ```

    ```yaml good service
    serveConfigV2: |
      applications:
      - import_path: rank:app
        deployments: [{name: Ranker, num_replicas: 3}]
    rayClusterConfig:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 3
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]}}
    ```

    ```yaml good near-miss service
    serveConfigV2: |
      applications:
      - import_path: rank:app
        deployments: [{name: Ranker, autoscaling_config: {min_replicas: 1, max_replicas: 8}}]
    rayClusterConfig:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 3
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]}}
    ```
    """
    cluster, config = service.cluster, service.serve_config
    if cluster is None or any(group.ray_container.has("readinessProbe") for group in cluster.worker_groups):
        return
    for _, deployment in config.deployments:
        if deployment.get("autoscaling_config") is not None or deployment.get("num_replicas") == "auto":
            return
    replicas, workers = config.listed_replicas, cluster.guaranteed_workers
    if replicas is not None and workers is not None and replicas < workers:
        yield Problem(
            config.text.at.key(),
            f"the listed replicas, {replicas} in all, cannot be on {workers} workers: some are never ready",
            label="1 replica" if replicas == 1 else f"{replicas} replicas",
            effect="a worker without a replica has no Serve proxy and stays 0/1 Running",
            fix="raise num_replicas with max_replicas_per_node: 1, or have fewer workers",
        )
