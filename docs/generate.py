"""Write the pages of ``docs/`` that are made from the rules: ``python docs/generate.py``.

The rules are the source: their docstrings are the pages. A test holds that the written pages are up to date.
"""

from __future__ import annotations

from pathlib import Path

from raylint.packs import installed_rules
from raylint.pages import Page
from raylint.registry import catalogue
from raylint.rule import Rule

__all__ = ["pages"]

DOCS = Path(__file__).parent
NOTICE = "<!-- Made from the rules by docs/generate.py. Change the rule's docstring instead. -->\n\n"


def pages() -> dict[str, str]:
    """The generated files: name below ``docs/`` and text."""
    rules = catalogue(installed_rules())
    return {"rules.md": _index(rules), **{f"rules/{rule.id}.md": _page(rule) for rule in rules}}


def _index(rules: tuple[Rule, ...]) -> str:
    rows = [
        f"| [{rule.id}](rules/{rule.id}.md) | `{rule.name}` | {rule.severity.label} | {rule.kuberay} | {rule.ray} "
        f"| {Page(rule.doc).summary} |"
        for rule in rules
    ]
    head = "| id | name | severity | KubeRay | Ray | what it says |\n| --- | --- | --- | --- | --- | --- |\n"
    families = (
        "`API###`: the Kubernetes API server refuses or drops it. `KR###`: the KubeRay operator refuses it or\n"
        "stalls on it after it is stored. `RAY###`: everybody accepts it, and it hurts later. `RL###`: raylint's\n"
        "own remarks on files and on itself.\n"
    )
    return f"{NOTICE}# Rules\n\n{families}\n{head}" + "\n".join(rows) + "\n"


def _page(rule: Rule) -> str:
    page = Page(rule.doc)
    facts = (
        "| severity | confidence | KubeRay | Ray |\n| --- | --- | --- | --- |\n"
        f"| {rule.severity.label} | {rule.confidence.label} | {rule.kuberay} | {rule.ray} |\n"
    )
    body = page.text[len(page.text.split("\n\n")[0]) :].strip("\n")
    for option in ("bad", "good near-miss", "good"):
        body = body.replace(f"```yaml {option}\n", "```yaml\n")
    return f"{NOTICE}# {rule.id} {rule.name}\n\n{page.summary}\n\n{facts}\n{body}\n"


def main() -> None:
    for name, text in pages().items():
        path = DOCS / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main()
