"""Labels of the pods of a run's clusters, for objects that select pods by them."""

from __future__ import annotations

import json

from raylint.object_names import Assigned, ObjectNames
from raylint.pod_labels import labels_of
from raylint.rule import Fact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.manifest import RayObject

__all__ = ["ANY", "matches", "pods_of", "selects"]

# Stands for a value that nobody knows before the pods are there.
ANY = "*"
# KubeRay changes these while the pods run.
_CHANGING = (
    "ray.io/serve",
    "ray.io/replica-host-index",
    "ray.io/worker-group-replica-index",
    "ray.io/worker-group-replica-name",
)


def pods_of(found: RayObject) -> Iterator[Fact]:
    """For each group its labels: ("pods", namespace, kind, name, role, labels as JSON)."""
    cluster = found.cluster
    if cluster is None or not cluster.is_built:
        return
    names = ObjectNames(cluster, Assigned())
    made_up = found.kind != "RayCluster"
    for number, group in enumerate(cluster.groups):
        workers = cluster.worker_groups[number - 1] if number else None
        known: dict[str, str] = {}
        for key, field in labels_of(group, names, workers).items():
            uncertain = field.value is None or key in _CHANGING
            own = key in ("ray.io/cluster", "ray.io/identifier") and made_up
            known[key] = ANY if uncertain or own else field.value or ""
        role = "worker" if number else "head"
        text = json.dumps(known, sort_keys=True)
        facts = ("pods", found.ref.namespace, found.kind, found.ref.name, role, text)
        yield Fact(facts, group.at, f"{group.title} of {found.ref}")


def matches(selector: dict[str, object], labels: dict[str, str]) -> bool:
    """Does a selector by equality fit the labels, values that nobody knows taken as fitting?"""
    return all(labels.get(key) in (value, ANY) for key, value in selector.items())


def selects(selector: object) -> dict[str, object] | None:
    """The ``matchLabels`` of a selector; None where expressions make it more than that."""
    if not isinstance(selector, dict):
        return {}
    labels = selector.get("matchLabels")
    return None if selector.get("matchExpressions") else labels if isinstance(labels, dict) else {}
