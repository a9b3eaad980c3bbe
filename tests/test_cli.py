"""The command line from end to end, in this process and as one of its own."""

from __future__ import annotations

import gc
import io
import json
import os
import pty
import runpy
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, NoReturn

import pytest
from report_samples import read_json

import raylint
from raylint import output
from raylint.cli import main, program
from raylint.cluster import RayCluster
from raylint.errors import UsageError
from raylint.finding import Severity
from raylint.manifest import KubeObject
from raylint.rule import Location, Problem, Rule, rule
from raylint.workers import WorkerError

CLUSTER = (
    "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata:\n  name: {name}\nspec:\n"
    "  headGroupSpec: {{template: {{spec: {{containers: []}}}}}}\n"
)
TWICE = (
    "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata:\n  name: a\n  name: b\nspec:\n"
    "  headGroupSpec: {template: {spec: {containers: [{name: ray, image: 'rayproject/ray:2.52.0'}]}}}\n"
)

Run = Callable[..., "Result"]


class Result:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.out = out
        self.err = err


def problems(found: KubeObject, name: str, message: str) -> Iterator[Problem]:
    if found.ref.name == name:
        at = Location(found.document, (*found.path, "metadata", "name"))
        yield Problem(at, message, effect="somebody is called at night", fix="rename it")


@rule("RAY901", Severity.ERROR)
def bad_name(found: KubeObject) -> Iterator[Problem]:
    """The name `bad` is an error.

    It really is.
    """
    return problems(found, "bad", "the name is 'bad'")


@rule("RAY902", Severity.WARNING, kuberay="..1.5", ray="2.40..")
def poor_name(cluster: RayCluster) -> Iterator[Problem]:
    """The name `poor` is a warning."""
    if cluster.document.file == "poor.yaml":
        yield Problem(
            Location(cluster.document, cluster.path), "the name is 'poor'", effect="none", fix="rename it"
        )


@rule("RAY903", Severity.INFO)
def plain_name(found: KubeObject) -> Iterator[Problem]:
    """The name `plain` is worth a word."""
    return problems(found, "plain", "the name is 'plain'")


@rule("RAY904", Severity.INFO)
def crash(found: KubeObject) -> Iterator[Problem]:
    """The name `crash` is more than this rule can take."""
    if found.ref.name == "crash":
        raise ZeroDivisionError("secret words")
    yield from ()


RULES: tuple[Rule, ...] = (bad_name, poor_name, plain_name, crash)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in this process, with the rules above. JSON reports are held against the schema."""
    monkeypatch.setattr("raylint.packs.installed_rules", lambda: RULES)

    def call(*words: str) -> Result:
        code = main(words)
        captured = capsys.readouterr()
        if "json" in words and "rules" not in words and captured.out:
            read_json(captured.out)
        return Result(code, captured.out, captured.err)

    return call


def write(*clusters: str) -> None:
    for name in clusters:
        Path(f"{name}.yaml").write_text(CLUSTER.format(name=name))


# raylint that calls for other processes after the first file, however little there is to do.
SHARING = """
import raylint.run
from raylint.cli import program
raylint.run._ALONE = raylint.run._SHARED = 0
program()
"""


def spawn(
    *words: str, stdin: int | None = subprocess.DEVNULL, shares: bool = False, **environment: str
) -> subprocess.Popen[bytes]:
    """raylint as a process of its own, with the rules that are installed."""
    start = ["-c", SHARING] if shares else ["-m", "raylint"]
    return subprocess.Popen(
        [sys.executable, *start, *words],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment},
        close_fds=False,
    )


def finish(child: subprocess.Popen[bytes], stdin: bytes | None = None) -> Result:
    out, err = child.communicate(stdin, timeout=60)
    return Result(child.returncode, out.decode(), err.decode())


# Exit codes


@pytest.mark.parametrize(
    ("clusters", "flags", "code"),
    [
        (["fine"], [], 0),
        (["bad"], [], 1),
        (["plain"], [], 0),
        (["plain"], ["--fail-on", "warning"], 0),
        (["plain"], ["--fail-on", "info"], 1),
        (["bad"], ["--fail-on", "info"], 1),
        (["bad"], ["--exit-zero"], 0),
        (["bad"], ["--severity", "RAY901=warning"], 0),
        (["plain"], ["--severity", "plain-name=error"], 1),
        (["bad"], ["--ignore", "RAY901"], 0),
        (["bad"], ["--select", "plain-name"], 0),
        # A rule for other releases alone would check nothing.
        (["bad"], ["--select", "RAY902"], 2),
        (["fine"], ["--require-objects"], 0),
        ([], ["--require-objects"], 3),
        ([], ["--require-objects", "--exit-zero"], 3),
        ([], [], 0),
        (["crash"], [], 4),
        (["crash", "bad"], [], 4),
        (["crash"], ["--exit-zero"], 4),
        (["crash"], ["--ignore", "RAY904"], 0),
        (["bad"], ["--bogus"], 2),
        (["crash"], ["missing.yaml"], 2),
    ],
)
def test_exit_code(run: Run, clusters: list[str], flags: list[str], code: int) -> None:
    write(*clusters)
    for format in ("text", "concise", "json"):
        assert run(".", "--format", format, *flags).code == code


def test_require_objects_goes_before_findings(run: Run) -> None:
    os.mkfifo("pipe.yaml")
    assert run(".").code == 1
    result = run(".", "--require-objects")
    assert result.code == 3
    assert "error[RL001]" in result.out
    assert result.err == "raylint: no Ray object was checked, and --require-objects asks for one\n"


def test_a_crashed_rule_takes_nothing_else_down(run: Run) -> None:
    write("crash", "bad")
    result = run(".", "--format", "concise")
    assert "RL000" in result.out
    assert "bad.yaml:4:9: error[RAY901] the name is 'bad'" in result.out
    assert result.err.count("\n") == 1
    assert "please report" in result.err
    assert "secret words" not in result.out + result.err


def test_an_internal_fault(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def explode(*_: object, **__: object) -> None:
        raise RuntimeError("first line\nsecond \x1b[31m line")

    monkeypatch.setattr("raylint.run.run", explode)
    write("bad")
    result = run(".")
    assert (result.code, result.out) == (4, "")
    assert result.err == (
        "raylint: internal fault: RuntimeError: first line; please report it, with what --debug shows\n"
    )
    result = run(".", "--debug")
    assert result.code == 4
    assert "Traceback" in result.err
    assert "explode" in result.err


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (KeyboardInterrupt(), 130, ""),
        (BrokenPipeError(), 141, ""),
        (WorkerError("a worker process was killed"), 4, "raylint: a worker process was killed\n"),
        (WorkerError("KeyError: 1\ntrace"), 4,
         "raylint: internal fault: KeyError: 1; please report it, with what --debug shows\n"),
    ],
)  # fmt: skip
def test_ends_of_a_run(
    run: Run, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, words: str
) -> None:
    def end(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("raylint.run.run", end)
    monkeypatch.setattr("raylint.output.abandon_stdout", lambda: None)
    result = run("--jobs", "auto")
    assert (result.code, result.out, result.err) == (code, "", words)


class Stream(io.TextIOWrapper):
    """A standard output whose writes end as they are told to."""

    def __init__(self, *outcomes: int | OSError | None) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8")
        self.outcomes = list(outcomes)
        self.taken: list[bytes] = []

    @property
    def buffer(self) -> Any:
        return self

    def write(self, content: Any) -> Any:
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, OSError):
            raise outcome
        self.taken.append(bytes(content[:outcome]))
        return outcome


def test_a_write_that_takes_a_part_is_gone_on_with(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Stream(3, 1, 5)
    monkeypatch.setattr(sys, "stdout", stream)
    output.write("012345678")
    assert stream.taken == [b"012", b"3", b"45678"]


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [(OSError(28, "No space left on device"), "no space left on device"), (None, os.strerror(11).lower())],
)
def test_a_write_that_fails(monkeypatch: pytest.MonkeyPatch, outcome: OSError | None, reason: str) -> None:
    monkeypatch.setattr(sys, "stdout", Stream(outcome))
    with pytest.raises(UsageError) as caught:
        output.write("text")
    assert str(caught.value) == f"cannot write to the standard output: {reason}"


def test_a_write_that_nobody_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Stream(BrokenPipeError()))
    with pytest.raises(BrokenPipeError):
        output.write("text")


def test_closed_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(UsageError, match="the standard output is closed"):
        output.write("text")
    monkeypatch.setattr(sys, "stderr", None)
    output.say("text")
    stream = Stream(OSError())
    monkeypatch.setattr(sys, "stderr", stream)
    output.say("text")
    assert stream.outcomes == []


def test_abandoned_output_goes_nowhere(monkeypatch: pytest.MonkeyPatch, here: Path) -> None:
    with open("out.txt", "w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        output.abandon_stdout()
        print("lost", flush=True)
    assert Path("out.txt").read_text() == ""


@pytest.mark.usefixtures("no_search_for_cycles")
def test_the_process_leaves_with_the_code_of_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    class LeftError(Exception):
        pass

    def leave(code: int) -> NoReturn:
        raise LeftError(code)

    monkeypatch.setattr(os, "_exit", leave)
    monkeypatch.setattr(sys, "argv", ["raylint", "missing.yaml"])
    with pytest.raises(LeftError, match="2"):
        program()
    with pytest.raises(LeftError, match="2"):
        runpy.run_module("raylint", run_name="__main__")


# Wrong usage


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--formt=json"], "unknown flag '--formt' (did you mean --format?)"),
        (["missing.yaml"], "no such file or folder: 'missing.yaml'"),
        (["explan", "RAY901"], "no such file or folder: 'explan' (did you mean explain?)"),
        (["a\x1b[31m"], "no such file or folder: 'a\\x1b[31m'"),
        (["--select", "RAY999"], None),
        (["--severity", "NONE=error"], None),
        (["-o", "no/where.txt"], "cannot write to 'no/where.txt': there is no folder 'no'"),
        (["-o", "."], "cannot write to '.': it is a folder"),
        (["explain", "zzzzzz"], "no rule is called 'zzzzzz' or speaks of it; 'raylint rules' lists them"),
    ],
)
def test_wrong_usage(run: Run, words: list[str], message: str | None) -> None:
    result = run(*words)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("raylint: ")
    assert result.err.count("\n") == 1
    if message is not None:
        assert result.err == f"raylint: {message}\n"


def test_an_unknown_rule_gets_a_suggestion(run: Run) -> None:
    assert "bad-name" in run("--select", "bad-nam").err


# What is printed


def test_text(run: Run) -> None:
    write("bad")
    assert run("bad.yaml").out == (
        "error[RAY901]: the name is 'bad'\n"
        " --> bad.yaml:4:9   RayCluster bad\n"
        "  |\n"
        "4 |   name: bad\n"
        "  |         ^^^\n"
        "  |\n"
        "  = effect: somebody is called at night\n"
        "  = fix: rename it\n"
        "  = help: raylint explain RAY901\n"
        "\n"
        "1 error in 1 Ray object (1 of 1 file); target KubeRay 1.7, Ray as each manifest says\n"
    )


def test_check_is_the_command_and_the_working_directory_the_path(run: Run) -> None:
    write("bad", "plain")
    expected = run("check", ".").out
    assert "2 Ray objects" in expected
    assert run("check").out == run().out == run(".").out == expected


def test_nothing_to_check_is_said(run: Run) -> None:
    Path("a.yaml").write_text("kind: Service\n")
    assert run(".").out == (
        "no Ray object was checked: there is none in 1 file; target KubeRay 1.7, Ray as each manifest says\n"
    )


def test_quiet(run: Run) -> None:
    write("bad", "fine")
    assert run("bad.yaml", "-q").out.endswith("= help: raylint explain RAY901\n")
    assert run("fine.yaml", "-q").out == ""


def test_target(run: Run) -> None:
    write("poor")
    assert run("--kuberay", "1.5.3", "--ray", "2.43").out.endswith(
        "1 warning in 1 Ray object (1 of 1 file); target KubeRay 1.5.3, Ray 2.43\n"
    )
    assert "no findings" in run("--kuberay", "1.6", "--ray", "2.43").out


def test_verbose(run: Run) -> None:
    write("fine")
    Path("gone.yaml").touch()
    Path("b.yaml").write_text("kind: Service\n")
    result = run("-v", "--exclude", "gone.yaml", "--kuberay", "1.7", "--format", "json")
    assert result.err == (
        "raylint: passed over b.yaml: it does not mention ray.io\n"
        "raylint: passed over gone.yaml: --exclude gone.yaml\n"
        "raylint: left out RAY902 (poor-name): it is for KubeRay up to 1.5\n"
    )
    result = run("-v", "--kuberay", "1.5", "--ray", "2.9", "fine.yaml")
    assert result.err == "raylint: left out RAY902 (poor-name): it is for Ray 2.40 and later\n"


def test_machine_formats_own_the_standard_output(run: Run) -> None:
    write("bad", "crash")
    result = run("--format", "json", "-v")
    value = read_json(result.out)
    assert [found["rule"] for found in value["findings"]] == ["RAY901", "RL000"]
    assert result.err


def test_json_in_a_poor_locale_is_utf8() -> None:
    Path("日本.yaml").write_text(TWICE)
    child = spawn(".", "--format", "json", PYTHONIOENCODING="ascii")
    assert read_json(finish(child).out)["findings"][0]["file"] == "日本.yaml"
    result = finish(spawn(".", "--format", "concise", PYTHONIOENCODING="ascii"))
    assert result.out.startswith("\\u65e5\\u672c.yaml:5:3: warning[RL010]")
    assert result.code == 0


def test_a_file_name_that_is_not_utf8() -> None:
    Path(os.fsdecode(b"\xff.yaml")).write_text(TWICE)
    assert finish(spawn(".", "--format", "concise")).out.startswith("\\xff.yaml:5:3: warning[RL010]")
    assert read_json(finish(spawn("--format", "json")).out)["findings"][0]["file"] == "\udcff.yaml"


def test_a_text_stream_in_place_of_the_standard_output(run: Run) -> None:
    write("bad")
    with redirect_stdout(io.StringIO()) as stream:
        assert main(["."]) == 1
    assert stream.getvalue().startswith("error[RAY901]")


# The output file


def test_output_goes_to_a_file(run: Run, here: Path) -> None:
    write("bad")
    expected = run("bad.yaml").out
    result = run("bad.yaml", "-o", "report.txt")
    assert (result.code, result.out, result.err) == (1, "", "")
    assert Path("report.txt").read_text() == expected
    assert sorted(os.listdir(here)) == ["bad.yaml", "report.txt"]


def test_the_file_keeps_its_mode_and_its_link(run: Run, here: Path) -> None:
    write("bad")
    Path("old.json").write_text("old")
    Path("old.json").chmod(0o640)
    Path("link.json").symlink_to("old.json")
    run("--format", "json", "-o", "link.json", "bad.yaml")
    assert Path("link.json").is_symlink()
    assert Path("old.json").stat().st_mode & 0o777 == 0o640
    assert read_json(Path("old.json").read_text())["summary"]["errors"] == 1


def test_a_failed_write_leaves_the_old_file(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    write("bad")
    Path("old.txt").write_text("old")
    monkeypatch.setattr(os, "replace", refuse)
    result = run("-o", "old.txt", "bad.yaml")
    assert (result.code, result.err.count("no space left on device")) == (2, 1)
    assert Path("old.txt").read_text() == "old"
    assert sorted(os.listdir(here)) == ["bad.yaml", "old.txt"]


def test_a_file_that_cannot_be_made_leaves_nothing(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> NoReturn:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(UsageError, match=r"cannot write to 'out\.txt': permission denied"):
        output.write("text", "out.txt")
    assert os.listdir(here) == []


def test_a_device_is_written_to_and_not_replaced(run: Run) -> None:
    write("bad")
    assert run("-o", "/dev/null", "bad.yaml").code == 1
    assert not Path("/dev/null").is_file()


def test_a_report_is_neither_read_nor_refused_by_the_next_run(run: Run) -> None:
    write("bad")
    words = ["--format", "json", "-o", "report.json"]
    assert run(*words).code == 1
    first = Path("report.json").read_text()
    result = run(*words, "-v")
    assert (result.code, result.err.count("passed over report.json: the output goes there")) == (1, 1)
    assert Path("report.json").read_text() == first
    Path("report.json").rename("older.json")
    assert run().out.count("RL0") == 0
    assert run("--format", "json", "-o", "report.json").code == 1
    assert json.loads(Path("report.json").read_text())["findings"] == json.loads(first)["findings"]


@pytest.mark.parametrize("format", ["json", "yaml"])
def test_effective_objects_are_written_again(run: Run, format: str) -> None:
    write("fine")
    words = ["effective", "--format", format, "-o", f"out.{format}"]
    assert [run(*words).code, run(*words).code] == [0, 0]
    assert Path(f"out.{format}").read_text().count("fine.yaml") == 1


def test_an_empty_file_is_written_to(run: Run) -> None:
    write("bad")
    Path("report.json").touch()
    assert run("--format", "json", "-o", "report.json").code == 1


@pytest.mark.parametrize(
    ("words", "path"),
    [
        (["bad.yaml"], "bad.yaml"),
        (["bad.yaml"], "./d/../bad.yaml"),
        (["bad.yaml"], "link.yaml"),
        (["link.yaml"], "bad.yaml"),
        (["bad.yaml"], "hard"),
        ([], "bad.yaml"),
        (["-j", "2"], "bad.yaml"),
        (["d"], "bad.yaml"),
        (["effective", "bad.yaml"], "bad.yaml"),
        (["--crd", "bad.yaml", "d"], "bad.yaml"),
        (["schema", "RayCluster", "--crd", "bad.yaml"], "bad.yaml"),
    ],
)
def test_the_output_never_replaces_what_is_read(run: Run, words: list[str], path: str) -> None:
    write("bad")
    before = Path("bad.yaml").read_text()
    Path("d").mkdir()
    Path("d/inner.yaml").symlink_to("../bad.yaml")
    Path("link.yaml").symlink_to("bad.yaml")
    Path("hard").hardlink_to("bad.yaml")
    result = run(*words, "-o", path)
    assert (result.code, result.out) == (2, "")
    assert result.err == f"raylint: cannot write to {path!r}: it is one of the files to read\n"
    assert Path("bad.yaml").read_text() == before


def test_the_output_never_replaces_a_file_too_large_to_look_at(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("raylint.source.LARGEST", 100)
    Path("large.json").write_text("x" * 200)
    result = run("-o", "large.json")
    assert (result.code, Path("large.json").read_text()) == (2, "x" * 200)
    assert "it is to be read, and it is larger than" in result.err


def test_the_output_never_replaces_the_standard_input() -> None:
    write("fine")
    before = Path("fine.yaml").read_text()
    with open("fine.yaml", "rb") as file:
        result = finish(spawn("-", "-o", "fine.yaml", stdin=file.fileno()))
    assert (result.code, result.err.count("it is one of the files to read")) == (2, 1)
    assert Path("fine.yaml").read_text() == before


@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_the_standard_output_by_its_path(path: str) -> None:
    many(1)
    expected = finish(spawn("f0.yaml"))
    result = finish(spawn("f0.yaml", "-o", path))
    assert (result.code, result.out, result.err) == (0, expected.out, "")
    with open("log", "ab") as log:
        log.write(b"first line\n")
        log.flush()
        command = [sys.executable, "-m", "raylint", "f0.yaml", "-o", path]
        assert subprocess.run(command, stdout=log, check=False).returncode == 0
    assert Path("log").read_text() == f"first line\n{expected.out}"
    assert sorted(os.listdir()) == ["f0.yaml", "log"]


def test_a_named_pipe_is_written_to(run: Run) -> None:
    write("bad")
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    assert run("bad.yaml", "-o", "pipe").code == 1
    assert os.read(reader, 65536).startswith(b"error[RAY901]")
    os.close(reader)
    result = run("bad.yaml", "-o", "pipe")
    assert (result.code, result.err) == (2, "raylint: cannot write to 'pipe': nobody reads from it\n")


@pytest.mark.parametrize("path", ["/dev/fd/987", "/dev/fd/99999999999999999999"])
def test_an_output_that_is_not_open(run: Run, path: str) -> None:
    assert run("-o", path).err == f"raylint: cannot write to {path!r}: it is not open\n"


def test_an_output_that_takes_a_part_and_breaks(run: Run) -> None:
    receive, send = os.pipe()
    os.close(receive)
    assert run("-o", f"/dev/fd/{send}").code == 141
    os.close(send)


def test_files_of_others_next_to_the_output_stay(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write("bad")
    Path(f"out.txt.{os.getpid()}.tmp").write_text("mine")
    assert run("bad.yaml", "-o", "out.txt").code == 1
    assert Path(f"out.txt.{os.getpid()}.tmp").read_text() == "mine"
    monkeypatch.setattr(os, "urandom", bytes)
    Path(f".raylint-{'00' * 8}.tmp").write_text("mine")
    result = run("bad.yaml", "-o", "out.txt")
    assert (result.code, result.err) == (2, "raylint: cannot write to 'out.txt': file exists\n")
    assert Path(f".raylint-{'00' * 8}.tmp").read_text() == "mine"


def test_a_protected_file_is_not_replaced(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write("bad")
    Path("old.txt").write_text("old")
    # What the system says to everybody but root of a file with the mode 0444.
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    result = run("bad.yaml", "-o", "old.txt")
    assert (result.code, result.err) == (2, "raylint: cannot write to 'old.txt': permission denied\n")
    assert Path("old.txt").read_text() == "old"


@pytest.mark.parametrize("words", [[], ["a.yaml"], ["-j", "2", "."], [".", "-o", "out.json"]])
def test_a_working_directory_that_is_gone(run: Run, here: Path, words: list[str]) -> None:
    (here / "lost").mkdir()
    os.chdir("lost")
    (here / "lost").rmdir()
    result = run(*words)
    assert (result.code, result.out) == (2, "")
    assert result.err in (
        "raylint: the working directory cannot be told: no such file or directory\n",
        "raylint: no such file or folder: 'a.yaml'\n",
    )
    os.chdir(here)


def test_the_standard_input_takes_no_working_directory() -> None:
    command = f"mkdir lost && cd lost && rmdir ../lost && echo a: b | {sys.executable} -m raylint -"
    child = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert (child.returncode, child.stderr) == (0, "")


# Other commands


@pytest.mark.parametrize("words", [["version"], ["--version"], ["rules", "--version"]])
def test_version(run: Run, words: list[str]) -> None:
    assert run(*words).out == f"raylint {raylint.__version__}\n"


def test_version_loads_no_parser() -> None:
    program = "import sys; from raylint.cli import main; main(['version']); print(*sys.modules)"
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(child.stdout.split("\n")[1].split())
    assert not {"yaml", "argparse", "raylint.engine", "raylint.report"} & loaded


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["rules", "--help"], ["--help", "missing"]])
def test_help(run: Run, words: list[str]) -> None:
    result = run(*words)
    assert (result.code, result.err) == (0, "")
    assert "usage: raylint" in result.out
    assert "-h, --help" in result.out


def test_help_on_all_names_every_command_and_the_exit_codes(run: Run) -> None:
    text = run("--help").out
    assert all(f"       raylint {command}" in text for command in ("effective", "explain", "rules", "schema"))
    assert "exit codes:" in text


@pytest.mark.parametrize(
    ("command", "shown", "hidden"),
    [
        ("check", ["--fail-on", "--format auto|text|concise|json|jsonl|sarif|", "exit codes:"], ["|yaml"]),
        ("effective", ["--feature-gates", "--format auto|text|json|yaml\n"], ["--fail-on", "--select"]),
        ("explain", ["explain RULE|TEXT", "--color"], ["--format", "--kuberay"]),
        ("rules", ["rules [FAMILY ...]", "--select", "--format auto|text|json "], ["--ignore", "--kuberay"]),
        ("schema", ["KIND is RayCluster", "--kuberay"], ["--feature-gates", "--format"]),
        ("version", ["show raylint's version"], ["--output"]),
    ],
)
def test_help_on_a_command_is_about_that_command(
    run: Run, command: str, shown: list[str], hidden: list[str]
) -> None:
    for words in ([command, "--help"], [command, "-h"], ["-h", command]):
        text = run(*words).out
        assert text.startswith(f"usage: raylint {'[check]' if command == 'check' else command}")
        assert all(part in text for part in shown)
        assert not any(part in text for part in hidden)


def test_rules_as_a_table(run: Run) -> None:
    lines = run("rules").out.splitlines()
    assert lines[0].split() == ["id", "name", "severity", "KubeRay", "Ray", "fix", "summary"]
    rows = {line.split()[0]: line for line in lines[1:]}
    assert "The name `poor` is a warning." in rows["RAY902"]
    assert "up to 1.5" in rows["RAY902"]
    assert "2.40 and later" in rows["RAY902"]
    assert "RL001" in rows
    assert len({line.index(text) for line, text in ((rows["RAY901"], "The"), (rows["RAY903"], "The"))}) == 1


def ids_in(table: str) -> list[str]:
    return [line.split()[0] for line in table.splitlines()[1:]]


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        (["RAY902"], ["RAY902"]),
        (["ray90"], ["RAY901", "RAY902", "RAY903", "RAY904"]),
        (["bad-name", "RL000"], ["RAY901", "RL000"]),
        (["--select", "RAY902,RAY903"], ["RAY902", "RAY903"]),
        (["RAY901", "--select", "RAY902"], ["RAY901", "RAY902"]),
    ],
)
def test_rules_of_a_family(run: Run, words: list[str], ids: list[str]) -> None:
    assert ids_in(run("rules", *words).out) == ids


def test_rules_of_no_family(run: Run) -> None:
    result = run("rules", "RAX9")
    assert (result.code, result.out) == (2, "")
    assert "unknown rule 'RAX9'" in result.err


def test_rules_as_json(run: Run) -> None:
    found = {entry["id"]: entry for entry in json.loads(run("rules", "--format", "json").out)}
    assert found["RAY902"] == {
        "id": "RAY902",
        "name": "poor-name",
        "severity": "warning",
        "confidence": "high",
        "kuberay": "..1.5",
        "ray": "2.40..",
        "preview": False,
        "fixes": [],
        "summary": "The name `poor` is a warning.",
    }
    assert found["RL000"]["kuberay"] is None
    assert found["RL010"]["fixes"] == ["safe"]


def test_explain(run: Run) -> None:
    assert "It really is." in run("explain", "RAY901").out
    assert run("explain", "bad-name").out == run("explain", "ray901").out
    several = run("explain", "RAY90").out
    assert all(each.id in several for each in RULES)
    assert "more than this rule can take" in run("explain", "than", "this", "rule", "can").out


# The standard input


def test_the_standard_input() -> None:
    result = finish(spawn("-", "--format", "concise", stdin=subprocess.PIPE), TWICE.encode())
    assert result.out.startswith("<stdin>:5:3: warning[RL010]")
    child = spawn("-", "--format", "concise", "--stdin-filename", "chart/x.yaml", stdin=subprocess.PIPE)
    assert finish(child, TWICE.encode()).out.startswith("chart/x.yaml:5:3: warning[RL010]")


@pytest.mark.parametrize("content", [b"", b"\n", b"---\n", b"\xff\xfe", b"\x00ray.io"])
def test_input_that_is_next_to_nothing(content: bytes) -> None:
    result = finish(spawn("-", "--format", "json", "--require-objects", stdin=subprocess.PIPE), content)
    assert result.code == 3
    read_json(result.out)


# Colours


@pytest.mark.parametrize(
    ("setting", "environ", "terminal", "colored"),
    [
        ("auto", {}, True, True),
        ("auto", {}, False, False),
        ("auto", {"NO_COLOR": "1"}, True, False),
        ("auto", {"NO_COLOR": ""}, True, True),
        ("auto", {"FORCE_COLOR": "1"}, False, True),
        ("auto", {"FORCE_COLOR": "0"}, False, False),
        ("auto", {"CLICOLOR_FORCE": "1"}, False, True),
        ("auto", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
        ("auto", {"TERM": "dumb"}, True, False),
        ("auto", {"TERM": "dumb", "FORCE_COLOR": "1"}, False, True),
        ("always", {"NO_COLOR": "1", "TERM": "dumb"}, False, True),
        ("never", {"FORCE_COLOR": "1"}, True, False),
    ],
)
def test_wants_color(
    monkeypatch: pytest.MonkeyPatch, setting: str, environ: dict[str, str], terminal: bool, colored: bool
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    assert output.wants_color(setting, environ) is colored


def test_a_file_has_no_colors_unless_asked_for(run: Run) -> None:
    assert not output.wants_color("auto", {"FORCE_COLOR": "1"}, to_file=True)
    write("bad")
    run("bad.yaml", "-o", "plain.txt")
    run("bad.yaml", "-o", "colored.txt", "--color", "always")
    assert "\x1b" not in Path("plain.txt").read_text()
    assert "\x1b[1;31m" in Path("colored.txt").read_text()


@pytest.mark.parametrize(("environment", "colored"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_on_a_terminal(environment: dict[str, str], colored: bool) -> None:
    Path("a.yaml").write_text(TWICE)
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "raylint", "."],
        stdout=theirs,
        stderr=subprocess.PIPE,
        env={**os.environ, "TERM": "xterm", **environment},
    )
    os.close(theirs)
    out = b""
    try:
        while chunk := os.read(ours, 65536):
            out += chunk
    except OSError:  # how Linux says that the other side of a terminal is closed
        pass
    os.close(ours)
    assert child.communicate(timeout=60)[1] == b""
    assert (b"\x1b[1;33mwarning[RL010]\x1b[0m" in out) is colored
    assert (b"\x1b" in out) is colored


# Several processes, and ends before the end


def many(number: int) -> None:
    for index in range(number):
        Path(f"f{index}.yaml").write_text(TWICE)


def test_processes_do_not_change_a_byte() -> None:
    many(300)
    for format in ("text", "concise", "json"):
        one, several = (finish(spawn(".", "--format", format, "-j", jobs, shares=True)) for jobs in ("1", "3"))
        assert (one.code, one.err) == (several.code, several.err) == (0, "")
        assert one.out == several.out


def test_what_workers_write_is_for_the_report_of_their_colour_alone() -> None:
    many(40)
    words = (".", "--color", "always", "--report", "text=plain.txt", "--report", "concise=lines.txt")
    one = finish(spawn(*words))
    files = [Path(name).read_text() for name in ("plain.txt", "lines.txt")]
    several = finish(spawn(*words, "-j", "2", shares=True))
    assert several.out == one.out
    assert "\x1b" in one.out
    assert [Path(name).read_text() for name in ("plain.txt", "lines.txt")] == files
    assert not any("\x1b" in file for file in files)


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_goes_away_is_no_fault(jobs: str, unbuffered: str) -> None:
    many(400)
    with spawn(".", "--format", "json", "-j", jobs, shares=True, PYTHONUNBUFFERED=unbuffered) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        assert child.stdout.read(1) == b"{"
        child.stdout.close()
        assert child.stderr.read() == b""
        assert child.wait(timeout=60) == 141


def test_the_first_line_for_head() -> None:
    many(400)
    command = f"{sys.executable} -m raylint . --format concise | head -1"
    child = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert child.stdout.startswith("f0.yaml:5:3: warning[RL010] ")
    assert child.stdout.count("\n") == 1
    assert child.stderr == ""


@pytest.mark.parametrize("redirection", [">/dev/full", ">&-"])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_an_output_that_takes_nothing(redirection: str, unbuffered: str) -> None:
    many(1)
    command = f"exec {sys.executable} -m raylint . {redirection}"
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    child = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False, env=environment)
    assert child.returncode == 2
    assert child.stderr in (
        "raylint: cannot write to the standard output: no space left on device\n",
        "raylint: the standard output is closed\n",
    )


def test_a_standard_error_that_takes_nothing() -> None:
    for redirection in ("2>/dev/full", "2>&-"):
        command = f"exec {sys.executable} -m raylint missing.yaml {redirection}"
        assert subprocess.run(["sh", "-c", command], capture_output=True, check=False).returncode == 2


def eventually(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.02)


def waits_for_input(process: int) -> bool:
    """Has the process gone to sleep in a read of a pipe? Not every kernel tells in what."""
    waits_in = Path(f"/proc/{process}/wchan").read_text()
    asleep = "(sleeping)" in Path(f"/proc/{process}/status").read_text()
    return "pipe" in waits_in or (waits_in == "0" and asleep)


def children(process: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


class Stuck:
    """raylint as two processes, each of which waits for a pipe until ``let_go``."""

    def __init__(self) -> None:
        pipes = [os.pipe(), os.pipe()]
        for receive, _ in pipes:
            os.set_inheritable(receive, True)
        names = [f"/dev/fd/{receive}" for receive, _ in pipes]
        self.child = spawn("-j", "2", "fine.yaml", *names, shares=True)
        for receive, _ in pipes:
            os.close(receive)
        self._held = [send for _, send in pipes]

    def workers(self) -> list[int]:
        """The other process, as soon as it waits."""
        eventually(lambda: any(map(waits_for_input, children(self.child.pid))))
        return children(self.child.pid)

    def let_go(self) -> None:
        while self._held:
            os.close(self._held.pop())


@pytest.fixture
def stuck() -> Iterator[Stuck]:
    write("fine")
    held = Stuck()
    yield held
    held.let_go()
    held.child.kill()
    held.child.communicate()


def test_ctrl_c_is_quiet_and_leaves_nobody_behind(stuck: Stuck) -> None:
    workers = stuck.workers()
    stuck.child.send_signal(signal.SIGINT)
    result = finish(stuck.child)
    assert (result.code, result.out, result.err) == (130, "", "")
    assert len(workers) == 1
    assert not any(Path(f"/proc/{worker}").exists() for worker in workers)


def is_alive(process: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_workers_end_with_their_parent(stuck: Stuck, number: signal.Signals) -> None:
    workers = stuck.workers()
    stuck.child.send_signal(number)
    assert stuck.child.wait(timeout=60) == -number
    eventually(lambda: not any(map(is_alive, workers)))


def test_fewer_pipes_than_processes() -> None:
    many(200)
    expected = finish(spawn("."))
    for limit in (9, 14, 40):
        command = f'ulimit -n {limit}; exec {sys.executable} -c "$0" . -j 100'
        child = subprocess.run(["sh", "-c", command, SHARING], capture_output=True, text=True, check=False)
        assert (child.returncode, child.stderr) == (0, "")
        assert child.stdout == expected.out


def test_ctrl_c_while_waiting_for_input() -> None:
    with spawn("-", stdin=subprocess.PIPE) as child:
        eventually(lambda: waits_for_input(child.pid))
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=60) == 130
        assert child.stdout is not None
        assert child.stderr is not None
        assert (child.stdout.read(), child.stderr.read()) == (b"", b"")


def test_a_killed_worker_ends_the_run(stuck: Stuck) -> None:
    for worker in stuck.workers():
        os.kill(worker, signal.SIGKILL)
    stuck.let_go()
    result = finish(stuck.child)
    assert (result.code, result.out) == (4, "")
    assert result.err == "raylint: a worker process was killed by signal 9; try fewer processes, or -j 1\n"


@pytest.fixture
def no_search_for_cycles() -> Iterator[None]:
    before = gc.get_threshold()
    gc.disable()
    yield
    gc.enable()
    gc.unfreeze()
    gc.set_threshold(*before)


@pytest.mark.usefixtures("no_search_for_cycles")
@pytest.mark.parametrize("command", [["check"], ["effective"], ["baseline", "write"]])
def test_cycles_are_looked_for_where_files_are_read(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text("apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: a}\n")
    main([*command, "a.yaml"])
    assert gc.isenabled()
    assert gc.get_threshold()[0] > 700
