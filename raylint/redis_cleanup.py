"""The Job with which KubeRay takes a deleted cluster's keys out of Redis.

Facts: ray-project/kuberay v1.7.0 ``raycluster_controller.go`` (``buildRedisCleanupJob``).
"""

from __future__ import annotations

from raylint.effective_container import fixed_amounts
from raylint.field import Field, Origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.effective_container import Amounts
    from raylint.effective_pod import EffectivePod
    from raylint.environment import Environment
    from raylint.rule import Location

__all__ = ["RedisCleanup"]

_SOURCE = "raycluster_controller.go"
_LONGEST_NAME = 63


class RedisCleanup:
    """The cleanup Job of a cluster with fault tolerance in Redis; it runs when the cluster is deleted, with the
    image and the environment of the head."""

    def __init__(self, head: EffectivePod) -> None:
        self._head = head

    @property
    def _at(self) -> Location:
        return self._head.group.cluster.gcs_fault_tolerance.at_switch

    @property
    def name(self) -> Field[str]:
        name = f"{self._head.names.of_cluster}-redis-cleanup"[-_LONGEST_NAME:]
        return self._set(name, "the cluster's name, cut from the left")

    @property
    def image(self) -> Field[str]:
        return self._set(self._head.ray.image.value, "that of the head")

    @property
    def env(self) -> Environment:
        env = self._head.ray.env.appended_by(_SOURCE)
        env.add("RAY_redis_db_connect_retries", "120", "a minute for Redis to answer", self._at)
        env.add("RAY_redis_db_connect_wait_milliseconds", "500", "a minute for Redis to answer", self._at)
        return env

    @property
    def resources(self) -> Amounts:
        return fixed_amounts(("200m", "256Mi"), ("200m", "256Mi"), self._at)

    @property
    def restart_policy(self) -> Field[str]:
        return self._set("Never", "fixed")

    @property
    def backoff_limit(self) -> Field[int]:
        return Field(0, Origin.KUBERAY, self._at, f"fixed ({_SOURCE})")

    @property
    def deadline(self) -> Field[int]:
        """``activeDeadlineSeconds``, since KubeRay 1.1."""
        if self._head.group.cluster.target.kuberay_at_least(1, 1):
            return Field(300, Origin.KUBERAY, self._at, f"fixed ({_SOURCE})")
        return Field(None, Origin.ABSENT, self._at)

    def _set(self, value: str | None, reason: str) -> Field[str]:
        return Field(value, Origin.KUBERAY, self._at, f"{reason} ({_SOURCE})")
