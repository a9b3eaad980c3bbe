"""The baseline: a reviewed file of findings that a repository accepts until somebody gets to them.

One line for each kind of finding: its fingerprint, which no position is part of, how often it is known, and for
people the rule, the object, the path and the file (relative to the baseline's own folder)."""

from __future__ import annotations

import json
import os

from raylint import output
from raylint.errors import UsageError
from raylint.known_findings import KnownFindings
from raylint.report.fingerprint import kind_prints

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from raylint.finding import Finding

__all__ = ["NAME", "VERSION", "Baseline", "Entry"]

NAME = ".raylint-baseline.json"
VERSION = "raylint-baseline/v1"
_LARGEST = 64 << 20
_TEXTS = ("fingerprint", "rule", "object", "path", "file")


class Entry:
    """A kind of finding that is accepted ``count`` times in ``file``."""

    __slots__ = ("count", "file", "fingerprint", "object", "path", "rule")

    def __init__(self, fingerprint: str, rule: str, object: str, path: str, file: str, count: int) -> None:
        self.fingerprint = fingerprint
        self.rule = rule
        self.object = object
        self.path = path
        self.file = file
        self.count = count

    @property
    def key(self) -> tuple[str, str, str, str, str]:
        """The order of the file: as people look for things."""
        return self.file, self.rule, self.object, self.path, self.fingerprint

    def line(self) -> str:
        fields = {name: getattr(self, name) for name in _TEXTS}
        return json.dumps({**fields, "count": self.count}, ensure_ascii=True)

    def times(self, count: int) -> Entry:
        return Entry(self.fingerprint, self.rule, self.object, self.path, self.file, count)

    def shown(self) -> str:
        times = f" ({self.count} times)" if self.count > 1 else ""
        return f"{self.file}: {self.rule} {self.object} {self.path}{times}".replace("  ", " ")


class Baseline:
    """The entries of one file, by their order."""

    __slots__ = ("entries", "file")

    def __init__(self, file: str, entries: Iterable[Entry] = ()) -> None:
        self.file = file
        self.entries = sorted(entries, key=lambda entry: entry.key)

    @classmethod
    def read(cls, file: str) -> Baseline:
        """UsageError: it cannot be read, or is no baseline."""
        try:
            with open(file, "rb") as stream:
                data = json.loads(stream.read(_LARGEST))
        except OSError as error:
            raise UsageError(f"the baseline {file!r} cannot be read: {error.strerror}") from None
        except (ValueError, RecursionError) as error:
            raise UsageError(f"the baseline {file!r} cannot be read: {error}") from None
        version = data.get("version") if isinstance(data, dict) else None
        found = data.get("findings") if version == VERSION else None
        if not isinstance(found, list):
            raise UsageError(f"{file!r} is no baseline of version {VERSION}")
        return cls(file, [_entry(item, number, file) for number, item in enumerate(found, 1)])

    @classmethod
    def of(cls, findings: Sequence[Finding], file: str) -> Baseline:
        """The baseline that accepts these findings."""
        named = _namer(file)
        entries: dict[tuple[str, str], Entry] = {}
        for finding, fingerprint in zip(findings, kind_prints(findings), strict=True):
            name = named(finding.place.file)
            known = entries.get((fingerprint, name))
            if known is None:
                about = str(finding.object) if finding.object else ""
                entries[fingerprint, name] = Entry(
                    fingerprint, finding.rule_id, about, finding.place.path_text, name, 1
                )
            else:
                known.count += 1
        return cls(file, entries.values())

    def write(self) -> None:
        """Replace the file as a whole. UsageError: it cannot be written."""
        lines = ",\n".join(f"  {entry.line()}" for entry in self.entries)
        body = f"[\n{lines}\n]" if lines else "[]"
        output.write(f'{{"version": "{VERSION}", "findings": {body}}}\n', self.file)

    def split(self, findings: Sequence[Finding]) -> tuple[list[Finding], list[Finding]]:
        """The findings that are new, and those that the baseline accepts."""
        known = KnownFindings((entry.fingerprint, entry.file, entry.count) for entry in self.entries)
        return known.split(findings, _namer(self.file))

    def without_stale(
        self, findings: Sequence[Finding], looked_at: Callable[[str], bool]
    ) -> tuple[Baseline, list[Entry]]:
        """The baseline without what is found no more, and that as entries. ``looked_at`` tells of a file, as the
        baseline names it, whether its findings are all there; of others all entries are kept.

        An entry whose finding has moved to another file is kept under that.
        """
        judged = [entry for entry in self.entries if looked_at(entry.file)]
        accepted = Baseline.of(Baseline(self.file, judged).split(findings)[1], self.file)
        here = {(entry.fingerprint, entry.file): entry.count for entry in accepted.entries}
        moved: dict[str, int] = {}
        for entry in accepted.entries:
            moved[entry.fingerprint] = moved.get(entry.fingerprint, 0) + entry.count
        for entry in judged:
            moved[entry.fingerprint] = moved.get(entry.fingerprint, 0) - _here(entry, here)
        stale = []
        for entry in judged:
            missing = entry.count - _here(entry, here)
            found = min(missing, moved[entry.fingerprint])
            moved[entry.fingerprint] -= found
            if missing > found:
                stale.append(entry.times(missing - found))
        others = [entry for entry in self.entries if not looked_at(entry.file)]
        return Baseline(self.file, [*accepted.entries, *others]), stale


def _here(entry: Entry, found: dict[tuple[str, str], int]) -> int:
    """How many findings of an entry are in its own file still."""
    return min(entry.count, found.get((entry.fingerprint, entry.file), 0))


def _entry(item: object, number: int, file: str) -> Entry:
    if isinstance(item, dict) and all(isinstance(item.get(name), str) for name in _TEXTS):
        count = item.get("count")
        if isinstance(count, int) and not isinstance(count, bool) and count > 0:
            texts = {name: item[name] for name in _TEXTS}
            return Entry(**texts, count=count)
    raise UsageError(f"the baseline {file!r} cannot be read: finding {number} is none; write it anew")


def _namer(file: str) -> Callable[[str], str]:
    """A file's name in reports, made relative to the baseline's folder."""
    folder = os.path.dirname(os.path.abspath(file))
    known: dict[str, str] = {}

    def named(name: str) -> str:
        if name not in known:
            try:
                known[name] = os.path.relpath(name, folder).replace(os.sep, "/")
            except ValueError:  # another drive
                known[name] = name
        return known[name]

    return named
