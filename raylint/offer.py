"""What the pods of a group can ever offer to Ray's scheduler, and what somebody asks of it.

One place for the arithmetic of feasibility: a demand (a Serve replica, a bundle of a placement group, a job's
driver) has to fit on one node. What cannot be known, such as CPUs that Ray counts on the node, is taken for
enough.

Facts: Ray 2.60.0 ``_private/resource_spec.py`` (what a node registers).
"""

from __future__ import annotations

from functools import lru_cache

from raylint.derived import cached_property
from raylint.field import Field, Origin
from raylint.group import RAY_STEPS, WorkerGroup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from raylint.cluster import RayCluster
    from raylint.group import Group

__all__ = ["Demand", "Offer", "amount_text", "offers", "room_for"]

_GIB = 1 << 30
# Resources that a node may find on itself, whatever the manifest says.
_DETECTED = frozenset(
    {"object_store_memory", "TPU", "neuron_cores", "HPU", "NPU", "RBLN", "FURIOSA", "TTNPU", "MBLT"}
)
_DETECTED_PREFIXES = ("node:", "accelerator_type:", "TPU-")


class Demand:
    """Amounts that must be found together on one node; ``amounts`` by Ray's names: CPU, GPU, memory or custom."""

    __slots__ = ("amounts",)

    def __init__(self, amounts: Mapping[str, float]) -> None:
        self.amounts = {name: amount for name, amount in amounts.items() if amount > 0}

    @classmethod
    def of_actor(cls, options: Mapping[str, object]) -> Demand | None:
        """``ray_actor_options`` of a Serve deployment, 1 CPU unless it says otherwise. None where an amount is no
        number, so that Ray refuses it or makes of it what it will."""
        found: dict[str, object] = {"CPU": options.get("num_cpus", 1)}
        found["GPU"] = options.get("num_gpus")
        found["memory"] = options.get("memory")
        resources = options.get("resources")
        if resources is not None and not isinstance(resources, dict):
            return None
        return _demand({**(resources or {}), **found})

    @classmethod
    def of_bundle(cls, bundle: object) -> Demand | None:
        """A bundle of a placement group."""
        return _demand(bundle) if isinstance(bundle, dict) else None

    def __add__(self, other: Demand) -> Demand:
        names = {**self.amounts, **other.amounts}
        return Demand({name: self.amounts.get(name, 0) + other.amounts.get(name, 0) for name in names})

    def __str__(self) -> str:
        return " and ".join(amount_text(name, amount) for name, amount in self.amounts.items()) or "nothing"


def _demand(amounts: Mapping[str, object]) -> Demand | None:
    found = {}
    for name, amount in amounts.items():
        if isinstance(amount, bool) or not isinstance(amount, (int, float, type(None))):
            return None
        found[name] = float(amount or 0)
    return Demand(found)


def amount_text(name: str, amount: float) -> str:
    """``2 GPUs``, ``4 GiB of memory``, ``1 of 'special'``."""
    if name in ("CPU", "GPU"):
        return f"{amount:g} {name}{'' if amount == 1 else 's'}"
    if name == "memory":
        return f"{amount / _GIB:.3g} GiB of memory"
    return f"{amount:g} of {name!r}"


class Offer:
    """What one pod of ``group`` offers."""

    def __init__(self, group: Group) -> None:
        self.group = group
        self._answers: dict[str, Field[float]] = {}

    @cached_property
    def pods(self) -> int | None:
        """How many of them there can ever be; None: not to be known."""
        return self.group.possible_pods if isinstance(self.group, WorkerGroup) else 1

    @property
    def can_exist(self) -> bool:
        return not isinstance(self.group, WorkerGroup) or self.group.can_have_pods

    @cached_property
    def whole(self) -> bool:
        """Does the manifest tell all? With a command of one's own, or amounts that override all others, nothing
        in it tells what Ray registers."""
        return not self.group.own_start and self.group.ray_container.env("RAY_OVERRIDE_RESOURCES") is None

    def amount(self, name: str) -> Field[float]:
        """How much of a resource; unknown where the manifest does not tell."""
        answer = self._answers.get(name)
        if answer is None:
            answer = self._answers[name] = self._amount(name)
        return answer

    def _amount(self, name: str) -> Field[float]:
        at = self.group.at
        if not self.whole:
            return Field(None, Origin.UNKNOWN, at)
        known = self._of_every_pod(name)
        if known is not None:
            value = None if known.value is None else float(known.value)
            return Field(value, Origin.UNKNOWN if value is None else known.origin, known.at, known.reason)
        option = _custom(self.group)
        custom = option.value
        if custom is None:
            return Field(None, Origin.UNKNOWN, option.at)
        if name in custom:
            return Field(custom[name], option.origin, option.at)
        if name in _DETECTED or name.startswith(_DETECTED_PREFIXES) or "google.com/tpu" in self._limits:
            return Field(None, Origin.UNKNOWN, at)
        return Field(0.0, Origin.RAY, at)

    def _of_every_pod(self, name: str) -> Field[int] | None:
        """The resources that Ray gives to every node; None: the name is of another one."""
        if name == "CPU":
            return self.group.num_cpus
        if name == "GPU":
            return _gpus(self.group)
        return self.group.memory if name == "memory" else None

    @property
    def _limits(self) -> dict[str, object]:
        return self.group.ray_container.limits

    def holds(self, demand: Demand) -> int | None:
        """How many such demands fit into one pod; None where nothing bounds it."""
        least: int | None = None
        for name, wanted in demand.amounts.items():
            count = self._times(name, wanted)
            if count is not None and (least is None or count < least):
                least = count
        return None if least is None else max(least, 0)

    def _times(self, name: str, wanted: float) -> int | None:
        """How many times so much of one resource is there; None where nothing bounds it."""
        offered = self.amount(name).value
        steps = round(wanted * RAY_STEPS)
        return round(offered * RAY_STEPS) // steps if offered is not None and steps else None

    def lacks(self, demand: Demand) -> list[str]:
        """The resources of which a pod certainly has too little."""
        lacking = []
        for name, amount in demand.amounts.items():
            count = self._times(name, amount)
            if count is not None and count <= 0:
                lacking.append(name)
        return lacking


def _gpus(group: Group) -> Field[int]:
    """GPUs; unknown where the container may see some that no limit gave it."""
    gpus = group.num_gpus
    if gpus.value != 0 or gpus.origin is not Origin.KUBERAY:
        return gpus
    return Field(None, Origin.UNKNOWN, gpus.at) if group.sees_other_devices or _has_gpu_limit(group) else gpus


def _has_gpu_limit(group: Group) -> bool:
    """A limit that KubeRay does not pass on: the ``resources`` parameter hides it."""
    return any(group.is_gpu(name) for name in group.ray_container.limits)


# Few demands are for a custom resource, and those come one after the other.
@lru_cache(maxsize=16)
def _custom(group: Group) -> Field[dict[str, float]]:
    """Custom resources, as the start command that KubeRay writes has them."""
    from raylint.object_names import Assigned, ObjectNames
    from raylint.start_command import StartCommand

    names = ObjectNames(group.cluster, Assigned())
    return StartCommand(group, names, is_head=group.is_head).custom_resources


def offers(cluster: RayCluster) -> tuple[Offer, ...]:
    """What the head and the worker groups offer, the head first; nothing where KubeRay makes no pods of it."""
    return tuple(Offer(group) for group in cluster.groups) if cluster.is_built else ()


def room_for(demand: Demand, found: Iterable[Offer], most_per_pod: int | None = None) -> int | None:
    """How many such demands there is room for in the whole cluster at its largest; None where nothing tells."""
    total = 0
    for offer in found:
        held = offer.holds(demand)
        if most_per_pod is not None:
            held = most_per_pod if held is None else min(held, most_per_pod)
        if held == 0 or offer.pods == 0:
            continue
        if held is None or offer.pods is None:
            return None
        total += held * offer.pods
    return total
