"""The settings of a configuration: those of the flags by the flags' names, and a few that no flag has.

A setting concerns the files below the configuration (``FOR_FILES``: what they are judged by) or the run as a whole
(all other flags: how to report, what to read). The latter count in the configuration of the working directory.
"""

from __future__ import annotations

from functools import cache

from raylint.config.shapes import (
    Date,
    FlagValue,
    ListOf,
    MapOf,
    Number,
    OneOf,
    OneOrMore,
    Record,
    Shape,
    Switch,
    Text,
)
from raylint.errors import UsageError
from raylint.options import FLAGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from raylint.config.text import Spot
    from raylint.options import Flag
    from raylint.rule import Rule

__all__ = [
    "CHOICES",
    "FOR_FILES",
    "TARGET",
    "declared_rules",
    "exact_rule",
    "flags_by_key",
    "known_rules",
    "table",
]

TARGET = ("kuberay", "ray", "kubernetes", "feature-gates", "crd")
CHOICES = ("select", "extend-select", "ignore")
FOR_FILES = (*CHOICES, "severity", "preview", "min-confidence", "fail-on", *TARGET)
_PATTERNS = "patterns as in a .gitignore, relative to this file's folder"
# They say where the configuration is, or ask for something else than a run.
_NO_KEYS = ("--config", "--no-config", "--version", "--help")


# The rules that configurations write themselves, by id: the names of one may stand in any that is read after it.
_declared: dict[str, Rule] = {}


def known_rules() -> tuple[Rule, ...]:
    return (*_installed(), *(_declared[id] for id in sorted(_declared))) if _declared else _installed()


@cache
def _installed() -> tuple[Rule, ...]:
    from raylint.packs import installed_rules
    from raylint.registry import catalogue

    return catalogue(installed_rules())


def declared_rules(written: object, spot: Spot) -> list[Rule]:
    """The rules of ``cel-rules``, whose names are known from now on. UsageError: one cannot be used."""
    from raylint.cel_rules import cel_rule

    rules: dict[str, Rule] = {}
    for number, entry in enumerate(CEL_RULES.read(written, spot)):
        made = cel_rule(entry, spot.at(number).at("expression").place)
        for known in (*_installed(), *rules.values()):
            if made.id == known.id or made.name in (known.id, known.name):
                raise spot.at(number).at("id").error(f"there is a rule {known.id} ({known.name}) already")
        rules[made.id] = made
    _declared.update(rules)
    return list(rules.values())


def _selector(text: str) -> None:
    from raylint.registry import matching

    matching(known_rules(), text)


def _pattern_of_files(text: str) -> None:
    """A pattern with ``./`` or ``../`` matches nothing in a .gitignore, so its settings would never count."""
    start, _, rest = text.removeprefix("!").partition("/")
    if start == ".":
        instead = f"/{rest}" if rest else "**"
        raise UsageError(
            f"{text!r} matches no file: patterns begin in this file's folder without ./, as in {instead!r}"
        )
    if start == "..":
        raise UsageError(f"{text!r} matches no file: a configuration is for the files of its folder and below")


def _exempted(text: str) -> None:
    from raylint.registry import matching
    from raylint.remarks import RULE_CRASHED

    if {rule.id for rule in matching(known_rules(), text)} == {RULE_CRASHED}:
        raise UsageError(f"{text} says that raylint itself failed, and cannot be accepted")


def exact_rule(text: str) -> Rule:
    """The one rule of this id or name. UsageError: there is none, or a family is named."""
    from raylint.errors import UsageError
    from raylint.registry import Misnomer, named_rule

    found = named_rule(known_rules(), text)
    if isinstance(found, Misnomer):
        raise UsageError(found.reason)
    return next(rule for rule in known_rules() if rule.id == found)


class Selectors(FlagValue):
    """A flag's list of rules."""

    def read(self, value: object, spot: Spot) -> Any:
        found = super().read(value, spot)
        known: set[str] = set()  # each look goes through all rules, and one may be written thousands of times
        for number, item in enumerate(value if isinstance(value, list) else ()):
            for part in str(item).split(","):
                if part not in known:
                    Text(check=_selector).read(part.strip(), spot.at(number))
                    known.add(part)
        return found


class Levels(FlagValue):
    """The severities of rules."""

    def read(self, value: object, spot: Spot) -> Any:
        found = super().read(value, spot)
        for name in found:
            Text(check=_selector).read(name, spot.at(name))
        return found


class OptionsOfRules(Shape):
    """``RULE: {option: value}``."""

    kind = "a mapping of rules"

    def read(self, value: object, spot: Spot) -> Any:
        from raylint.rule_options import options_of

        found: dict[str, dict[str, Any]] = {}
        for name, settings in MapOf(Shape(), key=exact_rule).read(value, spot).items():
            rule = exact_rule(name)
            shapes: dict[str, Shape] = {
                key: _OPTION_SHAPES[option.type] for key, option in options_of(rule).items()
            }
            if not shapes:
                raise spot.at(name).error(
                    f"{rule.id} ({rule.name}) has no options; ignore: [{rule.id}] turns it off"
                )
            found.setdefault(rule.id, {}).update(Record(shapes).read(settings, spot.at(name)))
        return found

    def schema(self) -> dict[str, Any]:
        from raylint.rule_options import options_of

        fields = {}
        for rule in known_rules():
            shapes = {key: _OPTION_SHAPES[option.type] for key, option in options_of(rule).items()}
            if shapes:
                fields[rule.id] = fields[rule.name] = Record(shapes).schema()
        return self.described(type="object", properties=fields, additionalProperties=False)


class WebhookSection(Shape):
    """Made when somebody writes it, which few configurations do."""

    def read(self, value: object, spot: Spot) -> Any:
        return self._record.read(value, spot)

    def schema(self) -> dict[str, Any]:
        return self._record.schema()

    @property
    def _record(self) -> Record:
        from raylint.config.webhook_keys import webhook_section

        return webhook_section(_selector)


_OPTION_SHAPES: dict[str, Shape] = {
    "int": Number(),
    "float": Number(fractions=True),
    "bool": Switch(),
    "str": Text(),
    "tuple[str, ...]": ListOf(Text()),
}


def flags_by_key() -> dict[str, Flag]:
    """The flags that are settings, by their keys."""
    return {flag.long.removeprefix("--"): flag for flag in FLAGS if flag.long not in _NO_KEYS}


def _flag_shape(key: str, flag: Flag) -> Shape:
    if key in CHOICES:
        return Selectors(flag)
    return Levels(flag) if key == "severity" else FlagValue(flag)


# What other linters call it.
_OF_OTHER_LINTERS = {"disable": "ignore", "disabled": "ignore", "skip": "ignore", "enable": "extend-select"}


@cache
def table() -> Record:
    """The whole configuration."""
    flags = flags_by_key()
    shapes = {key: _flag_shape(key, flag) for key, flag in flags.items()}
    target = Record({key: shapes.pop(key) for key in TARGET}, "the releases that the manifests are judged for")
    judged: dict[str, Shape] = {
        **{key: shapes[key] for key in FOR_FILES if key not in TARGET},
        "profile": shapes["profile"],
        "target": target,
        "rules": OptionsOfRules("options of single rules, as their pages list them"),
    }
    override = {"files": OneOrMore(Text(check=_pattern_of_files), _PATTERNS), **judged}
    # An override names these where one of them stands in it.
    fields: dict[str, Shape] = {}
    fields |= {
        "extends": OneOrMore(
            Text(), "profiles, paths of other configurations, or pkg:PACKAGE/FILE; a later one wins"
        ),
        **shapes,
        **judged,
        "mandatory": ListOf(Text(check=_selector), "rules that nothing can suppress, ignore or make milder"),
        "suppressions": Record(
            {
                "require-reason": Switch("a suppression without a reason does not count"),
                "max-days": Number("a suppression needs an until= of at most so many days from today"),
            },
            "what a suppression in a manifest must have",
        ),
        "overrides": ListOf(
            Record(override, required=("files",), hints={"paths": "files", "path": "files"}, around=fields),
            "other settings for some files; a later one wins",
        ),
        "exemptions": ListOf(_exemption(), "findings that are accepted where no manifest can say so"),
        "cel-rules": CEL_RULES,
        "webhook": WebhookSection(),
    }
    help = "The configuration of raylint: .raylint.yaml, or [tool.raylint] of pyproject.toml."
    return Record(fields, help, hints=_OF_OTHER_LINTERS)


def _cel_id(text: str) -> None:
    from raylint.cel_rules import check_id

    check_id(text)


def _cel_expression(text: str) -> None:
    from raylint.cel_rules import check_expression

    check_expression(text)


_KINDS = ("RayCluster", "RayJob", "RayService", "RayCronJob")
CEL_RULES = ListOf(
    Record(
        {
            "id": Text("an id of your own, such as ACME101", check=_cel_id),
            "name": Text("a name that can stand for the id"),
            "severity": OneOf(("error", "warning", "info"), "default: warning"),
            "kinds": ListOf(OneOf(_KINDS), "the kinds that it is for; default: all of them"),
            "expression": Text("CEL; what is fine makes it true", check=_cel_expression),
            "message": Text("what is wrong where it is false"),
            "fix": Text("what to write instead"),
            "at": Text("the field to point at, such as spec.headGroupSpec; default: metadata.name"),
        },
        required=("id", "expression", "message"),
    ),
    "rules of your own in CEL",
)


def _exemption() -> Record:
    return Record(
        {
            "rule": OneOrMore(Text(check=_exempted), "ids, names or families of rules"),
            "kind": Text("the object's kind; * and ? are wildcards, as in namespace and name"),
            "namespace": Text("the object's namespace, as the manifest writes it"),
            "name": Text("the object's name"),
            "files": OneOrMore(Text(check=_pattern_of_files), _PATTERNS),
            "reason": Text("why this is accepted"),
            "until": Date("the last day on which it is accepted"),
        },
        required=("rule", "reason"),
    )
