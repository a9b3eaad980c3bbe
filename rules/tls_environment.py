"""TLS between Ray's processes, set up by hand: the switch and the three files.

Facts: Ray 2.60.0 ``python/ray/_private/tls_utils.py`` and ``src/ray/rpc/common.cc``: with ``RAY_USE_TLS`` on, each
process reads ``RAY_TLS_SERVER_CERT``, ``RAY_TLS_SERVER_KEY`` and ``RAY_TLS_CA_CERT``.
"""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.rule import Problem, Severity

from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.group import Group
    from raylint.pod import EnvVar
    from raylint.rule import Problems

__all__ = ["tls_files_missing", "tls_on_one_side"]

MENTIONS = ("RAY_USE_TLS",)
_SWITCH = "RAY_USE_TLS"
_FILES = ("RAY_TLS_SERVER_CERT", "RAY_TLS_SERVER_KEY", "RAY_TLS_CA_CERT")
_ON = ("1", "true")


@outlined("RAY811", Severity.ERROR, reports=("FR-146",))
def tls_files_missing(cluster: RayCluster) -> Problems:
    """TLS is on and Ray is not told where its certificate, key and CA are: no process starts.

    `RAY_USE_TLS` with `1` or `true` in the env of a Ray container that lacks `RAY_TLS_SERVER_CERT`,
    `RAY_TLS_SERVER_KEY` or `RAY_TLS_CA_CERT`.

    It stays silent where `envFrom` may bring them, and with `tlsOptions`, which bring them for the operator.

    Then: Ray reads all three files as it starts. Without them the GCS ends with "Invalid cert chain file", and the
    container restarts again and again.

    Fix: Set the three variables to the paths of the files, on the head and on every worker group; or (KubeRay 1.7)
    `tlsOptions: {enabled: true}` in place of all four.
    Ignore: Where the image itself sets the variables.
    Source: Ray 2.60.0, `_private/tls_utils.py`; Ray "TLS Authentication"; ray-project/kuberay#4566.

    bad RayCluster
      head.ray: env:
      head.ray: - {name: RAY_USE_TLS, value: "1"}  # <-
      head.ray: - {name: RAY_TLS_SERVER_CERT, value: /etc/ray/tls/tls.crt}
    bad RayJob
      head.ray: env: [{name: RAY_USE_TLS, value: "true"}]  # <-
      group.ray: env: [{name: RAY_USE_TLS, value: "true"}]  # <-
    good RayCluster
      head.ray: env:
      head.ray: - {name: RAY_USE_TLS, value: "1"}
      head.ray: - {name: RAY_TLS_SERVER_CERT, value: /etc/ray/tls/tls.crt}
      head.ray: - {name: RAY_TLS_SERVER_KEY, value: /etc/ray/tls/tls.key}
      head.ray: - {name: RAY_TLS_CA_CERT, value: /etc/ray/tls/ca.crt}
    good RayCluster
      head.ray: env: [{name: RAY_USE_TLS, value: "1"}]
      head.ray: envFrom: [{configMapRef: {name: ray-tls}}]
    near-miss RayCluster
      head.ray: env: [{name: RAY_USE_TLS, value: "0"}]
    near-miss RayCluster
      cluster: tlsOptions: {enabled: true}
      head.ray: env: [{name: RAY_USE_TLS, value: "1"}]
    """
    for group in cluster.groups if cluster.is_built and not cluster.has("tlsOptions") else ():
        switch = _switch(group)
        if switch is None or group.ray_container.has_env_from:
            continue
        missing = [name for name in _FILES if group.ray_container.env(name) is None]
        if missing:
            yield Problem(
                switch.at,
                f"{_SWITCH} is on, and {group.title} lacks {', '.join(missing)}",
                effect='Ray ends with "Invalid cert chain file", and the container restarts again and again',
                fix="set the three variables to the paths of certificate, key and CA",
            )


def _switch(group: Group) -> EnvVar | None:
    """The entry that turns TLS on."""
    entry = group.ray_container.env(_SWITCH)
    on = entry is not None and (entry.value.value or "").lower() in _ON
    return entry if on else None


@outlined("RAY812", Severity.ERROR, reports=("FR-146",))
def tls_on_one_side(cluster: RayCluster) -> Problems:
    """TLS on the head or on some workers only: the two sides cannot speak to each other.

    `RAY_USE_TLS` that is on in one group's Ray container and not in another's.

    It stays silent where a group has `envFrom`, or a value that cannot be known.

    Then: One side greets with TLS, the other does not. Workers never join; their log shows failed connections to
    the GCS until they give up.

    Fix: Set `RAY_USE_TLS` and the three file variables on the head and on every worker group.
    Ignore: Where the image of the other group sets the variable.
    Source: Ray "TLS Authentication": the variables are for every process of the cluster.

    bad RayCluster
      head.ray: env: [{name: RAY_USE_TLS, value: "1"}]
      group.containers: containers:
      group.containers: - name: ray-worker  # <-
      group.containers:   image: rayproject/ray:2.52.0
    bad RayCluster
      head.ray: imagePullPolicy: Always
      group.ray: env: [{name: RAY_USE_TLS, value: "1"}]  # <-
    good RayCluster
      head.ray: env: [{name: RAY_USE_TLS, value: "1"}]
      group.ray: env: [{name: RAY_USE_TLS, value: "true"}]
    near-miss RayCluster -- What a ConfigMap brings cannot be known:
      head.ray: env: [{name: RAY_USE_TLS, value: "1"}]
      group.ray: envFrom: [{configMapRef: {name: ray-tls}}]
    near-miss RayCluster -- KubeRay's own TLS is for all pods:
      cluster: tlsOptions: {enabled: true}
    """
    if not cluster.is_built or cluster.head.ray_container.has_env_from:
        return
    head_is_on = _switch(cluster.head) is not None
    if not head_is_on and not _is_off(cluster.head):
        return
    for group in cluster.worker_groups:
        is_on = _switch(group) is not None
        if is_on == head_is_on or group.ray_container.has_env_from or not (is_on or _is_off(group)):
            continue
        switch = _switch(group)
        side = f"the head, not in {group.title}" if head_is_on else f"{group.title}, not in the head"
        yield Problem(
            switch.at if switch is not None else group.ray_container.at,
            f"{_SWITCH} is on in {side}: the two cannot speak to each other",
            effect="the workers never join; their connections to the GCS fail until they give up",
            fix=f"set {_SWITCH} and the three RAY_TLS_ file variables on the head and on every worker group",
        )


def _is_off(group: Group) -> bool:
    entry = group.ray_container.env(_SWITCH)
    return entry is None or entry.value.value is not None
