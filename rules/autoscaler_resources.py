"""The resources of the autoscaler's own container."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.field import Field, Origin
from raylint.quantity import parse_quantity
from raylint.rule import Severity, unsafe

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

__all__ = ["autoscaler_memory_for_many_workers", "autoscaler_resources_mistaken"]

MENTIONS = ("enableInTreeAutoscaling",)

_MANY_WORKERS = 100
_UNBOUNDED = 10_000
_MIB = 1 << 20
_DEFAULT = 512 * _MIB
# KubeRay's own amounts with twice the memory.
_ROOMY = {"cpu": "500m", "memory": "1Gi"}
_MOST_CPUS, _MOST_MEMORY = 4, 8 * 1024 * _MIB


@looks_into("RAY426", Severity.WARNING, "autoscalerOptions", reports=("FR-028",))
def autoscaler_resources_mistaken(cluster: RayCluster) -> Problems:
    """`autoscalerOptions.resources` sizes the autoscaler's own container, not the workers.

    ## What it flags
    An accelerator, more than 4 CPUs or more than 8 Gi of memory in `autoscalerOptions.resources`.

    ## What happens
    KubeRay gives these resources to the sidecar that decides about scaling, on the head's pod. The workers stay as
    their own template says, and the head needs a node with a GPU, or so much larger, for a process that is mostly
    asleep.

    ## Versions
    All KubeRay releases.

    ## Fix
    Move the resources to the Ray container in the worker group's template, and leave the autoscaler its default
    (500m, 512Mi).

    ## When to ignore it
    For a cluster of thousands of workers whose autoscaler is known to need that much.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go` (`BuildAutoscalerContainer`); ray-project/kuberay#1003.

    ## Examples
    ```yaml bad cluster
    enableInTreeAutoscaling: true
    autoscalerOptions:
      resources:
        limits:
          cpu: "1"
          nvidia.com/gpu: "1"  # <-
    ```

    ```yaml bad cluster
    enableInTreeAutoscaling: true
    autoscalerOptions:
      resources:
        requests:
          cpu: "16"  # <-
          memory: 64Gi  # <-
    ```

    ```yaml good cluster
    enableInTreeAutoscaling: true
    autoscalerOptions:
      resources: {limits: {cpu: 500m, memory: 512Mi}, requests: {cpu: 500m, memory: 512Mi}}
    ```

    A large cluster's autoscaler:

    ```yaml good near-miss cluster
    enableInTreeAutoscaling: true
    autoscalerOptions:
      resources: {limits: {cpu: "4", memory: 8Gi, ephemeral-storage: 10Gi}}
    ```
    """
    resources = cluster.autoscaler.part("resources")
    if not cluster.autoscaler.enabled or not cluster.is_built:
        return
    told: set[str] = set()
    for kind in ("limits", "requests"):
        amounts = resources.part(kind)
        for name, raw in amounts.data.items():
            amount = parse_quantity(raw)
            if amount is None or name in told or not _is_too_much(name, amount.rounded_up):
                continue
            told.add(name)
            at: Field[str] = Field(None, Origin.WRITTEN, amounts.at_key(name))
            yield at.flag(
                f"{name} {raw} is for the autoscaler's own container, not for the workers",
                label="the autoscaler's",
                effect="the workers stay as their template says, and the head needs a node with room for this as"
                " well",
                fix="move it to the resources of the Ray container in the worker group's template",
            )


def _is_too_much(name: str, amount: int) -> bool:
    if name == "cpu":
        return amount > _MOST_CPUS
    if name == "memory":
        return amount > _MOST_MEMORY
    return "/" in name and "kubernetes.io/" not in name and amount > 0


@looks_into("RAY427", Severity.INFO, "enableInTreeAutoscaling", reports=("FR-027",), fixes="unsafe")
def autoscaler_memory_for_many_workers(cluster: RayCluster) -> Problems:
    """The autoscaler's default of 512Mi is little for more than a hundred workers.

    ## What it flags
    Autoscaling of worker groups that can have more than 100 pods together, while the autoscaler's memory limit is
    512Mi, KubeRay's default, or less.

    It stays silent where `maxReplicas` is left out or meant as "no limit" (RAY202 tells of that).

    ## What happens
    The autoscaler keeps the state of all nodes and demands. When it is killed for its memory it starts again from
    nothing, and while that repeats nothing is scaled.

    ## Versions
    All KubeRay releases.

    ## Fix
    Set `autoscalerOptions.resources` to 1Gi of memory or more, as limit and request.

    ## When to ignore it
    When the maximum is never reached.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go` (`BuildAutoscalerContainer`); ray-project/kuberay#1048.

    ## Examples
    ```yaml bad cluster
    enableInTreeAutoscaling: true  # <-
    workerGroupSpecs:
    - groupName: cpu
      maxReplicas: 200
      template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]}}
    ```

    ```yaml bad cluster
    enableInTreeAutoscaling: true
    autoscalerOptions:
      resources:
        limits:
          memory: 256Mi  # <-
    workerGroupSpecs:
    - groupName: tpu
      numOfHosts: 4
      maxReplicas: 64
      template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]}}
    ```

    ```yaml good cluster
    enableInTreeAutoscaling: true
    autoscalerOptions: {resources: {limits: {cpu: "1", memory: 2Gi}, requests: {cpu: "1", memory: 2Gi}}}
    workerGroupSpecs:
    - groupName: cpu
      maxReplicas: 200
      template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]}}
    ```

    No real maximum, which is another matter:

    ```yaml good near-miss cluster
    enableInTreeAutoscaling: true
    workerGroupSpecs:
    - groupName: cpu
      template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]}}
    ```
    """
    workers = cluster.possible_workers
    if not cluster.autoscaler.enabled or not cluster.is_built:
        return
    if workers is None or not _MANY_WORKERS < workers < _UNBOUNDED:
        return
    resources = cluster.autoscaler.part("resources")
    limits = resources.part("limits")
    written = limits.has("memory")
    amount = parse_quantity(limits.data.get("memory"))
    # Resources of one's own replace KubeRay's whole: without a memory limit there is none.
    if (resources.data and not written) or (written and (amount is None or amount.rounded_up > _DEFAULT)):
        return
    at: Field[str] = Field(
        None, Origin.WRITTEN, limits.at_key("memory") if written else cluster.autoscaler.switch.at
    )
    shown = limits.data.get("memory") if written else "512Mi, the default,"
    yield at.flag(
        f"the autoscaler has {shown} of memory for up to {workers} workers: it may be killed for it",
        label="little for so many workers",
        effect="while the autoscaler is killed and starts again nothing is scaled",
        fix="give autoscalerOptions.resources 1Gi of memory or more, as limit and request",
        repair=unsafe(
            limits.at_key("memory").set("1Gi")
            if written
            else resources.at.set(
                {"limits": dict(_ROOMY), "requests": dict(_ROOMY)}, after="enableInTreeAutoscaling"
            )
        ),
    )
