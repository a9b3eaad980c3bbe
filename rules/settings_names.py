"""``RAY_`` variables that nothing reads."""

from __future__ import annotations

from raylint.rule import Severity, rule, safe, unsafe
from raylint.schema_hints import distance
from raylint.target import version_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.group import Group
    from raylint.narrow import TunedGroup
    from raylint.pod import EnvVar
    from raylint.rule import Problems, Repair

MENTIONS = ("env",)

# Names in capitals that Ray's Python and C++ read by themselves (Ray 2.60.0, its documentation on logs, TLS,
# tokens, Redis, metrics and jobs). Libraries have more: only a single slip counts as one.
_CAPITALS = """
    RAY_AUTH_MODE RAY_AUTH_TOKEN_PATH RAY_BACKEND_LOG_LEVEL RAY_DEDUP_LOGS
    RAY_DEFAULT_OBJECT_STORE_MAX_MEMORY_BYTES
    RAY_DEFAULT_OBJECT_STORE_MEMORY_PROPORTION RAY_GRAFANA_HOST RAY_GRAFANA_IFRAME_HOST
    RAY_JOB_ALLOW_DRIVER_ON_WORKER_NODES RAY_JOB_START_TIMEOUT_SECONDS RAY_OBJECT_STORE_ALLOW_SLOW_STORAGE
    RAY_PROMETHEUS_HOST RAY_REDIS_ADDRESS RAY_REDIS_CA_CERT RAY_REDIS_CA_PATH RAY_REDIS_CLIENT_CERT
    RAY_REDIS_CLIENT_KEY RAY_REDIS_SERVER_NAME RAY_ROTATION_BACKUP_COUNT RAY_ROTATION_MAX_BYTES RAY_TLS_CA_CERT
    RAY_TLS_SERVER_CERT RAY_TLS_SERVER_KEY"""


def _looks_like_a_setting(name: str) -> bool:
    lower = name.lower()
    return lower.startswith("ray_") or (lower == name and name.count("_") > 1)


@rule("RAY322", Severity.WARNING, fixes="safe or unsafe")
def ray_setting_unread(group: TunedGroup) -> Problems:
    """A `RAY_` variable that nothing reads: another letter case, a near miss, a name of the past or of the future.

    ## What it flags
    In `env` of the Ray container, names that the Ray in force does not read and that are evidently meant for it:
    - a known setting in another letter case (`RAY_GCS_RPC_SERVER_RECONNECT_TIMEOUT_S`, `ray_...`) or without its
      prefix;
    - names in lower case after the prefix that are one or two letters, or a unit at the end, away from a setting;
    - names in capitals that are one letter away from one of Ray's own, such as `RAY_DEDUP_LOG`;
    - names that were removed before (`RAY_num_heartbeats_timeout`) or that a later release brings.

    Other names in capitals are not compared: libraries and programs of your own have many of them.
    Where the Ray version cannot be told, settings that some release reads are left alone.

    ## What happens
    Nothing. Ray ignores unknown names without a word, so the setting keeps its default.

    ## Versions
    Names are those of Ray 2.9.3, 2.40.0, 2.51.1 and 2.60.0; where a release between two of them may or may not
    have a setting, nothing is said.

    ## Fix
    Write the suggested name, or remove the variable.

    ## When to ignore it
    When a program of your own reads it, or the image holds another Ray than the manifest says.

    ## Source
    Ray, `src/ray/common/ray_config.h` (names are read as they are written there), `ray_config_def.h`.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              env:
              - name: RAY_HEALTH_CHECK_PERIOD_MS  # <-
                value: "10000"
              - name: RAY_num_heartbeats_timeout  # <-
                value: "300"
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.40.0
              env:
              - name: RAY_gcs_rpc_server_reconnect_timeout  # <-
                value: "120"
              - name: RAY_TLS_SERVER_CERTS  # <-
                value: /etc/ray/tls/tls.crt
              - name: RAY_redis_db_probe_timeout_milliseconds  # <-
                value: "5000"
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              env: [{name: RAY_health_check_period_ms, value: "10000"}]
    ```

    Capitals by definition, a name of the Python package, a program's own, and a name that some release reads:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: registry.example/ray:stable
              env:
              - {name: RAY_USE_TLS, value: "0"}
              - {name: RAY_BACKEND_LOG_LEVEL, value: debug}
              - {name: RAY_TRAINER_BUCKET, value: "gs://models"}
              - {name: RAY_worker_killing_policy, value: retriable_fifo}
    ```
    """
    if group.cluster.is_built:
        for entry in group.variables(_looks_like_a_setting):
            yield from _unread(group, entry)


def _unread(group: Group, entry: EnvVar) -> Problems:
    from raylint.ray_settings import is_obsolete, meant, setting  # only where a manifest sets such a variable

    name, ray = entry.name, group.ray_version
    repair: Repair | None = None
    known = setting(name)
    if known is not None:
        if known.is_read_by(ray) is not False or ray is None:
            return
        release = version_text(ray)
        newer = known.since is not None or known.is_read_by((2, 60)) is True
        why = f"Ray {release} does not read it yet" if newer else f"Ray {release} does not read it any more"
        fix = f"remove {name!r}, or use a Ray that reads it"
    elif is_obsolete(name):
        why, fix = "no Ray since 2.9 reads it", f"remove {name}: the setting is gone"
        repair = safe(entry.at.delete())
    else:
        close = meant(name)
        variable = close.variable if close is not None else _capitals_meant(name)
        if not variable:
            return
        why, fix = "nothing reads this name", f"write {variable} if that was meant"
        if group.ray_container.env(variable) is None:
            repair = unsafe(entry.at_key("name").set(variable))
    yield entry.string("name").flag(
        f"the variable {name!r} has no effect, {why}",
        label="ignored without a word",
        effect="the setting keeps its default, nothing in the log says so",
        fix=fix,
        repair=repair,
    )


def _capitals_meant(name: str) -> str:
    """The name in capitals of which this one is a slip; empty: of none, or it is one itself."""
    known = _CAPITALS.split()
    if not name.isupper() or name in known:
        return ""
    return next((other for other in known if distance(name, other, 1) == 1), "")
