"""A run over several files, in one process and in several."""

from __future__ import annotations

import errno
import gc
import os
import pickle
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest

import raylint.run
from raylint import workers
from raylint.finding import Severity
from raylint.manifest import KubeObject
from raylint.registry import Choice, choose
from raylint.report import Report, pieces, render, writer
from raylint.rule import Fact, Location, Problem, rule
from raylint.run import run
from raylint.selection import Selection
from raylint.source import Source
from raylint.target import Target
from raylint.workers import MOST_TASKS, WorkerError, spread

pytest_plugins = ["sharing"]

CLUSTER = "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata:\n  name: {name}\nspec: {{}}\n"


@rule("RAY901", Severity.WARNING)
def named_a(found: KubeObject) -> Iterator[Problem]:
    """A name that begins with `a` is remarkable."""
    if found.ref.name.startswith("a"):
        at = Location(found.document, (*found.path, "metadata", "name"))
        yield Problem(at, "the name begins with 'a'", effect="none", fix="rename it")


def names(found: KubeObject) -> Iterator[Fact]:
    at = Location(found.document, (*found.path, "metadata", "name"))
    yield Fact((found.ref.name,), at, found.ref.name)


@rule("RAY902", Severity.ERROR, gathers=names)
def name_taken(facts: list[Fact]) -> Iterator[Problem]:
    """Two objects must not have one name."""
    first: dict[tuple[str, ...], Fact] = {}
    for fact in facts:
        known = first.setdefault(fact.key, fact)
        if known is not fact:
            yield Problem(
                fact.at,
                f"the name '{fact.owner}' is taken",
                effect="one of the two is lost",
                fix="rename one",
                because=[(known.at, "first used here")],
            )


RULES = (named_a, name_taken)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def make_files(number: int) -> None:
    for index in range(number):
        folder = Path(f"d{index % 7}")
        folder.mkdir(exist_ok=True)
        text = CLUSTER.format(name=f"{'abc'[index % 3]}{index % 40}") if index % 4 else "kind: Service\n"
        (folder / f"f{index}.yaml").write_text(text)


def lint(*paths: str, processes: int = 1, choice: Choice | None = None) -> Report:
    choice = choice or choose(RULES)
    return run(choice, Target(), Selection(paths or ["."]), processes=processes)[0]


def test_coverage() -> None:
    Path("two.yaml").write_text(CLUSTER.format(name="b") + "---\nkind: Service\n---\n" + CLUSTER.format(name="c"))
    Path("none.yaml").write_text("kind: Service\n")
    Path("mention.yaml").write_text("# ray.io\nkind: Service\n")
    coverage = lint().coverage
    assert (coverage.files, coverage.ray_files, coverage.ray_objects) == (3, 1, 2)
    assert coverage.documents == 4


def test_findings_come_in_the_order_of_the_files() -> None:
    for name in ("z", "m", "b"):
        Path(f"{name}.yaml").write_text(CLUSTER.format(name="a1"))
    found = lint("z.yaml", "m.yaml", "b.yaml").findings
    assert [each.place.file for each in found if each.rule_id == "RAY901"] == ["b.yaml", "m.yaml", "z.yaml"]
    assert [each.sort_key for each in found] == sorted(each.sort_key for each in found)


def test_rules_over_the_whole_run_see_every_file() -> None:
    Path("1.yaml").write_text(CLUSTER.format(name="x"))
    Path("2.yaml").write_text(CLUSTER.format(name="x"))
    (taken,) = lint().findings
    assert (taken.rule_id, taken.place.file, taken.related[0].file) == ("RAY902", "2.yaml", "1.yaml")


asked: list[str] = []


def queues(found: KubeObject) -> Iterator[Fact]:
    asked.append(found.ref.name)
    yield Fact((found.kind,), Location(found.document, found.path), str(found.ref))


@rule("RAY903", Severity.WARNING, gathers=queues, context=("LocalQueue",))
def beside_a_queue(facts: list[Fact]) -> Iterator[Problem]:
    """Each cluster beside a queue, in the order of the facts."""
    for number, fact in enumerate(facts):
        yield Problem(fact.at, f"{fact.owner} is number {number} of {len(facts)}", effect="none", fix="none")


@pytest.mark.usefixtures("shares")
@pytest.mark.parametrize("processes", [1, 2])
def test_what_ray_objects_tell_is_gathered_beside_what_they_are_compared_with(processes: int) -> None:
    asked.clear()
    for folder in ("a", "b", "c"):
        Path(folder).mkdir()
        for name in ("first", "last"):
            Path(folder, f"{name}.yaml").write_text(CLUSTER.format(name=f"{folder}-{name}"))
    queue = "apiVersion: kueue.x-k8s.io/v1beta1\nkind: LocalQueue\nmetadata: {name: queue}\n"
    Path("b", "g.yaml").write_text(queue)
    found = lint(choice=choose((beside_a_queue,)), processes=processes).findings
    assert [finding.message for finding in found] == [
        "RayCluster b-first is number 0 of 3",
        "LocalQueue queue is number 1 of 3",
        "RayCluster b-last is number 2 of 3",
    ]
    if processes == 1:
        assert set(asked) == {"queue", "b-first", "b-last"}


def test_a_file_that_cannot_be_read_is_a_finding_and_the_others_are_checked() -> None:
    os.mkfifo("1.yaml")
    Path("2.yaml").write_text(CLUSTER.format(name="a"))
    first, second = lint().findings
    assert (first.rule_id, first.severity, first.place.file) == ("RL001", Severity.ERROR, "1.yaml")
    assert first.message == "the file cannot be read: it is a pipe"
    assert first.place.span is not None
    assert first.place.span.as_tuple() == (1, 1, 1, 1)
    assert second.rule_id == "RAY901"


def test_unreadable_files_can_be_given_another_severity_or_ignored() -> None:
    os.mkfifo("1.yaml")
    assert lint(choice=choose(RULES, severities={"RL001": "info"})).findings[0].severity is Severity.INFO
    assert lint(choice=choose(RULES, ignore=["RL001"])).findings == []


def test_what_was_passed_over() -> None:
    Path("1.yaml").write_text("kind: Service\n")
    Path("2.yaml").write_text("# ray.io\nkind: Service\n")
    Path("3.yaml").write_text(CLUSTER.format(name="b"))
    _, inspection = run(choose(()), Target(), Selection(["."]), verbose=True)
    passed_over = inspection.passed_over
    assert passed_over == [("1.yaml", "it does not mention ray.io"), ("2.yaml", "it holds no Ray object")]
    assert run(choose(()), Target(), Selection(["."]))[1].passed_over == []


@pytest.mark.usefixtures("shares")
@pytest.mark.parametrize("number", [0, 1, 2, 3, 120])
@pytest.mark.parametrize("processes", [2, 3])
def test_several_processes_give_the_same_report(number: int, processes: int) -> None:
    make_files(number)
    if number:
        os.mkfifo("d0/pipe.yaml")
    one, several = lint(), lint(processes=processes)
    assert number < 4 or len(one.findings) > 30
    for format in ("text", "json"):
        assert render(several, format) == render(one, format)


@pytest.mark.usefixtures("shares")
def test_without_fork_one_process_does_it_all(monkeypatch: pytest.MonkeyPatch) -> None:
    make_files(20)
    expected = render(lint(), "json")
    monkeypatch.delattr(os, "fork")
    assert render(lint(processes=4), "json") == expected


@pytest.mark.usefixtures("shares")
@pytest.mark.parametrize("format", ["text", "concise"])
@pytest.mark.parametrize("color", [True, False])
def test_several_processes_write_the_findings_as_the_report_does(format: str, color: bool) -> None:
    make_files(150)
    write = writer(format, color=color)
    report, inspection = run(choose(RULES), Target(), Selection(["."]), processes=3, write=write)
    written = inspection.written
    assert {finding.rule_id for finding in written} == {"RAY901"}
    # What shows over all files is written in the end, and so is what the first file gave.
    left = [finding for finding in report.findings if finding not in written]
    assert left
    assert {finding.rule_id for finding in left if finding.place.file != "d0/f0.yaml"} == {"RAY902"}
    text = "".join(pieces(report, format, color=color, written=written))
    assert text == "".join(pieces(report, format, color=color))
    marked = dict.fromkeys(written, "written")
    assert "".join(pieces(report, format, written=marked)).count("written\n") == len(written)


def test_reports_for_machines_are_written_as_a_whole() -> None:
    assert writer("json") is None
    make_files(9)
    assert run(choose(RULES), Target(), Selection(["."]), processes=2, write=None)[1].written == {}


@pytest.mark.parametrize(("number", "alone"), [(1, 1), (20, 20), (100, 3)])
def test_the_first_files_tell_whether_others_are_called_for(
    monkeypatch: pytest.MonkeyPatch, number: int, alone: int
) -> None:
    """At a hundredth of a second for each file, one of twenty files is done before a worker could help."""
    clock = iter([0, *range(number)])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock) / 100)
    sources = [Source(f"{index}.yaml", None) for index in range(number)]
    assert len(list(raylint.run._beginning(sources))) == alone


def test_large_files_are_shared_from_the_first_on(tmp_path: Path) -> None:
    large, small, missing = tmp_path / "large.yaml", tmp_path / "small.yaml", tmp_path / "missing.yaml"
    large.write_bytes(b"#" * 300_000)
    small.write_bytes(b"#")
    several = [Source(path.name, str(path)) for path in (small, missing, large, large)]
    assert list(raylint.run._beginning(several)) == several[:2]
    assert list(raylint.run._beginning(several[:3])) == several[:3]


@pytest.mark.parametrize("number", [0, 1, 7, 400, 9_999, 123_456])
@pytest.mark.parametrize("processes", [2, 64])
def test_tasks_become_small_and_are_not_too_many(number: int, processes: int) -> None:
    sources = [Source(f"{index}.yaml", None) for index in range(number)]
    tasks = raylint.run._tasks(sources, processes)
    assert [source for task in tasks for source in task] == sources
    assert len(tasks) <= MOST_TASKS
    sizes = [len(task) for task in tasks]
    assert sorted(sizes[:-1], reverse=True) == sizes[:-1]
    assert all(size * MOST_TASKS <= number + MOST_TASKS for size in sizes[-processes:])


def test_answers_keep_the_order_of_the_tasks() -> None:
    assert spread(range(MOST_TASKS), lambda task: task * 2, 3) == [task * 2 for task in range(MOST_TASKS)]
    assert spread([], lambda task: task, 0) == []


def test_an_answer_larger_than_a_pipe() -> None:
    assert spread([b"a", b"b"], lambda task: task * 3_000_000, 2) == [b"a" * 3_000_000, b"b" * 3_000_000]


def test_more_tasks_than_a_pipe_holds_are_refused() -> None:
    with pytest.raises(ValueError, match="1001 tasks are more than 1000"):
        spread(range(1001), lambda task: task, 2)


@pytest.mark.usefixtures("shares")
def test_many_files_still_make_few_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    make_files(60)
    expected = render(lint(), "json")
    monkeypatch.setattr(workers, "MOST_TASKS", 4)
    assert render(lint(processes=2), "json") == expected


def children() -> list[int]:
    path = Path(f"/proc/self/task/{os.getpid()}/children")
    return [int(process) for process in path.read_text().split()]


def is_over(process: int) -> bool:
    return "State:\tZ" in Path(f"/proc/{process}/status").read_text()


def leave_it_to_workers(act: Callable[[int], int]) -> Callable[[int], int]:
    """Work that a worker does, while this process is not done with its first task before the worker is gone."""
    before = children()
    here = os.getpid()

    def work(task: int) -> int:
        if os.getpid() != here:
            return act(task)
        while not all(is_over(child) for child in children() if child not in before):
            time.sleep(0.01)
        return task

    return work


def test_a_killed_worker_is_told_of_and_nobody_is_left_behind() -> None:
    def act(task: int) -> int:
        os.kill(os.getpid(), signal.SIGKILL)
        return task

    before = children()
    with pytest.raises(WorkerError) as caught:
        spread(range(50), leave_it_to_workers(act), 3)
    assert str(caught.value) == "a worker process was killed by signal 9; try fewer processes, or -j 1"
    assert children() == before


def test_a_failing_worker_hands_over_its_traceback() -> None:
    def act(task: int) -> int:
        return 1 // (task - task)

    before = children()
    with pytest.raises(WorkerError) as caught:
        spread(range(50), leave_it_to_workers(act), 2)
    headline, _, trace = str(caught.value).partition("\n")
    assert headline.startswith("ZeroDivisionError: ")
    assert "1 // (task - task)" in trace
    assert children() == before


def test_what_fails_in_this_process_is_raised_as_it_is_and_nobody_is_left_behind() -> None:
    here = os.getpid()

    def work(task: int) -> int:
        if os.getpid() == here:
            raise LookupError("here")
        time.sleep(60)
        return task

    before = children()
    with pytest.raises(LookupError, match="here"):
        spread(range(50), work, 3)
    assert children() == before


def test_a_worker_that_leaves_quietly_is_noticed() -> None:
    with pytest.raises(WorkerError, match="ended before its work was done"):
        spread([1, 2], leave_it_to_workers(lambda task: os._exit(0)), 2)


def test_a_worker_that_leaves_with_an_error_is_noticed() -> None:
    with pytest.raises(WorkerError, match="a worker process ended with 7"):
        spread([1, 2], leave_it_to_workers(lambda task: os._exit(7)), 2)


def test_a_worker_works_on_while_nobody_reads_what_it_sends() -> None:
    """The other process is busy, and an answer is larger than a pipe."""
    here = os.getpid()
    done, note = os.pipe()

    def work(task: int) -> bytes:
        if os.getpid() != here:
            os.write(note, b".")
        else:
            taken = 0
            while taken < 19:
                taken += len(os.read(done, 19))
        return bytes([task]) * 200_000

    # This process takes the first task or a later one, and the worker all the others meanwhile.
    answers = spread(range(20), work, 2)
    os.close(done)
    os.close(note)
    assert answers == [bytes([task]) * 200_000 for task in range(20)]


def test_a_full_pipe_takes_what_it_has_room_for() -> None:
    receive, send = os.pipe()
    os.set_blocking(send, False)
    unsent = bytearray(b"a" * 3_000_000)
    workers._write(send, unsent)
    os.close(send)
    with open(receive, "rb") as pipe:
        assert 0 < len(pipe.read()) == 3_000_000 - len(unsent)


@pytest.mark.parametrize("left", range(6))
def test_as_many_workers_as_there_are_pipes(monkeypatch: pytest.MonkeyPatch, left: int) -> None:
    made: list[int] = []

    def pipe(really: Callable[[], tuple[int, int]] = os.pipe) -> tuple[int, int]:
        if len(made) == left:
            raise OSError(errno.EMFILE, "Too many open files")
        made.append(1)
        return really()

    before = sorted(os.listdir("/proc/self/fd"))
    monkeypatch.setattr(os, "pipe", pipe)
    assert spread(range(20), lambda task: task * 2, 9) == list(range(0, 40, 2))
    assert sorted(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.EPERM])
def test_a_system_without_processes_left(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def refuse() -> NoReturn:
        raise OSError(number, os.strerror(number))

    before = sorted(os.listdir("/proc/self/fd"))
    monkeypatch.setattr(os, "fork", refuse)
    if number == errno.EAGAIN:
        assert spread([1, 2], lambda task: task, 2) == [1, 2]
    else:
        with pytest.raises(PermissionError):
            spread([1, 2], lambda task: task, 2)
    assert sorted(os.listdir("/proc/self/fd")) == before


def test_a_worker_follows_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[int] = []
    monkeypatch.setattr(os, "_exit", left.append)
    receive, send = os.pipe()
    workers._follow(receive)
    assert left == []
    os.close(send)
    while not left:
        time.sleep(0.01)
    os.close(receive)
    assert left == [1]


def test_no_pipe_is_left_open() -> None:
    before = sorted(os.listdir("/proc/self/fd"))
    spread(range(10), lambda task: task, 3)
    with pytest.raises((WorkerError, ZeroDivisionError)):
        spread(range(10), lambda task: 1 // task, 3)
    assert sorted(os.listdir("/proc/self/fd")) == before


def test_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    assert workers.cores() == len(os.sched_getaffinity(0))
    monkeypatch.delattr(os, "sched_getaffinity")
    assert workers.cores() == os.cpu_count()


def test_a_folder_that_cannot_be_listed_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", refuse)
    (found,) = lint(".").findings
    assert (found.rule_id, found.place.file) == ("RL001", ".")
    assert found.message == "the file cannot be read: permission denied"


class LeftError(Exception):
    """A worker's process came to its end."""


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Callable[[int], int]], list[object]]]:
    """Lead a worker's life, with one ticket, in the process of the test: what it sent, and its exit code."""
    before = signal.getsignal(signal.SIGINT)

    def leave(code: int) -> NoReturn:
        raise LeftError(code)

    def live(work: Callable[[int], int], *, deaf: bool = False) -> list[object]:
        tickets, hand_out = os.pipe()
        life = os.pipe()
        receive, send = os.pipe()
        answers = os.dup(receive)
        os.write(hand_out, (0).to_bytes(4, "big"))
        os.close(hand_out)
        if deaf:
            os.close(answers)
        told: list[object] = []
        monkeypatch.setattr(os, "fork", lambda: 0)
        monkeypatch.setattr(os, "_exit", leave)
        monkeypatch.setattr(os, "pipe", lambda: (receive, send))
        monkeypatch.setattr(workers, "_follow", os.close)
        with pytest.raises(LeftError) as left:
            workers._start({}, tickets, life, [20], work)
        # The innermost call of _exit is the one that would have ended the process.
        first = left.value
        while isinstance(first.__context__, LeftError):
            first = first.__context__
        told.append(first.args[0])
        os.close(send)
        os.close(tickets)
        if not deaf:
            with open(answers, "rb") as pipe:
                content = pipe.read()
            told.append(pickle.loads(content[8:]))
        return told

    yield live
    signal.signal(signal.SIGINT, before)
    gc.unfreeze()


def test_a_worker_answers_and_leaves(in_this_process: Callable[..., list[object]]) -> None:
    assert in_this_process(lambda task: task + 1) == [0, (0, 21)]
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_a_worker_tells_what_went_wrong(in_this_process: Callable[..., list[object]]) -> None:
    code, message = in_this_process(lambda task: task // 0)
    assert code == 1
    assert isinstance(message, tuple)
    assert message[0] == -1
    assert message[1].startswith("ZeroDivisionError: ")


def test_a_worker_without_a_parent_leaves(in_this_process: Callable[..., list[object]]) -> None:
    assert in_this_process(lambda task: task, deaf=True) == [1]
