"""What the API server asks of the metadata of any object.

Sources (kubernetes v1.36): ``apimachinery/pkg/apis/meta/v1`` (types and their decoding),
``apimachinery/pkg/api/validation/objectmeta.go``, ``apimachinery/pkg/util/validation`` (syntax) and
``apiserver/pkg/registry/rest/create.go``.
What it cannot know without a cluster (does the namespace exist, is the name taken) is not judged.
"""

from __future__ import annotations

from raylint.formats import is_rfc3339, json_type
from raylint.schema_fault import FaultKind, SchemaFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from raylint.finding import Path

__all__ = ["ANNOTATIONS_LIMIT", "METADATA_FIELDS", "check_metadata"]

# Bytes of all annotation keys and values of one object.
ANNOTATIONS_LIMIT = 256 * 1024

_SMALL = "abcdefghijklmnopqrstuvwxyz0123456789"
_ALPHANUMERIC = _SMALL + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_SUBDOMAIN_LIMIT = 253
_LABEL_LIMIT = 63
# The server appends five characters to so many of a generateName's.
_GENERATED_FROM = 58

_STRING = "string"
_STRINGS = "array of strings"
_STRING_MAP = "map of strings"
_TIME = "time"
METADATA_FIELDS = {
    "name": _STRING, "generateName": _STRING, "namespace": _STRING, "selfLink": _STRING, "uid": _STRING,
    "resourceVersion": _STRING, "generation": "integer", "creationTimestamp": _TIME, "deletionTimestamp": _TIME,
    "deletionGracePeriodSeconds": "integer", "labels": _STRING_MAP, "annotations": _STRING_MAP,
    "ownerReferences": "owners", "finalizers": _STRINGS, "managedFields": "managers",
}  # fmt: skip
_OWNER_FIELDS = {
    "apiVersion": _STRING, "kind": _STRING, "name": _STRING, "uid": _STRING, "controller": "boolean",
    "blockOwnerDeletion": "boolean",
}  # fmt: skip
_MANAGER_FIELDS = {
    "manager": _STRING, "operation": _STRING, "apiVersion": _STRING, "time": _TIME, "fieldsType": _STRING,
    "fieldsV1": "anything", "subresource": _STRING,
}  # fmt: skip


def check_metadata(metadata: object, path: Path, faults: list[SchemaFault]) -> None:
    """Judge the metadata at ``path``; null and nothing at all are the same to the server."""
    if metadata is None:
        metadata = {}
    if not isinstance(metadata, dict):
        faults.append(_wrong_type(path, "object", metadata))
        return
    if _is_plain(metadata):
        return
    _check_fields(metadata, METADATA_FIELDS, path, faults)
    for name, check in _SYNTAX.items():
        if name in metadata:
            faults.extend(check(metadata[name], (*path, name)))
    if not metadata.get("name") and not metadata.get("generateName"):
        faults.append(SchemaFault(FaultKind.MISSING, (*path, "name"), "name or generateName is required"))


def _is_plain(metadata: dict[str, Any]) -> bool:
    """Is it, as in most manifests, a name and perhaps a namespace and labels, all of them labels of DNS? Then
    there is nothing to judge."""
    for field, value in metadata.items():
        if field == "labels":
            if value.__class__ is not dict:
                return False
            for key, text in value.items():
                if not (_is_plain_label(key) and text.__class__ is str and _is_plain_label(text)):
                    return False
        elif not (field in ("name", "namespace") and value.__class__ is str and _is_plain_label(value)):
            return False
    return "name" in metadata


def _is_plain_label(text: str) -> bool:
    return len(text) <= _LABEL_LIMIT and _is_label(text)


# --- Types: the server decodes metadata into Go's types before anything else -----------------------------


def _check_fields(value: dict[str, Any], fields: dict[str, str], path: Path, faults: list[SchemaFault]) -> None:
    for name, item in value.items():
        wanted = fields.get(name)
        if wanted is None:
            faults.append(SchemaFault(FaultKind.UNKNOWN_FIELD, (*path, name), "unknown field", on_key=True))
        elif item is not None and not (wanted == _STRING and isinstance(item, str)):
            _check_field(item, wanted, (*path, name), faults)


def _check_field(item: object, wanted: str, path: Path, faults: list[SchemaFault]) -> None:
    if wanted == _STRING_MAP:
        _check_items(item, "object", _STRING, path, faults)
    elif wanted == _STRINGS:
        _check_items(item, "array", _STRING, path, faults)
    elif wanted in ("owners", "managers"):
        _check_items(item, "array", wanted[:-1], path, faults)
    elif wanted in ("owner", "manager"):
        if isinstance(item, dict):
            _check_fields(item, _OWNER_FIELDS if wanted == "owner" else _MANAGER_FIELDS, path, faults)
        else:
            faults.append(_wrong_type(path, "object", item))
    elif wanted == _TIME:
        if not isinstance(item, str):
            faults.append(_wrong_type(path, _STRING, item))
        elif not is_rfc3339(item):
            detail = f"cannot parse {item!r} as a time such as 2006-01-02T15:04:05Z"
            faults.append(SchemaFault(FaultKind.MALFORMED, path, detail, wanted="time"))
    elif wanted != "anything" and json_type(item) != wanted:
        faults.append(_wrong_type(path, wanted, item))


def _check_items(value: object, wanted: str, of: str, path: Path, faults: list[SchemaFault]) -> None:
    if json_type(value) != wanted:
        faults.append(_wrong_type(path, wanted, value))
        return
    assert isinstance(value, (dict, list))
    for step, item in value.items() if isinstance(value, dict) else enumerate(value):
        if item is not None and not (of == _STRING and isinstance(item, str)):
            _check_field(item, of, (*path, step), faults)


def _wrong_type(path: Path, wanted: str, value: object) -> SchemaFault:
    given = json_type(value)
    detail = f'must be of type {wanted}: "{given}"'
    return SchemaFault(FaultKind.WRONG_TYPE, path, detail, wanted=wanted, given=given)


# --- Syntax ------------------------------------------------------------------------------------------------


def _is_subdomain(text: str) -> bool:
    return all(_is_label(part) for part in text.split("."))


def _is_label(text: str) -> bool:
    return _is_name(text, _SMALL, "-")


def _is_name_part(text: str) -> bool:
    return _is_name(text, _ALPHANUMERIC, "-_.")


def _is_name(text: str, ends: str, within: str) -> bool:
    """Does a text begin and end with one of ``ends``, and hold nothing but these and what may stand within?"""
    return text != "" and text[0] in ends and text[-1] in ends and not text.strip(ends + within)


def _invalid(path: Path, value: object, detail: str, *, on_key: bool = False) -> SchemaFault:
    return SchemaFault(FaultKind.METADATA, path, f"{_shown(value)}: {detail}", on_key=on_key)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) < 80 else f"{text[:60]}... ({len(str(value))} characters)"


def _name(value: object, path: Path) -> Iterator[SchemaFault]:
    if isinstance(value, str) and value:
        yield from _subdomain(value, value, path)


def _generate_name(value: object, path: Path) -> Iterator[SchemaFault]:
    """A trailing dash is fine: something follows it. The name that comes of it must be one, too."""
    if isinstance(value, str) and value:
        whole = value[:-2] + "a" if len(value) > 1 and value.endswith("-") else value
        generated = value[:_GENERATED_FROM] + "00000"
        yield from _subdomain(value, whole if _is_subdomain(generated) else generated, path)


def _subdomain(written: str, value: str, path: Path) -> Iterator[SchemaFault]:
    if len(value.encode("utf-8", "surrogatepass")) > _SUBDOMAIN_LIMIT:
        yield _invalid(path, written, f"must be no more than {_SUBDOMAIN_LIMIT} bytes")
    if not _is_subdomain(value):
        yield _invalid(
            path,
            written,
            "a lowercase RFC 1123 subdomain consists of lower case letters, digits, '-' and '.', and starts and"
            " ends with a letter or digit",
        )


def _namespace(value: object, path: Path) -> Iterator[SchemaFault]:
    if isinstance(value, str) and value and (len(value) > _LABEL_LIMIT or not _is_label(value)):
        yield _invalid(
            path,
            value,
            f"a namespace is a lowercase RFC 1123 label of at most {_LABEL_LIMIT} characters: lower case letters,"
            " digits and '-', with a letter or digit at both ends",
        )


def _labels(value: object, path: Path) -> Iterator[SchemaFault]:
    if not isinstance(value, dict):
        return
    for key, item in value.items():
        for problem in _qualified_name(key):
            yield _invalid((*path, key), key, problem, on_key=True)
        if isinstance(item, str) and item and (len(item) > _LABEL_LIMIT or not _is_name_part(item)):
            problem = (
                f"a label value has at most {_LABEL_LIMIT} characters"
                if len(item) > _LABEL_LIMIT
                else "a label value consists of letters, digits, '-', '_' and '.', and starts and ends with a"
                " letter or digit"
            )
            yield _invalid((*path, key), item, problem)


def _annotations(value: object, path: Path) -> Iterator[SchemaFault]:
    if not isinstance(value, dict):
        return
    total = 0
    for key, item in value.items():
        total += len(key.encode("utf-8", "surrogatepass"))
        if isinstance(item, str):
            total += len(item.encode("utf-8", "surrogatepass"))
        for problem in _qualified_name(key.lower()):
            yield _invalid((*path, key), key, problem, on_key=True)
    if total > ANNOTATIONS_LIMIT:
        detail = f"all annotations together may have at most {ANNOTATIONS_LIMIT} bytes, these have {total}"
        yield SchemaFault(FaultKind.METADATA, path, detail)


def _finalizers(value: object, path: Path) -> Iterator[SchemaFault]:
    if not isinstance(value, list):
        return
    for index, item in enumerate(value):
        if item is None or isinstance(item, str):
            for problem in _qualified_name(item or ""):
                yield _invalid((*path, index), item or "", problem)
    if "orphan" in value and "foregroundDeletion" in value:
        yield _invalid(path, value, "orphan and foregroundDeletion cannot both be set")


def _owner_references(value: object, path: Path) -> Iterator[SchemaFault]:
    if not isinstance(value, list):
        return
    controllers = 0
    for index, owner in enumerate(value):
        if owner is not None and not isinstance(owner, dict):
            continue
        owner = owner or {}
        for field in ("apiVersion", "kind", "name", "uid"):
            if owner.get(field) in (None, ""):
                yield _invalid((*path, index, field), "", f"{field} of an owner must not be empty")
        controllers += owner.get("controller") is True
        if controllers > 1 and owner.get("controller") is True:
            yield _invalid((*path, index, "controller"), True, "only one owner can be the controller")


def _qualified_name(key: str) -> Iterator[str]:
    """What is wrong with the key of a label or annotation: ``name`` or ``prefix/name``."""
    prefix, slash, name = key.rpartition("/")
    if slash and "/" in prefix:
        yield "a key is a name, or a prefix and a name with one '/' between them"
        return
    if slash and not prefix:
        yield "the prefix before '/' must not be empty"
    elif slash and (len(prefix) > _SUBDOMAIN_LIMIT or not _is_subdomain(prefix)):
        yield f"the prefix before '/' must be a lowercase DNS name of at most {_SUBDOMAIN_LIMIT} characters"
    if not name:
        yield "the name must not be empty"
    elif len(name) > _LABEL_LIMIT:
        yield f"the name has more than {_LABEL_LIMIT} characters"
    elif not _is_name_part(name):
        yield "the name consists of letters, digits, '-', '_' and '.', and starts and ends with a letter or digit"


_SYNTAX = {
    "name": _name,
    "generateName": _generate_name,
    "namespace": _namespace,
    "labels": _labels,
    "annotations": _annotations,
    "finalizers": _finalizers,
    "ownerReferences": _owner_references,
}
