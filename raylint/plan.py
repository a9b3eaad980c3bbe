"""Which rules a document needs, and which parts of its objects they visit."""

from __future__ import annotations

from raylint.glance import DEVICES, POD, REFUSABLE, SETTINGS, SIZE, START
from raylint.manifest import RayObject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
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
_MOST_PLANS = 256
# When so many pieces are remembered all are forgotten. Nothing is remembered of texts of more characters.
_MOST_REMEMBERED, _MOST_CHARACTERS = 6144, 30_000
# Tokens take ten times the memory of their text; in longer ones the words are looked for as they are.
_MOST_SPLIT = 500_000
# Escapes, of YAML or JSON, that may stand for a character of a word.
_HIDING = (b"\\x", b"\\u", b"\\U", b"\\/")
# Nor do the documents of one run write many Ray releases.
_MOST_RELEASES = 64


class Plans:
    """Which rules a document needs, by the words that it mentions."""

    __slots__ = ("_by_words", "_comparing", "_rooms", "_words")

    def __init__(self, rules: Sequence[Rule]) -> None:
        by_view: dict[str, list[Rule]] = {}
        for rule in rules:
            by_view.setdefault(rule.visits, []).append(rule)
        # The rules of a module share their words.
        self._words = Words({rule.mentions for rule in rules})
        self._rooms = [Room(PARTS[view], by_view[view], self._words.masks) for view in PARTS if view in by_view]
        self._by_words: dict[int, Plan] = {}
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
    """Could a word be written in other characters than its own, behind an escape or a tag? Most escapes stand for
    signs that no word has, and most tags change nothing in a text."""
    if b"\\" in raw and (any(escape in raw for escape in _HIDING) or _is_joined(raw)):
        return True
    # A tag's own letters may be written as %62.
    return b"!" in raw and (b"binary" in raw or b"%" in raw)


def _is_joined(raw: bytes) -> bool:
    """Does a line end in a backslash with no blank before it? The next one goes on where it stops."""
    return b"\\\r" in raw or raw.count(b"\\\n") > raw.count(b" \\\n")


class Room:
    """The rules that visit one view. Documents differ in few of their words, so most of their plans have most of
    the visits in common."""

    __slots__ = ("_masks", "_parts", "_rules", "_visits", "_words")

    def __init__(self, parts: Parts, rules: Sequence[Rule], masks: Mapping[tuple[str, ...], int]) -> None:
        self._parts = parts
        self._rules = rules
        # By rule: its words; and those of all.
        self._masks = [masks[rule.mentions] if rule.mentions else 0 for rule in rules]
        self._words = 0
        for mask in self._masks:
            self._words |= mask
        self._visits: dict[int, Visit | None] = {}

    def visit(self, found: int) -> Visit | None:
        """The visit of those that need no word, and of those that have one of theirs; None if there are none."""
        called = found & self._words
        if called not in self._visits:
            if len(self._visits) >= _MOST_PLANS:
                self._visits.clear()
            pairs = zip(self._masks, self._rules, strict=True)
            wanted = [rule for mask, rule in pairs if not mask or called & mask]
            self._visits[called] = Visit(self._parts, wanted) if wanted else None
        return self._visits[called]


class Words:
    """Groups of words without blanks, to be looked for in texts: which groups have a word in it. An answer has a
    bit for each group.

    To look for a hundred words in a text takes as long as to judge it. So it is remembered what is found in which
    token: in what stands between characters that are in none of the words, whatever its digits. Of a manifest that
    was taken apart to be read, most lines are those of the one before: it is remembered what is found in a line,
    and in a shape, the tokens of a line."""

    __slots__ = ("_in_doubt", "_lines", "_shapes", "_signs", "_size", "_sought", "_tokens", "all", "masks")

    def __init__(self, groups: Iterable[tuple[str, ...]]) -> None:
        # By group: its bit; nothing for the group without words.
        self.masks: dict[tuple[str, ...], int] = {}
        words: dict[str, int] = {}
        for group in groups:
            if group:
                bit = self.masks[group] = 1 << len(self.masks)
                for word in group:
                    words[word] = words.get(word, 0) | bit
        # A token tells of a word with digits only that it may be there: a bit beyond those of the groups.
        doubt = 1 << len(self.masks)
        self.all = doubt - 1
        # To look for bytes in bytes takes ten times as long as for characters in characters.
        together = "\n".join(words).encode().decode("latin-1")
        self._signs = _signs(together)
        letters, tokens = together.split("\n"), _tokens(together, self._signs).split("\n")
        self._in_doubt: list[tuple[str, int]] = []
        by_token = dict(zip(tokens, words.values(), strict=False))
        for word, token in zip(letters, tokens, strict=True):
            if word != token:
                self._in_doubt.append((word, words[word.encode("latin-1").decode()]))
                by_token[token] = doubt
        self._sought = list(by_token.items())
        self._lines = _Noted()
        self._shapes: dict[str, int] = {}
        self._tokens: dict[str, int] = {}
        self._size = 0

    @property
    def remembered(self) -> int:
        """So many lines, shapes and tokens are remembered."""
        return len(self._lines) + len(self._shapes) + len(self._tokens)

    def within(self, raw: bytes, lines: Sequence[str] | None = None) -> int:
        """Those that stand in a text. ``lines``: those of the text, where they are known."""
        if self.remembered > _MOST_REMEMBERED or self._size > _MOST_CHARACTERS * 10:
            self._lines.clear()
            self._shapes.clear()
            self._tokens.clear()
            self._size = 0
        if lines is None or len(raw) > _MOST_CHARACTERS:
            return self._within_text(raw.decode("latin-1"))
        known = self._lines
        masks = set(map(known.__getitem__, lines))
        if known.new:
            self._learn(known.new)
            masks.update(map(known.__getitem__, known.new))
            known.new = []
        found = 0
        for mask in masks:
            found |= mask
        return found

    def _within_text(self, text: str) -> int:
        signs = _tokens(text, self._signs)
        if len(text) > _MOST_SPLIT:
            return self._sure(self._search(signs), text)
        tokens = set(signs.split())
        new = tokens.difference(self._tokens)
        if len(text) > _MOST_CHARACTERS:
            # The longer it is the more it repeats itself: what it says once is soon searched.
            found = self._search("\n".join(new))
            tokens -= new
        else:
            found = 0
            self._learn_tokens(new)
        for mask in set(map(self._tokens.__getitem__, tokens)):
            found |= mask
        return self._sure(found, text)

    def _search(self, signs: str) -> int:
        found = 0
        for letters, mask in self._sought:
            if letters in signs:
                found |= mask
        return found

    def _sure(self, found: int, text: str) -> int:
        """What is found in a text by its tokens, of which a word's digits are not known."""
        if found > self.all:
            found &= self.all
            for letters, mask in self._in_doubt:
                if letters in text:
                    found |= mask
        return found

    def _learn(self, lines: list[str]) -> None:
        # No line holds a line end.
        shapes = _tokens("\n".join(lines), self._signs).split("\n")
        known = self._shapes
        unknown = [shape for shape in shapes if shape not in known]
        if unknown:
            self._learn_shapes(unknown)
        for line, shape in zip(lines, shapes, strict=True):
            found = known[shape]
            self._lines[line] = self._sure(found, line) if found > self.all else found
            self._size += len(line)

    def _learn_shapes(self, shapes: list[str]) -> None:
        parted = [shape.split() for shape in shapes]
        self._learn_tokens({token for tokens in parted for token in tokens}.difference(self._tokens))
        known = self._tokens
        for shape, tokens in zip(shapes, parted, strict=True):
            found = 0
            for token in tokens:
                found |= known[token]
            self._shapes[shape] = found
            self._size += len(shape)

    def _learn_tokens(self, tokens: set[str]) -> None:
        known = self._tokens
        known.update(dict.fromkeys(tokens, 0))
        together = "\n".join([*tokens, ""])
        self._size += len(together)
        for letters, mask in [sought for sought in self._sought if sought[0] in together]:
            at = together.find(letters)
            while 0 <= at < len(together):
                end = together.find("\n", at)
                known[together[together.rfind("\n", 0, at) + 1 : end]] |= mask
                at = together.find(letters, end + 1)


class _Noted(dict[str, int]):
    """What is found, by text. ``new``: the texts that were asked for and are not known."""

    new: list[str]

    def __init__(self) -> None:
        super().__init__()
        self.new = []

    def __missing__(self, text: str) -> int:
        self.new.append(text)
        return 0


def _signs(letters: str) -> bytes:
    """A table for ``translate``: a blank for each character that is not among the letters, and for all digits one
    sign that is none of them."""
    digits = b"0123456789"
    other = bytes(range(256)).translate(None, f"{letters}\n".encode("latin-1") + digits)
    return bytes.maketrans(other + digits, b" " * len(other) + b"\0" * len(digits))


def _tokens(text: str, signs: bytes) -> str:
    """The text with a blank for whatever is between tokens."""
    return text.encode("latin-1").translate(signs).decode("latin-1")


class Plan:
    """The visits that objects of KubeRay's kinds get, and those that any other object gets. ``stored``: the rules
    that want an object as the operator reads it."""

    __slots__ = ("_comparing", "_gathering", "_of_others", "_of_ray", "stored")

    def __init__(self, visits: list[Visit]) -> None:
        self.stored = [rule for visit in visits for rule in visit.of_stored]
        self._of_ray = visits
        self._of_others = [visit for visit in visits if visit.parts in _OF_ALL]
        gatherers = [(visit.parts, rule) for visit in visits for rule in visit.gatherers]
        self._gathering = [pair for pair in gatherers if not pair[1].context]
        self._comparing = [pair for pair in gatherers if pair[1].context]

    def visits(self, found: KubeObject) -> list[Visit]:
        return self._of_ray if isinstance(found, RayObject) else self._of_others

    def gatherers(self, found: KubeObject) -> tuple[Gatherers, Gatherers]:
        """The rules over the whole run that visit the object, and those of them that compare it with others."""
        return _visiting(found, self._gathering), _visiting(found, self._comparing)


class Visit:
    """The rules that visit one view: those that judge an object as it is written, those that judge it as the
    operator reads it, ``all`` of these where that is the same, and those that gather facts."""

    __slots__ = ("all", "gatherers", "of_stored", "parts", "stored", "written")

    def __init__(self, parts: Parts, rules: Sequence[Rule]) -> None:
        self.parts = parts
        self.gatherers = [rule for rule in rules if rule.whole_run]
        self.of_stored = [rule for rule in rules if rule.stored]
        judging = [rule for rule in rules if not rule.whole_run] if self.gatherers else rules
        self.all = self.written = Checks(judging)
        self.stored = Checks(self.of_stored)
        if self.of_stored:
            self.written = Checks([rule for rule in judging if not rule.stored])


class Checks:
    """What the rules of a view ask of it, by the Ray release that it runs."""

    __slots__ = ("_by_release", "_of_any", "_rules", "any")

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.any = bool(rules)
        self._rules = rules
        # The same for all releases, where no rule holds for some of them alone.
        self._of_any: Runs | None = None
        self._by_release: dict[Version | None, Runs] = {}

    def of(self, view: View) -> Runs:
        """Those that hold for a view. A release that is unknown is outside every range."""
        if self._of_any is not None:
            return self._of_any
        # Most objects have nothing for most narrow views: nothing is sorted before somebody asks.
        if not self._by_release and not any(rule.ray.text for rule in self._rules):
            self._of_any = Runs(self._rules)
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


def _tuned_groups(found: RayObject) -> Sequence[View]:
    return _in_doubt(found, SETTINGS)


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
    "TunedGroup": _tuned_groups,
}
