"""The release of the autoscaler, and of its second version."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.field import Field, Origin
from raylint.image import Image
from raylint.rule import Severity, unsafe
from raylint.target import version_text

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.image import Image
    from raylint.rule import Problems

__all__ = ["autoscaler_image_pinned", "autoscaler_v2_before_its_time"]


@looks_into("RAY711", Severity.WARNING, "autoscalerOptions", reports=("FR-034",), fixes="unsafe")
def autoscaler_image_pinned(cluster: RayCluster) -> Problems:
    """The autoscaler runs another Ray release than the head whose state it reads.

    ## What it flags
    `autoscalerOptions.image` with another Ray release than the head's image (or `rayVersion`, where that tag tells
    nothing) while autoscaling is on.

    ## What happens
    The autoscaler talks to the head's GCS in the protocol of its own release. After an upgrade of the head alone
    it fails in its loop, or misreads what it is asked for: nothing is scaled up or down any more.

    ## Versions
    All. Without the field KubeRay takes the image of the head.

    ## Fix
    Delete `autoscalerOptions.image`.

    ## When to ignore it
    When the image is a patched autoscaler that was tested with this release.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go` (`BuildAutoscalerContainer`); ray-project/kuberay#360, #1401.

    ## Examples
    ```yaml bad cluster
    enableInTreeAutoscaling: true
    autoscalerOptions:
      image: rayproject/ray:2.46.0  # <-
    ```

    ```yaml bad cluster
    rayVersion: "2.52.0"
    enableInTreeAutoscaling: true
    autoscalerOptions:
      version: v2
      image: rayproject/ray:2.40.0-py310  # <-
    headGroupSpec:
      template: {spec: {containers: [{name: ray-head, image: "registry.example/team/trainer:7"}]}}
    ```

    ```yaml good cluster
    enableInTreeAutoscaling: true
    autoscalerOptions: {image: "rayproject/ray:2.60.0"}
    ```

    An image of one's own; and autoscaling that is off, where nothing runs it:

    ```yaml good near-miss cluster
    enableInTreeAutoscaling: true
    autoscalerOptions: {image: "registry.example/team/autoscaler:2.46.0"}
    ```

    ```yaml good near-miss cluster
    autoscalerOptions: {image: "rayproject/ray:2.46.0"}
    ```
    """
    written = cluster.autoscaler.string("image")
    version = Image(written.value).ray_version if written.value else None
    head = cluster.head.ray_version
    if version is None or head is None or not cluster.autoscaler.enabled or not cluster.is_built:
        return
    known = min(len(head), len(version))
    if version[:known] != head[:known]:
        yield Field(None, Origin.WRITTEN, written.at).flag(
            f"the autoscaler has Ray {version_text(version)}, and the head {version_text(head)}: it may not"
            f" understand"
            " what it reads",
            label=f"Ray {version_text(version)}",
            because=[(cluster.head.ray_container.at_key("image"), f"Ray {version_text(head)}")],
            effect="the autoscaler fails in its loop, and workers are neither added nor removed",
            fix="delete autoscalerOptions.image: KubeRay then takes the head's",
            repair=unsafe(written.at.delete()),
        )


@looks_into("RAY712", Severity.INFO, "enableInTreeAutoscaling", reports=("FR-035",))
def autoscaler_v2_before_its_time(cluster: RayCluster) -> Problems:
    """Autoscaler v2 with a Ray release in which it was an experiment.

    ## What it flags
    Autoscaler v2 that is written (`autoscalerOptions.version`, or `RAY_enable_autoscaler_v2` on the head) with a
    Ray before 2.47, the first that has it by default. An error before 2.10, where it was in its first alpha.

    It stays silent where the Ray version cannot be told.

    ## What happens
    Before 2.10 v2 does not keep `minReplicas` and stops nodes with actors on them. Up to 2.46 it is there for
    those who ask for it, with fewer of the later corrections.

    ## Versions
    Ray before 2.47.

    ## Fix
    Use a newer Ray, or `version: v1`.

    ## When to ignore it
    The info, when v2 has proved itself with that release.

    ## Source
    Ray `doc/source/cluster/kubernetes/user-guides/configuring-autoscaling.md`; ray-project/ray#43801, #47578.

    ## Examples
    ```yaml bad severity=error cluster
    enableInTreeAutoscaling: true
    autoscalerOptions:
      version: v2  # <-
    headGroupSpec:
      template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.9.3"}]}}
    ```

    ```yaml bad severity=info cluster
    enableInTreeAutoscaling: true
    rayVersion: "2.40.0"
    headGroupSpec:
      template:
        spec:
          containers:
          - name: ray-head
            image: registry.example/team/trainer:7
            env:
            - name: RAY_enable_autoscaler_v2
              value: "1"  # <-
    ```

    ```yaml good cluster
    enableInTreeAutoscaling: true
    autoscalerOptions: {version: v2}
    ```

    v1 with an old Ray; and v2 where nothing tells the release:

    ```yaml good near-miss cluster
    enableInTreeAutoscaling: true
    autoscalerOptions: {version: v1}
    headGroupSpec:
      template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.9.3"}]}}
    ```

    ```yaml good near-miss cluster
    enableInTreeAutoscaling: true
    autoscalerOptions: {version: v2}
    headGroupSpec:
      template: {spec: {containers: [{name: ray-head, image: "registry.example/team/trainer:7"}]}}
    ```
    """
    ray = cluster.ray_version
    if not cluster.autoscaler.enabled or ray is None or ray >= (2, 47) or not cluster.is_built:
        return
    version = cluster.autoscaler.version
    if version.value == "v2" and version.origin is Origin.WRITTEN:
        early = ray < (2, 10)
        yield version.flag(
            f"autoscaler v2 is on with Ray {version_text(ray)}, in which it "
            + ("ignores minReplicas and stops nodes that are in use" if early else "is not the default yet"),
            label="v2",
            effect="workers with actors on them are removed, and guaranteed ones are missing"
            if early
            else "later corrections of v2 are missing in this release",
            fix="use Ray 2.47 or later, or version v1",
            severity=Severity.ERROR if early else None,
        )
