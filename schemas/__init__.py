"""Schemas of the KubeRay custom resources, one set of tables a release (1.0 to 1.7).

Derived from the CustomResourceDefinitions of ray-project/kuberay (``helm-chart/kuberay-operator/crds``), which are
licensed under the Apache License 2.0; each file names the tag it was derived from. Descriptions are left out.

``kuberay-1.7.json`` holds the newest release whole. The other files hold what differs from it: ``definitions``
are JSON merge patches (RFC 7386) by number, numbers beyond the newest release's are parts of their own. Derive
them again with ``python -m raylint_schemas.derive``; the form of the tables is told in ``raylint/crd.py``.
"""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["RELEASES", "load"]

# The releases in this folder, oldest first: (major, minor).
RELEASES = ((1, 0), (1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6), (1, 7))

_FOLDER = os.path.dirname(__file__)


def load(release: tuple[int, ...]) -> dict[str, Any] | None:
    """The tables of a release (major, minor): ``kuberay``, ``kinds`` and ``definitions``. None: not known here."""
    if release not in RELEASES:
        return None
    tables = _read(RELEASES[-1])
    if release == RELEASES[-1]:
        return tables
    differing = _read(release)
    return {
        "kuberay": differing["kuberay"],
        "kinds": differing["kinds"],
        "definitions": _patched(tables["definitions"], differing["definitions"]),
    }


def _read(release: tuple[int, ...]) -> dict[str, Any]:
    name = ".".join(str(part) for part in release)
    with open(os.path.join(_FOLDER, f"kuberay-{name}.json"), "rb") as file:
        tables: dict[str, Any] = json.loads(file.read())
    return tables


def _patched(definitions: list[Any], patches: dict[str, Any]) -> list[Any]:
    patched = [*definitions, *[None] * (len(patches))]
    for number, patch in patches.items():
        patched[int(number)] = _merged(patched[int(number)], patch)
    return patched


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
