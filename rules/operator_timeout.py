"""The time that a RayService may take to come up, where the operator refuses it."""

from __future__ import annotations

from raylint.go_duration import is_integer, nanoseconds
from raylint.manifest import RayService

from .refusal import refused, refuses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

_TIMEOUT = "ray.io/initializing-timeout"
MENTIONS = (_TIMEOUT,)


@refuses("KR007", "1.5..")
def initializing_timeout(found: RayService) -> Problems:
    """The operator refuses a RayService whose `ray.io/initializing-timeout` is no positive time.

    The annotation with anything but a positive Go duration (`30m`, `1h30m`) or a positive whole number of seconds:
    `0`, `-5m`, `10 minutes`, `1.5`. Empty text counts as no timeout.

    Versions: The optional webhook checks it, too (KR-193).
    Fix: Write a duration such as `30m`, or remove the annotation.

    bad RayService
      meta: annotations: {ray.io/initializing-timeout: 10 minutes}  # <-
    bad RayService
      meta: annotations: {ray.io/initializing-timeout: "0"}  # <-
    good RayService
      meta: annotations: {ray.io/initializing-timeout: 30m}
    near-miss RayService -- Seconds:
      meta: annotations: {ray.io/initializing-timeout: "600"}
    """
    written = found.annotations.string(_TIMEOUT)
    if not written.value:
        return
    duration = nanoseconds(written.value)
    if duration is None:
        duration = int(written.value) if is_integer(written.value) else 0
    if duration <= 0:
        yield refused(
            found,
            written,
            f"{_TIMEOUT} {written.value!r} is no positive time",
            label="a Go duration, or seconds as a whole number",
            fix="write a duration such as 30m, a positive number of seconds, or remove the annotation",
        )
