"""The runs of a RayCronJob: when they start, and what they leave behind."""

from __future__ import annotations

from raylint.manifest import RayCronJob
from raylint.rule import Confidence, Problem, Severity, unsafe

from .inner_page import looks_into
from .job_cleanup import cleans_up

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

__all__ = [
    "cron_job_leaves_clusters",
    "cron_job_without_time_zone",
]

MENTIONS = ("RayCronJob",)


# Minute, hour, day, month, weekday.
_FIELDS = 5


@looks_into("RAY518", Severity.INFO, kuberay="1.7..", reports=("FR-154",), fixes="unsafe")
def cron_job_without_time_zone(cron: RayCronJob) -> Problems:
    """A RayCronJob without a time zone: the schedule is in the operator's own.

    ## What it flags
    A RayCronJob without `timeZone` whose schedule names an hour. (`TZ=` in the schedule is refused, KR180.)

    It stays silent where the hour does not matter: `*`, `*/N` or a macro such as `@hourly`.

    ## What happens
    The operator takes the schedule in its container's local time, UTC in the official image. A run that is meant
    for three at night starts hours off, and shifts with daylight saving time.

    ## Versions
    KubeRay 1.7 and later have `timeZone`.

    ## Fix
    Write `timeZone: Etc/UTC`, or the zone that you mean.

    ## When to ignore it
    When UTC is meant and everybody knows it.

    ## Source
    ray-project/kuberay v1.7.0, `raycronjob_controller.go`; ray-project/kuberay#4762.

    ## Examples
    ```yaml bad cron
    schedule: "0 3 * * *"  # <-
    shutdownAfterJobFinishes: true
    ```

    ```yaml bad cron
    schedule: "30 6,18 * * 1-5"  # <-
    shutdownAfterJobFinishes: true
    ```

    ```yaml good cron
    schedule: "0 3 * * *"
    timeZone: Europe/Zurich
    shutdownAfterJobFinishes: true
    ```

    ```yaml good near-miss cron
    schedule: "*/30 * * * *"
    shutdownAfterJobFinishes: true
    ```
    """
    schedule = cron.spec.string("schedule")
    parts = (schedule.value or "").split()
    names_an_hour = len(parts) == _FIELDS and parts[1][0].isdigit() and "TZ" not in (schedule.value or "")
    if names_an_hour and not cron.spec.has("timeZone"):
        yield schedule.flag(
            "the schedule is in the operator's time zone, which this file does not tell",
            label="no timeZone",
            effect="the operator's local time counts, UTC in the official image, so runs start at another hour",
            fix="write timeZone: Etc/UTC, or the zone that is meant",
            repair=unsafe(cron.spec.at_key("timeZone").set("Etc/UTC", after="schedule")),
        )


@looks_into("RAY519", Severity.WARNING, reports=("FR-102",), fixes="unsafe")
def cron_job_leaves_clusters(cron: RayCronJob) -> Problems:
    """Runs of a RayCronJob pile up: nothing removes their clusters.

    ## What it flags
    A RayCronJob whose `jobTemplate` has neither `shutdownAfterJobFinishes: true` nor a `deletionStrategy`; with
    shutdown but without `activeDeadlineSeconds` as an info.

    ## What happens
    There is no concurrency policy: every run makes a RayJob with a cluster of its own, whether the last one is
    done or not. Clusters of finished runs stay as well. After a week of hourly runs 168 heads and all their
    workers are there, or the quota is used up and nothing runs any more.

    ## Versions
    KubeRay 1.6 and 1.7.

    ## Fix
    Write `shutdownAfterJobFinishes: true` in the `jobTemplate`, and an `activeDeadlineSeconds` below the interval.

    ## When to ignore it
    When the operator runs with DELETE_RAYJOB_CR_AFTER_JOB_FINISHES.

    ## Source
    ray-project/kuberay v1.7.0, `raycronjob_controller.go`; the review of ray-project/kuberay#4762.

    ## Examples
    ```yaml bad cron
    schedule: "@hourly"
    entrypoint: python report.py  # <-
    ```

    ```yaml bad cron
    schedule: "@daily"
    entrypoint: python report.py  # <-
    activeDeadlineSeconds: 3000
    ```

    ```yaml bad severity=info cron
    schedule: "*/5 * * * *"
    entrypoint: python report.py  # <-
    shutdownAfterJobFinishes: true
    ```

    ```yaml good cron
    schedule: "@hourly"
    shutdownAfterJobFinishes: true
    activeDeadlineSeconds: 3000
    ```

    ```yaml good near-miss cron
    schedule: "@hourly"
    entrypoint: python report.py
    clusterSelector: {ray.io/cluster: shared}
    activeDeadlineSeconds: 3000
    ```
    """
    spec = cron.job_spec
    ends = spec.has("activeDeadlineSeconds")
    cleans = cleans_up(cron) or cron.uses_existing_cluster
    if cleans and ends:
        return
    missing = "no deadline" if cleans else "nothing removes its cluster" + ("" if ends else ", and no deadline")
    yield Problem(
        spec.at_key("entrypoint").key() if spec.has("entrypoint") else spec.at.key(),
        f"runs pile up: each has a cluster of its own, {missing}"
        if not cleans
        else "a run that hangs is joined by the next one: no deadline",
        effect="runs that are not done do not hold up the next one, and what they leave stays until somebody"
        " deletes it",
        fix="set shutdownAfterJobFinishes: true and activeDeadlineSeconds in the jobTemplate",
        severity=Severity.INFO if cleans else None,
        confidence=Confidence.MEDIUM if cleans else None,
        # How long a run may take, nobody else knows.
        repair=unsafe(spec.at_key("shutdownAfterJobFinishes").set(True)) if ends else None,
    )
