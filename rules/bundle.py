"""What belongs together in a run over many files: what lies in one folder.

Two overlays of one application make objects of the same names; one must not be judged by the other.
"""

from __future__ import annotations

import os
from functools import lru_cache

from raylint.finding import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Fact

__all__ = ["beside"]


def beside(one: Fact, other: Fact) -> bool:
    """Do the two come from one folder, or from one stream?"""
    return folder_of(one) == folder_of(other)


def folder_of(fact: Fact) -> str:
    return _folder(fact.at.file if isinstance(fact.at, Place) else fact.at.document.file)


@lru_cache(maxsize=1024)
def _folder(file: str) -> str:
    """Each fact of a run may be compared with all others."""
    return os.path.dirname(file)
