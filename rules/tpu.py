"""TPU slices of GKE: topology, hosts, chips and node selectors have to agree."""

from __future__ import annotations

from raylint.group import WorkerGroup
from raylint.rule import Confidence, Severity, unsafe

from .inner_page import looks_into
from .near_miss import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.field import View
    from raylint.rule import Problems

__all__ = ["tpu_accelerator_misspelt", "tpu_hosts_do_not_fit", "tpu_selector_missing", "tpu_topology_unknown"]

MENTIONS = ("google.com/tpu",)

_RESOURCE = "google.com/tpu"
_TOPOLOGY = "cloud.google.com/gke-tpu-topology"
_ACCELERATOR = "cloud.google.com/gke-tpu-accelerator"
# Topologies are a x b, or a x b x c for the accelerators whose chips are joined in three dimensions.
_FLAT = frozenset({"1x1", "2x2", "2x4", "4x4", "4x8", "8x8", "8x16", "16x16"})
_DIMENSIONS = {
    "tpu-v4-podslice": 3, "tpu-v4-lite-device": 3, "tpu-v5p-slice": 3, "tpu7x": 3,
    "tpu-v5-lite-device": 2, "tpu-v5-lite-podslice": 2, "tpu-v6e-slice": 2,
}  # fmt: skip
# What the generations are called everywhere but in this label.
_CALLED_OTHERWISE = {
    "tpu-v4": "tpu-v4-podslice", "tpu-v4-slice": "tpu-v4-podslice", "tpu-v4-pod": "tpu-v4-podslice",
    "tpu-v5e": "tpu-v5-lite-podslice", "tpu-v5e-slice": "tpu-v5-lite-podslice",
    "tpu-v5e-podslice": "tpu-v5-lite-podslice", "tpu-v5-lite": "tpu-v5-lite-podslice",
    "tpu-v5-lite-slice": "tpu-v5-lite-podslice", "tpu-v5p": "tpu-v5p-slice", "tpu-v5p-podslice": "tpu-v5p-slice",
    "tpu-v6e": "tpu-v6e-slice", "tpu-v6e-podslice": "tpu-v6e-slice", "tpu-v7x": "tpu7x", "tpu-7x": "tpu7x",
}  # fmt: skip


def _chips(topology: str) -> int | None:
    """The chips of a topology such as 2x2x1; None where it is none."""
    total = 1
    for part in topology.split("x"):
        if not (part.isdecimal() and part.isascii() and len(part) <= 4):
            return None
        total *= int(part)
    return total


def _is_no_topology_of(accelerator: str, topology: str) -> bool:
    """Has this TPU, which is known, no such topology?"""
    dimensions = _DIMENSIONS.get(accelerator)
    if dimensions is None:
        return False
    fits = topology in _FLAT if dimensions == 2 else topology.count("x") == 2
    return not fits or _chips(topology) is None


@looks_into("RAY411", Severity.ERROR, reports=("FR-075",), fixes="unsafe")
def tpu_hosts_do_not_fit(group: WorkerGroup) -> Problems:
    """The number of hosts is not what the TPU topology needs: the slice never forms.

    ## What it flags
    A worker group with a limit on `google.com/tpu` and the node selector for a topology, where the chips of the
    topology, divided by the chips of one pod, are not `numOfHosts`: a `4x4` slice with four chips a pod has four
    hosts.

    It stays silent where the topology is no product of numbers, or none of this TPU (RAY412).

    ## What happens
    A TPU slice is one unit: all its hosts start together. With too few pods the program waits for the other hosts
    at its first collective, for ever; with too many the rest find no node in the slice and stay Pending. KubeRay
    treats `numOfHosts` pods as one replica and replaces them together, so a wrong number breaks up slices, too.

    ## Versions
    `numOfHosts` since KubeRay 1.1.

    ## Fix
    `numOfHosts` = chips of the topology / chips of a pod.

    ## When to ignore it
    Never.

    ## Source
    Ray `doc/source/cluster/kubernetes/user-guides/tpu.md`; GKE documentation on TPU node pools;
    GoogleCloudPlatform/ai-on-gke#140, #180.

    ## Examples
    ```yaml bad worker
    replicas: 1
    numOfHosts: 1  # <-
    template:
      spec:
        nodeSelector:
          cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
          cloud.google.com/gke-tpu-topology: 4x4
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-py311-tpu
          resources: {limits: {cpu: "24", google.com/tpu: "4"}}
    ```

    `numOfHosts` is 1 unless it is written:

    ```yaml bad worker
    replicas: 1
    template:
      spec:
        nodeSelector:
          cloud.google.com/gke-tpu-accelerator: tpu-v4-podslice
          cloud.google.com/gke-tpu-topology: 2x2x2  # <-
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-py311-tpu
          resources: {limits: {cpu: "24", google.com/tpu: "4"}}
    ```

    ```yaml good worker
    replicas: 1
    numOfHosts: 4
    template:
      spec:
        nodeSelector:
          cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
          cloud.google.com/gke-tpu-topology: 4x4
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-py311-tpu
          resources: {limits: {cpu: "24", google.com/tpu: "4"}}
    ```

    The same topology on one host with eight chips:

    ```yaml good near-miss worker
    replicas: 1
    template:
      spec:
        nodeSelector:
          cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
          cloud.google.com/gke-tpu-topology: 2x4
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-py311-tpu
          resources: {limits: {cpu: "24", google.com/tpu: "8"}}
    ```
    """
    limit = group.ray_container.limit(_RESOURCE).value
    if limit is None or limit.rounded_up <= 0 or not group.cluster.is_built:
        return
    selector = group.pod.part("nodeSelector")
    topology = selector.string(_TOPOLOGY)
    chips = _chips(topology.value) if topology.value else None
    # Hosts for a topology that does not exist help nobody: RAY412 tells of it.
    if _is_no_topology_of(selector.string(_ACCELERATOR).value or "", topology.value or ""):
        return
    hosts = group.num_of_hosts
    if chips is None or hosts.value is None or hosts.value * limit.rounded_up == chips:
        return
    per_pod = limit.rounded_up
    needed, rest = divmod(chips, per_pod)
    place = hosts if hosts else topology
    yield place.flag(
        f"the topology {topology.value} has {chips} chips, and the slice's pods ({hosts.value} with {per_pod}"
        " each) have"
        f" {hosts.value * per_pod}: it never forms",
        label="not the hosts of the topology",
        because=[
            (topology.at, f"{chips} chips"),
            (group.ray_container.limit(_RESOURCE).at, f"{per_pod} chips a pod"),
        ],
        effect="the hosts wait for each other for ever, or some pods stay Pending",
        fix=f"write numOfHosts: {needed}"
        if not rest and needed
        else "choose a topology that the pods' chips divide",
        repair=unsafe(hosts.at.set(needed)) if not rest and needed else None,
    )


@looks_into("RAY412", Severity.ERROR, confidence=Confidence.MEDIUM, reports=("FR-076",))
def tpu_topology_unknown(group: WorkerGroup) -> Problems:
    """There is no such topology for this kind of TPU: the pods stay Pending.

    ## What it flags
    A worker group with a limit on `google.com/tpu` whose topology selector is not one of the accelerator's: v5e
    and v6e have flat ones (1x1, 2x2, 2x4, 4x4, 4x8, 8x8, 8x16, 16x16), v4, v5p and TPU7x have three dimensions.

    It stays silent about accelerators that it does not know.

    ## What happens
    No node pool can have such a label: the pods are Pending for ever, and node auto-provisioning creates nothing.

    ## Versions
    The table is that of the TPU generations up to TPU7x.

    ## Fix
    Choose a topology of that accelerator, and `numOfHosts` with it.

    ## When to ignore it
    When a newer generation or topology is out that this table does not have yet.

    ## Source
    GKE documentation, "Plan TPUs in GKE"; google/sam#101.

    ## Examples
    ```yaml bad worker
    numOfHosts: 2
    template:
      spec:
        nodeSelector:
          cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
          cloud.google.com/gke-tpu-topology: 2x2x2  # <-
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-py311-tpu
          resources: {limits: {cpu: "24", google.com/tpu: "4"}}
    ```

    ```yaml bad worker
    template:
      spec:
        nodeSelector:
          cloud.google.com/gke-tpu-accelerator: tpu-v5p-slice
          cloud.google.com/gke-tpu-topology: 2x2  # <-
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-py311-tpu
          resources: {limits: {cpu: "24", google.com/tpu: "4"}}
    ```

    ```yaml good worker
    template:
      spec:
        nodeSelector:
          cloud.google.com/gke-tpu-accelerator: tpu-v5p-slice
          cloud.google.com/gke-tpu-topology: 2x2x1
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-py311-tpu
          resources: {limits: {cpu: "24", google.com/tpu: "4"}}
    ```

    A generation that the table does not know:

    ```yaml good near-miss worker
    template:
      spec:
        nodeSelector:
          cloud.google.com/gke-tpu-accelerator: tpu9-slice
          cloud.google.com/gke-tpu-topology: 2x2x1x1
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-py311-tpu
          resources: {limits: {cpu: "24", google.com/tpu: "4"}}
    ```
    """
    if _RESOURCE not in group.ray_container.limits or not group.cluster.is_built:
        return
    selector = group.pod.part("nodeSelector")
    topology, accelerator = selector.string(_TOPOLOGY), selector.string(_ACCELERATOR).value or ""
    if topology.value and _is_no_topology_of(accelerator, topology.value):
        flat = _DIMENSIONS[accelerator] == 2
        kind = "two dimensions, up to 16x16" if flat else "three dimensions, such as 2x2x1"
        yield topology.flag(
            f"there is no topology {topology.value} of {accelerator}, which has {kind}: the pods stay Pending",
            label="no such topology",
            because=[(selector.at_key(_ACCELERATOR), "of this TPU")],
            effect="no node can match, and none is made",
            fix=f"choose a topology with {kind}, and numOfHosts for it",
        )


@looks_into("RAY415", Severity.ERROR, confidence=Confidence.MEDIUM, reports=("FR-076",), fixes="unsafe")
def tpu_accelerator_misspelt(group: WorkerGroup) -> Problems:
    """The node selector names a TPU that is almost one that GKE has: the pods stay Pending.

    ## What it flags
    A worker group with a limit on `google.com/tpu` whose selector `cloud.google.com/gke-tpu-accelerator` is a
    letter or two away from a known accelerator of the same generation, or its generation alone.

    It stays silent about generations that it does not know.

    ## What happens
    No node pool has such a label: the pods are Pending for ever, and node auto-provisioning creates nothing.

    ## Versions
    The table is that of the TPU generations up to TPU7x.

    ## Fix
    Write the accelerator as GKE calls it; v5e is `tpu-v5-lite-podslice` there.

    ## When to ignore it
    When nodes of your own carry this label.

    ## Source
    GKE documentation, "Plan TPUs in GKE"; google/sam#101.

    ## Examples
    ```yaml bad worker
    template:
      spec:
        nodeSelector:
          cloud.google.com/gke-tpu-accelerator: tpu-v6e-slices  # <-
          cloud.google.com/gke-tpu-topology: 2x2
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-py311-tpu
          resources: {limits: {cpu: "24", google.com/tpu: "4"}}
    ```

    ```yaml bad worker
    template:
      spec:
        nodeSelector:
          cloud.google.com/gke-tpu-accelerator: tpu-v5e-slice  # <-
          cloud.google.com/gke-tpu-topology: 2x2
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-py311-tpu
          resources: {limits: {cpu: "24", google.com/tpu: "4"}}
    ```

    ```yaml good worker
    template:
      spec:
        nodeSelector:
          cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
          cloud.google.com/gke-tpu-topology: 2x2
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-py311-tpu
          resources: {limits: {cpu: "24", google.com/tpu: "4"}}
    ```

    ```yaml good worker
    template:
      spec:
        nodeSelector:
          cloud.google.com/gke-tpu-accelerator: tpu-v5-lite-podslice
          cloud.google.com/gke-tpu-topology: 2x2
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-py311-tpu
          resources: {limits: {cpu: "24", google.com/tpu: "4"}}
    ```

    A letter away, and another generation:

    ```yaml good near-miss worker
    template:
      spec:
        nodeSelector:
          cloud.google.com/gke-tpu-accelerator: tpu-v8e-slice
          cloud.google.com/gke-tpu-topology: 2x2
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-py311-tpu
          resources: {limits: {cpu: "24", google.com/tpu: "4"}}
    ```
    """
    if _RESOURCE not in group.ray_container.limits or not group.cluster.is_built:
        return
    written = group.pod.part("nodeSelector").string(_ACCELERATOR)
    meant = _accelerator_meant(written.value or "")
    if meant is not None:
        yield written.flag(
            f"no TPU of GKE is called {written.value!r}, only {meant!r}: the {group.title}'s pods stay Pending",
            label="no such TPU",
            effect="no node can match, and none is made",
            fix=f"write {meant}",
            repair=unsafe(written.at.set(meant)),
        )


def _accelerator_meant(name: str) -> str | None:
    """The known accelerator that this is a slip or a shorter name of; None where it is one, or like none."""
    if not name or name in _DIMENSIONS:
        return None
    if name in _CALLED_OTHERWISE:
        return _CALLED_OTHERWISE[name]
    same = [
        known
        for known in _DIMENSIONS
        if known.partition("-")[2].partition("-")[0] == name.partition("-")[2].partition("-")[0]
    ]
    return nearest(name, same) if same and name.count("-") > 1 else None


@looks_into("RAY413", Severity.ERROR, confidence=Confidence.MEDIUM, reports=("FR-075",))
def tpu_selector_missing(group: WorkerGroup) -> Problems:
    """A TPU without the node selectors that say which: the pod finds no node, and the autoscaler no slice.

    ## What it flags
    A worker group with a limit on `google.com/tpu` whose pod template lacks one of the node selectors
    `cloud.google.com/gke-tpu-accelerator` and `cloud.google.com/gke-tpu-topology`.

    It stays silent where a node affinity, a node name or a compute class chooses the nodes instead.

    ## What happens
    GKE places TPU pods by these two labels: without them the pods stay Pending and no node is provisioned. Ray's
    autoscaler logs "Pods using TPUs require both ... node selectors" and does not know the slice's head resource
    (`TPU-v6e-16-head`), so whatever waits for a whole slice waits for ever.

    ## Versions
    All.

    ## Fix
    Write both selectors, as the node pool has them.

    ## When to ignore it
    When a webhook adds them.

    ## Source
    Ray 2.60.0, `autoscaler/_private/kuberay/autoscaling_config.py`; Ray
    `doc/source/cluster/kubernetes/user-guides/tpu.md`; GoogleCloudPlatform/ai-on-gke#140.

    ## Examples
    ```yaml bad worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-py311-tpu
          resources:
            limits: {cpu: "24", google.com/tpu: "4"}  # <-
    ```

    ```yaml bad worker
    template:
      spec:
        nodeSelector: {cloud.google.com/gke-tpu-topology: 2x2x1}
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-py311-tpu
          resources:
            limits: {cpu: "24", google.com/tpu: "4"}  # <-
    ```

    ```yaml good worker
    template:
      spec:
        nodeSelector:
          cloud.google.com/gke-tpu-accelerator: tpu-v4-podslice
          cloud.google.com/gke-tpu-topology: 2x2x1
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-py311-tpu
          resources: {limits: {cpu: "24", google.com/tpu: "4"}}
    ```

    A compute class knows the TPU:

    ```yaml good near-miss worker
    template:
      spec:
        nodeSelector: {cloud.google.com/compute-class: tpu-v6e}
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-py311-tpu
          resources: {limits: {cpu: "24", google.com/tpu: "4"}}
    ```
    """
    limit = group.ray_container.limit(_RESOURCE)
    if limit.value is None or limit.value.nanos <= 0 or not group.cluster.is_built:
        return
    pod = group.pod
    selector = pod.part("nodeSelector")
    missing = [label for label in (_ACCELERATOR, _TOPOLOGY) if not selector.has(label)]
    if missing and not _is_placed_otherwise(pod, selector):
        yield limit.flag(
            f"the {group.title} asks for a TPU without saying which: {' and '.join(missing)} missing among its"
            f" node"
            " selectors",
            label="which TPU?",
            effect="the pods stay Pending, and the autoscaler does not know the slice",
            fix="write both node selectors, as the node pool has them",
        )


def _is_placed_otherwise(pod: View, selector: View) -> bool:
    return (
        pod.part("affinity").has("nodeAffinity")
        or pod.has("nodeName")
        or selector.has("cloud.google.com/compute-class")
        or selector.has("cloud.google.com/gke-nodepool")
    )
