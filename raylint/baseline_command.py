"""``raylint baseline write|prune|check``."""

from __future__ import annotations

import os

from raylint import output
from raylint.baseline import NAME, Baseline
from raylint.finding import Suppressed
from raylint.remarks import RULE_CRASHED
from raylint.report import Report
from raylint.run import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from raylint.finding import Finding
    from raylint.policy import Policies
    from raylint.source import Source

__all__ = ["accept", "baseline"]


class _Noted:
    """Sources that are noted as they are read."""

    def __init__(self, sources: Iterable[Source]) -> None:
        self._sources = sources
        self.names: set[str] = set()

    def __iter__(self) -> Iterator[Source]:
        for source in self._sources:
            self.names.add(os.path.abspath(source.name))
            yield source


def baseline(policies: Policies, selection: Iterable[Source], processes: int) -> bool:
    """Do what the action asks for, and say it; False if ``check`` finds entries that are out of date.

    UsageError: the baseline cannot be read or written.
    """
    settings = policies.settings
    file = settings.baseline or NAME
    default = policies.default
    sources = _Noted(selection)
    report, _ = run(default.choice, default.target, sources, policies=policies, processes=processes)
    findings = [found for found in report.findings if _may_be_accepted(found, policies)]
    if settings.action == "write":
        written = Baseline.of(findings, file)
        written.write()
        output.say(f"raylint: wrote {_counted(findings, 'finding')} to {file}{_hint(settings.baseline, file)}")
        return True
    known = Baseline.read(file)
    folder = os.path.dirname(os.path.abspath(file))

    def looked_at(name: str) -> bool:
        path = os.path.normpath(os.path.join(folder, name))
        return path in sources.names or not os.path.lexists(path)

    pruned, stale = known.without_stale(findings, looked_at)
    if settings.action == "prune":
        pruned.write()
        gone = sum(entry.count for entry in stale)
        output.say(f"raylint: removed {gone} of the accepted findings from {file}")
        return True
    for entry in stale:
        output.write(f"{entry.shown()}\n")
    output.say(f"raylint: {file} is {'out of date: raylint baseline prune' if stale else 'up to date'}")
    return not stale


def accept(report: Report, policies: Policies) -> Report:
    """The report without what the baseline of the settings accepts, which is suppressed."""
    known = Baseline.read(policies.settings.baseline)
    open_ones = [found for found in report.findings if _may_be_accepted(found, policies)]
    accepted = set(map(id, known.split(open_ones)[1]))
    suppressed = [
        *report.suppressed,
        *(Suppressed(found, "baseline", where=known.file) for found in open_ones if id(found) in accepted),
    ]
    suppressed.sort(key=lambda entry: entry.finding.sort_key)
    report.coverage.suppressed = len(suppressed)
    left = [found for found in report.findings if id(found) not in accepted]
    return Report(left, report.coverage, report.target, suppressed, report.operators)


def _may_be_accepted(finding: Finding, policies: Policies) -> bool:
    if finding.rule_id == RULE_CRASHED:
        return False
    return finding.rule_id not in policies.of_name(finding.place.file).mandatory


def _counted(findings: list[Finding], noun: str) -> str:
    return f"1 {noun}" if len(findings) == 1 else f"{len(findings)} {noun}s"


def _hint(given: str, file: str) -> str:
    return "" if given else f"; a run heeds it with --baseline {file}, or `baseline: {file}` in the configuration"
