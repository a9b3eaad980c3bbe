"""``--fix``, ``--unsafe-fixes`` and ``--diff``: what is written, what is shown, and what is left alone."""

from __future__ import annotations

import io
import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest

from raylint import fix_file
from raylint.cli import main
from raylint.engine import Engine
from raylint.finding import Severity
from raylint.fix import fix_text
from raylint.manifest import RayObject
from raylint.rule import Problem, Rule, rule, safe, unsafe
from raylint.target import Target

pytest_plugins = ["sharing"]

CONTRACT = json.loads((Path(__file__).parent.parent / "raylint" / "raylint-v1.schema.json").read_text())

BROKEN = """\
# a trainer
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: trainer, labels: {release: 7}}   # seven
spec:
  rayVersion: 2.52  # no text
  headGroupSpec:
    rayStartParams:
      num-cpus: 1
      num-cpus: 2   # again
      dashboard-host: 0.0.0.0
    template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
  workerGroupSpecs:
  - groupName: cpu
    minWorkers: 1
    rayStartParams: {num-cpus: 4}
    template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
"""
FIXED = (
    BROKEN.replace("release: 7", 'release: "7"')
    .replace("2.52 ", '"2.52" ')
    .replace("      num-cpus: 1\n", "")
    .replace("num-cpus: 2", 'num-cpus: "2"')
    .replace("num-cpus: 4", 'num-cpus: "4"')
)
DIFF = """\
--- a/cluster.yaml
+++ b/cluster.yaml
@@ -1,17 +1,16 @@
 # a trainer
 apiVersion: ray.io/v1
 kind: RayCluster
-metadata: {name: trainer, labels: {release: 7}}   # seven
+metadata: {name: trainer, labels: {release: "7"}}   # seven
 spec:
-  rayVersion: 2.52  # no text
+  rayVersion: "2.52"  # no text
   headGroupSpec:
     rayStartParams:
-      num-cpus: 1
-      num-cpus: 2   # again
+      num-cpus: "2"   # again
       dashboard-host: 0.0.0.0
     template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
   workerGroupSpecs:
   - groupName: cpu
     minWorkers: 1
-    rayStartParams: {num-cpus: 4}
+    rayStartParams: {num-cpus: "4"}
     template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.52.0"}]}}
"""
# The rules whose fixes these tests are about.
ONLY = ("--select", "API,RL", "--no-config")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    return tmp_path


@pytest.fixture
def cluster(folder: Path) -> Path:
    file = folder / "cluster.yaml"
    file.write_text(BROKEN)
    return file


def test_fix_writes_the_file_and_reports_what_is_left(cluster: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--fix", "--format", "concise", *ONLY, "cluster.yaml"]) == 1
    assert cluster.read_text() == FIXED
    out, err = capsys.readouterr()
    assert err == ""
    left, closing = out.splitlines()
    assert left.startswith("cluster.yaml:14:5: error[API001] unknown field 'minWorkers'")
    assert left.endswith("[fixable, unsafe]")
    assert closing.startswith("5 fixed in 1 file, 1 error in 1 Ray object")
    assert closing.endswith("; 1 fixable with --fix --unsafe-fixes")


def test_unsafe_fixes_as_well(cluster: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--fix", "--unsafe-fixes", *ONLY, "cluster.yaml"]) == 0
    assert cluster.read_text() == FIXED.replace("minWorkers", "minReplicas")
    assert capsys.readouterr().out.startswith("6 fixed in 1 file, no other findings in 1 Ray object")


def test_diff_shows_and_writes_nothing(cluster: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--diff", *ONLY, "cluster.yaml"]) == 1
    assert cluster.read_text() == BROKEN
    out, err = capsys.readouterr()
    assert out == DIFF
    assert err == "raylint: 5 findings would be fixed in 1 file\n"
    assert main(["--diff", "-q", "--exit-zero", "-o", "fix.diff", *ONLY, "cluster.yaml"]) == 0
    assert (cluster.parent / "fix.diff").read_text() == DIFF
    assert capsys.readouterr() == ("", "")


def test_annotations_are_no_part_of_a_diff(
    cluster: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    assert main(["--diff", *ONLY, "cluster.yaml"]) == 1
    assert capsys.readouterr().out == DIFF
    standard_input(monkeypatch, BROKEN)
    assert main(["--fix", *ONLY, "-"]) == 1
    assert capsys.readouterr().out == FIXED


def test_no_diff_where_nothing_is_to_be_fixed(cluster: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cluster.write_text(FIXED)
    assert main(["--diff", *ONLY, "cluster.yaml"]) == 0
    assert capsys.readouterr() == ("", "raylint: nothing would be fixed\n")


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_git_applies_the_diff(
    cluster: Path, capfdbinary: pytest.CaptureFixture[bytes], end: str, newline: str
) -> None:
    text = (BROKEN.replace("rayStartParams: {num-cpus: 4}", "rayStartParams: {}") + "# ü").replace(
        "\n", newline
    ) + end
    cluster.write_bytes(text.encode())
    assert main(["--diff", *ONLY, "cluster.yaml"]) == 1
    patch = capfdbinary.readouterr().out
    command = ["git", "apply", "--whitespace=nowarn", "-"]
    subprocess.run(command, input=patch, check=True, capture_output=True)
    patched = cluster.read_bytes()
    cluster.write_bytes(text.encode())
    assert main(["--fix", *ONLY, "cluster.yaml"]) == 1
    assert cluster.read_bytes() == patched
    assert patched.decode().endswith(f"# ü{end}")


def standard_input(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_standard_input_becomes_standard_output(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    standard_input(monkeypatch, BROKEN)
    assert main(["--fix", "--format", "concise", *ONLY, "-"]) == 1
    out, err = capfdbinary.readouterr()
    assert out.decode() == FIXED
    assert err.startswith(b"<stdin>:14:5: error[API001]")
    for text in (FIXED.replace("minWorkers", "minReplicas"), "no manifest\n", ""):
        standard_input(monkeypatch, text)
        assert main(["--fix", *ONLY, "-"]) == 0
        assert capfdbinary.readouterr().out.decode() == text
    standard_input(monkeypatch, BROKEN)
    assert main(["--fix", "--format", "json", "-o", "report.json", *ONLY, "-"]) == 1
    assert capfdbinary.readouterr().out.decode() == FIXED
    assert json.loads(Path("report.json").read_text())["summary"]["fixed"] == 5


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--unsafe-fixes", "."], "--unsafe-fixes has no effect: there is no --fix, and no --diff"),
        (["--fix", "--diff", "."], "--fix has no effect: --diff is given as well"),
        (["--diff", "--format", "json", "."], "--format has no effect: --diff is given as well"),
        (["--diff", "--fail-on", "info", "."], "--fail-on has no effect: --diff is given as well"),
        (["--diff", "--report", "json=a.json", "."], "--report has no effect: --diff is given as well"),
        (["--fix", "-", "."], "--fix writes the text of '-' to the standard output: give '-' alone"),
        (["--fix", "--format", "json", "-"], "--format has no effect: the standard output takes the fixed text"),
        (["rules", "--fix"], "--fix has no effect on 'raylint rules'"),
    ],
)
def test_what_makes_no_sense_is_refused(words: list[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert reason in capsys.readouterr().err


def test_the_report_for_machines(cluster: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--format", "json", *ONLY, "cluster.yaml"]) == 1
    report = json.loads(capsys.readouterr().out)
    jsonschema.validate(report, CONTRACT)
    assert report["summary"]["fixed"] == 0
    fixes = {(it["rule"], it["line"]): it["fixes"] for it in report["findings"]}
    assert fixes["API002", 6] == [
        {
            "description": "quote spec.rayVersion",
            "applicability": "safe",
            "edits": [
                {"start_line": 6, "start_column": 15, "end_line": 6, "end_column": 19, "replacement": '"2.52"'}
            ],
        }
    ]
    assert fixes["API001", 15][0]["applicability"] == "unsafe"
    assert fixes["RL010", 10][0]["edits"] == [
        {"start_line": 9, "start_column": 1, "end_line": 10, "end_column": 1, "replacement": ""}
    ]


def test_a_fix_that_repeats_a_secret_is_made_and_not_shown(
    cluster: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = BROKEN.replace("dashboard-host: 0.0.0.0", "redis-password: 31415926")
    cluster.write_text(text)
    assert main(["--format", "json", *ONLY, "cluster.yaml"]) == 1
    out = capsys.readouterr().out
    assert "31415926" not in out
    (found,) = (it for it in json.loads(out)["findings"] if it["path"].endswith("redis-password"))
    assert found["fixes"] == []
    assert main(["--fix", *ONLY, "cluster.yaml"]) == 1
    assert 'redis-password: "31415926"' in cluster.read_text()
    assert "31415926" not in capsys.readouterr().out


@pytest.mark.parametrize("number", ["0x16FEE0E525", "0o7654321012", "12345.678901e3", "+987654321"])
def test_a_fix_shows_no_secret_in_another_notation(
    cluster: Path, capsys: pytest.CaptureFixture[str], number: str
) -> None:
    cluster.write_text(BROKEN.replace("dashboard-host: 0.0.0.0", f"redis-password: {number}"))
    main(["--format", "json", *ONLY, "cluster.yaml"])
    out = capsys.readouterr().out
    assert number not in out
    findings = json.loads(out)["findings"]
    assert [it["fixes"] for it in findings if it["path"].endswith("redis-password")] == [[]]
    assert any(it["fixes"] for it in findings)
    main(["--fix", *ONLY, "cluster.yaml"])
    assert f'redis-password: "{number}"' in cluster.read_text()


ORDER = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: trainer}
spec:
  headGroupSpec:
    template:
      spec:
        containers:
        # ships logs
        - name: log-shipper
          image: fluent/fluent-bit:3.2.2
        # Ray
        - name: ray-head
          image: rayproject/ray:2.52.0
          # the rest is as it is
"""
ORDERED = f"""{ORDER[: ORDER.index("        # ships")]}{ORDER[ORDER.index("        # Ray") :]}\
        # ships logs
        - name: log-shipper
          image: fluent/fluent-bit:3.2.2
"""


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("", True),
        ("          # password: correct-horse\n", False),
        ("          env: [{name: REDIS_PASSWORD, value: correct-horse}]\n", False),
        ('          env: [{name: REDIS_PASSWORD, value: "correct\\x2dhorse"}]\n', False),
    ],
)
def test_a_container_moves_with_its_secrets_and_does_not_show_them(
    cluster: Path, capsys: pytest.CaptureFixture[str], line: str, shown: bool
) -> None:
    text, expected = (it.replace("          # the rest", f"{line}          # the rest") for it in (ORDER, ORDERED))
    cluster.write_text(text)
    select = ("--select", "RAY705", "--no-config")
    assert main(["--format", "json", *select, "cluster.yaml"]) == 1
    out = capsys.readouterr().out
    assert "correct" not in out
    (found,) = json.loads(out)["findings"]
    assert bool(found["fixes"]) is shown
    assert main(["--fix", *select, "cluster.yaml"]) == 1
    assert cluster.read_text() == text
    assert main(["--fix", "--unsafe-fixes", *select, "cluster.yaml"]) == 0
    assert cluster.read_text() == expected
    assert "correct" not in capsys.readouterr().out


@pytest.mark.usefixtures("shares")
def test_several_processes_fix_alike(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(12):
        text = BROKEN if number % 3 else FIXED
        (folder / f"{number:02}.yaml").write_text(text.replace("name: trainer", f"name: trainer-{number}"))
    shutil.copytree(folder, folder / "copy")
    assert main(["--diff", *ONLY, "."]) == 1
    alone = capsys.readouterr()
    assert main(["--diff", "-j", "3", *ONLY, "."]) == 1
    assert capsys.readouterr() == alone
    assert main(["--fix", "-j", "3", *ONLY, "--exclude", "copy", "."]) == 1
    together = capsys.readouterr()
    os.chdir("copy")
    assert main(["--fix", *ONLY, "."]) == 1
    assert capsys.readouterr() == together
    for number in range(12):
        name = f"{number:02}.yaml"
        assert (folder / name).read_bytes() == (folder / "copy" / name).read_bytes()
        assert 'num-cpus: "4"' in (folder / name).read_text()


def test_links_modes_and_neighbours_stay(cluster: Path) -> None:
    cluster.chmod(0o640)
    link = cluster.parent / "link.yaml"
    link.symlink_to("cluster.yaml")
    assert main(["--fix", *ONLY, "link.yaml"]) == 1
    assert link.is_symlink()
    assert cluster.read_text() == FIXED
    assert stat.S_IMODE(cluster.stat().st_mode) == 0o640
    assert sorted(it.name for it in cluster.parent.iterdir()) == ["cluster.yaml", "link.yaml"]


@pytest.mark.parametrize("target", ["elsewhere", "elsewhere/cluster.yaml"])
def test_what_a_link_leads_to_outside_is_left_alone(
    cluster: Path, capsys: pytest.CaptureFixture[str], target: str
) -> None:
    other, mine = cluster.parent / "elsewhere" / "cluster.yaml", cluster.parent / "mine"
    other.parent.mkdir()
    mine.mkdir()
    cluster.rename(other)
    link = mine / ("link.yaml" if target.endswith(".yaml") else "link")
    link.symlink_to(cluster.parent / target)
    assert main(["--fix", *ONLY, "mine"]) == 1
    assert other.read_text() == BROKEN
    assert "is not fixed: a link leads to it, out of the folder" in capsys.readouterr().err
    main(["--fix", *ONLY, "mine", "elsewhere"])
    assert other.read_text() == FIXED


@pytest.mark.skipif(not os.path.exists("/dev/stdin"), reason="the system has no such name")
def test_a_file_behind_dev_stdin_is_left_alone(cluster: Path) -> None:
    command = [sys.executable, "-m", "raylint", "--fix", *ONLY, "/dev/stdin"]
    with cluster.open() as file:
        child = subprocess.run(command, stdin=file, capture_output=True, text=True, check=False)
    assert cluster.read_text() == BROKEN
    assert "is not fixed: it was handed over to be read" in child.stderr


def test_a_file_is_written_only_where_something_is_fixed(cluster: Path) -> None:
    cluster.write_text(FIXED)
    before = cluster.stat()
    assert main(["--fix", *ONLY, "cluster.yaml"]) == 1
    after = cluster.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_second_name_would_keep_the_old_text(cluster: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.link(cluster, cluster.parent / "other.txt")
    assert main(["--fix", "--format", "concise", *ONLY, "cluster.yaml"]) == 2
    assert cluster.read_text() == BROKEN
    out, err = capsys.readouterr()
    assert err.startswith("raylint: cluster.yaml is not fixed: it has a second name")
    assert "API002" in out
    assert "fixed in" not in out


def test_a_file_that_changes_meanwhile_is_left_alone(
    cluster: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = fix_file.replace

    def late(path: str, before: bytes, after: bytes) -> None:
        cluster.write_text(f"{BROKEN}# mine\n")
        real(path, before, after)

    monkeypatch.setattr("raylint.fixing.replace", late)
    assert main(["--fix", *ONLY, "cluster.yaml"]) == 2
    assert cluster.read_text() == f"{BROKEN}# mine\n"
    assert "cluster.yaml is not fixed: it was changed meanwhile" in capsys.readouterr().err
    assert [it.name for it in cluster.parent.iterdir()] == ["cluster.yaml"]


def test_a_protected_file_is_left_alone(
    cluster: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Root may write to whatever it likes, so the system's answer is put in its place.
    monkeypatch.setattr("raylint.fix_file.os.access", lambda path, mode: False)
    assert main(["--fix", *ONLY, "cluster.yaml"]) == 2
    assert cluster.read_text() == BROKEN
    assert "cluster.yaml is not fixed: permission denied" in capsys.readouterr().err


def test_a_patch_of_kustomize_is_left_alone(cluster: Path) -> None:
    (cluster.parent / "kustomization.yaml").write_text("patches: [{path: cluster.yaml}]\n")
    main(["--fix", *ONLY, "cluster.yaml"])
    assert cluster.read_text() == BROKEN


def test_what_is_accepted_stays(cluster: Path) -> None:
    accepted = BROKEN.replace("# no text", "# raylint: ignore[API002] the version of a fork")
    cluster.write_text(accepted)
    main(["--fix", *ONLY, "cluster.yaml"])
    assert cluster.read_text() == FIXED.replace(
        '"2.52"  # no text', "2.52  # raylint: ignore[API002] the version of a fork"
    )
    exemption = "exemptions:\n- {rule: API002, kind: RayCluster, reason: they are all strings elsewhere}\n"
    (cluster.parent / ".raylint.yaml").write_text(exemption)
    cluster.write_text(BROKEN)
    main(["--fix", "--select", "API,RL", "cluster.yaml"])
    assert cluster.read_text() == BROKEN.replace("      num-cpus: 1\n", "")


@pytest.mark.parametrize(
    ("options", "left", "note"),
    [
        # Without no-monitor the comment would cover num-cpus.
        (
            '      # raylint: ignore[RAY303] why\n      no-monitor: "false"\n      num-cpus: "0.5"\n',
            '      # raylint: ignore[RAY303] why\n      no-monitor: "false"\n      num-cpus: "0.5"\n',
            "RAY305 is not fixed (delete spec.headGroupSpec.rayStartParams.no-monitor): "
            "a suppression of something else would then hide RAY303",
        ),
        # Nor does it go from the first of two equal keys to the second.
        (
            '      # raylint: ignore[RAY303] why\n      num-cpus: [x]\n      num-cpus: "0.5"\n',
            '      # raylint: ignore[RAY303] why\n      num-cpus: [x]\n      num-cpus: "0.5"\n',
            "RL010 is not fixed (delete the first num-cpus, which has no effect): "
            "a suppression of something else would then hide RAY303",
        ),
        # What covers both covers both afterwards.
        (
            '      # raylint: ignore-object[RAY303] why\n      no-monitor: "false"\n      num-cpus: "0.5"\n',
            '      # raylint: ignore-object[RAY303] why\n      num-cpus: "0.5"\n',
            "",
        ),
        # Nothing is found in what it would cover.
        (
            '      # raylint: ignore[RAY303] why\n      no-monitor: "false"\n      num-cpus: "1"\n',
            '      # raylint: ignore[RAY303] why\n      num-cpus: "1"\n',
            "",
        ),
    ],
)
def test_no_fix_moves_a_suppression_onto_a_finding(
    cluster: Path, capsys: pytest.CaptureFixture[str], options: str, left: str, note: str
) -> None:
    start = BROKEN.index("  headGroupSpec")
    head = BROKEN[:start].replace("release: 7", "release: seven").replace("2.52 ", '"2.52" ')
    container = '{spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}'
    cluster.write_text(f"{head}  headGroupSpec:\n    rayStartParams:\n{options}    template: {container}\n")
    main(["--fix", "--format", "concise", "--no-config", "cluster.yaml"])
    assert f"    rayStartParams:\n{left}    template" in cluster.read_text()
    out, err = capsys.readouterr()
    assert note in err
    assert bool(note) == bool(err)
    assert ("error[RAY303]" in out) == bool(note)


@rule("TEST001", Severity.WARNING, fixes="safe")
def a_number_too_many(found: RayObject) -> Iterator[Problem]:
    """Each number of the spec is too many."""
    for key, value in found.spec.data.items():
        if isinstance(value, int):
            at = found.spec.at_key(key)
            yield Problem(at, f"{key} is too many", effect="none", fix="delete it", repair=safe(at.delete()))


@rule("TEST002", Severity.WARNING, fixes="unsafe")
def a_list_too_short(found: RayObject) -> Iterator[Problem]:
    """Each list of the spec wants one more item, and never has enough."""
    for key, value in found.spec.data.items():
        if isinstance(value, list):
            at = found.spec.at_key(key, len(value))
            repair = unsafe(at.set("x"))
            yield Problem(at, f"{key} is too short", effect="none", fix="add an item", repair=repair)


@rule("TEST003", Severity.WARNING)
def nothing_left(found: RayObject) -> Iterator[Problem]:
    """A spec with nothing in it."""
    if not found.spec.data:
        yield Problem(found.spec.at, "the spec is empty", effect="none", fix="write something")


def fixed(spec: str, *rules: Rule) -> tuple[str, list[str]]:
    """The spec after all fixes, and what was taken back."""
    head = "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: a}\nspec: "
    engine = Engine(rules, Target())
    raw = f"{head}{spec}\n".encode()
    done = fix_text(engine, raw, engine.check("a.yaml", raw), unsafe=True)
    return done.raw.decode().removeprefix(head).removesuffix("\n"), done.taken_back()


def test_fixes_of_one_mapping_wait_for_each_other() -> None:
    assert fixed("{a: 1, b: 2, c: x, d: 3}", a_number_too_many) == ("{c: x}", [])
    assert fixed("\n  a: 1\n  b: 2", a_number_too_many) == ("{} ", [])
    assert fixed("{a: 1, b: 2}", a_number_too_many) == ("{}", [])


def test_what_would_be_found_afterwards_is_not_fixed() -> None:
    spec, notes = fixed("{a: 1, b: 2}", a_number_too_many, nothing_left)
    assert spec == "{b: 2}"
    assert notes == ["4:11: TEST001 is not fixed (delete spec.b): TEST003 would be found then"]


@rule("TEST004", Severity.INFO)
def nothing_left_to_speak_of(found: RayObject) -> Iterator[Problem]:
    """A spec with nothing in it, which does little harm."""
    if not found.spec.data:
        yield Problem(found.spec.at, "the spec is empty", effect="none", fix="write something")


@rule("TEST005", Severity.ERROR, fixes="safe")
def a_two_alone(found: RayObject) -> Iterator[Problem]:
    """A ``b`` without an ``a``."""
    if "b" in found.spec.data and "a" not in found.spec.data:
        at = found.spec.at_key("b")
        yield Problem(at, "b needs an a", effect="none", fix="delete it", repair=safe(at.delete()))


@rule("TEST006", Severity.WARNING, fixes="safe")
def an_a(found: RayObject) -> Iterator[Problem]:
    """An ``a``."""
    if "a" in found.spec.data:
        at = found.spec.at_key("a")
        yield Problem(at, "there is an a", effect="none", fix="delete it", repair=safe(at.delete()))


def test_what_is_found_afterwards_and_is_milder_holds_no_fix_back() -> None:
    assert fixed("{a: 1, b: 2}", a_number_too_many, nothing_left_to_speak_of) == ("{}", [])


def test_what_is_found_afterwards_is_mended_as_well() -> None:
    assert fixed("{a: x, b: y, c: z}", an_a, a_two_alone) == ("{c: z}", [])
    # Where that is not possible, nothing of it is done.
    spec, notes = fixed("{a: x, b: y}", an_a, a_two_alone, nothing_left)
    assert spec == "{a: x, b: y}"
    assert notes == ["4:11: TEST006 is not fixed (delete spec.a): TEST003 would be found then"]


def test_notes_tell_the_places_of_the_file_as_it_is_then() -> None:
    text = "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: a}\nspec:\n  a: 1\n  b: 2\n"
    engine = Engine((a_number_too_many, nothing_left), Target())
    before = engine.check("a.yaml", text.encode())
    done = fix_text(engine, text.encode(), before, unsafe=True)
    words = "TEST001 is not fixed (delete spec.b): TEST003 would be found then"
    assert done.taken_back() == [f"5:6: {words}"]
    assert done.taken_back(before) == [f"6:6: {words}"]
    assert done.count == 1


def test_a_milder_finding_that_a_mistake_hid_is_reported(
    cluster: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster.write_text(BROKEN.replace("num-cpus: 2", "num-cpus: 0").replace("    minWorkers: 1\n", ""))
    assert main(["--format", "concise", "--no-config", "cluster.yaml"]) == 1
    assert "RAY205" not in capsys.readouterr().out
    assert main(["--fix", "--format", "concise", "--no-config", "cluster.yaml"]) == 0
    assert 'num-cpus: "0"' in cluster.read_text()
    out, err = capsys.readouterr()
    assert err == ""
    assert "warning[RAY205]" in out
    assert "\n5 fixed in 1 file, " in out


def test_what_does_not_help_is_not_done() -> None:
    spec, notes = fixed("{a: 1, b: [y]}", a_list_too_short, a_number_too_many)
    assert spec == "{b: [y]}"
    assert notes == ['4:8: TEST002 is not fixed (set spec.b[1] to "x"): it would still be found']


def test_findings_that_were_given_up_offer_nothing_any_more() -> None:
    raw = b"apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: a}\nspec: {b: [y]}\n"
    engine = Engine([a_list_too_short], Target())
    done = fix_text(engine, raw, engine.check("a.yaml", raw), unsafe=True)
    done.withdraw()
    assert [finding.fixes for finding in done.result.findings] == [()]


def test_linting_loads_nothing_of_it(cluster: Path) -> None:
    cluster.write_text(FIXED.replace("    minWorkers: 1\n", ""))
    code = (
        "import sys; from raylint.cli import main; code = main(['cluster.yaml', '--select=API'])\n"
        "sys.exit(code or 'raylint.fix' in ' '.join(sys.modules))"
    )
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert child.returncode == 0, child.stdout + child.stderr
