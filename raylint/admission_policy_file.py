"""The ``webhook`` section of the configuration file, read into an AdmissionPolicy.

::

    webhook:
      mode: enforce                    # the hardest of all: enforce, warn or audit
      severities: {error: enforce, warning: warn, info: audit}
      rules: {RAY204: enforce, KR: audit}        # ids, names or families; the most exact counts
      namespaces: {"*": warn, "prod-*": enforce} # the hardest there; the most exact counts
      kinds: {RayJob: warn}
      operators: ["system:serviceaccount:kuberay-system:kuberay-operator"]
      unverified-children: warn        # looks like the operator's object, and no such account made it
      on-existing: by-user             # what an update does not bring: warn, silent, or by-user: warn people
      on-rule-error: warn              # a rule fails: warn, deny, or error (leave it to failurePolicy)
      exemptions:
        - {namespaces: ["sandbox-*"], reason: "playground", until: "2027-01-31"}
        - {users: ["system:serviceaccount:ci:*"], rules: [RAY101], reason: "image tests"}
      annotations: {allow: true, namespaces: ["dev-*"], groups: [], locked: [RAY810]}
      break-glass: {groups: ["platform-oncall"], users: []}
"""

from __future__ import annotations

from raylint.admission_policy import AdmissionPolicy, Mode, RequestExemption
from raylint.errors import UsageError
from raylint.expiry import is_day
from raylint.finding import Severity
from raylint.options import suggestion
from raylint.registry import catalogue, matching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from raylint.finding import Path
    from raylint.options import Options
    from raylint.rule import Rule

__all__ = ["policy_in", "read_policy"]

_MODES = {mode.label: mode for mode in Mode}
_SEVERITIES = {severity.label: severity for severity in Severity}
_KINDS = ("RayCluster", "RayJob", "RayService", "RayCronJob")
_ON_EXISTING = {
    "warn": (Mode.WARN, Mode.WARN),
    "silent": (Mode.AUDIT, Mode.AUDIT),
    "by-user": (Mode.WARN, Mode.AUDIT),
}
_ON_RULE_ERROR = {word: word for word in ("warn", "deny", "error")}
_CONDITIONS = ("namespaces", "users", "groups", "names", "kinds")
_SERVICE_ACCOUNT = "system:serviceaccount:"


class _FaultError(Exception):
    """What is wrong, and where in the section."""

    def __init__(self, path: Path, message: str) -> None:
        super().__init__(message)
        self.path = path
        self.message = message


def policy_in(settings: Options, file: str, rules: Sequence[Rule]) -> AdmissionPolicy:
    """The policy in the settings that a configuration ``file`` gives. UsageError as :func:`read_policy`."""
    places = settings.origins

    def place(path: Path) -> str:
        return places.get(f"webhook.{path[0]}", file) if path else file

    return read_policy(settings.webhook, place, catalogue(rules))


def read_policy(section: object, at: Callable[[Path], str], known: Sequence[Rule]) -> AdmissionPolicy:
    """``section`` is the data below ``webhook``; ``at`` tells where a path inside it is written, for messages.

    UsageError: a key is unknown, a value is not what it should be, or a rule does not exist.
    """
    try:
        return _Reader(known).policy(section)
    except _FaultError as fault:
        raise UsageError(f"{at(fault.path)}: {fault.message}") from None


class _Reader:
    def __init__(self, known: Sequence[Rule]) -> None:
        self._known = known
        self._settings: dict[str, tuple[str, Callable[[Path, object], object]]] = {
            "mode": ("mode", lambda path, value: _one_of(path, value, _MODES)),
            "severities": ("severities", self._severities),
            "rules": ("rules", self._rule_modes),
            "namespaces": ("namespaces", _modes),
            "kinds": ("kinds", self._kinds),
            "operators": ("operators", self._operators),
            "unverified-children": ("unverified_children", lambda path, value: _one_of(path, value, _MODES)),
            "on-existing": ("on_existing", lambda path, value: _one_of(path, value, _ON_EXISTING)),
            "on-rule-error": ("on_rule_error", lambda path, value: _one_of(path, value, _ON_RULE_ERROR)),
            "exemptions": ("exemptions", self._exemptions),
        }

    def policy(self, section: object) -> AdmissionPolicy:
        given: dict[str, Any] = {}
        known = (*self._settings, "annotations", "break-glass")
        for key, value in _entries((), section, known).items():
            if key == "annotations":
                given |= self._annotations((key,), value)
            elif key == "break-glass":
                given |= self._break_glass((key,), value)
            else:
                name, read = self._settings[key]
                given[name] = read((key,), value)
        return AdmissionPolicy(**given)

    def _severities(self, path: Path, value: object) -> dict[Severity, Mode]:
        modes = _modes(path, value, tuple(_SEVERITIES))
        return {_SEVERITIES[name]: mode for name, mode in modes.items()}

    def _kinds(self, path: Path, value: object) -> dict[str, Mode]:
        return _modes(path, value, _KINDS)

    def _rule_modes(self, path: Path, value: object) -> dict[str, Mode]:
        """By rule id; the longest selector that names a rule counts, its name or id most of all."""
        chosen: dict[str, tuple[int, Mode]] = {}
        for selector, mode in _modes(path, value).items():
            for rule in self._matching((*path, selector), selector):
                weight = len(rule.id) if selector == rule.name else len(selector)
                if weight > chosen.get(rule.id, (0, mode))[0]:
                    chosen[rule.id] = weight, mode
        return {id: mode for id, (_, mode) in chosen.items()}

    def _matching(self, path: Path, selector: str) -> list[Rule]:
        try:
            return matching(self._known, selector)
        except UsageError as error:
            raise _FaultError(path, str(error)) from None

    def _rule_ids(self, path: Path, value: object) -> frozenset[str]:
        found = [self._matching(path, selector) for selector in _texts(path, value)]
        return frozenset(rule.id for rules in found for rule in rules)

    def _operators(self, path: Path, value: object) -> frozenset[str]:
        accounts = _texts(path, value)
        for account in accounts:
            if "*" in account:
                # Whoever can make a service account of that name somewhere would be the operator.
                raise _FaultError(path, f"operators are full names, and {account!r} has a '*'")
        return frozenset(accounts)

    def _exemptions(self, path: Path, value: object) -> tuple[RequestExemption, ...]:
        if not isinstance(value, list):
            raise _FaultError(path, "exemptions is a list")
        return tuple(self._exemption((*path, number), item) for number, item in enumerate(value))

    def _exemption(self, path: Path, value: object) -> RequestExemption:
        entries = _entries(path, value, (*_CONDITIONS, "rules", "reason", "until"))
        conditions = {name: _texts((*path, name), entries[name]) for name in _CONDITIONS if name in entries}
        rules = self._rule_ids((*path, "rules"), entries["rules"]) if "rules" in entries else None
        if not any(conditions.values()) and rules is None:
            raise _FaultError(path, f"an exemption needs one of {', '.join(_CONDITIONS)} or rules")
        for user in conditions.get("users", ()):
            _check_user((*path, "users"), user)
        reason, until = entries.get("reason"), entries.get("until", "")
        if not isinstance(reason, str) or not reason.strip():
            raise _FaultError(path, "an exemption needs a reason")
        if not isinstance(until, str) or (until and not is_day(until)):
            raise _FaultError((*path, "until"), f"until is a day such as 2027-01-31, not {until!r}")
        return RequestExemption(reason.strip(), rules=rules, expires=until, **conditions)

    def _annotations(self, path: Path, value: object) -> dict[str, object]:
        entries = _entries(path, value, ("allow", "namespaces", "groups", "locked"))
        allow = entries.get("allow", True)
        if not isinstance(allow, bool):
            raise _FaultError((*path, "allow"), f"allow is true or false, not {allow!r}")
        return {
            "annotations": allow,
            "annotation_namespaces": _texts((*path, "namespaces"), entries.get("namespaces", [])),
            "annotation_groups": _texts((*path, "groups"), entries.get("groups", [])),
            "locked": self._rule_ids((*path, "locked"), entries.get("locked", [])),
        }

    def _break_glass(self, path: Path, value: object) -> dict[str, object]:
        entries = _entries(path, value, ("groups", "users"))
        return {
            f"break_glass_{name}": frozenset(_texts((*path, name), entries.get(name, [])))
            for name in ("groups", "users")
        }


def _check_user(path: Path, user: str) -> None:
    """``*`` stands at the end of a service account of one namespace: elsewhere anybody could fit the pattern."""
    namespace, colon, account = user.removeprefix(_SERVICE_ACCOUNT).partition(":")
    is_account = user.startswith(_SERVICE_ACCOUNT) and bool(namespace and colon) and "*" not in namespace
    if "*" in user and not (is_account and account == "*"):
        raise _FaultError(path, f"{user!r}: '*' may only end system:serviceaccount:NAMESPACE:*")


def _entries(path: Path, value: object, known: Sequence[str]) -> dict[str, object]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _FaultError(path, f"{path[-1] if path else 'webhook'} is a mapping of settings")
    for key in value:
        if key not in known:
            raise _FaultError((*path, key), f"unknown setting {key!r}{suggestion(key, known)}")
    return {key: item for key, item in value.items() if item is not None}


def _modes(path: Path, value: object, known: Sequence[str] = ()) -> dict[str, Mode]:
    if not isinstance(value, dict):
        raise _FaultError(path, f"{path[-1]} is a mapping to modes: {', '.join(_MODES)}")
    for key in value:
        if known and key not in known:
            raise _FaultError((*path, key), f"{key!r} is not one of {', '.join(known)}{suggestion(key, known)}")
    return {key: _one_of((*path, key), item, _MODES) for key, item in value.items()}


def _one_of(path: Path, value: object, known: Mapping[str, Any]) -> Any:
    # YAML 1.1 reads a bare off as false.
    word = "off" if value is False else value
    if not isinstance(word, str) or word not in known:
        hint = suggestion(word, known) if isinstance(word, str) else ""
        raise _FaultError(path, f"{path[-1]}: {value!r} is not one of {', '.join(known)}{hint}")
    return known[word]


def _texts(path: Path, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise _FaultError(path, f"{path[-1]} is a list of texts")
    return tuple(value)
