"""Unquoted words as Go reads them. What kubectl itself answers is in test_reader.py's probes."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raylint.scalars import KEYS, WORDS, ScalarError, json_number, key_text, resolve, tagged

TAG = "tag:yaml.org,2002:"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", True),
        ("N", False),
        ("~", None),
        ("", None),
        ("010", 8),
        ("-0o17", -15),
        ("0b101", 5),
        ("0b+1_0", 2),
        ("0x1_F", 31),
        ("1_000", 1000),
        ("08", 8.0),
        ("1e3", 1000.0),
        (".1_0", 0.1),
        ("._1", "._1"),
        (".5_", ".5_"),
        ("12:30", "12:30"),
        ("2024-01-01", "2024-01-01"),
        ("1e400", "1e400"),
        ("0xFFFFFFFFFFFFFFFFF", "0xFFFFFFFFFFFFFFFFF"),
        ("0x1p3", "0x1p3"),
        ("١٢", "١٢"),
        ("<<", "<<"),
        ("18446744073709551615", 2**64 - 1),
        ("18446744073709551616", 18446744073709552000.0),
        ("-9223372036854775809", -9223372036854775808.0),
    ],
)
def test_words_have_the_type_and_value_that_go_gives_them(text: str, value: object) -> None:
    found = resolve(text)
    assert (type(found), found) == (type(value), value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.0", 1),
        ("1e3", 1000),
        ("-0.0", 0),
        ("2.5", 2.5),
        ("9223372036854775807", 2**63 - 1),
        ("9223372036854775808", 2.0**63),
        ("4611686018427387904.0", 4611686018427388000),
        ("1e18", 10**18),
        ("1e19", 1e19),
        ("1e21", 1e21),
    ],
)
def test_numbers_are_what_a_json_round_trip_leaves_of_them(text: str, value: object) -> None:
    assert (type(WORDS[text]), WORDS[text]) == (type(value), value)


@pytest.mark.parametrize("text", [".inf", "-.inf", ".nan", "+.Inf"])
def test_numbers_that_json_lacks_are_refused_every_time(text: str) -> None:
    for _ in range(2):
        with pytest.raises(ScalarError):
            WORDS[text]


# Answers of kubectl 1.33 (`kubectl label --local`).
@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("1", "1"),
        ("010", "8"),
        ("1.0", "1"),
        ("y", "true"),
        ("off", "false"),
        ("1e3", "1000"),
        ("1e6", "1e+06"),
        ("1e20", "1e+20"),
        ("2.5e22", "2.5e+22"),
        ("0.0001", "0.0001"),
        ("0.00001", "1e-05"),
        ("123456789.5", "1.2345679e+08"),
        ("-0.0", "-0"),
        ("1e300", ".inf"),
        ("1e-300", "0"),
        (".inf", ".inf"),
        (".nan", ".nan"),
        ("18446744073709551616", "1.8446744e+19"),
        ("2024-01-01", "2024-01-01"),
    ],
)
def test_keys_become_the_text_that_kubectl_makes_of_them(text: str, key: str) -> None:
    assert KEYS[text] == key_text(resolve(text)) == key


@pytest.mark.parametrize("text", ["", "~", "null", "9223372036854775808", "18446744073709551615"])
def test_null_and_64_bit_integers_are_no_keys(text: str) -> None:
    assert KEYS[text] is None
    with pytest.raises(ScalarError):
        key_text(resolve(text))


# Answers of kubectl 1.33.
@pytest.mark.parametrize(
    ("tag", "text", "value"),
    [
        (TAG + "str", "yes", "yes"),
        (TAG + "int", "1", 1),
        (TAG + "float", "1", 1),
        (TAG + "bool", "y", True),
        (TAG + "null", "~", None),
        (TAG + "timestamp", "2024-02-29", "2024-02-29"),
        (TAG + "timestamp", "2024-01-01 10:20:30", "2024-01-01 10:20:30"),
        (TAG + "binary", "aGVs\nbG8=", "hello"),
        (TAG + "binary", "/w==", "\ufffd"),
        (TAG + "int", "18446744073709551615", 18446744073709552000.0),
        (TAG + "python/name:os.system", "", ""),
        ("!foo", "1", "1"),
    ],
)
def test_tags_say_what_a_scalar_is(tag: str, text: str, value: object) -> None:
    assert tagged(tag, text) == value


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        ("null", "foo"),
        ("int", "1.0"),
        ("int", "18446744073709551616"),
        ("float", "18446744073709551615"),
        ("bool", "x"),
        ("timestamp", "2024-13-01"),
        ("timestamp", "foo"),
        ("binary", "a"),
        ("float", ".inf"),
    ],
)
def test_a_tag_that_contradicts_its_text_is_refused(tag: str, text: str) -> None:
    with pytest.raises(ScalarError):
        tagged(TAG + tag, text)


@given(st.integers(-(2**63), 2**63 - 1))
def test_every_64_bit_integer_is_read_exactly(number: int) -> None:
    assert WORDS[str(number)] == number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_keeps_its_value(number: float) -> None:
    assert math.isclose(json_number(number), number, rel_tol=1e-15)


def test_the_memos_do_not_grow_without_bound() -> None:
    for number in range(20_000):
        assert WORDS[f"w{number}"] == KEYS[f"w{number}"] == f"w{number}"
    assert max(len(WORDS), len(KEYS)) < 10_000


@pytest.mark.parametrize("digits", ["1" * 5000, "0" * 5000, "0x" + "f" * 5000, "-" + "9" * 400, "1" + "_1" * 5000])
def test_very_long_numbers_are_read_without_an_error(digits: str) -> None:
    assert isinstance(resolve(digits), int | float | str)
