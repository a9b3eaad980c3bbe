"""The part of CEL that ``x-kubernetes-validations`` of KubeRay's CRDs use, and a little more.

A rule over ``self`` is compiled once to a function. What this part does not cover (macros, functions, arithmetic,
``oldSelf``) is not compiled: such a rule is left to the server rather than guessed at. A test holds the answers
against a complete CEL implementation.
"""

from __future__ import annotations

import re

from raylint.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    # Takes ``self``; raises _NoAnswerError where CEL would end in an error.
    Evaluation: TypeAlias = Callable[[Any], Any]

__all__ = ["compile_rule"]

_TOKEN = pattern(
    r"""\s*(?:(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<number>-?[0-9]+)(?![0-9.xeEu])
    |(?P<text>'(?:[^'\\\n])*'|"(?:[^"\\\n])*")
    |(?P<sign>&&|\|\||==|!=|<=|>=|[!<>()\[\],.]))""",
    re.VERBOSE,
)
_LITERALS = {"true": True, "false": False, "null": None}


class _UncoveredError(Exception):
    """The expression uses something that is not covered here."""


class _NoAnswerError(Exception):
    """CEL ends in an error: a field that is not there, or types that do not compare."""


def compile_rule(expression: str) -> Callable[[Any], bool | None] | None:
    """The rule as a function of ``self``: does it hold? The function answers None where CEL would end in an
    error. None instead of a function: the expression uses what is not covered (``oldSelf`` included).

    ``self`` must be as the server holds it: nulls pruned and defaults applied.
    """
    try:
        evaluation = _Parser(expression).parse()
    except _UncoveredError:
        return None

    def holds(value: Any) -> bool | None:
        try:
            answer = evaluation(value)
        except _NoAnswerError:
            return None
        return answer if isinstance(answer, bool) else None

    return holds


def _tokens(expression: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    at = 0
    stripped = expression.rstrip()
    while at < len(stripped):
        match = _TOKEN.match(stripped, at)
        if match is None or match.lastgroup is None:
            raise _UncoveredError
        found.append((match.lastgroup, match[match.lastgroup]))
        at = match.end()
    return found


class _Parser:
    """Recursive descent, from the weakest operator (``||``) to the strongest."""

    def __init__(self, expression: str) -> None:
        self.tokens = _tokens(expression)
        self.at = 0

    def parse(self) -> Evaluation:
        found = self.either()
        if self.at != len(self.tokens):
            raise _UncoveredError
        return found

    def take(self, *signs: str) -> str:
        """The next token if it is one of these signs or names, else ``""``."""
        if self.at < len(self.tokens):
            kind, token = self.tokens[self.at]
            if token in signs and kind in ("sign", "name"):
                self.at += 1
                return token
        return ""

    def need(self, sign: str) -> None:
        if not self.take(sign):
            raise _UncoveredError

    def either(self) -> Evaluation:
        found = self.both()
        while self.take("||"):
            found = _logic(found, self.both(), True)
        return found

    def both(self) -> Evaluation:
        found = self.relation()
        while self.take("&&"):
            found = _logic(found, self.relation(), False)
        return found

    def relation(self) -> Evaluation:
        found = self.negation()
        while sign := self.take("==", "!=", "<", "<=", ">", ">=", "in"):
            found = _relation(sign, found, self.negation())
        return found

    def negation(self) -> Evaluation:
        return _negation(self.negation()) if self.take("!") else self.member()

    def member(self) -> Evaluation:
        found = self.primary()
        while self.take("."):
            found = _field(found, self.name())
        return found

    def name(self) -> str:
        if self.at < len(self.tokens) and self.tokens[self.at][0] == "name":
            self.at += 1
            name = self.tokens[self.at - 1][1]
            # `self.size()` and its like are functions, and `__` begins an escaped name.
            if not name.startswith("__") and self.tokens[self.at : self.at + 1] != [("sign", "(")]:
                return name
        raise _UncoveredError

    def primary(self) -> Evaluation:
        if self.take("("):
            found = self.either()
            self.need(")")
            return found
        if self.take("["):
            return self.items()
        if self.take("has"):
            return self.presence()
        if self.take("size"):
            self.need("(")
            found = self.either()
            self.need(")")
            return _size(found)
        if self.take("self"):
            return lambda value: value
        return self.literal()

    def presence(self) -> Evaluation:
        self.need("(")
        owner = self.primary()
        self.need(".")
        name = self.name()
        while self.take("."):
            owner, name = _field(owner, name), self.name()
        self.need(")")
        return _presence(owner, name)

    def items(self) -> Evaluation:
        found: list[Evaluation] = []
        while not self.take("]"):
            if found:
                self.need(",")
            found.append(self.either())
        return lambda value: [item(value) for item in found]

    def literal(self) -> Evaluation:
        if self.at == len(self.tokens):
            raise _UncoveredError
        kind, token = self.tokens[self.at]
        self.at += 1
        if kind == "name" and token in _LITERALS:
            constant: Any = _LITERALS[token]
        elif kind == "number":
            constant = int(token)
        elif kind == "text":
            constant = token[1:-1]
        else:
            raise _UncoveredError
        return lambda value: constant


def _logic(left: Evaluation, right: Evaluation, decisive: bool) -> Evaluation:
    """``||`` (decisive: true) and ``&&`` (decisive: false): one decisive side is enough, even if the other side
    is an error."""

    def evaluate(value: Any) -> Any:
        failed = False
        for side in (left, right):
            try:
                answer = side(value)
            except _NoAnswerError:
                failed = True
                continue
            if answer is decisive:
                return decisive
            failed = failed or not isinstance(answer, bool)
        if failed:
            raise _NoAnswerError
        return not decisive

    return evaluate


def _negation(operand: Evaluation) -> Evaluation:
    def evaluate(value: Any) -> Any:
        answer = operand(value)
        if not isinstance(answer, bool):
            raise _NoAnswerError
        return not answer

    return evaluate


def _relation(sign: str, left: Evaluation, right: Evaluation) -> Evaluation:
    def evaluate(value: Any) -> Any:
        one, other = left(value), right(value)
        if sign == "in":
            if not isinstance(other, (list, dict)):
                raise _NoAnswerError
            return any(_equal(one, item) for item in other)
        if sign in ("==", "!="):
            return _equal(one, other) is (sign == "==")
        if not (_is_number(one) and _is_number(other)) and not (isinstance(one, str) and isinstance(other, str)):
            raise _NoAnswerError
        return _ORDERS[sign](one, other)

    return evaluate


_ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "<": lambda one, other: bool(one < other),
    "<=": lambda one, other: bool(one <= other),
    ">": lambda one, other: bool(one > other),
    ">=": lambda one, other: bool(one >= other),
}


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _equal(one: Any, other: Any) -> bool:
    """CEL tells true from 1, at any depth."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(one[key], other[key]) for key in one)
    return bool(one == other)


def _field(owner: Evaluation, name: str) -> Evaluation:
    def evaluate(value: Any) -> Any:
        found = owner(value)
        if not isinstance(found, dict) or name not in found:
            raise _NoAnswerError
        return found[name]

    return evaluate


def _presence(owner: Evaluation, name: str) -> Evaluation:
    def evaluate(value: Any) -> Any:
        found = owner(value)
        if not isinstance(found, dict):
            raise _NoAnswerError
        return name in found

    return evaluate


def _size(operand: Evaluation) -> Evaluation:
    def evaluate(value: Any) -> Any:
        found = operand(value)
        if not isinstance(found, (str, list, dict)):
            raise _NoAnswerError
        return len(found)

    return evaluate
