"""Amounts, paths and addresses in ``rayStartParams`` that Ray's own checks refuse."""

from __future__ import annotations

from raylint.rule import Severity, rule

from .start_line import reported

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import FaultyStart
    from raylint.rule import Problems


@rule("RAY313", Severity.ERROR)
def start_amount_out_of_range(group: FaultyStart) -> Problems:
    """An amount of CPUs, GPUs, memory or object store that Ray refuses, or that leaves nothing to schedule on.

    ## What it flags
    Negative `num-cpus`, `num-gpus` and `memory`, amounts above 100000000000000, an `object-store-memory` below
    78643200 bytes (75 MiB); as a warning a `memory` of less than a megabyte, which is a unit forgotten.

    ## What happens
    `ray start` ends with "Resource quantities must be nonnegative" or "Attempting to cap object store memory
    usage", and the pod crash-loops. With `memory: "8"` Ray starts and has 8 bytes: whatever asks for memory waits
    for ever.

    ## Versions
    Ray 2.9.3 to 2.60.0.

    ## Fix
    Write bytes, or leave the option out and set the container's limits.

    ## When to ignore it
    The warning: where no task or actor ever asks for memory.

    ## Source
    Ray 2.60.0, `_private/resource_and_label_spec.py`, `_private/services.py` (`determine_plasma_store_config`).

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {num-cpus: "-1"}  # <-
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {object-store-memory: "50000000"}  # <-
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml bad severity=warning
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {memory: "8"}  # <-
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {num-cpus: "0", object-store-memory: "500000000"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    The least that Ray takes, to the byte:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {num-gpus: "0", object-store-memory: "78643200"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    yield from reported(group, "range")


@rule("RAY314", Severity.ERROR)
def start_option_refused(group: FaultyStart) -> Problems:
    """An option that Ray's own checks refuse: a relative temp-dir, an address without port, a limit without
    isolation.

    ## What it flags
    - `temp-dir` that does not begin with `/` (`~` is not expanded here) or is longer than 49 bytes, so that socket
      paths exceed 107 bytes: on the head always, on workers from Ray 2.60 on.
    - `address` of a worker that is no host:port, or that KubeRay drops because it is `false`.
    - `cgroup-path`, `system-reserved-cpu` and `system-reserved-memory` without `enable-resource-isolation`.
    - `no-redirect-output` up to Ray 2.51.

    ## What happens
    `ray start` ends with the check's message ("temp_dir must be absolute path or None"), and the pod crash-loops.

    ## Versions
    Ray 2.9.3 to 2.60.0 where not said otherwise; resource isolation since 2.45; an address with a scheme is
    refused since 2.49.

    ## Fix
    As the message says. Workers need no `address`: KubeRay sets it to the head's Service.

    ## When to ignore it
    Never.

    ## Source
    Ray 2.60.0, `_private/parameter.py`, `_private/resource_isolation_config.py`, `_private/services.py`; Ray
    2.51.1, `_private/node.py`.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {temp-dir: "~/ray"}  # <-
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {system-reserved-cpu: "1.0"}  # <-
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {temp-dir: /data/ray, enable-resource-isolation: "true", system-reserved-cpu: "1.0"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    A worker of Ray 2.40 ignores its temp-dir, whatever it says:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.40.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        rayStartParams: {temp-dir: "~/ray"}
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.40.0"}]}}
    ```
    """
    yield from reported(group, "start")
