"""YAML inside a text of the manifest that nobody reads: a second document, a key that comes again."""

from __future__ import annotations

from raylint.manifest import RayService
from raylint.rule import Problem, Severity

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import OddText
    from raylint.rule import Problems

MENTIONS = ("runtimeEnvYAML", "serveConfigV2")

__all__ = ["embedded_document_ignored", "embedded_key_twice"]


def _field(found: OddText) -> str:
    return "serveConfigV2" if isinstance(found, RayService) else "runtimeEnvYAML"


@looks_into("RAY620", Severity.WARNING)
def embedded_document_ignored(found: OddText) -> Problems:
    """A second YAML document in `serveConfigV2` or `runtimeEnvYAML`: the operator reads the first one alone.

    ## What it flags
    Anything but comments after a line `---` or `...` that ends the first document of the text.

    ## What happens
    The rest is dropped without a word, even if it is broken: a second application never starts, variables are not
    set. Where the first document is empty, so is the configuration.

    ## Versions
    All KubeRay releases.

    ## Fix
    Make one document of the two: one list of applications, one map.

    ## When to ignore it
    When what follows is a note.

    ## Source
    ray-project/kuberay v1.7.0, which reads the text with `sigs.k8s.io/yaml`; recorded with the operator's reader.

    ## Examples
    ```yaml bad serve
    applications:
    - {name: rank, import_path: "rank:app", route_prefix: /rank}
    ---
    applications:  # <-
    - {name: read, import_path: "read:app", route_prefix: /read}
    ```

    ```yaml bad env
    pip: [requests]
    ...
    env_vars: {MODE: live}  # <-
    ```

    ```yaml good serve
    applications:
    - {name: rank, import_path: "rank:app", route_prefix: /rank}
    - {name: read, import_path: "read:app", route_prefix: /read}
    ```

    One line of dashes begins the document, and a comment may follow it:

    ```yaml good near-miss env
    ---
    pip: [requests]
    ---
    # nothing here
    ```
    """
    document = found.inner_document
    ignored = document.at_ignored if document is not None else None
    if ignored is not None:
        yield Problem(
            ignored,
            f"{_field(found)} holds a second document, which nobody reads",
            label="ignored from here on",
            effect="the operator takes the first document and drops the rest without a word",
            fix="make one document of the two",
        )


@looks_into("RAY621", Severity.WARNING)
def embedded_key_twice(found: OddText) -> Problems:
    """A key that is written twice in `serveConfigV2` or `runtimeEnvYAML`: the last one counts.

    ## What it flags
    A key that comes again in the same map. What `<<` brings in does not count.

    ## What happens
    The operator's reader keeps the last value and drops the others without a word: of two lists of applications
    one is deployed, of two `env_vars` blocks one is set.

    ## Versions
    All KubeRay releases.

    ## Fix
    Merge the two, or remove one.

    ## When to ignore it
    Never known to be right.

    ## Source
    ray-project/kuberay v1.7.0, which reads the text with `sigs.k8s.io/yaml`; recorded with the operator's reader.

    ## Examples
    ```yaml bad env
    env_vars: {A: "1"}
    pip: [requests]
    env_vars: {B: "2"}  # <-
    ```

    ```yaml bad serve
    applications:
    - name: rank
      import_path: rank:app
      deployments:
      - name: Ranker
        num_replicas: 1
        num_replicas: 3  # <-
    ```

    ```yaml good env
    env_vars: {A: "1", B: "2"}
    pip: [requests]
    ```

    A merged map may be overridden:

    ```yaml good near-miss serve
    applications:
    - import_path: rank:app
      deployments:
      - &base {name: Ranker, num_replicas: 1}
      - {<<: *base, name: Reader}
    ```
    """
    document, name = found.inner_document, _field(found)
    for path, later, earlier in document.repeated_keys() if document is not None else ():
        yield Problem(
            later,
            f"the key {str(path[-1])!r} is written twice in {name}; the last one counts",
            because=[(earlier, "dropped without a word")],
            effect="the operator keeps the last value, and what stands below the first one has no effect",
            fix="merge the two, or remove one",
        )
