"""TLS between the head and Redis."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.rule import Confidence, Severity, rule
from raylint.target import version_text

from .address import RedisAddress, address_in_force

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.field import Field
    from raylint.rule import Problems

MENTIONS = ("gcsFaultToleranceOptions", "ray.io/ft-enabled", "RAY_REDIS_ADDRESS")

CA_VARIABLES = ("RAY_REDIS_CA_CERT", "RAY_REDIS_CA_PATH")
# The variables of OpenSSL's own store: ignored by Ray 2.9.3, honoured by 2.51.1 and 2.60.0, in between not known.
OPENSSL_VARIABLES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
# What the names of clusters and of networks of one's own end in.
_PRIVATE = ("cluster", "corp", "home", "internal", "intranet", "lan", "local", "localdomain", "private", "svc")
ENABLE_SSL_ENV = "RAY_REDIS_ENABLE_SSL"


@rule("RAY111", Severity.WARNING, ray="..2.6", reports=("FR-006",))
def redis_tls_before_ray_2_7(cluster: RayCluster) -> Problems:
    """TLS to Redis did not work reliably before Ray 2.7.

    ## What it flags
    A head of Ray 2.6 or older whose Redis address begins with `rediss://`, or whose Ray container sets
    `RAY_REDIS_ENABLE_SSL`, a variable that guides of that time name.

    ## What happens
    The GCS does not come up: `Failed to start GCS` in the head's log, without a word on TLS, and the head restarts
    for ever.

    ## Versions
    Reported for Ray 2.4 to 2.6. From 2.7 on `rediss://` works, with a CA (see RAY112).

    ## Fix
    Use Ray 2.7 or later, ask for TLS by `rediss://` alone, and remove `RAY_REDIS_ENABLE_SSL`.

    ## When to ignore it
    When the very image was seen to start with this Redis.

    ## Source
    ray-project/ray#36792, ray-project/ray#39220.

    ## Examples
    ```yaml bad
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
              image: rayproject/ray:2.6.3
              env:
              - name: RAY_REDIS_ADDRESS
                value: rediss://redis:6379  # <-
              - {name: RAY_REDIS_CA_CERT, value: /tls/ca.crt}
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: trainer
      annotations: {ray.io/ft-enabled: "true"}
    spec:
      rayVersion: 2.5.1
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: registry.example/ray:stable
              env:
              - {name: RAY_REDIS_ADDRESS, value: "redis:6379"}
              - name: RAY_REDIS_ENABLE_SSL
                value: "true"  # <-
    ```

    ```yaml good
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
              image: rayproject/ray:2.6.3
              env: [{name: RAY_REDIS_ADDRESS, value: "redis:6379"}]
    ```

    Ray 2.7:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions: {redisAddress: "rediss://redis:6379"}
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.7.0
              env: [{name: RAY_REDIS_CA_CERT, value: /tls/ca.crt}]
    ```
    """
    field = address_in_force(cluster)
    if field is None:
        return
    places: list[tuple[str, Field[str]]] = []
    if _asks_for_tls(field):
        places.append(("the Redis address asks for TLS (rediss://)", field))
    variable = cluster.head.ray_container.env(ENABLE_SSL_ENV)
    if variable is not None and (variable.value.value or "").lower() in ("1", "true"):
        places.append((f"{ENABLE_SSL_ENV} asks for TLS", variable.value))
    version = version_text(cluster.ray_version or ())
    for what, place in places:
        yield place.flag(
            f"{what}, which fails with Ray {version}; the head does not start",
            label="TLS to Redis works from Ray 2.7 on",
            effect='the head\'s log says "Failed to start GCS" and the head restarts for ever (Ray 2.4 to 2.6)',
            fix="use Ray 2.7 or later with a rediss:// address and RAY_REDIS_CA_CERT",
        )


@rule("RAY112", Severity.WARNING, confidence=Confidence.MEDIUM, reports=("FR-007",))
def rediss_without_ca(cluster: RayCluster) -> Problems:
    """TLS to Redis without a CA: the certificate is verified and fails.

    ## What it flags
    A Redis address that begins with `rediss://` while the head's Ray container sets neither `RAY_REDIS_CA_CERT` (a
    file) nor `RAY_REDIS_CA_PATH` (a folder).

    It stays silent with `envFrom`, whose content cannot be known, and where `SSL_CERT_FILE` or `SSL_CERT_DIR` name
    a store of OpenSSL's, unless Ray is 2.9 or older, which does not look there. From Ray 2.51 on it also stays
    silent for a host of the public DNS, such as a managed Redis: OpenSSL's default store, which then counts, holds
    the public authorities. An image may bring the variables along: medium confidence.

    ## What happens
    The head's GCS ends with `CERTIFICATE_VERIFY_FAILED` and the head restarts for ever, also with certificates of
    a public authority on old releases: Ray 2.9 does not ask OpenSSL's own store at all.

    ## Versions
    All that know `rediss://`. Ray 2.51 and 2.60 honour OpenSSL's default store, 2.9 does not.

    ## Fix
    Mount the CA and set `RAY_REDIS_CA_CERT` in the head's Ray container; for a public authority
    `/etc/ssl/certs/ca-certificates.crt` of the image does. The cleanup Job inherits both. Where the certificate
    names a host, `RAY_REDIS_SERVER_NAME` gives that name: Ray dials the IP address.

    ## When to ignore it
    When the image sets the variable, or its OpenSSL store holds the CA (Ray 2.51 and later).

    ## Source
    Run against a server with a certificate of its own: Ray 2.9.3, 2.40.0, 2.51.1, 2.60.0;
    ray-project/kuberay#1640, ray-project/ray#41161.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions:
        redisAddress: rediss://redis.data:6379  # <-
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    Ray 2.9 does not ask OpenSSL:

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions:
        redisAddress: rediss://redis.data.svc:6379  # <-
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.9.3
              env: [{name: SSL_CERT_FILE, value: /etc/ssl/certs/ca-certificates.crt}]
    ```

    A managed Redis with a certificate of a public authority, which OpenSSL's default store knows:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions:
        redisAddress: rediss://master.prod.abc123.use1.cache.example.com:6379
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions: {redisAddress: "rediss://redis.data.svc:6379"}
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              env: [{name: RAY_REDIS_CA_CERT, value: /tls/ca.crt}]
    ```

    The variable may come from the ConfigMap:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions: {redisAddress: "rediss://redis.data.svc:6379"}
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              envFrom: [{configMapRef: {name: redis-tls}}]
    ```
    """
    field = address_in_force(cluster)
    if field is None or not _asks_for_tls(field):
        return
    container = cluster.head.ray_container
    ray = cluster.ray_version
    names = CA_VARIABLES if ray is not None and ray < (2, 10) else CA_VARIABLES + OPENSSL_VARIABLES
    if container.has_env_from or any(container.env(name) is not None for name in names):
        return
    if ray is not None and ray >= (2, 51) and _is_public(RedisAddress(field.value or "").bare_host):
        return
    yield field.flag(
        "the head has no CA to verify the certificate of Redis with; the GCS ends at its first connection"
        " unless the image trusts the issuer (rediss://)",
        label="rediss:// verifies the server's certificate",
        effect='the head\'s log says "SSL_connect failed: CERTIFICATE_VERIFY_FAILED" and the head restarts for'
        " ever",
        fix="mount the CA and set RAY_REDIS_CA_CERT to its file in the head's Ray container; for a public"
        " authority /etc/ssl/certs/ca-certificates.crt",
    )


def _is_public(host: str) -> bool:
    """Is it a name of the public DNS, whose certificate a public authority may have issued? A managed Redis is."""
    *before, last = host.rstrip(".").lower().split(".")
    # Two labels are a Service and its namespace.
    return len(before) > 1 and last.isalpha() and last not in _PRIVATE


def _asks_for_tls(address: Field[str]) -> bool:
    return address.value is not None and RedisAddress(address.value).scheme == "rediss"
