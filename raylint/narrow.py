"""Narrow views: the parts of an object that are worth a look, by the names under which rules visit them.

A rule that visits one is called, and its module imported, for no other part. Which parts these are, the attribute
says that each names here and that :mod:`raylint.plan` asks; an object is never of such a class itself. So the
classes are there for whoever reads or checks the types of a rule, and a rule imports them for no other purpose.
"""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.group import Group, HeadGroup, WorkerGroup
from raylint.manifest import KubeObject, RayJob, RayObject, RayService

__all__ = [
    "CrowdedService",
    "DeviceGroup",
    "FaultyObject",
    "FaultyPod",
    "FaultyStart",
    "OddEnvironments",
    "OddImages",
    "OddJob",
    "OddKind",
    "OddStart",
    "OddText",
    "OddlyNamed",
    "OddlyScaled",
    "OddlyServed",
    "OddlySized",
    "Prefixed",
    "RefusableHead",
    "RefusableWorkers",
    "StallingCluster",
    "TunedGroup",
]


class OddKind(KubeObject):
    """An object with something odd about its kind (:attr:`KubeObject.has_odd_kind`)."""


class FaultyObject(RayObject):
    """One of the four kinds in which the API server finds a fault (:attr:`RayObject.schema_faults`): what rules
    visit that tell of its faults."""


class OddlyNamed(RayObject):
    """One of the four kinds whose name may be none for KubeRay (:attr:`RayObject.is_oddly_named`)."""


class Prefixed(RayObject):
    """One of the four kinds with labels or annotations that a prefix gives to some program
    (:attr:`RayObject.has_prefixed_keys`)."""


class OddEnvironments(RayObject):
    """One of the four kinds with :attr:`odd runtime environments <RayObject.has_odd_environments>`."""


class OddText(RayObject):
    """One of the four kinds with :attr:`odd YAML in a text <RayObject.has_odd_text>`."""


class OddJob(RayJob):
    """A job with something odd about how it runs (:attr:`RayJob.is_odd`)."""


class OddlyServed(RayService):
    """A RayService with an :attr:`odd configuration of Serve <RayService.is_served_oddly>`."""


class CrowdedService(RayService):
    """A RayService whose replicas :attr:`may have no room <RayService.may_be_crowded>`."""


class OddImages(RayCluster):
    """A cluster with something odd about its images (:attr:`RayCluster.has_odd_images`)."""


class OddlyScaled(RayCluster):
    """A cluster with something odd about how many workers it has (:attr:`RayCluster.is_scaled_oddly`)."""


class StallingCluster(RayCluster):
    """A cluster that may not come up (:attr:`RayCluster.may_stall`)."""


class RefusableHead(HeadGroup):
    """A head group that the operator may refuse (:data:`raylint.glance.REFUSABLE`)."""


class RefusableWorkers(WorkerGroup):
    """A worker group that the operator may refuse (:data:`raylint.glance.REFUSABLE`)."""


class OddStart(Group):
    """A group that does not :attr:`start as usual <Group.starts_as_usual>`."""


class FaultyStart(Group):
    """A group whose line of ``ray start`` is at fault (:attr:`Group.start_faults`): what rules visit that tell of
    its faults."""


class FaultyPod(Group):
    """A group with whose pods something is wrong (:attr:`Group.pod_faults`): what rules visit that tell of it."""


class OddlySized(Group):
    """A group whose CPUs and memory are not :data:`plain to see <raylint.glance.SIZE>`."""


class DeviceGroup(Group):
    """A group that has to do with devices (:data:`raylint.glance.DEVICES`)."""


class TunedGroup(Group):
    """A group with a variable that may be meant for Ray (:data:`raylint.glance.SETTINGS`)."""
