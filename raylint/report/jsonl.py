"""JSON lines: a finding a line, for pipes and log stores."""

from __future__ import annotations

import json

from raylint.report.fingerprint import fingerprints
from raylint.report.json_v1 import VERSION, finding_data, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.report import Report

__all__ = ["jsonl"]


def jsonl(report: Report) -> Iterator[str]:
    """Each line is what ``findings`` of the JSON report holds, with the name of the format in front."""
    for finding, fingerprint in zip(report.findings, fingerprints(report.findings), strict=True):
        data = {"version": VERSION, **finding_data(finding, fingerprint, report.operator_of(finding.place.file))}
        yield f"{safe(json.dumps(data, ensure_ascii=False))}\n"
