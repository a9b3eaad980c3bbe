"""JUnit and Checkstyle: the two XML forms that nearly every CI service reads."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from raylint.finding import Severity
from raylint.report.region import Region
from raylint.report.terminal import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeAlias

    from raylint.finding import Finding
    from raylint.report import Report
    from raylint.report.folders import Folders

    Cases: TypeAlias = dict[tuple[str, str], list[Finding]]

__all__ = ["checkstyle", "junit"]

_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


def checkstyle(report: Report, folders: Folders) -> Iterator[str]:
    """One ``file`` element for each file with findings."""
    yield f'{_HEAD}<checkstyle version="4.3">\n'
    for file, findings in _by_file(report.findings).items():
        yield f"  <file name={_attribute(folders.path(file))}>\n"
        for finding in findings:
            region = Region(finding.place)
            message = f"{finding.message}; {finding.effect}; fix: {finding.fix}"
            yield (
                f'    <error line="{region.line}" column="{region.column}" severity="{finding.severity.label}" '
                f"message={_attribute(message)} source={_attribute(f'raylint.{finding.rule_id}')}/>\n"
            )
        yield "  </file>\n"
    yield "</checkstyle>\n"


def junit(report: Report, folders: Folders) -> Iterator[str]:
    """A suite for each file, and in it a case for each rule that an object breaks: an error fails it, a warning or
    an info is told in ``system-out``. One passing case stands for all files without findings. ``time`` is a whole
    number, as some readers insist on one."""
    suites = {file: _cases(findings) for file, findings in _by_file(report.findings).items()}
    clean = max(report.coverage.files - len(suites), 0)
    tests = sum(map(len, suites.values())) + bool(clean)
    broken = sum(_broken(cases) for cases in suites.values())
    yield f'{_HEAD}<testsuites name="raylint" tests="{tests}" failures="{broken}" errors="0" time="0">\n'
    for file, cases in suites.items():
        name = _attribute(folders.path(file))
        counts = f'tests="{len(cases)}" failures="{_broken(cases)}" errors="0" time="0"'
        yield f"  <testsuite name={name} {counts}>\n"
        for (about, rule), findings in cases.items():
            yield _case(about, rule, findings, folders)
        yield "  </testsuite>\n"
    if clean:
        yield '  <testsuite name="raylint" tests="1" failures="0" errors="0" time="0">\n'
        yield f'    <testcase classname="raylint" name="files without findings: {clean}" time="0"/>\n'
        yield "  </testsuite>\n"
    yield "</testsuites>\n"


def _case(about: str, rule: str, findings: list[Finding], folders: Folders) -> str:
    kind, _, name = about.partition(" ")
    body = escape("\n\n".join("\n".join(_lines(finding, folders)) for finding in findings))
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    if errors:
        attributes = f"type={_attribute(errors[0].rule_id)} message={_attribute(errors[0].message)}"
        outcome = f"<failure {attributes}>{body}</failure>"
    else:
        outcome = f"<system-out>{body}</system-out>"
    title = f"{name or about}: {rule}" if about else rule
    case = f'classname={_attribute(kind or "file")} name={_attribute(title)} time="0"'
    return f"    <testcase {case}>\n      {outcome}\n    </testcase>\n"


def _lines(finding: Finding, folders: Folders) -> Iterable[str]:
    region = Region(finding.place)
    where = f"{folders.path(finding.place.file)}:{region.line}:{region.column}"
    yield f"{printable(where)}: {finding.severity.label}[{finding.rule_id}] {printable(finding.message)}"
    yield f"effect: {printable(finding.effect)}"
    yield f"fix: {printable(finding.fix)}"


def _broken(cases: Cases) -> int:
    return sum(any(finding.severity is Severity.ERROR for finding in case) for case in cases.values())


def _cases(findings: Iterable[Finding]) -> Cases:
    """The findings of a file by object and rule."""
    cases: Cases = {}
    for finding in findings:
        about = str(finding.object) if finding.object else ""
        cases.setdefault((about, f"{finding.rule_id} {finding.rule_name}"), []).append(finding)
    return cases


def _by_file(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    files: dict[str, list[Finding]] = {}
    for finding in findings:
        files.setdefault(finding.place.file, []).append(finding)
    return files


def _attribute(text: str) -> str:
    return quoteattr(printable(text))
