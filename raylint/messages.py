"""Which rules explain a message: an error of ``kubectl apply``, an event of the operator, a line of a log.

A pack may tell, beside its rules, by which words messages are known: ``MESSAGES`` in its module ``_messages``,
pairs of words and ids. A message in the wild is filled with names and numbers, cut short or wrapped, so that what
counts is how much of the words is there, rare words more than common ones.
"""

from __future__ import annotations

import re
import sys
from math import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import TypeAlias

    # Words of a message, and the rules that explain it.
    Entry: TypeAlias = tuple[str, Sequence[str]]

__all__ = ["explaining", "known_messages"]

# So much of a message's words, by weight, must stand in the text, and so many of them.
_SHARE, _FEWEST = 0.6, 2
# What is nearly as good as the best is shown as well.
_NEAR = 0.8
_MOST = 5
_TOKEN = re.compile(r"[a-z0-9_][a-z0-9_./-]*")


def known_messages(packs: Iterable[str]) -> list[Entry]:
    """The messages of packs, named by their modules; a pack without any has none."""
    found: list[Entry] = []
    for pack in packs:
        try:
            __import__(f"{pack}._messages")
        except ModuleNotFoundError:
            continue
        found += sys.modules[f"{pack}._messages"].MESSAGES
    return found


def explaining(text: str, messages: Sequence[Entry]) -> list[str]:
    """Ids of the rules that explain the text, the likeliest first; empty where no message is like it."""
    tokens, whole = _tokens(text), text.lower()
    entries = [(words.split(), ids) for words, ids in messages]
    weights = _weights([words for words, _ in entries])
    scored: list[tuple[float, int, Sequence[str]]] = []
    for number, (words, ids) in enumerate(entries):
        there = [word for word in words if word in tokens or (len(word) > 5 and word in whole)]
        weight = sum(weights[word] for word in there)
        share = weight / sum(weights[word] for word in words)
        if share >= _SHARE and len(there) >= _FEWEST:
            scored.append((weight * share, -number, ids))
    scored.sort(reverse=True)
    near = [ids for score, _, ids in scored if score >= scored[0][0] * _NEAR]
    return list(dict.fromkeys(id for ids in near for id in ids))[:_MOST]


def _tokens(text: str) -> set[str]:
    """Words in small letters; of a path like ``spec.replicas`` its parts as well."""
    found: set[str] = set()
    for word in _TOKEN.findall(text.lower()):
        word = word.rstrip("./-")
        found.add(word)
        found.update(re.split(r"[./]", word))
    return found


def _weights(entries: list[list[str]]) -> dict[str, float]:
    """The fewer messages have a word, the more it tells."""
    count: dict[str, int] = {}
    for words in entries:
        for word in set(words):
            count[word] = count.get(word, 0) + 1
    return {word: log(1 + len(entries) / times) for word, times in count.items()}
