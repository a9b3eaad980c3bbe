"""The application: one route that takes a review and answers it.

The body is taken raw: a model would reject what the CRD allows, and a parser that is handed to a framework has no
limits. Judging runs here, in the event loop's own thread: it takes about a millisecond, and a hand-over to another
thread would cost as much while the interpreter runs one of them at a time.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Sequence
from datetime import datetime, timezone
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson
from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException
from starlette.routing import Route

from raylint.admission import Admission, Outcome, RuleFailedError
from raylint.admission_answer import clean
from raylint.admission_review import Review, ReviewError

from . import logs
from .configuration import Configuration, Snapshot
from .deadline import Deadline, DeadlineError
from .decoding import BodyError, decode
from .protocol import Load

if TYPE_CHECKING:
    from typing import TypeAlias

    from starlette.types import Receive, Scope, Send

    Header: TypeAlias = tuple[bytes, bytes]

__all__ = ["application"]

# Between the end of our work and that of the API server's patience: the way back.
_MARGIN = 0.5
_LEAST = 0.1
_MOST_STRANGE = 32
_LONGEST_NAME = 253
# Seconds from one timing of the rules to the next: each review in a quiet cluster, ten a second in a busy one.
_BETWEEN_TIMED = 0.1
_JSON = b"application/json"
_TEXT = b"text/plain; charset=utf-8"


class _RefusedError(Exception):
    """A request that is answered with a status and a line of text."""

    def __init__(self, status: int, text: str, reason: str, *, retry: bool = False) -> None:
        super().__init__(text)
        self.status = status
        self.text = text
        self.reason = reason
        self.retry = retry


class _Reply:
    __slots__ = ("content", "headers", "status")

    def __init__(self, status: int, headers: list[Header], content: bytes) -> None:
        self.status = status
        self.headers = headers
        self.content = content


class _Validation:
    def __init__(self, configuration: Configuration, load: Load) -> None:
        self._configuration = configuration
        self._load = load
        self._settings = load.settings
        self._deadline = Deadline()
        # Kinds and versions of which the log has told; an API server knows few.
        self._strange: set[str] = set()
        self._timed_at = 0.0
        # Of the review that is being judged: one at a time is.
        self._read: object = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        reply = await self._reply(scope, receive)
        await send({"type": "http.response.start", "status": reply.status, "headers": reply.headers})
        await send({"type": "http.response.body", "body": reply.content})

    async def _reply(self, scope: Scope, receive: Receive) -> _Reply:
        data: object = None
        too_long = ""
        try:
            self._check_head(scope["headers"])
            body = await self._body(receive)
            seconds, too_long = self._patience(scope)
            snapshot = self._configuration.current
            started = time.monotonic()
            try:
                judged = partial(self._judged, snapshot.admission, body, timed=self._is_timed(started))
                outcome = self._deadline.within(seconds, judged)
            finally:
                data, self._read = self._read, None
                self._load.busy += time.monotonic() - started
                self._tell_of_crashes(snapshot, data)
            return self._answer(scope["arrived"], outcome, len(body), snapshot)
        except _RefusedError as error:
            return self._refuse(error)
        except (BodyError, ReviewError) as error:
            return self._refuse(_RefusedError(400, f"raylint: {error}", error.reason))
        except DeadlineError as error:
            return self._fail("deadline", too_long, data, logs.trace_of(error))
        except RuleFailedError as error:
            return self._fail("rule", str(error), data)
        except Exception as error:
            logs.flooding(logging.ERROR, "internal fault", **_subject(data), error=logs.trace_of(error))
            return self._fail("internal", "internal fault, see the logs", data)

    def _check_head(self, headers: Sequence[Header]) -> None:
        load, settings = self._load, self._settings
        if load.waiting > settings.max_waiting:
            raise _RefusedError(503, "raylint: too many requests wait for an answer", "waiting", retry=True)
        # The protocol hands names on in small letters. An API server writes none twice.
        named = dict(headers)
        if named.get(b"content-type", b"").partition(b";")[0].strip().lower() != b"application/json":
            raise _RefusedError(415, "raylint: the content type is not application/json", "content_type")
        if b"content-encoding" in named:
            raise _RefusedError(415, "raylint: a content encoding is not taken", "content_encoding")
        if int(named.get(b"content-length", b"0")) > settings.max_body:
            raise self._too_large()
        if sum([len(name) + len(value) for name, value in headers]) > settings.max_headers:
            raise _RefusedError(431, "raylint: the headers are too large", "headers")

    def _too_large(self) -> _RefusedError:
        return _RefusedError(413, f"raylint: a body has at most {self._settings.max_body} bytes", "size")

    async def _body(self, receive: Receive) -> bytearray:
        """The whole body; what it takes up is counted while it arrives."""
        load, settings = self._load, self._settings
        body = bytearray()
        try:
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise _RefusedError(400, "raylint: the body ends early", "disconnected")
                chunk = message.get("body", b"")
                load.buffered += len(chunk)
                body += chunk
                if len(body) > settings.max_body:
                    raise self._too_large()
                if load.buffered > settings.max_buffered:
                    raise _RefusedError(503, "raylint: too much is being read", "buffered", retry=True)
                if not message.get("more_body", False):
                    return body
        finally:
            load.buffered -= len(body)

    def _patience(self, scope: Scope) -> tuple[float, str]:
        """How long the evaluation may take, and what to say of one that takes longer: the API server says how long
        it waits, and has been waiting."""
        seconds = self._settings.evaluation_timeout
        too_long = f"evaluation took longer than {seconds:g} s"
        for field in scope["query_string"].split(b"&"):
            name, _, text = field.partition(b"=")
            if name == b"timeout" and text[-1:] == b"s" and text[:-1].isdigit():
                patience = max(_LEAST, float(text[:-1]) - _MARGIN)
                if patience < seconds:
                    seconds = patience
                    too_long = (
                        f"evaluation took longer than {seconds:g} s, for the API server waits {text.decode()}"
                    )
        waited = time.monotonic() - scope["arrived"]
        if waited >= seconds:
            raise _RefusedError(503, "raylint: the request waited too long", "late", retry=True)
        return float(seconds - waited), too_long

    def _is_timed(self, now: float) -> bool:
        """Is this a review whose rules are to be timed?"""
        if now - self._timed_at < _BETWEEN_TIMED:
            return False
        self._timed_at = now
        return True

    def _judged(self, admission: Admission, body: bytearray, *, timed: bool) -> Outcome:
        data = decode(body, refuse_duplicate_keys=self._settings.refuse_duplicate_keys)
        self._read = data
        return admission.answer(data, _today(), body, timed=timed)

    def _answer(self, arrived: float, outcome: Outcome, size: int, snapshot: Snapshot) -> _Reply:
        content = _written(outcome.response)
        seconds = time.monotonic() - arrived
        self._load.metrics.reviewed(outcome, seconds)
        if outcome.skipped in ("unknown_kind", "unknown_version"):
            self._tell_of_strange(outcome)
        logs.reviewed(outcome, seconds=seconds, size=size, configuration=snapshot.hash)
        return self._respond(200, content, _JSON)

    def _tell_of_strange(self, outcome: Outcome) -> None:
        review = outcome.review
        kind = clean(f"{review.group}/{review.version}/{review.kind}", 128)
        if kind not in self._strange and len(self._strange) < _MOST_STRANGE:
            self._strange.add(kind)
            logs.event(logging.WARNING, "not judged: raylint does not know this kind or version", kind=kind)

    def _refuse(self, error: _RefusedError) -> _Reply:
        if error.status == 503:
            level = logging.WARNING
            self._load.metrics.shed.inc()
        else:
            level = logging.INFO
            self._load.metrics.bad_requests.labels(error.reason).inc()
        logs.flooding(level, "refused", error.reason, status=error.status, reason=error.reason)
        more = [(b"retry-after", b"1")] if error.retry else []
        return self._respond(error.status, error.text.encode(), _TEXT, more, close=error.status != 503)

    def _fail(self, reason: str, text: str, data: object, where: Sequence[str] = ()) -> _Reply:
        """500 with a line of text: the only one that the API server passes on to people. ``data``: the review, as
        far as it was read; ``where``: what ran."""
        self._load.metrics.errors.labels(reason).inc()
        trace = {"error": where} if where else {}
        subject = _subject(data)
        logs.flooding(logging.ERROR, "not answered", reason, **subject, reason=text, **trace)
        return self._respond(500, f"raylint: {text} (request {subject['uid'] or 'unknown'})".encode(), _TEXT)

    def _tell_of_crashes(self, snapshot: Snapshot, data: object) -> None:
        for crash in snapshot.crashes:
            trace = logs.trace_of(crash)
            logs.flooding(logging.ERROR, "a rule failed", _raised_in(trace), **_subject(data), error=trace)
        snapshot.crashes.clear()

    def unrouted(self, request: Request, error: Exception) -> Response:
        """404 and 405, as the framework finds them."""
        status = error.status_code if isinstance(error, HTTPException) else 500
        text = "raylint: method not allowed" if status == 405 else "raylint: not found"
        self._load.metrics.bad_requests.labels("method" if status == 405 else "path").inc()
        allowed = (error.headers or {}) if isinstance(error, HTTPException) else {}
        headers = {"content-type": _TEXT.decode(), "connection": "close", **allowed}
        return Response(text.encode(), status, headers)

    def _respond(
        self,
        status: int,
        content: bytes,
        kind: bytes,
        more: Sequence[tuple[bytes, bytes]] = (),
        *,
        close: bool = False,
    ) -> _Reply:
        headers = [(b"content-length", b"%d" % len(content)), (b"content-type", kind), *more]
        if close or self._load.draining:
            headers.append((b"connection", b"close"))
        return _Reply(status, headers, content)


def application(configuration: Configuration, load: Load) -> FastAPI:
    """The application of the webhook's own port. To be made in the main thread."""
    validation = _Validation(configuration, load)
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)
    app.add_exception_handler(HTTPException, validation.unrouted)
    # The bare interface: what the framework makes of a request and a response takes as long as to read the review.
    app.router.routes.append(Route(load.settings.path, validation, methods=["POST"], name="validate"))
    return app


def _written(response: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(response)
    except orjson.JSONEncodeError:
        # Half a surrogate pair in a name would be no UTF-8; as an escape it is ASCII.
        return json.dumps(response, ensure_ascii=True, separators=(",", ":")).encode()


def _subject(data: object) -> dict[str, Any]:
    """For messages: which request about which object, as far as that can be read."""
    try:
        review = Review(data)
    except ReviewError:
        return {"uid": ""}
    return {
        "uid": clean(review.uid, 64),
        "kind": clean(f"{review.group}/{review.version}/{review.kind}", 128),
        "namespace": clean(review.namespace, _LONGEST_NAME),
        "name": clean(review.name, _LONGEST_NAME),
    }


def _raised_in(trace: Sequence[str]) -> str:
    """The line that failed: each rule has its own lines in the log."""
    return trace[-2] if len(trace) > 1 else ""


def _today() -> str:
    return datetime.now(timezone.utc).date().isoformat()
