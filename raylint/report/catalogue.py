"""The catalogue of rules, as a table or as JSON."""

from __future__ import annotations

from raylint.pages import Page
from raylint.report.terminal import level_color

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from raylint.report.terminal import Paint
    from raylint.rule import Rule

__all__ = ["catalogue_json", "catalogue_text"]

_HEADINGS = ("id", "name", "severity", "KubeRay", "Ray", "fix", "summary")


def catalogue_text(rules: Sequence[Rule], paint: Paint) -> str:
    """One line for each rule, in aligned columns."""
    rows = [
        (
            rule.id,
            rule.name,
            rule.severity.label,
            str(rule.kuberay),
            str(rule.ray),
            rule.fixes,
            f"{'(preview) ' * rule.preview}{Page(rule.doc).summary}",
        )
        for rule in rules
    ]
    widths = [max(map(len, column)) for column in zip(_HEADINGS, *rows, strict=True)]
    widths[-1] = 0
    colors = ["bold", *(level_color(rule.severity) for rule in rules)]
    lines = []
    for row, color in zip((_HEADINGS, *rows), colors, strict=True):
        texts = [text.ljust(width) for text, width in zip(row, widths, strict=True)]
        texts[2] = paint(color, texts[2])
        lines.append("  ".join(texts).rstrip())
    return "\n".join(lines) + "\n"


def catalogue_json(rules: Sequence[Rule]) -> str:
    """A list with one object for each rule; a range of versions is ``null`` where the rule holds for all."""
    from raylint.report.json_v1 import dump

    return dump(
        [
            {
                "id": rule.id,
                "name": rule.name,
                "severity": rule.severity.label,
                "confidence": rule.confidence.label,
                "kuberay": rule.kuberay.text or None,
                "ray": rule.ray.text or None,
                "preview": rule.preview,
                "fixes": [word for word in ("safe", "unsafe") if word in rule.fixes.split()],
                "summary": Page(rule.doc).summary,
            }
            for rule in rules
        ]
    )
