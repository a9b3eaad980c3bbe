"""Names as Kubernetes takes them: labels of DNS, keys and values of labels.

Source: kubernetes v1.36, ``apimachinery/pkg/util/validation``. Lengths are counted in bytes; every name here that
passes is ASCII.
"""

from __future__ import annotations

import re

__all__ = ["is_dns1035", "is_dns1123", "label_key_fault", "label_value_fault"]

MOST = 63
_MOST_PREFIX = 253
_NAME = r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?"
_SMALL = "abcdefghijklmnopqrstuvwxyz"
_SUBDOMAIN = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"


def is_dns1035(text: str) -> bool:
    """A letter first, then lower-case letters, digits and dashes, no dash last. The length is not looked at."""
    return text[:1] in _SMALL and text != "" and text[-1] != "-" and not text.strip(_SMALL + "-0123456789")


def is_dns1123(text: str) -> bool:
    """As DNS-1035, but a digit may come first, and no more than 63 characters."""
    return len(text) <= MOST and re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", text) is not None


def label_key_fault(key: str) -> str:
    """What is wrong with a label's key; ``""`` where nothing is."""
    prefix, slash, name = key.rpartition("/")
    if slash and (len(prefix) > _MOST_PREFIX or not re.fullmatch(_SUBDOMAIN, prefix)):
        return f"the part {prefix!r} before the slash is no DNS name"
    if not name:
        return "it has no name" if not slash else "there is nothing behind the slash"
    if len(name.encode("utf-8", "surrogatepass")) > MOST:
        return f"it is longer than {MOST} characters"
    return "" if re.fullmatch(_NAME, name) else _CHARACTERS


def label_value_fault(value: str) -> str:
    """What is wrong with a label's value; ``""`` where nothing is."""
    if len(value.encode("utf-8", "surrogatepass")) > MOST:
        return f"it is longer than {MOST} characters"
    return "" if not value or re.fullmatch(_NAME, value) else _CHARACTERS


_CHARACTERS = "letters, digits, '-', '_' and '.' only, a letter or digit first and last"
