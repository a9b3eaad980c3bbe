"""RayJobs, and the jobs of RayCronJobs, whose times, numbers or runtime environment the operator refuses."""

from __future__ import annotations

from raylint.manifest import RayJob
from raylint.rule import unsafe

from .refusal import refused, refuses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import OddJob
    from raylint.rule import Problems


def _is_off(job: RayJob, key: str) -> bool:
    return job.job_spec.boolean(key, False).value is False


@refuses("KR110", "1.1..", "suspend", reports=("FR-093",), fixes="unsafe")
def suspend_without_shutdown(job: RayJob) -> Problems:
    """The operator refuses a suspended RayJob that keeps its cluster.

    `suspend: true` while `shutdownAfterJobFinishes` is not `true`: suspending means to delete the cluster.

    Fix: Write `shutdownAfterJobFinishes: true`. Kueue needs it, too.

    bad RayJob
      job: suspend: true  # <-
    bad RayJob
      job: suspend: true  # <-
      job: shutdownAfterJobFinishes: false
    good RayJob
      job: suspend: true
      job: shutdownAfterJobFinishes: true
    near-miss RayJob
      job: suspend: false
    """
    if job.job_spec.data.get("suspend") is True and _is_off(job, "shutdownAfterJobFinishes"):
        yield refused(
            job,
            job.job_spec.at_key("suspend"),
            "suspend without shutdownAfterJobFinishes",
            fix="write shutdownAfterJobFinishes: true, for suspending deletes the cluster",
            repair=unsafe(job.job_spec.at_key("shutdownAfterJobFinishes").set(True)),
        )


@refuses("KR111", "1.4..", "ttlSecondsAfterFinished")
def ttl_negative(job: OddJob) -> Problems:
    """The operator refuses a negative `ttlSecondsAfterFinished`.

    A number below 0.

    Fix: Write 0 or more.

    bad RayJob
      job: shutdownAfterJobFinishes: true
      job: ttlSecondsAfterFinished: -1  # <-
    bad RayCronJob
      job: ttlSecondsAfterFinished: -60  # <-
    good RayJob
      job: shutdownAfterJobFinishes: true
      job: ttlSecondsAfterFinished: 60
    near-miss RayJob
      job: ttlSecondsAfterFinished: 0
    """
    return _below(job, "ttlSecondsAfterFinished", 0)


def _below(job: RayJob, key: str, least: int) -> Problems:
    number = job.job_spec.integer(key)
    if number.value is not None and number.value < least:
        yield refused(
            job,
            number,
            f"{key} is {number.value}",
            label=f"at least {least}",
            fix=f"write {least} or more for {key}",
        )


@refuses("KR112", "1.4..", "ttlSecondsAfterFinished", reports=("FR-088",), fixes="unsafe")
def ttl_without_shutdown(job: OddJob) -> Problems:
    """The operator refuses `ttlSecondsAfterFinished` without `shutdownAfterJobFinishes`.

    A number above 0 while `shutdownAfterJobFinishes` is not `true`: there is nothing that the time could delay.

    Versions: Before 1.4 the time has no effect then.
    Fix: Write `shutdownAfterJobFinishes: true`, or use `deletionStrategy.deletionRules` with times of their own.

    bad RayJob
      job: ttlSecondsAfterFinished: 60  # <-
    bad RayCronJob
      job: shutdownAfterJobFinishes: false
      job: ttlSecondsAfterFinished: 600  # <-
    good RayJob
      job: shutdownAfterJobFinishes: true
      job: ttlSecondsAfterFinished: 60
    near-miss RayJob
      job: ttlSecondsAfterFinished: 0
    """
    if job.job_spec.data.get("shutdownAfterJobFinishes") is True:
        return
    ttl = job.job_spec.integer("ttlSecondsAfterFinished")
    if ttl.value is not None and ttl.value > 0 and _is_off(job, "shutdownAfterJobFinishes"):
        yield refused(
            job,
            ttl,
            "ttlSecondsAfterFinished without shutdownAfterJobFinishes",
            fix="write shutdownAfterJobFinishes: true, or remove ttlSecondsAfterFinished",
            repair=unsafe(job.job_spec.at_key("shutdownAfterJobFinishes").set(True)),
        )


@refuses("KR143", "1.1..", "runtimeEnvYAML")
def runtime_env_not_mapping(job: RayJob) -> Problems:
    """The operator refuses a `runtimeEnvYAML` that is no YAML mapping.

    A text that is broken YAML, a list or a scalar. Nothing and `null` are fine; what the mapping says is not
    looked at, and neither is anything behind the first document.

    Versions: All since 1.1.
    Fix: Write a mapping such as `pip: [torch]`.

    bad RayJob
      job: runtimeEnvYAML: |  # <-
      job:   - pip: [torch]
    bad RayCronJob
      job: runtimeEnvYAML: "pip=torch"  # <-
    good RayJob
      job: runtimeEnvYAML: |
      job:   pip: [torch]
    near-miss RayJob
      job: runtimeEnvYAML: "{} \\n---\\n- ignored"
    """
    text = job.job_spec.string("runtimeEnvYAML")
    if not text.value:
        return
    from raylint.embedded import mapping_fault

    fault = mapping_fault(text.value, job.runtime_env)
    if fault:
        yield refused(
            job,
            text,
            f"runtimeEnvYAML cannot be used, {fault}",
            fix="write a YAML mapping, such as pip: [torch]",
        )


@refuses("KR144", "1.1..", "activeDeadlineSeconds")
def active_deadline_not_positive(job: RayJob) -> Problems:
    """The operator refuses an `activeDeadlineSeconds` that is not positive.

    0 or a number below.

    Fix: Write 1 or more. The time counts from the start of the cluster on.

    bad RayJob
      job: activeDeadlineSeconds: 0  # <-
    bad RayCronJob
      job: activeDeadlineSeconds: -1  # <-
    good RayJob
      job: activeDeadlineSeconds: 3600
    near-miss RayJob
      job: activeDeadlineSeconds: 1
    """
    return _below(job, "activeDeadlineSeconds", 1)


@refuses("KR145", "1.6..", "preRunningDeadlineSeconds")
def pre_running_deadline_not_positive(job: RayJob) -> Problems:
    """The operator refuses a `preRunningDeadlineSeconds` that is not positive.

    0 or a number below. The API server refuses it first (API005).

    Fix: Write 1 or more.

    bad RayJob
      job: preRunningDeadlineSeconds: 0  # <-
    bad RayCronJob
      job: preRunningDeadlineSeconds: -1  # <-
    good RayJob
      job: preRunningDeadlineSeconds: 600
    near-miss RayJob
      job: preRunningDeadlineSeconds: 1
    """
    return _below(job, "preRunningDeadlineSeconds", 1)


@refuses("KR146", "1.2..", "backoffLimit")
def backoff_negative(job: RayJob) -> Problems:
    """The operator refuses a negative `backoffLimit`.

    A number below 0.

    Fix: Write 0, which is the default, or more.

    bad RayJob
      job: backoffLimit: -1  # <-
    bad RayCronJob
      job: backoffLimit: -3  # <-
    good RayJob
      job: backoffLimit: 3
    near-miss RayJob
      job: backoffLimit: 0
    """
    return _below(job, "backoffLimit", 0)
