"""Whether a demand can be placed at all, and why not."""

from __future__ import annotations

from raylint.field import Origin
from raylint.manifest import RayJob, RayService
from raylint.offer import Demand, amount_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from raylint.offer import Offer
    from raylint.rule import Location

__all__ = ["is_assumed", "missing_everywhere", "possible_offers", "why_nowhere"]


def possible_offers(service: RayService | RayJob) -> list[Offer]:
    """The groups that can have pods."""
    cluster = service.cluster
    return [] if cluster is None else [offer for offer in cluster.offers if offer.can_exist]


def missing_everywhere(demand: Demand, found: Sequence[Offer]) -> list[str] | None:
    """The resources of which every pod has too little, where no pod can hold the demand; empty where each pod
    lacks something else. None where some pod may hold it, or there is none."""
    lacking = []
    for offer in found:
        lacks = offer.lacks(demand)
        if not lacks:
            return None
        lacking.append(lacks)
    return [name for name in demand.amounts if all(name in lacks for lacks in lacking)] if lacking else None


def why_nowhere(
    demand: Demand, found: Sequence[Offer], missing: list[str]
) -> tuple[str, list[tuple[Location, str]]]:
    """Why no pod can hold it, and where that is written."""
    if not missing:
        return "no group offers that in one pod", [
            (offer.group.at, f"too little: {' and '.join(offer.lacks(demand))}") for offer in found
        ]
    name = missing[0]
    best = max(found, key=lambda offer: offer.amount(name).value or 0)
    most = best.amount(name)
    if not most.value:
        return f"no group offers any {name if name in ('CPU', 'GPU') else repr(name)}", [
            (offer.group.at, f"{offer.group.title}: none") for offer in found
        ]
    shown = amount_text(name, most.value)
    return f"the largest pod offers {shown}", [(most.at, f"{best.group.title} offers {shown}")]


def is_assumed(found: Sequence[Offer], missing: list[str]) -> bool:
    """Does it rest on GPUs that no group mentions? A node may show its own to every container."""
    if missing[:1] != ["GPU"]:
        return False
    offered = [offer.amount("GPU") for offer in found]
    return not any(gpus.value for gpus in offered) and any(gpus.origin is Origin.KUBERAY for gpus in offered)
