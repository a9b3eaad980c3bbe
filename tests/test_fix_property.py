"""Fixes in files as no tool would write them: any style, comments, quotes, indentation, line ends, documents."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from raylint.engine import Engine
from raylint.fix import fix_text
from raylint.packs import installed_rules
from raylint.target import Target

Draw = Callable[[st.SearchStrategy[Any]], Any]

RULES = (
    "API", "RL", "KR060", "KR162", "RAY203", "RAY301", "RAY305", "RAY309", "RAY326", "RAY414", "RAY517", "RAY603",
    "RAY705",
)  # fmt: skip
ENGINE = Engine([rule for rule in installed_rules() if rule.id.startswith(RULES)], Target())


class Word(str):
    """A scalar that is written as it is: a number, a boolean, or a text that must stay without quotes."""


SERVE = """\
applications:
- name: app  # inner comment
  import_path: "app:graph"
  deployments:
  - name: Model
    max_concurrent_queries: 10
    num_replicas: 2
"""

# Where a mistake is made, the mistake, and what the fixes make of it; None: it is gone.
MISTAKES: list[tuple[tuple[str, ...], str, object, str, object]] = [
    (("metadata", "labels"), "release", Word("7"), "release", "7"),
    (("metadata", "labels"), "on-call", Word("yes"), "on-call", "yes"),
    (("metadata",), "anotations", {"team": "a"}, "annotations", {"team": "a"}),
    (("spec",), "rayVersion", Word("2.52"), "rayVersion", "2.52"),
    (("spec",), "enableInTreeAutoscaling", "false", "enableInTreeAutoscaling", False),
    (("spec", "head", "rayStartParams"), "num-cpus", Word("1"), "num-cpus", "1"),
    (("spec", "head", "rayStartParams"), "block", Word("true"), "block", "true"),
    (("spec", "head", "rayStartParams"), "dashbord-host", "0.0.0.0", "dashboard-host", "0.0.0.0"),
    (("spec", "head", "rayStartParams"), "no-monitor", "false", "", None),
    (("spec", "head", "rayStartParams"), "resources", '{"Custom": 2}', "resources", "'{\"Custom\": 2}'"),
    (("spec", "head", "pod"), "restartPolcy", "Always", "restartPolicy", "Always"),
    (("spec", "head", "ray", "limits"), "memory", "8gi", "memory", "8Gi"),
    (("spec", "head", "ray", "limits"), "cpu", Word("1.5"), "cpu", "1.5"),
    (("spec", "head", "ray", "limits"), "ephemeral-storag", "1Gi", "ephemeral-storage", "1Gi"),
    (("spec", "group"), "minReplcas", Word("1"), "minReplicas", 1),
    (("spec", "group"), "replicas", "2", "replicas", 2),
    (("spec", "group", "rayStartParams"), "disable-usage-stats", "true", "", None),
]


# What may stand in the place of the head's Ray container.
SHIPPER = {"name": "log-shipper", "image": "fluent/fluent-bit:3.2.2"}


class Manifest:
    """A RayCluster or RayService. ``parts`` are its mappings by the names that mistakes go by, ``containers``
    those of the head."""

    def __init__(self, kind: str) -> None:
        limits: dict[str, object] = {"nvidia.com/gpu": "0"}
        ray = {"name": "ray-head", "image": "rayproject/ray:2.52.0", "resources": {"limits": limits}}
        self.containers: list[object] = [ray]
        pod: dict[str, object] = {"containers": self.containers}
        head_params: dict[str, object] = {}
        group_params: dict[str, object] = {}
        head = {"rayStartParams": head_params, "template": {"spec": pod}}
        worker = {"name": "ray-worker", "image": "rayproject/ray:2.52.0"}
        group: dict[str, object] = {
            "groupName": "cpu",
            "maxReplicas": Word("4"),
            "rayStartParams": group_params,
            "template": {"spec": {"containers": [worker]}},
        }
        cluster: dict[str, object] = {"headGroupSpec": head, "workerGroupSpecs": [group]}
        labels: dict[str, object] = {}
        metadata: dict[str, object] = {"name": "demo", "labels": labels}
        self.spec = cluster if kind == "RayCluster" else {"serveConfigV2": SERVE, "rayClusterConfig": cluster}
        self.data = {"apiVersion": "ray.io/v1", "kind": kind, "metadata": metadata, "spec": self.spec}
        self.parts: dict[tuple[str, ...], dict[str, object]] = {
            ("metadata",): metadata,
            ("metadata", "labels"): labels,
            ("spec",): cluster,
            ("spec", "head", "rayStartParams"): head_params,
            ("spec", "head", "pod"): pod,
            ("spec", "head", "ray", "limits"): limits,
            ("spec", "group"): group,
            ("spec", "group", "rayStartParams"): group_params,
        }


class Writer:
    """Writes data in styles that are drawn. ``kept`` collects the comments beside what nothing is wrong with."""

    def __init__(self, draw: Draw, newline: str) -> None:
        self.draw = draw
        self.newline = newline
        self.kept: list[str] = []
        self.number = 0
        # Texts that are written line by line.
        self.literal: list[str] = []

    def flip(self) -> bool:
        return bool(self.draw(st.booleans()))

    def document(self, data: object) -> str:
        return "".join(line + self.newline for line in self.block(data, "", top=True))

    def comment(self, *, keep: bool) -> str:
        if not self.flip():
            return ""
        self.number += 1
        text = f"# {'keep' if keep else 'with'}-{self.number} 'quote: [{{"
        if keep:
            self.kept.append(text)
        return f"{self.draw(st.sampled_from([' ', '   ', chr(9)]))}{text}"

    def block(self, data: Any, indent: str, *, top: bool = False) -> list[str]:
        step = " " * self.draw(st.integers(1, 4))
        lines: list[str] = []
        if isinstance(data, list):
            for item in data:
                inner = self.block(item, f"{indent}  ")
                lines += [f"{indent}- {inner[0][len(indent) + 2 :]}", *inner[1:]]
            return lines
        for key, value in data.items():
            if self.flip() and (top or lines):
                # A comment above the first key of an item would part it from its dash.
                text = self.comment(keep=True).strip()
                lines += [f"{indent}{text}"] if text else [""]
            lines += self.entry(key, value, indent, step)
        return lines

    def entry(self, key: str, value: Any, indent: str, step: str) -> list[str]:
        start = f"{indent}{self.scalar(key)}:"
        if isinstance(value, str) and "\n" in value and not isinstance(value, Word):
            self.literal.append(key)
            body = [f"{indent}{step}{line}" for line in value.splitlines()]
            return [f"{start} |{self.comment(keep=False)}", *body]
        if isinstance(value, (dict, list)) and value and self.flip():
            deeper = indent if isinstance(value, list) and self.flip() else indent + step
            return [f"{start}{self.comment(keep=True)}", *self.block(value, deeper)]
        written = self.flow(value, indent + step)
        return [f"{start} {written}{self.comment(keep=False)}"]

    def flow(self, value: Any, indent: str) -> str:
        if isinstance(value, dict):
            parts = [f"{self.scalar(key)}: {self.flow(item, indent)}" for key, item in value.items()]
            return self.between("{", parts, "}", indent)
        if isinstance(value, list):
            return self.between("[", [self.flow(item, indent) for item in value], "]", indent)
        if isinstance(value, str) and "\n" in value:
            escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            return f'"{escaped}"'
        return self.scalar(value)

    def between(self, start: str, parts: list[str], end: str, indent: str) -> str:
        if not parts or not self.flip():
            blank = self.draw(st.sampled_from(["", " "])) if parts else ""
            return f"{start}{blank}{', '.join(parts)}{blank}{end}"
        lines = [
            f"{indent}{part}{',' if number < len(parts) - 1 or self.flip() else ''}"
            for number, part in enumerate(parts)
        ]
        return self.newline.join(
            [start, *(f"{line}{self.comment(keep=False)}" for line in lines), f"{indent}{end}"]
        )

    def scalar(self, value: object) -> str:
        if isinstance(value, Word):
            return str(value)
        text = str(value)
        styles = ["'", '"']
        if text.replace("-", "").replace("_", "").isalpha() and text not in ("yes", "true", "false"):
            styles.append("")
        style = self.draw(st.sampled_from(styles))
        if style == "'":
            return "'" + text.replace("'", "''") + "'"
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"' if style else text


def as_json(data: object) -> object:
    """The data in which words are what they mean."""
    if isinstance(data, dict):
        return {key: as_json(value) for key, value in data.items()}
    if isinstance(data, list):
        return [as_json(item) for item in data]
    return json.loads(data) if isinstance(data, Word) else data


class JsonSample:
    """A file of JSON, and what it must be once it is fixed."""

    def __init__(self, draw: Draw) -> None:
        broken, mended = Manifest("RayCluster"), Manifest("RayCluster")
        possible = [mistake for mistake in MISTAKES if mistake[2] != "yes"]
        for part, key, value, name, fixed in draw(st.lists(st.sampled_from(possible), unique_by=lambda it: it[1])):
            broken.parts[part][key] = value
            if fixed is not None:
                mended.parts[part][name] = fixed
        indent, separators = (
            draw(st.sampled_from([None, 0, 1, 4])),
            draw(st.sampled_from([(",", ":"), (" , ", " : ")])),
        )
        self.text = json.dumps(as_json(broken.data), indent=indent, separators=separators)
        self.expected = as_json(mended.data)


class Sample:
    """A file, and what it must be once it is fixed."""

    def __init__(self, draw: Draw) -> None:
        newline = draw(st.sampled_from(["\n", "\r\n"]))
        self.newline = newline
        self.mark = draw(st.sampled_from(["", "\ufeff"]))
        writer = Writer(draw, newline)
        texts: list[str] = []
        self.mended: list[Manifest] = []
        for _ in range(draw(st.integers(1, 2))):
            kind = draw(st.sampled_from(["RayCluster", "RayService"]))
            broken, mended = Manifest(kind), Manifest(kind)
            for part, key, value, name, fixed in draw(
                st.lists(st.sampled_from(MISTAKES), max_size=5, unique_by=lambda it: it[1])
            ):
                broken.parts[part][key] = value
                if fixed is not None:
                    mended.parts[part][name] = fixed
            if draw(st.booleans()):
                broken.containers.insert(0, SHIPPER)
                mended.containers.append(SHIPPER)
            self.mended.append(mended)
            writer.literal.clear()
            texts.append(writer.document(broken.data))
            if writer.literal:
                mended.spec["serveConfigV2"] = SERVE.replace("max_concurrent_queries", "max_ongoing_requests")
        separator = draw(st.sampled_from(["---", "--- # next"])) + newline
        text = separator.join(texts)
        self.text = self.mark + (text if draw(st.booleans()) else text.removesuffix(newline))
        self.kept = writer.kept


samples = st.composite(lambda draw: Sample(draw))()


json_samples = st.composite(lambda draw: JsonSample(draw))()


def data(text: str) -> list[object]:
    yaml = YAML(typ="safe", pure=True)
    # To ruamel.yaml a tab before a comment is an error; to kubectl it is none.
    readable = text.removeprefix("\ufeff").replace("\t#", " #")
    return [plain(document) for document in yaml.load_all(io.StringIO(readable))]


def plain(value: object) -> object:
    """Data in which 1, "1" and true are different things, and words are what YAML takes them for."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, Word):
        return "int", int(value)
    return type(value).__name__, value


@settings(max_examples=100, suppress_health_check=list(HealthCheck))
@given(samples)
def test_only_the_mistakes_change(sample: Sample) -> None:
    raw = sample.text.encode()
    before = ENGINE.check("odd.yaml", raw)
    assert not [finding for finding in before.findings if finding.rule_id == "RL001"], sample.text
    fixed = fix_text(ENGINE, raw, before, unsafe=True)
    text = fixed.raw.decode()
    assert fixed.taken_back() == []
    for finding in [finding for finding in fixed.result.findings if finding.rule_id == "RAY705"]:
        # Inside brackets with comments in between nothing is moved.
        assert "[" in text
        assert "#" in text
        manifest = sample.mended[finding.place.document]
        manifest.containers.insert(0, manifest.containers.pop())
        if "serveConfigV2" in manifest.spec and "rayVersion" not in manifest.parts["spec",]:
            # Which Ray would read it, this container does not tell.
            manifest.spec["serveConfigV2"] = SERVE
    assert data(text) == [plain(manifest.data) for manifest in sample.mended], text
    assert text.startswith(sample.mark)
    assert ("\r" in text) == (sample.newline == "\r\n")
    assert text.replace("\r\n", "").count("\n") == (0 if sample.newline == "\r\n" else text.count("\n"))
    positions = [text.find(comment) for comment in sample.kept]
    assert -1 not in positions
    # The comments on an item move with it.
    if SHIPPER["name"] not in sample.text:
        assert positions == sorted(positions)


@settings(max_examples=50, suppress_health_check=list(HealthCheck))
@given(json_samples)
def test_only_the_mistakes_change_in_json(sample: JsonSample) -> None:
    raw = sample.text.encode()
    fixed = fix_text(ENGINE, raw, ENGINE.check("odd.json", raw), unsafe=True)
    assert fixed.taken_back() == []
    assert json.dumps(json.loads(fixed.raw), sort_keys=True) == json.dumps(sample.expected, sort_keys=True)
