"""The tree of an object as plain data with every secret covered, for JSON and YAML and for the text."""

from __future__ import annotations

import math

from raylint.environment import Reference
from raylint.field import Field, Origin
from raylint.finding import path_text
from raylint.patterns import pattern
from raylint.probes import Probe
from raylint.report.terminal import ORDERS
from raylint.secrets import Mask, Secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from raylint.document import Document
    from raylint.target import Target

__all__ = ["VERSION", "as_json", "as_yaml", "plain", "report", "target_data"]

VERSION = "raylint-effective/v1"

# Nobody nests deeper; what does is cut off.
_DEEPEST = 40
# Python writes no longer integers, and no quantity comes near.
_LARGEST_DIGITS = 400

# Within double quotes, where YAML knows escapes.
_ORDER = pattern(r"#(?=#\[|#vso\[)")

# What stands beside or for a value and is none itself.
_ABOUT = ("by", "rule", "path", "line", "from", "ref")


def plain(tree: object, document: Document, by_text: Mask | None = None) -> Any:
    """The tree as mappings, lists and scalars. A field becomes ``value``, ``by`` and, as far as there is one,
    ``rule``; what is written has its ``path`` and ``line`` as well. ``by_text``: the mask of
    the document, where there is one already: it may hold many objects."""
    data = _plain(tree, document, 0)
    paths = [path for path in Secrets(data).paths if path[-1] not in _ABOUT]
    by_text = Mask(document.data) if by_text is None else by_text
    by_name = Mask({"password": [_at(data, path) for path in paths]})
    for path in paths:
        _cover(data, path)
    return _covered(data, lambda text: by_name(by_text(text)))


def _plain(node: object, document: Document, depth: int) -> Any:
    if depth > _DEEPEST:
        return "..."
    if isinstance(node, Field):
        return _leaf(node, document, depth)
    if isinstance(node, tuple):
        name, field = node
        return {"name": name, **_leaf(field, document, depth)}
    if isinstance(node, Reference):
        return {"from": node.kind, "ref": node.target}
    if isinstance(node, Probe):
        return _probe(node, document, depth)
    if isinstance(node, dict):
        return {str(key): _plain(item, document, depth + 1) for key, item in node.items()}
    if isinstance(node, list):
        return [_plain(item, document, depth + 1) for item in node]
    if isinstance(node, float) and not math.isfinite(node):
        return str(node)
    if isinstance(node, int) and not isinstance(node, bool) and node.bit_length() > _LARGEST_DIGITS * 3:
        return "a number beyond all bounds"
    return node


def _leaf(field: Field[Any], document: Document, depth: int) -> dict[str, Any]:
    leaf = {"value": _plain(field.value, document, depth + 1), "by": field.origin.value}
    rule = field.reason or ("default of the API server" if field.origin is Origin.API else "")
    if rule:
        leaf["rule"] = rule
    if field:
        leaf["path"] = path_text(field.at.path)
        span = document.locate(field.at.path)
        if span is not None:
            leaf["line"] = span.line
    return leaf


def _probe(probe: Probe, document: Document, depth: int) -> dict[str, Any]:
    found = {
        "kind": probe.kind,
        "path": probe.path,
        "port": probe.port,
        "urls": list(probe.urls),
        "command": list(probe.command),
        **probe.timings,
    }
    return {key: _plain(value, document, depth + 1) for key, value in found.items() if value not in ("", None, [])}


def _covered(data: Any, mask: Any) -> Any:
    if isinstance(data, str):
        return mask(data)
    if isinstance(data, dict):
        return {mask(key): _covered(item, mask) for key, item in data.items()}
    if isinstance(data, list):
        return [_covered(item, mask) for item in data]
    return data


def _at(data: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        data = data[step]
    return data


def _cover(data: Any, path: tuple[str | int, ...]) -> None:
    """Replace a secret that its name gives away, however short it is."""
    *way, last = path
    for step in way:
        data = data[step]
    data[last] = "*" * len(str(data[last]))


def report(objects: list[dict[str, Any]], target: Target) -> dict[str, Any]:
    """What the machine formats hold."""
    found = target_data(target)
    if target.auto:
        found["kuberay"] = "auto"
    return {"version": VERSION, "target": found, "objects": objects}


def target_data(target: Target) -> dict[str, Any]:
    """The releases and gates in force."""
    from raylint.target import version_text

    return {
        "kuberay": version_text(target.kuberay),
        "ray": "auto" if target.ray is None else version_text(target.ray),
        "feature_gates": dict(sorted(target.gates.items())),
    }


def as_json(data: dict[str, Any]) -> str:
    from raylint.report.json_v1 import dump

    return dump(data)


def as_yaml(data: dict[str, Any]) -> str:
    """Everything beyond ASCII as an escape, so that every terminal survives, and no line that a CI service would
    take for an order in a job's log: texts of several lines, or with such an order, are in double quotes."""
    import yaml

    class Dumper(yaml.SafeDumper):
        pass

    def text_node(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
        is_order = text.lstrip().startswith("::") or any(order in text for order in ORDERS)
        style = '"' if is_order or not text.isprintable() else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    Dumper.add_representer(str, text_node)
    written: str = yaml.dump(data, Dumper=Dumper, sort_keys=False, width=10**9, allow_unicode=False)
    return _ORDER.sub(r"\\x23", written)
