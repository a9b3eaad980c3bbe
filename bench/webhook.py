"""The webhook under load: ``python -m bench.webhook [--quick]``.

A server of its own on 127.0.0.1, kept on one core, and the client on the other; over TLS, with connections that
stay open, as an API server's do. Every answer is checked. Each figure is the median of five runs, and bounded in
time.

A machine that others use makes waiting times longer and rates lower than they are; what the server itself takes is
its CPU time per review, which is told beside them.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "webhook"))

from api_server import ApiServer, CallError, Connection, decided, request
from reviews import container, create, update
from server_process import ServerProcess, serving

MIB = 1 << 20
RATE = 50
_TICKS = os.sysconf("SC_CLK_TCK")


def pod(name: str, mark: str) -> dict[str, Any]:
    environment = [{"name": f"SETTING_{number}", "value": mark} for number in range(6)]
    return {"spec": {"containers": [container(name, env=environment)]}}


def sized(kilobytes: float, mark: str = "") -> dict[str, Any]:
    """A RayCluster that no rule refuses, of this size as JSON, as `kubectl apply` makes it: the second half is an
    annotation with what was applied. It has as many worker groups as there is room for (5 kB: 2; 20 kB: 12)."""
    mark = f"a setting of the group {mark}"
    groups: list[dict[str, Any]] = []
    found: dict[str, Any] = {
        "apiVersion": "ray.io/v1",
        "kind": "RayCluster",
        "metadata": {"name": "load", "namespace": "ml"},
        "spec": {
            "rayVersion": "2.46.0",
            "headGroupSpec": {"rayStartParams": {}, "template": pod("ray-head", mark)},
            "workerGroupSpecs": groups,
        },
    }
    while len(json.dumps(found)) < kilobytes * 450 - 700:
        group = {"groupName": f"group-{len(groups)}", "replicas": 1, "minReplicas": 1, "maxReplicas": 4}
        groups.append({**group, "rayStartParams": {}, "template": pod("ray-worker", mark)})
    found["metadata"]["annotations"] = {"kubectl.kubernetes.io/last-applied-configuration": json.dumps(found)}
    return found


def bodies(kilobytes: float, *, updates: bool = False, warned: bool = False) -> list[bytes]:
    """Reviews with an object of this size, or with two of half of it; 16 that differ. ``warned``: the objects have
    a warning, for which an update has its old object judged as well."""
    made = []
    for number in range(16):
        found = sized(kilobytes / 2 if updates else kilobytes, str(number))
        if warned:
            del found["spec"]["headGroupSpec"]["template"]["spec"]["containers"][0]["resources"]
        if updates:
            old = copy.deepcopy(found)
            old["spec"]["workerGroupSpecs"][-1]["template"]["spec"]["containers"][0]["image"] += "-py311"
            review = update(old, found)
        else:
            review = create(found)
        review["request"]["uid"] = f"load-{number}"
        made.append(json.dumps(review).encode())
    return made


class Client:
    """A few connections that stay open."""

    def __init__(self, server: ServerProcess, connections: int) -> None:
        self._maker = ApiServer(server.port, server.authority.certificate)
        self.connections = [self._maker.connect() for _ in range(connections)]

    def close(self) -> None:
        for connection in self.connections:
            connection.close()


def checked(connection: Connection, number: int) -> None:
    reply = connection.reply()
    if reply.status != 200:
        raise CallError(f"status {reply.status}")
    decided(f"load-{number}", reply.body)


def cpu(server: ServerProcess) -> float:
    """Seconds of CPU that the server has taken."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def peak(server: ServerProcess) -> float:
    """The largest resident size so far, in MiB."""
    lines = Path(f"/proc/{server.process.pid}/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmHWM"))) / 1024


def steady(server: ServerProcess, made: list[bytes], seconds: float) -> tuple[float, float, float]:
    """50 requests a second, each from the moment at which it was due: p50 and p99 in ms, CPU per review in ms."""
    client = Client(server, 8)
    requests = [request(body) for body in made]
    free = list(client.connections)
    lock = threading.Lock()
    times: list[float] = []
    began = time.perf_counter() + 0.1
    before = cpu(server)

    def ask(number: int) -> None:
        due = began + number / RATE
        time.sleep(max(0.0, due - time.perf_counter()))
        with lock:
            connection = free.pop()
        connection.send(requests[number % 16])
        checked(connection, number % 16)
        took = time.perf_counter() - due
        with lock:
            times.append(took * 1000)
            free.append(connection)

    count = int(seconds * RATE)
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(ask, range(count)))
    client.close()
    centiles = statistics.quantiles(times, n=100)
    return centiles[49], centiles[98], (cpu(server) - before) * 1000 / count


def closed_loop(server: ServerProcess, made: list[bytes], seconds: float) -> tuple[float, float]:
    """As many as it answers, eight at a time: reviews a second, CPU per review in ms."""
    client = Client(server, 8)
    requests = [request(body) for body in made]
    before, began, count = cpu(server), time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        for number, connection in enumerate(client.connections):
            connection.send(requests[number])
        for number, connection in enumerate(client.connections):
            checked(connection, number)
        count += len(client.connections)
    took = time.perf_counter() - began
    client.close()
    return count / took, (cpu(server) - before) * 1000 / count


def hostile(server: ServerProcess) -> Counter[int]:
    """16 bodies of 4 MiB at a time, of the kinds that take most memory: the statuses."""
    kinds = [b"{}", b"[]", b'{"a":{}}', b"1"]
    heads = b'{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"x","object":{"spec":['
    made = [heads + b",".join([kind] * (4 * MIB // (len(kind) + 1) - 60)) + b"]}}}" for kind in kinds]
    client = Client(server, 16)

    def ask(number: int) -> int:
        connection = client.connections[number]
        connection.send(request(made[number % len(made)]))
        return connection.reply(60).status

    with ThreadPoolExecutor(16) as threads:
        statuses = Counter(threads.map(ask, range(16)))
    client.close()
    return statuses


def overload(server: ServerProcess, body: bytes, seconds: float) -> tuple[Counter[int], float]:
    """More than may wait: the statuses, and the seconds after which a call is answered as if nothing had been."""
    client = Client(server, 300)
    data = request(body)
    statuses: Counter[int] = Counter()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for connection in client.connections:
            connection.send(data)
        statuses.update(connection.reply(60).status for connection in client.connections)
    client.close()
    calm = Client(server, 1)
    began = time.perf_counter()
    for _ in range(200):
        asked = time.perf_counter()
        calm.connections[0].send(data)
        status = calm.connections[0].reply(60).status
        if status == 200 and time.perf_counter() - asked < 0.05:
            break
    recovered = time.perf_counter() - began
    calm.close()
    return statuses, recovered


def start(folder: Path) -> tuple[float, float]:
    """Seconds until it is ready, and the resident MiB then."""
    began = time.perf_counter()
    with serving(folder) as server:
        while not server.readiness()["ready"]:
            time.sleep(0.01)
        return time.perf_counter() - began, server.memory() / MIB


def told(name: str, figures: str, bar: str, reached: bool) -> None:
    print(f"{name:<42} {figures:<66} bar {bar:<26} {'reached' if reached else 'MISSED'}", flush=True)


def median(runs: int, measure: Callable[[], tuple[float, ...]]) -> list[float]:
    return [statistics.median(values) for values in zip(*(measure() for _ in range(runs)), strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one short run of each")
    quick = parser.parse_args().quick
    runs, seconds = (1, 2.0) if quick else (5, 3.0)
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        parser.error("two cores are needed: one for the server, one for the client")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # A child takes over the cores of its parent.
        os.sched_setaffinity(0, {cores[0]})
        started = iter(range(100))
        ready, resident = median(runs, lambda: start(folder / f"start{next(started)}"))
        told(
            "start", f"ready in {ready:.2f} s, {resident:.0f} MiB", "2 s, 120 MiB", ready <= 2 and resident <= 120
        )
        with serving(folder / "load", "--log-level", "info") as server:
            os.sched_setaffinity(0, {cores[1]})
            measure(server, runs, seconds)
        os.sched_setaffinity(0, {cores[0]})
        with serving(folder / "hostile") as server:
            os.sched_setaffinity(0, {cores[1]})
            statuses = hostile(server)
            figures = f"peak {peak(server):.0f} MiB, answers {dict(statuses)}"
            told("16 hostile bodies of 4 MiB", figures, "400 MiB", peak(server) <= 400)
        os.sched_setaffinity(0, {cores[0]})
        with serving(folder / "overload") as server:
            os.sched_setaffinity(0, {cores[1]})
            statuses, recovered = overload(server, bodies(5)[0], seconds)
            figures = f"answers {dict(statuses)}, well again after {recovered:.2f} s"
            told("overload, 300 at a time", figures, "200 and 503 alone, 1 s",
                 set(statuses) <= {200, 503} and recovered <= 1)  # fmt: skip


def measure(server: ServerProcess, runs: int, seconds: float) -> None:
    for name, made, most in (
        ("50/s, CREATE 20 kB", bodies(20), (5, 20)),
        ("50/s, UPDATE 40 kB", bodies(40, updates=True), (8, 30)),
        ("50/s, UPDATE 40 kB that is warned of", bodies(40, updates=True, warned=True), (8, 30)),
    ):
        half, most_of_them, taken = median(runs, partial(steady, server, made, seconds))
        figures = f"p50 {half:.1f} ms, p99 {most_of_them:.1f} ms; {taken:.2f} ms CPU a review"
        told(name, figures, f"{most[0]} and {most[1]} ms", half <= most[0] and most_of_them <= most[1])
    made = bodies(5)
    rate, taken = median(runs, partial(closed_loop, server, made, seconds))
    figures = f"{rate:.0f} reviews/s; {taken:.2f} ms CPU a review, so {1000 / taken:.0f}/s of a whole core"
    told("closed loop, CREATE 5 kB", figures, "1,500/s", rate >= 1500)


if __name__ == "__main__":
    main()
