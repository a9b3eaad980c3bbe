"""One run: every source through the engine, in one process or several, with the same report in the end."""

from __future__ import annotations

import os

from raylint.engine import Engine
from raylint.finding import Finding, Place, Span, Suppressed
from raylint.remarks import REMARKS, RULE_CRASHED
from raylint.report import Coverage, Operator, Report
from raylint.resolve import gathered
from raylint.source import UnreadableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from raylint.engine import Facts, FileResult, Untold, Wanted
    from raylint.finding import ObjectRef, Severity
    from raylint.fixing import Fixing, Outcome
    from raylint.origin import Origins
    from raylint.policy import Policies, Policy
    from raylint.registry import Choice
    from raylint.resolve import Gathered, Owners
    from raylint.revision import Revision
    from raylint.rule import Fact, Rule, Test
    from raylint.source import Source
    from raylint.suppression import Suppression
    from raylint.target import Target, Version

__all__ = ["Inspection", "Inspector", "report_of", "run"]

# Seconds: so long one process works in any case, and so much has to be left before it calls for others. To learn
# things twice, copies of memory and answers on their way take 50 ms of CPU.
_ALONE, _SHARED = 0.03, 0.2
# Bytes of a file that alone takes longer than that.
_LARGE = 1 << 18
# Enough files to make a ticket worth its trip.
_FILES_A_TASK = 50
# By this is known what Helm or Kustomize made.
_RENDERED = (b"# Source: ", b"config.kubernetes.io/origin")
_UNREADABLE = "RL001"
_PATCH = "RL012"
_PATCH_WORDS = (
    "this is a patch of Kustomize, not an object: built output needed",
    "nothing in it was checked: what it leaves out stands in the base",
    "have it built: raylint --kustomize DIR, or kubectl kustomize DIR | raylint -",
)


# So many bytes of files are kept, parsed, for what their Ray objects tell rules that compare them: in a run over
# more of them the files are read again where that is asked for. Parsed, a file takes five times its size.
_MOST_KEPT = 384 * 1024


class Inspection:
    """What some sources gave. Nothing of a file is kept but its findings and facts: the memory that a run takes
    does not grow with the number of files."""

    __slots__ = (
        "coverage",
        "facts",
        "findings",
        "operators",
        "outcome",
        "passed_over",
        "streams",
        "suppressed",
        "suppressions",
        "written",
    )

    def __init__(self, outcome: Outcome | None = None) -> None:
        self.findings: list[Finding] = []
        # What the report says of a finding, where that is written already.
        self.written: dict[Finding, str] = {}
        self.suppressed: list[Suppressed] = []
        self.suppressions: list[Suppression] = []
        self.facts: Facts = []
        self.coverage = Coverage()
        # Names and reasons of files that were not parsed; filled where somebody wants to know.
        self.passed_over: list[tuple[str, str]] = []
        self.outcome = outcome
        # By file: the operator that it was judged for, where that is another than the run's.
        self.operators: dict[str, Operator] = {}
        # Of the standard input, where that was rendered: the files behind it.
        self.streams: dict[str, Origins] = {}

    def add(self, other: Inspection) -> None:
        self.findings += other.findings
        self.written.update(other.written)
        self.suppressed += other.suppressed
        self.suppressions += other.suppressions
        self.facts += other.facts
        self.coverage.add(other.coverage)
        self.passed_over += other.passed_over
        self.operators.update(other.operators)
        self.streams.update(other.streams)
        if self.outcome is not None and other.outcome is not None:
            self.outcome.add(other.outcome)


class Judge:
    """Judges files by one choice of rules and one target: an engine, and more where files show other releases."""

    __slots__ = ("_engines", "_ignores", "_on_crash", "choice", "engine")

    def __init__(self, choice: Choice, target: Target, policy: Policy | None, *, debug: bool) -> None:
        self.choice = choice
        self._ignores = None if policy is None else policy.ignores
        self._on_crash = _show_crash if debug else None
        self._engines: dict[tuple[Version, frozenset[tuple[str, bool]]], Engine] = {}
        self.engine = self._engine(target)

    def _engine(self, target: Target) -> Engine:
        key = target.kuberay, frozenset(target.gates.items())
        if key not in self._engines:
            self._engines[key] = Engine(
                self.choice.rules, target, self.choice.severities, self._on_crash, self._ignores
            )
        return self._engines[key]

    def engine_of(self, raw: bytes) -> Engine:
        """The engine for the release and the gates that a file shows, where that is asked for."""
        if not self.engine.target.auto:
            return self.engine
        from raylint.kuberay_release import target_of_file

        target = target_of_file(self.engine.target, raw)
        return self.engine if target is self.engine.target else self._engine(target)


class Inspector:
    """Puts sources through the judges that their policies ask for; without policies there is one judge."""

    def __init__(
        self,
        choice: Choice,
        target: Target,
        policies: Policies | None = None,
        *,
        verbose: bool = False,
        debug: bool = False,
        fixing: Fixing | None = None,
        once: bool = False,
    ) -> None:
        """``once``: all facts are gathered as a file is read, and none later (:meth:`complete`)."""
        self._later = fixing is None and not once
        self._debug = debug
        self._fixing = fixing
        self._policies = policies
        default = None if policies is None else policies.default
        self._judge = Judge(choice, target, default, debug=debug)
        self._judges: dict[int, Judge] = {}
        if default is not None:
            self._judges[id(default)] = self._judge
        self._verbose = verbose
        # By the name of the file: the engine that judged it, and objects that it has not asked for their facts.
        # None: there was no room for all of them.
        self._kept: dict[str, tuple[Engine, Untold]] | None = {}
        self._room = _MOST_KEPT
        self._sources: dict[str, Source] = {}

    def _judge_of(self, policy: Policy | None) -> Judge:
        if policy is None:
            return self._judge
        if id(policy) not in self._judges:
            self._judges[id(policy)] = Judge(policy.choice, policy.target, policy, debug=self._debug)
        return self._judges[id(policy)]

    def _policy_of(self, source: Source) -> Policy | None:
        return None if self._policies is None else self._policies.of(source.judged_as)

    def _opened(self, source: Source, policy: Policy | None) -> tuple[Judge, bytes]:
        """Who judges a source by a policy, and what is in it. Raises what reading raises."""
        judge = self._judge_of(policy)
        return judge, source.read(judge.engine.concerns)

    def inspect(self, sources: Iterable[Source]) -> Inspection:
        inspection = self.nothing()
        for source in sources:
            self._inspect(source, inspection)
        return inspection

    def nothing(self) -> Inspection:
        """What no source gives."""
        if self._fixing is None:
            return Inspection()
        from raylint.fixing import Outcome

        return Inspection(Outcome())

    def _inspect(self, source: Source, inspection: Inspection) -> None:
        coverage = inspection.coverage
        coverage.files += 1
        policy = self._policy_of(source)
        judge = self._judge_of(policy)
        try:
            if source.fault:
                raise UnreadableError(source.fault)
            raw = source.read(judge.engine.concerns)
        except UnreadableError as fault:
            inspection.findings += self._unreadable(judge.choice, source.name, str(fault))
            return
        except Exception as error:
            inspection.findings.append(self._failed(source.name, error))
            return
        if source.path is None and inspection.outcome is not None:
            inspection.outcome.text = raw
        elif source.path is None and source.origins is None and any(sign in raw for sign in _RENDERED):
            from raylint.origin import origins_of_stream

            inspection.streams[source.name] = origins_of_stream(raw)
        if not judge.engine.concerns(raw):
            if self._verbose:
                inspection.passed_over.append((source.name, "it does not mention ray.io"))
            return
        try:
            engine = judge.engine_of(raw)
            later = source.is_lasting and self._later
            result = engine.check(source.name, raw, later=later, keep=later and self._kept is not None)
        except Exception as error:
            inspection.findings.append(self._failed(source.name, error))
            return
        if result.findings and result.ray_objects and self._is_patch(source):
            inspection.findings += self._remark(judge.choice, _PATCH, source.name, *_PATCH_WORDS)
            return
        if self._fixing is not None and inspection.outcome is not None:
            accepted = _acceptance(policy)
            try:
                result = self._fixing.apply(engine, source, raw, result, inspection.outcome, coverage, accepted)
            except Exception as error:
                inspection.findings.append(self._failed(source.name, error))
        if engine is not self._judge.engine:
            inspection.operators[source.name] = Operator(engine.target.kuberay, engine.target.gates)
        _count(result, policy, inspection)
        if result.untold:
            self._keep_untold(source.name, engine, result.untold, len(raw))
        if self._verbose and not (result.ray_objects or result.findings):
            inspection.passed_over.append((source.name, "it holds no Ray object"))

    def _keep_untold(self, name: str, engine: Engine, untold: Untold, size: int) -> None:
        self._room -= size
        if self._room < 0:
            self._kept = None
        elif self._kept is not None:
            self._kept[name] = engine, untold

    def inspect_object(self, name: str, data: object, inspection: Inspection) -> None:
        """Judge an object that has no text, such as a live one. ``name`` stands for its file."""
        from raylint.document import Document

        policy = None if self._policies is None else self._policies.of_name(name)
        inspection.coverage.files += 1
        try:
            result = self._judge_of(policy).engine.check_document(Document.from_object(data, name))
        except Exception as error:
            inspection.findings.append(self._failed(name, error))
            return
        _count(result, policy, inspection)

    def complete(self, inspection: Inspection, sources: Sequence[Source]) -> None:
        """Gather what Ray objects tell the rules that compare them with other objects, in the folders where one of
        those is. In most there is none, and the facts of all Ray objects would be kept to the end."""
        compared = {rule.id: rule for rule in self._rules() if rule.context}
        folders: dict[str, dict[str, list[Fact]]] = {}
        for rule_id, fact, _ in inspection.facts:
            if rule_id in compared:
                folders.setdefault(os.path.dirname(_file(fact)), {}).setdefault(rule_id, []).append(fact)
        wanted: dict[str, Wanted] = {
            folder: {rule_id: _sought(compared[rule_id], facts) for rule_id, facts in told.items()}
            for folder, told in folders.items()
        }
        if wanted:
            self._gather_in(wanted, inspection, sources)
        self._kept = None

    def _gather_in(self, folders: dict[str, Wanted], inspection: Inspection, sources: Sequence[Source]) -> None:
        patches = set()
        for source in sources:
            wanted = folders.get(os.path.dirname(source.name))
            if wanted and source.is_lasting:
                if self._is_patch(source):
                    patches.add(source.name)
                else:
                    self._gather(source, wanted, inspection)
        if patches:
            compared = set().union(*folders.values())
            inspection.facts = [
                gathered
                for gathered in inspection.facts
                if gathered[0] not in compared or _file(gathered[1]) not in patches
            ]
        places = {source.name: number for number, source in enumerate(sources)}
        inspection.facts.sort(key=lambda gathered: (places[_file(gathered[1])], *_order(gathered[1])))

    def _gather(self, source: Source, wanted: Wanted, inspection: Inspection) -> None:
        kept = None if self._kept is None else self._kept.get(source.name)
        try:
            if kept is not None:
                inspection.facts += kept[0].gather_from(kept[1], wanted)
                return
        except Exception:
            # It is told of, with its place, where the file is read again.
            pass
        policy = self._policy_of(source)
        try:
            judge, raw = self._opened(source, policy)
            result = judge.engine_of(raw).gather(source.name, raw, wanted)
        except Exception:
            # What could not be read, or judged, is told of already.
            return
        inspection.facts += result.facts
        _keep(result.findings, policy, inspection)

    def _owners(self, file: str) -> Owners:
        source = self._sources[file]
        judge, raw = self._opened(source, self._policy_of(source))
        return judge.engine_of(raw).owners(file, raw)

    def _resolver(self, facts: Facts, sources: Sequence[Source]) -> Gathered:
        if all(isinstance(fact.at, Place) for _, fact, _ in facts):
            return gathered
        from raylint.recall import Recall

        self._sources = {source.name: source for source in sources}
        return Recall(self._owners)

    def _rules(self) -> Sequence[Rule]:
        return self._judge.choice.rules if self._policies is None else self._policies.rules

    def conclude(self, inspection: Inspection, sources: Sequence[Source] = ()) -> None:
        """Add what shows over all files. ``sources``: those whose facts have places that are not resolved."""
        policies = self._policies
        resolver = self._resolver(inspection.facts, sources)
        if policies is None:
            _keep(self._judge.engine.conclude(inspection.facts, (), resolver), None, inspection)
            return
        if inspection.facts:
            # By object, so that a file's new name changes nothing in which of two objects is told of the other.
            inspection.facts.sort(key=_owner)
            self._conclude(policies, inspection, resolver)
        if inspection.suppressions:
            self._tell_of_unused(inspection)

    def _conclude(self, policies: Policies, inspection: Inspection, resolver: Gathered) -> None:
        # Each finding has the severity that the policy of its file gives it, not the one of a common engine.
        engine = Engine((), self._judge.engine.target, on_crash=_show_crash if self._debug else None)
        for finding in engine.conclude(inspection.facts, policies.rules, resolver):
            policy = policies.of_name(finding.place.file)
            finding.severity = policy.choice.severities.get(finding.rule_id, finding.severity)
            self._take(finding, policy, inspection)

    def compare(self, inspection: Inspection, sources: Iterable[Source], base: Revision) -> None:
        """Add what shows of files that are otherwise than in an earlier revision, by what is in both."""
        before = {os.path.realpath(source.judged_as or ""): source for source in base.changed_files()}
        for source in sources:
            was = before.get(os.path.realpath(source.path)) if source.path is not None else None
            if was is None or self._is_patch(source):
                continue
            policy = self._policy_of(source)
            try:
                judge, raw = self._opened(source, policy)
                findings = judge.engine_of(raw).compare(source.name, was.read(judge.engine.concerns), raw)
            except Exception:
                # What could not be read, or judged, is told of already.
                continue
            for finding in findings:
                self._take(finding, policy, inspection)

    def _take(self, finding: Finding, policy: Policy | None, inspection: Inspection) -> None:
        """Take a finding that was made after suppressions have had their say."""
        by = None
        if inspection.suppressions:
            from raylint.suppression import accepted

            by = accepted(finding, inspection.suppressions)
        if by is None:
            _keep([finding], policy, inspection)
        else:
            inspection.suppressed.append(Suppressed(finding, by.by, by.reason, by.until, by.where))

    def _tell_of_unused(self, inspection: Inspection) -> None:
        from raylint.suppression import unused

        for suppression in inspection.suppressions:
            policy = None if self._policies is None else self._policies.of_name(suppression.file)
            judge = self._judge_of(policy)
            names = {rule.id: rule.name for rule in judge.choice.rules}
            inspection.findings += judge.engine.complaints(unused(suppression, names))

    def tell_of_expired(self, inspection: Inspection, sources: Iterable[Source]) -> None:
        """Tell of the exemptions whose day is over, in the configurations that the sources are judged by."""
        policies = self._policies
        if policies is None:
            return
        by_folder = {os.path.dirname(source.path or ""): source.path for source in sources}
        by_config = {policies.config_of(path): path for path in reversed(by_folder.values())}
        told: set[str] = set()
        for config, path in sorted((it for it in by_config.items() if it[0] is not None), key=str):
            stack = policies.stack(config)
            over = [known for known, _ in stack.exemptions if known.expired] if stack else []
            over = [known for known in over if known.place not in told]
            if over:
                from raylint.suppression import expired_exemption

                told.update(known.place for known in over)
                engine = self._judge_of(policies.of(path)).engine
                inspection.findings += engine.complaints(map(expired_exemption, over))

    def _is_patch(self, source: Source) -> bool:
        from raylint.kustomize import is_patch

        return source.path is not None and is_patch(source.path)

    def _unreadable(self, choice: Choice, name: str, reason: str) -> list[Finding]:
        return self._remark(
            choice,
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

    def _remark(self, choice: Choice, id: str, name: str, message: str, effect: str, fix: str) -> list[Finding]:
        """A remark on a file as a whole; none where the remark is ignored."""
        return [
            self._finding(rule, choice.severities.get(rule.id, rule.severity), name, message, effect, fix)
            for rule in choice.rules
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
    policies: Policies | None = None,
    processes: int = 1,
    verbose: bool = False,
    debug: bool = False,
    fixing: Fixing | None = None,
    base: Revision | None = None,
    watch: Callable[[Iterable[Source]], Iterable[Source]] | None = None,
    write: Callable[[Iterable[Finding]], Iterator[str]] | None = None,
) -> tuple[Report, Inspection]:
    """Check all sources, and with ``fixing`` fix them: the report, and what else there is to say.

    ``policies`` say what each file is judged by; ``choice`` and ``target`` are those of their default. ``base``:
    an earlier revision; what was found in it as well is suppressed. ``watch`` sees the sources of a
    single process go by. ``write`` writes findings as the report will; several processes do that along with the
    rest (``Inspection.written``), while a single one has no reason to keep the texts.

    With several processes the report is the same, byte for byte. WorkerError: one of them failed.
    """
    inspector = Inspector(
        choice, target, policies, verbose=verbose, debug=debug, fixing=fixing, once=base is not None
    )
    # A source that is read while others are fixed may be one of them under another name.
    listed = list(sources)
    watched = listed if watch is None else watch(listed)
    inspection = inspector.inspect(watched) if processes < 2 else _spread(inspector, listed, processes, write)
    if fixing is None and base is None:
        inspector.complete(inspection, listed)
    earlier = None if base is None else _earlier(base, inspector, inspection)
    inspector.conclude(inspection, listed)
    if base is None:
        inspector.tell_of_expired(inspection, listed)
    if base is not None and earlier is not None:
        inspector.conclude(earlier)
        _leave_out_known(inspection, earlier, base)
        inspector.compare(inspection, listed, base)
    if inspection.streams or any(source.origins is not None for source in listed):
        from raylint.origin import lead_back

        lead_back(inspection.findings, inspection.suppressed, listed, inspection.streams)
        inspection.written.clear()
    return report_of(inspection, choice, target), inspection


def report_of(inspection: Inspection, choice: Choice, target: Target) -> Report:
    """What an inspection tells, in order."""
    findings, suppressed = inspection.findings, inspection.suppressed
    findings.sort(key=lambda finding: finding.sort_key)
    suppressed.sort(key=lambda accepted: accepted.finding.sort_key)
    inspection.coverage.suppressed = len(suppressed)
    return Report(findings, inspection.coverage, target, suppressed, inspection.operators, choice.rules)


def _file(fact: Fact) -> str:
    return fact.at.file if isinstance(fact.at, Place) else fact.at.document.file


def _sought(rule: Rule, facts: Sequence[Fact]) -> Test | None:
    """Which Ray objects a rule wants to hear of, beside what others have told; None: all."""
    try:
        return None if rule.sought is None else rule.sought(facts)
    except Exception:
        return None


def _order(fact: Fact) -> tuple[int, ...]:
    """The place of the object in its file: the number of the document, and of the item in a list of objects."""
    at = fact.at
    order = [at.document if isinstance(at, Place) else at.document.index]
    for step, item in zip(at.path[::2], at.path[1::2], strict=False):
        if step != "items" or not isinstance(item, int):
            break
        order.append(item)
    return tuple(order)


def _earlier(base: Revision, inspector: Inspector, inspection: Inspection) -> Inspection:
    """What the files gave in an earlier revision, before all of them are looked at together: the same, where they
    have not changed since."""
    same: dict[str, bool] = {}

    def stayed(file: str) -> bool:
        if file not in same:
            same[file] = base.holds(file)
        return same[file]

    earlier = Inspection()
    earlier.findings = [finding for finding in inspection.findings if stayed(finding.place.file)]
    earlier.facts = [gathered for gathered in inspection.facts if stayed(_file(gathered[1]))]
    earlier.suppressions = [known for known in inspection.suppressions if stayed(known.file)]
    earlier.add(inspector.inspect(base.changed_files()))
    return earlier


def _owner(gathered: tuple[str, Fact, ObjectRef]) -> tuple[str, str, str]:
    ref = gathered[2]
    return ref.kind, ref.namespace, ref.name


def _leave_out_known(inspection: Inspection, earlier: Inspection, base: Revision) -> None:
    from raylint.known_findings import KnownFindings

    known = KnownFindings()
    known.add_all(earlier.findings)
    inspection.findings, old = known.split(inspection.findings)
    inspection.suppressed += [Suppressed(finding, "diff-base", where=base.name) for finding in old]


def _acceptance(policy: Policy | None) -> Callable[[Finding], bool] | None:
    """Whether the configuration accepts a finding, so that nobody is told of it and nothing is fixed."""
    if policy is None or not (policy.exemptions or policy.is_picky):
        return None
    return lambda finding: finding.confidence < policy.least or policy.exemption(finding) is not None


def _count(result: FileResult, policy: Policy | None, inspection: Inspection) -> None:
    """Take what one file or object gave."""
    _keep(result.findings, policy, inspection)
    inspection.suppressed += result.suppressed
    inspection.suppressions += result.suppressions
    inspection.facts += result.facts
    coverage = inspection.coverage
    coverage.documents += result.documents
    coverage.ray_objects += result.ray_objects
    coverage.ray_files += bool(result.ray_objects)


def _keep(findings: Iterable[Finding], policy: Policy | None, inspection: Inspection) -> None:
    """Sort findings into those that are told and those that the configuration accepts."""
    if policy is None or not (policy.exemptions or policy.is_picky):
        inspection.findings += findings
        return
    for finding in findings:
        if finding.confidence < policy.least:
            continue
        exemption = policy.exemption(finding)
        if exemption is None:
            inspection.findings.append(finding)
        else:
            inspection.suppressed.append(
                Suppressed(finding, "exemption", exemption.reason, exemption.until, exemption.place)
            )


def _spread(
    inspector: Inspector,
    sources: list[Source],
    processes: int,
    write: Callable[[Iterable[Finding]], Iterator[str]] | None,
) -> Inspection:
    """Inspect in several processes, each of which takes runs of neighbouring sources. What this one imported and
    learnt from the first sources is there for all of them."""
    inspection = inspector.inspect(_beginning(sources))
    rest = sources[inspection.coverage.files :]
    if not rest:
        return inspection
    from raylint.workers import can_fork, spread

    if not can_fork():
        inspection.add(inspector.inspect(rest))
        return inspection

    def work(task: Sequence[Source]) -> Inspection:
        part = inspector.inspect(task)
        if write is not None:
            part.written = dict(zip(part.findings, write(part.findings), strict=False))
        return part

    tasks = _tasks(rest, processes)
    for part in spread(tasks, work, min(processes, len(tasks))):
        inspection.add(part)
    return inspection


def _beginning(sources: Sequence[Source]) -> Iterator[Source]:
    """The first of the sources: those after which, at this pace, the rest is worth further processes."""
    from time import monotonic

    begin = monotonic()
    for number, source in enumerate(sources):
        spent = monotonic() - begin
        left = len(sources) - number
        if number and spent >= _ALONE and spent / number * left >= _SHARED:
            return
        if left > 1 and _is_large(source):
            return
        yield source


def _is_large(source: Source) -> bool:
    try:
        return source.path is not None and os.path.getsize(source.path) > _LARGE
    except OSError:
        return False


def _tasks(sources: list[Source], processes: int) -> list[list[Source]]:
    """The sources in runs, which become shorter towards the end so that all processes finish together."""
    from raylint.workers import MOST_TASKS

    least = max(1, -(-len(sources) // MOST_TASKS))
    tasks = []
    start = 0
    while start < len(sources):
        size = max(least, min(_FILES_A_TASK, (len(sources) - start) // (processes * 4)))
        tasks.append(sources[start : start + size])
        start += size
    return tasks


def _show_crash(error: Exception) -> None:
    """Print where a rule failed, without the error's text, which may quote the manifest."""
    import sys
    import traceback

    trace = "".join(traceback.format_tb(error.__traceback__))
    sys.stderr.write(f"{trace}{type(error).__name__}\n")
