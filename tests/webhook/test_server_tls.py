"""Certificates that change while the server serves, and clients that must show theirs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from api_server import ApiServer, CallError
from made_certificates import DAY, Authority, Pair
from reviews import cluster, create
from server_process import ServerProcess, eventually, serving

ROTATIONS = 10


@pytest.fixture
def own(tmp_path: Path) -> Iterator[ServerProcess]:
    with serving(tmp_path / "server") as process:
        yield process


def served(server: ServerProcess, authority: Authority | None = None) -> int:
    """The serial number of the certificate that a new connection sees."""
    client = ApiServer(server.port, (authority or server.authority).certificate)
    connection = client.connect()
    try:
        return connection.serial
    finally:
        connection.close()


def broken_pairs(server: ServerProcess) -> list[Callable[[], None]]:
    """Ways to leave files behind that cannot be served."""
    authority, volume = server.authority, server.volume
    return [
        lambda: volume.tear(certificate=authority.leaf().certificate),
        lambda: volume.tear(key=authority.leaf().key),
        lambda: volume.tear(certificate=b""),
        lambda: volume.tear(key=b"-----BEGIN PRIVATE KEY-----\nMIG"),
        lambda: volume.tear(certificate=authority.leaf().certificate[:300]),
        lambda: volume.put(Pair(authority.leaf().certificate, authority.leaf().key)),
        lambda: volume.put(authority.leaf(ends=-DAY, starts=-2 * DAY)),
        lambda: volume.put(authority.leaf(starts=DAY)),
        volume.certificate.unlink,
    ]


def test_a_new_pair_is_served_without_a_broken_handshake(own: ServerProcess) -> None:
    """Connections that stand go on; new ones get the old certificate or the new one, and never none."""
    steady = ApiServer(own.port, own.authority.certificate)
    assert steady.call(create(cluster())).allowed
    failures: list[str] = []
    done = threading.Event()

    def connect() -> str:
        try:
            ApiServer(own.port, own.authority.certificate).connect().close()
        except CallError as error:
            return str(error)
        return ""

    def connect_all_the_time() -> None:
        while not done.is_set():
            failures.extend(filter(None, [connect()]))

    thread = threading.Thread(target=connect_all_the_time)
    thread.start()
    try:
        for number in range(ROTATIONS):
            torn = number % 5 == 4
            if torn:
                before = own.metric("tls_reloads_total", result="failure")
                own.volume.tear(certificate=own.authority.leaf().certificate)
                eventually(lambda count=before: own.metric("tls_reloads_total", result="failure") > count)
            pair = own.authority.leaf()
            own.volume.put(pair)
            eventually(lambda serial=pair.serial: served(own) == serial, "the new certificate")
            assert steady.call(create(cluster())).allowed
    finally:
        done.set()
        thread.join()
    assert failures == []
    assert steady.connections_made == 1
    assert own.metric("tls_reloads_total", result="success") == ROTATIONS
    steady.close()


def test_what_cannot_be_served_leaves_the_old_pair(own: ServerProcess) -> None:
    serial = served(own)
    for number, leave in enumerate(broken_pairs(own)):
        before = own.metric("tls_reloads_total", result="failure")
        leave()
        eventually(
            lambda count=before: own.metric("tls_reloads_total", result="failure") > count, f"failure {number}"
        )
        assert served(own) == serial
        state = own.readiness()
        assert state["ready"] is True
        assert state["certificate_reload"] != "good"
        assert own.metric("tls_last_reload_successful") == 0
    pair = own.authority.leaf()
    own.volume.put(pair)
    own.volume.certificate.symlink_to(Path("..data") / "tls.crt")
    eventually(lambda: served(own) == pair.serial, "the new certificate")
    assert own.readiness()["certificate_reload"] == "good"
    assert own.metric("tls_last_reload_successful") == 1


def test_a_torn_pair_that_is_taken_back_is_forgotten(own: ServerProcess) -> None:
    pair = own.authority.leaf()
    own.volume.put(pair)
    eventually(lambda: served(own) == pair.serial)
    own.volume.tear(certificate=own.authority.leaf().certificate)
    eventually(lambda: own.readiness()["certificate_reload"] != "good")
    own.volume.put(pair)
    eventually(lambda: own.readiness()["certificate_reload"] == "good")
    assert served(own) == pair.serial


def test_a_pair_of_another_authority(own: ServerProcess) -> None:
    other = Authority("another CA")
    pair = other.leaf()
    own.volume.put(pair)
    eventually(lambda: own.metric("tls_reloads_total", result="success") == 1)
    assert served(own, other) == pair.serial
    with pytest.raises(CallError, match="CERTIFICATE_VERIFY_FAILED"):
        served(own)


def test_an_expired_certificate_makes_it_unready(tmp_path: Path) -> None:
    with serving(tmp_path / "server") as server:
        server.volume.put(server.authority.leaf(ends=timedelta(seconds=3)))
        eventually(lambda: server.metric("tls_reloads_total", result="success") == 1)
        eventually(lambda: server.health("/readyz")[0] == 503, "unreadiness")
        assert "expired" in str(server.readiness()["certificate"])
        assert server.health("/livez")[0] == 200


def test_a_certificate_that_is_too_early_is_served_when_its_day_comes(own: ServerProcess) -> None:
    pair = own.authority.leaf(starts=timedelta(seconds=3))
    own.volume.put(pair)
    eventually(lambda: own.metric("tls_reloads_total", result="failure") == 1)
    assert served(own) != pair.serial
    eventually(lambda: served(own) == pair.serial, "the new certificate")
    assert own.readiness()["certificate_reload"] == "good"


def test_a_certificate_for_another_name_is_not_taken(tmp_path: Path) -> None:
    with serving(tmp_path / "server", "--server-name", "raylint.raylint.svc") as server:
        serial = served(server)
        server.volume.put(server.authority.leaf("other.svc"))
        eventually(lambda: server.metric("tls_reloads_total", result="failure") == 1)
        assert "not for raylint.raylint.svc" in str(server.readiness()["certificate_reload"])
        assert served(server) == serial


def client_files(folder: Path, pair: Pair) -> tuple[Path, Path]:
    folder.mkdir()
    files = folder / "client.crt", folder / "client.key"
    files[0].write_bytes(pair.certificate)
    files[1].write_bytes(pair.key)
    return files


def test_clients_show_a_certificate_where_they_are_asked(tmp_path: Path) -> None:
    clients = Authority("clients")
    ca = tmp_path / "client-ca.crt"
    ca.write_bytes(clients.certificate)
    flags = ("--client-ca", str(ca), "--client-name", "kube-apiserver")
    with serving(tmp_path / "server", *flags) as server:

        def client(pair: Pair | None, name: str) -> ApiServer:
            files = client_files(tmp_path / name, pair) if pair else None
            return ApiServer(server.port, server.authority.certificate, client=files)

        good = client(clients.leaf("kube-apiserver"), "good")
        assert good.call(create(cluster())).allowed
        for bad in (
            client(None, "none"),
            client(clients.leaf("somebody"), "name"),
            client(Authority("clients").leaf("kube-apiserver"), "authority"),
            client(clients.leaf("kube-apiserver", starts=-2 * DAY, ends=-DAY), "expired"),
        ):
            result = bad.call(create(cluster()))
            assert (result.allowed, result.reason) == (False, "InternalError")
            bad.close()
        assert good.call(create(cluster())).allowed
        # The authority of the clients changes as well: the old one is not known any more.
        fresh = Authority("fresh clients")
        ca.write_bytes(fresh.certificate)
        eventually(lambda: server.metric("tls_reloads_total", result="success") == 1)
        newcomer = client(fresh.leaf("kube-apiserver"), "fresh")
        assert newcomer.call(create(cluster())).allowed
        good.close()
        assert not good.call(create(cluster())).allowed
        newcomer.close()
        good.close()
