"""Keys of a Serve configuration that Ray passes over: what was meant, and what holds without it.

Sources: Ray 2.9.3 to 2.60.0, ``python/ray/serve/schema.py`` and ``serve/config.py``, and the releases in which
keys came and went.
"""

from __future__ import annotations

from functools import lru_cache

from raylint.schema_hints import distance
from raylint.serve_deploy import AUTOSCALING
from raylint.serve_schema import ACTOR_OPTIONS, APPLICATION, DEPLOYMENT, GRPC, HTTP, TOP
from raylint.target import version_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.finding import Path
    from raylint.ray_release import Bound
    from raylint.serve_reading import Key
    from raylint.target import Version

__all__ = ["Hint", "gone", "hint", "owner"]

_PARTS: dict[str, tuple[str, dict[str, Key]]] = {
    "": ("the top level", TOP),
    "applications": ("an application", APPLICATION),
    "deployments": ("a deployment", DEPLOYMENT),
    "ray_actor_options": ("ray_actor_options", ACTOR_OPTIONS),
    "autoscaling_config": ("autoscaling_config", AUTOSCALING),
    "http_options": ("http_options", HTTP),
    "grpc_options": ("grpc_options", GRPC),
}

# What holds where a key is not there; for what the code may set as well, unless the code says otherwise.
_DEFAULTS = {
    "num_replicas": "1 replica",
    "max_queued_requests": "no limit",
    "route_prefix": "the prefix /",
    "runtime_env": "no runtime environment",
    "min_replicas": "at least 1 replica",
    "max_replicas": "at most 1 replica",
    "initial_replicas": "a start with min_replicas",
    "target_ongoing_requests": "2 requests a replica as the target",
    "upscale_delay_s": "30 seconds before replicas are added",
    "downscale_delay_s": "600 seconds before replicas are removed",
    "num_cpus": "1 CPU a replica",
    "num_gpus": "no GPU",
    "memory": "no memory reserved",
    "host": "the host 0.0.0.0",
    "proxy_location": "a proxy on every node with replicas",
    "request_timeout_s": "no time limit of a request",
    "graceful_shutdown_timeout_s": "20 seconds to shut down",
    "health_check_period_s": "a health check every 10 seconds",
    "health_check_timeout_s": "30 seconds for a health check",
}
_MEANT = {
    "replicas": "num_replicas",
    "replicacount": "num_replicas",
    "env": "runtime_env",
    "environment": "runtime_env",
    "runtimeenvironment": "runtime_env",
    "cpu": "num_cpus",
    "cpus": "num_cpus",
    "gpu": "num_gpus",
    "gpus": "num_gpus",
    "prefix": "route_prefix",
    "route": "route_prefix",
    "path": "route_prefix",
    "import": "import_path",
    "module": "import_path",
    "apps": "applications",
    "http": "http_options",
    "grpc": "grpc_options",
    "logging": "logging_config",
    "autoscaling": "autoscaling_config",
    "actoroptions": "ray_actor_options",
    "resources": "ray_actor_options",
    "config": "user_config",
    "location": "proxy_location",
    "maxconcurrency": "max_ongoing_requests",
}
# Keys that Ray had once: what took their place, and what came of it.
_GONE = {
    "max_concurrent_queries": ("max_ongoing_requests", "a replica takes 5 requests at a time instead of 100"),
    "target_num_ongoing_requests_per_replica": ("target_ongoing_requests", "the target is 2 requests a replica"),
    "is_driver_deployment": ("", "the deployment runs as any other"),
    "object_store_memory": ("", "no object store memory is reserved"),
    "request_router_class": ("request_router_config", "the default router sends the requests"),
}
_LLM_KEYS = ("llm_configs", "llm_config", "model_loading_config", "engine_kwargs")


class Hint:
    """``note``: why Ray passes the key over; ``effect``: what holds instead; ``fix``: what to write.
    ``gone``: Ray had the key once. ``likely``: something is known of it at all. ``name``: the key of the same part
    that takes the same value; ``useless``: no key does."""

    __slots__ = ("effect", "fix", "gone", "likely", "name", "note", "useless")

    def __init__(
        self,
        note: str,
        effect: str,
        fix: str,
        *,
        gone: bool = False,
        likely: bool = True,
        name: str = "",
        useless: bool = False,
    ) -> None:
        self.name = name
        self.useless = useless
        self.note = note
        self.effect = effect
        self.fix = fix
        self.gone = gone
        self.likely = likely


def owner(path: Path) -> str:
    """The part of the schema that a key at ``path`` belongs to."""
    return next((str(step) for step in reversed(path[:-1]) if isinstance(step, str) and step in _PARTS), "")


def gone(path: Path, version: Version | None) -> Hint | None:
    """What is known of the key at ``path`` where Ray had it once; None where it never had."""
    return _gone(str(path[-1]), owner(path), version)


def hint(path: Path, version: Version | None) -> Hint:
    """What is known of the key at ``path`` that Ray drops."""
    return _hint(str(path[-1]), owner(path), version)


# An alias in a configuration repeats the keys of a whole list.
@lru_cache(maxsize=1024)
def _hint(name: str, part: str, version: Version | None) -> Hint:
    title, keys = _PARTS[part]
    gone = _gone(name, part, version)
    if gone is not None:
        return gone
    if name in keys and keys[name].since is not None:
        first = version_text(_first(keys[name].since))
        return Hint(
            f"{title} has this key from Ray {first} on only", _default(name), f"remove {name}, or use a newer Ray"
        )
    meant = _near(name, keys)
    if meant:
        note, fix = f"{title} has no such key; did you mean {meant}?", f"write {meant} instead of {name}"
        return Hint(note, _default(meant), fix, name=meant)
    if name in _LLM_KEYS:
        return Hint(
            f"{title} has no such key; it is an argument",
            "the builder gets no arguments",
            f"move {name} below args",
        )
    place = _elsewhere(name, part)
    if place:
        return Hint(f"{title} has no such key; {place} has", _default(name), f"move {name} to {place}")
    return Hint(f"{title} has no such key", "it has no effect", f"remove {name}", likely=False)


def _gone(name: str, part: str, version: Version | None) -> Hint | None:
    if part == "deployments" and name == "route_prefix":
        note = "deployments had it up to Ray 2.35; today the application has it"
        return Hint(
            note,
            "the application's route_prefix holds, / by default",
            "move it to the application, if it is still needed",
            gone=True,
        )
    at_home = "autoscaling_config" if name.startswith("target_num") else "deployments"
    if name == "object_store_memory":
        at_home = "ray_actor_options"
    if name not in _GONE or part != at_home:
        return None
    successor, effect = _GONE[name]
    fix = f"write {successor} instead" if successor else f"remove {name}"
    if successor == "max_ongoing_requests" and version is not None and version < (2, 35):
        effect = "max_ongoing_requests holds, 5 by default from Ray 2.35 on"
    last = {"is_driver_deployment": "before 2.9", "object_store_memory": "up to 2.24"}.get(name, "up to 2.30")
    if name == "request_router_class":
        last = "in 2.47 alone"
    same = successor if successor != "request_router_config" else ""
    return Hint(f"Ray had it {last}", effect, fix, gone=True, name=same, useless=not successor)


def _first(bound: Bound | None) -> Version:
    assert bound is not None
    return bound[1] if isinstance(bound[1], tuple) else tuple(int(str(part)) for part in bound)


def _default(name: str) -> str:
    if name == "max_ongoing_requests":
        return "max_ongoing_requests stays what the code says, 5 by default"
    return f"what the code says holds, or {_DEFAULTS[name]}" if name in _DEFAULTS else "it has no effect"


def _letters(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _near(name: str, keys: dict[str, Key]) -> str:
    """The key that is spelt most like ``name``, or the one that people call so; ``""``: none."""
    letters = _letters(name)
    alias = _MEANT.get(letters, "")
    allowed = 1 if len(letters) < 5 else 2 if len(letters) < 10 else 3
    near = sorted((distance(letters, _letters(key), allowed), key) for key in keys)
    if near and near[0][0] <= allowed:
        return near[0][1]
    return alias if alias in keys else ""


def _elsewhere(name: str, part: str) -> str:
    """Another part that has the key, in words."""
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    if part == "" and name in ("host", "port"):
        return "http_options"
    order = ("deployments", "autoscaling_config", "ray_actor_options", "applications", "http_options", "")
    for other in order:
        title, keys = _PARTS[other]
        if other != part and (name in keys or snake in keys):
            return title
    return ""
