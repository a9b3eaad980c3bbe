"""Kubernetes' own scalers on a Ray cluster."""

from __future__ import annotations

from raylint.manifest import KubeObject
from raylint.rule import Problem, Severity

from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

__all__ = ["foreign_scaler"]

MENTIONS = ("HorizontalPodAutoscaler", "ScaledObject")
_SCALERS = ("HorizontalPodAutoscaler", "ScaledObject")


@outlined("RAY930", Severity.WARNING, context=_SCALERS)
def foreign_scaler(found: KubeObject) -> Problems:
    """A HorizontalPodAutoscaler or ScaledObject on a Ray kind never scales it.

    A `scaleTargetRef` of an `apiVersion` of
    `ray.io/`.

    Then: KubeRay's kinds have no `scale` subresource. The scaler reports `FailedGetScale` again and again, and the
    number of pods never changes.

    Fix: Turn on Ray's own autoscaler (`enableInTreeAutoscaling: true`), or Serve's `autoscaling_config`.
    Ignore: Never.
    Source: the CRDs of ray-project/kuberay v1.0.0 to v1.7.0: `subresources` holds `status` alone.

    bad - -- A HorizontalPodAutoscaler:
      also: apiVersion: autoscaling/v2
      also: kind: HorizontalPodAutoscaler
      also: metadata: {name: trainer}
      also: spec:
      also:   maxReplicas: 8
      also:   scaleTargetRef: {apiVersion: ray.io/v1, kind: RayCluster, name: trainer}  # <-
    bad -
      also: apiVersion: keda.sh/v1alpha1
      also: kind: ScaledObject
      also: metadata: {name: ranker}
      also: spec:
      also:   scaleTargetRef:  # <-
      also:     apiVersion: ray.io/v1
      also:     kind: RayService
      also:     name: ranker
    good RayCluster
      cluster: enableInTreeAutoscaling: true
    good RayService
      spec: serveConfigV2: |
      spec:   applications:
      spec:   - {name: a, import_path: "a:app", deployments: [{name: d, autoscaling_config: {max_replicas: 4}}]}
    near-miss - -- A Deployment beside Ray:
      also: apiVersion: autoscaling/v2
      also: kind: HorizontalPodAutoscaler
      also: metadata: {name: gateway}
      also: spec: {maxReplicas: 8, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: ray-gateway}}
    """
    if found.kind not in _SCALERS:
        return
    target = found.part("spec").part("scaleTargetRef")
    kind = target.data.get("kind")
    if str(target.data.get("apiVersion")).startswith("ray.io/"):
        yield Problem(
            target.at.key(),
            f"a {found.kind} cannot scale a {kind}: KubeRay's kinds have no scale subresource",
            effect="it reports FailedGetScale again and again, and the number of pods never changes",
            fix="turn on Ray's own autoscaler (enableInTreeAutoscaling), or Serve's autoscaling_config",
        )
