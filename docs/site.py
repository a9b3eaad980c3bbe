"""What the site has beyond the pages: the rules in the navigation, an index of rules that can be filtered and
linked to, and the catalogue as JSON. MkDocs calls the functions by their names (``hooks`` in ``mkdocs.yml``)."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

__all__ = ["navigation", "on_config", "on_page_content", "on_page_markdown", "on_post_build"]

# The beginning of ids, and what these rules are about.
THEMES = {
    "API": "API server",
    "KR0": "Operator, KR001 on",
    "KR1": "Operator, KR100 on",
    "KR2": "Operator, KR200 on",
    "RAY1": "Fault tolerance and Redis",
    "RAY2": "Autoscaling and replicas",
    "RAY3": "Start command, settings, ports",
    "RAY4": "Resources and accelerators",
    "RAY5": "Jobs and runtime environments",
    "RAY6": "Services and Serve",
    "RAY7": "Images and versions",
    "RAY8": "Exposure, secrets, network",
    "RAY9": "Queues, nodes, GitOps",
    "RL": "raylint itself",
}
INDEX = "rules.md"
# Made with the site, beside the index.
CATALOGUE = "rules.json"
# Pages that are one long table have the room of the table of contents, too.
WIDE = (INDEX, "field-reports.md", "operator-checks.md")
_ROW = re.compile(r'<tr>\s*<td><a href="[^"]*">((?:API|KR|RAY|RL)\d+)</a></td>\s*<td><code>([a-z0-9-]+)</code>')


def navigation(nav: list[Any], docs: Path) -> list[Any]:
    """The ``nav`` of ``mkdocs.yml`` with every page of the folder in it: rules by theme, the rest at the end."""
    whole = [{"Rules": [*entry["Rules"], *_themes(docs)]} if "Rules" in entry else entry for entry in nav]
    named = set(_pages(whole))
    return [*whole, *sorted(page for page in _names(docs) if page not in named)]


def _names(docs: Path) -> list[str]:
    return sorted(path.relative_to(docs).as_posix() for path in docs.rglob("*.md"))


def _pages(nav: Any) -> list[str]:
    """The pages that a part of a ``nav`` names."""
    if isinstance(nav, str):
        return [nav]
    return [page for part in (nav.values() if isinstance(nav, dict) else nav) for page in _pages(part)]


def _themes(docs: Path) -> list[dict[str, list[dict[str, str]]]]:
    rules = [name for name in _names(docs) if name.startswith("rules/")]
    return [
        {title: [{_heading(docs / name): name} for name in rules if name.startswith(f"rules/{beginning}")]}
        for beginning, title in THEMES.items()
    ]


def _heading(page: Path) -> str:
    """Named by itself the page would be called like its file: MkDocs looks no further than a comment above it."""
    lines = page.read_text(encoding="utf-8").splitlines()
    return next(line.removeprefix("# ") for line in lines if line.startswith("# "))


def on_config(config: Any) -> Any:
    config.nav = navigation(config.nav, Path(config.docs_dir))
    return config


def on_page_markdown(markdown: str, page: Any, **_: object) -> None:
    if page.file.src_uri in WIDE:
        page.meta["hide"] = ["toc"]


def on_page_content(html: str, page: Any, **_: object) -> str:
    """Each row of the index can be linked to by the rule's id and by its name."""
    if page.file.src_uri != INDEX:
        return html
    rows = _ROW.sub(_with_anchors, html).replace(
        f"<code>{CATALOGUE}</code>", f'<a href="{CATALOGUE}">{CATALOGUE}</a>'
    )
    return rows.replace("<table>", '<div class="rule-index"><table>').replace("</table>", "</table></div>")


def _with_anchors(row: re.Match[str]) -> str:
    anchored = row[0].replace("<tr>", f'<tr id="{row[1]}">')
    return anchored.replace("<td><code>", f'<td id="{row[2]}"><code>')


def on_post_build(config: Any) -> None:
    with (Path(config.site_dir) / CATALOGUE).open("w") as file:
        subprocess.run([sys.executable, "-m", "raylint", "rules", "--format", "json"], stdout=file, check=True)
