"""What is wrong with the pod that KubeRay makes of a group: what the API server refuses in it, amounts with which
it never runs, and ports on which nobody listens.

The CRDs of KubeRay hold a pod's fields without the checks of a pod, so a mistake in one of them shows only when
the operator makes the pod. Nearly all pods are sound: what is looked at is the plain data, and places are made
for faults alone.

Facts: Kubernetes 1.36 ``core/v1`` types, ``pkg/apis/core/validation/validation.go``
(``validateContainerCommon``, ``ValidateEnv``, ``validateContainerPorts``, ``ValidateVolumeMounts``,
``ValidateResourceRequirements``), ``pkg/api/pod/warnings.go``, ``apimachinery/pkg/util/validation``
(``IsValidPortName``, ``IsValidPortNum``); for what the operator adds to a pod, ray-project/kuberay v1.7.0
``common/pod.go`` and ``rayjob_controller.go``; for Ray's ports, Ray 2.60.0 ``scripts.py``.
"""

from __future__ import annotations

from raylint.field import View, is_template
from raylint.glance import (
    EFFECTS,
    LAST_PORT,
    LONGEST_PORT_NAME,
    OF_CONTAINERS,
    OF_KUBERAY,
    OF_PODS,
    RAY_PORTS,
    SERVICES,
    fault_of_port_name,
    is_plain_name,
    is_slip,
    is_usual_toleration,
)
from raylint.quantity import parse_quantity
from raylint.rule import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from raylint.cluster import RayCluster
    from raylint.glance import Known
    from raylint.group import Group
    from raylint.pod import Container
    from raylint.rule import Location, Repair, Severity

__all__ = ["PodFault", "faults"]

_WORDS_OF_PODS = frozenset([key for key, _ in OF_PODS])
_WORDS_OF_CONTAINERS = frozenset([key for key, _ in OF_CONTAINERS])
_TOLERATION: Known = (("operator", ("Exists", "Equal", "Lt", "Gt")), ("effect", EFFECTS))
_PORT: Known = (("protocol", ("TCP", "UDP", "SCTP")),)
_SERVICE: Known = (("serviceType", SERVICES),)
_LOGS = "ray-logs"
_ADDED_TO_WORKERS = {"wait-gcs-ready": "KubeRay's init container"}

# Of these a limit may be larger than the request; devices and huge pages are another matter.
_DIVISIBLE = ("cpu", "memory", "ephemeral-storage")
_WITH_UNIT = ("memory", "cpu")


class PodFault:
    """One fault. ``kind`` is what rules pick by; ``at`` is where it is written, ``other`` a second place that has
    to do with it; ``what`` is what messages name: a name, or the fault in words; ``fix`` what to write instead,
    where that depends on the fault."""

    __slots__ = ("at", "fix", "kind", "other", "what")

    def __init__(
        self, kind: str, at: Location, what: str, *, fix: str = "", other: Location | None = None
    ) -> None:
        self.kind = kind
        self.at = at
        self.what = what
        self.fix = fix
        self.other = other

    def flag(
        self,
        message: str,
        *,
        effect: str,
        fix: str,
        label: str = "",
        because: str = "",
        severity: Severity | None = None,
        repair: Repair | None = None,
    ) -> Problem:
        """The problem at the fault's place; ``because``: a word on the other place."""
        return Problem(
            self.at,
            message,
            effect=effect,
            fix=fix,
            label=label,
            because=[(self.other, because)] if self.other is not None else (),
            severity=severity,
            repair=repair,
        )


def faults(group: Group) -> tuple[PodFault, ...]:
    """All that is wrong with the pods of a group. Empty where KubeRay makes none."""
    if not group.cluster.is_built:
        return ()
    pod = group.pod
    found: list[PodFault] = []
    if not _WORDS_OF_PODS.isdisjoint(pod.data):
        _judge_words(pod, OF_PODS, found)
    if group.is_head:
        if "serviceType" in group.data:
            _judge_words(group, _SERVICE, found)
    elif not is_plain_name(group.data.get("groupName")):
        from raylint.pod_names import judge_group_name  # nearly all names are plain

        judge_group_name(group, found)
    _judge_placement(pod, found)
    containers = pod.init_containers + pod.containers
    for container in containers:
        _judge_container(container, found)
        _judge_mounts(container, group, found)
        _judge_amounts(container, found)
    if len(containers) > 1:
        from raylint.pod_company import judge_company  # nearly all Ray containers are alone

        judge_company(group, found)
    if not group.is_head:
        _judge_taken_names(pod.init_containers, _ADDED_TO_WORKERS, found)
        return tuple(found)
    _judge_taken_names(pod.containers, _added_to_head(group.cluster), found)
    _judge_ports_of_ray(group, found)
    if group.cluster.autoscaler.enabled:
        _judge_mounts(group.cluster.autoscaler, group, found)
        _judge_amounts(group.cluster.autoscaler, found)
    return tuple(found)


def _judge_words(view: View, known: Known, found: list[PodFault]) -> None:
    data = view.data
    for key, words in known:
        if key in data and data[key] not in words:
            written = view.string(key)
            if written.value:
                listed = ", ".join(words)
                what = f"{key} {written.value!r} is none of {listed}"
                found.append(PodFault("word", written.at, what, fix=f"one of {listed}"))


def _judge_placement(pod: View, found: list[PodFault]) -> None:
    tolerations = pod.data.get("tolerations")
    if isinstance(tolerations, list):
        for index, item in enumerate(tolerations):
            if not is_usual_toleration(item):
                _judge_toleration(_item(pod, "tolerations", index, item), found)
    if "affinity" in pod.data or "topologySpreadConstraints" in pod.data:
        from raylint.pod_affinity import judge_expressions  # few pods are choosy

        judge_expressions(pod, found)


def _judge_toleration(toleration: View, found: list[PodFault]) -> None:
    data = toleration.data
    _judge_words(toleration, _TOLERATION, found)
    operator, effect = toleration.string("operator", "Equal"), toleration.string("effect", "")
    if operator.value == "Exists" and data.get("value"):
        what = "the toleration with operator Exists has a value"
        found.append(PodFault("term", toleration.at_key("value"), what, fix="operator Equal, or no value"))
    if operator.value == "Equal" and not data.get("key"):
        what = "the toleration has no key, and its operator is not Exists"
        found.append(PodFault("term", toleration.at_key("operator"), what, fix="operator Exists, or a key"))
    if toleration.has("tolerationSeconds") and effect.value not in ("NoExecute", None):
        what = f"tolerationSeconds goes with the effect NoExecute alone, and the effect is {effect.value!r}"
        at = toleration.at_key("tolerationSeconds")
        found.append(PodFault("term", at, what, fix="effect NoExecute, or no tolerationSeconds"))


def _judge_container(container: Container, found: list[PodFault]) -> None:
    data = container.data
    if not _WORDS_OF_CONTAINERS.isdisjoint(data):
        _judge_words(container, OF_CONTAINERS, found)
    if not data.get("image"):
        found.append(PodFault("image", container.at_key("name"), container.name.value or ""))
    variables = data.get("env")
    if isinstance(variables, list):
        for index, entry in enumerate(variables):
            if isinstance(entry, dict) and "valueFrom" in entry and _has_two_sources(entry):
                variable = container.env_vars[index]
                at, other = variable.at_key("valueFrom"), variable.at_key("value")
                found.append(PodFault("source", at, variable.name, other=other))
    ports = data.get("ports")
    if isinstance(ports, list):
        _judge_ports(container, ports, found)


def _has_two_sources(entry: dict[str, object]) -> bool:
    return entry["valueFrom"] is not None and bool(entry.get("value"))


def _judge_ports(container: Container, ports: list[object], found: list[PodFault]) -> None:
    names: set[str] = set()
    for index, item in enumerate(ports):
        if not isinstance(item, dict):
            continue
        name = item.get("name")
        if isinstance(name, str) and name:
            fault = fault_of_port_name(name) if len(name) <= LONGEST_PORT_NAME else _too_long(name)
            if (fault or name in names) and not is_template(name):
                at = _item(container, "ports", index, item).at_key("name")
                fix = "a short name, or none" if fault else "another name, or none"
                what = f"the port name {name!r} {fault or 'is given twice in one container'}"
                found.append(PodFault("port", at, what, fix=fix))
            names.add(name)
        number = item.get("containerPort")
        if type(number) is not int or not 1 <= number <= LAST_PORT:
            _judge_port_number(_item(container, "ports", index, item), "containerPort", 1, found)
        if "hostPort" in item:
            # One of 0 is none.
            _judge_port_number(_item(container, "ports", index, item), "hostPort", 0, found)
        if "protocol" in item:
            _judge_words(_item(container, "ports", index, item), _PORT, found)


def _judge_ports_of_ray(head: Group, found: list[PodFault]) -> None:
    """Does Ray listen where the head says so? Nearly always it does, and no option tells it otherwise."""
    ray, params = head.ray_container, head.start_params.data
    ports = ray.data.get("ports")
    for index, item in enumerate(ports) if isinstance(ports, list) else ():
        name = item.get("name") if isinstance(item, dict) else None
        if isinstance(name, str) and name in RAY_PORTS:
            option, default = RAY_PORTS[name]
            if option in params or item.get("containerPort") != default:
                from raylint.head_ports import judge_port  # nearly all ports are Ray's own

                judge_port(head, _item(ray, "ports", index, item), found)


def _judge_port_number(port: View, key: str, least: int, found: list[PodFault]) -> None:
    written = port.integer(key)
    if written.value is not None and not least <= written.value <= LAST_PORT:
        what = f"{key} {written.value} is no number of a port"
        found.append(PodFault("port", written.at, what, fix=f"a number from 1 to {LAST_PORT}"))


def _too_long(name: str) -> str:
    return f"has {len(name)} characters, and {LONGEST_PORT_NAME} are allowed"


def _judge_mounts(owner: View, group: Group, found: list[PodFault]) -> None:
    mounts = owner.data.get("volumeMounts")
    if isinstance(mounts, list):
        volumes = group.pod.volume_names
        for index, item in enumerate(mounts):
            name = item.get("name") if isinstance(item, dict) else None
            if not isinstance(name, str) or name in volumes or _is_added(name, group):
                continue
            if name and not is_template(name):
                at = _item(owner, "volumeMounts", index, item).at_key("name")
                found.append(PodFault("mount", at, name))


def _is_added(volume: str, group: Group) -> bool:
    """Does KubeRay add a volume of this name to the pods of the group?"""
    if volume == _LOGS:
        cluster = group.cluster
        return (group.is_head and cluster.autoscaler.enabled) or cluster.has("historyServerOptions")
    return volume in OF_KUBERAY


def _judge_amounts(owner: View, found: list[PodFault]) -> None:
    resources = owner.data.get("resources")
    if not isinstance(resources, dict):
        return
    limits, requests = resources.get("limits"), resources.get("requests")
    limits = limits if isinstance(limits, dict) else {}
    _judge_units(owner, "limits", limits, {}, found)
    if isinstance(requests, dict):
        _judge_units(owner, "requests", requests, limits, found)
        _judge_requests(owner, requests, limits, found)


def _judge_requests(
    owner: View, requests: dict[str, object], limits: dict[str, object], found: list[PodFault]
) -> None:
    for name in _DIVISIBLE:
        request, limit = requests.get(name), limits.get(name)
        asked, allowed = parse_quantity(request), parse_quantity(limit)
        if asked is not None and allowed is not None and allowed < asked:
            what = f"the request of {request} {name} is above its limit, {limit}"
            at, other = (owner.part("resources").part(kind).at_key(name) for kind in ("requests", "limits"))
            found.append(PodFault("request", at, what, other=other))


def _judge_units(
    owner: View, kind: str, amounts: dict[str, object], told: dict[str, object], found: list[PodFault]
) -> None:
    """``told``: the limits, where these are the requests; one that equals its limit is not told of again."""
    for name in _WITH_UNIT:
        raw = amounts.get(name)
        quantity = parse_quantity(raw) if raw is not None else None
        if quantity is None or not is_slip(name, quantity.nanos) or parse_quantity(told.get(name)) == quantity:
            continue
        size = "1 byte" if quantity.rounded_up == 1 else f"{quantity.rounded_up} bytes"
        what = f"memory of {raw} is {size}" if name == "memory" else f"cpu of {raw}"
        found.append(PodFault(name, owner.part("resources").part(kind).at_key(name), what))


def _added_to_head(cluster: RayCluster) -> dict[str, str]:
    """Containers that KubeRay adds to the head, by their names."""
    added = {}
    if cluster.autoscaler.enabled:
        added["autoscaler"] = "KubeRay's autoscaler"
    if cluster.sidecar_submitter_policy is not None:
        added["ray-job-submitter"] = "the container that submits the job"
    return added


def _judge_taken_names(containers: Sequence[Container], added: dict[str, str], found: list[PodFault]) -> None:
    for container in containers if added else ():
        owner = added.get(container.name.value or "")
        if owner:
            what = f"the name {container.name.value!r} is that of {owner}"
            found.append(PodFault("taken", container.name.at, what))


def _item(owner: View, key: str, index: int, item: object) -> View:
    """The view of an item of a list."""
    return View(owner.document, (*owner.path, key, index), item)
