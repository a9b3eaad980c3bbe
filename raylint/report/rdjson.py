"""Reviewdog's diagnostic format: comments with suggestions on a change, on any forge."""

from __future__ import annotations

from raylint.finding import Severity
from raylint.report.json_v1 import dump
from raylint.report.region import Region

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from raylint.finding import Finding, Fix, Span
    from raylint.report import Report
    from raylint.report.folders import Folders

__all__ = ["rdjson"]

_LEVELS = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.INFO: "INFO"}


def rdjson(report: Report, folders: Folders) -> str:
    return dump(
        {
            "source": {"name": "raylint"},
            "diagnostics": [_diagnostic(finding, folders) for finding in report.findings],
        }
    )


def _diagnostic(finding: Finding, folders: Folders) -> dict[str, Any]:
    place = finding.place
    diagnostic: dict[str, Any] = {
        "message": f"{finding.message}\n\n{finding.effect}\n\nFix: {finding.fix}",
        "location": {"path": folders.path(place.file)},
        "severity": _LEVELS[finding.severity],
        "code": {"value": finding.rule_id},
    }
    if place.span is not None:
        region = Region(place)
        # Columns of this format count bytes.
        diagnostic["location"]["range"] = {
            "start": {"line": region.line, "column": region.bytes_before(region.column)},
            "end": {"line": region.line, "column": region.bytes_before(region.end_column)},
        }
        suggestions = [_suggestion(fix, region) for fix in finding.fixes if _suits(fix, region)]
        if suggestions:
            diagnostic["suggestions"] = suggestions
    return diagnostic


def _suits(fix: Fix, region: Region) -> bool:
    """A suggestion is one stretch of text; of other lines than the finding's the bytes cannot be counted."""
    replacements = fix.replacements
    if not fix.shown or len(replacements) != 1:
        return False
    span = replacements[0].span
    return span.line == span.end_line == region.line


def _suggestion(fix: Fix, region: Region) -> dict[str, Any]:
    replacement = fix.replacements[0]
    return {"range": _range(replacement.span, region), "text": replacement.text}


def _range(span: Span, region: Region) -> dict[str, Any]:
    return {
        "start": {"line": span.line, "column": region.bytes_before(span.column)},
        "end": {"line": span.end_line, "column": region.bytes_before(span.end_column)},
    }
