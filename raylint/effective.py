"""What KubeRay makes of an object: the pods of each group, Services and Jobs.

One model with the views that rules read: values that a view answers (restart policy, CPUs, memory, GPUs, Redis)
are taken from there.
"""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.cluster_options import ClusterOptions
from raylint.derived import cached_property
from raylint.effective_pod import EffectivePod
from raylint.object_names import Assigned, ObjectNames
from raylint.redis_cleanup import RedisCleanup
from raylint.services import services
from raylint.submitter import Submitter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.field import Field
    from raylint.manifest import RayObject
    from raylint.services import Service

__all__ = ["Effective"]


class Effective:
    """Everything that comes of one object. Nothing in it raises, whatever the object holds."""

    def __init__(self, found: RayObject, assigned: Assigned | None = None) -> None:
        self.object = found
        # A RayJob that selects a cluster describes none.
        self.cluster = found.cluster or RayCluster(found, found.path + found.cluster_path, None)
        self.names = ObjectNames(self.cluster, assigned or Assigned())
        self.options = ClusterOptions(self.cluster, self.names)

    @property
    def builds_cluster(self) -> bool:
        return self.object.cluster is not None and self.cluster.is_built

    @property
    def suspended(self) -> Field[bool] | None:
        """What keeps all pods away: ``suspend`` of the cluster (KubeRay 1.1 and later), or of the RayJob,
        RayCronJob or (1.7) RayService that would make it."""
        own = self.cluster.boolean("suspend")
        if own.value is True and self.cluster.target.kuberay_at_least(1, 1):
            return own
        return self.owner_suspend if self.owner_suspend is not None and self.owner_suspend.value is True else None

    @property
    def owner_suspend(self) -> Field[bool] | None:
        """``suspend`` of an object that makes a cluster, where it is written and known to the release."""
        kind, spec = self.object.kind, self.object.spec
        known = kind in ("RayJob", "RayCronJob") or (
            kind == "RayService" and self.cluster.target.kuberay_at_least(1, 7)
        )
        return spec.boolean("suspend") if known and spec.has("suspend") else None

    @cached_property
    def submitter(self) -> Submitter | None:
        job = self.object.job
        return None if job is None else Submitter(job, self.names, self.options)

    @cached_property
    def head(self) -> EffectivePod:
        return EffectivePod(self.cluster.head, self.names, self.options, self.submitter)

    @cached_property
    def workers(self) -> list[EffectivePod]:
        return [EffectivePod(group, self.names, self.options) for group in self.cluster.worker_groups]

    @property
    def pods(self) -> list[EffectivePod]:
        """One pod of each group, the head first; none where no cluster is built."""
        return [self.head, *self.workers] if self.builds_cluster else []

    @cached_property
    def services(self) -> list[Service]:
        return services(self.cluster, self.names) if self.builds_cluster else []

    @property
    def redis_cleanup(self) -> RedisCleanup | None:
        """The Job that follows the cluster's deletion."""
        cleans = self.builds_cluster and self.cluster.gcs_fault_tolerance.uses_redis
        return RedisCleanup(self.head) if cleans else None
