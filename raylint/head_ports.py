"""Ports that the head's Ray container declares under a name that people and KubeRay know, while Ray listens on
another one.

Facts: ray-project/kuberay v1.7.0 ``common/service.go`` (``getServicePorts``); Ray 2.60.0 ``scripts.py``.
"""

from __future__ import annotations

from raylint.glance import RAY_PORTS
from raylint.pod_verdict import PodFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.field import View
    from raylint.group import Group

__all__ = ["judge_port"]


def judge_port(head: Group, port: View, found: list[PodFault]) -> None:
    """Add the fault of a port with one of Ray's names. None where the option cannot be known, or where the
    container starts Ray by itself."""
    name, number = port.string("name").value or "", port.integer("containerPort")
    option, default = RAY_PORTS[name]
    written = head.start_param(option)
    listens = _number(written.value) if written else default
    ray = head.ray_container
    if number.value in (None, listens) or listens is None or ray.has("command") or ray.has("args"):
        return
    where = f"{option} in rayStartParams" if written else f"Ray's default of {option}"
    what = f"the port {name!r} is {number.value}, and Ray listens on {listens} ({where})"
    kind = "unheard dashboard" if option == "dashboard-port" else "unheard"
    found.append(PodFault(kind, number.at, what, other=written.at if written else None))


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() else None
