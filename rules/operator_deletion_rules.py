"""``deletionRules`` of a RayJob as the operator refuses them. It names all faults of the rules at once."""

from __future__ import annotations

from itertools import pairwise

from raylint.field import View
from raylint.manifest import RayJob
from raylint.rule import Problem, safe, unsafe

from .deletion_strategy import deletes_foreign, deletes_scaled_workers, rules_of
from .refusal import refused, refuses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from raylint.rule import Problems, Repair

_STRATEGY = "deletionStrategy"
# From the least to the most that is deleted.
_LADDER = ("DeleteWorkers", "DeleteCluster", "DeleteSelf")


def _condition(rule: View) -> View:
    return rule.part("condition")


def _statuses(rule: View) -> list[str]:
    return [key for key in ("jobStatus", "jobDeploymentStatus") if _condition(rule).has(key)]


@refuses("KR123", "1.6..", _STRATEGY)
def deletion_rule_with_two_statuses(job: RayJob) -> Problems:
    """The operator refuses a deletion rule that waits for two kinds of status.

    `jobStatus` and `jobDeploymentStatus` in the condition of one rule. The API server refuses it first (API009).

    Versions: `jobDeploymentStatus` came with 1.6.
    Fix: Write two rules.

    bad RayJob
      job: deletionStrategy:
      job:   deletionRules:
      job:   - policy: DeleteSelf
      job:     condition: {jobStatus: FAILED, jobDeploymentStatus: Failed}  # <-
    bad RayJob
      job: deletionStrategy:
      job:   deletionRules:
      job:   - {policy: DeleteCluster, condition: {jobStatus: SUCCEEDED, jobDeploymentStatus: Failed}}  # <-
    good RayJob
      job: deletionStrategy:
      job:   deletionRules:
      job:   - {policy: DeleteSelf, condition: {jobStatus: FAILED}}
      job:   - {policy: DeleteSelf, condition: {jobDeploymentStatus: Failed}}
    near-miss RayJob
      job: deletionStrategy:
      job:   deletionRules: [{policy: DeleteSelf, condition: {jobStatus: FAILED, jobDeploymentStatus: null}}]
    """
    for rule in rules_of(job):
        if len(_statuses(rule)) > 1:
            yield refused(
                job,
                _condition(rule).at,
                "a deletion rule has both jobStatus and jobDeploymentStatus",
                fix="write two rules, one for each status",
            )


@refuses("KR124", "1.6..", _STRATEGY)
def deletion_rule_without_status(job: RayJob) -> Problems:
    """The operator refuses a deletion rule that waits for nothing.

    A rule whose condition has neither `jobStatus` nor `jobDeploymentStatus`. The API server refuses it first
    (API009).

    Versions: In 1.5 the schema asks for `jobStatus`.
    Fix: Write `jobStatus: SUCCEEDED` or `FAILED`, or `jobDeploymentStatus: Failed`.

    bad RayJob
      job: deletionStrategy:
      job:   deletionRules:
      job:   - {policy: DeleteCluster, condition: {ttlSeconds: 60}}  # <-
    bad RayJob
      job: deletionStrategy:
      job:   deletionRules:
      job:   - policy: DeleteSelf
      job:     condition: {}  # <-
    good RayJob
      job: deletionStrategy:
      job:   deletionRules: [{policy: DeleteSelf, condition: {jobStatus: FAILED}}]
    near-miss RayJob
      job: deletionStrategy:
      job:   deletionRules: [{policy: DeleteSelf, condition: {jobDeploymentStatus: Failed}}]
    """
    for rule in rules_of(job):
        if not _statuses(rule):
            yield refused(
                job,
                _condition(rule).at,
                "a deletion rule has neither jobStatus nor jobDeploymentStatus",
                fix="write jobStatus: SUCCEEDED or FAILED, or jobDeploymentStatus: Failed",
            )


@refuses("KR125", "1.5..", _STRATEGY)
def deletion_rule_ttl_negative(job: RayJob) -> Problems:
    """The operator refuses a deletion rule with a negative time.

    `condition.ttlSeconds` below 0. The API server refuses it first (API005).

    Fix: Write 0 or more.

    bad RayJob
      job: deletionStrategy:
      job:   deletionRules: [{policy: DeleteSelf, condition: {jobStatus: FAILED, ttlSeconds: -1}}]  # <-
    bad RayCronJob
      job: deletionStrategy:
      job:   deletionRules: [{policy: DeleteCluster, condition: {jobStatus: SUCCEEDED, ttlSeconds: -60}}]  # <-
    good RayJob
      job: deletionStrategy:
      job:   deletionRules: [{policy: DeleteSelf, condition: {jobStatus: FAILED, ttlSeconds: 60}}]
    near-miss RayJob
      job: deletionStrategy:
      job:   deletionRules: [{policy: DeleteSelf, condition: {jobStatus: FAILED, ttlSeconds: 0}}]
    """
    for rule in rules_of(job):
        ttl = _condition(rule).integer("ttlSeconds")
        if ttl.value is not None and ttl.value < 0:
            yield refused(
                job, ttl, f"ttlSeconds of a deletion rule is {ttl.value}", fix="write 0 or more for ttlSeconds"
            )


@refuses("KR126", "1.5..", _STRATEGY)
def deletion_rule_of_foreign_cluster(job: RayJob) -> Problems:
    """The operator refuses to delete, by a rule, a cluster of somebody else.

    A rule with the policy `DeleteCluster` or `DeleteWorkers` and a `clusterSelector`.

    Fix: Write `DeleteSelf`, which deletes the RayJob.

    bad RayJob
      job: clusterSelector: {ray.io/cluster: shared}
      job: deletionStrategy:
      job:   deletionRules: [{policy: DeleteCluster, condition: {jobStatus: SUCCEEDED}}]  # <-
      no-cluster:
    bad RayJob
      job: clusterSelector: {ray.io/cluster: shared}
      job: deletionStrategy:
      job:   deletionRules: [{policy: DeleteWorkers, condition: {jobStatus: FAILED}}]  # <-
      no-cluster:
    good RayJob
      job: deletionStrategy:
      job:   deletionRules: [{policy: DeleteCluster, condition: {jobStatus: SUCCEEDED}}]
    near-miss RayJob
      job: clusterSelector: {ray.io/cluster: shared}
      job: deletionStrategy:
      job:   deletionRules: [{policy: DeleteSelf, condition: {jobStatus: SUCCEEDED}}]
      no-cluster:
    """
    if job.uses_existing_cluster:
        for rule in rules_of(job):
            yield from deletes_foreign(job, rule)


@refuses("KR127", "1.5..", _STRATEGY, reports=("FR-042",), fixes="unsafe")
def deletion_rule_of_scaled_workers(job: RayJob) -> Problems:
    """The operator refuses `DeleteWorkers` by a rule while autoscaling is on.

    A rule with the policy `DeleteWorkers` and `enableInTreeAutoscaling: true` in the job's cluster.

    Fix: Write `DeleteCluster`.

    bad RayJob
      job: deletionStrategy:
      job:   deletionRules: [{policy: DeleteWorkers, condition: {jobStatus: SUCCEEDED}}]  # <-
      cluster: enableInTreeAutoscaling: true
    bad RayCronJob
      job: deletionStrategy:
      job:   deletionRules: [{policy: DeleteWorkers, condition: {jobStatus: FAILED, ttlSeconds: 60}}]  # <-
      cluster: enableInTreeAutoscaling: true
    good RayJob
      job: deletionStrategy:
      job:   deletionRules: [{policy: DeleteCluster, condition: {jobStatus: SUCCEEDED}}]
      cluster: enableInTreeAutoscaling: true
    near-miss RayJob -- Options alone turn nothing on:
      job: deletionStrategy:
      job:   deletionRules: [{policy: DeleteWorkers, condition: {jobStatus: SUCCEEDED}}]
      cluster: autoscalerOptions: {version: v2}
    """
    for rule in rules_of(job):
        yield from deletes_scaled_workers(job, rule)


def _twice(job: RayJob, status: str) -> Problems:
    """Rules that repeat the policy and the status of an earlier one. What the earlier of the two times deletes is
    gone when the later one comes."""
    seen: dict[tuple[str, str], View] = {}
    for rule in rules_of(job):
        policy = rule.string("policy").value
        value = _condition(rule).string(status).value
        if policy is None or value is None or len(_statuses(rule)) != 1:
            continue
        earlier = seen.setdefault((policy, value), rule)
        if earlier is not rule:
            yield refused(
                job,
                rule.at_key("policy"),
                f"a second deletion rule says {policy} for {status} {value}",
                because=[(earlier.at_key("policy"), "the first")],
                fix="keep one rule for each policy and status",
                repair=_without_later(earlier, rule),
            )


def _without_later(earlier: View, rule: View) -> Repair | None:
    """Take out the one whose time is the longer, or the second of two that say the same."""
    times = _seconds(earlier), _seconds(rule)
    if times[0] is None or times[1] is None:
        return None
    if times[0] == times[1]:
        return safe(rule.at.delete())
    return unsafe((rule if times[0] < times[1] else earlier).at.delete())


def _seconds(rule: View) -> int | None:
    return _condition(rule).integer("ttlSeconds", 0).value


@refuses("KR128", "1.5..", _STRATEGY, reports=("FR-097",), fixes="safe or unsafe")
def deletion_rule_twice_for_job_status(job: RayJob) -> Problems:
    """The operator refuses two deletion rules with one policy and one `jobStatus`.

    Two rules that agree in `policy` and `condition.jobStatus`, whatever their times.

    Fix: Keep one of them.

    bad RayJob
      job: deletionStrategy:
      job:   deletionRules:
      job:   - {policy: DeleteSelf, condition: {jobStatus: FAILED, ttlSeconds: 60}}
      job:   - {policy: DeleteSelf, condition: {jobStatus: FAILED, ttlSeconds: 90}}  # <-
    bad RayCronJob
      job: deletionStrategy:
      job:   deletionRules:
      job:   - {policy: DeleteNone, condition: {jobStatus: SUCCEEDED}}
      job:   - {policy: DeleteNone, condition: {jobStatus: SUCCEEDED}}  # <-
    good RayJob
      job: deletionStrategy:
      job:   deletionRules:
      job:   - {policy: DeleteCluster, condition: {jobStatus: FAILED, ttlSeconds: 60}}
      job:   - {policy: DeleteSelf, condition: {jobStatus: FAILED, ttlSeconds: 90}}
    near-miss RayJob
      job: deletionStrategy:
      job:   deletionRules:
      job:   - {policy: DeleteSelf, condition: {jobStatus: FAILED}}
      job:   - {policy: DeleteSelf, condition: {jobStatus: SUCCEEDED}}
    """
    return _twice(job, "jobStatus")


@refuses("KR129", "1.6..", _STRATEGY, fixes="safe or unsafe")
def deletion_rule_twice_for_deployment_status(job: RayJob) -> Problems:
    """The operator refuses two deletion rules with one policy and one `jobDeploymentStatus`.

    Two rules that agree in `policy` and `condition.jobDeploymentStatus`, whatever their times.

    Fix: Keep one of them.

    bad RayJob
      job: deletionStrategy:
      job:   deletionRules:
      job:   - {policy: DeleteSelf, condition: {jobDeploymentStatus: Failed}}
      job:   - {policy: DeleteSelf, condition: {jobDeploymentStatus: Failed, ttlSeconds: 9}}  # <-
    bad RayCronJob
      job: deletionStrategy:
      job:   deletionRules:
      job:   - {policy: DeleteCluster, condition: {jobDeploymentStatus: Failed}}
      job:   - {policy: DeleteCluster, condition: {jobDeploymentStatus: Failed}}  # <-
    good RayJob
      job: deletionStrategy:
      job:   deletionRules: [{policy: DeleteSelf, condition: {jobDeploymentStatus: Failed}}]
    near-miss RayJob
      job: deletionStrategy:
      job:   deletionRules:
      job:   - {policy: DeleteSelf, condition: {jobStatus: FAILED}}
      job:   - {policy: DeleteSelf, condition: {jobDeploymentStatus: Failed}}
    """
    return _twice(job, "jobDeploymentStatus")


@refuses("KR130", "1.5..", _STRATEGY, reports=("FR-097",), fixes="unsafe")
def deletion_rules_out_of_order(job: RayJob) -> Problems:
    """The operator refuses deletion rules that delete more before they delete less.

    For one status: a time of `DeleteSelf` below that of `DeleteCluster` or `DeleteWorkers`, or one of
    `DeleteCluster` below that of `DeleteWorkers`. Equal times are fine; `DeleteNone` does not count. A missing
    `ttlSeconds` is 0.

    Fix: Give the larger deletion the longer time, or drop the smaller one.

    bad RayJob
      job: deletionStrategy:
      job:   deletionRules:
      job:   - {policy: DeleteWorkers, condition: {jobStatus: SUCCEEDED, ttlSeconds: 600}}
      job:   - {policy: DeleteCluster, condition: {jobStatus: SUCCEEDED, ttlSeconds: 60}}  # <-
    bad RayCronJob
      job: deletionStrategy:
      job:   deletionRules:
      job:   - {policy: DeleteSelf, condition: {jobStatus: FAILED}}  # <-
      job:   - {policy: DeleteCluster, condition: {jobStatus: FAILED, ttlSeconds: 1}}
    good RayJob
      job: deletionStrategy:
      job:   deletionRules:
      job:   - {policy: DeleteWorkers, condition: {jobStatus: SUCCEEDED, ttlSeconds: 60}}
      job:   - {policy: DeleteSelf, condition: {jobStatus: SUCCEEDED, ttlSeconds: 60}}
    near-miss RayJob -- Different statuses have nothing to do with each other:
      job: deletionStrategy:
      job:   deletionRules:
      job:   - {policy: DeleteWorkers, condition: {jobStatus: FAILED, ttlSeconds: 600}}
      job:   - {policy: DeleteCluster, condition: {jobStatus: SUCCEEDED, ttlSeconds: 60}}
    """
    steps: dict[tuple[str, str], dict[str, tuple[int, View]]] = {}
    for rule in rules_of(job):
        policy = rule.string("policy").value
        ttl = _seconds(rule)
        statuses = _statuses(rule)
        if policy in _LADDER and ttl is not None and len(statuses) == 1:
            value = _condition(rule).string(statuses[0]).value or ""
            # Of two equal rules the operator keeps the last.
            steps.setdefault((statuses[0], value), {})[policy] = (ttl, rule)
    for (_, value), of_status in steps.items():
        rungs = [(policy, *of_status[policy]) for policy in _LADDER if policy in of_status]
        for (smaller, before, first), (larger, ttl, rule) in pairwise(rungs):
            if ttl < before:
                fault = f"{larger} after {ttl} s and {smaller} after {before} s for {value}"
                below = rungs[: rungs.index((larger, ttl, rule))]
                yield _out_of_order(job, rule, first, fault, [less for _, time, less in below if time > ttl])


def _out_of_order(job: RayJob, rule: View, first: View, fault: str, needless: Sequence[View]) -> Problem:
    """``needless``: the rules that come when what they would delete is gone."""
    return refused(
        job,
        _condition(rule).at,
        f"the deletion rules say {fault}",
        because=[(_condition(first).at, "less is deleted, but later")],
        fix="give the larger deletion the longer ttlSeconds, or drop the smaller one",
        repair=unsafe(*(less.at.delete() for less in needless)),
    )
