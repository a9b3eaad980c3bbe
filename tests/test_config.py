"""The configuration: where it is found, what may stand in it, what holds in the end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raylint import registry
from raylint.cli import main
from raylint.config import layers
from raylint.config.discovery import _known, nearest
from raylint.config.keys import flags_by_key, table
from raylint.config.schema import config_schema_text
from raylint.config.text import ConfigText, Spot
from raylint.errors import UsageError
from raylint.exemption import Exemption
from raylint.finding import Confidence, ObjectRef, Severity
from raylint.options import FLAGS, parse
from raylint.packs import installed_rules
from raylint.policy import Policies
from raylint.registry import matching
from raylint.rule import Rule

pytest_plugins = ["sharing"]

FILE = """\
target:
  kuberay: "1.6"
  ray: "2.43"
  feature-gates: {RayCronJob: true, RayClusterMTLS: false}
  crd: [crds/kuberay.yaml]
select: [RAY, KR]
ignore: [RAY205]
severity: {RAY204: warning}
fail-on: warning
"""
CLUSTER = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo, namespace: research-a}
spec:
  enableInTreeAutoscaling: true
  headGroupSpec:
    rayStartParams: {}
    template:
      spec:
        containers:
          - {name: ray-head, image: "rayproject/ray:2.60.0", resources: {limits: {cpu: 2, memory: 8Gi}}}
  workerGroupSpecs:
    - groupName: workers
      replicas: 2
      minReplicas: 2
      maxReplicas: 600
      rayStartParams: {}
      template:
        spec:
          containers:
            - {name: ray-worker, image: "rayproject/ray:2.60.0", resources: {limits: {cpu: 2, memory: 8Gi}}}
"""
MTLS = CLUSTER.replace("spec:\n", "spec:\n  tlsOptions: {enabled: true}\n", 1)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    for name in os.environ:
        if name.startswith("RAYLINT_"):
            monkeypatch.delenv(name)
    _known.clear()
    return tmp_path


def write(folder: Path, text: str, name: str = ".raylint.yaml") -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    _known.clear()
    return file


def policies(*words: str) -> Policies:
    return Policies(parse(words or ["x"]))


def running(found: Policies, path: str = "x.yaml") -> set[str]:
    return {rule.id for rule in found.of(path).choice.rules}


def test_every_setting_is_read(folder: Path) -> None:
    write(folder, FILE)
    options = policies().settings
    assert (options.kuberay, options.ray) == ((1, 6), (2, 43))
    assert options.feature_gates == {"RayCronJob": True, "RayClusterMTLS": False}
    assert options.crd == [str(folder / "crds/kuberay.yaml")]
    assert [(pick.select, pick.ignore) for pick in options.picks] == [(["RAY", "KR"], ["RAY205"])]
    assert (options.severity, options.fail_on) == ({"RAY204": "warning"}, "warning")


def test_every_flag_has_a_key_and_every_key_of_a_flag_is_taken() -> None:
    keys = {flag.long.removeprefix("--") for flag in FLAGS}
    assert keys - set(flags_by_key()) == {"config", "no-config", "version", "help"}
    fields = table().fields
    target: Any = fields["target"]
    assert set(flags_by_key()) <= {*fields, *target.fields}


def test_a_flag_wins_and_choices_are_made_in_turn(folder: Path) -> None:
    write(folder, FILE.replace("  crd: [crds/kuberay.yaml]\n", ""))
    found = policies("--kuberay", "1.5", "--ignore", "RAY101", "--fail-on", "error", "x")
    assert (found.settings.kuberay, found.settings.fail_on) == ((1, 5), "error")
    assert found.settings.ray == (2, 43)
    assert running(found).isdisjoint({"RAY101", "RAY205", "API001"})
    assert running(policies("--extend-select", "RAY205", "x")) >= {"RAY205", "RAY101"}
    assert running(policies("--select", "API", "x")).isdisjoint({"RAY101"})


def test_other_commands_take_what_is_theirs(folder: Path) -> None:
    write(folder, FILE)
    options = policies("schema", "RayJob").settings
    assert (options.kuberay, options.fail_on) == ((1, 6), "error")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("slect: [RAY]\n", ".raylint.yaml:1:1: unknown setting 'slect' (did you mean select?)"),
        ("target:\n  kubray: '1.6'\n", ".raylint.yaml:2:3: unknown setting 'kubray' (did you mean kuberay?)"),
        ("target:\n  kuberay: 1.6\n", ".raylint.yaml:2:3: kuberay is a text in quotes"),
        ("target:\n  kuberay: '9.9'\n", ".raylint.yaml:2:3: --kuberay: raylint does not know KubeRay '9.9'"),
        ("target: '1.6'\n", ".raylint.yaml:1:1: target is a mapping of settings"),
        ("overrides:\n- paths: [prod]\n", ".raylint.yaml:2:3: unknown setting 'paths' (did you mean files?)"),
        ("overrides:\n- where: [prod]\n", ".raylint.yaml:2:3: unknown setting 'where'; there are files, "),
        (
            "overrides:\n- files: [prod]\n  mandatory: [RAY101]\n",
            ".raylint.yaml:3:3: unknown setting 'mandatory': it counts for all files and stands at the outermost ",
        ),
        (
            "overrides:\n- files: [prod, ./dev/**]\n",
            ".raylint.yaml:2:17: './dev/**' matches no file: patterns begin in this file's folder without ./, "
            "as in '/dev/**'",
        ),
        ("overrides: [{files: ../dev}]\n", ".raylint.yaml:1:14: '../dev' matches no file: a configuration is for"),
        ("exemptions: [{rule: RAY1, reason: x, files: ['!./a']}]\n", "'!./a' matches no file: patterns begin in"),
        ("ignore: RAY205\n", ".raylint.yaml:1:1: ignore is a list, such as [RAY205]"),
        ("overrides:\n  files: [prod]\n", ".raylint.yaml:1:1: overrides is a list, with `- ` before each entry"),
        ("kuberay: '1.6'\n", ".raylint.yaml:1:1: unknown setting 'kuberay': it stands under target"),
        ("ignore:\n- RAY101\n- RAY1O1\n", ".raylint.yaml:3:3: unknown rule 'RAY1O1', did you mean 'RAY101'?"),
        ("select: [1]\n", ".raylint.yaml:1:10: select is a list of texts"),
        ("severity: [RAY205]\n", ".raylint.yaml:1:1: severity is a mapping"),
        ("severity: {RAY205: bad}\n", ".raylint.yaml:1:1: --severity: 'bad' is not one of error, warning, info"),
        ("severity:\n  RAY2O5: info\n", ".raylint.yaml:2:3: unknown rule 'RAY2O5'"),
        ("jobs: -1\n", ".raylint.yaml:1:1: --jobs wants a number of processes"),
        ("quiet: 1\n", ".raylint.yaml:1:1: quiet is true or false"),
        (
            "rules:\n  RAY202: {no-limt: 3}\n",
            ".raylint.yaml:2:12: unknown setting 'no-limt' (did you mean no-limit?)",
        ),
        ("rules: {RAY202: {no-limit: -3}}\n", ".raylint.yaml:1:18: no-limit is a whole number, not negative"),
        ("disable: [RAY101]\n", ".raylint.yaml:1:1: unknown setting 'disable' (did you mean ignore?)"),
        ("overrides: [{files: ./}]\n", "as in '**'"),
        (
            "rules: {RAY101: {a: 3}}\n",
            ".raylint.yaml:1:9: RAY101 (restart-never-with-gcs-ft) has no options; ignore: [RAY101] turns it off",
        ),
        ("rules: {RAY1: {a: 3}}\n", ".raylint.yaml:1:9: it is a family of rules, such as RAY101"),
        ("mandatory: [RAY9999]\n", ".raylint.yaml:1:13: unknown rule 'RAY9999'"),
        ("overrides: [{ignore: [RAY1]}]\n", ".raylint.yaml:1:14: entry 1 of overrides has no files"),
        ("exemptions: [{rule: RAY1}]\n", ".raylint.yaml:1:15: entry 1 of exemptions has no reason"),
        ("exemptions: [{rule: RL000, reason: x}]\n", ".raylint.yaml:1:15: RL000 says that raylint itself failed"),
        ("exemptions: [{rule: [RAY1, internal-fault], reason: x}]\n", ": internal-fault says that raylint itself"),
        ("exemptions: [{rule: RAY1, reason: x, until: soon}]\n", ".raylint.yaml:1:38: until is a day"),
        ("exemptions: [{rule: RAY1, reason: x, until: 2027-02-30}]\n", ".raylint.yaml:1:38: until is a day"),
        ("suppressions: {max-days: many}\n", ".raylint.yaml:1:16: max-days is a whole number, not negative"),
        (
            "extends: [prodction]\n",
            ".raylint.yaml:1:11: there is no profile 'prodction' (did you mean production?)",
        ),
        ("extends: ./gone.yaml\n", ".raylint.yaml:1:10: there is no configuration './gone.yaml'"),
        ("extends: [.raylint.yaml]\n", ".raylint.yaml:1:11: '.raylint.yaml' extends the configuration"),
        (
            "extends: pkg:gone_pack/a.yaml\n",
            "there is no configuration 'pkg:gone_pack/a.yaml': it is not installed",
        ),
        ("extends: pkg:raylint_rules/a.yaml\n", "'pkg:raylint_rules/a.yaml': it has no file 'a.yaml'"),
        ("extends: pkg:raylint_rules/../a.yaml\n", "is not of the form pkg:PACKAGE/FILE"),
        ("profile: none-such\n", ".raylint.yaml:1:1: there is no profile 'none-such'"),
        ("- a\n", ".raylint.yaml: a configuration is a mapping of settings"),
        ("a: [\n", ".raylint.yaml cannot be read: "),
        ("ignore: [RAY101]\nignore: [RAY102]\n", ".raylint.yaml:2:1: ignore is written twice"),
        ("ignore: [RAY101]\n---\nignore: [RAY102]\n", ".raylint.yaml:3:1: a configuration is one document"),
        ("select: [5]\n", "raylint: .raylint.yaml:1:10: select is a list of texts"),
        ("webhook: []\n", ".raylint.yaml:1:1: webhook is a mapping of settings"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(
    folder: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    write(folder, text)
    (folder / "x.yaml").write_text(CLUSTER)
    assert main(["x.yaml"]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    ["# nothing yet\n", "", "---\n", "---\n---\n", "null\n", "severity: {}\n", "ignore: []\n", "target: {}\n"],
)
def test_an_empty_file_changes_nothing(folder: Path, text: str) -> None:
    plain = running(policies())
    write(folder, text)
    assert policies().settings.kuberay == parse(["x"]).kuberay
    assert running(policies()) == plain


def test_a_mark_of_the_byte_order_is_no_part_of_the_first_setting(folder: Path) -> None:
    write(folder, "\ufeffignore: [RAY101]\n")
    assert "RAY101" not in running(policies())
    write(folder, "\ufeff[tool.raylint]\nignore = ['RAY102']\n", "below/pyproject.toml")
    assert "RAY102" not in running(policies("below/x.yaml"), "below/x.yaml")


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda path: path.mkdir(), "it is a folder"),
        (lambda path: path.symlink_to("nowhere"), "no such file or directory"),
        (lambda path: path.symlink_to(path.name), "too many levels of symbolic links"),
        (os.mkfifo, "it is a pipe"),
        (lambda path: path.symlink_to("/dev/zero"), "it is a device"),
        (lambda path: path.write_bytes(b"#" * (1 << 20) + b"\n"), "it is larger than 1 MiB"),
    ],
)
def test_a_configuration_that_cannot_be_read_is_not_passed_over(
    folder: Path, make: Callable[[Path], object], why: str
) -> None:
    make(folder / ".raylint.yaml")
    for words in (["x"], ["x", "--config", ".raylint.yaml"]):
        with pytest.raises(UsageError, match=f".raylint.yaml cannot be read: {why}"):
            policies(*words)
    policies("x", "--no-config")


def test_the_other_ending_is_told_of(folder: Path) -> None:
    write(folder, "ignore: [RAY101]\n", ".raylint.yml")
    with pytest.raises(UsageError, match="yml is not read: call it "):
        policies()
    write(folder, "")
    policies()


def test_a_flag_may_choose_what_the_file_leaves_out(folder: Path) -> None:
    write(folder, "ignore: [RAY]\n")
    found = running(policies("x", "--select", "RAY1"))
    assert {rule[:4] for rule in found if rule.startswith("RAY")} == {"RAY1"}


def test_the_nearest_file_up_to_the_repository_counts(folder: Path) -> None:
    inner = folder / "repository" / "deploy"
    inner.mkdir(parents=True)
    outer = write(folder, "ignore: [RAY205]\n")
    assert nearest(str(inner)) == str(outer)
    (folder / "repository" / ".git").mkdir()
    _known.clear()
    assert nearest(str(inner)) is None
    file = write(folder / "repository", "ignore: [RAY204]\n")
    assert nearest(str(inner)) == str(file)


def test_pyproject_is_a_configuration_if_it_has_the_table(folder: Path) -> None:
    write(folder, "[tool.other]\nraylint = 1 # [tool.raylint]\n", "pyproject.toml")
    assert nearest(".") is None
    write(
        folder, '[tool.raylint]\nignore = ["RAY101"]\n\n[tool.raylint.target]\nkuberay = "1.5"\n', "pyproject.toml"
    )
    assert "RAY101" not in running(policies())
    assert policies().settings.kuberay == (1, 5)
    write(folder, "ignore: [RAY102]\n")
    with pytest.raises(
        UsageError, match=r"two configurations in one folder: \.raylint\.yaml and \[tool\.raylint\]"
    ):
        policies()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tool.raylint]\nfail-on = 'warning'\nslect = ['RAY']\n", "pyproject.toml:3:1: unknown setting 'slect'"),
        ("[tool.raylint.target]\n  kubray = '1'\n", "pyproject.toml:2:3: unknown setting 'kubray'"),
        (
            "[tool]\nraylint.target.ray = '2.9'\n[tool.raylint.severity]\nRAY1 = 'bad'\n",
            "--severity: 'bad' is not",
        ),
        ("[tool.raylint]\nselect = [\n", "pyproject.toml cannot be read: "),
        (
            "[[tool.raylint.exemptions]]\nrule = 'RAY1'\n",
            "pyproject.toml:1:1: entry 1 of exemptions has no reason",
        ),
    ],
)
def test_a_wrong_pyproject_is_refused_with_its_place(folder: Path, text: str, message: str) -> None:
    write(folder, text, "pyproject.toml")
    with pytest.raises(UsageError) as refused:
        _ = policies().default
    assert message in str(refused.value)


def test_each_file_has_the_configuration_that_is_nearest_to_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, "rules: {RAY202: {no-limit: 500}}\nfail-on: warning\n")
    write(folder, "ignore: [RAY202]\n", "research/.raylint.yaml")
    for name in ("prod", "research"):
        write(folder, CLUSTER, f"{name}/cluster.yaml")
    assert main(["--select", "RAY202", "--format", "concise", "prod", "research"]) == 1
    # The command line is nearer than both and begins anew.
    assert capsys.readouterr().out.count("RAY202") == 1
    assert main(["--format", "concise", "prod", "research"]) == 1
    out = capsys.readouterr().out
    assert "prod/cluster.yaml:16:20: warning[RAY202]" in out
    assert "research/cluster.yaml:16" not in out
    assert main(["-q", "research"]) == 0


def test_options_of_rules_change_what_they_find(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, CLUSTER, "x.yaml")
    words = ["x.yaml", "--select", "RAY202", "--format", "concise"]
    assert main(words) == 0
    assert "RAY202" not in capsys.readouterr().out
    write(folder, "rules: {max-replicas-unbounded: {no-limit: 500}}\n")
    main(words)
    assert "warning[RAY202]" in capsys.readouterr().out


def test_what_is_extended_lies_below(folder: Path) -> None:
    write(folder, "extends: ../base.yaml\nignore: [RAY102]\nseverity: {RAY101: info}\n", "team/.raylint.yaml")
    write(
        folder,
        "ignore: [RAY103]\nseverity: {RAY1: error, RAY101: error}\nfail-on: info\ntarget: {ray: '2.9'}\n"
        "overrides: [{files: 'team/dev/', extend-select: [RAY103], target: {ray: '2.43'}, fail-on: error}]\n",
        "base.yaml",
    )
    found = policies()
    policy = found.of("team/a.yaml")
    assert {"RAY102", "RAY103"}.isdisjoint(running(found, "team/a.yaml"))
    assert policy.choice.severities["RAY101"] is Severity.INFO
    assert policy.choice.severities["RAY104"] is Severity.ERROR
    assert (policy.fail_on, policy.target.ray) == (Severity.INFO, (2, 9))
    assert "RAY103" in running(found, "team/dev/x/a.yaml")
    assert found.of("team/dev/x/a.yaml").target.ray == (2, 43)
    assert found.of("team/dev/x/a.yaml").fail_on is Severity.ERROR
    assert found.of("other/a.yaml").target.ray is None


def test_what_several_extend_is_read_once_and_lies_below_all(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    class Counted(ConfigText):
        def __init__(self, file: str, origin: str = "") -> None:
            read.append(Path(file).name)
            super().__init__(file, origin)

    monkeypatch.setattr(layers, "ConfigText", Counted)
    write(folder, "extends: [./left0.yaml, ./right0.yaml]\n")
    for at in range(15):
        for side in ("left", "right"):
            write(folder, f"extends: [./left{at + 1}.yaml, ./right{at + 1}.yaml]\n", f"{side}{at}.yaml")
    write(folder, "extends: ./base.yaml\nseverity: {RAY101: info}\n", "left15.yaml")
    write(folder, "extends: ./base.yaml\n", "right15.yaml")
    write(folder, "severity: {RAY101: error, RAY104: error}\n", "base.yaml")
    severities = policies().of("a.yaml").choice.severities
    assert (severities["RAY101"], severities["RAY104"]) == (Severity.INFO, Severity.ERROR)
    assert sorted(read) == sorted({*read})
    assert len(read) == 34


def test_a_rule_that_is_listed_again_and_again_is_looked_up_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []

    def counted(known: Sequence[Rule], selector: str) -> list[Rule]:
        looked.append(selector)
        return matching(known, selector)

    monkeypatch.setattr(registry, "matching", counted)
    many = ", ".join(["RAY351"] * 500)
    write(folder, f"ignore: [{many}]\nextend-select: [{many}]\n")
    assert "RAY351" not in running(policies())
    assert looked.count("RAY351") < 10


def test_a_chain_of_files_has_an_end(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for at in range(60):
        write(folder, f"extends: ./c{at + 1}.yaml\n", ".raylint.yaml" if at == 0 else f"c{at}.yaml")
    assert main(["check", "."]) == 2
    told = capsys.readouterr().err
    assert "c49.yaml:1:10: './c50.yaml' is the end of a chain of more than 50 files" in told
    write(folder, "ignore: [RAY101]\n", "c49.yaml")
    assert "RAY101" not in running(policies())


@pytest.mark.parametrize("name", ["recommended", "production", "dev", "all"])
def test_profiles_hold_what_raylint_knows(folder: Path, name: str) -> None:
    write(folder, f"extends: {name}\n")
    by_file = policies()
    assert running(by_file) == running(policies("--profile", name, "--no-config", "x"))
    assert running(by_file) <= {rule.id for rule in installed_rules()} | {
        id for id in running(by_file) if id.startswith("RL")
    }


def test_what_profiles_are_for(folder: Path) -> None:
    plain = running(policies())
    assert running(policies("--profile", "recommended", "x")) == plain
    dev = policies("--profile", "dev", "x")
    assert "RAY101" not in running(dev)
    assert dev.default.least is Confidence.MEDIUM
    production = policies("--profile", "production", "x").default
    assert production.fail_on is Severity.WARNING
    assert production.settings.suppressions == {"require-reason": True}
    preview = {rule.id for rule in installed_rules() if rule.preview}
    assert running(policies("--profile", "all", "x")) == plain | preview


def test_a_profile_for_some_files(folder: Path) -> None:
    write(folder, "overrides:\n- {files: [prod/**], profile: production}\n")
    found = policies()
    assert found.of("prod/a.yaml").fail_on is Severity.WARNING
    assert found.of("a.yaml").fail_on is Severity.ERROR
    assert found.settings.fail_on == "error"


def test_a_package_has_configurations(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, "", "site/acme_raylint/__init__.py")
    write(
        folder, "ignore: [RAY101]\noverrides: [{files: a.yaml, ignore: [RAY102]}]\n", "site/acme_raylint/base.yaml"
    )
    monkeypatch.syspath_prepend(str(folder / "site"))
    write(folder, "extends: pkg:acme_raylint/base.yaml\n")
    assert "RAY101" not in running(policies(), "b.yaml")
    assert "RAY102" in running(policies(), "b.yaml")
    # Its patterns are relative to the configuration that extends it.
    assert "RAY102" not in running(policies(), "a.yaml")


def test_a_family_in_an_exemption_leaves_out_that_a_rule_failed(folder: Path) -> None:
    write(folder, "exemptions: [{rule: [RL, RAY101], reason: scratch}]\n")
    (exemption,) = policies().of("x.yaml").exemptions
    assert exemption.rules >= {"RAY101", "RL001", "RL013"}
    assert "RL000" not in exemption.rules


def test_exemptions_accept_findings_until_their_day(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, CLUSTER, "x.yaml")
    exemption = 'exemptions: [{rule: RAY202, kind: RayCluster, namespace: "research-*", reason: scratch%s}]\n'
    options = "rules: {RAY202: {no-limit: 500}}\n"
    words = ["x.yaml", "--select", "RAY202", "--format", "json", "--fail-on", "warning"]
    write(folder, options + exemption % "")
    assert main(words) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["findings"], report["summary"]["suppressed"]) == ([], 1)
    write(folder, options + exemption % ", until: 2999-01-01")
    assert main(words) == 0
    for over in (exemption % ", until: 2020-01-01", exemption.replace("research", "prod") % ""):
        write(folder, options + over)
        assert main(words) == 1
    write(folder, options + exemption % ", files: other/")
    assert main(words) == 1
    write(folder, options + exemption % "" + "mandatory: [RAY202]\n")
    capsys.readouterr()
    assert main(words) == 1
    assert json.loads(capsys.readouterr().out)["summary"]["suppressed"] == 0


@given(st.text("ab*?", max_size=8), st.text("ab", max_size=8))
def test_wildcards_of_exemptions(pattern: str, name: str) -> None:
    import fnmatch

    exemption = Exemption(frozenset({"RAY101"}), "why", name=pattern)
    ref = ObjectRef("ray.io/v1", "RayCluster", "", name)
    assert exemption.covers("RAY101", ref) == fnmatch.fnmatchcase(name, pattern)
    assert not exemption.covers("RAY102", ref)


def test_mandatory_rules_stay(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, "mandatory: [RAY601]\nselect: [KR]\n")
    assert "RAY601" in running(policies())
    assert "RAY602" not in running(policies())
    for words in (["--ignore", "RAY6"], ["--severity", "RAY601=info"]):
        assert main([*words, "."]) == 2
        assert "RAY601 (serve-replica-only-on-head) is mandatory (.raylint.yaml:1:13)" in capsys.readouterr().err
    write(folder, "extends: ../.raylint.yaml\nignore: [serve-replica-only-on-head]\n", "team/.raylint.yaml")
    with pytest.raises(UsageError, match="cannot be ignored"):
        policies().of("team/a.yaml")


def test_findings_of_which_raylint_is_less_sure_can_be_left_out(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = CLUSTER.replace(
        "spec:\n",
        "spec:\n  gcsFaultToleranceOptions: {redisAddress: 'clustercfg.a.b.use1.cache.amazonaws.com:6379'}\n",
        1,
    )
    write(folder, manifest, "x.yaml")
    words = ["x.yaml", "--format", "json"]
    main(words)
    every = {finding["confidence"] for finding in json.loads(capsys.readouterr().out)["findings"]}
    assert every > {"high"}
    main([*words, "--min-confidence", "high"])
    report = json.loads(capsys.readouterr().out)
    assert {finding["confidence"] for finding in report["findings"]} <= {"high"}
    assert report["summary"]["suppressed"] == 0


def test_variables_stand_between_the_flags_and_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from raylint.config import environ

    write(
        folder, "fail-on: info\ntarget: {ray: '2.9'}\nignore: [RAY101]\nseverity: {RAY102: error, RAY103: error}\n"
    )
    variables = {
        "RAYLINT_FAIL_ON": "warning",
        "RAYLINT_RAY": "2.43",
        "RAYLINT_IGNORE": "RAY104",
        "RAYLINT_SEVERITY": "RAY102=info",
        "RAYLINT_QUIET": "true",
        "RAYLINT_VERSION": "1.2",
    }
    options = parse(["--ray", "2.50", "x"])
    environ.apply(options, variables)
    found = Policies(options)
    assert (found.settings.fail_on, found.settings.ray, found.settings.quiet) == ("warning", (2, 50), True)
    assert running(found).isdisjoint({"RAY101", "RAY104"})
    assert found.default.choice.severities == {"RAY102": Severity.INFO, "RAY103": Severity.ERROR}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("RAYLINT_FAIL_ON", "bad", "RAYLINT_FAIL_ON: --fail-on: 'bad' is not one of"),
        ("RAYLINT_QUIET", "maybe", "RAYLINT_QUIET is 1 or 0, not 'maybe'"),
        ("RAYLINT_FAILON", "error", "unknown variable RAYLINT_FAILON (did you mean RAYLINT_FAIL_ON?)"),
        ("RAYLINT_CONFIG", "gone.yaml", "gone.yaml cannot be read"),
    ],
)
def test_a_wrong_variable_is_refused(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    value: str,
    message: str,
) -> None:
    monkeypatch.setenv(name, value)
    assert main(["."]) == 2
    assert message in capsys.readouterr().err


def test_the_command_line_heeds_the_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, MTLS, "cluster.yaml")
    words = ["cluster.yaml", "--select", "KR", "--format", "concise"]
    assert main(words) == 0
    assert "warning[KR093]" in capsys.readouterr().out
    write(folder, "target: {feature-gates: {RayClusterMTLS: true}}\n")
    assert main(words) == 0
    assert "KR093" not in capsys.readouterr().out
    write(folder, "target: {feature-gates: {RayClusterMTLS: false}}\n", "strict.yaml")
    assert main([*words, "--config", "strict.yaml"]) == 1
    assert "error[KR093]" in capsys.readouterr().out
    assert main([*words, "--no-config"]) == 0
    assert main([*words, "--config", "missing.yaml"]) == 2
    assert "missing.yaml cannot be read" in capsys.readouterr().err


def test_exclusions_are_relative_to_their_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, "exclude: [deploy/dev/, /top.yaml]\nformat: concise\n")
    for name in ("top.yaml", "deploy/dev/a.yaml", "deploy/top.yaml"):
        write(folder, MTLS, name)
    main(["."])
    assert {line.split(":")[0] for line in capsys.readouterr().out.splitlines()[:-1]} == {"deploy/top.yaml"}
    monkeypatch.chdir(folder / "deploy")
    main(["."])
    assert {line.split(":")[0] for line in capsys.readouterr().out.splitlines()[:-1]} == {"top.yaml"}


@pytest.mark.usefixtures("shares")
def test_several_processes_heed_the_files_as_one_does(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, "rules: {RAY202: {no-limit: 500}}\noverrides: [{files: a/, fail-on: warning}]\n")
    write(
        folder,
        "exemptions: [{rule: RAY202, reason: scratch}]\nrules: {RAY202: {no-limit: 500}}\n",
        "b/.raylint.yaml",
    )
    for name in ("a/1.yaml", "b/1.yaml", "c/1.yaml", "b/2.yaml"):
        write(folder, CLUSTER, name)
    assert main(["."]) == 1
    one = capsys.readouterr().out
    assert main(["-j", "2", "."]) == 1
    assert capsys.readouterr().out == one
    assert "2 suppressed" in one


@pytest.mark.parametrize("there", [True, False])
def test_init_heeds_a_baseline_that_is_there(folder: Path, there: bool) -> None:
    write(folder, CLUSTER, "cluster.yaml")
    if there:
        assert main(["baseline", "write", "."]) == 0
    assert main(["config", "init"]) == 0
    _known.clear()
    assert os.path.basename(policies().settings.baseline) == (".raylint-baseline.json" if there else "")


def test_init_show_and_validate(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "validate"]) == 2
    assert "raylint config init writes one" in capsys.readouterr().err
    assert main(["config", "init", "--kuberay", "1.5"]) == 0
    _known.clear()
    assert main(["config", "validate"]) == 0
    assert main(["config", "init"]) == 2
    capsys.readouterr()
    assert policies().settings.kuberay == (1, 5)
    write(folder, "ignore: [RAY101]\ntarget: {ray: '2.43'}\nrules: {RAY202: {no-limit: 500}}\n"
          "overrides: [{files: dev/, fail-on: info, ignore: [RAY102]}]\nmandatory: [RAY601]\n")  # fmt: skip
    assert main(["config", "show", "dev/a.yaml", "--kuberay", "1.6"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for part in (
        "# read: .raylint.yaml",
        "target.ray: 2.43 # .raylint.yaml:2:10",
        "target.kuberay: 1.6 # --kuberay",
        "fail-on: info # .raylint.yaml:4:27",
        "ignore: RAY101 # .raylint.yaml",
        "ignore: RAY102 # .raylint.yaml",
        "rules.RAY202.no-limit: 500 # .raylint.yaml:3:18",
        "mandatory: RAY601 # .raylint.yaml:5:13",
        "format: auto # default",
    ):
        assert part in shown
    write(folder, "overrides: [{files: dev/, profile: dev}]\n")
    assert main(["config", "show", "dev/a.yaml"]) == 0
    assert "profile: dev # .raylint.yaml:1:27" in " ".join(capsys.readouterr().out.split())
    assert main(["config", "show", "a.yaml"]) == 0
    assert "profile: none # default" in " ".join(capsys.readouterr().out.split())
    write(folder, "mandatory: [RAY601]\noverrides: [{files: dev/, ignore: [RAY601]}]\n")
    assert main(["config", "validate"]) == 2
    assert main(["config", "validate", "--config", "gone.yaml"]) == 2


@pytest.mark.usefixtures("shares")
@pytest.mark.parametrize("processes", ["1", "3"])
def test_an_expired_exemption_is_told_at_its_place(
    folder: Path, capsys: pytest.CaptureFixture[str], processes: str
) -> None:
    entries = (
        "exemptions:\n- {rule: RAY202, reason: scratch, until: 2999-01-01}\n"
        "- rule: RAY101\n  reason: later\n  until: 2020-01-31\n"
    )
    write(folder, entries)
    for number in range(9):
        write(folder, CLUSTER, f"{number}.yaml")
        write(folder, CLUSTER, f"sub/{number}.yaml")
    words = ["--format", "json", "--exit-zero", "-j", processes]

    def told(*more: str) -> list[tuple[object, ...]]:
        main([*words, *more, "."])
        findings = json.loads(capsys.readouterr().out)["findings"]
        keys = ("file", "line", "column", "severity", "message")
        return [tuple(it[key] for key in keys) for it in findings if it["rule"] == "RL006"]

    expected = (".raylint.yaml", 3, 3, "warning", "this exemption from RAY101 ended on 2020-01-31")
    assert told() == [expected]
    assert told("--ignore", "RL006") == []
    assert told("--severity", "RL006=info") == [(*expected[:3], "info", expected[4])]
    # A configuration that no file is judged by is not looked at.
    assert told("--no-config") == []


@pytest.mark.parametrize(
    "words", [["config"], ["config", "lint"], ["config", "init", "x"], ["config", "show", "a", "b"]]
)
def test_the_command_wants_to_know_what(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert "raylint config" in capsys.readouterr().err


SCHEMA = json.loads(config_schema_text())
ROOT = Path(__file__).resolve().parent.parent


def test_a_faulty_configuration_does_not_hide_its_schema(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, "bogus: 1\n")
    assert main(["schema", "config"]) == 0
    assert capsys.readouterr().out == config_schema_text()
    assert main(["schema", "RayCluster"]) == 2


def test_the_published_schema_is_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    published = (ROOT / "raylint" / "raylint-config.schema.json").read_text()
    assert published == config_schema_text(), "run: python docs/generate.py"
    assert main(["schema", "config"]) == 0
    assert capsys.readouterr().out == published
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def webhook() -> st.SearchStrategy[Any]:
    word = st.sampled_from(["off", "audit", "warn", "enforce", "enforc", False, True])
    texts = st.lists(st.sampled_from(["a", "a-*", "system:serviceaccount:ci:*"]), max_size=2)
    entry = {
        **dict.fromkeys(("namespaces", "users", "names", "groups", "kinds"), texts),
        "reason": st.sampled_from(["because", "", None]),
        "until": st.sampled_from(["2027-01-31", "soon"]),
    }
    modes = {"mode": word, "severities": st.dictionaries(st.sampled_from(["error", "info", "fatal"]), word)}
    return st.fixed_dictionaries(
        {},
        optional={
            **modes,
            "kinds": st.dictionaries(st.sampled_from(["RayJob", "Pod"]), word),
            "namespaces": st.dictionaries(st.sampled_from(["a", "b-*"]), word),
            "on-existing": st.sampled_from(["silent", "warn", "never"]),
            "exemptions": st.lists(st.fixed_dictionaries({}, optional=entry), max_size=2),
            "annotations": st.fixed_dictionaries({}, optional={"allow": word, "groups": texts, "locks": texts}),
            "break-glass": st.fixed_dictionaries({}, optional={"groups": texts, "users": texts}),
        },
    )


def values() -> st.SearchStrategy[Any]:
    """Settings, mostly of the right shape."""
    names = ["RAY101", "RAY2", "restart-never-with-gcs-ft", "RAY202"]
    rule = st.sampled_from(names)
    level = st.sampled_from(["error", "warning", "info", "bad"])
    odd: st.SearchStrategy[Any] = st.sampled_from([None, True, -1, 0, 3, 1.5, "", "x", [], {}, ["RAY101"], [1]])
    settings = {
        "select": st.lists(rule),
        "ignore": st.lists(rule),
        "severity": st.dictionaries(rule, level),
        "fail-on": level,
        "jobs": st.integers(-1, 3),
        "quiet": st.booleans(),
        "mandatory": st.lists(rule),
        "target": st.fixed_dictionaries({}, optional={"ray": st.just("2.9"), "kuberay": st.just("1.6"), "x": odd}),
        "suppressions": st.fixed_dictionaries({}, optional={"max-days": odd, "require-reason": odd}),
        "rules": st.dictionaries(rule, st.fixed_dictionaries({}, optional={"no-limit": odd})),
        "exemptions": st.lists(
            st.fixed_dictionaries({}, optional={"rule": rule, "reason": odd, "until": st.just("2027-01-31")}),
            max_size=2,
        ),
        "overrides": st.lists(
            st.fixed_dictionaries({}, optional={"files": odd, "ignore": st.lists(rule), "quiet": odd}), max_size=2
        ),
        "webhook": odd | webhook(),
    }
    right = st.fixed_dictionaries({}, optional=settings)
    wrong = st.dictionaries(st.sampled_from([*settings, "slect"]), odd, max_size=2)
    return st.builds(lambda a, b: {**a, **b}, right, wrong)


@settings(max_examples=300)
@given(values())
def test_the_reader_and_the_schema_judge_alike(value: dict[str, Any]) -> None:
    text = ConfigText(os.devnull)
    try:
        table().read(value, Spot(text, ()))
    except UsageError as refused:
        accepted, why = False, str(refused)
    else:
        accepted, why = True, ""
    valid = jsonschema.Draft202012Validator(SCHEMA).is_valid(value)
    if accepted:
        assert valid
    elif valid:
        # What a schema cannot know: the names of rules, and what a flag makes of a text.
        assert "--" in why or "rule" in why or "is empty" in why, why


def test_a_run_without_a_configuration_reads_none(folder: Path) -> None:
    write(folder, CLUSTER, "x.yaml")
    code = "import sys; from raylint.cli import main; main(); print(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code, "-q", "x.yaml"], capture_output=True, text=True, check=True, cwd=folder
    )
    loaded = {name for name in done.stdout.split() if name.startswith("raylint.config")}
    assert loaded == {"raylint.config", "raylint.config.discovery"}
