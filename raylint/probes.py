"""Probes of the Ray container: the user's, or those that KubeRay puts in their place.

Facts: ray-project/kuberay v1.7.0 ``common/pod.go`` (``initLivenessAndReadinessProbe``) and ``utils/constant.go``.
"""

from __future__ import annotations

import re

from raylint.field import Field, Origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.field import View
    from raylint.group import Group
    from raylint.start_command import StartCommand

__all__ = ["Probe", "probe"]

_TIMINGS = ("initialDelaySeconds", "periodSeconds", "timeoutSeconds", "failureThreshold", "successThreshold")
_HANDLERS = (("httpGet", "http"), ("tcpSocket", "tcp"), ("exec", "exec"), ("grpc", "grpc"))
_SERVE_PORT = 8000
_AGENT_PORT = 52365
_DASHBOARD_PORT = 8265
_LARGEST = 2**31 - 1


class Probe:
    """``kind``: http, tcp, exec, grpc, or empty where none of them is written. ``timings``: seconds and
    thresholds, those that are written. KubeRay's own exec probes ask ``urls`` with wget."""

    __slots__ = ("command", "kind", "path", "port", "timings", "urls")

    def __init__(
        self,
        kind: str,
        *,
        path: str = "",
        port: object = None,
        command: tuple[str, ...] = (),
        urls: tuple[str, ...] = (),
        timings: dict[str, object] | None = None,
    ) -> None:
        self.kind = kind
        self.path = path
        self.port = port
        self.command = command
        self.urls = urls
        self.timings = timings or {}


def probe(name: str, group: Group, command: StartCommand, *, is_head: bool) -> Field[Probe]:
    """``livenessProbe`` or ``readinessProbe`` of the Ray container, operator environment at its defaults."""
    written = group.ray_container.part(name)
    if isinstance(group.ray_container.data.get(name), dict):
        return Field(_written(written), Origin.WRITTEN, written.at)
    cluster = group.cluster
    if not cluster.target.kuberay_at_least(1, 1):
        if not cluster.gcs_fault_tolerance:
            return Field(None, Origin.ABSENT, written.at, "KubeRay 1.0 adds probes with fault tolerance only")
        return Field(None, Origin.UNKNOWN, written.at, "KubeRay 1.0 adds one; which is not known here")
    on_ready = name == "readinessProbe"
    serves = on_ready and not is_head and cluster.kind == "RayService"
    timings: dict[str, object] = dict(
        zip(_TIMINGS, (10, 5, 2, 1 if serves else 10, 1) if on_ready else (30, 5, 2, 120, 1), strict=True)
    )
    if is_head and cluster.target.kuberay_at_least(1, 2, 2):
        timings["timeoutSeconds"] = 5
    agent = _port(command, "dashboard-agent-listen-port", _AGENT_PORT)
    if _speaks_http(group) and not serves:
        reason = "rayVersion is 2.53 or later (common/pod.go)"
        return Field(
            Probe("http", path="/api/healthz", port=agent, timings=timings), Origin.KUBERAY, written.at, reason
        )
    urls = [f"localhost:{agent}/api/local_raylet_healthz"]
    if is_head:
        urls.append(f"localhost:{_port(command, 'dashboard-port', _DASHBOARD_PORT)}/api/gcs_healthz")
    if serves:
        urls.append(f"localhost:{_serve_port(group)}/-/healthz")
    reason = "asks the Serve proxy as well" if serves else "no rayVersion of 2.53 or later"
    found = Probe("exec", urls=tuple(urls), timings=timings)
    return Field(found, Origin.KUBERAY, written.at, f"{reason} (common/pod.go)")


def _speaks_http(group: Group) -> bool:
    """KubeRay 1.6 asks over HTTP where ``rayVersion`` (not the image) says 2.53 or later."""
    version = group.cluster.declared_ray_version
    return group.cluster.target.kuberay_at_least(1, 6) and version is not None and version >= (2, 53)


def _port(command: StartCommand, option: str, default: int) -> int:
    """The port in the start parameters; before KubeRay 1.6 the probes did not look there."""
    if not command.target.kuberay_at_least(1, 6):
        return default
    field = command.options.get(option)
    text = (field and field.value) or ""
    number = int(text) if re.fullmatch(r"[+-]?[0-9]{1,10}", text) else default
    return number if -_LARGEST <= number <= _LARGEST else default


def _serve_port(group: Group) -> object:
    """The first port named ``serve``."""
    for _, item in group.ray_container.parts("ports"):
        if isinstance(item, dict) and item.get("name") == "serve":
            return item.get("containerPort", _SERVE_PORT)
    return _SERVE_PORT


def _written(view: View) -> Probe:
    timings = {name: view.data[name] for name in _TIMINGS if view.has(name)}
    for key, kind in _HANDLERS:
        if view.has(key):
            handler = view.part(key)
            return Probe(
                kind,
                path=handler.string("path").value or "",
                port=handler.data.get("port"),
                command=handler.strings("command"),
                timings=timings,
            )
    return Probe("", timings=timings)
