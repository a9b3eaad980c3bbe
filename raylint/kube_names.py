"""Names as Kubernetes takes them: labels of DNS, keys and values of labels.

Source: kubernetes v1.36, ``apimachinery/pkg/util/validation``. Lengths are counted in bytes; every name here that
passes is ASCII.
"""

from __future__ import annotations

__all__ = ["is_dns1035", "is_dns1123", "label_key_fault", "label_value_fault"]

MOST = 63
_MOST_PREFIX = 253
_SMALL = "abcdefghijklmnopqrstuvwxyz"
_DNS = _SMALL + "-0123456789"
_ALL = _DNS + _SMALL.upper() + "_."


def is_dns1035(text: str) -> bool:
    """A letter first, then lower-case letters, digits and dashes, no dash last. The length is not looked at."""
    return text[:1] in _SMALL and text != "" and text[-1] != "-" and not text.strip(_DNS)


def is_dns1123(text: str) -> bool:
    """As DNS-1035, but a digit may come first, and no more than 63 characters."""
    return len(text) <= MOST and _is_dns_label(text)


def _is_dns_label(text: str) -> bool:
    return text != "" and text[0] != "-" and text[-1] != "-" and not text.strip(_DNS)


def _is_label(text: str) -> bool:
    return text[:1] not in "-_." and text[-1:] not in "-_." and not text.strip(_ALL)


def label_key_fault(key: str) -> str:
    """What is wrong with a label's key; ``""`` where nothing is."""
    prefix, slash, name = key.rpartition("/")
    if slash and (len(prefix) > _MOST_PREFIX or not all(map(_is_dns_label, prefix.split(".")))):
        return f"the part {prefix!r} before the slash is no DNS name"
    if not name:
        return "it has no name" if not slash else "there is nothing behind the slash"
    if len(name.encode("utf-8", "surrogatepass")) > MOST:
        return f"it is longer than {MOST} characters"
    return "" if _is_label(name) else _CHARACTERS


def label_value_fault(value: str) -> str:
    """What is wrong with a label's value; ``""`` where nothing is."""
    if len(value.encode("utf-8", "surrogatepass")) > MOST:
        return f"it is longer than {MOST} characters"
    return "" if not value or _is_label(value) else _CHARACTERS


_CHARACTERS = "letters, digits, '-', '_' and '.' only, a letter or digit first and last"
