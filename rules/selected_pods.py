"""Labels of the pods of a run's clusters, for objects that select pods by them."""

from __future__ import annotations

from raylint.object_names import Assigned, ObjectNames
from raylint.pod_labels import label_values
from raylint.rule import Fact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from raylint.manifest import RayObject

__all__ = ["ANY", "labels_in", "labels_of_pods", "matches", "pairs", "pods_of", "selects"]

# Stands for a value that nobody knows before the pods are there.
ANY = "*"
# KubeRay changes these while the pods run.
_CHANGING = (
    "ray.io/serve",
    "ray.io/replica-host-index",
    "ray.io/worker-group-replica-index",
    "ray.io/worker-group-replica-name",
)
# These tell the cluster's name, which only a RayCluster has before it is there.
_OF_THE_NAME = ("ray.io/cluster", "ray.io/identifier")


def pods_of(found: RayObject) -> Iterator[Fact]:
    """For each group its labels: ("pods", namespace, kind, name, role, labels)."""
    cluster = found.cluster
    if cluster is None or not cluster.is_built:
        return
    names = ObjectNames(cluster, Assigned())
    uncertain = _CHANGING if found.kind == "RayCluster" else (*_CHANGING, *_OF_THE_NAME)
    ref, owner = found.ref, str(found.ref)
    for number, group in enumerate(cluster.groups):
        workers = cluster.worker_groups[number - 1] if number else None
        labels = label_values(group, names, workers)
        known = [
            f"{name}={ANY if value is None or name in uncertain else value}" for name, value in labels.items()
        ]
        role = "worker" if number else "head"
        key = ("pods", ref.namespace, found.kind, ref.name, role, *sorted(known))
        yield Fact(key, group.at, f"{group.title} of {owner}")


def pairs(labels: Mapping[str, object]) -> list[str]:
    """Labels as parts of a fact's key."""
    return sorted(f"{name}={value}" for name, value in labels.items())


def labels_in(parts: Sequence[str]) -> dict[str, str]:
    """The labels of such parts."""
    return dict([part.split("=", 1) for part in parts])


def labels_of_pods(fact: Fact) -> dict[str, str]:
    """The labels of a fact of :func:`pods_of`."""
    return labels_in(fact.key[5:])


def matches(selector: Mapping[str, object], labels: dict[str, str]) -> bool:
    """Does a selector by equality fit the labels, values that nobody knows taken as fitting?"""
    return all(labels.get(key) in (value, ANY) for key, value in selector.items())


def selects(selector: object) -> dict[str, object] | None:
    """The ``matchLabels`` of a selector; None where expressions make it more than that."""
    if not isinstance(selector, dict):
        return {}
    labels = selector.get("matchLabels")
    return None if selector.get("matchExpressions") else labels if isinstance(labels, dict) else {}
