"""Where Serve listens, and where the Service and the probes ask for it."""

from __future__ import annotations

from raylint.manifest import RayService
from raylint.rule import Problem, Severity

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.group import Group
    from raylint.rule import Location, Problems

__all__ = ["serve_port_mismatch"]

MENTIONS = ("serveConfigV2",)

_PORT = 8000
_LARGEST_PORT = 65535


def _option(service: RayService, name: str) -> object:
    options = (service.serve_config.data or {}).get("http_options")
    return options.get(name) if isinstance(options, dict) else None


def _at_option(service: RayService, name: str) -> Location:
    document = service.serve_config.document
    assert document is not None
    return document.at("http_options", name)


@looks_into("RAY610", Severity.ERROR, "serveConfigV2", reports=("FR-125",))
def serve_port_mismatch(service: RayService) -> Problems:
    """Serve listens on one port, and the Service or a probe asks another.

    ## What it flags
    A RayService whose `http_options.port` in `serveConfigV2` (8000 unless written) is not the `containerPort` that
    is called `serve` on the head's Ray container, or on that of a worker group. Where the head lists no ports
    KubeRay takes 8000; a worker group without a port called `serve` is probed on 8000, unless it has a
    `readinessProbe` of its own: there, where nobody wrote the other number, it is a warning. So is a port that
    does not exist.

    It stays silent where no port list names `serve` (KR205 tells of a head that lists others), and about the head
    where the RayService brings its own `serveService`.

    ## What happens
    The Service `...-serve-svc` sends requests to a port on which nobody listens: connection refused, although
    every application is `RUNNING`. On workers the readiness probe asks the wrong port, and they never become
    ready.

    ## Versions
    All KubeRay releases; `http_options` of a running Serve cannot be changed, so the cluster must be replaced.

    ## Fix
    Write the same number in both places, or leave both out.

    ## When to ignore it
    When a proxy container of your own listens on the port that is called `serve`.

    ## Source
    ray-project/kuberay v1.7.0, `common/service.go`, `common/pod.go` (`initLivenessAndReadinessProbe`);
    ray-project/kuberay#570.

    ## Examples
    ```yaml bad severity=warning service
    serveConfigV2: |
      http_options: {port: 9000}  # <-
      applications: [{import_path: "rank:app"}]
    ```

    ```yaml bad service
    serveConfigV2: |
      applications: [{import_path: "rank:app"}]
    rayClusterConfig:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.60.0
              ports:
              - {containerPort: 8265, name: dashboard}
              - {containerPort: 9000, name: serve}  # <-
    ```

    ```yaml bad severity=warning service
    serveConfigV2: |
      http_options: {port: 9000}  # <-
      applications: [{import_path: "rank:app"}]
    rayClusterConfig:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.60.0
              ports: [{containerPort: 8265, name: dashboard}, {containerPort: 9000, name: serve}]
      workerGroupSpecs:
      - groupName: cpu
        replicas: 1
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]}}
    ```

    ```yaml good service
    serveConfigV2: |
      http_options: {port: 9000}
      applications: [{import_path: "rank:app"}]
    rayClusterConfig:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.60.0
              ports: [{containerPort: 8265, name: dashboard}, {containerPort: 9000, name: serve}]
    ```

    ```yaml good near-miss service
    serveConfigV2: |
      http_options: {host: 0.0.0.0}
      applications: [{import_path: "rank:app"}]
    rayClusterConfig:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.60.0
              ports: [{containerPort: 8000, name: serve}]
    ```
    """
    cluster, config = service.cluster, service.serve_config.data
    port = _option(service, "port")
    port = _PORT if port is None else port
    if (
        cluster is None
        or config is None
        or not isinstance(port, int)
        or config.get("proxy_location") == "Disabled"
    ):
        return
    if not 0 < port <= _LARGEST_PORT:
        yield Problem(
            _at_option(service, "port"),
            f"port {port} does not exist: Serve takes the number, and its proxies cannot listen",
            effect="no pod of the service becomes ready",
            fix="write a port from 1 to 65535, or leave it out for 8000",
            severity=Severity.WARNING,
        )
        return
    for group in cluster.groups:
        is_head = group is cluster.head
        if is_head and service.spec.has("serveService"):
            continue
        for at, found in _mismatches(group, port, is_head=is_head):
            written = _option(service, "port") is not None
            asks = "the Service sends requests" if is_head else f"the readiness probe of {group.title} asks"
            yield Problem(
                _at_option(service, "port") if written else at,
                f"port {port} is where Serve listens, and {asks} on {found}",
                because=[(at, f"{found} here")]
                if written
                else [(service.serve_config.text.at.key(), "8000 here")],
                effect="requests meet a closed port although the applications run"
                if is_head
                else "the workers never become ready, and no request goes to them",
                fix=f"write {found} in http_options.port, or {port} for the port called serve",
                # What nobody wrote may be set by an overlay.
                severity=None if at.path[-1] == "containerPort" else Severity.WARNING,
            )


def _mismatches(group: Group, port: int, *, is_head: bool) -> list[tuple[Location, object]]:
    """Ports on which a group is asked for Serve, other than the one it listens on."""
    ray = group.ray_data
    written = ray.get("ports")
    listed = written if isinstance(written, list) else []
    declared = [
        (index, item.get("containerPort"))
        for index, item in enumerate(listed)
        if isinstance(item, dict) and item.get("name") == "serve"
    ]
    if declared:
        return [
            (group.ray_container.at_key("ports", index, "containerPort"), number)
            for index, number in declared
            if isinstance(number, int) and number != port
        ]
    asked = not listed if is_head else ray.get("readinessProbe") is None
    return [(group.ray_container.at, _PORT)] if port != _PORT and asked else []
