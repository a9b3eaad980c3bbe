"""Fixes files: applies what the findings offer, looks at the outcome, and takes back what does harm.

In each pass the fixes that do not concern each other are applied together and the file is judged again, until
there is nothing left to fix. A fix stays only if the file can be read afterwards, its data changed as the fix says
and in nothing else, the finding is gone, and no rule finds more than before.
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


class Fixed:
    """What became of one file: its bytes, what is found in them, how many findings were fixed, and in words which
    fixes were taken back."""

    __slots__ = ("count", "raw", "result", "taken_back")

    def __init__(self, raw: bytes, result: FileResult) -> None:
        self.raw = raw
        self.result = result
        self.count = 0
        self.taken_back: list[str] = []


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
    fixed = Fixed(raw, result)
    given_up: set[tuple[object, ...]] = set()
    for _ in range(_MOST_PASSES):
        wanted = [finding for finding in fixed.result.findings if accepted is None or not accepted(finding)]
        offers = [offer for offer in _offers(wanted, unsafe) if _sign(offer) not in given_up]
        chosen = _compatible(offers)
        if not chosen:
            break
        objection = _apply(engine, fixed, chosen)
        while objection:
            # One of them does harm: each on its own, until one can be applied.
            offer = chosen.pop(0)
            objection = _apply(engine, fixed, [offer])
            if objection:
                given_up.add(_sign(offer))
                fixed.taken_back.append(_taken_back(offer, objection))
            if not chosen:
                break
    for offer in _offers(fixed.result.findings, unsafe):
        if _sign(offer) in given_up:
            offer[0].fixes = ()
    return fixed


def _apply(engine: Engine, fixed: Fixed, offers: Sequence[Offer]) -> str:
    """Apply the offers; where that does harm nothing is done, and the answer says why."""
    before = fixed.result
    raw = replaced(fixed.raw, [fix for _, fix in offers])
    after = engine.check(before.file, raw)
    objection = _objection(engine, before, after, offers)
    if not objection and not only_means_what_it_says(fixed.raw, raw, [fix for _, fix in offers]):
        objection = "something else would change with it"
    if not objection:
        fixed.count += len(before.findings) - len(after.findings)
        fixed.raw, fixed.result = raw, after
    return objection


def _objection(engine: Engine, before: FileResult, after: FileResult, offers: Sequence[Offer]) -> str:
    """What speaks against an outcome: a rule that finds more than it should. ``""``: nothing."""
    expected, found = _counts(engine, before), _counts(engine, after)
    for rule_id, count in found.items():
        if rule_id not in expected:
            return f"{rule_id} would be found then"
        # Where not all findings are told, those that are do not tell how many there are.
        if LEFT_OUT not in expected and count > expected[rule_id]:
            return f"{rule_id} would be found once more"
    for finding, _ in offers:
        id = finding.rule_id
        if LEFT_OUT not in expected and found.get(id, 0) > expected[id] - sum(
            it.rule_id == id for it, _ in offers
        ):
            return "it would still be found"
    return ""


def _counts(engine: Engine, result: FileResult) -> dict[str, int]:
    counts: dict[str, int] = {}
    for finding in (*result.findings, *engine.conclude(result.facts)):
        counts[finding.rule_id] = counts.get(finding.rule_id, 0) + 1
    return counts


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
    """What makes an offer the same in the next pass, in which lines may have moved."""
    finding, fix = offer
    return finding.rule_id, finding.identity, finding.message, fix.document, fix.description


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
