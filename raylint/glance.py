"""What wants a closer look in a group of pods, told from its plain data at a glance.

Nearly all groups are written alike and are sound, and this is found out for each of them before anything else: in
one pass, without a view of anything. It doubts more than is wrong, and never less: what is free of doubt here,
the rules that look closer have nothing to say of.

Facts: as in :mod:`raylint.pod_verdict`, which judges what is doubted here in a pod.
"""

from __future__ import annotations

from functools import lru_cache

from raylint.quantity import parse_quantity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    # Fields and the words that they take.
    Known: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]

__all__ = [
    "DEVICES",
    "EFFECTS",
    "KEYS",
    "LAST_PORT",
    "LONGEST_PORT_NAME",
    "OF_CONTAINERS",
    "OF_KUBERAY",
    "OF_PODS",
    "POD",
    "RAY_PORTS",
    "REFUSABLE",
    "SERVICES",
    "SETTINGS",
    "SIZE",
    "START",
    "USUAL_CPUS",
    "doubts",
    "fault_of_port_name",
    "has_prefix",
    "is_plain_name",
    "is_slip",
    "is_usual_toleration",
]

# What can be in doubt; several at once are the sum.
# The pod: raylint.pod_verdict may find a fault in it.
POD = 1
# Its size. Without a doubt all that Ray is told of CPUs and memory is plain to see: the Ray container has limits
# on both, the CPUs a whole number, the memory of a head enough for one, and no other than its request; the group
# itself says nothing but a num-cpus within the limit. CPUs that few people write are in doubt.
SIZE = 2
# It has to do with devices: it says num-gpus or resources of its own, or one of its containers asks for something
# else than CPUs, memory and disk.
DEVICES = 4
# It is not started as nearly all groups are, and as every Ray takes.
START = 8
# The operator may refuse it: it has no container, labels among the start parameters, a field that came with
# KubeRay 1.5 or later, or bounds that are no numbers of replicas that follow each other.
REFUSABLE = 16
# A label or annotation of its pods has a prefix, as all have that programs read.
KEYS = 32
# A variable of its Ray container may be meant for Ray: its name begins as those of Ray do, in whatever case, or is
# in lower case, as few are.
SETTINGS = 64

OF_PODS: Known = (
    ("restartPolicy", ("Always", "OnFailure", "Never")),
    ("dnsPolicy", ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None")),
    ("preemptionPolicy", ("PreemptLowerPriority", "Never")),
)
OF_CONTAINERS: Known = (
    ("imagePullPolicy", ("Always", "IfNotPresent", "Never")),
    ("terminationMessagePolicy", ("File", "FallbackToLogsOnError")),
)
SERVICES = ("ClusterIP", "NodePort", "LoadBalancer", "ExternalName")
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
# Names by which Services and clients find a port of the head, the option that sets it, and Ray's default.
RAY_PORTS = {
    "gcs-server": ("port", 6379),
    "gcs": ("port", 6379),
    "redis": ("port", 6379),
    "dashboard": ("dashboard-port", 8265),
    "client": ("ray-client-server-port", 10001),
    "metrics": ("metrics-export-port", 8080),
}
# KubeRay's own volumes: of the object store, the embedded store, certificates and the operator's token.
OF_KUBERAY = frozenset({"shared-mem", "gcs-storage", "ray-tls", "ray-token"})
# CPUs of a node that nobody doubts.
USUAL_CPUS = frozenset(str(number) for number in range(129))

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_PLAIN = frozenset(_LETTERS + "0123456789-")
_LONGEST_LABEL = 63
LONGEST_PORT_NAME = 15
LAST_PORT = 65535
# CRD default of maxReplicas: the largest int32.
_UNBOUNDED = 2_147_483_647
# Fields of groups, pods and containers that few write, or that are judged by themselves.
_RARE_FIELDS = frozenset(("resources", "labels", "priority", "serviceType"))
_TERMS = ("affinity", "topologySpreadConstraints", "initContainers")
_JUDGED_IN_PODS = frozenset([*_TERMS, *[key for key, _ in OF_PODS]])
_JUDGED_IN_CONTAINERS = frozenset([key for key, _ in OF_CONTAINERS])
# Names of containers that KubeRay adds to some pods.
_TAKEN = ("autoscaler", "ray-job-submitter")
# What pods and the autoscaler beside Ray may have wrong.
_OF_AUTOSCALER = frozenset(("resources", "volumeMounts"))
_ORDINARY_RESOURCES = frozenset(("cpu", "memory", "ephemeral-storage"))
_NANO = 10**9
# A head with less memory than 4 GB is a small one.
_ENOUGH_FOR_HEAD = 4 * 10**9 * _NANO
# Bytes with which no process of a container starts.
_LEAST_MEMORY = 2**20 * _NANO
# CPUs that no machine has: the largest of the clouds have 1920.
_MOST_CPUS = 2000 * _NANO

# What was found plain the last time, if it was not long: most of one run is as the one before.
_before: dict[str, object] = {"ports": None, "mounts and volumes": None, "tolerations": None}
_FEW = 32
# Containers have the same few sizes everywhere: CPUs, memory, the CPUs of which Ray is told, and is it a head's?
_plain_sizes: set[tuple[str, str, str, bool]] = set()
_MOST_KEPT, _LONG = 128, 40


def doubts(group: dict[str, Any], *, is_head: bool, autoscaler: object = None) -> int:
    """All that is in doubt in a group as it is written in the spec of a cluster. ``autoscaler``: the options of
    the one in the pod, if there is any."""
    params, template = group.get("rayStartParams"), group.get("template")
    found = _in_fields(group, is_head)
    if params.__class__ is not dict:
        params = {}
    elif params:
        found |= _in_params(params, is_head)
    if autoscaler.__class__ is dict and not _OF_AUTOSCALER.isdisjoint(autoscaler):
        found |= POD
    metadata: Any = None
    pod: Any = None
    if template.__class__ is dict:
        metadata, pod = template.get("metadata"), template.get("spec")
    if metadata.__class__ is dict and has_prefix(metadata):
        found |= KEYS
    if pod.__class__ is not dict:
        return found | POD | SIZE | REFUSABLE
    containers = pod.get("containers")
    if containers.__class__ is list and len(containers) == 1 and _is_plain_pod(pod):
        ray = containers[0]
        if ray.__class__ is dict:
            odd = params if found & START else {}
            found |= _in_container(ray, pod, odd, is_head) | _in_resources(ray, params, is_head)
            return found | _in_variables(ray["env"]) if "env" in ray else found
    return found | POD | _in_company(pod, params, is_head)


def _in_company(pod: dict[str, Any], params: dict[str, object], is_head: bool) -> int:
    """What is in doubt but for faults where a pod is not plainly one with a single container."""
    containers, before = pod.get("containers"), pod.get("initContainers")
    found = 0
    if not isinstance(containers, list) or not containers:
        found, containers = SIZE | REFUSABLE, []
    for index, container in enumerate(containers):
        seen = _in_resources(container, params, is_head) if isinstance(container, dict) else SIZE
        # Size and settings are those of the first one.
        if index > 0:
            seen &= DEVICES
        elif isinstance(container, dict):
            seen |= _in_variables(container.get("env"))
        found |= seen
    for container in before if isinstance(before, list) else ():
        if isinstance(container, dict):
            found |= _in_resources(container, {}, is_head) & DEVICES
    return found


def _in_fields(group: dict[str, Any], is_head: bool) -> int:
    """What is in doubt by the fields of the group itself."""
    found = 0
    if not _RARE_FIELDS.isdisjoint(group):
        if group.get("resources") is not None:
            found = SIZE | DEVICES | START | REFUSABLE
        if group.get("labels") is not None:
            found |= START | REFUSABLE
        if group.get("priority") is not None:
            found |= REFUSABLE
        if is_head and group.get("serviceType", SERVICES[0]) not in SERVICES:
            found |= POD
    if is_head:
        return found
    name, low, high = group.get("groupName"), group.get("minReplicas"), group.get("maxReplicas")
    low = 0 if low is None else low
    high = _UNBOUNDED if high is None else high
    if not (isinstance(low, int) and isinstance(high, int) and 0 <= low <= high):
        found |= REFUSABLE
    return found if is_plain_name(name) else found | POD


def _in_params(params: dict[str, object], is_head: bool) -> int:
    found = 0
    for name, value in params.items():
        if name == "num-cpus":
            usual = value.__class__ is str and value in USUAL_CPUS
        elif name == "dashboard-host":
            usual = value == "0.0.0.0" and is_head
        else:
            usual = name == "block" and value == "true"
            if name == "num-gpus":
                found |= DEVICES
            elif name == "labels":
                found |= REFUSABLE
            elif name == "memory":
                found |= SIZE
        if not usual:
            found |= START
    return found


def has_prefix(metadata: dict[str, Any]) -> bool:
    """Has a label or annotation in the metadata a prefix? Nothing else in it is a mapping."""
    for keys in metadata.values():
        if keys.__class__ is dict:
            for key in keys:
                if "/" in key:
                    return True
    return False


def _is_plain_pod(pod: dict[str, Any]) -> bool:
    """Is all plain but for its containers?"""
    if not _JUDGED_IN_PODS.isdisjoint(pod):
        for key in _TERMS:
            if key in pod:
                return False
        for key, words in OF_PODS:
            if key in pod and pod[key] not in words:
                return False
    tolerations = pod.get("tolerations")
    if tolerations.__class__ is list and tolerations != _before["tolerations"]:
        for toleration in tolerations:
            if not is_usual_toleration(toleration):
                return False
        if len(tolerations) <= _FEW:
            _before["tolerations"] = tolerations
    return True


def _in_container(container: dict[str, Any], pod: dict[str, Any], params: dict[str, object], is_head: bool) -> int:
    """What is in doubt by the only container of a pod, but for its resources. ``params``: those with which it is
    not started as usual."""
    if not container.get("image") or container.get("name") in _TAKEN:
        return POD
    if not _JUDGED_IN_CONTAINERS.isdisjoint(container):
        for key, words in OF_CONTAINERS:
            if key in container and container[key] not in words:
                return POD
    ports, mounts = container.get("ports"), container.get("volumeMounts")
    if ports.__class__ is list:
        if ports != _before["ports"] and not _are_plain_ports(ports):
            return POD
        if params and is_head and _are_moved(ports, params):
            return POD
    if mounts.__class__ is list:
        volumes = pod.get("volumes")
        if (mounts, volumes) != _before["mounts and volumes"] and not _are_mounted(mounts, volumes):
            return POD
    return 0


def _in_variables(variables: Any) -> int:
    found = 0
    for entry in variables if variables.__class__ is list else ():
        if entry.__class__ is dict:
            if "valueFrom" in entry and "value" in entry:
                found |= POD
            name = entry.get("name")
            if name.__class__ is str:
                lower = name.lower()
                if lower == name or lower.startswith("ray_"):
                    found |= SETTINGS
    return found


def _are_mounted(mounts: list[Any], volumes: Any) -> bool:
    names = []
    if volumes.__class__ is list:
        names = [volume.get("name") for volume in volumes if volume.__class__ is dict]
    for mount in mounts:
        name = mount.get("name") if mount.__class__ is dict else None
        if name not in names and name.__class__ is str and name not in OF_KUBERAY:
            return False
    if len(mounts) + len(names) <= _FEW:
        _before["mounts and volumes"] = mounts, volumes
    return True


def _are_plain_ports(ports: list[Any]) -> bool:
    """Are they right on any pod, and where Ray listens unless it is told otherwise?"""
    names = set()
    lowest = LAST_PORT
    for port in ports:
        if port.__class__ is not dict:
            return False
        name, number = port.get("name"), port.get("containerPort")
        if name.__class__ is not str or number.__class__ is not int or not _is_plain_port(name, number):
            return False
        if len(port) > 2 and ("hostPort" in port or port.get("protocol", "TCP") != "TCP"):
            return False
        names.add(name)
        lowest = min(lowest, number)
    if len(names) < len(ports):
        return False
    # A true is equal to 1, and is no port.
    if lowest > 1 and len(ports) <= _FEW:
        _before["ports"] = ports
    return True


def _is_plain_port(name: str, number: int) -> bool:
    if not 0 < len(name) <= LONGEST_PORT_NAME or fault_of_port_name(name):
        return False
    return 1 <= number <= LAST_PORT and (name not in RAY_PORTS or RAY_PORTS[name][1] == number)


def _are_moved(ports: list[dict[str, Any]], params: dict[str, object]) -> bool:
    """Do the start parameters tell Ray to listen elsewhere?"""
    return any(port["name"] in RAY_PORTS and RAY_PORTS[port["name"]][0] in params for port in ports)


def _in_resources(container: dict[str, Any], params: dict[str, object], is_head: bool) -> int:
    resources = container.get("resources")
    if resources.__class__ is not dict:
        return SIZE
    limits, requests = resources.get("limits"), resources.get("requests")
    told = params.get("num-cpus", "1")
    key = None
    if limits.__class__ is dict and len(limits) == 2 and requests == limits and "claims" not in resources:
        cpus, memory = limits.get("cpu"), limits.get("memory")
        # A true is equal to 1, and is no amount: what is remembered is texts alone.
        if cpus.__class__ is memory.__class__ is told.__class__ is str:
            key = cpus, memory, told, is_head
            if key in _plain_sizes:
                return 0
    found = _in_amounts(limits, requests, told, is_head)
    if resources.get("claims"):
        found |= DEVICES
    if key is not None and not found and len(key[0]) + len(key[1]) < _LONG:
        if len(_plain_sizes) >= _MOST_KEPT:
            _plain_sizes.clear()
        _plain_sizes.add(key)
    return found


def _in_amounts(limits: Any, requests: Any, told: object, is_head: bool) -> int:
    """``told``: the CPUs of which Ray is told, one unless it is told."""
    found = 0
    if limits.__class__ is not dict:
        limits = {}
        found = SIZE
    if requests.__class__ is not dict:
        requests = limits
    if not (_ORDINARY_RESOURCES.issuperset(limits) and _ORDINARY_RESOURCES.issuperset(requests)):
        found |= DEVICES
    if "ephemeral-storage" in requests:
        found |= POD
    cpus, memory = limits.get("cpu"), limits.get("memory")
    # Where there is no request, the limit is one.
    asked_cpus, asked_memory = requests.get("cpu", cpus), requests.get("memory", memory)
    if _are_faulty("cpu", cpus, asked_cpus) or _are_faulty("memory", memory, asked_memory):
        found |= POD
    if cpus.__class__ is int:
        cpus = str(cpus)
    # Without num-cpus the limit is what Ray is told, unless it is none.
    within = isinstance(told, str) and told in USUAL_CPUS and isinstance(cpus, str) and cpus in USUAL_CPUS
    most = parse_quantity(memory) if asked_memory == memory else None
    enough = most is not None and most.nanos >= (_ENOUGH_FOR_HEAD if is_head else 1)
    return found if within and enough and int(str(told)) <= int(str(cpus)) else found | SIZE


def _are_faulty(name: str, amount: object, asked: object) -> bool:
    """Is a limit or a request of a wrong unit, or the request above the limit?"""
    limit, request = parse_quantity(amount), parse_quantity(asked)
    for quantity in (limit, request):
        if quantity is not None and is_slip(name, quantity.nanos):
            return True
    return limit is not None and request is not None and limit < request


def is_slip(name: str, nanos: int) -> bool:
    """Is it so little memory, or are it so many CPUs, that its unit must be another?"""
    return 0 < nanos < _LEAST_MEMORY if name == "memory" else nanos >= _MOST_CPUS


def is_plain_name(name: object) -> bool:
    """Is it right in names and labels at a glance: letters, digits and dashes, no dash first or last?"""
    return isinstance(name, str) and len(name) <= _LONGEST_LABEL and _is_plain(name)


# Groups have the same few names everywhere.
@lru_cache(maxsize=128)
def _is_plain(name: str) -> bool:
    return name.isascii() and set(name.lower()) <= _PLAIN and "-" not in name[:1] + name[-1:]


def is_usual_toleration(toleration: object) -> bool:
    """Is it one as nearly all are: every taint of a key, or one value, and one of the effects?"""
    if not isinstance(toleration, dict) or "tolerationSeconds" in toleration:
        return False
    operator = toleration.get("operator")
    sound = "value" not in toleration if operator == "Exists" else operator == "Equal" and toleration.get("key")
    return bool(sound) and toleration.get("effect", "NoSchedule") in EFFECTS


# Ports have the same few names everywhere.
@lru_cache(maxsize=128)
def fault_of_port_name(name: str) -> str:
    """What is wrong with a port's name of a right length; empty where nothing is."""
    if not set(name) <= _PLAIN:
        return "may hold lower-case letters, digits and dashes alone"
    if "--" in name or name[0] == "-" or name[-1] == "-":
        return "has a dash first, last or beside another"
    return "" if any(letter in _LETTERS for letter in name) else "holds no letter"
