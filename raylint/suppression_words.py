"""How a suppression is written: in a comment, ``# raylint: ignore[RAY101] reason until=2027-01-31``; as an
annotation, ``raylint/ignore-RAY101: "reason; until=2027-01-31"``, or for several rules ``raylint/ignore:
RAY101,RAY204`` with ``raylint/ignore-reason`` and ``raylint/ignore-until`` beside it."""

from __future__ import annotations

import re

from raylint.expiry import is_day
from raylint.options import suggestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["ANNOTATION", "VERBS", "Words", "of_annotations", "of_comment"]

ANNOTATION = "raylint/ignore"
_REASON = f"{ANNOTATION}-reason"
_UNTIL_KEY = f"{ANNOTATION}-until"
# What a suppression covers: a node and all below it, an object, a file.
VERBS = ("ignore", "ignore-object", "ignore-file")

_START = re.compile(r"(?:^|#)\s*raylint:")
_NEAR = re.compile(
    r"(?:^|#)\s*(?:ray-?lint\s*:?|kube-?ray-?lint\s*:)\s*(?:ignore|noqa|disable|skip|nolint)\b", re.I
)
_BODY = re.compile(r"\s*([^\s\[\]]*)\s*(?:\[([^\[\]]*)\])?\s*(.*)", re.DOTALL)
_UNTIL = re.compile(r"(?:^|(?<=[\s;,(]))until\s*=\s*([^\s;,)]*)")


class Words:
    """One suppression, as it is written. ``rules`` are ids or names; ``fault`` says why it counts for nothing."""

    __slots__ = ("fault", "reason", "rules", "until", "verb")

    def __init__(self, verb: str, rules: list[str], rest: str, fault: str = "") -> None:
        self.verb = verb
        self.rules = rules
        self.until = ""
        days = _UNTIL.findall(rest)
        self.reason = re.sub(r"\s+", " ", _UNTIL.sub(" ", rest)).strip(" ;,:-")
        if not fault and len(days) > 1:
            fault = "it has two days until which it counts"
        elif not fault and days and not is_day(days[0]):
            fault = f"until={days[0]} is no day of the form until=2027-01-31"
        elif days:
            self.until = days[0]
        self.fault = fault


def of_comment(text: str) -> Iterator[Words]:
    """The suppressions in a comment, whose text stands behind the ``#``; nearly always there is none."""
    pieces = _START.split(text)
    if len(pieces) == 1:
        if _NEAR.search(text):
            yield Words("ignore", [], "", "a suppression begins with `# raylint: ignore[`")
        return
    for piece in pieces[1:]:
        yield _of_body(piece)


def _of_body(body: str) -> Words:
    match = _BODY.match(body)
    assert match is not None
    verb, listed, rest = match[1], match[2], match[3]
    if verb not in VERBS:
        known = suggestion(verb, VERBS) or f"; there are {', '.join(VERBS)}"
        return Words("ignore", [], "", f"raylint knows no {verb!r}{known}")
    if listed is None:
        return Words(verb, [], "", f"it names no rules: write `{verb}[RAY101]` with ids or names of rules")
    words = _listed(listed, rest)
    words.verb = verb
    return words


def of_annotations(annotations: Mapping[str, object]) -> Iterator[tuple[str, Words]]:
    """The suppressions among annotations, with their keys."""
    for key, value in annotations.items():
        if not key.startswith(ANNOTATION):
            if "raylint" in key and "ignore" in key:
                yield (
                    key,
                    Words(
                        "ignore", [], "", f"the keys are {ANNOTATION}-RULE and {ANNOTATION}, as they stand here"
                    ),
                )
            continue
        if key in (_REASON, _UNTIL_KEY):
            if ANNOTATION not in annotations:
                yield key, Words("ignore", [], "", f"there is no {ANNOTATION} beside it, which names the rules")
        elif not isinstance(value, str):
            yield key, Words("ignore", [], "", "the value of an annotation is a text")
        elif key == ANNOTATION:
            until = annotations.get(_UNTIL_KEY)
            day = f" until={until}" if until is not None else ""
            yield key, _listed(value, f"{annotations.get(_REASON) or ''}{day}")
        elif key.startswith(f"{ANNOTATION}-"):
            yield key, _listed(key[len(ANNOTATION) + 1 :], value)
        else:
            yield key, Words("ignore", [], "", f"the key is {ANNOTATION}-RULE, with the id or name of one rule")


def _listed(names: str, rest: str) -> Words:
    rules = [name.strip() for name in names.split(",")]
    return Words("ignore", [name for name in rules if name], rest, "" if all(rules) else "a rule's name is empty")
