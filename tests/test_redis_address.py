"""Redis addresses: what the rules say against what real Ray does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from raylint.engine import Engine
from raylint.finding import Finding, Severity
from raylint.packs import installed_rules
from raylint.target import Target, parse_version

FIXTURE = Path(__file__).parent / "fixtures" / "redis-address.json"
RULES = tuple(rule for rule in installed_rules() if "RAY103" <= rule.id <= "RAY121")
ENGINE = Engine(RULES, Target())


def findings(address: str, ray: str, *, by_env: bool = False, env: dict[str, str] | None = None) -> list[Finding]:
    """What the rules say about a cluster with this address, through the whole engine."""
    container: dict[str, object] = {
        "name": "ray-head",
        "image": f"rayproject/ray:{ray}" if ray else "registry.example/ray:stable",
        "env": [{"name": name, "value": value} for name, value in (env or {}).items()],
    }
    spec: dict[str, object] = {"headGroupSpec": {"template": {"spec": {"containers": [container]}}}}
    metadata: dict[str, object] = {"name": "trainer"}
    if by_env:
        container["env"] = [{"name": "RAY_REDIS_ADDRESS", "value": address}]
        metadata["annotations"] = {"ray.io/ft-enabled": "true"}
    else:
        spec["gcsFaultToleranceOptions"] = {"redisAddress": address}
    manifest = {"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": metadata, "spec": spec}
    result = ENGINE.check("cluster.yaml", yaml.safe_dump(manifest, allow_unicode=True).encode())
    return result.findings + ENGINE.conclude(result.facts)


def verdict(found: list[Finding]) -> str:
    """``R``: the head cannot start; ``D``: it may, but a warning or a remark is due; ``A``: nothing to say."""
    about_the_address = [finding for finding in found if finding.rule_id in ("RAY108", "RAY109")]
    if any(finding.severity is Severity.ERROR for finding in about_the_address):
        return "R"
    return "D" if about_the_address else "A"


# Row of the table of addresses, the address, and the verdict for Ray up to 2.48 and from 2.49 on. Rows that Ray
# accepts and that still lose something are D: the fixed IP (4, 27d), the list (18), the blank and other ports that
# only Ray's int() reads (25, 27b), IPv6 addresses (16, 17), which are fixed IPs too, and the head pod itself (32).
TABLE = [
    ("1", "redis:6379", "AA"),
    ("2", "redis://redis:6379", "AA"),
    ("3", "rediss://redis:6380", "AA"),
    ("4", "10.0.0.5:6379", "DD"),
    ("5", "redis.ns.svc.cluster.local:6379", "AA"),
    ("6", "redis", "RR"),
    ("7", "redis://redis", "RR"),
    ("8", "rediss://redis", "RR"),
    ("9", "redis://redis:6379/0", "RR"),
    ("9", "redis:6379/0", "RR"),
    ("10", "redis://redis:6379/", "RR"),
    ("11", "redis://redis:6379?db=1", "RR"),
    ("12", "redis://:pw@redis:6379", "RR"),
    ("13", "redis://user:pw@redis:6379", "RR"),
    ("14", "user:pw@redis:6379", "RR"),
    ("15", "redis://user:secret@localhost:6379/0?foo=bar&qux=baz", "RR"),
    ("16", "[fd00::1]:6379", "RD"),
    ("16", "redis://[fd00::1]:6379", "RD"),
    ("17", "fd00::1:6379", "DR"),
    ("18", "a:6379,b:6379", "DD"),
    ("19", ",a:6379", "RR"),
    ("20", "REDIS://redis:6379", "RR"),
    ("20", "Redis://redis:6379", "RR"),
    ("21", "valkey://redis:6379", "RR"),
    ("21", "valkeys://redis:6379", "RR"),
    ("21", "tcp://redis:6379", "RR"),
    ("21", "http://redis:6379", "RR"),
    ("22", "redis+sentinel://s:26379/m", "RR"),
    ("22", "redis-sentinel://s:26379", "RR"),
    ("22", "sentinel://s:26379", "RR"),
    ("23", "unix:///tmp/redis.sock", "RR"),
    ("24", " redis:6379", "RR"),
    ("25", "redis:6379 ", "DD"),
    # A line break does no harm: Ray's int() and the cleanup Job's urlparse() both drop it.
    ("25", "redis:6379\n", "AA"),
    ("26", "redis:port", "RR"),
    ("26", 'redis:6379"', "RR"),
    ("27", "redis:0", "RR"),
    ("27", "redis:99999", "RR"),
    ("27", "redis:65536", "RR"),
    ("27", "redis:-1", "RR"),
    ("27b", "redis:06379", "AA"),
    ("27b", "redis:+6379", "DD"),
    ("27b", "redis:6_379", "DD"),
    ("27b", "redis: 6379", "DD"),
    ("27b", "redis:6379.0", "RR"),
    ("27b", "redis:6379#x", "RR"),
    ("27b", "redis:6379;", "RR"),
    ("27c", ":6379", "RR"),
    ("27d", "0.0.0.0:6379", "DD"),
    ("27d", "127.1:6379", "DD"),
    ("27d", "2130706433:6379", "AA"),
    ("28", "redis:///redis:6379", "RR"),
    ("29", "redis://redis://redis:6379", "RR"),
    ("30", "$(REDIS_HOST):6379", "RR"),
    ("31", "", "RR"),
    ("32", "localhost:6379", "DD"),
    ("32", "127.0.0.1:6379", "DD"),
    ("33", "redis.other-ns:6379", "AA"),
]


@pytest.mark.parametrize("ray", ["2.43.0", "2.51.1", "2.60.0"])
@pytest.mark.parametrize(("row", "address", "verdicts"), TABLE)
def test_row_of_the_table(row: str, address: str, verdicts: str, ray: str) -> None:
    expected = verdicts[0 if ray == "2.43.0" else 1]
    for by_env in (False, True):
        assert verdict(findings(address, ray, by_env=by_env)) == expected, f"row {row}"


@pytest.mark.parametrize(("row", "address", "verdicts"), TABLE)
def test_unknown_ray_is_refused_only_what_every_ray_refuses(row: str, address: str, verdicts: str) -> None:
    assert (verdict(findings(address, "")) == "R") == (verdicts == "RR"), f"row {row}"


def test_variable_of_the_heads_own_env_is_expanded() -> None:
    assert verdict(findings("$(REDIS_HOST):6379", "2.51.1", env={"REDIS_HOST": "redis"})) == "A"
    assert verdict(findings("$(REDIS_HOST):6379", "2.51.1", env={"REDIS_HOST": "redis://redis"})) == "A"
    assert verdict(findings("redis://$(REDIS_HOST):6379", "2.51.1", env={"REDIS_HOST": "redis://redis"})) == "R"
    assert verdict(findings("$(REDIS_SERVICE_HOST):6379", "2.51.1")) == "A"


class Recorded:
    """A case that was run against real Ray: the address, what listened there, and who accepted it."""

    def __init__(self, case: dict[str, object], ray: str) -> None:
        verdicts = case["verdicts"]
        assert isinstance(verdicts, dict)
        self.id = str(case["id"])
        self.group = str(case["group"])
        self.address = str(case["address"])
        self.username = case.get("username")
        self.ray = ray
        self.accepted = verdicts[ray]["accepted"] is True

    def __str__(self) -> str:
        return f"{self.id}-{self.ray}"


def recorded() -> list[Recorded]:
    data = json.loads(FIXTURE.read_text(encoding="utf-8"))
    return [Recorded(case, ray) for case in data["cases"] for ray in data["meta"]["ray_versions"]]


RECORDED = recorded()
# Refused for a reason that no manifest shows.
NOT_IN_THE_TEXT = {
    "unresolvable": "the name is well formed, no DNS server knows it",
    "comma-first-dead": "nobody listens at the first address of the list",
}


@pytest.mark.parametrize("case", [case for case in RECORDED if case.group != "server"], ids=str)
def test_an_error_if_and_only_if_ray_refuses_the_address(case: Recorded) -> None:
    refused = any(
        finding.rule_id == "RAY108" and finding.severity is Severity.ERROR
        for finding in findings(case.address, case.ray)
    )
    expected = not case.accepted and case.id not in NOT_IN_THE_TEXT
    assert refused == expected


@pytest.mark.parametrize("case", [case for case in RECORDED if case.group == "server"], ids=str)
def test_what_only_the_server_knows_is_not_guessed(case: Recorded) -> None:
    """Of these cases only one shows its fault in the address, and it is refused by every Ray."""
    assert (verdict(findings(case.address, case.ray)) == "R") == (case.id == "auth-url-right")
    assert case.id != "auth-url-right" or not case.accepted


def test_reasons_outside_the_text_are_real_cases() -> None:
    """Nothing is excused that Ray accepts."""
    for name in NOT_IN_THE_TEXT:
        cases = [case for case in RECORDED if case.id == name]
        assert len(cases) == 4
        assert not any(case.accepted for case in cases)


def test_the_effect_quotes_rays_own_words() -> None:
    quoted_from = {"parse": 0, "store": 0}
    for case in json.loads(FIXTURE.read_text(encoding="utf-8"))["cases"]:
        for ray, answer in case["verdicts"].items():
            found = [finding for finding in findings(case["address"], ray) if finding.rule_id == "RAY108"]
            if not found:
                continue
            quoted = found[0].effect.partition('log says "')[2].partition('"')[0]
            if answer["stage"] == "parse":
                name, _, words = quoted.partition(": ")
                assert (name, answer["msg"][: len(words)]) == (answer["class"], words), f"{case['id']} {ray}"
            else:
                assert any(quoted in line for line in answer["log"]), f"{case['id']} {ray}: {quoted}"
            quoted_from[answer["stage"]] += 1
    assert min(quoted_from.values()) > 30


def test_credentials_are_never_repeated() -> None:
    secrets = ("s3cret", "pa/ss?w", "p@ss")
    for secret in secrets:
        for address in (
            f"redis://app:{secret}@redis:6379",
            f"redis://:{secret}@redis:6379/0",
            f"a:{secret}@redis",
        ):
            found = [finding for finding in findings(address, "2.51.1") if finding.rule_id == "RAY108"]
            assert len(found) == 1
            for text in (found[0].message, found[0].effect, found[0].fix, found[0].place.label):
                assert secret not in text


REPAIRS = [
    ("redis://redis:6379/0", "'redis:6379'"),
    ("redis://:pw@redis:6379", "'redis:6379'"),
    ("rediss://u:pw@redis:6380/1?a=b", "'rediss://redis:6380'"),
    ("REDISS://redis:6380", "'rediss://redis:6380'"),
    ("valkeys://redis:6380", "'rediss://redis:6380'"),
    ("redis+sentinel://s:26379/main", "'s:26379'"),
    ("redis://redis://redis:6379", "'redis:6379'"),
    ("redis:/redis:6379", "'redis:6379'"),
    ("redis:///redis:6379", "'redis:6379'"),
    (" redis:6379", "'redis:6379'"),
    ('"redis:6379"', "'redis:6379'"),
    (",redis:6379", "'redis:6379'"),
    ("fd00::1:6379", "'[fd00::1]:6379'"),
    ("redis", "'redis:6379'"),
]


@pytest.mark.parametrize(("address", "repaired"), REPAIRS)
def test_the_fix_names_the_repaired_address(address: str, repaired: str) -> None:
    (finding,) = [finding for finding in findings(address, "2.51.1") if finding.rule_id == "RAY108"]
    assert repaired in finding.fix
    assert verdict(findings(repaired.strip("'"), "2.51.1")) != "R"


def test_versions_are_those_of_the_recording() -> None:
    assert {case.ray for case in RECORDED} == {"2.9.3", "2.40.0", "2.51.1", "2.60.0"}
    assert all(parse_version(case.ray) is not None for case in RECORDED)
