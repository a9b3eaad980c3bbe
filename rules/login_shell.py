"""The login shell in which KubeRay up to 1.3 starts Ray."""

from __future__ import annotations

from raylint.group import Group
from raylint.rule import Severity

from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

__all__ = ["path_reset_by_login_shell"]

MENTIONS = ("PATH",)


@outlined("RAY335", Severity.INFO, kuberay="..1.3", reports=("FR-136",))
def path_reset_by_login_shell(group: Group) -> Problems:
    """A `PATH` in `env` does not survive the login shell in which KubeRay up to 1.3 starts Ray.

    The variable `PATH` in `env` of a Ray container whose image is no official one, without the annotation
    `ray.io/overwrite-container-cmd: "true"`.

    Then: `bash -l` reads `/etc/profile`, which sets `PATH` anew on most images: `ray: command not found`, in the
    init container of the workers as well.

    Fix: Set `PATH` in a file that a login shell reads (`/etc/profile.d/`), link `ray` into `/usr/local/bin`, or
    use KubeRay 1.4, whose shell is no login shell.
    Ignore: Where the image's profile leaves `PATH` alone.
    Source: ray-project/kuberay v1.3.2 and v1.4.0, `common/pod.go`; ray-project/kuberay#1076,
    ray-project/kuberay#3655.

    bad RayCluster kuberay=1.3
      head.containers: containers:
      head.containers: - name: ray-head
      head.containers:   image: registry.example.com/train:7
      head.containers:   env:
      head.containers:   - {name: PATH, value: "/opt/venv/bin:/usr/bin:/bin"}  # <-
    bad RayJob kuberay=1.2
      group.containers: containers:
      group.containers: - name: ray-worker
      group.containers:   image: registry.example.com/train:7
      group.containers:   env: [{name: PATH, value: "/root/.venv/bin:/usr/bin"}]  # <-
    good RayCluster kuberay=1.3
      head.ray: env: [{name: PATH, value: "/home/ray/anaconda3/bin:/usr/bin"}]
    near-miss RayCluster kuberay=1.4 -- No login shell any more:
      head.containers: containers:
      head.containers: - name: ray-head
      head.containers:   image: registry.example.com/train:7
      head.containers:   env: [{name: PATH, value: "/opt/venv/bin:/usr/bin"}]
    """
    ray = group.ray_container
    entry = ray.env("PATH")
    if entry is None or ray.image is None or ray.image.is_ray or not group.cluster.is_built:
        return
    if (group.cluster.annotations.string("ray.io/overwrite-container-cmd").value or "").lower() != "true":
        yield entry.value.flag(
            "the login shell that starts Ray sets PATH anew",
            effect="ray: command not found, in the init container of the workers as well",
            fix="set PATH in a file below /etc/profile.d, or link ray into /usr/local/bin",
        )
