"""What becomes of an object that the KubeRay operator refuses, in words for a finding's ``effect``.

Source: ray-project/kuberay v1.6.0 and v1.7.0, ``raycluster_controller.go``, ``rayjob_controller.go``,
``rayservice_controller.go`` and ``raycronjob_controller.go``.
"""

from __future__ import annotations

from raylint.cluster import RayCluster

OPERATOR = "ray.io/kuberay-operator"

_REFUSED = {
    "RayCluster": "kubectl says created, then the operator refuses the RayCluster: event InvalidRayClusterSpec and"
    " no pods; a cluster that already runs is no longer reconciled",
    "RayJob": "kubectl says created, then the operator refuses the RayJob: jobDeploymentStatus ValidationFailed,"
    " no cluster, no retry",
    "RayService": "kubectl says created, then the operator refuses the RayService: condition Ready is False with"
    " reason ValidationFailed, and nothing is deployed",
    "RayCronJob": "kubectl says created, then the operator refuses the RayCronJob: event InvalidRayCronJobSpec,"
    " and no job is ever started",
}


def refusal(cluster: RayCluster) -> str:
    """What people on call see (KubeRay 1.6 and later; earlier releases say less or retry for ever)."""
    return f"{_REFUSED[cluster.kind]} (KubeRay {cluster.target.kuberay[0]}.{cluster.target.kuberay[1]})"


def is_validated(cluster: RayCluster) -> bool:
    """Does KubeRay look at the object at all? What ``managedBy`` gives to another controller it skips (1.3 and
    later, a RayService from 1.6 on). A RayCronJob has no such field, and v1alpha1 drops it."""
    if cluster.kind == "RayCronJob" or not cluster.serves_v1:
        return True
    return cluster.owner.spec.string("managedBy", OPERATOR).value == OPERATOR
