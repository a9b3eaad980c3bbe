"""The history server's collector as the operator refuses it. KubeRay 1.7, by feature gate."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.group import Group

from .history_collector import OPTIONS, Collector, filled
from .refusal import gate_is_off, refused, refuses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

_GATE = "RayClusterHistoryServer"
_SIDECAR = "ray-history-collector"
_RESERVED = (
    "POD_IP",
    "FQ_RAY_IP",
    "RAY_CLUSTER_NAME",
    "RAY_CLUSTER_NAMESPACE",
    "RAY_ROLE",
    "OWNER_KIND",
    "OWNER_NAME",
    "EVENTS_PORT",
)


@refuses("KR063", "1.7..", OPTIONS, reports=("FR-157",))
def history_server_gate(cluster: RayCluster) -> Problems:
    """The operator refuses `historyServerOptions` while its feature gate is off.

    The field, even empty, where RayClusterHistoryServer is off, which it is in KubeRay 1.7 unless somebody turns
    it on.

    Versions: The field came with 1.7.
    Gate: RayClusterHistoryServer
    Fix: Turn the gate on in the operator and tell raylint so, or remove the field.
    Ignore: Never; give `--feature-gates` what the operator has. Told of no gate at all, raylint only warns.

    bad RayCluster gates=RayClusterHistoryServer=false
      cluster: historyServerOptions: {}  # <-
    bad RayService gates=RayClusterHistoryServer=false
      cluster: historyServerOptions:  # <-
      cluster:   collectorOptions: {image: "collector:v1", env: [{name: STORAGE_BACKEND, value: LOCAL}]}
    good RayCluster
      cluster: historyServerOptions:
      cluster:   collectorOptions: {image: "collector:v1", env: [{name: STORAGE_BACKEND, value: LOCAL}]}
    near-miss RayCluster
      cluster: historyServerOptions: null
    """
    if not cluster.target.gate(_GATE):
        yield gate_is_off(cluster, cluster.at_key(OPTIONS).key(), OPTIONS, _GATE)


@refuses("KR064", "1.7..", OPTIONS)
def history_server_without_collector(cluster: RayCluster) -> Problems:
    """The operator refuses `historyServerOptions` without `collectorOptions`.

    `historyServerOptions` in which `collectorOptions` is missing.

    Gate: RayClusterHistoryServer
    Fix: Write `collectorOptions` with an image and a `STORAGE_BACKEND`.

    bad RayCluster
      cluster: historyServerOptions: {}  # <-
    bad RayJob
      cluster: historyServerOptions: {collectorOptions: null}  # <-
    good RayCluster
      cluster: historyServerOptions:
      cluster:   collectorOptions: {image: "collector:v1", env: [{name: STORAGE_BACKEND, value: LOCAL}]}
    near-miss RayCluster -- Null is no value:
      cluster: historyServerOptions: null
    """
    if not cluster.part(OPTIONS).has("collectorOptions"):
        yield refused(
            cluster,
            cluster.at_key(OPTIONS).key(),
            "historyServerOptions has no collectorOptions",
            fix="write collectorOptions with an image and the variable STORAGE_BACKEND",
        )


@refuses("KR065", "1.7..", OPTIONS)
def collector_without_image(cluster: RayCluster) -> Problems:
    """The operator refuses a history collector without an image.

    `collectorOptions` whose `image` is missing or empty: there is no default.

    Gate: RayClusterHistoryServer
    Fix: Write the collector's image.

    bad RayCluster
      cluster: historyServerOptions:
      cluster:   collectorOptions: {env: [{name: STORAGE_BACKEND, value: S3}]}  # <-
    bad RayCluster
      cluster: historyServerOptions: {collectorOptions: {image: ""}}  # <-
    good RayCluster
      cluster: historyServerOptions:
      cluster:   collectorOptions: {image: "collector:v1", env: [{name: STORAGE_BACKEND, value: LOCAL}]}
    near-miss RayCluster -- A tag is not asked for:
      cluster: historyServerOptions:
      cluster:   collectorOptions: {image: collector, env: [{name: STORAGE_BACKEND, value: LOCAL}]}
    """
    collector = cluster.part(OPTIONS).part("collectorOptions")
    image = collector.string("image")
    if cluster.part(OPTIONS).has("collectorOptions") and image.known and not image.value:
        yield refused(
            cluster,
            image.at if image else collector.at.key(),
            "collectorOptions has no image",
            fix="write the collector's image, there is no default",
        )


@refuses("KR066", "1.7..", OPTIONS)
def collector_reserved_variable(cluster: RayCluster) -> Problems:
    """The operator refuses variables of the history collector that it sets itself.

    `POD_IP`, `FQ_RAY_IP`, `RAY_CLUSTER_NAME`, `RAY_CLUSTER_NAMESPACE`, `RAY_ROLE`, `OWNER_KIND`, `OWNER_NAME` or
    `EVENTS_PORT` in `collectorOptions.env`.

    Gate: RayClusterHistoryServer
    Fix: Remove the variable.

    bad RayCluster
      cluster: historyServerOptions:
      cluster:   collectorOptions: {image: "collector:v1", env: [{name: RAY_CLUSTER_NAME, value: a}]}  # <-
    bad RayCluster
      cluster: historyServerOptions:
      cluster:   collectorOptions:
      cluster:     image: collector:v1
      cluster:     env:
      cluster:     - {name: STORAGE_BACKEND, value: LOCAL}
      cluster:     - {name: EVENTS_PORT, value: "8084"}  # <-
    good RayCluster
      cluster: historyServerOptions:
      cluster:   collectorOptions: {image: "collector:v1", env: [{name: STORAGE_BACKEND, value: LOCAL}]}
    near-miss RayCluster -- Letter case counts:
      cluster: historyServerOptions:
      cluster:   collectorOptions:
      cluster:     image: collector:v1
      cluster:     env: [{name: STORAGE_BACKEND, value: LOCAL}, {name: pod_ip, value: a}]
    """
    collector = Collector(cluster)
    for name in _RESERVED:
        if name in collector.variables:
            yield refused(
                cluster,
                collector.at(name),
                f"collectorOptions.env has {name}, which KubeRay sets itself",
                fix=f"remove the variable {name}",
            )


_SIDECAR_PAGE = """The operator refuses a container `ray-history-collector` in @WHERE under the history server.

    `historyServerOptions` and a container of that name in the template of @WHERE: KubeRay adds one itself.

    Gate: RayClusterHistoryServer
    Fix: Rename the container, or remove it.

    bad RayCluster
      cluster: historyServerOptions: {collectorOptions: {image: "collector:v1"}}
      @SLOT.containers: containers:
      @SLOT.containers: - {name: ray, image: "rayproject/ray:2.52.0"}
      @SLOT.containers: - {name: ray-history-collector, image: "collector:v1"}  # <-
    bad RayService
      cluster: historyServerOptions: {}
      @SLOT.containers: containers: [{name: ray-history-collector, image: "rayproject/ray:2.52.0"}]  # <-
    good RayCluster
      cluster: historyServerOptions:
      cluster:   collectorOptions: {image: "collector:v1", env: [{name: STORAGE_BACKEND, value: LOCAL}]}
      @SLOT: rayStartParams: {}
    near-miss RayCluster -- Without the options the name is free:
      @SLOT.containers: containers:
      @SLOT.containers: - {name: ray, image: "rayproject/ray:2.52.0"}
      @SLOT.containers: - {name: ray-history-collector, image: "collector:v1"}
    """


def _sidecars(cluster: RayCluster, groups: tuple[Group, ...]) -> Problems:
    for group in groups:
        for container in group.pod.containers:
            if container.data.get("name") == _SIDECAR:
                yield refused(
                    cluster,
                    container.at,
                    f"a container of the {group.title} is called {_SIDECAR}, as KubeRay's own",
                    fix="rename the container, or leave the collector to historyServerOptions",
                )


def _head_sidecar(cluster: RayCluster) -> Problems:
    return _sidecars(cluster, (cluster.head,))


def _worker_sidecar(cluster: RayCluster) -> Problems:
    return _sidecars(cluster, cluster.worker_groups)


_head_sidecar.__doc__ = filled(_SIDECAR_PAGE, {"@WHERE": "the head group", "@SLOT": "head"})
_worker_sidecar.__doc__ = filled(_SIDECAR_PAGE, {"@WHERE": "a worker group", "@SLOT": "group"})
head_collector_by_hand = refuses("KR076", "1.7..", OPTIONS, name="head-collector-by-hand")(_head_sidecar)
worker_collector_by_hand = refuses("KR077", "1.7..", OPTIONS, name="worker-collector-by-hand")(_worker_sidecar)
