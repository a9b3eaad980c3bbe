"""Network policies as the operator refuses them. KubeRay 1.7, by feature gate."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.field import Field, View
from raylint.group import WorkerGroup

from .refusal import gate_is_off, refused, refuses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from raylint.rule import Problems, Rule

_POLICY = "networkPolicy"
_GATE = "RayClusterNetworkPolicy"


@refuses("KR084", "1.7..", _POLICY, reports=("FR-157",))
def network_policy_gate(cluster: RayCluster) -> Problems:
    """The operator refuses `networkPolicy` while its feature gate is off.

    The field, even empty, where RayClusterNetworkPolicy is off, which it is in KubeRay 1.7 unless somebody turns
    it on.

    Versions: The field came with 1.7.
    Gate: RayClusterNetworkPolicy
    Fix: Turn the gate on in the operator and tell raylint so, or remove the field.
    Ignore: Never; give `--feature-gates` what the operator has. Told of no gate at all, raylint only warns.

    bad RayCluster gates=RayClusterNetworkPolicy=false
      cluster: networkPolicy: {}  # <-
    bad RayJob gates=RayClusterNetworkPolicy=false
      cluster: networkPolicy: {mode: DenyAllIngress}  # <-
    good RayCluster
      cluster: networkPolicy: {mode: DenyAllIngress}
    near-miss RayCluster
      cluster: networkPolicy: null
    """
    if not cluster.target.gate(_GATE):
        yield gate_is_off(cluster, cluster.at_key(_POLICY).key(), _POLICY, _GATE)


# What a mode leaves open: rules for that direction have nothing to open.
_OPEN = {"DenyAllEgress": "ingressRules", "DenyAllIngress": "egressRules"}
_PAGE = """The operator refuses `@RULES` of @WHERE under `mode: @MODE`.

    `networkPolicy.mode: @MODE` and @WHERE with at least one entry in `@RULES`: that mode restricts only the
    other direction. Without `mode` it is `DenyAll`.

    Gate: RayClusterNetworkPolicy
    Fix: Remove `@RULES`, or write `mode: DenyAll`.

    bad RayCluster
      cluster: networkPolicy:
      cluster:   mode: @MODE
      cluster:   @BEFORE@RULES: [{ports: [{port: 53}]}]@AFTER  # <-
      group: groupName: cpu
    bad RayService
      cluster: networkPolicy:
      cluster:   mode: @MODE
      cluster:   @BEFORE@RULES: [{}]@AFTER  # <-
      group: groupName: cpu
    good RayCluster
      cluster: networkPolicy:
      cluster:   mode: @MODE
      cluster:   @BEFORE@OTHER: [{ports: [{port: 53}]}]@AFTER
      group: groupName: cpu
    near-miss RayCluster -- Everything is denied, and this is let through:
      cluster: networkPolicy:
      cluster:   @BEFORE@RULES: [{ports: [{port: 53}]}]@AFTER
      group: groupName: cpu
    """
_WORDS = {
    "head": ("the head", "head: {", "}"),
    "worker": ("the workers", "worker: {", "}"),
    "workerGroups": ("a single worker group", "workerGroups: [{groupName: cpu, ", "}]"),
}


def _entries(policy: View, part: str) -> Iterable[View]:
    if part == "workerGroups":
        return [View(policy.document, path, item) for path, item in policy.parts(part)]
    return [policy.part(part)]


def _rules_of_open_direction(id: str, mode: str, part: str) -> Rule:
    rules = _OPEN[mode]
    where, before, after = _WORDS[part]

    def check(cluster: RayCluster) -> Problems:
        policy = cluster.part(_POLICY)
        if policy.data.get("mode") != mode:
            return
        for entry in _entries(policy, part):
            if entry.data.get(rules):
                yield refused(
                    cluster,
                    entry.at_key(rules),
                    f"networkPolicy has {rules} of {where}, and its mode {mode} leaves that direction open",
                    because=[(policy.at_key("mode"), "restricts the other direction only")],
                    fix=f"remove {rules}, or write mode: DenyAll",
                )

    page = _PAGE.replace("@OTHER", "egressRules" if rules == "ingressRules" else "ingressRules")
    for word, text in (
        ("@RULES", rules), ("@WHERE", where), ("@MODE", mode), ("@BEFORE", before), ("@AFTER", after)
    ):  # fmt: skip
        page = page.replace(word, text)
    check.__doc__ = page
    direction = rules.removesuffix("Rules")
    title = {"head": "head", "worker": "worker", "workerGroups": "worker-group"}[part]
    return refuses(id, "1.7..", _POLICY, name=f"network-policy-{title}-{direction}")(check)


head_ingress = _rules_of_open_direction("KR085", "DenyAllEgress", "head")
head_egress = _rules_of_open_direction("KR086", "DenyAllIngress", "head")
worker_ingress = _rules_of_open_direction("KR087", "DenyAllEgress", "worker")
worker_egress = _rules_of_open_direction("KR088", "DenyAllIngress", "worker")
group_ingress = _rules_of_open_direction("KR090", "DenyAllEgress", "workerGroups")
group_egress = _rules_of_open_direction("KR091", "DenyAllIngress", "workerGroups")


@refuses("KR089", "1.7..", _POLICY)
def group_name_under_network_policy(cluster: RayCluster) -> Problems:
    """The operator refuses a worker group's name that is no DNS-1123 label under a network policy.

    `networkPolicy` and a `groupName` with upper-case letters, dots or underscores, or longer than 63 characters:
    it becomes part of the policy's name. Without `networkPolicy` such a name works.

    Gate: RayClusterNetworkPolicy
    Fix: Use lower-case letters, digits and dashes.

    bad RayCluster
      cluster: networkPolicy: {}
      group: groupName: smallGroup  # <-
    bad RayService
      cluster: networkPolicy: {mode: DenyAllIngress}
      group: groupName: gpu_a100  # <-
    good RayCluster
      cluster: networkPolicy: {}
      group: groupName: small-group
    near-miss RayCluster
      cluster: networkPolicy: null
      group: groupName: smallGroup
    """
    from raylint.kube_names import is_dns1123

    for group in cluster.worker_groups:
        name = group.string("groupName")
        if name.value is not None and not is_dns1123(name.value):
            yield refused(
                cluster,
                name,
                f"the groupName {name.value!r} cannot be part of a NetworkPolicy's name",
                fix="use lower-case letters, digits and dashes, a letter or digit first and last",
            )


@refuses("KR092", "1.7..", _POLICY)
def network_policy_of_no_group(cluster: RayCluster) -> Problems:
    """The operator refuses a network policy for a worker group that does not exist.

    An entry of `networkPolicy.workerGroups` whose `groupName` is none of the cluster's groups.

    Gate: RayClusterNetworkPolicy
    Fix: Name one of the groups, or remove the entry.

    bad RayCluster
      cluster: networkPolicy: {workerGroups: [{groupName: gpu}]}  # <-
      group: groupName: cpu
    bad RayCluster
      cluster: networkPolicy: {workerGroups: [{groupName: CPU}]}  # <-
      group: groupName: cpu
    good RayCluster
      cluster: networkPolicy: {workerGroups: [{groupName: cpu}]}
      group: groupName: cpu
    near-miss RayCluster -- The second group:
      cluster: networkPolicy: {workerGroups: [{groupName: gpu}]}
      group: groupName: cpu
      group2: groupName: gpu
    """
    names = {name.value if name.known else None for name in map(_group_name, cluster.worker_groups)}
    for entry in _entries(cluster.part(_POLICY), "workerGroups"):
        name = entry.string("groupName")
        if name.value is not None and name.value not in names and None not in names:
            yield refused(
                cluster,
                name,
                f"networkPolicy.workerGroups names {name.value!r}, which no worker group is called",
                fix="name one of the groups in workerGroupSpecs, or remove the entry",
            )


def _group_name(group: WorkerGroup) -> Field[str]:
    return group.string("groupName", "")
