"""What the API server asks of the names, labels and annotations of any object."""

from __future__ import annotations

from raylint.rule import Problem, Severity, rule
from raylint.schema_fault import FaultKind

from .api_server import faults, name, place, refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import FaultyObject
    from raylint.rule import Problems


@rule("API010", Severity.ERROR)
def invalid_metadata(found: FaultyObject) -> Problems:
    """A name, label, annotation, finalizer or owner with bad syntax or length: the API server refuses the object.

    ## What it flags
    A `name` or `generateName` that is no lowercase DNS subdomain of at most 253 characters; a `namespace` that
    is no DNS label; keys of labels and annotations that are no qualified names; label values with blanks or
    over 63 characters; annotations of more than 256 kB in all; finalizers without a qualified name; owners
    without `apiVersion`, `kind`, `name` or `uid`, or two that are controllers.

    It stays silent on names that the server takes and KubeRay refuses later (over 53 characters, dots): those
    are the operator's. Metadata of pod templates is not checked by this server at this time; what is wrong there
    shows when the operator makes pods.

    ## What happens
    The server answers `Invalid value` and nothing is created or changed.

    ## Versions
    All.

    ## Fix
    Use lower case letters, digits and dashes. Long texts and texts with blanks belong into annotations.

    ## When to ignore it
    Never: no server takes it.

    ## Source
    kubernetes v1.36, `apimachinery/pkg/api/validation/objectmeta.go`, `pkg/util/validation`; answers of
    kube-apiserver v1.36.2.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: My_Cluster  # <-
      labels:
        team: ml platform  # <-
        owner name: jo  # <-
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      generateName: Trainer-  # <-
      namespace: ml.platform  # <-
      annotations: {"/note": text}  # <-
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: my-cluster
      labels: {team: ml-platform, app.kubernetes.io/part-of: Training_2}
      annotations: {example.com/note: "any text, of any kind: ÄÖÜ"}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    Legal for the server: a trailing dash in a generated name, an empty label, an annotation without a value:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      generateName: a-name-that-is-longer-than-the-operator-wants-it-to-be-but-fine-here-
      labels: {team: ""}
      annotations: {Example.com/Note: }
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```
    """
    for fault in faults(found, FaultKind.METADATA):
        yield Problem(
            place(found, fault),
            f"{name(found, fault)} is invalid ({fault.detail.partition(': ')[0][:60]}): the API server refuses the"
            f" {found.kind}",
            label="invalid",
            effect=refused(found, fault),
            fix=fault.detail.rpartition("': ")[2],
        )
