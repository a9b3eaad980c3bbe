"""Containers that have to run beside an init container: native sidecars, and the mounter of a Cloud Storage"
" bucket."""

from __future__ import annotations

from raylint.field import Field, Origin, View
from raylint.group import Group
from raylint.rule import Severity, unsafe
from raylint.target import version_text

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

__all__ = ["bucket_volume_without_mounter", "native_sidecar_on_old_kubernetes"]

MENTIONS = ("gcsfuse.csi.storage.gke.io", "initContainers")

_DRIVER = "gcsfuse.csi.storage.gke.io"
_ANNOTATION = "gke-gcsfuse/volumes"
# Sidecars among the init containers are on by default from here on.
_SIDECARS = (1, 29)


@looks_into("RAY708", Severity.ERROR, reports=("FR-114",), fixes="unsafe")
def bucket_volume_without_mounter(group: Group) -> Problems:
    """A Cloud Storage volume without the annotation that brings its mounter: the pod never starts.

    ## What it flags
    A volume of the CSI driver `gcsfuse.csi.storage.gke.io` in a pod template without the annotation
    `gke-gcsfuse/volumes: "true"`.

    With `--kubernetes` below 1.29 also, as a warning, such a volume that the Ray container of a worker group
    mounts, although the annotation is there.

    ## What happens
    GKE's webhook adds the container that mounts the bucket only to annotated pods; without it the mount fails, and
    the pod stays in `ContainerCreating`. Before Kubernetes 1.29 the mounter is an ordinary container, which starts
    after the init containers: KubeRay's `wait-gcs-ready` has the mounts of the Ray container and waits for it,
    and it waits for `wait-gcs-ready`.

    ## Versions
    The second part: Kubernetes before 1.29, with which KubeRay's init container cannot have the mount.

    ## Fix
    Add the annotation to the pod template. On old Kubernetes mount the bucket through a PersistentVolume of
    another driver, or upgrade.

    ## When to ignore it
    When a policy of your cluster adds the annotation.

    ## Source
    GKE documentation, "Cloud Storage FUSE CSI driver"; ray-project/kuberay v1.7.0, `common/pod.go`
    (`DefaultWorkerPodTemplate`); ray-project/kuberay#1130, #2392.

    ## Examples
    ```yaml bad worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0
          volumeMounts: [{name: bucket, mountPath: /data}]
        volumes:
        - name: bucket
          csi: {driver: gcsfuse.csi.storage.gke.io, volumeAttributes: {bucketName: images}}  # <-
    ```

    ```yaml bad severity=warning kubernetes=1.28 worker
    template:
      metadata:
        annotations: {gke-gcsfuse/volumes: "true"}
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0
          volumeMounts: [{name: bucket, mountPath: /data}]
        volumes:
        - name: bucket
          csi: {driver: gcsfuse.csi.storage.gke.io, volumeAttributes: {bucketName: images}}  # <-
    ```

    ```yaml good worker
    template:
      metadata:
        annotations: {gke-gcsfuse/volumes: "true"}
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0
          volumeMounts: [{name: bucket, mountPath: /data}]
        volumes:
        - {name: bucket, csi: {driver: gcsfuse.csi.storage.gke.io, volumeAttributes: {bucketName: images}}}
    ```

    Another driver; and on old Kubernetes a head, which has no init container that mounts the bucket:

    ```yaml good near-miss kubernetes=1.28 cluster
    headGroupSpec:
      template:
        metadata:
          annotations: {gke-gcsfuse/volumes: "true"}
        spec:
          containers:
          - name: ray-head
            image: rayproject/ray:2.60.0
            volumeMounts: [{name: bucket, mountPath: /data}]
          volumes:
          - {name: bucket, csi: {driver: gcsfuse.csi.storage.gke.io, volumeAttributes: {bucketName: images}}}
    workerGroupSpecs:
    - groupName: cpu
      template:
        spec:
          containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]
          volumes: [{name: secrets, csi: {driver: secrets-store.csi.k8s.io, readOnly: true}}]
    ```
    """
    if not group.pod.has("volumes") or not group.cluster.is_built:
        return
    annotated = group.template.annotations.data.get(_ANNOTATION) == "true"
    target = group.cluster.target
    if annotated and (group.is_head or not target.kubernetes_before(*_SIDECARS)):
        return
    for path, item in group.pod.parts("volumes"):
        volume = View(group.document, path, item)
        if volume.part("csi").data.get("driver") != _DRIVER:
            continue
        at: Field[str] = Field(None, Origin.WRITTEN, volume.at_key("csi"))
        if not annotated:
            yield at.flag(
                f'the {group.title} mounts a bucket without the annotation {_ANNOTATION}: "true": nothing mounts'
                " it",
                label="needs the annotation",
                effect="the pod stays in ContainerCreating, with FailedMount events",
                fix=f'add {_ANNOTATION}: "true" to the annotations of the pod template',
                repair=unsafe(group.template.annotations.at_key(_ANNOTATION).set("true")),
            )
        elif volume.data.get("name") in _mounted(group):
            release = version_text(target.kubernetes or _SIDECARS)
            yield at.flag(
                f"the mounter of the bucket starts after the init containers on Kubernetes {release}, and"
                " KubeRay's"
                " waits for the bucket",
                label="mounted in wait-gcs-ready as well",
                effect="the worker stays in Init for ever: the two wait for each other",
                fix="use Kubernetes 1.29 or later, where the mounter starts first, or another driver",
                severity=Severity.WARNING,
            )


def _mounted(group: Group) -> set[object]:
    mounts = group.ray_container.parts("volumeMounts")
    return {item.get("name") for _, item in mounts if isinstance(item, dict)}


@looks_into("RAY718", Severity.ERROR)
def native_sidecar_on_old_kubernetes(group: Group) -> Problems:
    """An init container that is to run on as a sidecar, on a Kubernetes that waits for its end.

    ## What it flags
    An init container with `restartPolicy: Always` where `--kubernetes` says a release before 1.29.

    It stays silent where no release is told.

    ## What happens
    Before 1.29 the API server drops the field unless a feature gate is on. The init container then has to end
    before the next one starts, and a sidecar never does: the pod stays in `Init:0/1` for ever.

    ## Versions
    Kubernetes before 1.29.

    ## Fix
    Put the sidecar among `containers`, behind the Ray container.

    ## When to ignore it
    When the feature gate `SidecarContainers` is on (1.28).

    ## Source
    Kubernetes documentation, "Sidecar Containers".

    ## Examples
    ```yaml bad kubernetes=1.28 worker
    template:
      spec:
        initContainers:
        - name: relay
          image: registry.example/team/relay:7
          restartPolicy: Always  # <-
        containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]
    ```

    ```yaml bad kubernetes=1.27 cluster
    headGroupSpec:
      template:
        spec:
          initContainers:
          - {name: fetch, image: "registry.example/team/fetch:7"}
          - {name: relay, image: "registry.example/team/relay:7", restartPolicy: Always}  # <-
          containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]
    ```

    ```yaml good kubernetes=1.29 worker
    template:
      spec:
        initContainers: [{name: relay, image: "registry.example/team/relay:7", restartPolicy: Always}]
        containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]
    ```

    Nothing says which Kubernetes it is; and an init container that ends:

    ```yaml good near-miss worker
    template:
      spec:
        initContainers: [{name: relay, image: "registry.example/team/relay:7", restartPolicy: Always}]
        containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]
    ```

    ```yaml good near-miss kubernetes=1.28 worker
    template:
      spec:
        initContainers: [{name: fetch, image: "registry.example/team/fetch:7"}]
        containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]
    ```
    """
    target = group.cluster.target
    if (
        not group.pod.has("initContainers")
        or not target.kubernetes_before(*_SIDECARS)
        or not group.cluster.is_built
    ):
        return
    for container in group.pod.init_containers:
        policy = container.string("restartPolicy")
        if policy.value == "Always":
            yield policy.flag(
                f"the init container {container.name.value!r} is to run on, and Kubernetes"
                f" {version_text(target.kubernetes or _SIDECARS)} waits for its end",
                label="dropped before Kubernetes 1.29",
                effect="the pods stay in Init for ever",
                fix="put it among containers, behind the Ray container",
            )
