"""What Ray Serve takes when it loads ``serveConfigV2`` and then fails on, application by application.

Source: ``override_deployment_info`` (``serve/_private/application_state.py``), ``ReplicaConfig``
(``serve/_private/config.py``), ``AutoscalingConfig`` (``serve/config.py``) and the options of actors
(``ray_option_utils.py``) of Ray 2.9.3, 2.40.0, 2.51.1 and 2.60.0.
"""

from __future__ import annotations

from raylint.ray_release import Fault
from raylint.runtime_env import LOCAL, UNKNOWN, Way, environment_faults
from raylint.serve_reading import DROPPED, MAP, Key, Reading, at_least
from raylint.serve_types import number, whole, written
from raylint.serve_values import prefix_fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from raylint.finding import Path
    from raylint.ray_release import RayRelease

__all__ = ["AUTOSCALING", "FAILS", "deploy"]

FAILS = "fails"

_STRATEGIES = ("PACK", "SPREAD", "STRICT_PACK", "STRICT_SPREAD")
_AUTO_MAXIMUM = 100
_SMALLEST = 0.0001
_MOST_PER_NODE = 100
_ABOVE_0 = at_least(number, 0, above=True)


def _aggregation(reading: Reading, value: object, path: Path) -> object:
    if isinstance(value, str) and value in ("mean", "max", "min"):
        return value
    reading.refuse(
        path, f"aggregation_function is {written(value)}, not mean, max or min", "write aggregation_function: mean"
    )
    return None


AUTOSCALING = {
    "min_replicas": Key(at_least(whole, 0)),
    "max_replicas": Key(at_least(whole, 1)),
    "initial_replicas": Key(at_least(whole, 0), null=True),
    "target_ongoing_requests": Key(_ABOVE_0, ((2, 9), (2, 12))),
    "target_num_ongoing_requests_per_replica": Key(_ABOVE_0, until=((2, 30), (2, 35))),
    "metrics_interval_s": Key(_ABOVE_0),
    "look_back_period_s": Key(_ABOVE_0),
    "smoothing_factor": Key(_ABOVE_0),
    "upscale_smoothing_factor": Key(_ABOVE_0, null=True),
    "downscale_smoothing_factor": Key(_ABOVE_0, null=True),
    "upscaling_factor": Key(_ABOVE_0, ((2, 9), (2, 12)), null=True),
    "downscaling_factor": Key(_ABOVE_0, ((2, 9), (2, 12)), null=True),
    "downscale_delay_s": Key(at_least(number, 0)),
    "upscale_delay_s": Key(at_least(number, 0)),
    "downscale_to_zero_delay_s": Key(at_least(number, 0), (2, 50), null=True),
    "aggregation_function": Key(_aggregation, (2, 51)),
    "policy": Key(MAP, (2, 50)),
}


class _Deployment:
    """One deployment of the configuration, as it was loaded. ``data``: what is written."""

    def __init__(self, release: RayRelease, taken: dict[str, Any], path: Path) -> None:
        self.release = release
        self.taken = taken
        self.path = path
        self.faults: list[Fault] = []
        options = taken.get("ray_actor_options")
        self.options: dict[str, Any] = options if isinstance(options, dict) else {}

    def fail(self, steps: Path, message: str, fix: str) -> None:
        self.faults.append(Fault(FAILS, (*self.path, *steps), message, fix))

    @property
    def num_cpus(self) -> float:
        """A replica's CPUs: 1 unless written."""
        written_cpus = self.options.get("num_cpus")
        return 1.0 if written_cpus is None else float(written_cpus)


def deploy(reading: Reading, *, only_image: bool = False) -> list[Fault]:
    """What fails, and the autoscaling keys that are dropped, once the configuration has been loaded.
    ``only_image``: the head has no files but those of an official image."""
    way = Way("class", only_image=only_image)
    faults: list[Fault] = []
    for application in reading.applications:
        path = application[""]
        prefix = application.get("route_prefix")
        # 2.9.3 does not look at it.
        if isinstance(prefix, str) and prefix_fault(prefix) and reading.release.reached(((2, 9), (2, 40))):
            message = f"route_prefix {prefix_fault(prefix)}"
            faults.append(Fault(FAILS, (*path, "route_prefix"), message, "write a path such as /api"))
        env = application.get("runtime_env") or {}
        if env:
            faults += _environment(env, (*path, "runtime_env"), reading.release, way)
        for deployment in application.get("deployments", ()):
            faults += _deployment(_Deployment(reading.release, deployment, deployment[""]), env, way)
    return faults


def _environment(env: dict[str, Any], path: Path, release: RayRelease, way: Way) -> list[Fault]:
    found = environment_faults(env, path, release, way)
    for fault in found:
        if fault.kind not in (LOCAL, UNKNOWN):
            fault.kind = FAILS
    return found


def _deployment(deployment: _Deployment, env: dict[str, Any], way: Way) -> list[Fault]:
    for keys, judge in _JUDGES:
        if not keys.isdisjoint(deployment.taken):
            judge(deployment)
    own = deployment.options.get("runtime_env")
    if own:
        path = (*deployment.path, "ray_actor_options", "runtime_env")
        deployment.faults += _environment(own, path, deployment.release, way)
        if env:
            _merged(deployment, env, own, path, way)
    return deployment.faults


def _merged(deployment: _Deployment, env: dict[str, Any], own: dict[str, Any], path: Path, way: Way) -> None:
    """A replica gets the application's environment with the keys of its own."""
    alone = {fault.path[-1] for part in (env, own) for fault in _environment(part, (), deployment.release, way)}
    for fault in _environment({**env, **own}, path, deployment.release, way):
        key = str(fault.path[-1])
        if fault.kind == FAILS and fault.path[:-1] == path and key not in alone:
            fault.message += f" (the application's runtime_env has {', '.join(env)})"
            fault.path = (*path, key) if key in own else path
            deployment.faults.append(fault)


def _replicas(deployment: _Deployment) -> None:
    if deployment.taken["num_replicas"] is None and deployment.release.version <= (2, 9):
        deployment.fail(
            ("num_replicas",), "num_replicas is null, which Ray 2.9 cannot deploy", "leave num_replicas out"
        )


def _autoscaling(deployment: _Deployment) -> None:
    config = deployment.taken.get("autoscaling_config")
    if config is None:
        return
    path = (*deployment.path, "autoscaling_config")
    inner = Reading(deployment.release)
    taken = inner.model(config, path, AUTOSCALING)
    for fault in inner.faults:
        fault.kind = DROPPED if fault.kind == DROPPED else FAILS
    deployment.faults += inner.faults
    automatic = deployment.taken.get("num_replicas") == "auto"
    least = taken.get("min_replicas", 1)
    most = taken.get("max_replicas", _AUTO_MAXIMUM if automatic else 1)
    initial = taken.get("initial_replicas")
    default = "" if "max_replicas" in config else ", its default"
    if any(fault.kind == FAILS for fault in inner.faults):
        return
    if least > most:
        message = f"min_replicas {least} is above max_replicas {most}{default}"
        deployment.fail(("autoscaling_config", "min_replicas"), message, "raise max_replicas to it")
    elif initial is not None and initial < least:
        message = f"initial_replicas {initial} is below min_replicas {least}"
        deployment.fail(("autoscaling_config", "initial_replicas"), message, "raise initial_replicas to it")
    elif initial is not None and initial > most:
        message = f"initial_replicas {initial} is above max_replicas {most}{default}"
        deployment.fail(("autoscaling_config", "initial_replicas"), message, "raise max_replicas to it")


def _per_node(deployment: _Deployment) -> None:
    most = deployment.taken.get("max_replicas_per_node")
    if isinstance(most, int) and not 1 <= most <= _MOST_PER_NODE:
        message = f"max_replicas_per_node is {most}; it must be 1 to {_MOST_PER_NODE}"
        deployment.fail(("max_replicas_per_node",), message, "write 1 to 100, or leave it out")


def _resources(deployment: _Deployment) -> None:
    options = deployment.options
    for name in ("num_cpus", "num_gpus", "memory"):
        amount = options.get(name)
        if amount is not None and 0 < amount < _SMALLEST:
            message = f"{name} is {amount:g}, finer than the 0.0001 that Ray keeps"
            deployment.fail(("ray_actor_options", name), message, "write 0, or 0.0001 and more")
    if options.get("object_store_memory") is not None:
        message = "object_store_memory cannot be used: Serve makes a fraction of it, and actors take whole numbers"
        deployment.fail(("ray_actor_options", "object_store_memory"), message, "remove object_store_memory")
    for name, amount in (options.get("resources") or {}).items():
        problem, fix = _resource(str(name), amount)
        if problem:
            deployment.fail(("ray_actor_options", "resources", name), problem, fix)


def _resource(name: str, amount: object) -> tuple[str, str]:
    if name in ("CPU", "GPU"):
        option = f"num_{name.lower()}s"
        return f"the resource {name} stands among the custom ones", f"write {option} in ray_actor_options"
    if not isinstance(amount, (int, float)):
        return f"the amount of {name} is {written(amount)}, not a number", "write a number without quotes"
    if amount < 0:
        return f"the amount of {name} is negative", "write 0 or more"
    if isinstance(amount, float) and 0 < amount < _SMALLEST:
        return f"the amount of {name} is finer than the 0.0001 that Ray keeps", "write 0.0001 and more"
    return "", ""


def _bundles(deployment: _Deployment) -> None:
    taken = deployment.taken
    bundles, strategy = taken.get("placement_group_bundles"), taken.get("placement_group_strategy")
    if strategy is not None and "placement_group_bundles" not in taken:
        message = "placement_group_strategy without placement_group_bundles"
        deployment.fail(("placement_group_strategy",), message, "add the bundles, or remove the strategy")
        return
    if bundles is None:
        return
    if strategy is not None and strategy not in _STRATEGIES:
        message = f"placement_group_strategy is {written(strategy)}, not one of {', '.join(_STRATEGIES)}"
        deployment.fail(("placement_group_strategy",), message, "write placement_group_strategy: PACK")
    if not bundles:
        deployment.fail(
            ("placement_group_bundles",),
            "placement_group_bundles is an empty list",
            "remove placement_group_bundles",
        )
        return
    # 2.9.3 looks at the first bundle alone.
    for index, bundle in enumerate(bundles if deployment.release.reached(((2, 9), (2, 40))) else ()):
        if not any(bundle.values()):
            message = f"placement_group_bundles[{index}] asks for nothing"
            deployment.fail(("placement_group_bundles", index), message, "write what it needs, such as CPU: 1")
        elif any(amount < 0 for amount in bundle.values()):
            message = f"placement_group_bundles[{index}] holds a negative amount"
            deployment.fail(("placement_group_bundles", index), message, "write an amount above 0")
    _first_bundle(deployment, bundles[0])


def _first_bundle(deployment: _Deployment, bundle: dict[str, float]) -> None:
    """The replica itself is put there, and asks for 1 CPU unless it says otherwise."""
    options = deployment.options
    wanted: dict[str, Any] = {"CPU": deployment.num_cpus, "GPU": options.get("num_gpus") or 0}
    wanted |= {name: amount for name, amount in (options.get("resources") or {}).items() if name not in wanted}
    for name, amount in wanted.items():
        offered = bundle.get(name, 0)
        if isinstance(amount, (int, float)) and amount > offered:
            by_default = ", the default" if name == "CPU" and options.get("num_cpus") is None else ""
            message = (
                f"the replica needs {amount:g} {name}{by_default}; its bundle, the first one, has {offered:g}"
            )
            deployment.fail(
                ("placement_group_bundles", 0), message, f"write {name}: {amount:g} in the first bundle"
            )


# In the order in which faults are told; each with the keys without one of which it has nothing to judge.
_JUDGES = (
    (frozenset(("num_replicas",)), _replicas),
    (frozenset(("autoscaling_config",)), _autoscaling),
    (frozenset(("max_replicas_per_node",)), _per_node),
    (frozenset(("ray_actor_options",)), _resources),
    (frozenset(("placement_group_bundles", "placement_group_strategy")), _bundles),
)
