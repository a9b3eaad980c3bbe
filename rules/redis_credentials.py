"""User and password of Redis in ``gcsFaultToleranceOptions``: a value, or where it comes from, and not both."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.rule import Problem, Severity

from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

__all__ = ["redis_credential_undecided"]

MENTIONS = ("redisPassword", "redisUsername")


@outlined("RAY133", Severity.ERROR, "gcsFaultToleranceOptions", kuberay="1.3..")
def redis_credential_undecided(cluster: RayCluster) -> Problems:
    """A Redis password or user with two sources, or with none.

    `redisPassword` or `redisUsername` of `gcsFaultToleranceOptions` with both `value` and `valueFrom`, or with
    neither of them (a warning).

    Then: KubeRay copies both into one variable of the head. With both Kubernetes refuses the pod: `may not be
    specified when value is not empty`, and there is no head. With neither the variable is empty, and a Redis
    with a password turns the head away.

    Fix: Keep `valueFrom.secretKeyRef` alone.
    Ignore: Never.
    Source: ray-project/kuberay v1.7.0, `common/pod.go` (`configureGCSFaultTolerance`); Kubernetes 1.36
    `pkg/apis/core/validation`.

    bad RayCluster
      cluster: gcsFaultToleranceOptions:
      cluster:   redisAddress: redis:6379
      cluster:   redisPassword:  # <-
      cluster:     value: swordfish
      cluster:     valueFrom: {secretKeyRef: {name: redis, key: password}}
    bad RayService severity=warning
      cluster: gcsFaultToleranceOptions:
      cluster:   redisAddress: redis:6379
      cluster:   redisPassword: {}  # <-
    good RayCluster
      cluster: gcsFaultToleranceOptions:
      cluster:   redisAddress: redis:6379
      cluster:   redisPassword: {valueFrom: {secretKeyRef: {name: redis, key: password}}}
    near-miss RayCluster -- Kubernetes takes an empty value beside a source:
      cluster: gcsFaultToleranceOptions:
      cluster:   redisAddress: redis:6379
      cluster:   redisPassword: {value: "", valueFrom: {secretKeyRef: {name: redis, key: password}}}
    """
    options = cluster.gcs_fault_tolerance
    if not options.uses_redis or not options.by_options or not cluster.is_built:
        return
    for name in ("redisPassword", "redisUsername"):
        part = options.part(name)
        sources = bool(part.data.get("value")), part.has("valueFrom")
        if options.has(name) and (all(sources) or not (any(sources) or part.has("value"))):
            both = all(sources)
            yield Problem(
                part.at.key(),
                f"{name} has {'both value and valueFrom' if both else 'neither value nor valueFrom'}",
                severity=None if both else Severity.WARNING,
                effect="Kubernetes refuses the head's pod"
                if both
                else "the head comes to Redis with an empty one",
                fix="keep valueFrom.secretKeyRef alone",
            )
