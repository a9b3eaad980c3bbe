"""Mounts whose volume is not there.

Facts: Kubernetes 1.36 ``pkg/apis/core/validation/validation.go`` (``ValidateVolumeMounts``); for the volumes that
the operator adds, ray-project/kuberay v1.7.0 ``common/pod.go``.
"""

from __future__ import annotations

from raylint.rule import Severity

from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import FaultyPod
    from raylint.rule import Problems

__all__ = ["mount_without_volume"]


@outlined("RAY364", Severity.ERROR)
def mount_without_volume(group: FaultyPod) -> Problems:
    """A container mounts a volume that its pod does not have: the pod is never made.

    An entry of `volumeMounts`, in a container or init container of a group or in `autoscalerOptions`, whose `name`
    is that of no entry of the pod's `volumes`, nor of a volume that KubeRay adds: `shared-mem`, `gcs-storage`,
    `ray-tls`, `ray-token`, and `ray-logs` where autoscaling puts it on the head or the history server on every
    pod.

    Then: The API server stores the object of KubeRay without looking at this, and refuses each pod that the
    operator makes of it: `spec.containers[0].volumeMounts[0].name: Not found`. The group stays empty, the operator
    tries again and again, and `kubectl get` shows nothing but a cluster without pods.

    Fix: Add the volume to `volumes` of the same pod template, or correct the name. Head and every worker group
    have templates of their own: a volume of one is not there in the others.
    Ignore: Where an admission webhook adds the volume to the pod before it is checked.
    Source: Kubernetes 1.36, `pkg/apis/core/validation/validation.go` (`ValidateVolumeMounts`);
    ray-project/kuberay v1.7.0, `common/pod.go` (`addEmptyDir`, `configureEmbeddedFT`, `configureTLS`).

    bad RayCluster -- The volume is in the other template:
      head.pod: volumes: [{name: models, emptyDir: {}}]
      head.ray: volumeMounts: [{name: models, mountPath: /models}]
      group.ray: volumeMounts:
      group.ray: - {name: models, mountPath: /models}  # <-
    bad RayService
      cluster: enableInTreeAutoscaling: true
      cluster: autoscalerOptions:
      cluster:   volumeMounts:
      cluster:   - {name: ca, mountPath: /etc/ca}  # <-
      head.pod: volumes: [{name: ca-bundle, configMap: {name: ca}}]
      group.pod: initContainers:
      group.pod: - name: fetch
      group.pod:   image: registry.example/team/fetch:7
      group.pod:   volumeMounts:
      group.pod:   - {name: cache, mountPath: /cache}  # <-
      group.ray: volumeMounts: []
    good RayCluster
      group.pod: volumes: [{name: models, emptyDir: {}}]
      group.pod: initContainers:
      group.pod: - name: fetch
      group.pod:   image: registry.example/team/fetch:7
      group.pod:   volumeMounts: [{name: models, mountPath: /models}]
      group.ray: volumeMounts: [{name: models, mountPath: /models}]
    near-miss RayCluster -- KubeRay adds both volumes:
      cluster: enableInTreeAutoscaling: true
      head.containers: containers:
      head.containers: - {name: ray-head, image: "rayproject/ray:2.52.0"}
      head.containers: - name: shipper
      head.containers:   image: registry.example/team/shipper:7
      head.containers:   volumeMounts: [{name: ray-logs, mountPath: /logs}, {name: shared-mem, mountPath: /store}]
    """
    for fault in group.faults_of_pod("mount"):
        yield fault.flag(
            f"the volume {fault.what!r} is not among those of the {group.title}: its pods are refused",
            label="no volume of this name",
            effect='no pod of the group is created: "volumeMounts[...].name: Not found"',
            fix="add it to volumes of this pod template, or correct the name",
        )
