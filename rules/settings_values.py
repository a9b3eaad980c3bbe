"""``RAY_`` settings whose value ends Ray."""

from __future__ import annotations

import json

from raylint.group import Group
from raylint.rule import Severity, rule

from .settings import release, settings, short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

MENTIONS = ("RAY_",)

_PREFIX = "RAY_"


@rule("RAY321", Severity.ERROR)
def ray_setting_ends_ray(group: Group) -> Problems:
    """A value of a `RAY_` variable with which Ray's processes end as they start.

    ## What it flags
    In `env` of the Ray container, for settings that the Ray in force reads:
    - a number that does not parse completely: `600s`, `10m`, `0.5` or `1e3` for a whole number, `95%`, `5_000`,
      the empty text, a blank or line break at the end.
    - on the head, values that end the GCS: negative health check times, 0 threads
      (`gcs_server_rpc_server_thread_num`, `gcs_server_rpc_client_thread_num`), a `gcs_storage` that this Ray does
      not have, nonsense in the fault injection settings.
    - `RAY_AUTH_MODE=token` without a token (Ray 2.52 and later).
    - `RAY_OVERRIDE_RESOURCES` and `RAY_OVERRIDE_LABELS` that are no JSON, amounts that are no whole numbers, log
      rotation sizes that are no whole numbers, an object store of more than all memory.

    Values from ConfigMaps and Secrets are not known and not judged. Where the Ray version cannot be told, only
    what ends all of them is flagged.

    ## What happens
    Every process that reads the settings ends with a segmentation fault (exit 139) and without a word; the pod
    crash-loops. Nothing in the log names the variable.

    ## Versions
    Ray 2.9.3 to 2.60.0, each setting from the release on that has it.

    ## Fix
    Write the bare number in the unit that the setting's name ends in; for switches 1 or 0.

    ## When to ignore it
    Never.

    ## Source
    Ray 2.60.0, `src/ray/common/ray_config.h`, `ray_config_def.h`, `src/ray/gcs/gcs_server`,
    `python/ray/_private/resource_and_label_spec.py`; values run on 2.9.3, 2.40.0, 2.51.1 and 2.60.0.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.52.0
              env:
              - name: RAY_gcs_rpc_server_reconnect_timeout_s
                value: 600s  # <-
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
              image: rayproject/ray:2.52.0
              env:
              - name: RAY_memory_usage_threshold
                value: 95%  # <-
              - name: RAY_gcs_storage
                value: etcd  # <-
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
              env:
              - {name: RAY_health_check_period_ms, value: "10000"}
              - {name: RAY_memory_usage_threshold, value: "0.9"}
    ```

    Odd, but read: a blank before the number, a sign, leading zeros. And a name that 2.51 does not read:

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
              image: rayproject/ray:2.51.1
              env:
              - {name: RAY_health_check_period_ms, value: " +05000"}
              - {name: RAY_memory_usage_threshold, value: ".9"}
              - {name: RAY_redis_db_probe_timeout_milliseconds, value: 30s}
    ```
    """
    for entry, value in settings(group):
        fault = _fatal(group, entry.name, value)
        if fault is not None:
            what, log, fix = fault
            end = f'; the log says "{log}"' if log else ", exit 139 and not a word in the log"
            yield entry.value.flag(
                f"{entry.name} is {short(value)}, {what}",
                label="Ray ends as it starts",
                effect=f"the Ray container ends and is started again and again{end} ({release(group)})",
                fix=fix,
            )


def _fatal(group: Group, variable: str, value: str) -> tuple[str, str, str] | None:
    """What is wrong, Ray's own words, and the fix; None where Ray starts."""
    from raylint.ray_settings import setting  # only where a manifest sets such a variable

    found = setting(variable)
    if found is not None and found.is_read_by(group.ray_version) and found.ends_processes(value):
        kind = "whole number" if found.kind == "int" else "number"
        unit = _unit(found.name)
        return f"which does not read as a {kind} to its end", "", f"write a {kind} alone{unit}"
    if found is not None and not found.is_read_by(group.ray_version):
        return None
    special = _SPECIAL.get(variable.removeprefix(_PREFIX))
    return special(group, value) if special is not None else None


def _unit(name: str) -> str:
    units = {"_ms": "milliseconds", "_milliseconds": "milliseconds", "_s": "seconds", "_seconds": "seconds"}
    units |= {"_bytes": "bytes"}
    found = next((word for end, word in units.items() if name.endswith(end)), "")
    return f", in {found}" if found else ""


def _is_head(group: Group) -> bool:
    return group is group.cluster.head


def _health(group: Group, value: str) -> tuple[str, str, str] | None:
    if _is_head(group) and value.strip().startswith("-"):
        return "and the GCS accepts no negative time", "Check failed: ... >= 0", "write milliseconds, 0 or more"
    return None


def _server_threads(group: Group, value: str) -> tuple[str, str, str] | None:
    if _is_head(group) and value.strip().lstrip("+").strip("0") == "":
        return "and the GCS cannot serve without threads", "Num of threads in gRPC must be greater", _REMOVE
    return None


_REMOVE = "remove it: Ray chooses by the number of CPUs"


def _client_threads(group: Group, value: str) -> tuple[str, str, str] | None:
    if _is_head(group) and value.strip().lstrip("+").strip("0") == "":
        return "and the GCS divides by it", "", _REMOVE
    return None


def _storage(group: Group, value: str) -> tuple[str, str, str] | None:
    ray = group.ray_version
    if not _is_head(group) or value in ("memory", "redis"):
        return None
    if value == "rocksdb" and (ray is None or ray[:2] >= (2, 57)):
        path = group.ray_container.env("RAY_gcs_storage_path")
        absent = path is None and not group.ray_container.has_env_from
        if ray is None or not absent:
            return None
        return "and RAY_gcs_storage_path is not set", "gcs_storage_path", "set RAY_gcs_storage_path as well"
    return (
        "which is no storage of this Ray's GCS",
        "Unsupported GCS storage type",
        "remove it: memory is the default",
    )


def _injected(group: Group, value: str) -> tuple[str, str, str] | None:
    if _is_head(group) and value and "=" not in value and not value.lstrip().startswith("{"):
        return "which is no fault to inject", "", "remove it: it is for tests of Ray itself"
    return None


def _auth(group: Group, value: str) -> tuple[str, str, str] | None:
    container = group.ray_container
    given = ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH", "RAY_ENABLE_K8S_TOKEN_AUTH")
    if value.lower() != "token" or container.has_env_from or group.cluster.has("authOptions"):
        return None
    if any(container.env(name) is not None for name in given) or container.has("volumeMounts"):
        return None
    fix = "set RAY_AUTH_TOKEN from a Secret, or use authOptions"
    return "and there is no token", "AuthenticationError: Token authentication is enabled but no", fix


def _override_resources(group: Group, value: str) -> tuple[str, str, str] | None:
    if not value:
        return None
    amounts = _json(value)
    fix = "write a JSON object of whole numbers, or remove it: rayStartParams say the same"
    if not isinstance(amounts, dict):
        return "which is no JSON object", "Failed to load", fix
    for name, amount in amounts.items():
        whole = isinstance(amount, int) or (isinstance(amount, float) and amount.is_integer())
        if not whole or isinstance(amount, bool) or amount < 0:
            return f"and the amount of {name} is no whole number", "Resource quantities must", fix
    return None


def _override_labels(group: Group, value: str) -> tuple[str, str, str] | None:
    if value and not isinstance(_json(value), dict):
        return "which is no JSON object", "Failed to load", "write a JSON object of texts, or remove it"
    return None


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _rotation(group: Group, value: str) -> tuple[str, str, str] | None:
    try:
        number = int(value)
    except ValueError:
        log = "ValueError: invalid literal for int() with base 10"
        return "which is no whole number", log, "write a whole number; bytes for the size"
    return ("and a log has no negative size", "ValueError", "write 0 or more") if number < 0 else None


def _proportion(group: Group, value: str) -> tuple[str, str, str] | None:
    from raylint.ray_settings import setting

    found = setting("RAY_DEFAULT_OBJECT_STORE_MEMORY_PROPORTION")
    try:
        number = float(value)
    except ValueError:
        return None
    if number > 1 and found is not None and found.is_read_by(group.ray_version):
        fix = "write a share between 0 and 1, such as 0.3"
        return "which is more than all of the memory", "amount of memory on this node available", fix
    return None


_SPECIAL = {
    "health_check_initial_delay_ms": _health,
    "health_check_period_ms": _health,
    "health_check_timeout_ms": _health,
    "gcs_server_rpc_server_thread_num": _server_threads,
    "gcs_server_rpc_client_thread_num": _client_threads,
    "gcs_storage": _storage,
    "testing_asio_delay_us": _injected,
    "testing_rpc_failure": _injected,
    "AUTH_MODE": _auth,
    "OVERRIDE_RESOURCES": _override_resources,
    "OVERRIDE_LABELS": _override_labels,
    "ROTATION_MAX_BYTES": _rotation,
    "ROTATION_BACKUP_COUNT": _rotation,
    "DEFAULT_OBJECT_STORE_MEMORY_PROPORTION": _proportion,
}
