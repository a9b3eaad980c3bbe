"""The machine-readable report, ``raylint/v1``; ``raylint/raylint-v1.schema.json`` is its contract."""

from __future__ import annotations

import json

from raylint.finding import Severity
from raylint.patterns import pattern
from raylint.report.fingerprint import fingerprints
from raylint.target import version_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from raylint.finding import Finding, Fix, ObjectRef, Place, Replacement
    from raylint.report import Operator, Report

__all__ = ["VERSION", "dump", "finding_data", "json_v1", "safe"]

VERSION = "raylint/v1"

# What JSON allows as it is, although it can steer a terminal, is not visible or cannot be encoded; and the start
# of what CI services read as orders in a job's log. In JSON a number sign stands in strings alone.
_UNSAFE = pattern(
    "[\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u2800\u3164\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]|#(?=#\\[|#vso\\[)"
)


def json_v1(report: Report) -> str:
    """The report as one JSON object; keys keep their order, positions are 1-based and null without a text."""
    coverage = report.coverage
    target = report.target
    return dump(
        {
            "version": VERSION,
            "target": {
                "kuberay": "auto" if target.auto else version_text(target.kuberay),
                "ray": "auto" if target.ray is None else version_text(target.ray),
                **({} if target.kubernetes is None else {"kubernetes": version_text(target.kubernetes)}),
                "feature_gates": dict(sorted(target.gates.items())),
            },
            "summary": {
                "errors": report.count(Severity.ERROR),
                "warnings": report.count(Severity.WARNING),
                "infos": report.count(Severity.INFO),
                "suppressed": coverage.suppressed,
                "fixed": coverage.fixed,
                "files": coverage.files,
                "documents": coverage.documents,
                "ray_objects": coverage.ray_objects,
            },
            "findings": [
                finding_data(finding, fingerprint, report.operator_of(finding.place.file))
                for finding, fingerprint in zip(report.findings, fingerprints(report.findings), strict=True)
            ],
            "suppressed": _suppressed(report),
        }
    )


def dump(value: Any) -> str:
    """Readable JSON that every encoding and terminal survives."""
    return safe(json.dumps(value, indent=2, ensure_ascii=False)) + "\n"


def safe(text: str) -> str:
    """JSON text in which what steers a terminal or a CI service is escaped."""
    return _UNSAFE.sub(lambda match: _escaped(match[0]), text)


def _escaped(character: str) -> str:
    """As JSON escapes it: by its one or two units of UTF-16."""
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def finding_data(finding: Finding, fingerprint: str, operator: Operator) -> dict[str, Any]:
    """One element of ``findings``."""
    place = finding.place
    line, column, end_line, end_column = place.span.as_tuple() if place.span else (None,) * 4
    return {
        "rule": finding.rule_id,
        "name": finding.rule_name,
        "severity": finding.severity.label,
        "confidence": finding.confidence.label,
        "message": finding.message,
        "effect": finding.effect,
        "fix_hint": finding.fix,
        "fixes": [_fix(fix) for fix in finding.fixes if fix.shown],
        "object": finding.object and _object(finding.object),
        "file": place.file,
        "document": place.document,
        "path": place.path_text,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "related": [_related(related) for related in finding.related],
        "kuberay": version_text(operator.kuberay),
        "feature_gates": dict(sorted(operator.gates.items())),
        "url": None,
        "fingerprint": fingerprint,
    }


def _fix(fix: Fix) -> dict[str, Any]:
    return {
        "description": fix.description,
        "applicability": "safe" if fix.safe else "unsafe",
        "edits": [_edit(replacement) for replacement in fix.replacements],
    }


def _edit(replacement: Replacement) -> dict[str, Any]:
    line, column, end_line, end_column = replacement.span.as_tuple()
    return {
        "start_line": line,
        "start_column": column,
        "end_line": end_line,
        "end_column": end_column,
        "replacement": replacement.text,
    }


def _suppressed(report: Report) -> list[dict[str, Any]]:
    """What somebody accepts, in short: enough to see what it is, who says so and until when."""
    prints = fingerprints([accepted.finding for accepted in report.suppressed])
    return [
        {
            "rule": accepted.finding.rule_id,
            "message": accepted.finding.message,
            "object": accepted.finding.object and _object(accepted.finding.object),
            "file": accepted.finding.place.file,
            "path": accepted.finding.place.path_text,
            "line": accepted.finding.place.line or None,
            "fingerprint": fingerprint,
            "by": accepted.by,
            "reason": accepted.reason,
            "until": accepted.until or None,
            "where": accepted.where,
        }
        for accepted, fingerprint in zip(report.suppressed, prints, strict=True)
    ]


def _object(about: ObjectRef) -> dict[str, str]:
    return {
        "apiVersion": about.api_version,
        "kind": about.kind,
        "namespace": about.namespace,
        "name": about.name,
    }


def _related(place: Place) -> dict[str, Any]:
    return {
        "file": place.file,
        "path": place.path_text,
        "line": place.span.line if place.span else None,
        "column": place.span.column if place.span else None,
        "message": place.label,
    }
