"""What KubeRay makes of an object, as one tree of named fields for all formats.

A tree is made of mappings, lists, (name, field) pairs where a name may come up twice, fields, and plain texts that
only identify.
"""

from __future__ import annotations

from raylint.field import Field, Origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from raylint.effective import Effective
    from raylint.effective_container import Amounts, EffectiveContainer
    from raylint.effective_pod import EffectivePod
    from raylint.environment import Environment
    from raylint.group import WorkerGroup
    from raylint.redis_cleanup import RedisCleanup
    from raylint.services import Service
    from raylint.start_command import StartCommand
    from raylint.submitter import Submitter

    Tree: TypeAlias = dict[str, Any]

__all__ = ["sheet"]

# Where Ray listens unless a parameter says otherwise: the option, the port, and whether only the head does.
_RAY_PORTS = (
    ("port", "6379", True),
    ("dashboard-port", "8265", True),
    ("ray-client-server-port", "10001", True),
    ("dashboard-agent-listen-port", "52365", False),
    ("metrics-export-port", "at random", False),
    ("min-worker-port", "10002", False),
    ("max-worker-port", "19999", False),
)


def sheet(found: Effective) -> Tree:
    """The tree of one object."""
    about = found.object.ref
    tree: Tree = {
        "object": {
            "apiVersion": about.api_version,
            "kind": about.kind,
            "namespace": about.namespace,
            "name": about.name,
        },
        "cluster": _cluster(found) if found.builds_cluster else _unbuilt(found),
        "pods": [_pod(pod, found.suspended) for pod in found.pods],
        "services": [_service(service) for service in found.services],
        "jobs": [],
    }
    if found.owner_suspend is not None:
        tree["suspend"] = found.owner_suspend
    if found.submitter is not None:
        tree["jobs"].append(_submitter(found.submitter))
    if found.redis_cleanup is not None:
        tree["jobs"].append(_redis_cleanup(found.redis_cleanup))
    return tree


def _unbuilt(found: Effective) -> Tree:
    built = Field(False, Origin.UNKNOWN, found.cluster.at, "no cluster is described")
    job = found.object.job
    if job is not None and job.uses_existing_cluster:
        at = job.job_spec.at_key("clusterSelector")
        built = Field(False, Origin.KUBERAY, at, "clusterSelector picks a cluster that is there already")
    return {"name": found.names.cluster, "built": built}


def _cluster(found: Effective) -> Tree:
    cluster = found.cluster
    fault_tolerance = cluster.gcs_fault_tolerance
    tree: Tree = {"name": found.names.cluster, "rayVersion": cluster.string("rayVersion")}
    if cluster.has("suspend"):
        tree["suspend"] = cluster.boolean("suspend")
    tree["pods"] = {
        "minimum": _pods(found, cluster.guaranteed_workers),
        "maximum": _pods(found, cluster.possible_workers),
    }
    tree["autoscaling"] = cluster.autoscaler.switch
    if cluster.autoscaler.enabled:
        tree["autoscalerVersion"] = cluster.autoscaler.version
    if fault_tolerance:
        tree["gcsFaultTolerance"] = Field(True, Origin.WRITTEN, fault_tolerance.at_switch)
        tree["gcsStorage"] = fault_tolerance.backend
    else:
        reason = "off unless it is asked for (utils/util.go)"
        tree["gcsFaultTolerance"] = Field(False, Origin.KUBERAY, fault_tolerance.at_switch, reason)
    if fault_tolerance.uses_redis:
        tree["redisAddress"] = fault_tolerance.redis_address
        namespace = fault_tolerance.storage_namespace
        if not namespace:
            reason = "the RayCluster's UID (common/pod.go)"
            namespace = Field(found.names.assigned.uid, Origin.KUBERAY, namespace.at, reason)
        tree["storageNamespace"] = namespace
    return tree


def _pods(found: Effective, workers: int | None) -> Field[int]:
    if found.suspended is not None:
        return _none(found.suspended)
    at = found.cluster.at_key("workerGroupSpecs")
    total = None if workers is None else workers + 1
    origin = Origin.UNKNOWN if total is None else Origin.KUBERAY
    return Field(total, origin, at, "the head and all worker groups (raycluster_controller.go)")


def _none(suspended: Field[bool]) -> Field[int]:
    return Field(0, Origin.KUBERAY, suspended.at, "suspended: the pods below come with its end (utils/util.go)")


def _pod(pod: EffectivePod, suspended: Field[bool] | None) -> Tree:
    tree: Tree = {"group": pod.title}
    if pod.workers is not None:
        tree["replicas"] = _replicas(pod.workers)
        if suspended is not None:
            tree["replicas"] |= {"minimumPods": _none(suspended), "maximumPods": _none(suspended)}
    tree["generateName"] = pod.generate_name
    tree["restartPolicy"] = pod.restart_policy
    tree["serviceAccountName"] = pod.service_account
    tree["seenByRay"] = _seen_by_ray(pod)
    start = pod.command
    line = Field(start.line, Origin.KUBERAY, pod.group.start_params.at, "all options below (common/pod.go)")
    tree["rayStart"] = {"line": line, "options": {f"--{name}": _option(start, name) for name in start.options}}
    tree["rayListensOn"] = _ports(pod)
    tree["containers"] = [_container(container) for container in pod.containers]
    tree["initContainers"] = [_container(container) for container in pod.init_containers]
    tree["volumes"] = dict(pod.volumes)
    tree["labels"] = pod.labels
    written = pod.group.template.labels
    lost = "has no effect: KubeRay, or the group's labels, set it"
    tree["labelsLost"] = {
        name: Field(field.value, field.origin, field.at, lost)
        for name in pod.labels_overridden
        for field in (written.string(name),)
    }
    tree["annotations"] = pod.annotations
    return tree


def _replicas(group: WorkerGroup) -> Tree:
    scaled = group.cluster.autoscaler.enabled
    bounds = (
        ("minimum", group.guaranteed_pods, "minReplicas" if scaled else "replicas within its bounds"),
        ("maximum", group.possible_pods, "maxReplicas" if scaled else "replicas within its bounds"),
    )
    tree: Tree = {
        "replicas": group.replicas,
        "minReplicas": group.min_replicas,
        "maxReplicas": group.max_replicas,
        "numOfHosts": group.num_of_hosts,
    }
    for name, pods, base in bounds:
        reason = "suspend" if group.suspended else f"{base} times numOfHosts"
        origin = Origin.UNKNOWN if pods is None else Origin.KUBERAY
        tree[f"{name}Pods"] = Field(pods, origin, group.at, f"{reason} (utils/util.go)")
    return tree


def _seen_by_ray(pod: EffectivePod) -> Tree:
    """Resources of the node as Ray's scheduler sees them."""
    group, options = pod.group, pod.command.options
    store = group.start_param("object-store-memory")
    if not store:
        store = Field("30 % of the memory", Origin.RAY, store.at, "within what /dev/shm takes (_private/utils.py)")
    tree: Tree = {
        "CPU": _or_detected(group.num_cpus, options.get("num-cpus"), "as many as the node has"),
        "memory": _or_detected(group.memory, options.get("memory"), "what the container or node has free"),
        "GPU": _or_detected(group.num_gpus, options.get("num-gpus"), "as many as Ray finds"),
        "objectStoreMemory": store,
    }
    custom = pod.command.custom_resources
    if custom.value is None:
        tree["customResources"] = custom
    elif custom.value:
        tree["customResources"] = {
            name: Field(amount, custom.origin, custom.at, custom.reason) for name, amount in custom.value.items()
        }
    return tree


def _or_detected(amount: Field[int], option: Field[str] | None, words: str) -> Field[Any]:
    """An option that is no number is Ray's business: it is shown as it is."""
    if amount.known:
        return amount
    if option is not None:
        return option
    if not amount.reason:
        return amount
    return Field(words, Origin.RAY, amount.at, amount.reason)


def _option(start: StartCommand, name: str) -> Field[str]:
    """An option; a switch has no value, and one that KubeRay drops says so."""
    field = start.options[name]
    word = start.word(name)
    if not word:
        return Field(field.value, field.origin, field.at, "dropped: KubeRay takes it for a switch that is off")
    return field if "=" in word else Field("", field.origin, field.at, field.reason)


def _ports(pod: EffectivePod) -> Tree:
    tree: Tree = {}
    for option, default, head_only in _RAY_PORTS:
        if pod.is_head or not head_only:
            at = pod.group.start_params.at_key(option)
            default_field = Field(default, Origin.RAY, at, "ray start (scripts.py)")
            tree[option] = pod.command.options.get(option, default_field)
    return tree


def _container(container: EffectiveContainer) -> Tree:
    tree: Tree = {"name": container.name}
    if container.added:
        tree["name"] = Field(container.name.value, Origin.KUBERAY, container.at, container.added)
    tree["image"] = container.image
    tree["imagePullPolicy"] = container.pull_policy
    tree["command"] = container.command
    tree["args"] = container.args
    if container.liveness is not None:
        tree["livenessProbe"] = container.liveness
        tree["readinessProbe"] = container.readiness
    tree["resources"] = _resources(container.resources)
    tree["ports"] = [(name.value or "", number) for name, number in container.ports]
    tree["volumeMounts"] = dict(container.mounts)
    tree["env"] = _environment(container.env)
    if container.env_from:
        reason = "what they hold is not known here"
        tree["envFrom"] = Field(f"{container.env_from} sources", Origin.WRITTEN, container.at, reason)
    return tree


def _resources(amounts: Amounts) -> Tree:
    """Limits and requests; a request that is not written is the limit."""
    tree: Tree = {kind: dict(of) for kind, of in amounts.items()}
    for name, limit in amounts.get("limits", {}).items():
        requests = tree.setdefault("requests", {})
        if name not in requests:
            requests[name] = Field(limit.value, Origin.API, limit.at, "equal to the limit")
    return tree


def _environment(env: Environment) -> list[tuple[str, Field[Any]]]:
    counting = env.effective
    rows: list[tuple[str, Field[Any]]] = []
    for variable in env:
        field: Field[Any] = variable.field
        if counting[variable.name] is not variable:
            field = Field(field.value, field.origin, field.at, "has no effect: a later entry has the same name")
        rows.append((variable.name, field))
    return rows


def _service(service: Service) -> Tree:
    kind: Field[str] = service.type
    if kind.value is None and kind.known:
        kind = Field("ClusterIP", Origin.API, kind.at)
    at = service.name.at
    flags = f"{service.purpose} (common/service.go)"
    return {
        "name": service.name,
        "purpose": service.purpose,
        "type": kind,
        "headless": Field(service.headless, Origin.KUBERAY, at, flags),
        "publishNotReadyAddresses": Field(service.publishes_unready, Origin.KUBERAY, at, flags),
        "ports": list(service.ports),
        "selector": service.selector,
        "annotations": service.annotations,
    }


def _submitter(submitter: Submitter) -> Tree:
    tree: Tree = {"job": "submitter", "submissionMode": submitter.mode}
    if submitter.in_job:
        tree["name"] = submitter.name
        tree["backoffLimit"] = submitter.backoff_limit
        tree["restartPolicy"] = submitter.restart_policy
        tree["labels"] = submitter.labels
        tree["container"] = _container(submitter.container)
    else:
        tree["submits"] = _who_submits(submitter)
    return tree


def _who_submits(submitter: Submitter) -> Field[str]:
    who = {
        "SidecarMode": "a container beside the head",
        "HTTPMode": "the operator, over HTTP to the dashboard",
        "InteractiveMode": "a user, who then names the job in spec.jobId",
    }.get(submitter.mode.value or "")
    origin = Origin.UNKNOWN if who is None else Origin.KUBERAY
    return Field(who, origin, submitter.mode.at, "by submissionMode (rayjob_controller.go)")


def _redis_cleanup(job: RedisCleanup) -> Tree:
    return {
        "job": "Redis cleanup, when the cluster is deleted",
        "name": job.name,
        "image": job.image,
        "restartPolicy": job.restart_policy,
        "backoffLimit": job.backoff_limit,
        "activeDeadlineSeconds": job.deadline,
        "resources": _resources(job.resources),
        "env": _environment(job.env),
    }
