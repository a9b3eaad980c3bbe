"""Which rules cost most: microseconds per Ray document of the bench corpus. ``python -m bench.rules [NUMBER]``.

What rules share (views, the faults of the schema) is charged to the first rule that asks for it, so the order of
the rules is turned around from object to object.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from bench.corpus import write_corpus
from raylint.engine import Engine
from raylint.packs import installed_rules
from raylint.registry import choose
from raylint.rule import Rule
from raylint.target import Target

__all__ = ["cost_of_rules"]

_FILES = 300
_ROUNDS = 5


def cost_of_rules(folder: Path) -> list[tuple[float, str]]:
    """Microseconds per Ray document and the rule, the costliest first."""
    raws = [path.read_bytes() for path in sorted(folder.rglob("*.yaml"))]
    spent: defaultdict[str, float] = defaultdict(float)
    rules = [_timed(rule, spent) for rule in choose(installed_rules()).rules]
    engines = [Engine(rules, Target()), Engine(rules[::-1], Target())]
    for engine in engines:
        for raw in raws:
            engine.check("m.yaml", raw, later=True)
    spent.clear()
    ray_objects = 0
    for number in range(_ROUNDS):
        for index, raw in enumerate(raws):
            ray_objects += engines[(index + number) % 2].check("m.yaml", raw, later=True).ray_objects
    return sorted(((seconds * 1e6 / ray_objects, name) for name, seconds in spent.items()), reverse=True)


def _timed(rule: Rule, spent: defaultdict[str, float]) -> Rule:
    """The rule, with its check's time added up. The check is run to its end before the clock stops."""
    name = f"{rule.id} {rule.name}"

    def watched(function: Callable[[Any], Iterable[Any]], view: object) -> list[Any]:
        start = time.perf_counter()
        found = list(function(view))
        spent[name] += time.perf_counter() - start
        return found

    check, gathers = rule.check, rule.gathers
    if gathers is not None:
        rule.gathers = lambda view: watched(gathers, view)
    else:
        rule.check = lambda view: watched(check, view)
    return rule


def main() -> None:
    shown = int(sys.argv[1]) if len(sys.argv) > 1 else 25
    with tempfile.TemporaryDirectory() as folder:
        write_corpus(Path(folder), _FILES)
        costs = cost_of_rules(Path(folder))
    for cost, name in costs[:shown]:
        print(f"{cost:8.2f} us  {name}")
    print(f"{sum(cost for cost, _ in costs):8.2f} us  all {len(costs)} that ran, of which the clock takes a part")


if __name__ == "__main__":
    main()
