"""Autoscaling, and groups that are suspended, as the operator refuses them."""

from __future__ import annotations

from raylint.cluster import AUTOSCALER_V2_ENV, RayCluster
from raylint.group import Group, WorkerGroup
from raylint.pod import EnvVar
from raylint.rule import Severity, safe, unsafe

from .refusal import gate_is_off, refused, refuses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from raylint.field import Field
    from raylint.rule import Problems

# One of these is written wherever a rule here has something to say.
MENTIONS = ("autoscalerOptions", "suspend", "RAY_enable_autoscaler_v2")
_OPTIONS = "autoscalerOptions"
_GATE = "RayJobDeletionPolicy"
_START_COMMAND = "KUBERAY_GEN_AUTOSCALER_START_CMD"


@refuses("KR055", "1.3..", "suspend")
def suspended_group_gate(group: WorkerGroup) -> Problems:
    """The operator refuses a suspended worker group while its feature gate is off.

    `suspend: true` of a worker group where RayJobDeletionPolicy is off, as it is up to KubeRay 1.5 unless
    somebody turns it on. The field is the operator's own: it suspends the groups of a finished RayJob.

    Versions: The gate is on by default since 1.6.
    Gate: RayJobDeletionPolicy
    Fix: Remove the field; for no workers write `replicas: 0` and `minReplicas: 0`.
    Ignore: Never; give `--feature-gates` what the operator has. Told of no gate at all, raylint only warns.

    bad RayCluster kuberay=1.5
      group: suspend: true  # <-
    bad RayJob gates=RayJobDeletionPolicy=false
      group: replicas: 1
      group: suspend: true  # <-
    good RayCluster
      group: suspend: true
    near-miss RayCluster kuberay=1.5
      group: suspend: false
    """
    if group.data.get("suspend") is True and not group.cluster.target.gate(_GATE):
        yield gate_is_off(group, group.at_key("suspend"), "suspend of a worker group", _GATE)


@refuses("KR057", "1.3..", "suspend", reports=("FR-031",))
def suspended_group_under_autoscaling(group: WorkerGroup) -> Problems:
    """The operator refuses a suspended worker group while autoscaling is on.

    `suspend: true` of a worker group with `enableInTreeAutoscaling: true`.

    Versions: Up to 1.5 the gate RayJobDeletionPolicy is asked for first (KR055). Messages of 1.3 do not name the
    group.
    Fix: Remove the field; for no workers write `maxReplicas: 0`.

    bad RayCluster
      cluster: enableInTreeAutoscaling: true
      group: suspend: true  # <-
    bad RayService
      cluster: enableInTreeAutoscaling: true
      cluster: autoscalerOptions: {version: v2}
      group: replicas: 0
      group: suspend: true  # <-
    good RayCluster
      cluster: enableInTreeAutoscaling: true
      group: suspend: false
    near-miss RayCluster -- Options alone turn nothing on:
      cluster: autoscalerOptions: {version: v2}
      group: suspend: true
    """
    if group.data.get("suspend") is True and group.cluster.autoscaler.enabled:
        yield refused(
            group,
            group.at_key("suspend"),
            f"the {group.title} is suspended while autoscaling is on",
            because=[(group.cluster.autoscaler.switch.at, "the autoscaler decides how many workers there are")],
            fix="remove suspend; for no workers write maxReplicas: 0",
        )


@refuses("KR056", "1.5..")
def autoscaler_v2_env_without_autoscaling(cluster: RayCluster) -> Problems:
    """The operator refuses `RAY_enable_autoscaler_v2` on a head without autoscaling.

    The variable with the literal value `1` or `true` in the `env` of the head's first container while
    `enableInTreeAutoscaling` is not `true`.

    Versions: Since 1.6 it is checked before suspended groups, in 1.5 after them.
    Fix: Write `enableInTreeAutoscaling: true`, or remove the variable.

    bad RayCluster
      head.ray: env: [{name: RAY_enable_autoscaler_v2, value: "1"}]  # <-
    bad RayService
      cluster: enableInTreeAutoscaling: false
      head.ray: env: [{name: RAY_enable_autoscaler_v2, value: "true"}]  # <-
    good RayCluster
      cluster: enableInTreeAutoscaling: true
      head.ray: env: [{name: RAY_enable_autoscaler_v2, value: "1"}]
    near-miss RayCluster -- The operator does not read this as on:
      head.ray: env: [{name: RAY_enable_autoscaler_v2, value: "True"}]
    """
    variable = _v2_variable(cluster)
    if variable is not None and cluster.head_wants_v2 and cluster.autoscaler.switch.value is False:
        yield refused(
            cluster,
            variable.at,
            f"{AUTOSCALER_V2_ENV} is on, but autoscaling is not",
            fix="write enableInTreeAutoscaling: true, or remove the variable",
        )


def _v2_variable(cluster: RayCluster) -> EnvVar | None:
    return cluster.head.ray_container.env(AUTOSCALER_V2_ENV)


@refuses("KR058", "1.4..", _OPTIONS, fixes="safe")
def autoscaler_version_twice(cluster: RayCluster) -> Problems:
    """The operator refuses `autoscalerOptions.version` beside `RAY_enable_autoscaler_v2`.

    With autoscaling on, both `autoscalerOptions.version` and the variable in the `env` of the head's first
    container, whatever the variable says: `version: v2` with `"0"` and with `"1"`.

    Fix: Remove the variable; KubeRay sets it for the version that is written.

    bad RayCluster
      cluster: enableInTreeAutoscaling: true
      cluster: autoscalerOptions: {version: v2}
      head.ray: env: [{name: RAY_enable_autoscaler_v2, value: "1"}]  # <-
    bad RayJob
      cluster: enableInTreeAutoscaling: true
      cluster: autoscalerOptions: {version: v1}
      head.ray: env: [{name: RAY_enable_autoscaler_v2, value: "0"}]  # <-
    good RayCluster
      cluster: enableInTreeAutoscaling: true
      cluster: autoscalerOptions: {version: v2}
    near-miss RayCluster
      cluster: enableInTreeAutoscaling: true
      cluster: autoscalerOptions: {upscalingMode: Default}
      head.ray: env: [{name: RAY_enable_autoscaler_v2, value: "1"}]
    """
    variable = _v2_variable(cluster)
    if variable is not None and cluster.autoscaler.enabled and cluster.autoscaler.has("version"):
        yield refused(
            cluster,
            variable.at,
            f"{AUTOSCALER_V2_ENV} beside autoscalerOptions.version",
            because=[(cluster.autoscaler.at_key("version"), "says the same, or the opposite")],
            fix="remove the variable; KubeRay sets it for the version that is written",
            repair=safe(variable.at.delete()) if _says_the_same(cluster) else None,
        )


def _says_the_same(cluster: RayCluster) -> bool:
    return cluster.head_wants_v2 == (cluster.autoscaler.data.get("version") == "v2")


def _restarting(cluster: RayCluster, version: str, groups: Sequence[Group]) -> Iterator[tuple[Group, Field[str]]]:
    """The groups with another written policy than ``Never`` under autoscaling by this version."""
    if cluster.autoscaler.data.get("version") == version and cluster.autoscaler.enabled:
        for group in groups:
            policy = group.pod.string("restartPolicy")
            if policy.value not in (None, "", "Never"):
                yield group, policy


def _policy_refused(cluster: RayCluster, groups: Sequence[Group]) -> Problems:
    for group, policy in _restarting(cluster, "v2", groups):
        yield refused(
            cluster,
            policy,
            f"restartPolicy {policy.value!r} of the {group.title} under autoscaler v2",
            because=[(cluster.autoscaler.at_key("version"), "wants Never for every pod")],
            fix="remove restartPolicy, or write Never: KubeRay forces it under a written v2",
            repair=safe(policy.at.delete()),
        )


@refuses("KR059", "1.4..", _OPTIONS, fixes="safe")
def head_restart_policy_under_v2(cluster: RayCluster) -> Problems:
    """The operator refuses a head's `restartPolicy` other than `Never` under autoscaler v2.

    With autoscaling on and `autoscalerOptions.version: v2`, a head template with `Always` or `OnFailure`.

    Then: v2 replaces pods and must see them fail; without the field KubeRay writes `Never`.
    Fix: Remove `restartPolicy`, or write `Never`.

    bad RayCluster
      cluster: enableInTreeAutoscaling: true
      cluster: autoscalerOptions: {version: v2}
      head.pod: restartPolicy: Always  # <-
    bad RayService
      cluster: enableInTreeAutoscaling: true
      cluster: autoscalerOptions: {version: v2}
      head.pod: restartPolicy: OnFailure  # <-
    good RayCluster
      cluster: enableInTreeAutoscaling: true
      cluster: autoscalerOptions: {version: v2}
      head.pod: restartPolicy: Never
    near-miss RayCluster -- v2 by the environment is not looked at:
      cluster: enableInTreeAutoscaling: true
      head.ray: env: [{name: RAY_enable_autoscaler_v2, value: "1"}]
      head.pod: restartPolicy: Always
    """
    return _policy_refused(cluster, (cluster.head,))


@refuses("KR060", "1.4..", _OPTIONS, reports=("FR-016",), fixes="safe")
def worker_restart_policy_under_v2(cluster: RayCluster) -> Problems:
    """The operator refuses a worker group's `restartPolicy` other than `Never` under autoscaler v2.

    With autoscaling on and `autoscalerOptions.version: v2`, a worker template with `Always` or `OnFailure`.

    Then: v2 replaces pods and must see them fail; without the field KubeRay writes `Never`.
    Fix: Remove `restartPolicy`, or write `Never`.

    bad RayCluster
      cluster: enableInTreeAutoscaling: true
      cluster: autoscalerOptions: {version: v2}
      group.pod: restartPolicy: OnFailure  # <-
    bad RayCronJob
      cluster: enableInTreeAutoscaling: true
      cluster: autoscalerOptions: {version: v2}
      group.pod: restartPolicy: Always  # <-
    good RayCluster
      cluster: enableInTreeAutoscaling: true
      cluster: autoscalerOptions: {version: v2}
      group.pod: restartPolicy: Never
    near-miss RayCluster -- Under v1 it is no more than a warning (KR201):
      cluster: enableInTreeAutoscaling: true
      cluster: autoscalerOptions: {version: v1}
      group.pod: restartPolicy: Always
    """
    return _policy_refused(cluster, cluster.worker_groups)


@refuses("KR201", "1.7..", _OPTIONS, severity=Severity.INFO, reports=("FR-016",), fixes="unsafe")
def worker_restart_policy_under_v1(cluster: RayCluster) -> Problems:
    """The operator warns of a worker group's `restartPolicy` other than `Never` under autoscaler v1.

    In a RayCluster with autoscaling on and `autoscalerOptions.version: v1`, a worker template with `Always` or
    `OnFailure`.

    It is an info, as RAY201 warns of what comes of it.

    Then: A warning event at the RayCluster, nothing else: KubeRay goes on. A worker that the autoscaler has given
    up may come back as a container of the same pod.
    Fix: Write `restartPolicy: Never` in the worker templates.
    Ignore: When crashed workers are to be restarted in place.
    Source: ray-project/kuberay v1.7.0, `raycluster_controller.go`.

    bad RayCluster
      cluster: enableInTreeAutoscaling: true
      cluster: autoscalerOptions: {version: v1}
      group.pod: restartPolicy: Always  # <-
    bad RayCluster
      cluster: enableInTreeAutoscaling: true
      cluster: autoscalerOptions: {version: v1}
      group.pod: restartPolicy: OnFailure  # <-
    good RayCluster
      cluster: enableInTreeAutoscaling: true
      cluster: autoscalerOptions: {version: v1}
      group.pod: restartPolicy: Never
    near-miss RayCluster -- Only a written v1 counts:
      cluster: enableInTreeAutoscaling: true
      group.pod: restartPolicy: Always
    """
    if cluster.kind != "RayCluster":
        return
    for group, policy in _restarting(cluster, "v1", cluster.worker_groups):
        yield policy.flag(
            f"restartPolicy {policy.value!r} of the {group.title} under autoscaler v1: the operator warns",
            effect="a warning event at the RayCluster; a worker may restart in a pod that the autoscaler gave up",
            fix="write restartPolicy: Never in the worker templates",
            repair=unsafe(policy.at.set("Never")),
        )


@refuses("KR061", "1.6..", _OPTIONS)
def autoscaler_idle_timeout_negative(cluster: RayCluster) -> Problems:
    """The operator refuses a negative `autoscalerOptions.idleTimeoutSeconds`.

    A number below 0, even where autoscaling is off.

    Fix: Write 0 or more; 60 is the default.

    bad RayCluster
      cluster: enableInTreeAutoscaling: true
      cluster: autoscalerOptions: {idleTimeoutSeconds: -1}  # <-
    bad RayJob
      cluster: autoscalerOptions: {idleTimeoutSeconds: -300}  # <-
    good RayCluster
      cluster: autoscalerOptions: {idleTimeoutSeconds: 300}
    near-miss RayCluster
      cluster: autoscalerOptions: {idleTimeoutSeconds: 0}
    """
    timeout = cluster.autoscaler.integer("idleTimeoutSeconds")
    if timeout.value is not None and timeout.value < 0:
        yield refused(
            cluster,
            timeout,
            f"autoscalerOptions.idleTimeoutSeconds is {timeout.value}",
            fix="write 0 or more, or remove the field, the default is 60",
        )


@refuses("KR062", "1.7..", _OPTIONS)
def autoscaler_start_command_by_hand(cluster: RayCluster) -> Problems:
    """The operator refuses `KUBERAY_GEN_AUTOSCALER_START_CMD` among the autoscaler's variables.

    The name in `autoscalerOptions.env`, even where autoscaling is off: KubeRay passes its own command there.

    Fix: Write `autoscalerOptions.command` and `args`.

    bad RayCluster
      cluster: enableInTreeAutoscaling: true
      cluster: autoscalerOptions:
      cluster:   env: [{name: KUBERAY_GEN_AUTOSCALER_START_CMD, value: "ray kuberay-autoscaler"}]  # <-
    bad RayCluster
      cluster: autoscalerOptions:
      cluster:   env:
      cluster:   - {name: LOG, value: debug}
      cluster:   - name: KUBERAY_GEN_AUTOSCALER_START_CMD  # <-
    good RayCluster
      cluster: enableInTreeAutoscaling: true
      cluster: autoscalerOptions: {command: [bash, -c], args: ["$KUBERAY_GEN_AUTOSCALER_START_CMD"]}
    near-miss RayCluster -- On the head it is a variable like others:
      head.ray: env: [{name: KUBERAY_GEN_AUTOSCALER_START_CMD, value: x}]
    """
    for path, entry in cluster.autoscaler.parts("env"):
        variable = EnvVar(cluster.document, path, entry)
        if variable.name == _START_COMMAND:
            yield refused(
                cluster,
                variable.at,
                f"autoscalerOptions.env has {_START_COMMAND}, which KubeRay sets itself",
                fix="remove the variable; write autoscalerOptions.command and args to start it otherwise",
            )
