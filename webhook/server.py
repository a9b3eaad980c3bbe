"""The life of the process: start, serve, notice what changes, go in good order.

An API server goes on using the connections that it has, and calls still arrive for seconds after a pod is told to
go. So SIGTERM first makes the probe say no and every answer end its connection; the listener closes later, when
nobody calls any more.
"""

from __future__ import annotations

import asyncio
import dataclasses
import gc
import logging
import signal
import socket
import sys
from types import FrameType
from typing import Any

from uvicorn import Config, Server

from raylint.errors import UsageError

from . import logs
from .app import application
from .certificates import Certificates
from .configuration import Configuration
from .health import Health, HealthServer
from .metrics import Metrics
from .proof import Proof
from .protocol import GuardedProtocol, Load, protocol_of
from .settings import Settings

__all__ = ["serve"]

_BACKLOG = 1024
_BEAT = 1.0
# A client that does not answer our goodbye must not hold up the end.
_FAREWELL = 2.0
# A review leaves some hundred views behind that refer to each other: once for a hundred reviews is often enough.
_GARBAGE = (50_000, 50, 100)


class _WebhookServer(Server):
    def __init__(
        self,
        config: Config,
        load: Load,
        health: Health,
        certificates: Certificates,
        configuration: Configuration,
        listener: socket.socket,
    ) -> None:
        super().__init__(config)
        self._load = load
        self._health = health
        self._certificates = certificates
        self._configuration = configuration
        self._listener = listener
        self._loop: asyncio.AbstractEventLoop | None = None
        self._reload = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """As uvicorn's, with a limit on how long a handshake may take."""
        await self.lifespan.startup()
        loop = self._loop = asyncio.get_running_loop()
        loop.set_exception_handler(_on_loop_error)
        timeout = self._load.settings.receive_timeout
        timeouts: dict[str, Any] = {"ssl_handshake_timeout": timeout}
        if not isinstance(loop, asyncio.SelectorEventLoop) or sys.version_info >= (3, 11):
            timeouts["ssl_shutdown_timeout"] = _FAREWELL
        server = await loop.create_server(
            self._protocol,
            sock=self._listener,
            ssl=self._certificates.listening,
            backlog=_BACKLOG,
            **timeouts,
        )
        self.servers: list[Any] = [server]
        self._watching = [asyncio.ensure_future(self._watch()), asyncio.ensure_future(self._beat())]
        loop.add_signal_handler(signal.SIGHUP, self._reload.set)
        self.started = True
        self._health.started = True
        host, port = self._listener.getsockname()[:2]
        logs.event(logging.INFO, "serving", host=host, port=port, configuration=self._configuration.current.hash)

    def _protocol(self) -> asyncio.Protocol:
        made: type[GuardedProtocol] = self.config.http_protocol_class  # type: ignore[assignment]
        return made(
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state, _loop=self._loop
        )

    async def _watch(self) -> None:
        """Look at the files from time to time, and at once on SIGHUP."""
        while True:
            forced = self._reload.is_set()
            self._reload.clear()
            try:
                await asyncio.to_thread(self._certificates.refresh)
                await asyncio.to_thread(self._configuration.refresh, forced=forced)
            except Exception as error:
                logs.event(logging.ERROR, "the files were not looked at", error=logs.trace_of(error))
            try:
                await asyncio.wait_for(self._reload.wait(), self._load.settings.poll)
            except (asyncio.TimeoutError, TimeoutError):
                continue

    async def _beat(self) -> None:
        while True:
            self._health.beat()
            await asyncio.sleep(_BEAT)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """First: refuse new work in good order. Again: end now."""
        if self._load.draining or self._loop is None:
            self.should_exit = self.force_exit = True
            return
        self._load.draining = True
        delay = self._load.settings.shutdown_delay
        self._loop.call_soon_threadsafe(self._loop.call_later, delay, self._stop)
        logs.event(logging.INFO, "draining", signal=signal.Signals(sig).name, seconds=delay)

    def _stop(self) -> None:
        self.should_exit = True


def _on_loop_error(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """What a client breaks (handshakes, resets, time-outs) is no fault of ours."""
    error = context.get("exception")
    level = logging.DEBUG if isinstance(error, (OSError, asyncio.TimeoutError)) else logging.ERROR
    trace = logs.trace_of(error) if error is not None else []
    logs.flooding(level, "event loop", what=str(context.get("message", "")), error=trace)


def serve(settings: Settings) -> int:
    """Serve until SIGTERM or SIGINT; the exit code. UsageError: it cannot start."""
    logs.configure(settings.log_level)
    metrics = Metrics()
    configuration = Configuration(settings.config, metrics)
    certificates = Certificates(settings, metrics)
    listener = _listen(settings.host, settings.port)
    health_listener = _listen(settings.health_host, settings.health_port)
    load = Load(settings, metrics)
    health = Health(configuration, certificates, load, Proof(certificates, load, listener))
    config = Config(
        application(configuration, load),
        http=protocol_of(load),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_keep_alive=int(settings.keep_alive),
        timeout_graceful_shutdown=int(settings.drain_timeout),
    )
    server = _WebhookServer(config, load, health, certificates, configuration, listener)
    probes = HealthServer(health, _unlimited(settings), health_listener)
    probes.start()
    logs.event(logging.INFO, "health", port=health_listener.getsockname()[1])
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_GARBAGE)
    try:
        server.run()
    finally:
        probes.stop()
    logs.event(logging.INFO, "stopped")
    return 0


def _unlimited(settings: Settings) -> Load:
    """The load of the health port, whose connections are not the webhook's: figures that nobody is shown."""
    return Load(dataclasses.replace(settings, client_names=()), Metrics())


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise UsageError(f"cannot listen on {host} port {port}: {error.strerror}") from None
    listener.listen(_BACKLOG)
    listener.setblocking(False)
    return listener
