"""The server as its clients find it: proved by being one.

That a certificate is loaded and a socket listens does not tell that a handshake ends with that certificate: the
process may have no file descriptor left, or its event loop may not turn. So the thread of the probes connects to
the webhook's own port, and looks at what it is shown.
"""

from __future__ import annotations

import asyncio
import socket
import ssl

from .certificates import Certificates
from .protocol import Load

__all__ = ["Proof"]

# Seconds between two trials, for which one may take, and so many in a row are needed to give the server up: a
# server that is busy is slow, and to take it out of service makes the others busier.
_EVERY = 5.0
_PATIENCE = 5.0
_MOST_FAILURES = 3


class Proof:
    """``fault`` says why the server is not what clients need; empty where it is."""

    def __init__(self, certificates: Certificates, load: Load, listener: socket.socket) -> None:
        self._certificates = certificates
        self._load = load
        self._listener = listener
        self._failures = 0
        # The listener may be closed by the time that it is asked.
        self._address = _reachable(listener)
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        # Not a chain is to be verified, but that it is the one that was loaded.
        self._context.check_hostname = False
        self._context.verify_mode = ssl.CERT_NONE
        self.fault = "no connection has been made yet"

    async def watch(self) -> None:
        """Try for ever; the beginning more often, so that nobody waits for a server that has just started."""
        while True:
            if not self._load.draining:
                await self.renew()
            await asyncio.sleep(_EVERY if not self.fault else _EVERY / 50)

    async def renew(self) -> None:
        """Try once, and remember what was found."""
        try:
            shown = await asyncio.wait_for(self._shown(), _PATIENCE)
        except (OSError, asyncio.TimeoutError, TimeoutError) as error:
            self._fail(f"a connection to its own port fails: {type(error).__name__}", _MOST_FAILURES)
            return
        if shown not in self._certificates.served:
            self._fail("its own port shows another certificate than the one that was loaded", 1)
            return
        self._failures, self.fault = 0, ""
        self._load.metrics.self_checks.labels("success").inc()

    def _fail(self, fault: str, most: int) -> None:
        self._failures += 1
        self._load.metrics.self_checks.labels("failure").inc()
        if self._failures >= most or self.fault:
            self.fault = fault

    async def _shown(self) -> bytes:
        """The certificate of one handshake."""
        plain = socket.socket(self._listener.family, socket.SOCK_STREAM)
        plain.setblocking(False)
        loop = asyncio.get_running_loop()
        try:
            # Told beforehand by which address the server knows it: it is not to be counted among clients.
            plain.bind((self._address[0], 0))
            self._load.own_client = plain.getsockname()[:2]
            await loop.sock_connect(plain, self._address)
            _, writer = await asyncio.open_connection(sock=plain, ssl=self._context, server_hostname="")
        except BaseException:
            plain.close()
            raise
        shown: bytes = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
        writer.transport.abort()
        return shown


def _reachable(listener: socket.socket) -> tuple[str, int]:
    """The address of this host under which the listener is reached."""
    host, port = listener.getsockname()[:2]
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host), port
