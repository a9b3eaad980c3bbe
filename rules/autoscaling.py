"""The in-tree autoscaler: workers that restart behind its back, groups without a limit."""

from __future__ import annotations

from raylint.cluster import AUTOSCALER_V2_ENV, RayCluster
from raylint.field import Origin
from raylint.group import WorkerGroup
from raylint.rule import Problem, Severity, rule, unsafe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems, Repair

MENTIONS = ("enableInTreeAutoscaling",)

# More pods than any Ray cluster runs: as good as no limit.
NO_LIMIT = 10_000


@rule("RAY201", Severity.WARNING, reports=("FR-016", "FR-020"), fixes="unsafe")
def worker_may_restart_under_autoscaler(cluster: RayCluster) -> Problems:
    """Under the autoscaler a worker must not restart in place: it loses track of such a pod.

    ## What it flags
    A cluster with `enableInTreeAutoscaling: true` and a worker group whose pods may restart: `Always` or
    `OnFailure` written out, under either autoscaler version; and under v2 also a policy that is not written,
    because the default is `Always`.

    It stays silent where `autoscalerOptions.version: v2` is written: KubeRay 1.4 and later force `Never` then.
    Under v1, and where the version cannot be told, a policy that is not written is left alone.

    ## What happens
    A Ray container that restarts in its pod keeps the pod's name and IP address but joins Ray as a new node. The
    autoscaler still books the old one: idle workers are never removed, or tasks are sent to a node that is
    being taken down. Ray 2.48 and later choose v2 on their own, and KubeRay does not know: it forces `Never`
    only where the version is written.

    ## Versions
    All KubeRay and Ray releases. KubeRay 1.7 sends an event for a written v1 with a written policy; nothing warns
    of v2 by Ray's default, which is treated here as in effect from Ray 2.47 on.

    ## Fix
    v2: write `autoscalerOptions.version: v2` (KubeRay 1.4 and later) and remove `restartPolicy` and the
    `RAY_enable_autoscaler_v2` variable. v1, or an older KubeRay: write `restartPolicy: Never` in the template of
    each worker group. Pods that already run keep their policy.

    ## When to ignore it
    When the group never scales: `minReplicas` equals `maxReplicas`.

    ## Source
    ray-project/ray#64855 and #64900, ray-project/kuberay#5012 and #5014; ray-project/kuberay v1.7.0,
    `common/pod.go`.

    ## Examples
    No version is written, so Ray 2.52 runs v2, and KubeRay does not force `Never`:

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      rayVersion: 2.52.0
      enableInTreeAutoscaling: true  # <-
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        maxReplicas: 5
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      enableInTreeAutoscaling: true
      autoscalerOptions: {version: v1}
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.43.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        maxReplicas: 5
        template:
          spec:
            restartPolicy: OnFailure  # <-
            containers: [{name: ray-worker, image: "rayproject/ray:2.43.0"}]
    ```

    KubeRay 1.3 does not know `version` yet; the variable chooses v2:

    ```yaml bad kuberay=1.3
    apiVersion: ray.io/v1
    kind: RayJob
    metadata: {name: nightly}
    spec:
      entrypoint: python main.py
      rayClusterSpec:
        enableInTreeAutoscaling: true  # <-
        headGroupSpec:
          template:
            spec:
              containers:
              - name: ray-head
                image: rayproject/ray:2.43.0
                env: [{name: RAY_enable_autoscaler_v2, value: "1"}]
        workerGroupSpecs:
        - groupName: cpu
          maxReplicas: 5
          template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.43.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      enableInTreeAutoscaling: true
      autoscalerOptions: {version: v1}
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.43.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        maxReplicas: 5
        template:
          spec:
            restartPolicy: Never
            containers: [{name: ray-worker, image: "rayproject/ray:2.43.0"}]
    ```

    v2 is written, so KubeRay forces `Never` although no policy is.

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
        maxReplicas: 5
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    The image does not tell its Ray version: it may be v1, where an unwritten policy is common.

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      enableInTreeAutoscaling: true
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "registry.example/ml/ray:stable"}]}}
      workerGroupSpecs:
      - groupName: cpu
        maxReplicas: 5
        template: {spec: {containers: [{name: ray-worker, image: "registry.example/ml/ray:stable"}]}}
    ```
    """
    if not cluster.autoscaler.enabled or not cluster.is_built:
        return
    v2 = _v2_without_kuberay(cluster)
    unwritten: list[WorkerGroup] = []
    for group in cluster.worker_groups:
        policy = group.pod.restart_policy
        if policy.value not in ("Always", "OnFailure"):
            continue
        if policy.origin is Origin.WRITTEN:
            yield policy.flag(
                f"pods of {group.title} may restart in place ({policy.value}) without the autoscaler noticing",
                label="a restarted worker keeps its pod but is a new Ray node",
                because=[(cluster.autoscaler.switch.at.key(), "the autoscaler is on")],
                effect="idle workers are never removed, or tasks land on a node that is being taken down"
                " (all KubeRay releases)",
                fix=_fix(cluster, v2),
                repair=unsafe(policy.at.set("Never")),
            )
        elif v2:
            unwritten.append(group)
    if unwritten:
        yield _unwritten_policy(cluster, unwritten)


def _unwritten_policy(cluster: RayCluster, groups: list[WorkerGroup]) -> Problem:
    titles = ", ".join(group.title for group in groups)
    return cluster.autoscaler.switch.flag(
        f"autoscaler v2 is in effect, but not by autoscalerOptions: pods of {titles} may restart in place",
        label="no autoscalerOptions.version: v2, no restartPolicy: Never",
        because=[(group.at, "restartPolicy is not written, the default is Always") for group in groups],
        effect="a worker that restarts keeps its pod but is a new Ray node: idle workers are never removed, or"
        " tasks land on a node that is being taken down (Ray 2.48 and later choose v2 on their own)",
        fix=_fix(cluster, v2=True),
        repair=_written_v2(cluster),
    )


def _written_v2(cluster: RayCluster) -> Repair | None:
    """The version in words, where KubeRay acts on it and no variable contradicts."""
    if not cluster.autoscaler.understands_version or cluster.head.ray_container.env(AUTOSCALER_V2_ENV) is not None:
        return None
    version = cluster.at_key("autoscalerOptions", "version")
    return unsafe(version.set("v2", after="enableInTreeAutoscaling"))


def _v2_without_kuberay(cluster: RayCluster) -> bool:
    """Does autoscaler v2 run although KubeRay does not act on it? In doubt not; but Ray 2.47, of which its own
    notes and KubeRay's say different things, counts as v2, because the advice is right for either."""
    autoscaler = cluster.autoscaler
    if autoscaler.version.value is not None:
        return autoscaler.version.value == "v2"
    asked_for = autoscaler.has("version") or cluster.head.ray_container.env(AUTOSCALER_V2_ENV) is not None
    ray = cluster.ray_version
    return not asked_for and ray is not None and ray[:2] == (2, 47)


def _fix(cluster: RayCluster, v2: bool) -> str:
    if not v2:
        return "write restartPolicy: Never in the group's template"
    if not cluster.autoscaler.understands_version:
        return "write restartPolicy: Never in the template of every worker group (KubeRay 1.4 can force it)"
    variable = cluster.head.ray_container.env(AUTOSCALER_V2_ENV) is not None
    instead = f" instead of {AUTOSCALER_V2_ENV}" if variable else ""
    return f"write autoscalerOptions.version: v2{instead} and no restartPolicy: KubeRay 1.4 and later force Never"


@rule("RAY202", Severity.WARNING, reports=("FR-029",))
def max_replicas_unbounded(group: WorkerGroup, *, no_limit: int = NO_LIMIT) -> Problems:
    """An autoscaled worker group without a real `maxReplicas` grows until nodes or money run out.

    ## What it flags
    Autoscaling is on and a worker group has no `maxReplicas` (the API server's default is 2147483647), or one of
    10000 and more.

    ## What happens
    One job that asks for more than it needs, such as a loop that submits a million tasks, makes the autoscaler ask
    for as many pods. A cluster autoscaler then buys nodes for them; without one the pods stay Pending and block
    others from the namespace's quota.

    ## Versions
    All KubeRay releases.

    ## Fix
    Write the largest number of replicas that your quota, nodes and budget bear.

    ## When to ignore it
    When a ResourceQuota or a limit on the node pool bounds the group in another place.

    ## Options
    - `no-limit` (10000): a `maxReplicas` of so many pods and more is as good as none.

    ## Source
    The CRD's default (`ray.io_rayclusters.yaml`, v1.0.0 to v1.7.0); ray-project/kuberay#1963.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      enableInTreeAutoscaling: true
      autoscalerOptions: {version: v2}
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu  # <-
        minReplicas: 1
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
          minReplicas: 1
          maxReplicas: 100000  # <-
          template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml good
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
        minReplicas: 1
        maxReplicas: 20
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    Autoscaling is off: `replicas` alone says how many pods there are.

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        replicas: 3
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    high = group.max_replicas
    cluster = group.cluster
    if not cluster.autoscaler.enabled or not cluster.is_built or high.value is None or high.value < no_limit:
        return
    said = f"maxReplicas is {high.value}" if high else f"maxReplicas is not set, so it is {high.value}"
    yield high.flag(
        f"{said}: the autoscaler may start pods of {group.title} without a limit",
        label="no real upper bound",
        because=[(cluster.autoscaler.switch.at.key(), "the autoscaler is on")],
        effect="one job that asks for too much makes the autoscaler start pods until nodes, quota or budget run"
        " out (all KubeRay releases)",
        fix="write the largest number of replicas that you are ready to pay for",
    )
