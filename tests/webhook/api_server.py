"""A stand-in for the webhook client of kube-apiserver (1.30 to 1.37).

It pools connections and keeps idle ones for 90 s, adds the time that is left as ``?timeout=``, calls again on 429
and 5xx that carry ``Retry-After`` (ten times at most, and only while the time lasts), checks the answer as
``admissionreview.go`` and ``dispatcher.go`` do, takes warnings and audit annotations within the limits of
``warning.go`` and ``attributes.go``, and lets failurePolicy decide where a call fails. It never repeats a call
whose connection broke, as the real one does not.
"""

from __future__ import annotations

import json
import math
import re
import socket
import ssl
import threading
import time
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_IDLE = 90.0
_MOST_IDLE = 25
_MOST_RETRIES = 10
_ANNOTATION = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
_WARNINGS = 4096
_CUT = 256


class CallError(Exception):
    """The call failed: no connection, no answer in time, or one that is no answer."""


@dataclass
class Reply:
    """What the webhook sent."""

    status: int
    headers: dict[str, str]
    body: bytes


@dataclass
class Result:
    """What the API server makes of it. ``code`` and ``reason`` are those of the error that the client gets."""

    allowed: bool
    code: int = 200
    reason: str = ""
    message: str = ""
    causes: list[dict[str, str]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    annotations: dict[str, str] = field(default_factory=dict)
    failed_open: bool = False
    calls: int = 1


class Connection:
    """One connection, blocking, with as much of HTTP/1.1 as a client needs."""

    def __init__(self, address: tuple[str, int], context: ssl.SSLContext | None, timeout: float) -> None:
        plain = socket.create_connection(address, timeout=timeout)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            self.socket = context.wrap_socket(plain, server_hostname=address[0]) if context else plain
        except BaseException:
            plain.close()
            raise
        self._held = b""
        self.idle_since = time.monotonic()

    @property
    def serial(self) -> int:
        certificate = self.socket.getpeercert() if isinstance(self.socket, ssl.SSLSocket) else None
        return int(str((certificate or {})["serialNumber"]), 16)

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def reply(self, timeout: float = 10.0) -> Reply:
        """The next answer. CallError: there is none."""
        self.socket.settimeout(timeout)
        head = self._until(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body = self._exactly(int(headers["content-length"]))
        return Reply(int(first.split()[1]), headers, body)

    def _until(self, end: bytes) -> bytes:
        while end not in self._held:
            self._more()
        head, _, self._held = self._held.partition(end)
        return head

    def _exactly(self, size: int) -> bytes:
        while len(self._held) < size:
            self._more()
        body, self._held = self._held[:size], self._held[size:]
        return body

    def _more(self) -> None:
        try:
            data = self.socket.recv(65536)
        except OSError as error:
            raise CallError(f"{type(error).__name__}: {error}") from None
        if not data:
            raise CallError("EOF")
        self._held += data

    def send_until_cut(self, pieces: Iterator[bytes], seconds: float = 10.0) -> bool:
        """Go on sending until the server has enough; False: it has not after so many seconds."""
        end = time.monotonic() + seconds
        for piece in pieces:
            try:
                self.send(piece)
            except OSError:
                return True
            if time.monotonic() > end:
                break
        return False

    def close(self) -> None:
        self.socket.close()


def request(body: bytes, *, path: str = "/validate?timeout=10s", **headers: str) -> bytes:
    """A request as the API server writes it."""
    fields = {
        "Host": "raylint.raylint.svc:443",
        "User-Agent": "kube-apiserver-admission",
        "Content-Length": str(len(body)),
        "Accept": "application/json, */*",
        "Content-Type": "application/json",
        "Accept-Encoding": "gzip",
        **headers,
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items() if value)
    return f"POST {path} HTTP/1.1\r\n{head}\r\n".encode() + body


class ApiServer:
    """Calls one webhook. Threads may share it, as the requests of an API server do."""

    def __init__(
        self,
        port: int,
        authority: bytes | Path,
        *,
        failure_policy: str = "Fail",
        timeout: float = 10.0,
        client: tuple[Path, Path] | None = None,
    ) -> None:
        text = authority.read_bytes() if isinstance(authority, Path) else authority
        self.context = ssl.create_default_context(cadata=text.decode())
        if client is not None:
            self.context.load_cert_chain(*client)
        self._address = ("127.0.0.1", port)
        self._failure_policy = failure_policy
        self._timeout = timeout
        self._idle: list[Connection] = []
        self._lock = threading.Lock()
        self.connections_made = 0

    def connect(self) -> Connection:
        try:
            return Connection(self._address, self.context, self._timeout)
        except (OSError, ssl.SSLError) as error:
            raise CallError(f"{type(error).__name__}: {error}") from None

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def call(self, review: dict[str, Any]) -> Result:
        """Ask for a review, and decide."""
        calls = 0
        end = time.monotonic() + self._timeout
        body = json.dumps(review).encode()
        try:
            while True:
                left = end - time.monotonic()
                if left <= 0:
                    raise CallError("context deadline exceeded")
                calls += 1
                reply = self.post(body, left)
                pause = reply.headers.get("retry-after", "")
                retried = reply.status == 429 or reply.status >= 500
                if not (retried and pause.isdecimal() and calls <= _MOST_RETRIES):
                    break
                time.sleep(max(0.0, min(float(pause), end - time.monotonic())))
            result = self._decide(review["request"]["uid"], reply)
        except CallError as error:
            if self._failure_policy == "Ignore":
                return Result(True, failed_open=True, calls=calls)
            message = f'failed calling webhook "test": {error}'
            return Result(False, 500, "InternalError", message, calls=calls)
        result.calls = calls
        return result

    def post(self, body: bytes, timeout: float) -> Reply:
        connection = self._take() or self._made()
        try:
            connection.send(request(body, path=f"/validate?timeout={math.ceil(timeout)}s"))
            reply = connection.reply(timeout)
        except (OSError, CallError) as error:
            connection.close()
            raise CallError(str(error)) from None
        if reply.headers.get("connection") == "close":
            connection.close()
        else:
            self._keep(connection)
        return reply

    def _made(self) -> Connection:
        with self._lock:
            self.connections_made += 1
        return self.connect()

    def _take(self) -> Connection | None:
        with self._lock:
            while self._idle:
                connection = self._idle.pop()
                if time.monotonic() - connection.idle_since < _IDLE and not _has_ended(connection):
                    return connection
                connection.close()
        return None

    def _keep(self, connection: Connection) -> None:
        connection.idle_since = time.monotonic()
        with self._lock:
            if len(self._idle) < _MOST_IDLE:
                self._idle.append(connection)
                return
        connection.close()

    def _decide(self, uid: str, reply: Reply) -> Result:
        if not 200 <= reply.status < 300:
            text = reply.headers.get("content-type", "").startswith("text/") and reply.status == 500
            raise CallError(reply.body.decode() if text else f"status {reply.status}")
        return decided(uid, reply.body)


def _has_ended(connection: Connection) -> bool:
    """Has the server closed it? The real client reads all the time, and takes such a one out of its pool."""
    connection.socket.setblocking(False)
    try:
        return connection.socket.recv(1) == b""
    except (BlockingIOError, ssl.SSLWantReadError):
        return False
    except OSError:
        return True
    finally:
        connection.socket.setblocking(True)


def decided(uid: str, body: bytes) -> Result:
    """The API server's reading of an answer. CallError: it is none."""
    try:
        review = json.loads(body)
    except ValueError:
        raise CallError("the answer is no JSON") from None
    if not isinstance(review, dict) or review.get("kind") != "AdmissionReview":
        raise CallError("expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview")
    if review.get("apiVersion") != "admission.k8s.io/v1":
        raise CallError("expected webhook response of admission.k8s.io/v1")
    response = review.get("response")
    if not isinstance(response, dict):
        raise CallError("webhook response was absent")
    if response.get("uid") != uid:
        raise CallError(f"expected response.uid={uid!r}, got {response.get('uid')!r}")
    if not isinstance(response.get("allowed"), bool):
        raise CallError("allowed is no boolean")
    if "patch" in response or "patchType" in response:
        raise CallError("validating webhook must not patch")
    warnings = response.get("warnings", [])
    annotations = response.get("auditAnnotations", {})
    if not isinstance(warnings, list) or not all(isinstance(text, str) for text in warnings):
        raise CallError("warnings is no list of texts")
    if not isinstance(annotations, dict) or not all(isinstance(text, str) for text in annotations.values()):
        raise CallError("auditAnnotations is no mapping of texts")
    result = Result(response["allowed"], warnings=shown_warnings(warnings))
    result.annotations = {key: value for key, value in annotations.items() if _ANNOTATION.fullmatch(key)}
    if not result.allowed:
        status = response.get("status") or {}
        code = status.get("code", 0)
        result.code = code if code >= 400 else 400
        result.reason = status.get("reason", "")
        result.message = f'admission webhook "test" denied the request: {status.get("message", "")}'
        result.causes = status.get("details", {}).get("causes", [])
    return result


def shown_warnings(texts: list[str]) -> list[str]:
    """What of the warnings reaches the client."""
    good = [
        text
        for text in dict.fromkeys(texts)
        if text and not any(unicodedata.category(character) in ("Cc", "Cs") for character in text)
    ]
    if sum(map(len, good)) <= _WARNINGS:
        return good
    kept: list[str] = []
    room = _WARNINGS
    for text in good:
        cut = text[:_CUT]
        if len(cut) > room:
            break
        kept.append(cut)
        room -= len(cut)
    return kept
