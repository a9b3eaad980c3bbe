"""Options of rules: the keyword-only parameters of a check, with their defaults.

A rule with options is a check such as ``def check(group: WorkerGroup, *, no_limit: int = 10_000)``; in the
configuration the option is called ``no-limit``. The page says what it means, under Options.
"""

from __future__ import annotations

from copy import copy
from functools import partial, update_wrapper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from raylint.rule import Rule

__all__ = ["RuleOption", "configured", "options_of"]


class RuleOption:
    """``type`` is ``int``, ``float``, ``bool``, ``str`` or ``tuple[str, ...]``, as the check's annotation says;
    numbers are not negative."""

    __slots__ = ("default", "parameter", "type")

    def __init__(self, parameter: str, type: str, default: object) -> None:
        self.parameter = parameter
        self.type = type
        self.default = default


def options_of(rule: Rule) -> dict[str, RuleOption]:
    """The options of a rule, by their names in the configuration."""
    check = rule.check
    defaults = getattr(check, "__kwdefaults__", None) or {}
    return {
        parameter.replace("_", "-"): RuleOption(parameter, check.__annotations__[parameter], default)
        for parameter, default in defaults.items()
    }


def configured(rule: Rule, settings: Mapping[str, Any]) -> Rule:
    """The rule with these options, which must be its own."""
    known = options_of(rule)
    values = {known[name].parameter: value for name, value in settings.items()}
    changed = copy(rule)
    changed.check = update_wrapper(partial(rule.check, **values), rule.check)
    return changed
