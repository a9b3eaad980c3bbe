"""What Ray itself checks once the command line is read: ports, amounts, JSON values, labels, paths.

Facts: ``python/ray/_private/parameter.py`` (``_check_usage``, ``update_pre_selected_port``), ``resource_spec.py``
(from 2.52 on ``resource_and_label_spec.py``), ``label_utils.py``, ``resource_isolation_config.py``,
``services.py`` of Ray 2.9.3, 2.40.0, 2.51.1 and 2.60.0.
"""

from __future__ import annotations

import json

from raylint.patterns import pattern
from raylint.ray_options import HEAD_ONLY
from raylint.ray_start import Fault, lost_quotes, shell_takes_quotes
from raylint.ray_start_ports import port_faults, whole_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

    from raylint.ray_start import Arguments

__all__ = ["MINIMUM_OBJECT_STORE", "check"]

# ray_constants.OBJECT_STORE_MINIMUM_MEMORY_BYTES, 75 MiB.
MINIMUM_OBJECT_STORE: Final = 78_643_200
# Less memory than this is a unit forgotten.
_LEAST_SENSIBLE_MEMORY = 1_000_000
# ray_constants.MAX_RESOURCE_QUANTITY.
_MOST: Final = 10**14
_RESERVED: Final = {
    "CPU": "num-cpus",
    "GPU": "num-gpus",
    "memory": "memory",
    "object_store_memory": "object-store-memory",
}
_HEAD_RESOURCE = "node:__internal_head__"
# Of the socket's path (107 bytes at the most), what Ray adds to temp-dir: the session's name with the shortest
# process id, and /sockets/plasma_store.
_LONGEST_TEMP_DIR: Final = 107 - len("/session_2026-01-01_00-00-00_000000_1/sockets/plasma_store")

_LABEL = pattern(r"[a-zA-Z0-9](?:[a-zA-Z0-9_.-]{0,61}[a-zA-Z0-9])?\Z")
_LONGEST_PREFIX = 253


def check(arguments: Arguments) -> list[Fault]:
    """The faults in the order in which Ray would come upon them."""
    return [
        fault
        for step in (
            _resources,
            _labels,
            _isolation,
            _deprecated,
            port_faults,
            _scope,
            _amounts,
            _system_config,
            _paths,
        )
        for fault in step(arguments)
    ]


def _resources(arguments: Arguments) -> Iterator[Fault]:
    text = arguments.text("resources")
    if text is None:
        return
    owner = arguments.owners["resources"]
    example = 'write a JSON object in single quotes inside the YAML text, such as "\'{\\"slot\\": 4}\'"'
    try:
        amounts = json.loads(text)
    except (ValueError, RecursionError):
        written = arguments.line.written.get(owner, "")
        if lost_quotes(written, text):
            yield shell_takes_quotes(owner, written, text, f"`--resources={text}` is not a valid JSON string")
            return
        log = f"`--resources={text}` is not a valid JSON string"
        yield Fault(
            "resources", (owner,), f"is not JSON once the shell is through: {text!r}", fix=example, log=log
        )
        return
    if not isinstance(amounts, dict):
        log = "The format after deserialization is not a dict"
        yield Fault("resources", (owner,), f"is no JSON object: {text!r}", fix=example, log=log)
        return
    for name, amount in amounts.items():
        fault = _amount_fault(name, amount)
        if fault is not None:
            what, fix, log = fault
            yield Fault("resources", (owner,), what, fix=fix, log=log)


def _amount_fault(name: str, amount: object) -> tuple[str, str, str] | None:
    """What is wrong with a custom resource, how to fix it, and Ray's words."""
    if name in _RESERVED:
        option = _RESERVED[name]
        return (
            f"names {name}, which is no custom resource",
            f"take {name} out of it and set {option} instead",
            f"`{name}` cannot be a custom resource because it is one of the default resources",
        )
    if name == _HEAD_RESOURCE:
        return (f"names {name}, which Ray keeps for itself", "take it out", f"{name} is a reserved resource name")
    if isinstance(amount, bool):
        if not amount:
            return None
        return f"gives {name} the amount true", "write a whole number", "St16invalid_argument. what(): stod"
    if not isinstance(amount, (int, float)):
        kind = "text" if isinstance(amount, str) else "null" if amount is None else "no number"
        return f"gives {name} an amount that is {kind}", "write a whole number without quotes", "AssertionError"
    if isinstance(amount, float) and not amount.is_integer():
        words = "Resource quantities must all be whole numbers"
        return f"gives {name} the amount {amount}, not a whole number", "write a whole number", words
    return _size_fault(name, amount)


def _size_fault(name: str, amount: int | float) -> tuple[str, str, str] | None:
    if amount < 0:
        words = "Resource quantities must be nonnegative"
        return f"gives {name} a negative amount", "write 0 or more", words
    if amount > _MOST:
        words = "Resource quantities must be at most 100000000000000.0"
        return f"gives {name} more than 100000000000000", "write what the node has", words
    return None


def _labels(arguments: Arguments) -> Iterator[Fault]:
    text = arguments.text("labels")
    if text is None:
        return
    wants_json = arguments.ray[:2] < (2, 45)
    owner = arguments.owners["labels"]
    fault = _json_labels_fault(text)
    if not wants_json and fault is not None:
        fault = _label_text_fault(text)
    if fault is None:
        return
    written = arguments.line.written.get(owner, "")
    if lost_quotes(written, text):
        yield shell_takes_quotes(owner, written, text, f"`--labels={text}` is not a valid")
    elif wants_json:
        fix = "write a JSON object of texts in single quotes inside the YAML text (key=value needs Ray 2.45)"
        yield Fault("labels", (owner,), fault, fix=fix, log=f"`--labels={text}` is not a valid JSON string")
    else:
        fix = 'write key=value pairs with commas between, such as "zone=a,tier=gold"'
        yield Fault("labels", (owner,), fault, fix=fix, log=f"`--labels={text}` is not a valid string")


def _json_labels_fault(text: str) -> str | None:
    try:
        labels = json.loads(text)
    except (ValueError, RecursionError):
        return f"is no JSON, which Ray before 2.45 wants: {text!r}"
    if not isinstance(labels, dict):
        return f"is no JSON object: {text!r}"
    for key, value in labels.items():
        if not isinstance(value, str):
            return f"gives the label {key!r} a value that is no text"
        if key.startswith("ray.io/"):
            return f"sets the label {key!r}, whose prefix is Ray's own"
    return None


def _label_text_fault(text: str) -> str | None:
    """Of ``key=value`` pairs, as Ray 2.45 and later reads them."""
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1]
    for pair in text.split(",") if text else ():
        key, _, value = pair.partition("=")
        key, value = key.strip(), value.strip()
        if pair.count("=") != 1:
            return f"holds {pair!r}, which is no key=value pair"
        prefix, slash, name = key.rpartition("/")
        if slash and not _is_prefix(prefix):
            return f"sets the label {key!r}, whose prefix is no DNS name"
        if not _LABEL.match(name):
            return f"sets the label {key!r}, whose name Kubernetes' label syntax does not allow"
        if value and not _LABEL.match(value):
            return f"gives the label {key!r} the value {value!r}, which Kubernetes' label syntax does not allow"
    return None


def _is_prefix(prefix: str) -> bool:
    """Ray lets parts be empty and take underscores."""
    return len(prefix) <= _LONGEST_PREFIX and all(not part or _LABEL.match(part) for part in prefix.split("."))


def _isolation(arguments: Arguments) -> Iterator[Fault]:
    if arguments.has("enable-resource-isolation"):
        return
    for name in ("cgroup-path", "system-reserved-cpu", "system-reserved-memory"):
        value = arguments.values.get(name, "")
        # A zero was refused by 2.60 only.
        if value != "" and (value != 0 or arguments.ray[:2] >= (2, 60)):
            log = f"{name.replace('-', '_')} cannot be set when resource isolation is not enabled"
            fix = 'add enable-resource-isolation: "true", or remove it'
            owner = arguments.owners[name]
            yield Fault("start", (owner,), "is set without enable-resource-isolation", fix=fix, log=log)


def _deprecated(arguments: Arguments) -> Iterator[Fault]:
    # 2.60.0 starts with it again; the releases between were not tried.
    if arguments.has("no-redirect-output") and arguments.ray[:2] <= (2, 51):
        owner = arguments.owners["no-redirect-output"]
        log = "DeprecationWarning: The redirect_output argument is deprecated."
        yield Fault("start", (owner,), "ends ray start up to Ray 2.51", fix="remove it", log=log)


def _scope(arguments: Arguments) -> Iterator[Fault]:
    if arguments.starts_head:
        return
    for name in HEAD_ONLY:
        if arguments.has(name):
            log = f"`--{name}` should only be specified when starting head node with `--head`."
            owner = arguments.owner(name)
            yield Fault("scope", owner, "is for the head only", fix="move it to headGroupSpec", log=log)
    if arguments.has("enable-object-reconstruction"):
        # It becomes an entry of the system config.
        log = "System config parameters can only be set on the head node."
        owner = arguments.owner("enable-object-reconstruction")
        yield Fault("scope", owner, "is for the head only", fix="remove it: lineage is kept anyway", log=log)
    if not arguments.has("address"):
        log = "`--address` is a required flag unless starting a head node with `--head`."
        what = "is dropped by KubeRay, and a worker needs it"
        yield Fault("start", ("address",), what, fix="remove it: KubeRay sets the head's Service", log=log)
        return
    address = arguments.text("address")
    if address is not None and _is_bad_address(address, arguments.ray):
        what = f"{address!r} is no host:port"
        log = f"Invalid address format: {address}"
        fix = "remove it: KubeRay sets the head's Service"
        yield Fault("start", arguments.owner("address"), what, fix=fix, log=log)


def _is_bad_address(address: str, ray: tuple[int, ...]) -> bool:
    """``parse_address`` of 2.49 and later wants host:port, IPv6 in brackets; earlier releases a number at the
    end."""
    if address in ("auto", "local"):
        return False
    host, colon, port = address.rpartition(":")
    if not colon or not host:
        return True
    if ray[:2] < (2, 49):
        return whole_number(port) is None
    return ":" in host and not (host.startswith("[") and host.endswith("]"))


def _amounts(arguments: Arguments) -> Iterator[Fault]:
    for name in ("num-cpus", "num-gpus", "memory", "object-store-memory"):
        value = arguments.number(name)
        if value is None:
            continue
        owner = arguments.owner(name)
        if name == "object-store-memory" and value < MINIMUM_OBJECT_STORE:
            what = f"{value} is less than the least that Ray takes, 78643200 bytes (75 MiB)"
            log = f"Attempting to cap object store memory usage at {value} bytes"
            yield Fault("range", owner, what, fix="write bytes, 78643200 or more", log=log)
        elif value < 0:
            log = "Resource quantities must be nonnegative."
            yield Fault("range", owner, f"{value} is negative", fix="write 0 or more, or remove it", log=log)
        elif value > _MOST or (value == _MOST and name in ("num-cpus", "num-gpus")):
            log = "Resource quantities must be at most 100000000000000.0."
            yield Fault(
                "range", owner, f"{value} is more than Ray counts to", fix="write what the node has", log=log
            )
        elif name == "memory" and value < _LEAST_SENSIBLE_MEMORY:
            what = f"is {value} bytes: no task or actor that asks for memory ever finds any"
            yield Fault("range", owner, what, fix="write bytes, or leave it to the container's limit", fatal=False)


def _system_config(arguments: Arguments) -> Iterator[Fault]:
    if "system-config" not in arguments.values:
        return
    config = arguments.values["system-config"]
    owner = arguments.owners["system-config"]
    if not config:
        return
    if not arguments.starts_head:
        log = "System config parameters can only be set on the head node."
        yield Fault("scope", (owner,), "is for the head only", fix="move it to headGroupSpec", log=log)
    elif not isinstance(config, dict):
        log = "object has no attribute 'get'"
        yield Fault("system-config", (owner,), "is no JSON object", fix="write '{\"name\": value}'", log=log)
    else:
        yield from _unread_settings(arguments, owner, config)


def _unread_settings(arguments: Arguments, owner: str, config: dict[str, object]) -> Iterator[Fault]:
    from raylint.ray_settings import PREFIX, meant, setting  # few manifests have a system-config

    for name in config:
        found = setting(PREFIX + name)
        read = None if found is None or not found.of_core else found.is_read_by(arguments.ray)
        if read or (found is not None and found.of_core and read is None) or arguments.ray[:2] > (2, 60):
            continue
        close = meant(PREFIX + name)
        fix = f"write {close.name}" if close is not None else f"remove {name}"
        what = f"holds {name!r}, which is no setting of this Ray"
        yield Fault("system-config", (owner,), what, fix=fix, log="Received unexpected config parameter")


def _paths(arguments: Arguments) -> Iterator[Fault]:
    temp_dir = arguments.text("temp-dir")
    # Workers ignored it up to 2.51 and follow it in 2.60; the releases between were not tried.
    if temp_dir is None or not (arguments.starts_head or arguments.ray[:2] >= (2, 60)):
        return
    owner = arguments.owner("temp-dir")
    if not temp_dir.startswith("/"):
        what = f"{temp_dir!r} is no absolute path"
        yield Fault("start", owner, what, fix="write a path that begins with /", log="temp_dir must be absolute")
    elif len(temp_dir.rstrip("/").encode()) > _LONGEST_TEMP_DIR:
        what = (
            f"is too long: sockets below it would have paths of more than 107 bytes ({len(temp_dir)} are used up)"
        )
        fix = "choose a path of at most 40 characters"
        yield Fault("start", owner, what, fix=fix, log="AF_UNIX path length cannot exceed 107 bytes")
