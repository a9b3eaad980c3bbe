"""What the operator accepts and then, without a word in any event or status, does not do."""

from __future__ import annotations

from raylint.manifest import RayService
from raylint.rule import Severity
from raylint.target import version_text

from .refusal import refuses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

_GATE = "RayServiceIncrementalUpgrade"
_INCREMENTAL = "NewClusterWithIncrementalUpgrade"


@refuses("KR227", "1.5..", "upgradeStrategy", severity=Severity.WARNING)
def incremental_upgrade_gate(service: RayService) -> Problems:
    """A RayService that asks for the incremental upgrade is not upgraded at all while the feature gate is off.

    `upgradeStrategy.type: NewClusterWithIncrementalUpgrade` where the gate RayServiceIncrementalUpgrade is off, as
    it is in 1.5 and 1.6 unless somebody turns it on.

    Then: The operator accepts the type. With the gate off it knows `NewCluster` alone as an upgrade without
    downtime: a changed `rayClusterConfig` makes no new cluster, and the old one serves on. Only a line of the
    operator's log tells.
    Versions: The gate is on by default since 1.7. In 1.3 and 1.4 the type is refused (KR163).
    Gate: RayServiceIncrementalUpgrade
    Fix: Start the operator with the gate (Helm: `featureGates`) and give raylint the same flag, or write
    `type: NewCluster`.
    Ignore: Where nobody ever changes the cluster; `type: None` says so.
    Source: ray-project/kuberay v1.6.0, `rayservice_controller.go` (`isZeroDowntimeUpgradeEnabled`).

    bad RayService kuberay=1.6
      spec: upgradeStrategy:
      spec:   type: NewClusterWithIncrementalUpgrade  # <-
      spec:   clusterUpgradeOptions: {stepSizePercent: 10, intervalSeconds: 30, gatewayClassName: istio}
      cluster: enableInTreeAutoscaling: true
    bad RayService gates=RayServiceIncrementalUpgrade=false
      spec: upgradeStrategy: {type: NewClusterWithIncrementalUpgrade}  # <-
    good RayService kuberay=1.6
      spec: upgradeStrategy: {type: NewCluster}
    near-miss RayService kuberay=1.5 gates=RayServiceIncrementalUpgrade=true
      spec: upgradeStrategy:
      spec:   type: NewClusterWithIncrementalUpgrade
      spec:   clusterUpgradeOptions: {stepSizePercent: 10, intervalSeconds: 30, gatewayClassName: istio}
      cluster: enableInTreeAutoscaling: true
    """
    kind = service.spec.part("upgradeStrategy").string("type")
    if kind.value == _INCREMENTAL and not service.target.gate(_GATE):
        yield kind.flag(
            f"the incremental upgrade needs the feature gate {_GATE}, which is off in KubeRay"
            f" {version_text(service.target.kuberay)} unless it is turned on: a changed cluster is not rolled out",
            effect="the RayService comes up; a later change of rayClusterConfig makes no new cluster, and neither"
            " event nor status says so",
            fix=f"start the operator with --feature-gates={_GATE}=true (Helm: featureGates) and give raylint the"
            " same flag, or write type: NewCluster",
            label=f"{_GATE} is off",
        )
