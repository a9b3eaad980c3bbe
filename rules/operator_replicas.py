"""Worker groups that the KubeRay operator refuses for their bounds."""

from __future__ import annotations

from raylint.rule import unsafe

from .refusal import refused, refuses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import RefusableWorkers
    from raylint.rule import Problems


@refuses("KR026", "1.6..", "minReplicas", full_page=True, reports=("FR-033",), fixes="unsafe")
def min_replicas_negative(group: RefusableWorkers) -> Problems:
    """The operator refuses a negative `minReplicas`.

    ## What it flags
    A worker group whose `minReplicas` is below 0.

    It stays silent where `managedBy` gives the object to another controller: KubeRay then checks nothing.

    ## What happens
    The API server stores the object, and the operator refuses it afterwards. A RayCluster gets the event
    `InvalidRayClusterSpec` and no pods; one that already runs is no longer reconciled: no scaling, no new head. A
    RayJob ends with `jobDeploymentStatus: ValidationFailed`, a RayService stays `Ready=False` with reason
    `ValidationFailed`, a RayCronJob never starts a job.

    ## Versions
    KubeRay 1.6 and later. Earlier releases take the number as it is; RAY203 speaks of those.

    ## Fix
    Write 0 or more, or remove the field: the default is 0.

    ## When to ignore it
    Never; the object cannot start.

    ## Source
    ray-project/kuberay v1.7.0, `utils/validation.go` (`ValidateRayClusterSpec`).

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 1
        minReplicas: -1  # <-
        maxReplicas: 5
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCronJob
    metadata: {name: nightly}
    spec:
      schedule: "0 3 * * *"
      jobTemplate:
        entrypoint: python main.py
        rayClusterSpec:
          headGroupSpec:
            template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
          workerGroupSpecs:
          - groupName: cpu
            minReplicas: -5  # <-
            template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        minReplicas: 0
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    Another controller owns the object; KubeRay skips it before any check.

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayJob
    metadata: {name: nightly}
    spec:
      managedBy: kueue.x-k8s.io/multikueue
      entrypoint: python main.py
      rayClusterSpec:
        headGroupSpec:
          template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
        workerGroupSpecs:
        - groupName: cpu
          minReplicas: -1
          template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    low = group.min_replicas
    if low.value is not None and low.value < 0:
        yield refused(
            group,
            low,
            f"minReplicas is {low.value}",
            label="must be 0 or more",
            fix="write 0 or more, or remove the field, the default is 0",
            repair=unsafe(low.at.set(0)),
        )


@refuses("KR027", "1.6..", "maxReplicas", full_page=True, reports=("FR-033",), fixes="unsafe")
def max_replicas_negative(group: RefusableWorkers) -> Problems:
    """The operator refuses a negative `maxReplicas`.

    ## What it flags
    A worker group whose `maxReplicas` is below 0. Some write -1 for "no limit"; KubeRay knows no such value.

    It stays silent where `managedBy` gives the object to another controller: KubeRay then checks nothing.

    ## What happens
    The API server stores the object, and the operator refuses it afterwards: event `InvalidRayClusterSpec` and no
    pods for a RayCluster, `ValidationFailed` for a RayJob or RayService, no job at all for a RayCronJob.

    ## Versions
    KubeRay 1.6 and later. Earlier releases make no pods for the group; RAY203 speaks of those.

    ## Fix
    Write the number of pods that your nodes and your budget bear.

    ## When to ignore it
    Never; the object cannot start.

    ## Source
    ray-project/kuberay v1.7.0, `utils/validation.go` (`ValidateRayClusterSpec`).

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      enableInTreeAutoscaling: true
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        minReplicas: 0
        maxReplicas: -1  # <-
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayService
    metadata: {name: ranker}
    spec:
      rayClusterConfig:
        headGroupSpec:
          template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
        workerGroupSpecs:
        - groupName: cpu
          maxReplicas: -1  # <-
          template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
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
        replicas: 3
        maxReplicas: -1  # <-
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        maxReplicas: 5
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    Zero is odd, but the operator takes it.

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        maxReplicas: 0
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    high = group.max_replicas
    if high.value is not None and high.value < 0:
        # Without autoscaling nothing else comes of the bound than that it cuts the replicas off.
        wanted = max(group.replicas.value or 0, group.min_replicas.value or 0)
        yield refused(
            group,
            high,
            f"maxReplicas is {high.value}",
            label="must be 0 or more; there is no value for 'no limit'",
            fix="write the largest number of replicas that the group may have",
            repair=unsafe(high.at.set(wanted)) if wanted > 0 and not group.cluster.autoscaler.enabled else None,
        )


@refuses("KR028", "1.6..", "minReplicas", full_page=True, reports=("FR-033",), fixes="unsafe")
def min_replicas_above_max(group: RefusableWorkers) -> Problems:
    """The operator refuses a `minReplicas` above `maxReplicas`.

    ## What it flags
    A worker group whose `minReplicas` is greater than its `maxReplicas`. A bound that is not written counts with
    the API server's default: 0 and 2147483647.

    It stays silent where one of the two is negative, which is refused first (KR026, KR027), and where `managedBy`
    gives the object to another controller.

    ## What happens
    The API server stores the object, and the operator refuses it afterwards: event `InvalidRayClusterSpec` and no
    pods for a RayCluster, `ValidationFailed` for a RayJob or RayService, no job at all for a RayCronJob.

    ## Versions
    KubeRay 1.6 and later. Earlier releases quietly use `maxReplicas`; RAY203 speaks of those.

    ## Fix
    Raise `maxReplicas` or lower `minReplicas`.

    ## When to ignore it
    Never; the object cannot start.

    ## Source
    ray-project/kuberay v1.7.0, `utils/validation.go` (`ValidateRayClusterSpec`).

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 4
        minReplicas: 4  # <-
        maxReplicas: 2
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayJob
    metadata: {name: nightly}
    spec:
      entrypoint: python main.py
      rayClusterSpec:
        headGroupSpec:
          template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
        workerGroupSpecs:
        - groupName: gpu
          minReplicas: 1  # <-
          maxReplicas: 0
          template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0-gpu"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        minReplicas: 2
        maxReplicas: 2
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    No `maxReplicas`: its default is the largest number there is.

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        minReplicas: 4
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    low, high = group.min_replicas, group.max_replicas
    if low.value is None or high.value is None or not 0 <= high.value < low.value:
        return
    yield refused(
        group,
        low,
        f"minReplicas {low.value} is above maxReplicas {high.value}",
        label=f"more than maxReplicas, which is {high.value}",
        because=[(high.at, "the upper bound")],
        fix="raise maxReplicas or lower minReplicas",
        repair=unsafe(low.at.set(high.value)),
    )
