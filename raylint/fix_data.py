"""What the data of a file must be after a fix: the changes that the fix names, and no other."""

from __future__ import annotations

import json
from itertools import pairwise

from raylint.reader import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from raylint.finding import Change, Fix, Path

__all__ = ["only_means_what_it_says"]

_GONE = "\0gone"


def only_means_what_it_says(before: bytes, after: bytes, fixes: Sequence[Fix]) -> bool:
    """Whether the fixes, which made ``after`` of ``before``, changed the data as they say and nothing besides."""
    old = {document.index: document.data for document in read("", before).documents}
    new = {document.index: document.data for document in read("", after).documents}
    changed = {fix.document for fix in fixes}
    return old.keys() == new.keys() and all(
        _text(_changed(data, [fix for fix in fixes if fix.document == index]) if index in changed else data)
        == _text(new[index])
        for index, data in old.items()
    )


def _text(data: object) -> str:
    """Data as JSON: to Python 1, 1.0 and true are equal."""
    return json.dumps(data, sort_keys=True)


def _changed(data: object, fixes: Iterable[Fix]) -> object:
    """The data after the changes. All paths are those before any change."""
    # As JSON it is a copy in which nothing is shared.
    copy = json.loads(json.dumps(data))
    changes = [change for fix in fixes for change in fix.changes]
    for change in changes:
        if change.action == "set":
            _set(copy, change.path, change.value)
    for change in changes:
        if change.action == "delete":
            _set(copy, change.path, _GONE)
    # From the ends of the branches, so that no path leads through a new name or place.
    for change in sorted(changes, key=_depth, reverse=True):
        if change.action in ("rename", "first"):
            owner = _at(copy, change.path[:-1])
            value = owner.pop(change.path[-1])
            if change.action == "rename":
                owner[change.value] = value
            else:
                owner.insert(0, value)
    return _pruned(copy)


def _depth(change: Change) -> int:
    return len(change.path)


def _at(data: Any, path: Path) -> Any:
    for step in path:
        data = data[step]
    return data


def _set(data: Any, path: Path, value: object) -> None:
    """Put a value in its place; mappings that are missing on the way are made."""
    for step, following in pairwise(path):
        missing = isinstance(data, dict) and data.get(step) is None
        if missing and isinstance(following, str):
            data[step] = {}
        data = data[step]
    if isinstance(data, list) and path[-1] == len(data):
        data.append(value)
    else:
        data[path[-1]] = value


def _pruned(data: Any) -> object:
    if isinstance(data, dict):
        return {key: _pruned(value) for key, value in data.items() if value != _GONE}
    if isinstance(data, list):
        return [_pruned(item) for item in data if item != _GONE]
    return data
