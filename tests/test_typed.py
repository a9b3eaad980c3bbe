"""What stands in for classes of the standard library that are slow to import or to make."""

from __future__ import annotations

import copy
import pickle

import pytest

from raylint.fault_tolerance import Means
from raylint.field import Origin
from raylint.schema_fault import FaultKind


@pytest.mark.parametrize("kind", [FaultKind, Means, Origin])
def test_a_member_is_one_object_with_a_name_and_a_value(kind: type[FaultKind | Means | Origin]) -> None:
    members = [member for member in vars(kind).values() if isinstance(member, kind)]
    assert len(members) > 2
    assert len({member.value for member in members}) == len(members)
    for member in members:
        assert getattr(kind, member.name) is member
        assert repr(member) == f"{kind.__name__}.{member.name}"
        assert copy.deepcopy(member) is pickle.loads(pickle.dumps(member)) is member


def test_members_keep_their_words() -> None:
    assert (Origin.WRITTEN.name, Origin.WRITTEN.value) == ("WRITTEN", "yours")
