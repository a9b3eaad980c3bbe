"""The structural walker: judges a value by a schema as the API server does, and finds every fault.

Sources (kubernetes v1.36): ``apiextensions-apiserver/pkg/apiserver/schema`` (pruning, defaulting, list types) and
``kube-openapi/pkg/validation`` (types, formats, limits). What matters and plain JSON Schema does not do:

* a null that is not nullable is no value: the field is absent, or has its default; as an item of a list it is an
  error;
* a required field with a default is never missing;
* a whole float is an integer, a boolean is not, and an integer must fit its format;
* fields that are not in the schema are dropped, or refused where the client asks for strict validation.

Parts are compiled when a value first meets them.
"""

from __future__ import annotations

from raylint.formats import INTEGER_RANGES
from raylint.judge import (
    accept,
    judge_boolean,
    judge_embedded_metadata,
    judge_int_or_string,
    judge_integer,
    judge_list,
    judge_number,
    judge_object,
    judge_string,
    judge_untyped,
    with_counts,
    with_rules,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeAlias

    from raylint.crd import Part
    from raylint.schema_fault import SchemaFault, Trail

    Check: TypeAlias = Callable[["Structure", Any, Trail, list[SchemaFault]], None]

__all__ = ["ANYTHING", "Structure", "Structures"]

_PLAIN_CLASSES = {"string": str, "boolean": bool}
# Keywords beside which a type alone does not decide.
_CONSTRAINTS = frozenset(
    (
        "enum",
        "format",
        "maxLength",
        "minLength",
        "pattern",
        "x-kubernetes-int-or-string",
        "x-kubernetes-validations",
    )
)
_NUMBER_LIMITS = frozenset(("enum", "minimum", "maximum", "multipleOf"))
_COUNTS = frozenset(("minItems", "maxItems", "minProperties", "maxProperties", "x-kubernetes-list-type"))


class Structure:
    """One part of a schema. ``plain`` is the class of which any value will do, where there is one.

    ``fields`` are the properties of an object, ``extra`` is what all other keys are judged by (None: there may be
    no others), ``items`` what the items of a list are judged by. ``open``: keys that are not known are kept as
    they are. ``check`` judges a value; ``compiled`` must have been called before the rest is read.
    """

    __slots__ = (
        "book", "check", "definition", "extra", "fields", "items", "least", "most", "nullable", "number", "open",
        "pattern", "plain", "required", "rules",
    )  # fmt: skip

    def __init__(self, book: Structures, definition: dict[str, Any]) -> None:
        self._begin(book)
        self._define(definition)

    def _begin(self, book: Structures) -> None:
        self.book = book
        self.plain: type | None = None
        self.check: Check = _compile_and_check

    def _define(self, definition: dict[str, Any]) -> None:
        self.definition = definition
        self.nullable = bool(definition.get("nullable"))
        self.open = bool(definition.get("x-kubernetes-preserve-unknown-fields"))
        if not _CONSTRAINTS & definition.keys():
            self.plain = _PLAIN_CLASSES.get(definition.get("type", ""))
        self.fields: dict[str, Structure] = {}
        self.extra: Structure | None = None
        self.items: Structure | None = None
        self.required: tuple[str, ...] = ()
        self.pattern: str | None = definition.get("pattern")
        self.least, self.most = INTEGER_RANGES.get(definition.get("format", ""), INTEGER_RANGES["int64"])
        self.rules: list[tuple[Callable[[Any], bool | None], str]] = []

    def compiled(self) -> Structure:
        """Itself, with its children; they are compiled when they are used."""
        if self.check is _compile_and_check:
            _compile(self)
        return self


class _NumberedStructure(Structure):
    """A part of which nothing but its number in the book is known. At the first question for anything else it
    looks itself up and becomes like the others: what has an answer for all questions is slow to be asked."""

    __slots__ = ()

    def __init__(self, book: Structures, number: int) -> None:
        self._begin(book)
        self.number = number

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            self.__class__ = Structure
            self._define(self.book.definitions[self.number])
            return getattr(self, name)


class Structures:
    """The parts of one set of tables (see ``raylint/crd.py``), compiled as they are needed."""

    __slots__ = ("_bare", "_by_number", "definitions")

    def __init__(self, definitions: Sequence[dict[str, Any]]) -> None:
        self.definitions = definitions
        self._by_number: dict[int, Structure] = {}
        self._bare: dict[str, Structure] = {}

    def part(self, part: Part) -> Structure:
        if isinstance(part, int):
            found = self._by_number.get(part)
            if found is None:
                found = self._by_number[part] = _NumberedStructure(self, part)
            return found
        if isinstance(part, str):
            found = self._bare.get(part)
            if found is None:
                found = self._bare[part] = Structure(self, {"type": part})
            return found
        return Structure(self, part)


# --- Compiling ---------------------------------------------------------------------------------------------


def _compile_and_check(structure: Structure, value: Any, trail: Trail, faults: list[SchemaFault]) -> None:
    _compile(structure)
    structure.check(structure, value, trail, faults)


def _compile(structure: Structure) -> None:
    definition = structure.definition
    kind = definition.get("type", "")
    part = structure.book.part
    structure.fields = {name: part(child) for name, child in definition.get("properties", {}).items()}
    if structure.open:
        structure.extra = ANYTHING
    elif "additionalProperties" in definition:
        structure.extra = part(definition["additionalProperties"])
    if definition.get("x-kubernetes-embedded-resource"):
        structure.fields |= {"apiVersion": part("string"), "kind": part("string"), "metadata": EMBEDDED_METADATA}
    if "items" in definition:
        structure.items = part(definition["items"])
    structure.required = tuple(
        name
        for name in definition.get("required", ())
        if name not in structure.fields or "default" not in structure.fields[name].definition
    )
    for rule in definition.get("x-kubernetes-validations", ()):
        from raylint.cel import compile_rule  # few manifests write a field with rules

        holds = compile_rule(rule["rule"])
        if holds is not None:
            structure.rules.append((holds, rule.get("message") or f"failed rule: {rule['rule']}"))
    check = _CHECKS.get(kind, judge_untyped)
    if definition.get("x-kubernetes-int-or-string"):
        check = judge_int_or_string
    elif kind == "integer" and not _NUMBER_LIMITS & definition.keys():
        check = judge_integer
    elif kind in ("object", "array") and _COUNTS & definition.keys():
        check = with_counts(check, definition)
    structure.check = with_rules(check) if structure.rules else check


_CHECKS: dict[str, Check] = {
    "object": judge_object,
    "array": judge_list,
    "string": judge_string,
    "integer": judge_number,
    "number": judge_number,
    "boolean": judge_boolean,
}

# Judges anything as good.
ANYTHING = Structure(Structures([]), {"x-kubernetes-preserve-unknown-fields": True})
ANYTHING.check = accept
ANYTHING.extra = ANYTHING
EMBEDDED_METADATA = Structure(Structures([]), {"type": "object"})
EMBEDDED_METADATA.check = judge_embedded_metadata
