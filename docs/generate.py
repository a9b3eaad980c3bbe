"""Write the pages of ``docs/`` that are made from the rules: ``python docs/generate.py``.

The rules are the source: their docstrings are the pages. A test holds that the written pages are up to date.
"""

from __future__ import annotations

import sys
from pathlib import Path

import yaml

from raylint.config.schema import config_schema_text
from raylint.help import help_text
from raylint.operator_checks import WITHOUT_RULE
from raylint.options import COMMANDS
from raylint.packs import installed_rules
from raylint.pages import Page
from raylint.registry import catalogue
from raylint.rule import Rule, Severity
from raylint.target import KUBERAY_RELEASES, VersionRange, version_text
from raylint_rules import _list

# At the end: a module of the standard library is called `site`, too.
sys.path.append(str(Path(__file__).parent))
from rule_page import Almanac, thread

__all__ = ["pages"]

DOCS = Path(__file__).parent
CONFIG_SCHEMA = "raylint-config.schema.json"
NOTICE = "<!-- Made from the rules by docs/generate.py. Change the rule's docstring instead. -->\n\n"


def pages() -> dict[str, str]:
    """The generated files: name below ``docs/`` and text."""
    rules = catalogue(installed_rules())
    almanac = Almanac(rules, DOCS)
    return {
        "rules.md": _index(rules),
        "command-line.md": _command_line(),
        "operator-checks.md": _operator_checks(rules),
        "field-reports.md": _field_reports(rules),
        "precision.md": _precision(almanac),
        **{f"rules/{rule.id}.md": NOTICE + almanac.page(rule) for rule in rules},
    }


def _index(rules: tuple[Rule, ...]) -> str:
    rows = [
        f"| [{rule.id}](rules/{rule.id}.md) | `{rule.name}` | {rule.severity.label} | {rule.kuberay} | {rule.ray} "
        f"| {rule.fixes} | {'(preview) ' * rule.preview}{Page(rule.doc).summary} |"
        for rule in rules
    ]
    head = f"| id | name | severity | KubeRay | Ray | fix | what it says |\n|{' --- |' * 7}\n"
    families = (
        "`API###`: the Kubernetes API server refuses or drops it. `KR###`: the KubeRay operator refuses it or\n"
        "stalls on it after it is stored. `RAY###`: everybody accepts it, and it hurts later. `RL###`: raylint's\n"
        "own remarks on files and on itself.\n"
    )
    fixes = (
        'What is `safe` in the column "fix" is mended by `raylint check --fix`, what is `unsafe`, because the\n'
        "cluster behaves otherwise afterwards, by `--fix --unsafe-fixes`.\n"
    )
    machines = (
        "`raylint rules --format json` lists them for machines; the site has that as `rules.json` beside this\n"
        "page. raylint does not write its rules out as CEL: in the cluster its [webhook](webhook.md) judges by\n"
        "them.\n"
    )
    return f"{NOTICE}# Rules\n\n{families}\n{fixes}\n{machines}\n{head}" + "\n".join(rows) + "\n"


def _command_line() -> str:
    """What ``--help`` says, command by command."""
    first = ("", "check", "effective")
    sections = [
        f"## {command}\n\n```console\n$ {command} --help\n{help_text(name).rstrip()}\n```\n"
        for name in (*first, *(name for name in COMMANDS if name not in first))
        for command in (f"raylint {name}".rstrip(),)
    ]
    return (
        "<!-- Made from raylint/help.py by docs/generate.py. -->\n\n# Command line\n\n"
        "What `--help` says of each command. The flags of `raylint webhook serve` are on the page of the\n"
        "[webhook](webhook.md); [Usage](usage.md) tells how the flags are used together.\n\n" + "\n".join(sections)
    )


def _operator_checks(rules: tuple[Rule, ...]) -> str:
    """Which check of the operator exists in which release."""
    releases = KUBERAY_RELEASES
    checks = [rule for rule in rules if rule.id.startswith("KR")]
    names = " | ".join(version_text(release) for release in releases)
    rows = [
        f"| [{rule.id}](rules/{rule.id}.md) | `{rule.name}` | {_verdict(rule)} | "
        + " | ".join(_presence(rule.kuberay, release) for release in releases)
        + " |"
        for rule in checks
    ]
    without = [f"| {numbers} | {reason} |" for numbers, reason in WITHOUT_RULE.items()]
    return (
        f"{NOTICE}# Checks of the KubeRay operator\n\n"
        "Which release of KubeRay has which check; `1.5.1` in a cell: from that patch on. Refused: the\n"
        "operator's validation says no. Stalls: the object is accepted, and then something does not come up or\n"
        "is not done as it is written. Choose your release with `--kuberay`.\n\n"
        f"| id | name | | {names} |\n"
        f"| --- | --- | --- |{' --- |' * len(releases)}\n" + "\n".join(rows) + "\n\n"
        "Checks without a rule:\n\n| check | why |\n| --- | --- |\n" + "\n".join(without) + "\n"
    )


def _field_reports(rules: tuple[Rule, ...]) -> str:
    """What people reported, and which rule tells of it."""
    data = yaml.safe_load((DOCS / "field-reports.yaml").read_text())
    answers: dict[str, list[str]] = {}
    for rule in rules:
        for report in rule.reports:
            answers.setdefault(report, []).append(_link(rule.id))
    rows = [
        f"| {id} | {entry['seen']} | {' '.join(map(thread, entry.get('threads', [])))} | {entry.get('fix', '')} "
        f"| {' '.join(answers.get(id, [])) or entry['why']} |"
        for id, entry in data["reports"].items()
    ]
    by_hand = [f"| {_link(id)} | {why} |" for id, why in data["by_hand"].items()]
    groups = [
        f"| {number} | {entry['accepts']} | {' '.join(_link(id) for id in entry['rules'])} |"
        for number, entry in data["groups"].items()
    ]
    return (
        f"{NOTICE}# Field reports\n\n"
        "Causes of public reports on KubeRay manifests that failed, and the rules that tell of them. Where there\n"
        "is no rule, the last column says why no manifest can show it. `edit` is what people name as the cure;\n"
        "[Rules](rules.md) tells which rules make it, by `--fix` or `--unsafe-fixes`; the next table\n"
        "says why the others cannot.\n\n"
        f"| report | what was seen | threads | edit | rules |\n|{' --- |' * 5}\n" + "\n".join(rows) + "\n\n"
        "## What no machine mends\n\n"
        "| rule | why |\n| --- | --- |\n" + "\n".join(by_hand) + "\n\n"
        "## What the operator accepts\n\n"
        "Mistakes that pass the API server and the operator of KubeRay 1.7, in 24 groups.\n\n"
        "| group | what is accepted | rules |\n| --- | --- | --- |\n" + "\n".join(groups) + "\n"
    )


def _precision(almanac: Almanac) -> str:
    """The written page with the table of today's figures in it."""
    begin, end = "<!-- Made from precision.yaml by docs/generate.py. -->", "<!-- End of what is made. -->"
    head, _, rest = (DOCS / "precision.md").read_text().partition(begin)
    return f"{head}{begin}\n\n{almanac.samples_table()}\n\n{end}{rest.partition(end)[2]}"


def _link(id: str) -> str:
    return f"[{id}](rules/{id}.md)"


def _verdict(rule: Rule) -> str:
    return {Severity.ERROR: "refused", Severity.WARNING: "stalls", Severity.INFO: "skipped"}[rule.severity]


def _presence(kuberay: VersionRange, release: tuple[int, ...]) -> str:
    """``yes`` where the newest patch of the release has the check, or the patch that brought it."""
    if release not in kuberay:
        return ""
    since = kuberay.since
    return version_text(since) if since is not None and len(since) > 2 and since[:2] == release else "yes"


def main() -> None:
    _list.main()
    (DOCS.parent / "raylint" / CONFIG_SCHEMA).write_text(config_schema_text())
    for name, text in pages().items():
        path = DOCS / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main()
