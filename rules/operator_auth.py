"""Token authentication as the operator refuses it."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.field import View
from raylint.manifest import RayJob, RayService
from raylint.rule import Problem, Repair, unsafe
from raylint.target import parse_version, version_text

from .refusal import refused, refuses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems
    from raylint.target import Version

# One of these is written wherever a rule here has something to say.
MENTIONS = ("authOptions",)
_OPTIONS = "authOptions"


def _options(cluster: RayCluster) -> View:
    return cluster.part(_OPTIONS)


def _by_token(cluster: RayCluster) -> bool:
    """Is authentication on? Only the literal mode does it."""
    return _options(cluster).data.get("mode") == "token"


def _by_kubernetes(cluster: RayCluster) -> bool:
    return _options(cluster).data.get("enableK8sTokenAuth") is True


def _flag(cluster: RayCluster, key: str, fault: str, fix: str, repair: Repair | None = None) -> Problem:
    return refused(cluster, _options(cluster).at_key(key), fault, fix=fix, repair=repair)


def _as_in_images(cluster: RayCluster, least: Version) -> Repair | None:
    """Write the release that all images tell, if that is late enough."""
    releases = {group.image.ray_version if group.image is not None else None for group in cluster.groups}
    release = releases.pop() if len(releases) == 1 else None
    if release is None or release < least:
        return None
    return unsafe(cluster.at_key("rayVersion").set(version_text(release)))


@refuses("KR078", "1.5.1..", _OPTIONS, reports=("FR-144",), fixes="unsafe")
def auth_without_ray_version(cluster: RayCluster) -> Problems:
    """The operator refuses token authentication without a `rayVersion`.

    `authOptions.mode: token` while `rayVersion` is missing or empty. The image's tag does not count.

    Versions: The field `authOptions` came with 1.5.1.
    Fix: Write `rayVersion`, 2.52.0 or later, as in the image.

    bad RayCluster
      cluster: authOptions: {mode: token}  # <-
    bad RayService
      cluster: rayVersion: ""
      cluster: authOptions: {mode: token}  # <-
    good RayCluster
      cluster: rayVersion: 2.52.0
      cluster: authOptions: {mode: token}
    near-miss RayCluster -- Without the mode it is not on:
      cluster: authOptions: {}
    """
    written = cluster.string("rayVersion")
    if _by_token(cluster) and written.known and not written.value:
        fault = "authOptions.mode is token, and there is no rayVersion"
        yield _flag(cluster, "mode", fault, _VERSION_FIX, _as_in_images(cluster, _BY_TOKEN_SINCE))


_BY_TOKEN_SINCE = (2, 52)
_BY_KUBERNETES_SINCE = (2, 55)
_VERSION_FIX = "use Ray 2.52.0 or later and write its version as rayVersion"


@refuses("KR079", "1.5.1..", _OPTIONS, fixes="unsafe")
def auth_with_odd_ray_version(cluster: RayCluster) -> Problems:
    """The operator refuses token authentication where `rayVersion` is no version.

    `authOptions.mode: token` with a `rayVersion` such as `nightly`, `latest` or `2`, or with a line break behind
    it.

    Fix: Write the version that the image holds.

    bad RayCluster
      cluster: rayVersion: nightly
      cluster: authOptions: {mode: token}  # <-
    bad RayJob
      cluster: rayVersion: "2"
      cluster: authOptions: {mode: token}  # <-
    good RayCluster
      cluster: rayVersion: 2.52.0
      cluster: authOptions: {mode: token}
    near-miss RayCluster
      cluster: rayVersion: v2.53.0.dev0
      cluster: authOptions: {mode: token}
    """
    written = cluster.string("rayVersion").value
    if written and _by_token(cluster) and parse_version(written) is None:
        fault = f"authOptions.mode is token, and rayVersion {written!r} is no version"
        yield _flag(cluster, "mode", fault, _VERSION_FIX, _as_in_images(cluster, _BY_TOKEN_SINCE))


@refuses("KR080", "1.5.1..", _OPTIONS, reports=("FR-144",), fixes="unsafe")
def auth_with_old_ray(cluster: RayCluster) -> Problems:
    """The operator refuses token authentication where `rayVersion` is below 2.52.0.

    `authOptions.mode: token` with an older `rayVersion`: Ray has no token authentication before.

    Fix: Use Ray 2.52.0 or later in image and `rayVersion`.

    bad RayCluster
      cluster: rayVersion: 2.51.1
      cluster: authOptions: {mode: token}  # <-
    bad RayService
      cluster: rayVersion: "2.9"
      cluster: authOptions: {mode: token}  # <-
    good RayCluster
      cluster: rayVersion: 2.52.0
      cluster: authOptions: {mode: token}
    near-miss RayCluster -- A release candidate counts as its release:
      cluster: rayVersion: 2.52.0rc1
      cluster: authOptions: {mode: token}
    """
    written = cluster.string("rayVersion").value
    version = parse_version(written) if written else None
    if version is not None and version < _BY_TOKEN_SINCE and _by_token(cluster):
        fault = f"authOptions.mode is token, and rayVersion {written!r} is below 2.52.0"
        yield _flag(cluster, "mode", fault, _VERSION_FIX, _as_in_images(cluster, _BY_TOKEN_SINCE))


@refuses("KR081", "1.6..", _OPTIONS, reports=("FR-145",), fixes="unsafe")
def kubernetes_auth_with_old_ray(cluster: RayCluster) -> Problems:
    """The operator refuses authentication by Kubernetes tokens where `rayVersion` is below 2.55.0.

    `authOptions.mode: token` with `enableK8sTokenAuth: true` and an older `rayVersion`.

    Versions: The field `enableK8sTokenAuth` came with 1.6.
    Fix: Use Ray 2.55.0 or later in image and `rayVersion`, or a token from a Secret.

    bad RayCluster
      cluster: rayVersion: 2.54.0
      cluster: authOptions: {mode: token, enableK8sTokenAuth: true}  # <-
    bad RayCluster
      cluster: rayVersion: 2.52.0
      cluster: authOptions: {mode: token, enableK8sTokenAuth: true}  # <-
    bad RayCluster -- The image has it, and the version was left behind:
      cluster: rayVersion: 2.54.0
      cluster: authOptions: {mode: token, enableK8sTokenAuth: true}  # <-
      head.containers: containers: [{name: ray-head, image: "rayproject/ray:2.55.0"}]
    good RayCluster
      cluster: rayVersion: 2.55.0
      cluster: authOptions: {mode: token, enableK8sTokenAuth: true}
    near-miss RayCluster
      cluster: rayVersion: 2.54.0
      cluster: authOptions: {mode: token, enableK8sTokenAuth: false}
    """
    written = cluster.string("rayVersion").value
    version = parse_version(written) if written else None
    if version is not None and version < _BY_KUBERNETES_SINCE and _by_token(cluster) and _by_kubernetes(cluster):
        yield _flag(
            cluster,
            "enableK8sTokenAuth",
            f"enableK8sTokenAuth with rayVersion {written!r}, and it needs 2.55.0",
            "use Ray 2.55.0 or later in image and rayVersion, or remove enableK8sTokenAuth",
            _as_in_images(cluster, _BY_KUBERNETES_SINCE),
        )


@refuses("KR082", "1.6..", _OPTIONS, reports=("FR-145",))
def kubernetes_auth_with_secret(cluster: RayCluster) -> Problems:
    """The operator refuses `secretName` beside `enableK8sTokenAuth`.

    `authOptions.mode: token` with `enableK8sTokenAuth: true` and a `secretName` that is not empty.

    Fix: Keep one of the two.

    bad RayCluster
      cluster: rayVersion: 2.55.0
      cluster: authOptions: {mode: token, enableK8sTokenAuth: true, secretName: ray-token}  # <-
    bad RayCluster
      cluster: rayVersion: 2.56.0
      cluster: authOptions:
      cluster:   mode: token
      cluster:   enableK8sTokenAuth: true
      cluster:   secretName: ray-token  # <-
    good RayCluster
      cluster: rayVersion: 2.55.0
      cluster: authOptions: {mode: token, secretName: ray-token}
    near-miss RayCluster
      cluster: rayVersion: 2.55.0
      cluster: authOptions: {mode: token, enableK8sTokenAuth: true, secretName: ""}
    """
    secret = _options(cluster).string("secretName")
    if secret and secret.value != "" and _by_token(cluster) and _by_kubernetes(cluster):
        yield _flag(
            cluster,
            "secretName",
            "authOptions has secretName beside enableK8sTokenAuth",
            "keep one: a token in a Secret, or the tokens of Kubernetes",
        )


@refuses("KR083", "1.6..", _OPTIONS)
def kubernetes_auth_without_mode(cluster: RayCluster) -> Problems:
    """The operator refuses `enableK8sTokenAuth` unless `mode` is `token`.

    `authOptions.enableK8sTokenAuth: true` with another `mode` or none: the field has no default.

    Fix: Write `mode: token`.

    bad RayCluster
      cluster: rayVersion: 2.55.0
      cluster: authOptions: {enableK8sTokenAuth: true}  # <-
    bad RayCluster
      cluster: rayVersion: 2.55.0
      cluster: authOptions: {mode: disabled, enableK8sTokenAuth: true}  # <-
    good RayCluster
      cluster: rayVersion: 2.55.0
      cluster: authOptions: {mode: token, enableK8sTokenAuth: true}
    near-miss RayCluster
      cluster: authOptions: {mode: disabled, enableK8sTokenAuth: false}
    """
    if _by_kubernetes(cluster) and _options(cluster).string("mode").known and not _by_token(cluster):
        yield _flag(
            cluster,
            "enableK8sTokenAuth",
            "authOptions has enableK8sTokenAuth, but its mode is not token",
            "write mode: token, it is not the default",
        )


@refuses("KR141", "1.6..", reports=("FR-145",), fixes="unsafe")
def kubernetes_auth_of_job(job: RayJob) -> Problems:
    """The operator refuses a RayJob whose cluster uses the tokens of Kubernetes.

    `rayClusterSpec.authOptions.enableK8sTokenAuth: true` in a RayJob or RayCronJob, whatever `mode` says.
    Upstream's own `historyserver/config/rayjob-kubernetes-auth.yaml` (v1.7.0) breaks the rule.

    Versions: Checked before the cluster itself.
    Fix: Remove `enableK8sTokenAuth`; a token in a Secret works.

    bad RayJob
      cluster: rayVersion: 2.55.0
      cluster: authOptions: {mode: token, enableK8sTokenAuth: true}  # <-
    bad RayCronJob
      cluster: rayVersion: 2.55.0
      cluster: authOptions: {enableK8sTokenAuth: true}  # <-
    good RayJob
      cluster: rayVersion: 2.55.0
      cluster: authOptions: {mode: token}
    near-miss RayCluster
      cluster: rayVersion: 2.55.0
      cluster: authOptions: {mode: token, enableK8sTokenAuth: true}
    """
    return _no_kubernetes_auth(job)


@refuses("KR160", "1.6..", reports=("FR-145",), fixes="unsafe")
def kubernetes_auth_of_service(service: RayService) -> Problems:
    """The operator refuses a RayService whose cluster uses the tokens of Kubernetes.

    `rayClusterConfig.authOptions.enableK8sTokenAuth: true`, whatever `mode` says.

    Versions: Checked before the cluster itself.
    Fix: Remove `enableK8sTokenAuth`; a token in a Secret works.

    bad RayService
      cluster: rayVersion: 2.55.0
      cluster: authOptions: {mode: token, enableK8sTokenAuth: true}  # <-
    bad RayService
      cluster: authOptions: {enableK8sTokenAuth: true}  # <-
    good RayService
      cluster: rayVersion: 2.55.0
      cluster: authOptions: {mode: token, secretName: ray-token}
    near-miss RayService
      cluster: rayVersion: 2.55.0
      cluster: authOptions: {mode: token, enableK8sTokenAuth: false}
    """
    return _no_kubernetes_auth(service)


def _no_kubernetes_auth(owner: RayJob | RayService) -> Problems:
    cluster = owner.cluster
    if cluster is not None and _by_kubernetes(cluster):
        at = _options(cluster).at_key("enableK8sTokenAuth")
        yield refused(
            owner,
            at,
            f"enableK8sTokenAuth in the cluster of a {owner.kind}",
            fix="remove enableK8sTokenAuth: only a RayCluster of its own may have it",
            repair=unsafe(at.delete()),
        )
