"""GitHub's annotations (workflow commands), and the table for the summary of a job's step.

GitHub shows ten annotations of a level for a step: the first ten, so the worst are written first.
"""

from __future__ import annotations

from raylint.finding import Severity
from raylint.report.region import Region
from raylint.report.terminal import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.finding import Finding
    from raylint.report import Report
    from raylint.report.folders import Folders

__all__ = ["MOST_OF_A_LEVEL", "SUMMARY_BYTES", "github", "step_summary"]

MOST_OF_A_LEVEL = 10
# GitHub drops a summary that is larger than 1 MiB as a whole.
SUMMARY_BYTES = 1 << 20
_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def github(report: Report, folders: Folders) -> Iterator[str]:
    """A line for each finding, the worst and the surest first."""
    left = dict.fromkeys(_COMMANDS, MOST_OF_A_LEVEL)
    for finding in sorted(report.findings, key=lambda one: (-one.severity, -one.confidence, one.sort_key)):
        if left[finding.severity]:
            left[finding.severity] -= 1
            yield f"{_annotation(finding, folders)}\n"


def _annotation(finding: Finding, folders: Folders) -> str:
    region = Region(finding.place)
    properties = {
        "file": folders.path(finding.place.file),
        "line": str(region.line),
        "endLine": str(region.line),
        "col": str(region.column),
        "endColumn": str(region.end_column),
        "title": f"{finding.rule_id} {finding.rule_name}",
    }
    written = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    message = "\n".join((finding.message, f"effect: {finding.effect}", f"fix: {finding.fix}"))
    return f"::{_COMMANDS[finding.severity]} {written}::{_data(message)}"


def _data(text: str) -> str:
    lines = (printable(line) for line in text.split("\n"))
    return "%0A".join(line.replace("%", "%25") for line in lines)


def _property(text: str) -> str:
    return printable(text).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")


def step_summary(report: Report, folders: Folders, room: int = SUMMARY_BYTES) -> str:
    """The Markdown table of all findings, cut at a row where it would not fit into ``room`` bytes."""
    from raylint.report.markdown import markdown

    rest = room - 200  # for the line that tells of the cut
    kept: list[str] = []
    for piece in markdown(report, folders):
        rest -= len(piece.encode("utf-8", "backslashreplace"))
        if rest < 0:
            kept.append("\nThe summary is cut here: GitHub shows no more. The job's log has all findings.\n")
            break
        kept.append(piece)
    return "".join(kept)
