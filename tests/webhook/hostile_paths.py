"""Objects with a value of a wrong type at one path, for every path that the CRDs of the newest release know."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator
from typing import Any, TypeAlias

from reviews import cluster, create, update

from raylint.admission import Admission
from raylint.schema import Schema, bundled_schema
from raylint.target import NEWEST_KUBERAY

Path: TypeAlias = "tuple[str | int, ...]"

SCHEMA: Schema = bundled_schema(NEWEST_KUBERAY)
# Of every type that JSON has, and of each what is hard on somebody who expects another.
WRONG: tuple[Any, ...] = (
    None, True, -1, 1.5, 10**18, "", "{{ x }}", "\ud800", [], [None], [[]], [{}], {}, {"": None},
)  # fmt: skip
# Of metadata a CRD says only that they are an object; these are what Kubernetes makes of them.
_METADATA: tuple[Path, ...] = (
    ("name",),
    ("generateName",),
    ("namespace",),
    ("deletionTimestamp",),
    ("labels",),
    ("labels", "ray.io/cluster"),
    ("annotations",),
    ("annotations", "ray.io/ft-enabled"),
    ("annotations", "raylint/ignore"),
    ("annotations", "raylint/break-glass"),
    ("finalizers",),
    ("finalizers", 0),
    ("ownerReferences",),
    ("ownerReferences", 0),
    *(("ownerReferences", 0, name) for name in ("apiVersion", "kind", "name", "uid", "controller")),
    ("managedFields",),
)


def paths(kind: str) -> Iterator[Path]:
    """0 is the item of a list, ``key`` that of a mapping."""
    root = SCHEMA.root("ray.io/v1", kind)
    assert root is not None
    waiting: list[tuple[Path, Any]] = [((name,), part) for name, part in sorted(root.fields.items())]
    while waiting:
        path, part = waiting.pop()
        yield path
        part = part.compiled()
        waiting += [((*path, name), child) for name, child in sorted(part.fields.items())]
        if part.items is not None:
            waiting.append(((*path, 0), part.items))
        if part.extra is not None and not part.open:
            waiting.append(((*path, "key"), part.extra))
    yield from (("metadata", *path) for path in _METADATA)


def put(data: Any, path: Path, value: Any) -> None:
    """Write the value at the path, with what leads there."""
    for step, following in itertools.pairwise(path):
        kind = list if isinstance(following, int) else dict
        if isinstance(step, int):
            data[:] = data[:1] if data and isinstance(data[0], kind) else [kind()]
        elif not isinstance(data.get(step), kind):
            data[step] = kind()
        data = data[step]
    last = path[-1]
    if isinstance(last, int):
        data[:] = [value]
    else:
        data[last] = value


def base(kind: str, *, workers: bool = True) -> dict[str, Any]:
    """A good object of the kind."""
    spec = cluster()["spec"]
    if not workers:
        del spec["workerGroupSpecs"]
    job = {"entrypoint": "python a.py", "rayClusterSpec": spec}
    specs: dict[str, dict[str, Any]] = {
        "RayCluster": spec,
        "RayJob": job,
        "RayService": {"serveConfigV2": "applications: []\n", "rayClusterConfig": spec},
        "RayCronJob": {"schedule": "* * * * *", "jobTemplate": job},
    }
    return {
        "apiVersion": "ray.io/v1",
        "kind": kind,
        "metadata": {"name": "demo", "namespace": "team"},
        "spec": copy.deepcopy(specs[kind]),
    }


def broken(kind: str, path: Path, value: Any) -> dict[str, Any]:
    data = _around(kind, path)
    put(data, path, value)
    return data


def _around(kind: str, path: Path) -> dict[str, Any]:
    """The least that the path needs around it: to judge worker groups takes half of the time."""
    return base(kind, workers="workerGroupSpecs" in path)


def reviews_of(kind: str, path: Path, value: Any, *, updates: bool) -> dict[str, Any]:
    """The review of an object that is broken at the path: of its creation, or of the update that breaks it."""
    good, bad = _around(kind, path), broken(kind, path, value)
    review = update(good, good) if updates else create(good)
    review["request"]["object"] = bad
    return review


def try_all(admission: Admission, kind: str, values: int) -> tuple[int, int]:
    """Every path of a kind, each with so many of the wrong values, the next path with the next ones: the number of
    paths, and of answers with findings. AssertionError: a rule failed."""
    tried = told = 0
    for path, some in zip(paths(kind), _turns(values), strict=False):
        tried += 1
        for value, updates in some:
            outcome = admission.answer(reviews_of(kind, path, value, updates=updates), "2026-11-30")
            assert outcome.failed == [], (path, value, updates)
            told += bool(outcome.decisions)
    return tried, told


def _turns(values: int) -> Iterator[list[tuple[Any, bool]]]:
    """Every fourth value comes with an update, in each turn other ones."""
    turn = itertools.cycle(range(len(WRONG)))
    for number in itertools.count():
        yield [(WRONG[next(turn)], (number + place) % 4 == 0) for place in range(values)]
