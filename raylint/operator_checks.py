"""Checks of the KubeRay operator that no rule makes, and why: for those who ask for one by its number.

The numbers are those of the rules (KR###); they count all checks of ray-project/kuberay v1.0.0 to v1.7.0.
"""

from __future__ import annotations

import re

__all__ = ["WITHOUT_RULE", "why_without_rule"]

_CLUSTER_RULES = "KR020 to KR099"

WITHOUT_RULE = {
    "KR-025": "bounds that are missing: the API server fills them in before the operator looks",
    "KR-100, KR-147": "about the object's status, which no manifest holds",
    "KR-142, KR-161": "only words before the error of the cluster inside a RayJob or RayService: the fault itself"
    f" is reported at its place, by {_CLUSTER_RULES}",
    "KR-184": "only words before the error of a RayCronJob's jobTemplate: the fault itself is reported at its"
    f" place, by KR110 to KR146 and {_CLUSTER_RULES}",
    "KR-192, KR-193": "the optional webhook's copies of KR003 to KR007, which the operator makes as well",
    "KR-202, KR-203, KR-208, KR-214 to KR-219": "what is or is not in the Kubernetes cluster decides",
    "KR-220 to KR-222": "what happens while the object runs decides",
    "KR-226, KR-250 to KR-252": "faults of the operator's own configuration",
    "KR-300 to KR-313": "checks of the API server, which the family API reports",
}


def why_without_rule(wanted: str) -> str:
    """Why there is no rule of this number (``KR142``, ``KR-142``); empty where the operator has no such check."""
    asked = re.fullmatch(r"KR-?([0-9]{3})", wanted.strip(), re.IGNORECASE)
    number = int(asked[1]) if asked else 0
    for numbers, reason in WITHOUT_RULE.items():
        for part in numbers.split(", "):
            first, _, last = part.partition(" to ")
            if _number(first) <= number <= _number(last or first):
                return reason
    return ""


def _number(id: str) -> int:
    return int(id.removeprefix("KR-"))
