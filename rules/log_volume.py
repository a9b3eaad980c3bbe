"""A volume for logs where Ray writes none."""

from __future__ import annotations

from raylint.group import Group
from raylint.rule import Severity, rule

from .mounts import RAY_FILES, mounts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

__all__ = ["log_volume_elsewhere"]

MENTIONS = ("/var/log",)


@rule("RAY344", Severity.INFO, reports=("FR-059",))
def log_volume_elsewhere(group: Group) -> Problems:
    """A volume at `/var/log` keeps nothing of Ray, whose logs are below `/tmp/ray`.

    ## What it flags
    A Ray container that mounts a volume at `/var/log` or below, with nothing at `/tmp/ray`, above or below it, and
    without `temp-dir`.

    ## What happens
    Ray writes to `/tmp/ray/session_*/logs`, in the container's own file system. The logs are gone when the
    container restarts, which is when they are wanted.

    ## Versions
    All.

    ## Fix
    Mount the volume at `/tmp/ray` and let a log shipper read `session_latest/logs` there.

    ## When to ignore it
    When the volume is for another program of the image.

    ## Source
    Ray documentation, "Configuring Logging"; ray-project/kuberay#501.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              volumeMounts:
              - name: logs
                mountPath: /var/log  # <-
            volumes: [{name: logs, persistentVolumeClaim: {claimName: head-logs}}]
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.52.0
              volumeMounts:
              - name: logs
                mountPath: /var/log/ray  # <-
            volumes: [{name: logs, emptyDir: {}}]
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              volumeMounts: [{name: ray-logs, mountPath: /tmp/ray}]
            volumes: [{name: ray-logs, emptyDir: {}}]
    ```

    Both; and a temp-dir of its own, which may well be there:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              volumeMounts: [{name: logs, mountPath: /var/log}, {name: scratch, mountPath: /tmp}]
            volumes: [{name: logs, emptyDir: {}}, {name: scratch, emptyDir: {}}]
      workerGroupSpecs:
      - groupName: cpu
        rayStartParams: {temp-dir: /var/log/ray}
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.52.0
              volumeMounts: [{name: logs, mountPath: /var/log}]
            volumes: [{name: logs, emptyDir: {}}]
    ```
    """
    if not group.ray_container.has("volumeMounts") or not group.cluster.is_built:
        return
    if group.start_params.has("temp-dir"):
        return
    found = list(mounts(group))
    if any(mount.path == "/tmp" or f"{mount.path}/".startswith(f"{RAY_FILES}/") for mount in found):
        return
    for mount in found:
        if mount.path == "/var/log" or mount.path.startswith("/var/log/"):
            yield mount.view.string("mountPath").flag(
                f"the {group.title} keeps {mount.path!r}, and Ray's logs are below /tmp/ray",
                label="nothing of Ray comes here",
                effect="the logs of a session are gone with the container",
                fix="mount the volume at /tmp/ray",
            )
