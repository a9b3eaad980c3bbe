"""Serve replicas that fit into no pod."""

from __future__ import annotations

from raylint.rule import Confidence, Problem, Severity

from .inner_page import looks_into
from .placement import is_assumed, missing_everywhere, possible_offers, why_nowhere
from .serve_demand import Deployment, deployments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from raylint.narrow import CrowdedService
    from raylint.offer import Offer
    from raylint.rule import Location, Problems

__all__ = ["serve_replica_never_placed"]

MENTIONS = ("serveConfigV2",)


@looks_into("RAY441", Severity.ERROR, "serveConfigV2")
def serve_replica_never_placed(service: CrowdedService) -> Problems:
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

    ```yaml bad severity=error service
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
    asking = deployments(service)
    found = possible_offers(service) if asking else []
    document = service.serve_config.document
    if not found or document is None:
        return
    for deployment in asking:
        for path, demand in deployment.parts:
            missing = missing_everywhere(demand, found)
            if missing is not None:
                why, places = why_nowhere(demand, found, missing)
                assumed = is_assumed(found, missing)
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


def _spread_too_far(deployment: Deployment, found: Sequence[Offer], at: Location) -> Problems:
    """With STRICT_SPREAD each bundle wants a pod of its own."""
    demands = [demand for _, demand in deployment.parts]
    if not deployment.spread or any(missing_everywhere(demand, found) is not None for demand in demands):
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
