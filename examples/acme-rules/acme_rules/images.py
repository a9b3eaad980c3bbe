"""Where images come from."""

from __future__ import annotations

from collections.abc import Iterator

from raylint.group import Group
from raylint.rule import Problem, Severity, rule

REGISTRY = "registry.acme.example/"


@rule("ACME201", Severity.ERROR)
def image_from_elsewhere(group: Group) -> Iterator[Problem]:
    """The image of Ray's container is not from Acme's registry.

    ## What it flags

    A head or worker group whose first container, which is Ray's, has an image from another registry.

    ## What happens

    The nodes have no way to other registries: the pods stay in ImagePullBackOff.

    ## Fix

    Mirror the image, and name the mirror.

    ## When to ignore it

    Never.

    ## Source

    Acme's handbook, "Nodes and networks".

    ## Examples

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: a, labels: {acme.example/team: search}}
    spec:
      headGroupSpec:
        rayStartParams: {}
        template:
          spec:
            containers:
            - name: ray
              image: rayproject/ray:2.52.0 # <-
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: a, labels: {acme.example/team: search}}
    spec:
      headGroupSpec:
        rayStartParams: {}
        template:
          spec:
            containers:
            - name: ray
              image: registry.acme.example.evil.example/ray:2.52.0 # <-
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: a, labels: {acme.example/team: search}}
    spec:
      headGroupSpec:
        rayStartParams: {}
        template: {spec: {containers: [{name: ray, image: "registry.acme.example/ray:2.52.0"}]}}
    ```

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: a, labels: {acme.example/team: search}}
    spec:
      headGroupSpec:
        rayStartParams: {}
        template:
          spec:
            containers:
            - {name: ray, image: "registry.acme.example/ray:2.52.0"}
            - {name: logs, image: "fluent-bit:3.2"}
    ```
    """
    image = group.ray_container.string("image")
    if image and image.value is not None and not image.value.startswith(REGISTRY):
        yield image.flag(
            f"the image {image.value!r} is not from {REGISTRY.rstrip('/')}",
            effect="the nodes reach no other registry: the pods stay in ImagePullBackOff",
            fix=f"mirror the image to {REGISTRY}",
        )
