"""RayJobs that the operator accepts and then never submits."""

from __future__ import annotations

from raylint.field import View
from raylint.manifest import RayJob
from raylint.rule import Confidence, Problem, Severity, unsafe
from raylint.target import parse_version

from .refusal import refuses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems


@refuses("KR207", "1.0..", "metadata", severity=Severity.WARNING, confidence=Confidence.MEDIUM)
def job_metadata_with_old_ray(job: RayJob) -> Problems:
    """A RayJob with `metadata` on a Ray below 2.6 never submits its job.

    `metadata` with a key in K8sJobMode or SidecarMode while the cluster's `rayVersion` is below 2.6.0 or no
    version at all (`nightly`). A missing `rayVersion` is fine.

    Then: KubeRay cannot write the submit command, an error that comes back for ever: the job stays in
    `Initializing`.
    Fix: Write a `rayVersion` of 2.6.0 or later, or remove `metadata`.
    Ignore: Never known to be right.
    Source: ray-project/kuberay v1.7.0, `common/job.go` (`GetMetadataJson`).

    bad RayJob
      job: metadata: {team: a}  # <-
      cluster: rayVersion: 2.5.1
    bad RayJob
      job: metadata: {team: a}  # <-
      cluster: rayVersion: nightly
    good RayJob
      job: metadata: {team: a}
      cluster: rayVersion: 2.52.0
    near-miss RayJob -- By HTTP it is sent to Ray as it is:
      job: metadata: {team: a}
      job: submissionMode: HTTPMode
      cluster: rayVersion: nightly
    """
    if job.cluster is None or job.submission_mode.value not in ("K8sJobMode", "SidecarMode"):
        return
    written = job.cluster.string("rayVersion").value
    version = parse_version(written) if written else None
    if job.job_spec.part("metadata").data and written and (version is None or version < (2, 6)):
        yield Problem(
            job.job_spec.at_key("metadata").key(),
            f"metadata with rayVersion {written!r}, and it needs 2.6.0: the job is never submitted",
            effect="KubeRay fails to write the submit command again and again; the RayJob stays in Initializing",
            fix="write a rayVersion of 2.6.0 or later, or remove metadata",
        )


def _submitter(job: RayJob) -> View | None:
    """The submitter's template, where KubeRay uses one."""
    written = isinstance(job.job_spec.data.get("submitterPodTemplate"), dict)
    return (
        job.job_spec.part("submitterPodTemplate")
        if written and job.submission_mode.value == "K8sJobMode"
        else None
    )


def _has_no_container(template: View) -> bool:
    """In a way that the API server accepts."""
    return not template.has("spec") or template.part("spec").data.get("containers") == []


@refuses("KR209", "1.0..", "submitterPodTemplate", severity=Severity.WARNING)
def submitter_without_container(job: RayJob) -> Problems:
    """A `submitterPodTemplate` without a container makes the operator panic at this RayJob.

    `submitterPodTemplate.spec.containers: []`, or a template without `spec`, in K8sJobMode.

    Then: The operator takes the first container without asking whether there is one; the panic is caught and
    comes back at every try. The job is never submitted.
    Fix: Write the container, or remove the template.
    Ignore: Never known to be right.
    Source: ray-project/kuberay v1.7.0, `rayjob_controller.go` (`getSubmitterTemplate`).

    bad RayJob
      job: submitterPodTemplate: {spec: {restartPolicy: Never, containers: []}}  # <-
    bad RayCronJob
      job: submitterPodTemplate: {metadata: {labels: {team: a}}}  # <-
    good RayJob
      job: submitterPodTemplate:
      job:   spec: {restartPolicy: Never, containers: [{name: submitter, image: "rayproject/ray:2.52.0"}]}
    near-miss RayJob -- In HTTPMode there is no submitter:
      job: submissionMode: HTTPMode
      job: submitterPodTemplate: {spec: {restartPolicy: Never, containers: []}}
    """
    template = _submitter(job)
    if template is not None and _has_no_container(template):
        yield Problem(
            template.at_key("spec", "containers") if template.has("spec") else template.at,
            "submitterPodTemplate has no container: the operator panics, and the job is never submitted",
            effect="the RayJob's cluster comes up, then the operator fails at the submitter again and again",
            fix="write the submitter's container, or remove submitterPodTemplate",
        )


@refuses("KR210", "1.0..", "submitterPodTemplate", severity=Severity.WARNING, reports=("FR-086",), fixes="unsafe")
def submitter_restart_policy(job: RayJob) -> Problems:
    """A `submitterPodTemplate` whose `restartPolicy` is missing or `Always` cannot become a Kubernetes Job.

    In K8sJobMode, a template without `restartPolicy` (Kubernetes then takes `Always`) or with `Always`. Only
    KubeRay's own template says `Never`.

    Then: Kubernetes refuses the Job ("Unsupported value: Always"). The operator tries again and again, and the
    job is never submitted.
    Fix: Write `restartPolicy: Never`.
    Ignore: Never known to be right.
    Source: ray-project/kuberay v1.7.0, `rayjob_controller.go`; kubernetes v1.36, `pkg/apis/batch/validation`.

    bad RayJob
      job: submitterPodTemplate: {spec: {containers: [{name: submitter, image: "rayproject/ray:2.52.0"}]}}  # <-
    bad RayJob
      job: submitterPodTemplate:
      job:   spec:
      job:     restartPolicy: Always  # <-
      job:     containers: [{name: submitter, image: "rayproject/ray:2.52.0"}]
    good RayJob
      job: submitterPodTemplate:
      job:   spec: {restartPolicy: Never, containers: [{name: submitter, image: "rayproject/ray:2.52.0"}]}
    near-miss RayJob
      job: submitterPodTemplate:
      job:   spec: {restartPolicy: OnFailure, containers: [{name: submitter, image: "rayproject/ray:2.52.0"}]}
    """
    template = _submitter(job)
    if template is None or _has_no_container(template):
        return
    policy = template.part("spec").string("restartPolicy")
    if policy.known and policy.value in (None, "", "Always"):
        yield Problem(
            policy.at if policy else job.job_spec.at_key("submitterPodTemplate").key(),
            f"restartPolicy of the submitter is {'Always' if policy else 'not set, which means Always'}:"
            " Kubernetes refuses its Job",
            effect="the RayJob's cluster comes up, then the Job is refused again and again; nothing is submitted",
            fix="write restartPolicy: Never in submitterPodTemplate.spec",
            repair=unsafe(template.part("spec").at_key("restartPolicy").set("Never")),
        )


@refuses("KR211", "1.0..", "entrypointResources", severity=Severity.WARNING)
def entrypoint_resources_not_json(job: RayJob) -> Problems:
    """A RayJob whose `entrypointResources` is no JSON object of numbers is never submitted.

    An `entrypointResources` that is not empty and cannot be read as such by whoever submits the job: in HTTPMode
    the operator, in K8sJobMode and SidecarMode the command `ray job submit`. KubeRay hands it to the command's
    shell in double quotes, with a line break as a backslash and an `n`: JSON from a block (`|`) is none there. A
    text with `$` or a backtick, and a submitter with a command of its own, are left alone.

    Then: In HTTPMode the submission fails at every try; since 1.7 the RayJob is `Failed` after 300 seconds of
    that, before it stays as it is. In the other modes the submitter ends with "not a valid JSON string" at each of
    its tries.
    Fix: Write something like `'{"custom": 1}'`.
    Ignore: Never known to be right.
    Source: ray-project/kuberay v1.7.0, `utils/dashboardclient/dashboard_httpclient.go`, `common/job.go`
    (`BuildJobSubmitCommand`); Ray 2.52, `dashboard/modules/job/cli.py`, `common.py` (`JobSubmitRequest`).

    bad RayJob
      job: submissionMode: HTTPMode
      job: entrypointResources: "custom=1"  # <-
    bad RayJob -- Keys of JSON stand in double quotes:
      job: entrypointResources: "{custom: 1}"  # <-
    bad RayJob -- The line break at the end reaches Ray as two characters:
      job: entrypointResources: |  # <-
      job:   {"custom": 1}
    good RayJob
      job: submissionMode: HTTPMode
      job: entrypointResources: '{"custom": 1}'
    near-miss RayJob -- A user submits, and it is not used:
      job: submissionMode: InteractiveMode
      job: entrypointResources: "custom=1"
    """
    text = job.job_spec.string("entrypointResources")
    mode = job.submission_mode.value
    if not text.value:
        return
    if mode == "HTTPMode":
        who, effect = (
            "the operator",
            "the submission fails at every try; KubeRay 1.7 gives up after 300 seconds, earlier releases never",
        )
        readable = _reads_as_numbers(text.value, null=True, truth=False)
    elif mode in ("K8sJobMode", "SidecarMode") and not _has_own_command(job):
        who, effect = "ray job submit", "the submitter ends with 'not a valid JSON string' at each of its tries"
        readable = _reaches_ray(text.value)
    else:
        return
    if not readable:
        yield text.flag(
            f"entrypointResources {text.value!r} is no JSON object of numbers to {who}: it is never submitted",
            effect=effect,
            fix="""write a JSON object of numbers in one line, such as '{"custom": 1}'""",
        )


def _has_own_command(job: RayJob) -> bool:
    """Does the submitter run a command of the user's?"""
    template = _submitter(job)
    containers = () if template is None else template.part("spec").parts("containers")
    return any(isinstance(item, dict) and item.get("command") for _, item in list(containers)[:1])


def _reaches_ray(text: str) -> bool:
    """Does the text arrive as JSON behind Go's ``strconv.Quote`` and a shell? True where it cannot be told."""
    if "$" in text or "`" in text:
        return True
    for character, escape in (("\n", "\\n"), ("\t", "\\t"), ("\r", "\\r")):
        text = text.replace(character, escape)
    return _reads_as_numbers(text, null=False, truth=True)


def _reads_as_numbers(text: str, *, null: bool, truth: bool) -> bool:
    """Is it a JSON object of numbers? ``null``: nothing counts as one (Go); ``truth``: so do true and false
    (Python, where a boolean is a number)."""
    import json

    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return False
    if data is None:
        return null
    return isinstance(data, dict) and all(
        null if value is None else truth if isinstance(value, bool) else isinstance(value, (int, float))
        for value in data.values()
    )


@refuses("KR212", "1.1..", "submissionMode", severity=Severity.WARNING)
def submission_mode_unknown(job: RayJob) -> Problems:
    """A RayJob with a `submissionMode` that the operator does not know runs for ever and does nothing.

    Anything but `K8sJobMode`, `HTTPMode`, `InteractiveMode` (1.3; `UserMode` in 1.2) and `SidecarMode` (1.5). The
    CRD lets every text pass, and letter case counts.

    Then: The cluster comes up, the RayJob goes to `Running`, and nobody submits anything. It ends at its
    deadline, if it has one.
    Fix: Write one of the modes of your release.
    Ignore: Never known to be right.
    Source: ray-project/kuberay v1.7.0, `rayjob_controller.go`.

    bad RayJob
      job: submissionMode: K8sJob  # <-
    bad RayJob kuberay=1.4
      job: submissionMode: SidecarMode  # <-
    good RayJob
      job: submissionMode: SidecarMode
    near-miss RayJob kuberay=1.2
      job: submissionMode: UserMode
      head: rayStartParams: {}
    """
    mode = job.submission_mode
    since = job.target.kuberay_at_least
    known = ["K8sJobMode", "HTTPMode"]
    if since(1, 3):
        known.append("InteractiveMode")
    elif since(1, 2, 2):
        known.append("UserMode")
    if since(1, 5):
        known.append("SidecarMode")
    if mode.value is not None and mode.value not in known:
        yield mode.flag(
            f"submissionMode {mode.value!r} is unknown: the job is never submitted",
            effect="the cluster comes up, the RayJob says Running, and nothing runs, until a deadline if any",
            fix=f"write {', '.join(known[:-1])} or {known[-1]}",
        )
