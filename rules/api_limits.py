"""Values of the right type that the API server does not take: ranges, forms and lengths."""

from __future__ import annotations

from raylint.patterns import pattern
from raylint.rule import Problem, Severity, rule, safe
from raylint.schema_fault import FaultKind

from .api_server import faults, name, place, raw, refused, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import FaultyObject
    from raylint.rule import Problems, Repair
    from raylint.schema_fault import SchemaFault

# What a text should be, and how to write it.
_FORMS = {
    "quantity": ("a quantity", "write a quantity such as 500m, 2 or 8Gi"),
    "time": ("a time", "write a time such as 2006-01-02T15:04:05Z, or leave the field to the server"),
}


@rule("API005", Severity.ERROR)
def number_out_of_range(found: FaultyObject) -> Problems:
    """A number outside the range of its field: the API server refuses the object.

    ## What it flags
    A whole number that does not fit into the field's 32 or 64 bits, and a number below a minimum or above a
    maximum that the custom resource sets.

    It stays silent where the server sets no bound: replica counts may be negative as far as it is concerned.

    ## What happens
    The server answers with the field and its bound, and nothing is created or changed.

    ## Versions
    All for the size of integers; the few minimums came with `deletionRules` (KubeRay 1.5),
    `rayClusterDeletionDelaySeconds` (1.5) and `preRunningDeadlineSeconds` (1.6).

    ## Fix
    Write a number within the range. For "no limit" leave the field out: `maxReplicas` is then 2147483647.

    ## When to ignore it
    Never: no server takes it.

    ## Source
    The CRDs of ray-project/kuberay v1.0.0 to v1.7.0; answers of kube-apiserver v1.36.2.

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
        maxReplicas: 9999999999  # <-
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
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
            jobStatus: SUCCEEDED
            ttlSeconds: -5  # <-
      rayClusterSpec:
        headGroupSpec:
          template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        maxReplicas: 2147483647
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    No minimum is set for replicas; the operator objects later:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: -1
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    for fault in faults(found, FaultKind.OUT_OF_RANGE):
        yield Problem(
            place(found, fault),
            f"{name(found, fault)} is {value(found, fault)}, out of its range: the API server refuses the"
            f" {found.kind}",
            label=f"allowed: {fault.wanted}",
            effect=refused(found, fault),
            fix=f"write a number in the range: {fault.wanted}",
        )


@rule("API006", Severity.ERROR, fixes="safe")
def malformed_value(found: FaultyObject) -> Problems:
    """A text that does not have the form of its field, above all a malformed quantity: the API server refuses it.

    ## What it flags
    A quantity (`resources`, `sizeLimit`, storage requests) that does not follow the server's grammar: an
    optional sign, a decimal number, then one of `Ki Mi Gi Ti Pi Ei`, `n u m k M G T P E`, or an exponent. `GB`,
    `gi`, blanks, commas and the empty text are none. Also texts that break another pattern of the custom
    resource, and times in the object's metadata that are none.

    It stays silent on `memory: 512m`, which is half a byte and quite legal.

    ## What happens
    The server answers `should match` with the pattern, and nothing is created or changed. For times in metadata it
    cannot decode the object at all.

    ## Versions
    All.

    ## Fix
    For memory write `512Mi` or `4Gi`, for CPUs `500m` or `"0.5"`.

    ## When to ignore it
    Never: no server takes it.

    ## Source
    The CRDs of ray-project/kuberay v1.0.0 to v1.7.0; kubernetes v1.36, `apimachinery/pkg/api/resource`; answers of
    kube-apiserver v1.36.2.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              resources:
                requests:
                  memory: 4GB  # <-
                  cpu: "1,5"  # <-
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: trainer
      creationTimestamp: yesterday  # <-
    spec:
      headGroupSpec:
        template:
          spec:
            containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]
            volumes:
            - name: shm
              emptyDir: {medium: Memory, sizeLimit: "4 Gi"}  # <-
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              resources: {requests: {memory: 4Gi, cpu: 1500m}}
    ```

    Odd and legal: exponents, a dot at the end, a sign, and milli-bytes:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              resources:
                requests: {memory: 4e9, cpu: "1.", ephemeral-storage: +5E, nvidia.com/gpu: "1"}
                limits: {memory: 512m}
    ```
    """
    for fault in faults(found, FaultKind.MALFORMED):
        wanted, fix = _FORMS.get(fault.wanted, ("of the form that the field asks for", fault.detail))
        yield Problem(
            place(found, fault),
            f"{name(found, fault)} is {value(found, fault)}, which is not {wanted}: the API server refuses the"
            f" {found.kind}",
            label="malformed",
            effect=refused(found, fault),
            fix=fix,
            repair=_repair(found, fault),
        )


def _repair(found: FaultyObject, fault: SchemaFault) -> Repair | None:
    """A quantity whose suffix is written in other letters, or behind a blank."""
    data = raw(found, fault)
    written = _AMOUNT.match(data) if isinstance(data, str) and fault.wanted == "quantity" else None
    suffix = _SUFFIXES.get(written[2].lower()) if written else None
    if written is None or suffix is None:
        return None
    return safe(place(found, fault).set(written[1] + suffix))


_AMOUNT = pattern(r"([0-9]+(?:\.[0-9]+)?)[ \t]*([A-Za-z]{1,3})\Z")
# No letter here has two meanings: a small m, a thousandth, is no fault in any case.
_SUFFIXES = {
    **{f"{sign}i{end}": f"{sign.upper()}i" for sign in "kmgtpe" for end in ("", "b")},
    **{f"{sign}{end}": sign.upper() for sign in "mgtp" for end in ("", "b") if sign != "m" or end},
    "k": "k", "kb": "k",
}  # fmt: skip


@rule("API007", Severity.ERROR)
def wrong_length(found: FaultyObject) -> Problems:
    """A text, list or mapping that is too long or too short: the API server refuses the object.

    ## What it flags
    A text with fewer or more characters, or a list or mapping with fewer or more items, than the custom resource
    allows: `deletionRules` must not be empty, `timeZone` of a RayCronJob must not be empty.

    It stays silent on an empty list of containers, which the server takes. Names of objects are API010's.

    ## What happens
    The server answers with the field and its bound, and nothing is created or changed.

    ## Versions
    `deletionRules` since KubeRay 1.5, `timeZone` since 1.7.

    ## Fix
    Fill the field, or leave it out.

    ## When to ignore it
    Never: no server takes it.

    ## Source
    The CRDs of ray-project/kuberay v1.0.0 to v1.7.0; answers of kube-apiserver v1.36.2.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayJob
    metadata: {name: nightly}
    spec:
      entrypoint: python main.py
      deletionStrategy:
        deletionRules: []  # <-
      rayClusterSpec:
        headGroupSpec:
          template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCronJob
    metadata: {name: nightly}
    spec:
      schedule: "0 3 * * *"
      timeZone: ""  # <-
      jobTemplate:
        entrypoint: python main.py
        rayClusterSpec:
          headGroupSpec:
            template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCronJob
    metadata: {name: nightly}
    spec:
      schedule: "0 3 * * *"
      timeZone: Etc/UTC
      jobTemplate:
        entrypoint: python main.py
        rayClusterSpec:
          headGroupSpec:
            template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    No containers, no entrypoint: nothing for the server to object to.

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayJob
    metadata: {name: nightly}
    spec:
      entrypoint: ""
      rayClusterSpec:
        headGroupSpec:
          template: {spec: {containers: []}}
    ```
    """
    for fault in faults(found, FaultKind.SIZE):
        yield Problem(
            place(found, fault),
            f"{name(found, fault)} must have {fault.wanted}: the API server refuses the {found.kind}",
            label=f"allowed: {fault.wanted}",
            effect=refused(found, fault),
            fix=f"give it {fault.wanted}, or leave the field out",
        )
