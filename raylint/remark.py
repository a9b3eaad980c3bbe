"""What the reader says of a file, before the engine makes findings of it."""

from __future__ import annotations

from raylint.finding import path_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from raylint.clash import Clash
    from raylint.finding import Path, Span
    from raylint.position import Text

__all__ = ["Remark", "of_clash", "template", "unreadable"]

STOPS = "kubectl stops here: neither this document nor any after it in the file is applied"
STOPS_ABOVE = "kubectl stops here: neither the document above this line nor any below it is applied"
REFUSES = "kubectl refuses this document and goes on with the next"


class Remark:
    """One remark of the reader.

    ``document`` is the number of the document it is about, counted from 0 among the file's non-empty ones;
    ``related`` holds further places with a label each; ``lines`` the source lines of ``span``; ``overridden`` is a
    mapping and the key in it that another one overrides.
    """

    __slots__ = (
        "document",
        "effect",
        "fix",
        "lines",
        "message",
        "overridden",
        "path",
        "related",
        "rule_id",
        "span",
    )

    def __init__(
        self,
        rule_id: str,
        message: str,
        effect: str,
        fix: str,
        span: Span | None,
        document: int,
        path: Path = (),
        related: tuple[tuple[Span, str], ...] = (),
        lines: dict[int, str] | None = None,
    ) -> None:
        self.rule_id = rule_id
        self.message = message
        self.effect = effect
        self.fix = fix
        self.span = span
        self.document = document
        self.path = path
        self.related = related
        self.lines = lines or {}
        self.overridden: tuple[Any, Any] | None = None

    def __repr__(self) -> str:
        return f"Remark({self.rule_id}, {self.message!r}, {self.span})"


def unreadable(text: Text, span: Span, document: int, message: str, effect: str, fix: str) -> Remark:
    return Remark("RL001", message, effect, fix, span, document, lines=text.lines(span))


def template(text: Text, span: Span, document: int) -> Remark:
    message = "this is a template, not YAML: rendered output needed"
    effect = "raylint cannot read it as it stands, so nothing in this document is checked"
    fix = "have it rendered: raylint --helm CHART, or helm template CHART | raylint -"
    return Remark("RL008", message, effect, fix, span, document, lines=text.lines(span))


def of_clash(clash: Clash, text: Text, document: int) -> Remark:
    span = text.span(clash.later.start_mark.index, clash.later.end_mark.index)
    earlier = text.span(clash.earlier.start_mark.index, clash.earlier.end_mark.index)
    name = clash.path[-1]
    where = path_text(clash.path[:-1]) or "the document"
    rule_id = "RL010"
    if clash.ambiguous:
        rule_id = "RL011"
        message = f"key {name!r} is written twice in {where}, as two types; kubectl takes one of them at random"
        effect = "the value that reaches the cluster changes from one run of kubectl to the next"
        fix = "keep one of the two keys, in quotes"
    elif clash.merge:
        message = f"`<<` overrides the key {name!r} that is written above it in {where}"
        effect = "kubectl merges in the order of the text, so the value that is written here by hand is lost"
        fix = "move the `<<` line above the keys that are to win"
    else:
        message = f"key {name!r} is written twice in {where}; kubectl silently takes the last one"
        effect = "the earlier value is lost, and a reader that checks strictly refuses the document"
        fix = "remove one of the two"
    related = ((earlier, "first written here"),)
    remark = Remark(rule_id, message, effect, fix, span, document, clash.path, related, text.lines(span))
    if not (clash.ambiguous or clash.merge):
        remark.overridden = clash.mapping, clash.earlier
    return remark
