"""Health and metrics, on a port and in a thread of their own: they answer while the webhook is busy.

``/livez``: the process runs, and its event loop turns. ``/readyz``: it should be sent requests. A configuration
that cannot be loaded is told of and does not make it unready: the one before is in force.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from typing import TYPE_CHECKING

from fastapi import FastAPI, Request, Response
from uvicorn import Config, Server

from .certificates import Certificates
from .configuration import Configuration
from .proof import Proof
from .protocol import Load, protocol_of

if TYPE_CHECKING:
    import socket

__all__ = ["Health", "HealthServer"]

# An evaluation may hold the loop for two seconds, the reading of a large body for one.
_LONGEST_SILENCE = 30.0
_START_TIMEOUT = 10.0


class Health:
    """What the probes ask for."""

    def __init__(self, configuration: Configuration, certificates: Certificates, load: Load, proof: Proof) -> None:
        self._configuration = configuration
        self._certificates = certificates
        self._load = load
        self.proof = proof
        self.started = False
        self.last_beat = time.monotonic()

    def beat(self) -> None:
        """The webhook's event loop turns."""
        self.last_beat = time.monotonic()

    @property
    def alive(self) -> bool:
        return time.monotonic() - self.last_beat < _LONGEST_SILENCE

    def readiness(self) -> dict[str, object]:
        certificate = self._certificates.fault
        ready = self.started and not (self._load.draining or certificate or self.proof.fault)
        return {
            "ready": ready,
            "started": self.started,
            "draining": self._load.draining,
            "certificate": certificate or "good",
            "connection": self.proof.fault or "good",
            "certificate_reload": self._certificates.last_error or "good",
            "configuration": self._configuration.current.hash,
            "configuration_reload": self._configuration.last_error or "good",
        }

    def application(self) -> FastAPI:
        app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)
        app.add_route("/livez", self._livez, methods=["GET"])
        app.add_route("/readyz", self._readyz, methods=["GET"])
        app.add_route("/metrics", self._metrics, methods=["GET"])
        return app

    async def _livez(self, request: Request) -> Response:
        text = "alive" if self.alive else "the event loop does not turn"
        return Response(text, 200 if self.alive else 503, media_type="text/plain")

    async def _readyz(self, request: Request) -> Response:
        state = self.readiness()
        content = json.dumps(state, indent=1).encode()
        return Response(content, 200 if state["ready"] else 503, media_type="application/json")

    async def _metrics(self, request: Request) -> Response:
        return Response(self._load.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


class HealthServer:
    """Serves the probes until it is stopped."""

    def __init__(self, health: Health, load: Load, listener: socket.socket) -> None:
        config = Config(
            health.application(),
            http=protocol_of(load),
            ws="none",
            loop="asyncio",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        self._health = health
        self._server = Server(config)
        self._listener = listener
        self._thread = threading.Thread(target=self._run, name="health", daemon=True)

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        watching = asyncio.ensure_future(self._health.proof.watch())
        try:
            await self._server.serve(sockets=[self._listener])
        finally:
            watching.cancel()

    def start(self) -> None:
        self._thread.start()
        end = time.monotonic() + _START_TIMEOUT
        while not self._server.started and self._thread.is_alive() and time.monotonic() < end:
            time.sleep(0.005)

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(timeout=3)
