"""Configurations that change while the server serves, the broken ones among them."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from api_server import ApiServer
from reviews import changed, cluster, create
from server_process import ServerProcess, eventually, faulty_pack, serving

RELOADS = 10
BAD = changed(
    cluster(), "spec", "workerGroupSpecs", 0, "template", "spec", "containers", 0, "image", to="repo/bad:1"
)
BROKEN = (
    "webhook: {mode: deny}\n",
    "webhook: {mode: [warn\n",
    "webhook: 7\n",
    "target: {kuberay: '9.9'}\n",
    "target: {crd: [nowhere.yaml]}\n",
    "unknown: 1\n",
    "\x00\xff",
    "extends: [nowhere.yaml]\n",
)


@pytest.fixture
def own(tmp_path: Path) -> Iterator[ServerProcess]:
    pack = [faulty_pack(tmp_path)]
    with serving(tmp_path / "server", config="webhook: {mode: enforce}\n", path=pack) as process:
        yield process


@pytest.fixture
def client(own: ServerProcess) -> Iterator[ApiServer]:
    made = ApiServer(own.port, own.authority.certificate)
    yield made
    made.close()


def test_a_new_configuration_takes_its_place_between_two_requests(own: ServerProcess, client: ApiServer) -> None:
    failures: list[str] = []
    done = threading.Event()

    def ask_all_the_time() -> None:
        steady = ApiServer(own.port, own.authority.certificate)
        while not done.is_set():
            result = steady.call(create(BAD))
            if result.reason == "InternalError":
                failures.append(result.message)
        steady.close()

    thread = threading.Thread(target=ask_all_the_time)
    thread.start()
    try:
        for number in range(RELOADS):
            if number % 5 == 4:
                before = own.metric("config_reloads_total", result="failure")
                own.config.write_text(BROKEN[number // 5])
                eventually(lambda count=before: own.metric("config_reloads_total", result="failure") > count)
            mode = "enforce" if number % 2 else "warn"
            own.config.write_text(f"webhook: {{mode: {mode}}}\n")
            eventually(lambda wanted=number % 2 == 0: client.call(create(BAD)).allowed == wanted)
    finally:
        done.set()
        thread.join()
    assert failures == []
    assert own.metric("config_reloads_total", result="success") == RELOADS
    assert own.metric("config_info", hash=str(own.readiness()["configuration"])) == 1


def test_a_broken_configuration_leaves_the_old_one(own: ServerProcess, client: ApiServer) -> None:
    before = own.readiness()
    loaded = own.metric("config_last_reload_success_timestamp_seconds")
    for number, text in enumerate(BROKEN, 1):
        own.config.write_bytes(text.encode("latin-1"))
        eventually(lambda count=number: own.metric("config_reloads_total", result="failure") == count, repr(text))
        state = own.readiness()
        assert (state["ready"], state["configuration"]) == (True, before["configuration"])
        assert state["configuration_reload"] != "good"
        assert not client.call(create(BAD)).allowed
        assert own.metric("config_last_reload_successful") == 0
    assert own.metric("config_last_reload_success_timestamp_seconds") == loaded
    lines = own.logged("configuration not loaded; the old one is in force")
    assert [line["level"] for line in lines] == ["error"] * len(BROKEN)
    own.config.write_text("webhook: {mode: audit}\n")
    eventually(lambda: client.call(create(BAD)).allowed)
    assert own.readiness()["configuration_reload"] == "good"
    assert own.metric("config_last_reload_successful") == 1


def test_a_broken_configuration_that_is_taken_back_is_forgotten(own: ServerProcess) -> None:
    good = own.config.read_bytes()
    own.config.write_text(BROKEN[0])
    eventually(lambda: own.readiness()["configuration_reload"] != "good")
    assert own.metric("config_last_reload_successful") == 0
    own.config.write_bytes(good)
    eventually(lambda: own.readiness()["configuration_reload"] == "good")
    assert own.metric("config_last_reload_successful") == 1


def test_what_enforce_would_refuse_is_counted(own: ServerProcess, client: ApiServer) -> None:
    own.config.write_text("webhook: {mode: warn}\n")
    eventually(lambda: client.call(create(BAD)).allowed)
    known = own.metric("would_deny_total", kind="RayCluster")
    assert known > 0
    assert client.call(create(BAD)).allowed
    assert own.metric("would_deny_total", kind="RayCluster") == known + 1


def test_a_configuration_that_goes_away_is_kept(own: ServerProcess, client: ApiServer) -> None:
    own.config.unlink()
    eventually(lambda: own.metric("config_reloads_total", result="failure") == 1)
    assert not client.call(create(BAD)).allowed


def test_a_hangup_signal_looks_at_once(tmp_path: Path) -> None:
    """Both with files that changed and with those that did not."""
    with serving(tmp_path / "server", "--poll", "600", config="webhook: {mode: enforce}\n") as server:
        server.config.write_text("webhook: {mode: audit}\n")
        # The look that a server takes when it has started may see the change as well.
        for _ in range(3):
            before = server.metric("config_reloads_total", result="success")
            os.kill(server.process.pid, signal.SIGHUP)
            eventually(lambda count=before: server.metric("config_reloads_total", result="success") > count)
        assert server.process.poll() is None


def test_what_the_configuration_extends_is_looked_at_as_well(tmp_path: Path) -> None:
    with serving(tmp_path / "server", config="webhook: {mode: enforce}\n") as server:
        base = server.config.with_name("base.yaml")
        base.write_text("webhook: {mode: audit}\n")
        server.config.write_text("extends: [./base.yaml]\n")
        eventually(lambda: server.metric("config_reloads_total", result="success") == 1)
        base.write_text("webhook: {mode: warn}\n")
        eventually(lambda: server.metric("config_reloads_total", result="success") == 2)
