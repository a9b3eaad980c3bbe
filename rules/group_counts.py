"""How many pods a replica of a worker group is."""

from __future__ import annotations

from raylint.group import WorkerGroup
from raylint.rule import Severity

from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

__all__ = ["no_hosts"]


@outlined("RAY231", Severity.ERROR, "numOfHosts", kuberay="1.1..")
def no_hosts(group: WorkerGroup) -> Problems:
    """A worker group with `numOfHosts` of 0 or below has no pods at all.

    `numOfHosts` that is written and not positive.

    Then: KubeRay multiplies the replicas by it: the group has no pods, whatever `replicas` says, and nobody tells.

    Fix: Write 1 or more, or remove the field.
    Ignore: Never; `replicas: 0` says the same in plain words.
    Source: ray-project/kuberay v1.7.0, `utils/util.go` (`CalculateDesiredReplicas`).

    bad RayCluster
      group: replicas: 2
      group: numOfHosts: 0  # <-
    bad RayJob
      group: replicas: 2
      group: numOfHosts: -1  # <-
    good RayCluster
      group: replicas: 2
      group: numOfHosts: 4
    near-miss RayCluster
      group: replicas: 0
    """
    hosts = group.num_of_hosts
    if hosts and hosts.value is not None and hosts.value < 1 and group.cluster.is_built:
        yield hosts.flag(
            f"{group.title} has no pods: numOfHosts is {hosts.value}",
            effect="the group never has a pod, whatever replicas says",
            fix="write numOfHosts: 1 or more, or remove it",
        )
