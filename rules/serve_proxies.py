"""Proxies of Serve that requests do not reach."""

from __future__ import annotations

from raylint.manifest import RayService
from raylint.rule import Problem, Severity, unsafe

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

__all__ = ["serve_host_is_local", "serve_proxy_not_on_workers"]

MENTIONS = ("http_options", "proxy_location")

_LOCAL = ("127.0.0.1", "localhost", "::1")


@looks_into("RAY611", Severity.WARNING, "serveConfigV2", fixes="unsafe")
def serve_host_is_local(service: RayService) -> Problems:
    """Serve's proxies listen on the loopback address alone: no Service reaches them.

    ## What it flags
    `http_options.host` in `serveConfigV2` that is `127.0.0.1`, `localhost` or `::1`.

    ## What happens
    The proxies answer within their pod only. The probes of KubeRay ask `localhost` and are content, so every pod
    is ready, and every request through the Service is refused.

    ## Versions
    All KubeRay and Ray releases. The host of a running Serve cannot be changed.

    ## Fix
    Leave `host` out; 0.0.0.0 is the default.

    ## When to ignore it
    When a sidecar in the same pod takes the requests and passes them on.

    ## Source
    Ray 2.60.0, `serve/schema.py` (`HTTPOptionsSchema`), `serve/_private/proxy.py`.

    ## Examples
    ```yaml bad serve
    http_options: {host: 127.0.0.1}  # <-
    applications: [{import_path: "rank:app"}]
    ```

    ```yaml bad serve
    http_options:
      host: localhost  # <-
      port: 8000
    applications: [{import_path: "rank:app"}]
    ```

    ```yaml good serve
    http_options: {port: 8000}
    applications: [{import_path: "rank:app"}]
    ```

    ```yaml good near-miss serve
    http_options: {host: 0.0.0.0, root_path: /localhost}
    applications: [{import_path: "rank:app"}]
    ```
    """
    document = service.serve_config.document
    options = (service.serve_config.data or {}).get("http_options")
    host = options.get("host") if isinstance(options, dict) else None
    if document is not None and host in _LOCAL:
        yield Problem(
            document.at("http_options", "host"),
            f"the host {host} lets Serve listen within its own pod alone: no Service reaches it",
            effect="every pod is ready, and every request through the Service is refused",
            fix="leave host out, or write 0.0.0.0",
            repair=unsafe(document.at("http_options", "host").set("0.0.0.0")),
        )


@looks_into("RAY612", Severity.WARNING, "serveConfigV2", kuberay="1.1..", reports=("FR-126",), fixes="unsafe")
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
      proxy_location: EveryNode
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
            repair=unsafe(document.at("proxy_location").delete()),
        )
