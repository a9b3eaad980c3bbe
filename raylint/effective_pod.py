"""The pod that KubeRay makes of a group: what is written, what it adds and what it replaces.

Operator environment at its defaults; sidecars, variables, labels and annotations that an operator's own
configuration adds to every pod are not known here. Facts: ray-project/kuberay v1.7.0 ``common/pod.go``
(``DefaultHeadPodTemplate``, ``DefaultWorkerPodTemplate``, ``BuildPod``), and the differences of older releases.
"""

from __future__ import annotations

from raylint.derived import cached_property
from raylint.effective_container import EffectiveContainer
from raylint.field import Field, Origin
from raylint.group import WorkerGroup
from raylint.object_names import clipped
from raylint.pod_labels import annotations_of, labels_of
from raylint.pod_volumes import PodVolumes
from raylint.probes import probe
from raylint.ray_environment import (
    add_auth,
    add_common,
    add_fault_tolerance,
    add_head_names,
    add_history,
    add_tls,
)
from raylint.sidecars import WAIT_FOR_CERTIFICATE, WAIT_FOR_GCS, autoscaler, collector, wait_for_certificate
from raylint.sidecars import wait_for_gcs as waiting_container
from raylint.start_command import StartCommand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from raylint.cluster_options import ClusterOptions
    from raylint.group import Group
    from raylint.object_names import ObjectNames
    from raylint.submitter import Submitter

__all__ = ["EffectivePod"]


class EffectivePod:
    """A pod of a group. ``submitter``: of a RayJob, which may stand beside the head."""

    def __init__(
        self, group: Group, names: ObjectNames, options: ClusterOptions, submitter: Submitter | None = None
    ) -> None:
        self.group = group
        self.names = names
        self._options = options
        self._submitter = submitter
        self.workers = group if isinstance(group, WorkerGroup) else None
        self.is_head = self.workers is None
        self.command = StartCommand(group, names, is_head=self.is_head)

    @property
    def title(self) -> str:
        return "head" if self.workers is None else self.workers.name

    @property
    def restart_policy(self) -> Field[str]:
        return self.group.pod.restart_policy

    @property
    def generate_name(self) -> Field[str]:
        name = self.names.pods("" if self.workers is None else self.workers.name, self._node_type)
        return Field(name, Origin.KUBERAY, self.group.at, "and five random letters (utils/util.go)")

    @property
    def _node_type(self) -> str:
        return "head" if self.is_head else "worker"

    @property
    def service_account(self) -> Field[str]:
        """The head's own under the autoscaler, which needs rights of its own."""
        written = self.group.pod.string("serviceAccountName")
        if not (self.is_head and self.group.cluster.autoscaler.enabled):
            return written
        name = clipped(written.value or self.names.of_cluster)
        if written.value == name:
            return written
        return Field(name, Origin.KUBERAY, written.at, "made for the autoscaler (common/rbac.go)")

    @cached_property
    def labels(self) -> dict[str, Field[str]]:
        return labels_of(self.group, self.names, self.workers)

    @property
    def labels_overridden(self) -> list[str]:
        """Labels of the template whose value does not survive."""
        written = self.group.template.labels
        return sorted(
            name
            for name, value in written.data.items()
            if value is not None and name in self.labels and self.labels[name].value != value
        )

    @cached_property
    def annotations(self) -> dict[str, Field[str]]:
        return annotations_of(self.group, self.names, is_head=self.is_head)

    @property
    def ray(self) -> EffectiveContainer:
        """The first container, which KubeRay takes for Ray's."""
        return self._built[0][0]

    @property
    def containers(self) -> list[EffectiveContainer]:
        return self._built[0]

    @property
    def init_containers(self) -> list[EffectiveContainer]:
        return self._built[1]

    @property
    def volumes(self) -> dict[str, Field[dict[str, Any]]]:
        """Name: the source of the volume, as a mapping of one key."""
        return self._built[2].sources

    @cached_property
    def _built(self) -> tuple[list[EffectiveContainer], list[EffectiveContainer], PodVolumes]:
        """Containers, init containers and volumes, in KubeRay's own order: each step sees what came before."""
        group, options = self.group, self._options
        ray = EffectiveContainer(group.ray_container)
        containers = [ray, *map(EffectiveContainer, group.pod.sidecars)]
        inits = list(map(EffectiveContainer, group.pod.init_containers))
        volumes = PodVolumes(group)
        if not self.is_head:
            inits.append(waiting_container(group))
        if self.is_head and self._submitter is not None and self._submitter.in_head:
            containers.append(self._submitter.container)
        scaler = autoscaler(group.cluster, options) if self.is_head and group.cluster.autoscaler.enabled else None
        if scaler is not None:
            containers.append(scaler)
        add_fault_tolerance(ray.env, group, self.names, is_head=self.is_head)
        if self.is_head:
            volumes.add_storage(ray, self.names)
        if not ray.has_port("metrics"):
            port = Field[object](8080, Origin.KUBERAY, ray.at, "unless a port has this name (common/pod.go)")
            ray.ports.append((ray.kuberay("metrics", port.reason), port))
        waiting = [init for init in inits if init.name.value == WAIT_FOR_GCS]
        for container in (ray, *waiting):
            add_auth(container, options)
            add_tls(container, options)
        volumes.add_token(options)
        volumes.add_certificates(options, self.names, self._node_type)
        if options.uses_tls and all(init.name.value != WAIT_FOR_CERTIFICATE for init in inits):
            inits.insert(0, wait_for_certificate(group))
        watcher = collector(group.cluster, options, self.names, is_head=self.is_head)
        if watcher is not None:
            containers.append(watcher)
        volumes.add_shared_memory(ray)
        for sidecar in (scaler, watcher):
            if sidecar is not None:
                volumes.share_logs(ray, sidecar)
        ray.command, ray.args = self.command.command, self.command.args
        for init in inits:
            add_head_names(init.env, self.names)
        add_common(ray.env, group, self.names, self.command, is_head=self.is_head)
        if watcher is not None:
            add_history(ray.env)
        ray.liveness, ray.readiness = self._probe("livenessProbe"), self._probe("readinessProbe")
        return containers, inits, volumes

    def _probe(self, name: str) -> Field[Any]:
        return probe(name, self.group, self.command, is_head=self.is_head)
