"""A stand-in for the part of an API server that keeps Secrets and webhook configurations: resource versions,
conflicts, strategic merges of the fields that are written here."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

SECRETS = "/api/v1/namespaces/raylint/secrets"
HOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"


@dataclass
class Objects:
    """``kept`` by path. ``instead``: statuses that come instead of answers, one a call; ``writes``: what was
    written, in order."""

    kept: dict[str, dict[str, Any]] = field(default_factory=dict)
    instead: list[int] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    types: set[str] = field(default_factory=set)
    port: int = 0
    _version: int = 1

    def put(self, path: str, found: dict[str, Any]) -> None:
        self._version += 1
        found.setdefault("metadata", {})["resourceVersion"] = str(self._version)
        found["metadata"]["name"] = path.rpartition("/")[2]
        self.kept[path] = found

    def answer(self, method: str, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if self.instead:
            code = self.instead.pop(0)
            return code, _failure(code)
        if method == "POST":
            path = f"{path}/{body['metadata']['name']}"
            if path in self.kept:
                return 409, _failure(409)
            self.writes.append(path)
            self.put(path, body)
            return 201, self.kept[path]
        if path not in self.kept:
            return 404, _failure(404)
        if method == "PATCH":
            found = self.kept[path]
            if body.get("metadata", {}).get("resourceVersion") != found["metadata"]["resourceVersion"]:
                return 409, _failure(409)
            self.writes.append(path)
            self.put(path, _merged(found, body))
        return 200, self.kept[path]

    def data(self, name: str) -> dict[str, str]:
        return dict(self.kept[f"{SECRETS}/{name}"].get("data") or {})


def _failure(code: int) -> dict[str, Any]:
    return {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "message": "no"}


def _merged(old: Any, new: Any) -> Any:
    if isinstance(old, dict) and isinstance(new, dict):
        return {**old, **{key: _merged(old.get(key), value) for key, value in new.items()}}
    if isinstance(old, list) and isinstance(new, list):
        by_name = {item["name"]: item for item in new}
        return [_merged(item, by_name[item["name"]]) if item["name"] in by_name else item for item in old]
    return new


@contextmanager
def running(objects: Objects) -> Iterator[Objects]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            text = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if self.command == "PATCH":
                objects.types.add(self.headers["Content-Type"])
            code, found = objects.answer(self.command, urlsplit(self.path).path, json.loads(text or b"{}"))
            content = json.dumps(found).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            pass

    for method in ("GET", "POST", "PATCH"):
        setattr(Handler, f"do_{method}", Handler._serve)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    objects.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield objects
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
