"""The settings that hold in the end: the configuration's layers, the environment, then the command line."""

from __future__ import annotations

from copy import copy

from raylint.config.keys import CHOICES, flags_by_key
from raylint.config.layers import profile_layer
from raylint.errors import UsageError
from raylint.options import OPPOSED
from raylint.registry import Choice, Pick, catalogue, matching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from raylint.config.layers import Layer
    from raylint.options import Options
    from raylint.rule import Rule

__all__ = ["settled", "with_mandatory"]


def settled(options: Options, layers: Sequence[Layer]) -> Options:
    """The options with what the layers say, the last one over the others; what a flag or a variable says stays.

    ``origins`` tells where each value comes from, by the name of its setting; an entry of a mapping is called
    ``severity.RAY101``.
    """
    result = copy(options)
    result.origins = dict(options.origins)
    mappings = [flag.attribute for flag in flags_by_key().values() if flag.kind == "mapping"]
    for attribute in mappings:
        setattr(result, attribute, {})
    result.rule_options = {}
    result.suppressions = {}
    result.webhook = {}
    result.cel_rules = {}
    picks: list[Pick] = []
    layers = list(layers)
    if options.profile:
        layers.append(profile_layer(options.profile, lambda message: UsageError(f"--profile: {message}")))
    for layer in layers:
        select, extend, ignore = (layer.values.get(key, []) for key in CHOICES)
        picks.append(Pick(select, extend, ignore, layer.spot.text.shown))
        for key, value in layer.values.items():
            _take(result, options, layer, key, value)
    for attribute in mappings:
        _merge(getattr(result, attribute), getattr(options, attribute))
    result.picks = [*picks, *options.picks]
    return result


def _take(result: Options, options: Options, layer: Layer, key: str, value: Any) -> None:
    if key == "rules":
        for rule_id, settings in value.items():
            result.rule_options.setdefault(rule_id, {}).update(settings)
            _say(result, layer, *(("rules", rule_id, name) for name in settings))
        return
    if key in ("suppressions", "webhook"):
        getattr(result, key).update(value)
        _say(result, layer, *((key, name) for name in value))
        return
    if key == "cel-rules":
        for rule in value:
            result.cel_rules[rule.id] = rule
            result.origins[f"{key}.{rule.id}"] = layer.place(key)
        return
    if key in CHOICES:
        # They are applied in turn.
        return
    flag = flags_by_key()[key]
    if isinstance(value, dict):
        _merge(getattr(result, flag.attribute), value)
        for name in value:
            result.origins[f"{key}.{name}"] = f"{layer.place(key)}"
        return
    if flag.long in options.given or key in options.origins or OPPOSED.get(key) in options.given:
        return
    if options.command in (*flag.commands, "config"):
        setattr(result, flag.attribute, value)
        result.origins[key] = layer.place(key)
        if key == "exclude":
            result.exclude_base = layer.spot.text.folder


def _say(result: Options, layer: Layer, *paths: tuple[str, ...]) -> None:
    for path in paths:
        spot = layer.spot
        for step in path:
            spot = spot.at(step)
        result.origins[".".join(path)] = spot.place


def _merge(known: dict[str, Any], nearer: dict[str, Any]) -> None:
    """The nearer one's entries win and come last: a family in it must not be outdone by a rule that is farther."""
    for name, value in nearer.items():
        known.pop(name, None)
        known[name] = value


def with_mandatory(
    choice: Choice, settings: Options, mandatory: Sequence[tuple[str, str]], rules: Sequence[Rule]
) -> tuple[Choice, frozenset[str]]:
    """The choice with all mandatory rules in it, and their ids. UsageError: one is ignored or made milder."""
    if not mandatory:
        return choice, frozenset()
    known = catalogue(rules)
    places = {rule.id: place for selector, place in mandatory for rule in matching(known, selector)}
    ignored = {
        rule.id
        for pick in (*settings.picks, Pick(ignore=settings.ignore))
        for selector in {*pick.ignore}
        for rule in matching(known, selector)
    }
    running = {rule.id for rule in choice.rules}
    added = []
    for rule in known:
        place = places.get(rule.id)
        if place is None:
            continue
        if rule.id not in running:
            if rule.id in ignored:
                raise UsageError(f"{rule.id} ({rule.name}) is mandatory ({place}) and cannot be ignored")
            added.append(rule)
        level = choice.severities.get(rule.id, rule.severity)
        if level < rule.severity:
            raise UsageError(
                f"{rule.id} ({rule.name}) is mandatory ({place}) and cannot be made milder than"
                f" {rule.severity.label}"
            )
    if added:
        everything = (*choice.rules, *added)
        choice = Choice(tuple(sorted(everything, key=lambda rule: rule.id)), choice.severities)
    return choice, frozenset(places)
