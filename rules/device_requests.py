"""Devices that a pod asks Kubernetes for."""

from __future__ import annotations

from raylint.field import Field, Origin, View
from raylint.group import Group
from raylint.manifest import RayJob
from raylint.quantity import parse_quantity
from raylint.rule import Severity, safe, unsafe

from .devices import is_accelerator
from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import DeviceGroup
    from raylint.pod import Container
    from raylint.rule import Problems

__all__ = ["accelerator_of_submitter", "extended_resource_refused"]

_ORDINARY = frozenset({"cpu", "memory", "ephemeral-storage"})


@looks_into("RAY402", Severity.ERROR, reports=("FR-072",), fixes="safe")
def extended_resource_refused(group: DeviceGroup) -> Problems:
    """A device among the requests without an equal limit, or a part of one: no pod can be created.

    ## What it flags
    In any container of a group: a resource that is not Kubernetes' own (`nvidia.com/gpu`, `google.com/tpu`) or
    huge pages among `requests` and not, or with another amount, among `limits`; and an amount of such a resource
    that is no whole number.

    ## What happens
    The API server stores the object of KubeRay without looking at this, and refuses every pod that the operator
    then makes of it: "Limit must be set for non overcommitable resources", "must be equal to ... limit", "must be
    an integer". The group stays empty; the operator's events and log tell why.

    ## Versions
    All: a rule of Kubernetes.

    ## Fix
    Write the resource among `limits`; the request follows from it. For half a GPU ask for one and let Ray share it
    (`num_gpus=0.5` in the task), or use MIG or time slicing.

    ## When to ignore it
    Never.

    ## Source
    Kubernetes 1.36, `pkg/apis/core/validation/validation.go` (`ValidateResourceRequirements`);
    ray-project/kuberay#2528.

    ## Examples
    ```yaml bad worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-gpu
          resources:
            limits: {cpu: "8", memory: 32Gi}
            requests:
              nvidia.com/gpu: "1"  # <-
    ```

    ```yaml bad worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-gpu
          resources:
            limits: {amd.com/gpu: "2"}
            requests:
              amd.com/gpu: "1"  # <-
        - name: exporter
          image: registry.example/team/exporter:7
          resources:
            limits:
              nvidia.com/gpu: 500m  # <-
    ```

    ```yaml good worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-gpu
          resources:
            limits: {cpu: "8", memory: 32Gi, nvidia.com/gpu: "1"}
            requests: {cpu: "8", memory: 32Gi}
    ```

    CPU, memory and disk may differ; the same amount may be spelt in two ways:

    ```yaml good near-miss worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0-gpu
          resources:
            limits: {memory: 32Gi, ephemeral-storage: 100Gi, nvidia.com/gpu: 1}
            requests: {cpu: "8", memory: 16Gi, ephemeral-storage: 10Gi, nvidia.com/gpu: "1"}
    ```
    """
    pod = group.pod
    if not group.cluster.is_built:
        return
    for container in (*pod.containers, *pod.init_containers):
        if _names_extended(container.data.get("resources")):
            yield from _refused_amounts(container, group)


def _refused_amounts(container: Container, group: Group) -> Problems:
    resources = container.part("resources")
    limits, requests = resources.part("limits"), resources.part("requests")
    for kind in (limits, requests):
        for name, raw in kind.data.items():
            if not _is_extended(name):
                continue
            amount = parse_quantity(raw)
            if amount is None:
                continue
            at: Field[str] = Field(None, Origin.WRITTEN, kind.at_key(name))
            if not amount.is_whole and not name.startswith("hugepages-"):
                yield at.flag(
                    f"the amount {raw} of {name} is no whole number: the API server refuses the pods of the"
                    f" {group.title}",
                    label="a part of a device",
                    effect='no pod of the group is created: "must be an integer"',
                    fix="ask for whole devices; Ray shares one out itself (num_gpus=0.5 in the task)",
                )
            elif kind is requests and parse_quantity(limits.data.get(name)) != amount:
                said = f"is not its limit, {limits.data[name]}" if limits.has(name) else "has no limit"
                yield at.flag(
                    f"the request of {raw} {name} {said}: the API server refuses the pods of the {group.title}",
                    label="no equal limit",
                    because=[(limits.at_key(name), "the limit")] if limits.has(name) else [],
                    effect="no pod of the group is created: devices cannot be overcommitted",
                    fix=f"write {name} among limits alone; the request follows from it",
                    # Of two amounts a person has to choose one.
                    repair=None if limits.has(name) else safe(limits.at_key(name).set(raw)),
                )


def _names_extended(resources: object) -> bool:
    """Most containers ask for CPUs and memory alone."""
    if not isinstance(resources, dict):
        return False
    for kind in (resources.get("limits"), resources.get("requests")):
        if isinstance(kind, dict) and not _ORDINARY.issuperset(kind) and any(map(_is_extended, kind)):
            return True
    return False


def _is_extended(name: str) -> bool:
    """A resource of which Kubernetes wants request and limit to be equal (``v1helper.IsExtendedResourceName``,
    ``IsOvercommitAllowed``)."""
    if name.startswith("hugepages-"):
        return True
    return "/" in name and "kubernetes.io/" not in name and not name.startswith("requests.")


@looks_into("RAY407", Severity.WARNING, "submitterPodTemplate", reports=("FR-078",), fixes="unsafe")
def accelerator_of_submitter(job: RayJob) -> Problems:
    """The pod that only submits the job holds a GPU.

    ## What it flags
    A limit or request on an accelerator in a container of `submitterPodTemplate`.

    ## What happens
    The submitter runs `ray job submit` and follows the log: it needs no device. The GPU is reserved until the job
    ends, and the job's own workers may wait for just that one.

    ## Versions
    All; the template counts in K8sJobMode alone.

    ## Fix
    Delete the resource from the template.

    ## When to ignore it
    When the template only sends the submitter to a node that has free devices in any case.

    ## Source
    ray-project/kuberay v1.7.0, `common/job.go` (`GetDefaultSubmitterTemplate`: CPU and memory alone);
    michelangelo-ai/michelangelo#1562.

    ## Examples
    ```yaml bad job
    submitterPodTemplate:
      spec:
        restartPolicy: Never
        containers:
        - name: submit
          image: rayproject/ray:2.60.0
          resources:
            limits:
              nvidia.com/gpu: "1"  # <-
    ```

    ```yaml bad job
    submitterPodTemplate:
      spec:
        restartPolicy: Never
        containers:
        - name: submit
          image: rayproject/ray:2.60.0
          resources:
            limits: {cpu: "1", google.com/tpu: "4"}  # <-
    ```

    ```yaml good job
    submitterPodTemplate:
      spec:
        restartPolicy: Never
        containers:
        - name: submit
          image: rayproject/ray:2.60.0
          resources: {limits: {cpu: "1", memory: 1Gi}}
    ```

    None, in so many words; and a mode that has no submitter:

    ```yaml good near-miss job
    submitterPodTemplate:
      spec:
        restartPolicy: Never
        containers:
        - name: submit
          image: rayproject/ray:2.60.0
          resources: {limits: {cpu: "1", nvidia.com/gpu: "0"}}
    ```
    """
    if job.submission_mode.value != "K8sJobMode":
        return
    for path, item in job.job_spec.part("submitterPodTemplate").part("spec").parts("containers"):
        resources = View(job.document, path, item).part("resources")
        limits, requests = resources.part("limits"), resources.part("requests")
        for name, raw in limits.data.items():
            amount = parse_quantity(raw)
            if is_accelerator(name) and amount is not None and amount.nanos > 0:
                yield Field(None, Origin.WRITTEN, limits.at_key(name)).flag(
                    f"the submitter holds {raw} of {name} until the job ends, and only submits it",
                    label="reserved for nothing",
                    effect="a device is paid for twice, and the job's own workers may wait for it",
                    fix=f"delete {name} from the submitter's resources",
                    repair=unsafe(
                        *(part.at_key(name).delete() for part in (limits, requests) if name in part.data)
                    ),
                )
