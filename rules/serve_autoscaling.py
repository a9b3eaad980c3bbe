"""Settings of Serve's autoscaling that work against each other."""

from __future__ import annotations

from raylint.manifest import RayService
from raylint.rule import Confidence, Problem, Severity

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.finding import Path
    from raylint.rule import Problems

__all__ = ["serve_target_above_limit"]

MENTIONS = ("autoscaling_config",)


@looks_into("RAY609", Severity.WARNING, "serveConfigV2", confidence=Confidence.MEDIUM)
def serve_target_above_limit(service: RayService) -> Problems:
    """An autoscaling target above what a replica takes at a time: requests wait before replicas are added.

    ## What it flags
    A deployment in `serveConfigV2` whose `target_ongoing_requests` is above its `max_ongoing_requests`, both as
    written, or with `max_ongoing_requests` left to its default of 5 (Ray 2.35 and later); and a
    `look_back_period_s` that is not above `metrics_interval_s`.

    With `max_ongoing_requests` left out the code may set it: then the confidence is low.

    ## What happens
    A replica never has more ongoing requests than `max_ongoing_requests`; requests beyond it wait in the queues of
    handles and proxies. Only when those are long enough to lift the average to the target, where the release
    counts them at all, a replica is added: latency first, capacity second. A look-back period below the interval
    averages over nothing; a future release refuses it.

    ## Versions
    Ray 2.12 and later.

    ## Fix
    Set `max_ongoing_requests` to 1.2 to 2 times `target_ongoing_requests`.

    ## When to ignore it
    When the queue is meant to count and your Ray release counts it.

    ## Source
    Ray 2.60.0, `serve/_private/constants.py`, `serve/config.py` (`AutoscalingConfig`), the guide on Serve
    autoscaling.

    ## Examples
    ```yaml bad serve
    applications:
    - import_path: rank:app
      deployments:
      - name: Ranker
        max_ongoing_requests: 8
        autoscaling_config:
          max_replicas: 4
          target_ongoing_requests: 20  # <-
    ```

    ```yaml bad serve
    applications:
    - import_path: rank:app
      deployments:
      - name: Ranker
        autoscaling_config:
          max_replicas: 4
          metrics_interval_s: 60
          look_back_period_s: 30  # <-
          target_ongoing_requests: 10  # <-
    ```

    ```yaml good serve
    applications:
    - import_path: rank:app
      deployments:
      - name: Ranker
        max_ongoing_requests: 30
        autoscaling_config: {max_replicas: 4, target_ongoing_requests: 20}
      - {name: Reader, num_replicas: 2, max_ongoing_requests: 5}
    ```

    Up to Ray 2.30 the default was 100:

    ```yaml good near-miss ray=2.24 serve
    applications:
    - import_path: rank:app
      deployments:
      - name: Ranker
        autoscaling_config: {max_replicas: 4, target_ongoing_requests: 20}
    ```
    """
    document = service.serve_config.document
    for path, deployment in service.serve_config.deployments:
        config = deployment.get("autoscaling_config")
        if document is None or not isinstance(config, dict):
            continue
        for problem_path, message, fix, sure in _contradictions(deployment, config, service):
            yield Problem(
                document.at(*path, "autoscaling_config", *problem_path),
                message,
                effect="requests wait before a replica is added, or they come and go on numbers that say nothing",
                fix=fix,
                confidence=None if sure else Confidence.LOW,
            )


def _contradictions(
    deployment: dict[str, object], config: dict[str, object], service: RayService
) -> Iterator[tuple[Path, str, str, bool]]:
    target, limit = config.get("target_ongoing_requests"), deployment.get("max_ongoing_requests")
    version = service.ray_version
    default = version is not None and version >= (2, 35) and limit is None
    limit = 5 if default else limit
    if isinstance(target, (int, float)) and isinstance(limit, (int, float)) and target > limit:
        kind = "max_ongoing_requests, which is 5 unless set" if default else f"max_ongoing_requests {limit:g}"
        message = f"target_ongoing_requests {target:g} is above {kind}: requests wait before a replica is added"
        yield ("target_ongoing_requests",), message, f"set max_ongoing_requests above {target:g}", not default
    interval, period = config.get("metrics_interval_s"), config.get("look_back_period_s")
    interval = 10 if interval is None else interval
    if isinstance(interval, (int, float)) and isinstance(period, (int, float)) and 0 < period <= interval:
        message = f"look_back_period_s {period:g} is not above metrics_interval_s {interval:g}"
        yield ("look_back_period_s",), message, f"raise look_back_period_s above {interval:g}", True
