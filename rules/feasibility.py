"""What an application or a job asks Ray for, against what the cluster can ever offer."""

from __future__ import annotations

from raylint.custom_resources import read_amounts
from raylint.field import Origin
from raylint.manifest import RayJob, RayService
from raylint.offer import Demand, amount_text, offers, room_for
from raylint.rule import Confidence, Problem, Severity

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from raylint.finding import Path
    from raylint.offer import Offer
    from raylint.rule import Location, Problems

__all__ = ["job_driver_never_placed", "serve_replica_never_placed", "serve_replicas_exceed_cluster"]

MENTIONS = ("serveConfigV2", "entrypointNum", "entrypointResources")

# A RayJob's driver that asks for resources must be placed within this time (RAY_JOB_START_TIMEOUT_SECONDS).
_DRIVER_START_SECONDS = 900


class _Deployment:
    """A listed deployment: what one replica needs. ``parts``: what has to fit on one node each, with its path;
    ``whole``: all of it; None: the code decides."""

    __slots__ = ("data", "name", "parts", "path", "spread", "whole")

    def __init__(self, path: Path, data: dict[str, object]) -> None:
        name = data.get("name")
        self.data = data
        self.name = name if isinstance(name, str) else ""
        self.path = path
        self.parts: list[tuple[Path, Demand]] = []
        self.whole: Demand | None = None
        self.spread = data.get("placement_group_strategy") == "STRICT_SPREAD"
        options, bundles = data.get("ray_actor_options"), data.get("placement_group_bundles")
        if isinstance(bundles, list):
            demands = [Demand.of_bundle(bundle) for bundle in bundles]
            known = [demand for demand in demands if demand is not None]
            if not bundles or len(known) != len(demands):
                return
            self.whole = known[0]
            for demand in known[1:]:
                self.whole += demand
            at = (*path, "placement_group_bundles")
            self.parts = (
                [(at, self.whole)]
                if data.get("placement_group_strategy") == "STRICT_PACK"
                else [((*at, number), demand) for number, demand in enumerate(known)]
            )
        elif isinstance(options, dict):
            self.whole = Demand.of_actor(options)
            if self.whole is not None:
                self.parts = [((*path, "ray_actor_options"), self.whole)]

    @property
    def replicas(self) -> int:
        """Replicas that the text itself demands, by ``num_replicas`` or the autoscaling minimum; 0: none."""
        scaling = self.data.get("autoscaling_config")
        return _whole(scaling.get("min_replicas") if isinstance(scaling, dict) else self.data.get("num_replicas"))

    @property
    def place_of_replicas(self) -> Path:
        scaled = isinstance(self.data.get("autoscaling_config"), dict)
        return (*self.path, *(("autoscaling_config", "min_replicas") if scaled else ("num_replicas",)))

    @property
    def most_per_node(self) -> int | None:
        return _whole(self.data.get("max_replicas_per_node")) or None


def _whole(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _deployments(service: RayService) -> Iterator[_Deployment]:
    for path, data in service.serve_config.deployments:
        deployment = _Deployment(path, data)
        if deployment.parts:
            yield deployment


def _missing(demand: Demand, found: Sequence[Offer]) -> list[str] | None:
    """The resources of which every pod has too little,
    where no pod can hold the demand; empty where each pod lacks
    something else. None where some pod may hold it."""
    lacking = [offer.lacks(demand) for offer in found]
    if not found or not all(lacking):
        return None
    return [name for name in demand.amounts if all(name in lacks for lacks in lacking)]


def _judged(demand: Demand, found: Sequence[Offer], missing: list[str]) -> tuple[str, list[tuple[Location, str]]]:
    """Why no pod can hold it, and where that is written."""
    if not missing:
        return "no group offers that in one pod", [
            (offer.group.at, f"too little: {' and '.join(offer.lacks(demand))}") for offer in found
        ]
    name = missing[0]
    best = max(found, key=lambda offer: offer.amount(name).value or 0)
    most = best.amount(name)
    if not most.value:
        return f"no group offers any {name if name in ('CPU', 'GPU') else repr(name)}", [
            (offer.group.at, f"{offer.group.title}: none") for offer in found
        ]
    shown = amount_text(name, most.value)
    return f"the largest pod offers {shown}", [(most.at, f"{best.group.title} offers {shown}")]


def _is_assumed(found: Sequence[Offer], missing: list[str]) -> bool:
    """Does it rest on a GPU that nobody mentions at all, which the node may show to its containers all the"
    " same?"""
    return missing[:1] == ["GPU"] and all(offer.amount("GPU").origin is Origin.KUBERAY for offer in found)


@looks_into("RAY441", Severity.ERROR, "serveConfigV2")
def serve_replica_never_placed(service: RayService) -> Problems:
    """A Serve replica asks for more than any pod of the cluster can offer: it stays pending for ever.

    ## What it flags
    A deployment in `serveConfigV2` whose `ray_actor_options` (1 CPU unless `num_cpus` says otherwise), or one of
    whose `placement_group_bundles`, fits into no pod: neither the head nor a worker group offers so many CPUs or
    GPUs, so much memory or the custom resource. With `STRICT_PACK` the bundles have to fit together; with
    `STRICT_SPREAD` there have to be as many pods.

    What a group offers is what KubeRay passes to `ray start`: the group's `resources`, `rayStartParams`, or the
    limits. Where that cannot be known (CPUs that are counted on the node, a command of one's own, devices without
    a limit) it counts as enough, and so do resources that Ray finds by itself. A GPU that no group mentions at
    all is a warning: some nodes show theirs to every container.

    It stays silent about deployments whose options are in the code alone.

    ## What happens
    The replica waits: `DEPLOY_FAILED` or `UPDATING` without end, "No available node types can fulfill resource
    request", and the autoscaler adds nothing, since no pod of any group would help. The RayService never becomes
    ready; in an upgrade the new cluster stays beside the old one and both are paid for.

    ## Versions
    All KubeRay and Ray releases. The group's `resources` count since KubeRay 1.5.

    ## Fix
    Give the group larger pods, or ask for less: several replicas instead of a large one.

    ## When to ignore it
    When the pods get their resources from somewhere that the manifest does not show, such as a webhook.

    ## Source
    Ray 2.60.0, `serve/schema.py` (`RayActorOptionsSchema`), `serve/config.py` (`ReplicaConfig`),
    `_private/resource_spec.py`; ray-project/kuberay v1.7.0, `common/pod.go` (`updateRayStartParamsResources`).

    ## Examples
    Two GPUs for each replica, and pods with one:

    ```yaml bad service
    serveConfigV2: |
      applications:
      - import_path: rank:app
        deployments:
        - name: Model
          ray_actor_options: {num_cpus: 1, num_gpus: 2}  # <-
    rayClusterConfig:
      headGroupSpec:
        rayStartParams: {num-cpus: "0"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: gpu
        replicas: 4
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.60.0-gpu
              resources: {limits: {cpu: "8", memory: 32Gi, nvidia.com/gpu: "1"}}
    ```

    A custom resource with a slip of the pen, and a bundle that is larger than any pod:

    ```yaml bad service
    serveConfigV2: |
      applications:
      - import_path: rank:app
        deployments:
        - name: Cache
          ray_actor_options:  # <-
            resources: {large_disc: 1}
        - name: Model
          placement_group_bundles:
          - {CPU: 4}
          - {CPU: 16}  # <-
    rayClusterConfig:
      headGroupSpec:
        rayStartParams: {num-cpus: "0"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 4
        rayStartParams: {resources: '"{\\"large_disk\\": 1}"'}
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.60.0
              resources: {limits: {cpu: "8", memory: 32Gi}}
    ```

    No group has a GPU, as far as the manifest shows:

    ```yaml bad severity=warning service
    serveConfigV2: |
      applications:
      - import_path: rank:app
        deployments:
        - name: Model
          ray_actor_options: {num_gpus: 0.5}  # <-
    rayClusterConfig:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.60.0
              resources: {limits: {cpu: "8", memory: 32Gi}}
    ```

    ```yaml bad service
    serveConfigV2: |
      applications:
      - import_path: rank:app
        deployments:
        - name: Model
          placement_group_strategy: STRICT_SPREAD
          placement_group_bundles: [{CPU: 1}, {CPU: 1}, {CPU: 1}]  # <-
    rayClusterConfig:
      headGroupSpec:
        rayStartParams: {num-cpus: "0"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 2
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.60.0
              resources: {limits: {cpu: "8", memory: 32Gi}}
    ```

    The same amount as the pod has is fine, and a fraction is:

    ```yaml good service
    serveConfigV2: |
      applications:
      - import_path: rank:app
        deployments:
        - name: Model
          ray_actor_options: {num_cpus: 8, num_gpus: 1}
        - name: Small
          ray_actor_options: {num_cpus: 0.1, num_gpus: 0.25}
    rayClusterConfig:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: gpu
        replicas: 4
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.60.0-gpu
              resources: {limits: {cpu: "8", memory: 32Gi, nvidia.com/gpu: "1"}}
    ```

    Nothing tells the CPUs of these pods, a claim may bring the GPUs, and an accelerator type is Ray's to find:

    ```yaml good near-miss service
    serveConfigV2: |
      applications:
      - import_path: rank:app
        deployments:
        - name: Model
          ray_actor_options: {num_cpus: 64, num_gpus: 8, resources: {"accelerator_type:A100": 0.01}}
    rayClusterConfig:
      headGroupSpec:
        rayStartParams: {num-cpus: "0"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: gpu
        replicas: 4
        template:
          spec:
            resourceClaims: [{name: gpus, resourceClaimTemplateName: eight-gpus}]
            containers:
            - name: ray-worker
              image: rayproject/ray:2.60.0-gpu
              resources: {claims: [{name: gpus}]}
    ```
    """
    found = _possible(service)
    document = service.serve_config.document
    if not found or document is None:
        return
    for deployment in _deployments(service):
        for path, demand in deployment.parts:
            missing = _missing(demand, found)
            if missing is not None:
                why, places = _judged(demand, found, missing)
                assumed = _is_assumed(found, missing)
                yield Problem(
                    document.at(*path),
                    f"each replica of {deployment.name!r} needs {demand} in one pod, and {why}: it stays pending"
                    f" for"
                    " ever",
                    label="fits nowhere",
                    because=places,
                    effect='"No available node types can fulfill resource request": the application is never'
                    " RUNNING,"
                    " and the autoscaler adds nothing",
                    fix="give a group larger pods, or let a replica ask for less",
                    severity=Severity.WARNING if assumed else None,
                    confidence=Confidence.MEDIUM if assumed else None,
                )
        yield from _spread_too_far(deployment, found, document.at(*deployment.path, "placement_group_bundles"))


def _possible(service: RayService | RayJob) -> list[Offer]:
    """The groups that can have pods."""
    cluster = service.cluster
    return [] if cluster is None else [offer for offer in offers(cluster) if offer.can_exist]


def _spread_too_far(deployment: _Deployment, found: Sequence[Offer], at: Location) -> Problems:
    """With STRICT_SPREAD each bundle wants a pod of its own."""
    demands = [demand for _, demand in deployment.parts]
    if not deployment.spread or any(_missing(demand, found) is not None for demand in demands):
        return
    pods = 0
    for offer in found:
        if offer.pods is None:
            return
        if any(offer.holds(demand) != 0 for demand in demands):
            pods += offer.pods
    if pods < len(demands):
        yield Problem(
            at,
            f"a replica of {deployment.name!r} spreads its {len(demands)} bundles over as many pods, and there"
            f" can be"
            f" {pods}: it stays pending for ever",
            label="STRICT_SPREAD",
            effect="the placement group is never created, and the application is never RUNNING",
            fix="raise replicas or maxReplicas of a group, or use SPREAD",
        )


@looks_into("RAY442", Severity.ERROR, "serveConfigV2")
def serve_replicas_exceed_cluster(service: RayService) -> Problems:
    """The Serve replicas together ask for more than the whole cluster can offer.

    ## What it flags
    A deployment whose `num_replicas`, or whose autoscaling `min_replicas`, is more than there is room for in all
    groups at their largest (`maxReplicas` under the autoscaler, `replicas` without), with `max_replicas_per_node`
    taken into account; and deployments that each have room, but together ask for more CPUs, GPUs, memory or of a
    custom resource than all pods have.

    Replicas that fit into no pod at all are RAY441's. It stays silent as soon as one amount or number of pods
    cannot be known, and about deployments whose numbers are in the code alone.

    ## What happens
    Some replicas come up and the rest stay pending, without an error. The deployment stays `UPDATING`, the
    RayService does not become ready, and an upgrade never switches over to the new cluster.

    ## Versions
    All KubeRay and Ray releases.

    ## Fix
    Raise `maxReplicas` (or `replicas` without autoscaling), or lower the number of replicas.

    ## When to ignore it
    When somebody raises `replicas` of the running RayCluster by hand.

    ## Source
    Ray 2.60.0, `serve/schema.py`, `serve/_private/deployment_state.py`; ray-project/kuberay v1.7.0,
    `utils/util.go` (`GetWorkerGroupDesiredReplicas`).

    ## Examples
    ```yaml bad service
    serveConfigV2: |
      applications:
      - import_path: rank:app
        deployments:
        - name: Model
          num_replicas: 8  # <-
          ray_actor_options: {num_cpus: 1, num_gpus: 1}
    rayClusterConfig:
      enableInTreeAutoscaling: true
      headGroupSpec:
        rayStartParams: {num-cpus: "0"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: gpu
        maxReplicas: 4
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.60.0-gpu
              resources: {limits: {cpu: "8", memory: 32Gi, nvidia.com/gpu: "1"}}
    ```

    Three CPUs a replica, pods of four: one to a pod. And each of two deployments has room, but not both:

    ```yaml bad service
    serveConfigV2: |
      applications:
      - import_path: rank:app
        deployments:
        - name: Model
          ray_actor_options: {num_cpus: 3}
          autoscaling_config:
            min_replicas: 3  # <-
            max_replicas: 9
    rayClusterConfig:
      headGroupSpec:
        rayStartParams: {num-cpus: "0"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 2
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.60.0
              resources: {limits: {cpu: "4", memory: 32Gi}}
    ```

    ```yaml bad service
    serveConfigV2: |  # <-
      applications:
      - import_path: rank:app
        deployments:
        - {name: Model, num_replicas: 3, ray_actor_options: {num_cpus: 2}}
        - {name: Ranker, num_replicas: 3, ray_actor_options: {num_cpus: 1}}
    rayClusterConfig:
      headGroupSpec:
        rayStartParams: {num-cpus: "0"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 2
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.60.0
              resources: {limits: {cpu: "4", memory: 32Gi}}
    ```

    ```yaml good service
    serveConfigV2: |
      applications:
      - import_path: rank:app
        deployments:
        - {name: Model, num_replicas: 4, ray_actor_options: {num_cpus: 2}}
    rayClusterConfig:
      headGroupSpec:
        rayStartParams: {num-cpus: "0"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 2
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.60.0
              resources: {limits: {cpu: "4", memory: 32Gi}}
    ```

    Many replicas, and a group without an upper bound; the code's own number is not known:

    ```yaml good near-miss service
    serveConfigV2: |
      applications:
      - import_path: rank:app
        deployments:
        - {name: Model, num_replicas: 64, ray_actor_options: {num_cpus: 2}}
        - {name: Ranker, ray_actor_options: {num_cpus: 2}}
    rayClusterConfig:
      enableInTreeAutoscaling: true
      headGroupSpec:
        rayStartParams: {num-cpus: "0"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.60.0
              resources: {limits: {cpu: "4", memory: 32Gi}}
    ```
    """
    found = _possible(service)
    document = service.serve_config.document
    if not found or document is None:
        return
    counted: list[tuple[_Deployment, Demand, int]] = []
    for deployment in _deployments(service):
        replicas, demand = deployment.replicas, deployment.whole
        if (
            not replicas
            or demand is None
            or any(_missing(part, found) is not None for _, part in deployment.parts)
        ):
            continue
        counted.append((deployment, demand, replicas))
        # Bundles may go to several pods: only their sum is bounded, below.
        room = room_for(demand, found, deployment.most_per_node) if len(deployment.parts) == 1 else None
        if room is not None and room < replicas:
            yield Problem(
                document.at(*deployment.place_of_replicas),
                f"the {replicas} replicas of {deployment.name!r} need {demand} each, and the whole cluster has"
                " room"
                f" for"
                f" {room}: the others stay pending for ever",
                label=f"room for {room}",
                because=[(offer.group.at, _capacity(offer)) for offer in found],
                effect="the deployment stays UPDATING, and the RayService never becomes ready",
                fix="raise maxReplicas (replicas without autoscaling), or lower the number of replicas",
            )
            return
    yield from _together(counted, found, service)


def _together(counted: list[tuple[_Deployment, Demand, int]], found: list[Offer], service: RayService) -> Problems:
    """Each resource for itself: what all replicas need, and what all pods have."""
    needed: dict[str, float] = {}
    for _, demand, replicas in counted:
        for name, amount in demand.amounts.items():
            needed[name] = needed.get(name, 0) + amount * replicas
    for name, amount in needed.items():
        offered = _offered(name, found)
        if offered is not None and amount > offered + 1e-4:
            yield service.serve_config.text.flag(
                f"all replicas together need {amount_text(name, amount)}, and the whole cluster can offer"
                f" {amount_text(name, offered)}: some stay pending for ever",
                label="more than there is",
                because=[(offer.group.at, _capacity(offer)) for offer in found],
                effect="some deployments stay UPDATING, and the RayService never becomes ready",
                fix="raise maxReplicas (replicas without autoscaling), or lower the number of replicas",
            )
            return


def _offered(name: str, found: list[Offer]) -> float | None:
    total = 0.0
    for offer in found:
        amount = offer.amount(name).value
        if amount == 0 or offer.pods == 0:
            continue
        if amount is None or offer.pods is None:
            return None
        total += amount * offer.pods
    return total


def _capacity(offer: Offer) -> str:
    return f"{offer.group.title}: {'any number of' if offer.pods is None else offer.pods} pods at most"


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
    found = _possible(job)
    missing = None if demand is None else _missing(demand, found)
    if demand is None or missing is None:
        return
    why, places = _judged(demand, found, missing)
    assumed = _is_assumed(found, missing)
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


_ASKED = ("entrypointNumCpus", "entrypointNumGpus", "entrypointResources")


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
