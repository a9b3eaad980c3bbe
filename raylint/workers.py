"""Work spread over this process and others forked from it: a pipe of tickets says who does what next, and the
answers keep their order.

``multiprocessing`` would do the same for 34 ms of imports.
"""

from __future__ import annotations

import _thread
import errno
import gc
import os
import pickle
import select
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    Task = TypeVar("Task")
    Answer = TypeVar("Answer")

__all__ = ["MOST_TASKS", "WorkerError", "can_fork", "cores", "spread"]

# All tickets are written before anybody reads one, so they have to fit into a pipe, which may be as small as one
# page (pipe(7): past the limit of pages for one user).
MOST_TASKS = 1000

_TICKET = 4
_HEADER = 8


class WorkerError(Exception):
    """A worker process failed or was killed; the first line of the text says how, the rest is its traceback."""


def can_fork() -> bool:
    return hasattr(os, "fork")


def cores() -> int:
    """The number of processor cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def spread(tasks: Sequence[Task], work: Callable[[Task], Answer], processes: int) -> list[Answer]:
    """The answers of ``work`` for each of at most :data:`MOST_TASKS` tasks, in the order of the tasks.

    This process is one of the ``processes``: its answers need not be sent. The others' must be picklable. Where
    the system has no pipes or processes left, there are fewer of them, in the end this one alone. WorkerError: one
    of the others failed; what ``work`` raises in this one is raised as it is. On any exception no process is left
    behind.
    """
    if len(tasks) > MOST_TASKS:
        raise ValueError(f"{len(tasks)} tasks are more than {MOST_TASKS}")
    workers: dict[int, int] = {}
    shared: list[int] = []
    try:
        if processes > 1 and _hire(workers, shared, tasks, work, processes - 1):
            return _work_along(workers, shared[0], tasks, work)
    finally:
        for descriptor in shared:
            os.close(descriptor)
        _end(workers)
    return [work(task) for task in tasks]


def _hire(
    workers: dict[int, int],
    shared: list[int],
    tasks: Sequence[Task],
    work: Callable[[Task], Answer],
    processes: int,
) -> bool:
    """Start so many workers, or as many as there can be: is there one? ``shared``: the pipes that they have in
    common, that of the tickets first."""
    # Ctrl-C between a fork and the note of its process id would leave that process behind.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    try:
        shared += os.pipe()
        tickets, hand_out = shared
        os.write(hand_out, b"".join(number.to_bytes(_TICKET, "big") for number in range(len(tasks))))
        os.close(shared.pop())
        # Nobody writes to this one: it is closed when the parent is gone, however that came about.
        shared += os.pipe()
        for _ in range(processes):
            _start(workers, tickets, (shared[1], shared[2]), tasks, work)
    except OSError as error:
        if error.errno not in (errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM):
            raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return bool(workers)


def _start(
    workers: dict[int, int],
    tickets: int,
    life: tuple[int, int],
    tasks: Sequence[Task],
    work: Callable[[Task], Answer],
) -> None:
    receive, send = os.pipe()
    try:
        process = os.fork()
    except OSError:
        os.close(receive)
        os.close(send)
        raise
    if process:
        os.close(send)
        workers[receive] = process
        return
    try:
        # While a worker holds these ends, neither it nor the others notice that the parent is gone.
        for descriptor in (receive, life[1], *workers):
            os.close(descriptor)
        _follow(life[0])
        _serve(tickets, send, tasks, work)
    finally:
        # Never back into the parent's code, whatever happened.
        os._exit(1)


def _follow(life: int) -> None:
    """End this process when the other end of the pipe is closed: a worker may be busy with one file for long, and
    a signal that ends the parent (SIGTERM, SIGHUP, SIGKILL) reaches the parent alone."""

    def wait() -> None:
        os.read(life, 1)
        os._exit(1)

    _thread.start_new_thread(wait, ())


def _serve(tickets: int, send: int, tasks: Sequence[Task], work: Callable[[Task], Answer]) -> None:
    """A worker's life. Ctrl-C is for the parent to judge: it ends its workers itself."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # To look for cycles among what the parent made would copy the memory that both share.
    gc.freeze()
    unsent = bytearray()
    try:
        # The parent may be busy with a task of its own when the pipe is full.
        os.set_blocking(send, False)
        while ticket := os.read(tickets, _TICKET):
            number = int.from_bytes(ticket, "big")
            unsent += _message((number, work(tasks[number])))
            _write(send, unsent)
        os.set_blocking(send, True)
        _write(send, unsent)
    except BrokenPipeError:
        return
    except BaseException as error:
        import traceback

        text = f"{type(error).__name__}: {error}".splitlines()[0] + "\n" + traceback.format_exc()
        os.set_blocking(send, True)
        _write(send, unsent + _message((-1, text)))
        return
    os._exit(0)


def _message(content: tuple[int, object]) -> bytes:
    pickled = pickle.dumps(content, pickle.HIGHEST_PROTOCOL)
    return len(pickled).to_bytes(_HEADER, "big") + pickled


def _write(descriptor: int, unsent: bytearray) -> None:
    """Send it; of a pipe that does not block, what there is room for. What is sent is no longer in ``unsent``."""
    try:
        while unsent:
            del unsent[: os.write(descriptor, unsent)]
    except BlockingIOError:
        return


def _work_along(
    workers: dict[int, int], tickets: int, tasks: Sequence[Task], work: Callable[[Task], Answer]
) -> list[Answer]:
    """Do what the others have not yet begun, and collect their answers."""
    answers: dict[int, Answer] = {}
    received = {descriptor: bytearray() for descriptor in workers}
    while ticket := os.read(tickets, _TICKET):
        number = int.from_bytes(ticket, "big")
        answers[number] = work(tasks[number])
        _collect(workers, received, answers, patience=0)
    while received:
        _collect(workers, received, answers, patience=None)
    if len(answers) != len(tasks):
        raise WorkerError("a worker process ended before its work was done")
    return [answers[number] for number in range(len(tasks))]


def _collect(
    workers: dict[int, int],
    received: dict[int, bytearray],
    answers: dict[int, Answer],
    patience: float | None,
) -> None:
    """Read what the workers have sent. ``received``: by open pipe, the part of an answer that is there already;
    ``patience``: seconds to wait for anything at all, None for as long as it takes."""
    for descriptor in select.select(list(received), [], [], patience)[0]:
        content = os.read(descriptor, 1 << 20)
        buffer = received[descriptor]
        buffer += content
        if not content:
            del received[descriptor]
            _reap(workers, descriptor)
        while len(buffer) >= _HEADER:
            end = _HEADER + int.from_bytes(buffer[:_HEADER], "big")
            if len(buffer) < end:
                break
            with memoryview(buffer) as view:
                number, answer = pickle.loads(view[_HEADER:end])
            if number < 0:
                raise WorkerError(answer)
            answers[number] = answer
            del buffer[:end]


def _reap(workers: dict[int, int], descriptor: int) -> None:
    """Wait for a worker that closed its pipe. WorkerError if it did not end well."""
    os.close(descriptor)
    status = os.waitstatus_to_exitcode(os.waitpid(workers.pop(descriptor), 0)[1])
    if status < 0:
        raise WorkerError(f"a worker process was killed by signal {-status}; try fewer processes, or -j 1")
    if status:
        raise WorkerError(f"a worker process ended with {status}")


def _end(workers: dict[int, int]) -> None:
    for descriptor, process in workers.items():
        os.close(descriptor)
        os.kill(process, signal.SIGKILL)
    for process in workers.values():
        os.waitpid(process, 0)
