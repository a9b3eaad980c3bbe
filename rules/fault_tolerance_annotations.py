"""The annotations that older KubeRay releases turned fault tolerance on with."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.fault_tolerance import FT_ANNOTATION, NAMESPACE_ANNOTATION, Means
from raylint.rule import Problem, Severity, rule, unsafe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from raylint.field import View
    from raylint.pod import EnvVar
    from raylint.rule import Edit, Location, Problems, Repair

MENTIONS = ("ray.io/ft-enabled", "ray.io/external-storage-namespace")


# What comes of an annotation that nobody reads: for the message, and for people on call.
_OUTCOMES = {
    FT_ANNOTATION: (
        "fault tolerance stays off",
        "the state of the GCS is lost with the head although the manifest seems to keep it",
    ),
    NAMESPACE_ANNOTATION: (
        "the storage namespace is another one",
        "the keys lie in Redis under another prefix than the one written, by default the RayCluster's UID",
    ),
}


@rule("RAY117", Severity.INFO, kuberay="1.3..", reports=("FR-012",), fixes="unsafe")
def legacy_fault_tolerance(cluster: RayCluster) -> Problems:
    """Fault tolerance by annotation and variable works, and has been replaced by a field.

    ## What it flags
    The annotation `ray.io/ft-enabled: "true"` together with `RAY_REDIS_ADDRESS` in the head's Ray container, where
    KubeRay knows `gcsFaultToleranceOptions`.

    It stays silent up to KubeRay 1.2 and for `ray.io/v1alpha1`, which do not have the field.

    ## What happens
    Nothing breaks. The annotation is deprecated; password, user and storage namespace have fields of their own
    now, which KubeRay checks, while a misspelled annotation or variable is never noticed.

    ## Versions
    `gcsFaultToleranceOptions` exists since KubeRay 1.3. Both ways at once are refused.

    ## Fix
    Move the address to `gcsFaultToleranceOptions.redisAddress` (a value from elsewhere as `$(NAME)`), the password
    to `redisPassword.valueFrom`, the storage namespace to `externalStorageNamespace`, and remove the annotations,
    the variables and `redis-password`. This changes the pod template: KubeRay makes a running RayService's cluster
    anew.

    ## When to ignore it
    When the same manifest must serve an operator before 1.3.

    ## Source
    ray-project/kuberay v1.7.0, `validation.go` and the sample `ray-cluster.deprecate-gcs-ft.yaml`.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: trainer
      annotations:
        ray.io/ft-enabled: "true"  # <-
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              env: [{name: RAY_REDIS_ADDRESS, value: "redis:6379"}]
    ```

    ```yaml bad kuberay=1.3
    apiVersion: ray.io/v1
    kind: RayService
    metadata:
      name: ranker
      annotations:
        ray.io/ft-enabled: "True"  # <-
    spec:
      rayClusterConfig:
        headGroupSpec:
          template:
            spec:
              containers:
              - name: ray-head
                image: rayproject/ray:2.52.0
                env:
                - name: RAY_REDIS_ADDRESS
                  valueFrom: {configMapKeyRef: {name: redis, key: address}}
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

    KubeRay 1.2 has no field for it:

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
    """
    fault_tolerance = cluster.gcs_fault_tolerance
    address = fault_tolerance.address_env
    if fault_tolerance.means is Means.ANNOTATION and address is not None and cluster.serves_v1:
        yield Problem(
            fault_tolerance.at_switch,
            f"{FT_ANNOTATION} is the older way to fault tolerance; gcsFaultToleranceOptions has replaced it",
            label="deprecated since KubeRay 1.3",
            because=[(address.at_key("name"), "becomes gcsFaultToleranceOptions.redisAddress")],
            effect="it works up to KubeRay 1.7; a typo in the annotation or the variables is noticed by nobody",
            fix="write gcsFaultToleranceOptions with redisAddress and redisPassword, and remove the annotation and"
            " RAY_REDIS_ADDRESS",
            repair=_rewritten(cluster, address),
        )


def _rewritten(cluster: RayCluster, address: EnvVar) -> Repair | None:
    """The options that say the same, in place of annotations, variables and parameter."""
    container, params, notes = cluster.head.ray_container, cluster.head.start_params, cluster.annotations
    password, namespace = container.env("REDIS_PASSWORD"), notes.string(NAMESPACE_ANNOTATION)
    value, parameter = address.value.value, params.data.get("redis-password")
    if (
        value is None
        or "$(" in value
        or params.has("redis-username")
        or container.env("REDIS_USERNAME") is not None
    ):
        return None
    if not namespace.known or (parameter is not None and (password is None or parameter != "$REDIS_PASSWORD")):
        return None
    options: dict[str, object] = {"redisAddress": value}
    if password is not None:
        if not isinstance(password.data.get("valueFrom"), dict):
            return None
        options["redisPassword"] = {"valueFrom": password.data["valueFrom"]}
    if namespace:
        options["externalStorageNamespace"] = namespace.value
    gone = [notes.at_key(key) for key in (FT_ANNOTATION, NAMESPACE_ANNOTATION) if key in notes.data]
    variables = [entry.at for entry in (address, password) if entry is not None]
    return unsafe(
        *_deleted(gone, len(notes.data), notes.at),
        *_deleted(variables, len(container.env_vars), container.at_key("env")),
        *(() if parameter is None else (params.at_key("redis-password").delete(),)),
        cluster.at_key("gcsFaultToleranceOptions").set(options),
    )


def _deleted(places: Sequence[Location], number: int, around: Location) -> list[Edit]:
    """Without the entries; where they are all there is, without what is around them."""
    return [around.delete()] if len(places) == number else [place.delete() for place in places]


@rule("RAY120", Severity.WARNING, reports=("FR-015",), fixes="unsafe")
def fault_tolerance_annotation_on_pod(cluster: RayCluster) -> Problems:
    """An annotation for fault tolerance in a place where KubeRay does not read it.

    ## What it flags
    `ray.io/ft-enabled` or `ray.io/external-storage-namespace` under a pod template's `metadata.annotations`, or on
    a RayCronJob, which passes no annotation on.

    It stays silent where the annotation changes nothing: `ray.io/ft-enabled: "false"`, fault tolerance that is on
    anyway, a storage namespace that is in force anyway, or one where no Redis is used.

    ## What happens
    KubeRay reads these annotations from the object that is applied. On a pod template they do nothing; KubeRay
    writes its own values over those of the head. The cluster has no fault tolerance, or keeps its state under
    another name than the one written, and nobody says so.

    ## Versions
    All.

    ## Fix
    Write `gcsFaultToleranceOptions` (KubeRay 1.3 and later), for a RayCronJob inside `jobTemplate.rayClusterSpec`;
    or move the annotation to the object's own `metadata`.

    ## When to ignore it
    When something else reads the pod's annotation.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go`, `rayjob_controller.go`, `raycronjob_controller.go`.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:
          metadata:
            annotations:
              ray.io/ft-enabled: "true"  # <-
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              env: [{name: RAY_REDIS_ADDRESS, value: "redis:6379"}]
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions: {redisAddress: "redis.data.svc:6379"}
      headGroupSpec:
        template:
          metadata:
            labels: {team: vision}
            annotations:
              ray.io/external-storage-namespace: trainer  # <-
              team: vision
          spec:
            containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCronJob
    metadata:
      name: nightly
      annotations:
        ray.io/ft-enabled: "true"  # <-
    spec:
      schedule: "0 3 * * *"
      jobTemplate:
        entrypoint: python main.py
        rayClusterSpec:
          headGroupSpec:
            template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: trainer
      annotations: {ray.io/ft-enabled: "true", ray.io/external-storage-namespace: trainer}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              env: [{name: RAY_REDIS_ADDRESS, value: "redis:6379"}]
    ```

    Fault tolerance is on by other means; the annotation is only superfluous:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions: {redisAddress: "redis.data.svc:6379"}
      headGroupSpec:
        template:
          metadata: {annotations: {ray.io/ft-enabled: "true"}}
          spec:
            containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]
    ```
    """
    for unread, where in _unread_annotations(cluster):
        for name in (FT_ANNOTATION, NAMESPACE_ANNOTATION):
            written = unread.string(name)
            if not written or _changes_nothing(cluster, name, written.value):
                continue
            yield written.flag(
                f"{name} stands on {where}, where KubeRay does not read it; {_OUTCOMES[name][0]}",
                label="not read here",
                effect=_OUTCOMES[name][1],
                fix=_better_place(cluster, name),
                repair=_moved(cluster, unread, name),
            )


def _unread_annotations(cluster: RayCluster) -> Iterator[tuple[View, str]]:
    if cluster.kind == "RayCronJob":
        yield cluster.owner.annotations, "a RayCronJob"
    for group in cluster.groups:
        yield group.template.annotations, f"the pod template of the {group.title}"


def _changes_nothing(cluster: RayCluster, name: str, value: str | None) -> bool:
    fault_tolerance = cluster.gcs_fault_tolerance
    if name == FT_ANNOTATION:
        return bool(fault_tolerance) or (value or "").lower() == "false"
    return not fault_tolerance.uses_redis or value in (None, fault_tolerance.storage_namespace.value)


def _moved(cluster: RayCluster, unread: View, name: str) -> Repair | None:
    """The annotation where KubeRay reads it, or the option that has replaced it; None where a person has to say
    more than it does, such as where Redis is, or where every cluster of a RayService would have the same name."""
    fault_tolerance, value = cluster.gcs_fault_tolerance, unread.string(name).value
    one_for_all = name == NAMESPACE_ANNOTATION and cluster.kind == "RayService"
    if value is None or one_for_all or (name == NAMESPACE_ANNOTATION and fault_tolerance.storage_namespace):
        return None
    if fault_tolerance.means is Means.OPTIONS:
        place = fault_tolerance.at_key("externalStorageNamespace")
    elif fault_tolerance.address_env is not None and cluster.kind != "RayCronJob":
        place = cluster.annotations.at_key(name)
    else:
        return None
    gone = _deleted([unread.at_key(name)], len(unread.data), unread.at)
    return unsafe(*gone, place.set(value))


def _better_place(cluster: RayCluster, name: str) -> str:
    option = "redisAddress" if name == FT_ANNOTATION else "externalStorageNamespace"
    field = f"gcsFaultToleranceOptions with {option} (KubeRay 1.3 and later)"
    if cluster.kind == "RayCronJob":
        return f"write {field} in jobTemplate.rayClusterSpec"
    return f"write {field}, or move the annotation to metadata.annotations of the {cluster.kind}"
