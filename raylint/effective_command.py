"""``raylint effective``: read files, say what KubeRay makes of each object."""

from __future__ import annotations

from raylint import output
from raylint.effective import Effective
from raylint.effective_data import as_json, as_yaml, plain, report, target_data
from raylint.effective_sheet import sheet
from raylint.engine import RAY_NEEDLE, concerns
from raylint.manifest import RayObject, objects
from raylint.reader import read
from raylint.secrets import Mask
from raylint.source import UnreadableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from raylint.source import Source
    from raylint.target import Target

__all__ = ["render", "run"]

_UNREADABLE = ("RL001", "RL008")


def run(sources: Iterable[Source], target: Target) -> tuple[dict[str, Any], bool]:
    """What KubeRay makes of the objects of all sources, as plain data without secrets, and whether everything
    could be read. What could not is named on the standard error."""
    found: list[dict[str, Any]] = []
    complete = True
    for source in sources:
        try:
            if source.fault:
                raise UnreadableError(source.fault)
            raw = source.read(concerns)
        except UnreadableError as fault:
            _say(source.name, str(fault))
            complete = False
            continue
        if concerns(raw):
            complete = _add(source.name, raw, target, found) and complete
    return report(found, target), complete


def _add(name: str, raw: bytes, common: Target, found: list[dict[str, Any]]) -> bool:
    from raylint.kuberay_release import target_of_file

    target = target_of_file(common, raw)
    reading = read(name, raw, (RAY_NEEDLE,))
    unread = [remark for remark in reading.remarks if remark.rule_id in _UNREADABLE]
    for remark in unread:
        _say(f"{name}:{remark.span.line}" if remark.span else name, remark.message)
    for document in reading.documents:
        mask = Mask(document.data)
        for view in objects(document, target):
            if isinstance(view, RayObject):
                place: dict[str, Any] = {"file": name, "document": document.index}
                span = document.locate(view.path)
                if span is not None:
                    place["line"] = span.line
                if common.auto:
                    place["target"] = target_data(target)
                found.append({**place, **plain(sheet(Effective(view)), document, mask)})
    return not unread


def _say(place: str, reason: str) -> None:
    from raylint.report.terminal import printable

    output.say(f"raylint: {printable(place)} cannot be read: {printable(reason)}")


def render(data: dict[str, Any], form: str, *, color: bool) -> str:
    """``form``: json, yaml or anything else for text."""
    if form == "json":
        return as_json(data)
    if form == "yaml":
        return as_yaml(data)
    from raylint.effective_text import as_text
    from raylint.report.terminal import Paint

    return as_text(data, Paint(color))
