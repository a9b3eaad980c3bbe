"""Memory of Ray's pods: what they may use, what they ask for, and what Ray is told."""

from __future__ import annotations

from raylint.field import Field, Origin
from raylint.rule import Severity, unsafe

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import OddlySized
    from raylint.rule import Problems

__all__ = ["head_memory_small", "memory_above_limit", "memory_left_to_the_node", "memory_request_below_limit"]

MENTIONS = (
    "resources",
    "memory",
)

_GIB = 1 << 30
_TIGHT, _SMALL = 2 * 10**9, 4 * 10**9


def _shown(size: int) -> str:
    return f"{size / _GIB:.3g} GiB"


@looks_into("RAY421", Severity.WARNING, reports=("FR-064",))
def head_memory_small(head: OddlySized) -> Problems:
    """The head has little memory for the GCS, the dashboard and the drivers of jobs.

    ## What it flags
    A memory limit of the head's Ray container below 2 GB. Below 4 GB it is an info.

    ## What happens
    The GCS, the dashboard with its agents and every job's driver share this limit. When it is reached the kernel
    kills one of them: the GCS dies and with it the cluster, or the dashboard, and the probes fail.

    ## Versions
    All KubeRay and Ray releases.

    ## Fix
    Give the head 8 GB in production, as upstream does, and keep work off it with `num-cpus: "0"`.

    ## When to ignore it
    For a demonstration, or a head without jobs of its own and a handful of workers.

    ## Source
    Ray `doc/source/cluster/vms/user-guides/large-cluster-best-practices.rst` and `head-node-memory-management.md`;
    ray-project/kuberay#3897, #2305.

    ## Examples
    ```yaml bad cluster
    headGroupSpec:
      template:
        spec:
          containers:
          - name: ray-head
            image: rayproject/ray:2.60.0
            resources:
              limits: {cpu: "1", memory: 1Gi}  # <-
    ```

    ```yaml bad severity=info cluster
    headGroupSpec:
      template:
        spec:
          containers:
          - name: ray-head
            image: rayproject/ray:2.60.0
            resources:
              limits: {cpu: "1", memory: 2G}  # <-
    ```

    ```yaml good cluster
    headGroupSpec:
      template:
        spec:
          containers:
          - name: ray-head
            image: rayproject/ray:2.60.0
            resources: {limits: {cpu: "2", memory: 8Gi}}
    ```

    A small worker is a matter of its tasks:

    ```yaml good near-miss cluster
    headGroupSpec:
      template:
        spec:
          containers:
          - name: ray-head
            image: rayproject/ray:2.60.0
            resources: {limits: {cpu: "2", memory: 4G}}
    workerGroupSpecs:
    - groupName: small
      template:
        spec:
          containers:
          - name: ray-worker
            image: rayproject/ray:2.60.0
            resources: {limits: {cpu: "1", memory: 1Gi}}
    ```
    """
    limit = head.ray_container.limit("memory")
    if limit.value is None or limit.value.nanos <= 0 or limit.value.rounded_up >= _SMALL:
        return
    if not head.is_head or not head.cluster.is_built:
        return
    size = limit.value.rounded_up
    yield limit.flag(
        f"the head has {_shown(size)} of memory for the GCS, the dashboard and the drivers of all jobs",
        label="little",
        effect="the kernel kills the GCS or the dashboard when it is used up, and the cluster is lost",
        fix="give the head 8Gi, and keep tasks off it with num-cpus 0",
        severity=None if size < _TIGHT else Severity.INFO,
    )


@looks_into("RAY422", Severity.INFO, reports=("FR-065",))
def memory_left_to_the_node(group: OddlySized) -> Problems:
    """No memory limit: Ray takes the memory of the whole node for its own.

    ## What it flags
    A Ray container without a memory limit, in a group without `memory` among `rayStartParams` or `resources`. A
    request alone does not count: KubeRay derives nothing from it.

    ## What happens
    Ray schedules by the node's memory, sizes the object store by it (30 %), and its monitor acts at 95 % of it.
    The pod shares the node with others, so the kernel kills somebody before Ray does anything.

    ## Versions
    All KubeRay and Ray releases.

    ## Fix
    Set a memory limit, and the same as the request.

    ## When to ignore it
    For a pod that has its node to itself.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go` (`updateRayStartParamsResources`); Ray
    `doc/source/cluster/kubernetes/user-guides/config.md`; ray-project/kuberay#1899, #2178.

    ## Examples
    ```yaml bad cluster
    headGroupSpec:
      rayStartParams: {memory: "8000000000"}
      template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
    workerGroupSpecs:
    - groupName: cpu
      template:
        spec:
          containers:
          - name: ray-worker
            image: rayproject/ray:2.60.0
            resources:  # <-
              limits: {cpu: "8"}
    ```

    ```yaml bad cluster
    headGroupSpec:
      template:
        spec:
          containers:
          - name: ray-head
            image: rayproject/ray:2.60.0
            resources:  # <-
              requests: {cpu: "8", memory: 32Gi}
    ```

    ```yaml good cluster
    headGroupSpec:
      template:
        spec:
          containers:
          - name: ray-head
            image: rayproject/ray:2.60.0
            resources: {limits: {cpu: "8", memory: 32Gi}}
    ```

    Nothing at all is said of resources: RAY351 tells of it.

    ```yaml good near-miss cluster
    headGroupSpec:
      template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
    ```
    """
    memory = group.memory
    # An unknown of Ray's own counting has a reason; what is written and cannot be read has none.
    if memory.origin is not Origin.UNKNOWN or not memory.reason or not group.cluster.is_built:
        return
    container = group.ray_container
    if container.has("resources") and container.part("resources").data:
        yield Field(None, Origin.WRITTEN, container.at_key("resources").key()).flag(
            f"the {group.title} has no memory limit: Ray takes the memory of the whole node for its own",
            label="no memory limit",
            effect="Ray's memory monitor acts too late, and the kernel kills a process of this pod or of another",
            fix="set a memory limit, and the same request",
        )


@looks_into("RAY423", Severity.INFO, reports=("FR-063",), fixes="unsafe")
def memory_request_below_limit(group: OddlySized) -> Problems:
    """The memory request is far below the limit: Ray uses what the node may not have.

    ## What it flags
    A memory request of the Ray container that is less than half of its limit. A warning below a quarter.

    ## What happens
    Ray is told the limit and fills it with objects and tasks, while Kubernetes places the pod by the request. On a
    full node the memory is not there: the node evicts the pod, or the kernel kills it, before Ray's own monitor
    acts at 95 % of the limit. Where a LimitRange bounds the ratio the pods are not created at all.

    ## Versions
    All KubeRay and Ray releases.

    ## Fix
    Write the limit as the request, or leave the request out: it follows the limit.

    ## When to ignore it
    When the nodes are known to have room.

    ## Source
    Ray `doc/source/cluster/kubernetes/user-guides/config.md` and `head-node-memory-management.md`;
    ray-project/kuberay#2640.

    ## Examples
    ```yaml bad severity=info worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0
          resources:
            limits: {cpu: "8", memory: 32Gi}
            requests: {cpu: "8", memory: 12Gi}  # <-
    ```

    ```yaml bad severity=warning worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0
          resources:
            limits: {cpu: "8", memory: 32Gi}
            requests: {cpu: "1", memory: 2Gi}  # <-
    ```

    ```yaml good worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0
          resources: {limits: {cpu: "8", memory: 32Gi}}
    ```

    CPUs may be asked for sparingly, and some slack is common:

    ```yaml good near-miss worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0
          resources:
            limits: {cpu: "8", memory: 32Gi}
            requests: {cpu: "1", memory: 16384Mi}
    ```
    """
    resources = group.ray_container.data.get("resources")
    requests = resources.get("requests") if isinstance(resources, dict) else None
    asked_for = requests.get("memory") if isinstance(requests, dict) else None
    if asked_for is None or asked_for == group.ray_container.limits.get("memory") or not group.cluster.is_built:
        return
    request, limit = group.ray_container.request("memory"), group.ray_container.limit("memory")
    if request.value is None or limit.value is None:
        return
    asked, most = request.value.rounded_up, limit.value.rounded_up
    if 0 <= 2 * asked < most:
        yield request.flag(
            f"the {group.title} asks for {_shown(asked)} of memory and may use {_shown(most)}, which Ray fills:"
            " the node may not have it",
            label="far less than the limit",
            because=[(limit.at, "the limit, which Ray is told")],
            effect="on a full node the pod is evicted or killed before Ray's own memory monitor acts",
            fix="leave the memory request out, or make it equal to the limit",
            severity=Severity.WARNING if most > 4 * asked else None,
            repair=unsafe(request.at.set(group.ray_container.limits["memory"])),
        )


@looks_into("RAY424", Severity.WARNING, fixes="unsafe")
def memory_above_limit(group: OddlySized) -> Problems:
    """Ray is told of more memory than the container may use.

    ## What it flags
    `memory` among `rayStartParams`, or among the group's `resources`, above the memory limit of the Ray container.

    ## What happens
    Ray places tasks and actors by that number until it is used up, and the kernel kills the container at its
    limit, with everything that runs in it.

    ## Versions
    All KubeRay and Ray releases; the group's `resources` since KubeRay 1.5.

    ## Fix
    Remove the parameter: KubeRay takes the limit. Or lower it, to keep memory for what Ray does not count.

    ## When to ignore it
    When the tasks' memory demands are known to be exaggerated.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go` (`updateRayStartParamsResources`); Ray 2.60.0,
    `_private/resource_spec.py`.

    ## Examples
    ```yaml bad worker
    rayStartParams:
      memory: "64000000000"  # <-
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0
          resources: {limits: {cpu: "8", memory: 32Gi}}
    ```

    ```yaml bad worker
    resources:
      memory: 64Gi  # <-
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0
          resources: {limits: {cpu: "8", memory: 32Gi}}
    ```

    ```yaml good worker
    rayStartParams: {memory: "24000000000"}
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0
          resources: {limits: {cpu: "8", memory: 32Gi}}
    ```

    The limit in bytes; and no limit to compare with:

    ```yaml good near-miss cluster
    headGroupSpec:
      rayStartParams: {memory: "64000000000"}
      template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
    workerGroupSpecs:
    - groupName: cpu
      rayStartParams: {memory: "34359738368"}
      template:
        spec:
          containers:
          - name: ray-worker
            image: rayproject/ray:2.60.0
            resources: {limits: {cpu: "8", memory: 32Gi}}
    ```
    """
    memory = group.memory
    if memory.origin is not Origin.WRITTEN or memory.value is None or not group.cluster.is_built:
        return
    limit = group.ray_container.limit("memory")
    if limit.value is not None and 0 < limit.value.rounded_up < memory.value:
        size = limit.value.rounded_up
        yield memory.flag(
            f"Ray is told of {_shown(memory.value)} of memory, and the container of the {group.title} may use"
            f" {_shown(size)}",
            label="more than the limit",
            because=[(limit.at, "the limit")],
            effect="Ray goes on placing tasks until the kernel kills the container with all of them",
            fix="remove it: KubeRay takes the number from the limit",
            repair=unsafe(memory.at.delete()),
        )
