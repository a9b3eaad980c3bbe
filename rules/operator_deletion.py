"""``deletionStrategy`` of a RayJob as the operator refuses it: the whole, and its older style (``onSuccess``,
``onFailure``)."""

from __future__ import annotations

from raylint.manifest import RayJob
from raylint.rule import safe, unsafe

from .deletion_strategy import (
    OF_CLUSTER,
    autoscales,
    deletes_foreign,
    deletes_scaled_workers,
    outcomes_of,
    policies_of,
    rules_of,
    strategy_of,
)
from .refusal import gate_is_off, refused, refuses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems, Rule

_STRATEGY = "deletionStrategy"
_GATE = "RayJobDeletionPolicy"
_OUTCOMES = ("onSuccess", "onFailure")
_SHUTDOWN = ("shutdownAfterJobFinishes", "ttlSecondsAfterFinished")


@refuses("KR113", "1.5..", _STRATEGY)
def deletion_strategy_gate(job: RayJob) -> Problems:
    """The operator refuses `deletionStrategy` while its feature gate is off.

    The field, even empty, where RayJobDeletionPolicy is off, as it is in KubeRay 1.5 unless somebody turns it on.

    Versions: The gate is on by default since 1.6. In 1.3 and 1.4 the field was called `deletionPolicy` (KR148).
    Gate: RayJobDeletionPolicy
    Fix: Turn the gate on in the operator and tell raylint so, or use `shutdownAfterJobFinishes`.
    Ignore: Never; give `--feature-gates` what the operator has. Told of no gate at all, raylint only warns.

    bad RayJob kuberay=1.5
      job: deletionStrategy:  # <-
      job:   deletionRules: [{policy: DeleteSelf, condition: {jobStatus: SUCCEEDED}}]
    bad RayCronJob gates=RayJobDeletionPolicy=false
      job: deletionStrategy: {onSuccess: {policy: DeleteSelf}, onFailure: {policy: DeleteNone}}  # <-
    good RayJob kuberay=1.5 gates=RayJobDeletionPolicy=true
      job: deletionStrategy:
      job:   deletionRules: [{policy: DeleteSelf, condition: {jobStatus: SUCCEEDED}}]
    near-miss RayJob
      job: deletionStrategy:
      job:   deletionRules: [{policy: DeleteSelf, condition: {jobStatus: SUCCEEDED}}]
    """
    if not job.target.gate(_GATE):
        yield gate_is_off(job, job.job_spec.at_key(_STRATEGY).key(), _STRATEGY, _GATE)


@refuses("KR114", "1.5..", _STRATEGY, reports=("FR-097",), fixes="unsafe")
def deletion_rules_and_shutdown(job: RayJob) -> Problems:
    """The operator refuses `deletionRules` beside `shutdownAfterJobFinishes`.

    At least one rule while `shutdownAfterJobFinishes` is `true`: both say when the cluster goes.

    Fix: Remove `shutdownAfterJobFinishes`, and write its time as `ttlSeconds` of a rule.

    bad RayJob
      job: shutdownAfterJobFinishes: true
      job: deletionStrategy:
      job:   deletionRules: [{policy: DeleteCluster, condition: {jobStatus: SUCCEEDED}}]  # <-
    bad RayCronJob
      job: shutdownAfterJobFinishes: true
      job: ttlSecondsAfterFinished: 60
      job: deletionStrategy:
      job:   deletionRules: [{policy: DeleteSelf, condition: {jobStatus: FAILED}}]  # <-
    good RayJob
      job: deletionStrategy:
      job:   deletionRules: [{policy: DeleteCluster, condition: {jobStatus: SUCCEEDED, ttlSeconds: 60}}]
    near-miss RayJob
      job: shutdownAfterJobFinishes: false
      job: deletionStrategy:
      job:   deletionRules: [{policy: DeleteCluster, condition: {jobStatus: SUCCEEDED}}]
    """
    if rules_of(job) and job.job_spec.data.get("shutdownAfterJobFinishes") is True:
        yield refused(
            job,
            strategy_of(job).at_key("deletionRules").key(),
            "deletionRules beside shutdownAfterJobFinishes",
            because=[(job.job_spec.at_key("shutdownAfterJobFinishes"), "says when the cluster goes, too")],
            fix="remove shutdownAfterJobFinishes, the rules say when the cluster goes",
            # Its time is refused without it (KR112).
            repair=unsafe(*(job.job_spec.at_key(key).delete() for key in _SHUTDOWN if job.job_spec.has(key))),
        )


@refuses("KR115", "1.5..", _STRATEGY, reports=("FR-097",), fixes="unsafe")
def deletion_rules_and_outcomes(job: RayJob) -> Problems:
    """The operator refuses `deletionRules` beside `onSuccess` or `onFailure`.

    Both styles in one `deletionStrategy`. The API server refuses it first (API009).

    Fix: Keep `deletionRules`; the other style is deprecated.

    bad RayJob
      job: deletionStrategy:
      job:   deletionRules: [{policy: DeleteSelf, condition: {jobStatus: SUCCEEDED}}]
      job:   onFailure: {policy: DeleteNone}  # <-
    bad RayJob
      job: deletionStrategy:
      job:   deletionRules: [{policy: DeleteSelf, condition: {jobStatus: FAILED}}]
      job:   onSuccess: {policy: DeleteCluster}  # <-
    good RayJob
      job: deletionStrategy:
      job:   deletionRules: [{policy: DeleteSelf, condition: {jobStatus: SUCCEEDED}}]
    near-miss RayJob
      job: deletionStrategy:
      job:   deletionRules: [{policy: DeleteSelf, condition: {jobStatus: SUCCEEDED}}]
      job:   onFailure: null
    """
    strategy = strategy_of(job)
    written = [key for key in _OUTCOMES if strategy.has(key)] if rules_of(job) else []
    if written:
        yield refused(
            job,
            strategy.at_key(written[0]).key(),
            f"deletionStrategy has {written[0]} beside deletionRules",
            fix=f"remove {written[0]} and write a rule for it: the older style is deprecated",
            repair=unsafe(*(strategy.at_key(key).delete() for key in written)),
        )


@refuses("KR116", "1.5..", _STRATEGY)
def deletion_outcome_alone(job: RayJob) -> Problems:
    """The operator refuses `onSuccess` without `onFailure`, and the other way round.

    One of the two alone. The API server refuses it first (API009).

    Fix: Write both; better, write `deletionRules`.

    bad RayJob
      job: deletionStrategy:
      job:   onSuccess: {policy: DeleteCluster}  # <-
    bad RayJob
      job: deletionStrategy:
      job:   onFailure: {policy: DeleteNone}  # <-
    good RayJob
      job: deletionStrategy: {onSuccess: {policy: DeleteCluster}, onFailure: {policy: DeleteNone}}
    near-miss RayJob
      job: deletionStrategy:
      job:   deletionRules: [{policy: DeleteCluster, condition: {jobStatus: SUCCEEDED}}]
    """
    outcomes = list(outcomes_of(job))
    if len(outcomes) == 1:
        written = str(outcomes[0].path[-1])
        other = _OUTCOMES[written == _OUTCOMES[0]]
        yield refused(
            job,
            outcomes[0].at.key(),
            f"deletionStrategy has {written} without {other}",
            fix=f"write {other} as well, or deletionRules instead of both",
        )


def _templated(page: str, key: str, other: str) -> str:
    return page.replace("@KEY", key).replace("@OTHER", other)


_NO_POLICY = """The operator refuses `@KEY` without a policy.

    `deletionStrategy.@KEY` in which `policy` is missing, with `@OTHER` beside it.

    Fix: Write `policy: DeleteCluster`, `DeleteWorkers`, `DeleteSelf` or `DeleteNone`.

    bad RayJob
      job: deletionStrategy:
      job:   @OTHER: {policy: DeleteNone}
      job:   @KEY: {}  # <-
    bad RayCronJob
      job: deletionStrategy:
      job:   @OTHER: {policy: DeleteSelf}
      job:   @KEY: {policy: null}  # <-
    good RayJob
      job: deletionStrategy: {onSuccess: {policy: DeleteCluster}, onFailure: {policy: DeleteNone}}
    near-miss RayJob -- The newer style:
      job: deletionStrategy:
      job:   deletionRules: [{policy: DeleteSelf, condition: {jobStatus: FAILED}}]
    """


def _without_policy(id: str, key: str, other: str, name: str) -> Rule:
    def check(job: RayJob) -> Problems:
        for outcome in policies_of(job):
            if outcome.path[-1] == key and not outcome.has("policy"):
                yield refused(
                    job,
                    outcome.at.key(),
                    f"deletionStrategy.{key} has no policy",
                    fix="write policy: DeleteCluster, DeleteWorkers, DeleteSelf or DeleteNone",
                )

    check.__doc__ = _templated(_NO_POLICY, key, other)
    return refuses(id, "1.5..", _STRATEGY, name=name)(check)


success_without_policy = _without_policy("KR117", "onSuccess", "onFailure", "on-success-without-policy")
failure_without_policy = _without_policy("KR118", "onFailure", "onSuccess", "on-failure-without-policy")

_FOREIGN = """The operator refuses to delete, by `@KEY`, a cluster of somebody else.

    `deletionStrategy.@KEY.policy` `DeleteCluster` or `DeleteWorkers` with a `clusterSelector`.

    Fix: Write `DeleteSelf`, which deletes the RayJob, or `DeleteNone`.

    bad RayJob
      job: clusterSelector: {ray.io/cluster: shared}
      job: deletionStrategy:
      job:   @OTHER: {policy: DeleteNone}
      job:   @KEY: {policy: DeleteCluster}  # <-
      no-cluster:
    bad RayCronJob
      job: clusterSelector: {ray.io/cluster: shared}
      job: deletionStrategy:
      job:   @OTHER: {policy: DeleteSelf}
      job:   @KEY: {policy: DeleteWorkers}  # <-
      no-cluster:
    good RayJob
      job: deletionStrategy: {onSuccess: {policy: DeleteCluster}, onFailure: {policy: DeleteWorkers}}
    near-miss RayJob
      job: clusterSelector: {ray.io/cluster: shared}
      job: deletionStrategy: {onSuccess: {policy: DeleteSelf}, onFailure: {policy: DeleteNone}}
      no-cluster:
    """


def _foreign_cluster(id: str, key: str, other: str, name: str) -> Rule:
    def check(job: RayJob) -> Problems:
        for outcome in policies_of(job):
            if outcome.path[-1] == key and job.uses_existing_cluster:
                yield from deletes_foreign(job, outcome)

    check.__doc__ = _templated(_FOREIGN, key, other)
    return refuses(id, "1.5..", _STRATEGY, name=name)(check)


success_deletes_foreign = _foreign_cluster("KR119", "onSuccess", "onFailure", "on-success-deletes-foreign-cluster")
failure_deletes_foreign = _foreign_cluster("KR120", "onFailure", "onSuccess", "on-failure-deletes-foreign-cluster")


@refuses("KR121", "1.5..", _STRATEGY, reports=("FR-042",), fixes="unsafe")
def outcome_deletes_scaled_workers(job: RayJob) -> Problems:
    """The operator refuses `DeleteWorkers` by `onSuccess` or `onFailure` while autoscaling is on.

    `enableInTreeAutoscaling: true` in the job's cluster and the policy `DeleteWorkers` in either part.

    Fix: Write `DeleteCluster`.

    bad RayJob
      job: deletionStrategy:
      job:   onSuccess: {policy: DeleteWorkers}  # <-
      job:   onFailure: {policy: DeleteNone}
      cluster: enableInTreeAutoscaling: true
    bad RayCronJob
      job: deletionStrategy:
      job:   onSuccess: {policy: DeleteSelf}
      job:   onFailure: {policy: DeleteWorkers}  # <-
      cluster: enableInTreeAutoscaling: true
    good RayJob
      job: deletionStrategy: {onSuccess: {policy: DeleteCluster}, onFailure: {policy: DeleteNone}}
      cluster: enableInTreeAutoscaling: true
    near-miss RayJob
      job: deletionStrategy: {onSuccess: {policy: DeleteWorkers}, onFailure: {policy: DeleteNone}}
      cluster: enableInTreeAutoscaling: false
    """
    for outcome in policies_of(job):
        yield from deletes_scaled_workers(job, outcome)


@refuses("KR122", "1.5..", _STRATEGY)
def outcome_keeps_what_shutdown_deletes(job: RayJob) -> Problems:
    """The operator refuses `DeleteNone` beside `shutdownAfterJobFinishes`.

    `shutdownAfterJobFinishes: true` and the policy `DeleteNone` in `onSuccess` or `onFailure`.

    Fix: Remove `shutdownAfterJobFinishes`.

    bad RayJob
      job: shutdownAfterJobFinishes: true
      job: deletionStrategy:
      job:   onSuccess: {policy: DeleteCluster}
      job:   onFailure: {policy: DeleteNone}  # <-
    bad RayJob
      job: shutdownAfterJobFinishes: true
      job: deletionStrategy:
      job:   onSuccess: {policy: DeleteNone}  # <-
      job:   onFailure: {policy: DeleteSelf}
    good RayJob
      job: deletionStrategy: {onSuccess: {policy: DeleteCluster}, onFailure: {policy: DeleteNone}}
    near-miss RayJob
      job: shutdownAfterJobFinishes: true
      job: deletionStrategy: {onSuccess: {policy: DeleteCluster}, onFailure: {policy: DeleteSelf}}
    """
    if job.job_spec.data.get("shutdownAfterJobFinishes") is not True:
        return
    for outcome in policies_of(job):
        if outcome.data.get("policy") == "DeleteNone":
            yield refused(
                job,
                outcome.at_key("policy"),
                "the policy DeleteNone beside shutdownAfterJobFinishes",
                fix="remove shutdownAfterJobFinishes, or write another policy",
            )


@refuses("KR131", "1.5..", _STRATEGY, fixes="safe")
def deletion_strategy_empty(job: RayJob) -> Problems:
    """The operator refuses an empty `deletionStrategy`.

    Neither a rule nor `onSuccess` and `onFailure`. The API server refuses it first (API009).

    Fix: Write `deletionRules`, or remove the field.

    bad RayJob
      job: deletionStrategy: {}  # <-
    bad RayCronJob
      job: deletionStrategy: {deletionRules: []}  # <-
    good RayJob
      job: deletionStrategy:
      job:   deletionRules: [{policy: DeleteSelf, condition: {jobStatus: FAILED}}]
    near-miss RayJob
      job: deletionStrategy: null
    """
    if not rules_of(job) and not list(outcomes_of(job)):
        yield refused(
            job,
            job.job_spec.at_key(_STRATEGY).key(),
            "deletionStrategy is empty",
            fix="write deletionRules, or remove deletionStrategy",
            repair=safe(job.job_spec.at_key(_STRATEGY).delete()),
        )


@refuses("KR148", "1.3..1.4", "deletionPolicy", reports=("FR-042",), fixes="unsafe")
def deletion_policy(job: RayJob) -> Problems:
    """KubeRay 1.3 and 1.4 refuse a `deletionPolicy` that does not fit, and any while its feature gate is off.

    `deletionPolicy` while RayJobDeletionPolicy is off, which it is unless somebody turns it on; with it on,
    `DeleteCluster` or `DeleteWorkers` with a `clusterSelector`, `DeleteWorkers` while autoscaling is on, and
    `DeleteNone` beside `shutdownAfterJobFinishes: true`.

    Versions: Since 1.5 the field is called `deletionStrategy` and is another (KR113 to KR131).
    Gate: RayJobDeletionPolicy
    Fix: Turn the gate on, or use `shutdownAfterJobFinishes`; upgrade to 1.6 for `deletionStrategy`.
    Source: ray-project/kuberay v1.4.2, `ray-operator/controllers/ray/utils/validation.go` (`ValidateRayJobSpec`).

    bad RayJob kuberay=1.4
      job: deletionPolicy: DeleteCluster  # <-
    bad RayJob kuberay=1.3 gates=RayJobDeletionPolicy=true
      job: deletionPolicy: DeleteWorkers  # <-
      head: rayStartParams: {}
      cluster: enableInTreeAutoscaling: true
    good RayJob kuberay=1.4 gates=RayJobDeletionPolicy=true
      job: deletionPolicy: DeleteCluster
    near-miss RayJob kuberay=1.4 gates=RayJobDeletionPolicy=true
      job: clusterSelector: {ray.io/cluster: shared}
      job: deletionPolicy: DeleteSelf
      no-cluster:
    """
    policy = job.job_spec.string("deletionPolicy")
    if not job.target.gate(_GATE):
        yield gate_is_off(job, policy.at, "deletionPolicy", _GATE)
    elif job.uses_existing_cluster and policy.value in OF_CLUSTER:
        yield refused(
            job,
            policy,
            f"deletionPolicy {policy.value} with clusterSelector",
            fix="write DeleteSelf or DeleteNone",
        )
    elif policy.value == "DeleteWorkers" and autoscales(job):
        yield refused(
            job,
            policy,
            "deletionPolicy DeleteWorkers under autoscaling",
            fix="write DeleteCluster instead",
            repair=unsafe(policy.at.set("DeleteCluster")),
        )
    elif policy.value == "DeleteNone" and job.job_spec.data.get("shutdownAfterJobFinishes") is True:
        yield refused(
            job,
            policy,
            "deletionPolicy DeleteNone beside shutdownAfterJobFinishes",
            fix="remove shutdownAfterJobFinishes, or write another policy",
        )
