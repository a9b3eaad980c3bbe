"""``RAY_`` variables: what the rules say against what real Ray does with them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from raylint.engine import Engine
from raylint.finding import Finding, Severity
from raylint.packs import installed_rules
from raylint.ray_settings import meant, setting
from raylint.target import Target, parse_version

FIXTURE = json.loads((Path(__file__).parent / "fixtures" / "ray-env.json").read_text(encoding="utf-8"))
RULES = tuple(rule for rule in installed_rules() if rule.id.startswith(("RAY3", "RAY811")))
ENGINE = Engine(RULES, Target())
ABOUT_VARIABLES = ("RAY321", "RAY322", "RAY323", "RAY324", "RAY325", "RAY326", "RAY811")

# Ends Ray for a reason that no manifest shows.
NOT_IN_THE_TEXT = {"env-107-start-hook": "what modules the image has"}


class Recorded:
    """One variable in one Ray version."""

    def __init__(self, case: dict[str, object], ray: str) -> None:
        self.id = str(case["id"])
        self.name = str(case["name"])
        self.value = str(case["value"])
        self.ray = ray
        outcome, read = case["outcome"], case.get("read", {})
        assert isinstance(outcome, dict)
        assert isinstance(read, dict)
        self.outcome = outcome[ray]
        self.read = read.get(ray)
        self.boolean = case.get("boolean") is True

    def __str__(self) -> str:
        return f"{self.id}-{self.ray}"


RECORDED = [Recorded(case, ray) for case in FIXTURE["cases"] for ray in FIXTURE["meta"]["ray_versions"]]


def findings(name: str, value: str, image: str) -> list[Finding]:
    """What the rules on variables say about a head with this one."""
    container = {"name": "ray", "image": image, "env": [{"name": name, "value": value}]}
    spec = {"headGroupSpec": {"template": {"spec": {"containers": [container]}}}}
    manifest = {"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": {"name": "demo"}, "spec": spec}
    found = ENGINE.check("cluster.yaml", json.dumps(manifest).encode()).findings
    return [finding for finding in found if finding.rule_id in ABOUT_VARIABLES]


@pytest.mark.parametrize("case", RECORDED, ids=str)
def test_an_error_if_and_only_if_ray_ends(case: Recorded) -> None:
    found = findings(case.name, case.value, f"rayproject/ray:{case.ray}")
    worst = any(finding.severity is Severity.ERROR for finding in found)
    assert worst == (case.outcome == "crashes" and case.id not in NOT_IN_THE_TEXT)
    for finding in found:
        assert finding.place.path[-1] in ("value", "name") or finding.place.path[-2:] == ("env", 0)


@pytest.mark.parametrize("case", [case for case in RECORDED if case.outcome == "ignored"], ids=str)
def test_what_is_ignored_is_named_where_it_is_evident(case: Recorded) -> None:
    """Evident: a name of another release, of the past, or one that is close to a setting."""
    found = {finding.rule_id for finding in findings(case.name, case.value, f"rayproject/ray:{case.ray}")}
    known = setting(case.name)
    assert ("RAY322" in found) == (known is not None or meant(case.name) is not None or bool(found))
    if known is None or known.of_core:
        assert found == {"RAY322"}


@pytest.mark.parametrize("case", [case for case in RECORDED if case.outcome != "ignored"], ids=str)
def test_what_is_read_is_never_called_unread(case: Recorded) -> None:
    found = {finding.rule_id for finding in findings(case.name, case.value, f"rayproject/ray:{case.ray}")}
    assert "RAY322" not in found
    known = setting(case.name)
    assert known is None or known.is_read_by(parse_version(case.ray)) is True


@pytest.mark.parametrize("case", [case for case in RECORDED if case.boolean], ids=str)
def test_a_switch_that_looks_on_and_is_off(case: Recorded) -> None:
    found = {finding.rule_id for finding in findings(case.name, case.value, f"rayproject/ray:{case.ray}")}
    if "RAY323" in found:
        assert case.read is False
    assert ("RAY323" in found) == (case.value in ("on", "yes"))


@pytest.mark.parametrize("case", FIXTURE["cases"], ids=lambda case: str(case["id"]))
def test_of_an_unknown_ray_only_what_ends_every_release(case: dict[str, object]) -> None:
    verdicts = [recorded for recorded in RECORDED if recorded.id == case["id"]]
    found = findings(str(case["name"]), str(case["value"]), "registry.example/ray:stable")
    ended = all(recorded.outcome == "crashes" for recorded in verdicts) and case["id"] not in NOT_IN_THE_TEXT
    worst = any(finding.severity is Severity.ERROR for finding in found)
    assert ended or not worst
    if ended and case["id"] != "env-068-gcs-storage":
        assert worst


@pytest.mark.parametrize(
    ("variable", "name"),
    [
        ("RAY_gcs_rpc_server_reconnect_timeout", "gcs_rpc_server_reconnect_timeout_s"),
        ("RAY_gcs_rpc_server_reconnect_timeout_ms", "gcs_rpc_server_reconnect_timeout_s"),
        ("RAY_Gcs_Rpc_Server_Reconnect_Timeout_S", "gcs_rpc_server_reconnect_timeout_s"),
        ("ray_gcs_rpc_server_reconnect_timeout_s", "gcs_rpc_server_reconnect_timeout_s"),
        ("gcs_rpc_server_reconnect_timeout_s", "gcs_rpc_server_reconnect_timeout_s"),
        ("RAY_use_tls", "USE_TLS"),
        ("RAY_worker_regster_timeout_seconds", "worker_register_timeout_seconds"),
        ("RAY_my_own_setting", None),
        ("RAY_TRAINER_BUCKET", None),
        ("USE_TLS", None),
        ("event_stats", None),
        ("RAY_health_check_period_ms", None),
    ],
)
def test_names_that_are_meant(variable: str, name: str | None) -> None:
    found = meant(variable)
    assert (found.name if found is not None else None) == name
