"""Clients that are slow, silent or too many: each is bounded, and those that behave are answered meanwhile."""

from __future__ import annotations

import json
import select
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from api_server import ApiServer, CallError, Connection, request
from reviews import cluster, create
from server_process import ServerProcess, eventually, serving

REVIEW = json.dumps(create(cluster())).encode()
RAW = request(REVIEW)
SLOW = 50


def ended(connection: socket.socket) -> bool:
    """Has the server let go of it?"""
    readable, _, _ = select.select([connection], [], [], 0)
    if not readable:
        return False
    connection.setblocking(False)
    try:
        return connection.recv(4096) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


@pytest.mark.parametrize(
    "first",
    [b"P", b"POST /validate HTTP/1.1\r\nHost: a\r\n", RAW[:200], RAW[:-1], b"\r\n"],
    ids=["letter", "headers", "head", "body", "blank"],
)
def test_half_a_request_is_cut(api_server: ApiServer, server: ServerProcess, first: bytes) -> None:
    before = server.metric("connection_timeouts_total", phase="receive")
    connection = api_server.connect()
    connection.send(first)
    with pytest.raises(CallError):
        connection.reply(10)
    connection.close()
    assert server.metric("connection_timeouts_total", phase="receive") == before + 1


def test_a_byte_now_and_then_does_not_prolong_it(api_server: ApiServer) -> None:
    connection = api_server.connect()
    began = time.monotonic()
    assert connection.send_until_cut(_now_and_then(RAW), 20)
    # Neither at once nor never; how long a busy machine takes is nobody's business.
    assert time.monotonic() - began > 0.9
    connection.close()


def _now_and_then(data: bytes) -> Iterator[bytes]:
    for at in range(len(data)):
        yield data[at : at + 1]
        time.sleep(0.05)


def test_time_in_which_nobody_listened_does_not_count(api_server: ApiServer) -> None:
    """A request arrives in pieces while others keep the server busy for longer than it may take to arrive."""
    connection = api_server.connect()
    connection.send(RAW[:-1])
    for _ in range(3):
        assert not api_server.call(create(cluster(annotations={"ray.io/fail": "hang"}))).allowed
    connection.send(RAW[-1:])
    assert connection.reply().status == 200
    connection.close()


def test_a_handshake_that_does_not_come_is_cut(server: ServerProcess) -> None:
    silent, begun = server.connect(), server.connect()
    begun.sendall(b"\x16\x03\x01\x02\x00\x01")
    eventually(lambda: ended(silent) and ended(begun), "the end of both")
    silent.close()
    begun.close()


def test_a_connection_in_reserve_is_kept(api_server: ApiServer, server: ServerProcess) -> None:
    """A client's pool holds connections that it has not used yet, and uses them later."""
    connection = api_server.connect()
    used = api_server.connect()
    used.send(RAW)
    assert used.reply().status == 200
    # Longer than a request may take to arrive.
    time.sleep(1.5)
    for held in (connection, used):
        held.send(RAW)
        assert held.reply().status == 200
        held.close()


def test_many_slow_clients_leave_room_for_the_others(api_server: ApiServer, server: ServerProcess) -> None:
    slow = [api_server.connect() for _ in range(SLOW)]
    for number, connection in enumerate(slow):
        connection.send(RAW[: 10 + 20 * number])
    for _ in range(20):
        assert api_server.call(create(cluster())).allowed
    assert server.metric("requests_shed_total") == 0
    eventually(lambda: all(ended(connection.socket) for connection in slow), "the end of the slow ones")
    for connection in slow:
        connection.close()
    eventually(lambda: server.metric("connections") <= 2)


def test_who_has_brought_nothing_goes_first_when_it_is_crowded(tmp_path: Path) -> None:
    with serving(tmp_path / "server", "--max-connections", "20") as server:
        client = ApiServer(server.port, server.authority.certificate)
        assert client.call(create(cluster())).allowed
        held = [client.connect() for _ in range(40)]
        assert client.call(create(cluster())).allowed
        assert client.connections_made == 1
        # One that was just taken is counted before the one that goes for it is closed.
        eventually(lambda: server.metric("connections") <= 20)
        late = Connection(("127.0.0.1", server.port), client.context, 10)
        late.send(RAW)
        assert late.reply().status == 200
        for connection in (*held, late):
            connection.close()
        client.close()


def test_overload_is_told_of_and_passes(tmp_path: Path) -> None:
    """Answers are 200 or 503 with Retry-After: 1, and none of the latter once the load is gone."""
    with serving(tmp_path / "server", "--max-waiting", "2") as server:
        client = ApiServer(server.port, server.authority.certificate)
        connections = [client.connect() for _ in range(40)]
        seen: dict[int, int] = {}
        for _ in range(10):
            for connection in connections:
                connection.send(RAW)
            for connection in connections:
                reply = connection.reply(30)
                seen[reply.status] = seen.get(reply.status, 0) + 1
                if reply.status == 503:
                    assert reply.headers["retry-after"] == "1"
                    assert reply.headers.get("connection") != "close"
        assert set(seen) == {200, 503}
        assert server.metric("requests_shed_total") == seen[503]
        with ThreadPoolExecutor(16) as threads:
            results = list(threads.map(client.call, [create(cluster())] * 64))
        # Those that were told to come again came again.
        assert all(result.allowed for result in results)
        assert client.call(create(cluster())).calls == 1
        for connection in connections:
            connection.close()
        client.close()


def test_large_bodies_at_once_do_not_take_all_memory(tmp_path: Path) -> None:
    """Four of 4 MiB, of the kind that becomes the most objects."""
    body = b"[" + b"{}," * ((4 << 20) // 3 - 8) + b"{}]"
    with serving(tmp_path / "server") as server:
        client = ApiServer(server.port, server.authority.certificate)

        def send(_: int) -> int:
            connection = client.connect()
            connection.send(request(body))
            status = connection.reply(60).status
            connection.close()
            return status

        with ThreadPoolExecutor(16) as threads:
            assert set(threads.map(send, range(4))) <= {400, 503}
        assert client.call(create(cluster())).allowed
        peak = Path(f"/proc/{server.process.pid}/status").read_text()
        high = next(int(line.split()[1]) for line in peak.splitlines() if line.startswith("VmHWM"))
        assert high < 400 * 1024
        client.close()
