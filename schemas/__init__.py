"""Schemas of the KubeRay custom resources, one set of tables a release (1.0 to 1.7).

Derived from the CustomResourceDefinitions of ray-project/kuberay (``helm-chart/kuberay-operator/crds``), which are
licensed under the Apache License 2.0; each file names the tag it was derived from. Descriptions are left out.

``kuberay-1.7.json`` holds the newest release whole. The other files hold what differs from it: ``definitions``
are JSON merge patches (RFC 7386) by number, numbers beyond the newest release's are parts of their own. Derive
them again with ``python -m raylint_schemas.derive``; the form of the tables is told in ``raylint/crd.py``. Each
definition has a line of its own.
"""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

__all__ = ["RELEASES", "load"]

# The releases in this folder, oldest first: (major, minor).
RELEASES = ((1, 0), (1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6), (1, 7))

_FOLDER = os.path.dirname(__file__)
# What stands between two definitions.
_SEPARATOR = ",\n"
_DECODER = json.JSONDecoder()


def load(release: tuple[int, ...]) -> dict[str, Any] | None:
    """The tables of a release (major, minor): ``kuberay``, ``kinds`` and ``definitions``. None: not known here."""
    if release not in RELEASES:
        return None
    head, body = _halves(RELEASES[-1], "[", "]")
    tables: dict[str, Any] = _value(head)
    patches: dict[str, Any] = {}
    if release != RELEASES[-1]:
        head, patched = _halves(release, "{", "}")
        tables = _value(head)
        patches = _value(f"{{{patched}}}")
    return {
        "kuberay": tables["kuberay"],
        "kinds": tables["kinds"],
        "definitions": Definitions(body.split(_SEPARATOR), patches),
    }


class Definitions:
    """The parts by number, a sequence, of which each is read when it is asked for: an object needs a fourth of
    them. ``texts``: those of the newest release, in JSON; ``patches``: what differs from them, by number."""

    __slots__ = ("_patches", "_texts")

    def __init__(self, texts: list[str], patches: dict[str, Any]) -> None:
        self._texts = texts
        self._patches = patches

    def __len__(self) -> int:
        return max(len(self._texts), 1 + max(map(int, self._patches), default=0))

    def __iter__(self) -> Iterator[Any]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, number: int) -> Any:
        """A part; None for a number that this release has no part of."""
        part = _value(self._texts[number]) if number < len(self._texts) else None
        patch = self._patches.get(str(number))
        return part if patch is None else _merged(part, patch)


def _halves(release: tuple[int, ...], opening: str, closing: str) -> tuple[str, str]:
    """What a file says before its definitions, an object in JSON, and these without their brackets."""
    name = ".".join(map(str, release))
    with open(os.path.join(_FOLDER, f"kuberay-{name}.json"), encoding="utf-8") as file:
        text = file.read()
    head, _, body = text.partition(f',\n"definitions":{opening}\n')
    return f"{head}}}", body.removesuffix(f"\n{closing}}}\n")


def _value(text: str) -> Any:
    """What a text says in JSON. ``json.loads`` compiles a pattern for the blanks around it; there are none."""
    return _DECODER.raw_decode(text)[0]


def _merged(value: Any, patch: Any) -> Any:
    """RFC 7386: null removes, an object is merged, anything else replaces."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(value) if isinstance(value, dict) else {}
    for key, change in patch.items():
        if change is None:
            merged.pop(key, None)
        else:
            merged[key] = _merged(merged.get(key), change)
    return merged
