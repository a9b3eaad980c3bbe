"""What an unquoted word means to kubectl: YAML 1.1 with parts of 1.2, as Go reads it.

Source: ``resolve.go`` of ``go.yaml.in/yaml/v2`` v2.4.3, ``sigs.k8s.io/yaml`` v1.6.0 (keys become text) and
Go's ``strconv``; held to kubectl's recorded answers by ``tests/fixtures/yaml-probes.json``.
"""

from __future__ import annotations

from raylint.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from typing import TypeAlias

    Scalar: TypeAlias = str | int | float | bool | None

__all__ = ["KEYS", "WORDS", "ScalarError", "json_number", "key_text", "resolve", "tagged"]

# A process reads thousands of files: the memos must not grow with them. A manifest has some hundred words.
_MEMO_LIMIT = 4096

_INT64_MIN, _INT64_MAX, _UINT64_MAX = -(2**63), 2**63 - 1, 2**64 - 1
# Below this Python's and Go's shortest digits of a float are its exact value.
_EXACT_LIMIT = 1e16

_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
}

_NUMBER_START = frozenset("0123456789+-")
# All that may stand in a number, and in one that does not begin with 0.
_NUMBER_SIGNS = "0123456789abcdefABCDEF+-.oOxX"
_DECIMAL_SIGNS = "0123456789eE+-."
_OCTAL_DIGITS = "01234567"
# So many digits fit into 64 bits, whichever they are and with a sign.
_SURE_DIGITS = 18
_INTEGER = pattern(
    r"[+-]?(?:(?P<hex>0[xX][0-9a-fA-F]+)|(?P<bin>0[bB][01]+)|(?P<oct>0[oO]?[0-7]+)|(?P<dec>0|[1-9][0-9]*))\Z"
)
# Go cuts off a lower-case `0b` and lets what is left begin with a sign.
_SIGNED_BITS = pattern(r"0b[+-][01]{1,63}\Z")
_FLOAT = pattern(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
# A number that starts with a dot keeps its underscores, and Go allows those only between digits.
_DOTTED = pattern(r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?\Z")
_CLOCK = r"([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:\.[0-9]+)?"
_TIMESTAMP = pattern(
    rf"([0-9]{{4}})-([0-9]{{1,2}})-([0-9]{{1,2}})(?:[Tt]{_CLOCK}(?:Z|[+-][0-9]{{2}}:[0-9]{{2}})| {_CLOCK})?\Z"
)
_BASE64 = pattern(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?\Z")

_YAML_TAG = "tag:yaml.org,2002:"


class ScalarError(ValueError):
    """A scalar that YAML can write and JSON cannot carry, or that contradicts its own tag."""


def resolve(text: str) -> Scalar:
    """The Go value of an unquoted scalar; ``inf`` and ``nan`` are floats here, integers beyond 64 bits too."""
    if text in _WORDS:
        return _WORDS[text]
    first = text[0]
    if first in _NUMBER_START:
        return _number(text)
    if first == "." and _DOTTED.match(text):
        return _finite(text.replace("_", ""), text)
    return text


def _number(text: str) -> Scalar:
    # Nearly all numbers of a manifest, and modes of files.
    digits = text[1:] if text[0] in "+-" else text
    if digits.isdecimal() and len(digits) <= _SURE_DIGITS and digits.isascii():
        if digits[0] != "0" or digits == "0":
            return int(text)
        if not digits.strip(_OCTAL_DIGITS):
            return int(text, 8)
    plain = text.replace("_", "")
    # Nearly all words that begin like a number: quantities, versions, options.
    if plain.strip(_NUMBER_SIGNS if plain.lstrip("+-")[:1] == "0" else _DECIMAL_SIGNS) or plain.count(".") > 1:
        return text
    whole, _, fraction = plain.partition(".")
    if whole.isdecimal() and fraction.isdecimal() and text.isascii():
        return _finite(plain, text)
    integer = _INTEGER.match(plain)
    if integer:
        value = _integer(plain, integer)
        if value is not None:
            return value
    if _FLOAT.match(plain):
        return _finite(plain, text)
    if _SIGNED_BITS.match(plain):
        return int(plain[2:], 2)
    return text


def _integer(plain: str, match: re.Match[str]) -> int | None:
    """None where 64 bits do not hold it. Go takes a sign for int64 only; uint64 is the second try."""
    # 64 binary digits with a prefix are the longest that can fit; Python refuses to read 5,000 digits.
    if len(plain) > 70 and not plain.lstrip("+-0"):
        return 0
    if len(plain) > 70:
        return None
    digits = plain.lstrip("+-")
    kind = match.lastgroup
    if kind == "oct":
        value = int(digits.lstrip("0oO") or "0", 8)
    else:
        value = int(digits, {"hex": 16, "bin": 2}.get(kind or "", 10))
    if plain[0] == "-":
        value = -value
    highest = _INT64_MAX if plain[0] in "+-" else _UINT64_MAX
    return value if _INT64_MIN <= value <= highest else None


def _finite(digits: str, text: str) -> float | str:
    """Go's ParseFloat refuses what overflows, and the scalar stays text: ``1e400``."""
    value = float(digits)
    return text if value in (float("inf"), float("-inf")) else value


def json_number(value: float) -> int | float:
    """What is left of a float after kubectl wrote it as JSON and read it again: ``1.0`` and ``1e3`` are
    integers, and so is whatever else has digits that fit into 64 bits. Raises ScalarError for infinity and nan."""
    if value != value or value in (float("inf"), float("-inf")):
        raise ScalarError("JSON has no such number")
    if not value.is_integer():
        return value
    if -_EXACT_LIMIT < value < _EXACT_LIMIT:
        return int(value)
    # Go writes the shortest digits and fills up with zeros: 2^62 becomes 4611686018427388000.
    mantissa, _, exponent = repr(value).partition("e")
    digits = mantissa.replace(".", "")
    power = int(exponent) - len(digits.lstrip("-")) + 1
    whole = int(digits + "0" * power) if power < 20 else _UINT64_MAX
    return whole if _INT64_MIN <= whole <= _INT64_MAX else value


def _json_value(value: Scalar) -> Scalar:
    if isinstance(value, float):
        return json_number(value)
    if isinstance(value, int) and value > _INT64_MAX:
        return float(value)
    return value


class _Words(dict[str, "Scalar"]):
    """Words repeat from line to line; a lookup is six times as fast as resolving anew."""

    def __missing__(self, text: str) -> Scalar:
        if len(self) >= _MEMO_LIMIT:
            self.clear()
        value = self[text] = _json_value(resolve(text))
        return value


class _Keys(dict[str, "str | None"]):
    """Unquoted keys; None for those that are no plain text: the merge key, null, numbers without a text."""

    def __missing__(self, text: str) -> str | None:
        if len(self) >= _MEMO_LIMIT:
            self.clear()
        key = self[text] = self._read(text)
        return key

    @staticmethod
    def _read(text: str) -> str | None:
        try:
            return None if text == "<<" else key_text(resolve(text))
        except ScalarError:
            return None


WORDS = _Words()
KEYS = _Keys()


def key_text(key: Scalar) -> str:
    """The JSON key that ``sigs.k8s.io/yaml`` makes of a YAML key. Raises ScalarError for null and for integers
    between 2^63 and 2^64, which it does not know."""
    if isinstance(key, str):
        return key
    if key is None:
        raise ScalarError("null is no key")
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, float):
        return _float32_text(key)
    if key > _INT64_MAX:
        raise ScalarError("an integer of more than 63 bits is no key")
    return str(key)


def _float32_text(value: float) -> str:
    """``strconv.FormatFloat(value, 'g', -1, 32)``: the shortest digits that give the same 32-bit float."""
    if value != value:
        return ".nan"
    single = _single(value)
    if single in (float("inf"), float("-inf")):
        return ".inf" if single > 0 else "-.inf"
    digits = next(shape for shape in (f"{single:.{n}e}" for n in range(9)) if _single(float(shape)) == single)
    mantissa, _, exponent = digits.partition("e")
    power = int(exponent)
    if -4 <= power < 6:
        places = max(len(mantissa.lstrip("-").replace(".", "")) - 1 - power, 0)
        return f"{float(digits):.{places}f}"
    return f"{mantissa}e{'-' if power < 0 else '+'}{abs(power):02d}"


def _single(value: float) -> float:
    import struct  # only a float that is a key needs it

    try:
        packed = struct.pack("f", value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    single: float = struct.unpack("f", packed)[0]
    return single


def tagged(tag: str, text: str, *, as_key: bool = False) -> Scalar:
    """The value of a scalar with an explicit tag. Unknown tags are dropped and leave the text, whatever it looks
    like. Raises ScalarError where tag and text contradict each other."""
    kind = tag[len(_YAML_TAG) :] if tag.startswith(_YAML_TAG) else ""
    if kind == "binary":
        return _binary(text)
    if kind not in ("bool", "int", "float", "null", "timestamp"):
        return text
    if kind == "timestamp":
        if not _is_timestamp(text):
            raise ScalarError(f"`{text}` is no timestamp")
        return text
    value = resolve(text)
    if kind == "float" and isinstance(value, int) and not isinstance(value, bool) and value <= _INT64_MAX:
        value = float(value)
    if value.__class__.__name__ != {"null": "NoneType"}.get(kind, kind):
        raise ScalarError(f"`{text}` is not what its tag `!!{kind}` says")
    return value if as_key else _json_value(value)


def _is_timestamp(text: str) -> bool:
    match = _TIMESTAMP.match(text)
    if match is None:
        return False
    from datetime import datetime  # nobody writes the tag

    year, month, day, hour, minute, second, *spaced = (int(part) for part in match.groups("0"))
    try:
        datetime(year, month, day, hour + spaced[0], minute + spaced[1], second + spaced[2])
    except ValueError:
        return False
    return True


def _binary(text: str) -> str:
    import binascii  # one manifest in thousands uses the tag
    import codecs

    packed = text.replace("\r", "").replace("\n", "")
    if not _BASE64.match(packed):
        raise ScalarError("`!!binary` is not valid base64")
    # Go's JSON writer puts one replacement character for every byte that is not UTF-8.
    raw = binascii.a2b_base64(packed)
    codecs.register_error("raylint-each-byte", _replace_one_byte)
    return raw.decode("utf-8", "raylint-each-byte")


def _replace_one_byte(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return "\ufffd", error.start + 1
