"""A stand-in for an API server, on 127.0.0.1: lists in pages with continue tokens, and everything that goes wrong
with them, in the words that kube-apiserver 1.36 uses."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import yaml

KINDS = {
    "rayclusters": "RayCluster",
    "rayjobs": "RayJob",
    "rayservices": "RayService",
    "raycronjobs": "RayCronJob",
}


@dataclass
class Answer:
    """What is sent instead of the right answer."""

    status: int
    body: dict[str, Any] | bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


def status(code: int, reason: str, message: str, **metadata: str) -> Answer:
    body = {"kind": "Status", "apiVersion": "v1", "metadata": metadata, "status": "Failure", "message": message}
    return Answer(code, {**body, "reason": reason, "code": code})


def forbidden(plural: str, where: str = "at the cluster scope") -> Answer:
    what = f'User "auditor" cannot list resource "{plural}" in API group "ray.io" {where}'
    return status(403, "Forbidden", f"{plural}.ray.io is forbidden: {what}")


def not_found() -> Answer:
    return Answer(404, b"404 page not found\n")


@dataclass
class FakeCluster:
    """``served``: resources by version. ``objects``: by plural name. ``instead``: answers that come instead of
    lists, by path, one a call; ``requests`` are all that came: method, path and query."""

    served: dict[str, list[str]] = field(default_factory=lambda: {"v1": list(KINDS)})
    objects: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    instead: dict[str, list[Answer]] = field(default_factory=dict)
    requests: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    # Paths that are not answered before the test says so.
    silent: set[str] = field(default_factory=set)
    patience: threading.Event = field(default_factory=threading.Event)
    port: int = 0

    def answer(self, method: str, path: str, query: dict[str, str]) -> Answer:
        self.requests.append((method, path, query))
        waiting = self.instead.get(path)
        if waiting:
            return waiting.pop(0)
        parts = path.strip("/").split("/")
        if method != "GET" or parts[:2] != ["apis", "ray.io"] or len(parts) < 3 or parts[2] not in self.served:
            return not_found()
        version = parts[2]
        if len(parts) == 3:
            return self._discovery(version)
        namespace = parts[4] if parts[3] == "namespaces" and len(parts) == 6 else ""
        plural = parts[-1]
        if plural not in self.served[version]:
            return not_found()
        return self._page(version, plural, namespace, query)

    def _discovery(self, version: str) -> Answer:
        resources = [
            {"name": name, "singularName": "", "namespaced": True, "kind": KINDS[base], "verbs": ["list"]}
            for base in self.served[version]
            for name in (base, f"{base}/status")
        ]
        group = {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": f"ray.io/{version}"}
        return Answer(200, {**group, "resources": resources})

    def _page(self, version: str, plural: str, namespace: str, query: dict[str, str]) -> Answer:
        items = [
            {key: value for key, value in item.items() if key not in ("apiVersion", "kind")}
            for item in self.objects.get(plural, [])
            if namespace in ("", item["metadata"]["namespace"])
        ]
        start = int(base64.b64decode(query["continue"])) if "continue" in query else 0
        end = start + int(query["limit"])
        more = {"continue": self.token(end)} if end < len(items) else {}
        head = {"apiVersion": f"ray.io/{version}", "kind": f"{KINDS[plural]}List"}
        return Answer(200, {**head, "metadata": {"resourceVersion": "7", **more}, "items": items[start:end]})

    @staticmethod
    def token(start: int) -> str:
        return base64.b64encode(str(start).encode()).decode()

    def lists(self) -> list[tuple[str, dict[str, str]]]:
        """The calls for lists that came."""
        return [(path, query) for _, path, query in self.requests if path.count("/") > 3]


def handler(cluster: FakeCluster) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            parts = urlsplit(self.path)
            query = {key: values[0] for key, values in parse_qs(parts.query).items()}
            cluster.tokens.append(self.headers.get("Authorization", ""))
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            answer = cluster.answer(self.command, parts.path, query)
            if parts.path in cluster.silent:
                cluster.patience.wait(20)
            body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
            kind = "text/plain" if isinstance(answer.body, bytes) else "application/json"
            try:
                self.send_response(answer.status)
                for name, value in {
                    "Content-Type": kind,
                    "Content-Length": str(len(body)),
                    **answer.headers,
                }.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)
            except OSError:
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            pass

    for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        setattr(Handler, f"do_{method}", Handler._serve)
    return Handler


@contextmanager
def running(cluster: FakeCluster) -> Iterator[FakeCluster]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(cluster))
    server.daemon_threads = True
    cluster.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield cluster
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def kubeconfig(folder: Path, port: int, *, other: int = 0) -> Path:
    """Contexts `here` (the current one) and, with another port, `there`."""
    ports = {"here": port, **({"there": other} if other else {})}
    data = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "here",
        "clusters": [
            {"name": name, "cluster": {"server": f"http://127.0.0.1:{number}"}} for name, number in ports.items()
        ],
        "users": [{"name": "auditor", "user": {"token": "a-token-of-an-auditor"}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": "auditor"}} for name in ports],
    }
    file = folder / "kubeconfig"
    file.write_text(yaml.safe_dump(data))
    return file


def ray_object(kind: str, name: str, namespace: str = "ml", **spec: Any) -> dict[str, Any]:
    """An object as an API server stores it."""
    return {
        "apiVersion": "ray.io/v1",
        "kind": kind,
        "metadata": {
            "name": name,
            "namespace": namespace,
            "uid": f"{namespace}-{kind}-{name}",
            "managedFields": [{"manager": "kubectl", "fieldsV1": {"f:spec": {}}}],
        },
        "spec": spec,
        "status": {"state": "ready"},
    }


def pod(name: str) -> dict[str, Any]:
    size = {"cpu": "2", "memory": "8Gi"}
    container = {"name": name, "image": "rayproject/ray:2.46.0", "resources": {"requests": size, "limits": size}}
    return {"spec": {"containers": [container]}}


def good(name: str, namespace: str = "ml") -> dict[str, Any]:
    head = {"rayStartParams": {}, "template": pod("ray-head")}
    return ray_object("RayCluster", name, namespace, rayVersion="2.46.0", headGroupSpec=head)


def bad(name: str, namespace: str = "ml") -> dict[str, Any]:
    """A worker group whose minimum is above its maximum: KubeRay refuses it."""
    found = good(name, namespace)
    group = {"groupName": "w", "replicas": 1, "minReplicas": 3, "maxReplicas": 1, "rayStartParams": {}}
    found["spec"]["workerGroupSpecs"] = [{**group, "template": pod("ray-worker")}]
    return found
