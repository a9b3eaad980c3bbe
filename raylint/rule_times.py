"""How long rules take: an engine that judges as another one does, with an eye on the clock at every check."""

from __future__ import annotations

from time import perf_counter

from raylint.engine import Engine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from raylint.collection import Collection
    from raylint.field import View
    from raylint.plan import Check
    from raylint.resolve import Resolver
    from raylint.rule import Rule

__all__ = ["TimedEngine"]


class TimedEngine(Engine):
    """``seconds`` adds up by the rule's id. What rules share (views, the faults of the schema) is made for the
    first rule that asks, and is in its time."""

    def __init__(self, engine: Engine) -> None:
        vars(self).update(vars(engine))
        self.seconds: dict[str, float] = {}

    def _apply(
        self, checks: Sequence[tuple[Rule, Check]], view: View, resolver: Resolver, findings: Collection
    ) -> None:
        seconds = self.seconds
        for rule, check in checks:
            began = perf_counter()
            super()._apply(((rule, check),), view, resolver, findings)
            seconds[rule.id] = seconds.get(rule.id, 0.0) + perf_counter() - began
