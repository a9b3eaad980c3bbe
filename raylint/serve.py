"""The view of ``serveConfigV2``: a YAML text inside the manifest, which the operator reads and posts to Serve.

Facts: Ray ``python/ray/serve/schema.py`` (2.60.0); KubeRay reads the first YAML document of the text only.
"""

from __future__ import annotations

from raylint.derived import cached_property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.embedded_document import EmbeddedDocument
    from raylint.field import View
    from raylint.finding import Path

__all__ = ["ServeConfig"]


class ServeConfig:
    """A Serve configuration in the spec of a RayService. ``text`` is the field that holds it."""

    def __init__(self, spec: View) -> None:
        self._spec = spec
        self.text = spec.string("serveConfigV2")

    @cached_property
    def document(self) -> EmbeddedDocument | None:
        """The YAML in the text; None where there is no text."""
        return self._spec.embedded("serveConfigV2")

    @property
    def data(self) -> dict[str, object] | None:
        """The configuration; None where there is none or it cannot be read."""
        data = self.document.data if self.document is not None else None
        return data if isinstance(data, dict) else None

    @property
    def applications(self) -> Iterator[dict[str, object]]:
        yield from _mappings(self.data or {}, "applications")

    @property
    def deployments(self) -> Iterator[tuple[Path, dict[str, object]]]:
        """The listed deployments with their paths inside the text."""
        for path, application in _items(self.data or {}, (), "applications"):
            yield from _items(application, path, "deployments")

    @property
    def actor_options(self) -> Iterator[dict[str, object]]:
        """``ray_actor_options`` of every listed deployment; empty where it has none."""
        for application in self.applications:
            for deployment in _mappings(application, "deployments"):
                options = deployment.get("ray_actor_options")
                yield options if isinstance(options, dict) else {}

    @property
    def listed_replicas(self) -> int | None:
        """Replicas of all deployments together at the least. None where the text does not tell: an application
        without a list of deployments (the code decides), a number that is no whole number."""
        total = 0
        for application in self.applications:
            deployments = list(_mappings(application, "deployments"))
            if not deployments:
                return None
            for deployment in deployments:
                replicas = _least_replicas(deployment)
                if replicas is None:
                    return None
                total += replicas
        return total if self.data and total else None


def _least_replicas(deployment: dict[str, object]) -> int | None:
    """``num_replicas`` (1 unless written; ``auto`` starts at 1), or the autoscaling minimum."""
    autoscaling = deployment.get("autoscaling_config")
    written = deployment.get("num_replicas")
    if isinstance(autoscaling, dict):
        written = autoscaling.get("min_replicas")
    if written is None or written == "auto":
        return 1
    return written if isinstance(written, int) and not isinstance(written, bool) else None


def _mappings(data: dict[str, object], key: str) -> Iterator[dict[str, object]]:
    return (item for _, item in _items(data, (), key))


def _items(data: dict[str, object], path: Path, key: str) -> Iterator[tuple[Path, dict[str, object]]]:
    items = data.get(key)
    for index, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, dict):
            yield (*path, key, index), item
