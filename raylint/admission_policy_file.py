"""From the section ``webhook`` of a configuration, as :mod:`raylint.config.webhook_keys` has read it, to an
AdmissionPolicy."""

from __future__ import annotations

from raylint.admission_policy import AdmissionPolicy, Mode, RequestExemption
from raylint.config.webhook_keys import CONDITIONS
from raylint.finding import Severity
from raylint.registry import catalogue, matching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from raylint.rule import Rule

__all__ = ["admission_policy"]

_MODES = {mode.label: mode for mode in Mode}
_SEVERITIES = {severity.label: severity for severity in Severity}
_ON_EXISTING = {
    "warn": (Mode.WARN, Mode.WARN),
    "silent": (Mode.AUDIT, Mode.AUDIT),
    "by-user": (Mode.WARN, Mode.AUDIT),
}
# Settings whose values a policy takes as they are.
_PLAIN = {"on-rule-error": "on_rule_error"}
_MODE_OF = {"mode": "mode", "unverified-children": "unverified_children"}
_MODES_OF = {"namespaces": "namespaces", "kinds": "kinds"}


def admission_policy(section: Mapping[str, Any], rules: Sequence[Rule]) -> AdmissionPolicy:
    """``section``: what has been read, so that it is right. ``rules``: those that run."""
    known = catalogue(rules)
    given: dict[str, Any] = {}
    for key, value in section.items():
        if key in _PLAIN:
            given[_PLAIN[key]] = value
        elif key in _MODE_OF:
            given[_MODE_OF[key]] = _MODES[value]
        elif key in _MODES_OF:
            given[_MODES_OF[key]] = _modes(value)
        elif key == "severities":
            given[key] = {_SEVERITIES[name]: mode for name, mode in _modes(value).items()}
        elif key == "rules":
            given[key] = _rule_modes(_modes(value), known)
        elif key == "operators":
            given[key] = frozenset(value)
        elif key == "on-existing":
            given["on_existing"] = _ON_EXISTING[value]
        elif key == "exemptions":
            given[key] = tuple(_exemption(entry, known) for entry in value)
        elif key == "annotations":
            given |= _annotations(value, known)
        elif key == "break-glass":
            given |= {f"break_glass_{name}": frozenset(entries) for name, entries in value.items()}
    return AdmissionPolicy(**given)


def _modes(words: Mapping[str, str]) -> dict[str, Mode]:
    return {name: _MODES[word] for name, word in words.items()}


def _rule_modes(modes: Mapping[str, Mode], known: Sequence[Rule]) -> dict[str, Mode]:
    """By rule id; the longest selector that names a rule counts, its name or id most of all."""
    chosen: dict[str, tuple[int, Mode]] = {}
    for selector, mode in modes.items():
        for rule in matching(known, selector):
            weight = len(rule.id) if selector == rule.name else len(selector)
            if weight > chosen.get(rule.id, (0, mode))[0]:
                chosen[rule.id] = weight, mode
    return {id: mode for id, (_, mode) in chosen.items()}


def _rule_ids(selectors: Sequence[str], known: Sequence[Rule]) -> frozenset[str]:
    return frozenset(rule.id for selector in selectors for rule in matching(known, selector))


def _exemption(entry: Mapping[str, Any], known: Sequence[Rule]) -> RequestExemption:
    return RequestExemption(
        entry["reason"].strip(),
        rules=_rule_ids(entry["rules"], known) if "rules" in entry else None,
        expires=entry.get("until", ""),
        **{name: tuple(entry[name]) for name in CONDITIONS if name in entry},
    )


def _annotations(entries: Mapping[str, Any], known: Sequence[Rule]) -> dict[str, object]:
    return {
        "annotations": entries.get("allow", True),
        "annotation_namespaces": tuple(entries.get("namespaces", ())),
        "annotation_groups": tuple(entries.get("groups", ())),
        "locked": _rule_ids(entries.get("locked", ()), known),
    }
