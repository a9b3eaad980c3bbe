"""The ``ray start`` line that KubeRay writes for a group, and what the container then runs.

Facts: ray-project/kuberay v1.7.0 ``common/pod.go`` (``setMissingRayStartParams``, ``generateRayStartCommand``,
``convertParamMap``, ``BuildPod``), and the differences of older releases.
"""

from __future__ import annotations

import json

from raylint.custom_resources import ACCELERATORS, as_ray_reads, read_amounts, written_amounts
from raylint.derived import cached_property
from raylint.field import Field, Origin
from raylint.quantity import parse_quantity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.group import Group
    from raylint.object_names import ObjectNames
    from raylint.rule import Location
    from raylint.target import Target

__all__ = ["StartCommand", "shell"]

# Options that take true and false as a value; every other one is a switch to KubeRay.
_TAKES_BOOLEAN = ("log-color", "include-dashboard")
_SOURCE = "(common/pod.go)"


class StartCommand:
    """``ray start`` of a group's pods."""

    def __init__(self, group: Group, names: ObjectNames, *, is_head: bool) -> None:
        self._group = group
        self.target = group.cluster.target
        self._names = names
        self._is_head = is_head

    @cached_property
    def options(self) -> dict[str, Field[str]]:
        """The options with their values, in the order in which KubeRay writes them; also those whose value
        ``false`` makes KubeRay drop them."""
        options = self._written()
        options.update(self._group_fields())
        for name, value, reason in self._defaults():
            options.setdefault(name, self._default(value, reason))
        if self.target.kuberay_at_least(1, 1):
            block = options.get("block")
            options["block"] = self._default("true", "always on", None if block is None else block.at)
        if self._is_head and self._group.cluster.autoscaler.enabled:
            reason = "KubeRay's sidecar scales the cluster"
            options["no-monitor"] = self._default("true", reason, self._group.cluster.autoscaler.switch.at)
        self._add_redis_credentials(options)
        self._derive(options)
        return dict(sorted(options.items()))

    def _written(self) -> dict[str, Field[str]]:
        params = self._group.start_params
        return {
            name: Field(value if isinstance(value, str) else _text(value), Origin.WRITTEN, params.at_key(name))
            for name, value in params.data.items()
            if value is not None
        }

    def _group_fields(self) -> dict[str, Field[str]]:
        """The group's ``resources`` and ``labels`` (KubeRay 1.5 and later, v1); they replace parameters."""
        if not self._group.has_fields_for_ray:
            return {}
        found: dict[str, Field[str]] = {}
        custom: dict[str, float] = {}
        resources = self._group.part("resources")
        for name, raw in resources.data.items():
            quantity = parse_quantity(raw)
            if quantity is None:
                continue
            option = self._group.option_of_resource(name)
            if option:
                found[option] = Field(str(quantity.rounded_up), Origin.WRITTEN, resources.at_key(name))
            else:
                custom[name] = quantity.nanos / 10**9
        if custom:
            found["resources"] = Field(written_amounts(custom), Origin.WRITTEN, resources.at)
        labels = self._group.part("labels")
        if labels.data:
            pairs = (f"{name}={_text(labels.data[name])}" for name in sorted(labels.data))
            found["labels"] = Field(",".join(pairs), Origin.WRITTEN, labels.at)
        return found

    def _defaults(self) -> list[tuple[str, str, str]]:
        found = [("metrics-export-port", "8080", "for Prometheus")]
        if self._is_head:
            found.append(("dashboard-host", "0.0.0.0", "so that others reach the dashboard"))
        else:
            found.append(("address", self._names.head_address, "the head's Service"))
        if not self.target.kuberay_at_least(1, 1):
            found.append(("block", "true", "unless the parameter is set"))
        if self.target.kuberay_at_least(1, 1) or self._group.cluster.kind == "RayService":
            found.append(("dashboard-agent-listen-port", "52365", "the port that the probes ask"))
        return found

    def _add_redis_credentials(self, options: dict[str, Field[str]]) -> None:
        fault_tolerance = self._group.cluster.gcs_fault_tolerance
        if not (self._is_head and fault_tolerance.by_options and fault_tolerance.uses_redis):
            return
        for credential in (fault_tolerance.redis_username, fault_tolerance.redis_password):
            field = str(credential.path[-1])
            name = field.removeprefix("redis").lower()
            if fault_tolerance.data.get(field) is not None:
                reason = f"for {field} of gcsFaultToleranceOptions"
                options[f"redis-{name}"] = self._default(f"$REDIS_{name.upper()}", reason, credential.at)

    def _derive(self, options: dict[str, Field[str]]) -> None:
        """CPUs, memory, GPUs and accelerators from the resources of the Ray container."""
        group = self._group
        for name, amount in (("num-cpus", group.num_cpus), ("memory", group.memory), ("num-gpus", group.num_gpus)):
            if name not in options and amount.origin is Origin.KUBERAY and amount.value:
                options[name] = Field(str(amount.value), Origin.KUBERAY, amount.at, amount.reason)
        if self.target.kuberay_at_least(1, 3):
            self._add_accelerator(options)

    def _add_accelerator(self, options: dict[str, Field[str]]) -> None:
        """The first accelerator among the limits becomes a custom resource, if the option reads as JSON and names
        none."""
        written = options.get("resources")
        amounts = {} if written is None else read_amounts(written.value or "")
        if amounts is None or any(name in amounts for name in ACCELERATORS.values()):
            return
        for name in sorted(ACCELERATORS):
            limit = self._group.ray_container.limit(name)
            if limit.value is not None and limit.value.nanos:
                added = {**amounts, ACCELERATORS[name]: limit.value.nanos / 10**9}
                reason = f"adds the limit on {name}"
                options["resources"] = self._default(written_amounts(added), reason, limit.at)
                return

    def _default(self, value: str, reason: str, at: Location | None = None) -> Field[str]:
        return Field(value, Origin.KUBERAY, at or self._group.start_params.at, f"{reason} {_SOURCE}")

    @cached_property
    def line(self) -> str:
        """The line exactly as KubeRay writes it, blanks included."""
        words = "".join(self.word(name) for name in self.options)
        return f"ray start {'--head ' if self._is_head else ''}{words}"

    def word(self, name: str) -> str:
        """An option as it stands on the line; nothing where KubeRay drops it."""
        value = self.options[name].value or ""
        boolean = value.lower()
        if boolean not in ("true", "false") or name in self._take_boolean:
            return f" --{name}={value} "
        return f" --{name} " if boolean == "true" else ""

    @property
    def _take_boolean(self) -> tuple[str, ...]:
        newer = ("include-log-monitor",) if self.target.kuberay_at_least(1, 7) else ()
        return (*_TAKES_BOOLEAN, *newer)

    @cached_property
    def custom_resources(self) -> Field[dict[str, float]]:
        """Custom resources as Ray sees them; unknown where Ray's shell would not read the option."""
        option = self.options.get("resources")
        if option is None:
            return Field({}, Origin.RAY, self._group.start_params.at_key("resources"))
        amounts = as_ray_reads(option.value or "")
        reason = option.reason if amounts is not None else "the shell does not leave JSON of this option"
        return Field(amounts, option.origin if amounts is not None else Origin.UNKNOWN, option.at, reason)

    @cached_property
    def overwritten_by(self) -> str:
        """Why KubeRay leaves the container's command alone; empty where it writes its own."""
        return self._group.own_start

    @cached_property
    def command(self) -> Field[list[str]]:
        """The container's ``command``."""
        container = self._group.ray_container
        at = container.at_key("command")
        if self.overwritten_by:
            return _own(container.strings("command"), at)
        return Field(shell(self.target), Origin.KUBERAY, at, f"runs the line below {_SOURCE}")

    @cached_property
    def args(self) -> Field[list[str]]:
        """The container's ``args``: the user's words first, then ``ray start``."""
        container = self._group.ray_container
        at = container.at_key("args")
        if self.overwritten_by:
            return _own(container.strings("args"), at)
        limit = "${RAY_START_ULIMIT_OPEN_FILES:-65536}" if self.target.kuberay_at_least(1, 7) else "65536"
        generated = f"ulimit -n {limit}; {self.line}"
        own = self._group.own_words
        reason = "your command, then ray start" if own else "ray start"
        return Field([f"{own} && {generated}" if own else generated], Origin.KUBERAY, at, f"{reason} {_SOURCE}")


def shell(target: Target) -> list[str]:
    """How KubeRay starts a line: in a login shell before 1.4."""
    return ["/bin/bash", "-c" if target.kuberay_at_least(1, 4) else "-lc", "--"]


def _own(words: tuple[str, ...], at: Location) -> Field[list[str]]:
    if words:
        return Field(list(words), Origin.WRITTEN, at)
    return Field([], Origin.ABSENT, at, "the image's own")


def _text(value: object) -> str:
    """What the API server refuses as a value; shown, as nobody knows what was meant."""
    try:
        return value if isinstance(value, str) else json.dumps(value)
    except (ValueError, RecursionError):
        return "?"
