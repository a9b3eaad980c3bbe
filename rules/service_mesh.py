"""Ray's ports behind the sidecar of a service mesh."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.rule import Confidence, Severity, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.field import View
    from raylint.rule import Problems

__all__ = ["mesh_without_fixed_ports"]

MENTIONS = ("sidecar.istio.io/inject",)
_INJECTION = "sidecar.istio.io/inject"


@rule("RAY308", Severity.WARNING, confidence=Confidence.MEDIUM, reports=("FR-134",))
def mesh_without_fixed_ports(cluster: RayCluster) -> Problems:
    """A service mesh's sidecar meets Ray's ten thousand worker ports, none of which it knows.

    ## What it flags
    A pod template of a Ray group with `sidecar.istio.io/inject: "true"` among its labels or annotations, while its
    `rayStartParams` set neither `max-worker-port` nor `worker-port-list` nor `node-ip-address`.

    It stays silent where a namespace label injects the sidecar: the manifest does not show that.

    ## What happens
    Under mutual TLS the mesh passes only what a Service or a pod's name makes known to it. Ray's processes call
    each other by pod address on any of the ports 10002 to 19999, so workers cannot join or tasks hang; making the
    whole range known to the sidecar costs it so much memory that it is killed.

    ## Versions
    All.

    ## Fix
    Give the worker processes a small range (`min-worker-port: "11000"`, `max-worker-port: "11020"`), fix
    `node-manager-port` and `object-manager-port`, and list these ports in a headless Service; or exclude the pods
    from the mesh.

    ## When to ignore it
    When the mesh runs in permissive mode for this namespace, or excludes the ports by annotation.

    ## Source
    ray-project/kuberay#1005, ray-project/ray#53385.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:
          metadata:
            labels: {sidecar.istio.io/inject: "true"}  # <-
          spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        rayStartParams: {num-cpus: "4"}
        template:
          metadata:
            annotations: {sidecar.istio.io/inject: "true"}  # <-
          spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {min-worker-port: "11000", max-worker-port: "11020"}
        template:
          metadata:
            labels: {sidecar.istio.io/inject: "true"}
          spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}
    ```

    The sidecar is kept away:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:
          metadata:
            labels: {sidecar.istio.io/inject: "false"}
          spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}
    ```
    """
    if not cluster.is_built:
        return
    for group in cluster.groups:
        params = group.start_params
        if any(params.has(name) for name in ("max-worker-port", "worker-port-list", "node-ip-address")):
            continue
        for part in (group.template.labels, group.template.annotations):
            if _is_injected(part):
                yield part.string(_INJECTION).flag(
                    f"the mesh's sidecar of the {group.title} knows none of Ray's worker ports, 10002 to 19999",
                    label="asks for a sidecar",
                    effect="under mutual TLS workers cannot join or tasks hang; a sidecar that is told all ports"
                    " is killed for its memory",
                    fix="set min-worker-port and max-worker-port to a small range and make it known to the mesh,"
                    " or keep the sidecar away",
                )
                break


def _is_injected(part: View) -> bool:
    return part.string(_INJECTION).value == "true"
