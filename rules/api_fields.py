"""Fields that the API server does not know, and fields that it misses."""

from __future__ import annotations

from raylint.finding import path_text
from raylint.manifest import RayObject
from raylint.rule import Problem, Severity, rule, safe, unsafe
from raylint.schema_fault import FaultKind
from raylint.schema_hints import hint

from .api_server import faults, name, place, raw, refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.finding import Path
    from raylint.narrow import FaultyObject
    from raylint.rule import Problems, Repair
    from raylint.schema_fault import SchemaFault
    from raylint.schema_hints import Hint


@rule(
    "API001",
    Severity.ERROR,
    fixes="safe or unsafe",
    reports=("FR-011", "FR-040", "FR-098", "FR-099", "FR-106"),
)
def unknown_field(found: FaultyObject) -> Problems:
    """A field that does not exist: kubectl refuses the manifest, other clients drop the field without a word.

    ## What it flags
    A field that the custom resource does not have in the target release of KubeRay: a misspelling
    (`workerGroupSpec`; letter case counts), a name that guides and chatbots made up (`gcsFaultTolerance`,
    `minWorkers`, `headGroup`), a field at the wrong level, a field of an earlier or later release, and a field
    that only `ray.io/v1` has in a `ray.io/v1alpha1` object.

    It says what was probably meant. Below a value of a wrong type it stays silent: API002 says what is wrong.

    ## What happens
    `kubectl apply` and `kubectl create` ask for strict validation: the server answers `unknown field` and
    nothing is applied. Helm, client libraries and many GitOps tools do not ask, or show no more than a warning:
    the server drops the field and stores the rest. The object then runs without it: no fault tolerance, no
    limits, no minimum of replicas, and nothing says so.

    ## Versions
    All. Helm does not upgrade CRDs, so an upgraded operator often works with the fields of the release that was
    installed first; `--kuberay` should name the release of the CRDs.

    ## Fix
    Write the field that was meant, or remove it. `--fix` corrects a slip of the pen that is near to one field
    alone; `--unsafe-fixes` renames what guides made up as well. Neither does if the field's content does not fit.

    ## When to ignore it
    When the CRDs in the cluster are newer than those that raylint knows; better: give them with `--crd`.

    ## Source
    The CRDs of ray-project/kuberay v1.0.0 to v1.7.0; answers of kube-apiserver v1.36.2 to 2,000 mutated manifests.

    ## Examples
    A name that looks right and never existed:

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultTolerance:  # <-
        enabled: true
        redisAddress: redis.data.svc:6379
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    Slips of the pen:

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer, lables: {team: a}}  # <-
    spec:
      rayVersions: 2.52.0  # <-
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, imgae: "rayproject/ray:2.52.0"}]}}  # <-
    ```

    A field that the operator in place does not have yet:

    ```yaml bad kuberay=1.2
    apiVersion: ray.io/v1
    kind: RayService
    metadata: {name: ranker}
    spec:
      rayClusterConfig:
        gcsFaultToleranceOptions:  # <-
          redisAddress: redis.data.svc:6379
        headGroupSpec:
          template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.9.3"}]}}
    ```

    Bounds of a group as the Ray cluster launcher calls them, and a selector one level too high:

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        minWorkers: 1  # <-
        maxWorkers: 5  # <-
        nodeSelector: {disk: ssd}  # <-
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions: {redisAddress: "redis.data.svc:6379"}
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    The older way to fault tolerance needs no field:

    ```yaml good near-miss kuberay=1.2
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: trainer
      annotations: {ray.io/ft-enabled: "true"}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.9.3
              env: [{name: RAY_REDIS_ADDRESS, value: "redis:6379"}]
    ```

    Maps of strings take any key, and a mapping where a text is due is a wrong type:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayJob
    metadata: {name: nightly}
    spec:
      entrypoint: python main.py
      runtimeEnvYAML:
        pip: [torch]
      rayClusterSpec:
        headGroupSpec:
          rayStartParams: {no-such-flag: "1"}
          template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    for fault in faults(found, FaultKind.UNKNOWN_FIELD):
        path = fault.path[len(found.path) :]
        meant = _hint(found, fault)
        message = f"unknown field {str(path[-1])!r}: kubectl refuses it, lenient clients drop it silently"
        yield Problem(
            place(found, fault),
            f"{message}; {meant.note}" if meant.note else message,
            label="no such field",
            effect=f'kubectl stops with: strict decoding error: unknown field "{path_text(path)}"; through Helm,'
            f" GitOps tools and client libraries the API server drops it and the {found.kind} runs without it",
            fix=meant.fix or f"remove it, or see the fields that exist with `raylint schema {found.kind}`",
            repair=_repair(found, fault, meant),
        )


@rule("API003", Severity.ERROR, reports=("FR-086",))
def missing_field(found: FaultyObject) -> Problems:
    """A required field is missing or null: the API server refuses the object.

    ## What it flags
    A field that the custom resource requires in the target release and that is not written, or is written with no
    value: a null is no value to the server. The object's own name counts.

    It stays silent where a misspelt name of the field stands in its place (API001 tells that), on required fields
    that have a default (`minReplicas` and `maxReplicas` of a worker group), and on `spec` itself, which no release
    requires.

    ## What happens
    The server answers `Required value` and nothing is created or changed. Every client is told.

    ## Versions
    All. `rayStartParams` is required up to KubeRay 1.3, a RayJob's `entrypoint` up to 1.2.1, a RayService's
    `rayClusterConfig` from 1.4 on, `gcsFaultToleranceOptions.redisAddress` from 1.3 to 1.6. `ray.io/v1alpha1`
    keeps the older requirements.

    ## Fix
    Write the field. A `template:` or `headGroupSpec:` with nothing behind it is often an indentation lost.

    ## When to ignore it
    Where another tool fills the field in before the object is applied; better check its output.

    ## Source
    The CRDs of ray-project/kuberay v1.0.0 to v1.7.0; answers of kube-apiserver v1.36.2.

    ## Examples
    A container without a name and a group without one:

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - image: rayproject/ray:2.52.0  # <-
      workerGroupSpecs:
      - replicas: 2  # <-
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    Lost indentation leaves the template empty:

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:  # <-
        spec:
          containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]
    ```

    KubeRay 1.3 and earlier want `rayStartParams`, if only `{}`:

    ```yaml bad kuberay=1.3
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:  # <-
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.41.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {generateName: trainer-}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    `minReplicas` and `maxReplicas` are required and have defaults:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        minReplicas:
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    for fault in faults(found, FaultKind.MISSING):
        path = fault.path[len(found.path) :]
        if _is_misspelt(found, path):
            continue
        written = found.document.written(fault.path)
        yield Problem(
            place(found, fault),
            f"{name(found, fault)} {'has no value' if written else 'is missing'}, but it is required: the API"
            f" server refuses the {found.kind}",
            label=f"{path[-1]} is required here",
            effect=refused(found, fault),
            fix="write metadata.name (or generateName)"
            if path[0] == "metadata"
            else f"write {path[-1]} where it belongs",
        )


def _repair(found: RayObject, fault: SchemaFault, meant: Hint) -> Repair | None:
    """The name that was meant, if what is written there could stand under it."""
    path = (*fault.path[len(found.path) : -1], meant.name)
    is_metadata = path[0] == "metadata"
    fits = is_metadata or found.schema.fits(found.api_version, found.kind, path, raw(found, fault))
    if not meant.name or not fits:
        return None
    return (safe if meant.slip else unsafe)(place(found, fault).rename(meant.name))


def _is_misspelt(found: RayObject, path: Path) -> bool:
    """Does an unknown field beside it mean this one? Then that is the mistake, and API001 tells it."""
    return any(
        _hint(found, fault).name == path[-1]
        for fault in faults(found, FaultKind.UNKNOWN_FIELD)
        if fault.path[len(found.path) : -1] == path[:-1]
    )


def _hint(found: RayObject, fault: SchemaFault) -> Hint:
    path = fault.path[len(found.path) :]
    return hint(found.schema, found.api_version, found.kind, path, found.target.kuberay_line)
