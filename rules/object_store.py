"""The object store and the shared memory below it."""

from __future__ import annotations

from raylint.field import Field, Origin
from raylint.group import Group
from raylint.quantity import parse_quantity
from raylint.rule import Severity, rule

from .mounts import SHM, mount_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.pod import Container
    from raylint.rule import Location, Problems

MENTIONS = ("object-store-memory",)

# Ray refuses to fall back to a disk for a store of more than this (ray_constants.REQUIRE_SHM_SIZE_THRESHOLD).
_MUST_BE_SHM = 10**10


@rule("RAY316", Severity.ERROR, reports=("FR-056",))
def object_store_too_large(group: Group) -> Problems:
    """An object store that does not fit into the container's memory or its shared memory.

    ## What it flags
    `object-store-memory` in `rayStartParams`
    - above the Ray container's memory limit: error;
    - above the size of `/dev/shm` and above 10 GB: error, unless `RAY_OBJECT_STORE_ALLOW_SLOW_STORAGE` is set;
    - above the size of `/dev/shm`, or at more than 90 % of the memory limit: warning.

    `/dev/shm` is the container's own volume there, else the memory volume that KubeRay mounts, as large as the
    memory limit or request. It stays silent where no size shows, and with `plasma-directory`, where Ray checks
    nothing.

    ## What happens
    Ray ends with "The configured object store size exceeds /dev/shm size" or "greater than the total available
    memory". A smaller store falls back to `/tmp`: each object is written to disk, against the pod's ephemeral
    storage. Shared memory counts as the container's own, so a store that takes nearly all of the limit gets the
    container killed once it fills.

    ## Versions
    Ray 2.9.3 to 2.60.0. KubeRay mounts the memory volume since 0.4.

    ## Fix
    Leave the option out: Ray takes 30 % of the memory. For more, raise the memory limit along with it.

    ## When to ignore it
    The warning: when slow storage is what you want.

    ## Source
    Ray 2.60.0, `python/ray/_private/services.py` (`determine_plasma_store_config`); ray-project/kuberay v1.7.0,
    `common/pod.go` (`addEmptyDir`); ray-project/kuberay#201.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {object-store-memory: "9000000000"}  # <-
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              resources: {limits: {cpu: "4", memory: 8Gi}}
    ```

    ```yaml bad severity=warning
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {object-store-memory: "4000000000"}  # <-
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              resources: {limits: {cpu: "4", memory: 16Gi}}
              volumeMounts: [{name: shm, mountPath: /dev/shm}]
            volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: 2Gi}}]
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {object-store-memory: "4000000000"}
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              resources: {limits: {cpu: "4", memory: 16Gi}}
    ```

    Ray does not look at `/dev/shm` here, and without a limit nothing tells how much memory there is:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {object-store-memory: "12000000000", plasma-directory: /data}
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              resources: {limits: {cpu: "4", memory: 8Gi}}
      workerGroupSpecs:
      - groupName: cpu
        rayStartParams: {object-store-memory: "20000000000"}
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    store = group.start_param("object-store-memory")
    size = _whole(store.value)
    if size is None or not group.cluster.is_built or group.start_params.has("plasma-directory"):
        return
    limit = _bytes(group.ray_container, "limit")
    shm = _shm_size(group)
    because: list[tuple[Location, str]] = []
    if limit.value is not None and size > limit.value:
        because.append((limit.at, f"the container's memory, {limit.value} bytes"))
        what, severity, log = "more than the container's memory limit", Severity.ERROR, "greater than the total"
    elif shm.value is not None and size > shm.value:
        because.append((shm.at, f"makes /dev/shm {shm.value} bytes"))
        refused = size > _MUST_BE_SHM and not _allows_slow_storage(group.ray_container)
        severity = Severity.ERROR if refused else Severity.WARNING
        what, log = "more than /dev/shm holds", "The configured object store size" if refused else ""
    elif limit.value is not None and size > limit.value * 0.9:
        because.append((limit.at, f"the container's memory, {limit.value} bytes"))
        what, severity, log = "nearly all of the container's memory limit", Severity.WARNING, ""
    else:
        return
    yield store.flag(
        f"an object store of {size} bytes is {what}",
        because=because,
        effect=_outcome(log, what),
        fix="remove object-store-memory (Ray takes 30 % of the memory), or raise the memory limit",
        severity=severity,
    )


def _outcome(log: str, what: str) -> str:
    if log:
        return f'ray start ends with "{log} ..." and the pod crash-loops'
    if "nearly" in what:
        return (
            "the container is killed for its memory once the store fills: shared memory counts against the limit"
        )
    return "Ray falls back to a store on disk below /tmp: slow, and counted against the pod's ephemeral storage"


def _whole(text: str | None) -> int | None:
    try:
        return int(text) if text else None
    except ValueError:
        return None


def _bytes(container: Container, kind: str) -> Field[int]:
    amount = container.limit("memory") if kind == "limit" else container.request("memory")
    value = None if amount.value is None or not amount.value.nanos else amount.value.rounded_up
    return Field(value, amount.origin, amount.at)


def _shm_size(group: Group) -> Field[int]:
    """The size of /dev/shm: of the container's own memory volume there, else KubeRay's, which follows the memory
    limit, else the request."""
    mount = mount_at(group, SHM)
    if mount is not None:
        volume = mount.volume or mount.view
        empty = volume.part("emptyDir")
        size = parse_quantity(empty.data.get("sizeLimit"))
        if empty.string("medium").value != "Memory" or size is None:
            return Field(None, Origin.UNKNOWN, volume.at)
        return Field(size.rounded_up, Origin.WRITTEN, empty.at_key("sizeLimit"))
    limit = _bytes(group.ray_container, "limit")
    return limit if limit.value is not None else _bytes(group.ray_container, "request")


def _allows_slow_storage(container: Container) -> bool:
    variable = container.env("RAY_OBJECT_STORE_ALLOW_SLOW_STORAGE")
    return container.has_env_from or (variable is not None and variable.value.value != "")
