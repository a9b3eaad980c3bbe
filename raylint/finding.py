"""What raylint reports: where something is wrong, what, and how sure raylint is.

Paths come first and positions second: a rule names a path into the object, and a position in a text is looked
up only for what is reported. A live object that has no text is judged by the same rules.

The lint path imports neither ``dataclasses`` nor ``typing`` (15 and 5 ms of a cold start's 45); hence the plain
classes with slots here.
"""

from __future__ import annotations

from enum import IntEnum
from sys import intern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    Path: TypeAlias = tuple[str | int, ...]

__all__ = [
    "Change",
    "Confidence",
    "Finding",
    "Fix",
    "ObjectRef",
    "Place",
    "Replacement",
    "Severity",
    "Span",
    "Suppressed",
    "path_text",
]


class Severity(IntEnum):
    """How bad it is. ``error``: refused, or cannot start, serve or be deleted; ``warning``: a likely outage,
    loss, cost or open door; ``info``: advice, or a fact that a reviewer should know."""

    INFO = 1
    WARNING = 2
    ERROR = 3

    @property
    def label(self) -> str:
        return self.name.lower()


class Confidence(IntEnum):
    """How sure the rule is that it bites here; separate from how bad it would be."""

    LOW = 1
    MEDIUM = 2
    HIGH = 3

    @property
    def label(self) -> str:
        return self.name.lower()


class Span:
    """A stretch of a text: 1-based lines, 1-based columns counted in characters; ``end_column`` is one past
    the last character, as in SARIF."""

    __slots__ = ("column", "end_column", "end_line", "line")

    def __init__(self, line: int, column: int, end_line: int, end_column: int) -> None:
        self.line = line
        self.column = column
        self.end_line = end_line
        self.end_column = end_column

    def as_tuple(self) -> tuple[int, int, int, int]:
        return self.line, self.column, self.end_line, self.end_column

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Span) and self.as_tuple() == other.as_tuple()

    def __hash__(self) -> int:
        return hash(self.as_tuple())

    def __repr__(self) -> str:
        return f"Span{self.as_tuple()}"


class ObjectRef:
    """The Kubernetes object that a finding is about; a part that the manifest does not name is ``""``."""

    __slots__ = ("api_version", "kind", "name", "namespace")

    def __init__(self, api_version: str, kind: str, namespace: str, name: str) -> None:
        self.api_version = api_version
        self.kind = kind
        self.namespace = namespace
        self.name = name

    def __str__(self) -> str:
        """``Kind namespace/name``, without the parts that are not written."""
        qualified = "/".join(part for part in (self.namespace, self.name) if part)
        return f"{self.kind} {qualified}".strip()


# The findings of a run are in few places of their objects. Keys of unusual length are not worth a table.
_paths: dict[Path, Path] = {}
_MOST_PATHS, _LONGEST_KEY = 512, 64


def _kept_once(path: Path) -> Path:
    kept = _paths.get(path)
    if kept is not None:
        return kept
    if any(step.__class__ is str and len(str(step)) > _LONGEST_KEY for step in path):
        return path
    if len(_paths) >= _MOST_PATHS:
        _paths.clear()
    _paths[path] = path
    return path


class Place:
    """A resolved place of a finding: the path inside the object and, for a text, the span in the file.

    ``lines`` holds the source lines of the span (``{number: text}``), already free of secrets, so that a report
    can show an excerpt after the file's text is gone. ``label`` says what is to be seen at this place. ``inner``
    leads on from ``path`` where the value there is a text with a document of its own, such as ``serveConfigV2``.
    """

    __slots__ = ("_lines", "document", "file", "identity", "inner", "label", "path", "span")

    def __init__(
        self,
        file: str,
        document: int,
        path: Path,
        span: Span | None,
        label: str = "",
        lines: dict[int, str] | None = None,
        inner: Path = (),
        identity: str = "",
    ) -> None:
        self.file = file
        # Set where the finding is made after the document is gone: see Finding.identity.
        self.identity = identity
        self.inner = inner
        self.document = document
        self.path = _kept_once(path)
        self.span = span
        # A run may end with thousands of findings that say the same.
        self.label = intern(label)
        # Half the size of a dict.
        self._lines = tuple([(number, intern(line)) for number, line in lines.items()]) if lines else ()

    @property
    def lines(self) -> dict[int, str]:
        return dict(self._lines)

    def text_of(self, line: int) -> str | None:
        """A source line of the span, where it is known."""
        for number, text in self._lines:
            if number == line:
                return text
        return None

    @property
    def path_text(self) -> str:
        """``spec.rayClusterConfig.rayVersion``; inside a text ``spec.serveConfigV2:applications[0].name``."""
        outer = path_text(self.path)
        return f"{outer}:{path_text(self.inner)}" if self.inner else outer

    @property
    def line(self) -> int:
        return self.span.line if self.span else 0

    @property
    def column(self) -> int:
        return self.span.column if self.span else 0


class Replacement:
    """Text that takes the place of a stretch of a file: of the bytes from ``start`` to ``end``, which are the
    characters of ``span``. ``hides``: it repeats a secret, so that no report may show it."""

    __slots__ = ("end", "hides", "span", "start", "text")

    def __init__(self, start: int, end: int, span: Span, text: str, *, hides: bool = False) -> None:
        self.start = start
        self.end = end
        self.span = span
        self.text = text
        self.hides = hides


class Change:
    """What a fix does to the data of a document: at ``path`` it does ``action`` (``delete``, ``set``, ``rename``,
    or ``first``: the item comes before the others of its list), with ``value``, the new value or key."""

    __slots__ = ("action", "path", "value")

    def __init__(self, action: str, path: Path, value: object = None) -> None:
        self.action = action
        self.path = path
        self.value = value


class Fix:
    """What repairs a finding. ``safe``: the object means the same afterwards, or what the operator makes of it
    anyway. ``replacements`` belong together and stand in the order of the text; ``changes`` say what they do to
    the data of the document, and nothing else may change. ``locks`` are the places of the mappings and lists whose
    entries they add or take: two fixes with a lock in common do not know of each other's commas and last entries.
    """

    __slots__ = ("changes", "description", "document", "locks", "replacements", "safe")

    def __init__(
        self,
        description: str,
        safe: bool,
        document: int,
        replacements: Sequence[Replacement],
        changes: Sequence[Change],
        locks: frozenset[int] = frozenset(),
    ) -> None:
        self.description = description
        self.safe = safe
        self.document = document
        self.replacements = tuple(replacements)
        self.changes = tuple(changes)
        self.locks = locks

    @property
    def shown(self) -> bool:
        """Whether a report may show it."""
        return not any(replacement.hides for replacement in self.replacements)


class Finding:
    """One remark of one rule about one object. ``object`` is None where no object could be read. ``fix`` is advice
    for people; ``fixes`` holds what a machine can do, the best first."""

    __slots__ = (
        "confidence",
        "effect",
        "fix",
        "fixes",
        "identity",
        "message",
        "object",
        "place",
        "related",
        "rule_id",
        "rule_name",
        "severity",
    )

    def __init__(
        self,
        *,
        rule_id: str,
        rule_name: str,
        severity: Severity,
        confidence: Confidence,
        message: str,
        effect: str,
        fix: str,
        place: Place,
        object: ObjectRef | None = None,
        related: Sequence[Place] = (),
        identity: str = "",
        fixes: Sequence[Fix] = (),
    ) -> None:
        self.rule_id = rule_id
        self.rule_name = rule_name
        self.severity = severity
        self.confidence = confidence
        self.message = intern(message)
        self.effect = intern(effect)
        self.fix = intern(fix)
        self.fixes = tuple(fixes)
        self.object = object
        self.place = place
        self.related = tuple(related)
        # The path with list elements named by groupName, name or the like instead of their number:
        # what a fingerprint that survives reordering is made of.
        self.identity = intern(identity)

    @property
    def sort_key(self) -> tuple[str, int, int, int, str, str]:
        """File, document, line, column, rule, message: the order of every report."""
        place = self.place
        return place.file, place.document, place.line, place.column, self.rule_id, self.message


class Suppressed:
    """A finding that somebody accepts. ``by`` is comment, annotation, exemption, baseline or diff-base,
    ``reason`` what they say, ``until`` the last day on which it counts (``2027-03-31`` or empty), ``where`` the
    place that says so."""

    __slots__ = ("by", "finding", "reason", "until", "where")

    def __init__(self, finding: Finding, by: str, reason: str = "", until: str = "", where: str = "") -> None:
        self.finding = finding
        self.by = by
        self.reason = reason
        self.until = until
        self.where = where


def path_text(path: Path) -> str:
    """Write a path as ``spec.workerGroupSpecs[0].env[2].value``; a key that is not a plain identifier is
    quoted: ``metadata.annotations["ray.io/ft-enabled"]``. The empty path is ``""``."""
    parts: list[str] = []
    for step in path:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif step.isascii() and step[:1] != "-" and step.replace("-", "_").isidentifier():
            parts.append(f".{step}" if parts else step)
        else:
            escaped = step.replace("\\", "\\\\").replace('"', '\\"')
            parts.append(f'["{escaped}"]')
    return "".join(parts)
