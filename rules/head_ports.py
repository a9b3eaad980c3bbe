"""Ports that a container declares, and ports on which Ray listens."""

from __future__ import annotations

from raylint.field import View
from raylint.group import HeadGroup
from raylint.rule import Problem, Severity

from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from raylint.cluster import RayCluster
    from raylint.finding import Path
    from raylint.rule import Problems

__all__ = ["head_port_mismatch"]

MENTIONS = ("containerPort",)
# What KubeRay's Services and clients find a port by, the option that sets it, and Ray's default.
_PORTS = {
    "gcs-server": ("port", 6379),
    "gcs": ("port", 6379),
    "redis": ("port", 6379),
    "dashboard": ("dashboard-port", 8265),
    "client": ("ray-client-server-port", 10001),
    "metrics": ("metrics-export-port", 8080),
}


@outlined("RAY362", Severity.WARNING)
def head_port_mismatch(head: HeadGroup) -> Problems:
    """The head declares a port under a name that people and KubeRay know, and Ray listens on another one.

    A port of the head's Ray container called `gcs-server`, `dashboard`, `client` or `metrics` whose number is not
    that of the option in `rayStartParams` (`port`, `dashboard-port`, `ray-client-server-port`,
    `metrics-export-port`), or Ray's default without it. It is an error where KubeRay itself goes by it:
    `dashboard` of a RayJob or RayService.

    It stays silent where the option cannot be known, and on a container with a start command of its own.

    Then: The head's Service leads to a port on which nobody listens. `gcs-server`: workers never join where the
    Service has an address of its own. `dashboard`: a RayJob is never submitted, a RayService never deployed.
    `client`: Ray Client is refused. `metrics`: nothing is scraped.

    Fix: Write the same number in both places.
    Ignore: Where something else in the pod listens there.
    Source: ray-project/kuberay v1.7.0, `common/service.go` (`getServicePorts`); Ray 2.60.0 `scripts.py`.

    bad RayCluster
      head: rayStartParams: {dashboard-port: "8266"}
      head.ray: ports:
      head.ray: - {containerPort: 8265, name: dashboard}  # <-
    bad RayJob severity=error
      head.ray: ports:
      head.ray: - {containerPort: 8266, name: dashboard}  # <-
      head.ray: - {containerPort: 6379, name: gcs-server}
    bad RayCluster
      head: rayStartParams: {metrics-export-port: "9100"}
      head.ray: ports:
      head.ray: - {containerPort: 8080, name: metrics}  # <-
    good RayCluster
      head: rayStartParams: {dashboard-port: "8266"}
      head.ray: ports: [{containerPort: 8266, name: dashboard}, {containerPort: 6379, name: gcs-server}]
    near-miss RayCluster -- Names of one's own:
      head.ray: ports: [{containerPort: 9000, name: admin}, {containerPort: 8265, name: dashboard}]
    near-miss RayCluster -- The container starts Ray itself:
      meta: annotations: {ray.io/overwrite-container-cmd: "true"}
      head.ray: command: [bash, -c, "ray start --head --dashboard-port=8266 --block"]
      head.ray: ports: [{containerPort: 8266, name: dashboard}]
    """
    ray, cluster = head.ray_container, head.cluster
    for path, item in _unusual_ports(head):
        if not cluster.is_built or ray.has("command") or ray.has("args"):
            return
        name = item["name"]
        option, default = _PORTS[name]
        written = head.start_param(option)
        number = View(ray.document, path, item).integer("containerPort")
        if number.value is None:
            continue
        listens = _number(written.value) if written else default
        if listens is not None and listens != number.value:
            where = f"{option} in rayStartParams" if written else f"Ray's default of {option}"
            yield Problem(
                number.at,
                f"the port {name!r} is {number.value}, and Ray listens on {listens} ({where})",
                because=[(written.at, "this is what Ray gets")] if written else [],
                severity=Severity.ERROR if _kuberay_asks(cluster, option) else None,
                effect="the head's Service leads to a port on which nobody listens",
                fix="write the same number in both places",
            )


def _unusual_ports(head: HeadGroup) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Ports of a known name that are not where Ray listens by itself, or where an option may say otherwise."""
    ray, params = head.ray_container, head.start_params.data
    ports = ray.data.get("ports")
    for index, item in enumerate(ports) if isinstance(ports, list) else ():
        name = item.get("name") if isinstance(item, dict) else None
        if isinstance(name, str) and name in _PORTS:
            option, default = _PORTS[name]
            if option in params or item.get("containerPort") != default:
                yield (*ray.path, "ports", index), item


def _kuberay_asks(cluster: RayCluster, option: str) -> bool:
    """The operator drives jobs and services by the Service's port of this name."""
    return option == "dashboard-port" and cluster.kind != "RayCluster"


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() else None
