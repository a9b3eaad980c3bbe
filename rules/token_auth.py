"""Whether callers of Ray are asked for a token."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.cluster import RayCluster

__all__ = ["asks_for_token"]


def asks_for_token(cluster: RayCluster) -> bool:
    """Does Ray ask for a token, or may it: ``authOptions.mode: token`` (v1, KubeRay 1.5.1), or ``RAY_AUTH_MODE``
    on the head (Ray 2.52)?"""
    knows = cluster.target.kuberay_at_least(1, 5, 1) and cluster.serves_v1
    if knows and cluster.part("authOptions").data.get("mode") == "token":
        return True
    variable = cluster.head.ray_container.env("RAY_AUTH_MODE")
    return variable is not None and variable.value.value in (None, "token")
