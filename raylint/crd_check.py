"""Is a part of a user's CRD what the API server would take? It refuses others, so none comes from a cluster; from
a hand or a generator one may."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["keyword_fault"]

_TYPES = ("array", "boolean", "integer", "number", "object", "string")


def keyword_fault(schema: object) -> str:
    """What is wrong with the keywords of one part, in words; ``""``: nothing."""
    if not isinstance(schema, dict):
        return "a schema is a mapping"
    for key, value in schema.items():
        known = _KEYWORDS.get(key)
        if known is not None and not known[0](value):
            return f"{key} is {known[1]}"
    return ""


def _is_switch(value: object) -> bool:
    return isinstance(value, bool)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < float("inf")


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_type(value: object) -> bool:
    # An empty one is none.
    return isinstance(value, str) and (not value or value in _TYPES)


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_pattern(value: object) -> bool:
    """A pattern that Python alone cannot read is let pass; brackets that do not pair are in no dialect."""
    if not isinstance(value, str):
        return False
    try:
        re.compile(value)
    except (re.error, OverflowError, RecursionError) as error:
        return not any(word in str(error) for word in ("unterminated", "unbalanced", "nothing to repeat"))
    return True


def _is_properties(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(name, str) for name in value)


def _is_rules(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(rule, dict)
        and isinstance(rule.get("rule"), str)
        and isinstance(rule.get("message", ""), (str, type(None)))
        for rule in value
    )


_SWITCH = (_is_switch, "true or false")
_NUMBER = (_is_number, "a number")
_COUNT = (_is_count, "a whole number, not negative")
_TEXTS = (_is_texts, "a list of texts")
_KEYWORDS: dict[str, tuple[Callable[[object], bool], str]] = {
    "type": (_is_type, f"one of {', '.join(_TYPES)}"),
    "format": (_is_text, "a text"),
    "pattern": (_is_pattern, "a regular expression"),
    "required": _TEXTS,
    "enum": (_is_list, "a list"),
    "minimum": _NUMBER,
    "maximum": _NUMBER,
    "multipleOf": (lambda value: _is_number(value) and value != 0, "a number other than 0"),
    "exclusiveMinimum": _SWITCH,
    "exclusiveMaximum": _SWITCH,
    "minLength": _COUNT,
    "maxLength": _COUNT,
    "minItems": _COUNT,
    "maxItems": _COUNT,
    "minProperties": _COUNT,
    "maxProperties": _COUNT,
    "nullable": _SWITCH,
    "properties": (_is_properties, "a mapping of schemas"),
    "items": (lambda value: isinstance(value, dict), "a schema"),
    "additionalProperties": (lambda value: isinstance(value, (dict, bool)), "a schema, true or false"),
    "x-kubernetes-int-or-string": _SWITCH,
    "x-kubernetes-preserve-unknown-fields": _SWITCH,
    "x-kubernetes-embedded-resource": _SWITCH,
    "x-kubernetes-list-map-keys": _TEXTS,
    "x-kubernetes-validations": (_is_rules, "a list of rules, each with a text `rule`"),
}
