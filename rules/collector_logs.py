"""Where the history server's collector looks for logs."""

from __future__ import annotations

from raylint.group import Group
from raylint.rule import Severity

from .mounts import mounts
from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

__all__ = ["collector_logs_apart"]

MENTIONS = ("historyServerOptions",)


@outlined("RAY363", Severity.WARNING, kuberay="1.7..")
def collector_logs_apart(group: Group) -> Problems:
    """The history server's collector sees nothing of a log volume that has another name than its own.

    `historyServerOptions.collectorOptions`, and a mount at `/tmp/ray` in a Ray container from a volume that is not
    called `ray-logs`.

    Then: KubeRay mounts a volume `ray-logs` into Ray's container and into the collector, unless Ray's container
    has something at `/tmp/ray`: then the collector alone gets it, and it stays empty. The history server shows
    nothing of the session.

    Gate: RayClusterHistoryServer
    Fix: Call the volume `ray-logs`, or remove the mount.
    Ignore: Never.
    Source: ray-project/kuberay v1.7.0, `common/pod.go`.

    bad RayCluster
      cluster: historyServerOptions: {collectorOptions: {image: "example.com/collector:1"}}
      head.pod: volumes: [{name: logs, emptyDir: {}}]
      head.ray: volumeMounts:
      head.ray: - name: logs
      head.ray:   mountPath: /tmp/ray  # <-
    bad RayJob
      cluster: historyServerOptions: {collectorOptions: {image: "example.com/collector:1"}}
      group.pod: volumes: [{name: scratch, emptyDir: {}}]
      group.ray: volumeMounts: [{name: scratch, mountPath: /tmp/ray}]  # <-
    good RayCluster
      cluster: historyServerOptions: {collectorOptions: {image: "example.com/collector:1"}}
      head.pod: volumes: [{name: ray-logs, emptyDir: {}}]
      head.ray: volumeMounts: [{name: ray-logs, mountPath: /tmp/ray}]
    near-miss RayCluster -- There is no collector:
      head.pod: volumes: [{name: logs, emptyDir: {}}]
      head.ray: volumeMounts: [{name: logs, mountPath: /tmp/ray}]
    """
    cluster = group.cluster
    collector = cluster.part("historyServerOptions").data.get("collectorOptions")
    on = cluster.target.gate("RayClusterHistoryServer") and cluster.is_built
    if not on or not isinstance(collector, dict):
        return
    for mount in mounts(group):
        name = mount.view.string("name")
        if mount.path == "/tmp/ray" and name.value not in (None, "ray-logs"):
            yield mount.view.string("mountPath").flag(
                f"the history server's collector sees nothing of the volume {name.value!r}",
                effect="its own volume stays empty, and the history server shows nothing of the session",
                fix="call the volume ray-logs, or remove the mount",
            )
