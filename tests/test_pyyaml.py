"""The door to PyYAML leaves most of it closed, and nobody else in the process notices."""

from __future__ import annotations

import subprocess
import sys

import pytest

ALL_OF_IT = """
import yaml
assert yaml.__version__
assert str(yaml.safe_load("day: 2024-01-01")["day"]) == "2024-01-01"
assert yaml.load("[1, {a: null}]", yaml.CSafeLoader) == [1, {"a": None}]
assert yaml.dump({"a": [1]}, Dumper=yaml.CSafeDumper) == yaml.dump({"a": [1]}, Dumper=yaml.SafeDumper)
assert yaml._yaml.EmitterError is yaml.emitter.EmitterError
assert yaml._yaml.ConstructorError is yaml.constructor.ConstructorError
assert [type(token) for token in yaml.scan("a", yaml.CLoader)][1] is yaml.tokens.ScalarToken
assert [type(event) for event in yaml.parse("*a", yaml.CLoader)][2] is yaml.events.AliasEvent
for text, kind in (("a: b: c", "Scanner"), ("[", "Parser"), ("*a", "Composer")):
    try:
        yaml.load(text, yaml.CSafeLoader)
    except yaml.YAMLError as error:
        assert type(error) is getattr(getattr(yaml, kind.lower()), kind + "Error")
    else:
        raise AssertionError("loaded")
assert yaml.ScalarNode is yaml.nodes.ScalarNode
assert not hasattr(yaml, "no_such_name")
try:
    yaml.load("!!python/name:os.x y", yaml.CSafeLoader)
except yaml.YAMLError as error:
    assert type(error) is yaml.constructor.ConstructorError
else:
    raise AssertionError("loaded")
"""
READ = """
from raylint.reader import LIBYAML, read
assert LIBYAML
assert read("m.yaml", b"kind: A\\napiVersion: v1\\n").documents[0].data == {"kind": "A", "apiVersion": "v1"}
"""
HARD = """
from raylint.reader import read
def problem(text):
    remarks = read("m.yaml", b"kind: A\\napiVersion: v1\\n" + text).remarks
    return remarks[0].message if remarks else ""
again = read("m.yaml", b"kind: A\\napiVersion: v1\\na: &x {b: 1}\\nc: *x\\nd: &x 1\\n").documents[0].data
assert (again["c"], again["d"]) == ({"b": 1}, 1)
assert "names no anchor" in problem(b"a: *b\\n")
assert "a second `: `" in problem(b"a: b: c\\n")
"""
CLOSED = """
import sys
others = "composer constructor emitter events loader parser scanner tokens".split()
assert not {"datetime", *(f"yaml.{name}" for name in others)} & set(sys.modules)
"""
NAMES = "from yaml import *; assert safe_load('a') == 'a'\n"
SUBMODULE = "import yaml.constructor; assert yaml.constructor.SafeConstructor and yaml.SafeLoader\n"
RELOADED = "import re; assert re.compile('a') is re.compile('a'); import yaml.resolver; yaml.resolver.Resolver\n"


@pytest.mark.parametrize(
    "script",
    [READ + CLOSED, READ + ALL_OF_IT, ALL_OF_IT + READ, READ + ALL_OF_IT + READ, HARD, READ + ALL_OF_IT + HARD,
     HARD + ALL_OF_IT, ALL_OF_IT + HARD, READ + NAMES, READ + SUBMODULE,
     READ + RELOADED],
    ids=["closed", "opened", "open before", "both", "hard", "hard after",
         "hard before", "hard open", "names", "submodule", "patterns"],
)  # fmt: skip
def test_whatever_else_uses_pyyaml_finds_it(script: str) -> None:
    # Without site: what a virtual environment loads by itself is of no interest here.
    child = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}\n{script}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr
