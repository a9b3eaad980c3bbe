"""KubeRay's probes need tools that small images leave out."""

from __future__ import annotations

from raylint.group import Group
from raylint.rule import Confidence, Severity

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

__all__ = ["probe_needs_wget"]

MENTIONS = ("slim", "alpine", "distroless")


@looks_into("RAY710", Severity.WARNING, confidence=Confidence.MEDIUM, reports=("FR-053",))
def probe_needs_wget(group: Group) -> Problems:
    """A small image without `wget` or `bash`, and probes that run both.

    ## What it flags
    A Ray container whose image is called `slim`, `alpine` or `distroless`, while KubeRay's own probes are not
    plain HTTP: with `rayVersion` below 2.53 or without one, with KubeRay before 1.6, and on the workers of a
    RayService in any case.

    It stays silent where the container has both probes of its own.

    ## What happens
    The probe is `bash -c "wget ..."`. Without these tools it fails whatever Ray does: the pod is never Ready, and
    is killed and started again after ten minutes.

    ## Versions
    All; an HTTP probe takes over with KubeRay 1.6 and Ray 2.53, but for the readiness of a RayService's workers.

    ## Fix
    Install `wget` and `bash` in the image, write probes of your own, or use Ray 2.53 with its number in
    `rayVersion`.

    ## When to ignore it
    When your slim image has `wget`.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go` (`initLivenessAndReadinessProbe`); ray-project/kuberay#3837.

    ## Examples
    ```yaml bad worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: registry.example/team/trainer:7-slim  # <-
    ```

    ```yaml bad cluster
    rayVersion: "2.52.0"
    headGroupSpec:
      template:
        spec:
          containers:
          - name: ray-head
            image: registry.example/distroless/ray:2.52.0  # <-
    ```

    ```yaml bad service
    rayClusterConfig:
      rayVersion: "2.60.0"
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "registry.example/team/serve:7-slim"}]}}
      workerGroupSpecs:
      - groupName: cpu
        template:
          spec:
            containers:
            - name: ray-worker
              image: registry.example/team/serve:7-slim  # <-
    ```

    ```yaml good worker
    template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]}}
    ```

    HTTP probes by the version, and probes of one's own:

    ```yaml good near-miss cluster
    rayVersion: "2.53.0"
    headGroupSpec:
      template: {spec: {containers: [{name: ray-head, image: "registry.example/team/trainer:7-slim"}]}}
    ```

    ```yaml good near-miss worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: registry.example/team/trainer:7-slim
          readinessProbe: {httpGet: {path: /api/healthz, port: 52365}}
          livenessProbe: {httpGet: {path: /api/healthz, port: 52365}}
    ```
    """
    image = group.image
    if image is None or not group.cluster.is_built or not any(word in image.reference for word in MENTIONS):
        return
    container = group.ray_container
    needed = [name for name in _probes_of_commands(group) if not container.has(name)]
    if needed:
        yield container.string("image").flag(
            f"the image {image.reference} may lack wget and bash, with which KubeRay's {' and '.join(needed)} of"
            f" the"
            f" {group.title} asks",
            label="a small image",
            effect="the pod is never Ready, and is killed again and again",
            fix="install wget and bash, write probes of your own, or use Ray 2.53 and its rayVersion",
        )


def _probes_of_commands(group: Group) -> tuple[str, ...]:
    """The probes that KubeRay writes as a command."""
    cluster = group.cluster
    declared = cluster.declared_ray_version
    http = cluster.target.kuberay_at_least(1, 6) and declared is not None and declared >= (2, 53)
    if not http:
        return ("livenessProbe", "readinessProbe")
    return ("readinessProbe",) if cluster.kind == "RayService" and not group.is_head else ()
