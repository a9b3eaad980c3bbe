"""Findings that are known already, by fingerprint: those of a baseline, or of an earlier revision."""

from __future__ import annotations

from raylint.report.fingerprint import kind_prints

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from raylint.finding import Finding

__all__ = ["KnownFindings"]


class KnownFindings:
    """How often each fingerprint is known, and in which file. The file tells equal ones apart, and is no more than
    that: what has moved to another file is known still."""

    __slots__ = ("_counts",)

    def __init__(self, entries: Iterable[tuple[str, str, int]] = ()) -> None:
        """``entries``: fingerprint, file, count."""
        self._counts: dict[str, dict[str, int]] = {}
        for fingerprint, file, count in entries:
            self.add(fingerprint, file, count)

    def add(self, fingerprint: str, file: str, count: int = 1) -> None:
        files = self._counts.setdefault(fingerprint, {})
        files[file] = files.get(file, 0) + count

    def add_all(self, findings: Sequence[Finding]) -> None:
        for finding, fingerprint in zip(findings, kind_prints(findings), strict=True):
            self.add(fingerprint, finding.place.file)

    def split(
        self, findings: Sequence[Finding], name: Callable[[str], str] = str
    ) -> tuple[list[Finding], list[Finding]]:
        """Those that are new and those that are known, each in their order. ``name`` makes a file's name here of
        the one in reports."""
        left = {fingerprint: dict(files) for fingerprint, files in self._counts.items()}
        prints = kind_prints(findings)
        known = [
            _take(left.get(fingerprint), name(finding.place.file))
            for finding, fingerprint in zip(findings, prints, strict=True)
        ]
        for number, fingerprint in enumerate(prints):
            if not known[number]:
                files = left.get(fingerprint, {})
                known[number] = any(_take(files, file) for file in list(files))
        new = [finding for finding, is_known in zip(findings, known, strict=True) if not is_known]
        return new, [finding for finding, is_known in zip(findings, known, strict=True) if is_known]


def _take(files: dict[str, int] | None, file: str) -> bool:
    if not files or not files.get(file):
        return False
    files[file] -= 1
    return True
