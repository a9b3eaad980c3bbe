"""Redis addresses that the head can start with, and that still do less than they seem to."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.rule import Confidence, Severity, rule

from .address import RedisAddress, address_in_force, readers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.field import Field
    from raylint.rule import Problem, Problems

MENTIONS = ("gcsFaultToleranceOptions", "ray.io/ft-enabled", "RAY_REDIS_ADDRESS")

# `ray start --head` listens here unless its option `port` says otherwise.
GCS_PORT = 6379


@rule("RAY109", Severity.WARNING, reports=("FR-005",))
def redis_address_partly_used(cluster: RayCluster) -> Problems:
    """A Redis address that works at first and fails when it matters: a list, a blank, localhost, a fixed IP.

    ## What it flags
    A Redis address that Ray accepts (see RAY108 for the others) and that

    - lists several servers with commas,
    - has a port that only Ray's lenient reader takes, such as one with a blank behind it,
    - points into the head pod itself (`localhost`, `127.0.0.1`, `[::1]`) where no sidecar can listen on that port,
      or at the port that the GCS itself listens on; with a sidecar it is a remark only (info),
    - is a fixed IP address (info).

    It stays silent for a line break behind the port, which every reader drops, and on the host's network, where
    `localhost` is the node.

    ## What happens
    Ray uses the first address of a list and never looks at the others: when that server is gone, so is the GCS.
    The cleanup Job that KubeRay starts when the cluster is deleted reads the port more strictly than Ray does: it
    fails, and the cluster's keys stay in Redis. The head's own port 6379 belongs to its GCS, so a Redis address
    with it leads the GCS to itself or to nothing; no worker ever joins. With a sidecar Redis the head works, but
    the cleanup Job keeps only the Ray container and finds no Redis.

    ## Versions
    All. The cleanup Job exists since KubeRay 1.0; it reads the port with the Python of the head's image (strict in
    3.11).

    ## Fix
    Write one address: a Service name that always leads to the primary, or a Redis Sentinel's own host and port
    (Ray 2.40 and later). Remove blanks. Run Redis outside the head pod, or give a sidecar a port of its own, not
    6379.

    ## When to ignore it
    A sidecar Redis with its own volume is a set-up that upstream shows; its keys then live and die with the
    volume, and the failed cleanup does no harm. A fixed IP is fine where it belongs to something that never moves.

    ## Source
    Ray `python/ray/_private/node.py` and `services.py`, run with 2.9.3, 2.40.0, 2.51.1 and 2.60.0;
    ray-project/kuberay v1.7.0, `raycluster_controller.go` (`buildRedisCleanupJob`).

    ## Examples
    A list brings no failover:

    ```yaml bad severity=warning
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions:
        redisAddress: redis-0.redis.data.svc:6379,redis-1.redis.data.svc:6379  # <-
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    6379 in the head pod is the GCS:

    ```yaml bad severity=warning
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions:
        redisAddress: localhost:6379  # <-
      headGroupSpec:
        template:
          spec:
            containers:
            - {name: ray-head, image: "rayproject/ray:2.52.0"}
            - {name: redis, image: "redis:7.4", ports: [{containerPort: 6379}]}
    ```

    A blank behind the port:

    ```yaml bad severity=warning
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions:
        redisAddress: "redis:6379 "  # <-
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    A sidecar with a port of its own:

    ```yaml bad severity=info
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions:
        redisAddress: 127.0.0.1:6380  # <-
      headGroupSpec:
        template:
          spec:
            containers:
            - {name: ray-head, image: "rayproject/ray:2.52.0"}
            - {name: redis, image: "redis:7.4", ports: [{containerPort: 6380}]}
    ```

    An IP address:

    ```yaml bad severity=info
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions:
        redisAddress: 10.0.0.5:6379  # <-
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
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

    A block scalar ends in a line break, which Ray and the cleanup Job both drop:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions:
        redisAddress: |
          redis.data.svc:6379
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    found = _accepted_address(cluster)
    if found is None:
        return
    field, address = found
    if address.others:
        yield field.flag(
            f"of the Redis addresses {address.shown} only the first is used; there is no failover to the others",
            label="Ray reads up to the first comma",
            effect="when the first server is gone the GCS ends, and the head restarts until that server is back"
            " (all Ray versions)",
            fix="write one address: a Service that follows the primary, or a Redis Sentinel's host:port (Ray 2.40"
            " and later)",
        )
    if not _is_strict_port(address.port):
        yield field.flag(
            f"the port in the Redis address {address.shown} is read by Ray, and not by KubeRay's cleanup Job",
            label="this port holds more than digits",
            confidence=Confidence.MEDIUM,
            effect='the cleanup Job fails with "Port could not be cast to integer value" when the cluster is'
            " deleted"
            " (images with Python 3.11), and its keys stay in Redis",
            fix=f"write {address.repaired.strip()!r}" if address.repaired else "write the port as plain digits",
        )
    if address.is_loopback:
        yield from _inside_the_head_pod(cluster, field, address)
    elif address.is_fixed_ip:
        yield field.flag(
            f"the Redis address {address.shown} is a fixed IP address; a Redis that moves is not found again",
            label="no name follows this address when it changes",
            severity=Severity.INFO,
            effect="after Redis got another address the GCS ends and the head cannot start until the manifest"
            " changes",
            fix="write the name of a Service, such as redis.data.svc:6379",
        )


def _accepted_address(cluster: RayCluster) -> tuple[Field[str], RedisAddress] | None:
    """The address, if every reader that may be in force takes it."""
    field = address_in_force(cluster)
    if field is None or field.value is None:
        return None
    address = RedisAddress(field.value)
    refused = any(address.refusal(reader) for reader in readers(cluster.ray_version))
    return None if refused else (field, address)


def _is_strict_port(port: str | None) -> bool:
    """Does Python's ``urlparse`` read it? Line breaks and tabs are dropped from a URL before it is read."""
    text = (port or "").replace("\n", "").replace("\r", "").replace("\t", "")
    return text.isascii() and text.isdigit()


def _inside_the_head_pod(cluster: RayCluster, field: Field[str], address: RedisAddress) -> Iterator[Problem]:
    gcs_port = _gcs_port(cluster)
    if address.port_number == gcs_port:
        yield field.flag(
            f"the Redis address {address.shown} is that of the head's own GCS, which listens on port {gcs_port}",
            label="inside the head pod this port belongs to the GCS",
            effect="the GCS looks for Redis on its own port: it cannot start, and the head restarts for ever",
            fix="run Redis outside the head pod and write its Service, or let the sidecar listen on another port,"
            " such as 6380",
        )
    elif cluster.head.pod.data.get("hostNetwork") is True:
        return
    elif _may_listen_in_the_pod(cluster, address.port_number):
        yield field.flag(
            f"the Redis address {address.shown} is inside the head pod, where KubeRay's cleanup Job finds no"
            " Redis",
            label="the cleanup Job runs in a pod of its own, without the sidecar",
            severity=Severity.INFO,
            effect="deleting the cluster waits for a Job that fails, and the keys stay in the sidecar's volume"
            " (KubeRay 1.0 and later)",
            fix="keep it if the volume is deleted with the cluster; otherwise run Redis in a pod of its own",
        )
    else:
        yield field.flag(
            f"the Redis address {address.shown} is inside the head pod, and no container there can listen on it",
            label="the head pod has no sidecar for this port",
            confidence=Confidence.MEDIUM,
            effect='the head\'s log says "Could not establish connection to Redis" for about a minute, then the'
            " head"
            " restarts, for ever",
            fix="write the Service of a Redis outside the head pod, such as redis.data.svc:6379",
        )


def _gcs_port(cluster: RayCluster) -> int | None:
    """None where ``port`` in ``rayStartParams`` cannot be known."""
    written = cluster.head.start_param("port")
    if not written:
        return GCS_PORT
    return int(written.value) if written.value and written.value.isdecimal() else None


def _may_listen_in_the_pod(cluster: RayCluster, port: int | None) -> bool:
    """Is there a sidecar that declares the port, or one that declares none? Ports need not be declared."""
    pod = cluster.head.pod
    for container in (*pod.sidecars, *pod.init_containers):
        # An ordinary init container is gone before Ray starts; one that restarts is a sidecar.
        if container in pod.init_containers and container.data.get("restartPolicy") != "Always":
            continue
        declared = [item.get("containerPort") for _, item in container.parts("ports") if isinstance(item, dict)]
        if not declared or port in declared:
            return True
    return False


@rule("RAY110", Severity.WARNING, confidence=Confidence.MEDIUM, reports=("FR-005",))
def redis_cluster_address(cluster: RayCluster) -> Problems:
    """The address of a sharded Redis: Ray's GCS wants exactly one shard.

    ## What it flags
    A Redis address whose host name begins with `clustercfg.`, as AWS names the configuration endpoint of a cluster
    in cluster mode (ElastiCache, MemoryDB). The number of shards cannot be seen in a manifest: with one shard the
    address works, hence the medium confidence.

    ## What happens
    The GCS asks Redis for its shards when it connects and refuses more than one; before, old releases died of
    `MOVED` replies. The head cannot start. A cluster with one shard is accepted; Ray follows a `MOVED` reply to
    the leader.

    ## Versions
    All. Releases up to about 2.44 had trouble with one shard as well.

    ## Fix
    Use a Redis without cluster mode, or with one shard, and its primary endpoint.

    ## When to ignore it
    When the cluster has one shard: say so in the reason, because a second shard ends the head.

    ## Source
    Ray `src/ray/gcs/store_client/redis_context.cc` (`ValidateRedisDB`); ray-project/kuberay#512 and #1082,
    ray-project/ray#52433; a cluster with one shard was run with Ray 2.9.3, 2.40.0, 2.51.1 and 2.60.0.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions:
        redisAddress: clustercfg.trainer.ab12cd.use1.cache.amazonaws.com:6379  # <-
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
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.40.0
              env:
              - name: RAY_REDIS_ADDRESS
                value: rediss://clustercfg.trainer.ab12cd.memorydb.us-east-1.amazonaws.com:6379  # <-
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions: {redisAddress: "master.trainer.ab12cd.use1.cache.amazonaws.com:6379"}
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    A name of one's own that only sounds like it:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions: {redisAddress: "redis-cluster.data.svc:6379"}
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    field = address_in_force(cluster)
    if field is None or field.value is None:
        return
    host = RedisAddress(field.value).host
    if host.lower().startswith("clustercfg."):
        yield field.flag(
            f"the Redis host {host!r} is the endpoint of a sharded Redis, and the head starts with a single shard"
            " only",
            label="clustercfg. names a cluster in cluster mode",
            effect="with two shards or more the GCS refuses Redis and the head restarts for ever (all Ray"
            " versions)",
            fix="use a Redis without cluster mode, or with one shard, and write its primary endpoint",
        )
