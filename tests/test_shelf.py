"""Rules that are imported when a manifest gives them something to do: the shortcut changes no verdict."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import raylint_rules
from raylint.engine import Engine
from raylint.finding import Finding, Severity
from raylint.manifest import RayObject
from raylint.packs import installed_rules
from raylint.rule import Problem, Rule, rule
from raylint.shelf import listed, modules_of, shelved, sizes_in
from raylint.target import NEWEST_KUBERAY, Target
from raylint.testing import cases
from raylint_rules import _list

ROOT = Path(__file__).resolve().parent.parent
FOLDER = raylint_rules.__path__[0]
SIZES = sizes_in(FOLDER)
MODULES = modules_of("raylint_rules", SIZES)
LISTING = listed(MODULES, SIZES)
SHELVED = shelved("raylint_rules", FOLDER, *LISTING)
WHOLE = tuple(found for module in MODULES for found in vars(module).values() if isinstance(found, Rule))
MANIFESTS = [
    *sorted(ROOT.glob("examples/**/*.yaml")),
    *(path for path in sorted(ROOT.glob("tests/fixtures/**/*.yaml")) if path.stat().st_size < 100_000),
]
FIELDS = (
    "check", "compose", "confidence", "context", "doc", "gathers", "module", "name", "preview", "severity",
    "reports", "stored", "visits", "where", "whole_run",
)  # fmt: skip
OLDEST = Target((1, 0), (2, 6, 0))


def test_the_list_is_up_to_date() -> None:
    written = Path(FOLDER, "_listing.py").read_text(encoding="utf-8")
    assert written == _list.current(), "run: python -m raylint_rules._list"


def test_the_built_in_rules_are_shelved() -> None:
    assert [found.id for found in installed_rules()] == [found.id for found in SHELVED]
    assert {type(found).__name__ for found in SHELVED} == {"ShelvedRule"}


def test_a_shelved_rule_is_the_rule() -> None:
    whole = {found.id: found for found in WHOLE}
    assert sorted(whole) == [found.id for found in SHELVED]
    for found in SHELVED:
        original = whole[found.id]
        for field in FIELDS:
            assert getattr(found, field) == getattr(original, field), (found.id, field)
        assert (found.kuberay.text, found.ray.text) == (original.kuberay.text, original.ray.text)


def test_a_list_that_does_not_fit_is_not_used() -> None:
    other = shelved("raylint_rules", FOLDER, {**LISTING[0], "head": (1, ())}, ())
    assert [found.id for found in other] == [found.id for found in SHELVED]
    assert {type(found) for found in other} == {Rule}


@pytest.mark.parametrize("packages", ["site-packages", "dist-packages"])
def test_the_list_of_an_installed_package_is_taken_as_it_is(tmp_path: Path, packages: str) -> None:
    folder = tmp_path / packages / "raylint_rules"
    folder.mkdir(parents=True)
    installed = shelved("raylint_rules", str(folder), *LISTING)
    assert [found.id for found in installed] == [found.id for found in SHELVED]
    assert {type(found).__name__ for found in installed} == {"ShelvedRule"}


def test_a_shelved_rule_has_no_other_fields() -> None:
    assert not hasattr(SHELVED[0], "colour")


@pytest.mark.parametrize("word", sorted({word for _, words in LISTING[0].values() for word in words}))
def test_words_stand_as_they_are_in_any_style_of_yaml(word: str) -> None:
    """No blank, at which a line may be folded, no quote, no escape, nothing beyond ASCII."""
    assert word.isascii()
    assert not set(word) & set(" \t\n\r\\'\"!")


def outcome(rules: tuple[Rule, ...], raw: bytes, target: Target) -> list[tuple[object, ...]]:
    engine = Engine(rules, target)
    result = engine.check("m.yaml", raw)
    findings = [*result.findings, *engine.conclude(result.facts)]
    return sorted((told(finding) for finding in findings), key=repr)


def told(finding: Finding) -> tuple[object, ...]:
    return finding.sort_key, finding.severity, finding.effect, finding.fix, finding.identity


@pytest.mark.parametrize("module", sorted({row[1] for row in LISTING[1]}))
def test_the_shortcut_changes_no_verdict_on_the_examples(module: str) -> None:
    own = {row[0] for row in LISTING[1] if row[1] == module}
    for case in cases(found for found in SHELVED if found.id in own):
        raw = case.example.text.encode()
        assert outcome(SHELVED, raw, case.target) == outcome(WHOLE, raw, case.target), str(case)


@pytest.mark.parametrize("target", [Target(NEWEST_KUBERAY), OLDEST], ids=["newest", "oldest"])
def test_the_shortcut_changes_no_verdict_on_manifests(target: Target) -> None:
    assert MANIFESTS
    for path in MANIFESTS:
        raw = path.read_bytes()
        assert outcome(SHELVED, raw, target) == outcome(WHOLE, raw, target), path.name


CLUSTER = b"""\
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: a}
spec: {%s: {}}
"""


def mentioning(found: RayObject) -> Iterator[Problem]:
    yield Problem(found.at, "it is there", effect="none", fix="none")


@pytest.mark.parametrize(
    ("key", "count"),
    [
        (b"other", 0),
        (b"wanted", 1),
        (b"unwanted", 1),
        (b'"w\\u0061nted"', 1),
        (b'"w\\x61nted"', 1),
        (b'a: "wan\\\n  ted", b', 1),
        (b'a: "wan\\\r\n  ted", b', 1),
        (b'a: "wan \\\n  ted", b', 0),
        (b'"other\\n"', 0),
        (b"other: !!str x, more", 0),
        (b"!!binary d2FudGVk", 1),
        (b"!!b%69nary d2FudGVk", 1),
    ],
)
def test_a_rule_runs_where_its_words_may_be(key: bytes, count: int) -> None:
    words = rule("XX001", Severity.INFO)(mentioning)
    words.mentions = ("never", "wanted")
    assert len(Engine([words], Target()).check("m.yaml", CLUSTER % key).findings) == count
