"""Waiting for the head by hand, as it was done before KubeRay did."""

from __future__ import annotations

from raylint.group import WorkerGroup
from raylint.rule import Problem, Severity, safe

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

__all__ = ["wait_for_head_by_hand"]

MENTIONS = ("nslookup", "RAY_IP")

_HEAD_WORDS = ("RAY_IP", "-head-svc", "head-service")


@looks_into("RAY707", Severity.WARNING, reports=("FR-116",), fixes="safe")
def wait_for_head_by_hand(group: WorkerGroup) -> Problems:
    """An init container looks up the head's Service by hand: KubeRay has waited by itself since 0.5.

    ## What it flags
    An init container of a worker group whose command or arguments have `nslookup` with the head's Service
    (`RAY_IP`, `...-head-svc`), or wait for the variable `RAY_IP`.

    It stays silent about init containers that look up something else, such as Redis.

    ## What happens
    The lookup runs in its own image with its own idea of search domains: with a cluster domain of one's own, with
    network policies or after a rename it never succeeds, and the worker stays in `Init:0/2` for ever. `RAY_IP` is
    deprecated and holds a name, no address. KubeRay's own `wait-gcs-ready` runs after it and checks the GCS
    itself.

    ## Versions
    KubeRay 0.5 and later.

    ## Fix
    Delete the init container.

    ## When to ignore it
    When the operator runs with `ENABLE_INIT_CONTAINER_INJECTION=false`.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go` (`DefaultWorkerPodTemplate`); ray-project/kuberay#1187, #138,
    #1010.

    ## Examples
    ```yaml bad worker
    template:
      spec:
        initContainers:
        - name: init
          image: busybox:1.28
          command:  # <-
          - sh
          - -c
          - until nslookup $RAY_IP.$(cat /var/run/secrets/kubernetes.io/serviceaccount/namespace).svc; do sleep 2;
            done
        containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]
    ```

    ```yaml bad worker
    template:
      spec:
        initContainers:
        - name: wait
          image: busybox:1.28
          command: [sh, -c]
          args: ["until nslookup trainer-head-svc; do sleep 2; done"]  # <-
        containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]
    ```

    ```yaml good worker
    template:
      spec:
        initContainers:
        - {name: fetch, image: "registry.example/team/fetch:7", args: [model]}
        containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]
    ```

    It waits for something else:

    ```yaml good near-miss worker
    template:
      spec:
        initContainers:
        - name: wait-for-feature-store
          image: busybox:1.28
          command: [sh, -c, "until nslookup features.data.svc; do sleep 2; done"]
        containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]
    ```
    """
    if not group.pod.has("initContainers") or not group.cluster.is_built:
        return
    for container in group.pod.init_containers:
        for field in ("command", "args"):
            text = " ".join(container.strings(field))
            asks = "nslookup" in text or "$RAY_IP" in text or "${RAY_IP" in text
            if asks and any(word in text for word in _HEAD_WORDS):
                yield Problem(
                    container.at_key(field).key(),
                    f"the init container {container.name.value!r} of the {group.title} looks up the head by hand,"
                    " which KubeRay does itself",
                    label="a leftover",
                    effect="where the lookup fails the workers stay in Init for ever, though the head is up",
                    fix="delete the init container: wait-gcs-ready checks the GCS itself",
                    repair=safe(container.at.delete()) if _only_waits(text) else None,
                )
                break


def _only_waits(text: str) -> bool:
    """Is the command one loop, and nothing after it?"""
    return text.count("done") == 1 and text.rstrip(" ;\n").endswith("done")
