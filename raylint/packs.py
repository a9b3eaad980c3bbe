"""Packs of rules, found through the entry-point group ``raylint.rules``: the built-in one and anybody else's.

``importlib.metadata`` answers the same question, but its import alone costs 40 ms of a start that takes 45. The
folders of ``sys.path`` are therefore scanned here, by its rules: a distribution is known by its normalised name,
and the first one on the path counts. What needs more than folders is left to ``importlib.metadata``.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from operator import attrgetter

from raylint.errors import UsageError
from raylint.rule import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["EntryPoint", "find_entry_points", "installed_rules", "load"]

GROUP = "raylint.rules"
_ENDINGS = (".dist-info", ".egg-info")


class EntryPoint:
    """One pack as a distribution announces it: ``name = value``, the value being ``module:attribute``.
    ``distribution`` is the normalised name, as ``pip`` writes it."""

    __slots__ = ("distribution", "name", "value")

    def __init__(self, distribution: str, name: str, value: str) -> None:
        self.distribution = distribution
        self.name = name
        self.value = value

    def as_tuple(self) -> tuple[str, str, str]:
        return self.distribution, self.name, self.value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EntryPoint) and self.as_tuple() == other.as_tuple()

    def __str__(self) -> str:
        return f"rule pack '{self.name}' of '{self.distribution}'"

    def __repr__(self) -> str:
        return f"EntryPoint{self.as_tuple()}"


def installed_rules() -> tuple[Rule, ...]:
    """The rules of all installed packs, in the order of their ids.

    UsageError: no pack is installed, one cannot be loaded, or two rules have one id. A run with fewer rules
    than were asked for would pass what it should refuse.
    """
    packs = [(entry_point, load(entry_point)) for entry_point in find_entry_points()]
    rules = [rule for _, pack in packs for rule in pack]
    if not rules:
        raise UsageError(
            "no rules are installed; install them with `pip install raylint` (in a clone: `pip install -e .`)"
        )
    ids = [rule.id for rule in rules]
    if len(set(ids)) != len(ids):
        twice = next(id for id in ids if ids.count(id) > 1)
        first, second, *_ = [entry_point for entry_point, pack in packs for rule in pack if rule.id == twice]
        raise UsageError(f"two rules are called {twice}: in {first} and in {second}")
    return tuple(sorted(rules, key=attrgetter("id")))


def load(entry_point: EntryPoint) -> tuple[Rule, ...]:
    """Import a pack. UsageError: it cannot be imported, or what it names is not a sequence of rules."""
    pack = imported(entry_point)
    if not isinstance(pack, (tuple, list)) or not all(issubclass(kind, Rule) for kind in set(map(type, pack))):
        raise UsageError(f"{entry_point}: '{entry_point.value}' is not a tuple of rules")
    return tuple(pack)


def imported(entry_point: EntryPoint) -> object:
    """What an entry point names. UsageError: it cannot be imported."""
    # Extras may follow in brackets.
    module, _, attribute = map(str.strip, entry_point.value.partition("[")[0].partition(":"))
    if not (_is_dotted(module) and _is_dotted(attribute)):
        raise UsageError(f"{entry_point}: '{entry_point.value}' is not of the form 'module:attribute'")
    try:
        __import__(module)
        pack: object = sys.modules[module]
        for step in attribute.split("."):
            pack = getattr(pack, step)
    except Exception as error:
        raise UsageError(f"{entry_point} cannot be loaded: {_reason(error, module)}") from error
    return pack


def _is_dotted(name: str) -> bool:
    return all(part.isidentifier() for part in name.split("."))


def _reason(error: Exception, module: str) -> str:
    missing = error.name if isinstance(error, ModuleNotFoundError) else None
    if missing is None:
        return f"{type(error).__name__}: {error}"
    if f"{module}.".startswith(f"{missing}."):
        return f"its module '{missing}' is not there; install the distribution again"
    return f"its module '{module}' needs '{missing}', which is not installed"


def find_entry_points(group: str = GROUP) -> list[EntryPoint]:
    """The packs on ``sys.path``, or what else is announced in a group, ordered by distribution and name.

    UsageError: the group's section in a distribution's ``entry_points.txt`` cannot be read. A file that does
    not hold the group is nobody's business here, however broken it is.
    """
    found = _scan(group) if _only_folders() else _ask_importlib(group)
    return sorted(found, key=EntryPoint.as_tuple)


def _only_folders() -> bool:
    """Whether a scan of folders sees all that ``importlib.metadata`` would: no zip files or eggs on the path,
    no finders of distributions but Python's own."""
    for entry in sys.path:
        if entry.endswith(".egg") or not (os.path.isdir(entry or ".") or not os.path.exists(entry)):
            return False
    return all(
        getattr(finder, "__module__", "") == "_frozen_importlib_external"
        for finder in sys.meta_path
        if hasattr(finder, "find_distributions")
    )


def _scan(group: str) -> Iterator[EntryPoint]:
    # The working directory stands in the path as an empty text.
    for path, distribution in _announcing(tuple(folder or os.getcwd() for folder in sys.path)):
        yield from _read(path, distribution, group)


@cache
def _announcing(folders: tuple[str, ...]) -> list[tuple[str, str]]:
    """The files that announce anything to raylint, with their distributions. Rules and schemas are two questions
    of one run; the folders are searched once."""
    found = []
    passed: list[str] = []
    for folder in folders:
        for info in _infos(folder):
            path = f"{folder}{os.sep}{info}{os.sep}entry_points.txt"
            # Most announce nothing: to ask costs less than an error.
            if os.access(path, os.R_OK) and b"[raylint." in _content(path):
                distribution = _distribution(info)
                if distribution not in map(_distribution, passed):
                    found.append((path, distribution))
            passed.append(info)
    return found


def _infos(folder: str) -> list[str]:
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return sorted([name for name in names if name[-1] in "oO" and name.lower().endswith(_ENDINGS)])


def _distribution(info: str) -> str:
    """Whose folder it is, by its name: ``Some_Pack-1.0.dist-info`` is of ``some-pack``."""
    return _normalised(info.rpartition(".")[0].partition("-")[0])


def _normalised(name: str) -> str:
    """As ``pip`` writes a name: runs of ``-``, ``_`` and ``.`` are one ``-``."""
    name = name.replace("_", "-").replace(".", "-").lower()
    while "--" in name:
        name = name.replace("--", "-")
    return name


def _content(path: str) -> bytes:
    """A small file, or nothing. ``open`` would take three times as long."""
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        return os.read(file, os.fstat(file).st_size)
    except OSError:
        return b""
    finally:
        os.close(file)


def _read(path: str, distribution: str, group: str) -> Iterable[EntryPoint]:
    content = _content(path)
    if f"[{group}]".encode() not in content:
        return ()
    try:
        return _parse(content.decode(), distribution, group)
    except ValueError as error:
        raise UsageError(f"the rule packs of '{distribution}' cannot be read: {path}: {error}") from error


def _parse(text: str, distribution: str, group: str) -> list[EntryPoint]:
    """The group's section of an ``entry_points.txt``. ValueError: a line of it is not ``name = value``."""
    found = []
    section = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1]
        elif section == group and line and not line.startswith("#"):
            name, equals, value = map(str.strip, line.partition("="))
            if not equals:
                raise ValueError(f"'{line}' is not of the form 'name = module:attribute'")
            found.append(EntryPoint(distribution, name, value))
    return found


def _ask_importlib(group: str) -> Iterator[EntryPoint]:
    from importlib.metadata import entry_points

    for entry_point in entry_points(group=group):
        distribution = entry_point.dist.name if entry_point.dist else ""
        yield EntryPoint(_normalised(distribution), entry_point.name, entry_point.value)
