"""Custom resources of a Ray node: the ``resources`` option of ``ray start``, as KubeRay reads and writes it.

Facts: ray-project/kuberay v1.7.0 ``common/pod.go`` (``getResourcesMap``, ``addWellKnownAcceleratorResources``,
``updateRayStartParamsResources``).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final, NoReturn

__all__ = ["ACCELERATORS", "as_ray_reads", "read_amounts", "written_amounts"]

# Kubernetes' name of an accelerator: Ray's (KubeRay 1.3 and later).
ACCELERATORS: Final = {"aws.amazon.com/neuroncore": "neuron_cores", "google.com/tpu": "TPU"}


def read_amounts(text: str) -> dict[str, float] | None:
    """The option as KubeRay reads it: a JSON object of numbers once quotes and blanks around it are gone. None
    where it does not read."""
    return _amounts(text.strip("'\"` "))


def as_ray_reads(text: str) -> dict[str, float] | None:
    """The option as it reaches Ray: the shell takes one layer of quotes off. None where that leaves several
    words, or no JSON object of numbers."""
    word = _in_one_pair_of_quotes(text)
    if word is not None:
        return _amounts(word)
    import shlex  # nearly all are written so

    try:
        words = shlex.split(text)
    except ValueError:
        return None
    return _amounts(words[0]) if len(words) == 1 else None


def _in_one_pair_of_quotes(text: str) -> str | None:
    """What the shell leaves of a text in quotes; None where it is anything but one such text."""
    inner = text[1:-1]
    if len(text) < 2 or text[0] != text[-1]:
        return None
    if text[0] == "'":
        return None if "'" in inner else inner
    if text[0] == '"' and "\\\\" not in inner:
        return None if '"' in inner.replace('\\"', "") or inner[-1:] == "\\" else inner.replace('\\"', '"')
    return None


def written_amounts(amounts: Mapping[str, float]) -> str:
    """The option as KubeRay writes it: sorted, as Go's ``json.Marshal`` does, in single quotes."""
    pairs = ",".join(f"{_go_text(name)}:{_go_number(amounts[name])}" for name in sorted(amounts))
    return f"'{{{pairs}}}'"


def _amounts(text: str) -> dict[str, float] | None:
    import json  # few manifests have the option

    try:
        found = json.loads(text, parse_constant=_refuse)
        if found is None:
            return {}
        if not isinstance(found, dict) or any(isinstance(value, bool) for value in found.values()):
            return None
        # A null is a zero to Go.
        return {name: 0.0 if value is None else _number(value) for name, value in found.items()}
    except (ValueError, TypeError, OverflowError, RecursionError):
        return None


def _number(value: object) -> float:
    if not isinstance(value, (int, float)):
        raise TypeError("no number")
    number = float(value)
    if number in (float("inf"), float("-inf")):
        raise OverflowError("beyond 64 bits")
    return number


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _go_text(name: str) -> str:
    """Go writes what could steer a browser as an escape."""
    import json

    text = json.dumps(name, ensure_ascii=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _go_number(value: float) -> str:
    """The shortest text that reads as the same number; an exponent only far from 1."""
    if value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    if abs(value) >= 1e21 or abs(value) < 1e-6:
        mantissa, _, exponent = repr(value).partition("e")
        return f"{mantissa.removesuffix('.0')}e{int(exponent):+d}"
    digits = repr(value)
    if "e" not in digits:
        return digits
    mantissa, _, exponent = digits.partition("e")
    whole, _, fraction = mantissa.partition(".")
    sign = "-" if whole.startswith("-") else ""
    return f"{sign}0.{'0' * (-int(exponent) - 1)}{whole.lstrip('-')}{fraction}"
