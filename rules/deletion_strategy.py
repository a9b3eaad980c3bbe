"""How a RayJob says what becomes of its cluster: what the rules on ``deletionStrategy`` share."""

from __future__ import annotations

from raylint.field import View
from raylint.manifest import RayJob
from raylint.rule import unsafe

from .refusal import refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.rule import Problems

__all__ = [
    "OF_CLUSTER",
    "autoscales",
    "deletes_foreign",
    "deletes_scaled_workers",
    "outcomes_of",
    "policies_of",
    "rules_of",
    "strategy_of",
]

_STRATEGY = "deletionStrategy"
_OUTCOMES = ("onSuccess", "onFailure")
# Policies that delete something of the cluster.
OF_CLUSTER = ("DeleteCluster", "DeleteWorkers")


def strategy_of(job: RayJob) -> View:
    return job.job_spec.part(_STRATEGY)


def rules_of(job: RayJob) -> list[View]:
    strategy = strategy_of(job)
    return [View(job.document, path, item) for path, item in strategy.parts("deletionRules")]


def outcomes_of(job: RayJob) -> Iterator[View]:
    """The parts of the older style that are written; where rules are written as well they do not count."""
    strategy = strategy_of(job)
    if not rules_of(job):
        for key in _OUTCOMES:
            if strategy.has(key):
                yield strategy.part(key)


def policies_of(job: RayJob) -> Iterator[View]:
    """The parts of the older style, as the operator looks at their policies: only if both have one."""
    outcomes = list(outcomes_of(job))
    if len(outcomes) == len(_OUTCOMES):
        yield from outcomes


def autoscales(job: RayJob) -> bool:
    return job.cluster is not None and job.cluster.autoscaler.enabled


def deletes_foreign(job: RayJob, part: View) -> Problems:
    policy = part.string("policy")
    if policy.value in OF_CLUSTER:
        yield refused(
            job,
            policy,
            f"the policy {policy.value} with clusterSelector: the cluster is not the job's own",
            fix="write DeleteSelf, which deletes the RayJob, or DeleteNone",
        )


def deletes_scaled_workers(job: RayJob, part: View) -> Problems:
    policy = part.string("policy")
    if policy.value == "DeleteWorkers" and autoscales(job):
        yield refused(
            job,
            policy,
            "the policy DeleteWorkers while autoscaling is on",
            fix="write DeleteCluster: the autoscaler would bring the workers back",
            repair=unsafe(policy.at.set("DeleteCluster")),
        )
