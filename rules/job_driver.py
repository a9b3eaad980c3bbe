"""A job's driver that asks for resources of its own."""

from __future__ import annotations

from raylint.custom_resources import read_amounts
from raylint.manifest import RayJob
from raylint.offer import Demand
from raylint.rule import Confidence, Problem, Severity

from .inner_page import looks_into
from .placement import is_assumed, missing_everywhere, possible_offers, why_nowhere

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

__all__ = ["job_driver_never_placed"]

MENTIONS = ("entrypointNum", "entrypointResources")


# A RayJob's driver that asks for resources must be placed within this time (RAY_JOB_START_TIMEOUT_SECONDS).
_DRIVER_START_SECONDS = 900
_ASKED = ("entrypointNumCpus", "entrypointNumGpus", "entrypointResources")


@looks_into("RAY443", Severity.ERROR)
def job_driver_never_placed(job: RayJob) -> Problems:
    """A RayJob's driver asks for more than any pod of its cluster can offer: the job fails without having run.

    ## What it flags
    `entrypointNumCpus`, `entrypointNumGpus` or `entrypointResources` that no pod of the RayJob's own cluster can
    offer together, the head included. What a group offers is read as for RAY441, and what cannot be known counts
    as enough.

    It stays silent with a `clusterSelector`, and in InteractiveMode, which submits nothing.

    ## What happens
    A driver that asks for nothing runs on the head. One that asks for resources is scheduled like an actor: it
    waits for a pod that can hold it, 900 seconds, and then the job fails: "The job supervisor did not start
    within the timeout". The cluster is up and paid for all that time, in each retry again.

    ## Versions
    All KubeRay and Ray releases.

    ## Fix
    Leave the three fields out: the tasks and actors ask for what they need. Or give one group pods that are large
    enough.

    ## When to ignore it
    When the pods get their resources from somewhere that the manifest does not show.

    ## Source
    Ray 2.60.0, `dashboard/modules/job/job_manager.py` (`RAY_JOB_START_TIMEOUT_SECONDS`); ray-project/kuberay
    v1.7.0, `common/job.go` (`GetK8sJobCommand`).

    ## Examples
    A head without CPUs, and workers with two:

    ```yaml bad job
    entrypointNumCpus: 4  # <-
    rayClusterSpec:
      headGroupSpec:
        rayStartParams: {num-cpus: "0"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 8
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.60.0
              resources: {limits: {cpu: "2", memory: 8Gi}}
    ```

    The GPU pods have no such resource, and the head no GPU:

    ```yaml bad job
    entrypointNumGpus: 1  # <-
    entrypointResources: '{"driver": 1}'
    rayClusterSpec:
      headGroupSpec:
        rayStartParams: {num-gpus: "0", resources: '"{\\"driver\\": 1}"'}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: gpu
        replicas: 1
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.60.0-gpu
              resources: {limits: {cpu: "8", memory: 32Gi, nvidia.com/gpu: "1"}}
    ```

    ```yaml good job
    entrypointNumCpus: 2
    rayClusterSpec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.60.0
              resources: {limits: {cpu: "2", memory: 8Gi}}
    ```

    CPUs that are counted on the node may be enough; and a group that is scaled from nothing will do:

    ```yaml good near-miss job
    entrypointNumCpus: 64
    ```

    ```yaml good near-miss job
    entrypointNumGpus: 1
    rayClusterSpec:
      enableInTreeAutoscaling: true
      headGroupSpec:
        rayStartParams: {num-cpus: "0", num-gpus: "0"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: gpu
        minReplicas: 0
        maxReplicas: 2
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.60.0-gpu
              resources: {limits: {cpu: "8", memory: 32Gi, nvidia.com/gpu: "1"}}
    ```
    """
    body = job.body
    field = next((field for field in _ASKED if body.get(field)), "")
    if not field or job.uses_existing_cluster or job.submission_mode.value == "InteractiveMode":
        return
    demand = _of_driver(job)
    found = possible_offers(job)
    missing = None if demand is None else missing_everywhere(demand, found)
    if demand is None or missing is None:
        return
    why, places = why_nowhere(demand, found, missing)
    assumed = is_assumed(found, missing)
    yield Problem(
        job.job_spec.at_key(field),
        f"the driver needs {demand} in one pod, and {why}: it never starts",
        label="fits nowhere",
        because=places,
        effect=f"the RayJob waits {_DRIVER_START_SECONDS} s for a place for its driver and then fails",
        fix="leave the entrypoint's resources out: such a driver runs on the head; or give a group larger pods",
        severity=Severity.WARNING if assumed else None,
        confidence=Confidence.MEDIUM if assumed else None,
    )


def _of_driver(job: RayJob) -> Demand | None:
    """What the driver asks for; None where it cannot be read, or is nothing."""
    spec = job.body
    amounts: dict[str, object] = {}
    text = spec.get("entrypointResources")
    if text is not None:
        custom = read_amounts(text) if isinstance(text, str) else None
        if custom is None:
            return None
        amounts.update(custom)
    for field, name in (("entrypointNumCpus", "CPU"), ("entrypointNumGpus", "GPU")):
        amounts[name] = spec.get(field)
    demand = Demand.of_bundle(amounts)
    return demand if demand is not None and demand.amounts else None
