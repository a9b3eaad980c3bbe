"""Views of the head group and the worker groups, as KubeRay makes pods of them.

Facts: ray-project/kuberay ``ray-operator/controllers/ray/common/pod.go`` and ``utils/util.go`` at v1.7.0.
"""

from __future__ import annotations

from raylint.custom_resources import ACCELERATORS, read_amounts
from raylint.derived import cached_property
from raylint.field import Field, Origin, View
from raylint.glance import SIZE, START, USUAL_CPUS, doubts
from raylint.image import image_in
from raylint.patterns import pattern
from raylint.pod import Pod, PodTemplate
from raylint.quantity import parse_quantity
from raylint.rule import Location

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from raylint.cluster import RayCluster
    from raylint.finding import Path
    from raylint.image import Image
    from raylint.pod import Container, EnvVar
    from raylint.pod_verdict import PodFault
    from raylint.quantity import Quantity
    from raylint.ray_start import Fault
    from raylint.target import Version

__all__ = [
    "OVERWRITE_ANNOTATION",
    "RAY_STEPS",
    "Group",
    "HeadGroup",
    "WorkerGroup",
]

OVERWRITE_ANNOTATION = "ray.io/overwrite-container-cmd"

# CRD default of maxReplicas: the largest int32.
UNBOUNDED_REPLICAS = 2_147_483_647

# Ray keeps counts and bytes in 64 bits; longer texts are no numbers to it.
# So many digits of a whole number Go reads as one of 64 bits; the rest of the check is its range.
_MOST_DIGITS = 19
# With one of them a container sees devices that Kubernetes did not give it, or none.
_DEVICE_VARIABLES = (
    *("NVIDIA_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"),
    *("ONEAPI_DEVICE_SELECTOR", "ASCEND_RT_VISIBLE_DEVICES"),
)
# Ray counts what a node offers in steps of 0.0001 (``_raylet``).
RAY_STEPS = 10_000
_ORDINARY_RESOURCES = frozenset(("cpu", "memory", "ephemeral-storage"))
_OF_LIMIT = "the container's limit, rounded up (common/pod.go)"
_OF_REQUEST = "the container's request, rounded up (common/pod.go)"
_UNTOLD = "neither option, limit nor request tells it"
_MIG = pattern(r"nvidia\.com/mig-[0-9]+g\.[0-9]+gb\Z")


class Group(View):
    """A group of equal pods."""

    is_head = False

    def __init__(self, cluster: RayCluster, path: Path, data: object) -> None:
        View.__init__(self, cluster.document, path, data)
        self.cluster = cluster
        template = self.data.get("template")
        pod = template.get("spec") if isinstance(template, dict) else None
        # The plain data of the pod and of its first container, which every group is asked for.
        self.pod_data: dict[str, Any] = pod if isinstance(pod, dict) else {}
        containers = self.pod_data.get("containers")
        ray = containers[0] if isinstance(containers, list) and containers else None
        self.ray_data: dict[str, Any] = ray if isinstance(ray, dict) else {}

    @property
    def title(self) -> str:
        """What messages call it."""
        return "group"

    @cached_property
    def doubts(self) -> int:
        """What wants a closer look in it (:mod:`raylint.glance`)."""
        return doubts(self.data, is_head=self.is_head, autoscaler=self.options_of_autoscaler)

    @property
    def options_of_autoscaler(self) -> object:
        """Those of the autoscaler that runs in its pods; None where none does."""
        return None

    @cached_property
    def template(self) -> PodTemplate:
        return PodTemplate(self.document, (*self.path, "template"), self.data.get("template"))

    @cached_property
    def pod(self) -> Pod:
        return Pod(self.document, (*self.path, "template", "spec"), self.pod_data, self)

    @property
    def forced_restart_policy(self) -> Field[str] | None:
        """``Never`` under a written autoscaler v2 (KubeRay 1.4 and later), whatever the template says."""
        return self.cluster.autoscaler.forced_restart_policy

    @cached_property
    def ray_container(self) -> Container:
        return self.pod.ray_container

    def variables(self, is_meant: Callable[[str], bool]) -> Iterator[EnvVar]:
        """The entries of the Ray container's ``env`` with such a name."""
        entries = self.ray_data.get("env")
        for index, entry in enumerate(entries if isinstance(entries, list) else ()):
            name = entry.get("name") if isinstance(entry, dict) else None
            if isinstance(name, str) and is_meant(name):
                yield self.ray_container.env_vars[index]

    @cached_property
    def image(self) -> Image | None:
        return image_in(self.ray_data)

    @cached_property
    def start_params(self) -> View:
        return self.part("rayStartParams")

    @property
    def params_data(self) -> dict[str, Any]:
        """The plain data of :attr:`start_params`."""
        params = self.data.get("rayStartParams")
        return params if isinstance(params, dict) else {}

    def start_param(self, name: str) -> Field[str]:
        """An option of ``ray start`` as it is written in ``rayStartParams``."""
        return self.start_params.string(name)

    @cached_property
    def start_is_overwritten(self) -> bool:
        """Does the annotation keep KubeRay from writing the container's command (1.1 and later)?"""
        if not self.cluster.target.kuberay_at_least(1, 1):
            return False
        for view in (self.cluster.annotations, self.template.annotations):
            written = view.data.get(OVERWRITE_ANNOTATION)
            if isinstance(written, str) and written.lower() == "true":
                return True
        return False

    @cached_property
    def start_faults(self) -> tuple[Fault, ...]:
        """What is wrong with the line of ``ray start`` (:func:`raylint.ray_start_verdict.faults`)."""
        if self.starts_as_usual:
            return ()
        from raylint.ray_start_verdict import faults  # holds the tables of options

        return faults(self)

    @property
    def starts_as_usual(self) -> bool:
        """Does the group write nothing but what nearly all groups write, and every Ray takes?"""
        return not self.doubts & START

    @cached_property
    def pod_faults(self) -> tuple[PodFault, ...]:
        """What is wrong with the group's pods (:func:`raylint.pod_verdict.faults`)."""
        from raylint.pod_verdict import faults  # not where nothing but other rules is asked

        return faults(self)

    def faults_of_pod(self, *kinds: str) -> list[PodFault]:
        """Those of these kinds."""
        return [fault for fault in self.pod_faults if fault.kind in kinds]

    @property
    def own_words(self) -> str:
        """The Ray container's command and arguments, as KubeRay joins them."""
        container = self.ray_container
        return "".join(f" {word} " for word in (*container.strings("command"), *container.strings("args")))

    @cached_property
    def own_start(self) -> str:
        """Why KubeRay leaves the Ray container's command alone, and so tells Ray nothing; empty: it writes one."""
        if self.start_is_overwritten:
            return f"annotation {OVERWRITE_ANNOTATION}"
        return "the command contains 'ray start'" if "ray start" in self.own_words else ""

    @cached_property
    def ray_version(self) -> Version | None:
        """The Ray that this group runs: by the image's tag, else by the cluster's ``rayVersion``."""
        target = self.cluster.target.ray
        if target is not None:
            return target
        image = self.image
        return (image and image.ray_version) or self.cluster.declared_ray_version

    @property
    def offers_no_cpus(self) -> bool:
        """Is ``num_cpus`` 0? The group itself must say so: to KubeRay an amount of zero among the container's
        resources is none."""
        if self.data.get("resources") is None:
            params = self.data.get("rayStartParams")
            told = params.get("num-cpus", "1") if isinstance(params, dict) else "1"
            if isinstance(told, str) and told in USUAL_CPUS:
                return told == "0"
        return self.num_cpus.value == 0

    @cached_property
    def num_cpus(self) -> Field[int]:
        """CPUs that Ray schedules on: the group's ``resources`` (KubeRay 1.5), else ``num-cpus``, else the CPU
        limit, else (KubeRay 1.3) the request, rounded up. Unknown where Ray counts the node's own."""
        return self._logical("num-cpus", "cpu", requests_count_since=(1, 3))

    @cached_property
    def memory(self) -> Field[int]:
        """Bytes of memory that Ray schedules on; a request alone does not count."""
        return self._logical("memory", "memory")

    def _logical(self, param: str, resource: str, requests_count_since: Version | None = None) -> Field[int]:
        decided = self._group_resource(lambda key: key == resource) or self._number_param(param)
        if decided is not None:
            return decided
        container = self.ray_container
        derived = _derived(container.limit(resource))
        if (
            derived is None
            and requests_count_since
            and self.cluster.target.kuberay_at_least(*requests_count_since)
        ):
            derived = _derived(container.request(resource))
        if derived is None:
            return Field(None, Origin.UNKNOWN, container.at_key("resources"), _UNTOLD)
        return derived

    def _number_param(self, name: str) -> Field[int] | None:
        """A whole number among the start parameters; None where the parameter is not written."""
        value = self.params_data.get(name)
        if value is None:
            return None
        at = Location(self.document, (*self.path, "rayStartParams", name))
        text = value.strip() if isinstance(value, str) else ""
        digits = text[1:] if text[:1] in ("+", "-") else text
        if digits.isdecimal() and digits.isascii() and len(digits) <= _MOST_DIGITS:
            return Field(int(text), Origin.WRITTEN, at)
        return Field(None, Origin.UNKNOWN, at)

    @cached_property
    def has_fields_for_ray(self) -> bool:
        """Does the target know ``resources`` and ``labels`` of a group (v1 objects, KubeRay 1.5 and later)?"""
        return self.cluster.target.kuberay_at_least(1, 5) and self.cluster.serves_v1

    def option_of_resource(self, key: str) -> str:
        """The option of ``ray start`` that a key of the group's ``resources`` sets; empty: a custom resource."""
        name = key.lower()
        option = {"cpu": "num-cpus", "memory": "memory"}.get(name)
        return option or ("num-gpus" if self.is_gpu(name) else "")

    def _group_resource(self, concerns: Callable[[str], object]) -> Field[int] | None:
        """The group's own ``resources`` (KubeRay 1.5 and later, v1): keys in any letter case, amounts rounded up;
        they override the start parameters. What is no quantity is skipped, as KubeRay does."""
        if self.data.get("resources") is None or not self.has_fields_for_ray:
            return None
        resources = self.part("resources")
        for key, raw in resources.data.items():
            quantity = parse_quantity(raw) if concerns(key.lower()) else None
            if quantity is not None:
                return Field(quantity.rounded_up, Origin.WRITTEN, resources.at_key(key))
        return None

    @cached_property
    def num_gpus(self) -> Field[int]:
        """GPUs that Ray schedules on: the group's ``resources`` (KubeRay 1.5), ``num-gpus``, else the first GPU
        resource among the limits, in alphabetical order. 0 where there is none; unknown where KubeRay passes over
        the limits and Ray counts the devices that it finds."""
        decided = self._group_resource(self.is_gpu) or self._number_param("num-gpus")
        if decided is not None:
            return decided
        limits = self.ray_container.limits
        for key in () if _ORDINARY_RESOURCES.issuperset(limits) else filter(self.is_gpu, sorted(limits)):
            derived = _derived(self.ray_container.limit(key))
            if derived is not None:
                if self.takes_accelerators:
                    return derived
                reason = "KubeRay adds no num-gpus to a resources parameter that is no plain JSON (common/pod.go)"
                return Field(None, Origin.UNKNOWN, derived.at, reason)
        return Field(
            0, Origin.KUBERAY, self.ray_container.at_key("resources"), "no limit on a GPU (common/pod.go)"
        )

    def is_gpu(self, key: str) -> bool:
        """A resource that KubeRay takes for a GPU: slices of one (MIG) since 1.4."""
        return key.endswith("gpu") or (
            "/mig-" in key and self.cluster.target.kuberay_at_least(1, 4) and _MIG.search(key) is not None
        )

    @cached_property
    def takes_accelerators(self) -> bool:
        """KubeRay 1.3 and later look for accelerators among the limits only where the ``resources`` parameter is
        absent or can be read."""
        text = self.start_param("resources").value
        return text is None or not self.cluster.target.kuberay_at_least(1, 3) or read_amounts(text) is not None

    def passes_accelerator(self, resource: str) -> bool:
        """Does KubeRay tell ``ray start`` of a limit on this resource? Of several GPUs the first alone counts."""
        if self.is_gpu(resource):
            return self.num_gpus.origin is Origin.KUBERAY and self.num_gpus.at.path[-1] == resource
        return resource in ACCELERATORS and self.cluster.target.kuberay_at_least(1, 3) and self.takes_accelerators

    @property
    def sees_other_devices(self) -> bool:
        """May the container see devices that no limit on a GPU gives it?"""
        container = self.ray_container
        return (
            self.pod.has("resourceClaims")
            or self.pod.has("runtimeClassName")
            or container.part("securityContext").data.get("privileged") is True
            or any(container.env(name) is not None for name in _DEVICE_VARIABLES)
            or any("/" in name and not self.is_gpu(name) for name in container.limits)
        )


def _derived(amount: Field[Quantity]) -> Field[int] | None:
    """What KubeRay makes of a limit or request: rounded up, an amount of zero counts as none."""
    if not amount.known:
        return Field(None, Origin.UNKNOWN, amount.at)
    if amount.value is None or amount.value.nanos == 0:
        return None
    reason = _OF_REQUEST if "requests" in amount.at.path else _OF_LIMIT
    return Field(amount.value.rounded_up, Origin.KUBERAY, amount.at, reason)


class HeadGroup(Group):
    """The head group: one pod with the GCS, the dashboard and the drivers of submitted jobs."""

    is_head = True

    @property
    def options_of_autoscaler(self) -> object:
        return self.cluster.data.get("autoscalerOptions") if self.cluster.is_autoscaled else None

    @property
    def title(self) -> str:
        return "head group"

    @property
    def forced_restart_policy(self) -> Field[str] | None:
        forced = super().forced_restart_policy
        return self.cluster.sidecar_submitter_policy if forced is None else forced


class WorkerGroup(Group):
    """A worker group."""

    @cached_property
    def name(self) -> str:
        value = self.data.get("groupName")
        return value if isinstance(value, str) else ""

    @property
    def title(self) -> str:
        return f"worker group {self.name!r}" if self.name else "worker group"

    @cached_property
    def replicas(self) -> Field[int]:
        return self.integer("replicas", 0)

    @cached_property
    def min_replicas(self) -> Field[int]:
        return self.integer("minReplicas", 0)

    @cached_property
    def max_replicas(self) -> Field[int]:
        return self.integer("maxReplicas", UNBOUNDED_REPLICAS)

    @cached_property
    def counts(self) -> tuple[int | None, int | None, int | None]:
        """The values of ``replicas``, ``min_replicas`` and ``max_replicas``."""
        data = self.data
        written: tuple[Any, Any, Any] = (data.get("replicas"), data.get("minReplicas"), data.get("maxReplicas"))
        if written[0].__class__ is written[1].__class__ is written[2].__class__ is int:
            return written
        return (
            self.whole("replicas", 0),
            self.whole("minReplicas", 0),
            self.whole("maxReplicas", UNBOUNDED_REPLICAS),
        )

    @cached_property
    def num_of_hosts(self) -> Field[int]:
        """Pods per replica (v1, KubeRay 1.1 and later; others drop the field)."""
        if not (self.cluster.target.kuberay_at_least(1, 1) and self.cluster.serves_v1):
            return Field(1, Origin.KUBERAY, self.at_key("numOfHosts"))
        return self.integer("numOfHosts", 1)

    @property
    def suspended(self) -> bool:
        """v1, KubeRay 1.3 and later; others drop the field."""
        if self.data.get("suspend") is not True:
            return False
        return self.cluster.target.kuberay_at_least(1, 3) and self.cluster.serves_v1

    def surely_holds(self, demands: list[tuple[int, float]]) -> bool:
        """Have its pods plainly the CPUs for all of these: so many replicas of so many CPUs each, at least one?"""
        if self.doubts & SIZE or "num-cpus" in self.params_data:
            return False
        limit, pods = parse_quantity(self.ray_data["resources"]["limits"]["cpu"]), self.possible_pods
        cpus = 0 if limit is None else limit.rounded_up
        needed = 0.0
        if not pods:
            return False
        for replicas, each in demands:
            steps = round(each * RAY_STEPS)
            held = cpus * RAY_STEPS // steps if steps > 0 else 0
            if held < 1 or held * pods < replicas:
                return False
            needed += replicas * each
        return needed <= cpus * pods

    @property
    def can_have_pods(self) -> bool:
        """Can it have a pod without a change to the group itself? ``replicas`` alone people change all day."""
        high, hosts = self.counts[2], self._hosts
        return not (self.suspended or (high is not None and high <= 0) or (hosts is not None and hosts <= 0))

    @cached_property
    def guaranteed_pods(self) -> int | None:
        """Pods that are there whatever the load: ``minReplicas`` under the autoscaler, ``replicas`` within its
        bounds without. None where it cannot be known."""
        return self._pods(self.counts[1] if self.cluster.is_autoscaled else self.clamped_replicas)

    @cached_property
    def possible_pods(self) -> int | None:
        """Pods that there can ever be: ``maxReplicas`` under the autoscaler, else as guaranteed."""
        return self._pods(self.counts[2] if self.cluster.is_autoscaled else self.clamped_replicas)

    def _pods(self, replicas: int | None) -> int | None:
        """Operator: clamp(replicas, min, max) times numOfHosts; a suspended group has none."""
        if self.data.get("suspend") is True and self.suspended:
            return 0
        hosts = self._hosts
        if hosts is None or replicas is None:
            return None
        return replicas * hosts if replicas > 0 < hosts else 0

    @property
    def _hosts(self) -> int | None:
        """The value of ``num_of_hosts``; nearly nobody writes it."""
        return 1 if self.data.get("numOfHosts") is None else self.num_of_hosts.value

    @property
    def clamped_replicas(self) -> int | None:
        """``replicas`` as the operator uses it: silently moved into its bounds. Of bounds that contradict each
        other ``maxReplicas`` counts (KubeRay up to 1.5, ``GetWorkerGroupDesiredReplicas``; 1.6 refuses them)."""
        replicas, low, high = self.counts
        if replicas is None or low is None or high is None:
            return None
        return replicas if low <= replicas <= high else min(max(replicas, low), high)
