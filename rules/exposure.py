"""Who can reach the head: its Service, its Ingress, and whether anybody is asked for a token.

Facts: ray-project/kuberay v1.7.0 ``common/service.go`` and ``common/ingress.go``; Ray's security page: whoever
reaches the dashboard, the Ray Client port or the GCS runs code in the cluster.
"""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.field import View
from raylint.object_names import Assigned, ObjectNames, head_service
from raylint.rule import Confidence, Problem, Severity, safe, unsafe
from raylint.services import services

from .outline import outlined
from .token_auth import asks_for_token

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

__all__ = [
    "DANGEROUS_NAMES",
    "DANGEROUS_PORTS",
    "OPEN_TYPES",
    "auth_without_mode",
    "dashboard_exposed",
    "head_service_port_twice",
    "ingress_without_class",
    "says_internal",
]

MENTIONS = ("serviceType", "headService", "enableIngress", "authOptions")
OPEN_TYPES = ("LoadBalancer", "NodePort")
# Each of them is enough to run code: dashboard and Jobs API, Ray Client, GCS.
DANGEROUS_PORTS = (8265, 10001, 6379)
DANGEROUS_NAMES = ("dashboard", "client", "gcs-server", "gcs", "redis")
_CLASS = "kubernetes.io/ingress.class"


@outlined("RAY801", Severity.WARNING, reports=("FR-118",))
def dashboard_exposed(cluster: RayCluster) -> Problems:
    """The head is reachable from outside, and nobody is asked for a token: who reaches it runs code in it.

    A head Service of type LoadBalancer or NodePort (`serviceType`, `headService.spec.type`), or `enableIngress`,
    while neither `authOptions.mode: token` nor `RAY_AUTH_MODE: token` asks callers for a token. An internal load
    balancer (by annotation) or one with `loadBalancerSourceRanges` is told as an info.

    It stays silent where the head declares its ports and none of dashboard, Ray Client and GCS is among them, and
    on `serveService`, which opens Serve's port alone.

    Then: The dashboard's Jobs API and the Ray Client port run whatever they are sent, as designed (CVE-2023-48022
    and the mining campaigns that used it). Scanners find an open 8265 within hours.

    Versions: All. Token authentication came with Ray 2.52 and KubeRay 1.5.1.

    Fix: Remove the type or the Ingress and use `kubectl port-forward`; or set `authOptions: {mode: token}`; or let
    an authenticating proxy stand in front.
    Ignore: Where a firewall or a proxy in front lets only the right people through.
    Source: Ray "Security"; linagora/openrag#460; ray-project/kuberay#1413, ray-project/kuberay#5195.

    bad RayCluster
      head: serviceType: LoadBalancer  # <-
    bad RayJob
      head: headService:
      head:   spec:
      head:     type: NodePort  # <-
    bad RayCluster
      head: enableIngress: true  # <-
    bad RayCluster severity=info -- The load balancer is an internal one:
      cluster: headServiceAnnotations: {networking.gke.io/load-balancer-type: Internal}
      head: serviceType: LoadBalancer  # <-
    good RayCluster
      cluster: rayVersion: 2.52.0
      cluster: authOptions: {mode: token}
      head: serviceType: LoadBalancer
    good RayCluster
      head: serviceType: ClusterIP
    near-miss RayService -- Serve's own Service is what users are to reach:
      spec: serveService: {spec: {type: LoadBalancer}}
    near-miss RayCluster -- Only the metrics port is there:
      head: serviceType: NodePort
      head.ray: ports: [{containerPort: 8080, name: metrics}]
    """
    head = cluster.head
    if not cluster.is_built or asks_for_token(cluster):
        return
    custom = head_service(head).part("spec")
    written = custom.string("type")
    kind = written if written else head.string("serviceType")
    if kind.value in OPEN_TYPES and _has_dangerous_port(cluster):
        guarded = _is_guarded(cluster, custom)
        reach = "inside the network" if guarded else "from outside"
        yield kind.flag(
            f"the head's dashboard and Ray Client port are open {reach} ({kind.value}), and nobody is asked for a"
            " token",
            label="whoever reaches it runs code in the cluster",
            severity=Severity.INFO if guarded else None,
            effect="everybody who can reach the Service submits jobs and reads what the pods can read",
            fix="remove the type and use kubectl port-forward, or set authOptions: {mode: token}",
        )
    ingress = head.boolean("enableIngress")
    if ingress.value is True:
        yield ingress.flag(
            "the dashboard is behind an Ingress, and nobody is asked for a token",
            label="whoever reaches it runs code in the cluster",
            effect="everybody who can reach the Ingress submits jobs and reads what the pods can read",
            fix="remove enableIngress and use kubectl port-forward, or set authOptions: {mode: token}",
        )


def _has_dangerous_port(cluster: RayCluster) -> bool:
    declared = [
        View(cluster.document, path, item).data for path, item in cluster.head.ray_container.parts("ports")
    ]
    return not declared or any(
        port.get("containerPort") in DANGEROUS_PORTS or port.get("name") in DANGEROUS_NAMES for port in declared
    )


def _is_guarded(cluster: RayCluster, custom: View) -> bool:
    """Does the Service say that only the own network, or certain addresses, get to it?"""
    if custom.data.get("loadBalancerSourceRanges"):
        return True
    notes = (
        head_service(cluster.head).part("metadata").part("annotations"),
        cluster.part("headServiceAnnotations"),
    )
    return any(says_internal(name, str(value)) for note in notes for name, value in note.data.items())


def says_internal(name: str, value: str) -> bool:
    """``...-internal: "true"``, ``...-scheme: internal``, ``...type: Internal``, and ``intranet``."""
    value = value.lower()
    return value in ("internal", "intranet") or (name.endswith("internal") and value != "false")


@outlined("RAY802", Severity.WARNING, "authOptions", kuberay="1.5.1..", reports=("FR-144",), fixes="unsafe")
def auth_without_mode(cluster: RayCluster) -> Problems:
    """`authOptions` without `mode` leaves authentication off.

    `authOptions` that is written, even empty, without a `mode`, or with a null in its place.

    It stays silent where `enableK8sTokenAuth` is on, which the operator refuses without `mode` (KR083).

    Then: The operator acts on `mode: token` in so many words alone, although the field's own description promises
    it as the default. The cluster runs, a Secret with a token may even be there, and every request is served.

    Versions: v1 objects.

    Fix: Write `mode: token`; or remove `authOptions`.
    Ignore: Where an overlay sets the mode.
    Source: ray-project/kuberay v1.7.0, `utils/util.go` (`IsAuthEnabled`) and `raycluster_types.go`;
    ray-project/kuberay#4201.

    bad RayCluster
      cluster: rayVersion: 2.52.0
      cluster: authOptions: {}  # <-
    bad RayService
      cluster: rayVersion: 2.52.0
      cluster: authOptions: {secretName: ray-token}  # <-
    good RayCluster
      cluster: rayVersion: 2.52.0
      cluster: authOptions: {mode: token}
    good RayCluster
      cluster: rayVersion: 2.52.0
    near-miss RayCluster -- It is off in so many words:
      cluster: rayVersion: 2.52.0
      cluster: authOptions: {mode: disabled}
    """
    options = cluster.data.get("authOptions")
    if not isinstance(options, dict) or options.get("mode") is not None or options.get("enableK8sTokenAuth"):
        return
    if cluster.serves_v1 and cluster.is_built:
        yield Problem(
            cluster.at_key("authOptions").key(),
            "authOptions without mode: authentication is off",
            label="mode: token is what turns it on",
            effect="dashboard, Jobs API and Ray Client serve everybody, whatever authOptions look like",
            fix="write mode: token below authOptions",
            repair=unsafe(cluster.at_key("authOptions", "mode").set("token")),
        )


@outlined("RAY803", Severity.INFO, confidence=Confidence.MEDIUM, reports=("FR-119",))
def ingress_without_class(cluster: RayCluster) -> Problems:
    """An Ingress without a class is served by nobody, unless the Kubernetes cluster has a default class.

    `enableIngress: true` on a RayCluster without the annotation `kubernetes.io/ingress.class`, from which KubeRay
    takes the `ingressClassName`.

    Then: Without a default IngressClass no controller picks the Ingress up: it has no address, and the page is 404
    or does not answer. `ingressOptions` (KubeRay 1.7) has no field for the class either.

    Fix: Add the annotation `kubernetes.io/ingress.class` to the RayCluster.
    Ignore: Where the Kubernetes cluster has a default IngressClass.
    Source: ray-project/kuberay v1.7.0, `common/ingress.go`; ray-project/kuberay#646, ray-project/kuberay#699.

    bad RayCluster
      head: enableIngress: true  # <-
    bad RayCluster
      meta: annotations: {nginx.ingress.kubernetes.io/rewrite-target: /$1}
      head: enableIngress: true  # <-
    good RayCluster
      meta: annotations: {kubernetes.io/ingress.class: nginx}
      head: enableIngress: true
    near-miss RayCluster
      head: enableIngress: false
    """
    ingress = cluster.head.boolean("enableIngress")
    if ingress.value is True and cluster.is_built and not cluster.annotations.has(_CLASS):
        yield ingress.flag(
            f"the Ingress gets no class: the annotation {_CLASS} is missing",
            effect="without a default IngressClass no controller serves the Ingress",
            fix=f"add the annotation {_CLASS} to the {cluster.kind}",
        )


@outlined("RAY804", Severity.ERROR, reports=("FR-122",), fixes="safe")
def head_service_port_twice(cluster: RayCluster) -> Problems:
    """A port in `headService` that KubeRay adds as well: the API server refuses the Service.

    A port of `headService.spec.ports` with the name, or the number and protocol, of one that KubeRay adds: those
    that the head's Ray container declares and `metrics`, or KubeRay's five where it declares none (10001 client,
    8265 dashboard, 6379 gcs-server, 8080 metrics, 8000 serve).

    Then: KubeRay appends its ports to yours. The Service with two equal ports is refused, so the head has no
    Service, and no worker finds it. The RayCluster shows the event `FailedToCreateService`.

    Fix: Remove the port from `headService.spec.ports`; the head container's `ports` decide.
    Ignore: Never.
    Source: ray-project/kuberay v1.7.0, `common/service.go` (`BuildServiceForHeadPod`); ray-project/kuberay#1040.

    bad RayCluster
      head: headService:
      head:   spec:
      head:     ports:
      head:     - {name: dashboard, port: 80, targetPort: 8265}  # <-
    bad RayService
      head: headService:
      head:   spec:
      head:     ports:
      head:     - {name: http, port: 9090}  # <-
      head.ray: ports:
      head.ray: - {containerPort: 9090, name: prom}
      head.ray: - {containerPort: 8265, name: dashboard}
      head.ray: - {containerPort: 8000, name: serve}
    good RayCluster
      head: headService:
      head:   spec:
      head:     ports:
      head:     - {name: ssh, port: 22}
    near-miss RayCluster -- The head's own list takes the place of KubeRay's five:
      head: headService:
      head:   spec:
      head:     ports:
      head:     - {name: serve, port: 8000}
      head.ray: ports: [{containerPort: 8265, name: dashboard}]
    """
    own = head_service(cluster.head)
    if not own.data.get("spec") or not cluster.is_built:
        return
    ports = services(cluster, ObjectNames(cluster, Assigned()))[0].ports
    added = [(name, number.value) for name, number in ports if "headService" not in number.at.path]
    names = {name for name, _ in added}
    numbers = {number for _, number in added if isinstance(number, (int, float))}
    for path, item in own.part("spec").parts("ports"):
        port = View(cluster.document, path, item)
        name, number = port.string("name").value, port.integer("port").value
        clash = name if name in names else number
        if name in names or (number in numbers and port.data.get("protocol") in (None, "TCP")):
            yield Problem(
                port.at,
                f"the head Service gets two ports {clash!r}: KubeRay appends its own to headService.spec.ports",
                effect="the API server refuses the Service; without it no worker finds the head",
                fix="remove the port from headService.spec.ports; those of the head container are there anyway",
                repair=safe(port.at.delete()),
            )
