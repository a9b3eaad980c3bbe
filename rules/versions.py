"""One Ray release, one Python, everywhere in a cluster."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.image import Image, python_text
from raylint.rule import Problem, Severity, unsafe
from raylint.target import version_text

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.group import Group
    from raylint.manifest import RayJob
    from raylint.narrow import OddImages
    from raylint.rule import Problems, Repair
    from raylint.target import Version

__all__ = ["ray_version_not_that_of_image", "ray_versions_differ"]

MENTIONS = ("rayproject",)


@looks_into("RAY701", Severity.ERROR, reports=("FR-108",), fixes="unsafe")
def ray_versions_differ(cluster: OddImages) -> Problems:
    """The Ray containers of one cluster run different releases of Ray or different Pythons.

    ## What it flags
    A worker group whose image tells another Ray release, or another Python, than the head's; where the head's tag
    tells nothing, than that of the first group that does. A submitter (`submitterPodTemplate`) with another Ray
    release than the head is a warning.

    The releases are read from the tags of `rayproject/ray`, `ray-ml` and `ray-llm`, or of a mirror that keeps
    these names. Digests, `latest`, `nightly` and images with other names tell nothing, and the rule stays silent
    about them; a tag without `pyXY` tells no Python.

    ## What happens
    A worker compares its own releases with the head's when it joins, and ends: "Version mismatch: The cluster was
    started with ...". KubeRay starts it again, for ever, and the cluster stays without workers. Python's patch
    does not matter; its minor does, because functions travel as pickles.

    ## Versions
    All KubeRay and Ray releases.

    ## Fix
    Write the same image, or the same release and `pyXY`, for every group, and the same release in `rayVersion`.

    ## When to ignore it
    Never for the groups; for a submitter, if the two releases are known to understand each other's Jobs API.

    ## Source
    Ray 2.60.0, `_private/utils.py` (`check_version_info`); Ray
    `doc/source/cluster/kubernetes/user-guides/config.md`; ray-project/kuberay#148, #154, #1537.

    ## Examples
    ```yaml bad worker
    replicas: 2
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.52.0  # <-
    ```

    The same Ray, and another Python:

    ```yaml bad cluster
    headGroupSpec:
      template: {spec: {containers: [{name: ray-head, image: "registry.example/rayproject/ray:2.52.0-py310"}]}}
    workerGroupSpecs:
    - groupName: gpu
      replicas: 2
      template:
        spec:
          containers:
          - name: ray-worker
            image: registry.example/rayproject/ray-ml:2.52.0-py311-gpu  # <-
    ```

    ```yaml bad severity=warning job
    submitterPodTemplate:
      spec:
        restartPolicy: Never
        containers:
        - name: submit
          image: rayproject/ray:2.9.3  # <-
    ```

    ```yaml good worker
    replicas: 2
    template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0-py311-gpu"}]}}
    ```

    An image of one's own, a digest: what is in them cannot be known.

    ```yaml good near-miss cluster
    headGroupSpec:
      template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0-py310"}]}}
    workerGroupSpecs:
    - groupName: own
      template: {spec: {containers: [{name: ray-worker, image: "registry.example/team/ray:2.40.0"}]}}
    - groupName: digest
      template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.40.0@sha256:0f0f"}]}}
    ```
    """
    if len({group.image for group in cluster.groups}) > 1 and cluster.is_built:
        yield from _groups_that_differ(cluster)
    job = cluster.owner.job
    submits = job is not None and job.submission_mode.value == "K8sJobMode" and cluster.is_built
    if job is not None and submits and job.job_spec.has("submitterPodTemplate"):
        yield from _submitter(cluster, job)


def _groups_that_differ(cluster: RayCluster) -> Problems:
    told = [(group, image) for group in cluster.groups if (image := group.image) and image.ray_version]
    for group, image in told[1:]:
        first, reference = told[0]
        difference = _difference(image, reference)
        if difference:
            yield group.ray_container.string("image").flag(
                f"the {group.title} runs {difference[0]}, and the {first.title} {difference[1]}: a worker does not"
                " join a cluster of another release",
                label=difference[0],
                because=[(first.ray_container.at_key("image"), difference[1])],
                effect='its pods end with "Version mismatch: The cluster was started with ...", again and again',
                fix="use one release of Ray and one Python in all images",
                repair=_with(reference, group, image),
            )


def _with(reference: Image, group: Group, image: Image) -> Repair | None:
    """Give the group the image of the first one: where nothing but the release or the Python is another, and
    ``rayVersion`` does not say that the group's is meant."""
    declared, meant = group.cluster.declared_ray_version, reference.ray_version or ()
    if (image.repository, image.flavours) != (reference.repository, reference.flavours):
        return None
    if declared is not None and declared[: len(meant)] != meant[: len(declared)]:
        return None
    return unsafe(group.ray_container.at_key("image").set(reference.reference))


def _difference(image: Image, reference: Image) -> tuple[str, str] | None:
    """What the two run, where it differs."""
    mine, theirs = image.ray_version, reference.ray_version
    if mine is not None and theirs is not None and mine != theirs:
        return f"Ray {version_text(mine)}", f"Ray {version_text(theirs)}"
    if image.python and reference.python and image.python != reference.python:
        return python_text(image.python), python_text(reference.python)
    return None


def _submitter(cluster: RayCluster, job: RayJob) -> Problems:
    image = cluster.head.image
    of_head = image.ray_version if image is not None else None
    for path, item in job.job_spec.part("submitterPodTemplate").part("spec").parts("containers"):
        written = item.get("image") if isinstance(item, dict) else None
        version = Image(written).ray_version if isinstance(written, str) else None
        if version is not None and of_head is not None and version != of_head:
            at = type(cluster.at)(cluster.document, (*path, "image"))
            yield Problem(
                at,
                f"the submitter has Ray {version_text(version)}, and the head {version_text(of_head)}:"
                f" they"
                " may not understand each other",
                label=f"Ray {version_text(version)}",
                because=[(cluster.head.ray_container.at_key("image"), f"Ray {version_text(of_head)}")],
                effect="options and fields of the Jobs API that one of them lacks fail the submission",
                fix="use the head's image for the submitter, or leave submitterPodTemplate out",
                severity=Severity.WARNING,
                repair=unsafe(at.set(cluster.head.ray_container.string("image").value)),
            )
        return


@looks_into("RAY702", Severity.WARNING, "rayVersion", reports=("FR-108",), fixes="unsafe")
def ray_version_not_that_of_image(cluster: OddImages) -> Problems:
    """`rayVersion` is not the Ray release of the image, and KubeRay goes by it.

    ## What it flags
    A `rayVersion` with another major or minor release than the image of the head tells, or of the first worker
    group that tells one. Where only the patch differs it is an info.

    It stays silent where no tag tells the release, or `rayVersion` is no version.

    ## What happens
    Ray runs as the image has it, while KubeRay decides by `rayVersion`: which probes the pods get (an HTTP probe
    from 2.53 on, `wget` before), whether token authentication and group priorities are allowed, which autoscaler
    messages apply. With a number that is too high the probes ask a path that this Ray does not have, and the pods
    never become ready; with one that is too low, fields are refused that would work.

    ## Versions
    All KubeRay releases; the probes depend on it since KubeRay 1.6.

    ## Fix
    Write the release of the image into `rayVersion`.

    ## When to ignore it
    When the tag does not say what is in the image.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go` (`initLivenessAndReadinessProbe`), `utils/validation.go`; Ray
    `doc/source/cluster/kubernetes/user-guides/config.md`; ray-project/kuberay#1537.

    ## Examples
    ```yaml bad cluster
    rayVersion: "2.46.0"  # <-
    ```

    ```yaml bad severity=info cluster
    rayVersion: 2.52.0  # <-
    headGroupSpec:
      template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.1-py311"}]}}
    ```

    ```yaml bad cluster
    rayVersion: "2.52.0"  # <-
    headGroupSpec:
      template: {spec: {containers: [{name: ray-head, image: "registry.example/team/trainer:7"}]}}
    workerGroupSpecs:
    - groupName: gpu
      template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.9.3-gpu"}]}}
    ```

    ```yaml good cluster
    rayVersion: "2.60.0"
    ```

    An image that tells nothing; and a version that is spelt with `v`:

    ```yaml good near-miss cluster
    rayVersion: v2.52.0
    headGroupSpec:
      template: {spec: {containers: [{name: ray-head, image: "registry.example/team/ray:2.9.3"}]}}
    workerGroupSpecs:
    - groupName: gpu
      template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0-gpu"}]}}
    ```
    """
    declared = cluster.declared_ray_version
    if declared is None or not cluster.is_built:
        return
    for group, version in _told(cluster):
        known = min(len(declared), len(version))
        if declared[:known] != version[:known]:
            yield cluster.string("rayVersion").flag(
                f"rayVersion is {version_text(declared)}, and the image has Ray {version_text(version)}: KubeRay"
                f" goes"
                " by the wrong one",
                label="not the image's",
                because=[(group.ray_container.at_key("image"), f"Ray {version_text(version)}")],
                effect="probes and checks are those of a Ray that does not run here",
                fix=f"write {version_text(version)} into rayVersion",
                repair=unsafe(cluster.at_key("rayVersion").set(version_text(version))),
                severity=Severity.INFO if declared[:2] == version[:2] else None,
            )
        return


def _told(cluster: RayCluster) -> Iterator[tuple[Group, Version]]:
    for group in cluster.groups:
        version = group.image.ray_version if group.image is not None else None
        if version is not None:
            yield group, version
