"""Values in ``rayStartParams`` that reach Ray otherwise than they are written, and those that Ray's checks
refuse."""

from __future__ import annotations

from raylint.rule import Severity, rule

from .start_line import reported

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import FaultyStart
    from raylint.rule import Problems


@rule("RAY309", Severity.ERROR, reports=("FR-048",), fixes="safe")
def start_option_in_shell(group: FaultyStart) -> Problems:
    """The shell takes a value apart before Ray sees it: JSON without an inner layer of quotes, blanks, `;`.

    ## What it flags
    Values that bash changes on the way: JSON (`resources`, `labels`, `system-config`) that loses its double quotes
    or is split at a blank or at a comma between braces, texts with blanks, quotes that are never closed,
    parentheses, a `<placeholder>`; as a warning, `;`, `&`, `|`, `#` and line breaks, behind which nothing reaches
    Ray.

    A value with `$NAME` or `$(command)` in it is not judged.

    ## What happens
    KubeRay writes `--key=value` unquoted into a line for `bash -c`. `resources: '{"A": 1}'` becomes
    `--resources={A:` and `1}`, and Ray ends with "Got unexpected extra argument". The pod crash-loops. Where the
    command is cut off, Ray starts without the options behind it.

    ## Versions
    All.

    ## Fix
    Add single quotes inside the YAML text: `resources: "'{\\"A\\": 1}'"` or, in a block, `resources: '''{"A":
    1}'''`. KubeRay reads this form, too, when it adds accelerators.

    ## When to ignore it
    Never for an error.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go` (`generateRayStartCommand`); ray-project/kuberay#1984, #336, #1758.

    ## Examples
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
          resources: '{"slot": 4}'  # <-
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    No blank, but the double quotes go all the same:

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams:
          system-config: '{"health_check_period_ms":5000}'  # <-
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml bad severity=warning
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams:
          node-name: head;main  # <-
          num-cpus: "0"
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams:
          resources: '''{"slot": 4}'''
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    The documented form, double quotes with backslashes; and an empty object needs no quotes:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams:
          resources: '"{\\"slot\\": 4}"'
          system-config: "{}"
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    yield from reported(group, "shell")


@rule("RAY310", Severity.ERROR)
def custom_resources_invalid(group: FaultyStart) -> Problems:
    """Ray refuses the custom resources of a node: no JSON object, a fraction, a reserved name.

    ## What it flags
    `rayStartParams.resources` that is, once the shell is through, no JSON object; amounts that are fractions,
    texts, null, true, negative or above 100000000000000; the names CPU, GPU, memory and object_store_memory, which
    have options of their own, and `node:__internal_head__`. A group's `resources` field (KubeRay 1.5) is judged
    likewise.

    ## What happens
    `ray start` ends with "is not a valid JSON string", "Resource quantities must all be whole numbers" or "cannot
    be a custom resource"; the pod crash-loops. The amount true passes Python and kills the raylet.

    ## Versions
    Ray 2.9.3 to 2.60.0.

    ## Fix
    Write whole numbers without quotes. Tasks may ask for fractions of a resource, nodes cannot have them: give the
    node 1000 of it rather than 0.5.

    ## When to ignore it
    Never.

    ## Source
    Ray 2.60.0, `_private/utils.py` (`parse_resources_json`), `_private/parameter.py`,
    `_private/resource_and_label_spec.py` (`to_resource_dict`).

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams:
          resources: '''{"slot": 0.5}'''  # <-
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams:
          resources: '''{"CPU": 4}'''  # <-
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams:
          num-cpus: "4"
          resources: '''{"slot": 500}'''
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    Case matters: `cpu` is a custom resource like any other, and 2.0 is whole.

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams:
          resources: '''{"cpu": 2.0, "accelerator_type:T4": 1, "spare": 0}'''
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    yield from reported(group, "resources")


@rule("RAY311", Severity.ERROR)
def node_labels_invalid(group: FaultyStart) -> Problems:
    """Ray refuses a node's labels: key=value before Ray 2.45, or a form that no release takes.

    ## What it flags
    `rayStartParams.labels`, or a group's `labels` field, which KubeRay 1.5 passes on as key=value pairs.

    - Ray before 2.45 wants a JSON object of texts; everything else, the empty text included, ends it.
    - From 2.45 on pairs as `zone=a,tier=gold` with Kubernetes' label syntax; JSON still works and is deprecated. A
      second `=`, a trailing comma, a key without value sign and characters outside the syntax are refused.
    - As JSON, keys that begin with `ray.io/` are refused by every release.

    ## What happens
    `ray start` ends with "is not a valid JSON string" or "is not a valid string of key-value pairs", and the pod
    crash-loops.

    ## Versions
    Ray 2.9.3 to 2.60.0; the new form since 2.45. KubeRay's `labels` field since 1.5.

    ## Fix
    Write the form of your Ray. An empty value (`zone=`) and a repeated key are accepted.

    ## When to ignore it
    Never.

    ## Source
    Ray 2.60.0, `_private/label_utils.py`; Ray 2.40.0, `_private/utils.py` (`parse_node_labels_json`).

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {labels: "zone=a"}  # <-
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.40.0"}]}}
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {labels: "zone=a,tier"}  # <-
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {labels: "zone=a,tier=gold"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    The old form for an old Ray, and a key of Ray's own in the new form:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams:
          labels: '''{"zone": "a"}'''
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.40.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        rayStartParams: {labels: "ray.io/market-type=spot"}
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    yield from reported(group, "labels")


@rule("RAY312", Severity.ERROR)
def system_config_invalid(group: FaultyStart) -> Problems:
    """A `system-config` that is no JSON object, or that names a setting which the Ray in force does not have.

    ## What it flags
    `rayStartParams.system-config` of the head: text that is no JSON once the shell is through, another JSON value
    than an object, keys that are no setting of this Ray. Names are judged for Ray 2.9 to 2.60 only, and only where
    the release in force certainly lacks them.

    ## What happens
    Bad JSON ends `ray start` with a usage error. An unknown key passes Python and ends the GCS: "Received
    unexpected config parameter". The head crash-loops.

    ## Versions
    Ray 2.9.3 to 2.60.0.

    ## Fix
    Write the setting's name as in `ray_config_def.h`, without the prefix `RAY_`. Setting `RAY_<name>` in the
    environment does the same and is not refused where a release does not know it.

    ## When to ignore it
    When the image holds a Ray of your own with more settings.

    ## Source
    Ray 2.60.0, `src/ray/common/ray_config_def.h`, `python/ray/_private/node.py`.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams:
          system-config: '''{health_check_period_ms: 5000}'''  # <-
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams:
          system-config: '''{"num_heartbeats_timeout": 30}'''  # <-
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.51.1"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams:
          system-config: '''{"health_check_period_ms": 5000}'''
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    Some release between 2.51 and 2.60 brought this setting, so 2.55 may have it:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams:
          system-config: '''{"pop_worker_max_retries": 3}'''
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.55.0"}]}}
    ```
    """
    yield from reported(group, "system-config")
