"""One server for all tests that leave it as they found it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from api_server import ApiServer
from server_process import ServerProcess, faulty_pack, serving

CONFIG = """\
webhook:
  rules: {ZZ101: enforce}
  operators: ["system:serviceaccount:kuberay-system:kuberay-operator"]
"""


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server with the built-in rules and the pack of ``marked_rules``, and short times."""
    folder = tmp_path_factory.mktemp("webhook")
    flags = (
        "--log-level",
        "debug",
        "--receive-timeout",
        "1",
        "--evaluation-timeout",
        "0.5",
        "--keep-alive",
        "100",
    )
    with serving(folder / "server", *flags, config=CONFIG, path=[faulty_pack(folder)]) as process:
        yield process


@pytest.fixture
def api_server(server: ServerProcess) -> Iterator[ApiServer]:
    client = ApiServer(server.port, server.authority.certificate)
    yield client
    client.close()
