"""RayJobs, and the jobs of RayCronJobs, whose cluster or way of submission the operator refuses."""

from __future__ import annotations

from raylint.manifest import RayJob
from raylint.rule import safe, unsafe

from .refusal import refused, refuses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import OddJob
    from raylint.rule import Problems

_SELECTED = "ray.io/cluster"


@refuses("KR132", "1.1..", "suspend")
def suspend_with_selector(job: RayJob) -> Problems:
    """The operator refuses a suspended RayJob that runs on a cluster of somebody else.

    `suspend: true` with a `clusterSelector`: suspending would delete that cluster.

    Fix: Remove `suspend`, or give the job its own cluster.

    bad RayJob
      job: suspend: true  # <-
      job: shutdownAfterJobFinishes: true
      job: clusterSelector: {ray.io/cluster: shared}
      no-cluster:
    bad RayCronJob
      job: suspend: true  # <-
      job: clusterSelector: {ray.io/cluster: shared}
      no-cluster:
    good RayJob
      job: clusterSelector: {ray.io/cluster: shared}
      no-cluster:
    near-miss RayCronJob -- The schedule is suspended, not the job:
      spec: suspend: true
      job: clusterSelector: {ray.io/cluster: shared}
      no-cluster:
    """
    if job.job_spec.data.get("suspend") is True and job.uses_existing_cluster:
        yield refused(
            job,
            job.job_spec.at_key("suspend"),
            "suspend of a RayJob with clusterSelector",
            fix="remove suspend, or give the job its own rayClusterSpec",
        )


@refuses("KR133", "1.1..")
def job_without_cluster(job: OddJob) -> Problems:
    """The operator refuses a RayJob without a cluster.

    Neither `rayClusterSpec` nor a `clusterSelector` with a key. A misspelt `rayClusterSpec` is dropped on the way
    and counts as missing.

    Fix: Write `rayClusterSpec`, or `clusterSelector: {ray.io/cluster: NAME}`.

    bad RayJob marked=spec
      job: clusterSelector: {}
      no-cluster:
    bad RayCronJob marked=jobTemplate
      job: shutdownAfterJobFinishes: true
      no-cluster:
    good RayJob
      cluster: rayVersion: 2.52.0
    near-miss RayJob
      job: clusterSelector: {ray.io/cluster: shared}
      no-cluster:
    """
    if not job.job_spec.has("rayClusterSpec") and not job.uses_existing_cluster:
        yield refused(
            job,
            job.job_spec.at.key(),
            "there is neither rayClusterSpec nor clusterSelector",
            fix="write rayClusterSpec, or clusterSelector with the key ray.io/cluster",
        )


@refuses("KR134", "1.5..", "clusterSelector")
def selector_without_name(job: RayJob) -> Problems:
    """The operator refuses a `clusterSelector` that names no RayCluster.

    A selector with keys, of which none is `ray.io/cluster` with a text that is not empty. The operator uses no
    other key: it selects a name, not labels.

    Versions: Before 1.5 the job waits for a cluster with an empty name.
    Fix: Write `clusterSelector: {ray.io/cluster: NAME}`.

    bad RayJob
      job: clusterSelector: {team: a}  # <-
      no-cluster:
    bad RayCronJob
      job: clusterSelector: {ray.io/cluster: ""}  # <-
      no-cluster:
    good RayJob
      job: clusterSelector: {ray.io/cluster: shared}
      no-cluster:
    near-miss RayJob -- Other keys do no harm, and no good:
      job: clusterSelector: {ray.io/cluster: shared, team: a}
      no-cluster:
    """
    selector = job.job_spec.part("clusterSelector")
    name = selector.string(_SELECTED)
    if selector.data and name.known and not name.value:
        yield refused(
            job,
            name.at if name else selector.at.key(),
            f"clusterSelector gives no name under {_SELECTED}",
            fix=f"write clusterSelector with {_SELECTED} and the name of a RayCluster in this namespace",
        )


@refuses("KR135", "1.5..", "submissionMode", reports=("FR-094",))
def sidecar_with_selector(job: RayJob) -> Problems:
    """The operator refuses SidecarMode on a cluster of somebody else.

    `submissionMode: SidecarMode` with a `clusterSelector`: the submitter would have to stand in that cluster's
    head pod.

    Versions: SidecarMode came with 1.5.
    Fix: Use K8sJobMode, or give the job its own cluster.

    bad RayJob
      job: submissionMode: SidecarMode  # <-
      job: clusterSelector: {ray.io/cluster: shared}
      no-cluster:
    bad RayCronJob
      job: submissionMode: SidecarMode  # <-
      job: clusterSelector: {ray.io/cluster: shared}
      no-cluster:
    good RayJob
      job: submissionMode: SidecarMode
    near-miss RayJob
      job: submissionMode: HTTPMode
      job: clusterSelector: {ray.io/cluster: shared}
      no-cluster:
    """
    if job.submission_mode.value == "SidecarMode" and job.uses_existing_cluster:
        yield refused(
            job,
            job.submission_mode,
            "submissionMode SidecarMode with clusterSelector",
            fix="use K8sJobMode or HTTPMode, or give the job its own rayClusterSpec",
        )


@refuses("KR136", "1.6..", "backoffLimit", reports=("FR-096",), fixes="unsafe")
def backoff_with_selector(job: RayJob) -> Problems:
    """The operator refuses retries on a cluster of somebody else.

    A `backoffLimit` above 0 with a `clusterSelector`: every retry would want a new cluster.

    Versions: Before 1.6 it is accepted and the job is not retried.
    Fix: Remove `backoffLimit`; `submitterConfig.backoffLimit` retries the submission.

    bad RayJob
      job: backoffLimit: 2  # <-
      job: clusterSelector: {ray.io/cluster: shared}
      no-cluster:
    bad RayCronJob
      job: clusterSelector: {ray.io/cluster: shared}
      job: backoffLimit: 1  # <-
      no-cluster:
    good RayJob
      job: backoffLimit: 2
    near-miss RayJob
      job: backoffLimit: 0
      job: clusterSelector: {ray.io/cluster: shared}
      no-cluster:
    """
    if (job.backoff_limit.value or 0) > 0 and job.uses_existing_cluster:
        yield refused(
            job,
            job.backoff_limit,
            f"backoffLimit {job.backoff_limit.value} with clusterSelector",
            fix="remove backoffLimit, or give the job its own rayClusterSpec",
            repair=unsafe(job.backoff_limit.at.delete()),
        )


@refuses("KR137", "1.4..", "backoffLimit", reports=("FR-096",), fixes="unsafe")
def backoff_in_interactive_mode(job: RayJob) -> Problems:
    """The operator refuses retries in InteractiveMode.

    A `backoffLimit` above 0 with `submissionMode: InteractiveMode`: nobody would submit the job again.

    Fix: Remove `backoffLimit`.

    bad RayJob
      job: submissionMode: InteractiveMode
      job: backoffLimit: 1  # <-
    bad RayCronJob
      job: backoffLimit: 3  # <-
      job: submissionMode: InteractiveMode
    good RayJob
      job: submissionMode: InteractiveMode
    near-miss RayJob
      job: submissionMode: HTTPMode
      job: backoffLimit: 1
    """
    if (job.backoff_limit.value or 0) > 0 and job.submission_mode.value == "InteractiveMode":
        yield refused(
            job,
            job.backoff_limit,
            f"backoffLimit {job.backoff_limit.value} in InteractiveMode",
            fix="remove backoffLimit: nobody submits an interactive job again",
            repair=unsafe(job.backoff_limit.at.delete()),
        )


def _beside_sidecar(job: RayJob, key: str, why: str) -> Problems:
    if job.submission_mode.value == "SidecarMode" and job.job_spec.has(key):
        yield refused(
            job,
            job.job_spec.at_key(key).key(),
            f"{key} in SidecarMode",
            because=[(job.submission_mode.at, why)],
            fix=f"remove {key}, or use K8sJobMode",
        )


@refuses("KR138", "1.5..", "submitterPodTemplate", reports=("FR-094",))
def submitter_template_in_sidecar_mode(job: RayJob) -> Problems:
    """The operator refuses `submitterPodTemplate` in SidecarMode.

    The field with `submissionMode: SidecarMode`: there is no pod for the submitter, it is a container of the
    head's.

    Fix: Remove the template, or use K8sJobMode.

    bad RayJob
      job: submissionMode: SidecarMode
      job: submitterPodTemplate:  # <-
      job:   spec: {restartPolicy: Never, containers: [{name: submitter, image: "rayproject/ray:2.52.0"}]}
    bad RayCronJob
      job: submissionMode: SidecarMode
      job: submitterPodTemplate: {spec: {containers: [{name: submitter, image: "rayproject/ray:2.52.0"}]}}  # <-
    good RayJob
      job: submissionMode: SidecarMode
    near-miss RayJob -- In HTTPMode it has no effect:
      job: submissionMode: HTTPMode
      job: submitterPodTemplate: {spec: {containers: [{name: submitter, image: "rayproject/ray:2.52.0"}]}}
    """
    return _beside_sidecar(job, "submitterPodTemplate", "the submitter is a container of the head's pod")


@refuses("KR139", "1.5..", "submitterConfig", reports=("FR-094",))
def submitter_config_in_sidecar_mode(job: RayJob) -> Problems:
    """The operator refuses `submitterConfig` in SidecarMode.

    The field, even empty, with `submissionMode: SidecarMode`.

    Fix: Remove the field, or use K8sJobMode.

    bad RayJob
      job: submissionMode: SidecarMode
      job: submitterConfig: {backoffLimit: 3}  # <-
    bad RayJob
      job: submissionMode: SidecarMode
      job: submitterConfig: {}  # <-
    good RayJob
      job: submissionMode: K8sJobMode
      job: submitterConfig: {backoffLimit: 3}
    near-miss RayJob
      job: submissionMode: SidecarMode
      job: submitterConfig: null
    """
    return _beside_sidecar(job, "submitterConfig", "there is no Job that could be retried")


@refuses("KR140", "1.5..", "submissionMode", reports=("FR-094",), fixes="safe")
def head_restart_policy_in_sidecar_mode(job: RayJob) -> Problems:
    """The operator refuses a head's `restartPolicy` other than `Never` in SidecarMode.

    `submissionMode: SidecarMode` and a head template with `Always` or `OnFailure`: a submitter that ends must not
    be started again. Without the field KubeRay writes `Never`.

    Fix: Remove `restartPolicy` from the head, or write `Never`.

    bad RayJob
      job: submissionMode: SidecarMode
      head.pod: restartPolicy: Always  # <-
    bad RayCronJob
      job: submissionMode: SidecarMode
      head.pod: restartPolicy: OnFailure  # <-
    good RayJob
      job: submissionMode: SidecarMode
      head.pod: restartPolicy: Never
    near-miss RayJob -- Workers may restart:
      job: submissionMode: SidecarMode
      group.pod: restartPolicy: Always
    """
    if job.submission_mode.value != "SidecarMode" or job.cluster is None:
        return
    policy = job.cluster.head.pod.string("restartPolicy")
    if policy.value not in (None, "", "Never"):
        yield refused(
            job,
            policy,
            f"restartPolicy {policy.value!r} of the head in SidecarMode",
            fix="remove restartPolicy from the head, or write Never",
            repair=safe(policy.at.delete()),
        )
