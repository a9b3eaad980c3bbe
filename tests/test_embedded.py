"""YAML inside a scalar: every value of it is found where it stands in the file, however the scalar is written."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_outline import OTHER, PLAIN, paths

from raylint import embedded_document, reader
from raylint.document import Document
from raylint.embedded_document import EmbeddedDocument
from raylint.engine import Engine
from raylint.field import View
from raylint.finding import Span
from raylint.manifest import RayService
from raylint.reader import read, read_embedded
from raylint.rule import Problem, Severity, rule
from raylint.scalar_text import TextLocation
from raylint.target import Target

PATH = ("spec", "text")


def embed(scalar: str, *, line_end: str = "\n") -> tuple[str, EmbeddedDocument]:
    """A file with ``spec.text`` written as given, and what is inside that text."""
    file = f"apiVersion: v1\nkind: Thing\nspec:\n  before: x\n  text: {scalar}\n  after: [y]\n"
    file = file.replace("\n", line_end)
    (document,) = read("file.yaml", file.encode()).documents
    data: Any = document.data
    text = data["spec"]["text"]
    assert isinstance(text, str)
    return file, EmbeddedDocument(document, PATH, text)


def pointed_at(file: str, span: Span | None) -> str:
    """What stands at a span of one line."""
    assert span is not None
    assert span.line == span.end_line
    line = file.split("\n")[span.line - 1]
    return line[span.column - 1 : span.end_column - 1]


def leaves(data: Any, path: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], str]]:
    """Paths and texts of all scalars."""
    if isinstance(data, dict):
        return [leaf for key, value in data.items() for leaf in leaves(value, (*path, key))]
    if isinstance(data, list):
        return [leaf for index, value in enumerate(data) for leaf in leaves(value, (*path, index))]
    return [(path, str(data))]


def told(text: str, *, by_lines: bool, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """All that is told of a text, as it is read where many are or where few are."""
    monkeypatch.setattr(reader, "_FIRST_DOCUMENTS", 0 if by_lines else 1 << 60)
    embedded_document._read.cache_clear()
    _, inner = embed(json.dumps(text))
    ignored = inner.at_ignored
    found: list[object] = [inner.data, repr(inner.fault), inner.at_fault.locate(), ignored and ignored.locate()]
    found += [(path, later.locate(), earlier.locate()) for path, later, earlier in inner.repeated_keys()]
    for path in paths(inner.data):
        found += [inner.written(path), inner.locate(path), inner.at(*path).key().locate()]
    if inner.fault is None and inner.data is not None:
        tree = inner.inner.tree()
        assert tree is not None
        found += [tree[1].end_mark.index, inner.inner.comments()]
    return found


@pytest.mark.parametrize("text", [*PLAIN.values(), *OTHER.values(), "a: 1\n# ---\nb: ...\n"])
def test_a_text_that_is_read_by_its_lines_is_told_of_as_any_other(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_lines = told(text, by_lines=True, monkeypatch=monkeypatch)
    assert repr(by_lines) == repr(told(text, by_lines=False, monkeypatch=monkeypatch))


def test_few_lines_are_worth_no_remembering(monkeypatch: pytest.MonkeyPatch) -> None:
    for first, is_composed in ((0, False), (1 << 60, True)):
        monkeypatch.setattr(reader, "_FIRST_DOCUMENTS", first)
        embedded_document._read.cache_clear()
        assert (embedded_document._read("a: 1\n").outline is None) is is_composed


def assert_found(file: str, inner: EmbeddedDocument) -> None:
    """Every value and key, each of them unique, is pointed at where it stands."""
    found = leaves(inner.data)
    assert found
    for path, text in found:
        assert text in pointed_at(file, inner.locate(path))
        if isinstance(path[-1], str):
            assert path[-1] in pointed_at(file, inner.locate(path, key=True))


BLOCK = """\
applications:
- name: alpha   # a remark
  route: "/beta"
  nested:
      deep: 'gamma'

  list: [delta, epsilon]
other:\ttab
"""


def indented(text: str, by: int) -> str:
    return "".join(f"{' ' * by}{line}\n" if line else "\n" for line in text.rstrip("\n").split("\n")).rstrip("\n")


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("by", [3, 4, 9])
@pytest.mark.parametrize("header", ["|", "|-", "|+", "| # why", "&anchor |", "!!str |-", "!!str &a |+"])
def test_literal_block(header: str, by: int, line_end: str) -> None:
    file, inner = embed(f"{header}\n{indented(BLOCK, by)}", line_end=line_end)
    assert inner.data == read_embedded(BLOCK)
    assert_found(file, inner)


@pytest.mark.parametrize("header", ["|2", "|2-", "|-2", "|+2"])
def test_literal_block_with_an_indentation_of_its_own(header: str) -> None:
    file, inner = embed(f"{header}\n{indented(BLOCK, 6)}")
    assert inner.data == read_embedded(indented(BLOCK, 2))
    assert_found(file, inner)


def test_exact_columns() -> None:
    _, inner = embed("|\n    a:\n      bcd: 17\n")
    assert inner.locate(("a", "bcd")) == Span(7, 12, 7, 14)
    assert inner.locate(("a", "bcd"), key=True) == Span(7, 7, 7, 10)
    assert inner.locate(("a",)) == Span(6, 5, 6, 6)
    assert inner.locate(("a", "not", "written")) == inner.locate(("a",))


@pytest.mark.parametrize("header", [">", ">-", ">+", ">2-"])
def test_folded_block(header: str) -> None:
    """Lines that are folded into one, an empty line that is a break, deeper lines that are kept."""
    text = "{first: alpha,\n second: [beta,\n\n gamma], third:\n   {deep: delta},\n fourth: epsilon}"
    file, inner = embed(f"{header}\n{indented(text, 4)}")
    assert inner.data == {
        "first": "alpha",
        "second": ["beta", "gamma"],
        "third": {"deep": "delta"},
        "fourth": "epsilon",
    }
    assert_found(file, inner)


def test_single_quotes() -> None:
    file, inner = embed("'{first: ''al''''pha'', \"second\": beta,\n\n\n      third: [gamma,\n    delta]}'")
    assert inner.data == {"first": "al'pha", "second": "beta", "third": ["gamma", "delta"]}
    # Two quotes of the text are four in the file.
    assert pointed_at(file, inner.locate(("first",))) == "''al''''pha''"
    assert pointed_at(file, inner.locate(("second",), key=True)) == '"second"'
    assert pointed_at(file, inner.locate(("third", 1))) == "delta"


def test_double_quotes() -> None:
    scalar = (
        r'"first: \"al\u0070ha\"\nsecond:\n- bet\x61\n- \U0001F600mega # \\ \t'
        + "\\\n      \\n"
        + r'third: {f: ep\
      silon}"'
    )
    file, inner = embed(scalar)
    assert inner.data == {"first": "alpha", "second": ["beta", "\U0001f600mega"], "third": {"f": "epsilon"}}
    assert pointed_at(file, inner.locate(("first",))) == r"\"al\u0070ha\""
    assert pointed_at(file, inner.locate(("second", 0))) == r"bet\x61"
    assert pointed_at(file, inner.locate(("second", 1))) == r"\U0001F600mega"
    span = inner.locate(("third", "f"))
    assert span is not None
    assert (span.line, span.end_line) == (6, 7)


def test_plain_text_over_several_lines() -> None:
    _, inner = embed("alpha\n    beta\n    gamma")
    assert inner.data == "alpha beta gamma"
    span = inner.locate(())
    assert span is not None
    assert (span.line, span.end_line) == (5, 7)


def test_json_with_surrogate_pairs() -> None:
    text = '{"a": ["\\\\", "x/y", "\U0001f600", "omega"]}'
    raw = json.dumps({"apiVersion": "v1", "kind": "Thing", "spec": {"text": text}}).replace("x/y", "x\\/y")
    (document,) = read("file.json", raw.encode()).documents
    inner = EmbeddedDocument(document, PATH, text)
    assert "\\ud83d\\ude00" in raw
    assert pointed_at(raw, inner.locate(("a", 2))) == '\\"\\ud83d\\ude00\\"'
    assert pointed_at(raw, inner.locate(("a", 3))) == '\\"omega\\"'


def test_an_alias_is_followed_to_where_the_text_stands() -> None:
    file = "apiVersion: v1\nkind: Thing\nx: &text |\n  a: alpha\nspec: {text: *text}\n"
    (document,) = read("file.yaml", file.encode()).documents
    inner = EmbeddedDocument(document, PATH, "a: alpha\n")
    assert inner.locate(("a",)) == Span(4, 6, 4, 11)


def test_where_the_file_does_not_show_the_text_the_nearest_line_is_pointed_at() -> None:
    # The file holds base64 of three lines; on which of its lines a value stands nobody can see.
    _, inner = embed("!!binary |\n    YTogYWxwaGEKYjog\n    YmV0YQpjOiBnYW1tYQo=")
    assert inner.data == {"a": "alpha", "b": "beta", "c": "gamma"}
    assert inner.locate(("a",)) == Span(6, 5, 6, 21)
    assert inner.locate(("b",)) == Span(7, 5, 7, 25)
    assert inner.locate(("c",)) is not None


def test_a_byte_order_mark_in_the_text_does_not_shift_it() -> None:
    file, inner = embed('"\\uFEFFa: alpha"')
    assert pointed_at(file, inner.locate(("a",))) == "alpha"


def test_a_live_object_has_no_positions() -> None:
    document = Document.from_object({"spec": {"text": "a: 1"}})
    inner = EmbeddedDocument(document, PATH, "a: 1")
    assert inner.data == {"a": 1}
    assert inner.locate(("a",)) is None
    assert inner.at("a").locate() is None


NAMES = st.integers(min_value=0, max_value=999).map(lambda number: f"n{number:03}")
VALUES = st.text(st.sampled_from("ab'\"\\:#,é\U0001f600 -"), max_size=6)
TREES = st.recursive(
    VALUES,
    lambda inner: st.lists(inner, min_size=1, max_size=3) | st.dictionaries(NAMES, inner, min_size=1, max_size=3),
    max_leaves=8,
)


def tagged(tree: Any, count: list[int]) -> Any:
    """Every text gets a mark of its own, so that it can be told from all others."""
    if isinstance(tree, dict):
        return {key: tagged(value, count) for key, value in tree.items()}
    if isinstance(tree, list):
        return [tagged(value, count) for value in tree]
    count[0] += 1
    return f"<{count[0]:03}>{tree}"


def literal(text: str) -> str:
    return f"|\n{indented(text, 4)}"


def folded(text: str) -> str:
    return f">-\n{indented(text.replace(chr(10), chr(10) * 2), 4)}"


def single_quoted(text: str) -> str:
    return "'" + text.replace("'", "''").replace("\n", "\n\n    ") + "'"


def double_quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def wildly_quoted(text: str) -> str:
    """Every third character escaped, and the line broken every 40."""
    pieces = [
        f"\\U{ord(character):08x}" if number % 3 == 0 else json.dumps(character)[1:-1]
        for number, character in enumerate(text)
        if ord(character) < 0xFFFF or number % 3 == 0
    ]
    lines = ["".join(pieces[start : start + 40]) for start in range(0, len(pieces), 40)]
    return '"' + "\\\n    \\\n    ".join(lines) + '"'


@given(
    st.dictionaries(NAMES, TREES, min_size=1, max_size=4),
    st.sampled_from([literal, folded, single_quoted, double_quoted, wildly_quoted]),
    st.sampled_from([None, 1]),
)
def test_every_value_is_found_in_every_style(tree: dict[str, Any], style: Any, indent: int | None) -> None:
    expected = tagged(tree, [0])
    text = json.dumps(expected, indent=indent, ensure_ascii=False)
    file, inner = embed(style(text))
    data = inner.data
    assert isinstance(data, dict)
    for path, value in leaves(data):
        span = inner.locate(path)
        assert span is not None
        lines = file.split("\n")[span.line - 1 : span.end_line]
        lines[-1] = lines[-1][: span.end_column - 1]
        lines[0] = lines[0][span.column - 1 :]
        shown = "".join(line.strip(" \\") if len(lines) > 1 else line for line in lines)
        for number in range(3):
            mark = value[number + 1]
            assert mark in shown or f"{ord(mark):08x}" in shown
        others = [other[1:4] for _, other in leaves(data) if other != value]
        assert not any(f"<{other}>" in shown for other in others)


def test_a_second_document_is_found() -> None:
    file, inner = embed("|\n    a: 1\n    # note\n    ---\n    b: 2\n    c: 3")
    assert inner.data == {"a": 1}
    assert inner.at_ignored is not None
    assert pointed_at(file, inner.at_ignored.locate()) == "b: 2"


@pytest.mark.parametrize(
    "text",
    ["a: 1\n", "---\na: 1\n", "a: 1\n---\n", "a: 1\n...\n# note\n---\n", "a: |\n  ---\n  x\n", "", "# none\n"],
)
def test_one_document_is_one(text: str) -> None:
    inner = EmbeddedDocument(Document.from_object({"spec": {"text": text}}), PATH, text)
    assert inner.at_ignored is None


@pytest.mark.parametrize(
    "text",
    ["a: 1\n---\nb: 2\n", "---\n---\nb: 2\n", "{a: 1}\n...\nb\n", "# note\n---\n# note\n---\nb: [", "a\n--- b\n"],
)
def test_what_nobody_reads_is_found(text: str) -> None:
    document = Document.from_object({"spec": {"text": text}})
    ignored = EmbeddedDocument(document, PATH, text).at_ignored
    assert isinstance(ignored, TextLocation)
    assert "b" in text[ignored.start : ignored.end]


def test_a_text_that_cannot_be_read_says_where() -> None:
    file, inner = embed("|\n    a: 1\n    b: [c,\n    d")
    assert inner.data is None
    assert inner.fault is not None
    assert "never closed" in inner.fault.message
    assert pointed_at(file, inner.at_fault.locate()) == "["


def test_keys_that_come_again() -> None:
    file, inner = embed("|\n    a: 1\n    b:\n      c: 2\n      c: 3\n    a: 4")
    found = [(path, pointed_at(file, later.locate()), later.locate()) for path, later, _ in inner.repeated_keys()]
    assert [(path, text) for path, text, _ in found] == [(("b", "c"), "c"), (("a",), "a")]
    assert [span and span.line for _, _, span in found] == [9, 10]


@rule("XX601", Severity.INFO)
def points_inside(service: RayService) -> Any:
    """Points at a value inside the text and at its key."""
    document = service.serve_config.document
    assert document is not None
    at = document.at("applications", 1, "env", "DB_PASSWORD")
    yield Problem(at, "a message", effect="an effect", fix="a fix", because=[(at.key(), "its key")])


SECRETS = """\
apiVersion: ray.io/v1
kind: RayService
metadata: {name: shop}
spec:
  serveConfigV2: |
    applications:
    - name: alpha
    - name: beta
      env: {DB_PASSWORD: "hun\\x74er2 of mine", CREDENTIALS: "other",
        OPEN: sesame}
      list:
      - name: MY_TOKEN
        value: third-secret
"""


def test_a_finding_inside_a_text() -> None:
    (found,) = Engine((points_inside,), Target()).check("shop.yaml", SECRETS.encode()).findings
    place = found.place
    assert place.path == ("spec", "serveConfigV2")
    assert place.inner == ("applications", 1, "env", "DB_PASSWORD")
    assert place.path_text == "spec.serveConfigV2:applications[1].env.DB_PASSWORD"
    # Names instead of numbers, so that reordering keeps the fingerprint.
    assert found.identity == "spec/serveConfigV2:applications/name=beta/env/DB_PASSWORD"
    assert (place.line, place.column) == (9, 26)
    assert found.related[0].span == Span(9, 13, 9, 24)


def test_secrets_inside_a_text_are_covered() -> None:
    (found,) = Engine((points_inside,), Target()).check("shop.yaml", SECRETS.encode()).findings
    (line,) = found.place.lines.values()
    assert "mine" not in line
    assert "hun" not in line
    assert "other" not in line
    assert "DB_PASSWORD" in line


def test_a_view_hands_out_the_document_in_a_text() -> None:
    view = View(Document.from_object({}), (), {"a": "b: 1", "c": {"b": 1}})
    inner = view.embedded("a")
    assert inner is not None
    assert inner.data == {"b": 1}
    assert view.embedded("c") is None
    assert view.embedded("d") is None
