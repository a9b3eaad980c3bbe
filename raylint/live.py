"""Live objects, as an API server shows them: data that has no text and no file."""

from __future__ import annotations

from raylint.admission import as_written, is_child
from raylint.run import Inspector, report_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from raylint.policy import Policies
    from raylint.report import Report

__all__ = ["LiveAudit"]


class LiveAudit:
    """Judges objects one by one, as files are judged: the same rules, configuration and exemptions.

    What a RayJob, RayService or RayCronJob made of itself is not judged: its parent is, and is what people can
    mend. ``children`` counts them.
    """

    __slots__ = ("_default", "_inspection", "_inspector", "_with_children", "children")

    def __init__(self, policies: Policies, *, with_children: bool = False, debug: bool = False) -> None:
        self._default = policies.default
        self._inspector = Inspector(self._default.choice, self._default.target, policies, debug=debug)
        self._inspection = self._inspector.nothing()
        self._with_children = with_children
        self.children = 0

    def judge(self, data: dict[str, Any]) -> None:
        metadata = data.get("metadata")
        metadata = metadata if isinstance(metadata, dict) else {}
        if is_child(metadata) and not self._with_children:
            self.children += 1
            return
        name = "/".join(str(part) for part in (metadata.get("namespace"), data.get("kind"), metadata.get("name")))
        self._inspector.inspect_object(name, as_written(data), self._inspection)

    def report(self) -> Report:
        """What all objects gave together."""
        self._inspector.conclude(self._inspection)
        return report_of(self._inspection, self._default.choice, self._default.target)
