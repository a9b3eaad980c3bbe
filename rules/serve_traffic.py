"""Which pods are never ready, for want of something to serve."""

from __future__ import annotations

from raylint.manifest import RayService
from raylint.rule import Confidence, Problem, Severity

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

__all__ = ["serve_workers_without_replica"]

MENTIONS = ("serveConfigV2",)


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

    Workers with a probe of their own are ready without a replica:

    ```yaml good near-miss service
    serveConfigV2: |
      applications:
      - import_path: rank:app
        deployments: [{name: Ranker, num_replicas: 1}]
    rayClusterConfig:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 3
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.60.0
              readinessProbe: {tcpSocket: {port: 8080}}
    ```
    """
    cluster, config = service.cluster, service.serve_config
    replicas = config.listed_replicas
    workers = None if cluster is None else cluster.guaranteed_workers
    if cluster is None or replicas is None or workers is None or replicas >= workers:
        return
    if any(group.ray_data.get("readinessProbe") is not None for group in cluster.worker_groups):
        return
    for _, deployment in config.deployments:
        if deployment.get("autoscaling_config") is not None or deployment.get("num_replicas") == "auto":
            return
    yield Problem(
        config.text.at.key(),
        f"the listed replicas, {replicas} in all, cannot be on {workers} workers: some are never ready",
        label="1 replica" if replicas == 1 else f"{replicas} replicas",
        effect="a worker without a replica has no Serve proxy and stays 0/1 Running",
        fix="raise num_replicas with max_replicas_per_node: 1, or have fewer workers",
    )
