"""The view of a Ray cluster: the same for a RayCluster and for the cluster inside a RayJob, RayService or
RayCronJob, so that no rule knows four spellings.

Facts: ray-project/kuberay at v1.7.0, ``ray-operator/controllers/ray/common/pod.go`` and ``utils/util.go``.
"""

from __future__ import annotations

from raylint.derived import cached_property
from raylint.fault_tolerance import GcsFaultTolerance
from raylint.field import Field, Origin, View, is_template
from raylint.group import HeadGroup, WorkerGroup
from raylint.target import parse_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from raylint.finding import Path
    from raylint.group import Group
    from raylint.manifest import RayObject
    from raylint.offer import Offer
    from raylint.target import Target, Version

__all__ = [
    "MANY_WORKERS",
    "MODEST_RANGE",
    "SERVE_SERVICE",
    "Autoscaler",
    "RayCluster",
    "total",
]

AUTOSCALER_V2_ENV = "RAY_enable_autoscaler_v2"
# The annotation of a RayCluster that wants a Service for Serve.
SERVE_SERVICE = "ray.io/enable-serve-service"
# Where nothing speaks of autoscaling, maxReplicas up to so many times the replicas is no more than a habit:
# upstream's samples go up to that.
MODEST_RANGE = 10
# From so many on the probes of the head come too late.
MANY_WORKERS = 1000


class RayCluster(View):
    """A Ray cluster. ``owner`` is the object that a user applies; ``kind`` is the owner's."""

    def __init__(self, owner: RayObject, path: Path, data: object) -> None:
        View.__init__(self, owner.document, path, data)
        self.owner = owner
        self.kind = owner.kind
        self.target: Target = owner.target
        self.head = HeadGroup(self, (*path, "headGroupSpec"), self.data.get("headGroupSpec"))
        workers = self.data.get("workerGroupSpecs")
        self.worker_groups: tuple[WorkerGroup, ...] = ()
        if isinstance(workers, list):
            path = (*path, "workerGroupSpecs")
            self.worker_groups = tuple(
                [WorkerGroup(self, (*path, index), item) for index, item in enumerate(workers)]
            )
        # Head first, then the worker groups in their order.
        self.groups: tuple[Group, ...] = (self.head, *self.worker_groups)

    @cached_property
    def annotations(self) -> View:
        """The annotations that KubeRay reads for this cluster: the owner's own, which it copies to the cluster
        of a RayJob or RayService; a RayCronJob's reach nothing."""
        if self.kind == "RayCronJob":
            return View(self.document, ("metadata", "annotations"), None)
        return self.owner.annotations

    @cached_property
    def serves_v1(self) -> bool:
        """Is it ``ray.io/v1``? v1alpha1 is frozen at about KubeRay 1.1 and loses every newer field."""
        return self.owner.api_version == "ray.io/v1"

    @cached_property
    def is_built(self) -> bool:
        """Does KubeRay make pods of it? Not where a RayJob selects an existing cluster instead."""
        return self.owner.job is None or not self.owner.job.uses_existing_cluster

    @cached_property
    def doubts(self) -> int:
        """What wants a closer look in any of its groups (:mod:`raylint.glance`)."""
        found = 0
        for group in self.groups:
            found |= group.doubts
        return found

    @cached_property
    def offers(self) -> tuple[Offer, ...]:
        """What its pods offer to Ray's scheduler (:mod:`raylint.offer`), the head first."""
        from raylint.offer import offers  # it takes the whole cluster apart, and few rules ask

        return offers(self)

    @property
    def is_autoscaled(self) -> bool:
        """Is Ray's in-tree autoscaler on?"""
        return self.data.get("enableInTreeAutoscaling") is True

    @cached_property
    def autoscaler(self) -> Autoscaler:
        return Autoscaler(self)

    @cached_property
    def head_wants_v2(self) -> bool:
        """Does the operator take the head's ``RAY_enable_autoscaler_v2`` as on? It looks at the first entry of the
        name, where Kubernetes uses the last, and wants ``1`` or ``true`` (``validation.go``, v1.7.0)."""
        for entry in self.head.ray_container.env_vars:
            if entry.name == AUTOSCALER_V2_ENV:
                return entry.is_true()
        return False

    @cached_property
    def gcs_fault_tolerance(self) -> GcsFaultTolerance:
        return GcsFaultTolerance(self)

    @property
    def may_stall(self) -> bool:
        """May the operator come to a stop while it brings the cluster up? Two worker groups have one name; or the
        head declares ports, and not the one that KubeRay looks for by its name."""
        if len(self.worker_groups) > 1:
            names = [group.name for group in self.worker_groups]
            if len(set(names)) < len(names):
                return True
        ports = self.head.ray_data.get("ports")
        if not isinstance(ports, list):
            return False
        declared = [port.get("name") for port in ports if isinstance(port, dict)]
        if "dashboard" in declared and ("serve" in declared or self.owner.job is not None):
            return False
        return self.kind != "RayCluster" or SERVE_SERVICE in self.annotations.data

    @cached_property
    def declared_ray_version(self) -> Version | None:
        """``rayVersion``, where it is a version."""
        text = self.data.get("rayVersion")
        return parse_version(text) if isinstance(text, str) and not is_template(text) else None

    @property
    def has_odd_images(self) -> bool:
        """Are its images anything but one official image of one release, the one that it declares?"""
        image = self.head.image
        release = image.ray_version if image is not None else None
        if image is None or release is None:
            return True
        for group in self.worker_groups:
            if group.ray_data.get("image") != image.reference:
                return True
        declared = self.declared_ray_version or release
        known = min(len(declared), len(release))
        job = self.owner.job
        has_submitter = job is not None and job.body.get("submitterPodTemplate") is not None
        return has_submitter or declared[:known] != release[:known]

    @property
    def ray_version(self) -> Version | None:
        """The Ray version of the head; None where neither image nor ``rayVersion`` tells."""
        return self.head.ray_version

    @cached_property
    def sidecar_submitter_policy(self) -> Field[str] | None:
        """``Never`` for the head of a RayJob in SidecarMode (KubeRay 1.5 and later)."""
        job = self.owner.job
        if job is None or not self.target.kuberay_at_least(1, 5) or job.submission_mode.value != "SidecarMode":
            return None
        reason = "SidecarMode: the submitter lives in this pod (rayjob_controller.go)"
        return Field("Never", Origin.KUBERAY, job.submission_mode.at, reason)

    @cached_property
    def guaranteed_workers(self) -> int | None:
        """Worker pods that are there whatever the load; None where it cannot be known."""
        return total([group.guaranteed_pods for group in self.worker_groups])

    @cached_property
    def possible_workers(self) -> int | None:
        """Worker pods that there can ever be; None where it cannot be known."""
        return total([group.possible_pods for group in self.worker_groups])

    @property
    def is_scaled_oddly(self) -> bool:
        """May the number of its workers surprise anybody? A group's replicas are not within its bounds, or it has
        room to grow that nothing uses; or there can be very many."""
        scales = self.is_autoscaled
        speaks_of_it = self.data.get("autoscalerOptions") is not None
        workers = 0
        for group in self.worker_groups:
            count, least, most = group.counts
            if count is None or least is None or most is None or not 0 <= least <= count <= most:
                return True
            data = group.data
            if not scales:
                speaks_of_it = speaks_of_it or data.get("idleTimeoutSeconds") is not None
                speaks_of_it = speaks_of_it or group.pod_data.get("restartPolicy") is not None
                if speaks_of_it or (most > MODEST_RANGE * max(count, 1) and data.get("maxReplicas") is not None):
                    return True
            workers += (most if scales else count) if data.get("numOfHosts") is None else MANY_WORKERS
        return (speaks_of_it and not scales) or (workers >= MANY_WORKERS <= (self.possible_workers or 0))


class Autoscaler(View):
    """Ray's in-tree autoscaler as this cluster sets it up. ``path`` is that of ``autoscalerOptions``."""

    def __init__(self, cluster: RayCluster) -> None:
        super().__init__(
            cluster.document, (*cluster.path, "autoscalerOptions"), cluster.data.get("autoscalerOptions")
        )
        self.cluster = cluster

    @cached_property
    def switch(self) -> Field[bool]:
        """``enableInTreeAutoscaling``, off unless written."""
        return self.cluster.boolean("enableInTreeAutoscaling", False)

    @property
    def enabled(self) -> bool:
        return self.cluster.is_autoscaled

    @cached_property
    def version(self) -> Field[str]:
        """``v1`` or ``v2``: by ``autoscalerOptions.version`` (KubeRay 1.4), else by the head's environment, else
        Ray's default (v2 from Ray 2.48, ``scripts.py``; KubeRay's notes say 2.47, so 2.47 is unknown). A written
        v1 reaches Ray from KubeRay 1.7 on, which sets the variable to false; before, Ray decides all the same."""
        written = self.string("version")
        reaches_ray = written.value != "v1" or self.cluster.target.kuberay_at_least(1, 7)
        if written and self.understands_version and reaches_ray:
            return written
        variable = self.cluster.head.ray_container.env(AUTOSCALER_V2_ENV)
        if variable is not None:
            value = variable.value
            if not value.known:
                return Field(None, Origin.UNKNOWN, value.at)
            return Field("v2" if (value.value or "").lower() in ("1", "true") else "v1", Origin.WRITTEN, value.at)
        ray = self.cluster.ray_version
        if ray is None or ray[:2] == (2, 47):
            return Field(None, Origin.UNKNOWN, self.at_key("version"))
        reason = "Ray's default is v2 from 2.48 on (scripts.py)"
        return Field("v2" if ray >= (2, 48) else "v1", Origin.RAY, self.at_key("version"), reason)

    @property
    def understands_version(self) -> bool:
        """Does the target KubeRay know ``autoscalerOptions.version`` (v1 objects, KubeRay 1.4 and later)?"""
        return self.cluster.target.kuberay_at_least(1, 4) and self.cluster.serves_v1

    @property
    def is_v2_by_options(self) -> bool:
        """Is v2 written in ``autoscalerOptions``? KubeRay itself acts on nothing else."""
        return self.understands_version and self.data.get("version") == "v2"

    @cached_property
    def forced_restart_policy(self) -> Field[str] | None:
        """``Never`` for every pod, forced by KubeRay while autoscaling is on and v2 is written (1.4 and later)."""
        if self.enabled and self.is_v2_by_options:
            reason = "autoscalerOptions.version v2 forces it (common/pod.go)"
            return Field("Never", Origin.KUBERAY, self.at_key("version"), reason)
        return None


def total(counts: Iterable[int | None]) -> int | None:
    """Their sum; None where one of them cannot be known."""
    found = 0
    for count in counts:
        if count is None:
            return None
        found += count
    return found
