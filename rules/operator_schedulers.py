"""What the operator's batch schedulers make of an object.

Which scheduler the operator has cannot be told from a manifest. These rules go by labels and scheduler names that
are written for one, and are in preview where that is a guess.
"""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.manifest import Labels, RayJob
from raylint.rule import Confidence, Severity

from .refusal import refuses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

# One of these is written wherever a rule here has something to say.
MENTIONS = (
    "ray.io/gang-scheduling-enabled",
    "kai.scheduler",
    "kai-scheduler",
    "volcano.sh",
    "yunikorn.apache.org",
    "clusterSelector",
)
_GANG = "ray.io/gang-scheduling-enabled"
_KAI_QUEUE = "kai.scheduler/queue"
_YUNIKORN = ("yunikorn.apache.org/app-id", "yunikorn.apache.org/queue")
_TASK_GROUPS = "yunikorn.apache.org/task-groups"
_TOPOLOGY = "volcano.sh/network-topology-mode"
_TIER = "volcano.sh/network-topology-highest-tier-allowed"
_WAS = "KubernetesWAS"
# The kinds whose labels batch schedulers read.
_KINDS = ("RayCluster", "RayJob")


@refuses("KR253", "1.5..", "clusterSelector", severity=Severity.WARNING, confidence=Confidence.MEDIUM)
def volcano_with_selector(job: RayJob) -> Problems:
    """Volcano cannot schedule a RayJob that runs on a cluster of somebody else.

    A RayJob with a `clusterSelector` and a label that begins with `volcano.sh/`.

    Then: With `batchScheduler: volcano` the operator fails to make the PodGroup, again and again: it has no
    cluster to count pods of. The job is never submitted.
    Fix: Remove the labels, or give the job its own cluster.
    Ignore: Where the operator does not use Volcano.
    Source: ray-project/kuberay v1.7.0, `ray-operator/controllers/ray/batchscheduler/volcano`.

    bad RayJob
      meta: labels: {volcano.sh/queue-name: gpu}
      job: clusterSelector: {ray.io/cluster: shared}  # <-
      no-cluster:
    bad RayJob
      meta: labels: {volcano.sh/network-topology-mode: soft}
      job: clusterSelector: {ray.io/cluster: shared}  # <-
      no-cluster:
    good RayJob
      meta: labels: {volcano.sh/queue-name: gpu}
    near-miss RayJob
      meta: labels: {team: gpu}
      job: clusterSelector: {ray.io/cluster: shared}
      no-cluster:
    """
    if (
        job.kind == "RayJob"
        and job.uses_existing_cluster
        and any(key.startswith("volcano.sh/") for key in job.labels.data)
    ):
        yield job.job_spec.string("clusterSelector").flag(
            "clusterSelector of a RayJob for Volcano: the operator cannot make its PodGroup",
            effect="the operator fails at the PodGroup again and again, and the job is never submitted",
            fix="remove the labels of volcano.sh, or give the job its own rayClusterSpec",
        )


@refuses("KR254", "1.5..", _TIER, severity=Severity.WARNING)
def volcano_tier_not_integer(labels: Labels) -> Problems:
    """A topology tier for Volcano that is no whole number keeps the PodGroup from being made.

    The label `volcano.sh/network-topology-mode` beside a `volcano.sh/network-topology-highest-tier-allowed` that
    is no whole number, on a RayCluster or RayJob.

    Then: With `batchScheduler: volcano` the operator fails to make the PodGroup, again and again.
    Fix: Write a number such as `"1"`.
    Ignore: Where the operator does not use Volcano.
    Source: ray-project/kuberay v1.7.0, `ray-operator/controllers/ray/batchscheduler/volcano`.

    bad RayCluster
      meta: labels:
      meta:   volcano.sh/network-topology-mode: hard
      meta:   volcano.sh/network-topology-highest-tier-allowed: rack  # <-
    bad RayJob
      meta: labels:
      meta:   volcano.sh/network-topology-mode: soft
      meta:   volcano.sh/network-topology-highest-tier-allowed: "1.5"  # <-
    good RayCluster
      meta: labels:
      meta:   volcano.sh/network-topology-mode: hard
      meta:   volcano.sh/network-topology-highest-tier-allowed: "1"
    near-miss RayCluster -- Without the mode nobody reads it:
      meta: labels: {volcano.sh/network-topology-highest-tier-allowed: rack}
    """
    tier = labels.string(_TIER)
    if not tier.value or not labels.data.get(_TOPOLOGY) or labels.owner.kind not in _KINDS:
        return
    from raylint.go_duration import is_integer

    if not is_integer(tier.value):
        yield tier.flag(
            f"{_TIER} {tier.value!r} is no whole number: the operator cannot make the PodGroup",
            effect="under Volcano the operator fails at the PodGroup again and again, and no pod is scheduled",
            fix='write a whole number in quotes, such as "1"',
        )


@refuses("KR255", "1.5..", _KAI_QUEUE, severity=Severity.WARNING, confidence=Confidence.MEDIUM)
def kai_with_job(labels: Labels) -> Problems:
    """The KAI scheduler cannot start a RayJob that a Kubernetes Job submits.

    A RayJob with the label `kai.scheduler/queue` in K8sJobMode, which is the default; in KubeRay 1.5 any RayJob.

    Then: With `batchScheduler: kai-scheduler` the operator returns an error at every try: the job never starts.
    Fix: Use HTTPMode or SidecarMode (KubeRay 1.6 and later).
    Ignore: Where the operator does not use KAI.
    Source: ray-project/kuberay v1.6.2 and v1.7.0, `ray-operator/controllers/ray/batchscheduler/kai-scheduler`.

    bad RayJob
      meta: labels: {kai.scheduler/queue: team-a}  # <-
    bad RayJob kuberay=1.5
      meta: labels: {kai.scheduler/queue: team-a}  # <-
      job: submissionMode: HTTPMode
    good RayJob
      meta: labels: {kai.scheduler/queue: team-a}
      job: submissionMode: HTTPMode
    near-miss RayCluster
      meta: labels: {kai.scheduler/queue: team-a}
    """
    job = labels.owner.job
    if job is None or job.kind != "RayJob":
        return
    by_job = job.submission_mode.value == "K8sJobMode"
    if by_job or not job.target.kuberay_at_least(1, 6):
        yield labels.string(_KAI_QUEUE).flag(
            f"{_KAI_QUEUE} on a RayJob{' in K8sJobMode' if by_job else ''}: the KAI scheduler does not start it",
            effect="with batchScheduler kai-scheduler the operator fails at every try, and nothing starts",
            fix="use HTTPMode or SidecarMode with KubeRay 1.6 or later",
        )


@refuses("KR256", "1.5..", severity=Severity.WARNING, confidence=Confidence.LOW, preview=True)
def kai_without_queue(cluster: RayCluster) -> Problems:
    """Pods for the KAI scheduler stay pending without a queue.

    A pod template with `schedulerName: kai-scheduler` in an object without the label `kai.scheduler/queue`.

    Then: The operator writes a line into its log, no more; the pods stay `Pending`.
    Fix: Add the label to the object's metadata.
    Ignore: Where pods get the label by other means.
    Source: ray-project/kuberay v1.7.0, `ray-operator/controllers/ray/batchscheduler/kai-scheduler`.

    bad RayCluster
      head.pod: schedulerName: kai-scheduler  # <-
    bad RayService
      group.pod: schedulerName: kai-scheduler  # <-
    good RayCluster
      meta: labels: {kai.scheduler/queue: team-a}
      head.pod: schedulerName: kai-scheduler
    near-miss RayCluster
      head.pod: schedulerName: default-scheduler
    """
    if cluster.owner.labels.has(_KAI_QUEUE):
        return
    for group in cluster.groups:
        name = group.pod.string("schedulerName")
        if name.value == "kai-scheduler" and not group.template.labels.has(_KAI_QUEUE):
            yield name.flag(
                f"the {group.title} asks for kai-scheduler, and the {cluster.kind} has no label {_KAI_QUEUE}",
                effect="the operator writes a line into its log, and the pods stay Pending",
                fix=f"add the label {_KAI_QUEUE} to the object's metadata",
            )


@refuses("KR257", "1.4..", _GANG, severity=Severity.WARNING, confidence=Confidence.LOW, preview=True)
def scheduler_plugins_with_job(labels: Labels) -> Problems:
    """The scheduler plugins of KubeRay cannot start a RayJob.

    A RayJob with the label `ray.io/gang-scheduling-enabled` and a pod template with
    `schedulerName: scheduler-plugins-scheduler`.

    Then: With `batchScheduler: scheduler-plugins` the operator fails at every try, for it expects a RayCluster:
    the RayJob stays in `Initializing`.
    Fix: Use another batch scheduler for RayJobs.
    Ignore: Where the operator does not use the scheduler plugins.
    Source: ray-project/kuberay v1.7.0, `ray-operator/controllers/ray/batchscheduler/scheduler-plugins`.

    bad RayJob
      meta: labels: {ray.io/gang-scheduling-enabled: "true"}  # <-
      head.pod: schedulerName: scheduler-plugins-scheduler
    bad RayJob
      meta: labels: {ray.io/gang-scheduling-enabled: "true"}  # <-
      group.pod: schedulerName: scheduler-plugins-scheduler
    good RayCluster
      meta: labels: {ray.io/gang-scheduling-enabled: "true"}
      head.pod: schedulerName: scheduler-plugins-scheduler
    near-miss RayJob -- YuniKorn and Volcano can:
      meta: labels: {ray.io/gang-scheduling-enabled: "true"}
    """
    cluster = labels.owner.cluster
    if labels.owner.kind != "RayJob" or cluster is None:
        return
    if any(group.pod.data.get("schedulerName") == "scheduler-plugins-scheduler" for group in cluster.groups):
        yield labels.string(_GANG).flag(
            "the scheduler plugins of KubeRay do not start RayJobs",
            effect="with batchScheduler scheduler-plugins the operator fails at every try; the job never starts",
            fix="use another batch scheduler for RayJobs, such as volcano or yunikorn",
        )


@refuses("KR258", "1.2..", severity=Severity.WARNING, confidence=Confidence.MEDIUM, reports=("FR-151",))
def yunikorn_label_alone(labels: Labels) -> Problems:
    """YuniKorn wants an application and a queue; one label alone leaves the pods ungrouped.

    One of the labels `yunikorn.apache.org/app-id` and `yunikorn.apache.org/queue` on a RayCluster or RayJob,
    without the other.

    Then: KubeRay translates the labels that are there to `applicationId` and `queue` of the pods. Without an
    application they are scheduled one by one; without a queue YuniKorn's own placement decides.
    Versions: Since 1.2.2.
    Fix: Write both labels.
    Ignore: Where YuniKorn's placement rules choose the queue.
    Source: ray-project/kuberay v1.7.0, `ray-operator/controllers/ray/batchscheduler/yunikorn`.

    bad RayCluster
      meta: labels: {yunikorn.apache.org/app-id: trainer-1}  # <-
    bad RayJob
      meta: labels: {yunikorn.apache.org/queue: root.gpu}  # <-
    good RayCluster
      meta: labels: {yunikorn.apache.org/app-id: trainer-1, yunikorn.apache.org/queue: root.gpu}
    near-miss RayCluster
      meta: labels: {app-id: trainer-1}
    """
    written = [key for key in _YUNIKORN if labels.has(key)] if labels.data else []
    if len(written) == 1 and labels.owner.kind in _KINDS:
        missing = _YUNIKORN[written[0] == _YUNIKORN[0]]
        yield labels.string(written[0]).flag(
            f"the label {written[0]} without {missing}: YuniKorn does not group the pods as meant",
            effect="the pods get one of the two labels that YuniKorn goes by: scheduled one by one, or elsewhere",
            fix=f"add the label {missing}",
        )


@refuses("KR259", "1.2..", _GANG, severity=Severity.WARNING)
def gang_scheduling_not_off(labels: Labels) -> Problems:
    """The label `ray.io/gang-scheduling-enabled` turns gang scheduling on even with `"false"`.

    The label on a RayCluster or RayJob with another value than `true`: YuniKorn and the scheduler plugins ask
    only whether it is there.

    Then: Pods wait until all of them fit, which nobody wanted.
    Versions: YuniKorn since 1.2.2, the scheduler plugins since 1.4.
    Fix: Remove the label.
    Ignore: With the gate KubernetesWAS alone, which reads the value.
    Source: ray-project/kuberay v1.7.0, `ray-operator/controllers/ray/batchscheduler`.

    bad RayCluster
      meta: labels: {ray.io/gang-scheduling-enabled: "false"}  # <-
    bad RayJob
      meta: labels: {ray.io/gang-scheduling-enabled: ""}  # <-
    good RayCluster
      meta: labels: {team: a}
    near-miss RayCluster
      meta: labels: {ray.io/gang-scheduling-enabled: "True"}
    """
    label = labels.string(_GANG)
    if label.value is not None and label.value.lower() != "true" and labels.owner.kind in _KINDS:
        yield label.flag(
            f"{_GANG}: {label.value!r} turns gang scheduling on all the same",
            effect="YuniKorn and the scheduler plugins ask only whether the label is there; pods wait for all",
            fix="remove the label to turn gang scheduling off",
        )


@refuses("KR260", "1.7..", _GANG, severity=Severity.WARNING)
def workload_scheduling_skipped(labels: Labels) -> Problems:
    """Gang scheduling by Kubernetes' own workloads is skipped while autoscaling is on.

    With the gate KubernetesWAS on: a RayCluster or RayJob with the label `ray.io/gang-scheduling-enabled: "true"`
    and `enableInTreeAutoscaling: true`.

    Then: The operator makes no Workload and says nothing; pods are scheduled one by one.
    Gate: KubernetesWAS
    Fix: Turn one of the two off.
    Ignore: Where pods may come one by one.
    Source: ray-project/kuberay v1.7.0, `ray-operator/controllers/ray/batchscheduler`.

    bad RayCluster
      meta: labels: {ray.io/gang-scheduling-enabled: "true"}  # <-
      cluster: enableInTreeAutoscaling: true
    bad RayJob
      meta: labels: {ray.io/gang-scheduling-enabled: "True"}  # <-
      cluster: enableInTreeAutoscaling: true
    good RayCluster
      meta: labels: {ray.io/gang-scheduling-enabled: "true"}
    near-miss RayCluster gates=KubernetesWAS=false -- By YuniKorn both go together:
      meta: labels: {ray.io/gang-scheduling-enabled: "true"}
      cluster: enableInTreeAutoscaling: true
    """
    label, owner = labels.string(_GANG), labels.owner
    if (label.value or "").lower() != "true" or owner.cluster is None or owner.kind not in _KINDS:
        return
    if owner.cluster.autoscaler.enabled and owner.target.gate(_WAS):
        yield label.flag(
            "gang scheduling by KubernetesWAS is skipped, because autoscaling is on",
            effect="the operator makes no Workload and says nothing; the pods are scheduled one by one",
            fix="turn autoscaling off, or remove the label",
        )


@refuses("KR261", "1.5..", "clusterSelector", severity=Severity.WARNING, confidence=Confidence.LOW, preview=True)
def yunikorn_gang_with_selector(job: RayJob) -> Problems:
    """YuniKorn's gang scheduling of a RayJob that has no cluster of its own makes the operator panic.

    A RayJob with a `clusterSelector`, the label `ray.io/gang-scheduling-enabled` and a YuniKorn label, without
    the annotation `yunikorn.apache.org/task-groups`.

    Then: By reading the code: the operator counts the pods of a cluster that is not there, and the panic comes
    back at every try.
    Fix: Remove the label from the RayJob.
    Ignore: Where the operator does not use YuniKorn.
    Source: ray-project/kuberay v1.7.0, `ray-operator/controllers/ray/batchscheduler/yunikorn`.

    bad RayJob
      meta: labels: {ray.io/gang-scheduling-enabled: "true", yunikorn.apache.org/queue: root}
      job: clusterSelector: {ray.io/cluster: shared}  # <-
      no-cluster:
    bad RayJob
      meta: labels: {ray.io/gang-scheduling-enabled: "", yunikorn.apache.org/app-id: a}
      job: clusterSelector: {ray.io/cluster: shared}  # <-
      no-cluster:
    good RayJob
      meta: labels: {ray.io/gang-scheduling-enabled: "true", yunikorn.apache.org/queue: root}
    near-miss RayJob
      meta: labels: {ray.io/gang-scheduling-enabled: "true", yunikorn.apache.org/queue: root}
      meta: annotations: {yunikorn.apache.org/task-groups: "[]"}
      job: clusterSelector: {ray.io/cluster: shared}
      no-cluster:
    """
    labels = job.labels
    if job.kind != "RayJob" or not job.uses_existing_cluster or not labels.has(_GANG):
        return
    if any(labels.has(key) for key in _YUNIKORN) and not job.annotations.has(_TASK_GROUPS):
        yield job.job_spec.string("clusterSelector").flag(
            "gang scheduling by YuniKorn of a RayJob with clusterSelector: the operator panics",
            effect="the operator counts the pods of a cluster that is not there; the job is never submitted",
            fix=f"remove the label {_GANG}, or give the job its own rayClusterSpec",
        )
