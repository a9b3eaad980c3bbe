"""Captured reviews with some values of other types, dropped or doubled, and every tenth with broken bytes."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

from reviews import CAPTURED

SEED = 20261130


def bodies(count: int) -> Iterator[bytes]:
    """The same ones each time."""
    source = [json.loads(path.read_bytes()) for path in CAPTURED]
    dice = random.Random(SEED)
    for number in range(count):
        review = copy.deepcopy(dice.choice(source))
        for _ in range(dice.randint(1, 4)):
            _twist(review, dice)
        body = json.dumps(review).encode()
        yield body if number % 10 else _broken(body, dice)


VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 2**63, 1e300, "", "x", "\n", "{{ x }}", "é", [], [None], {}, {"a": []}, [[1]],
)  # fmt: skip


def _twist(review: dict[str, Any], dice: random.Random) -> None:
    """Change, drop or double one value somewhere, most often in the spec."""
    wanted = review["request"].get("object") if isinstance(review.get("request"), dict) else None
    if isinstance(wanted, dict) and dice.random() < 0.8:
        wanted = wanted.get("spec") or wanted
    at: Any = wanted if isinstance(wanted, dict) and dice.random() < 0.95 else review
    while True:
        keys: list[Any] = list(at) if isinstance(at, dict) else list(range(len(at)))
        if not keys:
            return
        key = dice.choice(keys)
        below = at[key]
        if not isinstance(below, (dict, list)) or not below or dice.random() < 0.1:
            break
        at = below
    choice = dice.random()
    if choice < 0.6:
        at[key] = copy.deepcopy(dice.choice(VALUES))
    elif choice < 0.8:
        del at[key]
    elif isinstance(at, list):
        at.append(copy.deepcopy(below))
    else:
        at[f"{key}x"] = copy.deepcopy(below)


def _broken(body: bytes, dice: random.Random) -> bytes:
    at = dice.randrange(len(body))
    return dice.choice(
        (body[:at], body[:at] + b"\xff" + body[at:], body[:at] + body[at + 1 :], body[:at] + b'"' + body[at:])
    )
