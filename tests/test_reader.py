"""The reader gives what kubectl gives: 290 probes with kubectl's recorded answers, and what a file is made of."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raylint.document import Document
from raylint.reader import Reading, Unreadable, read, read_embedded

PROBES: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("fixtures").joinpath("yaml-probes.json").read_text(encoding="utf-8")
)["cases"]
HEAD = "apiVersion: ray.io/v1\nkind: RayCluster\n"
AMBIGUOUS = "key-dup-int-str"  # kubectl itself takes one of the two at random


def same(ours: object, theirs: object) -> bool:
    """Equal as JSON: booleans are no numbers, and 1 is 1.0."""
    if isinstance(ours, bool) or isinstance(theirs, bool):
        return ours is theirs
    if isinstance(ours, int | float) and isinstance(theirs, int | float):
        return ours == theirs or float(ours) == float(theirs)
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(same(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return type(ours) is type(theirs) and ours == theirs


def data(document: Document) -> Any:
    return document.data


def raw_of(probe: dict[str, Any]) -> bytes:
    return probe["text"].encode() if "text" in probe else base64.b64decode(probe["base64"])


def as_kubectl(reading: Reading) -> list[object]:
    """The reading up to the first error, where the probes' reader stops."""
    errors = {remark.document for remark in reading.remarks if remark.rule_id in ("RL001", "RL008")}
    documents = {document.index: document.data for document in reading.documents}
    answers: list[object] = []
    for index in range(reading.total):
        if index in errors:
            return [*answers, "error"]
        if index in documents:
            answers.append(documents[index])
    return answers


def answers_of(probe: dict[str, Any]) -> list[object]:
    return ["error" if "error" in answer else answer["object"] for answer in probe["kubectl"]]


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe["name"])
def test_probe_reads_as_kubectl_reads_it(probe: dict[str, Any]) -> None:
    reading = read("probe.yaml", raw_of(probe))
    assert same(as_kubectl(reading), answers_of(probe))
    assert ("RL011" in {remark.rule_id for remark in reading.remarks}) == (probe["name"] == AMBIGUOUS)


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe["name"])
def test_every_error_says_where_and_what(probe: dict[str, Any]) -> None:
    for remark in read("probe.yaml", raw_of(probe)).remarks:
        assert remark.span is not None
        assert remark.span.line >= 1
        assert remark.span.column >= 1
        assert remark.lines.get(remark.span.line)
        assert all((remark.message, remark.effect, remark.fix))
        assert not remark.message.startswith("invalid YAML:")


def test_the_probes_read_the_same_without_libyaml() -> None:
    script = (
        "import base64, json, sys\n"
        "sys.modules['yaml._yaml'] = None\n"
        "from raylint.reader import LIBYAML, read\n"
        "from tests.test_reader import PROBES, answers_of, as_kubectl, raw_of, same\n"
        "assert not LIBYAML\n"
        "print(*(p['name'] for p in PROBES if not same(as_kubectl(read('p', raw_of(p))), answers_of(p))))\n"
    )
    root = Path(__file__).parent.parent
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=root, check=False)
    assert (done.stdout.strip(), done.stderr) == ("", "")


# --- documents of a file --------------------------------------------------------------------------------------


def kinds(reading: Reading) -> list[tuple[int, str]]:
    return [(document.index, data(document)["kind"]) for document in reading.documents]


def manifest(kind: str) -> str:
    return f"apiVersion: ray.io/v1\nkind: {kind}\n"


def test_documents_are_numbered_among_the_non_empty_ones() -> None:
    text = f"# head\n---\n{manifest('A')}---\n# nothing\n---\n---\n{manifest('B')}---\n"
    reading = read("f", text.encode())
    assert kinds(reading) == [(0, "A"), (1, "B")]
    assert reading.total == 2


def test_an_unreadable_document_does_not_hide_the_others() -> None:
    text = f"{manifest('A')}---\na: [\n---\n{manifest('B')}"
    reading = read("f", text.encode())
    assert kinds(reading) == [(0, "A"), (2, "B")]
    [remark] = reading.remarks
    assert (remark.rule_id, remark.document) == ("RL001", 1)
    assert remark.span
    assert remark.span.as_tuple() == (4, 4, 4, 5)


def test_documents_without_a_needle_are_counted_and_passed_over() -> None:
    text = f"a: [\n---\n{manifest('A')}---\nkind: B\n"
    reading = read("f", text.encode(), (b"ray.io",))
    assert kinds(reading) == [(1, "A")]
    assert (reading.total, reading.remarks) == (3, [])


@pytest.mark.parametrize(
    ("text", "spoken_of"),
    [
        ("# see docs.ray.io\na: [\n", False),
        ("apiVersion: v1\nkind: A\nurl: ray.io\nx: [\n", False),
        ("apiVersion: ray.io/v1\nx: [\n", True),
        ("apiVersion : 'ray.io/v1'\nx: [\n", True),
        ('{"apiVersion":"ray.io/v1", "x": [\n', True),
        ("apiVersion: ray.io/v1\nx: 1\n", True),
        ("helm: values\nfor: ray.io\n", False),
        ("--- {apiVersion: ray.io/v1}\n", True),
        ("--- {url: docs.ray.io}\n", False),
    ],
)
def test_with_needles_only_evident_ray_manifests_are_spoken_of(text: str, spoken_of: bool) -> None:
    remarks = read("f", text.encode(), (b"ray.io",)).remarks
    assert bool(remarks) == spoken_of
    assert {remark.rule_id for remark in remarks} <= {"RL001"}


def test_a_stray_separator_costs_kubectl_the_document_above_it_but_not_us() -> None:
    text = f"{manifest('A')}--- {{apiVersion: ray.io/v1, kind: B}}\n---\n{manifest('C')}"
    reading = read("f", text.encode())
    assert kinds(reading) == [(0, "A"), (1, "B"), (2, "C")]
    [remark] = reading.remarks
    assert remark.document == 0
    assert remark.lines == {3: "--- {apiVersion: ray.io/v1, kind: B}"}
    assert reading.documents[1].locate(("kind",)) is not None
    assert "above this line" in remark.effect


def test_directives_are_named() -> None:
    text = f"# ç\n%YAML 1.2\n---\n{manifest('A')}"
    reading = read("f", text.encode(), (b"ray.io",))
    [remark] = reading.remarks
    assert "`%YAML`" in remark.message
    assert remark.span
    assert remark.span.as_tuple() == (2, 1, 2, 10)
    assert kinds(reading) == [(1, "A")]


@pytest.mark.parametrize(
    ("text", "message", "path"),
    [
        ("- a\n", "the document is a list, not a Kubernetes object", ()),
        ("kind: A\n", "the document has no apiVersion", ()),
        ("apiVersion: v1\n", "the document has no kind", ()),
        ("apiVersion: 1\nkind: A\n", "apiVersion is a number, not text", ("apiVersion",)),
        ("apiVersion: v1\nkind: [A]\n", "kind is a list, not text", ("kind",)),
        ("apiVersion: a/b/c\nkind: A\n", "the apiVersion `a/b/c` is no group and version", ("apiVersion",)),
    ],
)
def test_what_is_no_object_is_refused(text: str, message: str, path: tuple[str, ...]) -> None:
    reading = read("f", text.encode())
    assert reading.documents == []
    [remark] = reading.remarks
    assert (remark.message, remark.path) == (message, path)
    assert "goes on with the next" in remark.effect


def test_null_documents_are_skipped_as_kubectl_skips_them() -> None:
    reading = read("f", f"~\n---\n{manifest('A')}".encode())
    assert kinds(reading) == [(1, "A")]
    assert reading.remarks == []


# --- templates ------------------------------------------------------------------------------------------------


def test_a_template_gives_one_remark_for_the_file() -> None:
    part = HEAD + "{{- if .Values.x }}\nv: 1\n{{- end }}\n"
    reading = read("f", f"{part}---\n{part}---\n{manifest('B')}".encode(), (b"ray.io",))
    [remark] = reading.remarks
    assert remark.rule_id == "RL008"
    assert remark.lines == {3: "{{- if .Values.x }}"}
    assert remark.span
    assert remark.span.as_tuple() == (3, 1, 3, 20)
    assert kinds(reading) == [(2, "B")]


@pytest.mark.parametrize(
    "line", ["v: {{ .Values.x }}", "v: {% if x %}", "- {{ x }}-y", "{{ x }}: y", "v: [{{ x }}]"]
)
def test_unrendered_values_are_templates(line: str) -> None:
    [remark] = read("f", (HEAD + line + "\n").encode()).remarks
    assert remark.rule_id == "RL008"


def test_a_quoted_template_is_a_text_like_any_other() -> None:
    reading = read("f", (HEAD + 'v: "{{ .Values.x }}"\n').encode())
    assert data(reading.documents[0])["v"] == "{{ .Values.x }}"
    [remark] = read("f", (HEAD + 'v: "{{ .Values.x }}"\nw: [\n').encode()).remarks
    assert remark.rule_id == "RL001"


# --- keys that are written twice ------------------------------------------------------------------------------


def test_a_duplicate_key_points_at_both_places() -> None:
    reading = read("f", (HEAD + "spec:\n  a: 1\n  b: 2\n  a: 3\n").encode())
    [remark] = reading.remarks
    assert (remark.rule_id, remark.path) == ("RL010", ("spec", "a"))
    assert remark.message == "key 'a' is written twice in spec; kubectl silently takes the last one"
    assert remark.span
    assert remark.span.as_tuple() == (6, 3, 6, 4)
    [(earlier, label)] = remark.related
    assert (earlier.as_tuple(), label) == ((4, 3, 4, 4), "first written here")
    assert remark.lines == {6: "  a: 3"}


@pytest.mark.parametrize(
    ("body", "rule_id"),
    [
        ("m: {1: a, '1': b}", "RL011"),
        ("m: {true: a, 'true': b}", "RL011"),
        ("m: {1: a, 1.0: b}", "RL011"),
        ("m: {yes: a, on: b}", "RL010"),
        ("m: {8: a, 010: b}", "RL010"),
        ("m: {a: a, 'a': b}", "RL010"),
        ("m: {!!str 1: a, '1': b}", "RL010"),
        ("m: {!!str 1: a, 1: b}", "RL011"),
    ],
)
def test_two_types_of_one_text_are_ambiguous(body: str, rule_id: str) -> None:
    [remark] = read("f", (HEAD + body).encode()).remarks
    assert remark.rule_id == rule_id


def test_duplicates_in_json_are_found_at_any_depth() -> None:
    text = '{"apiVersion": "ray.io/v1", "kind": "A",\n "spec": {"x": [{"a": 1,\n "a": 2}]}}'
    reading = read("f", text.encode())
    [remark] = reading.remarks
    assert (remark.rule_id, remark.path) == ("RL010", ("spec", "x", 0, "a"))
    assert remark.span
    assert remark.span.as_tuple() == (3, 2, 3, 5)
    assert data(reading.documents[0])["spec"] == {"x": [{"a": 2}]}


def test_a_merge_that_overrides_a_written_key_is_told_and_one_that_does_not_is_not() -> None:
    text = HEAD + "x: &a {p: 1, q: 2}\nlast:\n  q: 3\n  <<: *a\nfirst:\n  <<: *a\n  q: 3\n"
    reading = read("f", text.encode())
    [remark] = reading.remarks
    assert (remark.rule_id, remark.path) == ("RL010", ("last", "q"))
    read_as = data(reading.documents[0])
    assert (read_as["last"], read_as["first"]) == ({"q": 2, "p": 1}, {"p": 1, "q": 3})


ENTRIES = st.lists(
    st.one_of(
        st.tuples(st.sampled_from("abcd"), st.integers(0, 9)),
        st.tuples(st.just("<<"), st.lists(st.sampled_from(["p", "q", "r"]), min_size=1, max_size=3)),
    ),
    max_size=6,
)
SHARED = {"p": {"a": 10, "b": 11}, "q": {"b": 20, "c": 21}, "r": {"a": 30, "d": 31}}


@given(ENTRIES)
def test_merges_override_in_the_order_of_the_text(entries: list[tuple[str, Any]]) -> None:
    expected: dict[str, int] = {}
    lines = [f"{name}: &{name} {json.dumps(SHARED[name])}" for name in SHARED]
    lines.append("m: {}" if not entries else "m:")
    for key, value in entries:
        if key == "<<":
            for name in reversed(value):
                expected |= SHARED[name]
            aliases = ", ".join(f"*{name}" for name in value)
            lines.append(f"  <<: {aliases}" if len(value) == 1 else f"  <<: [{aliases}]")
        else:
            expected[key] = value
            lines.append(f"  {key}: {value}")
    reading = read("f", (HEAD + "\n".join(lines)).encode())
    assert data(reading.documents[0])["m"] == expected
    for name in expected:
        span = reading.documents[0].locate(("m", name))
        assert span
        written = reading.documents[0].lines(span)[span.line][span.column - 1 : span.end_column - 1]
        assert written == str(expected[name])


# --- JSON -----------------------------------------------------------------------------------------------------


def test_json_objects_follow_each_other_and_yaml_may_follow_one() -> None:
    one, two = ('{"apiVersion":"ray.io/v1","kind":"A"}', '{"apiVersion":"ray.io/v1","kind":"B"}')
    assert kinds(read("f", f"{one}{two}\n".encode())) == [(0, "A"), (1, "B")]
    reading = read("f", f"\ufeff {one}\n---\n{manifest('C')}".encode())
    assert (kinds(reading), reading.remarks) == ([(0, "A"), (1, "C")], [])
    span = reading.documents[1].locate(("kind",))
    assert span
    assert span.as_tuple() == (4, 7, 4, 8)


def test_after_two_json_objects_kubectl_reads_no_yaml() -> None:
    one = '{"apiVersion":"ray.io/v1","kind":"A"}\n'
    reading = read("f", f"{one}{one}---\n{manifest('B')}".encode())
    [remark] = reading.remarks
    assert (remark.rule_id, remark.document) == ("RL001", 2)
    assert remark.span
    assert remark.span.line == 3
    assert kinds(reading)[-1] == (2, "B")


def test_json_is_read_to_the_letter_of_json() -> None:
    text = '{"apiVersion":"ray.io/v1","kind":"A","v":["\\/","\\ud83d\\ude00","\\ud83d",1.0,1e3,2E400]}'
    reading = read("f", text.encode())
    assert [remark.message for remark in reading.remarks] == ["a number that no float64 can hold"]
    reading = read("f", text.replace(",2E400", ',123456789012345678901234567890,{"a\\"b":null}').encode())
    assert data(reading.documents[0])["v"] == ["/", "😀", "\ufffd", 1, 1000, 1.2345678901234568e29, {'a"b': None}]
    span = reading.documents[0].locate(("v", 6, 'a"b'), key=True)
    assert span
    assert reading.documents[0].lines(span)[1][span.column - 1 : span.end_column - 1] == '"a\\"b"'


def test_json_constants_are_not_json_to_go() -> None:
    reading = read("f", b'{"apiVersion":"ray.io/v1","kind":"A","v":NaN}')
    assert data(reading.documents[0])["v"] == "NaN"  # YAML, the second try, reads a text


# --- where Go and libyaml differ; answers of kubectl 1.33 ------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ('"it\\\'s \\a"', "it's \a"),
        ('"it\\\'s"', "it's"),
        ("{q:}", {"q:": None}),
        ("{p: 1, q:, r: [a:]}", {"p": 1, "q:": None, "r": ["a:"]}),
        ("[a?b]", None),
        ("[http://x/?y=1]", None),
        ("a?b", "a?b"),
        ('["a?b"]', ["a?b"]),
        ("! 1", "1"),
        ('! "x"', "x"),
        ("|\n  a", "a\n"),
        ("|-\n  a", "a"),
        ("{a: b, <<: {a: c}}", {"a": "c"}),
        ("&x [a, *x]", None),
    ],
)
def test_yaml_is_read_as_go_reads_it(body: str, value: object) -> None:
    reading = read("f", (HEAD + "v: " + body).encode())
    found = [data(document)["v"] for document in reading.documents]
    assert found == ([] if value is None else [value])


def test_a_byte_order_mark_within_a_document_is_a_character() -> None:
    reading = read("f", (HEAD + "\ufeffv: 1\n").encode())
    assert data(reading.documents[0])["\ufeffv"] == 1
    span = reading.documents[0].locate(("\ufeffv",))
    assert span
    assert span.as_tuple() == (3, 5, 3, 6)


# --- texts inside of a manifest -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("# c\n", None),
        ("a: y\n---\nb: [\n", {"a": True}),
        ("%YAML 1.1\n---\na: 1", {"a": 1}),
        ("{a: 1}", {"a": 1}),
        ("a: 1\na: 2", {"a": 2}),
        ("- 1\n", [1]),
    ],
)
def test_embedded_texts_are_their_first_document(text: str, value: object) -> None:
    assert read_embedded(text) == value


def test_an_unreadable_embedded_text_says_where() -> None:
    with pytest.raises(Unreadable, match="never closed") as caught:
        read_embedded("a: 1\nb: [\n")
    assert caught.value.span
    assert caught.value.span.as_tuple() == (2, 4, 2, 5)
