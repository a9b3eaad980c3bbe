"""GitLab's code quality report: a JSON array of issues."""

from __future__ import annotations

from raylint.finding import Severity
from raylint.report.fingerprint import fingerprints
from raylint.report.json_v1 import dump
from raylint.report.region import Region

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.report import Report
    from raylint.report.folders import Folders

__all__ = ["gitlab"]

_LEVELS = {Severity.ERROR: "critical", Severity.WARNING: "major", Severity.INFO: "info"}


def gitlab(report: Report, folders: Folders) -> str:
    """The description starts with the rule, since GitLab does not show ``check_name``. The same fault in two files
    has two fingerprints, else GitLab shows one of them."""
    return dump(
        [
            {
                "type": "issue",
                "check_name": finding.rule_id,
                "description": f"{finding.rule_id}: {finding.message}",
                "content": {"body": f"{finding.effect}\n\nFix: {finding.fix}"},
                "categories": ["Bug Risk"],
                "severity": _LEVELS[finding.severity],
                "fingerprint": _of_file(folders.path(finding.place.file), fingerprint),
                "location": {
                    "path": folders.path(finding.place.file),
                    "lines": {"begin": Region(finding.place).line},
                },
            }
            for finding, fingerprint in zip(report.findings, fingerprints(report.findings), strict=True)
        ]
    )


def _of_file(path: str, fingerprint: str) -> str:
    from hashlib import sha256

    return sha256(f"{path}\n{fingerprint}".encode("utf-8", "surrogateescape")).hexdigest()
