"""Reports: each module turns a report into one format."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from raylint.finding import Finding, Severity, Suppressed
    from raylint.rule import Rule
    from raylint.target import Target, Version

__all__ = ["Coverage", "Operator", "Report", "pieces", "render", "writer"]


class Coverage:
    """How much a run looked at. ``ray_files``: the files that hold Ray objects; ``suppressed``: findings that
    somebody accepted; ``fixed``: findings that the run itself mended, in ``fixed_files`` files."""

    __slots__ = ("documents", "files", "fixed", "fixed_files", "ray_files", "ray_objects", "suppressed")

    def __init__(
        self, files: int = 0, ray_files: int = 0, documents: int = 0, ray_objects: int = 0, suppressed: int = 0
    ) -> None:
        self.files = files
        self.ray_files = ray_files
        self.documents = documents
        self.ray_objects = ray_objects
        self.suppressed = suppressed
        self.fixed = 0
        self.fixed_files = 0

    def add(self, other: Coverage) -> None:
        self.files += other.files
        self.ray_files += other.ray_files
        self.documents += other.documents
        self.ray_objects += other.ray_objects
        self.suppressed += other.suppressed
        self.fixed += other.fixed
        self.fixed_files += other.fixed_files


class Operator:
    """The operator that a file is judged for: its release, and the feature gates that are set."""

    __slots__ = ("gates", "kuberay")

    def __init__(self, kuberay: Version, gates: Mapping[str, bool]) -> None:
        self.kuberay = kuberay
        self.gates = dict(gates)


class Report:
    """What a run tells: findings in the order of their ``sort_key``, those that somebody accepted, what was
    covered, and for which target; ``operators``: by file, where it was judged for another operator."""

    __slots__ = ("coverage", "findings", "operators", "rules", "suppressed", "target")

    def __init__(
        self,
        findings: Sequence[Finding],
        coverage: Coverage,
        target: Target,
        suppressed: Sequence[Suppressed] = (),
        operators: Mapping[str, Operator] | None = None,
        rules: Sequence[Rule] = (),
    ) -> None:
        """``rules``: all that ran, those that found nothing included."""
        self.findings = findings
        self.suppressed = suppressed
        self.rules = rules
        self.coverage = coverage
        self.target = target
        self.operators = operators or {}

    def operator_of(self, file: str) -> Operator:
        """The operator that a file's findings are about."""
        return self.operators.get(file) or Operator(self.target.kuberay, self.target.gates)

    def count(self, severity: Severity) -> int:
        return sum(1 for finding in self.findings if finding.severity is severity)

    @property
    def fixable(self) -> tuple[int, int]:
        """How many findings ``--fix`` mends, and how many more ``--unsafe-fixes``."""
        offers = [any(fix.safe for fix in finding.fixes) for finding in self.findings if finding.fixes]
        return sum(offers), len(offers) - sum(offers)


def render(report: Report, format: str, *, color: bool = False, quiet: bool = False) -> str:
    """The report in one of the formats of the command line; ``auto`` is ``text``."""
    return "".join(pieces(report, format, color=color, quiet=quiet))


def pieces(
    report: Report,
    format: str,
    *,
    color: bool = False,
    quiet: bool = False,
    written: Mapping[Finding, str] | None = None,
) -> Iterable[str]:
    """The report piece by piece: the text of ten thousand findings takes as much memory as all else of a run.
    ``written``: what the :func:`writer` of this format and colour has made of some findings already."""
    write = writer(format, color=color)
    if write is None:
        return _for_machines(report, format)
    from raylint.report.text import concise, text

    known = written or {}
    others = write(finding for finding in report.findings if finding not in known)
    texts = (known[finding] if finding in known else next(others) for finding in report.findings)
    assemble = concise if format == "concise" else text
    return assemble(report, texts, quiet=quiet)


def writer(format: str, *, color: bool = False) -> Callable[[Iterable[Finding]], Iterator[str]] | None:
    """What writes single findings, while all of a run is not known yet; none but formats for people have one."""
    if format not in ("auto", "text", "concise"):
        return None
    from raylint.report.text import blocks, lines

    write = lines if format == "concise" else blocks
    return lambda findings: write(findings, color=color)


def _for_machines(report: Report, format: str) -> Iterable[str]:
    """Each writer is imported when it is used."""
    from os import environ

    from raylint.report.folders import Folders

    folders = Folders(environ)
    match format:
        case "json":
            from raylint.report.json_v1 import json_v1

            return [json_v1(report)]
        case "jsonl":
            from raylint.report.jsonl import jsonl

            return jsonl(report)
        case "sarif":
            from raylint.report.sarif import sarif

            return [sarif(report, folders)]
        case "github":
            from raylint.report.github import github

            return github(report, folders)
        case "gitlab":
            from raylint.report.gitlab import gitlab

            return [gitlab(report, folders)]
        case "rdjson":
            from raylint.report.rdjson import rdjson

            return [rdjson(report, folders)]
        case "markdown":
            from raylint.report.markdown import markdown

            return markdown(report, folders)
        case "html":
            from raylint.report.html import html

            return html(report, folders)
    from raylint.report.xml import checkstyle, junit

    return junit(report, folders) if format == "junit" else checkstyle(report, folders)
