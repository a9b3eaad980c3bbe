"""The chart's own words, configuration and kind of certificate, given to the real server."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

import yaml
from api_server import decided
from reviews import changed, cluster, create
from server_process import eventually, serving

from deploy.render import MANIFESTS
from raylint_webhook.authority import Authority

NAME = "raylint-webhook.raylint.svc"


def test_the_server_of_the_manifests_answers_as_an_api_server_calls_it(tmp_path: Path) -> None:
    objects = list(yaml.safe_load_all((MANIFESTS / "self-signed.yaml").read_text()))
    (hook,) = next(item for item in objects if item["kind"] == "ValidatingWebhookConfiguration")["webhooks"]
    service = hook["clientConfig"]["service"]
    assert f"{service['name']}.{service['namespace']}.svc" == NAME
    authority = Authority.made("CA", datetime.now(timezone.utc))
    pair = authority.leaf((NAME,), datetime.now(timezone.utc))
    (tmp_path / "tls.crt").write_bytes(pair.certificate)
    (tmp_path / "tls.key").write_bytes(pair.key)
    deployment = next(item for item in objects if item["kind"] == "Deployment")
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    command, verb, *words = container["args"]
    assert (command, verb) == ("webhook", "serve")
    folder = tmp_path / "server"
    # Where the volumes are mounted, and ports that are free here.
    words = [
        word.replace("/etc/raylint/tls", str(tmp_path)).replace("/etc/raylint/config/.", f"{folder}/")
        for word in words
    ]
    config = next(item for item in objects if item["kind"] == "ConfigMap")["data"][".raylint.yaml"]
    with serving(folder, *words, "--port=0", "--health-port=0", config=config) as server:
        eventually(lambda: server.readiness()["ready"], "readiness")
        assert server.readiness()["configuration_reload"] == "good"
        context = ssl.create_default_context(cadata=authority.pair.certificate.decode())
        plain = socket.create_connection(("127.0.0.1", server.port), timeout=10)
        with context.wrap_socket(plain, server_hostname=NAME) as connection:
            review = create(changed(cluster(), "spec", "workerGroupSpecs", 0, "minReplicas", to=9))
            body = json.dumps(review).encode()
            head = f"POST {service['path']}?timeout={hook['timeoutSeconds']}s HTTP/1.1\r\nHost: {NAME}\r\n"
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            connection.sendall(head.encode() + body)
            reply = http.client.HTTPResponse(connection)
            reply.begin()
            result = decided(review["request"]["uid"], reply.read())
            reply.close()
    # The chart begins with warnings.
    assert result.allowed
    assert any("KR028" in text for text in result.warnings)


def test_the_first_words_of_the_container_file_are_understood() -> None:
    """The image cannot be built in every place where tests run; its default command can be tried."""
    lines = (MANIFESTS.parent / "Containerfile").read_text().splitlines()
    entry, command = (
        json.loads(next(line.partition(" ")[2] for line in lines if line.startswith(word)))
        for word in ("ENTRYPOINT", "CMD")
    )
    assert entry == ["raylint"]
    done = subprocess.run([sys.executable, "-m", *entry, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "--tls-cert" in done.stdout
