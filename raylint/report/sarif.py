"""SARIF 2.1.0 as GitHub's code scanning wants it (also read by GitLab, Azure DevOps and editors).

Limits are those of GitHub: 25,000 results of a run, 1,024 characters of a description.
"""

from __future__ import annotations

from raylint import __version__
from raylint.finding import Confidence, Severity
from raylint.pages import Page
from raylint.report.fingerprint import fingerprints
from raylint.report.json_v1 import dump
from raylint.report.region import Region

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from raylint.finding import Finding, Fix, Place, Span, Suppressed
    from raylint.report import Report
    from raylint.report.folders import Folders
    from raylint.rule import Rule

__all__ = ["MOST_RESULTS", "sarif"]

MOST_RESULTS = 25_000
_LONGEST = 1024
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_PROBLEMS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "recommendation"}
_PRECISION = {Confidence.HIGH: "high", Confidence.MEDIUM: "medium", Confidence.LOW: "low"}
_FAMILIES = {"API": "kubernetes-api", "KR": "kuberay-operator", "RAY": "ray", "RL": "raylint"}


def sarif(report: Report, folders: Folders) -> str:
    """All findings, the accepted ones marked as such; more than the limit: the worst ones, with a notice."""
    marks = dict(zip(map(id, report.findings), fingerprints(report.findings), strict=True))
    order = sorted(report.findings, key=lambda finding: (-finding.severity, finding.sort_key))
    kept = {id(finding) for finding in order[:MOST_RESULTS]}
    numbers = {rule.id: number for number, rule in enumerate(report.rules)}
    results = [
        _result(finding, marks[id(finding)], numbers, folders)
        for finding in report.findings
        if id(finding) in kept
    ]
    room = MOST_RESULTS - len(results)
    accepted = report.suppressed[:room]
    for one, mark in zip(accepted, fingerprints([one.finding for one in accepted]), strict=True):
        results.append(_result(one.finding, mark, numbers, folders) | {"suppressions": [_suppression(one)]})
    left_out = len(report.findings) + len(report.suppressed) - len(results)
    told = {result["ruleId"] for result in results}
    driver = {
        "name": "raylint",
        "semanticVersion": __version__,
        "rules": [_rule(rule, in_full=rule.id in told) for rule in report.rules],
    }
    run: dict[str, Any] = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(left_out)],
        "results": results,
    }
    return dump({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _invocation(left_out: int) -> dict[str, Any]:
    invocation: dict[str, Any] = {"executionSuccessful": True}
    if left_out:
        text = f"{left_out} further findings are left out: a run holds {MOST_RESULTS}"
        invocation["toolExecutionNotifications"] = [{"level": "warning", "message": {"text": text}}]
    return invocation


def _rule(rule: Rule, *, in_full: bool) -> dict[str, Any]:
    """A rule with its page; one that found nothing with what, why and what to do alone: there are hundreds."""
    page = Page(rule.doc)
    family = rule.id.rstrip("0123456789")
    return {
        "id": rule.id,
        "name": rule.name,
        "shortDescription": {"text": _cut(page.summary)},
        "fullDescription": {"text": _cut(_section(page, "What happens") or page.summary)},
        "help": _prose(page) if in_full else {"text": _gist(page)},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {
            "tags": [_FAMILIES[family]] if family in _FAMILIES else [],
            "precision": _PRECISION[rule.confidence],
            "problem.severity": _PROBLEMS[rule.severity],
        },
    }


def _prose(page: Page) -> dict[str, str]:
    prose = page.text.split("## Examples")[0].strip()
    return {"text": prose, "markdown": prose}


def _gist(page: Page) -> str:
    told = [page.summary, _section(page, "What happens")]
    fix = _section(page, "Fix")
    return "\n\n".join(part for part in (*told, fix and f"Fix: {fix}") if part)


def _section(page: Page, name: str) -> str:
    text = page.text.partition(f"## {name}\n")[2].partition("\n## ")[0]
    return " ".join(text.split())


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _result(finding: Finding, fingerprint: str, numbers: dict[str, int], folders: Folders) -> dict[str, Any]:
    # The first sentence is the title of the alert.
    text = f"{finding.message}. {_sentence(finding.effect)} Fix: {finding.fix}."
    result: dict[str, Any] = {"ruleId": finding.rule_id}
    if finding.rule_id in numbers:
        result["ruleIndex"] = numbers[finding.rule_id]
    result["level"] = _LEVELS[finding.severity]
    result["message"] = {"text": text}
    result["locations"] = [_location(finding.place, folders) | _logical(finding)]
    # GitHub compares this one only.
    result["partialFingerprints"] = {"primaryLocationLineHash": fingerprint}
    related = [
        _location(place, folders) | {"id": number, "message": {"text": place.label or "see here"}}
        for number, place in enumerate(finding.related, 1)
    ]
    if related:
        links = "; ".join(f"[{_link_text(place)}]({number})" for number, place in enumerate(finding.related, 1))
        result["message"]["text"] = f"{text} See {links}."
        result["relatedLocations"] = related
    fixes = [_fix(fix, finding, folders) for fix in finding.fixes if fix.shown]
    if fixes:
        result["fixes"] = fixes
    return result


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _link_text(place: Place) -> str:
    return (place.label or "here").replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")


def _location(place: Place, folders: Folders) -> dict[str, Any]:
    """One line: an alert is shown on a change only if all its lines are part of the change."""
    region = Region(place)
    return {
        "physicalLocation": {
            "artifactLocation": _artifact(place.file, folders),
            "region": {
                "startLine": region.line,
                "startColumn": region.column,
                "endLine": region.line,
                "endColumn": region.end_column,
            },
        }
    }


def _artifact(file: str, folders: Folders) -> dict[str, Any]:
    from urllib.parse import quote, quote_from_bytes

    inside = folders.relative(file)
    if inside is not None:
        return {"uri": quote_from_bytes(inside.encode("utf-8", "surrogateescape")), "uriBaseId": "%SRCROOT%"}
    return {"uri": "file://" + quote(folders.whole(file), errors="surrogateescape")}


def _logical(finding: Finding) -> dict[str, Any]:
    if finding.object is None:
        return {}
    name = str(finding.object)
    return {"logicalLocations": [{"fullyQualifiedName": name, "kind": "resource", "name": finding.object.name}]}


def _suppression(accepted: Suppressed) -> dict[str, Any]:
    """In the source by a comment or an annotation, from outside by the configuration or a baseline."""
    kind = "inSource" if accepted.by in ("comment", "annotation") else "external"
    words = [accepted.reason or f"accepted by {accepted.by}"]
    if accepted.until:
        words.append(f"until {accepted.until}")
    return {"kind": kind, "status": "accepted", "justification": ", ".join(words)}


def _fix(fix: Fix, finding: Finding, folders: Folders) -> dict[str, Any]:
    replacements = [
        {"deletedRegion": _deleted(replacement.span), "insertedContent": {"text": replacement.text}}
        for replacement in fix.replacements
    ]
    change = {"artifactLocation": _artifact(finding.place.file, folders), "replacements": replacements}
    return {"description": {"text": fix.description}, "artifactChanges": [change]}


def _deleted(span: Span) -> dict[str, int]:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }
