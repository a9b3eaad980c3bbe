"""Serve replicas for which the cluster as a whole is too small."""

from __future__ import annotations

from raylint.manifest import RayService
from raylint.offer import Demand, amount_text, room_for
from raylint.rule import Problem, Severity

from .inner_page import looks_into
from .placement import missing_everywhere, possible_offers
from .serve_demand import Deployment, deployments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import CrowdedService
    from raylint.offer import Offer
    from raylint.rule import Problems

__all__ = ["serve_replicas_exceed_cluster"]

MENTIONS = ("serveConfigV2",)


@looks_into("RAY442", Severity.ERROR, "serveConfigV2")
def serve_replicas_exceed_cluster(service: CrowdedService) -> Problems:
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
    asking = [deployment for deployment in deployments(service) if deployment.replicas]
    found = possible_offers(service) if asking else []
    document = service.serve_config.document
    if not found or document is None:
        return
    counted: list[tuple[Deployment, Demand, int]] = []
    for deployment in asking:
        replicas, demand = deployment.replicas, deployment.whole
        if demand is None or any(missing_everywhere(part, found) is not None for _, part in deployment.parts):
            continue
        counted.append((deployment, demand, replicas))
        # Bundles may go to several pods: only their sum is bounded, below.
        room = room_for(demand, found, deployment.most_per_node) if len(deployment.parts) == 1 else None
        if room is not None and room < replicas:
            bound = deployment.most_per_node is not None and room_for(demand, found, None) != room
            why = f" ({deployment.most_per_node} to a pod by max_replicas_per_node)" if bound else ""
            yield Problem(
                document.at(*deployment.place_of_replicas),
                f"the {replicas} replicas of {deployment.name!r} need {demand} each, and the whole cluster has"
                f" room for {room}{why}: the others stay pending for ever",
                label=f"room for {room}",
                because=[(offer.group.at, _capacity(offer)) for offer in found],
                effect="the deployment stays UPDATING, and the RayService never becomes ready",
                fix="raise max_replicas_per_node or the number of pods, or lower the number of replicas"
                if bound
                else "raise maxReplicas (replicas without autoscaling), or lower the number of replicas",
            )
            return
    yield from _together(counted, found, service)


def _together(counted: list[tuple[Deployment, Demand, int]], found: list[Offer], service: RayService) -> Problems:
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
    pods = "1 pod" if offer.pods == 1 else f"{offer.pods} pods"
    return f"{offer.group.title}: {pods} at most" if offer.pods is not None else f"{offer.group.title}: any number"
