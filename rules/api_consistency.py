"""What must fit together for the API server: entries of a list, and fields under a rule of the resource."""

from __future__ import annotations

from raylint.rule import Problem, Severity, rule
from raylint.schema_fault import FaultKind

from .api_server import faults, name, place, refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import FaultyObject
    from raylint.rule import Problems


@rule("API008", Severity.ERROR)
def duplicate_entry(found: FaultyObject) -> Problems:
    """Two entries of a list have the same key: the API server refuses the object.

    ## What it flags
    An entry whose key another entry above it has, in lists that the custom resource holds as maps: containers and
    environment variables by name, ports by number and protocol, volume mounts by path, volumes by name, worker
    groups of a network policy by `groupName`. Also a repeated value in a list that is a set.

    It stays silent on lists that the server does not hold as maps: worker groups themselves, and the `env` of
    `autoscalerOptions`.

    ## What happens
    The server answers `Duplicate value` and nothing is created or changed. A port without a protocol is a TCP
    port, so `6379` and `6379/TCP` clash.

    ## Versions
    Ports since KubeRay 1.0; env, containers, mounts and volumes since 1.2; network policies since 1.7. Up to 1.1
    the server takes the others, and the last one of two environment variables wins in the pod.

    ## Fix
    Remove one of the two. In charts look where lists are joined: the KubeRay chart joins `common.containerEnv`
    with each group's `containerEnv`.

    ## When to ignore it
    Never: no server takes it.

    ## Source
    The CRDs of ray-project/kuberay v1.0.0 to v1.7.0; kubernetes v1.36, apiextensions-apiserver
    `schema/listtype/validation.go`; answers of kube-apiserver v1.36.2.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              env:
              - {name: RAY_LOG_TO_STDERR, value: "1"}
              - {name: RAY_LOG_TO_STDERR, value: "0"}  # <-
    ```

    The default protocol makes these two one:

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              ports:
              - {containerPort: 6379, name: gcs}
              - {containerPort: 6379, name: redis, protocol: TCP}  # <-
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              env: [{name: A, value: "1"}, {name: B, value: "1"}]
    ```

    One number with two protocols, and two groups of one name (the server lets them pass):

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              ports:
              - {containerPort: 6379, name: tcp}
              - {containerPort: 6379, name: udp, protocol: UDP}
      workerGroupSpecs:
      - groupName: cpu
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
      - groupName: cpu
        template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    for fault in faults(found, FaultKind.DUPLICATE):
        key = fault.detail.partition(": ")[2]
        yield Problem(
            place(found, fault),
            f"{name(found, fault)} repeats {key}: the API server refuses the {found.kind}",
            label="the same as an entry above",
            effect=refused(found, fault),
            fix="remove one of the two entries",
        )


@rule("API009", Severity.ERROR)
def broken_rule(found: FaultyObject) -> Problems:
    """A validation rule of the custom resource (CEL) does not hold: the API server refuses the object.

    ## What it flags
    `managedBy` with a value other than KubeRay's and Kueue's; in a RayJob's `deletionStrategy` one of
    `onSuccess` and `onFailure` without the other, or either of them together with `deletionRules`; a deletion
    condition with both `jobStatus` and `jobDeploymentStatus`, or with neither; up to KubeRay 1.4 an unknown
    `deletionPolicy`.

    It stays silent on rules about changes (`managedBy` and `gcsFaultToleranceOptions.backend` cannot be changed
    later): a manifest does not show what is stored.

    ## What happens
    The server answers with the rule's message and nothing is created or changed. While there are type errors, it
    does not look at these rules and so names the fault only at the next try.

    ## Versions
    `managedBy` since KubeRay 1.3 (RayService 1.6); `deletionPolicy` 1.3 and 1.4; `deletionStrategy` since 1.5,
    `jobDeploymentStatus` since 1.6. API servers before Kubernetes 1.25 do not know such rules.

    ## Fix
    As the message says.

    ## When to ignore it
    Never: no server takes it.

    ## Source
    `x-kubernetes-validations` in the CRDs of ray-project/kuberay v1.3.2 to v1.7.0; answers of kube-apiserver
    v1.36.2.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      managedBy: kueue  # <-
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayJob
    metadata: {name: nightly}
    spec:
      entrypoint: python main.py
      deletionStrategy:  # <-
        onSuccess: {policy: DeleteCluster}
      rayClusterSpec:
        headGroupSpec:
          template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayJob
    metadata: {name: nightly}
    spec:
      entrypoint: python main.py
      managedBy: ray.io/kuberay-operator
      deletionStrategy:
        onSuccess: {policy: DeleteCluster}
        onFailure: {policy: DeleteNone}
      rayClusterSpec:
        headGroupSpec:
          template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    Two rules may use different statuses, and a null is no value:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayJob
    metadata: {name: nightly}
    spec:
      entrypoint: python main.py
      deletionStrategy:
        onSuccess:
        deletionRules:
        - {policy: DeleteWorkers, condition: {jobStatus: SUCCEEDED, ttlSeconds: 60}}
        - {policy: DeleteCluster, condition: {jobDeploymentStatus: Failed, ttlSeconds: 60}}
      rayClusterSpec:
        headGroupSpec:
          template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    for fault in faults(found, FaultKind.RULE):
        yield Problem(
            place(found, fault),
            f"{name(found, fault)}: {fault.detail.rstrip('.')}: the API server refuses the {found.kind}",
            label="breaks a rule of the custom resource",
            effect=refused(found, fault).replace(".;", ";"),
            fix="do what the rule asks for",
        )
