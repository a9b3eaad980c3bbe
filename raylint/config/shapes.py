"""What a value of the configuration may be. One description serves two readers: the check of a file, which tells
the place of what is wrong, and the JSON Schema for editors.

A validator for JSON Schema would take longer to import than linting a hundred files takes, knows no places and no
suggestions; a test holds that both judge alike.
"""

from __future__ import annotations

from raylint.errors import UsageError
from raylint.options import suggestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from raylint.config.text import Spot
    from raylint.options import Flag

__all__ = [
    "Date",
    "FlagValue",
    "ListOf",
    "MapOf",
    "Number",
    "OneOf",
    "OneOrMore",
    "Record",
    "Shape",
    "Switch",
    "Text",
]


class Shape:
    """``read`` gives what a value means; UsageError, with the place, where it is none of this shape."""

    kind = "a value"

    def __init__(self, help: str = "") -> None:
        self.help = help

    def read(self, value: object, spot: Spot) -> Any:
        return value

    def schema(self) -> dict[str, Any]:
        return {"description": self.help} if self.help else {}

    def described(self, **schema: Any) -> dict[str, Any]:
        return {**Shape.schema(self), **schema}

    def refuse(self, spot: Spot, value: object) -> UsageError:
        return spot.error(f"{_named(spot)} is {self.kind}{_shown(self.kind, value)}")


def _shown(kind: str, value: object) -> str:
    """How what was written would be of the kind, where but its frame is wrong."""
    if kind == "a list" and isinstance(value, dict):
        return ", with `- ` before each entry"
    if kind == "a list" and isinstance(value, str):
        return f", such as [{value}]"
    return ", without `- ` before its entries" if kind.startswith("a mapping") and isinstance(value, list) else ""


class Switch(Shape):
    kind = "true or false"

    def read(self, value: object, spot: Spot) -> Any:
        if not isinstance(value, bool):
            raise self.refuse(spot, value)
        return value

    def schema(self) -> dict[str, Any]:
        return self.described(type="boolean")


class Number(Shape):
    """A whole number, or any with ``fractions``, that is not negative."""

    def __init__(self, help: str = "", *, fractions: bool = False) -> None:
        super().__init__(help)
        self.fractions = fractions
        self.kind = "a number, not negative" if fractions else "a whole number, not negative"

    def read(self, value: object, spot: Spot) -> Any:
        wanted = (int, float) if self.fractions else (int,)
        if isinstance(value, bool) or not isinstance(value, wanted) or not 0 <= value < float("inf"):
            raise self.refuse(spot, value)
        return value

    def schema(self) -> dict[str, Any]:
        return self.described(type="number" if self.fractions else "integer", minimum=0)


class Text(Shape):
    """A text that is not empty. ``check`` may refuse it with a UsageError that knows no place."""

    kind = "a text in quotes"

    def __init__(self, help: str = "", check: Callable[[str], object] | None = None) -> None:
        super().__init__(help)
        self.check = check

    def read(self, value: object, spot: Spot) -> Any:
        if not isinstance(value, str) or not value.strip():
            raise self.refuse(spot, value)
        if self.check is not None:
            try:
                self.check(value)
            except UsageError as error:
                raise spot.error(error) from None
        return value

    def schema(self) -> dict[str, Any]:
        return self.described(type="string", pattern="\\S")


class OneOf(Shape):
    """One of a few words."""

    def __init__(self, words: tuple[str, ...], help: str = "") -> None:
        super().__init__(help)
        self.words = words
        self.kind = f"one of {', '.join(words)}"

    def read(self, value: object, spot: Spot) -> Any:
        if value not in self.words:
            near = suggestion(value, self.words) if isinstance(value, str) else ""
            raise spot.error(f"{_named(spot)} is {self.kind}{near}")
        return value

    def schema(self) -> dict[str, Any]:
        return self.described(enum=list(self.words))


class Date(Shape):
    """A day, such as 2027-03-31; the last one on which something counts."""

    kind = "a day, such as 2027-03-31"

    def read(self, value: object, spot: Spot) -> Any:
        from raylint.expiry import is_day

        # TOML has days of its own.
        text = value if isinstance(value, str) else getattr(value, "isoformat", str)()
        if not is_day(text):
            raise self.refuse(spot, value)
        return text

    def schema(self) -> dict[str, Any]:
        return self.described(type="string", format="date", pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$")


class ListOf(Shape):
    kind = "a list"

    def __init__(self, item: Shape, help: str = "") -> None:
        super().__init__(help)
        self.item = item

    def read(self, value: object, spot: Spot) -> Any:
        if not isinstance(value, list):
            raise self.refuse(spot, value)
        return [self.item.read(item, spot.at(number)) for number, item in enumerate(value)]

    def schema(self) -> dict[str, Any]:
        return self.described(type="array", items=self.item.schema())


class OneOrMore(ListOf):
    """A list; one item may stand alone."""

    def read(self, value: object, spot: Spot) -> Any:
        return super().read(value, spot) if isinstance(value, list) else [self.item.read(value, spot)]

    def schema(self) -> dict[str, Any]:
        return self.described(anyOf=[self.item.schema(), {"type": "array", "items": self.item.schema()}])


class MapOf(Shape):
    """A mapping whose keys are free; ``key`` may refuse one with a UsageError that knows no place."""

    kind = "a mapping"

    def __init__(self, value: Shape, help: str = "", key: Callable[[str], object] | None = None) -> None:
        super().__init__(help)
        self.value = value
        self.key = key

    def read(self, value: object, spot: Spot) -> Any:
        if not isinstance(value, dict):
            raise self.refuse(spot, value)
        found = {}
        for name, item in value.items():
            if self.key is not None:
                try:
                    self.key(name)
                except UsageError as error:
                    raise spot.at(name).error(error) from None
            found[name] = self.value.read(item, spot.at(name))
        return found

    def schema(self) -> dict[str, Any]:
        return self.described(type="object", additionalProperties=self.value.schema())


class Record(Shape):
    """A mapping of known settings. A null is as good as nothing.

    ``hints`` names the setting that is meant by a word much unlike it, ``around`` those of the whole
    configuration, for a setting that stands too deep.
    """

    kind = "a mapping of settings"

    def __init__(
        self,
        fields: Mapping[str, Shape],
        help: str = "",
        required: tuple[str, ...] = (),
        hints: Mapping[str, str] | None = None,
        around: Mapping[str, Shape] | None = None,
    ) -> None:
        super().__init__(help)
        self.fields = fields
        self.required = required
        self.hints = hints or {}
        self.around = {} if around is None else around

    def read(self, value: object, spot: Spot) -> Any:
        if not isinstance(value, dict):
            raise self.refuse(spot, value)
        found = {}
        for name, item in value.items():
            shape = self.fields.get(name)
            if shape is None:
                raise spot.at(name).error(f"unknown setting {name!r}{self._hint(name)}")
            if item is not None:
                found[name] = shape.read(item, spot.at(name))
        for name in self.required:
            if name not in found:
                raise spot.error(f"{_named(spot)} has no {name}")
        return found

    def _hint(self, name: str) -> str:
        for owner, shape in self.fields.items():
            if isinstance(shape, Record) and name in shape.fields:
                return f": it stands under {owner}"
        if name in self.hints:
            return f" (did you mean {self.hints[name]}?)"
        if name in self.around:
            return ": it counts for all files and stands at the outermost level"
        return suggestion(name, self.fields) or f"; there are {', '.join(self.fields)}"

    def schema(self) -> dict[str, Any]:
        fields = {name: _nullable(shape.schema(), name in self.required) for name, shape in self.fields.items()}
        required = {"required": list(self.required)} if self.required else {}
        return self.described(type="object", additionalProperties=False, properties=fields, **required)


class FlagValue(Shape):
    """What a flag of the command line takes, read by the flag itself so that both mean the same."""

    def __init__(self, flag: Flag) -> None:
        super().__init__(flag.help)
        self.flag = flag
        self.kind = _FLAG_KINDS[flag.kind]

    def read(self, value: object, spot: Spot) -> Any:
        flag = self.flag
        if flag.kind == "list" and isinstance(value, list):
            return self._list(value, spot)
        try:
            if flag.kind == "switch" and isinstance(value, bool):
                return value
            if flag.kind == "mapping" and isinstance(value, dict):
                return flag.value(",".join(f"{key}={_word(item)}" for key, item in value.items())) if value else {}
            if flag.kind == "number" and isinstance(value, int) and not isinstance(value, bool):
                return flag.value(str(value))
            if flag.kind in ("text", "number") and isinstance(value, str):
                return flag.value(value)
        except UsageError as error:
            raise spot.error(error) from None
        raise self.refuse(spot, value)

    def _list(self, value: list[object], spot: Spot) -> list[object]:
        items: list[object] = []
        for number, item in enumerate(value):
            if not isinstance(item, str):
                raise spot.at(number).error(f"{spot.path[-1]} is a list of texts")
            try:
                part = self.flag.value(item)
            except UsageError as error:
                raise spot.at(number).error(error) from None
            items += part if isinstance(part, list) else [part]
        return items

    def schema(self) -> dict[str, Any]:
        if self.flag.choices:
            return self.described(enum=list(self.flag.choices))
        return self.described(**_FLAG_SCHEMAS[self.flag.kind])


_FLAG_KINDS = {
    "switch": "true or false",
    "list": "a list",
    "mapping": "a mapping",
    "number": "a whole number",
    "text": "a text in quotes",
}
_WORDS = {"type": ["string", "boolean"]}
_FLAG_SCHEMAS: dict[str, dict[str, Any]] = {
    "switch": {"type": "boolean"},
    "list": {"type": "array", "items": {"type": "string", "minLength": 1}},
    "mapping": {"type": "object", "additionalProperties": _WORDS},
    "number": {"type": ["integer", "string"], "minimum": 0},
    "text": {"type": "string", "minLength": 1},
}


def _named(spot: Spot) -> str:
    """What a complaint calls a value: its key, or its list's for an item."""
    if not spot.path:
        return "a configuration"
    last = spot.path[-1]
    return f"entry {last + 1} of {spot.path[-2]}" if isinstance(last, int) else last


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _nullable(schema: dict[str, Any], required: bool) -> dict[str, Any]:
    """A key without a value is allowed; a key that must be there needs one."""
    if required:
        return schema
    help = {"description": schema["description"]} if "description" in schema else {}
    return {
        **help,
        "anyOf": [{key: value for key, value in schema.items() if key != "description"}, {"type": "null"}],
    }
