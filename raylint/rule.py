"""Rules: a function that looks at one part of a manifest and yields problems.

The decorator holds what a machine filters on, the docstring is the rule's page, the fenced ``bad`` and ``good``
examples in it are the rule's tests, and the annotation of the first parameter says what the rule visits.
"""

from __future__ import annotations

from raylint.finding import Confidence, Severity
from raylint.target import VersionRange

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any, TypeAlias

    from raylint.document import Document
    from raylint.finding import Path, Place, Span

    Problems: TypeAlias = Iterator["Problem"]
    # May a Ray object matter beside what others have told?
    Test: TypeAlias = Callable[[Any], bool]
    Sought: TypeAlias = Callable[[Sequence["Fact"]], Test]

__all__ = [
    "Confidence",
    "Edit",
    "Fact",
    "Location",
    "Problem",
    "Repair",
    "Rule",
    "Severity",
    "pack",
    "rule",
    "safe",
    "unsafe",
]


class Location:
    """A path inside a document, not yet resolved to a position. ``on_key``: the key, not the value, is meant.

    ``inner`` is not empty where the value at ``path`` is a text that holds a document of its own, and leads on
    inside it (:class:`raylint.embedded_document.EmbeddedLocation`); ``inner_data`` is that document's data.
    """

    __slots__ = ("document", "on_key", "path")

    inner: Path = ()
    inner_data: object = None

    def __init__(self, document: Document, path: Path, *, on_key: bool = False) -> None:
        self.document = document
        self.path = path
        self.on_key = on_key

    def key(self) -> Location:
        """The same place, pointing at its key."""
        return Location(self.document, self.path, on_key=True)

    def locate(self) -> Span | None:
        """Where it is written; None where there is no text."""
        return self.document.locate(self.path, key=self.on_key)

    def delete(self) -> Edit:
        """Take the key with its value, or the item, out of its mapping or list."""
        return Edit(self, "delete")

    def set(self, value: object, *, after: str = "") -> Edit:
        """Write this value. Where nothing is written, the key is made, and whatever mappings lead to it: behind
        the key ``after`` if that is written beside it, else at the end."""
        return Edit(self, "set", value, after)

    def rename(self, key: str) -> Edit:
        """Give the value another key."""
        return Edit(self, "rename", key)

    def quote(self) -> Edit:
        """Make a text of the scalar: its characters as they are written."""
        return Edit(self, "quote")

    def move_to_front(self) -> Edit:
        """Make the item, with the comments that belong to it, the first of its list."""
        return Edit(self, "first")


class Edit:
    """One change of a manifest, not yet resolved to characters; :class:`Location` makes it."""

    __slots__ = ("action", "after", "at", "value")

    def __init__(self, at: Location, action: str, value: object = None, after: str = "") -> None:
        self.at = at
        self.action = action
        self.value = value
        self.after = after


class Repair:
    """Edits that together mend a problem. ``is_safe``: the object means the same afterwards, or what the operator
    makes of it anyway."""

    __slots__ = ("edits", "is_safe")

    def __init__(self, edits: Sequence[Edit], is_safe: bool) -> None:
        self.edits = tuple(edits)
        self.is_safe = is_safe


def safe(*edits: Edit) -> Repair:
    """A repair that ``--fix`` makes: nothing but the mistake changes."""
    return Repair(edits, True)


def unsafe(*edits: Edit) -> Repair:
    """A repair that only ``--unsafe-fixes`` makes: the cluster behaves otherwise afterwards."""
    return Repair(edits, False)


class Problem:
    """What a check yields; the engine adds the rule, the severity and the position.

    ``message`` says in one line what is wrong and what happens, ``label`` what is to be seen at the place,
    ``effect`` what people on call will see, ``fix`` what to write instead. ``because`` lists further places
    with a word on each. ``severity`` and ``confidence`` override the rule's own where a case is worse or milder.
    ``repair`` is what ``--fix`` does; a rule that offers one says so in its ``fixes``.
    """

    __slots__ = ("at", "because", "confidence", "effect", "fix", "label", "message", "repair", "severity")

    def __init__(
        self,
        at: Location | Place,
        message: str,
        *,
        effect: str,
        fix: str,
        label: str = "",
        because: Sequence[tuple[Location | Place, str]] = (),
        severity: Severity | None = None,
        confidence: Confidence | None = None,
        repair: Repair | None = None,
    ) -> None:
        self.at = at
        self.message = message
        self.effect = effect
        self.fix = fix
        self.label = label
        self.because = tuple(because)
        self.severity = severity
        self.confidence = confidence
        self.repair = repair


class Fact:
    """What a gathering function keeps of one object for a rule over the whole run: ``key`` groups facts that
    belong together, ``at`` is where it is written, ``owner`` names the object for people."""

    __slots__ = ("at", "key", "owner")

    def __init__(self, key: tuple[str, ...], at: Location | Place, owner: str) -> None:
        self.key = key
        self.at = at
        self.owner = owner


class Rule:
    """One rule. ``visits`` is the name of the view that the check takes; ``kuberay`` and ``ray`` are the releases
    it holds for; ``context`` names the kinds of other objects that it wants to be read, ``Kind/word`` only those
    whose document holds the word. What a Ray object tells a rule with context may matter only where one of those
    objects lies in the same folder: elsewhere it is not asked.

    ``where`` is the field of the view (of an object: of its spec) without which there is nothing to check, so that
    a rule costs nothing where nobody writes the field. ``stored``: the check wants the object as the operator
    reads it from the API server (:meth:`raylint.manifest.RayObject.as_operator_reads_it`), not as it is written.
    ``compose`` makes the page where the docstring is not yet the page itself. ``mentions``: words of which one
    must be written in a document if the rule is to find anything in it; none: it may always. ``whole_run``: the
    check judges at the end of a run what ``gathers`` found in all files. ``sought``: of the facts of the objects
    that ``context`` names, it makes a test whether a Ray object in their folder may matter to them; those that do
    not may be passed over. ``reports``: the numbers (``FR-070``) of the field reports that the rule answers.
    ``fixes``: what its problems' repairs may be, ``safe``, ``unsafe``, ``safe or unsafe``, or nothing.
    """

    __slots__ = (
        "check",
        "compose",
        "confidence",
        "context",
        "fixes",
        "gathers",
        "id",
        "kuberay",
        "mentions",
        "name",
        "preview",
        "ray",
        "reports",
        "severity",
        "sought",
        "stored",
        "visits",
        "where",
        "whole_run",
    )

    def __init__(
        self,
        id: str,
        name: str,
        severity: Severity,
        confidence: Confidence,
        check: Callable[..., Iterable[Problem]],
        *,
        kuberay: str = "",
        ray: str = "",
        gathers: Callable[..., Iterable[Fact]] | None = None,
        context: tuple[str, ...] = (),
        sought: Sought | None = None,
        preview: bool = False,
        where: str = "",
        stored: bool = False,
        compose: Callable[[Rule], str] | None = None,
        reports: tuple[str, ...] = (),
        fixes: str = "",
    ) -> None:
        self.id = id
        self.name = name
        self.severity = severity
        self.confidence = confidence
        self.check = check
        self.kuberay = VersionRange(kuberay)
        self.ray = VersionRange(ray)
        self.gathers = gathers
        self.sought = sought
        self.whole_run = gathers is not None
        self.mentions: tuple[str, ...] = ()
        self.context = context
        self.preview = preview
        self.where = where
        self.stored = stored
        self.compose = compose
        self.reports = reports
        self.fixes = fixes
        self.visits = _visited(gathers or check)

    @property
    def doc(self) -> str:
        """The rule's page: its docstring, or what ``compose`` makes of it."""
        return self.compose(self) if self.compose is not None else self.check.__doc__ or ""

    @property
    def module(self) -> str:
        return self.check.__module__

    def __repr__(self) -> str:
        return f"Rule({self.id} {self.name})"


def _visited(function: Callable[..., Any]) -> str:
    """The view that a function takes: the annotation of its first parameter, as text."""
    parameters = function.__code__.co_varnames[: function.__code__.co_argcount]
    annotation = function.__annotations__.get(parameters[0]) if parameters else None
    if annotation is None:
        raise TypeError(f"{function.__qualname__}: the first parameter must be annotated with a view")
    return annotation if isinstance(annotation, str) else str(annotation.__name__)


def rule(
    id: str,
    severity: Severity,
    *,
    confidence: Confidence = Confidence.HIGH,
    kuberay: str = "",
    ray: str = "",
    gathers: Callable[..., Iterable[Fact]] | None = None,
    context: tuple[str, ...] = (),
    sought: Sought | None = None,
    preview: bool = False,
    where: str = "",
    reports: tuple[str, ...] = (),
    fixes: str = "",
) -> Callable[[Callable[..., Iterable[Problem]]], Rule]:
    """Turn a check into a rule; :class:`Rule` tells of ``where`` and ``reports``.

    ``kuberay`` and ``ray`` are version ranges as in :class:`raylint.target.VersionRange`. A check with a range
    of Ray releases runs only where the Ray version is known. With ``gathers`` the check runs once, at the end
    of the run, over the list of facts that the gathering function yielded for every object.
    """

    def decorate(check: Callable[..., Iterable[Problem]]) -> Rule:
        name = check.__name__.replace("_", "-")
        return Rule(
            id,
            name,
            severity,
            confidence,
            check,
            kuberay=kuberay,
            ray=ray,
            gathers=gathers,
            context=context,
            sought=sought,
            preview=preview,
            where=where,
            reports=reports,
            fixes=fixes,
        )

    return decorate


def pack(*modules: Any) -> tuple[Rule, ...]:
    """The rules that the modules define, in the order of their ids. Two rules with one id: ValueError."""
    found: dict[str, Rule] = {}
    for module in modules:
        for value in vars(module).values():
            if isinstance(value, Rule) and found.setdefault(value.id, value) is not value:
                raise ValueError(f"two rules are called {value.id}: {found[value.id].name} and {value.name}")
    return tuple(found[id] for id in sorted(found))
