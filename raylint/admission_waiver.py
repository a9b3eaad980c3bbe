"""The ways out that an object carries itself: suppressions in its annotations, as the command line reads them
(:mod:`raylint.suppression_words`), each with a reason; and the broken glass::

    raylint/break-glass: INC-4711   # lets one write pass, for those who may
"""

from __future__ import annotations

from raylint.resolve import FileSecrets, gathered
from raylint.suppression import accepted
from raylint.suppression_finder import Finder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.admission_policy import AdmissionPolicy
    from raylint.admission_review import Review
    from raylint.document import Document
    from raylint.finding import Finding
    from raylint.suppression import Ignores, Suppression
    from raylint.target import Target

__all__ = ["Waivers", "broken_glass"]

BREAK_GLASS = "raylint/break-glass"


class Waivers:
    """What an object asks to be ignored. ``notices`` tell people of what has no effect, and why."""

    __slots__ = ("_suppressions", "notices")

    def __init__(
        self, document: Document, review: Review, policy: AdmissionPolicy, ignores: Ignores | None, target: Target
    ) -> None:
        """``ignores`` None: the object asks for nothing."""
        self._suppressions: list[Suppression] = []
        self.notices: list[str] = []
        if ignores is None:
            return
        finder = Finder(document.file, FileSecrets([document]), target, ignores)
        finder.document(document)
        self._suppressions = finder.suppressions
        self.notices = [f"{complaint.message}: {complaint.fix}" for complaint in finder.complaints]
        if not policy.takes_annotations(review):
            if self._suppressions or self.notices:
                self.notices = ["the policy of this webhook takes no suppressions from this object"]
            self._suppressions = []

    def reason(self, finding: Finding) -> str:
        """Why the object asks to have the finding ignored; empty where it does not."""
        suppression = accepted(finding, self._suppressions)
        return gathered.mask(suppression.reason) if suppression is not None else ""


def broken_glass(review: Review) -> str:
    """The ticket under which this one write is to pass; empty where there is none. What the object carried before
    has been used up by the write that brought it."""
    ticket = _stripped(review.annotations.get(BREAK_GLASS))
    return "" if ticket == _stripped(review.old_annotations.get(BREAK_GLASS)) else gathered.mask(ticket)


def _stripped(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
