"""What an update brings and what was there before: only the former may be refused.

An object that broke a rule before the rule was there must still be scaled, labelled, finished and deleted, mostly
by controllers that cannot mend it.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from raylint.finding import Finding, Path

__all__ = ["judged_content", "only_scales", "those_there_before"]

# What autoscalers, Kueue and the operator's deletion policy write (KubeRay v1.7.0).
_SCALING = {"replicas", "minReplicas", "maxReplicas", "suspend", "scaleStrategy"}
_RAY = "ray.io/"
_CLUSTERS = ("rayClusterSpec", "rayClusterConfig", "jobTemplate")


def judged_content(data: dict[str, Any]) -> tuple[object, object, object]:
    """What rules look at: the spec, and the annotations and labels that KubeRay reads."""
    metadata = data.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    return data.get("spec"), _of_ray(metadata.get("annotations")), _of_ray(metadata.get("labels"))


def _of_ray(entries: object) -> dict[str, object]:
    if not isinstance(entries, dict):
        return {}
    return {key: value for key, value in entries.items() if isinstance(key, str) and key.startswith(_RAY)}


def only_scales(old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Do the two differ in nothing but how many workers there are and whether they run?"""
    was, *was_marked = judged_content(old)
    now, *now_marked = judged_content(new)
    return was_marked == now_marked and _same_but_scale(was, now)


def _same_but_scale(was: object, now: object) -> bool:
    """Are two specs, of any of the four kinds, the same without the fields of scale? These stand in it, in the
    cluster inside it and in that cluster's worker groups."""
    if not (isinstance(was, dict) and isinstance(now, dict)):
        return was == now
    keys = was.keys() - _SCALING
    same = keys == now.keys() - _SCALING
    return same and all(map(_same_part, keys, map(was.get, keys), map(now.get, keys)))


def _same_part(key: str, was: object, now: object) -> bool:
    if key in _CLUSTERS:
        return _same_but_scale(was, now)
    if key == "workerGroupSpecs" and isinstance(was, list) and isinstance(now, list):
        return len(was) == len(now) and all(map(_same_but_scale, was, now))
    return was == now


def those_there_before(
    old: dict[str, Any], before: Iterable[Finding], new: dict[str, Any], now: Sequence[Finding]
) -> set[int]:
    """The numbers in ``now`` of the findings that the old object had as well."""
    known: dict[str, int] = {}
    for finding in before:
        print_ = _fingerprint(finding, old)
        known[print_] = known.get(print_, 0) + 1
    found: set[int] = set()
    for number, finding in enumerate(now):
        print_ = _fingerprint(finding, new)
        if known.get(print_, 0):
            known[print_] -= 1
            found.add(number)
    return found


def _fingerprint(finding: Finding, data: dict[str, Any]) -> str:
    """The rule, the place with list items by their names, and the value there.

    A mapping, or a list of mappings, counts by its place alone: it is where something is missing, and whatever
    else changes inside it is not what the rule is about.
    """
    value = _value(data, finding.place.path)
    if finding.place.inner and isinstance(value, str):
        from raylint.embedded_document import embedded_data

        value = _value(embedded_data(value), finding.place.inner)
    if isinstance(value, dict) or (isinstance(value, list) and any(isinstance(item, dict) for item in value)):
        value = None
    return json.dumps((finding.rule_id, finding.identity, value), sort_keys=True, default=str)


def _value(data: object, path: Path) -> object:
    for step in path:
        if isinstance(step, str) and isinstance(data, dict):
            data = data.get(step)
        elif isinstance(step, int) and isinstance(data, list) and step < len(data):
            data = data[step]
        else:
            return None
    return data
