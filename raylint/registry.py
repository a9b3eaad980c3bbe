"""Which rules run, and how bad their findings are: selection and severity by id, alias or family."""

from __future__ import annotations

from raylint.errors import UsageError
from raylint.finding import Severity
from raylint.remarks import REMARKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from raylint.rule import Rule

__all__ = ["Choice", "catalogue", "choose", "matching"]


class Choice:
    """The rules that run (remarks included) and the severities that differ from the rules' own, by rule id."""

    __slots__ = ("rules", "severities")

    def __init__(self, rules: tuple[Rule, ...], severities: dict[str, Severity]) -> None:
        self.rules = rules
        self.severities = severities


def catalogue(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """The packs' rules and raylint's own remarks, by id."""
    return tuple(sorted((*REMARKS, *rules), key=lambda rule: rule.id))


def choose(
    rules: Sequence[Rule],
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    severities: Mapping[str, str] | None = None,
    *,
    preview: bool = False,
) -> Choice:
    """Pick rules. Without ``select`` all run that are not in preview; naming a preview rule, not its family alone,
    turns it on. Where a rule is both selected and ignored, the longer (more exact) selector wins, and ignoring
    wins a tie.

    raylint's remarks on unreadable files and on itself stay on unless they are ignored by name: to select a
    family of rules must not hide that a file was not read. Raises UsageError for a selector that matches nothing.
    """
    known = catalogue(rules)
    selected = _weights(known, select)
    ignored = _weights(known, ignore)
    everything = not selected
    if everything and not ignored:
        picked = tuple(rule for rule in known if preview or not rule.preview)
    else:
        picked = tuple(rule for rule in known if _is_on(rule, selected, ignored, everything, preview))
    return Choice(picked, _severities(known, severities or {}))


def _is_on(
    rule: Rule, selected: Mapping[str, int], ignored: Mapping[str, int], everything: bool, preview: bool
) -> bool:
    wanted = selected.get(rule.id, 0)
    if rule.preview and not preview and wanted < _exact(rule):
        wanted = 0
    if not wanted and (everything or rule.id.startswith("RL")) and (preview or not rule.preview):
        wanted = 1
    return wanted > ignored.get(rule.id, 0)


def _weights(known: Sequence[Rule], selectors: Iterable[str]) -> dict[str, int]:
    """For each matched rule id the length of the most exact selector that names it (an alias counts as the id)."""
    weights: dict[str, int] = {}
    for selector in selectors:
        for rule in matching(known, selector):
            weight = _exact(rule) if selector == rule.name else 1 + len(selector)
            weights[rule.id] = max(weights.get(rule.id, 0), weight)
    return weights


def _exact(rule: Rule) -> int:
    """The weight of a selector that names this rule and no family."""
    return 1 + len(rule.id)


def _severities(known: Sequence[Rule], wanted: Mapping[str, str]) -> dict[str, Severity]:
    chosen: dict[str, Severity] = {}
    for selector, level in wanted.items():
        severity = _level(level)
        chosen.update((rule.id, severity) for rule in matching(known, selector))
    return chosen


def _level(text: str) -> Severity:
    try:
        return Severity[text.upper()]
    except KeyError:
        raise UsageError(f"unknown severity {text!r}: use info, warning or error") from None


def matching(known: Sequence[Rule], selector: str) -> list[Rule]:
    """The rules that a selector names: an id (RAY101), an alias, or the beginning of ids (RAY, RAY1, KR). Raises
    UsageError, with a suggestion, where it names none."""
    by_alias = [rule for rule in known if rule.name == selector]
    found = by_alias or [rule for rule in known if selector and rule.id.startswith(selector.upper())]
    if not found:
        raise UsageError(f"unknown rule {selector!r}{_suggestion(known, selector)}")
    return found


def _suggestion(known: Sequence[Rule], selector: str) -> str:
    from difflib import get_close_matches

    names = [rule.id for rule in known] + [rule.name for rule in known]
    close = get_close_matches(selector.upper(), names, n=1) or get_close_matches(selector.lower(), names, n=1)
    return f", did you mean {close[0]!r}?" if close else "; `raylint rules` lists them"
