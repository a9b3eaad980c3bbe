"""Numbers of replicas that do not mean what they say."""

from __future__ import annotations

from raylint.cluster import MODEST_RANGE, RayCluster
from raylint.field import Origin
from raylint.group import WorkerGroup
from raylint.rule import Problem, Severity, rule, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.narrow import OddlyScaled
    from raylint.rule import Location, Problems


@rule("RAY203", Severity.WARNING, reports=("FR-033",), fixes="safe")
def replicas_outside_bounds(cluster: OddlyScaled) -> Problems:
    """`replicas` outside `minReplicas` and `maxReplicas` is quietly moved into them.

    ## What it flags
    A worker group whose `replicas` is above `maxReplicas` or below `minReplicas`, at least one of the two being
    written. For KubeRay up to 1.5 also bounds that contradict each other or are negative, which later releases
    refuse (KR026, KR027, KR028).

    It stays silent on a suspended group, which has no pods whatever the numbers.

    ## What happens
    The operator makes another number of pods than the file asks for and says so nowhere: no event, no condition.
    Under the autoscaler, too, the group starts at the bound. Of contradicting bounds KubeRay up to 1.5 uses
    `maxReplicas`.

    ## Versions
    All KubeRay releases.

    ## Fix
    Decide which number is meant: raise the bound or change `replicas`.

    ## When to ignore it
    When a tool writes `replicas` and you rely on the bound to cap it.

    ## Source
    ray-project/kuberay v1.7.0 and v1.5.0, `utils/util.go` (`GetWorkerGroupDesiredReplicas`);
    ray-project/kuberay#560.

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
        replicas: 10  # <-
        minReplicas: 1
        maxReplicas: 5
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayService
    metadata: {name: ranker}
    spec:
      rayClusterConfig:
        enableInTreeAutoscaling: true
        autoscalerOptions: {version: v2}
        headGroupSpec:
          template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
        workerGroupSpecs:
        - groupName: cpu
          replicas: 0  # <-
          minReplicas: 2
          maxReplicas: 5
          template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    Bounds the wrong way round, before KubeRay 1.6:

    ```yaml bad kuberay=1.5
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.43.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 4
        minReplicas: 4  # <-
        maxReplicas: 2
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.43.0"}]}}
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
        replicas: 5
        minReplicas: 1
        maxReplicas: 5
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    `replicas` is not written: the group starts at `minReplicas`, which is no contradiction.

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      enableInTreeAutoscaling: true
      autoscalerOptions: {version: v2}
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        minReplicas: 2
        maxReplicas: 5
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    if cluster.is_built:
        for group in cluster.worker_groups:
            yield from _outside_bounds(group)


def _outside_bounds(group: WorkerGroup) -> Problems:
    count, least, most = group.counts
    used = group.clamped_replicas
    if used is None or count is None or least is None or most is None or 0 <= least <= count <= most:
        return
    replicas, low, high = group.replicas, group.min_replicas, group.max_replicas
    if group.suspended or not (low or high):
        return
    if least < 0 or most < least:
        if not group.cluster.target.kuberay_at_least(1, 6):
            yield _contradictory(group, least, most, used)
    elif replicas and used != count:
        too_many = count > used
        bound, word, name = (high, "above", "maxReplicas") if too_many else (low, "below", "minReplicas")
        yield replicas.flag(
            f"replicas {count} is {word} {name} {used}: the operator quietly makes it {used}",
            label=f"counts as {used}",
            because=[(bound.at, "the bound that wins")],
            effect=f"{group.title} has {used} instead of {count} replicas, and no event tells why"
            " (all KubeRay releases)",
            fix=f"change replicas to {used}, or move {name}",
            repair=safe(replicas.at.set(used)),
        )


def _contradictory(group: WorkerGroup, low: int, high: int, used: int) -> Problem:
    field = group.max_replicas if high < 0 else group.min_replicas
    return field.flag(
        f"minReplicas {low} and maxReplicas {high} of {group.title} make no sense: KubeRay takes {max(used, 0)}"
        " replicas",
        label="a bound below 0, or the lower one above the upper one",
        effect="the group has another size than the file says; KubeRay 1.6 and later refuse the whole object",
        fix="write 0 <= minReplicas <= maxReplicas",
    )


@rule("RAY204", Severity.INFO)
def max_replicas_unused(cluster: OddlyScaled) -> Problems:
    """Without autoscaling nothing uses `maxReplicas`: the group never grows.

    ## What it flags
    A worker group with a written `maxReplicas` above the replicas it starts with, while autoscaling is off.

    A warning where the file shows that autoscaling was meant: it has `autoscalerOptions`, an `idleTimeoutSeconds`
    of a group, or workers with `restartPolicy: Never`, which is advice for autoscaled workers only. Without such a
    sign an info, and only where `maxReplicas` is more than ten times what runs: a small range that is not used
    stands in many good manifests, upstream's samples among them.

    It stays silent where `maxReplicas` is not written, on a suspended group, and where the head pod runs Ray's
    autoscaler as a container of its own.

    ## What happens
    `replicas` pods run from the first day to the last. Under load tasks and actors wait for CPUs that no one
    adds, although the file promises more.

    ## Versions
    All KubeRay releases.

    ## Fix
    Write `enableInTreeAutoscaling: true`; with KubeRay 1.4 and later also `autoscalerOptions.version: v2`. Or, if
    the size is to be fixed, write `maxReplicas` equal to `replicas`.

    ## When to ignore it
    When people or another controller change `replicas`, and `maxReplicas` is the bound that they must keep.

    ## Source
    ray-project/kuberay v1.7.0, `utils/util.go` (`GetWorkerGroupDesiredReplicas`) and `common/pod.go`.

    ## Examples
    The restart policy was copied from an autoscaler sample, the switch was not:

    ```yaml bad severity=warning
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.43.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 1
        minReplicas: 1
        maxReplicas: 100  # <-
        template:
          spec:
            restartPolicy: Never
            containers: [{name: ray-worker, image: "rayproject/ray:2.43.0"}]
    ```

    ```yaml bad severity=warning
    apiVersion: ray.io/v1
    kind: RayJob
    metadata: {name: nightly}
    spec:
      entrypoint: python main.py
      rayClusterSpec:
        autoscalerOptions: {version: v2, idleTimeoutSeconds: 300}
        headGroupSpec:
          template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
        workerGroupSpecs:
        - groupName: cpu
          replicas: 2
          maxReplicas: 8  # <-
          template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml bad severity=info
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 2
        minReplicas: 1
        maxReplicas: 50  # <-
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
        replicas: 3
        minReplicas: 3
        maxReplicas: 3
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    A small range that people use by hand, as in many samples:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 1
        minReplicas: 1
        maxReplicas: 10
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    The switch is a template: it may be on.

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      enableInTreeAutoscaling: "{{ autoscaling }}"
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 1
        maxReplicas: 5
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    The autoscaler runs in a container that the user wrote:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - {name: ray-head, image: "rayproject/ray:2.43.0"}
            - name: scaler
              image: rayproject/ray:2.43.0
              command: [ray, kuberay-autoscaler, --cluster-name, trainer, --cluster-namespace, default]
      workerGroupSpecs:
      - groupName: cpu
        replicas: 1
        maxReplicas: 5
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.43.0"}]}}
    ```
    """
    ranged = [group for group in cluster.worker_groups if _has_room(group)]
    is_off = cluster.autoscaler.switch.value is False and cluster.is_built
    if not ranged or not is_off or _runs_its_own_autoscaler(cluster):
        return
    signs = list(_signs_of_autoscaling(cluster))
    for group in ranged:
        high, used = group.counts[2], group.clamped_replicas
        if high is None or used is None or (not signs and high <= MODEST_RANGE * max(used, 1)):
            continue
        yield group.max_replicas.flag(
            f"maxReplicas is {high} but nothing can use it: autoscaling is off, {group.title} stays at {used}",
            label="enableInTreeAutoscaling is not true",
            because=signs,
            effect="under load tasks and actors wait for CPUs that nobody adds (all KubeRay releases)",
            fix=f"write enableInTreeAutoscaling: true, or maxReplicas: {used} if the size is meant to be fixed",
            severity=Severity.WARNING if signs else None,
        )


def _has_room(group: WorkerGroup) -> bool:
    """Is a ``maxReplicas`` written that is above what the operator makes of ``replicas``?"""
    high, used = group.counts[2], group.clamped_replicas
    if high is None or used is None or high <= used:
        return False
    return group.has("maxReplicas") and not group.suspended


def _signs_of_autoscaling(cluster: RayCluster) -> Iterator[tuple[Location, str]]:
    """Settings that mean something under the autoscaler only."""
    if cluster.has("autoscalerOptions"):
        yield cluster.at_key("autoscalerOptions").key(), "options for an autoscaler that is not there"
    for group in cluster.worker_groups:
        if group.has("idleTimeoutSeconds"):
            yield group.at_key("idleTimeoutSeconds"), "only the autoscaler removes idle pods"
        if not group.pod.has("restartPolicy"):
            continue
        policy = group.pod.restart_policy
        if policy.origin is Origin.WRITTEN and policy.value == "Never":
            yield policy.at, "advice for autoscaled workers"


def _runs_its_own_autoscaler(cluster: RayCluster) -> bool:
    """In a container that the user wrote, as was done before KubeRay could."""
    sidecars = cluster.head.pod.sidecars
    if not sidecars:
        return False
    words = [word for sidecar in sidecars for key in ("command", "args") for word in sidecar.strings(key)]
    return any("kuberay-autoscaler" in word for word in words)
