"""The section ``webhook`` of a configuration: what it may say, and what it is told where it is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from marked_rules import RULES
from reviews import cluster, create

from raylint.admission_policy import AdmissionPolicy, Mode
from raylint.admission_review import Review
from raylint.admission_setup import admission_of
from raylint.cli import main
from raylint.errors import UsageError
from raylint.finding import Severity

WHOLE = """\
target: {kuberay: "1.6"}
webhook:
  mode: warn
  severities: {error: enforce, warning: audit, info: off}
  rules: {ZZ: warn, ZZ1: audit, ZZ102: off, no-owner: enforce}
  namespaces: {"*": warn, "prod-*": enforce}
  kinds: {RayJob: audit}
  operators: ["system:serviceaccount:kuberay-system:kuberay-operator"]
  unverified-children: enforce
  on-existing: silent
  on-rule-error: error
  exemptions:
    - {namespaces: ["sandbox-*"], reason: playground, until: "2027-01-31"}
    - {users: ["system:serviceaccount:ci:*", bob], rules: [ZZ101], reason: image tests}
  annotations: {allow: true, namespaces: ["dev-*"], groups: [devs], locked: [bad-image]}
  break-glass: {groups: [oncall], users: [root]}
"""


def policy_of(folder: Path, text: str) -> AdmissionPolicy:
    file = folder / "raylint.yaml"
    file.write_text(text)
    return admission_of(str(file), RULES).policy


def test_everything_that_can_be_said(tmp_path: Path) -> None:
    policy = policy_of(tmp_path, WHOLE)
    assert policy.mode is Mode.WARN
    assert policy.severities == {
        Severity.ERROR: Mode.ENFORCE,
        Severity.WARNING: Mode.AUDIT,
        Severity.INFO: Mode.OFF,
    }
    assert policy.rules == {
        "ZZ101": Mode.AUDIT,
        "ZZ102": Mode.OFF,
        "ZZ103": Mode.AUDIT,
        "ZZ104": Mode.ENFORCE,
        "ZZ201": Mode.WARN,
    }
    assert policy.namespaces == {"*": Mode.WARN, "prod-*": Mode.ENFORCE}
    assert policy.kinds == {"RayJob": Mode.AUDIT}
    assert policy.operators == {"system:serviceaccount:kuberay-system:kuberay-operator"}
    assert policy.unverified_children is Mode.ENFORCE
    assert policy.on_existing == (Mode.AUDIT, Mode.AUDIT)
    assert policy.on_rule_error == "error"
    sandbox, tests = policy.exemptions
    assert (sandbox.namespaces, sandbox.rules, sandbox.expires) == (("sandbox-*",), None, "2027-01-31")
    assert tests.users == ("system:serviceaccount:ci:*", "bob")
    assert tests.rules == frozenset({"ZZ101"})
    assert (policy.annotation_namespaces, policy.annotation_groups) == (("dev-*",), ("devs",))
    assert policy.locked == {"ZZ101"}
    assert policy.break_glass_groups == {"oncall"}
    assert policy.break_glass_users == {"root"}


def test_the_settings_of_the_command_line_count_as_well(tmp_path: Path) -> None:
    file = tmp_path / "raylint.yaml"
    file.write_text(WHOLE)
    admission = admission_of(str(file), RULES)
    assert admission.engine.target.kuberay == (1, 6)


def test_without_a_file_there_are_the_defaults() -> None:
    admission = admission_of("", RULES)
    assert admission.policy.mode is Mode.ENFORCE
    assert admission.policy.operators == frozenset()
    assert admission.ruleset.partition("+")[2]


def test_two_configurations_have_two_names(tmp_path: Path) -> None:
    file = tmp_path / "raylint.yaml"
    file.write_text("webhook: {mode: warn}\n")
    one = admission_of(str(file), RULES).ruleset
    file.write_text("webhook: {mode: audit}\n")
    assert admission_of(str(file), RULES).ruleset != one


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ("{mod: warn}", "unknown setting 'mod' (did you mean mode?)"),
        ("{mode: deny}", "mode: 'deny' is not one of off, audit, warn, enforce"),
        ("{severities: {fatal: warn}}", "'fatal' is not one of"),
        ("{rules: {ZZ999: warn}}", "unknown rule 'ZZ999'"),
        ("{rules: [ZZ101]}", "rules is a mapping to modes"),
        ("{kinds: {Pod: warn}}", "'Pod' is not one of RayCluster"),
        ("{namespaces: {a: never}}", "'never' is not one of"),
        ('{operators: ["system:serviceaccount:*:kuberay-operator"]}', "operators are full names"),
        ("{operators: me}", "operators is a list of texts"),
        ("{on-existing: never}", "is not one of warn, silent, by-user"),
        ("{on-rule-error: panic}", "is not one of warn, deny, error"),
        ("{exemptions: {reason: a}}", "exemptions is a list"),
        ("{exemptions: [{namespaces: [a]}]}", "an exemption needs a reason"),
        ("{exemptions: [{reason: all}]}", "an exemption needs one of"),
        ('{exemptions: [{reason: a, users: ["*"]}]}', "'*' may only end"),
        ('{exemptions: [{reason: a, users: ["system:serviceaccount:*:a"]}]}', "'*' may only end"),
        ("{exemptions: [{reason: a, names: [a], until: soon}]}", "until is a day such as 2027-01-31"),
        ("{exemptions: [{reason: a, names: [a], rule: [ZZ101]}]}", "unknown setting 'rule' (did you mean rules?)"),
        ("{annotations: {allow: maybe}}", "allow is true or false"),
        ("{annotations: {locked: [ZZ9]}}", "unknown rule 'ZZ9'"),
        ("{break-glass: [me]}", "break-glass is a mapping of settings"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, section: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        policy_of(tmp_path, f"fail-on: warning\nwebhook: {section}\n")
    assert message in str(caught.value)
    assert "raylint.yaml:2:" in str(caught.value)


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
    assert ".raylint.yaml:2:3: mode: 'deny' is not one of" in capsys.readouterr().err
