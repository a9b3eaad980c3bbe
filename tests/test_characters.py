"""Shortcuts that look at the characters of a text say what the expressions and programs say that they spare."""

from __future__ import annotations

import json
import re
import shlex

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from raylint.cron import can_fire, schedule_fault
from raylint.custom_resources import as_ray_reads
from raylint.finding import path_text
from raylint.kube_names import is_dns1123, label_key_fault, label_value_fault
from raylint.scalars import resolve
from raylint.schema_hints import distance

_DNS = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_NAME = r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?"


@given(st.text("aZ0-_./\n é", max_size=8))
@example("")
def test_names_are_those_of_kubernetes(text: str) -> None:
    assert is_dns1123(text) == (re.fullmatch(_DNS, text) is not None)
    assert (label_value_fault(text) == "") == (not text or re.fullmatch(_NAME, text) is not None)
    prefix, slash, name = text.rpartition("/")
    sound = not slash or re.fullmatch(rf"{_DNS}(\.{_DNS})*", prefix) is not None
    assert (label_key_fault(text) == "") == (sound and re.fullmatch(_NAME, name) is not None)


@given(st.text("aZ09_-.\n é²", max_size=6))
@example("")
def test_keys_that_need_no_quotes(text: str) -> None:
    plain = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", text) is not None
    assert (path_text(("x", text)) == f"x.{text}") == plain


@given(st.text("ab", max_size=6), st.text("abc", max_size=6), st.integers(0, 4))
def test_distances_up_to_a_limit(one: str, other: str, limit: int) -> None:
    assert distance(one, other, limit) == min(_steps(one, other), limit + 1)


def _steps(one: str, other: str) -> int:
    """The same by its definition."""
    if not one or not other:
        return len(one) + len(other)
    steps = min(
        _steps(one[:-1], other) + 1,
        _steps(one, other[:-1]) + 1,
        _steps(one[:-1], other[:-1]) + (one[-1] != other[-1]),
    )
    swapped = one[-2:] == other[-2:][::-1] and len(one) > 1 < len(other)
    return min(steps, _steps(one[:-2], other[:-2]) + 1) if swapped else steps


@given(st.text("'\"\\ {}a1:", max_size=8))
@example("'{\"a\": 1}'")
@example('"{\\"a\\": 1}"')
@example('"{\\"a\\\\\\": 1}"')
@example("'{}' ")
@example('"')
def test_resources_reach_ray_as_the_shell_leaves_them(text: str) -> None:
    try:
        words = shlex.split(text)
        found = json.loads(words[0]) if len(words) == 1 else None
    except ValueError:
        found = None
    is_read = isinstance(found, dict) and all(isinstance(value, int) for value in found.values())
    assert as_ray_reads(text) == (found if is_read else None)


@pytest.mark.parametrize("blank", [" ", "  ", "\t", "\n", "\xa0", "\u2003"])
def test_blanks_between_the_fields_of_a_schedule(blank: str) -> None:
    assert can_fire(blank.join(["0", "0", "31", "2", "*"])) is False
    assert schedule_fault(blank.join(["0", "0", "1", "2", "*"])) == ""


def test_a_separator_that_go_takes_for_no_blank() -> None:
    assert schedule_fault("0\x1c0 1 2 *") == "it has 4 fields, not 5"


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.5", 0.5), ("00.5", 0.5), ("1.", 1.0), ("1_0.5", 10.5), ("1.5e3", 1500.0), ("-0.5", -0.5),
     ("1.5.0", "1.5.0"), ("1.\u0663", "1.\u0663"), ("9" * 400 + ".0", "9" * 400 + ".0")],
)  # fmt: skip
def test_decimals(text: str, value: object) -> None:
    assert resolve(text) == value
