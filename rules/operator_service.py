"""RayServices that the operator refuses, and their incremental upgrade."""

from __future__ import annotations

from raylint.field import View
from raylint.manifest import RayService
from raylint.rule import safe, unsafe

from .refusal import refused, refuses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.field import Field
    from raylint.rule import Problems

_STRATEGY = "upgradeStrategy"
MENTIONS = (_STRATEGY, "headService", "rayClusterDeletionDelaySeconds")
_OPTIONS = "clusterUpgradeOptions"
_INCREMENTAL = "NewClusterWithIncrementalUpgrade"
_GATE = "RayServiceIncrementalUpgrade"
_MOST = 100


@refuses("KR162", "1.3..", "rayClusterConfig", reports=("FR-121",), fixes="safe")
def head_service_name_of_service(service: RayService) -> Problems:
    """The operator refuses a RayService that names its head Service.

    `rayClusterConfig.headGroupSpec.headService.metadata.name` that is not empty: during an upgrade there are two
    clusters, and one name would have to do for both. A RayCluster or RayJob may have it.

    Fix: Remove the name; the Service is called `NAME-head-svc`.

    bad RayService
      head: headService: {metadata: {name: ranker-head}}  # <-
    bad RayService
      head: headService:
      head:   metadata:
      head:     name: ranker-head  # <-
      head:     labels: {team: a}
    good RayService
      head: headService: {metadata: {labels: {team: a}}}
    near-miss RayJob
      head: headService: {metadata: {name: trainer-head}}
    """
    cluster = service.cluster
    assert cluster is not None, "the rule is asked where rayClusterConfig is written"
    name = cluster.head.part("headService").part("metadata").string("name")
    if name and name.value != "":
        yield refused(
            service,
            name,
            "headService has a name of its own in a RayService",
            fix="remove headService.metadata.name: an upgrade needs two such Services at a time",
            repair=safe(name.at.delete()),
        )


@refuses("KR163", "1.3..", _STRATEGY)
def service_upgrade_type(service: RayService) -> Problems:
    """The operator refuses a RayService's `upgradeStrategy.type` that it does not know.

    Anything but `NewCluster`, `None` and, since 1.5, `NewClusterWithIncrementalUpgrade`. The CRD lets every text
    pass.

    Versions: In 1.3 and 1.4 the incremental upgrade is refused here, too.
    Fix: Write one of the three, in this letter case.

    bad RayService
      spec: upgradeStrategy: {type: Recreate}  # <-
    bad RayService kuberay=1.4
      spec: upgradeStrategy: {type: NewClusterWithIncrementalUpgrade}  # <-
    good RayService
      spec: upgradeStrategy: {type: NewCluster}
    near-miss RayService -- No type is the default:
      spec: upgradeStrategy: {}
    """
    kind = service.spec.part(_STRATEGY).string("type")
    known = ["NewCluster", "None", *([_INCREMENTAL] if service.target.kuberay_at_least(1, 5) else [])]
    if kind.value is not None and kind.value not in known:
        yield refused(
            service,
            kind,
            f"upgradeStrategy.type {kind.value!r} is unknown",
            fix=f"write {', '.join(known[:-1])} or {known[-1]}",
        )


@refuses("KR164", "1.5..", "rayClusterDeletionDelaySeconds")
def deletion_delay_negative(service: RayService) -> Problems:
    """The operator refuses a negative `rayClusterDeletionDelaySeconds`.

    A number below 0. The API server refuses it first (API005).

    Fix: Write 0 or more; 60 is the default.

    bad RayService
      spec: rayClusterDeletionDelaySeconds: -1  # <-
    bad RayService
      spec: rayClusterDeletionDelaySeconds: -60  # <-
    good RayService
      spec: rayClusterDeletionDelaySeconds: 300
    near-miss RayService
      spec: rayClusterDeletionDelaySeconds: 0
    """
    delay = service.spec.integer("rayClusterDeletionDelaySeconds")
    if delay.value is not None and delay.value < 0:
        yield refused(
            service,
            delay,
            f"rayClusterDeletionDelaySeconds is {delay.value}",
            fix="write 0 or more, 60 is the default",
        )


def _incremental(service: RayService) -> View | None:
    """The strategy, where it is the incremental upgrade and the operator knows it."""
    strategy = service.spec.part(_STRATEGY)
    if strategy.data.get("type") == _INCREMENTAL and service.target.gate(_GATE):
        return strategy
    return None


def _options(service: RayService) -> Iterator[View]:
    strategy = _incremental(service)
    if strategy is not None and strategy.has(_OPTIONS):
        yield strategy.part(_OPTIONS)


@refuses("KR165", "1.5..", _STRATEGY, reports=("FR-107",))
def incremental_upgrade_without_autoscaling(service: RayService) -> Problems:
    """The operator refuses an incremental upgrade without autoscaling.

    `upgradeStrategy.type: NewClusterWithIncrementalUpgrade`, with its gate on, while the cluster's
    `enableInTreeAutoscaling` is not `true`: the new cluster grows as the old one shrinks.

    Versions: The gate is on by default since 1.7; with the gate off the type means no upgrade without downtime.
    Gate: RayServiceIncrementalUpgrade
    Fix: Write `rayClusterConfig.enableInTreeAutoscaling: true`, or `type: NewCluster`.

    bad RayService
      spec: upgradeStrategy:
      spec:   type: NewClusterWithIncrementalUpgrade  # <-
      spec:   clusterUpgradeOptions: {stepSizePercent: 10, intervalSeconds: 30, gatewayClassName: istio}
    bad RayService kuberay=1.6 gates=RayServiceIncrementalUpgrade=true
      spec: upgradeStrategy:
      spec:   type: NewClusterWithIncrementalUpgrade  # <-
      spec:   clusterUpgradeOptions: {stepSizePercent: 10, intervalSeconds: 30, gatewayClassName: istio}
      cluster: enableInTreeAutoscaling: false
    good RayService
      spec: upgradeStrategy:
      spec:   type: NewClusterWithIncrementalUpgrade
      spec:   clusterUpgradeOptions: {stepSizePercent: 10, intervalSeconds: 30, gatewayClassName: istio}
      cluster: enableInTreeAutoscaling: true
    near-miss RayService kuberay=1.6
      spec: upgradeStrategy:
      spec:   type: NewClusterWithIncrementalUpgrade
      spec:   clusterUpgradeOptions: {stepSizePercent: 10, intervalSeconds: 30, gatewayClassName: istio}
    """
    strategy, cluster = _incremental(service), service.cluster
    if strategy is not None and cluster is not None and cluster.autoscaler.switch.value is False:
        yield refused(
            service,
            strategy.at_key("type"),
            "an incremental upgrade without autoscaling",
            fix="write enableInTreeAutoscaling: true in rayClusterConfig, or type: NewCluster",
        )


@refuses("KR166", "1.5..", _STRATEGY, reports=("FR-107",))
def incremental_upgrade_without_options(service: RayService) -> Problems:
    """The operator refuses an incremental upgrade without `clusterUpgradeOptions`.

    `upgradeStrategy.type: NewClusterWithIncrementalUpgrade`, with its gate on, and no `clusterUpgradeOptions`.

    Gate: RayServiceIncrementalUpgrade
    Fix: Write them: `stepSizePercent`, `intervalSeconds`, `gatewayClassName`.

    bad RayService
      spec: upgradeStrategy: {type: NewClusterWithIncrementalUpgrade}  # <-
      cluster: enableInTreeAutoscaling: true
    bad RayService
      spec: upgradeStrategy:
      spec:   type: NewClusterWithIncrementalUpgrade  # <-
      spec:   clusterUpgradeOptions: null
      cluster: enableInTreeAutoscaling: true
    good RayService
      spec: upgradeStrategy:
      spec:   type: NewClusterWithIncrementalUpgrade
      spec:   clusterUpgradeOptions: {stepSizePercent: 10, intervalSeconds: 30, gatewayClassName: istio}
      cluster: enableInTreeAutoscaling: true
    near-miss RayService
      spec: upgradeStrategy: {type: NewCluster}
    """
    strategy = _incremental(service)
    if strategy is not None and not strategy.has(_OPTIONS):
        yield refused(
            service,
            strategy.at_key("type"),
            "an incremental upgrade without clusterUpgradeOptions",
            fix="write clusterUpgradeOptions with stepSizePercent, intervalSeconds and gatewayClassName",
        )


def _percent(service: RayService, percent: Field[int]) -> Problems:
    if percent.value is not None and not 0 <= percent.value <= _MOST:
        yield refused(
            service,
            percent,
            f"{percent.at.path[-1]} is {percent.value}",
            label="0 to 100",
            fix="write a number from 0 to 100",
        )


@refuses("KR167", "1.5..", _STRATEGY)
def max_surge_percent(service: RayService) -> Problems:
    """The operator refuses a `maxSurgePercent` outside 0 to 100.

    With the incremental upgrade, a number below 0 or above 100. Without the field it is 100, the API server's
    default.

    Gate: RayServiceIncrementalUpgrade
    Fix: Write a number from 0 to 100.

    bad RayService
      spec: upgradeStrategy:
      spec:   type: NewClusterWithIncrementalUpgrade
      spec:   clusterUpgradeOptions:
      spec:     {maxSurgePercent: 150, stepSizePercent: 10, intervalSeconds: 30, gatewayClassName: istio}  # <-
      cluster: enableInTreeAutoscaling: true
    bad RayService
      spec: upgradeStrategy:
      spec:   type: NewClusterWithIncrementalUpgrade
      spec:   clusterUpgradeOptions:
      spec:     {maxSurgePercent: -1, stepSizePercent: 0, intervalSeconds: 30, gatewayClassName: istio}  # <-
      cluster: enableInTreeAutoscaling: true
    good RayService
      spec: upgradeStrategy:
      spec:   type: NewClusterWithIncrementalUpgrade
      spec:   clusterUpgradeOptions: {stepSizePercent: 10, intervalSeconds: 30, gatewayClassName: istio}
      cluster: enableInTreeAutoscaling: true
    near-miss RayService -- Another type does not read the options:
      spec: upgradeStrategy:
      spec:   type: NewCluster
      spec:   clusterUpgradeOptions:
      spec:     {maxSurgePercent: 150, stepSizePercent: 10, intervalSeconds: 30, gatewayClassName: istio}
    """
    for options in _options(service):
        yield from _percent(service, options.integer("maxSurgePercent"))


@refuses("KR168", "1.5..", _STRATEGY)
def step_size_percent(service: RayService) -> Problems:
    """The operator refuses a `stepSizePercent` outside 0 to 100.

    With the incremental upgrade, a number below 0 or above 100. Without the field the API server refuses the
    object (API003).

    Gate: RayServiceIncrementalUpgrade
    Fix: Write a number from 0 to 100.

    bad RayService
      spec: upgradeStrategy:
      spec:   type: NewClusterWithIncrementalUpgrade
      spec:   clusterUpgradeOptions: {stepSizePercent: 101, intervalSeconds: 30, gatewayClassName: istio}  # <-
      cluster: enableInTreeAutoscaling: true
    bad RayService
      spec: upgradeStrategy:
      spec:   type: NewClusterWithIncrementalUpgrade
      spec:   clusterUpgradeOptions: {stepSizePercent: -5, intervalSeconds: 30, gatewayClassName: istio}  # <-
      cluster: enableInTreeAutoscaling: true
    good RayService
      spec: upgradeStrategy:
      spec:   type: NewClusterWithIncrementalUpgrade
      spec:   clusterUpgradeOptions: {stepSizePercent: 25, intervalSeconds: 30, gatewayClassName: istio}
      cluster: enableInTreeAutoscaling: true
    near-miss RayService
      spec: upgradeStrategy:
      spec:   type: NewClusterWithIncrementalUpgrade
      spec:   clusterUpgradeOptions: {stepSizePercent: 0, intervalSeconds: 30, gatewayClassName: istio}
      cluster: enableInTreeAutoscaling: true
    """
    for options in _options(service):
        yield from _percent(service, options.integer("stepSizePercent"))


@refuses("KR169", "1.7..", _STRATEGY, reports=("FR-107",), fixes="unsafe")
def step_size_above_surge(service: RayService) -> Problems:
    """The operator refuses a `stepSizePercent` above `maxSurgePercent`.

    With the incremental upgrade, a step larger than the surge. Without `maxSurgePercent` that is 100.

    Versions: 1.5 and 1.6 accept it.
    Gate: RayServiceIncrementalUpgrade
    Fix: Lower `stepSizePercent` or raise `maxSurgePercent`.

    bad RayService
      spec: upgradeStrategy:
      spec:   type: NewClusterWithIncrementalUpgrade
      spec:   clusterUpgradeOptions:
      spec:     {maxSurgePercent: 10, stepSizePercent: 20, intervalSeconds: 30, gatewayClassName: istio}  # <-
      cluster: enableInTreeAutoscaling: true
    bad RayService
      spec: upgradeStrategy:
      spec:   type: NewClusterWithIncrementalUpgrade
      spec:   clusterUpgradeOptions:
      spec:     {maxSurgePercent: 0, stepSizePercent: 1, intervalSeconds: 30, gatewayClassName: istio}  # <-
      cluster: enableInTreeAutoscaling: true
    good RayService
      spec: upgradeStrategy:
      spec:   type: NewClusterWithIncrementalUpgrade
      spec:   clusterUpgradeOptions:
      spec:     {maxSurgePercent: 20, stepSizePercent: 10, intervalSeconds: 30, gatewayClassName: istio}
      cluster: enableInTreeAutoscaling: true
    near-miss RayService
      spec: upgradeStrategy:
      spec:   type: NewClusterWithIncrementalUpgrade
      spec:   clusterUpgradeOptions:
      spec:     {maxSurgePercent: 20, stepSizePercent: 20, intervalSeconds: 30, gatewayClassName: istio}
      cluster: enableInTreeAutoscaling: true
    """
    for options in _options(service):
        step, surge = options.integer("stepSizePercent"), options.integer("maxSurgePercent", _MOST)
        if step.value is not None and surge.value is not None and step.value > surge.value:
            yield refused(
                service,
                step,
                f"stepSizePercent {step.value} is above maxSurgePercent {surge.value}",
                fix="lower stepSizePercent or raise maxSurgePercent",
                # In steps of nothing no upgrade ever ends.
                repair=unsafe(step.at.set(surge.value)) if surge.value > 0 else None,
            )


@refuses("KR170", "1.5..", _STRATEGY)
def upgrade_interval_not_positive(service: RayService) -> Problems:
    """The operator refuses an `intervalSeconds` of an incremental upgrade that is not positive.

    With the incremental upgrade, 0 or a number below. Without the field the API server refuses the object
    (API003).

    Gate: RayServiceIncrementalUpgrade
    Fix: Write 1 or more.

    bad RayService
      spec: upgradeStrategy:
      spec:   type: NewClusterWithIncrementalUpgrade
      spec:   clusterUpgradeOptions: {stepSizePercent: 10, intervalSeconds: 0, gatewayClassName: istio}  # <-
      cluster: enableInTreeAutoscaling: true
    bad RayService
      spec: upgradeStrategy:
      spec:   type: NewClusterWithIncrementalUpgrade
      spec:   clusterUpgradeOptions: {stepSizePercent: 10, intervalSeconds: -30, gatewayClassName: istio}  # <-
      cluster: enableInTreeAutoscaling: true
    good RayService
      spec: upgradeStrategy:
      spec:   type: NewClusterWithIncrementalUpgrade
      spec:   clusterUpgradeOptions: {stepSizePercent: 10, intervalSeconds: 30, gatewayClassName: istio}
      cluster: enableInTreeAutoscaling: true
    near-miss RayService
      spec: upgradeStrategy:
      spec:   type: NewClusterWithIncrementalUpgrade
      spec:   clusterUpgradeOptions: {stepSizePercent: 10, intervalSeconds: 1, gatewayClassName: istio}
      cluster: enableInTreeAutoscaling: true
    """
    for options in _options(service):
        interval = options.integer("intervalSeconds")
        if interval.value is not None and interval.value <= 0:
            yield refused(
                service,
                interval,
                f"intervalSeconds is {interval.value}",
                fix="write 1 or more for intervalSeconds",
            )


@refuses("KR171", "1.5..", _STRATEGY)
def gateway_class_empty(service: RayService) -> Problems:
    """The operator refuses an incremental upgrade with an empty `gatewayClassName`.

    With the incremental upgrade, empty text. Blanks pass, and then no Gateway comes up.

    Gate: RayServiceIncrementalUpgrade
    Fix: Write the name of a GatewayClass.

    bad RayService
      spec: upgradeStrategy:
      spec:   type: NewClusterWithIncrementalUpgrade
      spec:   clusterUpgradeOptions: {stepSizePercent: 10, intervalSeconds: 30, gatewayClassName: ""}  # <-
      cluster: enableInTreeAutoscaling: true
    bad RayService
      spec: upgradeStrategy:
      spec:   type: NewClusterWithIncrementalUpgrade
      spec:   clusterUpgradeOptions:
      spec:     stepSizePercent: 10
      spec:     intervalSeconds: 30
      spec:     gatewayClassName: ''  # <-
      cluster: enableInTreeAutoscaling: true
    good RayService
      spec: upgradeStrategy:
      spec:   type: NewClusterWithIncrementalUpgrade
      spec:   clusterUpgradeOptions: {stepSizePercent: 10, intervalSeconds: 30, gatewayClassName: istio}
      cluster: enableInTreeAutoscaling: true
    near-miss RayService kuberay=1.6 -- With the gate off nobody looks at it:
      spec: upgradeStrategy:
      spec:   type: NewClusterWithIncrementalUpgrade
      spec:   clusterUpgradeOptions: {stepSizePercent: 10, intervalSeconds: 30, gatewayClassName: ""}
    """
    for options in _options(service):
        name = options.string("gatewayClassName")
        if name.value == "":
            yield refused(
                service, name, "gatewayClassName is empty", fix="write the name of a GatewayClass, such as istio"
            )
