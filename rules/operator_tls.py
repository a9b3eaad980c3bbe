"""TLS that KubeRay sets up itself, as the operator refuses it. KubeRay 1.7, by feature gate."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.field import View
from raylint.pod import EnvVar
from raylint.rule import Location, unsafe

from .refusal import gate_is_off, refused, refuses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from raylint.rule import Problems, Rule

_OPTIONS = "tlsOptions"
_GATE = "RayClusterMTLS"
_VARIABLES = ("RAY_USE_TLS", "RAY_TLS_SERVER_CERT", "RAY_TLS_SERVER_KEY", "RAY_TLS_CA_CERT")
_VOLUME = "ray-tls"
_MOUNT = "/etc/ray/tls"


@refuses("KR093", "1.7..", _OPTIONS, reports=("FR-157",))
def tls_gate(cluster: RayCluster) -> Problems:
    """The operator refuses `tlsOptions` while its feature gate is off.

    The field, even with `enabled: false`, where RayClusterMTLS is off, which it is in KubeRay 1.7 unless somebody
    turns it on.

    Versions: The field came with 1.7.
    Gate: RayClusterMTLS
    Fix: Turn the gate on in the operator (it needs cert-manager, KR-202) and tell raylint so, or remove the field.
    Ignore: Never; give `--feature-gates` what the operator has. Told of no gate at all, raylint only warns.

    bad RayCluster gates=RayClusterMTLS=false
      cluster: tlsOptions: {enabled: true}  # <-
    bad RayService gates=RayClusterMTLS=false
      cluster: tlsOptions: {enabled: false}  # <-
    good RayCluster
      cluster: tlsOptions: {enabled: true}
    near-miss RayCluster
      cluster: tlsOptions: null
    """
    if not cluster.target.gate(_GATE):
        yield gate_is_off(cluster, cluster.at_key(_OPTIONS).key(), _OPTIONS, _GATE)


_ENV_PAGE = """The operator refuses TLS variables of @WHERE where it sets TLS up itself.

    `tlsOptions.enabled: true`, with the gate RayClusterMTLS on, and `RAY_USE_TLS`, `RAY_TLS_SERVER_CERT`,
    `RAY_TLS_SERVER_KEY` or `RAY_TLS_CA_CERT` in the `env` of @WHERE.

    Gate: RayClusterMTLS
    Fix: Remove the variables; KubeRay sets all four.

    bad RayCluster
      cluster: tlsOptions: {enabled: true}
      @SLOT: @BEFOREenv: [{name: RAY_USE_TLS, value: "1"}]@AFTER  # <-
    bad RayJob
      cluster: tlsOptions: {enabled: true}
      @SLOT: @BEFOREenv: [{name: RAY_TLS_CA_CERT, value: /etc/ca.crt}]@AFTER  # <-
    good RayCluster
      cluster: tlsOptions: {enabled: true}
    near-miss RayCluster -- By hand, and KubeRay stays out of it:
      cluster: tlsOptions: {enabled: false}
      @SLOT: @BEFOREenv: [{name: RAY_USE_TLS, value: "1"}]@AFTER
    """
_MOUNT_PAGE = """The operator refuses a mount of @WHERE where KubeRay's own certificates will be.

    `tlsOptions.enabled: true`, with the gate RayClusterMTLS on, and a `volumeMounts` entry of @WHERE with the name
    `ray-tls` or at `/etc/ray/tls`.

    Gate: RayClusterMTLS
    Fix: Remove the mount; KubeRay adds it.

    bad RayCluster
      cluster: tlsOptions: {enabled: true}
      @SLOT: @BEFOREvolumeMounts: [{name: certs, mountPath: /etc/ray/tls}]@AFTER  # <-
    bad RayService
      cluster: tlsOptions: {enabled: true}
      @SLOT: @BEFOREvolumeMounts: [{name: ray-tls, mountPath: /tls}]@AFTER  # <-
    good RayCluster
      cluster: tlsOptions: {enabled: true}
    near-miss RayCluster
      cluster: tlsOptions: {enabled: true}
      @SLOT: @BEFOREvolumeMounts: [{name: certs, mountPath: /etc/ray}]@AFTER
    """
# Title in messages, slot of the examples, and what stands around the line there.
_PARTS = {
    "head": ("the head's Ray container", "head.ray", "", ""),
    "worker": ("a worker's Ray container", "group.ray", "", ""),
    "autoscaler": ("the autoscaler", "cluster", "autoscalerOptions: {", "}"),
}


def _parts(cluster: RayCluster, part: str) -> Iterable[View]:
    """The containers, or what will be one, that a check looks at; none where KubeRay sets no TLS up."""
    if cluster.part(_OPTIONS).data.get("enabled") is not True or not cluster.target.gate(_GATE):
        return ()
    if part == "head":
        return (cluster.head.ray_container,)
    if part == "worker":
        return [group.ray_container for group in cluster.worker_groups]
    return (cluster.autoscaler,)


def _variables_by_hand(id: str, part: str) -> Rule:
    title = _PARTS[part][0]

    def check(cluster: RayCluster) -> Problems:
        for view in _parts(cluster, part):
            for path, entry in view.parts("env"):
                variable = EnvVar(cluster.document, path, entry)
                if variable.name in _VARIABLES:
                    yield refused(
                        cluster,
                        variable.at,
                        f"{variable.name} is set for {title}, and tlsOptions sets it as well",
                        fix="remove the variable, or write tlsOptions.enabled: false and set TLS up by hand",
                        repair=unsafe(variable.at.delete()),
                    )

    check.__doc__ = _filled(_ENV_PAGE, part)
    return refuses(id, "1.7..", _OPTIONS, name=f"{part}-tls-env-by-hand", reports=("FR-146",), fixes="unsafe")(
        check
    )


def _mounts_by_hand(id: str, part: str) -> Rule:
    title = _PARTS[part][0]

    def check(cluster: RayCluster) -> Problems:
        for view in _parts(cluster, part):
            for path, mount in view.parts("volumeMounts"):
                if not isinstance(mount, dict):
                    continue
                name, place = mount.get("name"), mount.get("mountPath")
                if name == _VOLUME or place == _MOUNT:
                    yield refused(
                        cluster,
                        Location(cluster.document, path),
                        f"the mount {name!r} at {place!r} of {title} is where tlsOptions mounts certificates",
                        fix="remove the mount, or write tlsOptions.enabled: false and set TLS up by hand",
                    )

    check.__doc__ = _filled(_MOUNT_PAGE, part)
    return refuses(id, "1.7..", _OPTIONS, name=f"{part}-tls-mount-by-hand")(check)


def _filled(page: str, part: str) -> str:
    for word, text in zip(("@WHERE", "@SLOT", "@BEFORE", "@AFTER"), _PARTS[part], strict=True):
        page = page.replace(word, text)
    return page


head_tls_env = _variables_by_hand("KR094", "head")
head_tls_mount = _mounts_by_hand("KR095", "head")
worker_tls_env = _variables_by_hand("KR096", "worker")
worker_tls_mount = _mounts_by_hand("KR097", "worker")
autoscaler_tls_env = _variables_by_hand("KR098", "autoscaler")
autoscaler_tls_mount = _mounts_by_hand("KR099", "autoscaler")
