"""Containers as the API server refuses them in a pod.

Facts: Kubernetes 1.36 ``pkg/apis/core/validation/validation.go`` (``validateContainerCommon``, ``ValidateEnv``).
"""

from __future__ import annotations

from raylint.rule import Severity

from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import FaultyPod
    from raylint.rule import Problems

__all__ = ["container_refused"]


@outlined("RAY365", Severity.ERROR)
def container_refused(group: FaultyPod) -> Problems:
    """A container that no pod may have: without an image, with a name given twice, with a variable of two sources.

    In a pod template: a container or init container without an `image`; two of them, of whichever list, with one
    name; an entry of `env` with a `value` that is not empty and a `valueFrom`.

    Then: The API server stores the object of KubeRay without looking at this, and refuses each pod that the
    operator makes of it: "image: Required value", "Duplicate value", "may not be specified when value is not
    empty". The group stays empty, and only the operator's events and log tell why.

    Fix: Give each container an image and a name of its own; keep one of `value` and `valueFrom`.
    Ignore: Where an admission webhook writes the image into the pod.
    Source: Kubernetes 1.36, `pkg/apis/core/validation/validation.go` (`validateContainerCommon`, `ValidateEnv`).

    bad RayCluster
      head.containers: containers:
      head.containers: - name: ray-head  # <-
      group.ray: env:
      group.ray: - name: TOKEN
      group.ray:   value: unset
      group.ray:   valueFrom:  # <-
      group.ray:     secretKeyRef: {name: hub, key: token}
    bad RayJob -- Across the two lists:
      head.pod: initContainers:
      head.pod: - {name: setup, image: "registry.example/team/setup:7"}
      head.containers: containers:
      head.containers: - {name: ray-head, image: "rayproject/ray:2.52.0"}
      head.containers: - name: setup  # <-
      head.containers:   image: registry.example/team/agent:7
    good RayCluster
      head.containers: containers:
      head.containers: - name: ray-head
      head.containers:   image: rayproject/ray:2.52.0
      head.containers:   env: [{name: TOKEN, valueFrom: {secretKeyRef: {name: hub, key: token}}}]
      head.containers: - {name: agent, image: "registry.example/team/agent:7"}
    near-miss RayCluster -- An empty value counts as none, and each group has names of its own:
      head.containers: containers:
      head.containers: - name: ray
      head.containers:   image: rayproject/ray:2.52.0
      head.containers:   env: [{name: TOKEN, value: "", valueFrom: {secretKeyRef: {name: hub, key: token}}}]
      group.containers: containers:
      group.containers: - {name: ray, image: "rayproject/ray:2.52.0"}
    """
    for fault in group.faults_of_pod("name", "image", "source"):
        if fault.kind == "name":
            yield fault.flag(
                f"a second container of the {group.title} is called {fault.what!r}: its pods are refused",
                label="the name is taken",
                because="the first",
                effect='no pod of the group is created: "Duplicate value"',
                fix="give each container and init container a name of its own",
            )
        elif fault.kind == "image":
            yield fault.flag(
                f"the container {fault.what!r} of the {group.title} has no image: its pods are refused",
                label="no image",
                effect='no pod of the group is created: "image: Required value"',
                fix="write the image of the container",
            )
        else:
            yield fault.flag(
                f"the variable {fault.what!r} has both value and valueFrom: the pods of the {group.title} are"
                " refused",
                because="the other source",
                effect='no pod of the group is created: "may not be specified when value is not empty"',
                fix="keep one of the two",
            )
