"""Options of a cluster that change every pod of it: authentication, TLS, the history server.

Facts: ray-project/kuberay v1.7.0 ``utils/util.go`` and ``common/pod.go``.
"""

from __future__ import annotations

from raylint.derived import cached_property
from raylint.field import Field, Origin, View
from raylint.object_names import clipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.cluster import RayCluster
    from raylint.object_names import ObjectNames

__all__ = ["ClusterOptions"]


class ClusterOptions:
    """What is on, for the target's release and feature gates."""

    def __init__(self, cluster: RayCluster, names: ObjectNames) -> None:
        self._cluster = cluster
        self._names = names
        self._target = cluster.target

    @cached_property
    def auth(self) -> View:
        return self._cluster.part("authOptions")

    @cached_property
    def asks_for_token(self) -> bool:
        """Token authentication: ``mode: token`` in so many words (v1, KubeRay 1.5.1 and later)."""
        knows = self._target.kuberay_at_least(1, 5, 1) and self._cluster.serves_v1
        return knows and self.auth.data.get("mode") == "token"

    @cached_property
    def asks_kubernetes(self) -> bool:
        """Tokens of Kubernetes' service accounts (KubeRay 1.6 and later)."""
        knows = self._target.kuberay_at_least(1, 6)
        return self.asks_for_token and knows and self.auth.data.get("enableK8sTokenAuth") is True

    @cached_property
    def token_secret(self) -> Field[str]:
        """The Secret that holds the token: the user's, else one that KubeRay makes."""
        own = self.auth.string("secretName")
        if own.value and self._target.kuberay_at_least(1, 6):
            return own
        reason = "made by KubeRay, called like the cluster (common/pod.go)"
        return Field(clipped(self._names.of_cluster), Origin.KUBERAY, self.auth.at, reason)

    @cached_property
    def uses_tls(self) -> bool:
        options = self._cluster.part("tlsOptions")
        return self._target.gate("RayClusterMTLS") and options.data.get("enabled") is True

    @cached_property
    def collector(self) -> View | None:
        """``collectorOptions`` of the history server, where it is on and they are written."""
        options = self._cluster.part("historyServerOptions").part("collectorOptions")
        on = self._target.gate("RayClusterHistoryServer")
        written = self._cluster.part("historyServerOptions").data.get("collectorOptions")
        return options if on and isinstance(written, dict) else None
