"""Services that KubeRay makes for a cluster.

Facts: ray-project/kuberay v1.7.0 ``common/service.go``, and the differences of older releases.
"""

from __future__ import annotations

from raylint.cluster import SERVE_SERVICE
from raylint.field import Field, Origin, View
from raylint.object_names import clipped_label, head_service

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.cluster import RayCluster
    from raylint.object_names import ObjectNames
    from raylint.rule import Location

    Ports = list[tuple[str, Field[object]]]

__all__ = ["Service", "services"]

_SOURCE = "(common/service.go)"
_DEFAULT_PORTS = (("client", 10001), ("dashboard", 8265), ("gcs-server", 6379), ("metrics", 8080), ("serve", 8000))
_NAME_LABEL = "app.kubernetes.io/name"


class Service:
    """One Service. ``ports``: names and numbers, sorted; ``type.value`` None is ClusterIP, the API's default."""

    __slots__ = ("annotations", "headless", "name", "ports", "publishes_unready", "purpose", "selector", "type")

    def __init__(self, name: Field[str], purpose: str, type: Field[str], selector: dict[str, Field[str]]) -> None:
        self.name = name
        self.purpose = purpose
        self.type = type
        self.selector = selector
        self.ports: Ports = []
        self.headless = False
        self.publishes_unready = False
        self.annotations: dict[str, Field[str]] = {}


def services(cluster: RayCluster, names: ObjectNames) -> list[Service]:
    """The Services of a cluster, and of the RayService that owns it."""
    maker = _Maker(cluster, names)
    found = [maker.head()]
    if cluster.kind == "RayService":
        found += [maker.head_of_ray_service(), maker.serve_of_ray_service()]
    elif maker.serves_by_annotation:
        found.append(maker.serve_of_cluster())
    if cluster.target.kuberay_at_least(1, 1) and any(
        (g.num_of_hosts.value or 0) > 1 for g in cluster.worker_groups
    ):
        found.append(maker.of_hosts())
    return found


class _Maker:
    def __init__(self, cluster: RayCluster, names: ObjectNames) -> None:
        self._cluster = cluster
        self._names = names
        self._custom = head_service(cluster.head)

    def head(self) -> Service:
        """The head's Service: headless unless it has a type or a shape of its own (KubeRay 1.2 and later)."""
        cluster, custom = self._cluster, self._custom
        service = Service(
            self._names.head_service, "where workers find the head", self._type(custom), self._selector()
        )
        service.ports = self._with_own_ports(self._head_ports())
        if custom.data:
            service.headless = custom.part("spec").data.get("clusterIP") == "None"
            service.publishes_unready = custom.part("spec").data.get("publishNotReadyAddresses") is True
        elif cluster.target.kuberay_at_least(1, 2) and service.type.value in (None, "", "ClusterIP"):
            service.headless = service.publishes_unready = True
        for source in (custom.part("metadata").part("annotations"), cluster.part("headServiceAnnotations")):
            service.annotations.update(_texts(source))
        return service

    def head_of_ray_service(self) -> Service:
        """The same under the RayService's name: it moves to the new cluster after an upgrade."""
        service = self.head()
        reason = f"the RayService's name and -head-svc {_SOURCE}"
        service.name = Field(f"{self._names.owner}-head-svc", Origin.KUBERAY, self._cluster.owner.at, reason)
        service.purpose = "the head of the active cluster"
        return service

    def serve_of_ray_service(self) -> Service:
        """Where requests go; ``serveService`` shapes it, unless clusters are upgraded step by step."""
        owner = self._cluster.owner
        stepwise = self._upgrades_stepwise()
        custom = View(owner.document, owner.spec.path, {}) if stepwise else owner.spec.part("serveService")
        base = self._names.of_cluster if stepwise else self._names.owner
        reason = f"the {'cluster' if stepwise else 'RayService'}'s name and -serve-svc {_SOURCE}"
        name = custom.part("metadata").string("name")
        if not name.value:
            name = Field(f"{base}-serve-svc", Origin.KUBERAY, owner.at, reason)
        selector = {
            "ray.io/cluster": self._set(self._names.of_cluster, "the active cluster"),
            "ray.io/serve": self._set("true", "pods whose Serve proxy answers"),
        }
        service = Service(name, "where requests to Serve go", self._type(custom), selector)
        own = [port for port in self._head_ports() if self._serves(port[0])]
        service.ports = own or [port for port in _service_ports(custom) if self._serves(port[0])]
        service.annotations = _texts(custom.part("metadata").part("annotations"))
        return service

    @property
    def serves_by_annotation(self) -> bool:
        """A RayCluster of its own that asks for a Service for Serve (KubeRay 1.1 and later)."""
        asks = self._cluster.annotations.data.get(SERVE_SERVICE) == "true"
        return asks and self._cluster.kind == "RayCluster" and self._cluster.target.kuberay_at_least(1, 1)

    def serve_of_cluster(self) -> Service:
        """A RayCluster with ``ray.io/enable-serve-service: "true"``."""
        at = self._cluster.annotations.at_key(SERVE_SERVICE)
        name = Field(f"{self._names.of_cluster}-serve-svc", Origin.KUBERAY, at, f"by annotation {_SOURCE}")
        selector = {"ray.io/cluster": self._set(self._names.of_cluster, "every pod of the cluster")}
        service = Service(name, "where requests to Serve go", self._type(View(at.document, at.path, {})), selector)
        service.ports = [port for port in self._head_ports() if self._serves(port[0])]
        return service

    def of_hosts(self) -> Service:
        """DNS names for the hosts of groups with several hosts a replica."""
        reason = f"a group has numOfHosts above 1 {_SOURCE}"
        name = Field(f"{self._names.of_cluster}-headless", Origin.KUBERAY, self._cluster.at, reason)
        selector = {
            "ray.io/cluster": self._set(self._names.of_cluster, "every worker"),
            "ray.io/node-type": self._set("worker", "every worker"),
        }
        kind = Field("ClusterIP", Origin.KUBERAY, self._cluster.at, reason)
        service = Service(name, "names of the hosts of a replica", kind, selector)
        service.headless = service.publishes_unready = True
        return service

    def _type(self, custom: View) -> Field[str]:
        own = custom.part("spec").string("type")
        return own if own else self._cluster.head.string("serviceType")

    def _selector(self) -> dict[str, Field[str]]:
        """Of the head template's labels only the application's name is followed."""
        cluster = self._names.of_cluster
        values = {
            "app.kubernetes.io/created-by": "kuberay-operator",
            _NAME_LABEL: "kuberay",
            "ray.io/cluster": cluster,
            "ray.io/identifier": clipped_label(f"{cluster}-head"),
            "ray.io/node-type": "head",
        }
        selector = {name: self._set(value, "always") for name, value in values.items()}
        own = self._cluster.head.template.labels.string(_NAME_LABEL)
        if own:
            selector[_NAME_LABEL] = own
        return selector

    def _head_ports(self) -> Ports:
        """Ports of the head's Ray container, if it declares any, else KubeRay's five; ``metrics`` in any case."""
        ray = self._cluster.head.ray_container
        found: dict[str, Field[object]] = {}
        for path, item in ray.parts("ports"):
            port = View(ray.document, path, item)
            number = port.data.get("containerPort")
            name = port.string("name").value or f"{number}-port"
            found[name] = Field(number, Origin.WRITTEN, port.at_key("containerPort"))
        at = ray.at_key("ports")
        if not found:
            reason = f"the head declares no port {_SOURCE}"
            return [(name, Field[object](number, Origin.KUBERAY, at, reason)) for name, number in _DEFAULT_PORTS]
        found.setdefault("metrics", Field(8080, Origin.KUBERAY, at, f"always {_SOURCE}"))
        return sorted(found.items())

    def _with_own_ports(self, ports: Ports) -> Ports:
        return sorted([*_service_ports(self._custom), *ports], key=lambda port: port[0])

    def _serves(self, port: str) -> bool:
        """``serve``, and ``serve-*`` since KubeRay 1.6."""
        return port == "serve" or (port.startswith("serve-") and self._cluster.target.kuberay_at_least(1, 6))

    def _upgrades_stepwise(self) -> bool:
        strategy = self._cluster.owner.spec.part("upgradeStrategy").data.get("type")
        gate = self._cluster.target.gate("RayServiceIncrementalUpgrade")
        return gate and strategy == "NewClusterWithIncrementalUpgrade"

    def _set(self, value: str, reason: str, at: Location | None = None) -> Field[str]:
        return Field(value, Origin.KUBERAY, at or self._cluster.at, f"{reason} {_SOURCE}")


def _texts(view: View) -> dict[str, Field[str]]:
    return {name: view.string(name) for name, value in sorted(view.data.items()) if value is not None}


def _service_ports(custom: View) -> Ports:
    found: Ports = []
    for path, item in custom.part("spec").parts("ports"):
        port = View(custom.document, path, item)
        number: object = port.data.get("port")
        found.append((port.string("name").value or "", Field(number, Origin.WRITTEN, port.at_key("port"))))
    return found
