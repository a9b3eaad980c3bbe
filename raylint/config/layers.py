"""Configurations on top of each other: what a file extends, then the file itself."""

from __future__ import annotations

import os

from raylint.config.keys import FOR_FILES, TARGET, declared_rules, flags_by_key, known_rules, table
from raylint.config.text import ConfigText
from raylint.exemption import Exemption
from raylint.options import suggestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from raylint.config.text import Spot
    from raylint.errors import UsageError
    from raylint.options import Flag
    from raylint.rule import Rule

__all__ = ["Layer", "Override", "Scope", "Stack", "profile_layer"]

_PACKAGE = "pkg:"
# Settings whose relative paths are relative to the file that has them.
_PATHS = ("FILE", "DIR", "CHART", "FILE,...")
# How far the files that extend each other may reach: each one waits for what it extends.
_MOST_DEEP = 50


class Layer:
    """What one file says, by the names of flags (those of ``target`` too) and by ``rules``, ``suppressions`` and
    ``webhook``; ``spot`` leads to the places."""

    __slots__ = ("spot", "values")

    def __init__(self, values: dict[str, Any], spot: Spot) -> None:
        self.values = values
        self.spot = spot

    def place(self, key: str) -> str:
        """Where a setting is written."""
        return (self.spot.at("target").at(key) if key in TARGET else self.spot.at(key)).place


class Scope:
    """The files that something in a configuration is for: patterns as in a ``.gitignore`` of its folder; without
    patterns all files."""

    __slots__ = ("_folder", "_patterns")

    def __init__(self, patterns: Sequence[str], folder: str) -> None:
        from raylint.selection import Exclusions

        self._patterns = Exclusions(patterns)
        self._folder = folder

    def holds(self, file: str) -> bool:
        if not self._patterns:
            return True
        relative = os.path.relpath(file, self._folder)
        return bool(self._patterns.reason(relative.replace(os.sep, "/"), False))


class Override:
    """Other settings for the files of a scope."""

    __slots__ = ("layers", "scope")

    def __init__(self, scope: Scope, layers: list[Layer]) -> None:
        self.scope = scope
        self.layers = layers


class Stack:
    """A configuration with all that it extends; the nearest comes last. What several of the files extend lies
    once, below all of them. UsageError: something in one of the files is wrong, or they extend each other in a
    circle or in a chain of more than 50."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.layers: list[Layer] = []
        self.overrides: list[Override] = []
        # Selectors, with the places that make them mandatory.
        self.mandatory: list[tuple[str, str]] = []
        self.exemptions: list[tuple[Exemption, Scope]] = []
        # All files that were read.
        self.files: list[str] = []
        self._open: list[str] = []
        # Files and folders of their patterns that lie in the stack.
        self._added: set[tuple[str, str]] = set()
        self._add(ConfigText(file), os.path.dirname(os.path.abspath(file)))

    def _add(self, text: ConfigText, folder: str) -> None:
        """Put a file on top, and what it extends below it. ``folder``: what its patterns are relative to."""
        spot = text.root
        rules = _own_rules(text.data, spot)
        values = table().read(text.data, spot)
        if "cel-rules" in values:
            values["cel-rules"] = rules
        real = os.path.realpath(text.file)
        self._open.append(real)
        self.files.append(text.file)
        for name, at in _each(values.pop("extends", []), spot.at("extends")):
            self._extend(name, at, folder)
        if "profile" in values:
            self.layers += self._profile(values["profile"], spot.at("profile"))
        self._take(values, spot, folder)
        self._open.pop()

    def _extend(self, name: str, at: Spot, folder: str) -> None:
        file, origin, below = _extended(name, at, folder)
        real = os.path.realpath(file)
        if real in self._open:
            raise at.error(f"{name!r} extends the configuration that extends it")
        if (real, below) in self._added:
            return
        if len(self._open) == _MOST_DEEP:
            raise at.error(
                f"{name!r} is the end of a chain of more than {_MOST_DEEP} files that extend each other"
            )
        self._added.add((real, below))
        self._add(ConfigText(file, origin), below)

    def _take(self, values: dict[str, Any], spot: Spot, folder: str) -> None:
        for number, written in enumerate(values.pop("overrides", [])):
            at = spot.at("overrides").at(number)
            below = self._profile(written["profile"], at.at("profile")) if "profile" in written else []
            scope = Scope(written.pop("files"), folder)
            self.overrides.append(Override(scope, [*below, _layer(written, at)]))
        for number, selector in enumerate(values.pop("mandatory", [])):
            self.mandatory.append((selector, spot.at("mandatory").at(number).place))
        for number, written in enumerate(values.pop("exemptions", [])):
            at = spot.at("exemptions").at(number)
            self.exemptions.append((_exemption(written, at), Scope(written.get("files", ()), folder)))
        self.layers.append(_layer(values, spot))

    def _profile(self, name: str, at: Spot) -> list[Layer]:
        return [profile_layer(name, at.error)]


def _own_rules(data: object, spot: Spot) -> list[Rule]:
    """They come first: the rest of the file may name them."""
    written = data.get("cel-rules") if isinstance(data, dict) else None
    return declared_rules(written, spot.at("cel-rules")) if written is not None else []


def profile_layer(name: str, error: Callable[[str], UsageError]) -> Layer:
    """What a profile of an installed pack says. ``error`` makes a complaint that tells where it is asked for."""
    text = ConfigText(_profile_file(name, error), f"profile {name}")
    values = table().read(text.data, text.root)
    for key in values:
        if key not in (*FOR_FILES, "target", "rules", "suppressions"):
            raise text.root.at(key).error(f"a profile cannot set {key}: it may be for a part of the files")
    return _layer(values, text.root)


def _layer(values: dict[str, Any], spot: Spot) -> Layer:
    flat = {key: value for key, value in values.items() if key != "target"}
    flat.update(values.get("target", {}))
    flags = flags_by_key()
    for key, value in flat.items():
        if key in flags and flags[key].metavar in _PATHS and value:
            folder = spot.text.folder
            flat[key] = (
                [",".join(os.path.join(folder, part) for part in _parts(flags[key], item)) for item in value]
                if isinstance(value, list)
                else (os.path.join(folder, value))
            )
    return Layer(flat, spot)


def _parts(flag: Flag, item: str) -> list[str]:
    return item.split(",") if "," in flag.metavar else [item]


def _exemption(written: dict[str, Any], at: Spot) -> Exemption:
    from raylint.registry import matching
    from raylint.remarks import RULE_CRASHED

    rules = {rule.id for selector in {*written["rule"]} for rule in matching(known_rules(), selector)}
    # A family may hold it, but nobody can accept that a rule failed: what it would have found is unknown.
    rules.discard(RULE_CRASHED)
    names = {key: written[key] for key in ("kind", "namespace", "name", "until") if key in written}
    position = at.text.position(at.path)
    return Exemption(
        frozenset(rules), written["reason"], place=at.place, file=at.text.shown, position=position, **names
    )


def _each(names: list[str], spot: Spot) -> Iterator[tuple[str, Spot]]:
    for number, name in enumerate(names):
        yield name, spot.at(number)


def _extended(name: str, at: Spot, folder: str) -> tuple[str, str, str]:
    """The file of a name in ``extends``, what people know it by if not by its path, and the folder that its
    patterns are relative to."""
    if name.startswith(_PACKAGE):
        return _package_file(name, at), name, folder
    if os.sep in name or "/" in name or name.endswith((".yaml", ".yml", ".toml")):
        file = os.path.join(at.text.folder, name)
        if not os.path.isfile(file):
            raise at.error(f"there is no configuration {name!r}")
        return file, "", os.path.dirname(os.path.abspath(file))
    return _profile_file(name, at.error), f"profile {name}", folder


def _package_file(name: str, at: Spot) -> str:
    package, _, inside = name.removeprefix(_PACKAGE).partition("/")
    if not package.isidentifier() or not inside or ".." in inside.split("/"):
        raise at.error(f"{name!r} is not of the form pkg:PACKAGE/FILE")
    from importlib.util import find_spec  # few configurations come from packages

    spec = find_spec(package)
    for folder in (spec and spec.submodule_search_locations) or ():
        file = os.path.join(folder, *inside.split("/"))
        if os.path.isfile(file):
            return file
    why = f"it has no file {inside!r}" if spec else "it is not installed"
    raise at.error(f"there is no configuration {name!r}: {why}")


def _profile_file(name: str, error: Callable[[str], UsageError]) -> str:
    found = _profiles()
    if name not in found:
        known = ", ".join(sorted(found))
        raise error(f"there is no profile {name!r}{suggestion(name, found)}; there are {known}")
    return found[name]


def _profiles() -> dict[str, str]:
    """The profiles of the installed packs of rules: the files of the folders ``profiles`` beside their modules."""
    import sys

    from raylint.packs import find_entry_points, load

    found: dict[str, str] = {}
    for entry_point in find_entry_points():
        load(entry_point)
        module = sys.modules[entry_point.value.partition(":")[0].strip()]
        folder = os.path.join(os.path.dirname(module.__file__ or ""), "profiles")
        for file in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            if file.endswith(".yaml"):
                found.setdefault(file.removesuffix(".yaml"), os.path.join(folder, file))
    return found
