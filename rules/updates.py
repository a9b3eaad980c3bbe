"""Changes that the operator takes and does not bring about: what runs stays as it was."""

from __future__ import annotations

from raylint.rule import Confidence, Location, Problem, Severity
from raylint.update import ClusterUpdate, JobUpdate, ServiceUpdate, changes

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from raylint.cluster import RayCluster
    from raylint.field import View
    from raylint.finding import Path
    from raylint.group import WorkerGroup
    from raylint.rule import Problems
    from raylint.target import Version

__all__ = ["change_of_cluster_rolls_out_nothing", "change_of_job_cluster_is_ignored", "change_of_service_waits"]

# What the pods of a group are made of. Numbers of pods, services and the ingress are brought about in place.
_OF_PODS = ("template", "rayStartParams", "resources", "labels")
# The same of the whole cluster.
_OF_CLUSTER = ("enableInTreeAutoscaling", "gcsFaultToleranceOptions", "authOptions")
# These the autoscaler reads from the object while it runs.
_READ_LIVE = ("idleTimeoutSeconds", "upscalingMode")
# What no hash of a spec covers; tolerations and gates since 1.6.
_SCALE = ("replicas", "minReplicas", "maxReplicas", "scaleStrategy")
_PLACING = ("tolerations", "schedulingGates")
_PLACING_SINCE = (1, 6)
_ROLLING = ("NewCluster", "NewClusterWithIncrementalUpgrade")


@looks_into("RAY720", Severity.WARNING, reports=("FR-150",))
def change_of_cluster_rolls_out_nothing(update: ClusterUpdate) -> Problems:
    """A RayCluster's pods are to be made otherwise, and those that run are left as they are.

    ## What it flags
    An update of a RayCluster that changes a group's pod template, `rayStartParams`, `resources` or `labels`, or
    what shapes all pods (`enableInTreeAutoscaling`, `gcsFaultToleranceOptions`, `authOptions`, how the
    autoscaler's container is made), without `upgradeStrategy.type: Recreate`. With `Recreate` it flags a change of
    nothing but tolerations and scheduling gates, which does not count as one.

    It stays silent for new groups, for groups that have no pods yet, while the cluster is suspended, and for what
    is brought about in place: numbers of replicas, Services, what the autoscaler reads while it runs.

    ## What happens
    The update is accepted and nothing restarts. Pods that run keep the old image, size and settings; those that
    are made later (after a crash, an eviction, or by the autoscaler) get the new ones. A head and workers of two
    Ray versions refuse each other then, days after the change.

    ## Versions
    All. `upgradeStrategy` exists since KubeRay 1.6; before that nothing rolls a RayCluster.

    ## Fix
    Delete the pods, the head last or with them, or set `upgradeStrategy.type: Recreate`, which ends all pods of
    the cluster at once at each such change. A RayService changes clusters without a gap.

    ## When to ignore it
    When the change is meant for pods to come, or the pods are deleted by hand after it.

    ## Source
    ray-project/kuberay v1.7.0, `raycluster_controller.go`, `pod.go`; ray-project/kuberay#289, #787, #2534.

    ## Examples
    ```yaml bad update cluster
    rayVersion: "2.46.0"
    headGroupSpec:
      template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.46.0"}]}}
    ---
    rayVersion: "2.60.0"
    headGroupSpec:
      template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}  # <-
    ```

    ```yaml bad update cluster
    workerGroupSpecs:
    - groupName: gpu
      replicas: 2
      template:
        spec:
          containers:
          - name: ray-worker
            image: rayproject/ray:2.60.0
            resources: {limits: {cpu: "4", memory: 16Gi}}
    ---
    workerGroupSpecs:
    - groupName: gpu
      replicas: 2
      template:
        spec:
          containers:
          - name: ray-worker
            image: rayproject/ray:2.60.0
            resources: {limits: {cpu: "4", memory: 32Gi}}  # <-
    ```

    ```yaml bad update cluster
    upgradeStrategy: {type: Recreate}
    headGroupSpec:
      template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
    ---
    upgradeStrategy: {type: Recreate}
    headGroupSpec:
      template:
        spec:
          containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]
          tolerations: [{key: spot, operator: Exists}]  # <-
    ```

    ```yaml good update cluster
    upgradeStrategy: {type: Recreate}
    headGroupSpec:
      template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.46.0"}]}}
    ---
    upgradeStrategy: {type: Recreate}
    headGroupSpec:
      template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
    ```

    ```yaml good update cluster
    workerGroupSpecs:
    - groupName: cpu
      replicas: 1
      template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]}}
    ---
    workerGroupSpecs:
    - groupName: cpu
      replicas: 4
      maxReplicas: 8
      template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]}}
    - groupName: big
      replicas: 1
      template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0-gpu"}]}}
    ```

    ```yaml good near-miss update cluster
    suspend: true
    headGroupSpec:
      template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.46.0"}]}}
    ---
    suspend: false
    headGroupSpec:
      template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
    ```
    """
    old, new = update.old.cluster, update.new.cluster
    if old is None or new is None or update.while_suspended:
        return
    rolls = new.part("upgradeStrategy").data.get("type") == "Recreate"
    found = [(name, list(paths)) for name, paths in _shaping(old, new)]
    if rolls and not all(_is_placing(path) for _, paths in found for path in paths):
        return
    for name, paths in found:
        if paths:
            yield Problem(
                Location(new.document, paths[0]),
                f"{name} made otherwise from now on, and what runs is not replaced: it stays as it was",
                label="changed",
                effect="the change comes into force pod by pod, whenever one happens to be made anew, and old and"
                " new pods are mixed until then",
                fix="delete the pods of this cluster after the update"
                + (
                    ""
                    if rolls
                    else ", or set upgradeStrategy.type to Recreate (KubeRay 1.6), which ends all at once"
                ),
                because=[(Location(new.document, path), "changed as well") for path in paths[1:4]],
            )


def _shaping(old: RayCluster, new: RayCluster) -> Iterator[tuple[str, Iterable[Path]]]:
    """Whose pods are made otherwise, with the paths of what makes them so."""
    yield "all pods are", _changed(old, new, _OF_CLUSTER)
    options = _changed(old, new, ("autoscalerOptions",))
    yield "the autoscaler is", [path for path in options if path[-1] not in _READ_LIVE]
    yield "the head pod is", _changed(old.head, new.head, _OF_PODS)
    before = {group.data.get("groupName"): group for group in old.worker_groups}
    for group in new.worker_groups:
        was = before.get(group.data.get("groupName"))
        if was is not None and not _is_empty(old, was):
            yield f"worker group {group.data.get('groupName')!r} is", _changed(was, group, _OF_PODS)


def _is_empty(cluster: RayCluster, group: WorkerGroup) -> bool:
    """Has the group no pods of which one knows?"""
    if group.data.get("suspend") is True:
        return True
    scaled = cluster.data.get("enableInTreeAutoscaling") is True
    return not scaled and group.whole("replicas", 0) == 0 and group.whole("minReplicas", 0) == 0


def _changed(old: View, new: View, keys: Iterable[str]) -> Iterator[Path]:
    for key in keys:
        was, now = old.data.get(key), new.data.get(key)
        if not was and not now:
            # What is not written and what is empty or off are the same here.
            continue
        if now is None:
            yield new.path
        else:
            yield from changes(was, now, (*new.path, key))


def _is_placing(path: Path) -> bool:
    """Does it only say on which nodes pods may run, and when?"""
    return any(step in _PLACING for step in path)


@looks_into("RAY721", Severity.WARNING, reports=("FR-150",))
def change_of_job_cluster_is_ignored(update: JobUpdate) -> Problems:
    """The cluster of a RayJob is changed after the job was made: it runs on as it was made.

    ## What it flags
    An update of a RayJob that changes anything in `rayClusterSpec`, numbers of replicas included.

    It stays silent while the job is suspended (the cluster is made from the new text when it is resumed), and for
    a RayCronJob, whose next run has all of it.

    ## What happens
    The update is accepted; KubeRay makes the RayCluster once per attempt and does not look at the template again.
    With a `backoffLimit` the next attempt, if there is one, has the new cluster, and no other has.

    ## Versions
    All.

    ## Fix
    Delete the job and make it anew; or suspend it, change it and resume it, which starts it again on a new
    cluster.

    ## When to ignore it
    When the change is meant for the next attempt.

    ## Source
    ray-project/kuberay v1.7.0, `rayjob_controller.go`; ray-project/kuberay#3905.

    ## Examples
    ```yaml bad update job
    rayClusterSpec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.46.0"}]}}
    ---
    rayClusterSpec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}  # <-
    ```

    ```yaml bad update job
    rayClusterSpec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 2
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]}}
    ---
    rayClusterSpec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 8  # <-
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]}}
    ```

    ```yaml good update job
    activeDeadlineSeconds: 3600
    ---
    activeDeadlineSeconds: 7200
    ```

    ```yaml good update cron
    rayClusterSpec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.46.0"}]}}
    ---
    rayClusterSpec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
    ```

    ```yaml good near-miss update job
    suspend: true
    rayClusterSpec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.46.0"}]}}
    ---
    suspend: false
    rayClusterSpec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
    ```
    """
    old, new = update.old.cluster, update.new.cluster
    if old is None or new is None or update.while_suspended:
        return
    paths = list(changes(old.data, new.data, new.path))
    if paths:
        yield Problem(
            Location(new.document, paths[0]),
            "the cluster of a job is changed after the job was made, and KubeRay does not look at it again",
            label="changed",
            effect="the job runs on the cluster as it was; only another attempt, if there is one, has the new one",
            fix="delete the job and make it anew, or suspend it, change it and resume it",
            because=[(Location(new.document, path), "changed as well") for path in paths[1:4]],
        )


@looks_into("RAY722", Severity.WARNING, confidence=Confidence.MEDIUM, kuberay="1.3..", reports=("FR-150",))
def change_of_service_waits(update: ServiceUpdate) -> Problems:
    """The cluster of a RayService is changed in a way for which KubeRay makes no new cluster.

    ## What it flags
    An update of a RayService's `rayClusterConfig` that, with `upgradeStrategy.type: None`, changes more than
    worker groups appended at the end; or that, with any other strategy, changes nothing but what no new cluster is
    made for: `replicas`, `minReplicas`, `maxReplicas`, `scaleStrategy`, and since KubeRay 1.6 tolerations and
    scheduling gates.

    It stays silent where the same update changes anything else: the new cluster that it leads to has all of it.

    ## What happens
    The update is accepted, the service stays ready, and the cluster that serves keeps its bounds, its size and its
    image. What was to make room for more load is not there when the load comes.

    ## Versions
    `upgradeStrategy` exists since KubeRay 1.3.

    ## Fix
    Change something that counts along with it, such as an annotation of the head's pods, and a new cluster takes
    over with all of it; with `upgradeStrategy.type: None` the service has to be made anew.

    ## When to ignore it
    When the change may wait for the next upgrade, or the operator runs with other defaults.

    ## Source
    ray-project/kuberay v1.7.0, `rayservice_controller.go`; ray-project/kuberay#4051.

    ## Examples
    ```yaml bad update service
    upgradeStrategy: {type: None}
    serveConfigV2: "applications: [{name: app, import_path: app:graph}]"
    rayClusterConfig:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.46.0"}]}}
    ---
    upgradeStrategy: {type: None}
    serveConfigV2: "applications: [{name: app, import_path: app:graph}]"
    rayClusterConfig:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}  # <-
    ```

    ```yaml bad update service
    serveConfigV2: "applications: [{name: app, import_path: app:graph}]"
    rayClusterConfig:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        maxReplicas: 4
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]}}
    ---
    serveConfigV2: "applications: [{name: app, import_path: app:graph}]"
    rayClusterConfig:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        maxReplicas: 20  # <-
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]}}
    ```

    ```yaml good update service
    serveConfigV2: "applications: [{name: app, import_path: app:graph}]"
    rayClusterConfig:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.46.0"}]}}
    ---
    serveConfigV2: "applications: [{name: app, import_path: app:graph}]"
    rayClusterConfig:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
    ```

    ```yaml good update service
    upgradeStrategy: {type: None}
    serveConfigV2: "applications: [{name: app, import_path: app:graph}]"
    ---
    upgradeStrategy: {type: None}
    serveConfigV2: "applications: [{name: app, import_path: app:canary}]"
    ```

    ```yaml good near-miss update service
    upgradeStrategy: {type: None}
    serveConfigV2: "applications: [{name: app, import_path: app:graph}]"
    rayClusterConfig:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]}}
    ---
    upgradeStrategy: {type: None}
    serveConfigV2: "applications: [{name: app, import_path: app:graph}]"
    rayClusterConfig:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]}}
      - groupName: more
        replicas: 2
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]}}
    ```
    """
    old, new = update.old.cluster, update.new.cluster
    if old is None or new is None or update.while_suspended:
        return
    strategy = update.new.spec.part("upgradeStrategy").string("type", "NewCluster")
    paths = list(_but_appended(old, new))
    if strategy.value == "None":
        how, fix = (
            "upgradeStrategy.type is None",
            "make the service anew, or set upgradeStrategy.type to NewCluster",
        )
    elif strategy.value in _ROLLING and all(_is_left_out(path, update.new.target.kuberay) for path in paths):
        how = "it is nothing for which KubeRay makes a new one"
        fix = "change something else of the cluster with it, such as an annotation of the head's pods"
    else:
        return
    if paths:
        yield Problem(
            Location(new.document, paths[0]),
            f"the cluster of a service is changed, and the one that serves stays as it was: {how}",
            label="changed",
            effect="the update is accepted and the service ready, with the size, bounds and image of before",
            fix=fix,
            because=[(Location(new.document, path), "changed as well") for path in paths[1:4]],
        )


def _but_appended(old: RayCluster, new: RayCluster) -> Iterator[Path]:
    """Where two clusters differ, but for worker groups at the end, which are added in place."""
    before, now = dict(old.data), dict(new.data)
    groups, more = before.pop("workerGroupSpecs", None), now.pop("workerGroupSpecs", None)
    yield from changes(before, now, new.path)
    if isinstance(groups, list) and isinstance(more, list) and len(more) > len(groups):
        more = more[: len(groups)]
    elif groups is None:
        return
    yield from changes(groups, more, (*new.path, "workerGroupSpecs") if more is not None else new.path)


def _is_left_out(path: Path, kuberay: Version) -> bool:
    """Is it in no hash of the cluster, by which KubeRay knows that it has to make a new one?"""
    return path[-1] in _SCALE or (kuberay >= _PLACING_SINCE and _is_placing(path))
