"""Kubernetes quantities (``500m``, ``8Gi``, ``1e3``) as exact numbers."""

from __future__ import annotations

import re
from functools import lru_cache

from raylint.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

__all__ = ["Quantity", "canonical", "parse_quantity"]

_NANO: Final = 10**9

# The grammar of k8s.io/apimachinery/pkg/api/resource (quantity.go): a signed decimal number, then either a
# suffix or a decimal exponent, never both.
_QUANTITY = pattern(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:([eE])([+-]?[0-9]{1,4})|([numkMGTPE]|[KMGTPE]i)?)\Z")
_SUFFIXES = {
    "n": (10, -9), "u": (10, -6), "m": (10, -3), "": (10, 0), "k": (10, 3), "M": (10, 6), "G": (10, 9),
    "T": (10, 12), "P": (10, 15), "E": (10, 18),
    "Ki": (2, 10), "Mi": (2, 20), "Gi": (2, 30), "Ti": (2, 40), "Pi": (2, 50), "Ei": (2, 60),
}  # fmt: skip
# Far beyond the largest quantity that the API server keeps (2**63 - 1) and the finest that counts; bounds the
# arithmetic on odd input.
_MAX_EXPONENT = 40
_MAX_DIGITS = 80
_LONG = 24
_NANOS = {
    suffix: base**power * _NANO if power >= 0 else 10 ** (9 + power) for suffix, (base, power) in _SUFFIXES.items()
}


class Quantity:
    """An exact amount. Kubernetes rounds what is finer than a billionth up, and so does this."""

    __slots__ = ("nanos",)

    def __init__(self, nanos: int) -> None:
        self.nanos = nanos

    @property
    def rounded_up(self) -> int:
        """The next whole number, as Kubernetes' ``Quantity.Value()``: 500m is 1."""
        return -(-self.nanos // _NANO)

    @property
    def is_whole(self) -> bool:
        return self.nanos % _NANO == 0

    def __lt__(self, other: Quantity) -> bool:
        return self.nanos < other.nanos

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quantity) and self.nanos == other.nanos

    def __hash__(self) -> int:
        return hash(self.nanos)

    def __repr__(self) -> str:
        return f"Quantity({self.nanos / _NANO:g})"


def parse_quantity(value: object) -> Quantity | None:
    """Read a quantity from a manifest (text or whole number). What is none, a bool or a fraction without
    quotes included (the API server refuses them in a custom resource): None."""
    if isinstance(value, str):
        return _known(value) if len(value) < _LONG else _read(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return Quantity(value * _NANO) if isinstance(value, int) and not isinstance(value, bool) else None


def _read(value: str) -> Quantity | None:
    # Nearly all quantities: digits and a suffix.
    digits = value.rstrip("numkKMGTPEi")
    nanos = _NANOS.get(value[len(digits) :])
    if nanos is not None and len(digits) <= _MAX_DIGITS and digits.isdecimal() and digits.isascii():
        return Quantity(int(digits) * nanos)
    match = _QUANTITY.match(value)
    if match is None or not (match[2] or match[3]):
        return None
    return Quantity(_nanos(match))


# The same few amounts come up again and again.
_known = lru_cache(maxsize=256)(_read)


def canonical(value: object) -> str | None:
    """A quantity as Kubernetes writes it back: ``1.5Gi`` is ``1536Mi``, ``1000m`` is ``1``. None: it is none."""
    quantity = parse_quantity(value)
    if quantity is None:
        return None
    match = _QUANTITY.match(value) if isinstance(value, str) else None
    suffix = (match and match[6]) or ""
    nanos = quantity.nanos
    if suffix.endswith("i") and quantity.is_whole and abs(nanos) >= 1024 * _NANO:
        return _in_thousands(nanos // _NANO, 1024, ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"))
    if match and match[4]:
        return _in_thousands(nanos, 1000, ("e-9", "e-6", "e-3", "", "e3", "e6", "e9", "e12", "e15", "e18"))
    return _in_thousands(nanos, 1000, ("n", "u", "m", "", "k", "M", "G", "T", "P", "E"))


def _in_thousands(number: int, base: int, units: tuple[str, ...]) -> str:
    """The number with the largest unit that leaves it whole."""
    step = 0
    while number and number % base == 0 and step < len(units) - 1:
        number //= base
        step += 1
    return f"{number}{units[step]}" if number else "0"


def _nanos(match: re.Match[str]) -> int:
    sign, whole, fraction, exponent_mark, exponent, suffix = match.groups()
    whole = whole.lstrip("0")[:_MAX_DIGITS]
    fraction = _bounded(fraction or "")
    base, power = (10, int(exponent)) if exponent_mark else _SUFFIXES[suffix or ""]
    if abs(power) > _MAX_EXPONENT and base == 10:
        power = _MAX_EXPONENT if power > 0 else -_MAX_EXPONENT
    numerator = int((whole or "0") + fraction) * _NANO
    denominator = 10 ** len(fraction)
    numerator *= base ** max(power, 0)
    denominator *= base ** max(-power, 0)
    nanos: int = -(-numerator // denominator)
    return -nanos if sign == "-" else nanos


def _bounded(fraction: str) -> str:
    """The fraction's digits, of a very long one only those that count, and that there are more."""
    if len(fraction) <= _MAX_DIGITS:
        return fraction
    return fraction[:_MAX_DIGITS] + ("1" if fraction[_MAX_DIGITS:].strip("0") else "")
