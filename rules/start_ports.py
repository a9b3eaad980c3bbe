"""Ports in ``rayStartParams``: out of range, or given out twice."""

from __future__ import annotations

from raylint.rule import Severity, rule

from .start_line import reported

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import FaultyStart
    from raylint.rule import Problems


@rule("RAY306", Severity.ERROR)
def start_port_unusable(group: FaultyStart) -> Problems:
    """A port that Ray refuses or that nobody finds: out of range, an empty range of worker ports.

    ## What it flags
    - `ray-client-server-port` outside 1024 to 65535, 0 included; `runtime-env-agent-port` likewise (0 is accepted
      by 2.60, refused up to 2.51).
    - `min-worker-port` and `max-worker-port` other than 0 and 1024 to 65535, or a greatest port that is not above
      the least: each is compared with the other's default, 10002 and 19999, where only one is set.
    - `worker-port-list` that is no list of such numbers.
    - negative ports, which end the raylet or the GCS.
    - as a warning, ports above 65535 and `port: "0"` on the head: they start and listen somewhere else.

    ## What happens
    `ray start` ends with a ValueError and the pod crash-loops. With `port: "70000"` the head starts, listens on
    4464 (70000 modulo 65536), and no worker ever connects.

    ## Versions
    Ray 2.9.3 to 2.60.0, where not said otherwise.

    ## Fix
    Choose ports from 1024 to 65535. Set `min-worker-port` and `max-worker-port` together.

    ## When to ignore it
    Never.

    ## Source
    Ray 2.60.0, `python/ray/_private/parameter.py` (`_check_usage`).

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {ray-client-server-port: "0"}  # <-
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    The greatest port stays 19999:

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        rayStartParams: {min-worker-port: "20000"}  # <-
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml bad severity=warning
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {port: "70000"}  # <-
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {min-worker-port: "20000", max-worker-port: "29999"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    Ray chooses free ports for these; 0 is what it does by itself:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {node-manager-port: "0", min-worker-port: "0", max-worker-port: "0"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    yield from reported(group, "port")


@rule("RAY307", Severity.ERROR, reports=("FR-055",))
def start_port_collision(group: FaultyStart) -> Problems:
    """Two components of a Ray node share a port, KubeRay's additions and Ray's defaults included.

    ## What it flags
    Two of `port` (6379), `dashboard-port` (8265), `ray-client-server-port` (10001), `dashboard-agent-listen-port`
    (52365), `metrics-export-port` (8080), `node-manager-port`, `object-manager-port`, `dashboard-agent-grpc-port`
    and `runtime-env-agent-port` with one number, or one of them within the ports of the worker processes, 10002 to
    19999 unless `min-worker-port` and `max-worker-port` or `worker-port-list` say otherwise.

    Serve's port 8000 and ports of other containers are not part of this check.

    ## What happens
    Ray refuses to start: "Ray component worker_ports is trying to use a port number 10002 that is used by other
    components". The pod crash-loops. KubeRay's own guide shows `ray-client-server-port: "10002"`, which does
    exactly this.

    ## Versions
    Ray 2.9.3 to 2.60.0. KubeRay writes `dashboard-agent-listen-port` from 1.1 on (before only for a RayService).

    ## Fix
    Move the port out of 10002 to 19999 and off the defaults above, or move the workers' range. A changed port of
    the head must be changed in `ports` of the container and in clients as well.

    ## When to ignore it
    Never.

    ## Source
    Ray 2.60.0, `python/ray/_private/parameter.py` (`update_pre_selected_port`); ray-project/kuberay#149,
    ray-project/ray#18308.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {ray-client-server-port: "10002"}  # <-
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    8080 is where KubeRay lets Ray export its metrics:

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams:
          dashboard-host: 0.0.0.0
          dashboard-port: "8080"  # <-
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {ray-client-server-port: "10002", min-worker-port: "20000", max-worker-port: "29999"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    8080 is free once the metrics have moved; a list of worker ports replaces the range:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams:
          dashboard-port: "8080"
          metrics-export-port: "10100"
          worker-port-list: 20000,20001
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    yield from reported(group, "collision")
