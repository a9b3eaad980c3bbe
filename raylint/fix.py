"""Fixes files: applies what the findings offer, looks at the outcome, and takes back what does harm.

In each pass the fixes that do not concern each other are applied together and the file is judged again, until
there is nothing left to fix. A fix stays only if the file can be read afterwards, its data changed as the fix says
and in nothing else, and the finding is gone. What it brings to light is milder than what it mends, or is mended
as well; and no suppression comes to hide what nobody accepted.
"""

from __future__ import annotations

from raylint.fix_data import only_means_what_it_says
from raylint.remarks import LEFT_OUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeAlias

    from raylint.engine import Engine, FileResult
    from raylint.finding import Finding, Fix

    Offer: TypeAlias = tuple[Finding, Fix]

__all__ = ["Fixed", "fix_text", "replaced"]

# Fixes of one mapping wait for each other: a pass takes one entry out of it. A mapping has some dozen.
_MOST_PASSES = 100
# How often what a fix brings to light is mended in turn before the fix counts as harmful.
_MOST_FOLLOWING = 5


class Fixed:
    """What became of one file: its bytes, what is found in them, and how many of the findings were fixed."""

    __slots__ = ("_given_up", "_unsafe", "count", "raw", "result")

    def __init__(self, raw: bytes, result: FileResult, *, unsafe: bool) -> None:
        self._given_up: dict[tuple[object, ...], str] = {}
        self._unsafe = unsafe
        self.raw = raw
        self.result = result
        self.count = 0

    def offers(self, findings: Iterable[Finding]) -> list[Offer]:
        """The best fix of each finding that may be applied, and has not done harm."""
        return [offer for offer in _offers(findings, self._unsafe) if _sign(offer) not in self._given_up]

    def give_up(self, offer: Offer, objection: str) -> None:
        self._given_up[_sign(offer)] = objection

    def taken_back(self, result: FileResult | None = None) -> list[str]:
        """In words which fixes were taken back, and why: at the places of ``result``, by default where these
        findings stand now."""
        known = self.result if result is None else result
        return [
            _taken_back(offer, self._given_up[sign])
            for offer in _offers(known.findings, self._unsafe)
            if (sign := _sign(offer)) in self._given_up
        ]

    def withdraw(self) -> None:
        """What was taken back is no longer offered."""
        for offer in _offers(self.result.findings, self._unsafe):
            if _sign(offer) in self._given_up:
                offer[0].fixes = ()


def fix_text(
    engine: Engine,
    raw: bytes,
    result: FileResult,
    *,
    unsafe: bool,
    accepted: Callable[[Finding], bool] | None = None,
) -> Fixed:
    """Fix what was found (``result``) in a file's bytes; with ``unsafe`` also what changes the behaviour. What is
    ``accepted`` stays."""
    fixed = Fixed(raw, result, unsafe=unsafe)
    trial = _Trial(engine, fixed, accepted)
    for _ in range(_MOST_PASSES):
        chosen = _compatible(fixed.offers(trial.unaccepted(fixed.result.findings)))
        if not chosen:
            break
        objection = trial.apply(chosen)
        while objection:
            # One of them does harm: each on its own, until one can be applied.
            offer = chosen.pop(0)
            objection = trial.apply([offer])
            if objection:
                fixed.give_up(offer, objection)
            if not chosen:
                break
    was, now = _counts(result.findings), _counts(fixed.result.findings)
    fixed.count = sum(max(0, count - now.get(rule_id, 0)) for rule_id, count in was.items())
    return fixed


class _Trial:
    """Applies offers to what became of a file so far, and keeps the outcome where it does no harm."""

    __slots__ = ("_accepted", "_engine", "_fixed")

    def __init__(self, engine: Engine, fixed: Fixed, accepted: Callable[[Finding], bool] | None) -> None:
        self._engine = engine
        self._fixed = fixed
        self._accepted = accepted

    def unaccepted(self, findings: Iterable[Finding]) -> list[Finding]:
        return [finding for finding in findings if self._accepted is None or not self._accepted(finding)]

    def apply(self, offers: Sequence[Offer]) -> str:
        """Apply the offers; where that does harm nothing is done, and the answer says why."""
        raw = self._fixed.raw
        before, accepted_before = self._found(self._fixed.result)
        step: Sequence[Offer] = offers
        for _ in range(_MOST_FOLLOWING):
            fixes = [fix for _, fix in step]
            fitted = replaced(raw, fixes)
            after = self._engine.check(self._fixed.result.file, fitted)
            found, accepted = self._found(after)
            hidden = _hidden(before, accepted_before, accepted)
            if hidden is not None:
                return f"a suppression of something else would then hide {hidden.rule_id}"
            unwelcome = self._unwelcome(before, found, offers)
            if not unwelcome and _still_found(before, found, offers):
                return "it would still be found"
            following = self._fixed.offers(unwelcome)
            mended = {id(finding) for finding, _ in following}
            left = next((finding for finding in unwelcome if id(finding) not in mended), None)
            if left is not None:
                return _would_be_found(left, before)
            if not only_means_what_it_says(raw, fitted, fixes):
                return "something else would change with it"
            raw = fitted
            if not unwelcome:
                self._fixed.raw, self._fixed.result = raw, after
                return ""
            step = _compatible(following)
        return _would_be_found(step[0][0], before)

    def _unwelcome(
        self, before: Sequence[Finding], found: Sequence[Finding], offers: Sequence[Offer]
    ) -> list[Finding]:
        """What is found that was not found before, and is as severe as what is mended."""
        known, expected, now = {_trait(finding) for finding in before}, _counts(before), _counts(found)
        least = min(finding.severity for finding, _ in offers)
        # Where not all findings are told, those that are do not tell how many there are.
        more = {
            rule_id
            for rule_id, count in now.items()
            if count > expected.get(rule_id, 0) and (rule_id not in expected or LEFT_OUT not in expected)
        }
        suspects = [finding for finding in found if finding.rule_id in more]
        new = [finding for finding in suspects if _trait(finding) not in known]
        # Of a rule whose findings all look like those before, any may be the new one.
        told = {finding.rule_id for finding in new}
        new += [finding for finding in suspects if finding.rule_id not in told]
        return [finding for finding in self.unaccepted(new) if finding.severity >= least]

    def _found(self, result: FileResult) -> tuple[list[Finding], list[Finding]]:
        """What is found, and what a comment or an annotation accepts of it."""
        found, accepted = list(result.findings), [known.finding for known in result.suppressed]
        for finding in self._engine.conclude(result.facts):
            is_accepted = any(suppression.covers(finding) for suppression in result.suppressions)
            (accepted if is_accepted else found).append(finding)
        return found, accepted


def _hidden(
    before: Iterable[Finding], accepted_before: Iterable[Finding], accepted: Iterable[Finding]
) -> Finding | None:
    """A finding that nobody accepted and that is accepted now: where an entry is gone, the comment above it covers
    the next one."""
    open_before = {_trait(finding) for finding in before} - {_trait(finding) for finding in accepted_before}
    return next((finding for finding in accepted if _trait(finding) in open_before), None)


def _still_found(before: Sequence[Finding], found: Sequence[Finding], offers: Sequence[Offer]) -> bool:
    expected, now = _counts(before), _counts(found)
    mended = _counts(finding for finding, _ in offers)
    return LEFT_OUT not in expected and any(
        now.get(rule_id, 0) > expected[rule_id] - count for rule_id, count in mended.items()
    )


def _would_be_found(finding: Finding, before: Sequence[Finding]) -> str:
    known = any(finding.rule_id == it.rule_id for it in before)
    return f"{finding.rule_id} would be found {'once more' if known else 'then'}"


def _counts(findings: Iterable[Finding]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for finding in findings:
        counts[finding.rule_id] = counts.get(finding.rule_id, 0) + 1
    return counts


def _trait(finding: Finding) -> tuple[object, ...]:
    """What makes a finding the same in the next pass, in which lines may have moved."""
    return finding.rule_id, finding.identity, finding.message


def replaced(raw: bytes, fixes: Iterable[Fix]) -> bytes:
    """The bytes with all replacements made."""
    parts: list[bytes] = []
    position = 0
    replacements = sorted((it for fix in fixes for it in fix.replacements), key=lambda it: (it.start, it.end))
    for replacement in replacements:
        parts += (raw[position : replacement.start], replacement.text.encode())
        position = replacement.end
    parts.append(raw[position:])
    return b"".join(parts)


def _taken_back(offer: Offer, objection: str) -> str:
    finding, fix = offer
    place = finding.place
    return f"{place.line}:{place.column}: {finding.rule_id} is not fixed ({fix.description}): {objection}"


def _offers(findings: Iterable[Finding], unsafe: bool) -> list[Offer]:
    """The best fix of each finding that may be applied."""
    allowed = ((finding, [fix for fix in finding.fixes if fix.safe or unsafe]) for finding in findings)
    return [(finding, fixes[0]) for finding, fixes in allowed if fixes]


def _sign(offer: Offer) -> tuple[object, ...]:
    finding, fix = offer
    return *_trait(finding), fix.document, fix.description


def _compatible(offers: Iterable[Offer]) -> list[Offer]:
    """The offers that can be applied together: of two that overlap, the first."""
    chosen: list[Offer] = []
    taken: list[tuple[int, int]] = []
    locks: set[int] = set()
    for finding, fix in offers:
        spans = [(replacement.start, replacement.end) for replacement in fix.replacements]
        overlaps = any(start <= other_end and other <= end for start, end in spans for other, other_end in taken)
        if not overlaps and locks.isdisjoint(fix.locks):
            chosen.append((finding, fix))
            taken += spans
            locks |= fix.locks
    return chosen
