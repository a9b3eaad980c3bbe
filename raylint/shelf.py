"""Packs whose modules are imported when a manifest gives them something to do.

Importing a module of rules takes as long as judging an object by a hundred rules, and of a large pack most modules
have nothing to say on one file. Such a pack keeps lists of its modules and rules: what a machine filters on,
without the checks. They are made of the modules themselves by :func:`listed`. Lists that no longer fit the modules
are not used.
"""

from __future__ import annotations

import os
import sys
from functools import cache

from raylint.finding import Confidence, Severity
from raylint.rule import Rule, pack
from raylint.target import VersionRange

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    # By module: the size of its file in bytes, and the words of which one must stand in a document.
    Modules: TypeAlias = Mapping[str, tuple[int, tuple[str, ...]]]
    # The module of a rule, and its fields, severity and confidence as numbers: id, module, name, severity,
    # confidence, kuberay, ray, visits, where, stored, whole_run, preview, context.
    Row: TypeAlias = tuple[str, str, str, int, int, str, str, str, str, bool, bool, bool, tuple[str, ...]]

__all__ = ["listed", "modules_of", "shelved", "sizes_in"]

# How the folders are called that hold installed packages.
_INSTALLED = ("site-packages", "dist-packages")


class ShelvedRule(Rule):
    """A rule that imports its module when it is asked for its check; :func:`_taken` makes it."""

    __slots__ = ("_home",)

    _home: str

    def __getattr__(self, name: str) -> Any:
        """Called for what is not set yet."""
        if name not in ("check", "compose", "fixes", "gathers", "reports", "sought"):
            raise AttributeError(name)
        whole = _rules_of(self._home)[self.id]
        self.check, self.compose, self.gathers = whole.check, whole.compose, whole.gathers
        self.fixes, self.reports, self.sought = whole.fixes, whole.reports, whole.sought
        return getattr(self, name)


@cache
def _rules_of(home: str) -> dict[str, Rule]:
    """The rules of a module, by their ids."""
    __import__(home)
    return {rule.id: rule for rule in pack(sys.modules[home])}


def _taken(package: str, modules: Modules, rows: Sequence[Row]) -> Iterator[ShelvedRule]:
    """The rules of the lists. They are hundreds: a constructor of the class would take twice as long."""
    homes = {module: f"{package}.{module}" for module in modules}
    # Many rules hold for the same releases.
    ranges = {text: VersionRange(text) for text in {*[row[5] for row in rows], *[row[6] for row in rows]}}
    severities = {int(severity): severity for severity in Severity}
    confidences = {int(confidence): confidence for confidence in Confidence}
    for (
        id,
        module,
        name,
        severity,
        confidence,
        kuberay,
        ray,
        visits,
        where,
        stored,
        late,
        preview,
        context,
    ) in rows:
        rule = object.__new__(ShelvedRule)
        rule._home = homes[module]
        rule.id = id
        rule.name = name
        rule.severity = severities[severity]
        rule.confidence = confidences[confidence]
        rule.kuberay = ranges[kuberay]
        rule.ray = ranges[ray]
        rule.visits = visits
        rule.where = where
        rule.stored = stored
        rule.whole_run = late
        rule.preview = preview
        rule.context = context
        rule.mentions = modules[module][1]
        yield rule


def shelved(package: str, folder: str, modules: Modules, rows: Sequence[Row]) -> tuple[Rule, ...]:
    """The rules of the package in ``folder`` by their ids: by its lists, if its modules have the sizes that they
    had when these were made, else by the modules. Where packages are installed nobody edits them, and the lists
    are taken as they are."""
    if os.path.basename(os.path.dirname(folder)) not in _INSTALLED:
        sizes = sizes_in(folder)
        if sizes != {module: size for module, (size, _) in modules.items()}:
            return pack(*modules_of(package, sizes))
    return tuple(_taken(package, modules, rows))


def sizes_in(folder: str) -> dict[str, int]:
    """The modules in a folder with the sizes of their files; a name that begins with ``_`` is none of theirs."""
    with os.scandir(folder) as entries:
        return {
            entry.name[:-3]: entry.stat().st_size
            for entry in entries
            if entry.name.endswith(".py") and not entry.name.startswith("_")
        }


def modules_of(package: str, names: Iterable[str]) -> list[Any]:
    """The modules of these names, imported."""
    found = [f"{package}.{name}" for name in sorted(names)]
    for name in found:
        __import__(name)
    return [sys.modules[name] for name in found]


def listed(modules: Iterable[Any], sizes: Mapping[str, int]) -> tuple[Modules, tuple[Row, ...]]:
    """The lists of modules and of their rules. A module may name ``MENTIONS``, words without blanks of which one
    must be written in a document if any of its rules is to find anything there. ValueError: two rules have one
    id."""
    own = {module.__name__.rpartition(".")[2]: module for module in modules}
    pack(*own.values())
    words = {name: (sizes[name], tuple(getattr(own[name], "MENTIONS", ()))) for name in sorted(own)}
    rows = [
        _row(rule, name) for name, module in own.items() for rule in pack(module) if rule.module == module.__name__
    ]
    return words, tuple(sorted(rows))


def _row(rule: Rule, module: str) -> Row:
    return (
        rule.id,
        module,
        rule.name,
        int(rule.severity),
        int(rule.confidence),
        rule.kuberay.text,
        rule.ray.text,
        rule.visits,
        rule.where,
        rule.stored,
        rule.whole_run,
        rule.preview,
        rule.context,
    )
