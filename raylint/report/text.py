"""Reports for people: an excerpt for each finding, or one line for each."""

from __future__ import annotations

from raylint.finding import Severity
from raylint.target import version_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from raylint.finding import Finding
    from raylint.report import Report
    from raylint.target import Target

__all__ = ["blocks", "closing_line", "concise", "counted", "lines", "text", "would_fix"]


def text(report: Report, blocks: Iterable[str], *, quiet: bool = False) -> Iterator[str]:
    """The findings' :func:`blocks`, with an empty line between them, and the closing line."""
    for number, block in enumerate(blocks):
        yield f"\n{block}\n" if number else f"{block}\n"
    if not quiet:
        yield f"\n{closing_line(report)}\n" if report.findings else f"{closing_line(report)}\n"


def blocks(findings: Iterable[Finding], *, color: bool) -> Iterator[str]:
    """A block of lines for each finding, without a line break at its end."""
    from raylint.report.block import block
    from raylint.report.terminal import Paint

    paint = Paint(color)
    for finding in findings:
        yield block(finding, paint)


def concise(report: Report, lines: Iterable[str], *, quiet: bool = False) -> Iterator[str]:
    """The findings' :func:`lines`, and the closing line."""
    for line in lines:
        yield f"{line}\n"
    if not quiet:
        yield f"{closing_line(report)}\n"


def lines(findings: Iterable[Finding], *, color: bool) -> Iterator[str]:
    """``path:line:column: error[RAY101] message`` for each finding, without a line break."""
    from raylint.report.terminal import Paint, fixable, level, position, printable

    paint = Paint(color)
    for finding in findings:
        mark = f" {marked}" if (marked := fixable(finding)) else ""
        yield f"{position(finding.place)}: {level(finding, paint)} {printable(finding.message)}{mark}"


def closing_line(report: Report) -> str:
    """What was found, where it was looked for, and what was assumed."""
    coverage = report.coverage
    found = ", ".join(
        counted(number, severity.label)
        for severity in (Severity.ERROR, Severity.WARNING, Severity.INFO)
        if (number := report.count(severity))
    )
    if coverage.suppressed:
        found += f"{', ' if found else 'no other findings, '}{coverage.suppressed} suppressed"
    if coverage.fixed:
        done = f"{coverage.fixed} fixed in {counted(coverage.fixed_files, 'file')}"
        found = f"{done}, {found or 'no other findings'}"
    files = counted(coverage.files, "file")
    target = f"target {_target(report.target)}"
    if coverage.ray_objects:
        objects = counted(coverage.ray_objects, "Ray object")
        covered = f"{found or 'no findings'} in {objects} ({coverage.ray_files} of {files}); {target}"
        return f"{covered}{_fixable(report)}"
    nothing = f"no Ray object was checked: there is none in {files}"
    return f"{found}; {nothing}; {target}" if found else f"{nothing}; {target}"


def would_fix(report: Report) -> str:
    """What the diff of a run amounts to."""
    coverage = report.coverage
    if not coverage.fixed_files:
        return "nothing would be fixed"
    return f"{counted(coverage.fixed, 'finding')} would be fixed in {counted(coverage.fixed_files, 'file')}"


def _fixable(report: Report) -> str:
    sure, unsure = report.fixable
    parts = [f"{sure} fixable with --fix"] if sure else []
    if unsure:
        parts.append(f"{unsure}{' more' if sure else ' fixable'} with --fix --unsafe-fixes")
    return "".join(f"; {part}" if not number else f", {part}" for number, part in enumerate(parts))


def counted(number: int, noun: str) -> str:
    """``1 file``, ``2 files``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _target(target: Target) -> str:
    ray = "Ray as each manifest says" if target.ray is None else f"Ray {version_text(target.ray)}"
    kuberay = f"{'as each file shows, else ' if target.auto else ''}{version_text(target.kuberay)}"
    kubernetes = "" if target.kubernetes is None else f", Kubernetes {version_text(target.kubernetes)}"
    gates = "".join(f", {name}={str(on).lower()}" for name, on in sorted(target.gates.items()))
    return f"KubeRay {kuberay}{gates}, {ray}{kubernetes}"
