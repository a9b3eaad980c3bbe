"""Containers that KubeRay adds to a pod: the autoscaler, the history server's collector, and init containers.

Facts: ray-project/kuberay v1.7.0 ``common/pod.go`` (``BuildAutoscalerContainer``, ``BuildCollectorContainer``,
``DefaultWorkerPodTemplate``, ``configureTLS``).
"""

from __future__ import annotations

from raylint.effective_container import EffectiveContainer, fixed_amounts, written_amounts
from raylint.environment import Environment, Reference
from raylint.field import Field, Origin
from raylint.pod import Container
from raylint.ray_environment import TLS_PATH, TLS_VOLUME, add_auth, add_tls
from raylint.start_command import shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.cluster import RayCluster
    from raylint.cluster_options import ClusterOptions
    from raylint.field import View
    from raylint.group import Group
    from raylint.object_names import ObjectNames

__all__ = [
    "WAIT_FOR_CERTIFICATE",
    "WAIT_FOR_GCS",
    "autoscaler",
    "collector",
    "wait_for_certificate",
    "wait_for_gcs",
]

AUTOSCALER = "autoscaler"
COLLECTOR = "ray-history-collector"
WAIT_FOR_GCS = "wait-gcs-ready"
WAIT_FOR_CERTIFICATE = "wait-for-tls-ip-san"
_SOURCE = "(common/pod.go)"
_HEAD_IMAGE = f"that of the Ray container {_SOURCE}"


def blank(at: View, added: str) -> EffectiveContainer:
    """A container of which nothing is written."""
    return EffectiveContainer(Container(at.document, at.path, None), f"{added} {_SOURCE}")


def autoscaler(cluster: RayCluster, options: ClusterOptions) -> EffectiveContainer:
    """The autoscaler beside the head; ``autoscalerOptions`` replace, or append to, what KubeRay sets."""
    written = cluster.autoscaler
    own = EffectiveContainer(Container(written.document, written.path, written.data))
    made = blank(written, "enableInTreeAutoscaling")
    made.name = made.kuberay(AUTOSCALER, made.added)
    ray_image = cluster.head.ray_container.string("image")
    made.image = own.image if own.image else Field(ray_image.value, Origin.KUBERAY, ray_image.at, _HEAD_IMAGE)
    made.pull_policy = own.pull_policy or made.kuberay("IfNotPresent", made.added)
    line = "ray kuberay-autoscaler --cluster-name $(RAY_CLUSTER_NAME) --cluster-namespace $(RAY_CLUSTER_NAMESPACE)"
    made.command = Field(shell(cluster.target), Origin.KUBERAY, written.at, made.added)
    made.args = Field([line], Origin.KUBERAY, written.at, made.added)
    _set_autoscaler_environment(made.env, line, since_1_7=cluster.target.kuberay_at_least(1, 7))
    add_auth(made, options)
    add_tls(made, options)
    made.env.extend(own.env)
    made.env_from = own.env_from
    made.mounts.update(own.mounts)
    made.security_context = own.security_context
    made.resources = fixed_amounts(("500m", "512Mi"), ("500m", "512Mi"), written.at)
    if written.has("resources"):
        made.resources = written_amounts(written)
    if cluster.target.kuberay_at_least(1, 7):
        made.command = own.command or made.command
        made.args = own.args or made.args
    return made


def _set_autoscaler_environment(env: Environment, line: str, *, since_1_7: bool) -> None:
    for name, path in (
        ("RAY_CLUSTER_NAME", "metadata.labels['ray.io/cluster']"),
        ("RAY_CLUSTER_NAMESPACE", "metadata.namespace"),
        ("RAY_HEAD_POD_NAME", "metadata.name"),
    ):
        env.add(name, Reference("fieldRef", path), "always")
    env.add("KUBERAY_CRD_VER", "v1", "always")
    if since_1_7:
        env.add("KUBERAY_GEN_AUTOSCALER_START_CMD", line, "always: the generated command")


def collector(
    cluster: RayCluster, options: ClusterOptions, names: ObjectNames, *, is_head: bool
) -> EffectiveContainer | None:
    """The collector of the history server, in every pod; None where it is off."""
    written = options.collector
    if written is None:
        return None
    own = EffectiveContainer(Container(written.document, written.path, written.data))
    made = blank(written, "historyServerOptions")
    made.name = made.kuberay(COLLECTOR, made.added)
    made.image = own.image
    made.pull_policy = own.pull_policy
    env = made.env
    env.add("POD_IP", Reference("fieldRef", "status.podIP"), "always")
    env.add("RAY_CLUSTER_NAME", names.of_cluster, "always")
    env.add("RAY_CLUSTER_NAMESPACE", names.namespace, "always")
    env.add("RAY_ROLE", "Head" if is_head else "Worker", "always")
    env.add("EVENTS_PORT", "8084", "always")
    env.add("FQ_RAY_IP", names.head_host, "always")
    if cluster.kind != "RayCluster":
        kind = "RayJob" if cluster.kind == "RayCronJob" else cluster.kind
        env.add("OWNER_KIND", kind, "the object that owns the cluster")
        env.add("OWNER_NAME", names.owner, "the object that owns the cluster")
    if is_head and "RAY_DASHBOARD_ADDRESS" not in own.env:
        env.add("RAY_DASHBOARD_ADDRESS", "http://localhost:8265", "unless the collector sets it")
    env.extend(own.env)
    made.resources = fixed_amounts(("200m", "256Mi"), ("50m", "64Mi"), written.at)
    if written.has("resources"):
        made.resources = written_amounts(written)
    add_auth(made, options)
    return made


def wait_for_gcs(group: Group) -> EffectiveContainer:
    """The init container that holds a worker back until the head answers; it takes over the image, environment,
    mounts and security context of the Ray container as the user wrote them."""
    ray = group.ray_container
    made = EffectiveContainer(ray, f"workers wait for the head {_SOURCE}")
    made.name = made.kuberay(WAIT_FOR_GCS, made.added)
    made.image = Field(made.image.value, Origin.KUBERAY, made.image.at, _HEAD_IMAGE)
    made.command = Field(shell(group.cluster.target), Origin.KUBERAY, made.at, made.added)
    made.args = Field(["asks 'ray health-check' until the head answers"], Origin.KUBERAY, made.at, made.added)
    made.env_from = 0
    made.ports = []
    made.resources = fixed_amounts(("200m", "256Mi"), ("200m", "256Mi"), made.at)
    return made


def wait_for_certificate(group: Group) -> EffectiveContainer:
    """The init container that waits until the pod's address is in its certificate."""
    ray = EffectiveContainer(group.ray_container)
    made = blank(group.ray_container, "tlsOptions.enabled")
    made.name = made.kuberay(WAIT_FOR_CERTIFICATE, made.added)
    made.image = Field(ray.image.value, Origin.KUBERAY, ray.image.at, _HEAD_IMAGE)
    made.pull_policy = ray.pull_policy
    made.command = Field(["sh", "-c"], Origin.KUBERAY, made.at, made.added)
    made.args = Field(
        ["asks openssl for the pod's address in its certificate"], Origin.KUBERAY, made.at, made.added
    )
    made.security_context = ray.security_context
    made.env.add("POD_IP", Reference("fieldRef", "status.podIP"), "always")
    made.mount(TLS_PATH, TLS_VOLUME, made.added)
    made.resources = fixed_amounts(("50m", "64Mi"), ("50m", "64Mi"), made.at)
    return made
