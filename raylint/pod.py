"""Views of what Kubernetes knows: pods, containers, environment, resources."""

from __future__ import annotations

from raylint.derived import cached_property
from raylint.field import Field, Origin, View
from raylint.image import image_in
from raylint.patterns import pattern
from raylint.quantity import parse_quantity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.document import Document
    from raylint.finding import Path
    from raylint.group import Group
    from raylint.image import Image
    from raylint.quantity import Quantity

__all__ = ["Container", "EnvVar", "Pod", "PodTemplate"]

# $(NAME), and $$ as its escape (kubernetes third_party/forked/golang/expansion).
_REFERENCE = pattern(r"\$\$|\$\(([^()]*)\)")
# Variables that the kubelet makes of the namespace's Services; they are there only if the Service is.
_SERVICE_VARIABLE = pattern(r"_SERVICE_(HOST|PORT)|_PORT(_|\Z)")


class EnvVar(View):
    """One entry of a container's ``env``."""

    @cached_property
    def name(self) -> str:
        value = self.data.get("name")
        return value if isinstance(value, str) else ""

    @cached_property
    def value(self) -> Field[str]:
        """The literal value, before ``$(NAME)`` is expanded; unknown with ``valueFrom``, empty if left out."""
        if self.has("valueFrom"):
            return Field(None, Origin.UNKNOWN, self.at_key("valueFrom"))
        written = self.string("value")
        if written.origin is Origin.ABSENT:
            return Field("", Origin.WRITTEN, self.at_key("name"))
        return written

    def is_true(self) -> bool:
        """Does KubeRay read it as on: the literal ``1`` or ``true`` (``validation.go``, v1.7.0)?"""
        return self.value.value in ("1", "true")


class Container(View):
    """A container of a pod template."""

    @cached_property
    def name(self) -> Field[str]:
        return self.string("name")

    @cached_property
    def image(self) -> Image | None:
        """The image; None where it is not written or cannot be known."""
        return image_in(self.data)

    @cached_property
    def env_vars(self) -> tuple[EnvVar, ...]:
        return tuple(EnvVar(self.document, path, item) for path, item in self.parts("env"))

    def env(self, name: str) -> EnvVar | None:
        """The entry of this name in ``env``; of several the last, which is the one that Kubernetes uses.
        ``envFrom`` is not looked at: what comes from there cannot be known."""
        return self._env_by_name.get(name)

    @cached_property
    def _env_by_name(self) -> dict[str, EnvVar]:
        return {entry.name: entry for entry in self.env_vars}

    @property
    def has_env_from(self) -> bool:
        return any(True for _ in self.parts("envFrom"))

    @property
    def holds_only_its_image(self) -> bool:
        """Are its files those of an official Ray image, with nothing mounted?"""
        mounted = any(True for _ in self.parts("volumeMounts"))
        return self.image is not None and self.image.is_ray and not mounted

    def limit(self, resource: str) -> Field[Quantity]:
        return self._quantity("limits", resource)

    def request(self, resource: str) -> Field[Quantity]:
        """The request as the scheduler sees it: a limit without a request is the request too."""
        written = self._quantity("requests", resource)
        if written.origin is not Origin.ABSENT:
            return written
        limit = self.limit(resource)
        return Field(limit.value, Origin.API if limit.known else Origin.UNKNOWN, limit.at) if limit else written

    @cached_property
    def limits(self) -> dict[str, object]:
        return self._amounts("limits")

    @cached_property
    def _quantities(self) -> dict[tuple[str, str], Field[Quantity]]:
        """Amounts that were asked for."""
        return {}

    def _quantity(self, kind: str, resource: str) -> Field[Quantity]:
        found = self._quantities.get((kind, resource))
        if found is None:
            found = self._quantities[kind, resource] = self._written_quantity(kind, resource)
        return found

    def _written_quantity(self, kind: str, resource: str) -> Field[Quantity]:
        at = self.at_key("resources", kind, resource)
        raw = (self.limits if kind == "limits" else self._amounts(kind)).get(resource)
        if raw is None:
            return Field(None, Origin.ABSENT, at)
        quantity = parse_quantity(raw)
        return Field(quantity, Origin.UNKNOWN if quantity is None else Origin.WRITTEN, at)

    def _amounts(self, kind: str) -> dict[str, object]:
        resources = self.data.get("resources")
        amounts = resources.get(kind) if isinstance(resources, dict) else None
        return amounts if isinstance(amounts, dict) else {}

    def expand(self, text: str, before: str | None = None) -> str | None:
        """Replace ``$(NAME)`` as the kubelet does: by variables that stand earlier in ``env`` than the entry
        ``before`` (all of them where it is None); others stay as they are. None where the outcome cannot be
        known: the variable comes from a source outside the manifest."""
        if "$" not in text:
            return text
        outcome: list[str] = []
        end = 0
        for match in _REFERENCE.finditer(text):
            outcome.append(text[end : match.start()])
            end = match.end()
            replaced = "$" if match[1] is None else self._variable(match[1], before, match[0])
            if replaced is None:
                return None
            outcome.append(replaced)
        outcome.append(text[end:])
        return "".join(outcome)

    def _variable(self, name: str, before: str | None, literal: str) -> str | None:
        found: str | None = None
        defined = False
        for entry in self.env_vars:
            if before is not None and entry.name == before:
                break
            if entry.name == name:
                defined, found = True, entry.value.value
        if defined:
            return found if found is None or "$" not in found else None
        outside = self.has_env_from or _SERVICE_VARIABLE.search(name)
        return None if outside else literal


class Pod(View):
    """The ``spec`` of a group's pod template."""

    def __init__(self, document: Document, path: Path, data: object, group: Group) -> None:
        super().__init__(document, path, data)
        self._group = group

    @cached_property
    def restart_policy(self) -> Field[str]:
        """``Always`` unless written; ``Never`` where KubeRay forces it, whatever is written."""
        forced = self._group.forced_restart_policy
        if forced is not None:
            return forced
        return self.string("restartPolicy", "Always")

    @cached_property
    def containers(self) -> tuple[Container, ...]:
        return self._containers("containers")

    @cached_property
    def init_containers(self) -> tuple[Container, ...]:
        return self._containers("initContainers")

    def _containers(self, key: str) -> tuple[Container, ...]:
        items = self.data.get(key)
        if not isinstance(items, list):
            return ()
        document, path = self.document, (*self.path, key)
        return tuple([Container(document, (*path, index), item) for index, item in enumerate(items)])

    @cached_property
    def volume_names(self) -> set[str]:
        """The names that ``volumes`` gives."""
        volumes = self.data.get("volumes")
        if not isinstance(volumes, list):
            return set()
        return {item["name"] for item in volumes if isinstance(item, dict) and isinstance(item.get("name"), str)}

    @cached_property
    def ray_container(self) -> Container:
        """The first container, whatever its name: the only one that KubeRay treats as Ray."""
        if self.containers:
            return self.containers[0]
        return Container(self.document, (*self.path, "containers"), None)

    @property
    def sidecars(self) -> tuple[Container, ...]:
        return self.containers[1:]


class PodTemplate(View):
    """A pod template: ``metadata`` and ``spec``."""

    @cached_property
    def annotations(self) -> View:
        return self.part("metadata").part("annotations")

    @cached_property
    def labels(self) -> View:
        return self.part("metadata").part("labels")
