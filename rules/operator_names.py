"""Names and other metadata that the operator refuses."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.field import Field, Origin
from raylint.kube_names import is_dns1035
from raylint.manifest import RayClusterObject, RayObject
from raylint.rule import Problem

from .refusal import refused, refuses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import OddlyNamed
    from raylint.rule import Problems

# A generated name: its base, cut here, and five random characters (kubernetes, ``names/generate.go``).
_LONGEST_BASE = 58
_RANDOM = "x" * 5
_ORIGIN = "ray.io/originated-from-crd"


def _name(found: RayObject) -> Field[str]:
    """The name as the operator sees it, a generated one with its random characters."""
    written = found.name
    if written or written.value is not None:
        return written
    base = found.metadata.string("generateName")
    return Field(base.value[:_LONGEST_BASE] + _RANDOM, Origin.WRITTEN, base.at) if base.value else base


def _too_long(found: RayObject, kind: str, most: int, why: str) -> Problems:
    if found.kind != kind:
        return
    name = _name(found)
    length = len((name.value or "").encode("utf-8", "surrogatepass"))
    if length > most:
        yield refused(
            found,
            name,
            f"the name is {length} characters long, and KubeRay allows {most}",
            label=f"at most {most}, {why}",
            fix=f"shorten it to {most} characters; a generateName to {most - len(_RANDOM)}",
        )


def _no_dns_label(found: RayObject, *kinds: str) -> Problems:
    name = _name(found)
    if found.kind in kinds and name.value and not is_dns1035(name.value):
        yield refused(
            found,
            name,
            f"the name {name.value!r} cannot be part of a Service's name",
            label="a letter first, then lower-case letters, digits and dashes, no dash last",
            fix="begin with a letter, and use lower-case letters, digits and dashes only: no dots",
        )


@refuses("KR001", "1.4..", reports=("FR-147",))
def cluster_name_too_long(found: OddlyNamed) -> Problems:
    """The operator refuses a RayCluster whose name is longer than 53 characters.

    A `metadata.name` of more than 53 bytes, or a `generateName` of more than 48: the API server adds five.

    Then: The name of the Service for Serve, which ends with `-serve-svc`, would not fit into 63 characters.
    Versions: Earlier releases cut the names of what they make.
    Fix: Shorten the name. The Helm chart cuts at 63, not 53: set `fullnameOverride`.

    bad RayCluster
      meta: name: a-team-with-a-long-name-and-its-production-cluster-eu1  # <-
    bad RayCluster -- Five random characters are still to come:
      meta: generateName: a-team-with-a-long-name-and-its-production-cluste  # <-
    good RayCluster
      meta: name: production
    near-miss RayCluster -- 53 characters:
      meta: name: a-team-with-a-long-name-and-its-production-cluster-eu
    """
    return _too_long(found, "RayCluster", 53, "for -serve-svc must fit behind it")


@refuses("KR002", "1.4..", reports=("FR-148",))
def cluster_name_not_dns_label(found: OddlyNamed) -> Problems:
    """The operator refuses a RayCluster whose name is no DNS-1035 label.

    A name that begins with a digit or holds a dot. Kubernetes takes both in a name, Services do not.

    Versions: Earlier releases have it in their optional webhook alone (KR191).
    Fix: Begin with a letter, and write dashes for dots.

    bad RayCluster
      meta: name: 2024-experiments  # <-
    bad RayCluster
      meta: name: ray.production  # <-
    good RayCluster
      meta: name: experiments-2024
    near-miss RayCluster -- Two dashes in a row are fine:
      meta: name: a--b-2
    """
    return _no_dns_label(found, "RayCluster")


@refuses("KR003", "1.4..", reports=("FR-147",))
def job_name_too_long(found: OddlyNamed) -> Problems:
    """The operator refuses a RayJob whose name is longer than 47 characters.

    A `metadata.name` of more than 47 bytes, or a `generateName` of more than 42. The RayCluster of the job gets a
    dash and five characters behind the name. A RayCronJob has a limit of its own (KR008).

    Versions: The optional webhook checks it from 1.5 on (KR-192).
    Fix: Shorten the name.

    bad RayJob
      meta: name: nightly-retraining-of-the-recommendation-model-x  # <-
    bad RayJob
      meta: generateName: nightly-retraining-of-the-recommendation-mo  # <-
    good RayJob
      meta: name: nightly-retraining
    near-miss RayJob -- 47 characters:
      meta: name: nightly-retraining-of-the-recommendation-models
      meta: labels: {team: a}
    """
    return _too_long(found, "RayJob", 47, "for the RayCluster's name is six longer")


@refuses("KR004", "1.4..", reports=("FR-148",))
def job_name_not_dns_label(found: OddlyNamed) -> Problems:
    """The operator refuses a RayJob whose name is no DNS-1035 label, and the RayJobs of such a RayCronJob.

    A RayJob whose name begins with a digit or holds a dot; a RayCronJob whose name does so, although the operator
    accepts that one: its RayJobs begin with the same name.

    Then: Under such a RayCronJob a RayJob appears at every tick and ends at once with `ValidationFailed`; they
    pile up.
    Versions: RayCronJob since 1.6. The optional webhook checks it from 1.5 on (KR-192).
    Fix: Begin with a letter, and write dashes for dots.

    bad RayJob
      meta: name: 4x-ablation  # <-
    bad RayCronJob -- The RayCronJob passes, its jobs do not:
      meta: name: nightly.eval  # <-
    good RayJob
      meta: name: ablation-4x
    near-miss RayCronJob
      meta: name: nightly-2
    """
    for problem in _no_dns_label(found, "RayJob", "RayCronJob"):
        if found.kind != "RayCronJob":
            yield problem
            continue
        yield Problem(
            problem.at,
            f"the name {_name(found).value!r} makes every RayJob of this RayCronJob one that the operator refuses",
            label=problem.label,
            effect="the RayCronJob is accepted; at every tick a RayJob appears and ends with ValidationFailed: no"
            " cluster, no job",
            fix=problem.fix,
        )


@refuses("KR005", "1.4..", reports=("FR-147",))
def service_name_too_long(found: OddlyNamed) -> Problems:
    """The operator refuses a RayService whose name is longer than 47 characters.

    A `metadata.name` of more than 47 bytes, or a `generateName` of more than 42. Each RayCluster of the service
    gets a dash and five characters behind the name.

    Versions: The optional webhook checks it from 1.5 on (KR-193).
    Fix: Shorten the name.

    bad RayService
      meta: name: recommendation-ranker-for-the-european-storefront  # <-
    bad RayService
      meta: generateName: recommendation-ranker-for-the-european-shop-  # <-
    good RayService
      meta: name: ranker
    near-miss RayService -- 47 characters:
      meta: name: recommendation-ranker-for-the-european-shop-001
    """
    return _too_long(found, "RayService", 47, "for the RayClusters' names are six longer")


@refuses("KR006", "1.4..", reports=("FR-148",))
def service_name_not_dns_label(found: OddlyNamed) -> Problems:
    """The operator refuses a RayService whose name is no DNS-1035 label.

    A name that begins with a digit or holds a dot.

    Versions: The optional webhook checks it from 1.5 on (KR-193).
    Fix: Begin with a letter, and write dashes for dots.

    bad RayService
      meta: name: 1-ranker  # <-
    bad RayService
      meta: name: ranker.v2  # <-
    good RayService
      meta: name: ranker
    near-miss RayService
      meta: name: ranker-2
    """
    return _no_dns_label(found, "RayService")


@refuses("KR008", "1.7..", reports=("FR-147",))
def cron_name_too_long(found: OddlyNamed) -> Problems:
    """The operator refuses a RayCronJob whose name is longer than 36 characters.

    A `metadata.name` of more than 36 bytes, or a `generateName` of more than 31. A RayJob of the schedule gets a
    dash and up to ten digits behind the name, and its RayCluster six characters more.

    Fix: Shorten the name.

    bad RayCronJob
      meta: name: nightly-retraining-of-recommendations  # <-
    bad RayCronJob
      meta: generateName: nightly-retraining-of-recommenda  # <-
    good RayCronJob
      meta: name: nightly-retraining
    near-miss RayCronJob -- 36 characters:
      meta: name: nightly-retraining-of-recommendation
    """
    return _too_long(found, "RayCronJob", 36, "for its RayJobs' names are up to eleven longer")


@refuses("KR009", "1.6..", "upgradeStrategy")
def cluster_upgrade_type(found: RayClusterObject) -> Problems:
    """The operator refuses an `upgradeStrategy.type` of a RayCluster that is neither `Recreate` nor `None`.

    Any other text. The API server refuses it first (API004), so the operator meets it only where its CRDs are not
    those of its release.

    Fix: Write `Recreate` (a changed spec replaces all pods) or `None` (it does not), or remove the field.

    bad RayCluster
      spec: upgradeStrategy: {type: recreate}  # <-
    bad RayCluster
      spec: upgradeStrategy: {type: NewCluster}  # <-
    good RayCluster
      spec: upgradeStrategy: {type: Recreate}
    near-miss RayCluster -- No type, no check:
      spec: upgradeStrategy: {}
    """
    kind = found.spec.part("upgradeStrategy").string("type")
    if kind.value is not None and kind.value not in ("Recreate", "None"):
        yield refused(
            found,
            kind,
            f"upgradeStrategy.type {kind.value!r} is neither Recreate nor None",
            fix="write Recreate or None, or remove the field",
        )


@refuses("KR010", "1.6..", "upgradeStrategy")
def upgrade_strategy_of_owned_cluster(cluster: RayCluster) -> Problems:
    """The operator refuses the RayCluster of a RayJob or RayService that sets `upgradeStrategy.type`.

    `upgradeStrategy.type`, whatever its value, in the cluster of a RayJob, RayService or RayCronJob, or in a
    RayCluster with the label `ray.io/originated-from-crd: RayJob` (or `RayService`). A RayService has a strategy
    of its own, beside `rayClusterConfig`.

    Then: The RayJob or RayService itself is accepted. The RayCluster that KubeRay makes of it is refused: a
    warning event on that RayCluster, no pods, and the owner waits for ever.
    Fix: Remove it from the cluster. For a RayService write `spec.upgradeStrategy.type: NewCluster`.
    Source: ray-project/kuberay v1.7.0, `utils/validation.go` (`ValidateRayClusterUpgradeOptions`), which runs
    only on RayClusters.

    bad RayJob
      cluster: upgradeStrategy: {type: Recreate}  # <-
    bad RayService -- One level too deep:
      cluster: upgradeStrategy: {type: None}  # <-
    good RayCluster
      spec: upgradeStrategy: {type: Recreate}
    near-miss RayService -- The strategy of the service:
      spec: upgradeStrategy: {type: NewCluster}
    """
    kind = cluster.part("upgradeStrategy").string("type")
    if not kind:
        return
    if cluster.kind == "RayCluster":
        if cluster.owner.labels.string(_ORIGIN).value in ("RayJob", "RayService"):
            yield refused(
                cluster.owner,
                kind,
                f"upgradeStrategy.type in a RayCluster with the label {_ORIGIN}",
                fix=f"remove the label {_ORIGIN}, which KubeRay sets on its own clusters, or upgradeStrategy",
            )
        return
    if cluster.is_built and not cluster.has("managedBy"):
        yield Problem(
            kind.at,
            f"upgradeStrategy.type in the cluster of a {cluster.kind}: the operator refuses the RayCluster made of"
            " it",
            label="only for a RayCluster of its own",
            effect=f"the {cluster.kind} is accepted, then its RayCluster is refused with a warning event: no pods,"
            " and it waits for ever",
            fix="remove upgradeStrategy from the cluster; a RayService has its own, beside rayClusterConfig",
        )
