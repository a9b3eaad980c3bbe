"""The API server's schemas of one KubeRay release, and its verdict on an object.

The tables come from a package that registers under the entry-point group ``raylint.schemas``
(``name = module:function``; the function takes a release and answers its tables or None), or from a user's CRDs.
"""

from __future__ import annotations

import os
from functools import cache

from raylint.errors import UsageError
from raylint.metadata import check_metadata
from raylint.schema_fault import FaultKind, SchemaFault, trail_of
from raylint.structure import ANYTHING, Structure, Structures
from raylint.target import version_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from raylint.finding import Path
    from raylint.target import Version

__all__ = ["GROUP", "Schema", "bundled_schema", "schema_of_files"]

GROUP = "ray.io"
ENTRY_POINTS = "raylint.schemas"
_ALWAYS_THERE = ("apiVersion", "kind", "metadata")


class Schema:
    """What one release's CRDs say. ``title`` names it for people: ``KubeRay 1.7``, or a file of CRDs."""

    __slots__ = ("_kinds", "_roots", "_served", "_structures", "title")

    def __init__(self, tables: dict[str, Any], title: str) -> None:
        self.title = title
        self._kinds: dict[str, dict[str, dict[str, Any]]] = tables["kinds"]
        self._structures = Structures(tables["definitions"])
        # By apiVersion and kind, as objects have them: the server's warning, if any.
        self._served: dict[tuple[str, str], str] = {
            (f"{GROUP}/{version}", kind): str(row.get("deprecated", ""))
            for kind, versions in self._kinds.items()
            for version, row in versions.items()
        }
        self._roots: dict[tuple[str, str], Structure] = {}

    @property
    def kinds(self) -> list[str]:
        return sorted(self._kinds)

    def versions(self, kind: str) -> list[str]:
        """The versions in which a kind is served; none where there is no such kind."""
        return sorted(self._kinds.get(kind, ()))

    @property
    def definitions(self) -> Sequence[dict[str, Any]]:
        """The parts by number, as ``raylint/crd.py`` tells."""
        return self._structures.definitions

    def part_number(self, kind: str, version: str) -> int:
        """The number of the part that describes a whole object of a kind that is served."""
        number: int = self._kinds[kind][version]["schema"]
        return number

    def serves(self, api_version: str, kind: str) -> bool:
        return (api_version, kind) in self._served

    def serves_for_long(self, api_version: str, kind: str) -> bool:
        """Is the kind served in this version, and no warning comes with it?"""
        return self._served.get((api_version, kind)) == ""

    def deprecation(self, api_version: str, kind: str) -> str:
        """The server's warning of a deprecated version; ``""`` where there is none."""
        return self._served.get((api_version, kind), "")

    def root(self, api_version: str, kind: str) -> Structure | None:
        """The schema of a whole object; None where the server does not serve it."""
        root = self._roots.get((api_version, kind))
        if root is None:
            if not self.serves(api_version, kind):
                return None
            version = api_version.partition("/")[2]
            root = self._structures.part(self.part_number(kind, version)).compiled()
            for name in _ALWAYS_THERE:
                root.fields[name] = ANYTHING
            self._roots[api_version, kind] = root
        return root

    def part(self, api_version: str, kind: str, path: Path) -> Structure | None:
        """The schema of what stands at ``path`` of an object; None where nothing can."""
        found = self.root(api_version, kind)
        for step in path:
            if found is None:
                return None
            found = found.compiled()
            found = found.items if isinstance(step, int) else found.fields.get(step, found.extra)
        return found and found.compiled()

    def fits(self, api_version: str, kind: str, path: Path, data: object) -> bool:
        """Whether a value could stand at ``path`` of an object, without a fault in it."""
        part = self.part(api_version, kind, path)
        found: list[SchemaFault] = []
        if part is not None:
            part.check(part, data, trail_of(path), found)
        return part is not None and not found

    def faults(self, data: dict[str, Any], path: Path = ()) -> list[SchemaFault]:
        """Every fault of an object that stands at ``path`` of its document. Empty as well where the server does
        not serve the kind or version: there is nothing to judge it by.

        The object is refused by a client that validates strictly if there is any fault, by others if there is
        one that is not ``dropped``.
        """
        found: list[SchemaFault] = []
        root = self.root(data["apiVersion"], data["kind"])
        if root is None:
            return found
        check_metadata(data.get("metadata"), (*path, "metadata"), found)
        trail = trail_of(path)
        if "status" not in data:
            root.check(root, data, trail, found)
            return found
        # The server drops the status of a new object, but only after it has looked for unknown fields.
        root.check(root, {key: value for key, value in data.items() if key != "status"}, trail, found)
        status = root.fields.get("status")
        if data["status"] is not None and status is not None:
            in_status: list[SchemaFault] = []
            status.check(status, data["status"], (trail, "status"), in_status)
            found.extend(fault for fault in in_status if fault.kind is FaultKind.UNKNOWN_FIELD)
        elif status is None:
            found.append(SchemaFault(FaultKind.UNKNOWN_FIELD, (*path, "status"), "unknown field", on_key=True))
        return found


def schema_of_files(files: Sequence[str]) -> Schema:
    """The schema that a user's files of CRDs describe (see :func:`raylint.crd.read_crds`), together.

    UsageError: a file cannot be read or holds no CRD of KubeRay, or two describe one kind.
    """
    from raylint.crd import read_crds

    return Schema(read_crds(files), " and ".join(os.path.basename(file) for file in files))


@cache
def bundled_schema(release: Version) -> Schema:
    """The schema of a KubeRay release (major, minor). UsageError: no installed package has it."""
    from raylint.packs import find_entry_points, imported

    for entry_point in find_entry_points(ENTRY_POINTS):
        load: Any = imported(entry_point)
        tables = load(release)
        if tables is not None:
            return Schema(tables, f"KubeRay {version_text(release)}")
    raise UsageError(
        f"no schemas of KubeRay {version_text(release)} are installed; install raylint again (in a clone:"
        " `pip install -e .`)"
    )
