"""Which rules a document needs: words are found wherever they stand, however often one asks."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from raylint.document import Document
from raylint.finding import Severity
from raylint.manifest import RayObject, objects
from raylint.plan import Plans, Words
from raylint.rule import Problem, Rule, rule
from raylint.target import Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

WORDS = ["RAY_", "redis", "redis-password", "env", "ray.io/group", "spot"]
PIECES = st.lists(st.sampled_from([*WORDS, "x", "RAY", "_A", "-", "{", "\n", " ", "\t", "a" * 9000]), max_size=12)


def found(words: Words, raw: bytes, lines: list[str] | None = None) -> set[str]:
    """The groups of a single word each that are found."""
    mask = words.within(raw, lines)
    return {group[0] for group, bit in words.masks.items() if mask & bit}


def singly(names: list[str]) -> Words:
    return Words([(name,) for name in names])


@given(st.lists(PIECES, min_size=1, max_size=6))
def test_words_are_found_as_a_search_for_each_of_them_finds_them(texts: list[list[str]]) -> None:
    words = singly(WORDS)
    for pieces in texts:
        raw = "".join(pieces).encode()
        expected = {word for word in WORDS if word.encode() in raw}
        assert found(words, raw) == expected
        assert found(words, raw, raw.decode().split("\n")) == expected


def test_what_is_remembered_is_bounded() -> None:
    words = singly(WORDS)
    most = 0
    for document in product("redis", repeat=3):
        lines = ["".join((*document, *line)) for line in product("redis", repeat=3)]
        raw = "\n".join(lines).encode()
        expected = {word for word in WORDS if word.encode() in raw}
        assert found(words, raw, lines) == expected
        most = max(most, words.remembered)
        assert found(words, raw) == expected
    # All is forgotten when it is too much, and not before: a document of 125 lines fits.
    assert 6144 < most <= 6144 + 3 * 125


def test_a_large_text_is_searched_and_not_remembered() -> None:
    words = singly(WORDS)
    for size in (20_000, 300_000):
        assert found(words, b"x " * size + b"/redis/") == {"redis"}
        assert found(words, b"red is " * size) == set()
    assert words.remembered == 0


def test_words_that_differ_in_a_number_are_told_apart() -> None:
    words = singly(["serveConfigV2", "int8", "int16", "int0"])
    for number in range(4):
        raw = f"serveConfigV{number}: int{number}6\n".encode()
        expected = {word for (word,) in words.masks if word.encode() in raw}
        assert found(words, raw) == expected
        assert found(words, raw, raw.decode().split("\n")) == expected


def test_without_words_there_is_nothing_to_find() -> None:
    assert Words([()]).within(b"serveConfigV2: x\n") == 0


def mentioning(word: str) -> Rule:
    """A rule that visits Ray objects whose text holds the word."""

    def check(found: RayObject) -> Iterator[Problem]:
        yield from ()

    made = rule(f"XX{word}", Severity.INFO)(check)
    made.mentions = (word,)
    return made


def test_a_plan_has_the_rules_that_its_words_call_however_many_plans_there_are() -> None:
    names = ["".join(letters) for letters in product("abc", repeat=2)]
    plans = Plans([mentioning(name) for name in names])
    data = {"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": {"name": "a"}, "spec": {}}
    (found,) = objects(Document.from_object(data), Target())
    for _ in range(2):
        for chosen in product((True, False), repeat=len(names)):
            words = [name for name, is_chosen in zip(names, chosen, strict=True) if is_chosen]
            visits = plans.of(" ".join(words).encode()).visits(found)
            called = [each.id for visit in visits for each in visit.all.of(found).always.rules]
            assert called == [f"XX{word}" for word in words]
