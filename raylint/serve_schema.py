"""What Ray Serve makes of ``serveConfigV2`` when it loads it: the keys that it knows, and what it refuses.

Source: ``python/ray/serve/schema.py`` and ``serve/config.py`` of Ray 2.9.3, 2.40.0, 2.51.1 and 2.60.0, and what
those releases answered (``tests/fixtures/serve-verdicts.json``).
"""

from __future__ import annotations

from raylint.serve_reading import (
    FLAG,
    MAP,
    NUMBER,
    TEXT,
    WHOLE,
    Key,
    Reading,
    at_least,
    called,
    items_of,
    nested,
    one_of,
)
from raylint.serve_types import mapping, number, whole
from raylint.serve_values import (
    controller_env,
    encoding,
    import_path,
    labels,
    log_attribute,
    log_level,
    max_queued_requests,
    num_replicas,
    old_route_prefix,
    runtime_env,
    status_code,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from raylint.finding import Path
    from raylint.ray_release import RayRelease

__all__ = ["ACTOR_OPTIONS", "APPLICATION", "DEPLOYMENT", "GRPC", "HTTP", "MISSING", "TOP", "load"]

_BY_2_12 = ((2, 9), (2, 12))
_GONE_BY_2_35 = ((2, 30), (2, 35))
# 2.9.3 takes bundles together with max_replicas_per_node.
_BUNDLES_ALONE = ((2, 9), (2, 40))

# One more kind of faults: there is no list of applications at all.
MISSING = "missing"


_LOGGING = {
    "encoding": Key(encoding),
    "log_level": Key(log_level),
    "logs_dir": Key(TEXT, null=True),
    "enable_access_log": Key(FLAG),
    "additional_log_standard_attrs": Key(items_of(log_attribute), (2, 44)),
}
_LOG = nested(_LOGGING, closed=True)

ACTOR_OPTIONS = {
    "runtime_env": Key(runtime_env),
    "num_cpus": Key(at_least(number, 0), null=True),
    "num_gpus": Key(at_least(number, 0), null=True),
    "memory": Key(at_least(number, 0), null=True),
    "object_store_memory": Key(at_least(number, 0), until=((2, 24), (2, 30)), null=True),
    "resources": Key(MAP),
    "accelerator_type": Key(TEXT, null=True),
    "label_selector": Key(labels, (2, 54), null=True),
    "fallback_strategy": Key(items_of(MAP), (2, 54), null=True),
}

_GANG = {
    "gang_size": Key(at_least(whole, 1)),
    "gang_placement_strategy": Key(one_of("PACK", "SPREAD")),
    "runtime_failure_policy": Key(one_of("RESTART_GANG", "RESTART_REPLICA")),
}

_BACKPRESSURE = {
    "status_code": Key(status_code),
    "retry_after_s": Key(at_least(number, 0), null=True),
}

DEPLOYMENT = {
    "name": Key(TEXT),
    "num_replicas": Key(num_replicas, null=True),
    "max_ongoing_requests": Key(at_least(whole, 1), _BY_2_12),
    "max_queued_requests": Key(max_queued_requests, ((2, 9), (2, 40))),
    "user_config": Key(MAP, null=True),
    "autoscaling_config": Key(MAP, null=True),
    "graceful_shutdown_wait_loop_s": Key(at_least(number, 0)),
    "graceful_shutdown_timeout_s": Key(at_least(number, 0)),
    "health_check_period_s": Key(at_least(number, 0, above=True)),
    "health_check_timeout_s": Key(at_least(number, 0, above=True)),
    "ray_actor_options": Key(nested(ACTOR_OPTIONS)),
    "placement_group_bundles": Key(items_of(lambda reading, value, path: _bundle(reading, value, path))),
    "placement_group_strategy": Key(TEXT),
    "max_replicas_per_node": Key(WHOLE),
    "logging_config": Key(_LOG),
    "request_router_config": Key(MAP, (2, 48)),
    "request_router_class": Key(TEXT, (2, 47), ((2, 47), (2, 48)), null=True),
    "backpressure_config": Key(nested(_BACKPRESSURE, closed=True), (2, 58)),
    "placement_group_bundle_label_selector": Key(items_of(labels), (2, 54)),
    "gang_scheduling_config": Key(nested(_GANG), (2, 55), null=True),
    "deployment_actors": Key(items_of(MAP), (2, 55), null=True),
    "rolling_update_percentage": Key(at_least(number, 0, 1, above=True), (2, 56)),
    "max_surge_percent": Key(at_least(whole, 0, 100), (2, 60)),
    "max_concurrent_queries": Key(at_least(whole, 1), until=_GONE_BY_2_35),
    "route_prefix": Key(old_route_prefix, until=((2, 35), (2, 40)), null=True),
}


def _bundle(reading: Reading, value: object, path: Path) -> object:
    bundle = reading.take(mapping, value, path)
    if bundle is None:
        return None
    amounts = {name: reading.take(number, amount, (*path, name)) for name, amount in bundle.items()}
    return None if None in amounts.values() else amounts


def _deployment(reading: Reading, value: object, path: Path) -> object:
    taken = reading.model(value, path, DEPLOYMENT)
    reading.require(taken, value, "name", path)
    if not isinstance(value, dict):
        return None
    data: dict[str, Any] = value
    replicas, bundles = taken.get("num_replicas"), data.get("placement_group_bundles")
    if isinstance(replicas, int) and data.get("autoscaling_config") is not None:
        message = "num_replicas is a number although autoscaling_config is there: Serve takes one of them"
        reading.refuse((*path, "num_replicas"), message, "remove num_replicas, or autoscaling_config")
    if (
        data.get("max_replicas_per_node") is not None
        and bundles is not None
        and reading.release.reached(_BUNDLES_ALONE)
    ):
        message = "max_replicas_per_node does not go together with placement_group_bundles"
        reading.refuse((*path, "max_replicas_per_node"), message, "remove max_replicas_per_node")
    if "placement_group_bundle_label_selector" in taken:
        _bundle_selectors(reading, taken, data, path)
    if taken.get("gang_scheduling_config") is not None:
        _gang(reading, taken["gang_scheduling_config"], data, path)
    taken[""] = path
    return taken


def _bundle_selectors(reading: Reading, taken: dict[str, Any], data: dict[str, Any], path: Path) -> None:
    name = "placement_group_bundle_label_selector"
    selectors = taken[name]
    bundles = data.get("placement_group_bundles")
    if bundles is None:
        reading.refuse(
            (*path, name), f"{name} without placement_group_bundles", "add the bundles, or remove the selectors"
        )
    elif isinstance(bundles, list) and len(selectors) not in (1, len(bundles)):
        message = f"{name} has {len(selectors)} items for {len(bundles)} bundles"
        reading.refuse((*path, name), message, "write one selector, or one for each bundle")


def _gang(reading: Reading, gang: dict[str, Any], data: dict[str, Any], path: Path) -> None:
    here = (*path, "gang_scheduling_config")
    reading.require(gang, data["gang_scheduling_config"], "gang_size", here)
    if gang.get("runtime_failure_policy") == "RESTART_REPLICA":
        message = "runtime_failure_policy RESTART_REPLICA is not implemented"
        reading.refuse((*here, "runtime_failure_policy"), message, "write RESTART_GANG")
    for name in ("max_replicas_per_node", "placement_group_strategy"):
        if data.get(name) is not None:
            reading.refuse(
                (*path, name), f"{name} does not go together with gang_scheduling_config", f"remove {name}"
            )
    for place, count in _counts(data):
        size = gang.get("gang_size")
        if size and isinstance(count, int) and count % size:
            message = f"{place[-1]} is {count}, which is no multiple of gang_size {size}"
            reading.refuse((*path, *place), message, f"write a multiple of {size}")


def _counts(data: dict[str, Any]) -> Iterator[tuple[Path, object]]:
    """The numbers of replicas that are compared with the size of a gang."""
    if data.get("num_replicas") != "auto":
        yield ("num_replicas",), data.get("num_replicas")
        return
    config = data.get("autoscaling_config")
    for name in ("min_replicas", "max_replicas", "initial_replicas"):
        if isinstance(config, dict):
            yield ("autoscaling_config", name), config.get(name)


APPLICATION = {
    "name": Key(TEXT),
    "route_prefix": Key(TEXT, null=True),
    "import_path": Key(import_path),
    "runtime_env": Key(runtime_env),
    "host": Key(TEXT),
    "port": Key(WHOLE),
    "args": Key(MAP),
    "deployments": Key(items_of(_deployment)),
    "autoscaling_policy": Key(MAP, (2, 51), null=True),
    "external_scaler_enabled": Key(FLAG, (2, 53)),
    "logging_config": Key(_LOG, null=True),
}


def _application(reading: Reading, value: object, path: Path) -> object:
    taken = reading.model(value, path, APPLICATION)
    reading.require(taken, value, "import_path", path)
    for name in ("host", "port"):
        if isinstance(value, dict) and name in value:
            message = f"{name} stands in an application; it holds for all of them"
            reading.refuse((*path, name), message, f"move it to http_options.{name} at the top", on_key=True)
    if taken.get("external_scaler_enabled"):
        for number_, deployment in enumerate(taken.get("deployments", ())):
            if deployment.get("autoscaling_config") is not None or deployment.get("num_replicas") == "auto":
                message = "external_scaler_enabled is true, but a deployment has autoscaling of its own"
                reading.refuse(
                    (*path, "external_scaler_enabled"),
                    f"{message} (deployments[{number_}])",
                    "remove one of the two",
                )
                break
    taken[""] = path
    return taken


HTTP = {
    "host": Key(TEXT),
    "port": Key(WHOLE),
    "root_path": Key(TEXT),
    "request_timeout_s": Key(NUMBER, null=True),
    "keep_alive_timeout_s": Key(WHOLE),
    "ssl_keyfile": Key(TEXT, (2, 50), null=True),
    "ssl_certfile": Key(TEXT, (2, 50), null=True),
    "ssl_keyfile_password": Key(TEXT, (2, 50), null=True),
    "ssl_ca_certs": Key(TEXT, (2, 50), null=True),
}


def _http(reading: Reading, value: object, path: Path) -> object:
    taken = reading.model(value, path, HTTP)
    if taken.get("ssl_certfile") and not taken.get("ssl_keyfile"):
        reading.refuse(
            (*path, "ssl_certfile"), "ssl_certfile without ssl_keyfile", "add the path of the key: ssl_keyfile"
        )
    return taken


GRPC = {
    "port": Key(WHOLE),
    "grpc_servicer_functions": Key(items_of(TEXT)),
    "request_timeout_s": Key(NUMBER, (2, 45), null=True),
    "enable_reflection": Key(FLAG, (2, 60)),
}

TOP = {
    "applications": Key(items_of(_application)),
    "proxy_location": Key(one_of("Disabled", "HeadOnly", "EveryNode")),
    "http_options": Key(_http),
    "grpc_options": Key(nested(GRPC)),
    "logging_config": Key(_LOG, null=True),
    "tracing_config": Key(
        nested(
            {
                "enabled": Key(FLAG),
                "exporter_import_path": Key(TEXT),
                "sampling_ratio": Key(at_least(number, 0, 1)),
            },
            closed=True,
        ),
        (2, 59),
        null=True,
    ),
    "controller_options": Key(
        nested({"runtime_env": Key(controller_env, null=True)}, closed=True), (2, 56), null=True
    ),
    "target_capacity": Key(at_least(number, 0, 100), null=True),
}


def load(data: dict[str, object], release: RayRelease) -> Reading:
    """Load a configuration as Serve does."""
    reading = Reading(release)
    taken = reading.model(data, (), TOP)
    reading.applications = taken.get("applications", [])
    if "applications" not in data:
        reading.refuse((), "there is no list of applications", "write applications: and a list", kind=MISSING)
    _unique(reading, reading.applications)
    return reading


def _unique(reading: Reading, applications: list[dict[str, Any]]) -> None:
    """Names and route prefixes belong to one application each."""
    names: dict[str, Path] = {}
    prefixes: dict[str, Path] = {}
    for application in applications:
        path = application[""]
        name = application.get("name", "default")
        if not name:
            reading.refuse((*path, "name"), "the application's name is empty", "give it a name")
        if name in names:
            reading.refuse(
                (*path, "name"),
                f"{called(names[name])} and {called(path)} are both called {name!r}"
                + ("" if "name" in application else ", the name of an application without one"),
                "give each application a name of its own",
            )
        names.setdefault(name, path)
        prefix = application.get("route_prefix", "/")
        if prefix is None:
            continue
        if prefix in prefixes:
            reading.refuse(
                (*path, "route_prefix"),
                f"{called(prefixes[prefix])} and {called(path)} both answer under {prefix!r}"
                + ("" if "route_prefix" in application else ", the prefix of an application without one"),
                "give each application a route_prefix of its own",
            )
        prefixes.setdefault(prefix, path)
