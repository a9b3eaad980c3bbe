"""A container as it is in the pod that KubeRay creates."""

from __future__ import annotations

from raylint.environment import Environment
from raylint.field import Field, Origin, View
from raylint.quantity import canonical

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from raylint.pod import Container
    from raylint.probes import Probe
    from raylint.rule import Location

    # limits or requests: resource: amount
    Amounts: TypeAlias = dict[str, dict[str, Field[str]]]

__all__ = ["EffectiveContainer", "fixed_amounts", "written_amounts"]


class EffectiveContainer:
    """One container. ``added``: why KubeRay added it, empty for the user's. ``mounts``: path: volume's name."""

    __slots__ = (
        *("added", "args", "at", "command", "env", "env_from", "image", "liveness", "mounts", "name"),
        *("ports", "pull_policy", "readiness", "resources", "security_context"),
    )

    def __init__(self, container: Container, added: str = "") -> None:
        """What is written for the container; with ``added`` a container that starts as what is written there."""
        self.at = container.at
        self.added = added
        self.name: Field[str] = container.name
        self.image: Field[str] = container.string("image")
        self.pull_policy: Field[str] = container.string("imagePullPolicy")
        self.command: Field[list[str]] = _words(container, "command")
        self.args: Field[list[str]] = _words(container, "args")
        self.env = Environment.of(container)
        self.env_from = sum(1 for _ in container.parts("envFrom"))
        self.ports: list[tuple[Field[str], Field[object]]] = list(_ports(container))
        self.liveness: Field[Probe] | None = None
        self.readiness: Field[Probe] | None = None
        self.mounts: dict[str, Field[str]] = _mounts(container)
        self.resources: Amounts = written_amounts(container)
        self.security_context = container.part("securityContext")

    def kuberay(self, value: str, reason: str, at: Location | None = None) -> Field[str]:
        return Field(value, Origin.KUBERAY, at or self.at, reason)

    def mount(self, path: str, volume: str, reason: str) -> None:
        self.mounts[path] = Field(volume, Origin.KUBERAY, self.at, reason)

    def has_port(self, name: str) -> bool:
        return any(port.value == name for port, _ in self.ports)


def _words(container: Container, key: str) -> Field[list[str]]:
    words = list(container.strings(key))
    return Field(words, Origin.WRITTEN if words else Origin.ABSENT, container.at_key(key))


def _ports(container: Container) -> list[tuple[Field[str], Field[object]]]:
    found = []
    for path, item in container.parts("ports"):
        view = View(container.document, path, item)
        number: object = view.data.get("containerPort")
        found.append((view.string("name"), Field(number, Origin.WRITTEN, view.at_key("containerPort"))))
    return found


def _mounts(container: Container) -> dict[str, Field[str]]:
    found: dict[str, Field[str]] = {}
    for path, item in container.parts("volumeMounts"):
        view = View(container.document, path, item)
        target = view.string("mountPath").value
        if target is not None:
            found[target] = view.string("name")
    return found


def written_amounts(owner: View) -> Amounts:
    """``resources`` as written, amounts in Kubernetes' own spelling."""
    found: Amounts = {}
    for kind in ("limits", "requests"):
        view = owner.part("resources").part(kind)
        amounts = {}
        for name, raw in view.data.items():
            text = canonical(raw)
            if raw is not None:
                origin = Origin.UNKNOWN if text is None else Origin.WRITTEN
                amounts[name] = Field(text, origin, view.at_key(name))
        if amounts:
            found[kind] = dict(sorted(amounts.items()))
    return found


def fixed_amounts(limits: tuple[str, str], requests: tuple[str, str], at: Location) -> Amounts:
    """CPU and memory that KubeRay fixes in its own containers."""

    def of(pair: tuple[str, str]) -> dict[str, Field[str]]:
        reason = "fixed for this container (common/pod.go)"
        return {
            name: Field(text, Origin.KUBERAY, at, reason)
            for name, text in zip(("cpu", "memory"), pair, strict=True)
        }

    return {"limits": of(limits), "requests": of(requests)}
