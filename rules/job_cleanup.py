"""What ends a RayJob that hangs, and what becomes of its cluster when it is done."""

from __future__ import annotations

from raylint.manifest import RayCronJob, RayJob
from raylint.rule import Problem, Severity, unsafe

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.group import Group
    from raylint.rule import Problems

__all__ = [
    "cleans_up",
    "job_keeps_its_cluster",
    "job_without_deadline",
]

MENTIONS = ("RayJob", "RayCronJob")

_ACCELERATORS = ("gpu", "tpu", "neuron", "npu", "hpu")


_CLEANS_UP = ("deletionStrategy", "deletionPolicy")


# From so many workers on a cluster that nobody removes is worth a warning.
MANY_WORKERS = 10


def cleans_up(job: RayJob) -> bool:
    spec = job.job_spec
    written = spec.data.get("shutdownAfterJobFinishes")
    unknown = written is not None and not isinstance(written, bool)
    return written is True or unknown or any(spec.has(name) for name in _CLEANS_UP)


@looks_into("RAY513", Severity.INFO, reports=("FR-081",))
def job_without_deadline(job: RayJob) -> Problems:
    """A RayJob that nothing ends and nothing tries again when its head is lost.

    ## What it flags
    A RayJob with neither `backoffLimit` nor `activeDeadlineSeconds` (nor `preRunningDeadlineSeconds`).

    It stays silent for InteractiveMode, and for a RayCronJob, which has a rule of its own (RAY519).

    ## What happens
    A job that hangs, on an actor that cannot be placed or on a lost node, runs until somebody notices, with all
    its pods. When the head dies the driver dies with it; without `backoffLimit` KubeRay does not start the job
    again.

    ## Versions
    `backoffLimit` exists since KubeRay 1.2, `preRunningDeadlineSeconds` since 1.6.

    ## Fix
    Set `activeDeadlineSeconds` to what the job may take at the most, start of the cluster included, and
    `backoffLimit` where a second run does no harm.

    ## When to ignore it
    When the job may run for ever, or something else watches it.

    ## Source
    ray-project/kuberay v1.7.0, `rayjob_controller.go`; ray-project/kuberay#1902, #2161.

    ## Examples
    ```yaml bad job
    entrypoint: python train.py  # <-
    shutdownAfterJobFinishes: true
    ```

    ```yaml bad job
    submissionMode: HTTPMode
    entrypoint: python train.py  # <-
    backoffLimit: 0
    ```

    ```yaml good job
    entrypoint: python train.py
    activeDeadlineSeconds: 7200
    ```

    ```yaml good near-miss job
    submissionMode: InteractiveMode
    jobId: by-hand
    ```
    """
    spec = job.job_spec
    tried_again = spec.has("backoffLimit") and spec.data["backoffLimit"] != 0
    if tried_again or spec.has("activeDeadlineSeconds") or spec.has("preRunningDeadlineSeconds"):
        return
    if isinstance(job, RayCronJob) or job.submission_mode.value in ("InteractiveMode", "UserMode"):
        return
    yield Problem(
        spec.at_key("entrypoint").key() if spec.has("entrypoint") else spec.at.key(),
        "the RayJob has no deadline and no second try",
        label="neither activeDeadlineSeconds nor backoffLimit",
        effect="a job that hangs keeps its pods until somebody looks; one whose head is lost is not run again",
        fix="set activeDeadlineSeconds, and backoffLimit where a second run does no harm",
    )


def _costly(group: Group) -> str:
    for name in group.ray_container.limits:
        if name.lower().endswith(_ACCELERATORS) or "nvidia.com/" in name:
            return f"{group.title} holds {name}"
    return ""


@looks_into("RAY514", Severity.WARNING, reports=("FR-089",), fixes="unsafe")
def job_keeps_its_cluster(job: RayJob, *, many_workers: int = MANY_WORKERS) -> Problems:
    """A RayJob that does not remove its cluster: the pods run on after the job is done.

    ## What it flags
    A RayJob with a cluster of its own and neither `shutdownAfterJobFinishes: true` nor a `deletionStrategy`. It is
    a warning where that is sure to cost: the cluster holds accelerators, or may have ten workers or more. Else,
    and where `shutdownAfterJobFinishes: false` is written, it is an info.

    It stays silent with a `clusterSelector` (KubeRay never removes such a cluster), in InteractiveMode, and for a
    RayCronJob, which has a rule of its own (RAY519).

    ## What happens
    The default keeps the cluster for ever, so that people can look at it: every worker at its minimum, the head,
    and with them nodes and accelerators. The RayJob itself says `Complete`.

    ## Versions
    All KubeRay releases; `deletionStrategy` since 1.5 with the gate RayJobDeletionPolicy.

    ## Fix
    Write `shutdownAfterJobFinishes: true`, with `ttlSecondsAfterFinished` for the time that people need to look at
    it.

    ## When to ignore it
    While you debug the job, or when the operator runs with DELETE_RAYJOB_CR_AFTER_JOB_FINISHES.

    ## Options
    - `many-workers` (10): a cluster of so many workers and more makes a warning.

    ## Source
    ray-project/kuberay v1.7.0, `rayjob_controller.go`; ray-project/kuberay#1023, #1101.

    ## Examples
    ```yaml bad job
    entrypoint: python train.py
    rayClusterSpec:  # <-
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: gpu
        replicas: 2
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.60.0-gpu
              resources: {limits: {nvidia.com/gpu: 1}}
    ```

    ```yaml bad severity=info job
    entrypoint: python train.py
    rayClusterSpec:  # <-
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
    ```

    ```yaml bad severity=info job
    entrypoint: python train.py
    shutdownAfterJobFinishes: false  # <-
    ```

    ```yaml good job
    entrypoint: python train.py
    shutdownAfterJobFinishes: true
    ttlSecondsAfterFinished: 600
    ```

    ```yaml good near-miss job
    entrypoint: python train.py
    clusterSelector: {ray.io/cluster: shared}
    ```
    """
    cluster = job.cluster
    interactive = job.submission_mode.value in ("InteractiveMode", "UserMode")
    if cluster is None or interactive or cleans_up(job) or isinstance(job, RayCronJob) or not cluster.is_built:
        return
    costs = next((text for text in map(_costly, cluster.groups) if text), "")
    workers = cluster.guaranteed_workers
    if not costs and workers is not None and workers >= many_workers:
        costs = f"{workers} workers at the least"
    decided = job.job_spec.has("shutdownAfterJobFinishes")
    yield Problem(
        job.job_spec.at_key("shutdownAfterJobFinishes") if decided else cluster.at.key(),
        "the cluster is kept for ever after the job is done" + (f": {costs}" if costs else ""),
        label="" if decided else "no shutdownAfterJobFinishes",
        effect="the RayJob says Complete, and its pods run on until somebody deletes it (all KubeRay releases)",
        fix="write shutdownAfterJobFinishes: true, and ttlSecondsAfterFinished to look at it before",
        severity=None if costs and not decided else Severity.INFO,
        repair=unsafe(job.job_spec.at_key("shutdownAfterJobFinishes").set(True)),
    )
