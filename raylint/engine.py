"""The engine: bytes in, findings out. The same for the command line and for admission.

It never looks rules up; they are handed to it. A rule that fails is itself a finding (RL000) and takes nothing
else down with it.
"""

from __future__ import annotations

from raylint.collection import MOST_FINDINGS, Collection
from raylint.finding import Confidence, Finding, Place, Severity, Span, Suppressed
from raylint.manifest import RayObject, objects
from raylint.plan import PARTS, Batch, Plans, gatherers, in_force
from raylint.reader import read
from raylint.remarks import LEFT_OUT, REMARKS, RULE_CRASHED
from raylint.resolve import FileSecrets, Resolver, gathered, owner_of, remarked, remarked_text
from raylint.rule import Fact, Location

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import TypeAlias

    from raylint.document import Document
    from raylint.field import View
    from raylint.finding import ObjectRef
    from raylint.manifest import KubeObject
    from raylint.plan import Check, Checks, Gatherers, Plan
    from raylint.reader import Reading
    from raylint.remark import Remark
    from raylint.resolve import Gathered, Owners
    from raylint.rule import Problem, Rule, Test
    from raylint.suppression import Complaint, Ignores, Suppression
    from raylint.suppression_finder import Finder
    from raylint.target import Target

    # Facts of one file: the rule that gathered them, and whose they are. The place of a fact is resolved, or leads
    # into a document that is gone: :mod:`raylint.recall` then resolves it, and the object, if they are reported.
    Facts: TypeAlias = list[tuple[str, Fact, ObjectRef]]
    # Objects that were not asked for their facts, with the rules that would ask.
    Untold: TypeAlias = list[tuple[KubeObject, Gatherers]]
    # By rules that want facts of Ray objects: of which; None: of all.
    Wanted: TypeAlias = Mapping[str, Test | None]

__all__ = ["Engine", "FileResult", "concerns"]

# What a document must contain to be worth parsing. The group name cannot be left out of an apiVersion.
RAY_NEEDLE = b"ray.io"
# Nor can the kind; that tells of a manifest whose group is misspelt.
_NEEDLES = (RAY_NEEDLE, b"RayCluster", b"RayJob", b"RayService", b"RayCronJob")
# Problems of one rule in one view that are looked at; the same alias, written again, makes the same one again.
_MOST_PROBLEMS = 2 * MOST_FINDINGS
# Remarks on a text that is no YAML.
_UNREADABLE = ("RL001", "RL008")
# In whatever case, it is in every suppression, and in what was to be one.
_LINT = b"lint"
# Where one of these is told, findings may be missing.
_INCOMPLETE = (*_UNREADABLE, RULE_CRASHED, LEFT_OUT)
# In UTF-16 and UTF-32 of either order; the zeros before the first letter do not matter.
_WIDE_NEEDLES = tuple((b"\0" * zeros).join(RAY_NEEDLE[at : at + 1] for at in range(6)) for zeros in (1, 3))


def concerns(raw: bytes) -> bool:
    """Could the file hold a Ray object, or what was to be one? A byte scan; UTF-16 and UTF-32 count, so that the
    file can be called unreadable."""
    if RAY_NEEDLE in raw or (b"Ray" in raw and any(kind in raw for kind in _NEEDLES[1:])):
        return True
    return b"\0" in raw and any(needle in raw for needle in _WIDE_NEEDLES)


class FileResult:
    """What one file gave. ``facts`` go to :meth:`Engine.conclude` once all files are through."""

    __slots__ = ("documents", "facts", "file", "findings", "ray_objects", "suppressed", "suppressions", "untold")

    def __init__(self, file: str, findings: Collection, facts: Facts, documents: int, ray_objects: int) -> None:
        self.file = file
        self.findings = findings
        self.facts = facts
        self.documents = documents
        self.ray_objects = ray_objects
        # What a comment or an annotation accepts, and these themselves: they may accept more in the end.
        self.suppressed: list[Suppressed] = []
        self.suppressions: list[Suppression] = []
        # None where nobody wants them.
        self.untold: Untold | None = None


class Engine:
    """Judges files by a set of rules against one target."""

    def __init__(
        self,
        rules: Sequence[Rule],
        target: Target,
        severities: Mapping[str, Severity] | None = None,
        on_crash: Callable[[Exception], None] | None = None,
        ignores: Callable[[], Ignores] | None = None,
    ) -> None:
        """``severities`` replace the rules' own; ``on_crash`` is told of each failure of a rule; ``ignores``
        tells, where there is need to know, what counts as a suppression (without it nothing does)."""
        self._ignores = ignores
        self.target = target
        self._on_crash = on_crash
        self._severities = dict(severities or {})
        self._remarks = {remark.id: remark for remark in REMARKS}
        self._enabled = {rule.id for rule in rules}
        releases = {"": True}
        for rule in rules:
            if rule.kuberay.text not in releases:
                releases[rule.kuberay.text] = target.kuberay in rule.kuberay
        in_force = [rule for rule in rules if releases[rule.kuberay.text] and rule.id not in self._remarks]
        self._in_force = in_force
        self._plans = Plans(in_force)
        self._bundle_rules = {rule.id: rule for rule in in_force if rule.whole_run}
        self._context = {rule.id: _entries(rule) for rule in in_force if rule.context}
        # By the view of an update, the rules that visit it; None until the first update.
        self._updating: dict[str, Batch] | None = None
        self._kinds = frozenset().union(*self._context.values())
        # A kind is a word by which its documents are known, but where there is a better one.
        words = {
            word or kind.encode()
            for entries in self._context.values()
            for kind, found in entries.items()
            for word in found
            if kind.encode() not in _NEEDLES
        }
        self._needles = (*_NEEDLES, *sorted(words - set(_NEEDLES)))

    def concerns(self, raw: bytes) -> bool:
        """Is the file worth parsing: for its Ray objects, or for objects that a rule wants as context?"""
        return concerns(raw) or any(needle in raw for needle in self._needles[len(_NEEDLES) :])

    def only(self, ids: frozenset[str]) -> Engine:
        """One that judges by these of its rules alone and is otherwise as this one; itself where they are not all
        rules in force, but remarks."""
        rules = [rule for rule in self._in_force if rule.id in ids]
        if len(rules) < len(ids):
            return self
        return Engine(rules, self.target, self._severities, self._on_crash, self._ignores)

    def check(self, file: str, raw: bytes, *, later: bool = False, keep: bool = False) -> FileResult:
        """Judge one file. Never raises on any bytes. ``later``: rules that compare Ray objects with others gather
        from the others alone, and no place of a fact is resolved; for what the Ray objects tell them there is
        :meth:`gather`, or :meth:`gather_from` those that are kept where ``keep`` asks for it."""
        reading = read(file, raw, self._needles)
        secrets = FileSecrets(reading.documents, reading.remarks, raw)
        remarks = [remark for remark in reading.remarks if remark.rule_id in self._enabled]
        owners = self._owners(reading, secrets) if remarks else {}
        findings = Collection()
        for remark in remarks:
            if findings.is_full:
                findings.leave_out(self._severities.get(remark.rule_id, self._remarks[remark.rule_id].severity))
            else:
                findings.append(self._remark(owners, file, remark))
        result = FileResult(file, findings, [], reading.total, 0)
        result.untold = [] if keep else None
        finder = self._finder(file, secrets) if _LINT in raw.lower() else None
        if finder is not None:
            finder.head(raw, reading.documents[0] if reading.documents else None)
        for document in reading.documents:
            self._check_document(document, result, secrets, later=later)
            if finder is not None:
                finder.document(document)
            if result.untold and result.untold[-1][0].document is document:
                document.forget_text()
            else:
                document.forget()
        self._tell_of_left_out(result)
        if finder is not None:
            self._suppress(finder, result)
        return result

    def gather(self, file: str, raw: bytes, wanted: Wanted) -> FileResult:
        """The facts that :meth:`check` has left for later, for the rules that want them, and nothing else. Never
        raises on any bytes."""
        reading = read(file, raw, _NEEDLES)
        secrets = FileSecrets(reading.documents, reading.remarks, raw)
        result = FileResult(file, Collection(), [], reading.total, 0)
        for document in reading.documents:
            rules = [rule for rule in self._plans.comparing(document.raw or b"") if rule.id in wanted]
            for found in objects(document, self.target) if rules else ():
                resolver = Resolver(found, secrets)
                comparing = gatherers(found, rules) if found.is_ray else ()
                for parts, rule in _without(comparing, self._wanting(found, comparing)):
                    for part in parts(found) if _is_wanted(found, wanted[rule.id]) else ():
                        self._gather(rule, part, found, resolver, result, later=True)
            document.forget()
        return result

    def gather_from(self, untold: Untold, wanted: Wanted) -> Facts:
        """The same of objects that :meth:`check` has kept. Raises what a rule raises, and TypeError for a place
        that cannot be resolved later: then the file is to be read again, for :meth:`gather`."""
        facts: Facts = []
        for found, rules in untold:
            for parts, rule in rules:
                if rule.id not in wanted or not _is_wanted(found, wanted[rule.id]):
                    continue
                for part in parts(found):
                    for fact in _facts(rule, part):
                        if not _can_wait(fact):
                            raise TypeError(f"{rule.id} tells of a place in a text that is gone")
                        facts.append((rule.id, fact, found.ref))
        for found, _ in untold:
            found.document.forget()
        return facts

    def owners(self, file: str, raw: bytes) -> Owners:
        """The resolvers of a file's objects, by document and path."""
        reading = read(file, raw, self._needles)
        return self._owners(reading, FileSecrets(reading.documents, reading.remarks, raw))

    def check_document(self, document: Document, words: bytes | None = None) -> FileResult:
        """Judge one document, such as a live object that has no text. Never raises on any data.

        ``words``: a text in which stands whatever the document says; rules on other words are then not run.
        """
        result = FileResult(document.file, Collection(), [], 1, 0)
        secrets = FileSecrets([document])
        self._check_document(document, result, secrets, words)
        self._tell_of_left_out(result)
        finder = self._finder(document.file, secrets)
        if finder is not None:
            finder.document(document)
            self._suppress(finder, result)
        return result

    def check_update(self, before: Sequence[Document], after: Sequence[Document]) -> list[Finding]:
        """What the rules on updates say of the objects that are in documents before and after a change. Never
        raises on any data."""
        return self._check_update(before, after, FileSecrets(after))

    def compare(self, file: str, before: bytes, raw: bytes) -> list[Finding]:
        """The same of a file as it was and as it is."""
        now = read(file, raw, _NEEDLES)
        secrets = FileSecrets(now.documents, now.remarks, raw)
        return self._check_update(read(file, before, _NEEDLES).documents, now.documents, secrets)

    def _check_update(
        self, before: Sequence[Document], after: Sequence[Document], secrets: FileSecrets
    ) -> list[Finding]:
        from raylint.update import VIEWS, updates  # most runs have no object from before

        if self._updating is None:
            # Sorted once: admission asks at each update.
            visiting = {view: [rule for rule in self._in_force if rule.visits == view] for view in VIEWS}
            self._updating = {view: Batch(rules) for view, rules in visiting.items() if rules}
        batches = self._updating
        findings = Collection()
        try:
            for update in updates(before, after, self.target) if batches else ():
                batch = batches.get(type(update).__name__)
                if batch is not None:
                    self._apply(batch.checks, update, Resolver(update.new, secrets), findings)
        except Exception as error:
            first = next(iter(batches.values())).rules[0]
            findings.append(self._crashed(first, error, Place(after[0].file, 0, (), Span(1, 1, 1, 1)), None))
        return list(findings)

    def _finder(self, file: str, secrets: FileSecrets) -> Finder | None:
        if self._ignores is None:
            return None
        ignores = self._ignores()
        if not ignores.heed:
            return None
        from raylint.suppression_finder import Finder  # few files hold a suppression

        return Finder(file, secrets, self.target, ignores)

    def _suppress(self, finder: Finder, result: FileResult) -> None:
        """Take out what the file itself accepts, and add what is wrong with its suppressions."""
        from raylint.suppression import accepted

        kept = []
        for finding in result.findings:
            by = accepted(finding, finder.suppressions)
            if by is None:
                kept.append(finding)
            else:
                result.suppressed.append(Suppressed(finding, by.by, by.reason, by.until, by.where))
        result.findings[:] = kept
        result.findings += self.complaints(finder.complaints)
        if not any(finding.rule_id in _INCOMPLETE for finding in kept):
            judged = frozenset(
                rule.id
                for rule in self._in_force
                if rule.visits in PARTS and not (rule.whole_run or rule.ray.text)
            )
            for suppression in finder.suppressions:
                suppression.judged = judged
        result.suppressions = finder.suppressions

    def complaints(self, complaints: Iterable[Complaint]) -> list[Finding]:
        """The findings about suppressions."""
        return [
            Finding(
                rule_id=complaint.rule_id,
                rule_name=self._remarks[complaint.rule_id].name,
                severity=self._severities.get(complaint.rule_id, self._remarks[complaint.rule_id].severity),
                confidence=Confidence.HIGH,
                message=complaint.message,
                effect=complaint.effect,
                fix=complaint.fix,
                object=complaint.object,
                place=complaint.place,
                identity=complaint.identity,
            )
            for complaint in complaints
            if complaint.rule_id in self._enabled
        ]

    def _check_document(
        self,
        document: Document,
        result: FileResult,
        secrets: FileSecrets,
        words: bytes | None = None,
        *,
        later: bool = False,
    ) -> None:
        plan = self._plans.of(document.raw, document.raw_lines) if words is None else self._plans.of(words)
        for found in objects(document, self.target):
            result.ray_objects += found.is_ray
            resolver = Resolver(found, secrets)
            self._judge(found, plan, resolver, result, later=later)

    def conclude(self, facts: Facts, rules: Sequence[Rule] = (), resolver: Gathered = gathered) -> list[Finding]:
        """Judge what only shows over several objects. ``facts``: those of all files, in their order. ``rules``:
        those that may have gathered them, where the files were judged by several engines. ``resolver``: of places
        that are not resolved."""
        findings: list[Finding] = []
        bundle = {rule.id: rule for rule in rules if rule.whole_run} or self._bundle_rules
        for rule_id, rule in bundle.items():
            of_rule = [(fact, owner) for gatherer, fact, owner in facts if gatherer == rule_id]
            if not of_rule:
                continue
            owners = {id(fact.at): owner for fact, owner in of_rule}
            try:
                problems = rule.check([fact for fact, _ in of_rule])
                for problem in problems:
                    ref = resolver.ref(problem.at, owners.get(id(problem.at)))
                    findings.append(self._finding(rule, problem, ref, resolver))
            except Exception as error:
                first, owner = of_rule[0]
                findings.append(
                    self._crashed(rule, error, resolver.place(first.at), resolver.ref(first.at, owner))
                )
        return findings

    def _judge(
        self, found: KubeObject, plan: Plan, resolver: Resolver, result: FileResult, *, later: bool
    ) -> None:
        findings = result.findings
        stored = self._stored(found, plan, resolver, findings) if plan.stored else None
        visits = plan.visits(found)
        for visit in visits:
            parts = visit.parts(found)
            if not parts:
                continue
            checks = visit.all if stored is found else visit.written
            if checks.any:
                self._run(checks, parts, resolver, findings)
        if stored is not None and stored is not found:
            for visit in visits:
                if visit.stored.any:
                    self._run(visit.stored, visit.parts(stored), resolver, findings)
        gathering, comparing = plan.gatherers(found)
        if comparing and (later or not found.is_ray):
            wanting = self._wanting(found, comparing)
            if found.is_ray and result.untold is not None:
                result.untold.append((found, _without(comparing, wanting)))
            comparing = wanting
        for parts_of, rule in (*gathering, *comparing):
            for part in parts_of(found):
                self._gather(rule, part, found, resolver, result, later=later)

    def _stored(self, found: KubeObject, plan: Plan, resolver: Resolver, findings: Collection) -> RayObject | None:
        """The object that the operator reads; None where it reads none."""
        if not isinstance(found, RayObject):
            return None
        try:
            return found.as_operator_reads_it()
        except Exception as error:
            place = resolver.place(Location(found.document, found.path))
            findings.append(self._crashed(plan.stored[0], error, place, resolver.ref))
            return None

    def _run(self, checks: Checks, parts: Sequence[View], resolver: Resolver, findings: Collection) -> None:
        for part in parts:
            runs = checks.of(part)
            if runs.always.rules:
                self._apply(runs.always.checks, part, resolver, findings)
            by_field = runs.by_field
            if by_field:
                for field, value in part.body.items():
                    if field in by_field and value is not None:
                        self._apply(by_field[field].checks, part, resolver, findings)

    def _apply(
        self, checks: Sequence[tuple[Rule, Check]], view: View, resolver: Resolver, findings: Collection
    ) -> None:
        # Most rules have nothing to say of most views: until one has, it costs a call.
        for rule, check in checks:
            told = 0
            try:
                for problem in check(view):
                    told += 1
                    if told > _MOST_PROBLEMS:
                        # How bad the rest is stays unknown, and an unknown error must not pass for a warning.
                        findings.leave_out(self._severities.get(rule.id, Severity.ERROR))
                        break
                    self._report(rule, problem, resolver, findings)
            except Exception as error:
                place = resolver.place(Location(view.document, view.path))
                findings.append(self._crashed(rule, error, place, resolver.ref))

    def _report(self, rule: Rule, problem: Problem, resolver: Resolver, findings: Collection) -> None:
        if findings.is_full:
            findings.leave_out(self._severities.get(rule.id, problem.severity or rule.severity))
            return
        findings.append(self._finding(rule, problem, resolver.ref, resolver))

    def _wanting(self, found: KubeObject, comparing: Gatherers) -> Gatherers:
        """Of rules that compare objects with others, those that want the object as one of the others."""
        if found.kind not in self._kinds:
            return ()
        raw = found.document.raw
        wanting = []
        for parts, rule in comparing:
            words = self._context[rule.id].get(found.kind)
            # Objects that are none of Ray's are read for the words alone.
            if words is not None and (not found.is_ray or raw is None or any(word in raw for word in words)):
                wanting.append((parts, rule))
        return wanting

    def _gather(
        self, rule: Rule, part: View, found: KubeObject, resolver: Resolver, result: FileResult, *, later: bool
    ) -> None:
        try:
            for fact in _facts(rule, part):
                if later and _can_wait(fact):
                    result.facts.append((rule.id, fact, found.ref))
                else:
                    lasting = Fact(fact.key, resolver.lasting(fact.at), fact.owner)
                    result.facts.append((rule.id, lasting, resolver.ref))
        except Exception as error:
            place = resolver.place(Location(part.document, part.path))
            result.findings.append(self._crashed(rule, error, place, resolver.ref))

    def _finding(
        self, rule: Rule, problem: Problem, ref: ObjectRef | None, resolver: Resolver | Gathered
    ) -> Finding:
        place, mask = resolver.place(problem.at, problem.label), resolver.mask
        return Finding(
            rule_id=rule.id,
            rule_name=rule.name,
            severity=self._severities.get(rule.id, problem.severity or rule.severity),
            confidence=problem.confidence or rule.confidence,
            message=mask(problem.message),
            effect=mask(problem.effect),
            fix=mask(problem.fix),
            object=ref,
            place=place,
            related=[resolver.place(at, label) for at, label in problem.because],
            identity=resolver.identity(problem.at),
            fixes=resolver.fixes(problem),
        )

    def _crashed(self, rule: Rule, error: Exception, place: Place, ref: ObjectRef | None) -> Finding:
        if self._on_crash is not None:
            self._on_crash(error)
        # The error's text may quote the manifest, secrets included: its type is all that is told.
        return Finding(
            rule_id=RULE_CRASHED,
            rule_name=self._remarks[RULE_CRASHED].name,
            severity=Severity.ERROR,
            confidence=Confidence.HIGH,
            message=f"rule {rule.id} ({rule.name}) failed with {type(error).__name__}; the others still report",
            effect="this object was not judged by that rule",
            fix=f"run again with --debug --select {rule.id} and report it; --ignore {rule.id} leaves the rule out",
            object=ref,
            place=place,
            identity=rule.id,
        )

    def _tell_of_left_out(self, result: FileResult) -> None:
        worst = result.findings.worst_left_out
        if worst is None or LEFT_OUT not in self._enabled:
            return
        rule = self._remarks[LEFT_OUT]
        result.findings.append(
            Finding(
                rule_id=rule.id,
                rule_name=rule.name,
                severity=self._severities.get(rule.id, worst),
                confidence=rule.confidence,
                message=f"more findings than shown: this file has more than {MOST_FINDINGS}",
                effect="the rest is left out; the worst of it is as severe as this remark",
                fix="correct what is shown, or take findings out with --select or --ignore, and run again",
                place=Place(result.file, 0, (), Span(1, 1, 1, 1)),
            )
        )

    def _remark(self, owners: Owners, file: str, remark: Remark) -> Finding:
        known = self._remarks[remark.rule_id]
        owner = owner_of(owners, remark.document, remark.path)
        # Where text could not be read, no data tells which of its words are secret.
        resolver = None if known.id in _UNREADABLE else owner
        place = remarked(file, remark) if resolver is None else resolver.spot(remark.span, remark.path)
        related = [] if resolver is None else [resolver.spot(span, (), label) for span, label in remark.related]

        def said(text: str) -> str:
            return remarked_text(text, remark) if resolver is None else resolver.mask(text)

        return Finding(
            rule_id=known.id,
            rule_name=known.name,
            severity=self._severities.get(known.id, known.severity),
            confidence=known.confidence,
            message=said(remark.message),
            effect=said(remark.effect),
            fix=said(remark.fix),
            object=None if owner is None else owner.ref,
            place=place,
            related=related,
            identity=(owner or gathered).identity(place),
            fixes=() if owner is None else owner.remark_fixes(remark),
        )

    def _owners(self, reading: Reading, secrets: FileSecrets) -> Owners:
        """The resolvers of a file's objects, by document and path."""
        return {
            (document.index, found.path): Resolver(found, secrets)
            for document in reading.documents
            for found in objects(document, self.target)
        }


def _is_wanted(found: KubeObject, test: Test | None) -> bool:
    if test is None:
        return True
    try:
        return test(found)
    except Exception:
        # The rule looks at all that it is not certain of.
        return True


def _without(some: Gatherers, others: Gatherers) -> Gatherers:
    return [pair for pair in some if pair not in others] if others else some


def _facts(rule: Rule, part: View) -> Iterable[Fact]:
    """What a rule over the whole run gathers from a part of an object."""
    if not in_force(rule, getattr(part, "ray_version", None)):
        return ()
    assert rule.gathers is not None
    return rule.gathers(part)


def _can_wait(fact: Fact) -> bool:
    """Can its place be resolved once the document is gone? Not if it lies in a text of the document."""
    return fact.at.__class__ is Location


def _entries(rule: Rule) -> dict[str, list[bytes]]:
    """The kinds that a rule wants as context, each with the words for which its documents are worth reading."""
    found: dict[str, list[bytes]] = {}
    for entry in rule.context:
        kind, _, word = entry.partition("/")
        found.setdefault(kind, []).append(word.encode())
    return found
