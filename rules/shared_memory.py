"""A volume of one's own at Ray's shared memory."""

from __future__ import annotations

from raylint.field import Field, Origin
from raylint.group import Group
from raylint.quantity import parse_quantity
from raylint.rule import Severity, rule, unsafe

from .mounts import SHM, mount_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

__all__ = ["shared_memory_volume_unfit"]

MENTIONS = (SHM,)
# Ray's default store is 30 % of the memory.
_SHARE = 0.3
_MIB = 1 << 20


@rule("RAY317", Severity.WARNING, reports=("FR-057",), fixes="unsafe")
def shared_memory_volume_unfit(group: Group) -> Problems:
    """A volume of your own at `/dev/shm` that is on disk or too small for the object store.

    ## What it flags
    The Ray container mounts an `emptyDir` at `/dev/shm` without `medium: Memory`, or one whose `sizeLimit` is
    below 30 % of the container's memory limit, which is what Ray takes for its object store by default.

    It stays silent for other kinds of volumes, for a start with `plasma-directory`, and for a small volume where
    `object-store-memory` fits into it.

    ## What happens
    On a disk every object is written to the node's file system and counts against ephemeral storage. With too
    small a volume Ray falls back to `/tmp`, which is the same, with a warning in the log; a store above 10 GB does
    not start.

    ## Versions
    All. Without a volume of yours KubeRay mounts a memory volume of the right size.

    ## Fix
    Remove the volume and its mount, or set `medium: Memory` and a `sizeLimit` of at least 30 % of the memory. The
    pages count against the container's memory limit in any case.

    ## When to ignore it
    When no objects of any size are put into the store.

    ## Source
    Ray 2.60.0, `python/ray/_private/services.py` (`determine_plasma_store_config`); ray-project/kuberay v1.7.0,
    `common/pod.go` (`addEmptyDir`); InftyAI/llmaz#238.

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
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
            volumes:
            - name: shm
              emptyDir: {}  # <-
    ```

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
              resources: {limits: {cpu: "8", memory: 64Gi}}
              volumeMounts: [{name: shm, mountPath: /dev/shm/}]
            volumes:
            - name: shm
              emptyDir: {medium: Memory, sizeLimit: 2Gi}  # <-
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
              resources: {limits: {cpu: "8", memory: 64Gi}}
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
            volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: 20Gi}}]
    ```

    Small, but the store is told to be smaller:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {object-store-memory: "1000000000"}
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              resources: {limits: {cpu: "8", memory: 64Gi}}
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
            volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: 2Gi}}]
    ```
    """
    if not group.pod.has("volumes") or not group.cluster.is_built or group.start_params.has("plasma-directory"):
        return
    mount = mount_at(group, SHM)
    if mount is None or mount.volume is None or "emptyDir" not in mount.volume.data:
        return
    empty = mount.volume.part("emptyDir")
    limit = group.ray_container.limit("memory").value
    share = int(limit.rounded_up * _SHARE) if limit is not None and limit.nanos else None
    size = parse_quantity(empty.data.get("sizeLimit"))
    medium = empty.string("medium")
    if not medium.known:
        return
    if medium.value != "Memory":
        what = f"the volume at /dev/shm of the {group.title} is on disk"
        at = medium.at if medium else empty.at
    elif size is not None and share is not None and size.rounded_up < share:
        if group.start_params.has("object-store-memory"):
            return  # the store has a size of its own, which RAY316 judges
        what = f"the volume at /dev/shm holds {size.rounded_up // _MIB} MiB, less than 30 % of the memory"
        at = empty.at_key("sizeLimit")
    else:
        return
    yield Field(None, Origin.WRITTEN, at).flag(
        what,
        label="too small for Ray's object store" if medium.value == "Memory" else "not in memory",
        effect="objects go to a disk: each put and get is slow, and ephemeral storage fills",
        fix="remove the volume (KubeRay mounts one of the right size), or use medium: Memory and a larger size",
        repair=unsafe(medium.at.set("Memory")) if medium.value != "Memory" and size is None else None,
    )
