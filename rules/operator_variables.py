"""Variables that KubeRay overrides."""

from __future__ import annotations

from raylint.group import Group
from raylint.rule import Severity, rule, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

# In the name of each of them.
MENTIONS = ("RAY_",)

# What KubeRay appends whatever the container has; a later entry of one name wins.
_MANAGED = ("RAY_CLUSTER_NAME", "RAY_CLUSTER_NAMESPACE", "RAY_CLOUD_INSTANCE_ID")
_MANAGED_SINCE_1_1 = ("RAY_NODE_TYPE_NAME", "KUBERAY_GEN_RAY_START_CMD")
_MANAGED_ON_WORKERS = ("FQ_RAY_IP", "RAY_IP")
_MANAGED_SOMEWHERE = frozenset((*_MANAGED, *_MANAGED_SINCE_1_1, *_MANAGED_ON_WORKERS))


@rule("RAY326", Severity.WARNING, reports=("FR-133",), fixes="safe")
def operator_variable_overridden(group: Group) -> Problems:
    """A variable that KubeRay sets itself, whatever the container has.

    ## What it flags
    `RAY_CLUSTER_NAME`, `RAY_CLUSTER_NAMESPACE`, `RAY_CLOUD_INSTANCE_ID`, `RAY_NODE_TYPE_NAME`,
    `KUBERAY_GEN_RAY_START_CMD` and, on workers, `FQ_RAY_IP` and `RAY_IP` in `env` of the Ray container.

    Variables that KubeRay sets only where they are absent (`RAY_ADDRESS`, `RAY_PORT`) are not flagged.

    ## What happens
    KubeRay appends its own entry, so that there are two of one name. Kubernetes takes the last, KubeRay's: yours
    is lost, and tools that compare what runs with what was applied never come to rest.

    ## Versions
    KubeRay: all; `RAY_NODE_TYPE_NAME` and `KUBERAY_GEN_RAY_START_CMD` since 1.1.

    ## Fix
    Remove the entry, or give it a name of your own.

    ## When to ignore it
    In the init containers of old guides; there the entry is not KubeRay's concern.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go` (`setContainerEnvVars`); ray-project/kuberay#957.

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
              env:
              - name: RAY_CLUSTER_NAME  # <-
                value: production
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
              env:
              - name: RAY_IP  # <-
                value: trainer-head-svc
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
              env: [{name: CLUSTER_NAME, value: production}]
    ```

    KubeRay leaves these alone where they are set, and `RAY_IP` is a worker's:

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
              env: [{name: RAY_ADDRESS, value: "127.0.0.1:6379"}, {name: RAY_IP, value: 127.0.0.1}]
    ```
    """
    for entry in group.variables(_MANAGED_SOMEWHERE.__contains__):
        if group.cluster.is_built and _is_managed(entry.name, group):
            yield entry.string("name").flag(
                f"the variable {entry.name} is KubeRay's own, which appends another of this name",
                label="the later entry wins",
                effect="your value is lost; tools that compare the pod with the manifest see a difference",
                fix=f"remove {entry.name}, or choose another name",
                repair=safe(entry.at.delete()),
            )


def _is_managed(name: str, group: Group) -> bool:
    since_1_1 = name in _MANAGED_SINCE_1_1 and group.cluster.target.kuberay_at_least(1, 1)
    return name in _MANAGED or since_1_1 or (name in _MANAGED_ON_WORKERS and not group.is_head)
