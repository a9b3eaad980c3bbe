"""The long form of the webhook's fault tests, run by hand: ``python -m bench.webhook_faults [NAME ...]``.

Each run starts a server of its own and prints one line; the exit code is 1 where something was lost that must not.
The short forms stand in ``tests/webhook``, whose stand-in for an API server is used here as well.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "webhook"))

from api_server import ApiServer, CallError, decided, request
from fuzzed import SEED, bodies
from reviews import cluster, create, update
from server_process import ServerProcess, eventually, serving

SLOW, ROTATIONS, RELOADS, TERMINATIONS, FUZZED = 500, 50, 50, 20, 100_000
BODY = request(json.dumps(create(cluster())).encode())


class Traffic:
    """Calls all the time from some threads; ``failures`` are those that no verdict answered."""

    def __init__(self, server: ServerProcess, threads: int = 4) -> None:
        self.client = ApiServer(server.port, server.authority.certificate)
        self.failures: list[str] = []
        self.answered = 0
        self._done = threading.Event()
        self._threads = [threading.Thread(target=self._ask) for _ in range(threads)]
        for thread in self._threads:
            thread.start()

    def _ask(self) -> None:
        review = update(cluster(), cluster(annotations={"ray.io/a": "b"}))
        while not self._done.is_set():
            result = self.client.call(review)
            self.answered += result.allowed
            if not result.allowed:
                self.failures.append(result.message)

    def stop(self) -> None:
        self._done.set()
        for thread in self._threads:
            thread.join()
        self.client.close()


def slow_clients(folder: Path) -> tuple[str, bool]:
    """500 clients that send a byte now and then, beside one that behaves."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    with serving(folder / "server") as server:
        client = ApiServer(server.port, server.authority.certificate)
        before = server.memory()
        with ThreadPoolExecutor(32) as threads:
            slow = list(threads.map(lambda _: client.connect(), range(SLOW)))
        began = time.monotonic()
        answered, longest, at = 0, 0.0, 0
        while time.monotonic() - began < 13:
            for connection in slow:
                connection.send_until_cut(iter([BODY[at : at + 1]]))
            at += 1
            asked = time.monotonic()
            answered += client.call(create(cluster())).allowed
            longest = max(longest, time.monotonic() - asked)
            time.sleep(0.2)
        eventually(lambda: server.metric("connections") <= 2, "the end of the slow ones")
        grown = (server.memory() - before) >> 20
        cut = int(server.metric("connection_timeouts_total", phase="receive"))
        for connection in slow:
            connection.close()
        client.close()
        text = f"{cut} of {SLOW} cut, {answered} other calls answered, the slowest in {longest * 1000:.0f} ms"
        return f"{text}, memory + {grown} MiB", cut == SLOW and answered > 20


def rotations(folder: Path) -> tuple[str, bool]:
    """50 certificates, every fifth torn first, under traffic and new handshakes all the time."""
    with serving(folder / "server") as server:
        traffic = Traffic(server)
        handshakes: Counter[str] = Counter()
        done = threading.Event()

        def shake() -> str:
            try:
                ApiServer(server.port, server.authority.certificate).connect().close()
            except CallError as error:
                return str(error)
            return "good"

        def shake_all_the_time() -> None:
            while not done.is_set():
                handshakes[shake()] += 1

        thread = threading.Thread(target=shake_all_the_time)
        thread.start()
        for number in range(ROTATIONS):
            if number % 5 == 4:
                failed = server.metric("tls_reloads_total", result="failure")
                server.volume.tear(certificate=server.authority.leaf().certificate)
                eventually(lambda count=failed: server.metric("tls_reloads_total", result="failure") > count)
            loaded = server.metric("tls_reloads_total", result="success")
            server.volume.put(server.authority.leaf())
            eventually(lambda count=loaded: server.metric("tls_reloads_total", result="success") > count)
        done.set()
        thread.join()
        traffic.stop()
        good, broken = handshakes.pop("good"), sum(handshakes.values())
        text = (
            f"{ROTATIONS} rotations, {ROTATIONS // 5} torn: {good} handshakes, {broken} failed;"
            f" {traffic.answered} calls, {len(traffic.failures)} failed"
        )
        return text, not (broken or traffic.failures)


def reloads(folder: Path) -> tuple[str, bool]:
    """50 configurations, every fifth broken first, under traffic."""
    with serving(folder / "server", config="webhook: {mode: enforce}\n") as server:
        traffic = Traffic(server)
        for number in range(RELOADS):
            if number % 5 == 4:
                failed = server.metric("config_reloads_total", result="failure")
                server.config.write_text(f"webhook: {{mode: broken{number}}}\n")
                eventually(lambda count=failed: server.metric("config_reloads_total", result="failure") > count)
            loaded = server.metric("config_reloads_total", result="success")
            server.config.write_text(f"webhook: {{mode: enforce}} # {number}\n")
            eventually(lambda count=loaded: server.metric("config_reloads_total", result="success") > count)
        traffic.stop()
        text = (
            f"{RELOADS} reloads, {RELOADS // 5} broken: {traffic.answered} calls, {len(traffic.failures)} failed"
        )
        return text, not traffic.failures


def terminations(folder: Path) -> tuple[str, bool]:
    """20 servers that are told to go under traffic, which ends before their listeners do."""
    answered, codes, failures = 0, Counter[int](), []
    for number in range(TERMINATIONS):
        with serving(folder / str(number), "--shutdown-delay", "1") as server:
            traffic = Traffic(server)
            eventually(lambda now=traffic: now.answered > 30)
            server.process.send_signal(signal.SIGTERM)
            time.sleep(0.7)
            traffic.stop()
            codes[server.process.wait(timeout=30)] += 1
            answered += traffic.answered
            failures += traffic.failures
    text = f"{TERMINATIONS} terminations: {answered} calls, {len(failures)} failed, exit codes {dict(codes)}"
    return text, not failures and set(codes) == {0}


def fuzzing(folder: Path) -> tuple[str, bool]:
    """100,000 reviews made of captured ones, of which each has some values of other types, or broken bytes."""
    count = int(sys.argv[2]) if len(sys.argv) > 2 and sys.argv[2].isdecimal() else FUZZED
    statuses: Counter[int] = Counter()
    bad: list[str] = []
    with serving(folder / "server") as server:
        client = ApiServer(server.port, server.authority.certificate)
        for number, body in enumerate(bodies(count)):
            try:
                reply = client.post(body, 10)
            except CallError as error:
                bad.append(f"{number}: {error}")
                continue
            statuses[reply.status] += 1
            if reply.status == 200:
                uid = json.loads(reply.body)["response"]["uid"]
                decided(uid, reply.body)
            elif reply.status not in (400, 413, 415):
                bad.append(f"{number}: {reply.status} {reply.body!r}")
        failed = Counter(" in ".join(line["error"][-2:]) for line in server.logged("a rule failed"))
        client.close()
    text = f"{count} reviews (seed {SEED}): {dict(sorted(statuses.items()))}, {len(bad)} unexpected"
    return f"{text}, failures of rules: {dict(failed)} {bad[:3]}", not bad and not failed


RUNS: dict[str, Callable[[Path], tuple[str, bool]]] = {
    run.__name__.replace("_", "-"): run for run in (slow_clients, rotations, reloads, terminations, fuzzing)
}


def main() -> int:
    wanted = [name for name in sys.argv[1:] if not name.isdecimal()] or list(RUNS)
    good = True
    for name in wanted:
        with tempfile.TemporaryDirectory() as folder:
            text, passed = RUNS[name](Path(folder))
        print(f"{name}: {text}{'' if passed else '  FAILED'}", flush=True)
        good = good and passed
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
