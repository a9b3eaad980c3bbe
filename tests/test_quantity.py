"""Quantities, against what ``resource.ParseQuantity`` of Kubernetes does (apimachinery, ``quantity.go``)."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raylint.quantity import Quantity, parse_quantity

NANO = 10**9


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("0", 0),
        ("1", 1),
        ("+1", 1),
        ("-1", -1),
        (".5", Fraction(1, 2)),
        ("1.", 1),
        ("00012", 12),
        ("500m", Fraction(1, 2)),
        ("1k", 1000),
        ("1Ki", 1024),
        ("1.5Gi", 3 * 2**29),
        ("8Gi", 8 * 2**30),
        ("1E", 10**18),
        ("1Ei", 2**60),
        ("1e3", 1000),
        ("1E3", 1000),
        ("1e-3", Fraction(1, 1000)),
        ("2e+2", 200),
        ("100n", Fraction(1, 10**7)),
        ("7u", Fraction(7, 10**6)),
    ],
)
def test_amount(text: str, amount: int | Fraction) -> None:
    quantity = parse_quantity(text)
    assert quantity is not None
    assert Fraction(quantity.nanos, NANO) == amount


@pytest.mark.parametrize(
    "value",
    [
        *(
            "",
            " ",
            "1 Gi",
            " 1",
            "1 ",
            "1GiB",
            "1gi",
            "1K",
            "1ki",
            "1mi",
            ".",
            "+",
            "-",
            "--1",
            "1,5",
            "0x10",
            "1e",
        ),
        *("e3", "1e3Gi", "1e3k", "Gi", "1.2.3", "NaN", "inf", "1\n", "²", "1_000", "१"),
        *(True, False, None, 1.5, float("nan"), float("inf"), [], {}, ["1"]),
    ],
)
def test_no_quantity(value: object) -> None:
    assert parse_quantity(value) is None


@pytest.mark.parametrize(("value", "whole"), [(4, 4), (-4, -4), (2.0, 2), (0, 0)])
def test_numbers(value: float, whole: int) -> None:
    assert parse_quantity(value) == Quantity(whole * NANO)


@pytest.mark.parametrize(
    ("text", "rounded"),
    [
        ("500m", 1),
        ("1", 1),
        ("1001m", 2),
        ("0", 0),
        ("-500m", 0),
        ("-1500m", -1),
        ("1n", 1),
        ("1500000000", 1500000000),
    ],
)
def test_rounded_up(text: str, rounded: int) -> None:
    quantity = parse_quantity(text)
    assert quantity is not None
    assert quantity.rounded_up == rounded
    assert quantity.is_whole is (quantity.nanos == rounded * NANO)


@pytest.mark.parametrize("text", ["0.0000000001", "1e-10", "0.1n", "0." + "0" * 60 + "1", "1e-4000"])
def test_finer_than_a_billionth_is_rounded_up(text: str) -> None:
    assert parse_quantity(text) == Quantity(1)


@pytest.mark.parametrize(
    "text", ["9" * 10_000, "1" + "0" * 10_000 + "Ei", "1e9999", "0." + "1" * 10_000, "0" * 10_000 + "1"]
)
def test_absurdly_long_texts_are_numbers_too(text: str) -> None:
    quantity = parse_quantity(text)
    assert quantity is not None
    assert quantity > Quantity(0)


def test_leading_zeros_change_nothing() -> None:
    assert parse_quantity("0" * 10_000 + "1") == Quantity(NANO)
    assert parse_quantity("0." + "1" * 10_000) == Quantity(111_111_112)


def test_equal_amounts_are_equal() -> None:
    assert parse_quantity("1024Mi") == parse_quantity("1Gi")
    assert hash(parse_quantity("1000m")) == hash(parse_quantity(1))
    assert parse_quantity("1") != 1
    assert repr(parse_quantity("1500m")) == "Quantity(1.5)"


@given(st.integers(-(10**12), 10**12), st.integers(-(10**12), 10**12))
def test_order_is_that_of_the_numbers(one: int, other: int) -> None:
    left, right = parse_quantity(f"{one}m"), parse_quantity(f"{other}m")
    assert left is not None
    assert right is not None
    assert (left < right) == (one < other)
    assert (left == right) == (one == other)


@given(st.integers(0, 10**15), st.sampled_from(["", "m", "k", "M", "Ki", "Mi", "Gi"]))
def test_any_whole_number_with_a_suffix(number: int, suffix: str) -> None:
    thousandths = {"": 1000, "m": 1, "k": 10**6, "M": 10**9, "Ki": 1000 * 2**10, "Mi": 1000 * 2**20}
    factor = Fraction(thousandths.get(suffix, 1000 * 2**30), 1000)
    quantity = parse_quantity(f"{number}{suffix}")
    assert quantity is not None
    assert Fraction(quantity.nanos, NANO) == number * factor


@given(st.one_of(st.text(max_size=40), st.integers(), st.floats(), st.none(), st.binary(max_size=5)))
def test_never_raises(value: object) -> None:
    assert isinstance(parse_quantity(value), (Quantity, type(None)))
