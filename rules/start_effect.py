"""Options in ``rayStartParams`` that change nothing, or something else than was meant."""

from __future__ import annotations

from raylint.group import Group
from raylint.rule import Severity, rule, safe, unsafe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import OddStart
    from raylint.rule import Problems

MENTIONS = ("rayStartParams",)

_KEEPS_FALSE = ("log-color", "include-dashboard")
# Of the head alone: a worker takes them and does nothing with them.
_OF_THE_HEAD = (
    "autoscaling-config",
    "disable-usage-stats",
    "no-monitor",
    "proxy-server-url",
    "tracing-startup-hook",
)
# On a worker these are looked at even if they are not off.
_ONLY_ON_THE_HEAD = frozenset(("head", "temp-dir", *_OF_THE_HEAD))


@rule("RAY305", Severity.INFO, where="rayStartParams", reports=("FR-044", "FR-045"), fixes="safe or unsafe")
def start_option_without_effect(group: OddStart) -> Problems:
    """Options that KubeRay drops or overrides, or that only count on the other kind of node.

    ## What it flags
    - `block`: KubeRay always passes `--block` (since 1.1), whatever is written; a warning where it says `false`.
    - A value `false` of any option but `include-dashboard`, `log-color` and (from 1.7 on) `include-log-monitor`:
      KubeRay leaves such an option out.
    - `autoscaling-config`, `disable-usage-stats`, `no-monitor`, `proxy-server-url` and `tracing-startup-hook` on a
      worker, and `temp-dir` on a worker up to Ray 2.51.
    - As a warning, `head: "true"` on a worker: its pods then start clusters of their own.

    `block: "true"` is what every generated manifest has and what happens anyway: nothing is said of it.

    ## What happens
    Nothing, or the opposite of what was written: with `block: "false"` Ray blocks, with `num-cpus: "false"`
    KubeRay derives the CPUs from the limits as if the option were absent.

    ## Versions
    KubeRay: all; `block` is overridden since 1.1. Ray 2.9.3 to 2.60.0.

    ## Fix
    Remove the option. A switch is off when it is absent.

    ## When to ignore it
    Where one set of parameters serves all groups and nobody is misled.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go` (`setMissingRayStartParams`, `convertParamMap`);
    ray-project/kuberay#932.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams:
          no-monitor: "false"  # <-
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        rayStartParams:
          disable-usage-stats: "true"  # <-
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml bad severity=warning
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {block: "false"}  # <-
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    Copied from the head:

    ```yaml bad severity=warning
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        rayStartParams: {head: "true"}  # <-
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```

    Before 1.7 the log monitor could not be turned off this way:

    ```yaml bad kuberay=1.5
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {include-log-monitor: "false"}  # <-
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {disable-usage-stats: "true", num-cpus: "0"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    KubeRay passes this on; `block` says what happens anyway:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {block: "true", log-color: "false", include-log-monitor: "false"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    params = group.start_params.data
    for name, value in params.items() if group.cluster.is_built else ():
        is_off = isinstance(value, str) and value.lower() == "false"
        if not is_off and (group.is_head or name not in _ONLY_ON_THE_HEAD):
            continue
        written = group.start_param(name)
        if name == "block":
            if is_off and group.cluster.target.kuberay_at_least(1, 1):
                yield written.flag(
                    "block is always on, KubeRay overrides the value false",
                    label="becomes true",
                    effect="ray start blocks, and commands that were to follow never run (KubeRay 1.1 and later)",
                    fix="remove block; run other commands before Ray, or in a sidecar",
                    severity=Severity.WARNING,
                    repair=safe(written.at.delete()),
                )
        elif is_off and not _keeps_false(group, name):
            yield written.flag(
                f"option {name!r} is false, and KubeRay leaves such an option out",
                label="dropped",
                effect="the pods start as if the option were not written (all KubeRay releases)",
                fix=f"remove {name}: a switch is off when it is absent",
                repair=safe(written.at.delete()),
            )
        elif not group.is_head:
            yield from _on_worker(group, name)


def _keeps_false(group: Group, name: str) -> bool:
    return name in _KEEPS_FALSE or (name == "include-log-monitor" and group.cluster.target.kuberay_at_least(1, 7))


def _on_worker(group: Group, name: str) -> Problems:
    written = group.start_param(name)
    if name == "head" and (written.value or "").lower() == "true":
        yield written.flag(
            f"option 'head' makes each pod of {group.title} the head of a cluster of its own",
            label="on a worker group",
            effect="the pods run and are never part of this cluster; the address counts as a Redis there",
            fix="remove head, KubeRay sets it on the head group",
            severity=Severity.WARNING,
            repair=unsafe(written.at.delete()),
        )
    elif name in _OF_THE_HEAD or (name == "temp-dir" and group.ray_version and group.ray_version[:2] <= (2, 51)):
        yield written.flag(
            f"option {name!r} counts on the head only, a worker does nothing with it",
            label="on a worker group",
            effect="nothing changes on these pods",
            fix=f"move {name} to headGroupSpec, or remove it",
            repair=safe(written.at.delete()),
        )


@rule("RAY315", Severity.WARNING, where="rayStartParams")
def dashboard_turned_off(group: OddStart) -> Problems:
    """A head without dashboard: no Jobs API, no Serve API, and KubeRay's probes ask in vain.

    ## What it flags
    `include-dashboard` with a false value in the head's `rayStartParams`. An error in a RayJob or RayService,
    whose controllers talk to the dashboard.

    ## What happens
    The dashboard process holds the REST API for jobs and Serve on port 8265. Without it a RayJob can never be
    submitted and a RayService's configuration never posted. KubeRay's own liveness and readiness probes of the
    head ask the same port, so the head never becomes ready and is restarted after ten minutes, again and again,
    unless the container brings probes of its own.

    ## Versions
    All.

    ## Fix
    Remove the option. To keep the dashboard to the cluster, leave `serviceType` at ClusterIP.

    ## When to ignore it
    For a RayCluster whose head has its own probes and whose users connect with Ray Client only.

    ## Source
    Ray 2.60.0, `python/ray/scripts/scripts.py`; ray-project/kuberay v1.7.0, `common/pod.go`
    (`initLivenessAndReadinessProbe`).

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {include-dashboard: "false"}  # <-
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml bad severity=error
    apiVersion: ray.io/v1
    kind: RayJob
    metadata: {name: nightly}
    spec:
      entrypoint: python main.py
      rayClusterSpec:
        headGroupSpec:
          rayStartParams: {include-dashboard: "0"}  # <-
          template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {include-dashboard: "true"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    The dashboard runs and is reachable from within the pod only; the probes find it:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {dashboard-host: 127.0.0.1}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    cluster = group.cluster
    if not group.is_head or "include-dashboard" not in group.start_params.data or not cluster.is_built:
        return
    switch = group.start_param("include-dashboard")
    if (switch.value or "").strip().lower() not in ("false", "0", "f", "no", "n", "off"):
        return
    needed = cluster.kind in ("RayJob", "RayService", "RayCronJob")
    yield switch.flag(
        f"the head runs without its dashboard, which {'the ' + cluster.kind if needed else 'its probes'} cannot do"
        " without",
        label="no Jobs API, no Serve API, no answer to the probes",
        effect="jobs cannot be submitted, Serve cannot be configured, and KubeRay's probes restart the head again"
        " and again",
        fix="remove include-dashboard; it is on by default",
        severity=Severity.ERROR if needed else None,
    )
