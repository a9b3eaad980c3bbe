"""How the server runs; what it decides stands in the configuration file."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Settings"]

MIB = 1 << 20


@dataclass(frozen=True)
class Settings:
    """Times in seconds, sizes in bytes. ``port`` 0: any that is free."""

    certificate: str
    key: str
    host: str = "0.0.0.0"
    port: int = 8443
    health_host: str = "0.0.0.0"
    health_port: int = 8081
    path: str = "/validate"
    # The configuration file; empty: the defaults.
    config: str = ""
    tls_minimum: str = "1.3"
    # Names of which the certificate must hold one; none: any will do.
    server_names: tuple[str, ...] = ()
    # PEM file of the CAs that sign the API server's client certificate; empty: none is asked for.
    client_ca: str = ""
    # Common names or DNS names of which the client's certificate must hold one; none: any will do.
    client_names: tuple[str, ...] = ()
    # Between two looks at the files: kubelet swaps a Secret without a sign that could be waited for.
    poll: float = 5.0
    # A handshake, and a request from its first byte to its last.
    receive_timeout: float = 10.0
    # An answer that the client does not take.
    answer_timeout: float = 30.0
    # Above the 90 s for which an API server keeps an idle connection: it must be the one that closes.
    keep_alive: float = 120.0
    evaluation_timeout: float = 2.0
    # Calls still arrive for so long after a pod is told to go.
    shutdown_delay: float = 10.0
    drain_timeout: float = 5.0
    # Two objects of 1.5 MiB, the most that etcd takes, and their envelope.
    max_body: int = 4 * MIB
    # Bodies that are being read, together.
    max_buffered: int = 64 * MIB
    # Whole requests that wait for their answer; above it the API server is told to come again.
    max_waiting: int = 128
    max_connections: int = 1000
    max_headers: int = 64 * 1024
    # The API server writes no key twice. To look for it takes as long as the parsing.
    refuse_duplicate_keys: bool = False
    log_level: str = "info"
