"""Volumes of the pods that KubeRay makes.

Facts: ray-project/kuberay v1.7.0 ``common/pod.go`` (``addEmptyDir``, ``configureEmbeddedFT``, ``configureTLS``,
``AddRayTokenVolume``).
"""

from __future__ import annotations

from raylint.field import Field, Origin, View
from raylint.ray_environment import TLS_VOLUME, TOKEN_VOLUME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from raylint.cluster_options import ClusterOptions
    from raylint.effective_container import EffectiveContainer
    from raylint.group import Group
    from raylint.object_names import ObjectNames

__all__ = ["PodVolumes"]

SHM, SHM_PATH = "shared-mem", "/dev/shm"
LOGS, LOGS_PATH = "ray-logs", "/tmp/ray"
STORAGE, STORAGE_PATH = "gcs-storage", "/data/gcs"


class PodVolumes:
    """A pod's volumes, name: its source as a mapping of one key; mounts are added to the containers at hand."""

    def __init__(self, group: Group) -> None:
        self._group = group
        self.sources: dict[str, Field[dict[str, Any]]] = {}
        for path, item in group.pod.parts("volumes"):
            view = View(group.document, path, item)
            name = view.string("name").value
            if name is not None:
                source = {key: value for key, value in view.data.items() if key != "name" and value is not None}
                self.sources[name] = Field(source, Origin.WRITTEN, view.at)

    def add_storage(self, ray: EffectiveContainer, names: ObjectNames) -> None:
        """The claim for RocksDB (KubeRay 1.7), on the head."""
        fault_tolerance = self._group.cluster.gcs_fault_tolerance
        if not fault_tolerance or fault_tolerance.backend.value != "rocksdb":
            return
        reason = "backend rocksdb (common/pod.go)"
        claim = fault_tolerance.part("storage").string("claimName").value or f"{names.of_cluster}-gcs-pvc"
        self._add(STORAGE, {"persistentVolumeClaim": {"claimName": claim}}, reason)
        ray.mount(STORAGE_PATH, STORAGE, reason)

    def add_token(self, options: ClusterOptions) -> None:
        if options.asks_kubernetes:
            source = {"projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}}
            self._add(TOKEN_VOLUME, source, "authOptions.enableK8sTokenAuth (common/pod.go)")

    def add_certificates(self, options: ClusterOptions, names: ObjectNames, node_type: str) -> None:
        if options.uses_tls:
            secret = f"ray-{node_type}-secret-{names.of_cluster}"
            self._add(TLS_VOLUME, {"secret": {"secretName": secret}}, "tlsOptions.enabled (common/pod.go)")

    def add_shared_memory(self, ray: EffectiveContainer) -> None:
        """``/dev/shm`` in memory, as large as the container's memory; KubeRay 1.6 leaves it alone where
        ``plasma-directory`` is set."""
        group = self._group
        if group.cluster.target.kuberay_at_least(1, 6) and group.start_params.has("plasma-directory"):
            return
        source: dict[str, Any] = {"medium": "Memory"}
        for kind in ("limits", "requests"):
            memory = ray.resources.get(kind, {}).get("memory")
            if memory is not None:
                source["sizeLimit"] = memory.value
                break
        self._mount_empty(ray, SHM, SHM_PATH, source, "for the object store, unless something is mounted there")

    def share_logs(self, *containers: EffectiveContainer) -> None:
        """``/tmp/ray`` for Ray and a sidecar that reads or writes its logs; whoever has it mounted keeps it."""
        for container in containers:
            self._mount_empty(container, LOGS, LOGS_PATH, {}, "logs that the sidecars share")

    def _mount_empty(
        self, container: EffectiveContainer, name: str, path: str, source: dict[str, Any], reason: str
    ) -> None:
        if path not in container.mounts:
            self._add(name, {"emptyDir": source}, f"{reason} (common/pod.go)")
            container.mount(path, name, f"{reason} (common/pod.go)")

    def _add(self, name: str, source: dict[str, Any], reason: str) -> None:
        self.sources.setdefault(name, Field(source, Origin.KUBERAY, self._group.pod.at_key("volumes"), reason))
