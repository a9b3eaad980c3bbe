"""Labels and annotations of KubeRay that turn something on: their values, and what they do not go with.

Facts: ray-project/kuberay v1.7.0 ``utils/constant.go`` and ``controllers/ray/batchscheduler``.
"""

from __future__ import annotations

from raylint.manifest import RayObject
from raylint.rule import Severity, unsafe

from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

__all__ = ["gang_with_autoscaler", "switch_unread"]

MENTIONS: tuple[str, ...] = (
    "ray.io/enable-serve-service",
    "ray.io/disable-provisioned-head-restart",
    "ray.io/ft-enabled",
    "ray.io/overwrite-container-cmd",
    "ray.io/gang-scheduling-enabled",
)
_GANG = "ray.io/gang-scheduling-enabled"
# Values that turn a switch on; where letter case counts, `True` does not.
_SWITCHES = (
    ("ray.io/enable-serve-service", False),
    ("ray.io/disable-provisioned-head-restart", False),
    ("ray.io/ft-enabled", True),
    ("ray.io/overwrite-container-cmd", True),
)


@outlined("RAY911", Severity.WARNING, fixes="unsafe")
def switch_unread(found: RayObject) -> Problems:
    """A switch of KubeRay whose value is meant to be on and is read as off.

    `ray.io/enable-serve-service` or `ray.io/disable-provisioned-head-restart` with `True`, `yes`, `1` or the like
    (`true` alone counts), `ray.io/ft-enabled` or `ray.io/overwrite-container-cmd` with `yes`, `1`, `on` or blanks
    around it (`true` in any letter case counts).

    Then: KubeRay compares texts and takes everything else as off: no Service for Serve, no fault tolerance, the
    container's own command is prepended to Ray's instead of replacing it.

    Fix: Write `"true"`.
    Ignore: Never.
    Source: ray-project/kuberay v1.7.0, `utils/util.go` and `common/pod.go`.

    bad RayCluster
      meta: annotations: {ray.io/enable-serve-service: "True"}  # <-
    bad RayCluster
      meta: annotations:
      meta:   ray.io/overwrite-container-cmd: "yes"  # <-
    bad RayCluster
      meta: annotations: {ray.io/ft-enabled: "true "}  # <-
    good RayCluster
      meta: annotations: {ray.io/enable-serve-service: "true"}
    good RayCluster
      meta: annotations: {ray.io/overwrite-container-cmd: "false"}
    near-miss RayCluster -- Letter case does not count here:
      meta: annotations: {ray.io/overwrite-container-cmd: "True"}
    """
    for key, any_case in _SWITCHES:
        switch = found.annotations.string(key)
        if switch.value is None:
            continue
        read = switch.value.lower() if any_case else switch.value
        if read != "true" and switch.value.strip().lower() in ("true", "yes", "on", "1", "y", "enabled"):
            yield switch.flag(
                f"{key}: {switch.value!r} is read as off",
                effect="KubeRay compares with the text true and takes everything else as off",
                fix=f'write {key}: "true"',
                repair=unsafe(switch.at.set("true")),
            )


@outlined("RAY912", Severity.INFO, reports=("FR-153",))
def gang_with_autoscaler(found: RayObject) -> Problems:
    """A gang of an autoscaling cluster is the head and the minimum of workers; what comes later is no gang.

    The label `ray.io/gang-scheduling-enabled` with `enableInTreeAutoscaling: true` and no worker that is
    guaranteed (`minReplicas` 0 in all groups).

    Then: The gang is the head alone. Every worker that the autoscaler adds is scheduled for itself: half of a
    job's workers may take the nodes that the other half of another job waits for, and both wait.

    Fix: Write `minReplicas` of what one job needs at least, or turn autoscaling off.
    Ignore: Where jobs do not need their workers all at once.
    Source: ray-project/kuberay v1.7.0, `batchscheduler`; ray-project/kuberay#5002, ray-project/kuberay#4360,
    volcano-sh/volcano#5650.

    bad RayCluster
      meta: labels: {ray.io/gang-scheduling-enabled: "true"}  # <-
      cluster: enableInTreeAutoscaling: true
      group: minReplicas: 0
      group: maxReplicas: 8
    bad RayJob
      meta: labels: {ray.io/gang-scheduling-enabled: "true"}  # <-
      cluster: enableInTreeAutoscaling: true
      group: maxReplicas: 8
    good RayCluster
      meta: labels: {ray.io/gang-scheduling-enabled: "true"}
      group: replicas: 8
    near-miss RayCluster
      meta: labels: {ray.io/gang-scheduling-enabled: "true"}
      cluster: enableInTreeAutoscaling: true
      group: minReplicas: 4
      group: maxReplicas: 8
    """
    label = found.metadata.part("labels").string(_GANG)
    cluster = found.cluster
    if not label or cluster is None or not cluster.worker_groups or not cluster.autoscaler.enabled:
        return
    if cluster.guaranteed_workers == 0:
        yield label.flag(
            "the gang is the head alone: no worker is guaranteed under autoscaling",
            because=[(cluster.autoscaler.switch.at, "workers come later, each for itself")],
            effect="jobs that need all their workers may wait for each other's nodes",
            fix="write minReplicas of what one job needs at least, or turn autoscaling off",
        )
