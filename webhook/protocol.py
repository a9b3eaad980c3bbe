"""HTTP/1.1 with an end to everything: uvicorn's protocol, which itself waits for ever for a request to arrive.

A connection is in one of three states, each with its own time: nothing has come yet (the client's pool may hold it
in reserve), a request is arriving, or it is being answered. Between requests uvicorn's keep-alive counts.
"""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .logs import flooding
from .metrics import Metrics
from .settings import Settings

__all__ = ["GuardedProtocol", "Load", "protocol_of"]

# How many times the time for a request may be extended at most, and the shortest extension that is worth a timer.
_MOST_EXTENDED = 2
_LEAST_EXTENDED = 0.01


class Load:
    """What this process has taken on."""

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        self.settings = settings
        self.metrics = metrics
        # Whole requests without an answer, and the bytes of bodies that are being read.
        self.waiting = 0
        self.buffered = 0
        self.draining = False
        # Seconds of evaluation, in which nothing is read from anybody.
        self.busy = 0.0
        # Connections by age. Those that have not brought a whole request yet are the first to go.
        self.unproven: dict[GuardedProtocol, None] = {}
        self.connections = 0
        # The address from which this process itself connects, to see whether it can be reached.
        self.own_client: tuple[str, int] | None = None
        metrics.in_flight.set_function(lambda: self.waiting)
        metrics.connections.set_function(lambda: self.connections)


class GuardedProtocol(HttpToolsProtocol):
    load: Load

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._timer: asyncio.TimerHandle | None = None
        self._phase = ""
        self._waiting = 0
        self._is_own = False
        self._busy_before = 0.0
        self._extended = 0.0
        self._in_headers = False
        self._header_bytes = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport = cast("asyncio.Transport", transport)
        super().connection_made(transport)
        load = self.load
        self._is_own = (transport.get_extra_info("peername") or ())[:2] == load.own_client
        if self._is_own:
            self._enter("idle", load.settings.keep_alive)
            return
        load.connections += 1
        load.unproven[self] = None
        if load.connections > load.settings.max_connections:
            next(iter(load.unproven))._cut("crowded")
        if not self._is_known(transport):
            load.metrics.clients_refused.labels("name").inc()
            transport.abort()
            return
        self._enter("idle", load.settings.keep_alive)

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()
        load = self.load
        load.unproven.pop(self, None)
        if not self._is_own:
            load.connections -= 1
        self._answered(self._waiting)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._phase in ("", "idle"):
            self._enter("receive", self.load.settings.receive_timeout)
        super().data_received(data)
        if self._in_headers:
            # The parser holds a header until its end.
            self._header_bytes += len(data)
            if self._header_bytes > self.load.settings.max_headers:
                self._cut("headers")

    def on_message_begin(self) -> None:
        self._in_headers = True
        self._header_bytes = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._in_headers = False
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        super().on_message_complete()
        if self.cycle.response_complete:
            # It was refused before it had arrived.
            self._enter("idle", self.load.settings.keep_alive)
            return
        self.load.unproven.pop(self, None)
        self._waiting += 1
        self.load.waiting += 1
        cast("dict[str, Any]", self.scope)["arrived"] = time.monotonic()
        self._enter("answer", self.load.settings.answer_timeout)

    def on_response_complete(self) -> None:
        # An answer may come before the request has arrived: its refusal.
        self._answered(min(1, self._waiting))
        self._leave()
        super().on_response_complete()

    def _answered(self, requests: int) -> None:
        self._waiting -= requests
        self.load.waiting -= requests

    def _is_known(self, transport: asyncio.Transport) -> bool:
        wanted = self.load.settings.client_names
        if not wanted:
            return True
        certificate = transport.get_extra_info("peercert") or {}
        names = {value for part in certificate.get("subject", ()) for key, value in part if key == "commonName"}
        names |= {value for key, value in certificate.get("subjectAltName", ()) if key == "DNS"}
        return not names.isdisjoint(wanted)

    def _enter(self, phase: str, seconds: float) -> None:
        self._leave()
        self._phase = phase
        self._busy_before = self.load.busy
        self._extended = 0.0
        self._timer = self.loop.call_later(seconds, self._time_is_over, phase)

    def _leave(self) -> None:
        self._phase = ""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _time_is_over(self, phase: str) -> None:
        """Cut the connection, unless it was we who did not listen: that time it gets on top, within bounds."""
        busy = self.load.busy - self._busy_before
        limit = _MOST_EXTENDED * self.load.settings.receive_timeout - self._extended
        extension = min(busy, limit)
        if phase == "receive" and extension > _LEAST_EXTENDED:
            self._busy_before = self.load.busy
            self._extended += extension
            self._timer = self.loop.call_later(extension, self._time_is_over, phase)
        else:
            self._cut(phase)

    def _cut(self, phase: str) -> None:
        """End the connection now: whoever is at its other end would not take a farewell either."""
        self._leave()
        self.load.unproven.pop(self, None)
        self.load.metrics.timeouts.labels(phase).inc()
        flooding(logging.INFO, "connection cut", phase, phase=phase)
        self.transport.abort()


def protocol_of(load: Load) -> type[GuardedProtocol]:
    """The protocol of one server: uvicorn makes its objects without asking anybody."""
    return type("Protocol", (GuardedProtocol,), {"load": load})
