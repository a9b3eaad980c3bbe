"""Who is called when a cluster fails."""

from __future__ import annotations

from collections.abc import Iterator

from raylint.manifest import RayObject
from raylint.rule import Problem, Severity, rule


@rule("ACME101", Severity.WARNING)
def object_without_team(found: RayObject, *, label: str = "acme.example/team") -> Iterator[Problem]:
    """An object does not say which team it belongs to.

    ## What it flags

    An object without the label `acme.example/team`.

    ## What happens

    At night nobody knows whom to call, and the cost of the cluster is nobody's.

    ## Options

    - `label`: the label that names the team.

    ## Fix

    Write the label.

    ## When to ignore it

    For objects that are deleted within the hour.

    ## Source

    Acme's handbook, "Every cluster has an owner".

    ## Examples

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: orphan # <-
    spec:
      headGroupSpec:
        rayStartParams: {}
        template: {spec: {containers: [{name: ray, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: orphan # <-
      labels: {team: search}
    spec:
      headGroupSpec:
        rayStartParams: {}
        template: {spec: {containers: [{name: ray, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: searching
      labels: {acme.example/team: search}
    spec:
      headGroupSpec:
        rayStartParams: {}
        template: {spec: {containers: [{name: ray, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      generateName: searching-
      labels: {acme.example/team: ""}
    spec:
      headGroupSpec:
        rayStartParams: {}
        template: {spec: {containers: [{name: ray, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    if not found.labels.has(label):
        yield found.name.flag(
            f"no label {label!r} says which team this {found.kind} belongs to",
            effect="at night nobody knows whom to call",
            fix=f"write the label {label}",
        )
