"""Containers that take the place or the name of one that KubeRay looks after."""

from __future__ import annotations

from raylint.rule import Severity, unsafe

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import FaultyPod
    from raylint.rule import Problems

__all__ = ["container_name_taken", "ray_container_not_first"]


@looks_into("RAY705", Severity.ERROR, reports=("FR-115",), fixes="unsafe")
def ray_container_not_first(group: FaultyPod) -> Problems:
    """The Ray container is not the first of its pod: KubeRay starts Ray in the one that is.

    ## What it flags
    A pod template whose first container is neither called `ray-head` or `ray-worker` nor has an official Ray
    image, while a later one does; or whose first container is a well-known companion (Fluent Bit, Envoy, Redis
    and the like), with another container behind it.

    It stays silent where the start is overwritten by annotation, and where no container shows that it is Ray's.

    ## What happens
    KubeRay never looks at names: it puts `ray start`, the ports, the probes and the environment into the first
    container. A log shipper has no `ray` and ends at once, again and again, and the real Ray container starts
    without its settings and joins nothing.

    ## Versions
    All KubeRay releases (the environment variable that once marked the container is gone since 0.6).

    ## Fix
    Move the Ray container to the first place of `containers`.

    ## When to ignore it
    Never.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go` (`utils.RayContainerIndex`); Ray
    `doc/source/cluster/kubernetes/user-guides/config.md`; ray-project/kuberay#1379, #659.

    ## Examples
    ```yaml bad cluster
    headGroupSpec:
      template:
        spec:
          containers:
          - {name: log-shipper, image: "fluent/fluent-bit:3.2.2"}  # <-
          - {name: ray-head, image: "rayproject/ray:2.60.0"}
    ```

    ```yaml bad worker
    template:
      spec:
        containers:
        - name: model-cache  # <-
          image: registry.example/team/cache:7
        - name: main
          image: rayproject/ray:2.60.0-py311
    ```

    ```yaml good cluster
    headGroupSpec:
      template:
        spec:
          containers:
          - {name: ray-head, image: "rayproject/ray:2.60.0"}
          - {name: log-shipper, image: "fluent/fluent-bit:3.2.2"}
    ```

    Two containers of one's own, the first of which is Ray's; a companion with Ray's image:

    ```yaml good near-miss cluster
    headGroupSpec:
      template:
        spec:
          containers:
          - {name: main, image: "rayproject/ray:2.60.0"}
          - {name: ray-head-exporter, image: "rayproject/ray:2.60.0"}
    workerGroupSpecs:
    - groupName: own
      template:
        spec:
          containers:
          - {name: trainer, image: "registry.example/team/trainer:7"}
          - {name: cache, image: "registry.example/team/cache:7"}
    ```
    """
    for fault in group.faults_of_pod("order"):
        yield fault.flag(
            f"{fault.what}: KubeRay takes it for Ray's, whatever it is called",
            label="KubeRay starts Ray in this one",
            because="meant to be Ray's",
            effect="ray start runs in the wrong image and ends, again and again; the Ray container joins nothing",
            fix="move the Ray container to the first place of containers",
            repair=unsafe(fault.other.move_to_front()) if fault.other is not None else None,
        )


@looks_into("RAY706", Severity.ERROR)
def container_name_taken(group: FaultyPod) -> Problems:
    """A container has the name of one that KubeRay adds: no pod of the group can be created.

    ## What it flags
    A container called `autoscaler` on the head while autoscaling is on; `ray-job-submitter` on the head of a
    RayJob in SidecarMode; an init container called `wait-gcs-ready` in a worker group.

    ## What happens
    The pod that KubeRay builds has two containers of one name, and the API server refuses it ("Duplicate value").
    The object is stored, and no head or worker ever appears; the operator's events tell why.

    ## Versions
    All KubeRay releases; SidecarMode since 1.5.

    ## Fix
    Rename the container. A container that was to replace KubeRay's own is configured through `autoscalerOptions`.

    ## When to ignore it
    A `wait-gcs-ready` of your own is right where the operator runs with `ENABLE_INIT_CONTAINER_INJECTION=false`.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go` (`BuildAutoscalerContainer`, `DefaultWorkerPodTemplate`),
    `rayjob_controller.go` (`constructRayClusterForRayJob`).

    ## Examples
    ```yaml bad cluster
    enableInTreeAutoscaling: true
    headGroupSpec:
      template:
        spec:
          containers:
          - {name: ray-head, image: "rayproject/ray:2.60.0"}
          - name: autoscaler  # <-
            image: registry.example/team/autoscaler:7
    ```

    ```yaml bad worker
    template:
      spec:
        initContainers:
        - name: wait-gcs-ready  # <-
          image: rayproject/ray:2.60.0
          command: [bash, -c, "until ray health-check; do sleep 5; done"]
        containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]
    ```

    ```yaml bad job
    submissionMode: SidecarMode
    rayClusterSpec:
      headGroupSpec:
        template:
          spec:
            containers:
            - {name: ray-head, image: "rayproject/ray:2.60.0"}
            - {name: ray-job-submitter, image: "rayproject/ray:2.60.0"}  # <-
    ```

    ```yaml good cluster
    enableInTreeAutoscaling: true
    headGroupSpec:
      template:
        spec:
          containers:
          - {name: ray-head, image: "rayproject/ray:2.60.0"}
          - {name: exporter, image: "registry.example/team/exporter:7"}
    ```

    Without autoscaling nothing is added; and a worker has no autoscaler:

    ```yaml good near-miss cluster
    headGroupSpec:
      template:
        spec:
          containers:
          - {name: ray-head, image: "rayproject/ray:2.60.0"}
          - {name: autoscaler, image: "registry.example/team/autoscaler:7"}
    ```

    ```yaml good near-miss worker
    template:
      spec:
        containers:
        - {name: ray-worker, image: "rayproject/ray:2.60.0"}
        - {name: autoscaler, image: "registry.example/team/autoscaler:7"}
    ```
    """
    for fault in group.faults_of_pod("taken"):
        yield fault.flag(
            f"{fault.what}: the {group.title} has two of that name, and no pod",
            label="KubeRay adds one of this name",
            effect='the API server refuses the pods with "Duplicate value"; the object stays without them',
            fix="give the container another name",
        )
