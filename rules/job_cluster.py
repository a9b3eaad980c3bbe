"""What a RayJob runs and on which cluster, where the operator stores it and nothing ever comes of it.

Facts: ray-project/kuberay v1.7.0 ``rayjob_controller.go``, ``common/job.go``, ``rayservice_controller.go``.
"""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.manifest import RayClusterObject, RayJob
from raylint.rule import Severity, unsafe

from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import OddJob
    from raylint.rule import Problems

__all__ = ["cluster_beside_selector", "cluster_suspended_for_good", "job_without_entrypoint"]

_SUBMITTING = ("K8sJobMode", "SidecarMode")


@outlined("RAY520", Severity.ERROR, kuberay="1.2..")
def job_without_entrypoint(job: OddJob) -> Problems:
    """A RayJob without an `entrypoint`: the submitter has nothing to submit, and fails.

    A RayJob, or the job of a RayCronJob, in K8sJobMode or SidecarMode, whose `entrypoint` is missing or empty.

    It stays silent where the first container of `submitterPodTemplate` has a command of its own.

    Then: The operator accepts the object, starts the whole cluster, and then runs `ray job submit ... --` with
    nothing behind it. The command ends with a usage error, the tries are used up, and the RayJob fails, with all
    its nodes paid for.

    Versions: Before 1.2.2 the API server refuses the object.
    Fix: Write `entrypoint`. A cluster to which people submit by hand is a RayJob in InteractiveMode, or a
    RayCluster.
    Ignore: Never.
    Source: ray-project/kuberay v1.7.0, `common/job.go` (`BuildJobSubmitCommand`), `rayjob_types.go`; Ray 2.60.0,
    `dashboard/modules/job/cli.py` (`entrypoint` is required).

    bad RayJob
      job: entrypoint: ""  # <-
    bad RayCronJob
      job: entrypoint: null  # <-
      job: submissionMode: K8sJobMode
    good RayJob
      job: entrypoint: python train.py
    near-miss RayJob -- People submit to it:
      job: entrypoint: ""
      job: submissionMode: InteractiveMode
    near-miss RayJob -- The submitter knows by itself what to do:
      job: entrypoint: ""
      job: submitterPodTemplate:
      job:   spec:
      job:     restartPolicy: Never
      job:     containers: [{name: submit, image: "registry.example/team/submit:7", command: [python, submit.py]}]
    """
    if job.job_spec.data.get("entrypoint") or job.submission_mode.value not in _SUBMITTING:
        return
    containers = job.job_spec.part("submitterPodTemplate").part("spec").data.get("containers")
    first = containers[0] if isinstance(containers, list) and containers else None
    if isinstance(first, dict) and first.get("command"):
        return
    yield job.job_spec.string("entrypoint").flag(
        "the RayJob has no entrypoint: ray job submit ends with a usage error",
        label="nothing to run",
        effect="the cluster starts, the submitter fails at once, and so does the RayJob",
        fix="write entrypoint, or submissionMode: InteractiveMode",
    )


@outlined("RAY531", Severity.WARNING, "clusterSelector", fixes="unsafe")
def cluster_beside_selector(job: RayJob) -> Problems:
    """A `rayClusterSpec` beside a `clusterSelector` is not used: the job runs on the selected cluster.

    A RayJob, or the job of a RayCronJob, with a `rayClusterSpec` and a `clusterSelector` with a key.

    Then: The operator makes no cluster and looks for the selected one. The images, groups and sizes below
    `rayClusterSpec` have no effect, however often somebody changes them; if no cluster has the name, the job waits
    for ever. Since KubeRay 1.4 a mistake in the unused part still makes the operator refuse the whole.

    Fix: Keep one of the two.
    Ignore: Never; it misleads whoever reads it.
    Source: ray-project/kuberay v1.7.0, `rayjob_controller.go` (`getOrCreateRayClusterInstance`),
    `utils/validation.go` (`ValidateRayJobSpec`).

    bad RayJob
      job: clusterSelector: {ray.io/cluster: shared}
      job: rayClusterSpec:  # <-
      job:   headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}}
      no-cluster:
    bad RayCronJob
      job: clusterSelector: {ray.io/cluster: shared}
      job: rayClusterSpec:  # <-
      job:   headGroupSpec: {template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}}
      no-cluster:
    good RayJob
      job: clusterSelector: {ray.io/cluster: shared}
      no-cluster:
    near-miss RayJob -- A selector without a key selects nothing, and the cluster is made:
      job: clusterSelector: {}
    """
    cluster = job.job_spec.part("rayClusterSpec")
    if job.uses_existing_cluster and cluster.data:
        at = job.job_spec.string("rayClusterSpec")
        yield at.flag(
            "rayClusterSpec is not used beside clusterSelector: the job runs on the selected cluster",
            label="has no effect",
            because=[(job.job_spec.at_key("clusterSelector"), "selects the cluster")],
            effect="changes of the groups and images here change nothing",
            fix="keep one of clusterSelector and rayClusterSpec",
            repair=unsafe(at.at.delete()),
        )


@outlined("RAY521", Severity.ERROR, "suspend", kuberay="1.1..")
def cluster_suspended_for_good(cluster: RayCluster) -> Problems:
    """The cluster of a RayJob or RayService is written as suspended: it never gets a pod.

    `suspend: true` in `rayClusterSpec` of a RayJob, in `jobTemplate.rayClusterSpec` of a RayCronJob, or in
    `rayClusterConfig` of a RayService. The `suspend` of the RayJob itself, one level up, is another field, and
    right.

    Then: The operator copies the field into the RayCluster that it makes, and a suspended RayCluster has no pods.
    Nobody turns it back: the RayJob stays at `Initializing`, and the RayService is never ready.

    Fix: Remove it; to hold a RayJob back write `suspend` beside `entrypoint`.
    Ignore: Never.
    Source: ray-project/kuberay v1.7.0, `rayjob_controller.go` (`constructRayClusterForRayJob`),
    `rayservice_controller.go` (`constructRayClusterForRayService`), `raycluster_controller.go`.

    bad RayJob
      cluster: suspend: true  # <-
    bad RayService
      cluster: suspend: true  # <-
    good RayJob
      job: suspend: true
      job: shutdownAfterJobFinishes: true
    good RayService
      cluster: suspend: false
    near-miss RayCluster -- A cluster of one's own, which somebody starts later:
      cluster: suspend: true
    """
    suspend = cluster.boolean("suspend")
    if suspend.value and cluster.is_built and not isinstance(cluster.owner, RayClusterObject):
        yield suspend.flag(
            "the cluster is suspended from its first moment, and nothing ever turns it on",
            label="no pods",
            effect="the RayJob stays at Initializing, the RayService is never ready",
            fix="remove it; a RayJob is held back by suspend beside its entrypoint",
        )
