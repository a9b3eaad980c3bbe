"""The password and the user for Redis."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.patterns import pattern
from raylint.rule import Severity, rule, unsafe

from .address import address_in_force

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.field import Field
    from raylint.group import HeadGroup
    from raylint.rule import Problems

MENTIONS = (
    "gcsFaultToleranceOptions",
    "ray.io/ft-enabled",
    "RAY_REDIS_ADDRESS",
    "redis-password",
    "REDIS_PASSWORD",
)

PASSWORD_PARAM = "redis-password"
USERNAME_PARAM = "redis-username"
PASSWORD_ENV = "REDIS_PASSWORD"

_REFERENCE = pattern(r'"?\$(?:\{(\w+)\}|\((\w+)\)|(\w+))"?\Z')


@rule("RAY113", Severity.ERROR, reports=("FR-008",), fixes="unsafe")
def redis_password_variable_missing(cluster: RayCluster) -> Problems:
    """A Redis password that is read from a variable which the head does not have.

    ## What it flags
    `redis-password` or (up to KubeRay 1.2) `redis-username` in the head's `rayStartParams`, written as `$NAME`,
    `${NAME}` or `$(NAME)`, while `NAME` is not in the `env` of the head's Ray container.

    It stays silent with `envFrom`, which may bring the variable, where the head uses no Redis, and with
    `gcsFaultToleranceOptions`, next to which KubeRay refuses these parameters.

    ## What happens
    The shell in the head's container finds nothing under the name, and Ray logs in without a password: a protected
    Redis answers `NOAUTH` and the head restarts for ever. `$REDIS_PASSWORD` is worse: KubeRay sees no variable of
    this name, makes one and gives it the parameter's text, so that Ray sends the text `$REDIS_PASSWORD` itself as
    the password: `WRONGPASS`, or `ERR AUTH` from a Redis that has none.

    ## Versions
    All with the annotation `ray.io/ft-enabled`.

    ## Fix
    Use `gcsFaultToleranceOptions.redisPassword.valueFrom` (KubeRay 1.3), which makes variable and parameter. With
    the annotation: give the head's Ray container the variable from a Secret, under the name that the parameter
    uses.

    ## When to ignore it
    When the image itself sets the variable.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go` (`configureGCSFaultTolerance`), run with v1.7.0;
    ray-project/kuberay#986; the replies were run with Ray 2.9.3, 2.40.0, 2.51.1 and 2.60.0.

    ## Examples
    The variable has another name:

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: trainer
      annotations: {ray.io/ft-enabled: "true"}
    spec:
      headGroupSpec:
        rayStartParams:
          redis-password: $REDIS_PW  # <-
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              env:
              - {name: RAY_REDIS_ADDRESS, value: "redis:6379"}
              - name: REDIS_PASSWORD
                valueFrom: {secretKeyRef: {name: redis, key: password}}
    ```

    No variable at all:

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: trainer
      annotations: {ray.io/ft-enabled: "true"}
    spec:
      headGroupSpec:
        rayStartParams:
          redis-password: $REDIS_PASSWORD  # <-
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              env: [{name: RAY_REDIS_ADDRESS, value: "redis:6379"}]
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: trainer
      annotations: {ray.io/ft-enabled: "true"}
    spec:
      headGroupSpec:
        rayStartParams: {redis-password: $REDIS_PASSWORD}
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              env:
              - {name: RAY_REDIS_ADDRESS, value: "redis:6379"}
              - name: REDIS_PASSWORD
                valueFrom: {secretKeyRef: {name: redis, key: password}}
    ```

    The Secret may hold the variable:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: trainer
      annotations: {ray.io/ft-enabled: "true"}
    spec:
      headGroupSpec:
        rayStartParams: {redis-password: $REDIS_PW}
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              env: [{name: RAY_REDIS_ADDRESS, value: "redis:6379"}]
              envFrom: [{secretRef: {name: redis}}]
    ```
    """
    head = cluster.head
    refused = cluster.gcs_fault_tolerance.by_options
    if address_in_force(cluster) is None or refused or head.ray_container.has_env_from:
        return
    # From KubeRay 1.3 on the user is refused here.
    params = (PASSWORD_PARAM,) if cluster.target.kuberay_at_least(1, 3) else (PASSWORD_PARAM, USERNAME_PARAM)
    for param in params:
        written = head.start_param(param)
        match = _REFERENCE.match(written.value or "")
        if match is None:
            continue
        name = match[1] or match[2] or match[3]
        if head.ray_container.env(name) is not None:
            continue
        # The password is there under the name that KubeRay itself uses.
        is_there = param == PASSWORD_PARAM and head.ray_container.env(PASSWORD_ENV) is not None
        copied = param == PASSWORD_PARAM and name == PASSWORD_ENV
        yield written.flag(
            f"{param} reads the variable {name}, which the head's Ray container does not have; the login to Redis"
            " fails",
            label=f"no variable {name} in the head's env",
            effect="KubeRay makes the variable of the parameter's own text: Redis answers WRONGPASS, and the head"
            " restarts for ever"
            if copied
            else "Ray logs in with nothing: a protected Redis answers NOAUTH, and the head restarts for ever",
            fix="use gcsFaultToleranceOptions.redisPassword.valueFrom (KubeRay 1.3 and later), or add the variable"
            f" {name} to the env of the head's first container, from a Secret",
            repair=unsafe(written.at.set(f"${PASSWORD_ENV}")) if is_there else None,
        )


@rule("RAY114", Severity.WARNING, reports=("FR-008",))
def redis_password_in_clear_text(cluster: RayCluster) -> Problems:
    """The password of Redis stands in the manifest for everybody to read.

    ## What it flags
    A literal password in `gcsFaultToleranceOptions.redisPassword.value`, in `redis-password` of the head's
    `rayStartParams`, or in the variable `REDIS_PASSWORD` of the head's Ray container. References (`$NAME`,
    `$(NAME)`, `valueFrom`) and templates are fine. The message never repeats the password.

    ## What happens
    Whoever may read the manifest, the RayCluster or its pods reads the password: it is in the repository's
    history, in the pod's spec, and from `redis-password` also in the command line of `ray start`. With it one can
    read and change the whole state of the cluster, functions that workers run included.

    ## Versions
    All.

    ## Fix
    Put the password into a Secret and write `redisPassword.valueFrom.secretKeyRef` (KubeRay 1.3 and later); with
    the older annotation a variable `REDIS_PASSWORD` from the Secret and `redis-password: $REDIS_PASSWORD`. Change
    the password: the old one is known. The Secret's value must not end in a line break.

    ## When to ignore it
    For a Redis that lives in a test only.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go`; ray-project/kuberay#957.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions:
        redisAddress: redis.data.svc:6379
        redisPassword:
          value: correct-horse  # <-
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: trainer
      annotations: {ray.io/ft-enabled: "true"}
    spec:
      headGroupSpec:
        rayStartParams:
          redis-password: correct-horse  # <-
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              env:
              - {name: RAY_REDIS_ADDRESS, value: "redis:6379"}
              - name: REDIS_PASSWORD
                value: correct-horse  # <-
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions:
        redisAddress: redis.data.svc:6379
        redisPassword:
          valueFrom: {secretKeyRef: {name: redis, key: password}}
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    A reference is no password:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: trainer
      annotations: {ray.io/ft-enabled: "true"}
    spec:
      headGroupSpec:
        rayStartParams: {redis-password: $REDIS_PASSWORD}
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              env:
              - {name: RAY_REDIS_ADDRESS, value: "redis:6379"}
              - name: REDIS_PASSWORD
                valueFrom: {secretKeyRef: {name: redis, key: password}}
    ```
    """
    for where, password in _passwords(cluster.head):
        text = (password.value or "").strip("'\" \n")
        if text and not text.startswith("$"):
            yield password.flag(
                f"the Redis password stands in clear text in {where}; whoever reads the manifest has it",
                label="a literal password",
                effect="the password is in the repository, in the RayCluster and in its pods; with it one can"
                " change the cluster's state and run code on its workers",
                fix="put it into a Secret, write gcsFaultToleranceOptions.redisPassword.valueFrom.secretKeyRef"
                " (KubeRay 1.3 and later), and change the password",
            )


def _passwords(head: HeadGroup) -> Iterator[tuple[str, Field[str]]]:
    yield "redisPassword.value", head.cluster.gcs_fault_tolerance.redis_password.string("value")
    yield f"rayStartParams ({PASSWORD_PARAM})", head.start_param(PASSWORD_PARAM)
    variable = head.ray_container.env(PASSWORD_ENV)
    if variable is not None:
        yield f"the variable {PASSWORD_ENV}", variable.value
