"""Images that hold no Ray, or another Ray tomorrow."""

from __future__ import annotations

from raylint.rule import Problem, Severity

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.image import Image
    from raylint.narrow import OddImages
    from raylint.rule import Location, Problems

__all__ = ["image_tag_moves", "image_without_ray"]

# Public images that hold no Ray, by their names in the default registry.
_WITHOUT_RAY = frozenset({
    "almalinux", "alpine", "amazonlinux", "busybox", "centos", "debian", "fedora", "rockylinux", "ubuntu",
    "python", "nginx", "redis", "valkey/valkey", "nvidia/cuda", "pytorch/pytorch", "tensorflow/tensorflow",
    "continuumio/miniconda3", "continuumio/anaconda3", "mambaorg/micromamba",
})  # fmt: skip


@looks_into("RAY703", Severity.WARNING, reports=("FR-109",))
def image_tag_moves(cluster: OddImages) -> Problems:
    """The tag of a Ray image names another build tomorrow: pods of one cluster then run different releases.

    ## What it flags
    A Ray container whose image has the tag `latest`; an official Ray image without a tag, with `nightly`, or with
    a part of a version (`rayproject/ray:2.9`). Any other image without a tag is an info: a tool may add one.

    It stays silent about digests and about every other tag. One finding for each image of a cluster.

    ## What happens
    A pod that starts after the tag has moved gets another Ray than those that run: it cannot join ("Version
    mismatch"), which shows on the first scale-up or node failure, weeks after the last change. With `nightly`
    nobody can tell afterwards what ran. A partial version has no image at all: the pods cannot pull it.

    ## Versions
    All KubeRay and Ray releases.

    ## Fix
    Pin a release, such as `rayproject/ray:2.60.0-py311`, or a digest.

    ## When to ignore it
    On a machine of your own, where the image is built and loaded by hand.

    ## Source
    Ray 2.60.0 `docker/README.md`; Kubernetes documentation, "Images"; ray-project/ray#14915.

    ## Examples
    ```yaml bad cluster
    headGroupSpec:
      template:
        spec:
          containers:
          - name: ray-head
            image: rayproject/ray:nightly-py311  # <-
    workerGroupSpecs:
    - groupName: cpu
      template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:nightly-py311"}]}}
    ```

    ```yaml bad worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: registry.example/team/trainer:latest  # <-
    ```

    ```yaml bad severity=info worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: registry.example/team/trainer  # <-
    ```

    ```yaml good worker
    template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0-py311-gpu"}]}}
    ```

    A digest holds the image whatever the tag says:

    ```yaml good near-miss worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:latest@sha256:4f1c
        - name: log-shipper
          image: fluent/fluent-bit:latest
    ```
    """
    places: dict[str, list[Location]] = {}
    images: dict[str, Image] = {}
    for group in cluster.groups:
        image = group.image
        if image is not None and image.moves and cluster.is_built:
            images[image.reference] = image
            places.setdefault(image.reference, []).append(group.ray_container.at_key("image"))
    for reference, image in images.items():
        first, *others = places[reference]
        partial = image.tag[:1].isdigit()
        yield Problem(
            first,
            _moving(image),
            effect="the pods cannot pull the image"
            if partial
            else 'a new worker cannot join the cluster ("Version mismatch"), long after the last change',
            fix="pin a release, such as rayproject/ray:2.60.0-py311, or a digest",
            because=[(at, "the same image") for at in others],
            severity=None if image.tag or image.is_ray else Severity.INFO,
        )


def _moving(image: Image) -> str:
    if image.tag[:1].isdigit():
        return f"the tag {image.tag!r} is no release: Ray publishes no image {image.reference}"
    if image.tag:
        return f"the tag {image.tag!r} of {image.repository} moves: pods that start later may run another Ray"
    return f"without a tag {image.reference} means latest, which moves: pods that start later may run another Ray"


@looks_into("RAY704", Severity.ERROR, reports=("FR-110",))
def image_without_ray(cluster: OddImages) -> Problems:
    """The image of the Ray container is a bare one, without Ray.

    ## What it flags
    A first container with a well-known public image that holds no Ray: `python`, `ubuntu`, `debian`, `alpine`,
    `nvidia/cuda`, `pytorch/pytorch`, `redis` and the like.

    It stays silent where the container has a command or arguments of its own (which may install Ray), where the
    start is overwritten, and about images from any other registry, whatever their name.

    ## What happens
    `ray: command not found`: the container ends and is started again, for ever, and on a worker the init container
    that waits for the head fails before that. The head is made anew again and again.

    ## Versions
    All KubeRay and Ray releases.

    ## Fix
    Build on `rayproject/ray`, or install `ray[default]` in your image.

    ## When to ignore it
    When the name is mirrored to an image of your own that has Ray.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go` (`BuildPod`, the init container `wait-gcs-ready`);
    ray-project/kuberay#4272.

    ## Examples
    ```yaml bad worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: python:3.11-slim  # <-
    ```

    ```yaml bad cluster
    headGroupSpec:
      template:
        spec:
          containers:
          - name: ray-head
            image: docker.io/pytorch/pytorch:2.4.0-cuda12.4-cudnn9-runtime  # <-
    ```

    ```yaml good worker
    template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0-py311"}]}}
    ```

    Ray is installed when the container starts; a team's own image that is called `python`:

    ```yaml good near-miss cluster
    headGroupSpec:
      template:
        spec:
          containers:
          - name: ray-head
            image: python:3.11
            command: [pip, install, "ray[default]==2.60.0"]
    workerGroupSpecs:
    - groupName: cpu
      template: {spec: {containers: [{name: ray-worker, image: "registry.example/team/python:7"}]}}
    ```
    """
    for group in cluster.groups:
        image = group.image
        if image is None or image.is_ray or image.public_name not in _WITHOUT_RAY or not cluster.is_built:
            continue
        container = group.ray_container
        if container.has("command") or container.has("args") or group.start_is_overwritten:
            continue
        yield container.string("image").flag(
            f"the image {image.reference} of the {group.title} holds no Ray: the container cannot start",
            label="no Ray in it",
            effect="ray: command not found, again and again; the pods never become ready",
            fix="use an image that is built on rayproject/ray, or install ray[default] in yours",
        )
