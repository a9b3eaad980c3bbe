"""Ray on the network of the node."""

from __future__ import annotations

from raylint.group import Group, WorkerGroup
from raylint.rule import Severity, rule, unsafe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

MENTIONS = ("hostNetwork",)


@rule("RAY341", Severity.WARNING, reports=("FR-054",), fixes="unsafe")
def host_network(group: Group) -> Problems:
    """Ray on the node's network: fixed ports meet each other, and cluster names do not resolve.

    ## What it flags
    A pod template with `hostNetwork: true`
    - whose `dnsPolicy` is not `ClusterFirstWithHostNet`; or
    - of a worker group that can have more than one pod, without `podAntiAffinity`.

    ## What happens
    Every port of Ray is a port of the node: metrics 8080, dashboard agent 52365, the workers' 10002 to 19999. A
    second Ray pod on the node cannot bind them; its agent dies, and with it the raylet, or its logs and metrics
    are missing. With the default DNS policy such a pod asks the node's resolver, which does not know the head's
    Service, so workers wait for ever.

    ## Versions
    All.

    ## Fix
    Remove `hostNetwork`; else set `dnsPolicy: ClusterFirstWithHostNet` and an anti-affinity that keeps two Ray
    pods off one node (or a DaemonSet-like `topologySpreadConstraints`, or a request that fills a node).

    ## When to ignore it
    Where every Ray pod fills a node by its requests (GPU and RDMA nodes).

    ## Source
    ray-project/kuberay#1738; Kubernetes "DNS for Services and Pods"; Ray 2.60.0 default ports.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:
          spec:
            hostNetwork: true  # <-
            containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: rdma
        replicas: 4
        template:
          spec:
            hostNetwork: true  # <-
            dnsPolicy: ClusterFirstWithHostNet
            containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: rdma
        replicas: 4
        template:
          spec:
            hostNetwork: true
            dnsPolicy: ClusterFirstWithHostNet
            affinity:
              podAntiAffinity:
                requiredDuringSchedulingIgnoredDuringExecution:
                - topologyKey: kubernetes.io/hostname
                  labelSelector: {matchLabels: {ray.io/group: rdma}}
            containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]
    ```

    One pod, with the right DNS policy:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:
          spec:
            hostNetwork: true
            dnsPolicy: ClusterFirstWithHostNet
            containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]
    ```
    """
    network = group.pod.boolean("hostNetwork", False)
    if network.value is not True or not group.cluster.is_built:
        return
    policy = group.pod.string("dnsPolicy", "ClusterFirst")
    names = policy.known and policy.value != "ClusterFirstWithHostNet"
    crowded = _may_share_a_node(group)
    if not names and not crowded:
        return
    reasons = ["the head's Service does not resolve"] if names else []
    reasons += ["pods on one node share its ports"] if crowded else []
    yield network.flag(
        f"the {group.title} runs on the node's network: {' and '.join(reasons)}",
        label="every port of Ray is a port of the node",
        effect="workers wait for a head that their DNS does not know"
        if names
        else "the second Ray pod of a node"
        " cannot bind metrics, agent and worker ports; its raylet dies or its logs are missing",
        fix="remove hostNetwork, or set dnsPolicy: ClusterFirstWithHostNet and a podAntiAffinity by node",
        repair=None if crowded else unsafe(policy.at.set("ClusterFirstWithHostNet", after="hostNetwork")),
    )


def _may_share_a_node(group: Group) -> bool:
    if not isinstance(group, WorkerGroup) or (group.possible_pods or 0) < 2:
        return False
    spread = group.pod.has("topologySpreadConstraints")
    return not spread and not group.pod.part("affinity").has("podAntiAffinity")
