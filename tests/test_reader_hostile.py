"""Files that mean harm, or come from a broken disk: always an answer, never an exception, never much memory."""

from __future__ import annotations

import json
import random
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from raylint.document import Document
from raylint.nodes import MAX_DEPTH
from raylint.reader import Reading, Remark, Unreadable, read, read_embedded

HEAD = "apiVersion: ray.io/v1\nkind: RayCluster\n"
GOOD = "---\n" + HEAD + "last: true\n"


def refused(text: str | bytes) -> Remark:
    """The only remark on a document that is refused; a good one after it must be read all the same."""
    raw = text.encode() if isinstance(text, str) else text
    reading = read("f", raw + b"\n" + GOOD.encode())
    [document] = reading.documents
    assert document.data == {"apiVersion": "ray.io/v1", "kind": "RayCluster", "last": True}
    [remark] = reading.remarks
    assert remark.rule_id == "RL001"
    assert remark.span
    return remark


def data(document: Document) -> Any:
    return document.data


def place(remark: Remark) -> tuple[int, int]:
    assert remark.span
    return remark.span.line, remark.span.column


def bomb(levels: int, width: int) -> str:
    lines = ["l0: &l0 [x]"]
    for level in range(1, levels + 1):
        aliases = ", ".join([f"*l{level - 1}"] * width)
        lines.append(f"l{level}: &l{level} [{aliases}]")
    return HEAD + "\n".join(lines) + "\n"


@pytest.mark.parametrize(("levels", "width"), [(9, 9), (40, 2), (3, 60), (30, 30)])
def test_aliases_that_multiply_are_refused_with_little_memory(levels: int, width: int) -> None:
    text = bomb(levels, width)
    tracemalloc.start()
    try:
        remark = refused(text)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
    assert "excessive aliasing" in remark.message


def test_mapping_bombs_and_merge_bombs_are_refused() -> None:
    mapping = HEAD + "a0: &a0 {x: 1}\n"
    merge = HEAD + "a0: &a0 {x: 1}\n"
    for level in range(1, 30):
        parts = ", ".join(f"k{number}: *a{level - 1}" for number in range(8))
        mapping += f"a{level}: &a{level} {{{parts}}}\n"
        merge += f"a{level}: &a{level} {{<<: [{', '.join([f'*a{level - 1}'] * 8)}]}}\n"
    for text in (mapping, merge):
        assert "excessive aliasing" in refused(text).message


def test_honest_sharing_is_no_bomb() -> None:
    env = "".join(f"  - {{name: N{number}, value: v}}\n" for number in range(50))
    text = HEAD + "env: &env\n" + env + "".join(f"group{number}: *env\n" for number in range(60))
    reading = read("f", text.encode())
    assert reading.remarks == []
    assert data(reading.documents[0])["group59"] == data(reading.documents[0])["env"]


@pytest.mark.parametrize(
    ("body", "column"), [("x: &a [*a]", 8), ("x: &a {b: [*a]}", 12), ("x: &a {<<: *a}", 12), ("x: &a {*a : 1}", 8)]
)
def test_an_anchor_that_contains_itself_is_refused_where_it_does(body: str, column: int) -> None:
    remark = refused(HEAD + body)
    assert remark.message == "the anchor `&a` contains itself"
    assert place(remark) == (3, column)


@pytest.mark.parametrize("count", [MAX_DEPTH + 1, 600, 5_000, 100_000])
@pytest.mark.parametrize(
    "nest",
    [
        lambda count: "v: " + "[" * count,
        lambda count: "v: " + "[" * count + "]" * count,
        lambda count: "v: " + '{"a":' * count,
        lambda count: "v: " + "{" * count,
        lambda count: "v:\n" + "- " * count + "x",
        lambda count: "v:\n" + "? " * count + "x",
        lambda count: "v:\n" + "- ? " * count + "x",
        lambda count: "v:\n" + "".join(" " * level + "a:\n" for level in range(min(count, 1200))),
    ],
    ids=["open", "list", "json", "mapping", "dashes", "questions", "both", "indented"],
)
def test_deep_nesting_is_refused(nest: Callable[[int], str], count: int) -> None:
    # What is never closed, or is a key, is refused for that if the parser gets to its end.
    reasons = ("nested", "stands where a key is due", "is never closed")
    assert any(reason in refused(HEAD + nest(count)).message for reason in reasons)


def test_the_deepest_nesting_that_is_read_can_be_walked() -> None:
    deepest = MAX_DEPTH - 1  # the document itself is a level
    text = HEAD + "v: " + "[" * deepest + "1" + "]" * deepest
    [document] = read("f", text.encode()).documents
    span = document.locate(("v", *([0] * deepest)))
    assert span
    assert (span.line, span.column) == (3, 4 + deepest)
    assert json.loads(json.dumps(document.data)) == document.data


def test_deep_json_is_refused() -> None:
    text = '{"apiVersion": "ray.io/v1", "kind": "A", "v": ' + "[" * 100_000 + "]" * 100_000 + "}"
    assert refused(text).message.startswith("nested")


@pytest.mark.parametrize(
    ("raw", "where", "words"),
    [
        (HEAD.encode() + b"v: \xc3\xa9\xff\n", (3, 5), "byte 0xff is not UTF-8"),
        (HEAD.encode() + b"v: \xe2\x82", (3, 4), "byte 0xe2 is not UTF-8"),
        (HEAD.encode() + b"v: \xed\xa0\x80\n", (3, 4), "byte 0xed is not UTF-8"),
        (HEAD.encode() + b"\r\nv: \xc0\xaf\n", (4, 4), "byte 0xc0 is not UTF-8"),
        (b'{"apiVersion": "ray.io/v1", "kind": "A",\n "v": "\xff"}', (2, 8), "byte 0xff is not UTF-8"),
        (HEAD.encode() + "v: é\x00\n".encode(), (3, 5), "U+0000"),
        (HEAD.encode() + b"# \x1b[0m\n", (3, 3), "U+001B"),
        (HEAD.encode() + "v: \x9f".encode(), (3, 4), "U+009F"),
        (HEAD.encode() + "v: \uffff".encode(), (3, 4), "U+FFFF"),
        (b"\xef\xbb\xbf" + HEAD.encode() + b"\x7f: 1", (3, 1), "U+007F"),
    ],
)
def test_bytes_that_are_no_yaml_are_shown_where_they_are(raw: bytes, where: tuple[int, int], words: str) -> None:
    remark = refused(raw)
    assert place(remark) == where
    assert words in remark.message


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_wide_encodings_are_named(encoding: str) -> None:
    for needles in ((), (b"ray.io",)):
        reading = read("f", (HEAD + "v: é\n").encode(encoding), needles)
        [remark] = reading.remarks
        assert "UTF-16" in remark.message
        assert (reading.total, reading.documents) == (1, [])
    assert read("f", "kind: A\n".encode(encoding), (b"ray.io",)).remarks == []


@pytest.mark.parametrize(
    "raw", [b"", b"\n", b"# only\n", b"---\n", b"\xef\xbb\xbf", b" ", b"\r", b"---", b"# a\r# b", b"\r\n\r\n"]
)
def test_files_without_a_document_are_empty(raw: bytes) -> None:
    reading = read("f", raw)
    assert (reading.total, reading.documents, reading.remarks) == (0, [], [])


def test_carriage_returns_alone_end_lines_too() -> None:
    [document] = read("f", (HEAD + "a: 1\n# c\nb: 2\n").replace("\n", "\r").encode()).documents
    span = document.locate(("b",))
    assert span
    assert (span.line, span.column) == (5, 4)
    assert document.lines(span) == {5: "b: 2"}
    assert [comment.line for comment in document.comments()] == [4]


def test_a_huge_scalar_is_read() -> None:
    text = HEAD + "v: |\n" + "  0123456789 # {{ x }} [\n" * 200_000 + "w: " + "x" * 1_000_000 + "\n"
    [document] = read("f", text.encode()).documents
    assert data(document)["v"] == "0123456789 # {{ x }} [\n" * 200_000
    span = document.locate(("v",))
    assert span
    assert (span.line, span.end_line) == (3, 200_003)
    assert document.comments() == []


def test_a_hundred_thousand_keys_and_their_duplicates_are_read() -> None:
    keys = "".join(f"  k{number}: {number}\n" for number in range(100_000))
    reading = read("f", (HEAD + "m:\n" + keys + "  k0: last\n").encode())
    [document] = reading.documents
    assert len(data(document)["m"]) == 100_000
    [remark] = reading.remarks
    assert (remark.rule_id, place(remark)) == ("RL010", (100_004, 3))


def test_many_documents_are_told_apart() -> None:
    reading = read("f", (HEAD + "---\n").encode() * 20_000, (b"ray.io/v9",))
    assert (reading.total, reading.documents) == (20_000, [])


def test_many_json_objects_are_read() -> None:
    one = '{"apiVersion": "ray.io/v1", "kind": "A", "v": [[]]}\n'
    reading = read("f", (one * 5_000).encode())
    assert (reading.total, len(reading.documents), reading.remarks) == (5_000, 5_000, [])


@pytest.mark.parametrize("seed", range(4))
def test_megabytes_of_junk_get_an_answer(seed: int) -> None:
    source = random.Random(seed)
    alphabet = b"abc \n\t-:{}[]\"'#&*!|>%@`\\,?~\xc3\xa9\xff"
    junk = bytes(source.choices(alphabet[: len(alphabet) - seed], k=1_000_000)) * 5
    assert answered(read("f", junk))
    assert read("f", junk, (b"ray.io",)).remarks == []


@pytest.mark.parametrize(
    "piece",
    [b"a: ", b"- ", b"{a: ", b"'", b'"', b"{{ ", b"&a ", b"*a ", b"!", b"? ", b": ", b"---", b"apiVersion:  "],
)
def test_a_megabyte_of_one_thing_gets_an_answer(piece: bytes) -> None:
    assert answered(read("f", HEAD.encode() + piece * (1_000_000 // len(piece))))


def answered(reading: Reading) -> bool:
    return bool(reading.total) and all(
        remark.message and (remark.span is None or remark.span.column >= 1) for remark in reading.remarks
    )


CHARACTERS = " \n\t-?:,[]{}#&*!|>'\"%@`<=~.019abyn\ufeff\u2028\x85\xa0\x00😀\\"
FRAGMENTS = st.sampled_from(
    [
        "\r\n",
        "\r",
        "\n---\n",
        "...",
        "&a ",
        "*a",
        "<<: ",
        "{{ x }}",
        "!!int ",
        "kind: A\n",
        "apiVersion: ray.io/v1\n",
    ]
) | st.sampled_from(['{"a":1}', "|\n ", "  ", "\\'", "q:}", "apiVersion: ray.io/v1\n", *CHARACTERS])


@settings(max_examples=400)
@given(st.lists(FRAGMENTS, max_size=40).map("".join))
@example("? &a [*a]\n: 1")
@example("\"\\'")
@example("{a:")
@example("!<>")
@example("\ufeff\ufeffa: 1")
@example("--- \n--- |\n---")
def test_whatever_a_file_holds_reading_and_asking_never_fails(text: str) -> None:
    for raw in (text.encode(), (HEAD + text).encode(), text.encode("utf-16"), text.encode()[1:]):
        reading = read("f", raw)
        assert len(reading.documents) <= reading.total
        for document in reading.documents:
            assert document.locate(("v", 0, "x"))
            assert all(comment.line >= 1 for comment in document.comments())
        assert all(remark.span for remark in reading.remarks)
    assert embedded_is_read_or_refused(text)


def embedded_is_read_or_refused(text: str) -> bool:
    try:
        json.dumps(read_embedded(text), allow_nan=False)
    except Unreadable as error:
        return bool(error.span and error.message)
    return True


@settings(max_examples=200)
@given(st.binary(max_size=60))
def test_whatever_bytes_a_file_holds_reading_never_fails(raw: bytes) -> None:
    reading = read("f", raw)
    assert all(0 <= remark.document <= reading.total for remark in reading.remarks)
