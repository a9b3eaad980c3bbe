"""The real server, as a process of its own."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from made_certificates import Authority, SecretVolume

STARTING = 20.0
HERE = Path(__file__).resolve().parent


class ServerProcess:
    """``raylint webhook serve`` on free ports of 127.0.0.1. ``log`` is the file of its standard error."""

    def __init__(
        self, folder: Path, *flags: str, config: str | None = None, path: list[Path] | None = None
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.authority = Authority()
        self.volume = SecretVolume(folder / "tls", self.authority.leaf())
        self.config = folder / "raylint.yaml"
        self.log = folder / "log"
        words = [sys.executable, "-m", "raylint", "webhook", "serve"]
        words += ["--host", "127.0.0.1", "--port", "0", "--health-host", "127.0.0.1", "--health-port", "0"]
        words += ["--tls-cert", str(self.volume.certificate), "--tls-key", str(self.volume.key)]
        words += ["--poll", "0.05", "--shutdown-delay", "0.3"]
        if config is not None:
            self.config.write_text(config)
            words += ["--config", str(self.config)]
        search = os.pathsep.join([*map(str, path or ()), *filter(None, [os.environ.get("PYTHONPATH")])])
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [*words, *flags], stderr=log, cwd=folder, env={**os.environ, "PYTHONPATH": search}
            )
        self.port = 0
        self.health_port = 0
        try:
            self._wait()
        except BaseException:
            self.kill()
            raise

    def _wait(self) -> None:
        end = time.monotonic() + STARTING
        while time.monotonic() < end and self.process.poll() is None:
            for line in self.lines():
                if line.get("message") == "serving":
                    self.port = line["port"]
                if line.get("message") == "health":
                    self.health_port = line["port"]
            if self.port and self.health_port:
                return
            time.sleep(0.02)
        raise AssertionError(f"the server did not start: {self.log.read_text()[-2000:]}")

    def lines(self) -> list[dict[str, Any]]:
        """The lines of the log that are written to their end."""
        text = self.log.read_text()
        return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]

    def logged(self, message: str) -> list[dict[str, Any]]:
        return [line for line in self.lines() if line["message"] == message]

    def health(self, path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.health_port}{path}", timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def readiness(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.health("/readyz")[1])
        return found

    def metric(self, name: str, **labels: str) -> float:
        """The sum of a metric's series that have the labels."""
        total = 0.0
        for line in self.health("/metrics")[1].splitlines():
            head, _, value = line.rpartition(" ")
            if head.partition("{")[0] == f"raylint_webhook_{name}" and all(
                f'{label}="{wanted}"' in head for label, wanted in labels.items()
            ):
                total += float(value)
        return total

    def memory(self) -> int:
        """Resident bytes."""
        text = Path(f"/proc/{self.process.pid}/statm").read_text()
        return int(text.split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def connect(self, timeout: float = 10.0) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)

    def terminate(self) -> int:
        """SIGTERM; the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=30)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def serving(folder: Path, *flags: str, **options: Any) -> Iterator[ServerProcess]:
    server = ServerProcess(folder, *flags, **options)
    try:
        yield server
    finally:
        server.kill()


def eventually(condition: Any, what: str = "it", seconds: float = 15.0) -> None:
    """Wait for something that must come true. Fails where it does not."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"{what} did not happen"
        time.sleep(0.02)


def faulty_pack(folder: Path) -> Path:
    """A folder for the import path that holds the pack of ``marked_rules`` as a distribution."""
    site = folder / "site"
    info = site / "marked_rules-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: marked-rules\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[raylint.rules]\nmarked = marked_rules:RULES\n")
    (site / "marked_rules.py").write_text((HERE / "marked_rules.py").read_text())
    return site
