"""``raylint webhook bootstrap-certs`` against a stand-in for an API server."""

from __future__ import annotations

import base64
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography import x509
from fake_objects import HOOKS, SECRETS, Objects, running

from raylint.cli import main
from raylint_webhook import authority, bootstrap

HOST = "raylint-webhook.raylint.svc"
Run = Callable[..., int]


def empty_secret() -> dict[str, Any]:
    """As the chart makes it."""
    return {"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "metadata": {"labels": {"kept": "yes"}}}


def hook() -> dict[str, Any]:
    entry = {
        "name": "validate.webhook.raylint",
        "clientConfig": {"service": {"name": "raylint-webhook", "namespace": "raylint", "path": "/validate"}},
        "failurePolicy": "Ignore",
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "matchConditions": [{"name": "not-terminating", "expression": "true"}],
    }
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {},
        "webhooks": [entry],
    }


@pytest.fixture
def objects() -> Iterator[Objects]:
    found = Objects()
    for name in ("pair", "ca"):
        found.put(f"{SECRETS}/{name}", empty_secret())
    found.put(f"{HOOKS}/hook", hook())
    with running(found):
        yield found


@pytest.fixture
def run(objects: Objects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr(bootstrap.time, "sleep", lambda seconds: None)
    data = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "here",
        "clusters": [{"name": "here", "cluster": {"server": f"http://127.0.0.1:{objects.port}"}}],
        "users": [{"name": "job", "user": {"token": "t"}}],
        "contexts": [{"name": "here", "context": {"cluster": "here", "user": "job"}}],
    }
    file = tmp_path / "kubeconfig"
    file.write_text(yaml.safe_dump(data))

    def called(*words: str) -> int:
        fixed = ["--namespace=raylint", "--service=raylint-webhook", "--secret=pair", "--ca-secret=ca"]
        return main(
            ["webhook", "bootstrap-certs", *fixed, "--kubeconfig", str(file), "--configuration=hook", *words]
        )

    return called


def text(objects: Objects, secret: str, key: str) -> bytes:
    return base64.b64decode(objects.data(secret)[key])


def bundle(objects: Objects) -> bytes:
    return base64.b64decode(objects.kept[f"{HOOKS}/hook"]["webhooks"][0]["clientConfig"]["caBundle"])


def shakes_hands(objects: Objects, folder: Path, name: str = HOST) -> None:
    """As an API server does: by the bundle, and by the name of the Service."""
    (folder / "crt").write_bytes(text(objects, "pair", "tls.crt"))
    (folder / "key").write_bytes(text(objects, "pair", "tls.key"))
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(folder / "crt", folder / "key")
    client = ssl.create_default_context(cadata=bundle(objects).decode())
    # What Python asks for by itself from 3.13 on.
    client.verify_flags |= ssl.VERIFY_X509_STRICT
    near, far = socket.socketpair()

    def serve() -> None:
        # A client that does not like the certificate goes away.
        with suppress(OSError), far, server.wrap_socket(far, server_side=True):
            pass

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        with near, client.wrap_socket(near, server_hostname=name):
            pass
    finally:
        thread.join()


def test_everything_is_made(objects: Objects, run: Run, tmp_path: Path) -> None:
    assert run() == 0
    shakes_hands(objects, tmp_path)
    assert text(objects, "pair", "ca.crt") == bundle(objects) == text(objects, "ca", "tls.crt")
    # What signs is trusted before anything that it signed is served.
    assert objects.writes == [f"{SECRETS}/ca", f"{HOOKS}/hook", f"{SECRETS}/pair"]


def test_another_name_is_not_covered(objects: Objects, run: Run, tmp_path: Path) -> None:
    run()
    with pytest.raises(ssl.SSLCertVerificationError, match="Hostname mismatch"):
        shakes_hands(objects, tmp_path, "other.raylint.svc")


def test_the_rest_of_what_is_written_to_stays(objects: Objects, run: Run) -> None:
    run()
    (found,) = objects.kept[f"{HOOKS}/hook"]["webhooks"]
    (expected,) = hook()["webhooks"]
    found["clientConfig"].pop("caBundle")
    assert found == expected
    assert objects.kept[f"{SECRETS}/pair"]["metadata"]["labels"] == {"kept": "yes"}
    assert objects.types == {"application/strategic-merge-patch+json"}


def test_secrets_that_are_missing_are_made(objects: Objects, run: Run, tmp_path: Path) -> None:
    for name in ("pair", "ca"):
        del objects.kept[f"{SECRETS}/{name}"]
    assert run() == 0
    shakes_hands(objects, tmp_path)


def test_what_is_good_is_left(objects: Objects, run: Run) -> None:
    run()
    objects.writes.clear()
    assert run() == 0
    assert objects.writes == []


def made(names: tuple[str, ...] = (HOST,), *, days_ago: int = 0, by: authority.Authority | None = None) -> Any:
    now = datetime.now(timezone.utc) - timedelta(days=days_ago)
    by = by or authority.Authority.made("CA", now)
    return by, by.leaf(names, now)


def keep(objects: Objects, by: authority.Authority, pair: authority.Pair) -> None:
    for name, found in (("ca", by.pair), ("pair", pair)):
        data = {"tls.crt": found.certificate, "tls.key": found.key, "ca.crt": by.pair.certificate}
        encoded = {key: base64.b64encode(value).decode() for key, value in data.items()}
        objects.put(f"{SECRETS}/{name}", {**empty_secret(), "data": encoded})


ALL_NAMES = (HOST, f"{HOST}.cluster.local", "raylint-webhook.raylint")


@pytest.mark.parametrize(("days", "renewed"), [(0, False), (240, False), (250, True), (400, True)])
def test_it_is_renewed_when_a_third_of_its_time_is_left(
    objects: Objects, run: Run, tmp_path: Path, days: int, renewed: bool
) -> None:
    by, pair = made(ALL_NAMES, days_ago=days)
    keep(objects, by, pair)
    assert run() == 0
    assert (text(objects, "pair", "tls.crt") != pair.certificate) is renewed
    # The authority is the same: API servers need not learn anything.
    assert bundle(objects) == by.pair.certificate
    shakes_hands(objects, tmp_path)


def test_an_old_authority_is_trusted_beside_the_new_one(objects: Objects, run: Run, tmp_path: Path) -> None:
    by, pair = made(ALL_NAMES, days_ago=3400)
    keep(objects, by, pair)
    assert run() == 0
    assert bundle(objects).endswith(by.pair.certificate)
    assert len(x509.load_pem_x509_certificates(bundle(objects))) == 2
    shakes_hands(objects, tmp_path)
    objects.writes.clear()
    assert run() == 0
    assert objects.writes == []


@pytest.mark.parametrize("fault", ["key of another", "name of another", "authority of another", "no PEM"])
def test_a_pair_that_cannot_be_served_is_replaced(objects: Objects, run: Run, tmp_path: Path, fault: str) -> None:
    by, pair = made(ALL_NAMES)
    _, other = made(ALL_NAMES)
    bad = {
        "key of another": authority.Pair(pair.certificate, other.key),
        "name of another": made(("other.raylint.svc",), by=by)[1],
        "authority of another": other,
        "no PEM": authority.Pair(b"none", b"none"),
    }[fault]
    keep(objects, by, bad)
    assert run() == 0
    assert bundle(objects) == by.pair.certificate
    shakes_hands(objects, tmp_path)


def test_a_bundle_that_somebody_took_away_comes_back(objects: Objects, run: Run, tmp_path: Path) -> None:
    run()
    objects.put(f"{HOOKS}/hook", hook())
    assert run() == 0
    shakes_hands(objects, tmp_path)


def test_it_waits_for_the_configuration(
    objects: Objects, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = objects.kept.pop(f"{HOOKS}/hook")
    # Between two attempts somebody installs it.
    pauses: list[float] = []

    def installed(seconds: float) -> None:
        pauses.append(seconds)
        objects.kept[f"{HOOKS}/hook"] = found

    monkeypatch.setattr(bootstrap.time, "sleep", installed)
    assert run("--wait", "60") == 0
    assert len(pauses) == 1
    shakes_hands(objects, tmp_path)


@pytest.mark.parametrize("code", [409, 429, 500, 503])
def test_what_passes_is_tried_again(objects: Objects, run: Run, tmp_path: Path, code: int) -> None:
    objects.instead = [code]
    assert run("--wait", "60") == 0
    shakes_hands(objects, tmp_path)


@pytest.mark.parametrize("code", [401, 403, 422])
def test_what_does_not_pass_is_told(
    objects: Objects, run: Run, capfd: pytest.CaptureFixture[str], code: int
) -> None:
    objects.instead = [code]
    assert run("--wait", "60") == 2
    assert f"the API server refuses: {code}" in capfd.readouterr().err


def test_somebody_who_writes_at_the_same_time_is_not_written_over(objects: Objects, run: Run) -> None:
    """Two jobs at a time: one pair wins, and both are content with it."""
    threads = [threading.Thread(target=run, args=("--wait", "60")) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert objects.writes.count(f"{SECRETS}/ca") == 1
    assert objects.writes.count(f"{SECRETS}/pair") == 1
    assert bundle(objects) == text(objects, "ca", "tls.crt")


def test_keys_are_not_logged(objects: Objects, run: Run, capfd: pytest.CaptureFixture[str]) -> None:
    run()
    told = capfd.readouterr()
    assert "certificate made" in told.err
    assert "PRIVATE" not in told.err + told.out
    assert objects.data("pair")["tls.key"] not in told.err + told.out


def test_outside_of_a_cluster(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    words = ["--namespace=a", "--service=b", "--secret=c", "--ca-secret=d"]
    assert main(["webhook", "bootstrap-certs", *words]) == 2
    assert "no cluster to speak to" in capfd.readouterr().err
