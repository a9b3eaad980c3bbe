"""How a shell reads an entrypoint."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raylint.shell_words import EXPANSION, OPERATOR, UNPAIRED, marks


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("python train.py", []),
        ("cd /app && python a.py", ["&&"]),
        ("a; b", [";"]),
        ("a || b", ["||"]),
        ("a | b", ["|"]),
        ("a > b 2>&1", [">", ">", "&"]),
        ("a >> b", [">>"]),
        ("a & b", ["&"]),
        ("a\nb", ["\n"]),
        ("a \\\n b", []),
        ("a # b; c", ["# b; c"]),
        ("a#b", []),
        ("(a)", ["(", ")"]),
        ("python -c 'a; b && c | d > e'", []),
        ('python -c "a; b # c\nd"', []),
        ("a \\; b", []),
        ("a $HOME ${X:-y} $(date) `id` $1 $$", ["$HOME", "${X:-y}", "$(date)", "`id`", "$1", "$$"]),
        ("a \"$HOME\" '$HOME' \\$HOME", ["$HOME"]),
        ("a $(b $(c) ')') d", ["$(b $(c) ')')"]),
        ("costs 5$ or $", []),
        ("a 'b", ["'"]),
        ('a "b', ['"']),
        ("a `b", ["`"]),
        ("a $(b", ["$("]),
        ("a ${b", ["${"]),
        ("a (b", ["(", "("]),
        ("a) b; c", [")"]),
        ("bash -c 'echo don\\'t'", ["'"]),
    ],
)
def test_marks(line: str, found: list[str]) -> None:
    assert [mark.text for mark in marks(line)] == found
    for mark in marks(line):
        assert line[mark.start : mark.end].startswith(mark.text)


def test_the_name_of_a_variable() -> None:
    assert [mark.name for mark in marks("$A ${B_1} $(c) $1")] == ["A", "B_1", "", ""]


@given(st.text(alphabet="ab '\"\\", max_size=12))
def test_quotes_pair_as_pythons_shlex_pairs_them(text: str) -> None:
    line = f"{text}a"  # a backslash at the very end escapes nothing
    try:
        shlex.split(line, comments=False)
        paired = True
    except ValueError:
        paired = False
    assert not any(mark.kind in (OPERATOR, EXPANSION) for mark in marks(line))
    assert paired == (not any(mark.kind == UNPAIRED for mark in marks(line)))
