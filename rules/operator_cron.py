"""Schedules that the operator refuses or cannot keep."""

from __future__ import annotations

from raylint.manifest import RayCronJob
from raylint.rule import Problem, Severity, safe

from .refusal import refused, refuses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems, Repair

_GATE = "RayCronJob"


@refuses("KR180", "1.7..", reports=("FR-154",), fixes="safe")
def time_zone_in_schedule(found: RayCronJob) -> Problems:
    """The operator refuses a time zone inside the schedule.

    A `schedule` with `TZ` in it, at any place: `TZ=Asia/Tokyo 0 3 * * *`, `CRON_TZ=...`.

    Versions: 1.6 accepts both at the beginning, and has no `timeZone`.
    Fix: Write `timeZone: Asia/Tokyo`.

    bad RayCronJob
      spec: schedule: TZ=Asia/Tokyo 0 3 * * *  # <-
    bad RayCronJob
      spec: schedule: "CRON_TZ=UTC 0 3 * * *"  # <-
    good RayCronJob
      spec: schedule: 0 3 * * *
      spec: timeZone: Asia/Tokyo
    near-miss RayCronJob kuberay=1.6
      spec: schedule: TZ=Asia/Tokyo 0 3 * * *
    """
    schedule = found.spec.string("schedule")
    if schedule.value and "TZ" in schedule.value:
        yield refused(
            found,
            schedule,
            f"the schedule {schedule.value!r} holds a time zone",
            fix="write the zone as timeZone, beside schedule",
            repair=_moved_zone(found, schedule.value),
        )


def _moved_zone(found: RayCronJob, schedule: str) -> Repair | None:
    """The zone in a field of its own, where it stands before the schedule and no other one is written."""
    prefix, _, rest = schedule.strip().partition(" ")
    name, _, zone = prefix.partition("=")
    if name not in ("TZ", "CRON_TZ") or not zone or not rest.strip() or found.spec.has("timeZone"):
        return None
    at = found.spec.at_key("schedule")
    return safe(at.set(rest.strip()), found.spec.at_key("timeZone").set(zone, after="schedule"))


@refuses("KR181", "1.6..")
def schedule_syntax(found: RayCronJob) -> Problems:
    """The operator refuses a schedule that is no cron line.

    Anything but five fields (minute, hour, day, month, weekday) or one of `@yearly`, `@annually`, `@monthly`,
    `@weekly`, `@daily`, `@midnight`, `@hourly` and `@every DURATION`. Sunday is 0, not 7; there is no field for
    seconds, no `L`, `W` or `#`, no `@reboot`, and no range that runs backwards. A RayCronJob without a `spec`
    has no schedule, which is no cron line either.

    Fix: Write five fields; for Sunday write 0 or `sun`.

    bad RayCronJob
      spec: schedule: 0 3 * * 7  # <-
    bad RayCronJob -- Six fields:
      spec: schedule: 0 0 3 * * *  # <-
    good RayCronJob
      spec: schedule: 0 3 * * sun
    near-miss RayCronJob
      spec: schedule: "*/5 8-18 ? JAN-MAR,jul MON-FRI"
    """
    if not found.has("spec"):
        yield refused(found, found.at, "there is no schedule", fix="write spec with schedule and jobTemplate")
    schedule = found.spec.string("schedule")
    if schedule.value is None or not schedule:
        return
    from raylint.cron import schedule_fault

    fault = schedule_fault(schedule.value)
    if fault:
        yield refused(
            found,
            schedule,
            f"the schedule {schedule.value!r} cannot be read, {fault}",
            fix="write minute, hour, day, month and weekday (0 is Sunday), or @daily and the like",
        )


@refuses("KR182", "1.7..")
def time_zone_empty(found: RayCronJob) -> Problems:
    """The operator refuses an empty `timeZone`.

    Empty text. The API server refuses it first (API007).

    Fix: Write a zone, or remove the field: then it is the operator's own zone.

    bad RayCronJob
      spec: timeZone: ""  # <-
    bad RayCronJob
      spec: schedule: "@daily"
      spec: timeZone: ''  # <-
    good RayCronJob
      spec: timeZone: UTC
    near-miss RayCronJob
      spec: timeZone: null
    """
    zone = found.spec.string("timeZone")
    if zone.value == "":
        yield refused(found, zone, "timeZone is empty", fix="write a zone such as UTC, or remove timeZone")


@refuses("KR183", "1.7..")
def time_zone_unknown(found: RayCronJob) -> Problems:
    """The operator refuses a `timeZone` that is no name of the IANA database.

    A name that the database does not know: an offset (`+08:00`), an abbreviation (`CEST`), a wrong letter case
    (`europe/berlin`), a city of which there is none (`Asia/Beijing`). `UTC`, `Local` and links such as `Cuba` are
    known.

    Then: The operator asks the database of its own machine first, so a name that exists only there passes.
    Fix: Write a name such as `Europe/Berlin`.

    bad RayCronJob
      spec: timeZone: "+08:00"  # <-
    bad RayCronJob
      spec: timeZone: Asia/Beijing  # <-
    good RayCronJob
      spec: timeZone: Asia/Shanghai
    near-miss RayCronJob -- Behind Etc the sign is the other way round, but it is a name:
      spec: timeZone: Etc/GMT-8
    """
    zone = found.spec.string("timeZone")
    if not zone.value:
        return
    from raylint.time_zones import is_time_zone

    if not is_time_zone(zone.value):
        yield refused(
            found,
            zone,
            f"the time zone {zone.value!r} is unknown",
            fix="write a name of the IANA database, such as Europe/Berlin or UTC",
        )


@refuses("KR223", "1.6..", severity=Severity.WARNING)
def schedule_never_fires(found: RayCronJob) -> Problems:
    """A schedule that the operator reads but that never comes starts one job at once, and no other.

    A `schedule` whose day does not exist in any of its months (`0 0 31 2 *`), or with a field of commas alone.

    Then: By reading the code: the next time is none, which counts as long ago. One RayJob appears at once, with a
    negative number in its name, and nothing follows.
    Fix: Write a day that exists.
    Ignore: Never known to be right; to keep a schedule from firing write `suspend: true`.
    Source: ray-project/kuberay v1.7.0, `raycronjob_controller.go`; robfig/cron v3.0.1, `spec.go` (gives up after
    five years).

    bad RayCronJob
      spec: schedule: 0 0 31 2 *  # <-
    bad RayCronJob
      spec: schedule: 0 0 31 4,6,9,11 *  # <-
    good RayCronJob
      spec: schedule: 0 0 28 2 *
    near-miss RayCronJob -- In leap years:
      spec: schedule: 0 0 29 2 *
    """
    schedule = found.spec.string("schedule")
    if not schedule.value or "TZ" in schedule.value:
        return
    from raylint.cron import can_fire, schedule_fault

    if not schedule_fault(schedule.value) and not can_fire(schedule.value):
        yield schedule.flag(
            f"the schedule {schedule.value!r} names a day that never comes",
            effect="one RayJob appears at once, with a negative number in its name, and none ever after",
            fix="write a day that the months have; to pause a schedule write suspend: true",
        )


@refuses("KR225", "1.6..", severity=Severity.WARNING, reports=("FR-157",))
def cron_job_gate(found: RayCronJob) -> Problems:
    """A RayCronJob is stored and ignored while its feature gate is off.

    Any RayCronJob where the gate RayCronJob is off, which it is in every release unless somebody turns it on.

    Then: The object is there, its status stays empty, there is no event and no job: no controller looks at it.
    Gate: RayCronJob
    Fix: Start the operator with `--feature-gates=RayCronJob=true` (Helm: `featureGates`) and give raylint the
    same flag.
    Ignore: Never; tell raylint what the operator has.
    Source: ray-project/kuberay v1.7.0, `ray-operator/main.go`, `pkg/features/features.go`.

    bad RayCronJob gates=RayCronJob=false
      meta: name: nightly  # <-
    bad RayCronJob kuberay=1.6
      meta: name: nightly  # <-
    good RayCronJob
      meta: name: nightly
    near-miss RayJob
      meta: name: nightly
    """
    if not found.target.gate(_GATE):
        yield Problem(
            found.name.at,
            "the feature gate RayCronJob is off unless it is turned on: nobody looks at the RayCronJob",
            effect="the object is stored, its status stays empty, and no job is ever started; there is no event",
            fix="start the operator with --feature-gates=RayCronJob=true (Helm: featureGates), and give raylint"
            " the same flag",
            label="RayCronJob is off",
        )
