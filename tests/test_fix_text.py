"""Single edits of texts in every form that YAML and JSON have: what goes, what comes, what stays."""

from __future__ import annotations

import pytest

from raylint.document import Document
from raylint.embedded_document import EmbeddedDocument
from raylint.finding import Fix
from raylint.fix import replaced
from raylint.fix_data import only_means_what_it_says
from raylint.fix_edits import resolved
from raylint.reader import read
from raylint.rule import Edit, Location, safe

HEAD = "apiVersion: v1\nkind: Thing\n"
NOTHING = ""


def place(text: str, *path: str | int, document: int = 0) -> Location:
    found = read("thing.yaml", text.encode()).documents[document]
    return Location(found, path)


def edited(text: str, *edits: Edit) -> str:
    """The text after the edits; empty where there is no fix."""
    document: Document = edits[0].at.document
    fixes: tuple[Fix, ...] = resolved(document, safe(*edits), str, lambda _: False)
    if not fixes:
        return NOTHING
    after = replaced(text.encode(), fixes)
    assert only_means_what_it_says(text.encode(), after, fixes)
    return after.decode()


BLOCK = """\
a: 1  # one
# about b
b:
  c: x   # c
  d: |
    text

  e: [1, 2,
    3]  # e
g:
- name: q   # q
  v: 1
- name: r
h:
  only: 1  # o
i: # nothing
"""


@pytest.mark.parametrize(
    ("path", "gone", "come"),
    [
        (("a",), "a: 1  # one\n", ""),
        (("b", "c"), "  c: x   # c\n", ""),
        (("b", "d"), "  d: |\n    text\n", ""),
        (("b", "e"), "  e: [1, 2,\n    3]  # e\n", ""),
        (("b", "e", 0), "[1, 2,", "[2,"),
        (("b", "e", 2), ",\n    3]", "]"),
        (("b",), BLOCK[BLOCK.index("b:\n") : BLOCK.index("g:")], ""),
        (("g", 0, "name"), "name: q   # q\n  v", "v"),
        (("g", 0, "v"), "  v: 1\n", ""),
        (("g", 1, "name"), "name: r", "{}"),
        (("g", 0), "- name: q   # q\n  v: 1\n", ""),
        (("g", 1), "- name: r\n", ""),
        (("h", "only"), "h:\n  only: 1  # o\n", "h: {}\n"),
        (("i",), "i: # nothing\n", ""),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_delete_from_blocks(path: tuple[str | int, ...], gone: str, come: str, newline: str) -> None:
    text = (HEAD + BLOCK).replace("\n", newline)
    gone, come = gone.replace("\n", newline), come.replace("\n", newline)
    assert text.count(gone) == 1
    assert edited(text, place(text, *path).delete()) == text.replace(gone, come)


@pytest.mark.parametrize(
    ("body", "path", "expected"),
    [
        # Comments right above, as far in as the dash, belong to the item; others stay.
        ("a:\n# of b\nb:\n  # one\n  # more\n  - x: 1\n    # inside\n    z: 2\n  # two\n  - y\n# of c\nc: 1\n",
         ("b", 0), "a:\n# of b\nb:\n  # two\n  - y\n# of c\nc: 1\n"),
        ("b:\n  - x\n\n  # apart\n\n  # two\n  - y # y\nc: 1\n", ("b", 1),
         "b:\n  - x\n\n  # apart\n\nc: 1\n"),
        ("b:\n- x\n    # elsewhere\n- y\n", ("b", 1), "b:\n- x\n    # elsewhere\n"),
        ("b:\n- |\n  text\n  # text\n- y\n", ("b", 1), "b:\n- |\n  text\n  # text\n"),
        # The last one takes the list's key along.
        ("a: 1\nb:\n  # wait\n  - x: 1\nc: 2\n", ("b", 0), "a: 1\nc: 2\n"),
        ("a: {b: [1], c: 2}\n", ("a", "b", 0), "a: {c: 2}\n"),
        ("a:\n  b:\n  - 1\nc: 1\n", ("a", "b", 0), "a: {}\nc: 1\n"),
        ("a:\n- b:\n  - 1\n  c: 1\n", ("a", 0, "b", 0), "a:\n- c: 1\n"),
        ("a: [[1], 2]\n", ("a", 0, 0), "a: [[], 2]\n"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_delete_items(body: str, path: tuple[str | int, ...], expected: str, newline: str) -> None:
    text = (HEAD + body).replace("\n", newline)
    assert edited(text, place(text, *path).delete()) == (HEAD + expected).replace("\n", newline)


@pytest.mark.parametrize(
    ("path", "value", "after", "old", "new"),
    [
        (("a",), 2, "", "a: 1", "a: 2"),
        (("a",), "1", "", "a: 1", 'a: "1"'),
        (("a",), ["x", "y z"], "", "a: 1", 'a: [x, "y z"]'),
        (("b", "c"), "on", "", "c: x", 'c: "on"'),
        (("b", "e"), [], "", "[1, 2,\n    3]", "[]"),
        (("b", "d"), "short", "", "d: |\n    text\n", "d: short\n"),
        (("b", "z"), "4Gi", "c", "  c: x   # c\n", "  c: x   # c\n  z: 4Gi\n"),
        (("b", "z", "y"), 1, "", "    3]  # e\n", "    3]  # e\n  z:\n    \"y\": 1\n"),
        (("g", 0, "w"), True, "", "  v: 1\n", "  v: 1\n  w: true\n"),
        (("g", 2), {"name": "s", "ports": [{"port": 1}]}, "", "- name: r\n",
         "- name: r\n- name: s\n  ports:\n  - port: 1\n"),
        (("i",), "v2", "", "i: #", "i: v2 #"),
        (("i", "version"), "v2", "", "i: #", "i: {version: v2} #"),
        (("k", "l"), [1], "a", "a: 1  # one\n", "a: 1  # one\nk:\n  l:\n  - 1\n"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_set_in_blocks(
    path: tuple[str | int, ...], value: object, after: str, old: str, new: str, newline: str
) -> None:
    text = (HEAD + BLOCK).replace("\n", newline)
    old, new = old.replace("\n", newline), new.replace("\n", newline)
    assert text.count(old) == 1
    assert edited(text, place(text, *path).set(value, after=after)) == text.replace(old, new)


def test_nothing_is_written_behind_a_block_of_text() -> None:
    text = f"{HEAD}a:\n  b: 1\n  c: |+\n    text\n\nd: 1\n"
    assert edited(text, place(text, "a", "z").set(2)) == text.replace("  b: 1\n", "  b: 1\n  z: 2\n")
    text = f"{HEAD}a:\n  c: |+\n    text\n\nd: 1\n"
    assert edited(text, place(text, "a", "z").set(2)) == text.replace("  c: |+", "  z: 2\n  c: |+")
    text = f"{HEAD}a:\n- c: |+\n    text\n\nd: 1\n"
    assert edited(text, place(text, "a", 0, "z").set(2)) == text.replace("- c: |+", "- z: 2\n  c: |+")


@pytest.mark.parametrize(
    ("flow", "edits", "expected"),
    [
        ("{a: 1, b: 2, c: 3}", [("delete", "a")], "{b: 2, c: 3}"),
        ("{a: 1, b: 2, c: 3}", [("delete", "b")], "{a: 1, c: 3}"),
        ("{a: 1, b: 2, c: 3}", [("delete", "c")], "{a: 1, b: 2}"),
        ("{ a: 1 }", [("delete", "a")], "{}"),
        ("{a: 1, b: {c: 2},}", [("delete", "b")], "{a: 1,}"),
        ("{a: '1', b: \"2\"}", [("set", "a", "it's"), ("set", "b", 'say "x"')],
         "{a: 'it''s', b: \"say \\\"x\\\"\"}"),
        ("{a: 1}", [("set", "b", {"c": [1, "x y"]})], '{a: 1, b: {c: [1, "x y"]}}'),
        ("{}", [("set", "b", None)], "{b: null}"),
        ("{a: 1, c}", [("delete", "c")], "{a: 1}"),
        ("{a: 0x1F, b: yes}", [("quote", "a"), ("quote", "b")], '{a: "0x1F", b: "yes"}'),
        ("{'a': 1, \"b\": 2, c: 3}", [("rename", "a", "x"), ("rename", "b", "y"), ("rename", "c", "z")],
         "{'x': 1, \"y\": 2, z: 3}"),
        ("{\n  a: 1,  # one\n  # two\n  b: 2\n}", [("delete", "a")], "{\n    # one\n  # two\n  b: 2\n}"),
        ("{\n  a: 1,  # one\n  # two\n  b: 2\n}", [("delete", "b")], "{\n  a: 1  # one\n  # two\n  \n}"),
        ("{\n  a: 1,  # one\n}", [("delete", "a")], "{\n    # one\n}"),
        ("{\n  a: 1  # one\n  }", [("delete", "a")], "{\n    # one\n  }"),
        ("{\n  a: 1,\n  b: 2\n  }", [("set", "c", 3)], "{\n  a: 1,\n  b: 2,\n  c: 3\n  }"),
        ("{a: 1, b: 2}", [("delete", "a"), ("delete", "b")], NOTHING),
        ("{? a : 1, b: 2}", [("delete", "a")], NOTHING),
    ],
)  # fmt: skip
def test_flow_collections(flow: str, edits: list[tuple[str, ...]], expected: str) -> None:
    text = f"{HEAD}spec: {flow}\n"
    made = [getattr(place(text, "spec", key), action)(*values) for action, key, *values in edits]
    assert edited(text, *made) == (expected and f"{HEAD}spec: {expected}\n")


def test_json() -> None:
    text = '{"apiVersion": "v1", "kind": "Thing",\n "é": {"only": 1},\n "a": [1, {"b": 2}], "c": true}'
    assert edited(text, place(text, "é", "only").delete()) == text.replace('{"only": 1}', "{}")
    assert edited(text, place(text, "a", 0).delete()) == text.replace("1, {", "{")
    assert edited(text, place(text, "c").delete()) == text.replace(', "c": true', "")
    assert edited(text, place(text, "c").quote()) == text.replace("true", '"true"')
    assert edited(text, place(text, "a", 1, "z").set("yes")) == text.replace('"b": 2', '"b": 2, "z": "yes"')
    assert edited(text, place(text, "x", "y").set([1])) == text.replace("true}", 'true, "x": {"y": [1]}}')


def test_several_documents_and_a_byte_order_mark() -> None:
    text = f"\ufeff{HEAD}é: ü\na: 1\n---\n{HEAD}é: ü\na: 1 # ü\nb: 2\n--- # third\n{HEAD}a: 3"
    assert edited(text, place(text, "a").delete()) == text.replace("a: 1\n---", "---")
    assert edited(text, place(text, "a", document=1).set("x")) == text.replace("a: 1 #", "a: x #")
    assert edited(text, place(text, "a", document=2).delete()) == text.removesuffix("a: 3")
    assert edited(text, place(text, "b", document=2).set(1)) == f"{text}\nb: 1"


def test_several_json_objects() -> None:
    one = '{"apiVersion": "v1", "kind": "Thing", "é": 1, "a": 1}'
    text = f"\ufeff{one}\n{one} {one}"
    without = one.replace(', "a": 1', "")
    assert edited(text, place(text, "a", document=1).delete()) == f"\ufeff{one}\n{without} {one}"


@pytest.mark.parametrize(
    "path", [("m", "q"), ("p", "q"), ("p",), ("o", "q"), ("o", "r"), ("m",), ("s",), ("l", 0)]
)
def test_what_is_shared_is_left_alone(path: tuple[str | int, ...]) -> None:
    text = f"{HEAD}m: &a {{q: 1}}\np: *a\no: {{<<: *a, r: 2}}\ns: &s 1\nl: [*s, 2]\n"
    assert edited(text, place(text, *path).delete()) == NOTHING


def test_beside_what_is_shared() -> None:
    text = f"{HEAD}m: &a {{q: 1}}\np: {{x: *a, w: 1}}\nl: [*a, 2]\nb:\n  c: &unused 1\n  d: *a\n"
    assert edited(text, place(text, "p", "w").delete()) == text.replace("*a, w: 1", "*a")
    assert edited(text, place(text, "l", 1).delete()) == text.replace("[*a, 2]", "[*a]")
    assert edited(text, place(text, "b", "c").set(2)) == text.replace("&unused 1", "&unused 2")
    assert edited(text, place(text, "b", "e").set(2)) == f"{text}  e: 2\n"
    assert edited(text, place(text, "b").delete()) == text[: text.index("b:\n")]
    assert edited(text, place(text, "m", "z").set(2)) == NOTHING


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ("a: 1\na: 2\n", ("a",)),
        ("? a\n: 1\nb: 2\n", ("a",)),
        ("a: !!map {b: 1}\n", ("a", "c", "d", 0)),
        ("a:\n  !!map\n  b: 1\n", ("a", "b")),
        ("a: 1\n", ("z",)),
    ],
)
def test_what_cannot_be_deleted(body: str, path: tuple[str | int, ...]) -> None:
    text = HEAD + body
    assert edited(text, place(text, *path).delete()) == NOTHING


def test_what_cannot_be_set_renamed_or_quoted() -> None:
    text = f"{HEAD}a: !!str 1\nb:\n  c: 1\nd: [1]\ne: text\n"
    assert edited(text, place(text, "a").set(2)) == NOTHING
    assert edited(text, place(text, "b").set(2)) == NOTHING
    assert edited(text, place(text, "d", 5).set(2)) == NOTHING
    assert edited(text, place(text, "e", "f").set(2)) == NOTHING
    assert edited(text, place(text, "e").rename("a")) == NOTHING
    assert edited(text, place(text, "x").rename("y")) == NOTHING
    assert edited(text, place(text, "b").quote()) == NOTHING
    assert edited(text, place(text, "d", 0).rename("y")) == NOTHING


def test_a_live_object_has_no_text_to_fix() -> None:
    document = Document.from_object({"apiVersion": "v1", "kind": "Thing", "a": 1})
    assert resolved(document, safe(Location(document, ("a",)).delete()), str, lambda _: False) == ()


def test_a_move_is_two_edits() -> None:
    text = f"{HEAD}a:\n  x: 1 # it\n  w: 2\nb:\n  z: 3\n"
    expected = f"{HEAD}a:\n  w: 2\nb:\n  z: 3\n  x: 1\n"
    assert edited(text, place(text, "a", "x").delete(), place(text, "b", "x").set(1)) == expected


def test_what_moves_from_the_end_of_a_block_stands_behind_it() -> None:
    text = f"{HEAD}a:\n  b:\n    w: 2\n    x: 1 # it\nc: 3\n"
    expected = f"{HEAD}a:\n  b:\n    w: 2\n  x: 1\nc: 3\n"
    assert edited(text, place(text, "a", "b", "x").delete(), place(text, "a", "x").set(1)) == expected


@pytest.mark.parametrize(
    ("body", "number", "expected"),
    [
        ("l:\n- a: 1\n- b: 2\n- c: 3\nz: 1\n", 1, "l:\n- b: 2\n- a: 1\n- c: 3\nz: 1\n"),
        # With its comments: right above its dash, on its lines, and below them as far as they stand deeper.
        ("l:\n  # the first\n  - a: 1\n\n  # the\n  # other\n  - b: 2  # two\n    # c: 3\n\n  # end\nz: 1\n", 1,
         "l:\n  # the\n  # other\n  - b: 2  # two\n    # c: 3\n  # the first\n  - a: 1\n\n\n  # end\nz: 1\n"),
        ("l:\n- a: 1\n-   b: |\n        text\n          more\n    d: {e: 'f'}\n", 1,
         "l:\n-   b: |\n        text\n          more\n    d: {e: 'f'}\n- a: 1\n"),
        ("l:\n- a: 1\n- b: |\n    text\nz: 1\n", 1, "l:\n- b: |\n    text\n- a: 1\nz: 1\n"),
        ("l:\n- a: 1\n- b: 2", 1, "l:\n- b: 2\n- a: 1\n"),
        ("l:\n- - 1\n  - 2\n- 3\n", 1, "l:\n- 3\n- - 1\n  - 2\n"),
        ("l: [a, {b: 1}, c]\n", 1, "l: [{b: 1}, a, c]\n"),
        ("l: [a, {b: 1}, 'c' , ]\n", 2, "l: ['c', a, {b: 1} , ]\n"),
        ("l: [\n  a,\n  {b: 1,\n   c: 2}\n]\n", 1, "l: [\n  {b: 1,\n   c: 2},\n  a\n]\n"),
        ("y: &y 1\nl:\n- a: 1\n- b: *y\n", 1, "y: &y 1\nl:\n- b: *y\n- a: 1\n"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_an_item_becomes_the_first(body: str, number: int, expected: str, newline: str) -> None:
    text = (HEAD + body).replace("\n", newline)
    assert edited(text, place(text, "l", number).move_to_front()) == (HEAD + expected).replace("\n", newline)


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ("l:\n- a: 1\n", ("l", 0)),
        ("l:\n- a: 1\n", ("l", 1)),
        ("l: {a: 1, b: 2}\n", ("l", "b")),
        ("l:\n- - 1\n  - 2\n", ("l", 0, 1)),
        ("l: [a,  # of a\n  b]\n", ("l", 1)),
        # What is used before it stood there, or would be.
        ("l:\n- a: &a 1\n- b: *a\n", ("l", 1)),
        ("l:\n- a: 1\n- b: &b 1\nz: *b\n", ("l", 1)),
        # Blank lines and line breaks that belong to a text.
        ("l:\n- a: 1\n- b: |+\n    text\n\nz: 1\n", ("l", 1)),
        ("l:\n- a: >2+\n    text\n\n- b: 1\nz: 1\n", ("l", 1)),
        ("l:\n- a: 1\n- b: |\n    text", ("l", 1)),
    ],
)
def test_what_cannot_become_the_first(body: str, path: tuple[str | int, ...]) -> None:
    text = HEAD + body
    assert edited(text, place(text, *path).move_to_front()) == NOTHING


INNER = """\
http_options:
  host: 0.0.0.0  # all
  port: 8000
applications:
- name: app

  import_path: "app:graph"
"""


def inner(text: str, *steps: str | int) -> Location:
    found = read("thing.yaml", text.encode()).documents[0]
    assert isinstance(found.data, dict)
    value = found.data["text"]
    return EmbeddedDocument(found, ("text",), value).at(*steps)


def outer(body: str, header: str = "|", indent: str = "    ") -> str:
    lines = [f"{indent}{line}" if line.strip() else line for line in body.splitlines(keepends=True)]
    return f"{HEAD}text: {header}\n{''.join(lines)}after: 1\n"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("header", ["|", "|-", "|4 # text"])
def test_inside_a_block_of_text(header: str, newline: str) -> None:
    text = outer(INNER, header).replace("\n", newline)

    def expect(old: str, new: str) -> str:
        return outer(INNER.replace(old, new), header).replace("\n", newline)

    assert edited(text, inner(text, "http_options", "host").delete()) == expect("  host: 0.0.0.0  # all\n", "")
    assert edited(text, inner(text, "http_options", "port").set(1)) == expect("8000", "1")
    assert edited(text, inner(text, "http_options", "x").set([1])) == expect("8000\n", "8000\n  x:\n  - 1\n")
    assert edited(text, inner(text, "applications", 0, "name").rename("label")) == expect(
        "name: app", "label: app"
    )
    last = inner(text, "applications", 0, "import_path")
    assert edited(text, last.set("other:graph")) == expect("app:graph", "other:graph")
    both = (inner(text, "http_options", "host").set("::"), inner(text, "http_options", "port").set(1))
    assert edited(text, *both) == expect("0.0.0.0  # all\n  port: 8000", '"::"  # all\n  port: 1')


def test_only_a_literal_block_shows_its_value_line_by_line() -> None:
    text = outer("a: 1\nb: 2\n", ">")
    assert edited(text, inner(text, "a").set(2)) == NOTHING
    text = f'{HEAD}text: "a: 1\\nb: 2\\n"\n'
    assert edited(text, inner(text, "a").set(2)) == NOTHING
    text = f"{HEAD}text: &t |\n  a: 1\n"
    assert edited(text, inner(text, "a").set(2)) == text.replace("1", "2").replace("v2", "v1")
