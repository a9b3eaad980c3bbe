"""The written documentation says what the program does."""

from __future__ import annotations

import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
GENERATED: dict[str, str] = runpy.run_path(str(ROOT / "docs" / "generate.py"))["pages"]()
WRITTEN = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


@pytest.mark.parametrize("name", GENERATED)
def test_generated_page_is_up_to_date(name: str) -> None:
    assert (ROOT / "docs" / name).read_text() == GENERATED[name], "run: python docs/generate.py"


def test_no_page_of_a_rule_that_is_gone() -> None:
    kept = {f"rules/{path.name}" for path in (ROOT / "docs" / "rules").glob("*.md")}
    assert kept == set(GENERATED) - {"rules.md", "operator-checks.md", "field-reports.md"}


@pytest.mark.parametrize("page", WRITTEN, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text()):
        if not link.startswith(("https://", "http://")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


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
