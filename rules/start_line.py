"""From faults of the ``ray start`` line to problems of a group."""

from __future__ import annotations

from raylint.rule import Problem, Severity, safe
from raylint.target import version_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.group import Group
    from raylint.ray_start import Fault
    from raylint.rule import Location, Repair

__all__ = ["option_at", "reported"]

_BYTES = ("memory", "object-store-memory", "system-reserved-memory")
_AMOUNTS = (*_BYTES, "num-cpus", "num-gpus")


def reported(group: Group, kind: str) -> Iterator[Problem]:
    """The group's faults of one kind: errors where Ray does not start, else warnings."""
    for fault in group.start_faults:
        if fault.kind == kind:
            yield _problem(group, fault)


def _problem(group: Group, fault: Fault) -> Problem:
    option, *others = fault.options
    at = option_at(group, option)
    return Problem(
        at.key() if fault.kind == "unknown" else at,
        _headline(option, fault),
        effect=_effect(group, fault),
        fix=fault.fix,
        because=[(option_at(group, other), f"and {other}") for other in others],
        severity=None if fault.fatal else Severity.WARNING,
        repair=_repair(group, fault),
    )


def _repair(group: Group, fault: Fault) -> Repair | None:
    """The option that was meant; the whole number that a quantity is; single quotes around JSON that the shell
    takes apart."""
    option = fault.options[0]
    if option not in group.start_params.data:
        return None
    at = group.start_params.at_key(option)
    if fault.meant:
        return safe(at.rename(fault.meant))
    value = (group.start_param(option).value or "").strip()
    if fault.kind == "value":
        whole = _whole(option, value)
        return safe(at.set(whole)) if whole else None
    if fault.kind != "shell" or "'" in value or not _is_json_object(value):
        return None
    return safe(at.set(f"'{value}'"))


def _whole(option: str, text: str) -> str:
    """The amount as Ray reads it, bytes or a count; empty where it is none, or a fraction."""
    if option not in _AMOUNTS:
        return ""
    from raylint.quantity import parse_quantity

    quantity = parse_quantity(text.removesuffix("B") if option in _BYTES else text)
    return str(quantity.rounded_up) if quantity is not None and quantity.is_whole and quantity.nanos >= 0 else ""


def _is_json_object(text: str) -> bool:
    if not text.startswith("{"):
        return False
    import json

    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _headline(option: str, fault: Fault) -> str:
    end = ": ray start ends at once" if fault.fatal else ""
    return f"{_plain(option)} {fault.what}{end}"


def _plain(option: str) -> str:
    """Messages begin in lower case and hold no line breaks: what is no plain name is quoted."""
    plain = option.isascii() and option[:1].islower() and option.replace("-", "").isalnum()
    return option if plain else f"option {option!r}"


def _effect(group: Group, fault: Fault) -> str:
    version = group.ray_version
    release = f"Ray {version_text(version)}" if version is not None else "every Ray, the manifest names none"
    if not fault.fatal:
        return f"Ray starts, without a word, otherwise than the manifest says ({release})"
    log = f'; the log says "{fault.log.rstrip(".")}"' if fault.log else ""
    return f"the Ray container ends and is started again and again{log} ({release})"


def option_at(group: Group, option: str) -> Location:
    """Where an option is written: in rayStartParams, in the group's resources or labels, or nowhere."""
    if option in group.start_params.data:
        return group.start_params.at_key(option)
    for name in group.part("resources").data if group.has_fields_for_ray else ():
        if (group.option_of_resource(name) or "resources") == option:
            return group.part("resources").at_key(name)
    written_apart = option == "labels" and group.has("labels")
    return group.part("labels").at if written_apart else group.start_params.at
