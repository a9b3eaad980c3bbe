"""How the process starts, and how it goes: with good manners under load, and with a clear word where it cannot."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from api_server import ApiServer, CallError, Connection, request
from made_certificates import Authority
from reviews import cluster, create, update
from server_process import ServerProcess, eventually, serving

RAW = request(json.dumps(create(cluster())).encode())
TERMINATIONS = 2


def run(*words: str, without: str = "") -> subprocess.CompletedProcess[str]:
    """``raylint webhook`` with these words; ``without``: as if this module were not installed."""
    code = "import sys; from raylint.cli import main; sys.exit(main())"
    if without:
        code = f"import sys; sys.modules[{without!r}] = None; {code}"
    return subprocess.run(
        [sys.executable, "-c", code, "webhook", *words], capture_output=True, text=True, timeout=60, check=False
    )


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """The flags of a good pair."""
    pair = Authority().leaf()
    (tmp_path / "tls.crt").write_bytes(pair.certificate)
    (tmp_path / "tls.key").write_bytes(pair.key)
    return ["--tls-cert", str(tmp_path / "tls.crt"), "--tls-key", str(tmp_path / "tls.key")]


@pytest.mark.parametrize("module", ["fastapi", "uvicorn", "orjson", "prometheus_client", "cryptography"])
def test_without_the_extra_it_says_what_to_install(files: list[str], module: str) -> None:
    done = run("serve", *files, without=module)
    assert done.returncode == 2
    assert "pip install 'raylint[webhook]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "required: COMMAND"),
        (["sreve"], "invalid choice: 'sreve'"),
        (["serve"], "--tls-cert"),
        (["serve", "--tls-cert", "a", "--tls-key", "b", "--max-body", "8"], "--max-body is 1 to 7 MiB"),
        (["serve", "--tls-cert", "nowhere", "--tls-key", "nowhere"], "nowhere"),
    ],
)
def test_wrong_usage(words: list[str], message: str) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert message in done.stderr


def test_help() -> None:
    done = run("serve", "--help")
    assert done.returncode == 0
    assert "--shutdown-delay" in done.stdout


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("webhook: {mode: deny}\n", "mode is one of off, audit, warn, enforce"),
        ("nonsense: 1\n", "nonsense"),
        (None, "read"),
    ],
)
def test_without_a_good_configuration_it_does_not_start(
    files: list[str], tmp_path: Path, config: str | None, message: str
) -> None:
    path = tmp_path / "raylint.yaml"
    if config is not None:
        path.write_text(config)
    done = run("serve", *files, "--config", str(path), "--host", "127.0.0.1", "--port", "0", "--health-port", "0")
    assert done.returncode == 2
    assert message in done.stderr


def test_a_certificate_without_its_key(files: list[str]) -> None:
    Path(files[3]).write_bytes(Authority().leaf().key)
    done = run("serve", *files, "--port", "0", "--health-port", "0")
    assert done.returncode == 2
    assert "do not fit together" in done.stderr


def test_a_port_that_is_taken(files: list[str], server: ServerProcess) -> None:
    done = run("serve", *files, "--host", "127.0.0.1", "--port", str(server.port))
    assert done.returncode == 2
    assert f"cannot listen on 127.0.0.1 port {server.port}" in done.stderr


class Load:
    """Threads that call all the time, as API servers do, and take another server's place for new connections."""

    def __init__(self, server: ServerProcess, threads: int = 4) -> None:
        self.client = ApiServer(server.port, server.authority.certificate)
        self.failures: list[str] = []
        self.answered = 0
        self._done = threading.Event()
        self._threads = [threading.Thread(target=self._ask) for _ in range(threads)]
        for thread in self._threads:
            thread.start()

    def _ask(self) -> None:
        review = update(cluster(), cluster(labels={"a": "b"}))
        while not self._done.is_set():
            result = self.client.call(review)
            if result.allowed:
                self.answered += 1
            elif not self._done.is_set():
                self.failures.append(result.message)

    def stop(self) -> None:
        self._done.set()
        for thread in self._threads:
            thread.join()
        self.client.close()


@pytest.mark.parametrize("number", range(TERMINATIONS))
def test_a_termination_under_load_loses_nothing(tmp_path: Path, number: int) -> None:
    """While it drains every call is answered, and new connections too."""
    with serving(tmp_path / "server", "--shutdown-delay", "1") as server:
        load = Load(server)
        eventually(lambda: load.answered > 50)
        made = load.client.connections_made
        server.process.send_signal(signal.SIGTERM)
        eventually(lambda: server.health("/readyz")[0] == 503, "unreadiness")
        assert server.health("/livez")[0] == 200
        assert server.readiness()["draining"] is True
        answered = load.answered
        eventually(lambda: load.answered > answered + 20)
        # Each answer ends its connection, so that the next call may find another server.
        assert load.client.connections_made > made + 10
        # By now an endpoint is gone from the lists of the API servers.
        load.stop()
        assert load.failures == []
        assert server.process.wait(timeout=20) == 0
        assert server.logged("stopped")


def test_what_is_being_answered_at_the_end_is_answered(tmp_path: Path) -> None:
    with serving(tmp_path / "server", "--shutdown-delay", "0.2") as server:
        client = ApiServer(server.port, server.authority.certificate)
        idle, half = client.connect(), client.connect()
        half.send(RAW[:-1])
        server.process.send_signal(signal.SIGTERM)
        eventually(lambda: _refuses(server), "the end of listening")
        half.send(RAW[-1:])
        reply = half.reply()
        assert (reply.status, reply.headers["connection"]) == (200, "close")
        assert server.process.wait(timeout=20) == 0
        with pytest.raises(CallError):
            idle.reply(1)
        idle.close()
        half.close()


def _refuses(server: ServerProcess) -> bool:
    try:
        server.connect(1).close()
    except OSError:
        return True
    return False


def test_a_second_termination_ends_it_at_once(tmp_path: Path) -> None:
    with serving(tmp_path / "server", "--shutdown-delay", "600") as server:
        server.process.send_signal(signal.SIGTERM)
        eventually(lambda: server.readiness()["draining"] is True)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(timeout=20) == 0


def test_calls_at_the_end_of_a_connections_life(tmp_path: Path) -> None:
    """The client keeps idle connections for a shorter time than the server: none is closed under a call. Here the
    client waits for nearly as long as the server does, which is set to two seconds."""
    with serving(tmp_path / "server", "--keep-alive", "2") as server:
        client = ApiServer(server.port, server.authority.certificate)
        connections = [client.connect() for _ in range(12)]
        for number, connection in enumerate(connections):
            connection.send(RAW)
            assert connection.reply().status == 200
            connection.idle_since = time.monotonic() + number * 0.1
        for connection in connections:
            time.sleep(max(0.0, connection.idle_since + 0.4 - time.monotonic()))
            connection.send(RAW)
            assert connection.reply().status == 200
        # And it does close them in the end.
        eventually(lambda: all(_closed(connection) for connection in connections), "the end of them all")
        for connection in connections:
            connection.close()
        client.close()


def _closed(connection: Connection) -> bool:
    try:
        connection.reply(0.05)
    except CallError as error:
        return "EOF" in str(error)
    return False
