"""The written documentation says what the program does."""

from __future__ import annotations

import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from raylint.options import COMMANDS
from raylint.packs import installed_rules
from raylint.pages import Page
from raylint.registry import catalogue
from raylint.rule_options import options_of
from raylint.update import VIEWS

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
SITE = runpy.run_path(str(DOCS / "site.py"))
GENERATE = runpy.run_path(str(DOCS / "generate.py"))
GENERATED: dict[str, str] = GENERATE["pages"]()
RULES = catalogue(installed_rules())
ALMANAC = GENERATE["Almanac"]
WRITTEN = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


@pytest.mark.parametrize("name", GENERATED)
def test_generated_page_is_up_to_date(name: str) -> None:
    assert (ROOT / "docs" / name).read_text() == GENERATED[name], "run: python docs/generate.py"


def test_no_page_of_a_rule_that_is_gone() -> None:
    kept = {f"rules/{path.name}" for path in (ROOT / "docs" / "rules").glob("*.md")}
    assert kept == {name for name in GENERATED if name.startswith("rules/")}


@pytest.mark.parametrize("page", WRITTEN, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for link in links(page):
        name, _, anchor = link.partition("#")
        goal = (page.parent / name).resolve() if name else page
        assert goal.exists(), f"{page.name}: {link}"
        if anchor:
            assert anchor in anchors(goal), f"{page.name}: {link}"
        # Of the repository the site holds the folder docs alone.
        assert DOCS not in page.parents or DOCS in goal.parents, f"{page.name}: {link} is outside of docs/"


def test_the_readme_links_every_page_about_use() -> None:
    """Who has a clone and no site finds pages by the links of the README alone."""
    linked = {(ROOT / link.partition("#")[0]).resolve() for link in links(ROOT / "README.md")}
    # The site's own home page and history, for which the README and CHANGELOG.md stand in the repository.
    apart = {DOCS / "index.md", DOCS / "changelog.md", DOCS / "field-reports.md"}
    assert set(DOCS.glob("*.md")) - apart - linked == set()


def links(page: Path) -> list[str]:
    """Of links and images, those that lead to files."""
    found = re.findall(r"\]\(([^)\s]+)[^)]*\)", prose(page))
    return [link for link in found if not link.startswith(("https://", "http://"))]


def prose(page: Path) -> str:
    """The page without its examples: what looks like a link or a heading in them is none."""
    return re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)


def anchors(page: Path) -> set[str]:
    """Of each heading, as MkDocs and forges make them."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.M)
    words = [re.sub(r"[^\w\s-]", "", re.sub(r"\]\([^)]*\)", "", heading)).strip().lower() for heading in headings]
    return {re.sub(r"[\s-]+", "-", heading) for heading in words}


# --- Rule pages -------------------------------------------------------------------------------------------------

BY_ID = {rule.id: rule for rule in RULES}


def row(id: str, name: str) -> str:
    """What the table of a rule's page says."""
    found = re.search(rf"^\| {name} \| (.*) \|$", GENERATED[f"rules/{id}.md"], re.M)
    return found[1] if found else ""


def section(id: str, title: str) -> str:
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", GENERATED[f"rules/{id}.md"], re.M | re.S)
    return found[1].strip() if found else ""


@pytest.mark.parametrize(
    ("id", "profiles"),
    [
        ("RAY101", "recommended, production, all"),
        ("RAY513", "recommended, production (warning), all"),
        ("KR026", "recommended, production, dev, all"),
        ("RL001", "recommended, production, dev, all"),
    ],
)
def test_a_rule_page_names_the_profiles(id: str, profiles: str) -> None:
    assert row(id, "profiles") == profiles


def test_rules_in_preview_are_in_one_profile_alone() -> None:
    preview = [rule.id for rule in RULES if rule.preview]
    assert preview
    assert {row(id, "profiles") for id in preview} == {"all"}
    assert {row(id, "measured") for id in preview} == {"no: without a flag it does not run"}


def test_every_rule_but_the_remarks_looks_at_some_kind() -> None:
    assert {id[:2] for id in BY_ID if not row(id, "looks at")} == {"RL"}


def test_a_rule_page_tells_of_other_files() -> None:
    for rule in RULES:
        said = row(rule.id, "other files")
        assert (said == "no") is not bool(rule.context or rule.whole_run or rule.visits in VIEWS), rule.id
        assert all(entry.partition("/")[0] in said for entry in rule.context), rule.id


def test_a_rule_page_lists_the_options_with_their_defaults() -> None:
    having = {rule.id: options_of(rule) for rule in RULES if options_of(rule)}
    assert having
    for id, options in having.items():
        for name, option in options.items():
            assert f"`{name}`" in row(id, "options")
            assert f"- `{name}` ({option.default}): " in section(id, "Options")


def test_every_page_with_a_bad_example_shows_what_is_printed() -> None:
    for rule in RULES:
        shown = re.findall(r"```text\n(?:error|warning|info)\[(\w+)\]", GENERATED[f"rules/{rule.id}.md"])
        assert shown == [rule.id] * any(example.bad for example in Page(rule.doc).examples)


def test_the_output_on_a_page_is_that_of_the_command(tmp_path: Path) -> None:
    example = next(example for example in Page(BY_ID["RAY101"].doc).examples if example.bad)
    (tmp_path / "example.yaml").write_text(example.text)
    words = [sys.executable, "-m", "raylint", "check", "--no-config", "--select", "RAY101", "example.yaml"]
    run = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.stdout
    assert f"```text\n{run.stdout}```" in GENERATED["rules/RAY101.md"]


def test_figures_are_those_of_the_page_on_precision() -> None:
    table = re.findall(r"^\| \[(\w+)\]\(.*?\) \| (\w+)\b.*\| (\d+) \|$", GENERATED["precision.md"], re.M)
    assert sum(int(number) for _, level, number in table if level == "warning") == 33
    for id, level, number in table:
        assert f"{number} {level}" in row(id, "measured")
    told = {id for id in BY_ID if "[Precision]" in row(id, "measured")}
    assert told == {id for id, _, _ in table}


def test_a_rule_page_tells_what_was_seen_in_the_field() -> None:
    for rule in RULES:
        assert re.findall(r"^- \[(FR-\d+)\]", section(rule.id, "Seen in the field"), re.M) == list(rule.reports)


def test_related_rules_are_few_and_others() -> None:
    almanac = ALMANAC(RULES, DOCS)
    for rule in RULES:
        related = almanac.related(rule)
        assert rule not in related
        assert len(related) == len(set(related)) <= 6
    # RAY514 names RAY519 on its page.
    assert almanac.related(BY_ID["RAY514"])[0] is BY_ID["RAY519"]
    assert BY_ID["RAY514"] in almanac.related(BY_ID["RAY519"])


def test_history() -> None:
    assert section("RAY101", "History") == "Since raylint 0.1.0, unchanged."
    changes = {"0.3.0": "Is silent under autoscaler v2."}
    history = {"first": "0.1.0", "rules": {"RAY101": {"since": "0.2.0", "changes": changes}}}
    text = ALMANAC(RULES, DOCS, history).page(BY_ID["RAY101"])
    assert "| since | raylint 0.2.0 |" in text
    assert text.endswith("## History\nSince raylint 0.2.0:\n\n- 0.3.0: Is silent under autoscaler v2.\n")


def test_the_history_names_only_rules_that_there_are() -> None:
    assert set(yaml.safe_load((DOCS / "rule-history.yaml").read_text())["rules"]) <= set(BY_ID)


NAV: list[Any] = SITE["navigation"](yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"], DOCS)


def pages_of(nav: Any) -> list[str]:
    if isinstance(nav, str):
        return [nav]
    return [page for part in (nav.values() if isinstance(nav, dict) else nav) for page in pages_of(part)]


def test_the_navigation_names_every_page_once() -> None:
    assert sorted(pages_of(NAV)) == sorted(page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md"))


def test_the_rules_stand_below_rules() -> None:
    (rules,) = [entry["Rules"] for entry in NAV if "Rules" in entry]
    assert set(pages_of(rules)) == {"rules.md", *(name for name in GENERATED if name.startswith("rules/"))}


def test_every_command_has_its_help_on_the_page() -> None:
    headings = re.findall(r"^## raylint (\w+)$", GENERATED["command-line.md"], re.M)
    assert sorted(headings) == sorted(COMMANDS)


def test_every_rule_can_be_linked_to_in_the_index() -> None:
    row = '<tr>\n<td><a href="rules/RAY101.html">RAY101</a></td>\n<td><code>restart-never</code></td>\n</tr>'
    page = SimpleNamespace(file=SimpleNamespace(src_uri="rules.md"))
    html = SITE["on_page_content"](f"<table>{row}</table>", page)
    assert '<tr id="RAY101">' in html
    assert '<td id="restart-never">' in html


def test_the_index_leads_to_the_catalogue_on_the_site() -> None:
    assert "`rules.json`" in GENERATED["rules.md"]
    page = SimpleNamespace(file=SimpleNamespace(src_uri="rules.md"))
    assert SITE["on_page_content"]("<code>rules.json</code>", page) == '<a href="rules.json">rules.json</a>'


def test_the_filters_can_read_every_range_of_releases() -> None:
    """``docs/assets/rules.js`` reads the columns of releases by these forms."""
    rows = re.findall(r"^\| \[.*\| (.*) \| (.*) \| [a-z ]*\| [^|]*\|$", GENERATED["rules.md"], re.M)
    release = r"\d+(\.\d+)+"
    forms = rf"all|{release}|{release} and later|up to {release}|{release} to {release}"
    assert len(rows) == len([name for name in GENERATED if name.startswith("rules/")])
    assert {text for row in rows for text in row if not re.fullmatch(forms, text)} == set()


def test_the_site_loads_nothing_from_elsewhere() -> None:
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
    own = [*site["extra"]["polyfills"], *site["extra_css"], *site["extra_javascript"]]
    assert site["theme"]["font"] is False
    assert all((DOCS / name).is_file() for name in own)
    assert {path.name for path in (DOCS / "assets").iterdir()} == {Path(name).name for name in own}
    assert not [name for name in own if re.search(r"https?:|url\(|import", (DOCS / name).read_text())]


OUTPUTS = [
    (page, command, text)
    for page in WRITTEN
    for command, text in re.findall(
        r"<!-- output: raylint (.+?) -->\n```text\n(.*?)^```$", page.read_text(), re.M | re.S
    )
]


def test_the_readme_shows_real_output() -> None:
    assert any(page.name == "README.md" for page, _, _ in OUTPUTS)


@pytest.mark.parametrize(("page", "command", "text"), OUTPUTS, ids=lambda value: str(value)[-40:].strip())
def test_shown_output_is_what_raylint_prints(page: Path, command: str, text: str) -> None:
    words = [sys.executable, "-m", "raylint", *shlex.split(command)]
    run = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.stdout == text
    assert run.stderr == ""
