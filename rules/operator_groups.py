"""Head and worker groups that the operator refuses: containers, resources, labels, priority.

Head and worker groups have each their own number for the same check.
"""

from __future__ import annotations

from raylint.cluster import AUTOSCALER_V2_ENV
from raylint.group import Group, WorkerGroup
from raylint.rule import Problem
from raylint.target import parse_version

from .refusal import refused, refuses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import RefusableHead, RefusableWorkers
    from raylint.rule import Location, Problems

_PARAMS = ("num-cpus", "num-gpus", "memory", "resources")


@refuses("KR020", "1.3..")
def head_without_container(group: RefusableHead) -> Problems:
    """The operator refuses a head group whose template has no container.

    `headGroupSpec.template.spec.containers: []`, a template without `spec`, and a RayCluster or RayService that
    describes no cluster at all. A `spec` without `containers`, or a cluster without `headGroupSpec`, the API
    server refuses (API003).

    Fix: Write the Ray container. The first container is Ray's, whatever its name.

    bad RayCluster
      head.template: template: {}  # <-
    bad RayJob
      head.pod: serviceAccountName: ray
      head.containers: containers: []  # <-
    good RayCluster
      head: rayStartParams: {}
    near-miss RayCluster -- The name does not matter:
      head.containers: containers: [{name: main, image: "rayproject/ray:2.52.0"}]
    """
    return _no_container(group)


@refuses("KR024", "1.3..")
def worker_without_container(group: RefusableWorkers) -> Problems:
    """The operator refuses a worker group whose template has no container.

    `template.spec.containers: []` of a group in `workerGroupSpecs`, or a template without `spec`. A `spec`
    without `containers` the API server refuses (API003).

    Fix: Write the Ray container, or remove the group.

    bad RayCluster
      group: replicas: 1
      group.template: template: {metadata: {labels: {team: a}}}  # <-
    bad RayService
      group: replicas: 0
      group.containers: containers: []  # <-
    good RayCluster
      group: replicas: 1
    near-miss RayCluster -- No group at all:
      cluster: workerGroupSpecs: []
    """
    return _no_container(group)


def _no_container(group: Group) -> Problems:
    place = _nothing_for_containers(group)
    if place is not None:
        yield refused(
            group,
            place,
            f"the {group.title} has no container",
            fix="write the Ray container: its image, and no command unless you know why",
        )


def _nothing_for_containers(group: Group) -> Location | None:
    """Where no container is written, in a way that the API server accepts."""
    if group.pod.data.get("containers") == []:
        return group.pod.at_key("containers")
    template = group.data.get("template")
    return group.template.at if isinstance(template, dict) and template.get("spec") is None else None


@refuses("KR021", "1.5..", "resources")
def head_resources_twice(group: RefusableHead) -> Problems:
    """The operator refuses a head group that gives its Ray resources twice.

    `headGroupSpec.resources` with a key in it while `rayStartParams` has one of `num-cpus`, `num-gpus`, `memory`
    and `resources` that is not empty text, even if the two agree or speak of different resources.

    Versions: The field `resources` came with 1.5.
    Fix: Keep one of the two.

    bad RayCluster
      head: rayStartParams: {num-cpus: "0"}
      head: resources: {cpu: "0"}  # <-
    bad RayService
      head: rayStartParams: {memory: "4000000000"}
      head: resources: {custom: "1"}  # <-
    good RayCluster
      head: resources: {cpu: "0"}
    near-miss RayCluster -- Empty text counts as not given:
      head: rayStartParams: {num-cpus: "", dashboard-host: 0.0.0.0}
      head: resources: {cpu: "0"}
    """
    return _resources_twice(group)


@refuses("KR029", "1.5..", "resources")
def worker_resources_twice(group: RefusableWorkers) -> Problems:
    """The operator refuses a worker group that gives its Ray resources twice.

    `resources` of the group with a key in it while its `rayStartParams` has one of `num-cpus`, `num-gpus`,
    `memory` and `resources` that is not empty text.

    Versions: The field `resources` came with 1.5.
    Fix: Keep one of the two.

    bad RayCluster
      group: rayStartParams: {num-gpus: "1"}
      group: resources: {cpu: "4"}  # <-
    bad RayJob
      group: rayStartParams: {resources: '"{}"'}
      group: resources: {custom: "1"}  # <-
    good RayCluster
      group: resources: {cpu: "4"}
    near-miss RayCluster -- An empty mapping, and another parameter:
      group: rayStartParams: {num-cpus: "4"}
      group: resources: {}
    """
    return _resources_twice(group)


def _resources_twice(group: Group) -> Problems:
    resources = group.part("resources")
    twice = [group.start_param(name) for name in _PARAMS]
    given = [(name, param) for name, param in zip(_PARAMS, twice, strict=True) if param.value]
    if resources.data and given:
        names = " and ".join(name for name, _ in given)
        yield refused(
            group,
            resources.at.key(),
            f"the {group.title} has resources beside {names} in rayStartParams",
            because=[(param.at, "the same by other means") for _, param in given],
            fix=f"remove {names} from rayStartParams and say it in resources (cpu, memory, nvidia.com/gpu), or the"
            " other way round",
        )


@refuses("KR022", "1.5..", "rayStartParams")
def head_labels_in_start_params(group: RefusableHead) -> Problems:
    """The operator refuses `labels` among the head's `rayStartParams`.

    The key `labels`, even with empty text.

    Versions: Before 1.5 it is passed on to `ray start --labels`.
    Fix: Write `headGroupSpec.labels`, a mapping.

    bad RayCluster
      head: rayStartParams: {labels: '{"zone": "a"}'}  # <-
    bad RayCluster
      head: rayStartParams: {labels: ""}  # <-
    good RayCluster
      head: labels: {zone: a}
    near-miss RayCluster -- Labels of the pod:
      head.ray: env: [{name: labels, value: zone}]
    """
    return _labels_in_start_params(group)


@refuses("KR030", "1.5..", "rayStartParams")
def worker_labels_in_start_params(group: RefusableWorkers) -> Problems:
    """The operator refuses `labels` among the `rayStartParams` of a worker group.

    The key `labels`, even with empty text.

    Versions: Before 1.5 it is passed on to `ray start --labels`.
    Fix: Write `labels`, a mapping, in the group.

    bad RayCluster
      group: rayStartParams: {labels: '{"zone": "a"}'}  # <-
    bad RayService
      group: rayStartParams: {labels: "zone=a"}  # <-
    good RayCluster
      group: labels: {zone: a}
    near-miss RayCluster kuberay=1.4 -- An operator that still passes it on:
      group: rayStartParams: {labels: '{"zone": "a"}'}
    """
    return _labels_in_start_params(group)


def _labels_in_start_params(group: Group) -> Problems:
    params = group.data["rayStartParams"]
    if isinstance(params, dict) and params.get("labels") is not None:
        yield refused(
            group,
            group.start_params.at_key("labels"),
            f"rayStartParams of the {group.title} has labels",
            fix="write them as the group's own field labels, a mapping of texts",
        )


@refuses("KR023", "1.5..", "labels")
def head_label_syntax(group: RefusableHead) -> Problems:
    """The operator refuses a head group with a label that Kubernetes would not take.

    A key of `headGroupSpec.labels` that is no qualified name (63 characters, an optional DNS name and a slash
    before them), or a value that is no label value (63 characters: letters, digits, `-`, `_`, `.`, a letter or
    digit at both ends). The operator names all such labels in one message.

    Versions: The field `labels` came with 1.5.
    Fix: Correct the key or the value.

    bad RayCluster
      head: labels: {"team name": a}  # <-
    bad RayCluster
      head: labels: {zone: "eu/west"}  # <-
    good RayCluster
      head: labels: {zone: eu-west}
    near-miss RayCluster -- One slash in the key, and a value of nothing:
      head: labels: {example.com/Zone_1: ""}
    """
    return _label_syntax(group)


@refuses("KR031", "1.5..", "labels")
def worker_label_syntax(group: RefusableWorkers) -> Problems:
    """The operator refuses a worker group with a label that Kubernetes would not take.

    As KR023, for the `labels` of a worker group.

    Versions: The field `labels` came with 1.5.
    Fix: Correct the key or the value.

    bad RayCluster
      group: labels: {a/b/c: x}  # <-
    bad RayJob
      group: labels: {zone: -a}  # <-
    good RayCluster
      group: labels: {zone: a}
    near-miss RayCluster
      group: labels: {ray.io/market-type: spot_1.x}
    """
    return _label_syntax(group)


def _label_syntax(group: Group) -> Problems:
    from raylint.kube_names import label_key_fault, label_value_fault

    labels = group.part("labels")
    for key, value in labels.data.items():
        fault = label_key_fault(key)
        if fault:
            yield refused(
                group, labels.at_key(key), f"the label's key {key!r} is refused, {fault}", fix=_LABEL_FIX
            )
        text = labels.string(key).value
        fault = label_value_fault(text) if value is not None and text is not None else ""
        if fault:
            yield refused(
                group, labels.at_key(key), f"the label's value {text!r} is refused, {fault}", fix=_LABEL_FIX
            )


_LABEL_FIX = "use letters, digits, '-', '_' and '.', a letter or digit first and last, at most 63 characters"


@refuses("KR034", "1.7..", "priority")
def priority_without_ray_version(group: RefusableWorkers) -> Problems:
    """The operator refuses a group's `priority` without a `rayVersion`.

    A `priority` other than 0 in a worker group while the cluster's `rayVersion` is missing or empty. The image's
    tag does not count.

    Fix: Write `rayVersion`, 2.56.0 or later, as in the image.

    bad RayCluster
      cluster: autoscalerOptions: {version: v2}
      group: priority: 10  # <-
    bad RayCluster
      cluster: rayVersion: ""
      cluster: autoscalerOptions: {version: v2}
      group: priority: -1  # <-
    good RayCluster
      cluster: rayVersion: 2.56.0
      cluster: autoscalerOptions: {version: v2}
      group: priority: 10
    near-miss RayCluster -- 0 is the default:
      group: priority: 0
    """
    if _has_priority(group) and not group.cluster.has("rayVersion"):
        yield _priority(group, "priority without rayVersion", "write rayVersion, 2.56.0 or later, as in the image")
    elif _has_priority(group) and group.cluster.string("rayVersion").value == "":
        yield _priority(group, "priority with an empty rayVersion", "write rayVersion, 2.56.0 or later")


@refuses("KR035", "1.7..", "priority")
def priority_with_odd_ray_version(group: RefusableWorkers) -> Problems:
    """The operator refuses a group's `priority` where `rayVersion` is no version.

    A `priority` other than 0 while `rayVersion` is a text such as `nightly` or `2`.

    Fix: Write the version that the image holds, 2.56.0 or later.

    bad RayCluster
      cluster: rayVersion: nightly
      cluster: autoscalerOptions: {version: v2}
      group: priority: 10  # <-
    bad RayCluster
      cluster: rayVersion: "3"
      cluster: autoscalerOptions: {version: v2}
      group: priority: 10  # <-
    good RayCluster
      cluster: rayVersion: 2.56.0
      cluster: autoscalerOptions: {version: v2}
      group: priority: 10
    near-miss RayCluster -- What stands behind two numbers is ignored:
      cluster: rayVersion: 2.56.0rc1
      cluster: autoscalerOptions: {version: v2}
      group: priority: 10
    """
    written = group.cluster.string("rayVersion").value
    if _has_priority(group) and written and parse_version(written) is None:
        yield _priority(group, f"priority with rayVersion {written!r}, which is no version", _VERSION_FIX)


@refuses("KR036", "1.7..", "priority")
def priority_with_old_ray(group: RefusableWorkers) -> Problems:
    """The operator refuses a group's `priority` where `rayVersion` is below 2.56.0.

    A `priority` other than 0 while `rayVersion` is older than 2.56.0, which brings priorities.

    Fix: Use Ray 2.56.0 or later in image and `rayVersion`, or remove `priority`.

    bad RayCluster
      cluster: rayVersion: 2.52.0
      cluster: autoscalerOptions: {version: v2}
      group: priority: 10  # <-
    bad RayService
      cluster: rayVersion: "2.9"
      cluster: autoscalerOptions: {version: v2}
      group: priority: 10  # <-
    good RayCluster
      cluster: rayVersion: 2.57.0
      cluster: autoscalerOptions: {version: v2}
      group: priority: 10
    near-miss RayCluster
      cluster: rayVersion: "2.56"
      cluster: autoscalerOptions: {version: v2}
      group: priority: 10
    """
    written = group.cluster.string("rayVersion").value
    version = parse_version(written) if written else None
    if _has_priority(group) and version is not None and version < (2, 56):
        yield _priority(group, f"priority with rayVersion {written!r}, and it needs 2.56.0", _VERSION_FIX)


@refuses("KR037", "1.7..", "priority")
def priority_needs_autoscaler_v2(group: RefusableWorkers) -> Problems:
    """The operator refuses a group's `priority` unless autoscaler v2 is written out.

    A `priority` other than 0 where neither `autoscalerOptions.version` is `v2` nor the head's first container has
    `RAY_enable_autoscaler_v2` with the literal value `1` or `true`. Ray's own default of v2 does not count.

    Fix: Write `autoscalerOptions.version: v2` and `enableInTreeAutoscaling: true`.

    bad RayCluster
      cluster: rayVersion: 2.56.0
      cluster: enableInTreeAutoscaling: true
      group: priority: 10  # <-
    bad RayCluster
      cluster: rayVersion: 2.56.0
      cluster: autoscalerOptions: {version: v1}
      group: priority: -5  # <-
    good RayCluster
      cluster: rayVersion: 2.56.0
      cluster: autoscalerOptions: {version: v2}
      group: priority: 10
    near-miss RayCluster
      cluster: rayVersion: 2.56.0
      cluster: enableInTreeAutoscaling: true
      head.ray: env: [{name: RAY_enable_autoscaler_v2, value: "1"}]
      group: priority: 10
    """
    autoscaler = group.cluster.autoscaler
    if _has_priority(group) and autoscaler.data.get("version") != "v2" and not group.cluster.head_wants_v2:
        yield _priority(
            group,
            "priority without a written autoscaler v2",
            f"write autoscalerOptions.version: v2, or {AUTOSCALER_V2_ENV} with the value 1 on the head",
        )


_VERSION_FIX = "use Ray 2.56.0 or later in image and rayVersion, or remove priority"


def _has_priority(group: WorkerGroup) -> bool:
    return bool(group.integer("priority").value)


def _priority(group: WorkerGroup, fault: str, fix: str) -> Problem:
    return refused(group, group.at_key("priority"), f"the {group.title} has a {fault}", fix=fix)
