"""Rules of the custom resources are evaluated as a complete CEL implementation evaluates them."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

import cel
import pytest

import raylint_schemas
from raylint.cel import compile_rule
from raylint.target import KUBERAY_RELEASES

SEED = 20261130


def bundled_rules() -> list[str]:
    """Every rule of every bundled release."""
    found = set()
    for release in KUBERAY_RELEASES:
        tables = raylint_schemas.load(release)
        assert tables is not None
        for part in tables["definitions"]:
            found |= {rule["rule"] for rule in (part or {}).get("x-kubernetes-validations", ())}
    return sorted(found)


def objects(*names: str) -> Iterator[dict[str, Any]]:
    for values in itertools.product((None, {"policy": "DeleteSelf"}), repeat=len(names)):
        yield {name: value for name, value in zip(names, values, strict=True) if value is not None}


VALUES: list[Any] = [
    *objects("onSuccess", "onFailure", "deletionRules", "jobStatus", "jobDeploymentStatus"),
    "", "a", "ray.io/kuberay-operator", "kueue.x-k8s.io/multikueue", "DeleteCluster", "deletecluster",
    "DeleteNone",
]  # fmt: skip


def answer_of_library(expression: str, value: Any) -> bool | None:
    """None: CEL ends in an error."""
    try:
        answer = cel.evaluate(expression, {"self": value})
    except Exception:
        return None
    assert isinstance(answer, bool)
    return answer


def test_all_bundled_rules_but_those_about_changes_are_evaluated() -> None:
    rules = bundled_rules()
    assert len(rules) == 7
    left_to_the_server = [rule for rule in rules if compile_rule(rule) is None]
    assert left_to_the_server == ["self == oldSelf"]


@pytest.mark.parametrize("expression", [rule for rule in bundled_rules() if "oldSelf" not in rule])
def test_bundled_rule(expression: str) -> None:
    holds = compile_rule(expression)
    assert holds is not None
    answers = [answer_of_library(expression, value) for value in VALUES]
    assert [holds(value) for value in VALUES] == answers
    assert {True, False} <= set(answers)


def expressions(draw: random.Random, depth: int) -> str:
    """An expression that is a boolean, or ends in an error."""
    if depth == 0:
        return draw.choice(
            ["has(self.a)", "has(self.b)", "has(self.c.d)", "self.a == 1", "self.b != 'x'", "self.n <= 2",
             "self.n > -1", "self.s in ['x', \"y\"]", "self.s == self.t", "size(self.l) < 2",
             "'a' in self", "self.l == [1, 2]", "self.flag", "true", "false",
             "self.flag == true", "self.s < 'm'", "self.c.d == null", "'x' in self.n",
             "!self.n", "self.a.x == 1", "has(self.a.x)", "size(self.n) == 1", "self.c == self.c", "'x' < 1"]
        )  # fmt: skip
    one, other = expressions(draw, depth - 1), expressions(draw, depth - 1)
    return draw.choice([f"({one} && {other})", f"({one} || {other})", f"!({one})", f"({one}) == ({other})"])


def test_expressions_at_random() -> None:
    draw = random.Random(SEED)
    differing, errors = [], 0
    for _ in range(1500):
        expression = expressions(draw, draw.randint(0, 3))
        parts = {
            "a": 1, "b": draw.choice(["x", "y"]), "c": draw.choice([{}, {"d": 1}]), "n": draw.choice([-1, 0, 2]),
            "s": draw.choice(["x", "z"]), "t": "x", "l": draw.choice([[], [1, 2], [1]]),
            "flag": draw.random() < 0.5,
        }  # fmt: skip
        value = {key: item for key, item in parts.items() if draw.random() < 0.8}
        holds = compile_rule(expression)
        assert holds is not None, expression
        expected = answer_of_library(expression, value)
        errors += expected is None
        if holds(value) != expected:
            differing.append((expression, value, holds(value), expected))
    assert differing == []
    assert errors > 100


@pytest.mark.parametrize(
    "expression",
    [
        "self == oldSelf", "self.all(x, x > 0)", "self.size() > 1", "self.a + 1 > 2", "self.matches('a')", "",
        "self ==", "(self", "self.a ? true : false", "self.__in__", "1.5 < self", "self[0] == 1", "has(self)",
        "has(a)", "'it\\'s' == self", "[1, 2", "self.a)", "size(self", "$",
    ],
)  # fmt: skip
def test_what_is_not_covered_is_left_to_the_server(expression: str) -> None:
    assert compile_rule(expression) is None


def test_answers_that_are_no_booleans_are_none() -> None:
    holds = compile_rule("self.a")
    assert holds is not None
    assert holds({"a": 1}) is None
    assert holds({"a": False}) is False
