"""The tree of an object for a person on call: a section for each pod, Service and Job, and behind each value who
decided it."""

from __future__ import annotations

import json

from raylint.report.terminal import Paint, cells, printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

__all__ = ["as_text"]

# Wider values stand by themselves; the columns are for the others.
_WIDEST_LABEL = 40
_WIDEST_VALUE = 44
_COLORS = {"yours": "bold", "KubeRay default": "yellow", "API default": "blue", "Ray default": "cyan"}
_START_LINE = "<ray start line>"


class _Row:
    """A line of a section: a heading where ``mark`` is None."""

    __slots__ = ("by", "label", "mark", "value")

    def __init__(self, label: str, value: str = "", mark: str | None = None, by: str = "") -> None:
        self.label = label
        self.value = value
        self.mark = mark
        self.by = by


def as_text(data: dict[str, Any], paint: Paint) -> str:
    """All objects of a report."""
    blocks = [_object(found, data["target"], paint) for found in data["objects"]]
    return "\n\n".join(blocks) + "\n" if blocks else ""


def _object(found: dict[str, Any], target: dict[str, Any], paint: Paint) -> str:
    about = found["object"]
    name = f"{about['namespace']}/{about['name']}" if about["namespace"] else about["name"]
    ray = "Ray as the manifest says" if target["ray"] == "auto" else f"Ray {target['ray']}"
    place = f"{found['file']}:{found['line']}" if "line" in found else found["file"]
    lines = [
        paint("bold", printable(f"{about['kind']} {name}")) + f"   {printable(place)}",
        f"as KubeRay {target['kuberay']} makes it, {ray}",
    ]
    for title, rows in _sections(found):
        lines += ["", paint("bold", printable(title)), *_table(list(rows), paint)]
    return "\n".join(lines)


def _sections(found: dict[str, Any]) -> Iterator[tuple[str, Iterable[_Row]]]:
    yield "cluster", _rows(found["cluster"], 1, "")
    for pod in found["pods"]:
        line = pod["rayStart"]["line"]["value"]
        title = "head pod" if "replicas" not in pod else f"pods of worker group {pod['group']!r}"
        yield title, _rows({key: item for key, item in pod.items() if key != "group"}, 1, line)
    for service in found["services"]:
        title = f"Service {service['name']['value']}: {service['purpose']}"
        yield title, _rows({key: item for key, item in service.items() if key != "purpose"}, 1, "")
    for job in found["jobs"]:
        line = found["pods"][0]["rayStart"]["line"]["value"] if found["pods"] else ""
        yield f"job: {job['job']}", _rows({key: item for key, item in job.items() if key != "job"}, 1, line)


def _rows(tree: dict[str, Any], depth: int, line: str) -> Iterator[_Row]:
    for key, node in tree.items():
        yield from _node(key, node, depth, line)


def _node(key: str, node: Any, depth: int, line: str) -> Iterator[_Row]:
    label = "  " * depth + printable(key)
    if isinstance(node, dict) and "by" in node:
        if node["by"] != "not set":
            shown = _value(key, node["value"]).rstrip()
            if line and key != "line" and len(line) > len(_START_LINE):
                shown = shown.replace(printable(line).rstrip(), _START_LINE)
            yield _Row(label, shown, _mark(node), node["by"])
    elif isinstance(node, dict) and node:
        yield _Row(label)
        yield from _rows(node, depth + 1, line)
    elif isinstance(node, list) and node:
        yield _Row(label)
        for item in node:
            yield from _item(item, depth + 1, line)
    elif isinstance(node, (str, int)):
        yield _Row(label, _value(key, node), "")


def _item(item: Any, depth: int, line: str) -> Iterator[_Row]:
    """A pair of name and value, or a container, which goes by its name."""
    if "by" in item:
        yield from _node(item["name"] or "(no name)", {**item, "name": None}, depth, line)
        return
    name = item["name"]
    yield _Row("  " * depth + printable(str(name["value"])), "", _mark(name), name["by"])
    yield from _rows({key: node for key, node in item.items() if key != "name"}, depth + 1, line)


def _value(key: str, value: Any) -> str:
    if value is None:
        return "?"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict) and "kind" in value:
        return _probe(value)
    if isinstance(value, dict) and set(value) == {"from", "ref"}:
        return printable(f"from {value['from']} {value['ref']}")
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return printable(" ".join(value))
    if key == "memory" and isinstance(value, int):
        return f"{value} bytes{_in_gib(value)}"
    if isinstance(value, (dict, list)):
        return printable(json.dumps(value, ensure_ascii=False))
    if isinstance(value, float) and value.is_integer() and abs(value) < 10**15:
        return str(int(value))
    return printable(str(value))


def _in_gib(amount: int) -> str:
    return f" ({amount / 2**30:.1f} GiB)" if amount >= 2**20 else ""


def _probe(probe: dict[str, Any]) -> str:
    kind = probe["kind"]
    asked = " and ".join(probe.get("urls", ())) or " ".join(probe.get("command", ()))
    what = f"wget {asked}" if "urls" in probe else f"{kind} {asked}".strip()
    if kind != "exec":
        what = f"{kind} {probe.get('port', '?')}{probe.get('path', '')}"
    timings = {
        "initialDelaySeconds": "after {} s",
        "periodSeconds": "every {} s",
        "failureThreshold": "{} failures",
        "timeoutSeconds": "{} s each",
    }
    shown = ", ".join(words.format(probe[name]) for name, words in timings.items() if name in probe)
    return printable(f"{what}: {shown}" if shown else what)


def _mark(node: dict[str, Any]) -> str:
    mark = node["by"]
    if "line" in node:
        mark += f", line {node['line']}"
    return printable(f"{mark}: {node['rule']}" if "rule" in node else mark)


def _table(rows: list[_Row], paint: Paint) -> list[str]:
    """Labels, values and marks in columns."""
    labels = max((cells(row.label) for row in rows if cells(row.label) <= _WIDEST_LABEL), default=0)
    values = max((cells(row.value) for row in rows if cells(row.value) <= _WIDEST_VALUE), default=0)
    lines = []
    for row in rows:
        if row.mark is None:
            lines.append(row.label)
            continue
        left = _padded(f"{_padded(row.label, labels)}  {row.value}", labels + 2 + values)
        color = _COLORS.get(row.by)
        mark = paint(color, row.mark) if color else row.mark
        lines.append(f"{left}  {mark}".rstrip())
    return lines


def _padded(text: str, width: int) -> str:
    return text + " " * (width - cells(text))
