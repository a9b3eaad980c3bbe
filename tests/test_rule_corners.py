"""Corners of rules that no page shows: one small manifest a case, and what the rule says there.

Sources are those of the rules' pages; what Ray does with an environment variable is from its own start
(Ray 2.9 to 2.60).
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from raylint.engine import Engine
from raylint.finding import Finding, Severity
from raylint.fix import fix_text
from raylint.manifest import RayCronJob, RayJob
from raylint.packs import installed_rules
from raylint.rule import Problem
from raylint.target import Target, parse_version
from raylint_rules import _list
from raylint_rules.inner_page import looks_into
from raylint_rules.refusal import refuses

RULES = {rule.id: rule for rule in installed_rules()}
ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO
IMAGE = "rayproject/ray:2.60.0"
OLDER = "rayproject/ray:2.51.0"


def group(name: str, **more: object) -> dict[str, Any]:
    """A worker group. ``pod`` and ``container`` add to those, everything else to the group."""
    container = {"name": "ray-worker", "image": IMAGE, **_part(more, "container")}
    pod = {"containers": [container], **_part(more, "pod")}
    return {"groupName": name, "rayStartParams": {}, "template": {"spec": pod}, **more}


def worker_container(**fields: object) -> dict[str, Any]:
    return cluster(group("cpu", container=fields))


def mounted(*mounts: object) -> dict[str, Any]:
    return worker_container(volumeMounts=list(mounts))


def head_ports(*ports: object) -> dict[str, Any]:
    return cluster(container={"ports": list(ports)})


def cluster(*groups: dict[str, Any], **more: object) -> dict[str, Any]:
    """The spec of a cluster. ``head``, ``template``, ``pod`` and ``container`` add to the head's parts, everything
    else to the spec."""
    container = {"name": "ray-head", "image": IMAGE, **_part(more, "container")}
    pod = {"containers": [container], **_part(more, "pod")}
    head = {"rayStartParams": {}, "template": {"spec": pod, **_part(more, "template")}, **_part(more, "head")}
    return {"headGroupSpec": head, "workerGroupSpecs": list(groups), **more}


def _part(more: dict[str, object], name: str) -> dict[str, Any]:
    part = more.pop(name, {})
    assert isinstance(part, dict)
    return part


def job(spec: dict[str, Any] | None = None, **more: object) -> dict[str, Any]:
    return {"entrypoint": "python train.py", "rayClusterSpec": spec or cluster(group("cpu")), **more}


def service(serve: str, spec: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"serveConfigV2": serve, "rayClusterConfig": spec or cluster(group("cpu"))}


def cron(template: dict[str, Any]) -> dict[str, Any]:
    return {"schedule": "0 3 * * *", "jobTemplate": template}


def said(
    rule: str, kind: str, spec: object, *, kuberay: str = "1.7", gates: tuple[str, ...] = (), **metadata: object
) -> list[Finding]:
    """What one rule says of an object."""
    release = parse_version(kuberay)
    assert release is not None
    target = Target(release, None, gates=dict.fromkeys(gates, True))
    manifest = {"apiVersion": "ray.io/v1", "kind": kind, "metadata": {"name": "demo", **metadata}, "spec": spec}
    engine = Engine((RULES[rule],), target)
    result = engine.check("demo.yaml", json.dumps(manifest, indent=1).encode())
    findings: list[Finding] = [*result.findings, *engine.conclude(result.facts)]
    assert [finding.rule_id for finding in findings] == [rule] * len(findings)
    return findings


def env(**variables: str) -> dict[str, Any]:
    return {"env": [{"name": name, "value": value} for name, value in variables.items()]}


def start_params(**params: str) -> dict[str, Any]:
    return {"rayStartParams": {name.replace("_", "-"): value for name, value in params.items()}}


NO_CPUS = start_params(num_cpus="0")
LIMITED = {"resources": {"limits": {"cpu": "4", "memory": "10Gi"}}}
BARE = cluster(group("cpu"))


def shm(empty: object) -> dict[str, Any]:
    """A head with a volume of one's own at /dev/shm."""
    return cluster(
        container={**LIMITED, "volumeMounts": [{"name": "shm", "mountPath": "/dev/shm"}]},
        pod={"volumes": [{"name": "shm", "emptyDir": empty}]},
    )


def with_store(size: str, spec: dict[str, Any] | None = None) -> dict[str, Any]:
    spec = copy.deepcopy(spec) if spec else cluster(container=LIMITED)
    spec["headGroupSpec"]["rayStartParams"] = {"object-store-memory": size}
    return spec


def with_own_port(name: str, port: int, *of_container: dict[str, Any]) -> dict[str, Any]:
    """A cluster whose headService has a port, and whose head container has others."""
    own = {"headService": {"spec": {"ports": [{"name": name, "port": port}]}}}
    return cluster(group("cpu"), container={"ports": list(of_container)}, head=own)


def redis_at(address: str, namespace: str = "", **more: Any) -> dict[str, Any]:
    options = {"redisAddress": address} | ({"externalStorageNamespace": namespace} if namespace else {})
    return cluster(group("cpu"), gcsFaultToleranceOptions=options, **more)


SIDECAR = {"name": "redis", "image": "redis:7", "ports": [{"containerPort": 6380}]}
SELECTOR = {"ray.io/cluster": "shared"}
DELETION = ("RayJobDeletionPolicy",)
MULTIKUEUE = "kueue.x-k8s.io/multikueue"
BACKEND_FROM_A_SECRET = {
    "name": "STORAGE_BACKEND",
    "valueFrom": {"secretKeyRef": {"name": "store", "key": "kind"}},
}
MOUNT = {"volumeMounts": [{"name": "data", "mountPath": "/data"}]}
VOLUME_WITHOUT_NAME = {"volumes": [{"name": ["data"]}]}
ANNOTATED = {"annotations": {"ray.io/overwrite-container-cmd": "true"}}

overwritten = cluster(
    container={"command": ["/bin/bash", "-c", "--"], "args": ["ulimit -n 65536; $KUBERAY_GEN_RAY_START_CMD"]},
    head=start_params(resources="'{\"a b\": 1}'", temp_dir="relative"),
    template={"metadata": ANNOTATED},
)

# Rule, kind, spec, further arguments; the level and a part of the message, or None where the rule is silent.
CASES: list[tuple[str, str, object, dict[str, Any], tuple[Severity, str] | None]] = [
    # rules/container_command.py
    ("RAY332", "RayCluster", cluster(container={"command": ["ulimit", "-n", "65536;"]}), {}, (ERROR, "';'")),
    # rules/exposure.py
    ("RAY804", "RayCluster", with_own_port("http", 1, {"containerPort": [], "name": "prom"}), {}, None),
    (
        "RAY804",
        "RayCluster",
        with_own_port("http", 9090, {"containerPort": {}}, {"containerPort": 9090, "name": "prom"}),
        {},
        (ERROR, "two ports 9090"),
    ),
    # rules/entrypoint.py
    ("RAY511", "RayJob", job(entrypoint="python a.py | tee log"), {}, (WARNING, "takes the |")),
    ("RAY511", "RayJob", job(entrypoint="python a.py <<< yes"), {}, (WARNING, "reads this input")),
    ("RAY511", "RayJob", job(entrypoint="python a.py > log"), {}, (WARNING, "is redirected")),
    ("RAY511", "RayJob", job(entrypoint="python a.py (again)"), {}, (WARNING, "syntax error")),
    # rules/fault_tolerance_annotations.py: on a RayCronJob, of which KubeRay reads no annotation
    (
        "RAY120",
        "RayCronJob",
        cron(job(redis_at("redis:6379"))),
        {"annotations": {"ray.io/ft-enabled": "true"}},
        None,
    ),
    (
        "RAY120",
        "RayCronJob",
        cron(job(redis_at("redis:6379"))),
        {"annotations": {"ray.io/external-storage-namespace": "mine"}},
        (WARNING, "external-storage-namespace"),
    ),
    # rules/head.py: why nothing that needs a CPU can run
    (
        "RAY205",
        "RayCluster",
        cluster(group("cpu", **NO_CPUS), head=NO_CPUS),
        {},
        (ERROR, "no worker group offers CPUs either"),
    ),
    (
        "RAY205",
        "RayCluster",
        cluster(group("cpu", minReplicas=0, maxReplicas=0), head=NO_CPUS),
        {},
        (ERROR, "no worker group can have a pod"),
    ),
    (
        "RAY205",
        "RayCluster",
        cluster(group("cpu", suspend=True, **LIMITED), head=NO_CPUS),
        {},
        (WARNING, "no worker group can have a pod"),
    ),
    # rules/job_cleanup.py: many workers cost as much as a few GPUs
    (
        "RAY514",
        "RayJob",
        job(cluster(group("cpu", replicas=12, minReplicas=12, maxReplicas=12))),
        {},
        (WARNING, "12 workers"),
    ),
    # rules/object_store.py
    ("RAY316", "RayCluster", with_store("10200000000"), {}, (WARNING, "nearly all")),
    ("RAY316", "RayCluster", with_store("5000000000", shm({})), {}, None),
    ("RAY316", "RayCluster", with_store("5000000000", shm({"medium": "Memory"})), {}, None),
    (
        "RAY316",
        "RayCluster",
        with_store("5000000000", shm({"medium": "Memory", "sizeLimit": "4Gi"})),
        {},
        (WARNING, "/dev/shm"),
    ),
    ("RAY317", "RayCluster", shm({"medium": 5}), {}, None),
    # rules/log_volume.py, rules/mounts.py: a mount whose path is still to be filled in is none
    ("RAY344", "RayCluster", mounted({"name": "a", "mountPath": "/var/log"}), {}, (INFO, "/var/log")),
    ("RAY344", "RayCluster", mounted({"name": "a", "mountPath": "/var/log/{{ .app }}"}), {}, None),
    ("RAY344", "RayCluster", mounted({"name": "a", "mountPath": "/opt"}, {"name": "/var/log"}), {}, None),
    # rules/pod_values.py, rules/head_ports.py: nor does such a word or number tell anything
    ("RAY361", "RayCluster", worker_container(imagePullPolicy="{{ .policy }}"), {}, None),
    ("RAY361", "RayCluster", worker_container(ports=[5, {"containerPort": 80}]), {}, None),
    ("RAY362", "RayCluster", head_ports({"name": "dashboard", "containerPort": "{{ .port }}"}), {}, None),
    ("RAY362", "RayCluster", head_ports(5, {"name": "dashboard", "containerPort": 80}), {}, (WARNING, "8265")),
    # rules/pod_mounts.py: a volume whose name is no text
    (
        "RAY364",
        "RayCluster",
        cluster(pod=VOLUME_WITHOUT_NAME, container=MOUNT),
        {},
        (ERROR, "'data'"),
    ),
    # rules/clear_text_secrets.py: a runtime environment that is none
    ("RAY813", "RayService", service("applications: [{runtime_env: [password]}, {runtime_env: {}}]"), {}, None),
    ("RAY813", "RayJob", job(runtimeEnvYAML="pip: [5, {password: b}]\nenv_vars: {PASSWORD: 5}"), {}, None),
    # rules/clear_text_secrets.py: arguments and variables that are no texts
    ("RAY813", "RayService", service("applications: [5, {args: {1: a, password: 5}}]"), {}, None),
    ("RAY813", "RayCluster", worker_container(env=[5, {"name": "PASSWORD"}, {"value": "password"}]), {}, None),
    ("RAY813", "RayJob", job(entrypoint=["--password=word"]), {}, None),
    # rules/replicas.py: counts of a suspended group, bounds that contradict each other, and what is no sign
    ("RAY203", "RayCluster", cluster(group("cpu", suspend=True, replicas=5, maxReplicas=3)), {}, None),
    ("RAY203", "RayCluster", cluster(group("cpu", replicas=1, minReplicas=3, maxReplicas=2)), {}, None),
    (
        "RAY204",
        "RayCluster",
        cluster(
            group("cpu", replicas=1, maxReplicas=9, idleTimeoutSeconds=60, pod={"restartPolicy": "Always"}),
        ),
        {},
        (WARNING, "maxReplicas is 9"),
    ),
    # rules/start_effect.py: KubeRay 1.0 heeds block: false, and a switch that means something off, on the head
    ("RAY305", "RayCluster", cluster(head=start_params(block="false")), {"kuberay": "1.0"}, None),
    (
        "RAY305",
        "RayCluster",
        cluster(head=start_params(include_log_monitor="false", verbose="false")),
        {},
        (INFO, "verbose"),
    ),
    # rules/fault_tolerance_annotations.py: a password in clear text is not carried over
    (
        "RAY117",
        "RayCluster",
        cluster(
            head=start_params(redis_password="$REDIS_PASSWORD"),
            container=env(RAY_REDIS_ADDRESS="redis:6379", REDIS_PASSWORD="word"),
        ),
        {"annotations": {"ray.io/ft-enabled": "true"}},
        (INFO, "older way"),
    ),
    # rules/operator_cron.py: two time zones
    (
        "KR180",
        "RayCronJob",
        cron(job()) | {"schedule": "TZ=UTC 0 3 * * *", "timeZone": "Etc/UTC"},
        {"gates": ("RayCronJob",)},
        (ERROR, "time zone"),
    ),
    # rules/operator_fault_tolerance.py: two namespaces
    (
        "KR043",
        "RayCluster",
        redis_at("redis:6379", namespace="mine"),
        {"annotations": {"ray.io/external-storage-namespace": "yours"}},
        (ERROR, "external-storage-namespace"),
    ),
    # rules/operator_service.py
    ("KR162", "RayService", {"rayClusterConfig": 5}, {}, None),
    # rules/settings_names.py: what was meant is written as well
    (
        "RAY322",
        "RayCluster",
        cluster(container=env(RAY_HEALTH_CHECK_PERIOD_MS="5", RAY_health_check_period_ms="5")),
        {},
        (WARNING, "RAY_HEALTH_CHECK_PERIOD_MS"),
    ),
    # rules/start_line.py: what begins like JSON, and is none
    ("RAY309", "RayCluster", cluster(head=start_params(resources="{a b")), {}, (ERROR, "")),
    # rules/head.py: a job's only worker, and a job whose worker nobody asks for
    (
        "RAY205",
        "RayJob",
        job(cluster(group("cpu", replicas=1, minReplicas=1, maxReplicas=1, **LIMITED), head=NO_CPUS)),
        {},
        (WARNING, "hangs on a single worker pod"),
    ),
    (
        "RAY205",
        "RayJob",
        job(cluster(group("cpu", replicas=0, minReplicas=0, maxReplicas=4, **LIMITED), head=NO_CPUS)),
        {},
        (WARNING, "hangs until somebody raises replicas"),
    ),
    # rules/head.py: a worker has the CPUs that the driver asks for
    (
        "RAY205",
        "RayJob",
        job(
            cluster(group("cpu", replicas=2, minReplicas=2, container=LIMITED), head=NO_CPUS), entrypointNumCpus=2
        ),
        {},
        (INFO, "num-cpus is 0"),
    ),
    # rules/operator_deletion.py: the older field, in the release that has it
    ("KR148", "RayJob", job(deletionPolicy="DeleteCluster"), {"kuberay": "1.4"}, (ERROR, "RayJobDeletionPolicy")),
    (
        "KR148",
        "RayJob",
        {
            "entrypoint": "python a.py",
            "clusterSelector": SELECTOR,
            "deletionPolicy": "DeleteCluster",
        },
        {"kuberay": "1.4", "gates": DELETION},
        (ERROR, "with clusterSelector"),
    ),
    (
        "KR148",
        "RayJob",
        job(cluster(enableInTreeAutoscaling=True), deletionPolicy="DeleteWorkers"),
        {"kuberay": "1.4", "gates": DELETION},
        (ERROR, "under autoscaling"),
    ),
    (
        "KR148",
        "RayJob",
        job(deletionPolicy="DeleteNone", shutdownAfterJobFinishes=True),
        {"kuberay": "1.4", "gates": DELETION},
        (ERROR, "shutdownAfterJobFinishes"),
    ),
    # rules/operator_history_store.py: what the API server refuses is no literal, and API008's matter
    (
        "KR067",
        "RayCluster",
        cluster(historyServerOptions={"collectorOptions": {"image": "c:1", "env": [BACKEND_FROM_A_SECRET]}}),
        {"gates": ("RayClusterHistoryServer",)},
        (ERROR, "no literal value"),
    ),
    (
        "KR067",
        "RayCluster",
        cluster(historyServerOptions={"collectorOptions": {"env": [{"name": "STORAGE_BACKEND", "value": 5}]}}),
        {"gates": ("RayClusterHistoryServer",)},
        None,
    ),
    # rules/operator_names.py: the cluster's kind of upgrade where no operator of this kind makes the cluster
    (
        "KR010",
        "RayJob",
        {
            "entrypoint": "python a.py",
            "rayClusterSpec": cluster(upgradeStrategy={"type": "Recreate"}, managedBy=MULTIKUEUE),
        },
        {},
        None,
    ),
    # rules/operator_names.py: on the owner a label of KubeRay's own clusters
    (
        "KR010",
        "RayCluster",
        cluster(group("cpu"), upgradeStrategy={"type": "Recreate"}),
        {"labels": {"ray.io/originated-from-crd": "RayJob"}},
        (ERROR, "originated-from-crd"),
    ),
    ("KR010", "RayJob", job(cluster(upgradeStrategy={"type": "Recreate"})), {}, (ERROR, "RayJob")),
    # rules/operator_stalls.py
    ("KR200", "RayCronJob", cron(job()) | {"managedBy": "kueue.x-k8s.io/multikueue"}, {}, None),
    ("KR200", "RayService", service("", BARE) | {"managedBy": MULTIKUEUE}, {"kuberay": "1.5"}, None),
    ("KR200", "RayService", service("", BARE) | {"managedBy": MULTIKUEUE}, {}, (INFO, "does not look at")),
    (
        "KR206",
        "RayJob",
        job(
            cluster(
                container={"ports": [{"containerPort": 6379, "name": "gcs-server"}]},
                head={"headService": {"spec": {"ports": [{"name": "dashboard", "port": 8265}]}}},
            )
        ),
        {},
        None,
    ),
    # rules/operator_job_stalls.py: the mode's name of before 1.3
    ("KR212", "RayJob", job(submissionMode="UserMode"), {"kuberay": "1.2.2"}, None),
    ("KR212", "RayJob", job(submissionMode="UserMode"), {"kuberay": "1.1"}, (WARNING, "UserMode")),
    ("KR211", "RayJob", job(submissionMode="HTTPMode", entrypointResources="null"), {}, None),
    # rules/operator_tls.py: entries that are no mounts are the API server's matter
    (
        "KR095",
        "RayCluster",
        cluster(tlsOptions={"enabled": True}, container={"volumeMounts": ["ray-tls"]}),
        {"gates": ("RayClusterMTLS",)},
        None,
    ),
    # rules/overwritten_command.py
    (
        "RAY333",
        "RayCluster",
        cluster(container={"image": "example/ours:1"}, template={"metadata": ANNOTATED}),
        {},
        None,
    ),
    ("RAY334", "RayJob", {**job(overwritten), "clusterSelector": SELECTOR}, {}, None),
    ("RAY334", "RayCluster", overwritten, {}, (WARNING, "'resources' is taken apart")),
    # rules/start_line.py: what is odd stands in the group's resources, or in no field of its own
    (
        "RAY310",
        "RayCluster",
        cluster(group("cpu", resources={"memory": "1Gi", "licences": "1.00001"})),
        {},
        (ERROR, "licences"),
    ),
    # rules/redis_reach.py: who may listen inside the head pod
    ("RAY109", "RayCluster", redis_at("localhost:6379"), {}, (WARNING, "the head's own GCS")),
    ("RAY109", "RayCluster", redis_at("localhost:6380", pod={"hostNetwork": True}), {}, None),
    ("RAY109", "RayCluster", redis_at("localhost:6380"), {}, (WARNING, "no container there can listen")),
    (
        "RAY109",
        "RayCluster",
        redis_at("localhost:6380", pod={"initContainers": [SIDECAR]}),
        {},
        (WARNING, "no container there can listen"),
    ),
    (
        "RAY109",
        "RayCluster",
        redis_at("localhost:6380", pod={"initContainers": [{**SIDECAR, "restartPolicy": "Always"}]}),
        {},
        (INFO, "cleanup Job"),
    ),
    (
        "RAY109",
        "RayCluster",
        redis_at("localhost:6380", pod={"initContainers": [{**SIDECAR, "restartPolicy": "Always", "ports": []}]}),
        {},
        (INFO, "cleanup Job"),
    ),
    (
        "RAY109",
        "RayCluster",
        redis_at("localhost:6380", head=start_params(port="$PORT"), pod={"initContainers": []}),
        {},
        (WARNING, "no container there can listen"),
    ),
    (
        "RAY109",
        "RayCluster",
        redis_at("localhost:6390", pod={"initContainers": [{**SIDECAR, "restartPolicy": "Always"}]}),
        {},
        (WARNING, "no container there can listen"),
    ),
    # rules/runtime_env.py: plugins bring keys of their own
    ("RAY502", "RayJob", job(runtimeEnvYAML="mine: {}"), {}, (WARNING, "'mine'")),
    (
        "RAY502",
        "RayJob",
        job(cluster(container=env(RAY_RUNTIME_ENV_PLUGINS="[]")), runtimeEnvYAML="mine: {}"),
        {},
        None,
    ),
    # rules/runtime_env_texts.py
    ("RAY505", "RayJob", job(runtimeEnvYAML='pip: ["--requirement=more.txt"]'), {}, (WARNING, "more.txt")),
    # rules/serve_config.py
    ("RAY605", "RayService", service("{}"), {}, (ERROR, "is empty")),
    ("RAY605", "RayService", service("app: [1]"), {}, (ERROR, "no list of applications")),
    ("RAY605", "RayService", service("application: [{import_path: 'a:b'}]"), {}, (ERROR, "no list")),
    # rules/serve_ports.py: a port that does not exist; a Service of one's own
    (
        "RAY610",
        "RayService",
        service("http_options: {port: 99999}\napplications: [{import_path: 'a:b'}]"),
        {},
        (WARNING, "does not exist"),
    ),
    (
        "RAY610",
        "RayService",
        service(
            "http_options: {port: 9000}\napplications: [{import_path: 'a:b'}]",
            cluster(container={"ports": [{"containerPort": 8000, "name": "serve"}]}),
        )
        | {"serveService": {"spec": {"ports": [{"name": "serve", "port": 80, "targetPort": 9000}]}}},
        {},
        None,
    ),
    # rules/storage_namespace.py
    (
        "RAY106",
        "RayCronJob",
        cron(
            job(
                cluster(
                    gcsFaultToleranceOptions={"redisAddress": "redis:6379", "externalStorageNamespace": "mine"}
                )
            )
        ),
        {},
        (WARNING, "every run"),
    ),
]


@pytest.mark.parametrize(
    ("rule", "kind", "spec", "more", "expected"), CASES, ids=[f"{case[0]}-{n}" for n, case in enumerate(CASES)]
)
def test_case(
    rule: str, kind: str, spec: object, more: dict[str, Any], expected: tuple[Severity, str] | None
) -> None:
    found = said(rule, kind, spec, **more)
    if expected is None:
        assert [finding.message for finding in found] == []
        return
    assert len(found) == 1
    assert found[0].severity == expected[0]
    assert expected[1] in found[0].message


# A variable of the head, and what its Ray container does: None, it starts.
VARIABLES: list[tuple[str, str, str, tuple[str, ...], str | None]] = [
    ("RAY_health_check_period_ms", "-5", IMAGE, (), "no negative time"),
    ("RAY_gcs_server_rpc_server_thread_num", "0", IMAGE, (), "without threads"),
    ("RAY_gcs_server_rpc_client_thread_num", "+0", IMAGE, (), "divides by it"),
    ("RAY_gcs_server_rpc_client_thread_num", "4", IMAGE, (), None),
    ("RAY_gcs_storage", "memory", IMAGE, (), None),
    ("RAY_gcs_storage", "etcd", IMAGE, (), "no storage"),
    ("RAY_gcs_storage", "rocksdb", IMAGE, (), "RAY_gcs_storage_path is not set"),
    ("RAY_gcs_storage", "rocksdb", IMAGE, ("RAY_gcs_storage_path",), None),
    ("RAY_gcs_storage", "rocksdb", "example/ours:1", (), None),
    ("RAY_gcs_storage", "rocksdb", "rayproject/ray:2.40.0", (), "no storage"),
    ("RAY_testing_rpc_failure", "often", IMAGE, (), "no fault to inject"),
    ("RAY_AUTH_MODE", "disabled", IMAGE, (), None),
    ("RAY_AUTH_MODE", "token", IMAGE, ("RAY_AUTH_TOKEN",), None),
    ("RAY_AUTH_MODE", "token", IMAGE, (), "no token"),
    ("RAY_OVERRIDE_RESOURCES", "", IMAGE, (), None),
    ("RAY_OVERRIDE_RESOURCES", "[1]", IMAGE, (), "no JSON object"),
    ("RAY_OVERRIDE_RESOURCES", '{"CPU": 1.5}', IMAGE, (), "no whole number"),
    ("RAY_OVERRIDE_RESOURCES", '{"CPU": 2, "GPU": 1.0}', IMAGE, (), None),
    ("RAY_OVERRIDE_LABELS", "zone=a", IMAGE, (), "no JSON object"),
    ("RAY_OVERRIDE_LABELS", '{"zone": "a"}', IMAGE, (), None),
    ("RAY_ROTATION_MAX_BYTES", "100MB", IMAGE, (), "no whole number"),
    ("RAY_ROTATION_MAX_BYTES", "-1", IMAGE, (), "no negative size"),
    ("RAY_ROTATION_BACKUP_COUNT", "3", IMAGE, (), None),
    ("RAY_DEFAULT_OBJECT_STORE_MEMORY_PROPORTION", "30%", IMAGE, (), None),
    ("RAY_DEFAULT_OBJECT_STORE_MEMORY_PROPORTION", "0.3", IMAGE, (), None),
    ("RAY_DEFAULT_OBJECT_STORE_MEMORY_PROPORTION", "2", IMAGE, (), "more than all"),
    ("RAY_DEFAULT_OBJECT_STORE_MEMORY_PROPORTION", "2", "rayproject/ray:2.9.3", (), None),
]


@pytest.mark.parametrize(("name", "value", "image", "besides", "expected"), VARIABLES)
def test_variable_of_the_head(
    name: str, value: str, image: str, besides: tuple[str, ...], expected: str | None
) -> None:
    variables = env(**{name: value}, **dict.fromkeys(besides, "/certs/file"))
    found = said("RAY321", "RayCluster", cluster(container={"image": image, **variables}))
    assert [finding.message for finding in found if expected is None or expected not in finding.message] == []
    assert bool(found) == (expected is not None)


@pytest.mark.parametrize("name", ["RAY_health_check_period_ms", "RAY_gcs_storage", "RAY_testing_rpc_failure"])
def test_variable_that_only_the_gcs_reads_on_a_worker(name: str) -> None:
    value = "-5" if name.endswith("_ms") else "often"
    assert said("RAY321", "RayCluster", cluster(group("cpu", container=env(**{name: value})))) == []


def test_examples_with_all_that_a_page_leaves_to_the_form() -> None:
    """The short forms of examples fill in what is not written, and only that."""

    def check(job: RayJob) -> Iterator[Problem]:
        """Nothing.

        bad RayJob
          job: entrypoint: python mine.py
        """
        yield from ()  # never called

    page = refuses("KR999", "1.0..", name="nothing")(check).doc
    assert re.findall(r"entrypoint: .*", page) == ["entrypoint: python mine.py"]

    def look(job: RayCronJob) -> Iterator[Problem]:
        """Nothing.

        ```yaml bad cron
        entrypoint: python mine.py
        ```
        """
        yield from ()  # never called

    page = looks_into("RAY999", WARNING)(look).doc
    assert re.findall(r"(entrypoint|schedule): (.*)", page) == [
        ("schedule", '"0 3 * * *"'),
        ("entrypoint", "python mine.py"),
    ]


def test_listing_is_written_where_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_list, "_FOLDER", str(tmp_path))
    text = _list.current()
    monkeypatch.setattr(_list, "current", lambda: text)
    _list.main()
    assert (tmp_path / "_listing.py").read_text(encoding="utf-8") == text


def noted(spec: dict[str, Any], **annotations: str) -> dict[str, Any]:
    """The cluster with annotations on the pod template of its head."""
    spec = copy.deepcopy(spec)
    spec["headGroupSpec"]["template"]["metadata"] = {
        "annotations": {f"ray.io/{name.replace('_', '-')}": value for name, value in annotations.items()}
    }
    return spec


WITH_ADDRESS = cluster(group("cpu"), container=env(RAY_REDIS_ADDRESS="redis:6379"))
NAMED = noted(redis_at("redis:6379"), external_storage_namespace="demo")


@pytest.mark.parametrize(
    ("kind", "spec", "moved"),
    [
        ("RayCluster", noted(WITH_ADDRESS, ft_enabled="true"), True),
        ("RayJob", job(noted(WITH_ADDRESS, ft_enabled="true")), True),
        ("RayCluster", noted(BARE, ft_enabled="true"), False),
        ("RayCronJob", cron(job(NAMED)), True),
        ("RayCluster", NAMED, True),
        ("RayService", service("applications: []", NAMED), False),
        ("RayCluster", noted(redis_at("redis:6379", "other"), external_storage_namespace="demo"), False),
    ],
)
def test_an_annotation_is_moved_only_to_where_it_is_enough(kind: str, spec: dict[str, Any], moved: bool) -> None:
    (finding,) = said("RAY120", kind, spec)
    assert bool(finding.fixes) is moved


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("RAY_DEDUP_LOG", "RAY_DEDUP_LOGS"),
        ("RAY_TLS_CA_CERTS", "RAY_TLS_CA_CERT"),
        ("RAY_ATUH_MODE", "RAY_AUTH_MODE"),
    ],
)
def test_a_slip_in_a_name_in_capitals(name: str, meant: str) -> None:
    (finding,) = said("RAY322", "RayCluster", cluster(container=env(**{name: "1"})))
    assert finding.fix == f"write {meant} if that was meant"
    assert not said("RAY322", "RayCluster", cluster(container=env(**{meant: "1"})))


@pytest.mark.parametrize(
    "name",
    ["RAY_ADDRESS", "RAY_AUTH_TOKEN", "RAY_GRAFANA_ORG", "RAY_DEDUP_LOGS_AGG_WINDOW_S", "RAY_TRAINER_BUCKET"],
)
def test_a_name_in_capitals_that_somebody_may_read(name: str) -> None:
    assert not said("RAY322", "RayCluster", cluster(container=env(**{name: "1"})))


def mended(rule: str, kind: str, spec: object) -> Any:
    """The spec once a rule's fixes are made; None where there is none to make."""
    manifest = {"apiVersion": "ray.io/v1", "kind": kind, "metadata": {"name": "demo"}, "spec": spec}
    raw = json.dumps(manifest, indent=1).encode()
    engine = Engine((RULES[rule],), Target())
    result = engine.check("demo.yaml", raw)
    assert result.findings
    fixed = fix_text(engine, raw, result, unsafe=True)
    assert fixed.taken_back() == []
    assert bool(fixed.result.findings) == (fixed.raw == raw)
    return None if fixed.raw == raw else json.loads(fixed.raw)["spec"]


def deletion(*rules: tuple[str, object]) -> dict[str, Any]:
    """A job with deletion rules: policies, and the seconds after which they count."""
    conditions = [(policy, {"jobStatus": "FAILED", "ttlSeconds": seconds}) for policy, seconds in rules]
    written = [{"policy": policy, "condition": condition} for policy, condition in conditions]
    return job(deletionStrategy={"deletionRules": written})


@pytest.mark.parametrize(
    ("rule", "before", "after"),
    [
        ("KR128", [("DeleteSelf", 90), ("DeleteSelf", 60)], [("DeleteSelf", 60)]),
        ("KR128", [("DeleteSelf", 60), ("DeleteSelf", 90), ("DeleteSelf", 30)], [("DeleteSelf", 30)]),
        ("KR128", [("DeleteNone", 60), ("DeleteNone", 60), ("DeleteNone", 60)], [("DeleteNone", 60)]),
        ("KR128", [("DeleteSelf", 60), ("DeleteSelf", "soon")], None),
        ("KR130", [("DeleteWorkers", 50), ("DeleteCluster", 60), ("DeleteSelf", 30)], [("DeleteSelf", 30)]),
        (
            "KR130",
            [("DeleteWorkers", 20), ("DeleteCluster", 60), ("DeleteSelf", 30)],
            [("DeleteWorkers", 20), ("DeleteSelf", 30)],
        ),
    ],
)
def test_deletion_rules_that_delete_nothing_any_more_go(
    rule: str, before: list[tuple[str, object]], after: list[tuple[str, object]] | None
) -> None:
    assert mended(rule, "RayJob", deletion(*before)) == (None if after is None else deletion(*after))


UV = """\
applications:
- import_path: rank:app
  runtime_env:
    uv: ["-r ${RAY_RUNTIME_ENV_CREATE_WORKING_DIR}/requirements.txt"]
"""


def sized(requests: dict[str, str], limits: dict[str, str]) -> dict[str, Any]:
    return worker_container(resources={"limits": limits, "requests": requests})


def generated(line: str) -> dict[str, Any]:
    """A head that runs KubeRay's line by a line of its own."""
    container = {"command": ["/bin/bash", "-c"], "args": [line]}
    params = {"rayStartParams": {"resources": "'{\"slot\": 4}'"}}
    notes = {"metadata": {"annotations": {"ray.io/overwrite-container-cmd": "true"}}}
    return cluster(container=container, head=params, template=notes)


def from_zip(entry: str, more: str = "working_dir: https://files.example.com/rank.zip") -> dict[str, Any]:
    runtime_env = f"  runtime_env:\n    {more}\n    pip:\n    - {entry}\n"
    return service(f"applications:\n- import_path: rank:app\n{runtime_env}")


@pytest.mark.parametrize(
    ("rule", "kind", "before", "after"),
    [
        (
            "RAY303",
            "RayCluster",
            cluster(head=start_params(memory="8GB")),
            cluster(head=start_params(memory="8000000000")),
        ),
        (
            "RAY303",
            "RayCluster",
            cluster(head=start_params(num_cpus="4.0")),
            cluster(head=start_params(num_cpus="4")),
        ),
        ("RAY303", "RayCluster", cluster(head=start_params(num_gpus="-1.0")), None),
        ("RAY303", "RayCluster", cluster(head=start_params(memory="half")), None),
        (
            "RAY334",
            "RayCluster",
            generated('ulimit -n 65536 && "${KUBERAY_GEN_RAY_START_CMD}" & wait'),
            generated('ulimit -n 65536 && eval "$KUBERAY_GEN_RAY_START_CMD" & wait'),
        ),
        ("RAY334", "RayCluster", generated("exec $KUBERAY_GEN_RAY_START_CMD"), None),
        ("RAY334", "RayCluster", generated("$KUBERAY_GEN_RAY_START_CMD --verbose"), None),
        ("RAY334", "RayCluster", generated("ulimit -n 65536\n$KUBERAY_GEN_RAY_START_CMD"), None),
        ("RAY505", "RayService", from_zip("--requirement=./requirements.txt"), None),
        ("RAY505", "RayService", from_zip("-r ../requirements.txt"), None),
        ("RAY505", "RayService", from_zip("-r ./requirements.txt", "env_vars: {}"), None),
        ("RAY414", "RayCluster", sized({"gpu": "1"}, {"gpu": "1"}), sized(*[{"nvidia.com/gpu": "1"}] * 2)),
        ("RAY414", "RayCluster", sized({"cpus": "1", "cpu": "2"}, {}), None),
        ("RAY414", "RayCluster", sized({"slots": "1"}, {}), None),
        ("KR027", "RayCluster", cluster(group("cpu", maxReplicas=-1)), None),
        (
            "KR027",
            "RayCluster",
            cluster(group("cpu", replicas=2, minReplicas=3, maxReplicas=-1)),
            cluster(group("cpu", replicas=2, minReplicas=3, maxReplicas=3)),
        ),
        (
            "RAY705",
            "RayCluster",
            cluster(pod={"containers": [{"name": "envoy", "image": "envoyproxy/envoy:v1"}, {"name": "own"}]}),
            None,
        ),
        (
            "RAY701",
            "RayCluster",
            cluster(group("cpu", container={"image": OLDER}), rayVersion="2.60"),
            cluster(group("cpu"), rayVersion="2.60"),
        ),
        ("RAY701", "RayCluster", cluster(group("cpu", container={"image": OLDER}), rayVersion="2.51.0"), None),
        ("RAY701", "RayCluster", cluster(group("gpu", container={"image": f"{OLDER}-gpu"})), None),
        # Which of two images is meant, is open; and an image may be older than what is wanted of it.
        (
            "KR080",
            "RayCluster",
            cluster(group("cpu", container={"image": OLDER}), rayVersion="2.51.0", authOptions={"mode": "token"}),
            None,
        ),
        (
            "KR080",
            "RayCluster",
            cluster(group("cpu"), rayVersion="2.51.0", authOptions={"mode": "token"}),
            cluster(group("cpu"), rayVersion="2.60.0", authOptions={"mode": "token"}),
        ),
        (
            "KR080",
            "RayCluster",
            cluster(container={"image": OLDER}, rayVersion="2.51.0", authOptions={"mode": "token"}),
            None,
        ),
        ("RAY506", "RayService", service(UV.replace("uv:", "pip: [torch]\n    uv:")), None),
        ("RAY506", "RayService", service(UV.replace("uv: [", "uv: {packages: [").replace("]", "]}")), None),
    ],
)
def test_a_fix_where_it_is_certain(rule: str, kind: str, before: object, after: object) -> None:
    assert mended(rule, kind, before) == after
