"""Official images: releases, Pythons and architectures that do not go together."""

from __future__ import annotations

from raylint.group import Group
from raylint.image import python_text
from raylint.rule import Confidence, Severity
from raylint.target import version_text

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

__all__ = ["image_for_other_architecture", "image_of_unsupported_python"]

MENTIONS = (
    "-py36",
    "-py37",
    "-py38",
    "-py39",
    "-py312",
    "-py313",
    "-py314",
    "kubernetes.io/arch",
)


# The Pythons of the official images, by the minor releases of Ray that have them (the classifiers of the packages
# 2.9 to 2.60); None: still there. Beside the first release that lists a Python stands the last of those looked at
# that does not: images may be older than the classifier, but not by that much.
_PYTHONS: dict[str, tuple[int, int | None]] = {
    "py36": (0, 2), "py37": (0, 7), "py38": (0, 37), "py39": (0, 53), "py312": (24, None), "py313": (40, None),
    "py314": (49, None),
}  # fmt: skip


@looks_into("RAY714", Severity.ERROR, confidence=Confidence.MEDIUM, reports=("FR-108",))
def image_of_unsupported_python(group: Group) -> Problems:
    """The image's tag joins a Ray release with a Python that this release does not support.

    ## What it flags
    `rayproject/ray`, `ray-ml` or `ray-llm` in the default registry with a tag such as `2.54.0-py39`: Python 3.9 is
    gone since Ray 2.54, 3.8 since 2.38, 3.7 since 2.8; 3.12, 3.13 and 3.14 came later than the release in the tag.

    It stays silent about mirrors, where such an image may have been built, and about releases near the border that
    are not documented.

    ## What happens
    There is no such image: the pods stay in `ImagePullBackOff`. In a bump of Ray that leaves `pyXY` as it is this
    shows only when the first pod is replaced.

    ## Versions
    Ray 2.40 to 2.48: Python 3.9 to 3.12; 2.49 to 2.53: 3.9 to 3.13; 2.54 and 2.55: 3.10 to 3.13; 2.56 to 2.60:
    3.10 to 3.14.

    ## Fix
    Choose a Python that the release supports, the same for all groups and for the client.

    ## When to ignore it
    When you have built an image of this name and loaded it into the nodes.

    ## Source
    Classifiers of the `ray` packages 2.7 to 2.60; Ray `docker/README.md`.

    ## Examples
    ```yaml bad worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.54.0-py39-gpu  # <-
    ```

    ```yaml bad worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: docker.io/rayproject/ray-ml:2.9.3-py313  # <-
    ```

    ```yaml good worker
    template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.54.0-py310"}]}}
    ```

    The last release with Python 3.9; and a mirror:

    ```yaml good near-miss cluster
    headGroupSpec:
      template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.53.0-py39"}]}}
    workerGroupSpecs:
    - groupName: own
      template: {spec: {containers: [{name: ray-worker, image: "registry.example/rayproject/ray:2.54.0-py39"}]}}
    ```
    """
    image = group.image
    if image is None or image.python is None or not image.public_name.startswith("rayproject/"):
        return
    version = image.ray_version
    since, until = _PYTHONS.get(image.python, (0, None))
    if version is None or version[0] != 2 or not group.cluster.is_built:
        return
    if version[1] < since or (until is not None and version[1] > until):
        python = python_text(image.python)
        when = "not yet supported by" if version[1] < since else "no longer supported by"
        yield group.ray_container.string("image").flag(
            f"the tag {image.tag} does not exist: {python} is {when} Ray {version_text(version)}",
            label=f"no image with {python}",
            effect="the pods stay in ImagePullBackOff",
            fix="choose a Python that this Ray release supports, the same in all groups",
        )


_ARCHITECTURES = ("kubernetes.io/arch", "beta.kubernetes.io/arch")


@looks_into("RAY715", Severity.ERROR, confidence=Confidence.MEDIUM)
def image_for_other_architecture(group: Group) -> Problems:
    """The pods are sent to nodes of one architecture, and the image is for the other.

    ## What it flags
    A node selector `kubernetes.io/arch: arm64` together with an official Ray release tag without `-aarch64`, or
    `amd64` together with one that has it.

    It stays silent where nothing selects an architecture, and about images with other names or digests.

    ## What happens
    The image has no build for the node's architecture: the pull fails with "no match for platform in manifest", or
    the container ends with "exec format error", again and again.

    ## Versions
    All: the official images name the architecture in the tag, and a tag without one is for amd64.

    ## Fix
    Add `-aarch64` to the tag, or remove it; or change the selector.

    ## When to ignore it
    When a mirror of that name holds images for several architectures.

    ## Source
    Ray 2.60.0, `docker/README.md` and `docker/base-deps/README.md`.

    ## Examples
    ```yaml bad worker
    template:
      spec:
        nodeSelector: {kubernetes.io/arch: arm64}
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-py311  # <-
    ```

    ```yaml bad worker
    template:
      spec:
        nodeSelector: {kubernetes.io/arch: amd64}
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-py311-cpu-aarch64  # <-
    ```

    ```yaml good worker
    template:
      spec:
        nodeSelector: {kubernetes.io/arch: arm64}
        containers: [{name: ray-worker, image: "rayproject/ray:2.60.0-py311-aarch64"}]
    ```

    ```yaml good near-miss worker
    template:
      spec:
        nodeSelector: {kubernetes.io/arch: arm64}
        containers: [{name: ray-worker, image: "registry.example/team/trainer:2.60.0-py311"}]
    ```
    """
    if not group.pod.has("nodeSelector") or group.image is None or not group.cluster.is_built:
        return
    selector = group.pod.part("nodeSelector")
    key = next((key for key in _ARCHITECTURES if selector.has(key)), "")
    wanted = selector.string(key).value if key else None
    image = group.image
    if wanted not in ("arm64", "amd64") or image.ray_version is None:
        return
    built_for = "arm64" if "aarch64" in image.flavours else "amd64"
    if built_for != wanted:
        yield group.ray_container.string("image").flag(
            f"the image {image.reference} is for {built_for}, and the {group.title} runs on {wanted} nodes",
            label=f"for {built_for}",
            because=[(selector.at_key(key), f"{wanted} nodes")],
            effect='the pull fails with "no match for platform", or the container with "exec format error"',
            fix="add -aarch64 to the tag" if wanted == "arm64" else "remove -aarch64 from the tag",
        )
