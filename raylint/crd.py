"""Schemas out of CustomResourceDefinitions, as small tables that load fast.

A CRD of KubeRay holds the pod template up to five times. The tables keep each distinct part once: a part is a
number into ``definitions``, a bare type is its name (``"string"``), anything else an OpenAPI schema whose children
are written the same way. The keywords are those of apiextensions.k8s.io/v1, without what says nothing about
validity (descriptions, map types, atomic list types) and without what the API server adds to every object
(``apiVersion``, ``kind`` and ``metadata`` of the root).
"""

from __future__ import annotations

import json

from raylint.crd_check import keyword_fault
from raylint.errors import UsageError
from raylint.schema import GROUP
from raylint.source import LARGEST, UnreadableError, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any, TypeAlias

    # A part of a schema: the number of a definition, the name of a bare type, or a schema over parts.
    Part: TypeAlias = int | str | dict[str, Any]

__all__ = ["GROUP", "crds_in", "named_parts", "numbered", "read_crds", "tables_of"]

# Keywords that are copied as they stand.
_PLAIN = (
    "type", "format", "required", "default", "enum", "pattern", "minimum", "maximum", "exclusiveMinimum",
    "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems", "minProperties",
    "maxProperties", "nullable", "x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-embedded-resource", "x-kubernetes-list-map-keys", "x-kubernetes-validations",
)  # fmt: skip
# Keywords that hold further parts.
_CHILDREN = ("properties", "items", "additionalProperties")
# Properties of the root that the server knows by itself.
_OF_EVERY_OBJECT = ("apiVersion", "kind", "metadata")


def read_crds(files: Sequence[str]) -> dict[str, Any]:
    """The tables of the CRDs in some files: ``kubectl get crd -o yaml`` (or ``-o json``), ``helm show crds``, or
    tables that were derived from one of these before, which must be the only file.

    UsageError: a file cannot be read or holds no CRD of KubeRay, or a kind is described twice.
    """
    crds: list[dict[str, Any]] = []
    for file in files:
        documents = _documents(file)
        if len(files) == 1 and len(documents) == 1 and _is_tables(documents[0]):
            return _checked(file, documents[0])
        found = list(crds_in(documents))
        if not found:
            raise UsageError(f"{file} holds no CustomResourceDefinition of the group {GROUP}")
        crds += found
    names = " and ".join(files)
    try:
        kinds = [spec["names"]["kind"] for spec in crds]
        twice = sorted(kind for kind in set(kinds) if kinds.count(kind) > 1)
        tables = tables_of(crds)
    except (KeyError, TypeError, AttributeError) as error:
        raise UsageError(
            f"{names} cannot be used: a CRD lacks the names of its kind, or a version its name or schema"
        ) from error
    except InvalidPartError as error:
        raise UsageError(f"{names} cannot be used: the API server refuses such a CRD: {error}") from error
    if twice:
        raise UsageError(f"{names} describe the kind {twice[0]} twice")
    return tables


def _documents(file: str) -> list[Any]:
    """The documents of a YAML or JSON file (``-``: the standard input)."""
    try:
        raw = whole(None if file == "-" else file, LARGEST)
    except UnreadableError as error:
        raise UsageError(f"{file} cannot be read: {error}") from error
    try:
        return [json.loads(raw)]
    except (ValueError, RecursionError):
        from raylint.reader import read  # YAML, or several JSON objects

    reading = read(file, raw)
    if not reading.documents and reading.remarks:
        raise UsageError(f"{file} cannot be read: {reading.remarks[0].message}")
    return [document.data for document in reading.documents]


def _checked(file: str, tables: dict[str, Any]) -> dict[str, Any]:
    """Tables of somebody else. UsageError: they are not what :func:`tables_of` writes."""
    definitions, kinds = tables["definitions"], tables["kinds"]

    def is_part(part: object) -> bool:
        return isinstance(part, (str, dict)) or (isinstance(part, int) and 0 <= part < len(definitions))

    def parts() -> Iterator[object]:
        for versions in kinds.values():
            for entry in versions.values():
                yield entry["schema"]
        for part in definitions:
            fault = keyword_fault({key: value for key, value in part.items() if key not in _CHILDREN})
            if fault:
                raise UsageError(f"{file} cannot be used: {fault}")
            yield from part.get("properties", {}).values()
            yield from (part[key] for key in _CHILDREN[1:] if key in part)

    try:
        whole = all(map(is_part, parts()))
    except (KeyError, TypeError, AttributeError):
        whole = False
    if not whole:
        raise UsageError(f"{file} cannot be used: these are not the tables of a schema")
    return tables


def _is_tables(data: object) -> bool:
    return isinstance(data, dict) and isinstance(data.get("definitions"), list) and "kinds" in data


def crds_in(documents: Iterable[object]) -> Iterator[dict[str, Any]]:
    """The specs of the CRDs of KubeRay's group among documents and lists of them."""
    for data in documents:
        if not isinstance(data, dict):
            continue
        if isinstance(data.get("items"), list):
            yield from crds_in(data["items"])
        spec = data.get("spec", data)
        if isinstance(spec, dict) and spec.get("group") == GROUP and isinstance(spec.get("versions"), list):
            yield spec


def tables_of(crds: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The tables of one set of CRDs: ``{"kinds": {kind: {version: {"schema": part}}}, "definitions": [...]}``.

    ``deprecated`` holds the server's warning of a version that it calls deprecated. Versions that are not
    served are left out.
    """
    kinds, parts = named_parts(crds)
    return numbered(kinds, parts, {name: number for number, name in enumerate(parts)})


def named_parts(crds: Iterable[dict[str, Any]]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Every distinct part of the schemas under a name that tells the same part of another release: the place
    where it first occurs. References to parts are written ``#name``."""
    parts = _Parts()
    kinds: dict[str, Any] = {}
    for spec in sorted(crds, key=lambda spec: str(spec["names"]["kind"])):
        kind = str(spec["names"]["kind"])
        for version in sorted(spec["versions"], key=lambda version: str(version["name"])):
            if not version.get("served"):
                continue
            name = str(version["name"])
            schema = version["schema"].get("openAPIV3Schema", version["schema"])
            entry = {"schema": parts.reference(_root(schema), f"{kind}.{name}")}
            if version.get("deprecated"):
                default = f"{GROUP}/{name} {kind} is deprecated"
                entry["deprecated"] = version.get("deprecationWarning") or default
            kinds.setdefault(kind, {})[name] = entry
    return kinds, parts.by_name


def numbered(kinds: dict[str, Any], parts: dict[str, Any], numbers: dict[str, int]) -> dict[str, Any]:
    """The tables with numbers for names; ``numbers`` must know every name."""
    return {
        "kinds": {
            kind: {
                name: {**entry, "schema": _number(entry["schema"], numbers)} for name, entry in versions.items()
            }
            for kind, versions in kinds.items()
        },
        "definitions": [_numbered(part, numbers) for part in parts.values()],
    }


def _numbered(part: dict[str, Any], numbers: dict[str, int]) -> dict[str, Any]:
    found = dict(part)
    if "properties" in found:
        found["properties"] = {name: _number(child, numbers) for name, child in found["properties"].items()}
    for key in ("items", "additionalProperties"):
        if key in found:
            found[key] = _number(found[key], numbers)
    return found


def _number(part: Part, numbers: dict[str, int]) -> Part:
    return numbers[part[1:]] if isinstance(part, str) and part.startswith("#") else part


def _ordered(value: Any) -> Any:
    """The same value with sorted keys, so that YAML and JSON of one CRD give the same bytes."""
    if isinstance(value, dict):
        return {key: _ordered(value[key]) for key in sorted(value)}
    return [_ordered(item) for item in value] if isinstance(value, list) else value


def _root(schema: dict[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties", {})
    kept = {name: child for name, child in properties.items() if name not in _OF_EVERY_OBJECT}
    return {**schema, "properties": kept}


class InvalidPartError(Exception):
    """The place of a schema that the API server would refuse, and why."""


class _Parts:
    """The distinct parts seen so far."""

    def __init__(self) -> None:
        self.by_name: dict[str, dict[str, Any]] = {}
        self._names: dict[str, str] = {}

    def reference(self, schema: dict[str, Any], place: str) -> str:
        """How a parent writes this schema: the name of a bare type, or ``#`` and the name of the part.

        InvalidPartError: the API server would refuse the schema.
        """
        fault = keyword_fault(schema)
        if fault:
            raise InvalidPartError(f"{place}: {fault}")
        part: dict[str, Any] = {key: _ordered(schema[key]) for key in _PLAIN if key in schema}
        if schema.get("x-kubernetes-list-type") in ("map", "set"):
            part["x-kubernetes-list-type"] = schema["x-kubernetes-list-type"]
        if part.get("x-kubernetes-int-or-string"):
            part.pop("type", None)
        if isinstance(schema.get("properties"), dict):
            part["properties"] = {
                name: self.reference(child, f"{place}.{name}")
                for name, child in sorted(schema["properties"].items())
            }
        if isinstance(schema.get("items"), dict):
            part["items"] = self.reference(schema["items"], f"{place}[]")
        extra = schema.get("additionalProperties")
        if isinstance(extra, dict):
            part["additionalProperties"] = self.reference(extra, f"{place}{{}}")
        elif extra is True:
            part["additionalProperties"] = "#" + self._name({"x-kubernetes-preserve-unknown-fields": True}, place)
        if list(part) == ["type"]:
            return str(part["type"])
        return "#" + self._name(part, place)

    def _name(self, part: dict[str, Any], place: str) -> str:
        """A part without properties is the same wherever it stands, so its text is its name."""
        text = json.dumps(part, sort_keys=True, separators=(",", ":"))
        name = self._names.get(text)
        if name is None:
            name = place if "properties" in part else text
            self._names[text] = name
            self.by_name[name] = part
        return name
