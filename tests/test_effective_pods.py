"""The pods, Services and Jobs that KubeRay 1.7.0 built of 39 manifests, field by field."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from raylint.effective import Effective
from raylint.effective_container import EffectiveContainer
from raylint.effective_pod import EffectivePod
from raylint.environment import Environment, Reference, Variable
from raylint.field import Field
from raylint.manifest import RayObject, objects
from raylint.object_names import Assigned
from raylint.probes import Probe
from raylint.reader import read
from raylint.services import Service
from raylint.target import Target

if TYPE_CHECKING:
    from raylint.effective_container import Amounts

PODS = Path(__file__).parent / "fixtures" / "effective-pods"
RECORDED: dict[str, Any] = json.loads((PODS / "effective.json").read_text())


def effective(name: str) -> Effective:
    case = RECORDED[name]
    gates = dict(gate.split("=") for gate in case["gates"].split(",") if gate)
    target = Target((1, 7), gates={gate: value == "true" for gate, value in gates.items()})
    (document,) = read(f"{name}.yaml", (PODS / f"{name}.yaml").read_bytes()).documents
    (found,) = objects(document, target)
    assert isinstance(found, RayObject)
    return Effective(found, Assigned("abcde", case["uid"], "job-fixed", "dash:8265"))


# --- The model in the shape of the recording -------------------------------------------------------------------


def variable(found: Variable) -> object:
    value = found.field.value
    return {"from": value.kind, "ref": value.target} if isinstance(value, Reference) else value


def environment(env: Environment) -> dict[str, object]:
    return {name: variable(found) for name, found in env.effective.items()}


def amounts(found: Amounts) -> dict[str, dict[str, str | None]]:
    return {kind: {name: amount.value for name, amount in of.items()} for kind, of in found.items()}


def mounts(container: EffectiveContainer) -> dict[str, str | None]:
    return {path: volume.value for path, volume in container.mounts.items()}


def recorded_probe(field: Field[Probe] | None) -> dict[str, object]:
    assert field is not None
    assert field.value is not None
    probe = field.value
    found: dict[str, object] = {"kind": probe.kind, **probe.timings}
    if probe.kind == "http":
        found["path"] = probe.path
    if probe.kind != "exec":
        found["port"] = probe.port
    elif probe.urls:
        found |= {"tool": "wget", "urls": list(probe.urls)}
    else:
        found["command"] = list(probe.command)
    return found


def recorded_port(name: str | None, number: object) -> dict[str, object]:
    return {"name": name, "containerPort": number} if name else {"containerPort": number}


def ray_container(pod: EffectivePod) -> dict[str, object]:
    ray = pod.ray
    found: dict[str, object] = {
        "name": ray.name.value,
        "image": ray.image.value,
        "command": ray.command.value,
        "args": ray.args.value,
        "env": environment(ray.env),
        "env_added": ray.env.added,
        "ports": [recorded_port(name.value, number.value) for name, number in ray.ports],
        "livenessProbe": recorded_probe(ray.liveness),
        "readinessProbe": recorded_probe(ray.readiness),
        "mounts": mounts(ray),
        "mounts_added": sorted(path for path, volume in ray.mounts.items() if not volume),
        "resources": amounts(ray.resources),
    }
    if ray.env.twice:
        found["env_twice"] = ray.env.twice
    return found


def added_container(container: EffectiveContainer, *, with_command: bool) -> dict[str, object]:
    found: dict[str, object] = {
        "name": container.name.value,
        "image": container.image.value,
        "env": environment(container.env),
        "mounts": mounts(container),
        "resources": amounts(container.resources),
    }
    if with_command:
        found |= {"command": container.command.value, "args": container.args.value}
    if container.env_from:
        found["envFrom"] = container.env_from
    if container.pull_policy.value is not None:
        found["imagePullPolicy"] = container.pull_policy.value
    if container.security_context.data:
        found["securityContext"] = container.security_context.data
    return found


def recorded_pod(pod: EffectivePod) -> dict[str, object]:
    added = [container for container in pod.containers if container.added]
    inits_added = [init for init in pod.init_containers if init.added]
    own_labels = pod.group.template.labels.data
    annotations = {name: field.value for name, field in pod.annotations.items() if not field}
    found: dict[str, object] = {
        "generateName": pod.generate_name.value,
        "namespace": pod.names.namespace,
        "ray_container": ray_container(pod),
        "ray_start_command": pod.command.line,
        "containers": [container.name.value for container in pod.containers],
        "volumes": {name: next(iter(source.value or {})) for name, source in pod.volumes.items()},
        "labels": {name: field.value for name, field in pod.labels.items()},
        "labels_added": [name for name in pod.labels if name not in own_labels],
    }
    # A policy that is not set is the API server's business, which the recording leaves out.
    if pod.group.pod.has("restartPolicy") or pod.restart_policy.value != "Always":
        found["restartPolicy"] = pod.restart_policy.value
    if pod.service_account.value is not None:
        found["serviceAccountName"] = pod.service_account.value
    if added:
        # The scripts of submitters are not recorded.
        found["containers_added"] = [
            added_container(container, with_command=container.name.value == "autoscaler") for container in added
        ]
    if pod.init_containers:
        found["initContainers"] = [init.name.value for init in pod.init_containers]
        found["initContainers_env"] = {
            str(init.name.value): sorted(init.env.effective) for init in pod.init_containers
        }
    if inits_added:
        found["initContainers_added"] = [added_container(init, with_command=False) for init in inits_added]
    if pod.labels_overridden:
        found["labels_overridden"] = pod.labels_overridden
    volumes = [{"name": name, **(field.value or {})} for name, field in pod.volumes.items() if not field]
    if volumes:
        found["volumes_added"] = volumes
    if annotations:
        found["annotations_added"] = annotations
    return found


def recorded_service(service: Service) -> dict[str, object]:
    return {
        "name": service.name.value,
        "type": service.type.value,
        "headless": service.headless,
        "publishNotReadyAddresses": service.publishes_unready,
        "ports": [[name, number.value] for name, number in service.ports],
        "selector": {name: field.value for name, field in service.selector.items()},
        "annotations": {name: field.value for name, field in service.annotations.items()},
    }


def recorded_cleanup(found: Effective) -> dict[str, object]:
    job = found.redis_cleanup
    assert job is not None
    return {
        "name": job.name.value,
        "image": job.image.value,
        "env": sorted(job.env.effective),
        "resources": amounts(job.resources),
        "backoffLimit": job.backoff_limit.value,
        "activeDeadlineSeconds": job.deadline.value,
        "restartPolicy": job.restart_policy.value,
    }


def recorded_submitter(found: Effective) -> dict[str, object]:
    submitter = found.submitter
    assert submitter is not None
    container = submitter.container
    return {
        "restartPolicy": submitter.restart_policy.value,
        "container": {
            "name": container.name.value,
            "image": container.image.value,
            # Scripts are not recorded.
            "command": None,
            "args": None,
            "env": environment(container.env),
            "resources": amounts(container.resources),
        },
        "labels": {name: field.value for name, field in submitter.labels.items()},
    }


def in_shape_of_recording(found: Effective) -> dict[str, object]:
    by_purpose = {service.purpose: service for service in found.services}
    shape: dict[str, object] = {
        "head": recorded_pod(found.head),
        "workers": {pod.title: recorded_pod(pod) for pod in found.workers},
        "head_service": recorded_service(by_purpose["where workers find the head"]),
    }
    if "where requests to Serve go" in by_purpose:
        shape["serve_service"] = recorded_service(by_purpose["where requests to Serve go"])
    if found.redis_cleanup is not None:
        shape["redis_cleanup_job"] = recorded_cleanup(found)
    if found.submitter is not None and found.submitter.in_job:
        shape["submitter"] = recorded_submitter(found)
    return shape


def leaves(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Every compared field with its path; lists count as one."""
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from leaves(item, f"{path}/{key}")
    else:
        yield path, value


# --- The comparison --------------------------------------------------------------------------------------------


def test_every_manifest_is_recorded() -> None:
    assert {path.stem for path in PODS.glob("*.yaml")} == set(RECORDED)
    assert len(RECORDED) >= 39


@pytest.mark.parametrize("name", RECORDED)
def test_what_kuberay_built(name: str) -> None:
    recorded = {key: value for key, value in RECORDED[name].items() if key not in ("note", "gates", "uid")}
    expected = dict(leaves(recorded))
    got = dict(leaves(in_shape_of_recording(effective(name))))
    different = {
        path: (got.get(path, "nothing"), expected.get(path, "nothing"))
        for path in sorted({*got, *expected})
        if got.get(path, "nothing") != expected.get(path, "nothing")
    }
    assert different == {}


def test_how_much_is_compared() -> None:
    assert sum(1 for case in RECORDED.values() for _ in leaves(case)) > 4000


@pytest.mark.parametrize("name", RECORDED)
def test_every_value_of_kuberay_says_why(name: str) -> None:
    found = effective(name)
    for pod in found.pods:
        fields: list[Field[Any]] = [
            *pod.command.options.values(),
            *pod.labels.values(),
            *pod.annotations.values(),
            *pod.volumes.values(),
            *(variable.field for container in pod.containers for variable in container.env),
            *(
                amount
                for container in pod.containers
                for of in container.resources.values()
                for amount in of.values()
            ),
        ]
        assert [field for field in fields if field.origin.name == "KUBERAY" and not field.reason] == []
