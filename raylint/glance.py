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
    # Are amounts at fault? CPUs of the limit, 0 if they are not plain; nanobytes of memory.
    Size: TypeAlias = tuple[bool, int, int]

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
    "SERVICE",
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

OF_PODS: Known = (
    ("restartPolicy", ("Always", "OnFailure", "Never")),
    ("dnsPolicy", ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None")),
    ("preemptionPolicy", ("PreemptLowerPriority", "Never")),
)
OF_CONTAINERS: Known = (
    ("imagePullPolicy", ("Always", "IfNotPresent", "Never")),
    ("terminationMessagePolicy", ("File", "FallbackToLogsOnError")),
)
SERVICE: Known = (("serviceType", ("ClusterIP", "NodePort", "LoadBalancer", "ExternalName")),)
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
# Terms that send pods to nodes and that are judged by themselves.
_TERMS = ("affinity", "topologySpreadConstraints")
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

# Containers have the same few ports and sizes everywhere. Of long texts none is kept.
_plain_ports: set[tuple[str, int]] = set()
_sizes: dict[tuple[object, object, object, object], Size] = {}
_MOST_KEPT, _LONG = 128, 24


def doubts(group: dict[str, Any], *, is_head: bool, autoscaler: object = None) -> int:
    """All that is in doubt in a group as it is written in the spec of a cluster. ``autoscaler``: the options of
    the one in the pod, if there is any."""
    params, template = group.get("rayStartParams"), group.get("template")
    params = params if params.__class__ is dict else {}
    found = _in_fields(group, is_head=is_head)
    if params:
        found |= _in_params(params, is_head=is_head)
    if autoscaler.__class__ is dict and not _OF_AUTOSCALER.isdisjoint(autoscaler):
        found |= POD
    metadata: Any = None
    pod: Any = None
    if template.__class__ is dict:
        metadata, pod = template.get("metadata"), template.get("spec")
    if has_prefix(metadata):
        found |= KEYS
    containers = pod.get("containers") if pod.__class__ is dict else None
    if containers.__class__ is not list or not containers:
        return found | _in_init_containers(pod) | POD | SIZE | REFUSABLE
    if _is_plain_pod(pod) and len(containers) == 1 and containers[0].__class__ is dict:
        return found | _in_container(containers[0], pod, params, is_head=is_head)
    found |= POD | _in_init_containers(pod)
    for index, container in enumerate(containers):
        container = container if container.__class__ is dict else {}
        seen = _in_resources(container.get("resources"), params, is_head=is_head)
        # The size is that of the first container.
        found |= seen if index == 0 else seen & DEVICES
    return found


def _in_fields(group: dict[str, Any], *, is_head: bool) -> int:
    """What is in doubt by the fields of the group itself."""
    found = 0
    if group.get("resources") is not None:
        found = SIZE | DEVICES | START | REFUSABLE
    if group.get("labels") is not None:
        found |= START | REFUSABLE
    if group.get("priority") is not None:
        found |= REFUSABLE
    if is_head:
        plain = "serviceType" not in group or group["serviceType"] in SERVICE[0][1]
        return found if plain else found | POD
    name, low, high = group.get("groupName"), group.get("minReplicas"), group.get("maxReplicas")
    low = 0 if low is None else low
    high = _UNBOUNDED if high is None else high
    if not (isinstance(low, int) and isinstance(high, int) and 0 <= low <= high):
        found |= REFUSABLE
    return found if is_plain_name(name) else found | POD


def _in_params(params: dict[str, object], *, is_head: bool) -> int:
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


def has_prefix(metadata: Any) -> bool:
    """Has a label or annotation in the metadata a prefix?"""
    if metadata.__class__ is not dict:
        return False
    for keys in (metadata.get("labels"), metadata.get("annotations")):
        if keys.__class__ is dict and "/" in " ".join(keys):
            return True
    return False


def _is_plain_pod(pod: dict[str, Any]) -> bool:
    """Is all plain but for its containers?"""
    for key, words in OF_PODS:
        if key in pod and pod[key] not in words:
            return False
    for key in _TERMS:
        if key in pod:
            return False
    tolerations = pod.get("tolerations")
    if tolerations.__class__ is list:
        for toleration in tolerations:
            if not is_usual_toleration(toleration):
                return False
    return "initContainers" not in pod


def _in_init_containers(pod: object) -> int:
    containers = pod.get("initContainers") if isinstance(pod, dict) else None
    found = 0
    for container in containers if isinstance(containers, list) else ():
        if isinstance(container, dict):
            found |= _in_resources(container.get("resources"), {}, is_head=False) & DEVICES
    return found


def _in_container(
    container: dict[str, Any], pod: dict[str, Any], params: dict[str, object], *, is_head: bool
) -> int:
    """What is in doubt by the only container of a pod."""
    found = _in_resources(container.get("resources"), params, is_head=is_head)
    ports, mounts, variables = container.get("ports"), container.get("volumeMounts"), container.get("env")
    if not container.get("image") or container.get("name") in _TAKEN:
        return found | POD
    for key, words in OF_CONTAINERS:
        if key in container and container[key] not in words:
            return found | POD
    if ports.__class__ is list and not _are_plain_ports(ports, params if is_head else None):
        return found | POD
    if mounts.__class__ is list and not _are_mounted(mounts, pod.get("volumes")):
        return found | POD
    if variables.__class__ is list:
        for entry in variables:
            if entry.__class__ is dict and "valueFrom" in entry and "value" in entry:
                return found | POD
    return found


def _are_mounted(mounts: list[Any], volumes: object) -> bool:
    names = []
    if isinstance(volumes, list):
        names = [volume.get("name") for volume in volumes if isinstance(volume, dict)]
    for mount in mounts:
        name = mount.get("name") if isinstance(mount, dict) else None
        if isinstance(name, str) and name not in names and name not in OF_KUBERAY:
            return False
    return True


def _are_plain_ports(ports: list[Any], params: dict[str, object] | None) -> bool:
    """``params``: the start parameters of a head, whose ports Ray listens on."""
    names = []
    for port in ports:
        if port.__class__ is not dict:
            return False
        name, number = port.get("name"), port.get("containerPort")
        if name.__class__ is not str or number.__class__ is not int:
            return False
        if (name, number) not in _plain_ports and not _is_plain_port(name, number):
            return False
        if len(port) > 2 and ("hostPort" in port or port.get("protocol", "TCP") != "TCP"):
            return False
        if params and name in RAY_PORTS and RAY_PORTS[name][0] in params:
            return False
        names.append(name)
    return len(names) == len(set(names))


def _is_plain_port(name: str, number: int) -> bool:
    """Is it right on any pod, and where Ray listens if it is one of Ray's?"""
    plain = 0 < len(name) <= LONGEST_PORT_NAME and not fault_of_port_name(name) and 1 <= number <= LAST_PORT
    if not plain or (name in RAY_PORTS and RAY_PORTS[name][1] != number):
        return False
    if len(_plain_ports) >= _MOST_KEPT:
        _plain_ports.clear()
    _plain_ports.add((name, number))
    return True


def _in_resources(resources: Any, params: dict[str, object], *, is_head: bool) -> int:
    if resources.__class__ is not dict:
        return SIZE
    limits, requests = resources.get("limits"), resources.get("requests")
    found = DEVICES if resources.get("claims") else 0
    if requests.__class__ is not dict:
        requests = limits if limits.__class__ is dict else {}
    if limits.__class__ is not dict:
        limits = {}
        found |= SIZE
    if not (_ORDINARY_RESOURCES.issuperset(limits) and _ORDINARY_RESOURCES.issuperset(requests)):
        found |= DEVICES
    if "ephemeral-storage" in requests:
        found |= POD
    cpus, memory = limits.get("cpu"), limits.get("memory")
    faulty, cores, nanos = _size(cpus, memory, requests.get("cpu", cpus), requests.get("memory", memory))
    if faulty:
        found |= POD
    told = params.get("num-cpus", "1")
    # Without num-cpus the limit is what Ray is told, unless it is none.
    within = told.__class__ is str and told in USUAL_CPUS and int(told) <= cores
    if not within or nanos < (_ENOUGH_FOR_HEAD if is_head else 1):
        found |= SIZE
    return found


def _size(cpus: object, memory: object, asked_cpus: object, asked_memory: object) -> Size:
    """That of a container by its limits and requests; where there is no request, the limit is one."""
    amounts = cpus, memory, asked_cpus, asked_memory
    try:
        size = _sizes.get(amounts)
    except TypeError:
        # A list or mapping is no amount.
        return True, -1, 0
    if size is None:
        size = _judged(*amounts)
        # Kept for texts alone: a true is equal to 1, and is no amount.
        if all(amount is None or (isinstance(amount, str) and len(amount) < _LONG) for amount in amounts):
            if len(_sizes) >= _MOST_KEPT:
                _sizes.clear()
            _sizes[amounts] = size
    return size


def _judged(cpus: object, memory: object, asked_cpus: object, asked_memory: object) -> Size:
    faulty = False
    for name, amount, asked in (("cpu", cpus, asked_cpus), ("memory", memory, asked_memory)):
        limit, request = parse_quantity(amount), parse_quantity(asked)
        for quantity in (limit, request):
            faulty = faulty or (quantity is not None and is_slip(name, quantity.nanos))
        faulty = faulty or (limit is not None and request is not None and limit < request)
    if cpus.__class__ is int:
        cpus = str(cpus)
    cores = int(cpus) if isinstance(cpus, str) and cpus in USUAL_CPUS else -1
    most = parse_quantity(memory) if asked_memory == memory else None
    return faulty, cores, 0 if most is None else most.nanos


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
