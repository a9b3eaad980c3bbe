"""Positions, comments and lines of a document."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from raylint.document import Document
from raylint.finding import Span
from raylint.reader import read, read_embedded

HEAD = "apiVersion: ray.io/v1\nkind: RayCluster\n"


def document(text: str) -> Document:
    [found] = read("f.yaml", text.encode()).documents
    return found


def cut(text: str, span: Span | None) -> str:
    """The piece of ``text`` that a span names, found as an editor would."""
    assert span
    starts = [0, *(end.end() for end in re.finditer(r"\r\n|\n|\r", text))]
    first = starts[span.line - 1] + span.column - 1
    last = starts[span.end_line - 1] + span.end_column - 1
    return text[first:last]


def shown(text: str, *path: str | int, key: bool = False) -> str:
    return cut(text, document(text).locate(path, key=key))


MANIFEST = """\
# a cluster
apiVersion: ray.io/v1
kind: RayCluster
metadata:
  name: "demo"
spec:
  empty:
  none: {}
  nothing: []
  workerGroupSpecs:
  - groupName: small
    replicas: 2
    args: [one, "two"]
    template:
      spec:
        containers:
          - image: rayproject/ray:2.9.0
            name: worker
          - image: other
  -
    replicas: 3
  - - deep
  script: |
    echo a  # no comment
    echo b
"""


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), "RayCluster"),
        (("kind",), "RayCluster"),
        (("metadata",), "metadata"),
        (("metadata", "name"), '"demo"'),
        (("spec", "empty"), "empty"),
        (("spec", "none"), "none"),
        (("spec", "nothing"), "nothing"),
        (("spec", "workerGroupSpecs"), "workerGroupSpecs"),
        (("spec", "workerGroupSpecs", 0), "small"),
        (("spec", "workerGroupSpecs", 0, "replicas"), "2"),
        (("spec", "workerGroupSpecs", 0, "args"), "args"),
        (("spec", "workerGroupSpecs", 0, "args", 0), "one"),
        (("spec", "workerGroupSpecs", 0, "args", 1), '"two"'),
        (("spec", "workerGroupSpecs", 0, "template", "spec", "containers", 0), "worker"),
        (("spec", "workerGroupSpecs", 0, "template", "spec", "containers", 1), "image"),
        (("spec", "workerGroupSpecs", 1), "replicas"),
        (("spec", "workerGroupSpecs", 2), "deep"),
        (("spec", "workerGroupSpecs", 2, 0), "deep"),
        (("spec", "script"), "|\n    echo a  # no comment\n    echo b"),
    ],
)
def test_a_value_is_shown_by_itself_and_a_collection_by_its_key_or_name(
    path: tuple[str | int, ...], text: str
) -> None:
    assert shown(MANIFEST, *path) == text
    assert document(MANIFEST).written(path)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (("status",), "RayCluster"),
        (("status", "state"), "RayCluster"),
        (("metadata", "labels", "a"), "metadata"),
        (("metadata", "name", "x"), '"demo"'),
        (("spec", "workerGroupSpecs", 0, "maxReplicas"), "small"),
        (("spec", "workerGroupSpecs", 7, "maxReplicas"), "workerGroupSpecs"),
        (("spec", "workerGroupSpecs", "x"), "workerGroupSpecs"),
        (("spec", "none", 0), "none"),
        (("spec", "nothing", 0, "name"), "nothing"),
        (("spec", "workerGroupSpecs", -1), "workerGroupSpecs"),
    ],
)
def test_what_is_not_written_is_shown_by_its_nearest_written_ancestor(
    path: tuple[str | int, ...], text: str
) -> None:
    assert shown(MANIFEST, *path) == text
    assert not document(MANIFEST).written(path)


def test_the_key_of_a_value_can_be_asked_for() -> None:
    assert shown(MANIFEST, "metadata", "name", key=True) == "name"
    assert shown(MANIFEST, "spec", "script", key=True) == "script"
    assert shown(MANIFEST, "spec", "workerGroupSpecs", 0, "args", 0, key=True) == "one"
    assert shown(MANIFEST, "spec", "workerGroupSpecs", 0, key=True) == "small"


def test_aliases_and_merge_keys_lead_to_where_the_value_is_written() -> None:
    text = (
        HEAD + "base: &b\n  image: x:1\n  cpu: &n 4\none:\n  <<: *b\n  cpu: 5\ntwo:\n  cpu: 6\n  <<: *b\nnum: *n\n"
    )
    found = document(text)
    assert [found.locate((name, "image")) for name in ("one", "two")] == [found.locate(("base", "image"))] * 2
    assert shown(text, "one", "cpu") == "5"
    assert shown(text, "two", "cpu") == shown(text, "num") == "4"
    assert found.locate(("two", "cpu")) == found.locate(("num",)) == found.locate(("base", "cpu"))
    assert shown(text, "two", "image", key=True) == "image"


def test_keys_are_found_by_the_text_that_kubectl_makes_of_them() -> None:
    text = HEAD + "m:\n  010: a\n  y: b\n  !!binary aGk=: c\n  x: 1\n  'x': 2\n"
    assert [shown(text, "m", key) for key in ("8", "true", "hi")] == ["a", "b", "c"]
    assert shown(text, "m", "true", key=True) == "y"
    assert shown(text, "m", "x") == "2"


def test_lines_and_columns_are_those_of_an_editor() -> None:
    text = HEAD + 'a: "😀é\u2028x" # \u0085\nb: ü\r\nc: 1\rd: 2\n'
    found = document(text)
    for name, place in (("a", (3, 4, 3, 10)), ("b", (4, 4, 4, 5)), ("c", (5, 4, 5, 5)), ("d", (6, 4, 6, 5))):
        span = found.locate((name,))
        assert span
        assert span.as_tuple() == place
        assert found.lines(span) == {place[0]: re.split(r"\r\n|\n|\r", text)[place[0] - 1]}


def test_positions_count_from_the_file_s_first_line_in_every_document() -> None:
    text = f"\ufeff# c\r\n---\r\n{HEAD}---\r\n{HEAD}v: 1\n--- # x\n# y\n\n{HEAD}v: 2"
    documents = read("f", text.encode()).documents
    assert [cut(text.removeprefix("\ufeff"), found.locate(("kind",))) for found in documents] == ["RayCluster"] * 3
    assert [found.locate(("v",)) for found in documents[1:]] == [Span(8, 4, 8, 5), Span(14, 4, 14, 5)]


def test_at_most_three_lines_of_a_span_are_given() -> None:
    text = HEAD + "v: |\n" + "".join(f"  line {number}\n" for number in range(9))
    found = document(text)
    span = found.locate(("v",))
    assert span
    assert found.lines(span) == {3: "v: |", 4: "  line 0", 12: "  line 8"}
    assert found.lines(Span(99, 1, 99, 1)) == {}


def test_a_live_object_has_data_and_no_places() -> None:
    found = Document.from_object({"kind": "RayCluster", "a": [None]}, "cluster")
    assert found.locate(("kind",)) is None
    assert found.lines(Span(1, 1, 1, 1)) == {}
    assert found.comments() == []
    assert found.written(("a", 0))
    assert not found.written(("a", 1))
    assert (found.file, found.index) == ("cluster", 0)


# --- comments -------------------------------------------------------------------------------------------------


def comments(text: str) -> list[tuple[int, int, str, bool]]:
    found = read("f", text.encode()).documents
    return [(c.line, c.column, c.text, c.trailing) for each in found for c in each.comments()]


def test_comments_are_told_from_hashes_in_values() -> None:
    text = (
        "# one\n" + HEAD + "a: b # two\n  # three\nb: x#y\nc: '# no' # four\n"
        'd: "no # \n  # no" # five\ne: | # six\n  # no\n\n  b\n# seven\nf: >-\n   # no\n  #eight\n'
        "g: {a: [1, # nine\n  2]}\nh: http://x/#y\ni: a\n  b # ten\nj:\t# eleven\nk: &a #twelve\n  1\n#"
    )
    found = comments(text)
    assert [comment[2] for comment in found] == [
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "",
    ]
    assert found[:3] == [(1, 1, "one", False), (4, 6, "two", True), (5, 3, "three", False)]


def test_comments_between_documents_belong_to_the_one_below() -> None:
    text = f"# file\n---\n# more\n--- # sep\n{HEAD}# a\n---\n# b\n{HEAD}# c\n"
    assert comments(text) == [
        (1, 1, "file", False),
        (3, 1, "more", False),
        (4, 5, "sep", True),
        (7, 1, "a", False),
        (9, 1, "b", False),
        (12, 1, "c", False),
    ]
    first, second = read("f", text.encode()).documents
    assert [comment.text for comment in second.comments()] == ["b", "c"]
    assert len(first.comments()) == 4


def test_json_and_dropped_text_have_no_comments() -> None:
    assert comments('{"apiVersion": "ray.io/v1", "kind": "A # b"}') == []
    assert comments(HEAD + "a: 1 # yes\n...\n# no\nb: ]\n") == [(3, 6, "yes", True)]


# --- properties -----------------------------------------------------------------------------------------------

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    [
        "y",
        "on",
        "null",
        "010",
        "1:30",
        "a: b",
        "- x",
        "# no",
        "a #b",
        "line\nline\n",
        " lead",
        "\n",
        "{{ x }}",
        "*a",
    ]
)
SCALARS = st.one_of(TEXTS, st.integers(-(2**63), 2**63 - 1), st.booleans(), st.none(), st.floats(-1e9, 1e9))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def paths(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], object]]:
    """Every scalar's path."""
    if isinstance(value, dict):
        return [found for key, item in value.items() for found in paths(item, (*path, key))]
    if isinstance(value, list):
        return [found for number, item in enumerate(value) for found in paths(item, (*path, number))]
    return [(path, value)]


STYLES = st.sampled_from(
    [
        {"default_flow_style": False},
        {"default_flow_style": True},
        {"default_flow_style": False, "default_style": '"', "allow_unicode": True},
        {"default_flow_style": None, "allow_unicode": True, "width": 20, "indent": 4},
        {"default_flow_style": False, "default_style": "|", "width": 10},
        {"default_flow_style": False, "default_style": ">", "width": 10},
    ]
)


def dump(value: object, style: dict[str, Any]) -> str:
    text: str = yaml.safe_dump({"apiVersion": "ray.io/v1", "kind": "A", "v": value}, sort_keys=False, **style)
    return text


@settings(max_examples=150)
@given(VALUES, STYLES)
def test_a_scalar_s_span_cuts_out_text_that_reads_back_as_the_scalar(value: object, style: dict[str, Any]) -> None:
    text = dump(value, style)
    found = document(text)
    for path, scalar in paths(found.data):
        piece = cut(text, found.locate(path))
        if piece[0] not in "|>":  # their indentation says nothing without their parent's
            assert read_embedded(piece) == scalar
        key = cut(text, found.locate(path, key=True))
        if isinstance(path[-1], str) and key[0] not in "|>":
            assert read_embedded(f"? {key}\n: 1\n") == {path[-1]: 1}


def replaced(value: Any, path: tuple[str | int, ...], new: object) -> Any:
    if not path:
        return new
    if isinstance(value, dict):
        return {key: replaced(item, path[1:], new) if key == path[0] else item for key, item in value.items()}
    return [replaced(item, path[1:], new) if number == path[0] else item for number, item in enumerate(value)]


@settings(max_examples=150)
@given(VALUES, STYLES)
def test_replacing_the_text_of_a_scalar_s_span_changes_that_scalar_alone(
    value: object, style: dict[str, Any]
) -> None:
    text = dump(value, style)
    reading = read("f", text.encode())
    assume(not reading.remarks)
    found = reading.documents[0]
    for path, _ in paths(found.data):
        span = found.locate(path)
        assert span
        piece = cut(text, span)
        lines = re.split(r"(?<=\n)", text)
        start = sum(map(len, lines[: span.line - 1])) + span.column - 1
        assert text[start:].startswith(piece)
        changed = text[:start] + '"new"' + text[start + len(piece) :]
        assert read("f", changed.encode()).documents[0].data == replaced(found.data, path, "new")


@settings(max_examples=100)
@given(VALUES, st.sampled_from([None, 1, 4]), st.booleans())
def test_json_positions_cut_out_json(value: object, indent: int | None, ascii_only: bool) -> None:
    whole = {"apiVersion": "ray.io/v1", "kind": "A", "v": value}
    text = " " + json.dumps(whole, indent=indent, ensure_ascii=ascii_only)
    found = document(text)
    assert found.data == whole
    for path, scalar in paths(whole):
        assert json.loads(cut(text, found.locate(path))) == scalar
        if isinstance(path[-1], str):
            assert json.loads(cut(text, found.locate(path, key=True))) == path[-1]


@settings(max_examples=100)
@given(VALUES)
def test_every_path_has_a_place_inside_the_text(value: object) -> None:
    text = yaml.safe_dump({"kind": "A", "apiVersion": "ray.io/v1", "v": value})
    found = document(text)
    for path, _ in paths(found.data):
        for stop in range(len(path) + 1):
            span = found.locate(path[:stop])
            assert span
            assert span.line in found.lines(span)
            assert cut(text, span) or path[:stop]
