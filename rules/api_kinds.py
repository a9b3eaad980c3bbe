"""Kinds and versions that the API server does not serve, or will not serve for long."""

from __future__ import annotations

from raylint.manifest import KubeObject
from raylint.rule import Problem, Severity, rule, safe, unsafe
from raylint.schema_hints import distance, nearest_kind, releases_with

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import OddKind
    from raylint.rule import Location, Problems


_GROUP = "ray.io"
_KINDS = ("RayCluster", "RayJob", "RayService", "RayCronJob")


@rule("API011", Severity.ERROR, fixes="safe")
def kind_not_served(found: OddKind) -> Problems:
    """A kind or version of the group `ray.io` that the API server does not serve: kubectl finds no match.

    ## What it flags
    An object whose `apiVersion` begins with `ray.io/` and whose kind, spelt exactly like this, does not exist in
    that version in the target release: a misspelt kind (`Raycluster`), a version that never was
    (`ray.io/v1beta1`), a RayCronJob before KubeRay 1.6 or in `v1alpha1`.

    Also a RayCluster, RayJob, RayService or RayCronJob whose `apiVersion` names no group (`v1`, `ray.io`) or one
    that is a slip of the pen away from `ray.io` (`ray.oi/v1`, `Ray.io/v1`, `ray/v1`).

    Nothing else is said of such an object. It stays silent on lists, whose items are judged one by one, and on
    kinds of these names in other groups.

    ## What happens
    kubectl says `no matches for kind ... ensure CRDs are installed first` and goes on with the next document. Helm
    stops the whole installation.

    ## Versions
    `v1` and `v1alpha1` of RayCluster, RayJob and RayService in all releases; RayCronJob `v1` since KubeRay 1.6.

    ## Fix
    Write `apiVersion: ray.io/v1` and the kind as KubeRay spells it. For a RayCronJob upgrade KubeRay, CRDs
    included.

    ## When to ignore it
    When another operator of yours defines kinds in this group.

    ## Source
    The CRDs of ray-project/kuberay v1.0.0 to v1.7.0; answers of kubectl v1.36.4.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: Raycluster  # <-
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ---
    apiVersion: ray.io/v1beta1  # <-
    kind: RayCluster
    metadata: {name: other}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml bad kuberay=1.5
    apiVersion: ray.io/v1
    kind: RayCronJob  # <-
    metadata: {name: nightly}
    spec:
      schedule: "0 3 * * *"
      jobTemplate: {entrypoint: python main.py}
    ```

    A misspelt group, and none:

    ```yaml bad
    apiVersion: ray.oi/v1  # <-
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ---
    apiVersion: v1  # <-
    kind: RayJob
    metadata: {name: nightly}
    ```

    A kind that nobody serves:

    ```yaml bad
    apiVersion: ray.io/v1
    kind: Workflow  # <-
    metadata: {name: steps}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCronJob
    metadata: {name: nightly}
    spec:
      schedule: "0 3 * * *"
      jobTemplate: {entrypoint: python main.py}
    ```

    Another group, and a list:

    ```yaml good near-miss
    apiVersion: example.com/v1
    kind: Raycluster
    metadata: {name: trainer, labels: {operator: ray.io}}
    ---
    apiVersion: example.com/v1
    kind: RayJob
    metadata: {name: nightly}
    ---
    apiVersion: ray.io/v1
    kind: RayClusterList
    items:
    - apiVersion: ray.io/v1alpha1
      kind: RayCluster
      metadata: {name: trainer}
    ```
    """
    if not found.is_ray:
        if found.kind in _KINDS and _is_near_miss(found.api_version):
            yield _not_served(
                found, found.at_key("apiVersion"), "write apiVersion: ray.io/v1", "did you mean ray.io/v1?"
            )
        return
    if found.schema.serves(found.api_version, found.kind):
        return
    versions = found.schema.versions(found.kind)
    if versions:
        served = " or ".join(f"ray.io/{version}" for version in versions)
        at, fix, note = (
            found.at_key("apiVersion"),
            f"write apiVersion: {served}",
            f"{found.schema.title} serves {served}",
        )
    else:
        at, fix, note = found.at_key("kind"), *_unknown_kind(found)
    yield _not_served(found, at, fix, note)


def _is_near_miss(api_version: str) -> bool:
    """Is the group missing, or hardly another than KubeRay's?"""
    group, slash, _ = api_version.partition("/")
    return not slash or group.lower() == "ray" or distance(group.lower(), _GROUP, 2) <= 2


def _not_served(found: KubeObject, at: Location, fix: str, note: str) -> Problem:
    _, known, meant = fix.partition(f"write {at.path[-1]}: ")
    return Problem(
        at,
        f"no kind {found.kind!r} in version {found.api_version!r} is served: kubectl creates nothing from this"
        " document",
        label=note,
        effect=f'kubectl says: no matches for kind "{found.kind}" in version "{found.api_version}"; ensure CRDs'
        " are installed first",
        fix=fix,
        repair=safe(at.set(meant)) if known and " or " not in meant else None,
    )


def _unknown_kind(found: KubeObject) -> tuple[str, str]:
    """What to do, and what is known of the kind."""
    releases = releases_with(found.api_version, found.kind)
    if releases:
        return f"upgrade KubeRay and its CRDs to {releases[0]} or later", f"known from KubeRay {releases[0]} on"
    near = nearest_kind(found.schema, found.kind)
    if near:
        return f"write kind: {near}", f"did you mean {near}?"
    return f"write one of {', '.join(found.schema.kinds)}", f"{found.schema.title} has no such kind"


@rule("API012", Severity.WARNING, fixes="unsafe")
def deprecated_version(found: OddKind) -> Problems:
    """A version of a custom resource that the API server calls deprecated.

    ## What it flags
    `apiVersion: ray.io/v1alpha1` where the CRDs mark it deprecated.

    It stays silent before KubeRay 1.7, whose CRDs do not say so.

    ## What happens
    The server takes the object and answers with a warning, which kubectl prints. The version has had no new
    field since KubeRay 1.1: what `v1` has learnt since (fault tolerance options, `managedBy`, deletion rules)
    is unknown in it, and a later release will stop serving it.

    ## Versions
    KubeRay 1.7 and later. `ray.io/v1` exists since KubeRay 1.0.

    ## Fix
    Write `apiVersion: ray.io/v1`; every field of `v1alpha1` exists there with the same meaning.

    ## When to ignore it
    While one manifest must serve KubeRay 0.6 as well.

    ## Source
    The CRDs of ray-project/kuberay v1.7.0 (`deprecated: true`); answers of kube-apiserver v1.36.2.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1alpha1  # <-
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml bad
    apiVersion: ray.io/v1alpha1  # <-
    kind: RayJob
    metadata: {name: nightly}
    spec:
      entrypoint: python main.py
      rayClusterSpec:
        headGroupSpec:
          rayStartParams: {}
          template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    KubeRay 1.6 serves it without a warning:

    ```yaml good near-miss kuberay=1.6
    apiVersion: ray.io/v1alpha1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    warning = found.schema.deprecation(found.api_version, found.kind)
    if warning:
        yield Problem(
            found.at_key("apiVersion"),
            f"{found.api_version} is deprecated for a {found.kind}: the API server warns, and knows no newer field"
            " in it",
            label="deprecated",
            effect=f"the API server takes the object and warns: {warning.rstrip('.')}",
            fix="write apiVersion: ray.io/v1",
            repair=unsafe(found.at_key("apiVersion").set("ray.io/v1")),
        )
