"""The view of ``serveConfigV2``: a YAML text inside the manifest, which the operator reads and posts to Serve.

Facts: Ray ``python/ray/serve/schema.py`` (2.60.0); KubeRay reads the first YAML document of the text only.
"""

from __future__ import annotations

from raylint.derived import cached_property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from raylint.embedded_document import EmbeddedDocument
    from raylint.field import Field, View
    from raylint.finding import Path
    from raylint.target import Version

__all__ = ["ServeConfig", "mappings_in"]


# Options of an actor that ask for nothing but CPUs.
_CPUS_ALONE = frozenset(("num_cpus", "runtime_env"))
# With one of them a replica asks for places.
_PLACED = frozenset(("placement_group_bundles", "max_replicas_per_node"))
# Keys of plain applications and deployments. Every Ray from 2.12 on knows them all.
_PLAIN_SINCE = (2, 12)
_OF_APPLICATIONS = frozenset(("name", "import_path", "route_prefix", "runtime_env", "deployments"))
_OF_DEPLOYMENTS = frozenset(("name", "num_replicas", "max_ongoing_requests", "ray_actor_options"))
_OF_ACTORS = frozenset(("num_cpus",))
# A number of CPUs that Ray neither rounds off nor finds too large.
_FEWEST_CPUS, _MOST_CPUS = 0.001, 10_000


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
        found: list[tuple[Path, dict[str, object]]] = []
        for path, application in self.applications:
            found += mappings_in(application, path, "deployments")
        return found

    def is_plain_to(self, release: Version | None) -> bool:
        """Is it certain at a glance that Serve of this release takes all of it, code included? It lists
        applications, and they say nothing but what most of them say. :mod:`raylint.serve_check` judges the rest,
        and finds nothing in these."""
        if release is None or release < _PLAIN_SINCE:
            return False
        data = self.data
        applications = data.get("applications") if data is not None and len(data) == 1 else None
        if applications.__class__ is not list or not applications:
            return False
        names: set[object] = set()
        prefixes: set[object] = set()
        for application in applications:
            if application.__class__ is not dict or not _is_plain_application(application):
                return False
            names.add(application["name"])
            prefixes.add(application["route_prefix"])
        return len(names) == len(prefixes) == len(applications)

    @cached_property
    def _listed(self) -> list[list[dict[str, Any]]]:
        """The plain data of the deployments that each application lists."""
        found = []
        for _, application in self.applications:
            listed = application.get("deployments")
            items = listed if isinstance(listed, list) else []
            found.append([item for item in items if isinstance(item, dict)])
        return found

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
        for deployments in self._listed:
            for deployment in deployments:
                if not _PLACED.isdisjoint(deployment):
                    return None
                options = deployment.get("ray_actor_options")
                if not isinstance(options, dict):
                    continue
                cpus = options.get("num_cpus", 1)
                if not _CPUS_ALONE.issuperset(options) or cpus.__class__ not in (int, float):
                    return None
                scaling = deployment.get("autoscaling_config")
                told = scaling.get("min_replicas") if isinstance(scaling, dict) else deployment.get("num_replicas")
                found.append((told if told.__class__ is int else 0, cpus))
        return found

    @property
    def listed_replicas(self) -> int | None:
        """Replicas of all deployments together at the least. None where the text does not tell: an application
        without a list of deployments (the code decides), a number that is no whole number."""
        total = 0
        for deployments in self._listed:
            if not deployments:
                return None
            for deployment in deployments:
                replicas = _least_replicas(deployment)
                if replicas is None:
                    return None
                total += replicas
        return total or None


def _is_plain_application(application: dict[str, Any]) -> bool:
    """Has it a name, an attribute of a module, a path of its own; code from an archive, if from anywhere; and
    plain deployments, if any are listed?"""
    name, code, prefix = application.get("name"), application.get("import_path"), application.get("route_prefix")
    if not (name.__class__ is code.__class__ is prefix.__class__ is str and name and prefix):
        return False
    if code.count(":") != 1 or code[0] == ":" or code[-1] == ":":
        return False
    if prefix[0] != "/" or (prefix[-1] == "/" and prefix != "/") or "{" in prefix or "}" in prefix:
        return False
    if not _OF_APPLICATIONS.issuperset(application):
        return False
    if "runtime_env" in application and not _is_plain_environment(application["runtime_env"]):
        return False
    deployments = application.get("deployments", [])
    if deployments.__class__ is not list:
        return False
    for deployment in deployments:
        if deployment.__class__ is not dict or not _is_plain_deployment(deployment):
            return False
    return True


def _is_plain_environment(env: Any) -> bool:
    """Is it nothing but the address of an archive that every Ray fetches?"""
    uri = env.get("working_dir") if env.__class__ is dict and len(env) == 1 else None
    return (
        uri.__class__ is str
        and uri.startswith("https://")
        and uri.endswith(".zip")
        # With one of them an address does not end where its text does, or is still to be filled in.
        and not ("#" in uri or "?" in uri or "$" in uri)
    )


def _is_plain_deployment(deployment: dict[str, Any]) -> bool:
    """Has it a name, and else only counts from 1 on and CPUs?"""
    if deployment.get("name").__class__ is not str or not _OF_DEPLOYMENTS.issuperset(deployment):
        return False
    for key in ("num_replicas", "max_ongoing_requests"):
        count = deployment.get(key, 1)
        if count.__class__ is not int or count < 1:
            return False
    if "ray_actor_options" not in deployment:
        return True
    options = deployment["ray_actor_options"]
    if options.__class__ is not dict or not _OF_ACTORS.issuperset(options):
        return False
    cpus = options.get("num_cpus", 1)
    return (cpus.__class__ is int or cpus.__class__ is float) and _FEWEST_CPUS <= cpus <= _MOST_CPUS


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
