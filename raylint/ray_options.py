"""The options of ``ray start`` by release, and how their values convert.

Read off the command of Ray 2.7.2 to 2.60.0 (``python/ray/scripts/scripts.py``); values were tried on 2.9.3,
2.40.0, 2.51.1 and 2.60.0 with click 8.1.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from raylint.target import Version

__all__ = ["HEAD_ONLY", "HEAD_USE", "NEWEST", "OPTIONS", "Option", "complaint", "convert", "nearest"]

# The newest release whose options are known, and the oldest.
NEWEST: Final = (2, 60)
OLDEST: Final = (2, 7)

_TRUE = ("1", "true", "t", "yes", "y", "on")
_FALSE = ("0", "false", "f", "no", "n", "off")
_CHOICES = {"log-style": ("auto", "record", "pretty"), "log-color": ("auto", "false", "true")}
# Integers beyond this many digits are read by nothing.
_MOST_DIGITS = 4300


class Option:
    """One option. ``kind``: flag (takes no value), int, float, bool, choice, json or text. ``since`` and ``until``
    are the first and the last release that know it; None: all that were looked at."""

    __slots__ = ("kind", "since", "until")

    def __init__(self, kind: str, since: Version | None = None, until: Version | None = None) -> None:
        self.kind = kind
        self.since = since
        self.until = until

    def is_known_to(self, ray: Version) -> bool:
        line = ray[:2]
        return (self.since is None or line >= self.since) and (self.until is None or line <= self.until)


def _options(
    kind: str, names: str, since: Version | None = None, until: Version | None = None
) -> dict[str, Option]:
    option = Option(kind, since, until)
    return dict.fromkeys(names.split(), option)


OPTIONS: Final = {
    **_options("flag", "head block no-redirect-output enable-object-reconstruction no-monitor"),
    **_options("flag", "ray-debugger-external disable-usage-stats verbose"),
    **_options("int", "port object-manager-port node-manager-port min-worker-port max-worker-port"),
    **_options(
        "int", "ray-client-server-port dashboard-port dashboard-agent-listen-port dashboard-agent-grpc-port"
    ),
    **_options("int", "runtime-env-agent-port metrics-export-port"),
    **_options("int", "memory object-store-memory num-cpus num-gpus"),
    **_options("bool", "include-dashboard"),
    **_options("choice", "log-style log-color"),
    **_options("json", "system-config"),
    **_options("text", "node-ip-address address node-name redis-password redis-shard-ports worker-port-list"),
    **_options("text", "resources dashboard-host plasma-directory autoscaling-config temp-dir"),
    **_options("text", "tracing-startup-hook labels"),
    **_options("text", "redis-username", (2, 41)),
    **_options("bool", "include-log-monitor", (2, 41)),
    **_options("text", "labels-file object-spilling-directory cgroup-path", (2, 45)),
    **_options("flag", "enable-resource-isolation", (2, 45)),
    **_options("float", "system-reserved-cpu", (2, 45)),
    **_options("int", "system-reserved-memory", (2, 45)),
    **_options("text", "proxy-server-url", (2, 55)),
    **_options("int", "redis-max-memory", None, (2, 43)),
    **_options("int", "gcs-server-port dashboard-grpc-port", None, (2, 47)),
    **_options("text", "plasma-store-socket-name raylet-socket-name storage", None, (2, 47)),
}

# Ray refuses these on a node that is not the head.
HEAD_ONLY: Final = ("port", "redis-shard-ports", "include-dashboard")
# Accepted on a worker and of no use there.
HEAD_USE: Final = (
    "no-monitor",
    "autoscaling-config",
    "disable-usage-stats",
    "redis-password",
    "redis-username",
    "tracing-startup-hook",
    "proxy-server-url",
)

# What other tools and earlier releases call things.
_MEANT = {
    "gpu": "num-gpus",
    "gpus": "num-gpus",
    "cpu": "num-cpus",
    "cpus": "num-cpus",
    "num-cpu": "num-cpus",
    "num-gpu": "num-gpus",
    "redis-port": "port",
    "gcs-server-port": "port",
    "gcs-port": "port",
    "head-port": "port",
    "dashboard-grpc-port": "dashboard-agent-grpc-port",
    "no-redirect-worker-output": "no-redirect-output",
    "spill-dir": "object-spilling-directory",
    "object-store": "object-store-memory",
    "plasma-store-memory": "object-store-memory",
    "autoscaling-options": "autoscaling-config",
}


def nearest(name: str, ray: Version) -> str:
    """The option that was meant by a name that Ray does not know; empty where none comes to mind."""
    plain = _hyphenated(name)
    known = [option for option, found in OPTIONS.items() if found.is_known_to(ray)]
    if plain in known:
        return plain
    meant = _MEANT.get(plain, "")
    if meant:
        return meant if meant in known else ""
    from difflib import get_close_matches  # only where something is wrong

    close = get_close_matches(plain, known, n=1, cutoff=0.8)
    return close[0] if close else ""


def _hyphenated(name: str) -> str:
    """``num_cpus``, ``numCpus`` and ``--num-cpus`` as Ray writes it."""
    letters = [f"-{letter.lower()}" if letter.isupper() else letter for letter in name.strip("-_ ")]
    plain = "".join(letters).replace("_", "-").replace(" ", "-")
    while "--" in plain:
        plain = plain.replace("--", "-")
    return plain.strip("-")


def convert(name: str, text: str) -> object:
    """The value as the command reads it. Raises ValueError where it does not convert."""
    kind = OPTIONS[name].kind
    if kind == "int":
        return int(text)
    if kind == "float":
        return float(text)
    if kind == "bool":
        lower = text.strip().lower()
        if lower not in _TRUE and lower not in _FALSE:
            raise ValueError("no boolean")
        return lower in _TRUE
    if kind == "choice" and text.lower() not in _CHOICES[name]:
        raise ValueError("not one of the choices")
    if kind == "json":
        try:
            return json.loads(text)
        except RecursionError:
            raise ValueError("too deep") from None
    return text


def complaint(name: str, text: str) -> tuple[str, str]:
    """In words, why a value does not convert, and Ray's own words for it."""
    kind = OPTIONS[name].kind
    if kind == "choice":
        choices = ", ".join(_CHOICES[name])
        return f"is none of {choices}", f"Invalid value for '--{name}': {text!r} is not one of"
    words = {
        "int": ("is not a whole number", "is not a valid integer"),
        "float": ("is not a number", "is not a valid float"),
        "bool": ("is neither true nor false", "is not a valid boolean"),
        "json": ("is not JSON", ""),
    }
    ours, rays = words[kind]
    return (
        ours,
        f"Invalid value for '--{name}': {text!r} {rays}".strip() if rays else f"Invalid value for '--{name}'",
    )
