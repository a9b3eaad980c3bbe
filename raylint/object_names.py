"""What KubeRay calls the objects that it makes of a cluster.

Facts: ray-project/kuberay v1.7.0 ``utils/util.go`` (``CheckName``, ``CheckLabel``, ``PodGenerateName``,
``GenerateRayClusterName``, ``GenerateHeadServiceName``).
"""

from __future__ import annotations

from raylint.derived import cached_property
from raylint.field import Field, Origin, View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.cluster import RayCluster

__all__ = ["Assigned", "ObjectNames", "clipped", "clipped_label"]

_LONGEST_NAME = 50
_LONGEST_LABEL = 63


class Assigned:
    """What only the cluster decides once the object is there; the defaults are place holders.

    ``suffix``: the five random letters that a RayJob, RayService or RayCronJob adds to its cluster's name; ``uid``
    of the RayCluster; ``job_id`` and ``dashboard`` (host and port) as the RayJob's status will have them, empty:
    from the names.
    """

    __slots__ = ("dashboard", "job_id", "suffix", "uid")

    def __init__(
        self, suffix: str = "xxxxx", uid: str = "<uid of the RayCluster>", job_id: str = "", dashboard: str = ""
    ) -> None:
        self.suffix = suffix
        self.uid = uid
        self.job_id = job_id
        self.dashboard = dashboard


class ObjectNames:
    """Names around one cluster."""

    def __init__(self, cluster: RayCluster, assigned: Assigned) -> None:
        self._cluster = cluster
        self.assigned = assigned

    @cached_property
    def owner(self) -> str:
        """The name of the object that a user applies."""
        metadata = self._cluster.owner.metadata
        name = metadata.string("name").value
        prefix = metadata.string("generateName").value
        return name or (f"{prefix}{self.assigned.suffix}" if prefix else "<name>")

    @cached_property
    def namespace(self) -> str:
        return self._cluster.owner.namespace.value or "<namespace>"

    @cached_property
    def cluster(self) -> Field[str]:
        """The RayCluster's name: the owner's own, or one that its controller makes."""
        at = self._cluster.owner.metadata.at_key("name")
        kind = self._cluster.kind
        job = self._cluster.owner.job
        if job is not None and job.uses_existing_cluster:
            return job.job_spec.part("clusterSelector").string("ray.io/cluster")
        if kind == "RayCluster":
            return Field(self.owner, Origin.WRITTEN, at)
        parent = f"{self.owner}-<minutes>" if kind == "RayCronJob" else self.owner
        if self._cluster.target.kuberay_at_least(1, 4):
            name = f"{parent}-{self.assigned.suffix}"
        else:
            name = clipped(f"{parent}-raycluster-{self.assigned.suffix}")
        return Field(name, Origin.KUBERAY, at, f"the {kind}'s name and five random letters (utils/util.go)")

    @property
    def of_cluster(self) -> str:
        return self.cluster.value or "<cluster>"

    @cached_property
    def head_service(self) -> Field[str]:
        head = self._cluster.head
        own = head_service(head).part("metadata").string("name")
        if own.value:
            return own
        reason = "the cluster's name and -head-svc (utils/util.go)"
        return Field(f"{self.of_cluster}-head-svc", Origin.KUBERAY, head.at, reason)

    @cached_property
    def head_host(self) -> str:
        """The head's name in the cluster's DNS; operator environment at its defaults."""
        return f"{self.head_service.value}.{self.namespace}.svc.cluster.local"

    @cached_property
    def head_port(self) -> Field[str]:
        """The port of the GCS: the head's ``port`` parameter."""
        written = self._cluster.head.start_param("port")
        if written.value is not None:
            return written
        return Field("6379", Origin.KUBERAY, written.at, "the default port of the GCS (common/pod.go)")

    @property
    def head_address(self) -> str:
        return f"{self.head_host}:{self.head_port.value}"

    def pods(self, group: str, node_type: str) -> str:
        """``generateName`` of a group's pods."""
        prefix = f"{self.of_cluster}-{group}" if group else self.of_cluster
        return f"{prefix[:_LONGEST_NAME]}-{node_type}-".lower()


def head_service(head: View) -> View:
    """``headService`` of a head group."""
    return head.part("headService")


def clipped(name: str) -> str:
    """A name that fits: 50 characters, cut from the left, with a letter in front (``CheckName``)."""
    return _lettered(name[-_LONGEST_NAME:], digits=True)


def clipped_label(value: str) -> str:
    """A label's value that fits: 63 characters, cut from the left (``CheckLabel``)."""
    return _lettered(value[-_LONGEST_LABEL:], digits=False)


def _lettered(text: str, *, digits: bool) -> str:
    first = text[:1]
    return f"r{text[1:]}" if first in "-._" or (digits and first.isdigit()) else text
