"""A table in Markdown: for the summary of a CI job, a comment on a change, an issue."""

from __future__ import annotations

import re

from raylint.report.region import Region
from raylint.report.terminal import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.finding import Finding
    from raylint.report import Report
    from raylint.report.folders import Folders

__all__ = ["markdown"]

_SIGNS = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$@])")


def markdown(report: Report, folders: Folders) -> Iterator[str]:
    """A heading, a row for each finding (the worst first), and what was covered."""
    from raylint.report.text import closing_line

    yield "## raylint\n\n"
    if report.findings:
        yield "| level | rule | place | object | what is wrong, what it leads to, what to do |\n"
        yield "| --- | --- | --- | --- | --- |\n"
        for finding in sorted(report.findings, key=lambda one: (-one.severity, one.sort_key)):
            yield _row(finding, folders)
        yield "\n"
    yield f"{_escaped(closing_line(report))}\n"


def _row(finding: Finding, folders: Folders) -> str:
    place = finding.place
    where = f"{folders.path(place.file)}:{Region(place).line}" if place.span else folders.path(place.file)
    cells = (
        finding.severity.label,
        f"{finding.rule_id} {finding.rule_name}",
        where,
        str(finding.object) if finding.object else "",
        f"{finding.message}\0Effect: {finding.effect}\0Fix: {finding.fix}",
    )
    return f"| {' | '.join(_cell(cell) for cell in cells)} |\n"


def _cell(text: str) -> str:
    return "<br>".join(_escaped(part) for part in text.split("\0"))


def _escaped(text: str) -> str:
    # A name of a bot or of a person behind @ would call them.
    return _SIGNS.sub(r"\\\1", printable(text))
