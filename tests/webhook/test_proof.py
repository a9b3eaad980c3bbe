"""The server's proof that it can be reached: good, another certificate, nobody there."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from api_server import ApiServer
from made_certificates import Authority, SecretVolume
from reviews import cluster, create
from server_process import ServerProcess, eventually

from raylint_webhook.certificates import Certificates
from raylint_webhook.metrics import Metrics
from raylint_webhook.proof import Proof
from raylint_webhook.protocol import Load
from raylint_webhook.settings import Settings

OTHER = "its own port shows another certificate than the one that was loaded"


class Served:
    """Certificates that were loaded, and a port of which it is up to the test what it shows."""

    def __init__(self, folder: Path) -> None:
        self.authority = Authority()
        self.volume = SecretVolume(folder / "tls", self.authority.leaf())
        settings = Settings(str(self.volume.certificate), str(self.volume.key))
        metrics = Metrics()
        self.certificates = Certificates(settings, metrics)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.proof = Proof(self.certificates, Load(settings, metrics), self.listener)

    @property
    def context(self) -> ssl.SSLContext:
        """That of a server with the files as they are now."""
        found = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        found.load_cert_chain(self.volume.certificate, self.volume.key)
        return found

    async def tried(self, context: ssl.SSLContext | None, times: int = 1) -> str:
        """The fault after so many trials at a port with this context; without one every connection is closed."""

        def met(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            if context is None:
                writer.close()

        async with await asyncio.start_server(met, sock=self.listener.dup(), ssl=context):
            for _ in range(times):
                await self.proof.renew()
        fault: str = self.proof.fault
        return fault


@contextmanager
def served(folder: Path) -> Iterator[Served]:
    folder.mkdir(exist_ok=True)
    found = Served(folder)
    with found.listener:
        yield found


def test_it_holds_when_the_loaded_certificate_is_shown(tmp_path: Path) -> None:
    with served(tmp_path) as port:
        assert port.proof.fault == "no connection has been made yet"
        assert asyncio.run(port.tried(port.certificates.listening)) == ""


def test_another_certificate_is_told_of_at_once(tmp_path: Path) -> None:
    with served(tmp_path / "own") as port, served(tmp_path / "other") as other:

        async def both() -> list[str]:
            listening = [port.certificates.listening, other.certificates.listening, port.certificates.listening]
            return [await port.tried(context) for context in listening]

        assert asyncio.run(both()) == ["", OTHER, ""]


def test_a_handshake_may_show_the_certificate_of_a_moment_ago(tmp_path: Path) -> None:
    with served(tmp_path) as port:
        before = port.context
        port.volume.put(port.authority.leaf())
        port.certificates.refresh()
        assert asyncio.run(port.tried(before)) == ""
        port.volume.put(port.authority.leaf())
        port.certificates.refresh()
        assert asyncio.run(port.tried(before)) == OTHER


def test_it_takes_three_failures_in_a_row(tmp_path: Path) -> None:
    with served(tmp_path) as port:

        async def faults() -> list[bool]:
            listening = port.certificates.listening
            plan = [(listening, 1), (None, 2), (listening, 1), (None, 2), (None, 1), (listening, 1)]
            return [bool(await port.tried(context, times)) for context, times in plan]

        assert asyncio.run(faults()) == [False, False, False, False, True, False]


def test_who_was_never_reached_is_not_ready(tmp_path: Path) -> None:
    with served(tmp_path) as port:
        assert asyncio.run(port.tried(None)).startswith("a connection to its own port fails: ")


def test_the_server_proves_itself_and_does_not_count_that(api_server: ApiServer, server: ServerProcess) -> None:
    before = server.metric("self_checks_total", result="success")
    eventually(lambda: server.metric("self_checks_total", result="success") > max(1, before))
    assert server.metric("self_checks_total", result="failure") == 0
    assert server.readiness()["connection"] == "good"
    assert server.readiness()["ready"] is True
    eventually(lambda: server.metric("connections") == 0)
    assert api_server.call(create(cluster())).allowed
    assert server.metric("connections") == 1
    assert server.metric("connection_timeouts_total", phase="idle") == 0
