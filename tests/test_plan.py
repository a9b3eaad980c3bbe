"""Which rules a document needs: words are found wherever they stand, however often one asks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from raylint.plan import Words

WORDS = ["RAY_", "redis", "redis-password", "env", "ray.io/group", "spot"]
PIECES = st.lists(st.sampled_from([*WORDS, "x", "RAY", "_A", "-", "{", "\n", " ", "\t", "a" * 9000]), max_size=12)


@given(st.lists(PIECES, min_size=1, max_size=6))
def test_words_are_found_as_a_search_for_each_of_them_finds_them(texts: list[list[str]]) -> None:
    words = Words(WORDS)
    for pieces in texts:
        raw = "".join(pieces).encode()
        expected = {word for word in WORDS if word.encode() in raw}
        assert words.within(raw) == expected
        assert words.within(raw, raw.decode().split("\n")) == expected


def test_what_is_remembered_is_bounded() -> None:
    words = Words(WORDS)
    for number in range(0, 20_000, 100):
        raw = " ".join(f"{'x' * 40}{n}" for n in range(number, number + 100)).encode()
        assert words.within(raw) == frozenset()
        assert words.remembered <= 2048


def test_a_large_text_is_searched_and_not_remembered() -> None:
    words = Words(WORDS)
    for size in (20_000, 300_000):
        assert words.within(b"x " * size + b"/redis/") == {"redis"}
        assert words.within(b"red is " * size) == frozenset()
    assert words.remembered == 0


def test_words_that_differ_in_a_number_are_told_apart() -> None:
    words = Words(["serveConfigV2", "int8", "int16"])
    for number in range(4):
        raw = f"serveConfigV{number}: int{number}6\n".encode()
        expected = {word for word in words.all if word.encode() in raw}
        assert words.within(raw) == expected
        assert words.within(raw, raw.decode().split("\n")) == expected


def test_without_words_there_is_nothing_to_find() -> None:
    assert Words([]).within(b"serveConfigV2: x\n") == frozenset()
