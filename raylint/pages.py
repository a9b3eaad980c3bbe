"""A rule's page: read from its docstring, shown by ``raylint explain``, and held true by the tests.

A page is a summary line, then Markdown sections, then examples: fenced ``yaml bad`` and ``yaml good`` blocks.
``# <-`` ends the lines where a bad example's findings land. ``near-miss`` after ``good`` marks an example that a
careless rule would flag; ``kuberay=1.2``, ``ray=2.9``, ``kubernetes=1.28`` and ``gates=RayClusterMTLS=true`` set
the target of an example. ``update`` marks one of two documents, the object before and after a change.
"""

from __future__ import annotations

import re

from raylint.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from raylint.rule import Rule

__all__ = ["MARK", "Example", "Page", "called", "find", "page", "text_of"]

MARK = "# <-"

_FENCE = pattern(r"^```yaml (bad|good)\b([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# A page must share this part of what is searched for, rare words counting more than common ones (one that shares
# "version" and "pod" with a message explains nothing), and of one or two words all.
_LEAST_SHARE = 0.5
_WORD = pattern(r"[A-Za-z0-9_]{2,}")


class Example:
    """One manifest on a page. ``options`` holds the words after ``bad`` or ``good``."""

    __slots__ = ("bad", "options", "text")

    def __init__(self, bad: bool, options: str, text: str) -> None:
        self.bad = bad
        self.options = options.split()
        self.text = text

    @property
    def near_miss(self) -> bool:
        return "near-miss" in self.options

    @property
    def update(self) -> bool:
        """Does it hold an object before a change and, as its second document, the same one after it?"""
        return "update" in self.options

    def option(self, name: str) -> str | None:
        """The value of ``name=value`` among the options."""
        for word in self.options:
            key, _, value = word.partition("=")
            if key == name:
                return value
        return None

    @property
    def gates(self) -> dict[str, bool]:
        """The operator's feature gates of the example, from ``gates=Name=true,Other=false``."""
        words = (self.option("gates") or "").split(",")
        return {name: value == "true" for name, _, value in (word.partition("=") for word in words) if name}

    @property
    def marked_lines(self) -> list[int]:
        """The 1-based lines on which findings must land."""
        return [number for number, line in enumerate(self.text.split("\n"), 1) if line.rstrip().endswith(MARK)]


class Page:
    """The page of a rule, taken apart."""

    __slots__ = ("examples", "sections", "summary", "text")

    def __init__(self, doc: str) -> None:
        lines = doc.strip().split("\n")
        indent = min((len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()), default=0)
        self.text = "\n".join([lines[0], *(line[indent:] for line in lines[1:])])
        self.summary = self.text.split("\n\n")[0].replace("\n", " ")
        self.sections = re.findall(r"^## (.+)$", self.text, re.MULTILINE)
        self.examples = [
            Example(kind == "bad", options, text) for kind, options, text in _FENCE.findall(self.text)
        ]


def page(rule: Rule, *, color: bool = False) -> str:
    """The page as text for a terminal."""
    bold, dim, plain = ("\x1b[1m", "\x1b[2m", "\x1b[0m") if color else ("", "", "")
    facts = [
        f"severity {rule.severity.label}",
        f"confidence {rule.confidence.label}",
        f"KubeRay {rule.kuberay}",
        f"Ray {rule.ray}",
    ]
    if rule.preview:
        facts.append("preview")
    if rule.fixes:
        facts.append(f"fix {rule.fixes}")
    text = re.sub(r"^## (.+)$", rf"{bold}\1{plain}", text_of(rule), flags=re.MULTILINE)
    return f"{bold}{rule.id}{plain} {rule.name}\n{dim}{', '.join(facts)}{plain}\n\n{text}\n"


def text_of(rule: Rule) -> str:
    """The page's text, with the words that suppress the rule where it says when that is right."""
    text = Page(rule.doc).text
    head, section, rest = text.partition("\n## When to ignore it\n")
    body, following, tail = rest.partition("\n\n## ")
    if not section or not following:
        return text
    ways = f"`# raylint: ignore[{rule.id}] why`, or the annotation `raylint/ignore-{rule.id}: why`."
    return f"{head}{section}{body}\n\n{ways}{following}{tail}"


def called(rules: Sequence[Rule], text: str) -> list[Rule]:
    """The rules whose id or alias is ``text``; else those whose id begins with it."""
    wanted = text.strip().lower()
    exact = [rule for rule in rules if wanted in (rule.id.lower(), rule.name)]
    return exact or [rule for rule in rules if wanted and rule.id.lower().startswith(wanted)]


def find(rules: Sequence[Rule], text: str) -> list[Rule]:
    """The rules that are :func:`called` so; else those whose pages share the most words with it, the best three.
    Empty where nothing fits."""
    return called(rules, text) or _search(rules, text)


def _search(rules: Sequence[Rule], text: str) -> list[Rule]:
    from math import log

    pages = [(rule, set(_words(f"{rule.name} {_without_headings(rule.doc)}"))) for rule in rules]
    weights = {word: log(1 + len(pages) / (1 + sum(word in said for _, said in pages))) for word in _words(text)}
    enough = sum(weights.values()) * (_LEAST_SHARE if len(weights) > 2 else 1)
    scored = [(sum(weights[word] for word in weights if word in said), rule) for rule, said in pages]
    good = [(score, rule) for score, rule in scored if score and score >= enough]
    good.sort(key=lambda pair: (-pair[0], pair[1].id))
    return [rule for _, rule in good[:3]]


def _without_headings(doc: str) -> str:
    return re.sub("^ *## .*$", "", doc, flags=re.MULTILINE)


def _words(text: str) -> Iterator[str]:
    """In lower case, without the ``s`` of a plural."""
    return (word.lower().removesuffix("s") for word in _WORD.findall(text))
