"""Fingerprints: what tells one finding from another across runs, while lines move and lists are reordered."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from raylint.finding import Finding

__all__ = ["fingerprints", "kind_prints"]


def fingerprints(findings: Sequence[Finding]) -> list[str]:
    """The fingerprint of each finding, in hexadecimal: SHA-256 over the rule, the object, the place in it by
    names (``Finding.identity``), and a number where several are equal in all that.

    Neither the file nor the line is part of it, except where no object could be read: then the file is.
    """
    from hashlib import sha256

    seen: dict[str, int] = {}
    prints = []
    for finding in findings:
        identity = _identity(finding)
        ordinal = seen[identity] = seen.get(identity, -1) + 1
        prints.append(sha256(f"{identity}{ordinal}".encode()).hexdigest())
    return prints


def kind_prints(findings: Sequence[Finding]) -> list[str]:
    """The fingerprints without the number: equal for findings that are equal in rule, object and place. It is the
    fingerprint of the first of them."""
    from hashlib import sha256

    return [sha256(f"{_identity(finding)}0".encode()).hexdigest() for finding in findings]


def _identity(finding: Finding) -> str:
    import json

    about = finding.object
    owner = (about.kind, about.namespace, about.name) if about else (finding.place.file,)
    return json.dumps((finding.rule_id, owner, finding.identity))
