"""Packs whose modules are imported when a manifest gives them something to do.

Importing a module of rules takes as long as judging an object by a hundred rules, and of a large pack most modules
have nothing to say on one file. Such a pack keeps a list of its rules: what a machine filters on, without the
checks. It is made of the modules themselves by :func:`listed`. A list that no longer fits its modules is not used.
"""

from __future__ import annotations

import os
import sys

from raylint.finding import Confidence, Severity
from raylint.rule import Rule, pack
from raylint.target import VersionRange

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, TypeAlias

    # The fields of a Rule, severity and confidence as numbers: id, name, severity, confidence, kuberay, ray,
    # visits, where, stored, whole_run, preview, context.
    Row: TypeAlias = tuple[str, str, int, int, str, str, str, str, bool, bool, bool, tuple[str, ...]]
    # By module: the words of which one must stand in a document, and the rules.
    Listing: TypeAlias = Mapping[str, tuple[tuple[str, ...], tuple[Row, ...]]]

__all__ = ["listed", "modules_of", "shelved", "sizes_in"]


class ShelvedRule(Rule):
    """A rule that imports its module when it is asked for its check."""

    __slots__ = ("_home",)

    def __init__(self, home: str, words: tuple[str, ...], row: Row) -> None:
        self._home = home
        (
            self.id,
            self.name,
            severity,
            confidence,
            kuberay,
            ray,
            self.visits,
            self.where,
            self.stored,
            self.whole_run,
            self.preview,
            self.context,
        ) = row
        self.severity = _SEVERITIES[severity]
        self.confidence = _CONFIDENCES[confidence]
        self.kuberay = _range(kuberay)
        self.ray = _range(ray)
        self.mentions = words

    def __getattr__(self, name: str) -> Any:
        """Called for what the constructor has not set."""
        if name not in ("check", "compose", "fixes", "gathers", "reports"):
            raise AttributeError(name)
        __import__(self._home)
        whole = next(rule for rule in pack(sys.modules[self._home]) if rule.id == self.id)
        self.check, self.compose, self.gathers = whole.check, whole.compose, whole.gathers
        self.fixes, self.reports = whole.fixes, whole.reports
        return getattr(self, name)


_SEVERITIES = {int(severity): severity for severity in Severity}
_CONFIDENCES = {int(confidence): confidence for confidence in Confidence}
_ranges: dict[str, VersionRange] = {}


def _range(text: str) -> VersionRange:
    """Many rules hold for the same releases."""
    if text not in _ranges:
        _ranges[text] = VersionRange(text)
    return _ranges[text]


def shelved(package: str, folder: str, listing: Listing, sizes: Mapping[str, int]) -> tuple[Rule, ...]:
    """The rules of the package in ``folder`` by their ids: by its listing, if its modules have the ``sizes`` that
    they had when it was made, else by the modules."""
    now = sizes_in(folder)
    if now != sizes:
        return pack(*modules_of(package, now))
    rules = [
        ShelvedRule(f"{package}.{module}", words, row) for module, (words, rows) in listing.items() for row in rows
    ]
    return tuple(sorted(rules, key=lambda rule: rule.id))


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


def listed(modules: Iterable[Any]) -> Listing:
    """The listing of modules. A module may name ``MENTIONS``, words without blanks of which one must be written in
    a document if any of its rules is to find anything there. ValueError: two rules have one id."""
    modules = sorted(modules, key=lambda module: module.__name__)
    pack(*modules)
    listing = {}
    for module in modules:
        rows = tuple(_row(rule) for rule in pack(module) if rule.module == module.__name__)
        if rows:
            listing[module.__name__.rpartition(".")[2]] = (tuple(getattr(module, "MENTIONS", ())), rows)
    return listing


def _row(rule: Rule) -> Row:
    return (
        rule.id,
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
