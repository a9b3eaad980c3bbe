"""Pages: the parts of a docstring, how a terminal shows them, and how they are found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from raylint.cluster import RayCluster
from raylint.finding import Confidence, Severity
from raylint.packs import installed_rules
from raylint.pages import Example, Page, find, page
from raylint.remarks import REMARKS
from raylint.rule import Rule, rule
from raylint.testing import Case, cases

if TYPE_CHECKING:
    from raylint.rule import Problems


@rule("XX101", Severity.WARNING, confidence=Confidence.LOW, kuberay="1.3..", ray="..2.48", preview=True)
def version_is_written(cluster: RayCluster) -> Problems:
    """A summary that
    takes two lines.

    ## What it flags
    A written version, at four blanks:

        code stays indented

    ## Examples
    ```yaml bad severity=warning kuberay=1.4 ray=2.9
    apiVersion: ray.io/v1
    kind: RayCluster
    spec:
      rayVersion: 2.9.0  # <-
    ```

    ```yaml good near-miss ray=2.9
    apiVersion: ray.io/v1
    kind: RayCluster
    spec: {}
    ```
    """
    version = cluster.string("rayVersion")
    if version:
        yield version.flag("a version", effect="none", fix="none")


def titled(id: str, name: str, doc: str) -> Rule:
    def check(_: RayCluster) -> Problems:
        yield from ()

    check.__doc__ = doc
    return Rule(id, name, Severity.INFO, Confidence.HIGH, check)


def test_parts() -> None:
    parts = Page(version_is_written.doc)
    assert parts.summary == "A summary that takes two lines."
    assert parts.sections == ["What it flags", "Examples"]
    assert "\n    code stays indented\n" in parts.text
    bad, good = parts.examples
    assert (bad.bad, bad.near_miss, bad.marked_lines) == (True, False, [4])
    assert (good.bad, good.near_miss, good.marked_lines) == (False, True, [])
    assert bad.text.startswith("apiVersion: ray.io/v1\nkind: RayCluster\nspec:\n  rayVersion")
    assert (bad.option("kuberay"), bad.option("severity"), good.option("severity")) == ("1.4", "warning", None)


def test_page_without_anything() -> None:
    parts = Page("")
    assert (parts.summary, parts.sections, parts.examples) == ("", [], [])


def test_a_fence_of_another_kind_is_no_example() -> None:
    text = "Summary.\n\n    ```yaml\n    a: 1\n    ```\n\n    ```yaml badly\n    b: 1  # <-\n    ```\n"
    assert Page(text).examples == []


def test_marks_count_at_the_end_of_a_line_only() -> None:
    example = Example(True, "", "a: 1  # <-\nb: '# <- no'\nc: 2 # <-   \n")
    assert example.marked_lines == [1, 3]


def test_shown_page() -> None:
    text = page(version_is_written)
    assert text.startswith(
        "XX101 version-is-written\n"
        "severity warning, confidence low, KubeRay 1.3 and later, Ray up to 2.48, preview\n\nA summary that\n"
    )
    assert "\x1b" not in text
    assert "```yaml bad" in text


def test_shown_page_in_color_says_the_same() -> None:
    plain, colored = page(version_is_written), page(version_is_written, color=True)
    assert "\n\x1b[1mWhat it flags\x1b[0m\n" in colored
    for code in ("\x1b[1m", "\x1b[2m", "\x1b[0m"):
        colored = colored.replace(code, "")
    assert colored == plain


FOUND = (
    titled("RAY101", "restart-never", "The head pod is replaced after a crash of Redis."),
    titled("RAY102", "worker-restart", "A worker pod is replaced."),
    titled("RAY201", "bounds", "Numbers of replicas."),
    titled("KR026", "ray101-lookalike", "Nothing to see."),
)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("RAY101", ["RAY101"]),
        (" ray101 ", ["RAY101"]),
        ("worker-restart", ["RAY102"]),
        ("RAY1", ["RAY101", "RAY102"]),
        ("kr", ["KR026"]),
        ("the head pod is replaced", ["RAY101", "RAY102"]),
        ("replicas", ["RAY201"]),
        ("Redis crash.", ["RAY101"]),
        ("pod of an unknown and unheard kind", []),
        ("", []),
        ("??", []),
    ],
)
def test_find(text: str, ids: list[str]) -> None:
    assert [one.id for one in find(FOUND, text)] == ids


def test_search_gives_the_best_three() -> None:
    many = [titled(f"XX00{number}", f"name-{number}", "same words here") for number in range(9)]
    assert [one.id for one in find(many, "same words")] == ["XX000", "XX001", "XX002"]


@pytest.mark.parametrize("remark", REMARKS, ids=lambda remark: remark.id)
def test_remarks_have_pages(remark: Rule) -> None:
    parts = Page(remark.doc)
    assert parts.summary.endswith(".")
    assert remark.id in page(remark)


@pytest.mark.parametrize("remark", REMARKS, ids=lambda remark: remark.id)
def test_remarks_have_examples_or_say_why_not(remark: Rule) -> None:
    """Two bad and two good ones, one of these a near miss, where a manifest alone can show it."""
    parts = Page(remark.doc)
    shown = [(example.bad, example.near_miss, bool(example.marked_lines)) for example in parts.examples]
    assert parts.sections == ["Examples"]
    if remark.id in ("RL000", "RL012", "RL013"):
        assert shown == []
        assert "## Examples\nNone" in parts.text
    else:
        assert shown == [(True, False, True)] * 2 + [(False, False, False), (False, True, False)]


@pytest.mark.parametrize("case", cases(REMARKS), ids=str)
def test_examples_of_remarks(case: Case) -> None:
    case.verify()


# --- Examples as tests -----------------------------------------------------------------------------------------


def test_cases_of_a_page() -> None:
    bad, good = cases([version_is_written])
    assert (str(bad), str(good)) == ("XX101-1-bad", "XX101-2-near-miss")
    assert (bad.target.kuberay, bad.target.ray) == ((1, 4), (2, 9))
    bad.verify()
    good.verify()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ("", "rayVersion: 2.9.0"),
        ("", "rayVersion: 2.9.0\n  other: 1  # <-"),
        ("", "other: 1  # <-"),
        ("severity=error", "rayVersion: 2.9.0  # <-"),
    ],
)
def test_broken_promises_are_seen(options: str, text: str) -> None:
    manifest = f"apiVersion: ray.io/v1\nkind: RayCluster\nspec:\n  {text}\n"
    case = Case(version_is_written, 1, Example(True, f"{options} ray=2.9", manifest))
    with pytest.raises(AssertionError):
        case.verify()


@pytest.mark.parametrize(
    ("text", "id"),
    [
        ("autoscalerOptions.idleTimeoutSeconds must be non-negative", "KR061"),
        ("not a DNS-1035 label", "KR002"),
        ("autoscaler restartPolicy", "KR059"),
    ],
)
def test_a_message_leads_to_a_page(text: str, id: str) -> None:
    assert id in [rule.id for rule in find(installed_rules(), text)]


@pytest.mark.parametrize("text", ["version zzzzzz", "frobnicated pods of the cluster", "field zzzzzz"])
def test_common_words_alone_lead_nowhere(text: str) -> None:
    assert find(installed_rules(), text) == []
