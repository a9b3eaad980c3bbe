"""The user that a Ray pod runs as."""

from __future__ import annotations

from raylint.group import Group
from raylint.rule import Confidence, Severity

from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.field import Field
    from raylint.rule import Problems

__all__ = ["user_without_home"]

MENTIONS = ("runAsUser",)
# Of the official images: /home/ray belongs to 1000, and root may write everywhere.
_OWNERS = (0, 1000)


@outlined("RAY814", Severity.WARNING, confidence=Confidence.MEDIUM, reports=("FR-135",))
def user_without_home(group: Group) -> Problems:
    """Another user than the image's own: Ray may not write in its home directory.

    `runAsUser` of the Ray container or its pod that is neither 1000 nor 0, with an official Ray image, no `HOME`
    of its own in `env`, and nothing mounted at `/home/ray`.

    It stays silent on other images, and where `envFrom` may bring `HOME`.

    Then: `/home/ray` belongs to the user 1000. As another user pip, conda and runtime environments end with
    `Permission denied`, and so do caches of models below the home directory.

    Fix: Remove `runAsUser` or write 1000; where the platform demands another user (OpenShift), set `HOME` to a
    directory that it may write, or build an image whose `/home/ray` belongs to the group 0.
    Ignore: Where nothing is ever written below the home directory.
    Source: Ray 2.60.0 `docker/base-deps/Dockerfile` (user ray, uid 1000); ray-project/ray#30959,
    ray-project/kuberay#750.

    bad RayCluster
      head.pod: securityContext: {runAsUser: 1001}  # <-
      head.ray: imagePullPolicy: Always
    bad RayJob
      group.ray: securityContext: {runAsUser: 1000720000}  # <-
    good RayCluster
      head.pod: securityContext: {runAsUser: 1000}
      head.ray: imagePullPolicy: Always
    good RayCluster
      head.ray: securityContext: {runAsUser: 1001}
      head.ray: env: [{name: HOME, value: /tmp}]
    near-miss RayCluster -- The container's own user counts:
      head.pod: securityContext: {runAsUser: 1001}
      head.ray: securityContext: {runAsUser: 1000}
    """
    user = _user(group)
    ray = group.ray_container
    if user is None or user.value is None or user.value in _OWNERS or not group.cluster.is_built:
        return
    if ray.image is None or not ray.image.is_ray or ray.has_env_from or ray.env("HOME") is not None:
        return
    mounts = (item for _, item in ray.parts("volumeMounts") if isinstance(item, dict))
    if not any(str(mount.get("mountPath")).rstrip("/") == "/home/ray" for mount in mounts):
        yield user.flag(
            f"user {user.value} may not write in /home/ray, the home of the image",
            effect="pip, conda, runtime environments and model caches end with: Permission denied",
            fix="write runAsUser: 1000, or set HOME to a directory that this user may write",
        )


def _user(group: Group) -> Field[int] | None:
    """``runAsUser`` that is written for the Ray container; the container's own before its pod's."""
    for context in (group.ray_container.part("securityContext"), group.pod.part("securityContext")):
        if context.has("runAsUser"):
            return context.integer("runAsUser")
    return None
