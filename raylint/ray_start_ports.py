"""Ports on the line of ``ray start``: their range, and that no two components share one.

Facts: ``python/ray/_private/parameter.py`` (``_check_usage``, ``update_pre_selected_port``) of Ray 2.9.3, 2.40.0,
2.51.1 and 2.60.0.
"""

from __future__ import annotations

from raylint.ray_start import Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

    from raylint.ray_start import Arguments

__all__ = ["port_faults", "whole_number"]

_LOWEST_PORT, _HIGHEST_PORT = 1024, 65535
_WORKER_PORTS = (10002, 19999)
_DASHBOARD_PORT, _AGENT_PORT, _CLIENT_PORT, _GCS_PORT = 8265, 52365, 10001, 6379
# The components that the collision check knows, by option, with their default; None: a free port.
_PORTS: Final = (
    ("port", None),
    ("object-manager-port", None),
    ("node-manager-port", None),
    ("ray-client-server-port", _CLIENT_PORT),
    ("dashboard-port", _DASHBOARD_PORT),
    ("dashboard-agent-grpc-port", None),
    # Gone in 2.48.
    ("dashboard-grpc-port", None),
    ("dashboard-agent-listen-port", _AGENT_PORT),
    ("runtime-env-agent-port", None),
    ("metrics-export-port", None),
)


def port_faults(arguments: Arguments) -> Iterator[Fault]:
    listed = arguments.text("worker-port-list")
    faults = [
        *_listed_ports_faults(arguments, listed),
        *_range_faults(arguments),
        *_lone_port_faults(arguments),
    ]
    yield from faults
    if not any(fault.kind == "port" for fault in faults):
        yield from _collisions(arguments, listed)


def _listed_ports_faults(arguments: Arguments, listed: str | None) -> Iterator[Fault]:
    if listed is None:
        return
    owner = arguments.owners["worker-port-list"]
    fix = 'write numbers from 1024 to 65535 with commas between, such as "20000,20001"'
    for part in listed.split(","):
        port = whole_number(part)
        if port is None:
            log = "worker_port_list must be a comma-separated list of integers"
            yield Fault("port", (owner,), f"holds {part!r}, which is no port", fix=fix, log=log)
            return
        if not _LOWEST_PORT <= port <= _HIGHEST_PORT:
            log = f"Ports in worker_port_list must be between 1024 and 65535. Got: {port}"
            yield Fault("port", (owner,), f"holds {port}, outside 1024 to 65535", fix=fix, log=log)
            return


def whole_number(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        return None


def _range_faults(arguments: Arguments) -> Iterator[Fault]:
    low = arguments.number("min-worker-port", _WORKER_PORTS[0])
    high = arguments.number("max-worker-port", _WORKER_PORTS[1])
    for name, value in (("min-worker-port", low), ("max-worker-port", high)):
        if value is not None and value != 0 and not _LOWEST_PORT <= value <= _HIGHEST_PORT:
            log = f"{name.replace('-', '_')} must be 0 or an integer between 1024 and 65535."
            fix = "write 0 or a number from 1024 to 65535"
            yield Fault("port", arguments.owner(name), f"{value} is outside 1024 to 65535", fix=fix, log=log)
            return
    if low is not None and high and high <= low:
        owners = arguments.owner(
            *(name for name in ("min-worker-port", "max-worker-port") if name in arguments.owners)
        )
        what = f"leaves no ports: the range of the workers is {low} to {high}"
        fix = "set both, the greater one as max-worker-port"
        log = "max_worker_port must be higher than min_worker_port."
        yield Fault("port", owners, what, fix=fix, log=log)


def _lone_port_faults(arguments: Arguments) -> Iterator[Fault]:
    for name in ("ray-client-server-port", "runtime-env-agent-port"):
        value = arguments.number(name)
        if value is None or _LOWEST_PORT <= value <= _HIGHEST_PORT:
            continue
        if name == "runtime-env-agent-port" and value == 0 and arguments.ray[:2] > (2, 51):
            continue
        log = f"{name.replace('-', '_')} must be"
        fix = "write a number from 1024 to 65535"
        yield Fault("port", arguments.owner(name), f"{value} is outside 1024 to 65535", fix=fix, log=log)
    for name in ("port", "node-manager-port", "object-manager-port"):
        value = arguments.number(name)
        if value is not None and value < 0:
            fix = "write a free port, or remove it"
            yield Fault("port", arguments.owner(name), f"{value} is no port", fix=fix, log=_DEATHS.get(name, ""))
        elif value is not None and value > _HIGHEST_PORT:
            what = f"{value} is no port: the server listens on {value % 65536} instead, where nobody looks for it"
            yield Fault("port", arguments.owner(name), what, fix="write a number from 1024 to 65535", fatal=False)
    if arguments.number("port") == 0 and arguments.starts_head:
        what = "0 is a free port that the workers do not know"
        yield Fault("port", arguments.owner("port"), what, fix="write 6379, or remove it", fatal=False)


_DEATHS = {
    "port": "AssertionError",
    "node-manager-port": "Failed to start the grpc server. The specified port is 4294967295",
    "object-manager-port": "Failed to start the grpc server. The specified port is 4294967295",
}


def _collisions(arguments: Arguments, listed: str | None) -> Iterator[Fault]:
    """Two components with one port. A component whose port is not known is left out."""
    taken: dict[int, str] = {}
    for name, default in _PORTS:
        port = arguments.number(name, default)
        if name == "port":
            port = arguments.number(name, _GCS_PORT) if arguments.starts_head else None
        if not port:
            continue
        other = taken.setdefault(port, name)
        if other != name:
            yield _collision(arguments, name, other, port)
    yield from _worker_port_collisions(arguments, listed, taken)


def _worker_port_collisions(arguments: Arguments, listed: str | None, taken: dict[int, str]) -> Iterator[Fault]:
    if arguments.has("worker-port-list"):
        ports: set[int] = set()
        for port in (whole_number(part) for part in (listed or "").split(",")):
            if port is None:
                continue
            if port in ports:
                what = f"holds {port} twice"
                yield Fault(
                    "collision",
                    arguments.owner("worker-port-list"),
                    what,
                    fix="list each port once",
                    log=f"Ray component worker_ports is trying to use a port number {port}",
                )
            elif port in taken:
                yield _collision(arguments, "worker-port-list", taken[port], port)
            ports.add(port)
        return
    low = arguments.number("min-worker-port", _WORKER_PORTS[0])
    high = arguments.number("max-worker-port", _WORKER_PORTS[1])
    if low is None or high is None:
        return
    for port, name in taken.items():
        if low <= port <= high:
            yield _range_collision(arguments, name, port, low, high)


def _collision(arguments: Arguments, name: str, other: str, port: int) -> Fault:
    """At the option that the manifest sets; of two, the later one."""
    names = [option for option in (name, other) if arguments.is_written(option)] or [name]
    first = names[0]
    rival = other if first == name else name
    default = "" if rival in arguments.owners else f", whose default is {port}"
    added = ", which KubeRay sets" if rival in arguments.owners and not arguments.is_written(rival) else ""
    return Fault(
        "collision",
        arguments.owner(*names),
        f"{port} is the port of {rival}, too{default}{added}",
        fix=f"give {first} a port of its own outside 10002 to 19999",
        log=f"is trying to use a port number {port} that is used by other components.",
    )


def _range_collision(arguments: Arguments, name: str, port: int, low: int, high: int) -> Fault:
    ends = [end for end in ("min-worker-port", "max-worker-port") if arguments.is_written(end)]
    names = [option for option in (name, *ends) if arguments.is_written(option)] or [name]
    if names[0] == name:
        moved = "" if ends else ", Ray's default"
        what = f"{port} lies within the workers' ports, {low} to {high}{moved}"
        fix = "choose a port outside that range, or move it with min-worker-port and max-worker-port"
    else:
        what = f"makes {low} to {high} the workers' ports, and {port} is the port of {name}"
        fix = f"choose a range without {port}"
    log = f"Ray component worker_ports is trying to use a port number {port} that is used by other components."
    return Fault("collision", arguments.owner(*names), what, fix=fix, log=log)
