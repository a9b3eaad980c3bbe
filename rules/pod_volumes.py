"""Volumes at Ray's own directory, and beside it."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.field import View
from raylint.group import WorkerGroup
from raylint.rule import Severity, rule, unsafe

from .mounts import RAY_FILES, mount_at, mounts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.pod import Pod
    from raylint.rule import Problems, Repair

# Of the first rule the volumes that pods share, of the second the switch.
MENTIONS = ("persistentVolumeClaim", "hostPath", "enableInTreeAutoscaling")

_LOG_VOLUME = "ray-logs"
_SHARED = ("persistentVolumeClaim", "hostPath")


@rule("RAY342", Severity.WARNING, reports=("FR-061",))
def ray_files_on_shared_volume(group: WorkerGroup) -> Problems:
    """One volume for the session directories of several pods.

    ## What it flags
    A `persistentVolumeClaim` or `hostPath` volume that the Ray container of a group with several pods mounts at
    `/tmp` or `/tmp/ray` without `subPathExpr`.

    It stays silent for a group of one pod, for `emptyDir` and for ephemeral volumes, which every pod has to
    itself.

    ## What happens
    Every pod writes its sockets, logs and the link `session_latest` into one directory. Pods take each other's
    session for theirs, files of another user cannot be written, sockets on network storage do not work at all.

    ## Versions
    All.

    ## Fix
    Use an `emptyDir`, or `subPathExpr: $(POD_NAME)` with the pod's name from the downward API.

    ## When to ignore it
    Where an admission controller gives each pod its own directory.

    ## Source
    ray-project/ray#4593; Ray 2.60.0, `python/ray/_private/node.py` (`_init_temp`).

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 3
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.52.0
              volumeMounts:
              - name: logs
                mountPath: /tmp/ray  # <-
            volumes: [{name: logs, persistentVolumeClaim: {claimName: ray-logs}}]
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 3
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.52.0
              volumeMounts:
              - name: scratch
                mountPath: /tmp  # <-
            volumes: [{name: scratch, hostPath: {path: /mnt/nvme}}]
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 3
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.52.0
              volumeMounts: [{name: scratch, mountPath: /tmp/ray}]
            volumes: [{name: scratch, emptyDir: {sizeLimit: 50Gi}}]
    ```

    The head has one pod, and the workers a directory each:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              volumeMounts: [{name: logs, mountPath: /tmp/ray}]
            volumes: [{name: logs, persistentVolumeClaim: {claimName: head-logs}}]
      workerGroupSpecs:
      - groupName: cpu
        replicas: 3
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.52.0
              env: [{name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]
              volumeMounts: [{name: logs, mountPath: /tmp/ray, subPathExpr: $(POD_NAME)}]
            volumes: [{name: logs, persistentVolumeClaim: {claimName: ray-logs}}]
    ```
    """
    if not _has_shared_volume(group.pod) or not group.cluster.is_built or (group.possible_pods or 0) < 2:
        return
    for mount in mounts(group):
        volume = mount.volume
        if mount.path not in ("/tmp", RAY_FILES) or volume is None or mount.view.has("subPathExpr"):
            continue
        kind = next((kind for kind in _SHARED if kind in volume.data), "")
        if kind:
            yield mount.view.string("mountPath").flag(
                f"the pods of {group.title} share one volume at {mount.path}, where each keeps its session",
                label=f"a {kind}",
                because=[(volume.at_key("name"), "one volume for all of them")],
                effect="sessions mix, files of another user cannot be written, sockets fail on network storage",
                fix="use an emptyDir, or subPathExpr with the pod's name",
            )


def _has_shared_volume(pod: Pod) -> bool:
    volumes = pod.data.get("volumes")
    for volume in volumes if isinstance(volumes, list) else ():
        if isinstance(volume, dict) and not volume.keys().isdisjoint(_SHARED):
            return True
    return False


@rule("RAY343", Severity.INFO, where="enableInTreeAutoscaling", reports=("FR-058",), fixes="unsafe")
def autoscaler_logs_apart(cluster: RayCluster) -> Problems:
    """With the autoscaler on, a log volume of your own hides the autoscaler's events from the dashboard.

    ## What it flags
    A cluster with `enableInTreeAutoscaling` whose head mounts a volume at `/tmp/ray` that is not called
    `ray-logs`.

    ## What happens
    KubeRay shares `/tmp/ray` between the Ray container and the autoscaler's sidecar by a volume `ray-logs`. If
    something is mounted there already, only the sidecar gets that volume: it writes its events and logs where the
    dashboard does not look, and `ray status` in the dashboard stays empty.

    ## Versions
    All. KubeRay's Helm chart names its volume `log-volume` and does just this once autoscaling is on.

    ## Fix
    Call the volume `ray-logs`: KubeRay then uses it for the sidecar as well.

    ## When to ignore it
    When nobody reads the autoscaler's events in the dashboard.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go` (`addEmptyDir`, `BuildAutoscalerContainer`);
    ray-project/kuberay#1851.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      enableInTreeAutoscaling: true
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              volumeMounts:
              - mountPath: /tmp/ray
                name: log-volume  # <-
            volumes: [{name: log-volume, emptyDir: {}}]
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayService
    metadata: {name: ranker}
    spec:
      rayClusterConfig:
        enableInTreeAutoscaling: true
        headGroupSpec:
          template:
            spec:
              containers:
              - name: ray-head
                image: rayproject/ray:2.52.0
                volumeMounts:
                - mountPath: /tmp/ray/
                  name: logs  # <-
              volumes: [{name: logs, persistentVolumeClaim: {claimName: head-logs}}]
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      enableInTreeAutoscaling: true
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              volumeMounts: [{mountPath: /tmp/ray, name: ray-logs}]
            volumes: [{name: ray-logs, emptyDir: {}}]
    ```

    Without the autoscaler there is nobody to share with:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              volumeMounts: [{mountPath: /tmp/ray, name: log-volume}]
            volumes: [{name: log-volume, emptyDir: {}}]
    ```
    """
    if not cluster.autoscaler.enabled or not cluster.is_built:
        return
    mount = mount_at(cluster.head, RAY_FILES)
    if mount is None:
        return
    name = mount.view.string("name")
    if name and name.known and name.value != _LOG_VOLUME:
        yield name.flag(
            f"the autoscaler's sidecar does not share the volume {name.value!r} at /tmp/ray with Ray",
            label="not called ray-logs",
            because=[(cluster.autoscaler.switch.at.key(), "the autoscaler runs beside the head")],
            effect="the dashboard shows no events of the autoscaler, its logs go with the sidecar",
            fix="call the volume ray-logs, which KubeRay shares with the sidecar",
            repair=_renamed(cluster, mount.volume),
        )


def _renamed(cluster: RayCluster, volume: View | None) -> Repair | None:
    """The volume under the name that is shared, wherever the head's pod speaks of it."""
    pod = cluster.head.pod
    names = [item.get("name") for _, item in pod.parts("volumes") if isinstance(item, dict)]
    if volume is None or _LOG_VOLUME in names:
        return None
    old = volume.data.get("name")
    mounted = [
        View(pod.document, path, item).at_key("name").set(_LOG_VOLUME)
        for container in (*pod.containers, *pod.init_containers)
        for path, item in container.parts("volumeMounts")
        if isinstance(item, dict) and item.get("name") == old
    ]
    return unsafe(volume.at_key("name").set(_LOG_VOLUME), *mounted)
