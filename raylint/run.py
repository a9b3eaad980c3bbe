"""One run: every source through the engine, in one process or several, with the same report in the end."""

from __future__ import annotations

from raylint.engine import Engine
from raylint.finding import Finding, Place, Span
from raylint.remarks import REMARKS, RULE_CRASHED
from raylint.report import Coverage, Report
from raylint.source import UnreadableError, load
from raylint.target import KUBERAY_RELEASES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from raylint.engine import Facts
    from raylint.finding import Severity
    from raylint.registry import Choice
    from raylint.rule import Rule
    from raylint.source import Source
    from raylint.target import Target, Version

__all__ = ["Inspection", "run"]

# Enough files to make a ticket worth its trip, few enough to share the work evenly.
_FILES_A_TASK = 50
_UNREADABLE = "RL001"
_PATCH = "RL012"
_PATCH_WORDS = (
    "this is a patch of Kustomize, not an object: built output needed",
    "nothing in it was checked: what it leaves out stands in the base",
    "pipe the built output in: kubectl kustomize DIR | raylint -",
)


class Inspection:
    """What some sources gave. Nothing of a file is kept but its findings and facts: the memory that a run takes
    does not grow with the number of files."""

    __slots__ = ("coverage", "facts", "findings", "passed_over")

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.facts: Facts = []
        self.coverage = Coverage()
        # Names and reasons of files that were not parsed; filled where somebody wants to know.
        self.passed_over: list[tuple[str, str]] = []

    def add(self, other: Inspection) -> None:
        self.findings += other.findings
        self.facts += other.facts
        self.coverage.add(other.coverage)
        self.passed_over += other.passed_over


class Inspector:
    """Puts sources through an engine."""

    def __init__(self, choice: Choice, target: Target, *, verbose: bool = False, debug: bool = False) -> None:
        self._debug = debug
        self._choice = choice
        self._engines: dict[Version, Engine] = {}
        self.engine = self._engine(target)
        self._verbose = verbose

    def _engine(self, target: Target) -> Engine:
        if target.kuberay not in self._engines:
            on_crash = _show_crash if self._debug else None
            self._engines[target.kuberay] = Engine(self._choice.rules, target, self._choice.severities, on_crash)
        return self._engines[target.kuberay]

    def _engine_of(self, raw: bytes) -> Engine:
        """The engine for the release that a file shows, where that is asked for and is a release of this world."""
        target = self.engine.target
        if not target.auto or not any(sign in raw for sign in (b"helm.sh/chart", b"kuberay/operator")):
            return self.engine
        from raylint.kuberay_release import shown_release
        from raylint.reader import read

        release = shown_release(document.data for document in read("", raw).documents)
        return self._engine(target.of(release)) if release in KUBERAY_RELEASES else self.engine

    def inspect(self, sources: Iterable[Source]) -> Inspection:
        inspection = Inspection()
        for source in sources:
            self._inspect(source, inspection)
        return inspection

    def _inspect(self, source: Source, inspection: Inspection) -> None:
        coverage = inspection.coverage
        coverage.files += 1
        try:
            if source.fault:
                raise UnreadableError(source.fault)
            raw = load(source.path, self.engine.concerns)
        except UnreadableError as fault:
            inspection.findings += self._unreadable(source.name, str(fault))
            return
        except Exception as error:
            inspection.findings.append(self._failed(source.name, error))
            return
        if not self.engine.concerns(raw):
            if self._verbose:
                inspection.passed_over.append((source.name, "it does not mention ray.io"))
            return
        try:
            result = self._engine_of(raw).check(source.name, raw)
        except Exception as error:
            inspection.findings.append(self._failed(source.name, error))
            return
        if result.findings and result.ray_objects and self._is_patch(source):
            inspection.findings += self._remark(_PATCH, source.name, *_PATCH_WORDS)
            return
        inspection.findings += result.findings
        inspection.facts += result.facts
        coverage.documents += result.documents
        coverage.ray_objects += result.ray_objects
        coverage.ray_files += bool(result.ray_objects)
        if self._verbose and not (result.ray_objects or result.findings):
            inspection.passed_over.append((source.name, "it holds no Ray object"))

    def _is_patch(self, source: Source) -> bool:
        from raylint.kustomize import is_patch

        return source.path is not None and is_patch(source.path)

    def _unreadable(self, name: str, reason: str) -> list[Finding]:
        return self._remark(
            _UNREADABLE,
            name,
            f"the file cannot be read: {reason}",
            "nothing in it was checked",
            "make it readable, or leave it out with --exclude",
        )

    def _failed(self, name: str, error: Exception) -> Finding:
        """raylint's own failure on a file. It is told of whatever rules are chosen: the answer is not complete."""
        if self._debug:
            _show_crash(error)
        rule = next(remark for remark in REMARKS if remark.id == RULE_CRASHED)
        # The error's text may quote the manifest, secrets included: its type is all that is told.
        message = f"raylint failed on this file with {type(error).__name__}; the other files are checked"
        fix = "run again with --debug on this file alone and report it; --exclude leaves the file out"
        return self._finding(rule, rule.severity, name, message, "nothing in it was checked", fix)

    def _remark(self, id: str, name: str, message: str, effect: str, fix: str) -> list[Finding]:
        """A remark on a file as a whole; none where the remark is ignored."""
        return [
            self._finding(rule, self._choice.severities.get(rule.id, rule.severity), name, message, effect, fix)
            for rule in self._choice.rules
            if rule.id == id
        ]

    def _finding(self, rule: Rule, severity: Severity, name: str, message: str, effect: str, fix: str) -> Finding:
        return Finding(
            rule_id=rule.id,
            rule_name=rule.name,
            severity=severity,
            confidence=rule.confidence,
            message=message,
            effect=effect,
            fix=fix,
            place=Place(name, 0, (), Span(1, 1, 1, 1)),
        )


def run(
    choice: Choice,
    target: Target,
    sources: Iterable[Source],
    *,
    processes: int = 1,
    verbose: bool = False,
    debug: bool = False,
) -> tuple[Report, list[tuple[str, str]]]:
    """Check all sources: the report, and the names and reasons of files that were passed over.

    With several processes the report is the same, byte for byte. WorkerError: one of them failed.
    """
    inspector = Inspector(choice, target, verbose=verbose, debug=debug)
    inspection = inspector.inspect(sources) if processes < 2 else _spread(inspector, list(sources), processes)
    findings = inspection.findings + inspector.engine.conclude(inspection.facts)
    findings.sort(key=lambda finding: finding.sort_key)
    return Report(findings, inspection.coverage, target), inspection.passed_over


def _spread(inspector: Inspector, sources: list[Source], processes: int) -> Inspection:
    """Inspect in several processes, each of which takes runs of neighbouring sources, four or more in all."""
    from raylint.workers import MOST_TASKS, can_fork, spread

    if not can_fork():
        return inspector.inspect(sources)
    size = min(_FILES_A_TASK, -(-len(sources) // (processes * 4)))
    size = max(1, size, -(-len(sources) // MOST_TASKS))
    tasks = [sources[start : start + size] for start in range(0, len(sources), size)]
    inspection = Inspection()
    for part in spread(tasks, inspector.inspect, min(processes, len(tasks))):
        inspection.add(part)
    return inspection


def _show_crash(error: Exception) -> None:
    """Print where a rule failed, without the error's text, which may quote the manifest."""
    import sys
    import traceback

    trace = "".join(traceback.format_tb(error.__traceback__))
    sys.stderr.write(f"{trace}{type(error).__name__}\n")
