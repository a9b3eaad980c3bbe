"""A Serve configuration judged for the Ray release in force."""

from __future__ import annotations

from raylint.ray_release import Fault, agreed
from raylint.serve_deploy import deploy
from raylint.serve_schema import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.ray_release import RayRelease
    from raylint.target import Version

__all__ = ["judged"]


def judged(data: dict[str, object], version: Version | None, *, only_image: bool) -> list[Fault]:
    """All that this release refuses, drops or fails on; of an unknown release what every known one does."""

    def judge(release: RayRelease) -> list[Fault]:
        reading = load(data, release)
        return reading.faults + deploy(reading, only_image=only_image)

    return agreed(version, data, judge)
