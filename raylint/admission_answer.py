"""The answer to an AdmissionReview, within what an API server and kubectl make of it (Kubernetes 1.30 to 1.37).

A warning with a control character is dropped without an error, so every text is cleaned. All warnings of a request
share 4,096 characters, whoever sends them; past that each is cut at 256. Where a denial's reason is ``Invalid``,
kubectl prints its causes and neither its message nor the webhook's name: hence "raylint" in each cause.
"""

from __future__ import annotations

import json

from raylint.admission_policy import Mode
from raylint.admission_review import API_VERSION
from raylint.report.terminal import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from raylint.admission_review import Review
    from raylint.finding import Finding

__all__ = ["Decision", "allowed", "audit", "clean", "denied", "fitted"]

LONGEST_WARNING = 256
# Of the 4,096: other webhooks and the API server itself want to be heard as well.
WARNING_BUDGET = 3_000
MOST_CAUSES = 20
LONGEST_CAUSE = 1_200
LONGEST_ANNOTATION = 4_096


class Decision:
    """What becomes of one finding. ``own`` is the mode where it began, ``mode`` where it ended. ``existing``: the
    object had it before this update. ``held_back``: it would refuse the write, and nothing but the mode that the
    policy has for this place lets it through. ``waived`` says by what it is let through, such as ``annotation``;
    ``reason`` is the reason that was given."""

    __slots__ = ("existing", "finding", "held_back", "mode", "own", "reason", "waived")

    def __init__(
        self, finding: Finding, own: Mode, mode: Mode, *, existing: bool = False, held_back: bool = False
    ) -> None:
        self.finding = finding
        self.own = own
        self.mode = mode
        self.existing = existing
        self.held_back = held_back
        self.waived = ""
        self.reason = ""

    @property
    def result(self) -> str:
        """For metrics and logs: the mode, or ``exempted``."""
        return "exempted" if self.waived else self.mode.label

    def waive(self, by: str, reason: str) -> None:
        self.waived, self.reason = by, reason
        self.mode = min(self.mode, Mode.AUDIT)
        self.held_back = False

    def was_there(self, most: Mode) -> None:
        """The object had it before: it counts ``most`` at the most."""
        self.existing = True
        self.mode = min(self.mode, most)
        self.held_back = self.held_back and most is Mode.ENFORCE


def clean(text: str, longest: int) -> str:
    """The text in one line of visible characters, cut where it is too long."""
    text = " ".join(text.split())
    if not (text.isascii() and text.isprintable()):
        text = printable(text)
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def allowed(review: Review, warnings: Iterable[str] = (), notes: dict[str, str] | None = None) -> dict[str, Any]:
    return _answer(review, {"allowed": True}, warnings, notes)


def denied(
    review: Review,
    decisions: Sequence[Decision],
    faults: Sequence[str],
    warnings: Iterable[str],
    notes: dict[str, str],
) -> dict[str, Any]:
    """422 Invalid. ``faults`` are sentences of raylint about itself that deny as well."""
    causes = [_cause(decision.finding) for decision in decisions]
    causes += [
        {"reason": "RL000", "message": clean(f"[raylint] {fault}", LONGEST_CAUSE), "field": ""} for fault in faults
    ]
    left = len(causes) - MOST_CAUSES
    del causes[MOST_CAUSES:]
    if left > 0:
        more = f"[raylint] {left} more: run raylint on the manifest"
        causes.append({"reason": "RL013", "message": more, "field": ""})
    lines = [f"{cause['field']}: {cause['message']}" if cause["field"] else cause["message"] for cause in causes]
    count = len(decisions) + len(faults)
    head = f"raylint refuses {clean(review.shown, LONGEST_WARNING)}: {count} finding{'s' * (count != 1)}"
    status = {
        "code": 422,
        "reason": "Invalid",
        "message": "\n".join([head, *lines]),
        "details": {
            "group": review.asked_group,
            "kind": review.asked_kind,
            "name": clean(review.name, LONGEST_WARNING),
            "causes": causes,
        },
    }
    return _answer(review, {"allowed": False, "status": status}, warnings, notes)


def _answer(
    review: Review, verdict: dict[str, Any], warnings: Iterable[str], notes: dict[str, str] | None
) -> dict[str, Any]:
    response: dict[str, Any] = {"uid": review.uid, **verdict}
    fitting = fitted(warnings)
    if fitting:
        response["warnings"] = fitting
    if notes:
        response["auditAnnotations"] = notes
    return {"apiVersion": API_VERSION, "kind": "AdmissionReview", "response": response}


def _cause(finding: Finding) -> dict[str, str]:
    text = f"[raylint {finding.rule_id}] {finding.message}; {finding.effect}. Fix: {finding.fix}"
    return {
        "reason": finding.rule_id,
        "message": clean(text, LONGEST_CAUSE),
        "field": clean(finding.place.path_text, LONGEST_WARNING),
    }


def warning(review: Review, finding: Finding) -> str:
    """One line. The object is named in it, because kubectl shows equal texts of a whole command once."""
    head = f"raylint {finding.rule_id} {review.shown} {finding.place.path_text}: {finding.message}"
    whole = f"{head}; fix: {finding.fix}"
    return whole if len(whole) <= LONGEST_WARNING else head


def fitted(warnings: Iterable[str]) -> list[str]:
    """The warnings without repetitions, each of a length that is never cut, as many as the budget takes; the last
    one then says how many are left out."""
    texts = list(dict.fromkeys(filter(None, (clean(text, LONGEST_WARNING) for text in warnings))))
    kept: list[str] = []
    room = WARNING_BUDGET
    for number, text in enumerate(texts):
        if len(text) > room:
            left = len(texts) - number
            kept.append(f"raylint: {left} more warning{'s' * (left != 1)}: run raylint on the manifest")
            break
        kept.append(text)
        room -= len(text)
    return kept


def audit(
    verdict: str, decisions: Sequence[Decision], exemptions: Sequence[dict[str, str]], ruleset: str
) -> dict[str, str]:
    """Audit annotations: keys and values as an audit log takes them. Lists are cut at whole entries."""
    notes = {"verdict": verdict, "ruleset": ruleset}
    shown = [
        {
            "rule": decision.finding.rule_id,
            "path": clean(decision.finding.place.path_text, LONGEST_WARNING),
            "mode": decision.result,
        }
        for decision in decisions
    ]
    would_deny = sorted(
        {item.finding.rule_id for item in decisions if item.own is Mode.ENFORCE and item.mode is not Mode.ENFORCE}
    )
    if shown:
        notes["findings"] = _listed(shown)
    if would_deny:
        notes["would-deny"] = clean(",".join(would_deny), LONGEST_ANNOTATION)
    if exemptions:
        notes["exemptions"] = _listed(exemptions)
    return notes


def _listed(entries: Sequence[dict[str, str]]) -> str:
    written: list[str] = []
    room = LONGEST_ANNOTATION - len("[]") - len('{"more":99999}')
    for number, entry in enumerate(entries):
        text = json.dumps(entry, separators=(",", ":"))
        if len(text) + 1 > room:
            written.append(f'{{"more":{len(entries) - number}}}')
            break
        written.append(text)
        room -= len(text) + 1
    return f"[{','.join(written)}]"
