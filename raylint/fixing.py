"""What a run does with the fixes that are found: write them into the files, or show them."""

from __future__ import annotations

from raylint.fix import fix_text
from raylint.fix_file import UnwritableError, diff, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from raylint.engine import Engine, FileResult
    from raylint.finding import Finding
    from raylint.report import Coverage
    from raylint.source import Source

__all__ = ["Fixing", "Outcome"]


class Outcome:
    """What fixing gave. ``diffs`` of the changed files; ``notes`` on what was not fixed, and why; ``text``: what
    became of the standard input; ``unwritten``: a file could not be replaced."""

    __slots__ = ("diffs", "notes", "text", "unwritten")

    def __init__(self) -> None:
        self.diffs: list[str] = []
        self.notes: list[str] = []
        self.text: bytes | None = None
        self.unwritten = False

    def add(self, other: Outcome) -> None:
        self.diffs += other.diffs
        self.notes += other.notes
        self.text = self.text if other.text is None else other.text
        self.unwritten = self.unwritten or other.unwritten


class Fixing:
    """``unsafe``: make changes of behaviour, too. ``writes``: change the files, rather than show a diff."""

    __slots__ = ("_unsafe", "_writes")

    def __init__(self, *, unsafe: bool, writes: bool) -> None:
        self._unsafe = unsafe
        self._writes = writes

    def apply(
        self,
        engine: Engine,
        source: Source,
        raw: bytes,
        result: FileResult,
        outcome: Outcome,
        coverage: Coverage,
        accepted: Callable[[Finding], bool] | None = None,
    ) -> FileResult:
        """Fix what was found in a source and is not ``accepted``; the answer is what is found there afterwards."""
        if source.is_outside:
            if any(finding.fixes for finding in result.findings):
                outcome.notes.append(
                    f"{source.name} is not fixed: a link leads to it, out of the folder; name it to fix it"
                )
            return result
        fixed = fix_text(engine, raw, result, unsafe=self._unsafe, accepted=accepted)
        # A diff leaves the file, and with it the places, as they are.
        notes = fixed.taken_back(fixed.result if self._writes else result)
        outcome.notes += [f"{source.name}:{words}" for words in notes]
        fixed.withdraw()
        if fixed.raw == raw:
            return result
        if not self._writes:
            outcome.diffs.append(diff(source.name, raw, fixed.raw))
        elif source.path is None:
            outcome.text = fixed.raw
        else:
            try:
                if not source.is_lasting:
                    raise UnwritableError("it was handed over to be read")
                replace(source.path, raw, fixed.raw)
            except UnwritableError as reason:
                outcome.notes.append(f"{source.name} is not fixed: {reason}")
                outcome.unwritten = True
                return result
        coverage.fixed += fixed.count
        coverage.fixed_files += 1
        return fixed.result
