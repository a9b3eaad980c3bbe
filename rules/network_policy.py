"""What a network policy that KubeRay makes keeps away from the cluster (``networkPolicy``, KubeRay 1.7).

Facts: ray-project/kuberay v1.7.0 ``ray-operator/controllers/ray/networkpolicy_controller.go`` and the comments of
its sample: between the pods of one cluster all is open, and nothing else is let through unless a rule says so.
"""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.field import View
from raylint.rule import Confidence, Problem, Severity, unsafe

from .address import RedisAddress, address_in_force
from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from raylint.rule import Problems, Repair

__all__ = [
    "dashboard_port",
    "network_policy_without_api_server",
    "network_policy_without_dns",
    "network_policy_without_operator",
    "network_policy_without_store",
    "operator_asks",
    "store_port",
]

MENTIONS = ("networkPolicy",)
_POLICY = "networkPolicy"
_DNS = 53
_DASHBOARD = 8265


# Where the DNS of nearly every Kubernetes cluster runs.
_TO_DNS: dict[str, object] = {
    "to": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}}}],
    "ports": [{"protocol": "UDP", "port": 53}, {"protocol": "TCP", "port": 53}],
}

# The operator's pods, wherever they are: the chart and the kustomization of v1.7.0 give them this label.
_OPERATOR: dict[str, object] = {
    "namespaceSelector": {},
    "podSelector": {"matchLabels": {"app.kubernetes.io/component": "kuberay-operator"}},
}


class _Rules:
    """The rules of one direction for one kind of pods. ``at`` is where one that is missing belongs, ``name`` the
    part to make there."""

    def __init__(self, part: View, direction: str, pods: str, name: str = "") -> None:
        self.pods = pods
        self.at = part
        self.name = () if not name or part.path[-1] == name else (name,)
        self.rules = [View(part.document, path, item) for path, item in part.parts(direction)]

    def lets_through(self, fits: Callable[[View], bool]) -> bool:
        return any(fits(rule) for rule in self.rules)

    def with_rule(self, direction: str, rule: dict[str, object]) -> Repair:
        """One rule more."""
        if self.rules:
            return unsafe(self.at.at_key(*self.name, direction, len(self.rules)).set(rule))
        return unsafe(self.at.at_key(*self.name, direction).set([rule]))

    def problem(
        self, direction: str, message: str, *, effect: str, fix: str, repair: Repair | None = None
    ) -> Problem:
        at = self.at
        shown = at.at_key(direction) if at.has(direction) else at.at
        return Problem(shown.key(), message, effect=effect, fix=fix, repair=repair)


def _egress(cluster: RayCluster) -> Iterator[_Rules]:
    """The head's rules for what leaves, then those of the worker groups; none where nothing is denied."""
    policy = cluster.part(_POLICY)
    if not _denies(cluster, "DenyAllIngress"):
        return
    yield _Rules(_written(policy, "head"), "egressRules", "the head", "head")
    own = {
        group.string("groupName").value: group
        for group in (View(policy.document, path, item) for path, item in policy.parts("workerGroups"))
    }
    shared = False
    for worker in cluster.worker_groups:
        group = own.get(worker.name)
        if group is not None:
            yield _Rules(group, "egressRules", worker.title)
        elif not shared:
            shared = True
            yield _Rules(_written(policy, "worker"), "egressRules", "the workers", "worker")


def _denies(cluster: RayCluster, open_mode: str) -> bool:
    """Is there a policy, for a cluster that is built, whose mode is known and not ``open_mode``?"""
    policy = cluster.part(_POLICY)
    if not isinstance(cluster.data.get(_POLICY), dict) or not cluster.is_built:
        return False
    return policy.string("mode", "DenyAll").value not in (open_mode, None)


def _written(policy: View, name: str) -> View:
    """The part, or the policy itself where the part is not written, to have a place."""
    part = policy.part(name)
    return part if policy.has(name) else View(policy.document, policy.path, {})


def store_port(cluster: RayCluster) -> int | None:
    """The port of the cluster's Redis; None without one, or where its address cannot be known."""
    written = address_in_force(cluster)
    return RedisAddress(written.value).port_number if written is not None and written.value else None


def _ports(rule: View) -> list[tuple[object, object]]:
    """Ports of a rule with the ends of their ranges; empty: every port."""
    ports = [View(rule.document, path, item).data for path, item in rule.parts("ports")]
    return [(port.get("port"), port.get("endPort")) for port in ports]


def _opens(rule: View, number: int) -> bool:
    """Is the port, or a port that only a name tells, among those of the rule?"""
    return not rule.data.get("ports") or any(
        not isinstance(first, int) or first == number or (isinstance(last, int) and first <= number <= last)
        for first, last in _ports(rule)
    )


def _peers(rule: View) -> list[dict[str, object]]:
    return [View(rule.document, path, item).data for path, item in rule.parts("to")]


def _may_reach_dns(rule: View) -> bool:
    """A rule for port 53; or for every port, unless it only reaches pods of the cluster's own namespace."""
    if rule.data.get("ports"):
        return _opens(rule, _DNS)
    peers = _peers(rule)
    return not peers or any("namespaceSelector" in peer or "ipBlock" in peer for peer in peers)


def _may_reach_api_server(rule: View) -> bool:
    """The API server is no pod that a selector could find: it takes an address, or no limit at all."""
    peers = _peers(rule)
    if peers and not any("ipBlock" in peer for peer in peers):
        return False
    return not rule.data.get("ports") or any(first != _DNS for first, _ in _ports(rule))


@outlined("RAY805", Severity.ERROR, _POLICY, kuberay="1.7..", reports=("FR-117",), fixes="unsafe")
def network_policy_without_dns(cluster: RayCluster) -> Problems:
    """A network policy without a way to DNS: workers cannot look the head up, and the cluster never starts.

    A `networkPolicy` of mode `DenyAll` (the default) or `DenyAllEgress` whose `egressRules` for the head, for the
    workers, or for a group of its own in `workerGroups` let nothing through to port 53. An entry in `workerGroups`
    replaces the rules of `worker`, it does not add to them.

    It stays silent where a rule without ports reaches another namespace, an address, or everything.

    Then: KubeRay opens the traffic between the pods of the cluster and nothing else. Workers find the head by the
    name of its Service; the name does not resolve, the init container `wait-gcs-ready` waits for ever, and the
    pods stay in `Init:0/1`.

    Gate: RayClusterNetworkPolicy
    Fix: Add a rule for port 53, UDP and TCP, to the namespace of the DNS server.
    Ignore: Where another NetworkPolicy, or one of the network's own kind, lets these pods reach DNS.
    Source: ray-project/kuberay v1.7.0, sample `ray-cluster.network-policy-deny-all.yaml`;
    ray-project/kuberay#4638.

    bad RayCluster
      cluster: networkPolicy:  # <-
      cluster:   mode: DenyAll
    bad RayCluster -- The group's own entry has no rule for DNS:
      cluster: networkPolicy:
      cluster:   head: {egressRules: [{ports: [{port: 53, protocol: UDP}]}]}
      cluster:   worker: {egressRules: [{ports: [{port: 53, protocol: UDP}]}]}
      cluster:   workerGroups:
      cluster:   - groupName: cpu
      cluster:     egressRules: [{ports: [{port: 443}]}]  # <-
      group: groupName: cpu
    good RayCluster
      cluster: networkPolicy:
      cluster:   head: {egressRules: [{ports: [{port: 53, protocol: UDP}]}]}
      cluster:   worker: {egressRules: [{ports: [{port: 53, protocol: UDP}]}]}
      group: groupName: cpu
    good RayCluster
      cluster: networkPolicy: {mode: DenyAllIngress}
      group: groupName: cpu
    near-miss RayCluster -- Everything in the DNS server's namespace may be reached:
      cluster: networkPolicy:
      cluster:   mode: DenyAllEgress
      cluster:   head: &dns
      cluster:     egressRules:
      cluster:     - to: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: kube-system}}}]
      cluster:   worker: *dns
      group: groupName: cpu
    """
    for rules in _egress(cluster):
        if not rules.lets_through(_may_reach_dns):
            yield rules.problem(
                "egressRules",
                f"nothing lets {rules.pods} through to DNS (port 53)",
                effect="names do not resolve: workers wait for the head in wait-gcs-ready for ever",
                fix="add an egress rule for port 53 (UDP and TCP) to the namespace of the DNS server",
                repair=rules.with_rule("egressRules", _TO_DNS),
            )


@outlined("RAY806", Severity.WARNING, _POLICY, confidence=Confidence.MEDIUM, kuberay="1.7..", reports=("FR-117",))
def network_policy_without_api_server(cluster: RayCluster) -> Problems:
    """A network policy keeps the autoscaler from the API server: it cannot add or remove a single pod.

    A `networkPolicy` that denies what leaves the head, `enableInTreeAutoscaling: true`, and no rule in
    `head.egressRules` that can reach the API server: one without `to`, or with an `ipBlock`, for another port than
    53. Selectors of pods or namespaces never match the API server.

    Then: The autoscaler's sidecar beside the head times out on every request to the API server. The cluster keeps
    the number of workers that it began with, and tasks that need more wait.

    Gate: RayClusterNetworkPolicy
    Fix: Add an egress rule with an `ipBlock` of the API server's address and its port (443 or 6443).
    Ignore: Where a policy of the network's own kind (CiliumNetworkPolicy with `kube-apiserver`) does it.
    Source: ray-project/kuberay v1.7.0, sample `ray-cluster.network-policy-deny-all.yaml`;
    ray-project/kuberay#4638.

    bad RayCluster
      cluster: enableInTreeAutoscaling: true
      cluster: networkPolicy:
      cluster:   head:
      cluster:     egressRules: [{ports: [{port: 53}]}]  # <-
    bad RayCluster -- A selector does not find the API server:
      cluster: enableInTreeAutoscaling: true
      cluster: networkPolicy:
      cluster:   head:
      cluster:     egressRules:  # <-
      cluster:     - to: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: default}}}]
    good RayCluster
      cluster: enableInTreeAutoscaling: true
      cluster: networkPolicy:
      cluster:   head:
      cluster:     egressRules:
      cluster:     - ports: [{port: 53}]
      cluster:     - to: [{ipBlock: {cidr: 10.0.0.1/32}}]
      cluster:       ports: [{port: 6443}]
    good RayCluster
      cluster: networkPolicy: {head: {egressRules: [{ports: [{port: 53}]}]}}
    near-miss RayCluster -- Everything may leave the head:
      cluster: enableInTreeAutoscaling: true
      cluster: networkPolicy: {head: {egressRules: [{}]}}
    """
    if not cluster.autoscaler.enabled:
        return
    for rules in _egress(cluster):
        if rules.pods == "the head" and not rules.lets_through(_may_reach_api_server):
            yield rules.problem(
                "egressRules",
                "nothing lets the autoscaler through to the API server",
                effect="the autoscaler times out on every request: no worker is added or removed",
                fix="add an egress rule to the head with an ipBlock of the API server and its port (443 or 6443)",
            )


@outlined("RAY807", Severity.WARNING, _POLICY, kuberay="1.7..", reports=("FR-117",), fixes="unsafe")
def network_policy_without_store(cluster: RayCluster) -> Problems:
    """A network policy keeps the head from the Redis that fault tolerance depends on.

    A `networkPolicy` that denies what leaves the head, GCS fault tolerance with Redis, and no rule in
    `head.egressRules` for the port of its address.

    It stays silent where the address cannot be known.

    Then: Ray's head waits for Redis and gives up; the head's container restarts again and again, with `Could not
    establish connection to Redis` in its log.

    Gate: RayClusterNetworkPolicy
    Fix: Add an egress rule to the head for the port of Redis.
    Ignore: Where another NetworkPolicy lets the head reach Redis.
    Source: ray-project/kuberay v1.7.0, `networkpolicy_controller.go`; Ray 2.60.0 `_private/services.py`.

    bad RayCluster
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis:6379"}
      cluster: networkPolicy:
      cluster:   head:
      cluster:     egressRules: [{ports: [{port: 53}]}]  # <-
    bad RayCluster
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis.data.svc:6390"}
      cluster: networkPolicy:
      cluster:   head:
      cluster:     egressRules: [{ports: [{port: 53}, {port: 6379}]}]  # <-
    good RayCluster
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis:6379"}
      cluster: networkPolicy: {head: {egressRules: [{ports: [{port: 53}, {port: 6379}]}]}}
    good RayCluster
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis:6379"}
      cluster: networkPolicy: {mode: DenyAllIngress}
    near-miss RayCluster -- A range of ports:
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis:6379"}
      cluster: networkPolicy: {head: {egressRules: [{ports: [{port: 6000, endPort: 7000}]}]}}
    """
    port = store_port(cluster)
    if port is None:
        return
    for rules in _egress(cluster):
        if rules.pods == "the head" and not rules.lets_through(lambda rule: _opens(rule, port)):
            yield rules.problem(
                "egressRules",
                f"nothing lets the head through to Redis (port {port})",
                effect="the head waits for Redis and gives up; its container restarts again and again",
                fix=f"add an egress rule to the head for port {port}",
                repair=rules.with_rule("egressRules", {"ports": [{"protocol": "TCP", "port": port}]}),
            )


@outlined("RAY808", Severity.WARNING, _POLICY, kuberay="1.7..", reports=("FR-117",), fixes="unsafe")
def network_policy_without_operator(cluster: RayCluster) -> Problems:
    """A network policy keeps the operator from the dashboard, by which it drives a RayJob or RayService.

    A `networkPolicy` of a RayJob, RayCronJob or RayService that denies what comes in (mode `DenyAll`, the default,
    or `DenyAllIngress`) without a rule in `head.ingressRules` for the dashboard's port.

    It stays silent in InteractiveMode and on a RayCluster, of which the operator asks nothing.

    Then: KubeRay opens the dashboard for the submitter of a RayJob, not for itself. It asks the dashboard for a
    job's status and sends it Serve's configuration: a RayJob never leaves `Running` or `Waiting`, a RayService
    never deploys an application.

    Gate: RayClusterNetworkPolicy
    Fix: Add an ingress rule to the head: from the operator's namespace, to port 8265.
    Ignore: Where another NetworkPolicy lets the operator in.
    Source: ray-project/kuberay v1.7.0, `networkpolicy_controller.go`.

    bad RayService
      cluster: networkPolicy:  # <-
      cluster:   mode: DenyAllIngress
    bad RayJob
      cluster: networkPolicy:
      cluster:   mode: DenyAllIngress
      cluster:   head:
      cluster:     ingressRules: [{ports: [{port: 8080}]}]  # <-
    good RayService
      cluster: networkPolicy:
      cluster:   mode: DenyAllIngress
      cluster:   head:
      cluster:     ingressRules:
      cluster:     - from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: kuberay}}}]
      cluster:       ports: [{port: 8265}]
    good RayJob
      cluster: networkPolicy: {mode: DenyAllEgress, head: {egressRules: [{}]}}
    near-miss RayCluster -- Nobody but its users asks a RayCluster:
      cluster: networkPolicy: {mode: DenyAllIngress}
    """
    if not operator_asks(cluster) or not _denies(cluster, "DenyAllEgress"):
        return
    policy = cluster.part(_POLICY)
    port = dashboard_port(cluster)
    rules = _Rules(_written(policy, "head"), "ingressRules", "the head", "head")
    if port is not None and not rules.lets_through(lambda rule: _opens(rule, port)):
        yield rules.problem(
            "ingressRules",
            f"nothing lets the operator in to the dashboard (port {port})",
            effect=f"the operator cannot ask the dashboard: the {cluster.kind} never gets further",
            fix=f"add an ingress rule to the head: from the operator's namespace, to port {port}",
            repair=rules.with_rule(
                "ingressRules", {"from": [_OPERATOR], "ports": [{"protocol": "TCP", "port": port}]}
            ),
        )


def operator_asks(cluster: RayCluster) -> bool:
    """Does the operator talk to the dashboard, to follow a job or to deploy applications?"""
    job = cluster.owner.job
    return cluster.kind != "RayCluster" and (job is None or job.submission_mode.value != "InteractiveMode")


def dashboard_port(cluster: RayCluster) -> int | None:
    """The dashboard's port; None where it is not written as a number."""
    written = cluster.head.start_param("dashboard-port")
    if not written:
        return _DASHBOARD
    return int(written.value) if written.value and written.value.isdecimal() else None
