"""Feature gates of the KubeRay operator: which exist in a release, and which are on unless somebody turns them.

Source: ``ray-operator/pkg/features/features.go`` of ray-project/kuberay at the tags v1.2.0 to v1.7.0.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from raylint.target import Version

    # From which release line on a gate has which default; None: from there on it is gone.
    History: TypeAlias = tuple[tuple[tuple[int, int], bool | None], ...]

__all__ = ["GATES", "is_on"]

GATES: dict[str, History] = {
    "AsyncJobInfoQuery": (((1, 6), False), ((1, 7), None)),
    "GCSFaultToleranceEmbeddedStorage": (((1, 7), False),),
    "KubernetesWAS": (((1, 7), False),),
    "RayClusterHistoryServer": (((1, 7), False),),
    "RayClusterMTLS": (((1, 7), False),),
    "RayClusterNetworkPolicy": (((1, 7), False),),
    "RayClusterStatusConditions": (((1, 2), False), ((1, 3), True)),
    "RayCronJob": (((1, 6), False),),
    "RayJobDeletionPolicy": (((1, 3), False), ((1, 6), True)),
    "RayMultiHostIndexing": (((1, 5), False), ((1, 6), True)),
    "RayServiceIncrementalUpgrade": (((1, 5), False), ((1, 7), True)),
    "SidecarSubmitterRestart": (((1, 7), False),),
}


def is_on(name: str, release: Version, chosen: dict[str, bool]) -> bool:
    """Is the gate on in an operator of this release? ``chosen`` are the gates that somebody set; one that the
    release does not have is off, whatever is chosen. KeyError: there is no such gate in any release."""
    default: bool | None = None
    for since, value in GATES[name]:
        if release[:2] >= since:
            default = value
    return False if default is None else chosen.get(name, default)
