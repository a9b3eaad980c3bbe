"""The tree of an object for a person on call: a summary, a section for each pod, Service and Job, and behind each
value who decided it."""

from __future__ import annotations

import json

from raylint.report.terminal import Paint, cells, printable
from raylint.report.text import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

__all__ = ["as_text"]

# Wider labels stand by themselves, wider values take several lines.
_WIDEST_LABEL = 40
_WIDEST_VALUE = 60
# Of a longer value the machine formats hold the rest.
_MOST_LINES = 12
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
    blocks = [_object(found, found.get("target", data["target"]), paint) for found in data["objects"]]
    return "\n\n".join(blocks) + "\n" if blocks else ""


def _object(found: dict[str, Any], target: dict[str, Any], paint: Paint) -> str:
    about = found["object"]
    name = f"{about['namespace']}/{about['name']}" if about["namespace"] else about["name"]
    ray = "Ray as the manifest says" if target["ray"] == "auto" else f"Ray {target['ray']}"
    gates = "".join(f", {name}={str(on).lower()}" for name, on in target["feature_gates"].items())
    place = f"{found['file']}:{found['line']}" if "line" in found else found["file"]
    lines = [
        paint("bold", printable(f"{about['kind']} {name}")) + f"   {printable(place)}",
        f"as KubeRay {target['kuberay']} makes it{gates}, {ray}",
    ]
    if found["pods"]:
        lines += ["", *_summary(found, paint)]
    for title, rows in _sections(found):
        lines += ["", paint("bold", printable(title)), *_table(list(rows), paint)]
    return "\n".join(lines)


def _summary(found: dict[str, Any], paint: Paint) -> list[str]:
    """The pods at a glance."""
    rows = [("group", "pods", "CPU", "GPU", "memory", "restartPolicy")]
    for pod in found["pods"]:
        replicas, ray = pod.get("replicas"), pod["seenByRay"]
        least = most = 0 if replicas is None and found["cluster"]["pods"]["maximum"]["value"] == 0 else 1
        if replicas is not None:
            least, most = replicas["minimumPods"]["value"], replicas["maximumPods"]["value"]
        memory = ray["memory"]["value"]
        rows.append(
            (
                printable(str(pod["group"])),
                _from_to(least, most),
                _briefly(ray["CPU"]["value"]),
                _briefly(ray["GPU"]["value"]),
                _in_gib(memory).strip(" ()") or _briefly(memory) if isinstance(memory, int) else _briefly(memory),
                _briefly(pod["restartPolicy"]["value"]),
            )
        )
    pods = found["cluster"]["pods"]
    rows.append(("all", _from_to(pods["minimum"]["value"], pods["maximum"]["value"]), "", "", "", ""))
    widths = [max(cells(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(_padded(text, width) for text, width in zip(row, widths, strict=True)) for row in rows]
    return [paint("bold", lines[0].rstrip()), *(line.rstrip() for line in lines[1:])]


def _from_to(least: object, most: object) -> str:
    return _briefly(most) if least == most else f"{_briefly(least)} to {_briefly(most)}"


def _briefly(value: object) -> str:
    """A value that fits into a column; what only the node or Ray tells is no number."""
    if value is None:
        return "?"
    text = printable(str(value))
    return text if " " not in text and len(text) <= _WIDEST_LABEL else "detected"


def _sections(found: dict[str, Any]) -> Iterator[tuple[str, Iterable[_Row]]]:
    if "suspend" in found:
        yield found["object"]["kind"], _rows({"suspend": found["suspend"]}, 1, "")
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
        return f"{counted(value, 'byte')}{_in_gib(value)}"
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
        "failureThreshold": "",
        "timeoutSeconds": "{} s each",
    }
    shown = ", ".join(
        words.format(probe[name]) or counted(probe[name], "failure")
        for name, words in timings.items()
        if name in probe
    )
    return printable(f"{what}: {shown}" if shown else what)


def _mark(node: dict[str, Any]) -> str:
    mark = node["by"]
    if "line" in node:
        mark += f", line {node['line']}"
    return printable(f"{mark}: {node['rule']}" if "rule" in node else mark)


def _table(rows: list[_Row], paint: Paint) -> list[str]:
    """Labels, values and marks in columns."""
    labels = max((cells(row.label) for row in rows if cells(row.label) <= _WIDEST_LABEL), default=0)
    values = min(max((cells(row.value) for row in rows), default=0), _WIDEST_VALUE)
    lines = []
    for row in rows:
        if row.mark is None:
            lines.append(row.label)
            continue
        first, *more = _wrapped(row.value, max(values, 1))
        left = _padded(f"{_padded(row.label, labels)}  {first}", labels + 2 + values)
        color = _COLORS.get(row.by)
        mark = paint(color, row.mark) if color else row.mark
        lines.append(f"{left}  {mark}".rstrip())
        lines += [f"{' ' * (labels + 2)}{line}" for line in more]
    return lines


def _wrapped(value: str, width: int) -> list[str]:
    """The lines of a value, in a column of its own."""
    if cells(value) <= width:
        return [value]
    from textwrap import wrap

    lines = wrap(value, width, break_on_hyphens=False) or [""]
    if len(lines) <= _MOST_LINES:
        return lines
    shown = lines[: _MOST_LINES - 1]
    rest = len(value) - sum(map(len, shown))
    return [*shown, f"... {rest} more characters, which --format yaml shows"]


def _padded(text: str, width: int) -> str:
    return text + " " * (width - cells(text))
