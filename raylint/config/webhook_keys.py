"""The section ``webhook``: what a webhook does with findings. ``docs/webhook.md`` tells of each key."""

from __future__ import annotations

from raylint.config.shapes import Date, ListOf, MapOf, OneOf, Record, Shape, Switch, Text
from raylint.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from raylint.config.text import Spot

__all__ = ["CONDITIONS", "KINDS", "MODES", "ON_EXISTING", "ON_RULE_ERROR", "SEVERITIES", "webhook_section"]

MODES = ("off", "audit", "warn", "enforce")
SEVERITIES = ("error", "warning", "info")
KINDS = ("RayCluster", "RayJob", "RayService", "RayCronJob")
ON_EXISTING = ("by-user", "warn", "silent")
ON_RULE_ERROR = ("warn", "deny", "error")
# What an exemption may ask of a request; all that are given must hold.
CONDITIONS = ("namespaces", "users", "groups", "names", "kinds")
_SERVICE_ACCOUNT = "system:serviceaccount:"


class ModeWord(OneOf):
    def __init__(self, help: str = "") -> None:
        super().__init__(MODES, help)

    def read(self, value: object, spot: Spot) -> Any:
        # YAML 1.1 reads a bare off as false.
        return super().read("off" if value is False else value, spot)

    def schema(self) -> dict[str, Any]:
        return self.described(enum=[*MODES, False])


class RequestExemptions(ListOf):
    """Each must say what it is for."""

    def __init__(self, selector: Callable[[str], object]) -> None:
        fields: dict[str, Shape] = {
            **{name: ListOf(Text(), "patterns, of which one must fit") for name in CONDITIONS},
            "users": ListOf(Text(check=_account), "users, or system:serviceaccount:NAMESPACE:*"),
            "rules": ListOf(Text(check=selector), "of these alone; without it no rule is run"),
            "reason": Text("why; it is written to the audit log"),
            "until": Date("the last day, in UTC, on which it counts"),
        }
        super().__init__(Record(fields, required=("reason",)), "requests that are let through")

    def read(self, value: object, spot: Spot) -> Any:
        entries = super().read(value, spot)
        for number, entry in enumerate(entries):
            if "rules" not in entry and not any(entry.get(name) for name in CONDITIONS):
                raise spot.at(number).error(f"an exemption needs one of {', '.join(CONDITIONS)} or rules")
        return entries

    def schema(self) -> dict[str, Any]:
        schema = super().schema()
        some: dict[str, Any] = {"type": "array", "minItems": 1}
        schema["items"]["anyOf"] = [
            *({"required": [name], "properties": {name: some}} for name in CONDITIONS),
            {"required": ["rules"], "properties": {"rules": {"type": "array"}}},
        ]
        return schema


def webhook_section(selector: Callable[[str], object]) -> Record:
    """``selector`` refuses, with a UsageError, what names no rule."""
    return Record(
        {
            "mode": ModeWord("the hardest mode of all; default: enforce"),
            "severities": Record(
                {name: ModeWord() for name in SEVERITIES},
                "the modes in which findings begin; default: enforce, warn, audit",
            ),
            "rules": MapOf(ModeWord(), "the same by id, name or family; the most exact counts", key=selector),
            "namespaces": MapOf(
                ModeWord(), "the hardest mode there; the most exact name or pattern counts", key=_pattern
            ),
            "kinds": Record({name: ModeWord() for name in KINDS}, "the hardest mode for objects of a kind"),
            "operators": ListOf(Text(check=_full_name), "accounts of the KubeRay operators, by their full names"),
            "unverified-children": ModeWord(
                "the hardest mode for what looks like the operator's object and is made by another; default: warn"
            ),
            "on-existing": OneOf(
                ON_EXISTING, "what an update does not bring; default by-user: warn people, note for programs"
            ),
            "on-rule-error": OneOf(ON_RULE_ERROR, "what a rule that fails does; default: warn"),
            "exemptions": RequestExemptions(selector),
            "annotations": Record(
                {
                    "allow": Switch("default: true"),
                    "namespaces": ListOf(Text(), "where; default: everywhere"),
                    "groups": ListOf(Text(), "whose; default: everybody's"),
                    "locked": ListOf(Text(check=selector), "rules that none can ignore"),
                },
                "whether suppressions in annotations count",
            ),
            "break-glass": Record(
                {"groups": ListOf(Text()), "users": ListOf(Text())},
                "who may let one write pass with the annotation raylint/break-glass",
            ),
        },
        "settings of the admission webhook",
    )


def _pattern(text: str) -> None:
    if not text.strip():
        raise UsageError("a namespace has a name")


def _full_name(account: str) -> None:
    if "*" in account:
        # Whoever can make a service account of that name somewhere would be the operator.
        raise UsageError(f"operators are full names, and {account!r} has a '*'")


def _account(user: str) -> None:
    """``*`` stands at the end of a service account of one namespace: elsewhere anybody could fit the pattern."""
    namespace, colon, account = user.removeprefix(_SERVICE_ACCOUNT).partition(":")
    is_account = user.startswith(_SERVICE_ACCOUNT) and bool(namespace and colon) and "*" not in namespace
    if "*" in user and not (is_account and account == "*"):
        raise UsageError(f"{user!r}: '*' may only end system:serviceaccount:NAMESPACE:*")
