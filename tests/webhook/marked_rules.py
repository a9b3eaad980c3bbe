"""A small pack for tests of admission: rules that find what the test has written into an object, and rules that
fail when they are told to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from raylint.cluster import RayCluster
from raylint.finding import Severity
from raylint.group import WorkerGroup
from raylint.manifest import RayObject
from raylint.rule import Location, Problem, pack, rule

if TYPE_CHECKING:
    from raylint.rule import Problems


def _annotation(found: RayObject, name: str) -> str:
    return found.annotations.string(f"ray.io/{name}").value or ""


@rule("ZZ101", Severity.ERROR)
def bad_image(group: WorkerGroup) -> Problems:
    """An image of which the test says that it is bad."""
    template = group.data.get("template")
    containers = template["spec"]["containers"] if isinstance(template, dict) else []
    for number, item in enumerate(containers):
        if "bad" in item.get("image", ""):
            path = (*group.path, "template", "spec", "containers", number, "image")
            yield Problem(
                Location(group.document, path),
                f"image {item['image']!r} does not start",
                effect="the pod waits for ever",
                fix="name an image that exists",
            )


@rule("ZZ102", Severity.WARNING)
def odd_version(cluster: RayCluster) -> Problems:
    """A Ray version that the test calls odd."""
    version = cluster.data.get("rayVersion")
    if version == "2.9.0":
        yield Problem(
            Location(cluster.document, (*cluster.path, "rayVersion")),
            "Ray 2.9.0 is old",
            effect="nobody mends it",
            fix="use a newer one",
        )


@rule("ZZ103", Severity.INFO)
def marked(found: RayObject) -> Problems:
    """An annotation that is worth a note."""
    if _annotation(found, "note"):
        yield Problem(found.at_key("metadata", "annotations"), "there is a note", effect="none", fix="read it")


@rule("ZZ104", Severity.ERROR)
def no_owner(found: RayObject) -> Problems:
    """Found at a mapping: nothing is written where it should be."""
    if _annotation(found, "needs-owner") and "owner" not in found.labels.data:
        yield Problem(found.at_key("spec"), "there is no owner", effect="nobody is called", fix="add a label")


@rule("ZZ201", Severity.ERROR)
def fails(found: RayObject) -> Problems:
    """Fails where the object tells it to."""
    if _annotation(found, "fail") == "raise":
        raise RuntimeError("the secret is hunter2hunter2")
    if _annotation(found, "fail") == "recurse":
        yield from fails.check(found)
    while _annotation(found, "fail") == "hang":
        pass


RULES = pack(__import__(__name__))
