"""Logs: one JSON object a line, on the standard error. Of an object there are its names, no values, no tokens.

What clients can cause as often as they like, and is no review that is answered, is bounded: of each sort ten lines
at once, then one a second. The next line of the sort tells how many were left out; metrics count them all.
"""

from __future__ import annotations

import json
import logging
import sys
import time
import traceback
from typing import Any

from raylint.admission import Outcome
from raylint.admission_answer import clean

__all__ = ["Flood", "configure", "event", "flooding", "logger", "reviewed", "trace_of"]

logger = logging.getLogger("raylint.webhook")
# Names and users are the client's own words.
_LONGEST = 512
_LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


class _Line(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(record.created))}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "message": record.getMessage() if record.name == logger.name else clean(record.getMessage(), _LONGEST),
            **getattr(record, "fields", {}),
        }
        # An error's own text may quote what was judged.
        if record.exc_info and record.exc_info[1] is not None:
            line["error"] = trace_of(record.exc_info[1])
        return json.dumps(line, ensure_ascii=True, default=str)


def configure(level: str) -> None:
    """Send all logs of this process to the standard error, those of the libraries from errors upwards."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Line())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.ERROR)
    logger.setLevel(_LEVELS[level])


def event(level: int, message: str, **fields: object) -> None:
    if logger.isEnabledFor(level):
        logger.log(level, message, extra={"fields": fields})


class Flood:
    """Lines of many sorts. ``sort`` is a word of ours: what clients choose would have no bounds."""

    def __init__(self, at_once: int = 10, a_second: float = 1.0) -> None:
        self._at_once = at_once
        self._a_second = a_second
        # By sort: how many lines may be written, when that was so, and how many were left out since the last one.
        self._sorts: dict[str, tuple[float, float, int]] = {}

    def admits(self, sort: str, now: float) -> int | None:
        """May a line be written? If so, how many were left out before it; ``now`` in seconds."""
        room, then, left_out = self._sorts.get(sort, (self._at_once, now, 0))
        room = min(self._at_once, room + (now - then) * self._a_second)
        if room < 1:
            self._sorts[sort] = room, now, left_out + 1
            return None
        self._sorts[sort] = room - 1, now, 0
        return left_out


_flood = Flood()


def flooding(level: int, message: str, sort: str = "", **fields: object) -> None:
    """An event that clients can cause again and again; ``sort`` tells its causes apart."""
    if not logger.isEnabledFor(level):
        return
    left_out = _flood.admits(f"{message} {sort}", time.monotonic())
    if left_out is not None:
        event(level, message, **fields, **({"left_out": left_out} if left_out else {}))


def trace_of(error: BaseException) -> list[str]:
    """Where an error came from, without its text."""
    frames = traceback.extract_tb(error.__traceback__)[-20:]
    return [*(f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in frames), type(error).__name__]


def reviewed(outcome: Outcome, *, seconds: float, size: int, configuration: str) -> None:
    """The line of one request. What passed without a word is for those who debug."""
    review = outcome.review
    broken = any(entry["type"] == "break-glass" for entry in outcome.exemptions)
    level = logging.DEBUG
    if broken or outcome.failed:
        level = logging.WARNING
    elif outcome.verdict == "deny" or outcome.decisions or outcome.exemptions or outcome.child_unverified:
        level = logging.INFO
    if not logger.isEnabledFor(level):
        return
    fields: dict[str, object] = {
        "uid": clean(review.uid, _LONGEST),
        "operation": clean(review.operation, _LONGEST),
        "kind": clean(f"{review.group}/{review.version}/{review.kind}", _LONGEST),
        "request_kind": clean(f"{review.asked_group}/{review.asked_version}/{review.asked_kind}", _LONGEST),
        "namespace": clean(review.namespace, _LONGEST),
        "name": clean(review.name, _LONGEST),
        "user": clean(review.username, _LONGEST),
        "dry_run": review.dry_run,
        "verdict": outcome.verdict,
        "findings": [
            {
                "rule": decision.finding.rule_id,
                "severity": decision.finding.severity.label,
                "path": clean(decision.finding.place.path_text, _LONGEST),
                "mode": decision.result,
                "existing": decision.existing,
            }
            for decision in outcome.decisions
        ],
        "duration_ms": round(seconds * 1000, 3),
        "bytes": size,
        "configuration": configuration,
    }
    if outcome.skipped:
        fields["skipped"] = outcome.skipped
    if outcome.exemptions:
        fields["exemptions"] = outcome.exemptions
    if outcome.failed:
        fields["failed_rules"] = outcome.failed
    if outcome.child_unverified:
        fields["child_unverified"] = True
    logger.log(level, "review", extra={"fields": fields})
