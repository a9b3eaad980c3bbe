"""``RAY_`` settings whose value is not used, or means something else than it says."""

from __future__ import annotations

from raylint.group import Group
from raylint.rule import Severity, rule, unsafe

from .settings import release, settings, short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

MENTIONS = ("RAY_",)


@rule("RAY323", Severity.WARNING, fixes="unsafe")
def ray_setting_silently_off(group: Group) -> Problems:
    """A switch that is meant to be on and is off: Ray knows `1` and `true`, Serve only `1`.

    ## What it flags
    A setting of Ray that is a switch, with the value `yes`, `on` or the like; a switch of Ray Serve
    (`RAY_SERVE_...`) with `true`; `RAY_AUTH_MODE` with another word than `token` and `disabled`.

    ## What happens
    Nothing is logged, and the switch is off. With `RAY_AUTH_MODE: basic` the cluster is open to everybody.

    ## Versions
    Ray 2.9.3 to 2.60.0; `RAY_AUTH_MODE` since 2.52.

    ## Fix
    Write `"1"`, which all of them understand.

    ## When to ignore it
    When off is what you want; then write `"0"`.

    ## Source
    Ray 2.60.0, `src/ray/common/ray_config.h`, `python/ray/_common/utils.py` (`env_bool`),
    `python/ray/serve/_private/constants_utils.py` (`get_env_bool`).

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
              - name: RAY_preallocate_plasma_memory
                value: "yes"  # <-
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
              image: rayproject/ray:2.60.0
              env:
              - name: RAY_SERVE_ENABLE_HA_PROXY
                value: "true"  # <-
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
              image: rayproject/ray:2.60.0
              env:
              - {name: RAY_preallocate_plasma_memory, value: "True"}
              - {name: RAY_SERVE_ENABLE_HA_PROXY, value: "1"}
    ```

    Off in plain words, and a variable that is no switch of Ray's:

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
              image: rayproject/ray:2.52.0
              env:
              - {name: RAY_enable_timeline, value: "no"}
              - {name: RAY_MY_FEATURE, value: "yes"}
    ```
    """
    for entry, value in settings(group):
        from raylint.ray_settings import setting

        found = setting(entry.name)
        if found is None or found.is_read_by(group.ray_version) is False:
            continue
        open_door = found.name == "AUTH_MODE" and value.lower() not in ("token", "disabled", "")
        if open_door or found.is_unexpectedly_off(value):
            yield entry.value.flag(
                f"{entry.name} is {short(value)}, which Ray takes for {'disabled' if open_door else 'off'}",
                label="understood as disabled" if open_door else "understood as off",
                effect="anybody who reaches the cluster may use it"
                if open_door
                else "the switch stays off, nothing is logged",
                fix="write token, and give the cluster a token"
                if open_door
                else 'write "1"; "0" where off is meant',
                repair=None if open_door else unsafe(entry.value.at.set("1")),
            )


@rule("RAY324", Severity.WARNING)
def ray_setting_value_not_used(group: Group) -> Problems:
    """A value that Ray replaces by its default, wraps around, or that makes no sense for the setting.

    ## What it flags
    - Settings of the Python package that are numbers, with a value that is none (`30%`, `10Gi`, `15m`).
    - `RAY_memory_usage_threshold` and the other shares outside 0 to 1.
    - A negative value of a setting without sign, such as `RAY_gcs_rpc_server_reconnect_timeout_s`.

    ## What happens
    The Python package warns once in a log that nobody reads and uses its default. A threshold above 1 switches the
    memory monitor off in effect. `-1` becomes a number of some hundred years.

    ## Versions
    Ray 2.9.3 to 2.60.0, each setting from the release on that has it.

    ## Fix
    Write a plain number: bytes for sizes, a share between 0 and 1.

    ## When to ignore it
    Where a value that never comes true is meant, as in "wait for ever".

    ## Source
    Ray 2.60.0, `python/ray/_private/ray_constants.py` (`env_integer`, `env_float`),
    `src/ray/common/ray_config_def.h`.

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
              - name: RAY_DEFAULT_OBJECT_STORE_MAX_MEMORY_BYTES
                value: 10Gi  # <-
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
                value: "95"  # <-
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
              - {name: RAY_DEFAULT_OBJECT_STORE_MAX_MEMORY_BYTES, value: "10000000000"}
              - {name: RAY_memory_usage_threshold, value: "0.95"}
    ```

    -1 is what this one is by default; Ray 2.9 does not read the other:

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
              image: rayproject/ray:2.9.3
              env:
              - {name: RAY_task_oom_retries, value: "-1"}
              - {name: RAY_DEFAULT_OBJECT_STORE_MAX_MEMORY_BYTES, value: 10Gi}
    ```
    """
    from raylint.ray_settings import setting

    for entry, value in settings(group):
        found = setting(entry.name)
        if found is None or found.is_read_by(group.ray_version) is False or found.ends_processes(value):
            continue
        if found.falls_back(value):
            what, effect = "which is no number", "Ray logs a warning and uses its default"
        elif found.name in _SHARES and not 0 <= float(value) <= 1:
            what, effect = "outside 0 to 1", "the threshold is never reached, or always"
        elif found.name in _UNSIGNED and value.strip().startswith("-"):
            what, effect = "and the setting has no sign", "Ray reads a number close to the greatest there is"
        else:
            continue
        yield entry.value.flag(
            f"{entry.name} is {short(value)}, {what}",
            label="not used as written",
            effect=f"{effect} ({release(group)})",
            fix="write a plain number; bytes for sizes, a share between 0 and 1",
        )


_SHARES = (
    "memory_usage_threshold",
    "object_spilling_threshold",
    "local_fs_capacity_threshold",
    "max_task_args_memory_fraction",
    "plasma_store_usage_trigger_gc_threshold",
    "user_memory_proportion_high",
    "user_memory_proportion_max",
)
_UNSIGNED = (
    "gcs_rpc_server_reconnect_timeout_s",
    "memory_monitor_refresh_ms",
    "num_redis_request_retries",
    "gcs_redis_heartbeat_interval_milliseconds",
    "kill_idle_workers_interval_ms",
    "metrics_report_interval_ms",
    "subscriber_timeout_ms",
    "raylet_start_wait_time_s",
    "agent_register_timeout_ms",
    "task_retry_delay_ms",
    "local_gc_interval_s",
    "max_grpc_message_size",
)


@rule("RAY325", Severity.WARNING, fixes="unsafe")
def fault_injection_left_on(group: Group) -> Problems:
    """Fault injection of Ray's own tests is on.

    ## What it flags
    `RAY_testing_rpc_failure` or `RAY_testing_asio_delay_us` with a value in a Ray container.

    ## What happens
    Ray drops or delays its own calls on purpose: tasks hang, nodes are declared dead, without a hint that this is
    wanted.

    ## Versions
    Ray: all that have the settings, `testing_asio_delay_us` since before 2.9, `testing_rpc_failure` since 2.40 or
    earlier.

    ## Fix
    Remove the variable.

    ## When to ignore it
    In a cluster that exists to test how a program bears failures.

    ## Source
    Ray 2.60.0, `src/ray/common/ray_config_def.h`.

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
              - name: RAY_testing_asio_delay_us
                value: "*=1000:10000"  # <-
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.60.0
              env:
              - name: RAY_testing_rpc_failure
                value: '{"*": {"num_failures": -1, "req_failure_prob": 25}}'  # <-
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    Empty: nothing is injected.

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
              image: rayproject/ray:2.52.0
              env: [{name: RAY_testing_rpc_failure, value: ""}]
    ```
    """
    for entry, value in settings(group):
        if entry.name in ("RAY_testing_rpc_failure", "RAY_testing_asio_delay_us") and value:
            yield entry.value.flag(
                f"{entry.name} makes Ray fail on purpose",
                label="fault injection",
                effect="calls between Ray's processes are dropped or delayed: tasks hang, nodes count as dead",
                fix=f"remove {entry.name}",
                repair=unsafe(entry.at.delete()),
            )
