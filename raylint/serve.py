"""The view of ``serveConfigV2``: a YAML text inside the manifest, which the operator reads and posts to Serve.

Facts: Ray ``python/ray/serve/schema.py`` (2.60.0); KubeRay reads the first YAML document of the text only.
"""

from __future__ import annotations

from raylint.derived import cached_property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.embedded_document import EmbeddedDocument
    from raylint.field import Field, View
    from raylint.finding import Path

__all__ = ["ServeConfig", "mappings_in"]


# Options of an actor that ask for nothing but CPUs.
_CPUS_ALONE = frozenset(("num_cpus", "runtime_env"))


class ServeConfig:
    """A Serve configuration in the spec of a RayService."""

    def __init__(self, spec: View) -> None:
        self._spec = spec

    @cached_property
    def text(self) -> Field[str]:
        """The field that holds it."""
        return self._spec.string("serveConfigV2")

    @cached_property
    def document(self) -> EmbeddedDocument | None:
        """The YAML in the text; None where there is no text."""
        return self._spec.embedded("serveConfigV2")

    @cached_property
    def data(self) -> dict[str, object] | None:
        """The configuration; None where there is none or it cannot be read."""
        data = self.document.data if self.document is not None else None
        return data if isinstance(data, dict) else None

    @cached_property
    def applications(self) -> list[tuple[Path, dict[str, object]]]:
        """The applications with their paths inside the text."""
        return mappings_in(self.data or {}, (), "applications")

    @cached_property
    def deployments(self) -> list[tuple[Path, dict[str, object]]]:
        """The listed deployments of all applications with their paths inside the text."""
        return [
            deployment
            for path, application in self.applications
            for deployment in mappings_in(application, path, "deployments")
        ]

    @property
    def actor_options(self) -> Iterator[dict[str, object]]:
        """``ray_actor_options`` of every listed deployment; empty where it has none."""
        for _, deployment in self.deployments:
            options = deployment.get("ray_actor_options")
            yield options if isinstance(options, dict) else {}

    @property
    def plain_demands(self) -> list[tuple[int, float]] | None:
        """Replicas and CPUs of each of every deployment that says what it needs; without a number of replicas 0.
        None where one of them asks for anything but CPUs, or for places."""
        found: list[tuple[int, float]] = []
        for _, deployment in self.deployments:
            if "placement_group_bundles" in deployment or "max_replicas_per_node" in deployment:
                return None
            options = deployment.get("ray_actor_options")
            if not isinstance(options, dict):
                continue
            cpus = options.get("num_cpus", 1)
            if not _CPUS_ALONE.issuperset(options) or cpus.__class__ not in (int, float):
                return None
            scaling = deployment.get("autoscaling_config")
            replicas = scaling.get("min_replicas") if isinstance(scaling, dict) else deployment.get("num_replicas")
            found.append((replicas if replicas.__class__ is int else 0, cpus))
        return found

    @property
    def listed_replicas(self) -> int | None:
        """Replicas of all deployments together at the least. None where the text does not tell: an application
        without a list of deployments (the code decides), a number that is no whole number."""
        for path, application in self.applications:
            if not mappings_in(application, path, "deployments"):
                return None
        total = 0
        for _, deployment in self.deployments:
            replicas = _least_replicas(deployment)
            if replicas is None:
                return None
            total += replicas
        return total or None


def _least_replicas(deployment: dict[str, object]) -> int | None:
    """``num_replicas`` (1 unless written; ``auto`` starts at 1), or the autoscaling minimum."""
    autoscaling = deployment.get("autoscaling_config")
    written = deployment.get("num_replicas")
    if isinstance(autoscaling, dict):
        written = autoscaling.get("min_replicas")
    if written is None or written == "auto":
        return 1
    return written if isinstance(written, int) and not isinstance(written, bool) else None


def mappings_in(data: dict[str, object], path: Path, key: str) -> list[tuple[Path, dict[str, object]]]:
    """The mappings in the list at ``key`` with their paths; ``path`` is that of the data."""
    items = data.get(key)
    if not isinstance(items, list):
        return []
    return [((*path, key, index), item) for index, item in enumerate(items) if isinstance(item, dict)]
