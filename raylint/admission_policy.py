"""What the admission webhook does with findings: modes, exemptions, the ways out. One object that never changes.

A mode says what becomes of a finding: ``enforce`` refuses the object, ``warn`` tells the client, ``audit`` leaves
only a trace (audit annotation, log, metric), ``off`` forgets it. A rule's mode, or else that of its severity, is
where a finding begins; the namespace, the kind and the whole webhook can only lower it.
"""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from re import compile, escape

from raylint.finding import Severity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from re import Pattern

    from raylint.admission_review import Review

__all__ = ["AdmissionPolicy", "Mode", "RequestExemption", "matches"]

# The API server has judged the object by its own CRD before it asks. Where this family still objects, the release
# that raylint was told is not the one that is installed: no reason to refuse anybody's object.
_JUDGED_BEFORE = "API"


class Mode(IntEnum):
    """What becomes of a finding, from the mildest to the hardest."""

    OFF = 0
    AUDIT = 1
    WARN = 2
    ENFORCE = 3

    @property
    def label(self) -> str:
        return self.name.lower()


class Frozen:
    """An object whose slots are set once, by its constructor."""

    __slots__ = ()

    def _set(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} does not change")


class RequestExemption(Frozen):
    """Objects that are let through, wholly or by some rules.

    Each condition that is given must hold; it holds if one of its patterns does. ``rules`` None: no rule is run.
    ``expires`` is the last day (``2027-01-31``, UTC) on which it counts; empty: it has no end.
    """

    __slots__ = ("expires", "groups", "kinds", "names", "namespaces", "reason", "rules", "users")

    namespaces: tuple[str, ...]
    users: tuple[str, ...]
    groups: tuple[str, ...]
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    rules: frozenset[str] | None
    reason: str
    expires: str

    def __init__(
        self,
        reason: str,
        *,
        namespaces: tuple[str, ...] = (),
        users: tuple[str, ...] = (),
        groups: tuple[str, ...] = (),
        names: tuple[str, ...] = (),
        kinds: tuple[str, ...] = (),
        rules: frozenset[str] | None = None,
        expires: str = "",
    ) -> None:
        self._set(namespaces=namespaces, users=users, groups=groups, names=names, kinds=kinds)
        self._set(rules=rules, reason=reason, expires=expires)

    def covers(self, review: Review, today: str) -> bool:
        return (
            not (self.expires and today > self.expires)
            and _any(self.namespaces, review.namespace)
            and _any(self.users, review.username)
            and (not self.groups or any(_any(self.groups, group) for group in review.groups))
            and _any(self.names, review.name)
            and _any(self.kinds, review.kind)
        )

    @property
    def type(self) -> str:
        """The narrowest of its conditions, as metrics name it."""
        conditions = ("names", "users", "groups", "namespaces", "kinds")
        return next((name[:-1] for name in conditions if getattr(self, name)), "rule")


class AdmissionPolicy(Frozen):
    """Everything that a team decides about the webhook, and nothing about the server that it runs in.

    ``mode`` is the hardest mode of all. ``rules`` are modes by rule id. ``namespaces`` are the hardest modes by
    pattern, of which the longest that fits counts. ``operators`` are the accounts of the KubeRay operators, by
    their full names. ``on_existing`` is the mode of what an update finds and does not bring, for people and for
    service accounts. ``locked`` are the rules that no annotation can ignore.
    """

    __slots__ = (
        "annotation_groups",
        "annotation_namespaces",
        "annotations",
        "break_glass_groups",
        "break_glass_users",
        "exemptions",
        "kinds",
        "locked",
        "mode",
        "namespaces",
        "on_existing",
        "on_rule_error",
        "operators",
        "rules",
        "severities",
        "unverified_children",
    )

    mode: Mode
    severities: Mapping[Severity, Mode]
    rules: Mapping[str, Mode]
    namespaces: Mapping[str, Mode]
    kinds: Mapping[str, Mode]
    operators: frozenset[str]
    unverified_children: Mode
    on_existing: tuple[Mode, Mode]
    on_rule_error: str
    exemptions: tuple[RequestExemption, ...]
    annotations: bool
    annotation_namespaces: tuple[str, ...]
    annotation_groups: tuple[str, ...]
    locked: frozenset[str]
    break_glass_groups: frozenset[str]
    break_glass_users: frozenset[str]

    def __init__(
        self,
        *,
        mode: Mode = Mode.ENFORCE,
        severities: Mapping[Severity, Mode] | None = None,
        rules: Mapping[str, Mode] | None = None,
        namespaces: Mapping[str, Mode] | None = None,
        kinds: Mapping[str, Mode] | None = None,
        operators: frozenset[str] = frozenset(),
        unverified_children: Mode = Mode.WARN,
        on_existing: tuple[Mode, Mode] = (Mode.WARN, Mode.AUDIT),
        on_rule_error: str = "warn",
        exemptions: tuple[RequestExemption, ...] = (),
        annotations: bool = True,
        annotation_namespaces: tuple[str, ...] = (),
        annotation_groups: tuple[str, ...] = (),
        locked: frozenset[str] = frozenset(),
        break_glass_groups: frozenset[str] = frozenset(),
        break_glass_users: frozenset[str] = frozenset(),
    ) -> None:
        self._set(mode=mode, severities={**SEVERITY_MODES, **(severities or {})}, rules=dict(rules or {}))
        self._set(namespaces=dict(namespaces or {}), kinds=dict(kinds or {}), operators=operators)
        self._set(unverified_children=unverified_children, on_existing=on_existing, on_rule_error=on_rule_error)
        self._set(exemptions=exemptions, annotations=annotations, annotation_namespaces=annotation_namespaces)
        self._set(annotation_groups=annotation_groups, locked=locked)
        self._set(break_glass_groups=break_glass_groups, break_glass_users=break_glass_users)

    def own_mode(self, rule_id: str, severity: Severity) -> Mode:
        """Where a finding begins, before anything lowers it."""
        own = self.rules.get(rule_id)
        if own is not None:
            return own
        mode = self.severities[severity]
        return min(mode, Mode.WARN) if rule_id.startswith(_JUDGED_BEFORE) else mode

    def ceiling(self, review: Review) -> Mode:
        """The hardest mode that a finding on this request can have."""
        fitting = [pattern for pattern in self.namespaces if matches(pattern, review.namespace)]
        of_namespace = self.namespaces[max(fitting, key=_weight)] if fitting else Mode.ENFORCE
        return min(self.mode, of_namespace, self.kinds.get(review.kind, Mode.ENFORCE))

    def exemption(self, review: Review, today: str) -> RequestExemption | None:
        """The first exemption by which no rule is run on this request."""
        covering = (item for item in self.exemptions if item.rules is None and item.covers(review, today))
        return next(covering, None)

    def takes_annotations(self, review: Review) -> bool:
        """May this object's annotations ignore rules?"""
        return (
            self.annotations
            and _any(self.annotation_namespaces, review.namespace)
            and (not self.annotation_groups or any(_any(self.annotation_groups, name) for name in review.groups))
        )

    def may_break_glass(self, review: Review) -> bool:
        return review.username in self.break_glass_users or not self.break_glass_groups.isdisjoint(review.groups)


SEVERITY_MODES = {Severity.ERROR: Mode.ENFORCE, Severity.WARNING: Mode.WARN, Severity.INFO: Mode.AUDIT}


def _weight(pattern: str) -> tuple[bool, int]:
    """An exact name before a pattern, a longer pattern before a shorter one."""
    return "*" not in pattern, len(pattern)


def _any(patterns: tuple[str, ...], text: str) -> bool:
    return not patterns or any(matches(pattern, text) for pattern in patterns)


def matches(pattern: str, text: str) -> bool:
    """``*`` stands for any characters; all else is itself."""
    return pattern == text or ("*" in pattern and _compiled(pattern).fullmatch(text) is not None)


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Pattern[str]:
    return compile(".*".join(escape(part) for part in pattern.split("*")))
