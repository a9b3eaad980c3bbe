"""Which rules run, and how bad their findings are: selection and severity by id, alias or family."""

from __future__ import annotations

from operator import attrgetter

from raylint.errors import UsageError
from raylint.finding import Severity
from raylint.remarks import REMARKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from raylint.rule import Rule

__all__ = ["Choice", "Misnomer", "Pick", "catalogue", "choose", "choose_in_turn", "matching", "named_rule"]


class Choice:
    """The rules that run (remarks included) and the severities that differ from the rules' own, by rule id."""

    __slots__ = ("rules", "severities")

    def __init__(self, rules: tuple[Rule, ...], severities: dict[str, Severity]) -> None:
        self.rules = rules
        self.severities = severities


class Pick:
    """What one configuration, or the command line, says of the choice of rules: ``select`` begins anew,
    ``extend`` adds, ``ignore`` takes away. ``origin`` is where that is said, for people."""

    __slots__ = ("extend", "ignore", "origin", "select")

    def __init__(
        self,
        select: Sequence[str] = (),
        extend: Sequence[str] = (),
        ignore: Sequence[str] = (),
        origin: str = "",
    ) -> None:
        self.origin = origin
        self.select = select
        self.extend = extend
        self.ignore = ignore


def catalogue(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """The packs' rules and raylint's own remarks, by id."""
    return tuple(sorted((*REMARKS, *rules), key=attrgetter("id")))


def choose(
    rules: Sequence[Rule],
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
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
    return choose_in_turn(rules, [Pick(select, (), ignore)], [severities or {}], preview=preview)


def choose_in_turn(
    rules: Sequence[Rule],
    picks: Sequence[Pick],
    severities: Iterable[Mapping[str, str]] = (),
    *,
    preview: bool = False,
) -> Choice:
    """Pick rules by several say-sos, each of which changes what the ones before it have left: the farthest
    configuration first, the command line last. UsageError as for :func:`choose`."""
    known = catalogue(rules)
    picked = known if preview else tuple([rule for rule in known if not rule.preview])
    for pick in picks:
        if pick.select or pick.extend or pick.ignore:
            picked = _after(known, picked, pick, preview)
    levels: dict[str, Severity] = {}
    for wanted in severities:
        levels.update(_severities(known, wanted))
    return Choice(picked, levels)


def _after(known: Sequence[Rule], before: Sequence[Rule], pick: Pick, preview: bool) -> tuple[Rule, ...]:
    wanted = _weights(known, (*pick.select, *pick.extend))
    ignored = _weights(known, pick.ignore)
    kept = {rule.id for rule in before if not pick.select or rule.id.startswith("RL")}
    return tuple(rule for rule in known if _is_on(rule, wanted, ignored, rule.id in kept, preview))


def _is_on(rule: Rule, wanted: Mapping[str, int], ignored: Mapping[str, int], kept: bool, preview: bool) -> bool:
    weight = wanted.get(rule.id, 0)
    if rule.preview and not preview and weight < _exact(rule):
        weight = 0
    return (weight or int(kept)) > ignored.get(rule.id, 0)


def _weights(known: Sequence[Rule], selectors: Iterable[str]) -> dict[str, int]:
    """For each matched rule id the length of the most exact selector that names it (an alias counts as the id)."""
    weights: dict[str, int] = {}
    for selector in dict.fromkeys(selectors):
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
        from raylint.operator_checks import why_without_rule

        why = why_without_rule(selector)
        raise UsageError(
            f"{selector} is a check without a rule: {why}"
            if why
            else f"unknown rule {selector!r}{_suggestion(known, selector)}"
        )
    return found


# Letters that are taken for digits in many typefaces: RAY1O1 is RAY101.
_LOOK_ALIKE = str.maketrans("OIL", "011")


def _suggestion(known: Sequence[Rule], selector: str) -> str:
    from difflib import get_close_matches

    names = [rule.id for rule in known] + [rule.name for rule in known]
    family = selector.upper().rstrip("*#X.")
    if selector.upper() != family and any(rule.id.startswith(family) for rule in known if family):
        return f", did you mean {family!r}? a family is named by its beginning"
    looks = selector.upper().translate(_LOOK_ALIKE)
    close = [name for name in names if name.translate(_LOOK_ALIKE) == looks]
    close = (
        close or get_close_matches(selector.upper(), names, n=1) or get_close_matches(selector.lower(), names, n=1)
    )
    return f", did you mean {close[0]!r}?" if close else "; `raylint rules` lists them"


class Misnomer:
    """Why a text is not the name of one rule."""

    __slots__ = ("reason",)

    def __init__(self, reason: str) -> None:
        self.reason = reason


def named_rule(known: Sequence[Rule], name: str) -> str | Misnomer:
    """The id of the rule that is called ``name`` by its id or alias, and not by its family."""
    try:
        found = matching(known, name)
    except UsageError as error:
        return Misnomer(str(error))
    exact = [rule.id for rule in found if name.upper() == rule.id or name == rule.name]
    return exact[0] if exact else Misnomer(f"it is a family of rules, such as {found[0].id}; name each of them")
