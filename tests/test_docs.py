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

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
SITE = runpy.run_path(str(DOCS / "site.py"))
GENERATED: dict[str, str] = runpy.run_path(str(ROOT / "docs" / "generate.py"))["pages"]()
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
