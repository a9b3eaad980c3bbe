"""Ray releases that KubeRay is not made for."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.rule import Problem, Severity
from raylint.target import version_text

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

__all__ = ["ray_release_to_avoid"]


@looks_into("RAY713", Severity.WARNING, ray="..2.37")
def ray_release_to_avoid(cluster: RayCluster) -> Problems:
    """A Ray release that KubeRay's guide says not to use, or that is older than KubeRay supports.

    ## What it flags
    Ray 2.11 to 2.37, which the upgrade guide rules out for KubeRay. Older releases are an info with KubeRay 1.3
    and later, for which 2.38 is the least that is documented, and with KubeRay 1.1 and 1.2 below 2.8.

    ## What happens
    In Ray 2.11 to 2.37 the dashboard agent on the head can hang once a job has started; KubeRay's probes ask that
    agent, so the head is killed in the middle of the work, again and again.

    ## Versions
    Ray 2.11.0 to 2.37.0. Older ones work, untested, with a newer operator.

    ## Fix
    Move to Ray 2.38 or later; the same release for all groups, `rayVersion` and clients.

    ## When to ignore it
    The info, if that pair of releases is tested by you.

    ## Source
    Ray `doc/source/cluster/kubernetes/user-guides/upgrade-guide.md`; ray-project/ray#44658.

    ## Examples
    ```yaml bad cluster
    headGroupSpec:
      template:
        spec:
          containers:
          - name: ray-head
            image: rayproject/ray:2.34.0-py310  # <-
    ```

    ```yaml bad cluster
    rayVersion: "2.12.0"  # <-
    headGroupSpec:
      template: {spec: {containers: [{name: ray-head, image: "registry.example/team/trainer:7"}]}}
    ```

    ```yaml bad severity=info cluster
    headGroupSpec:
      template:
        spec:
          containers:
          - name: ray-head
            image: rayproject/ray:2.9.3  # <-
    ```

    ```yaml good cluster
    rayVersion: "2.60.0"
    ```

    Old, and just what that KubeRay was made for:

    ```yaml good near-miss kuberay=1.1 cluster
    rayVersion: "2.9.0"
    headGroupSpec:
      template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.9.0"}]}}
    ```
    """
    version = cluster.ray_version
    if version is None or not cluster.is_built:
        return
    target = cluster.target
    least = (2, 38) if target.kuberay_at_least(1, 3) else (2, 8) if target.kuberay_at_least(1, 1) else (2, 0)
    ruled_out = (2, 11) <= version[:2] <= (2, 37)
    if not ruled_out and version[:2] >= least:
        return
    head = cluster.head
    by_image = head.image is not None and head.image.ray_version == version
    at = head.ray_container.at_key("image") if by_image else cluster.at_key("rayVersion")
    release = version_text(version)
    yield Problem(
        at,
        f"Ray {release} loses its head under KubeRay's probes once jobs run: the upgrade guide rules it out"
        if ruled_out
        else f"Ray {release} is older than KubeRay {version_text(target.kuberay)} is documented for"
        f" ({version_text(least)})",
        label=f"Ray {release}",
        effect="the dashboard agent hangs, the probes fail, and the head is killed with the jobs on it"
        if ruled_out
        else "this pair of releases is tested by nobody",
        fix="use Ray 2.38 or later in all images and in rayVersion",
        severity=None if ruled_out else Severity.INFO,
    )
