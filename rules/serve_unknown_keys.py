"""Keys of ``serveConfigV2`` that Ray Serve passes over."""

from __future__ import annotations

from raylint.manifest import RayService
from raylint.rule import Problem, Severity, safe, unsafe

from .inner_page import looks_into
from .serve_config import place_of, ray_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.finding import Path
    from raylint.narrow import OddlyServed
    from raylint.rule import Problems, Repair
    from raylint.serve_keys import Hint

__all__ = [
    "serve_key_ignored",
    "serve_key_outdated",
]

MENTIONS = ("serveConfigV2",)


@looks_into("RAY602", Severity.WARNING, "serveConfigV2", fixes="unsafe")
def serve_key_ignored(service: OddlyServed) -> Problems:
    """A key of `serveConfigV2` that Serve does not know: it is dropped without a word.

    ## What it flags
    Keys at the top level, in an application, a deployment, `ray_actor_options`, `autoscaling_config`,
    `http_options` or `grpc_options` that the Ray release in force does not have: misspelt ones, camelCase ones,
    keys that belong elsewhere, keys of a newer Ray. A key at the top that begins with `x-`, a usual place for YAML
    anchors, is an info.

    It stays silent below `args`, `user_config` and `runtime_env`, whose keys are the application's or another
    rule's. Of an unknown Ray release it reports what every release drops; of one that is newer than raylint knows,
    only what looks like a known key.

    ## What happens
    Ray answers 200, the RayService becomes ready, and the setting is simply not there: a deployment runs with one
    replica, an application answers under `/`, a limit does not hold. Nothing in a log or a status says so.

    ## Versions
    All Ray releases from 2.9 to 2.60. (`logging_config` and a few newer maps refuse what they do not know.)

    ## Fix
    Write the key as the message says, or remove it.

    ## When to ignore it
    When the key is a note for people or a tool of your own.

    ## Source
    Ray 2.60.0, `python/ray/serve/schema.py`, `serve/config.py`; checked with 2.9.3, 2.40.0, 2.51.1 and 2.60.0.

    ## Examples
    ```yaml bad serve
    applications:
    - name: rank
      import_path: rank:app
      route_prefx: /rank  # <-
      deployments:
      - name: Ranker
        numReplicas: 3  # <-
        num_gpus: 1  # <-
        autoscaling_config:
          min_replica: 2  # <-
    ```

    ```yaml bad serve ray=2.9
    port: 8001  # <-
    applications:
    - import_path: rank:app
      deployments:
      - name: Ranker
        max_ongoing_requests: 50  # <-
    ```

    ```yaml bad severity=info serve
    x-common: &common  # <-
      num_replicas: 2
    applications:
    - import_path: rank:app
      deployments: [{<<: *common, name: Ranker}]
    ```

    ```yaml good serve
    applications:
    - name: rank
      import_path: rank:app
      route_prefix: /rank
      deployments:
      - name: Ranker
        num_replicas: 3
        ray_actor_options: {num_gpus: 1}
    ```

    What stands below `args` and `user_config` belongs to the application:

    ```yaml good near-miss serve
    applications:
    - import_path: ray.serve.llm:build_openai_app
      args: {llm_configs: [{modelId: small, numReplicas: 2}]}
      deployments: [{name: Ranker, user_config: {maxBatchSize: 8}}]
    ```
    """
    from raylint.ray_release import is_newer_than_known
    from raylint.serve_keys import hint

    version = service.ray_version
    newer = is_newer_than_known(version)
    for fault in service.serve_faults:
        if fault.kind != "dropped":
            continue
        found = hint(fault.path, version)
        name = str(fault.path[-1])
        if found.gone or (newer and not found.likely):
            continue
        holder = len(fault.path) == 1 and name.startswith("x-")
        yield Problem(
            place_of(service, fault),
            f"the key {name!r} is dropped without a word: {found.note}",
            label="Serve does not know it",
            effect=f"{found.effect} ({ray_of(service)})",
            fix="keep it if it holds anchors for the rest, else remove it" if holder else found.fix,
            severity=Severity.INFO if holder else None,
            repair=_repair(service, fault.path, found),
        )


def _repair(service: RayService, path: Path, found: Hint) -> Repair | None:
    """The key that takes the same value today, or none where none does."""
    document = service.serve_config.document
    if document is None or not (found.name or found.useless):
        return None
    at = document.at(*path)
    return safe(at.delete()) if found.useless else unsafe(at.rename(found.name))


@looks_into("RAY603", Severity.WARNING, "serveConfigV2", fixes="safe or unsafe")
def serve_key_outdated(service: OddlyServed) -> Problems:
    """A key of `serveConfigV2` that Ray had once: today Serve drops it, and another default holds.

    ## What it flags
    `max_concurrent_queries`, `target_num_ongoing_requests_per_replica`, `request_router_class`, `route_prefix` and
    `is_driver_deployment` of a deployment, and `object_store_memory` in `ray_actor_options`, where the Ray release
    in force has dropped them.

    ## What happens
    Ray accepts the configuration and passes over the key. `max_concurrent_queries: 100` used to be the default as
    well; without it `max_ongoing_requests` holds, which is 5 from Ray 2.35 on: a replica takes a twentieth of the
    requests at a time, the rest waits in queues, and latency grows although nothing is busy.

    ## Versions
    `is_driver_deployment` went before Ray 2.9, `object_store_memory` after 2.24, `max_concurrent_queries` and
    `target_num_ongoing_requests_per_replica` after 2.30, `route_prefix` of a deployment after 2.35,
    `request_router_class` after 2.47.

    ## Fix
    Write the key's successor as the message says. It has another default, so keep the value that you had.

    ## When to ignore it
    When the same text must serve an old Ray as well and the successor stands beside it.

    ## Source
    Ray 2.9.3 to 2.60.0, `python/ray/serve/schema.py`, `serve/config.py`, `serve/_private/constants.py`.

    ## Examples
    ```yaml bad serve
    applications:
    - import_path: rank:app
      deployments:
      - name: Ranker
        max_concurrent_queries: 100  # <-
        autoscaling_config:
          max_replicas: 4
          target_num_ongoing_requests_per_replica: 10  # <-
    ```

    ```yaml bad serve
    applications:
    - import_path: rank:app
      deployments:
      - name: Ranker
        route_prefix: /rank  # <-
        ray_actor_options: {num_cpus: 1, object_store_memory: 100000000}  # <-
    ```

    ```yaml good serve
    applications:
    - import_path: rank:app
      route_prefix: /rank
      deployments:
      - name: Ranker
        max_ongoing_requests: 100
        autoscaling_config: {max_replicas: 4, target_ongoing_requests: 10}
    ```

    Ray 2.9 knows the old name alone:

    ```yaml good near-miss ray=2.9 serve
    applications:
    - import_path: rank:app
      deployments: [{name: Ranker, max_concurrent_queries: 50, route_prefix: /rank}]
    ```
    """
    from raylint.serve_keys import gone

    version = service.ray_version
    for fault in service.serve_faults:
        found = gone(fault.path, version) if fault.kind == "dropped" else None
        if found is not None:
            yield Problem(
                place_of(service, fault),
                f"the key {str(fault.path[-1])!r} has no effect any more: {found.note}",
                label="dropped without a word",
                effect=f"{found.effect} ({ray_of(service)})",
                fix=found.fix,
                repair=_repair(service, fault.path, found),
            )
