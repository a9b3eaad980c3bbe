"""GCS fault tolerance that the operator refuses: two means at once, or Redis set up beside them."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.fault_tolerance import FT_ANNOTATION, NAMESPACE_ANNOTATION, REDIS_ADDRESS_ENV
from raylint.field import Field
from raylint.rule import safe

from .refusal import refused, refuses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.pod import EnvVar
    from raylint.rule import Problems, Repair

# One of these is written wherever a rule here has something to say.
MENTIONS = ("gcsFaultToleranceOptions", "RAY_REDIS_ADDRESS", "redis-username", "REDIS_USERNAME")
_OPTIONS = "gcsFaultToleranceOptions"


@refuses("KR038", "1.3..", _OPTIONS, fixes="safe")
def fault_tolerance_twice(cluster: RayCluster) -> Problems:
    """The operator refuses the annotation `ray.io/ft-enabled` beside `gcsFaultToleranceOptions`.

    The annotation with any text, `"false"` included, on an object whose cluster has the options, be they empty. A
    RayJob's and a RayService's own annotations count; a RayCronJob's do not.

    Fix: Remove the annotation; the options alone turn fault tolerance on.

    bad RayCluster
      meta: annotations: {ray.io/ft-enabled: "true"}  # <-
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis:6379"}
    bad RayService -- Off is refused as well:
      meta: annotations: {ray.io/ft-enabled: "false"}  # <-
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis:6379"}
    good RayCluster
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis:6379"}
    near-miss RayCluster -- Empty text is as good as none:
      meta: annotations: {ray.io/ft-enabled: ""}
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis:6379"}
    """
    annotation = cluster.annotations.string(FT_ANNOTATION)
    if annotation.value:
        yield refused(
            cluster,
            annotation,
            f"{FT_ANNOTATION}: {annotation.value!r} beside gcsFaultToleranceOptions",
            because=[(cluster.at_key(_OPTIONS).key(), "fault tolerance by the newer means")],
            fix="remove the annotation: the options alone turn fault tolerance on",
            repair=safe(annotation.at.delete()) if annotation.value.lower() == "true" else None,
        )


@refuses("KR039", "1.3..")
def redis_address_without_fault_tolerance(cluster: RayCluster) -> Problems:
    """The operator refuses `RAY_REDIS_ADDRESS` on a head whose fault tolerance is off.

    The variable in the `env` of the head's first container, whatever its value, where there are neither
    `gcsFaultToleranceOptions` nor the annotation `ray.io/ft-enabled: "true"`. `"True"` will do, `"true "` will
    not.

    Fix: Write `gcsFaultToleranceOptions.redisAddress` instead of the variable; or remove it.

    bad RayCluster
      head.ray: env: [{name: RAY_REDIS_ADDRESS, value: "redis:6379"}]  # <-
    bad RayCluster
      meta: annotations: {ray.io/ft-enabled: "false"}
      head.ray: env: [{name: RAY_REDIS_ADDRESS, value: "redis:6379"}]  # <-
    good RayCluster
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis:6379"}
    near-miss RayCluster
      meta: annotations: {ray.io/ft-enabled: "TRUE"}
      head.ray: env: [{name: RAY_REDIS_ADDRESS, value: "redis:6379"}]
    """
    variable = cluster.gcs_fault_tolerance.address_env
    if variable is None or cluster.gcs_fault_tolerance:
        return
    if cluster.annotations.string(FT_ANNOTATION).known:
        yield refused(
            cluster,
            variable.at,
            f"{REDIS_ADDRESS_ENV} is set on the head, but GCS fault tolerance is off",
            fix="write gcsFaultToleranceOptions.redisAddress instead of the variable, or remove the variable",
        )


@refuses("KR040", "1.3..", _OPTIONS)
def options_and_redis_password_param(cluster: RayCluster) -> Problems:
    """The operator refuses the start parameter `redis-password` beside `gcsFaultToleranceOptions`.

    `redis-password` in the head's `rayStartParams`, unless it is empty text, in a cluster with the options.

    Fix: Write `gcsFaultToleranceOptions.redisPassword.valueFrom.secretKeyRef`.

    bad RayCluster
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis:6379"}
      head: rayStartParams: {redis-password: $REDIS_PASSWORD}  # <-
    bad RayJob
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis:6379"}
      head: rayStartParams: {redis-password: "5241590000000000"}  # <-
    good RayCluster
      cluster: gcsFaultToleranceOptions:
      cluster:   redisAddress: redis:6379
      cluster:   redisPassword: {valueFrom: {secretKeyRef: {name: redis, key: password}}}
    near-miss RayCluster
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis:6379"}
      head: rayStartParams: {redis-password: ""}
    """
    param = cluster.head.start_param("redis-password")
    if _is_set(param):
        yield refused(
            cluster, param, "rayStartParams has redis-password beside gcsFaultToleranceOptions", fix=_PASSWORD
        )


def _is_set(param: Field[str]) -> bool:
    """Is it more than empty text? What cannot be known is not empty: a template that gives none is not written."""
    return bool(param) and param.value != ""


_PASSWORD = "remove it and write gcsFaultToleranceOptions.redisPassword.valueFrom.secretKeyRef"


@refuses("KR041", "1.3..", _OPTIONS, fixes="safe")
def options_and_redis_password_env(cluster: RayCluster) -> Problems:
    """The operator refuses the variable `REDIS_PASSWORD` beside `gcsFaultToleranceOptions`.

    `REDIS_PASSWORD` in the `env` of the head's first container in a cluster with the options, whatever its value.

    Fix: Move it to `gcsFaultToleranceOptions.redisPassword`, which takes `value` or `valueFrom`.

    bad RayCluster
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis:6379"}
      head.ray: env:
      head.ray: - name: REDIS_PASSWORD  # <-
      head.ray:   valueFrom: {secretKeyRef: {name: redis, key: password}}
    bad RayService
      cluster: gcsFaultToleranceOptions: {}
      head.ray: env: [{name: REDIS_PASSWORD}]  # <-
    good RayCluster
      cluster: gcsFaultToleranceOptions:
      cluster:   redisAddress: redis:6379
      cluster:   redisPassword: {valueFrom: {secretKeyRef: {name: redis, key: password}}}
    near-miss RayCluster -- On a worker it does no harm:
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis:6379"}
      group.ray: env: [{name: REDIS_PASSWORD, value: ""}]
    """
    variable = cluster.head.ray_container.env("REDIS_PASSWORD")
    if variable is not None:
        yield refused(
            cluster,
            variable.at,
            "the head has the variable REDIS_PASSWORD beside gcsFaultToleranceOptions",
            fix=_PASSWORD,
            repair=_moved_password(cluster, variable),
        )


def _moved_password(cluster: RayCluster, variable: EnvVar) -> Repair | None:
    """The variable's source as the option's, where it is the only one."""
    options, source = cluster.part(_OPTIONS), variable.data.get("valueFrom")
    if options.has("redisPassword") or not isinstance(source, dict):
        return None
    return safe(variable.at.delete(), options.at_key("redisPassword").set({"valueFrom": source}))


@refuses("KR042", "1.3..", _OPTIONS, fixes="safe")
def options_and_redis_address_env(cluster: RayCluster) -> Problems:
    """The operator refuses the variable `RAY_REDIS_ADDRESS` beside `gcsFaultToleranceOptions`.

    `RAY_REDIS_ADDRESS` in the `env` of the head's first container in a cluster with the options, whatever its
    value.

    Fix: Keep `gcsFaultToleranceOptions.redisAddress`, of which KubeRay makes the variable.

    bad RayCluster
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis:6379"}
      head.ray: env: [{name: RAY_REDIS_ADDRESS, value: "redis:6379"}]  # <-
    bad RayJob
      cluster: gcsFaultToleranceOptions: {}
      head.ray: env: [{name: RAY_REDIS_ADDRESS, value: "redis:6379"}]  # <-
    good RayCluster
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis:6379"}
    near-miss RayCluster -- By annotation the variable is the only way:
      meta: annotations: {ray.io/ft-enabled: "true"}
      head.ray: env: [{name: RAY_REDIS_ADDRESS, value: "redis:6379"}]
    """
    variable = cluster.gcs_fault_tolerance.address_env
    if variable is not None:
        yield refused(
            cluster,
            variable.at,
            f"{REDIS_ADDRESS_ENV} is set on the head beside gcsFaultToleranceOptions",
            fix="remove the variable: KubeRay makes it of gcsFaultToleranceOptions.redisAddress",
            repair=safe(variable.at.delete()) if _is_the_address(cluster, variable) else None,
        )


@refuses("KR043", "1.3..", _OPTIONS, fixes="safe")
def options_and_namespace_annotation(cluster: RayCluster) -> Problems:
    """The operator refuses the annotation `ray.io/external-storage-namespace` beside `gcsFaultToleranceOptions`.

    The annotation with any text on an object whose cluster has the options.

    Fix: Write `gcsFaultToleranceOptions.externalStorageNamespace`.

    bad RayCluster
      meta: annotations: {ray.io/external-storage-namespace: team-a}  # <-
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis:6379"}
    bad RayJob
      meta: annotations: {ray.io/external-storage-namespace: team-a}  # <-
      cluster: gcsFaultToleranceOptions: {}
    good RayCluster
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis:6379", externalStorageNamespace: team-a}
    near-miss RayCluster
      meta: annotations: {ray.io/external-storage-namespace: ""}
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis:6379"}
    """
    annotation = cluster.annotations.string(NAMESPACE_ANNOTATION)
    if _is_set(annotation):
        yield refused(
            cluster,
            annotation,
            f"the annotation {NAMESPACE_ANNOTATION} beside gcsFaultToleranceOptions",
            fix="write gcsFaultToleranceOptions.externalStorageNamespace instead of the annotation",
            repair=_moved_namespace(cluster, annotation),
        )


def _is_the_address(cluster: RayCluster, variable: EnvVar) -> bool:
    address = cluster.part(_OPTIONS).string("redisAddress").value
    return address is not None and variable.value.value == address


def _moved_namespace(cluster: RayCluster, annotation: Field[str]) -> Repair | None:
    """The annotation's value as the option's, or no annotation where both say the same."""
    option = cluster.part(_OPTIONS).string("externalStorageNamespace")
    if annotation.value is None or (option and option.value != annotation.value):
        return None
    return safe(annotation.at.delete(), *(() if option else (option.at.set(annotation.value),)))


@refuses("KR054", "1.3..")
def redis_username_outside_options(cluster: RayCluster) -> Problems:
    """The operator refuses a Redis user name anywhere but in `gcsFaultToleranceOptions`.

    `redis-username` in the head's `rayStartParams`, unless it is empty text, or `REDIS_USERNAME` in the `env` of
    the head's first container, with or without fault tolerance.

    Fix: Write `gcsFaultToleranceOptions.redisUsername`. It needs Ray 2.41 or later.

    bad RayCluster
      head: rayStartParams: {redis-username: default}  # <-
    bad RayCluster
      meta: annotations: {ray.io/ft-enabled: "true"}
      head.ray: env: [{name: REDIS_USERNAME, value: default}]  # <-
    good RayCluster
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis:6379", redisUsername: {value: default}}
    near-miss RayCluster -- The head alone is looked at:
      group: rayStartParams: {redis-username: ""}
      group.ray: env: [{name: REDIS_USERNAME, value: default}]
    """
    param = cluster.head.start_param("redis-username")
    if _is_set(param):
        yield refused(cluster, param, "rayStartParams of the head has redis-username", fix=_USERNAME)
    variable = cluster.head.ray_container.env("REDIS_USERNAME")
    if variable is not None:
        yield refused(cluster, variable.at, "the head has the variable REDIS_USERNAME", fix=_USERNAME)


_USERNAME = "remove it and write gcsFaultToleranceOptions.redisUsername (Ray 2.41 and later)"
