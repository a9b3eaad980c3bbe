"""Objects that the operator accepts and then does not bring up, or does not look at."""

from __future__ import annotations

from raylint.cluster import SERVE_SERVICE, RayCluster
from raylint.field import View, is_template
from raylint.manifest import OPERATOR, RayClusterObject, RayObject, RayService
from raylint.pod import Container
from raylint.rule import Problem, Severity, safe

from .refusal import refuses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import StallingCluster
    from raylint.rule import Problems, Repair


@refuses("KR190", "1.1..", "workerGroupSpecs", severity=Severity.WARNING, reports=("FR-149",))
def worker_group_twice(cluster: StallingCluster) -> Problems:
    """Two worker groups with one name are one group to the operator; its optional webhook refuses them.

    Two entries of `workerGroupSpecs` with the same `groupName`, in any kind of object.

    Then: By reading the code: the operator finds a group's pods by the group's name, so the pods of either group
    count for both. There are too few of them, or, where the numbers differ, they are made and deleted without end.
    Where the operator's webhook is installed (`ENABLE_WEBHOOKS=true`, not by Helm) a RayCluster is refused when it
    is applied.
    Versions: The webhook since 1.1; it does not look into RayJobs and RayServices.
    Fix: Give each group its own name.
    Ignore: Never known to be right.
    Source: ray-project/kuberay v1.7.0, `ray-operator/pkg/webhooks/v1/raycluster_webhook.go`,
    `raycluster_controller.go`.

    bad RayCluster
      group: groupName: gpu
      group2: groupName: gpu  # <-
    bad RayJob
      group: groupName: cpu
      group2: groupName: cpu  # <-
    good RayCluster
      group: groupName: cpu
      group2: groupName: gpu
    near-miss RayCluster -- Letter case counts:
      group: groupName: gpu
      group2: groupName: GPU
    """
    seen: dict[str, View] = {}
    for group in cluster.worker_groups:
        name = group.data.get("groupName")
        if not isinstance(name, str) or is_template(name):
            continue
        earlier = seen.setdefault(name, group)
        if earlier is not group:
            yield group.string("groupName").flag(
                f"a second worker group is called {name!r}: the operator takes both for one",
                because=[(earlier.at_key("groupName"), "the first")],
                effect="pods of one group count for the other: too few of them, or made and deleted without end;"
                " the optional webhook refuses the RayCluster",
                fix="give each worker group its own groupName",
            )


@refuses("KR191", "1.1..1.3", severity=Severity.WARNING)
def cluster_name_for_webhook(found: RayClusterObject) -> Problems:
    """The optional webhook of KubeRay 1.1 to 1.3 refuses a RayCluster whose name cannot be part of a Service's.

    A name that does not begin with a lower-case letter, or has something else in it than lower-case letters,
    digits and dashes, or a dash at its end.

    Then: Where the webhook is installed (`ENABLE_WEBHOOKS=true`, not by Helm), `kubectl apply` fails. Without it,
    the operator writes an `r` for a digit in front when it names Services and pods; a dot stays, Kubernetes
    refuses the head's Service, and there are no pods.
    Versions: Since 1.4 the operator itself refuses the name (KR002).
    Fix: Begin with a letter, and write dashes for dots.
    Ignore: Where the webhook is not installed, if the name has no dot; it stops an upgrade to 1.4 all the same.
    Source: ray-project/kuberay v1.3.2, `ray-operator/pkg/webhooks/v1/raycluster_webhook.go`, `utils/util.go`
    (`CheckName`).

    bad RayCluster kuberay=1.3
      meta: name: 2024-experiments  # <-
      head: rayStartParams: {}
    bad RayCluster kuberay=1.1
      meta: name: ray.production  # <-
      head: rayStartParams: {}
    good RayCluster kuberay=1.3
      meta: name: experiments-2024
      head: rayStartParams: {}
    near-miss RayJob kuberay=1.3 -- The webhook of these releases knows RayClusters alone:
      meta: name: ray.production
      head: rayStartParams: {}
    """
    from raylint.kube_names import is_dns1035

    name = found.name if found.name else found.metadata.string("generateName")
    text = name.value or ""
    # Of a generated name the end is still to come.
    if text and not is_dns1035(text if found.name else f"{text}x"):
        yield name.flag(
            f"the name {text!r} cannot be part of a Service's name: the optional webhook refuses the RayCluster",
            effect="with the webhook kubectl apply fails; without it a dot keeps the head's Service, and so all"
            " pods, from being made",
            fix="begin with a letter, and use lower-case letters, digits and dashes only: no dots",
        )


@refuses("KR200", "1.3..", "managedBy", severity=Severity.INFO, stored=False)
def managed_by_another(found: RayObject) -> Problems:
    """An object whose `managedBy` names another controller is skipped by the operator before any check.

    `spec.managedBy` with another value than `ray.io/kuberay-operator`. Rules of the family KR are then silent.

    Then: KubeRay makes nothing of it, reports nothing and changes no status. Kueue's MultiKueue copies it to
    another cluster, where it is checked.
    Versions: RayCluster and RayJob since 1.3, RayService since 1.6.
    Fix: Remove it where no such controller is installed.
    Ignore: Where MultiKueue is meant.
    Source: ray-project/kuberay v1.7.0, `raycluster_controller.go`, `rayjob_controller.go`,
    `rayservice_controller.go`.

    bad RayJob
      job: managedBy: kueue.x-k8s.io/multikueue  # <-
    bad RayCluster
      spec: managedBy: kueue.x-k8s.io/multikueue  # <-
    good RayCluster
      cluster: rayVersion: 2.52.0
    near-miss RayCluster
      spec: managedBy: ray.io/kuberay-operator
    """
    managed = found.spec.string("managedBy")
    if managed.value in (None, OPERATOR) or found.kind == "RayCronJob":
        return
    if found.kind == "RayService" and not found.target.kuberay_at_least(1, 6):
        return
    yield managed.flag(
        f"managedBy is {managed.value!r}: the operator does not look at this {found.kind}",
        effect="KubeRay makes nothing of it and says nothing; the other controller has to",
        fix="remove managedBy where no such controller is installed",
    )


def _port_names(container: Container) -> list[str] | None:
    """The names of the declared ports; None where there are none, for then KubeRay has ports of its own."""
    ports = container.data.get("ports")
    if not isinstance(ports, list):
        return None
    return [str(port.get("name") or "") for port in ports if isinstance(port, dict)] or None


def _lacks_serve_port(cluster: RayCluster) -> bool:
    names = _port_names(cluster.head.ray_container)
    if names is None or "serve" in names:
        return False
    return not (cluster.target.kuberay_at_least(1, 6) and any(name.startswith("serve-") for name in names))


# What KubeRay and Ray take where nothing is written.
_PORTS = {"dashboard": 8265, "serve": 8000}


def _port_problem(cluster: RayCluster, name: str, *, fault: str, effect: str) -> Problem:
    return Problem(
        cluster.head.ray_container.at_key("ports").key(),
        fault,
        label=f"none of these is called {name}",
        effect=effect,
        fix=f"add a port with the name {name}, or remove the list: KubeRay then adds all that it needs",
        repair=_added_port(cluster, name),
    )


def _added_port(cluster: RayCluster, name: str) -> Repair | None:
    """The port that KubeRay would add if the list were empty."""
    container = cluster.head.ray_container
    number = cluster.head.start_param("dashboard-port").value if name == "dashboard" else None
    wanted = int(number) if number is not None and number.isdecimal() else _PORTS[name]
    ports = [port for _, port in container.parts("ports")]
    if any(isinstance(port, dict) and port.get("containerPort") == wanted for port in ports):
        return None
    return safe(container.at_key("ports", len(ports)).set({"containerPort": wanted, "name": name}))


@refuses("KR204", "1.1..", severity=Severity.WARNING, reports=("FR-124",), fixes="safe")
def serve_service_without_port(cluster: StallingCluster) -> Problems:
    """A RayCluster that asks for a Service for Serve and declares ports, but none for Serve, gets no pods.

    The annotation `ray.io/enable-serve-service: "true"` on a RayCluster while the head's first container declares
    ports and none is called `serve` (or, since 1.6, `serve-...`).

    Then: The Service is made before the pods, fails, and is tried again and again: no pods at all.
    Fix: Add a port named `serve`, or remove the list of ports.
    Ignore: Never known to be right.
    Source: ray-project/kuberay v1.7.0, `common/service.go` (`BuildServeServiceForRayCluster`).

    bad RayCluster
      meta: annotations: {ray.io/enable-serve-service: "true"}
      head.ray: ports: [{containerPort: 8265, name: dashboard}]  # <-
    bad RayCluster kuberay=1.5
      meta: annotations: {ray.io/enable-serve-service: "true"}
      head.ray: ports: [{containerPort: 8000, name: serve-http}]  # <-
    good RayCluster
      meta: annotations: {ray.io/enable-serve-service: "true"}
      head.ray: ports: [{containerPort: 8000, name: serve}]
    near-miss RayCluster -- Without a list KubeRay adds its own:
      meta: annotations: {ray.io/enable-serve-service: "true"}
    """
    if cluster.kind != "RayCluster" or cluster.annotations.data.get(SERVE_SERVICE) != "true":
        return
    if _lacks_serve_port(cluster):
        yield _port_problem(
            cluster,
            "serve",
            fault=f"{SERVE_SERVICE} asks for a Service, but the head declares no port for Serve: no pods",
            effect="kubectl says created, then the operator fails to make the Service, over and over, before pods",
        )


@refuses("KR205", "1.0..", severity=Severity.WARNING, reports=("FR-124",), fixes="safe")
def service_without_serve_port(cluster: StallingCluster) -> Problems:
    """A RayService whose head declares ports, but none for Serve, never becomes ready.

    A RayService without a `serveService` of its own whose head's first container declares ports of which none is
    called `serve` (or, since 1.6, `serve-...`). The name counts, not the number.

    Then: The cluster comes up, then the operator fails at the Service for Serve again and again.
    Fix: Add a port named `serve`, or remove the list of ports.
    Ignore: Never known to be right.
    Source: ray-project/kuberay v1.7.0, `common/service.go`, `rayservice_controller.go`.

    bad RayService
      head.ray: ports: [{containerPort: 6379, name: gcs-server}, {containerPort: 8265, name: dashboard}]  # <-
    bad RayService -- The right number under a wrong name:
      head.ray: ports: [{containerPort: 8000, name: http}, {containerPort: 8265, name: dashboard}]  # <-
    good RayService
      head.ray: ports: [{containerPort: 8000, name: serve}, {containerPort: 8265, name: dashboard}]
    near-miss RayService -- Its own Service says it:
      spec: serveService: {spec: {ports: [{name: serve, port: 8000}]}}
      head.ray: ports: [{containerPort: 8265, name: dashboard}]
    """
    if cluster.kind != "RayService" or cluster.owner.spec.has("serveService"):
        return
    if _lacks_serve_port(cluster):
        yield _port_problem(
            cluster,
            "serve",
            fault="the head declares ports, but none called serve: the RayService never becomes ready",
            effect="the cluster runs, then the operator fails to make the Service for Serve, again and again",
        )


@refuses("KR206", "1.0..", severity=Severity.WARNING, reports=("FR-124",), fixes="safe")
def head_without_dashboard_port(cluster: StallingCluster) -> Problems:
    """A RayJob or RayService whose head declares ports, but not the dashboard's, never gets going.

    A RayJob (not with a `clusterSelector`), RayService or RayCronJob whose head's first container declares ports
    of which none is called `dashboard`, where `headService` adds none of that name. The name counts, not the
    number.

    Then: The pods run. KubeRay finds no address of the dashboard: the RayJob stays in `Initializing`, the
    RayService deploys nothing.
    Fix: Add a port named `dashboard`, or remove the list of ports.
    Ignore: A RayJob in InteractiveMode that nobody watches.
    Source: ray-project/kuberay v1.7.0, `utils/util.go` (`FetchHeadServiceURL`).

    bad RayJob
      head.ray: ports: [{containerPort: 6379, name: gcs-server}]  # <-
    bad RayService
      head.ray: ports: [{containerPort: 8000, name: serve}, {containerPort: 8265, name: dash}]  # <-
    good RayJob
      head.ray: ports: [{containerPort: 6379, name: gcs-server}, {containerPort: 8265, name: dashboard}]
    near-miss RayCluster -- A RayCluster needs no dashboard:
      head.ray: ports: [{containerPort: 6379, name: gcs-server}]
    """
    if cluster.kind == "RayCluster" or not cluster.is_built:
        return
    names = _port_names(cluster.head.ray_container)
    if names is None or "dashboard" in names:
        return
    service = cluster.head.part("headService").part("spec")
    if any(isinstance(port, dict) and port.get("name") == "dashboard" for _, port in service.parts("ports")):
        return
    yield _port_problem(
        cluster,
        "dashboard",
        fault=f"the head declares ports, but none called dashboard: the {cluster.kind} never gets going",
        effect="the pods run, but KubeRay finds no address of the dashboard: a RayJob stays in Initializing, a"
        " RayService deploys nothing",
    )


@refuses("KR213", "1.0..", "serveConfigV2", severity=Severity.WARNING)
def serve_config_not_mapping(service: RayService) -> Problems:
    """A RayService whose `serveConfigV2` is no YAML mapping never deploys anything.

    A text that is broken YAML, a list or a scalar. Only the first document is read.

    Then: The cluster comes up, then the operator fails to read the text, again and again.
    Fix: Write a mapping with `applications`.
    Ignore: Never known to be right.
    Source: ray-project/kuberay v1.7.0, `rayservice_controller.go` (`updateServeDeployment`).

    bad RayService
      spec: serveConfigV2: |  # <-
      spec:   - name: app
      spec:     import_path: app:app
    bad RayService
      spec: serveConfigV2: "applications: ["  # <-
    good RayService
      spec: serveConfigV2: |
      spec:   applications: [{name: app, import_path: "app:app"}]
    near-miss RayService -- What stands behind the first document is ignored:
      spec: serveConfigV2: "applications: []\\n---\\n- x"
    """
    written = service.spec.data.get("serveConfigV2")
    if not isinstance(written, str) or not written or is_template(written):
        return
    from raylint.embedded import mapping_fault

    fault = mapping_fault(written, service.serve_config.data)
    if fault:
        yield service.serve_config.text.flag(
            f"serveConfigV2 cannot be used, {fault}: nothing is ever deployed",
            effect="the cluster comes up, then the operator fails to read the text, again and again",
            fix="write a YAML mapping with the key applications",
        )
