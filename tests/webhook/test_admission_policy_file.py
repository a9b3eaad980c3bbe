"""The section ``webhook`` of a configuration: what it may say, and what it is told where it is wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from reviews import cluster, create

from raylint.admission import KINDS
from raylint.admission_policy import AdmissionPolicy, Mode, RequestExemption
from raylint.admission_review import Review
from raylint.admission_setup import admission_of
from raylint.cli import main
from raylint.config import webhook_keys
from raylint.config.schema import config_schema_text
from raylint.errors import UsageError
from raylint.finding import Severity

WHOLE = """\
target: {kuberay: "1.6"}
webhook:
  mode: warn
  severities: {error: enforce, warning: audit, info: off}
  rules: {RAY: warn, RAY1: audit, RAY102: off, restart-never-with-gcs-ft: enforce}
  namespaces: {"*": warn, "prod-*": enforce}
  kinds: {RayJob: audit}
  operators: ["system:serviceaccount:kuberay-system:kuberay-operator"]
  unverified-children: enforce
  on-existing: silent
  on-rule-error: error
  exemptions:
    - {namespaces: ["sandbox-*"], reason: playground, until: "2027-01-31"}
    - {users: ["system:serviceaccount:ci:*", bob], rules: [RAY101], reason: image tests}
  annotations: {allow: true, namespaces: ["dev-*"], groups: [devs], locked: [restart-never-with-gcs-ft]}
  break-glass: {groups: [oncall], users: [root]}
"""


def policy_of(folder: Path, text: str) -> AdmissionPolicy:
    file = folder / "raylint.yaml"
    file.write_text(text)
    return admission_of(str(file)).policy


def test_everything_that_can_be_said(tmp_path: Path) -> None:
    policy = policy_of(tmp_path, WHOLE)
    assert policy.mode is Mode.WARN
    assert policy.severities == {
        Severity.ERROR: Mode.ENFORCE,
        Severity.WARNING: Mode.AUDIT,
        Severity.INFO: Mode.OFF,
    }
    assert policy.rules["RAY101"] is Mode.ENFORCE
    assert policy.rules["RAY102"] is Mode.OFF
    assert policy.rules["RAY103"] is Mode.AUDIT
    assert policy.rules["RAY201"] is Mode.WARN
    assert {rule[:3] for rule in policy.rules} == {"RAY"}
    assert policy.namespaces == {"*": Mode.WARN, "prod-*": Mode.ENFORCE}
    assert policy.kinds == {"RayJob": Mode.AUDIT}
    assert policy.operators == {"system:serviceaccount:kuberay-system:kuberay-operator"}
    assert policy.unverified_children is Mode.ENFORCE
    assert policy.on_existing == (Mode.AUDIT, Mode.AUDIT)
    assert policy.on_rule_error == "error"
    sandbox, tests = policy.exemptions
    assert (sandbox.namespaces, sandbox.rules, sandbox.expires) == (("sandbox-*",), None, "2027-01-31")
    assert tests.users == ("system:serviceaccount:ci:*", "bob")
    assert tests.rules == frozenset({"RAY101"})
    assert (policy.annotation_namespaces, policy.annotation_groups) == (("dev-*",), ("devs",))
    assert policy.locked == {"RAY101"}
    assert policy.break_glass_groups == {"oncall"}
    assert policy.break_glass_users == {"root"}


def test_the_settings_of_the_command_line_count_as_well(tmp_path: Path) -> None:
    file = tmp_path / "raylint.yaml"
    file.write_text(WHOLE)
    admission = admission_of(str(file))
    assert admission.engine.target.kuberay == (1, 6)


def test_without_a_file_there_are_the_defaults() -> None:
    admission = admission_of("")
    assert admission.policy.mode is Mode.ENFORCE
    assert admission.policy.operators == frozenset()
    assert admission.ruleset.partition("+")[2]


def test_two_configurations_have_two_names(tmp_path: Path) -> None:
    file = tmp_path / "raylint.yaml"
    file.write_text("webhook: {mode: warn}\n")
    one = admission_of(str(file)).ruleset
    file.write_text("webhook: {mode: audit}\n")
    assert admission_of(str(file)).ruleset != one


@pytest.mark.parametrize(
    ("section", "column", "message"),
    [
        ("{mod: warn}", 11, "unknown setting 'mod' (did you mean mode?)"),
        ("{mode: enforc}", 11, "mode is one of off, audit, warn, enforce (did you mean enforce?)"),
        ("{mode: true}", 11, "mode is one of off, audit, warn, enforce"),
        ("{severities: {eror: warn}}", 24, "unknown setting 'eror' (did you mean error?)"),
        ("{rules: {restart-never-with-gcs: off}}", 19, "unknown rule 'restart-never-with-gcs', did you mean 'r"),
        ("{rules: {RAY101: never}}", 19, "RAY101 is one of off, audit, warn, enforce"),
        ("{rules: [RAY101]}", 11, "rules is a mapping"),
        ("{kinds: {RayJobs: warn}}", 19, "unknown setting 'RayJobs' (did you mean RayJob?)"),
        ("{namespaces: {a: never}}", 24, "a is one of off, audit, warn, enforce"),
        ("{namespaces: {'': warn}}", 24, "a namespace has a name"),
        ('{operators: ["system:serviceaccount:*:kuberay-operator"]}', 23, "operators are full names, and"),
        ("{operators: me}", 11, "operators is a list"),
        ("{on-existing: never}", 11, "on-existing is one of by-user, warn, silent"),
        ("{on-rule-error: panic}", 11, "on-rule-error is one of warn, deny, error"),
        ("{exemptions: {reason: a}}", 11, "exemptions is a list"),
        ("{exemptions: [{namespaces: [a]}]}", 25, "entry 1 of exemptions has no reason"),
        ("{exemptions: [{reason: all}]}", 25, "an exemption needs one of namespaces, users, groups, names, kinds"),
        ("{exemptions: [{reason: all, users: []}]}", 25, "an exemption needs one of namespaces, users"),
        ('{exemptions: [{reason: a, users: ["*"]}]}', 44, "'*': '*' may only end"),
        (
            '{exemptions: [{reason: a, users: ["system:serviceaccount:*:a"]}]}',
            44,
            "'system:serviceaccount:*:a': '*' may only end",
        ),
        ("{exemptions: [{reason: a, names: [a], until: soon}]}", 48, "until is a day, such as 2027-03-31"),
        (
            "{exemptions: [{reason: a, names: [a], rule: [RAY101]}]}",
            48,
            "unknown setting 'rule' (did you mean rules?)",
        ),
        ("{annotations: {allow: maybe}}", 25, "allow is true or false"),
        ("{annotations: {locked: [RAY999]}}", 34, "unknown rule 'RAY999'"),
        ("{annotations: {group: [a]}}", 25, "unknown setting 'group' (did you mean groups?)"),
        ("{break-glass: [me]}", 11, "break-glass is a mapping of settings"),
        ("{break-glass: {user: [me]}}", 25, "unknown setting 'user' (did you mean users?)"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, section: str, column: int, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        policy_of(tmp_path, f"fail-on: warning\nwebhook: {section}\n")
    assert f"raylint.yaml:2:{column}: {message}" in str(caught.value)


SECTION = json.loads(config_schema_text())["properties"]["webhook"]
DOCS = Path(__file__).resolve().parent.parent.parent / "docs" / "webhook.md"


def keys(schema: dict[str, Any], path: str = "") -> Iterator[str]:
    """The keys that a schema names, those inside others as ``annotations.allow``."""
    for part in (schema, *schema.get("anyOf", ())):
        for name, inner in part.get("properties", {}).items():
            yield f"{path}{name}"
            yield from keys(inner, f"{path}{name}.")
        yield from keys(part["items"], path) if "items" in part else ()


def written(data: Any, path: str = "") -> Iterator[str]:
    """The same of data. Where keys are free, what stands in their place is none of the schema's."""
    if isinstance(data, list):
        for item in data:
            yield from written(item, path)
    elif isinstance(data, dict) and path not in ("rules.", "namespaces."):
        for name, inner in data.items():
            yield f"{path}{name}"
            yield from written(inner, f"{path}{name}.")


def examples() -> list[dict[str, Any]]:
    blocks = re.findall(r"```yaml\n(webhook:\n.*?)```", DOCS.read_text(), re.DOTALL)
    return [yaml.safe_load(block)["webhook"] for block in blocks]


def test_the_words_of_the_section_are_those_of_the_policy() -> None:
    assert set(webhook_keys.MODES) == {mode.label for mode in Mode}
    assert set(webhook_keys.SEVERITIES) == {severity.label for severity in Severity}
    assert set(webhook_keys.KINDS) == set(KINDS)
    assert set(webhook_keys.CONDITIONS) < set(RequestExemption.__slots__)


def test_every_documented_key_is_in_the_schema_and_every_other_is_documented() -> None:
    (example,) = examples()
    assert set(written(example)) == set(keys(SECTION))
    jsonschema.validate(example, SECTION)


def test_the_documented_example_is_read(tmp_path: Path) -> None:
    (example,) = examples()
    policy = policy_of(tmp_path, yaml.safe_dump({"webhook": example}))
    assert policy.mode is Mode.WARN
    # Not one of its keys is passed over: taken away, each leaves another policy.
    whole = {name: getattr(policy, name) for name in AdmissionPolicy.__slots__ if name != "exemptions"}
    for key in example.keys() - {"exemptions"}:
        less = policy_of(tmp_path, yaml.safe_dump({"webhook": {**example, key: None}}))
        assert {name: getattr(less, name) for name in whole} != whole, key
    assert len(policy.exemptions) == len(example["exemptions"])


@pytest.mark.parametrize("path", sorted(set(keys(SECTION))))
def test_the_schema_and_the_reader_refuse_a_wrong_value_of_each_key(tmp_path: Path, path: str) -> None:
    *outer, last = path.split(".")
    entry: dict[str, Any] = {"reason": "a", "names": ["a"]} if outer == ["exemptions"] else {}
    for wrong in (7, "no such word", ["", 1], {"odd": 5}):
        inner: Any = {**entry, last: wrong}
        for step in reversed(outer):
            inner = {step: [inner] if step == "exemptions" else inner}
        if path == "exemptions.reason" and wrong == "no such word":
            continue
        assert not jsonschema.Draft202012Validator(SECTION).is_valid(inner), inner
        with pytest.raises(UsageError, match=r"raylint\.yaml:\d+:\d+: "):
            policy_of(tmp_path, yaml.safe_dump({"webhook": inner}))


def test_a_rule_that_the_configuration_writes_has_a_mode(tmp_path: Path) -> None:
    rules = "cel-rules: [{id: ACME101, expression: 'true', message: a}]\n"
    assert policy_of(tmp_path, f"{rules}webhook: {{rules: {{ACME101: off}}}}\n").rules == {"ACME101": Mode.OFF}


def test_the_most_exact_namespace_counts(tmp_path: Path) -> None:
    policy = policy_of(tmp_path, "webhook: {namespaces: {'*': audit, 'prod-*': enforce, prod-test: warn}}\n")
    for namespace, mode in (("a", Mode.AUDIT), ("prod-a", Mode.ENFORCE), ("prod-test", Mode.WARN)):
        assert policy.ceiling(Review(create(cluster(namespace=namespace)))) is mode


def test_what_the_api_server_has_judged_before_refuses_nobody() -> None:
    policy = AdmissionPolicy()
    assert policy.own_mode("API001", Severity.ERROR) is Mode.WARN
    assert AdmissionPolicy(rules={"API001": Mode.ENFORCE}).own_mode("API001", Severity.ERROR) is Mode.ENFORCE


def test_the_command_line_checks_the_section(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / ".raylint.yaml"
    file.write_text("webhook: {mode: warn, rules: {RAY101: audit}}\n")
    assert main(["config", "validate"]) == 0
    file.write_text("webhook:\n  mode: deny\n")
    assert main(["config", "validate"]) == 2
    assert ".raylint.yaml:2:3: mode is one of off, audit, warn, enforce" in capsys.readouterr().err
