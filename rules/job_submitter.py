"""The pod that submits a RayJob: its tries, its image, and modes without one."""

from __future__ import annotations

from raylint.manifest import RayJob
from raylint.rule import Problem, Severity, safe, unsafe

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.field import View
    from raylint.rule import Problems

__all__ = [
    "submitter_cannot_pull",
    "submitter_settings_without_submitter",
    "submitter_tries_again",
]

MENTIONS = ("submitterPodTemplate", "submitterConfig", "imagePullSecrets")


@looks_into("RAY515", Severity.INFO, "submitterPodTemplate", kuberay="1.2..", reports=("FR-085",), fixes="unsafe")
def submitter_tries_again(job: RayJob) -> Problems:
    """A submitter that fails is run again, twice by default: so may be what it does besides submitting.

    ## What it flags
    A RayJob in K8sJobMode whose `submitterPodTemplate` has `restartPolicy: Never`, and no
    `submitterConfig.backoffLimit`.

    ## What happens
    The submitter's Kubernetes Job has a `backoffLimit` of 2 of its own, apart from the RayJob's. A job that fails
    makes the submitter fail, which is then started twice more. KubeRay's own script finds that the job exists and
    does not submit it again; a command of yours may well do.

    ## Versions
    KubeRay 1.2 and later; before, the number could not be set.

    ## Fix
    Write `submitterConfig: {backoffLimit: 0}`.

    ## When to ignore it
    When the network to the head is shaky and a second try is wanted.

    ## Source
    ray-project/kuberay v1.7.0, `rayjob_controller.go`; ray-project/kuberay#2058, #2376, #2393.

    ## Examples
    ```yaml bad job
    submitterPodTemplate:
      spec:
        restartPolicy: Never  # <-
        containers: [{name: submit, image: "rayproject/ray:2.60.0"}]
    ```

    ```yaml bad job
    submitterConfig: {}
    submitterPodTemplate:
      spec:
        restartPolicy: Never  # <-
        containers: [{name: submit, image: "example.com/submit:1", command: [python, submit.py]}]
    ```

    ```yaml good job
    submitterConfig: {backoffLimit: 0}
    submitterPodTemplate:
      spec:
        restartPolicy: Never
        containers: [{name: submit, image: "rayproject/ray:2.60.0"}]
    ```

    ```yaml good near-miss job
    submissionMode: HTTPMode
    submitterPodTemplate:
      spec:
        restartPolicy: Never
        containers: [{name: submit, image: "rayproject/ray:2.60.0"}]
    ```
    """
    policy = job.job_spec.part("submitterPodTemplate").part("spec").string("restartPolicy")
    config = job.job_spec.part("submitterConfig")
    if job.submission_mode.value == "K8sJobMode" and policy.value == "Never" and not config.has("backoffLimit"):
        yield policy.flag(
            "a submitter that fails is started twice more",
            label="and submitterConfig.backoffLimit is not set",
            effect="a failed job shows up as three submitter pods; what else they do is done three times",
            fix="write submitterConfig: {backoffLimit: 0}",
            repair=unsafe(config.at_key("backoffLimit").set(0)),
        )


@looks_into("RAY516", Severity.WARNING, reports=("FR-087",))
def submitter_cannot_pull(job: RayJob) -> Problems:
    """The submitter takes the head's image, but not its pull secrets: ImagePullBackOff.

    ## What it flags
    A RayJob in K8sJobMode whose head has `imagePullSecrets`, while the submitter has none: there is no
    `submitterPodTemplate`, or one with the head's image and without `imagePullSecrets`.

    It stays silent where the template names a service account, which may bring secrets of its own.

    ## What happens
    Head and workers run, and the submitter's pod stays in `ImagePullBackOff`. The job is never submitted; the
    RayJob waits until a deadline, if it has one.

    ## Versions
    KubeRay up to 1.7.

    ## Fix
    Add a `submitterPodTemplate` with the same `imagePullSecrets`, or put the secrets into the namespace's default
    service account.

    ## When to ignore it
    When the default service account of the namespace has the secrets.

    ## Source
    ray-project/kuberay v1.7.0, `common/job.go` (`GetDefaultSubmitterTemplate`); ray-project/kuberay#4999.

    ## Examples
    ```yaml bad job
    rayClusterSpec:
      headGroupSpec:
        template:
          spec:
            imagePullSecrets: [{name: registry}]  # <-
            containers: [{name: ray-head, image: "registry.example.com/train:7"}]
    ```

    ```yaml bad job
    submitterPodTemplate:
      spec:
        restartPolicy: Never
        containers: [{name: submit, image: "registry.example.com/train:7"}]
    rayClusterSpec:
      headGroupSpec:
        template:
          spec:
            imagePullSecrets: [{name: registry}]  # <-
            containers: [{name: ray-head, image: "registry.example.com/train:7"}]
    ```

    ```yaml good job
    submitterPodTemplate:
      spec:
        restartPolicy: Never
        imagePullSecrets: [{name: registry}]
        containers: [{name: submit, image: "registry.example.com/train:7"}]
    rayClusterSpec:
      headGroupSpec:
        template:
          spec:
            imagePullSecrets: [{name: registry}]
            containers: [{name: ray-head, image: "registry.example.com/train:7"}]
    ```

    The submitter's image is another one, from a public place:

    ```yaml good near-miss job
    submitterPodTemplate:
      spec:
        restartPolicy: Never
        containers: [{name: submit, image: "rayproject/ray:2.60.0"}]
    rayClusterSpec:
      headGroupSpec:
        template:
          spec:
            imagePullSecrets: [{name: registry}]
            containers: [{name: ray-head, image: "registry.example.com/train:7"}]
    ```
    """
    cluster = job.cluster
    secrets = cluster is not None and cluster.head.pod.data.get("imagePullSecrets")
    if cluster is None or not secrets or not cluster.is_built or job.submission_mode.value != "K8sJobMode":
        return
    template = job.job_spec.part("submitterPodTemplate").part("spec")
    if template.has("imagePullSecrets") or template.has("serviceAccountName"):
        return
    if template.data and _image_of(template) != cluster.head.ray_container.data.get("image"):
        return
    yield Problem(
        cluster.head.pod.at_key("imagePullSecrets").key(),
        "the submitter pulls the head's image without the head's pull secrets",
        label="these do not reach the submitter",
        effect="the submitter stays in ImagePullBackOff and the job is never submitted (KubeRay up to 1.7)",
        fix="add a submitterPodTemplate with the same imagePullSecrets",
    )


def _image_of(template: View) -> object:
    return next((item.get("image") for _, item in template.parts("containers") if isinstance(item, dict)), None)


@looks_into("RAY517", Severity.INFO, reports=("FR-095",), fixes="safe")
def submitter_settings_without_submitter(job: RayJob) -> Problems:
    """Settings of a submitter in a mode that has none: they are passed over.

    ## What it flags
    `submitterPodTemplate` or `submitterConfig` of a RayJob in HTTPMode or InteractiveMode. (SidecarMode refuses
    both, KR138 and KR139.)

    ## What happens
    HTTPMode sends the job from the operator, InteractiveMode leaves it to a person: the image, volumes and limits
    of the template are used nowhere.

    ## Versions
    HTTPMode since KubeRay 1.1, InteractiveMode since 1.2.

    ## Fix
    Remove the settings, or leave `submissionMode` at K8sJobMode.

    ## When to ignore it
    When another mode is set by an overlay.

    ## Source
    ray-project/kuberay v1.7.0, `rayjob_controller.go`; ray-project/ray#47445.

    ## Examples
    ```yaml bad job
    submissionMode: HTTPMode
    submitterPodTemplate:  # <-
      spec:
        restartPolicy: Never
        containers: [{name: submit, image: "rayproject/ray:2.60.0"}]
    ```

    ```yaml bad job
    submissionMode: InteractiveMode
    submitterConfig: {backoffLimit: 0}  # <-
    ```

    ```yaml good job
    submitterConfig: {backoffLimit: 0}
    ```

    ```yaml good near-miss job
    submissionMode: HTTPMode
    submitterPodTemplate:
    ```
    """
    for name in ("submitterPodTemplate", "submitterConfig"):
        mode = job.submission_mode
        if job.job_spec.has(name) and mode.value in ("HTTPMode", "InteractiveMode"):
            yield Problem(
                job.job_spec.at_key(name).key(),
                f"{name} has no effect in {mode.value}, which has no submitter",
                because=[(mode.at, "nobody submits by a pod")],
                effect="image, volumes and limits that are set here are used nowhere",
                fix=f"remove {name}, or leave submissionMode at K8sJobMode",
                repair=safe(job.job_spec.at_key(name).delete()),
            )
