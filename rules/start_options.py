"""Options of ``ray start`` that the Ray in force does not take in this form."""

from __future__ import annotations

from raylint.rule import Severity, rule

from .start_line import reported

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import FaultyStart
    from raylint.rule import Problems


@rule("RAY301", Severity.ERROR, fixes="safe")
def unknown_start_option(group: FaultyStart) -> Problems:
    """Ray ends at once on an option that its `ray start` does not have.

    ## What it flags
    A key of `rayStartParams` that is no option of `ray start` in the Ray version in force: a misspelt name, one
    with underscores or capitals (`num_cpus`, `numCpus`), one that a later release brought (`redis-username`,
    `include-log-monitor`: 2.41; `labels-file`, `object-spilling-directory`, `enable-resource-isolation`,
    `system-reserved-cpu`, `system-reserved-memory`, `cgroup-path`: 2.45; `proxy-server-url`: 2.55), or one that
    was removed (`redis-max-memory`: gone in 2.44; `gcs-server-port`, `dashboard-grpc-port`,
    `plasma-store-socket-name`, `raylet-socket-name`, `storage`: gone in 2.48).

    Where the Ray version cannot be told, only what no release has is flagged. For a Ray newer than 2.60 a name is
    flagged only where it resembles an option.

    ## What happens
    KubeRay passes every key on as `--key=value`. The command ends with a usage error ("No such option"), the pod
    goes into CrashLoopBackOff, and workers wait in their init container for a head that never comes.

    ## Versions
    KubeRay: all. Ray: as listed above.

    ## Fix
    Write the name that the message suggests, or remove the key. What a removed option did is Ray's own business
    now.

    ## When to ignore it
    When the image holds a Ray of your own with more options.

    ## Source
    Ray 2.7.2 to 2.60.0, `python/ray/scripts/scripts.py`; ray-project/kuberay v1.7.0, `common/pod.go`
    (`convertParamMap`).

    ## Examples
    Python's spelling instead of the command's:

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {num_cpus: "0"}  # <-
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    Removed in 2.48:

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams:
          dashboard-host: 0.0.0.0
          gcs-server-port: "6380"  # <-
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {num-cpus: "0", port: "6380"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    Gone in 2.48, but this is 2.40; and an image that does not tell may hold either:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {gcs-server-port: "6380"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.40.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        rayStartParams: {raylet-socket-name: /tmp/raylet}
        template: {spec: {containers: [{name: ray-worker, image: "registry.example/ray:stable"}]}}
    ```
    """
    yield from reported(group, "unknown")


@rule("RAY302", Severity.ERROR)
def start_option_for_the_head(group: FaultyStart) -> Problems:
    """A worker that is given one of the head's options ends at once.

    ## What it flags
    `port`, `redis-shard-ports`, `include-dashboard`, `enable-object-reconstruction` or a `system-config` that is
    not empty among a worker group's `rayStartParams`.

    It stays silent for options that are of no use on a worker but do no harm, such as `dashboard-port` or
    `disable-usage-stats`.

    ## What happens
    `ray start` refuses them on a node that is not the head ("should only be specified when starting head node"),
    and the workers crash-loop.

    ## Versions
    All that were tried: Ray 2.9.3 to 2.60.0.

    ## Fix
    Move the option to `headGroupSpec.rayStartParams`. Workers need no `port`: KubeRay takes the head's and passes
    it on in `address`.

    ## When to ignore it
    Never; the pods cannot start.

    ## Source
    Ray 2.60.0, `python/ray/scripts/scripts.py` (`head_only_flags`), `_private/node.py`.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {port: "6380"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        rayStartParams: {port: "6380"}  # <-
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        rayStartParams:
          include-dashboard: "false"  # <-
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {port: "6380"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        rayStartParams: {}
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    Of the dashboard's options this one is taken by workers as well, and an empty `system-config` is none:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        rayStartParams: {dashboard-port: "8266", system-config: "{}"}
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    yield from reported(group, "scope")


@rule("RAY303", Severity.ERROR, reports=("FR-025",), fixes="safe")
def start_option_value(group: FaultyStart) -> Problems:
    """A value that `ray start` cannot convert: a fraction or a quantity where it wants a whole number, a word
    where it wants a switch.

    ## What it flags
    - `num-cpus`, `num-gpus`, `memory`, `object-store-memory` and every port that is not a whole number: `0.5`,
      `500m`, `1e9`, `8Gi`, `auto`, the empty text.
    - `include-dashboard` and `include-log-monitor` that are neither true nor false (`2`, `disabled`).
    - `log-style` and `log-color` with another word than their few.

    Values with a variable of the shell or of a template in them are not judged.

    ## What happens
    `ray start` ends with a usage error ("is not a valid integer") before it starts anything; the pod crash-loops.
    Kubernetes' quantities mean nothing to Ray: memory is in bytes, CPUs are whole.

    ## Versions
    All that were tried: Ray 2.9.3 to 2.60.0.

    ## Fix
    Write a whole number in quotes; bytes for memory (`"8589934592"` for `8Gi`). Better still, leave `num-cpus`,
    `num-gpus` and `memory` out and set the container's limits: KubeRay derives all three.

    ## When to ignore it
    Never; the pods cannot start.

    ## Source
    Ray 2.60.0, `python/ray/scripts/scripts.py` (click's types); ray-project/kuberay#1166.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {num-cpus: "500m"}  # <-
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        rayStartParams:
          object-store-memory: 2Gi  # <-
          metrics-export-port: http  # <-
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {num-cpus: "0", object-store-memory: "2147483648"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    Python's `int()` reads all of these:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {num-cpus: "+1", memory: "8_000_000_000", num-gpus: "'0'", metrics-export-port: "$PORT"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    yield from reported(group, "value")


@rule("RAY304", Severity.ERROR)
def start_option_switch(group: FaultyStart) -> Problems:
    """A switch with a value, or an option without one: KubeRay turns `true` into a bare flag.

    ## What it flags
    - A switch (`no-monitor`, `disable-usage-stats`, `ray-debugger-external`, ...) whose value is neither `true`
      nor `false`.
    - An option that needs a value and is given `true`. KubeRay writes `--num-cpus` alone then; as the last word of
      the line it ends Ray, elsewhere it swallows the next option (warning where Ray starts all the same).

    ## What happens
    `ray start` ends with "does not take a value" or "requires an argument", and the pod crash-loops. A swallowed
    option is simply lost: with `dashboard-host: "true"` the dashboard listens on a host called
    `--metrics-export-port=8080`.

    ## Versions
    KubeRay: all; `include-log-monitor` is passed as a bare switch up to 1.6. Ray 2.9.3 to 2.60.0.

    ## Fix
    Write `"true"` for a switch, a value for every other option.

    ## When to ignore it
    Never.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go` (`convertParamMap`); click's parser.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {disable-usage-stats: "yes"}  # <-
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml bad severity=warning
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {dashboard-host: "true"}  # <-
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    Up to KubeRay 1.6 this one counts as a switch, too:

    ```yaml bad kuberay=1.6
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {num-gpus: "True"}  # <-
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {disable-usage-stats: "true"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    These two take a value that says true or false, and KubeRay knows it:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {include-dashboard: "true", include-log-monitor: "false", log-color: "false"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    yield from reported(group, "switch")
