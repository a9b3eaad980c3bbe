"""What may have been meant by a field that the schema does not have.

In this order: a field of another release; a name that guides and chatbots made up; a misspelling of a field that
the same object has; a field that belongs one or more levels up or down.
"""

from __future__ import annotations

from raylint.finding import path_text
from raylint.metadata import METADATA_FIELDS
from raylint.schema import bundled_schema
from raylint.target import KUBERAY_RELEASES, version_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from raylint.finding import Path
    from raylint.schema import Schema
    from raylint.structure import Structure
    from raylint.target import Version

__all__ = ["Hint", "distance", "hint", "nearest_kind", "releases_with"]

# Names that do not exist, as they are found in guides, forum answers and generated manifests (letters only, lower
# case), and the fields that were meant.
ALIASES = {
    "minworkers": "minReplicas", "maxworkers": "maxReplicas", "numworkers": "replicas", "workercount": "replicas",
    "desiredreplicas": "replicas", "gcsfaulttolerance": "gcsFaultToleranceOptions",
    "gcsft": "gcsFaultToleranceOptions", "gcsftoptions": "gcsFaultToleranceOptions",
    "faulttolerance": "gcsFaultToleranceOptions", "enablegcsfaulttolerance": "gcsFaultToleranceOptions",
    "headgroup": "headGroupSpec", "head": "headGroupSpec", "headspec": "headGroupSpec",
    "headgroupspecs": "headGroupSpec", "workergroups": "workerGroupSpecs", "workers": "workerGroupSpecs",
    "worker": "workerGroupSpecs", "workergroup": "workerGroupSpecs", "runtimeenv": "runtimeEnvYAML",
    "runtimeenvironment": "runtimeEnvYAML", "serveconfig": "serveConfigV2", "autoscaler": "autoscalerOptions",
    "autoscaling": "enableInTreeAutoscaling", "enableautoscaling": "enableInTreeAutoscaling",
    "autoscalingenabled": "enableInTreeAutoscaling", "enableautoscaler": "enableInTreeAutoscaling",
    "upscalingspeed": "upscalingMode", "idletimeout": "idleTimeoutSeconds", "idletimeoutminutes":
    "idleTimeoutSeconds", "startparams": "rayStartParams", "params": "rayStartParams",
    "deletionpolicy": "deletionStrategy", "rayclusterspec": "rayClusterConfig",
    "rayclusterconfig": "rayClusterSpec", "clusterspec": "rayClusterSpec",
    "raycluster": "rayClusterSpec", "imageversion": "rayVersion",
    "numhosts": "numOfHosts", "shutdownafterfinish": "shutdownAfterJobFinishes", "ttl": "ttlSecondsAfterFinished",
    "retries": "backoffLimit", "timeout": "activeDeadlineSeconds", "cron": "schedule", "rayjob": "jobTemplate",
    "rayjobspec": "jobTemplate", "rayjobtemplate": "jobTemplate", "name": "groupName",
}  # fmt: skip

# What is no field but a parameter of `ray start`.
PARAMETERS = {
    "numcpus": "num-cpus", "numgpus": "num-gpus", "objectstorememory": "object-store-memory",
    "dashboardhost": "dashboard-host",
}  # fmt: skip

# How far below an object a field is looked for: a container lies four levels below its group.
_DEPTH = 4


class Hint:
    """``note`` goes with the message (what is known of the field), ``fix`` says what to write, ``name`` is the
    field of the same object that was meant. All may be ``""``. ``slip``: the field is a slip of the pen for that
    name, and for no other."""

    __slots__ = ("fix", "name", "note", "slip")

    def __init__(self, note: str = "", fix: str = "", name: str = "", *, slip: bool = False) -> None:
        self.note = note
        self.fix = fix
        self.name = name
        self.slip = slip


def hint(schema: Schema, api_version: str, kind: str, path: Path, release: Version) -> Hint:
    """What is known of the unknown field at ``path`` (from the object's root) for people whose target is
    ``release``."""
    name = str(path[-1])
    owner = schema.part(api_version, kind, path[:-1])
    elsewhere = _other_releases(api_version, kind, path, release)
    meant = _meant(schema, api_version, kind, path, owner)
    if elsewhere:
        if elsewhere[0] > release:
            note = f"it is known from KubeRay {version_text(elsewhere[0])} on; the target is {schema.title}"
            return Hint(note, "remove it, or upgrade KubeRay and its CRDs first")
        note = f"KubeRay {version_text(elsewhere[-1])} was the last to have it; the target is {schema.title}"
        return Hint(note, f"write {meant} instead" if meant else "remove it")
    if api_version.endswith("/v1alpha1") and _has(schema.part("ray.io/v1", kind, path[:-1]), name):
        return Hint("it exists in ray.io/v1 only", "write apiVersion: ray.io/v1")
    if name == "spec" and path[-2:-1] in (("jobTemplate",), ("rayClusterSpec",), ("rayClusterConfig",)):
        # The habit of a CronJob's jobTemplate and of a RayCluster.
        return Hint(f"{path[-2]} has no spec of its own", f"move what is below spec up into {path[-2]}")
    if meant:
        name = next((field for field in _fields(path, owner) if meant == repr(field)), "")
        return Hint(f"did you mean {meant}?", f"write {meant} instead", name, slip=_is_slip(path, owner, name))
    alias = ALIASES.get(_letters(name), "")
    later = [
        other for other in _other_releases(api_version, kind, (*path[:-1], alias), release) if other > release
    ]
    if alias and later:
        note = f"{alias!r} may be meant, known from KubeRay {version_text(later[0])} on"
        return Hint(f"{note}; the target is {schema.title}", "remove it, or upgrade KubeRay and its CRDs first")
    others = [other for other in schema.kinds if _has(schema.part(api_version, other, path[:-1]), name)]
    return Hint(f"a {others[0]} has such a field, a {kind} does not" if others else "")


def _fields(path: Path, owner: Structure | None) -> Iterable[str]:
    """The fields of the object in which the unknown field stands."""
    if path[0] == "metadata":
        return METADATA_FIELDS
    return owner.fields if owner is not None else ()


def _is_slip(path: Path, owner: Structure | None, name: str) -> bool:
    written = _letters(str(path[-1]))
    near = [field for field in _fields(path, owner) if distance(written, _letters(field), 2) <= 2]
    return near == [name] and len(written) > 3


def _other_releases(api_version: str, kind: str, path: Path, release: Version) -> list[Version]:
    return [
        other
        for other in KUBERAY_RELEASES
        if other != release and _has(bundled_schema(other).part(api_version, kind, path[:-1]), str(path[-1]))
    ]


def _has(owner: Structure | None, name: str) -> bool:
    return owner is not None and name in owner.fields


def _meant(schema: Schema, api_version: str, kind: str, path: Path, owner: Structure | None) -> str:
    """The field that was meant: its name where it lies in the same object, else its path. ``""``: no idea."""
    name = str(path[-1])
    if path[0] == "metadata":
        near, _ = _nearest(name, METADATA_FIELDS) if len(path) == 2 else ("", 0)
        return repr(near) if near else ""
    if owner is None:
        return ""
    near, far = _nearest(name, owner.fields)
    parameter = PARAMETERS.get(_letters(name), "")
    if parameter and "rayStartParams" in owner.fields:
        return f"the key {parameter!r} of rayStartParams"
    alias = ALIASES.get(_letters(name), "")
    wanted = [candidate for candidate in (alias, name) if candidate]
    for candidate in wanted:
        if candidate in owner.fields:
            return repr(candidate)
    if near and far <= 1:
        return repr(near)
    for candidate in wanted:
        if candidate == "groupName":
            continue  # a name is looked for where it stands
        found = _above(schema, api_version, kind, path, candidate) or _below(owner, path[:-1], candidate)
        if found:
            return repr(path_text(found))
    return repr(near) if near else ""


def _above(schema: Schema, api_version: str, kind: str, path: Path, name: str) -> Path:
    """The nearest object around the field's own that has a field of this name."""
    for length in range(len(path) - 2, 0, -1):
        if isinstance(path[length - 1], int):
            continue  # a list
        if _has(schema.part(api_version, kind, path[:length]), name):
            return (*path[:length], name)
    return ()


def _below(owner: Structure, path: Path, name: str) -> Path:
    """The field of this name on the highest level below, if there is one alone or one of a container."""
    level: list[tuple[Path, Structure]] = [(path, owner)]
    for _ in range(_DEPTH):
        level = [pair for place, structure in level for pair in _children(place, structure)]
        found = [place for place, structure in level if name in structure.fields]
        chosen = found if len(found) == 1 else [place for place in found if "containers" in place]
        if found:
            return (*chosen[0], name) if chosen else ()
    return ()


def _children(path: Path, structure: Structure) -> Iterator[tuple[Path, Structure]]:
    for name, child in structure.fields.items():
        child = child.compiled()
        if child.fields:
            yield (*path, name), child
        elif child.items is not None and child.items.compiled().fields:
            yield (*path, name, 0), child.items


def _letters(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _nearest(name: str, candidates: Iterable[str]) -> tuple[str, int]:
    """The candidate that is spelt most like ``name`` (letter case, dashes and underscores do not count) and how
    many slips of the pen away; ``""`` where none is near."""
    written = _letters(name)
    allowed = 1 if len(written) < 5 else 2 if len(written) < 10 else 3
    scored = sorted((distance(written, _letters(candidate), allowed), candidate) for candidate in candidates)
    return (scored[0][1], scored[0][0]) if scored and scored[0][0] <= allowed else ("", 0)


def distance(one: str, other: str, limit: int) -> int:
    """How many letters must be changed, added, left out or swapped with their neighbour; more than ``limit``
    is all the same (``limit + 1``)."""
    # A slip changes the length by one at most and the letters that occur by two; most pairs differ by more.
    if abs(len(one) - len(other)) > limit or len(set(one).symmetric_difference(other)) > 2 * limit:
        return limit + 1
    far = limit + 1
    width = len(other)
    before_last: list[int] = []
    last = [min(column, far) for column in range(width + 1)]
    for row, letter in enumerate(one, 1):
        current = [far] * (width + 1)
        current[0] = min(row, far)
        # Farther from the diagonal more letters than the limit are added or left out.
        for column in range(max(1, row - limit), min(width, row + limit) + 1):
            against = other[column - 1]
            if letter == against:
                current[column] = last[column - 1]
                continue
            steps = min(last[column - 1], last[column], current[column - 1])
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == against:
                steps = min(steps, before_last[column - 2])
            current[column] = steps + 1
        if min(current) > limit:
            return far
        before_last, last = last, current
    return min(last[-1], far)


def nearest_kind(schema: Schema, kind: str) -> str:
    """The kind that is spelt most like this one; ``""`` where none is near."""
    return _nearest(kind, schema.kinds)[0]


def releases_with(api_version: str, kind: str) -> list[str]:
    """The bundled releases that serve a kind, oldest first."""
    return [
        version_text(release) for release in KUBERAY_RELEASES if bundled_schema(release).serves(api_version, kind)
    ]
