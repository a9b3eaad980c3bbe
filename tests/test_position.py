"""Where a character stands, however long the text and whatever ends its lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from raylint.position import Text

# Longer than what is counted through for each place.
PADDING = "# filler\n" * 2_000
TEXTS = st.text(alphabet="ab\n\u2028\u0085", max_size=30)


def _expected(string: str, offset: int) -> tuple[int, int]:
    before = string[:offset].split("\n")
    return len(before), len(before[-1]) + 1


@given(TEXTS, st.integers(0, 30))
def test_a_place_in_a_short_text_and_in_a_long_one(string: str, offset: int) -> None:
    offset = min(offset, len(string))
    line, column = _expected(string, offset)
    assert Text(string).place(offset) == (line, column)
    assert Text(PADDING + string).place(len(PADDING) + offset) == (2_000 + line, column)


@given(TEXTS, st.integers(0, 30))
def test_windows_ends_its_lines_otherwise(string: str, offset: int) -> None:
    offset = min(offset, len(string))
    shift = string[:offset].count("\n")
    assert Text("\r\n" + string.replace("\n", "\r\n")).place(2 + offset + shift) == (
        _expected(string, offset)[0] + 1,
        _expected(string, offset)[1],
    )


def test_the_first_line_begins_where_the_text_stands() -> None:
    text = Text("key: value\nother: 1\n", line=7, column=5)
    assert text.place(0) == (7, 5)
    assert text.place(5) == (7, 10)
    assert text.place(11) == (8, 1)
    assert text.place(20) == (9, 1)
