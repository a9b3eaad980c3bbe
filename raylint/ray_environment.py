"""Variables that KubeRay appends to the environment of the Ray container, in its order.

Facts: ray-project/kuberay v1.7.0 ``common/pod.go`` (``DefaultHeadPodTemplate``, ``DefaultWorkerPodTemplate``,
``setContainerEnvVars``), and the differences of older releases.
"""

from __future__ import annotations

from raylint.environment import Reference
from raylint.fault_tolerance import NAMESPACE_ENV, REDIS_ADDRESS_ENV

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.cluster import RayCluster
    from raylint.cluster_options import ClusterOptions
    from raylint.effective_container import EffectiveContainer
    from raylint.environment import Environment
    from raylint.group import Group
    from raylint.object_names import ObjectNames
    from raylint.start_command import StartCommand
    from raylint.target import Target

__all__ = ["add_auth", "add_common", "add_fault_tolerance", "add_head_names", "add_history", "add_tls"]

TLS_PATH = "/etc/ray/tls"
TLS_VOLUME = "ray-tls"
TOKEN_PATH = "/var/run/secrets/ray.io/serviceaccount"
TOKEN_VOLUME = "ray-token"
START_COMMAND_ENV = "KUBERAY_GEN_RAY_START_CMD"
# What older releases called themselves: a line of releases stands for its newest patch.
_NEWEST_PATCH = {(1, 1): 1, (1, 2): 2, (1, 3): 2, (1, 4): 2, (1, 5): 2, (1, 6): 2}
# utils/constant.go: the events that the history server keeps.
_EVENTS = ",".join(
    f"{event}_EVENT"
    for event in (
        *("TASK_DEFINITION", "TASK_LIFECYCLE", "ACTOR_TASK_DEFINITION", "TASK_PROFILE", "DRIVER_JOB_DEFINITION"),
        *("DRIVER_JOB_LIFECYCLE", "ACTOR_DEFINITION", "ACTOR_LIFECYCLE", "NODE_DEFINITION", "NODE_LIFECYCLE"),
    )
)


def add_fault_tolerance(env: Environment, group: Group, names: ObjectNames, *, is_head: bool) -> None:
    """Variables of the autoscaler's version and of GCS fault tolerance."""
    cluster = group.cluster
    autoscaler = cluster.autoscaler
    if is_head and autoscaler.enabled and autoscaler.understands_version:
        version = autoscaler.data.get("version")
        if version == "v2" or (version == "v1" and cluster.target.kuberay_at_least(1, 7)):
            value = "true" if version == "v2" else "false"
            env.add("RAY_enable_autoscaler_v2", value, f"autoscalerOptions.version {version}", autoscaler.at)
    fault_tolerance = cluster.gcs_fault_tolerance
    if not fault_tolerance:
        return
    if not is_head:
        reason = "fault tolerance: workers wait longer for the head"
        env.add_missing("RAY_gcs_rpc_server_reconnect_timeout_s", "600", reason, fault_tolerance.at_switch)
    elif fault_tolerance.uses_redis:
        _add_redis(env, cluster, names)
    else:
        for name, value in (("RAY_gcs_storage", "rocksdb"), ("RAY_gcs_storage_path", "/data/gcs")):
            env.add_missing(name, value, "backend rocksdb", fault_tolerance.at_key("backend"))


def _add_redis(env: Environment, cluster: RayCluster, names: ObjectNames) -> None:
    fault_tolerance = cluster.gcs_fault_tolerance
    namespace = fault_tolerance.namespace_of_cluster
    reason = "fault tolerance: the prefix of the keys in Redis"
    env.add_missing(NAMESPACE_ENV, namespace.value or names.assigned.uid, reason, namespace.at)
    if not fault_tolerance.by_options:
        password = cluster.head.start_param("redis-password")
        if password.value is not None and cluster.target.kuberay_at_least(1, 3):
            env.add_missing(
                "REDIS_PASSWORD", password.value, "copied from the redis-password parameter", password.at
            )
        return
    address = fault_tolerance.string("redisAddress", "")
    env.add(REDIS_ADDRESS_ENV, address.value, "from gcsFaultToleranceOptions.redisAddress", address.at)
    for credential in (fault_tolerance.redis_username, fault_tolerance.redis_password):
        field = str(credential.path[-1])
        if fault_tolerance.data.get(field) is not None:
            name = f"REDIS_{field.removeprefix('redis').upper()}"
            env.adopt(name, credential, f"from gcsFaultToleranceOptions.{field}")


def add_auth(container: EffectiveContainer, options: ClusterOptions) -> None:
    """Token authentication, in every container that speaks to Ray."""
    if not options.asks_for_token:
        return
    env, reason = container.env, "authOptions.mode token"
    env.add_missing("RAY_AUTH_MODE", "token", reason, options.auth.at)
    if options.asks_kubernetes:
        env.add_missing("RAY_ENABLE_K8S_TOKEN_AUTH", "true", "authOptions.enableK8sTokenAuth", options.auth.at)
        if all(volume.value != TOKEN_VOLUME for volume in container.mounts.values()):
            container.mount(TOKEN_PATH, TOKEN_VOLUME, reason)
    else:
        secret = Reference("secretKeyRef", f"{options.token_secret.value}/auth_token")
        env.add_missing("RAY_AUTH_TOKEN", secret, reason, options.auth.at)


def add_tls(container: EffectiveContainer, options: ClusterOptions) -> None:
    """Managed TLS (KubeRay 1.7, behind a gate)."""
    if not options.uses_tls:
        return
    reason = "tlsOptions.enabled"
    values = {
        "RAY_USE_TLS": "1",
        "RAY_TLS_SERVER_CERT": f"{TLS_PATH}/tls.crt",
        "RAY_TLS_SERVER_KEY": f"{TLS_PATH}/tls.key",
        "RAY_TLS_CA_CERT": f"{TLS_PATH}/ca.crt",
    }
    for name, value in values.items():
        container.env.add_missing(name, value, reason)
    mounts = container.mounts
    if TLS_PATH not in mounts and all(volume.value != TLS_VOLUME for volume in mounts.values()):
        container.mount(TLS_PATH, TLS_VOLUME, reason)


def add_head_names(env: Environment, names: ObjectNames) -> None:
    """Where the head is: in workers and in every init container."""
    env.add("FQ_RAY_IP", names.head_host, "always: the head's Service")
    env.add("RAY_IP", names.head_service.value, "always: the short name, deprecated")


def add_common(
    env: Environment, group: Group, names: ObjectNames, command: StartCommand, *, is_head: bool
) -> None:
    """What every Ray container gets."""
    cluster = group.cluster
    target = cluster.target
    if not target.kuberay_at_least(1, 3):
        password = cluster.head.start_param("redis-password").value
        env.add_missing("REDIS_PASSWORD", password or "", "from the redis-password parameter")
    if not is_head:
        add_head_names(env, names)
    for name, path, since in (
        ("RAY_CLUSTER_NAME", "metadata.labels['ray.io/cluster']", (1, 0)),
        ("RAY_CLUSTER_NAMESPACE", "metadata.namespace", (1, 5)),
        ("RAY_CLOUD_INSTANCE_ID", "metadata.name", (1, 0)),
        ("RAY_NODE_TYPE_NAME", "metadata.labels['ray.io/group']", (1, 1)),
    ):
        if target.kuberay_at_least(*since):
            env.add(name, Reference("fieldRef", path), "always")
    if target.kuberay_at_least(1, 1):
        env.add(START_COMMAND_ENV, command.line, "always: the generated command")
    env.add_missing("RAY_PORT", names.head_port.value or "", "the head's port")
    if cluster.kind == "RayService":
        for name, value in (
            ("RAY_timeout_ms_task_wait_for_death_info", "0"),
            ("RAY_gcs_server_request_timeout_seconds", "5"),
            ("RAY_SERVE_KV_TIMEOUT_S", "5"),
        ):
            env.add_missing(name, value, "cluster of a RayService")
    host = "127.0.0.1" if is_head else names.head_host
    env.add_missing("RAY_ADDRESS", f"{host}:{names.head_port.value}", "for ray.init() in the pod")
    env.add_missing("RAY_USAGE_STATS_KUBERAY_IN_USE", "1", "usage statistics")
    if is_head and target.kuberay_at_least(1, 1):
        creator = "RayJob" if cluster.kind == "RayCronJob" else cluster.kind
        tags = f"kuberay_version=v{_release(target)};kuberay_crd={creator}"
        env.add("RAY_USAGE_STATS_EXTRA_TAGS", tags, "always: usage statistics")
    env.add_missing("RAY_DASHBOARD_ENABLE_K8S_DISK_USAGE", "1", "the dashboard shows disk usage")


def _release(target: Target) -> str:
    line = target.kuberay[:2]
    patch = target.kuberay[2] if len(target.kuberay) > 2 else _NEWEST_PATCH.get((line[0], line[1]), 0)
    return f"{line[0]}.{line[1]}.{patch}"


def add_history(env: Environment) -> None:
    """What the collector of the history server needs from Ray."""
    for name, value in (
        ("RAY_enable_ray_event", "true"),
        ("RAY_enable_core_worker_ray_event_to_aggregator", "true"),
        ("RAY_DASHBOARD_AGGREGATOR_AGENT_EVENTS_EXPORT_ADDR", "http://localhost:8084/v1/events"),
        ("RAY_DASHBOARD_AGGREGATOR_AGENT_EXPOSABLE_EVENT_TYPES", _EVENTS),
        ("RAY_DASHBOARD_AGGREGATOR_AGENT_PUBLISHER_HTTP_ENDPOINT_EXPOSABLE_EVENT_TYPES", _EVENTS),
    ):
        env.add_missing(name, value, "history server")
