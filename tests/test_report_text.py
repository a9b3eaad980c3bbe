from __future__ import annotations

import re

import pytest
from report_samples import CLUSTER, NEVER, OPTIONS, assert_golden, finding, place, report

from raylint.finding import Fix, Place, Replacement, Severity, Span
from raylint.report import Coverage, Report, render
from raylint.report.terminal import cells, printable
from raylint.report.text import closing_line
from raylint.target import Target

NEVER_SPAN = Span(27, 24, 27, 29)
OTHER_FILE = place(3, 7, 13, "kind: Secret", "the secret is here", file="deploy/prod/secret.yaml")

SAMPLES: dict[str, Report] = {
    "two-places": report(finding(NEVER, OPTIONS)),
    "neighbours": report(finding(NEVER, place(28, 9, 19, "        containers:", "and these go with it"))),
    "one-line": report(
        finding(
            place(8, 33, 34, "  {minReplicas: 5, maxReplicas: 2}", "the upper bound"),
            place(8, 17, 18, "  {minReplicas: 5, maxReplicas: 2}", "the lower bound"),
        )
    ),
    "other-file": report(finding(place(100, 3, 7, "  spec: {}"), OTHER_FILE)),
    "no-text": report(
        finding(
            Place("<object>", 0, ("spec", "workerGroupSpecs", 0, "replicas"), None),
            Place("<object>", 0, ("spec", "suspend"), None, "set here"),
        )
    ),
    "no-excerpt": report(
        finding(NEVER, Place("deploy/prod/cluster.yaml", 0, ("spec",), Span(2, 1, 2, 5), "first here"))
    ),
    "no-object": report(finding(Place("a.yaml", 0, (), Span(1, 1, 1, 1)), object=None, effect="", fix="")),
    "several-lines": report(
        finding(Place("a.yaml", 0, ("spec",), Span(4, 8, 9, 3), "all of it", {4: "  x: y: |   ", 5: "    more"}))
    ),
    "fixable": report(
        finding(NEVER, fixes=[Fix("set it", True, 0, [Replacement(0, 5, NEVER_SPAN, "Always")], ())]),
        finding(
            OPTIONS, fixes=[Fix("delete it", False, 0, [Replacement(0, 5, NEVER_SPAN, "")], ())], rule_id="RAY102"
        ),
        finding(OPTIONS, rule_id="RAY103"),
    ),
    "levels": report(
        finding(NEVER, severity=Severity.ERROR),
        finding(NEVER, severity=Severity.WARNING),
        finding(NEVER, severity=Severity.INFO, rule_id="RAY102"),
    ),
    "hostile": report(
        finding(
            place(
                5,
                14,
                17,
                "\tname: \x1b[31m\u202eabc##vso[x]\x9b",
                "\x07beep\nsecond line",
                file="a\x1b]0;title\x07\udcff.yaml",
            ),
            message="value '\x1b[2J\r\n::error::x' is wrong",
            effect="\u2028",
            fix="\u200b",
        )
    ),
    "tabs": report(finding(place(5, 8, 11, "\ta:\t\tb: xyz", "three"))),
    "wide": report(finding(place(5, 9, 12, "  名前: 日本語テキスト 🙂", "three characters, six columns"))),
    "long-start": report(finding(place(5, 3, 8, "  value" + "x" * 500, "near the start"))),
    "long-middle": report(finding(place(5, 301, 306, "-" * 300 + "value" + "x" * 300, "in the middle"))),
    "long-end": report(finding(place(5, 601, 606, "-" * 600 + "value", "at the end"))),
    "long-mark": report(finding(place(5, 3, 600, "  " + "x" * 597, "longer than the screen"))),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_text(name: str) -> None:
    assert_golden(f"text-{name}.txt", render(SAMPLES[name], "text"))


@pytest.mark.parametrize("name", ["two-places", "levels", "other-file"])
def test_text_in_color(name: str) -> None:
    assert_golden(f"color-{name}.txt", render(SAMPLES[name], "text", color=True))


def test_colors_change_nothing_else() -> None:
    for sample in SAMPLES.values():
        colored = render(sample, "text", color=True)
        assert colored != render(sample, "text")
        assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == render(sample, "text")


def test_concise() -> None:
    assert_golden("concise.txt", "".join(render(sample, "concise") for sample in SAMPLES.values()))


def test_auto_is_text() -> None:
    assert render(SAMPLES["levels"], "auto") == render(SAMPLES["levels"], "text")


@pytest.mark.parametrize("format", ["text", "concise"])
@pytest.mark.parametrize("name", SAMPLES)
def test_nothing_but_plainly_visible_text(name: str, format: str) -> None:
    text = render(SAMPLES[name], format)
    assert all(character.isprintable() or character == "\n" for character in text)
    assert "##vso[" not in text
    assert not any(line.lstrip().startswith("::error") for line in text.split("\n"))


@pytest.mark.parametrize("name", ["tabs", "wide", "long-start", "long-middle", "long-end", "hostile"])
def test_marks_stand_below_what_they_mean(name: str) -> None:
    place = SAMPLES[name].findings[0].place
    assert place.span is not None
    lines = render(SAMPLES[name], "text").split("\n")
    mark = next(number for number, line in enumerate(lines) if "^" in line)
    source = place.lines[place.span.line]
    meant = printable(source[place.span.column - 1 : place.span.end_column - 1]).replace("\\x09", " " * 4)
    before, _, _ = lines[mark - 1].partition(meant)
    assert cells(before) == lines[mark].index("^")
    assert lines[mark].count("^") == cells(meant)


def test_every_line_of_an_excerpt_fits() -> None:
    for name in ("long-start", "long-middle", "long-end", "long-mark"):
        excerpt = [line for line in render(SAMPLES[name], "text").split("\n") if " | " in line]
        assert max(map(len, excerpt)) <= 140


def test_a_line_of_megabytes_is_cut_before_it_is_escaped() -> None:
    sample = report(finding(place(1, 3_000_001, 3_000_004, "\x1b" * 6_000_000)))
    assert len(render(sample, "text")) < 2000


def test_quiet_leaves_the_closing_line_out() -> None:
    for format in ("text", "concise"):
        full = render(SAMPLES["levels"], format)
        assert render(SAMPLES["levels"], format, quiet=True).rstrip() == full[: full.rindex("1 error")].rstrip()
        assert render(report(), format, quiet=True) == ""


@pytest.mark.parametrize(
    ("sample", "line"),
    [
        (
            report(),
            "no findings in 14 Ray objects (9 of 212 files); target KubeRay 1.7, Ray as each manifest says",
        ),
        (
            report(finding(NEVER), coverage=Coverage(1, 1, 1, 1), target=Target((1, 3), (2, 43))),
            "1 warning in 1 Ray object (1 of 1 file); target KubeRay 1.3, Ray 2.43",
        ),
        (
            report(
                finding(NEVER, severity=Severity.ERROR),
                finding(NEVER, severity=Severity.ERROR),
                finding(NEVER, severity=Severity.INFO),
                coverage=Coverage(212, 9, 30, 14, 2),
            ),
            "2 errors, 1 info, 2 suppressed in 14 Ray objects (9 of 212 files); "
            "target KubeRay 1.7, Ray as each manifest says",
        ),
        (
            report(coverage=Coverage(3, 1, 1, 1, 2)),
            "no other findings, 2 suppressed in 1 Ray object (1 of 3 files); "
            "target KubeRay 1.7, Ray as each manifest says",
        ),
        (
            report(coverage=Coverage(3)),
            "no Ray object was checked: there is none in 3 files; target KubeRay 1.7, Ray as each manifest says",
        ),
        (
            report(finding(NEVER, severity=Severity.ERROR), coverage=Coverage(1)),
            "1 error; no Ray object was checked: there is none in 1 file; "
            "target KubeRay 1.7, Ray as each manifest says",
        ),
    ],
)  # fmt: skip
def test_closing_line(sample: Report, line: str) -> None:
    assert closing_line(sample) == line


def test_the_object_is_named_without_the_parts_that_are_not_written() -> None:
    assert "RayCluster production/hm-ray-cluster" in render(report(finding(NEVER, object=CLUSTER)), "text")
    assert "<" not in render(SAMPLES["no-object"], "text")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, äöü 日本 🙂", "plain text, äöü 日本 🙂"),
        ("a\x1b[0m", "a\\x1b[0m"),
        ("a\r\nb\tc", "a\\x0d\\nb\\x09c"),
        ("\u202e\u2066\u200d\ufeff\xad", "\\u202e\\u2066\\u200d\\ufeff\\xad"),
        ("\U000e0041", "\\U000e0041"),
        ("a\u034f\u115f\u1160\u2800\u3164\uffa0", "a\\u034f\\u115f\\u1160\\u2800\\u3164\\uffa0"),
        ("\u2764\ufe0f \U000e0100", "\u2764\ufe0f \\U000e0100"),
        ("a\xa0b\u3000c", "a\\xa0b\\u3000c"),
        ("\udcff\ud800", "\\xff\\ud800"),
        ("x ##[group] ##vso[task] ### ##", "x \\x23#[group] \\x23#vso[task] ### ##"),
        ("::add-mask::x", "\\x3a:add-mask::x"),
        (" \t::x", " \\x09\\x3a:x"),
        ("a::b", "a::b"),
    ],
)
def test_printable(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize(
    ("text", "width"), [("abc", 3), ("日本", 4), ("e\u0301", 1), ("🙂", 2), ("ｱ", 1), ("Ａ", 2)]
)
def test_cells(text: str, width: int) -> None:
    assert cells(text) == width
