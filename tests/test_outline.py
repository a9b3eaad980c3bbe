"""What is read by its lines is what the composer makes of it, and stands in the same places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from raylint.build import build
from raylint.compose import compose_document
from raylint.document import Document, Source
from raylint.outline import LINES, Outline, outlined
from raylint.outline_nodes import Nodes
from raylint.packs import installed_rules
from raylint.pyyaml import MappingNode, ScalarNode
from raylint.reader import read
from raylint.scalars import KEYS
from raylint.testing import cases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.finding import Path

PLAIN = {
    "maps": "a:\n  b: 1\n  c:\n    d: x y\ne: 2\n",
    "a list below its key": "a:\n  - b: 1\n    c: 2\n  - d\nf: 3\n",
    "a list beside its key": "a:\n- b: 1\n  c: 2\n- d\nf: 3\n",
    "a list in an item": "a:\n- b:\n  - c\n  - d: 1\n  e: 2\n- f\n",
    "an item without values": "a:\n- b:\n- c:\n  d:\n",
    "words": "a: yes\nb: ~\nc: 0x1F\nd: 1_000\ne: 12:30\nf: null\ng: 1e3\nh: http://x/#y\ni: --flag\nj: $(A)\n",
    "keys that are words": "y: 1\nnull_: 2\noff: 3\nnvidia.com/gpu: 4\n",
    "quotes": 'a: "x: # y"\nb: \'z "\'\nc: ""\nd: \'\'\ne: a "b" \'c\'\n',
    "brackets": "a: []\nb: {}\nc: [ray, \"x, y\", '1', 2 , .5, no]\nd:\n- []\n- {}\n- [a]\n",
    "comments": '# a\na: 1 # b\n  # c\nb: # d\n# e\n  c: "#" # f\nd: x#y\n\n   \n',
    "texts": "a: |\n  x: 1\n\n    y\n  # z\nb: |-\n    1\n     2\n\n\nc:\n- |\n  x\n- d: |-\n   y\n\n  e: 1\n",
    "a text at the end": "a: |\n  x\n   \n",
    "no line end at the end": "a: |\n  x",
    "a line that is not remembered": f"a: {'b' * 300}\n",
    "indented": "  a: 1\n  b:\n    - 2\n",
}
OTHER = {
    "nothing": "# a\n",
    "a list": "- a: 1\n",
    "a text of two lines": "a: b\n  c\n",
    "an anchor": "a: &b 1\n",
    "an alias": "a: *b\n",
    "a tag": "a: !!str 1\n",
    "a merge": "<<: 1\n",
    "an escape": 'a: "\\n"\n',
    "a folded text": "a: >\n  b\n",
    "a text with its indent": "a: |2\n  b\n",
    "a text without lines": "a: |\nb: 1\n",
    "a text that begins with an empty line": "a: |\n\n  b\n",
    "a map in brackets": "a: {b: 1}\n",
    "a list of lists": "a:\n- - b\n",
    "a dash alone": "a:\n-\n  b: 1\n",
    "a tab": "a:\t1\n",
    "a letter beyond ASCII": "a: \u00e4\n",
    "a carriage return": "a: 1\r\n",
    "a key that comes twice": "a: 1\nb: 2\na: 3\n",
    "two words for one key": "y: 1\ntrue: 2\n",
    "a key that is null": "null: 1\n",
    "a key in quotes": '"a": 1\n',
    "a key of two words": "a b: 1\n",
    "a number that JSON does not have": "a: .inf\n",
    "such a number in brackets": "a: [.inf]\n",
    "a map to the right of a value": "a: 1\n  b: 2\n",
    "a list to the right of a value": "a: 1\n  - b\n",
    "a map to the left of its own": "a:\n    b: 1\n  c: 2\n",
    "a map beside a list": "a:\n  - b:\n  c: 1\n",
    "a value in the air": "a:\n  b\n",
    "a document's end": "a: 1\n...\n",
    "many levels": "".join(f"{' ' * level}a:\n" for level in range(120)),
    "a large text": "a:\n" + "- b: 1\n" * 10_000,
    "a long line": f"a: {'b' * 5000}\n",
}
INDENTS = st.sampled_from(["", " ", "  ", "    ", "- ", "  - ", "    - ", "-   ", "- - "])
BODIES = st.sampled_from(
    [
        *("a:", "b: 1", "c: x", "d", "e: |", "f: |-", "g: []", "h: [i, j]", "k: {}", '"l"', "m: 'n'", "# o", ""),
        *("name: p", "q: r # s", "t: |  # u", "v:w", "x: y: z", "kind:", "kind: |", "groupName: ~", "-", ":"),
        *("?", "&a", "on: off"),
    ]
)
LINE = st.builds(str.__add__, INDENTS, BODIES)


def composed(raw: bytes) -> tuple[Any, Document]:
    root = compose_document(raw)
    assert root is not None
    data, repeating = build(root)
    assert repeating == []
    return data, Document("f.yaml", 0, data, Source(raw, 3, root=root))


def paths(data: object, path: Path = ()) -> Iterator[Path]:
    """All paths of the data, and some that lead nowhere."""
    yield path
    yield (*path, "nowhere")
    yield (*path, 99)
    if isinstance(data, dict):
        for key, item in data.items():
            yield from paths(item, (*path, key))
    if isinstance(data, list):
        for index, item in enumerate(data):
            yield from paths(item, (*path, index))


def verify(raw: bytes, outline: Outline) -> None:
    data, expected = composed(raw)
    assert repr(outline.data) == repr(data)
    found = Document("f.yaml", 0, outline.data, Source(raw, 3, outline=outline))
    for path in paths(data):
        for key in (False, True):
            assert found.locate(path, key=key) == expected.locate(path, key=key), (path, key)
    assert found.node(()).end_mark.index == expected.node(()).end_mark.index
    nodes = Nodes(outline)
    for path in paths(data):
        assert_same_steps(nodes, path)
    assert list(shapes(nodes.root, outline.text)) == list(shapes(expected.node(()), outline.text))


def assert_same_steps(nodes: Nodes, path: Path) -> None:
    """What the steps lead to are the nodes that one comes to from the top."""
    steps, rest = nodes.walk(path)
    node: Any = nodes.root
    expected: list[Any] = []
    for step in path:
        if isinstance(node, ScalarNode) or isinstance(node, MappingNode) is isinstance(step, int):
            break
        names = [
            KEYS[entry[0].value] if isinstance(node, MappingNode) else at for at, entry in enumerate(node.value)
        ]
        if step not in names:
            break
        index = names.index(step)
        entry = node.value[index]
        expected.append((node, index, *(entry if isinstance(node, MappingNode) else (None, entry))))
        node = expected[-1][-1]
    assert rest == path[len(expected) :]
    assert len(steps) == len(expected)
    for found, (owner, index, key, value) in zip(steps, expected, strict=True):
        assert found.value is value
        assert found.owner is owner
        assert found.key is key
        assert found.index == index


def shapes(root: Any, text: str) -> Iterator[tuple[object, ...]]:
    """What a fix may ask of the nodes, from top to bottom. Where a block ends is told by what is in it."""
    queue = [root]
    while queue:
        node = queue.pop(0)
        start = node.start_mark.index
        if isinstance(node, ScalarNode):
            # The blanks below a text are none of it.
            end = node.end_mark.index
            last = start + len(text[start:end].rstrip()) if node.style == "|" else end
            yield "scalar", node.tag, node.value, node.style or None, start, last
        else:
            is_mapping = isinstance(node, MappingNode)
            yield is_mapping, bool(node.flow_style), start, node.end_mark.index if node.flow_style else None
            queue += [part for pair in node.value for part in pair] if is_mapping else node.value


@pytest.mark.parametrize("text", PLAIN.values(), ids=PLAIN)
def test_plain_text(text: str) -> None:
    outline = outlined(text.encode())
    assert outline is not None
    verify(text.encode(), outline)


@pytest.mark.parametrize("text", OTHER.values(), ids=OTHER)
def test_other_text_is_left_to_the_composer(text: str) -> None:
    assert outlined(text.encode()) is None


@given(st.lists(LINE, min_size=1, max_size=9), st.booleans())
def test_whatever_is_read_by_its_lines_is_read_as_it_is_composed(lines: list[str], ended: bool) -> None:
    raw = "\n".join(lines).encode() + b"\n" * ended
    outline = outlined(raw)
    if outline is not None:
        verify(raw, outline)


def test_examples_of_the_rules_as_manifests_are_mostly_written() -> None:
    documents = (read("f.yaml", case.example.text.encode()).documents for case in cases(installed_rules()))
    texts = {yaml.safe_dump(document.data, sort_keys=False) for found in documents for document in found}
    outlines = {text: outline for text in texts if (outline := outlined(text.encode())) is not None}
    assert len(outlines) > len(texts) * 0.9
    for text in sorted(outlines)[::10]:
        verify(text.encode(), outlines[text])


WORDS = ["x", "trainer-1", "12", "012", "1.50", "1e3", "0x1f", "12e03", "yes", "1-2", "2.55.0-py311", "9" * 20]


@pytest.mark.parametrize("head", ["value", "- value", "  - value"])
def test_words_behind_a_key_that_is_known(head: str) -> None:
    for word in (*WORDS, "a  # why", "a#b", "  a", "a b", "-a", ".5", '"a"', ""):
        raw = f"a:\n{head}: {word}\n".encode() if "-" in head else f"{head}: {word}\n".encode()
        outline = outlined(raw)
        assert outline is not None
        verify(raw, outline)


def test_what_lines_say_is_remembered_and_bounded() -> None:
    for number in range(5000):
        outlined(f"a{number}: {number}\n".encode())
    assert 0 < len(LINES.heads) <= len(LINES) <= 2048


def test_documents_have_no_data_in_common() -> None:
    first, second = outlined(b"a: []\nb: {}\n"), outlined(b"a: []\nb: {}\n")
    assert first is not None
    assert second is not None
    one, other = Document("f", 0, first.data).data, Document("f", 0, second.data).data
    assert isinstance(one, dict)
    assert isinstance(other, dict)
    assert one == other
    assert one["a"] is not other["a"]
    assert one["b"] is not other["b"]


def test_a_file_of_many_documents_is_read_by_its_lines() -> None:
    raw = b"".join(b"---\nkind: RayCluster\napiVersion: ray.io/v1\nspec:\n  size: %d\n" % n for n in range(30))
    documents = read("f.yaml", raw).documents
    assert [document.data["spec"] for document in documents if isinstance(document.data, dict)] == [
        {"size": n} for n in range(30)
    ]
    source = documents[-1].source
    assert source is not None
    assert source.outline is not None
    lines = [span.line for document in documents if (span := document.locate(("spec", "size"))) is not None]
    assert lines == [5 * n + 5 for n in range(30)]
