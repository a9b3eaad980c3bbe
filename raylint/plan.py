"""Which rules a document needs, and which parts of its objects they visit."""

from __future__ import annotations

from raylint.glance import DEVICES, POD, REFUSABLE, SIZE, START
from raylint.manifest import RayObject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, TypeAlias

    from raylint.field import View
    from raylint.group import Group
    from raylint.manifest import KubeObject
    from raylint.rule import Problem, Rule
    from raylint.target import Version

    # The parts of an object that are of one view; but for KubeObject, of an object of KubeRay's kinds.
    Parts: TypeAlias = Callable[[Any], Sequence[View]]
    Check: TypeAlias = Callable[[Any], Iterable[Problem]]
    # Rules over the whole run, each with the parts of an object that it gathers from.
    Gatherers: TypeAlias = Sequence[tuple[Parts, Rule]]

__all__ = ["PARTS", "Batch", "Checks", "Plan", "Plans", "Visit", "gatherers", "in_force"]

# Documents of one run are much alike; many plans at once would mean that somebody plays with words.
_MOST_PLANS = 64
# So many pieces are remembered, and only of documents of so many characters.
_MOST_PIECES, _MOST_CHARACTERS = 2048, 30_000
# Pieces take ten times the memory of their text; in longer ones the words are looked for as they are.
_MOST_SPLIT = 500_000
_SAME_DIGITS = bytes.maketrans(b"123456789", b"000000000")
# Nor do the documents of one run write many Ray releases.
_MOST_RELEASES = 64


class Plans:
    """Which rules a document needs, by the words that it mentions."""

    __slots__ = ("_by_words", "_comparing", "_rooms", "_words")

    def __init__(self, rules: Sequence[Rule]) -> None:
        by_view: dict[str, list[Rule]] = {}
        for rule in rules:
            by_view.setdefault(rule.visits, []).append(rule)
        self._rooms = [Room(PARTS[view], by_view[view]) for view in PARTS if view in by_view]
        # The rules of a module share their words.
        self._words = Words(set().union(*{rule.mentions for rule in rules}))
        self._by_words: dict[frozenset[str], Plan] = {}
        self._comparing = [rule for rule in rules if rule.context and rule.whole_run]

    def of(self, raw: bytes | None, lines: Sequence[str] | None = None) -> Plan:
        """The plan for a text, or for all there could be. ``lines``: those of the text, where they are known."""
        found = self._words.all if raw is None or _may_hide(raw) else self._words.within(raw, lines)
        plan = self._by_words.get(found)
        if plan is None:
            if len(self._by_words) >= _MOST_PLANS:
                self._by_words.clear()
            visits = [room.visit(found) for room in self._rooms]
            plan = self._by_words[found] = Plan([visit for visit in visits if visit is not None])
        return plan

    def comparing(self, raw: bytes) -> list[Rule]:
        """The rules that compare objects of a text with others. They are few: their words are looked for as they
        are, for files that are read for them alone."""
        hidden = _may_hide(raw)
        return [
            rule
            for rule in self._comparing
            if hidden or not rule.mentions or any(word.encode() in raw for word in rule.mentions)
        ]


def _may_hide(raw: bytes) -> bool:
    """Behind an escape or a tag a word may be written in other characters than its own."""
    return b"\\" in raw or b"!" in raw


class Room:
    """The rules that visit one view. Documents differ in few of their words, so most of their plans have most of
    the visits in common."""

    __slots__ = ("_mentions", "_parts", "_rules", "_visits")

    def __init__(self, parts: Parts, rules: Sequence[Rule]) -> None:
        self._parts = parts
        self._rules = rules
        self._mentions = {rule.mentions for rule in rules}
        self._visits: dict[frozenset[tuple[str, ...]], Visit | None] = {}

    def visit(self, words: frozenset[str]) -> Visit | None:
        """The visit of those that need no word, and of those that have one of theirs; None if there are none."""
        called = frozenset([mentions for mentions in self._mentions if not words.isdisjoint(mentions)])
        if called not in self._visits:
            if len(self._visits) >= _MOST_PLANS:
                self._visits.clear()
            wanted = [rule for rule in self._rules if not rule.mentions or rule.mentions in called]
            self._visits[called] = Visit(self._parts, wanted) if wanted else None
        return self._visits[called]


class Words:
    """Words without blanks, to be looked for in texts. Most lines of a manifest, and most of what stands between
    its blanks, are those of the one before, so it is remembered which of the words is in which of these pieces: to
    look for a hundred words in a text takes as long as to judge it. Most of the other pieces differ from a known
    one in a number alone: of each shape, whatever its digits, it is remembered which words could be in it."""

    __slots__ = ("_blank", "_shapes", "_size", "_telling", "_words", "all")

    def __init__(self, words: Iterable[str]) -> None:
        self.all = frozenset(words)
        # To look for bytes in bytes takes ten times as long as for characters in characters.
        letters = [word.encode().decode("latin-1") for word in sorted(self.all)]
        self._words = list(zip(sorted(self.all), letters, _shapes(letters), strict=True))
        # Pieces in which there is none of the words, and the others with theirs.
        self._blank: set[str] = set()
        self._telling: dict[str, tuple[str, ...]] = {}
        # The words, each with its letters, whose shape is in a shape.
        self._shapes: dict[str, tuple[tuple[str, str], ...]] = {}
        self._size = 0

    @property
    def remembered(self) -> int:
        """So many pieces and shapes are remembered."""
        return len(self._blank) + len(self._telling) + len(self._shapes)

    def within(self, raw: bytes, lines: Sequence[str] | None = None) -> frozenset[str]:
        """Those that stand in a text. ``lines``: those of the text, where they are known."""
        if len(raw) > _MOST_CHARACTERS:
            text = raw.decode("latin-1")
            if len(text) <= _MOST_SPLIT:
                # The longer it is the more it repeats itself: what it says once is soon searched.
                text = " ".join(set(text.split()))
            return frozenset([word for word, letters, _ in self._words if letters in text])
        pieces = set(raw.decode("latin-1").split() if lines is None else lines)
        telling = self._telling
        new = (pieces - self._blank).difference(telling)
        if new:
            if self.remembered + 2 * len(new) > _MOST_PIECES or self._size > _MOST_CHARACTERS * 10:
                self._forget()
                new = pieces
            self._learn(list(new))
        return frozenset().union(*map(telling.__getitem__, pieces & telling.keys()))

    def _forget(self) -> None:
        self._blank.clear()
        self._telling.clear()
        self._shapes.clear()
        self._size = 0

    def _learn(self, pieces: list[str]) -> None:
        known = self._shapes
        shapes = _shapes(pieces)
        unknown = [shape for shape in shapes if shape not in known]
        if unknown:
            self._learn_shapes(list(dict.fromkeys(unknown)))
        for piece, shape in zip(pieces, shapes, strict=True):
            self._size += len(piece)
            candidates = known[shape]
            words = tuple([word for word, letters in candidates if letters in piece]) if candidates else ()
            if words:
                self._telling[piece] = words
            else:
                self._blank.add(piece)

    def _learn_shapes(self, shapes: list[str]) -> None:
        known = self._shapes
        known.update(dict.fromkeys(shapes, ()))
        together = "\n".join(shapes)
        self._size += len(together)
        for word, letters, sought in [found for found in self._words if found[2] in together]:
            index = last = 0
            at = together.find(sought)
            while at >= 0:
                # No word and no piece holds a line end.
                index += together.count("\n", last, at)
                known[shapes[index]] += ((word, letters),)
                last = at
                end = together.find("\n", at)
                at = together.find(sought, end) if end >= 0 else -1


def _shapes(texts: Sequence[str]) -> list[str]:
    """The texts, none of which holds a line end, with every digit the same."""
    same = "\n".join(texts).encode("latin-1").translate(_SAME_DIGITS)
    return same.decode("latin-1").split("\n") if texts else []


class Plan:
    """The visits that objects of KubeRay's kinds get, and those that any other object gets. ``stored``: the rules
    that want an object as the operator reads it."""

    __slots__ = ("_gatherers", "_of_others", "_of_ray", "stored")

    def __init__(self, visits: list[Visit]) -> None:
        self.stored = [rule for visit in visits for rule in visit.of_stored]
        self._of_ray = visits
        self._of_others = [visit for visit in visits if visit.parts in _OF_ALL]
        self._gatherers = [(visit.parts, rule) for visit in visits for rule in visit.gatherers]

    def visits(self, found: KubeObject) -> list[Visit]:
        return self._of_ray if isinstance(found, RayObject) else self._of_others

    def gatherers(self, found: KubeObject) -> Gatherers:
        """The rules over the whole run that visit the object."""
        return _visiting(found, self._gatherers)


class Visit:
    """The rules that visit one view: those that judge an object as it is written, those that judge it as the
    operator reads it, ``all`` of these where that is the same, and those that gather facts."""

    __slots__ = ("_rules", "all", "gatherers", "of_stored", "parts", "stored", "written")

    all: Checks
    stored: Checks
    written: Checks

    def __init__(self, parts: Parts, rules: Sequence[Rule]) -> None:
        self.parts = parts
        self.gatherers = [rule for rule in rules if rule.whole_run]
        self._rules = [rule for rule in rules if not rule.whole_run] if self.gatherers else rules
        self.of_stored = [rule for rule in rules if rule.stored]

    def __getattr__(self, name: str) -> Checks:
        """Called for checks that nobody has asked for yet: most objects have nothing for most narrow views."""
        if name == "all":
            found = self.all = Checks(self._rules)
        elif name == "stored":
            found = self.stored = Checks(self.of_stored)
        elif name == "written":
            found = self.written = Checks([rule for rule in self._rules if not rule.stored])
        else:
            raise AttributeError(name)
        return found


class Checks:
    """What the rules of a view ask of it, by the Ray release that it runs."""

    __slots__ = ("_by_release", "_of_any", "_rules", "any")

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.any = bool(rules)
        self._rules = rules
        # The same for all releases, where no rule holds for some of them alone.
        self._of_any = None if any(rule.ray.text for rule in rules) else Runs(rules)
        self._by_release: dict[Version | None, Runs] = {}

    def of(self, view: View) -> Runs:
        """Those that hold for a view. A release that is unknown is outside every range."""
        if self._of_any is not None:
            return self._of_any
        release: Version | None = getattr(view, "ray_version", None)
        runs = self._by_release.get(release)
        if runs is None:
            if len(self._by_release) >= _MOST_RELEASES:
                self._by_release.clear()
            runs = self._by_release[release] = Runs([rule for rule in self._rules if in_force(rule, release)])
        return runs


class Runs:
    """Rules that always run, and those that run where a field is written."""

    __slots__ = ("always", "by_field")

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.always = Batch([rule for rule in rules if not rule.where])
        self.by_field: dict[str, Batch] = {}
        for rule in rules:
            if rule.where:
                self.by_field.setdefault(rule.where, Batch([])).rules.append(rule)


class Batch:
    """Rules that run together. Their checks are asked for when something is to be checked: a rule may have its
    module imported for it."""

    __slots__ = ("_checks", "rules")

    def __init__(self, rules: list[Rule]) -> None:
        self.rules = rules
        self._checks: list[tuple[Rule, Check]] | None = None

    @property
    def checks(self) -> list[tuple[Rule, Check]]:
        if self._checks is None:
            self._checks = [(rule, _check_of(rule)) for rule in self.rules]
        return self._checks


def in_force(rule: Rule, release: Version | None) -> bool:
    """Does the rule hold for a Ray release? An unknown one is outside every range."""
    return not rule.ray.text or (release is not None and release in rule.ray)


def gatherers(found: KubeObject, rules: Sequence[Rule]) -> Gatherers:
    """Those of some rules over the whole run that visit the object."""
    return _visiting(found, [(PARTS[rule.visits], rule) for rule in rules])


def _visiting(found: KubeObject, pairs: Gatherers) -> Gatherers:
    return pairs if isinstance(found, RayObject) else [pair for pair in pairs if pair[0] in _OF_ALL]


def _check_of(rule: Rule) -> Check:
    try:
        return rule.check
    except Exception:
        # Its module fails. So does the rule, at every visit, and is told of.
        return lambda view: rule.check(view)


def _itself(found: KubeObject) -> Sequence[View]:
    return (found,)


def _if_odd_kind(found: KubeObject) -> Sequence[View]:
    return (found,) if found.has_odd_kind else ()


def _if_ray(found: RayObject) -> Sequence[View]:
    return (found,)


def _labels(found: RayObject) -> Sequence[View]:
    return (found.labels,)


def _if_oddly_named(found: RayObject) -> Sequence[View]:
    return (found,) if found.is_oddly_named else ()


def _if_it(attribute: str) -> Parts:
    """The object of KubeRay's kinds of which the attribute is true."""

    def parts(found: RayObject) -> Sequence[View]:
        try:
            return (found,) if getattr(found, attribute, False) else ()
        except Exception:
            # Each rule that asks fails itself, and is told of.
            return (found,)

    return parts


def _job(found: RayObject) -> Sequence[View]:
    return () if found.job is None else (found.job,)


def _if_odd_job(found: RayObject) -> Sequence[View]:
    return () if found.job is None or not found.job.is_odd else (found.job,)


def _if_kind(name: str) -> Parts:
    return lambda found: (found,) if type(found).__name__ == name else ()


def _cluster(found: RayObject) -> Sequence[View]:
    return () if found.cluster is None else (found.cluster,)


def _if_its_cluster(attribute: str) -> Parts:
    """The cluster of which the attribute is true."""

    def parts(found: RayObject) -> Sequence[View]:
        cluster = found.cluster
        return (cluster,) if cluster is not None and getattr(cluster, attribute) else ()

    return parts


def _head(found: RayObject) -> Sequence[View]:
    return () if found.cluster is None else (found.cluster.head,)


def _worker_groups(found: RayObject) -> Sequence[View]:
    return () if found.cluster is None else found.cluster.worker_groups


def _groups(found: RayObject) -> Sequence[Group]:
    return () if found.cluster is None else found.cluster.groups


def _refusable_head(found: RayObject) -> Sequence[View]:
    return () if found.cluster is None or not found.cluster.head.doubts & REFUSABLE else (found.cluster.head,)


def _refusable_workers(found: RayObject) -> Sequence[View]:
    cluster = found.cluster
    if cluster is None or not cluster.doubts & REFUSABLE:
        return ()
    return [group for group in cluster.worker_groups if group.doubts & REFUSABLE]


def _in_doubt(found: RayObject, doubt: int) -> Sequence[Group]:
    """The groups in which it is in doubt."""
    cluster = found.cluster
    if cluster is None or not cluster.doubts & doubt:
        return ()
    return [group for group in cluster.groups if group.doubts & doubt]


def _oddly_sized(found: RayObject) -> Sequence[View]:
    return _in_doubt(found, SIZE)


def _device_groups(found: RayObject) -> Sequence[View]:
    return _in_doubt(found, DEVICES)


def _odd_starts(found: RayObject) -> Sequence[View]:
    return _in_doubt(found, START)


def _faulty_starts(found: RayObject) -> Sequence[View]:
    return [group for group in _in_doubt(found, START) if _is_faulty_start(group)]


def _is_faulty_start(group: Group) -> bool:
    try:
        return bool(group.start_faults)
    except Exception:
        return True


def _faulty_pods(found: RayObject) -> Sequence[View]:
    return [group for group in _in_doubt(found, POD) if _is_faulty_pod(group)]


def _is_faulty_pod(group: Group) -> bool:
    try:
        return bool(group.pod_faults)
    except Exception:
        return True


# The parts that objects of all kinds have.
_OF_ALL = (_itself, _if_odd_kind)
# By the name of the view, in the order in which an object is judged.
PARTS: dict[str, Parts] = {
    "KubeObject": _itself,
    "OddKind": _if_odd_kind,
    "RayObject": _if_ray,
    "OddlyNamed": _if_oddly_named,
    "Prefixed": _if_it("has_prefixed_keys"),
    "Labels": _labels,
    "FaultyObject": _if_it("schema_faults"),
    "OddEnvironments": _if_it("has_odd_environments"),
    "OddText": _if_it("has_odd_text"),
    "RayJob": _job,
    "OddJob": _if_odd_job,
    "RayClusterObject": _if_kind("RayClusterObject"),
    "RayService": _if_kind("RayService"),
    "OddlyServed": _if_it("is_served_oddly"),
    "CrowdedService": _if_it("may_be_crowded"),
    "RayCronJob": _if_kind("RayCronJob"),
    "RayCluster": _cluster,
    "StallingCluster": _if_its_cluster("may_stall"),
    "OddImages": _if_its_cluster("has_odd_images"),
    "OddlyScaled": _if_its_cluster("is_scaled_oddly"),
    "HeadGroup": _head,
    "RefusableHead": _refusable_head,
    "WorkerGroup": _worker_groups,
    "RefusableWorkers": _refusable_workers,
    "OddStart": _odd_starts,
    "FaultyStart": _faulty_starts,
    "FaultyPod": _faulty_pods,
    "Group": _groups,
    "OddlySized": _oddly_sized,
    "DeviceGroup": _device_groups,
}
