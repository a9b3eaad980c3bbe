"""Settings of a RayService that somebody else manages, or nobody reads any more."""

from __future__ import annotations

from raylint.manifest import RayService
from raylint.rule import Problem, Severity, safe, unsafe

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

__all__ = [
    "serve_capacity_by_hand",
    "serve_threshold_ignored",
]

MENTIONS = ("target_capacity", "serviceUnhealthySecondThreshold", "deploymentUnhealthySecondThreshold")


@looks_into("RAY613", Severity.WARNING, "serveConfigV2", fixes="unsafe")
def serve_capacity_by_hand(service: RayService) -> Problems:
    """`target_capacity` in `serveConfigV2` scales every deployment down; KubeRay's upgrades set it themselves.

    ## What it flags
    `target_capacity` in `serveConfigV2` that is not null and not 100.

    ## What happens
    Serve runs that percentage of the replicas of every deployment, those of autoscaling included, and nobody
    raises it again: a service that should have ten replicas has one. In an incremental upgrade KubeRay writes the
    number itself and overwrites this one.

    ## Versions
    Ray 2.9 and later.

    ## Fix
    Remove it.

    ## When to ignore it
    While you shift load between two services by hand.

    ## Source
    Ray 2.60.0, `serve/schema.py` (`TARGET_CAPACITY_FIELD`); ray-project/kuberay v1.7.0,
    `rayservice_controller.go`.

    ## Examples
    ```yaml bad serve
    target_capacity: 10  # <-
    applications: [{import_path: "rank:app"}]
    ```

    ```yaml bad serve
    target_capacity: 0  # <-
    applications: [{import_path: "rank:app"}]
    ```

    ```yaml good serve
    applications: [{import_path: "rank:app"}]
    ```

    ```yaml good near-miss serve
    target_capacity: 100
    applications: [{import_path: "rank:app", args: {target_capacity: 10}}]
    ```
    """
    capacity = (service.serve_config.data or {}).get("target_capacity")
    document = service.serve_config.document
    if document is not None and isinstance(capacity, (int, float)) and capacity != 100:
        yield Problem(
            document.at("target_capacity"),
            f"target_capacity {capacity:g} keeps every deployment at {capacity:g} percent of its replicas",
            effect="nothing raises it again; an incremental upgrade of KubeRay overwrites it",
            fix="remove target_capacity, which KubeRay manages",
            repair=unsafe(document.at("target_capacity").delete()),
        )


@looks_into("RAY614", Severity.WARNING, kuberay="1.1..", reports=("FR-105",), fixes="safe")
def serve_threshold_ignored(service: RayService) -> Problems:
    """A threshold for an unhealthy service that KubeRay has not looked at since 1.1.

    ## What it flags
    `serviceUnhealthySecondThreshold` and `deploymentUnhealthySecondThreshold` of a RayService.

    ## What happens
    The fields are stored and do nothing: KubeRay starts no new cluster because an application is unhealthy. Who
    relies on them for recovery has none.

    ## Versions
    KubeRay 1.1 and later.

    ## Fix
    Remove them; let `health_check_period_s` and GCS fault tolerance recover the service.

    ## When to ignore it
    When the same file serves KubeRay 1.0.

    ## Source
    ray-project/kuberay v1.7.0, `rayservice_types.go` (deprecated); ray-project/kuberay#1656, #1665.

    ## Examples
    ```yaml bad service
    serviceUnhealthySecondThreshold: 900  # <-
    deploymentUnhealthySecondThreshold: 300  # <-
    ```

    ```yaml bad service kuberay=1.1
    deploymentUnhealthySecondThreshold: 60  # <-
    ```

    ```yaml good service
    serveConfigV2: |
      applications: [{import_path: "rank:app"}]
    ```

    ```yaml good near-miss service kuberay=1.0
    serviceUnhealthySecondThreshold: 900
    ```
    """
    for name in ("serviceUnhealthySecondThreshold", "deploymentUnhealthySecondThreshold"):
        if service.spec.has(name):
            yield Problem(
                service.spec.at_key(name).key(),
                f"{name} has no effect since KubeRay 1.1",
                effect="no new cluster is started when an application is unhealthy",
                fix=f"remove {name}; health checks and fault tolerance recover the service",
                repair=safe(service.spec.at_key(name).delete()),
            )
