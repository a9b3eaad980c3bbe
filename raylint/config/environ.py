"""Settings from the environment: ``RAYLINT_FAIL_ON=warning`` means ``--fail-on warning``.

A switch takes 1 or true, 0 or false. Lists of paths have no variable. A variable that no flag has is left alone,
unless it is so near to one that somebody means it.
"""

from __future__ import annotations

from raylint.errors import UsageError
from raylint.options import FLAGS, OPPOSED
from raylint.registry import Pick

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from raylint.options import Flag, Options

__all__ = ["PREFIX", "apply", "variables"]

PREFIX = "RAYLINT_"
_NO_VARIABLES = (
    "--exclude",
    "--crd",
    "--helm",
    "--values",
    "--variant",
    "--kustomize",
    "--version",
    "--help",
    "--debug",
)
_SWITCHES = {
    "1": True,
    "true": True,
    "yes": True,
    "on": True,
    "0": False,
    "false": False,
    "no": False,
    "off": False,
}
_CHOICES = ("select", "extend_select", "ignore")


def variables() -> dict[str, Flag]:
    """The flags by the names of their variables."""
    return {PREFIX + flag.attribute.upper(): flag for flag in FLAGS if flag.long not in _NO_VARIABLES}


def apply(options: Options, environ: Mapping[str, str]) -> None:
    """Set what a variable says and no flag does. UsageError, with the variable's name: the flag would not take it,
    or the name is misspelt."""
    known = variables()
    choices: dict[str, list[str]] = {}
    for name in sorted(name for name in environ if name.startswith(PREFIX)):
        flag = known.get(name)
        if flag is None:
            _refuse_near_miss(name, known)
        elif options.command in flag.commands and environ[name]:
            value = _value(name, flag, environ[name])
            if flag.attribute in _CHOICES and isinstance(value, list):
                choices[flag.attribute] = value
            else:
                _set(options, flag, value, name)
    if choices:
        select, extend, ignore = (choices.get(attribute, []) for attribute in _CHOICES)
        options.picks = [Pick(select, extend, ignore, "RAYLINT_*")]


def _value(name: str, flag: Flag, text: str) -> object:
    if flag.kind == "switch":
        if text.lower() not in _SWITCHES:
            raise UsageError(f"{name} is 1 or 0, not {text!r}")
        return _SWITCHES[text.lower()]
    try:
        return flag.value(text)
    except UsageError as error:
        raise UsageError(f"{name}: {error}") from None


def _set(options: Options, flag: Flag, value: object, name: str) -> None:
    key = flag.long.removeprefix("--")
    if isinstance(value, dict):
        known = getattr(options, flag.attribute)
        setattr(options, flag.attribute, {**value, **known})
        options.origins.update({f"{key}.{entry}": name for entry in value if entry not in known})
    elif flag.long not in options.given and OPPOSED.get(key) not in options.given:
        setattr(options, flag.attribute, value)
        options.origins[key] = name


def _refuse_near_miss(name: str, known: Mapping[str, object]) -> None:
    from difflib import get_close_matches

    near = get_close_matches(name, known, 1, 0.85)
    if near:
        raise UsageError(f"unknown variable {name} (did you mean {near[0]}?)")
