"""Values that the API server does not take: types and enumerations."""

from __future__ import annotations

from raylint.rule import Location, Problem, Severity, rule, safe
from raylint.schema_fault import FaultKind, SchemaFault

from .api_server import faults, name, place, raw, refused, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import FaultyObject
    from raylint.rule import Problems, Repair

_WANTED = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "a mapping",
    "array": "a list",
    "quantity": "a text or a whole number",
    "integer or string": "a whole number or a text",
}
_GIVEN = {**_WANTED, "boolean": "a boolean", "null": "nothing"}


@rule("API002", Severity.ERROR, fixes="safe", reports=("FR-041",))
def wrong_type(found: FaultyObject) -> Problems:
    """A value of a type that the field does not take: the API server refuses the object.

    ## What it flags
    A value whose type, read as kubectl reads YAML, is not the field's: a bare number, `true`, `yes` or `on` in
    a map of strings such as `rayStartParams`, labels or an `env` value; a number in quotes; a mapping where a
    list or a text is due; an empty item in a list; `cpu: 0.5` without quotes.

    It stays silent on whole numbers written as `1.0` (the server takes them as integers), on whole numbers where a
    quantity is due, and on nulls, which count as absent.

    ## What happens
    The server answers `must be of type ...` and nothing is created or changed. Labels and annotations of the
    object itself are refused even earlier, by kubectl. Where a mapping stands for something else, kubectl
    complains of unknown fields below it instead.

    ## Versions
    All.

    ## Fix
    Quote what must be a text; take the quotes away from numbers and booleans; write lists with `-`; write YAML
    inside YAML (`serveConfigV2`, `runtimeEnvYAML`) as a text with `|`. `--fix` sets and takes away quotes, writes
    switches of `rayStartParams` as `"true"` and `"false"`, and deletes empty items of lists.

    ## When to ignore it
    Never: no server takes it.

    ## Source
    The CRDs of ray-project/kuberay v1.0.0 to v1.7.0; kubernetes v1.36, kube-openapi `validation/validate/type.go`;
    answers of kube-apiserver v1.36.2.

    ## Examples
    `rayStartParams` is a map of strings, and so are environment variables:

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams:
          num-cpus: 0  # <-
          block: yes  # <-
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              env:
              - name: RAY_LOG_TO_STDERR
                value: 1  # <-
              resources:
                limits: {memory: 4Gi}
                requests:
                  cpu: 0.5  # <-
    ```

    Serve's configuration is a text that holds YAML, not YAML:

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayService
    metadata: {name: ranker}
    spec:
      serveConfigV2:  # <-
        applications: [{name: app, import_path: "app:graph"}]
      rayClusterConfig:
        enableInTreeAutoscaling: "true"  # <-
        headGroupSpec:
          template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0", command: bash}]}}  # <-
    ```

    A list with an empty item, a version that reads as a number, and a label that does:

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: trainer
      labels:
        release: 7  # <-
    spec:
      rayVersion: 2.52  # <-
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: "2"  # <-
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
      -  # <-
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {num-cpus: "0"}
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              env: [{name: RAY_LOG_TO_STDERR, value: "1"}]
              resources: {requests: {cpu: "0.5"}}
    ```

    Whole floats, whole quantities and a parameter without a value:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {num-gpus: }
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              resources: {requests: {cpu: 1, memory: 4294967296}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 1.0
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    for fault in faults(found, FaultKind.WRONG_TYPE):
        wanted, given = _WANTED[fault.wanted], _GIVEN[fault.given]
        shown = "" if fault.given in ("object", "array", "null") else f" {value(found, fault)},"
        yield Problem(
            place(found, fault),
            f"{name(found, fault)} must be {wanted}, and is{shown} {given}: the API server refuses the"
            f" {found.kind}",
            label=f"{given}, not {wanted}",
            effect=refused(found, fault),
            fix=_fix(fault, value(found, fault)),
            repair=_repair(Location(found.document, fault.path), fault, raw(found, fault)),
        )


def _repair(at: Location, fault: SchemaFault, data: object) -> Repair | None:
    """Quotes, or none, around what is written."""
    wanted, given = fault.wanted, fault.given
    if given == "null" and isinstance(fault.path[-1], int):
        return safe(at.delete())
    if wanted in ("string", "quantity") and given in ("integer", "number", "boolean"):
        # `yes` is no word of Ray's command line.
        switch = isinstance(data, bool) and _is_option(fault)
        return safe(at.set(str(data).lower()) if switch else at.quote())
    if isinstance(data, str) and wanted in ("boolean", "integer", "number", "integer or string"):
        if wanted == "boolean":
            return safe(at.set(data == "true")) if data in ("true", "false") else None
        if data.isascii() and data.isdecimal() and len(data) < 10:
            return safe(at.set(int(data)))
    return None


def _is_option(fault: SchemaFault) -> bool:
    return len(fault.path) > 1 and fault.path[-2] == "rayStartParams"


def _fix(fault: SchemaFault, text: str) -> str:
    wanted, given = fault.wanted, fault.given
    if given == "null":
        return "remove the empty item, or write what belongs there"
    if wanted in ("string", "quantity") and given in ("integer", "number", "boolean"):
        return f'put it in quotes: "{text}"'
    if wanted in ("boolean", "integer", "number", "integer or string") and given == "string":
        return f"write {_WANTED[wanted]}, without quotes"
    if wanted == "string" and given in ("object", "array"):
        return "write it as one text: put | behind the key and keep the lines below it"
    if wanted == "array":
        return "write a list: items below each other, each behind a dash"
    return f"write {_WANTED[wanted]}"


@rule("API004", Severity.ERROR, fixes="safe")
def unsupported_value(found: FaultyObject) -> Problems:
    """A value that is not among those that the field takes: the API server refuses the object.

    ## What it flags
    A value outside the enumeration of its field in the target release: `autoscalerOptions.upscalingMode` and
    `.version`, `gcsFaultToleranceOptions.backend`, `authOptions.mode`, `upgradeStrategy.type` of a RayCluster,
    policies and statuses in a RayJob's `deletionStrategy`, and others. Letter case counts.

    It stays silent on fields that look like enumerations and are free texts to the server: `submissionMode`,
    `serviceType`, `restartPolicy`, `imagePullPolicy`, `upgradeStrategy.type` of a RayService.

    ## What happens
    The server answers `Unsupported value`, lists those that it takes, and nothing is created or changed.

    ## Versions
    Enumerations grew: `autoscalerOptions.version` since KubeRay 1.4, `authOptions.mode` 1.5.1, a RayCluster's
    `upgradeStrategy.type` 1.6, `backend`, `networkPolicy.mode` and `ingressOptions.pathType` 1.7.

    ## Fix
    Write one of the values that the finding lists.

    ## When to ignore it
    When the CRDs in the cluster are newer than those that raylint knows; better: give them with `--crd`.

    ## Source
    The CRDs of ray-project/kuberay v1.0.0 to v1.7.0; answers of kube-apiserver v1.36.2.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      enableInTreeAutoscaling: true
      autoscalerOptions:
        upscalingMode: aggressive  # <-
      gcsFaultToleranceOptions:
        backend: etcd  # <-
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayJob
    metadata: {name: nightly}
    spec:
      entrypoint: python main.py
      deletionStrategy:
        deletionRules:
        - policy: DeleteCluster
          condition:
            jobStatus: Succeeded  # <-
            ttlSeconds: 60
      rayClusterSpec:
        headGroupSpec:
          template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      enableInTreeAutoscaling: true
      autoscalerOptions: {upscalingMode: Aggressive, version: v2}
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    The server takes any text here; the operator or nobody objects later:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayJob
    metadata: {name: nightly}
    spec:
      entrypoint: python main.py
      submissionMode: k8sjobmode
      rayClusterSpec:
        headGroupSpec:
          serviceType: clusterip
          template: {spec: {restartPolicy: never, containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    for fault in faults(found, FaultKind.NOT_SUPPORTED):
        yield Problem(
            place(found, fault),
            f"{name(found, fault)} is {value(found, fault)}, which is not supported: the API server refuses the"
            f" {found.kind}",
            label=f"supported: {fault.wanted}",
            effect=refused(found, fault),
            fix=f"write one of {fault.wanted}",
            repair=_in_other_letters(place(found, fault), fault, raw(found, fault)),
        )


def _in_other_letters(at: Location, fault: SchemaFault, data: object) -> Repair | None:
    """The value that differs in the case of its letters alone."""
    values = [text.strip().strip('"') for text in fault.wanted.split(",")]
    same = [text for text in values if isinstance(data, str) and text.lower() == data.lower()]
    return safe(at.set(same[0])) if len(same) == 1 else None
