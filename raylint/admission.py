"""Admission: an AdmissionReview in, the answer to it out. No network, no files.

What is not the work of a person who can mend it is let through before any rule is run: deletions, subresources,
finalizers, what the operator makes of a parent that was judged. An update is refused only for what it brings.
"""

from __future__ import annotations

from functools import cache
from re import compile

from raylint.admission_answer import LONGEST_WARNING, Decision, allowed, audit, clean, denied, warning
from raylint.admission_policy import Mode
from raylint.admission_ratchet import judged_content, only_scales, those_there_before
from raylint.admission_review import Review
from raylint.admission_waiver import Waivers, broken_glass
from raylint.document import Document
from raylint.finding import Confidence
from raylint.remarks import RULE_CRASHED
from raylint.rule_times import TimedEngine
from raylint.suppression import Ignores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from re import Pattern
    from typing import Any

    from raylint.admission_policy import AdmissionPolicy
    from raylint.engine import Engine
    from raylint.finding import Finding
    from raylint.policy import Policy
    from raylint.rule import Rule

__all__ = ["Admission", "Outcome", "RuleFailedError", "as_written", "is_child"]

GROUP = "ray.io"
KINDS = ("RayCluster", "RayJob", "RayService", "RayCronJob")
VERSIONS = ("v1", "v1alpha1")
# What makes objects of KubeRay's kinds out of itself (KubeRay v1.7.0).
_PARENTS = ("RayJob", "RayService", "RayCronJob")
# What rules have no business with: the API server's notes and the operator's report.
_SERVERS_NOTES = "managedFields"
_REPORT = "status"
# Stands in every suppression.
_OWN_WORD = b"raylint"
# What updates break is mostly broken by the same few rules.
_MOST_ENGINES = 64
# What JSON puts between texts; inside of a text it may be part of a word.
_SIGNS = '"{}[],:'


class RuleFailedError(Exception):
    """A rule failed, and the policy leaves the answer to the administrator's failurePolicy."""


class Outcome:
    """An answer, and what logs and metrics tell of how it came about.

    ``verdict`` is allow, warn, deny or skip; ``skipped`` says why no rule was run. ``failed`` are the rules that
    failed. ``exemptions`` are what let something through: ``type`` (namespace, user, ..., annotation,
    break-glass), ``reason`` and what else there is to know. ``child_unverified``: it looks like the operator's
    object, and none of the operators' accounts made it. ``rule_seconds``: how long each rule took, by its id,
    where that was asked for.
    """

    __slots__ = (
        "child_unverified", "decisions", "exemptions", "failed", "response", "review", "rule_seconds", "skipped",
        "verdict",
    )  # fmt: skip

    def __init__(self, review: Review) -> None:
        self.review = review
        self.response: dict[str, Any] = {}
        self.verdict = "allow"
        self.skipped = ""
        self.decisions: list[Decision] = []
        self.exemptions: list[dict[str, str]] = []
        self.failed: list[str] = []
        self.child_unverified = False
        self.rule_seconds: dict[str, float] = {}


class Admission:
    """Judges reviews by an engine's rules and a policy. ``ruleset`` names both, for the audit log."""

    __slots__ = ("_blanks", "_of_some", "engine", "lint", "policy", "rules", "ruleset")

    def __init__(
        self,
        engine: Engine,
        policy: AdmissionPolicy,
        rules: Sequence[Rule],
        ruleset: str,
        lint: Policy | None = None,
    ) -> None:
        """``lint`` is what the configuration says to the command line as well: exemptions, mandatory rules and
        the least confidence."""
        self.engine = engine
        self.policy = policy
        self.rules = rules
        self.ruleset = ruleset
        self.lint = lint
        self._blanks = _blanks(rules)
        # Engines of some of the rules, by their ids.
        self._of_some: dict[frozenset[str], Engine] = {}

    def answer(self, data: object, today: str, body: bytes | bytearray = b"", *, timed: bool = False) -> Outcome:
        """``today`` is the day in UTC, such as 2027-01-31. ``body`` is the JSON that the data was read from, if
        there is one: it tells which rules can have nothing to say. ``timed``: look at the clock around each rule,
        which takes up to a fifth longer.

        ReviewError: the data is no review; RuleFailedError.
        """
        outcome = Outcome(Review(data))
        outcome.skipped = _not_judged(outcome.review) or self._left_alone(outcome, today)
        if outcome.skipped:
            outcome.verdict = "skip"
            notes = audit("skip", (), outcome.exemptions, self.ruleset) if outcome.exemptions else None
            outcome.response = allowed(outcome.review, notes=notes)
        else:
            engine = self.engine
            if timed:
                engine = TimedEngine(engine)
                outcome.rule_seconds = engine.seconds
            self._judge(outcome, today, _words(body, self._blanks), engine)
        return outcome

    def _left_alone(self, outcome: Outcome, today: str) -> str:
        """Why this request is let through although it is about an object that rules know."""
        review, policy = outcome.review, self.policy
        exemption = policy.exemption(review, today)
        if exemption is not None:
            outcome.exemptions.append({"type": exemption.type, "reason": clean(exemption.reason, LONGEST_WARNING)})
            return f"exempt_{exemption.type}"
        if is_child(review.metadata):
            if review.username in policy.operators:
                return "operator_child"
            outcome.child_unverified = True
        if review.operation == "UPDATE" and review.old_object:
            if judged_content(review.old_object) == judged_content(review.object):
                return "unchanged"
            if review.by_service_account and only_scales(review.old_object, review.object):
                return "scaling"
        return ""

    def _judge(self, outcome: Outcome, today: str, words: bytes | None, engine: Engine) -> None:
        review = outcome.review
        document = Document.from_object(as_written(review.object))
        before = None
        if review.operation == "UPDATE" and review.old_object:
            before = Document.from_object(as_written(review.old_object))
        findings, outcome.failed = self._lint(engine, document, words, before)
        may_ask = words is None or _OWN_WORD in words
        waivers = Waivers(document, review, self.policy, self._ignores if may_ask else None, self.engine.target)
        allowance = self._allowance(outcome)
        ceiling = min(allowance, self.policy.ceiling(review))
        held_back = allowance is Mode.ENFORCE and ceiling is not allowance
        failures_deny = self.policy.on_rule_error == "deny" and ceiling is Mode.ENFORCE
        outcome.decisions = [
            Decision(finding, own, min(own, ceiling), held_back=held_back and own is Mode.ENFORCE)
            for finding in findings
            if (own := self._own(finding)) > 0
        ]
        if outcome.failed or any(decision.mode >= Mode.WARN for decision in outcome.decisions):
            new_failures = self._ratchet(outcome, words)
            failures_deny = failures_deny and bool(new_failures)
            if new_failures and self.policy.on_rule_error == "error":
                raise RuleFailedError(f"rule {new_failures[0]} failed")
        self._waive(outcome, waivers, today)
        denying = [decision for decision in outcome.decisions if decision.mode is Mode.ENFORCE]
        told = () if review.by_service_account else waivers.notices
        notices = [f"raylint {review.shown}: {notice}" for notice in told]
        faults = [f"rule {rule} failed, not evaluated" for rule in outcome.failed]
        if denying or (failures_deny and faults):
            ticket = self._break_glass(outcome, denying, notices)
            if not ticket:
                self._deny(outcome, denying, faults if failures_deny else [], notices)
                return
        warnings = notices + [
            warning(review, item.finding) for item in outcome.decisions if item.mode >= Mode.WARN
        ]
        warnings += [f"raylint {review.shown}: {fault}" for fault in faults]
        outcome.verdict = "warn" if warnings else "allow"
        outcome.response = allowed(review, warnings, self._notes(outcome))

    def _lint(
        self, engine: Engine, document: Document, words: bytes | None, before: Document | None = None
    ) -> tuple[list[Finding], list[str]]:
        """The findings, the worst first and the same on each replica, and the ids of rules that failed. Rules over
        several objects have no say: a review shows one, and ``before`` as what it was."""
        findings = list(engine.check_document(document, words).findings)
        if before is not None:
            findings += engine.check_update([before], [document])
        failed = sorted({finding.identity for finding in findings if finding.rule_id == RULE_CRASHED})
        least = self.lint.least if self.lint is not None else Confidence.LOW
        findings = [found for found in findings if found.rule_id != RULE_CRASHED and found.confidence >= least]
        findings.sort(key=_order)
        return findings, failed

    @property
    def _ignores(self) -> Ignores:
        """What counts as a suppression: here always with a reason, because somebody else will read the log."""
        mandatory = self.lint.mandatory if self.lint is not None else frozenset()
        days = self.lint.settings.suppressions.get("max-days") if self.lint is not None else None
        locked = self.policy.locked | mandatory
        return Ignores(require_reason=True, max_days=days, mandatory=locked, rules=lambda: self.rules)

    def _own(self, finding: Finding) -> Mode:
        return self.policy.own_mode(finding.rule_id, finding.severity)

    def _allowance(self, outcome: Outcome) -> Mode:
        """The hardest mode that a finding can have for what the write is, wherever it is done."""
        review = outcome.review
        most = self.policy.unverified_children if outcome.child_unverified else Mode.ENFORCE
        if review.old_object and only_scales(review.old_object, review.object):
            most = min(most, Mode.WARN)
        return most

    def _ratchet(self, outcome: Outcome, words: bytes | None) -> list[str]:
        """Lower what the object had before this update. The rules that fail on the new object and did not on the
        old one."""
        review = outcome.review
        if review.operation != "UPDATE" or not review.old_object:
            return outcome.failed
        findings = [decision.finding for decision in outcome.decisions]
        wanted = frozenset([*(finding.rule_id for finding in findings), *outcome.failed])
        try:
            old = Document.from_object(as_written(review.old_object))
            before, failed_before = self._lint(self._engine_of(wanted), old, words)
            there = those_there_before(review.old_object, before, review.object, findings)
        except Exception:
            # Our own fault must not stop anybody's update.
            failed_before, there = outcome.failed, set(range(len(findings)))
        people, programs = self.policy.on_existing
        most = programs if review.by_service_account else people
        for number, decision in enumerate(outcome.decisions):
            if number in there or decision.finding.rule_id in failed_before:
                decision.was_there(most)
        return [rule for rule in outcome.failed if rule not in failed_before]

    def _engine_of(self, wanted: frozenset[str]) -> Engine:
        """One that judges by these rules alone: nobody asks what others find in the object as it was."""
        found = self._of_some.get(wanted)
        if found is None:
            found = self.engine.only(wanted)
            if len(self._of_some) >= _MOST_ENGINES:
                self._of_some.clear()
            self._of_some[wanted] = found
        return found

    def _waive(self, outcome: Outcome, waivers: Waivers, today: str) -> None:
        exemptions = [item for item in self.policy.exemptions if item.rules and item.covers(outcome.review, today)]
        for decision in outcome.decisions:
            rule = decision.finding.rule_id
            reason = waivers.reason(decision.finding)
            if reason:
                decision.waive("annotation", clean(reason, LONGEST_WARNING))
            else:
                exemption = next((item for item in exemptions if item.rules and rule in item.rules), None)
                accepted = self.lint.exemption(decision.finding) if self.lint is not None else None
                if exemption is not None:
                    decision.waive(exemption.type, clean(exemption.reason, LONGEST_WARNING))
                elif accepted is not None:
                    decision.waive("configuration", clean(accepted.reason, LONGEST_WARNING))
                else:
                    continue
            entry = {"type": decision.waived, "rule": rule, "reason": decision.reason}
            if entry not in outcome.exemptions:
                outcome.exemptions.append(entry)

    def _break_glass(self, outcome: Outcome, denying: list[Decision], notices: list[str]) -> str:
        """The ticket by which a denied write passes after all; empty where it does not."""
        review = outcome.review
        ticket = clean(broken_glass(review), 128)
        if not ticket:
            return ""
        if not self.policy.may_break_glass(review):
            notices.append("raylint/break-glass has no effect: the policy does not give it to this user")
            return ""
        rules = ",".join(dict.fromkeys([*(item.finding.rule_id for item in denying), *outcome.failed]))
        for decision in denying:
            decision.mode = Mode.WARN
        user = clean(review.username, LONGEST_WARNING)
        outcome.exemptions.append({"type": "break-glass", "ticket": ticket, "user": user, "rules": rules})
        notices.insert(0, f"raylint {review.shown}: passed by break-glass {ticket} although refused by {rules}")
        return ticket

    def _deny(self, outcome: Outcome, denying: list[Decision], faults: list[str], notices: list[str]) -> None:
        outcome.verdict = "deny"
        review = outcome.review
        milder = [warning(review, item.finding) for item in outcome.decisions if item.mode is Mode.WARN]
        outcome.response = denied(review, denying, faults, notices + milder, self._notes(outcome))

    def _notes(self, outcome: Outcome) -> dict[str, str]:
        return audit(outcome.verdict, outcome.decisions, outcome.exemptions, self.ruleset)


def _not_judged(review: Review) -> str:
    """Why a request is none of raylint's business; empty where it is. The order is that of how often it bites."""
    if review.operation not in ("CREATE", "UPDATE"):
        return "operation"
    if review.subresource:
        return "subresource"
    if review.metadata.get("deletionTimestamp"):
        return "terminating"
    if review.group != GROUP or review.kind not in KINDS:
        return "unknown_kind"
    return "" if review.version in VERSIONS else "unknown_version"


def is_child(metadata: dict[str, Any]) -> bool:
    """Does it look like what KubeRay made of a parent? Anybody can write such an owner."""
    owners = metadata.get("ownerReferences")
    return isinstance(owners, list) and any(
        isinstance(owner, dict)
        and owner.get("controller") is True
        and owner.get("kind") in _PARENTS
        and str(owner.get("apiVersion")).startswith(f"{GROUP}/")
        for owner in owners
    )


def _blanks(rules: Sequence[Rule]) -> bytes:
    """The table that makes blanks of what stands in none of the rules' words: the fewer pieces a text has, the
    sooner it is known which words are in it."""
    written = "".join(word for rule in rules for word in rule.mentions)
    signs = "".join(sign for sign in _SIGNS if sign not in written)
    return bytes.maketrans(signs.encode(), b" " * len(signs))


def _words(body: bytes | bytearray, blanks: bytes) -> bytes | None:
    """The body as a text in which a word that it says can be found; None where it may be written in other ways: as
    numbers of characters, or with an escape or a tag of YAML in a text that holds YAML."""
    if not body or b"!" in body or _other_ways().search(body) is not None:
        return None
    # What is left of a line's end in a text breaks no word.
    return bytes(body.translate(blanks, b"\\"))


@cache
def _other_ways() -> Pattern[bytes]:
    """Escapes of anything but quotes and ends of lines and blanks."""
    return compile(rb'\\[^"nrt]')


def as_written(data: dict[str, Any]) -> dict[str, Any]:
    """An object of an API server without what only the server and the operator write."""
    metadata = data.get("metadata")
    kept = {key: value for key, value in data.items() if key != _REPORT}
    if isinstance(metadata, dict) and _SERVERS_NOTES in metadata:
        kept["metadata"] = {key: value for key, value in metadata.items() if key != _SERVERS_NOTES}
    return kept


def _order(finding: Finding) -> tuple[int, str, str, str]:
    return -finding.severity, finding.rule_id, finding.place.path_text, finding.message
