"""JSON Schema (draft 7) of KubeRay's kinds for editors: what yaml-language-server completes and checks by.

An editor's schema is no verdict. It knows no nulls that the server drops, no defaults that fill a required field
and no rules over several fields, so this one leaves out what would be marked wrongly and keeps what helps to
write: names of fields, types, enumerations, forms and defaults.
"""

from __future__ import annotations

import json

from raylint.crd import GROUP
from raylint.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from raylint.crd import Part
    from raylint.schema import Schema

__all__ = ["editor_schema", "editor_schema_text"]

_COPIED = (
    "type", "enum", "pattern", "default", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems",
)  # fmt: skip
_INTEGERS = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}
_STRING_MAP = {"type": "object", "additionalProperties": {"type": "string"}}
_METADATA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 253},
        "generateName": {"type": "string", "maxLength": 253},
        "namespace": {"type": "string", "maxLength": 63},
        "labels": _STRING_MAP,
        "annotations": _STRING_MAP,
        "finalizers": {"type": "array", "items": {"type": "string"}},
    },
    "anyOf": [{"required": ["name"]}, {"required": ["generateName"]}],
}


def editor_schema(schema: Schema, kind: str) -> dict[str, Any]:
    """The JSON Schema of one kind in all versions that are served. UsageError: there is no such kind."""
    versions = schema.versions(kind)
    if not versions:
        raise UsageError(f"{schema.title} has no kind {kind!r}; it has {', '.join(schema.kinds)}")
    writer = _Writer(schema)
    objects = [writer.object(kind, version) for version in versions]
    whole: dict[str, Any] = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": f"{kind} ({schema.title})",
    }
    # The version that is written decides which fields an editor offers; the first one if none is written yet.
    *others, last = reversed(objects)
    for other in others:
        last = {"if": _is_version(other), "then": other, "else": last}
    whole.update(last)
    whole["definitions"] = writer.definitions
    return whole


def editor_schema_text(schema: Schema, kind: str) -> str:
    """The same as text, ready to be written to a file."""
    return json.dumps(editor_schema(schema, kind), indent=1, ensure_ascii=False) + "\n"


def _is_version(written: dict[str, Any]) -> dict[str, Any]:
    return {"properties": {"apiVersion": written["properties"]["apiVersion"]}, "required": ["apiVersion"]}


class _Writer:
    """Writes parts as JSON Schema, each definition once."""

    def __init__(self, schema: Schema) -> None:
        self.definitions: dict[str, Any] = {}
        self._schema = schema
        self._source = schema.definitions

    def object(self, kind: str, version: str) -> dict[str, Any]:
        part = self._schema.part_number(kind, version)
        written = self._written(self._source[part])
        written["type"] = "object"
        own = {name: value for name, value in written["properties"].items() if name != "status"}
        written["properties"] = {
            "apiVersion": {"const": f"{GROUP}/{version}"},
            "kind": {"const": kind},
            "metadata": _METADATA,
            **own,
            # What `kubectl get -o yaml` prints; the server ignores it in a new object.
            "status": {},
        }
        written["required"] = ["apiVersion", "kind", "metadata", *written.get("required", ())]
        return written

    def _reference(self, part: Part) -> dict[str, Any]:
        if isinstance(part, str):
            return {"type": [part, "null"]}
        if isinstance(part, dict):
            return self._written(part)
        name = str(part)
        if name not in self.definitions:
            self.definitions[name] = {}
            self.definitions[name] = self._written(self._source[part])
        return {"$ref": f"#/definitions/{name}"}

    def _written(self, part: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {key: part[key] for key in _COPIED if key in part}
        if part.get("x-kubernetes-int-or-string"):
            found["type"] = ["integer", "string", "null"]
        if part.get("type") == "integer":
            least, most = _INTEGERS.get(part.get("format", ""), _INTEGERS["int64"])
            found["minimum"] = max(least, part.get("minimum", least))
            found["maximum"] = min(most, part.get("maximum", most))
        if isinstance(found.get("type"), str) and "enum" not in found:
            found["type"] = [found["type"], "null"]  # the server drops a null
        if "properties" in part:
            properties = {name: self._reference(child) for name, child in part["properties"].items()}
            found["properties"] = properties
            if not part.get("x-kubernetes-preserve-unknown-fields"):
                found["additionalProperties"] = False
        if "additionalProperties" in part:
            found["additionalProperties"] = self._reference(part["additionalProperties"])
        if "items" in part:
            found["items"] = self._reference(part["items"])
        required = [name for name in part.get("required", ()) if not self._has_default(part, name)]
        if required:
            found["required"] = required
        return found

    def _has_default(self, part: dict[str, Any], name: str) -> bool:
        child = part.get("properties", {}).get(name)
        definition = self._source[child] if isinstance(child, int) else child
        return isinstance(definition, dict) and "default" in definition
