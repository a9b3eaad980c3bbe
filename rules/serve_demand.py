"""What the deployments that serveConfigV2 lists ask for."""

from __future__ import annotations

from functools import lru_cache

from raylint.manifest import RayService
from raylint.offer import Demand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.finding import Path

__all__ = ["Deployment", "deployments"]


class Deployment:
    """A listed deployment: what one replica needs. ``parts``: what has to fit on one node each, with its path;
    ``whole``: all of it; None: the code decides."""

    __slots__ = ("data", "name", "parts", "path", "spread", "whole")

    def __init__(self, path: Path, data: dict[str, object]) -> None:
        name = data.get("name")
        self.data = data
        self.name = name if isinstance(name, str) else ""
        self.path = path
        self.parts: list[tuple[Path, Demand]] = []
        self.whole: Demand | None = None
        self.spread = data.get("placement_group_strategy") == "STRICT_SPREAD"
        options, bundles = data.get("ray_actor_options"), data.get("placement_group_bundles")
        if isinstance(bundles, list):
            demands = [Demand.of_bundle(bundle) for bundle in bundles]
            known = [demand for demand in demands if demand is not None]
            if not bundles or len(known) != len(demands):
                return
            self.whole = known[0]
            for demand in known[1:]:
                self.whole += demand
            at = (*path, "placement_group_bundles")
            self.parts = (
                [(at, self.whole)]
                if data.get("placement_group_strategy") == "STRICT_PACK"
                else [((*at, number), demand) for number, demand in enumerate(known)]
            )
        elif isinstance(options, dict):
            self.whole = Demand.of_actor(options)
            if self.whole is not None:
                self.parts = [((*path, "ray_actor_options"), self.whole)]

    @property
    def replicas(self) -> int:
        """Replicas that the text itself demands, by ``num_replicas`` or the autoscaling minimum; 0: none."""
        scaling = self.data.get("autoscaling_config")
        return _whole(scaling.get("min_replicas") if isinstance(scaling, dict) else self.data.get("num_replicas"))

    @property
    def place_of_replicas(self) -> Path:
        scaled = isinstance(self.data.get("autoscaling_config"), dict)
        return (*self.path, *(("autoscaling_config", "min_replicas") if scaled else ("num_replicas",)))

    @property
    def most_per_node(self) -> int | None:
        return _whole(self.data.get("max_replicas_per_node")) or None


def _whole(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


# The rules that ask come one after the other.
@lru_cache(maxsize=1)
def deployments(service: RayService) -> tuple[Deployment, ...]:
    """Those that say what they need."""
    found = (Deployment(path, data) for path, data in service.serve_config.deployments)
    return tuple(deployment for deployment in found if deployment.parts)
