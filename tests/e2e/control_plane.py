"""A real API server: one that is started here from KUBEBUILDER_ASSETS, or one that RAYLINT_E2E_KUBECONFIG names.

| variable | what it says |
| --- | --- |
| KUBEBUILDER_ASSETS | a folder with kube-apiserver, etcd and kubectl, as envtest lays it out |
| RAYLINT_E2E_KUBECONFIG | or else a kubeconfig whose current context may do everything (kind, any test cluster) |
| RAYLINT_E2E_WEBHOOK_HOST | with it: the name or address under which that cluster's API server reaches this host |
| RAYLINT_E2E_CRDS | the folder (or file) with KubeRay's CRDs as YAML |
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

STARTING = 60.0


class NotAtHandError(Exception):
    """Why there is no control plane to run against."""


@dataclass
class Done:
    """A call of kubectl."""

    code: int
    out: str
    err: str

    @property
    def warnings(self) -> list[str]:
        return [line.removeprefix("Warning: ") for line in self.err.splitlines() if line.startswith("Warning: ")]


class ControlPlane:
    """An API server, and kubectl to speak to it. ``host``: under which it reaches what listens here."""

    def __init__(self, kubectl: str, kubeconfig: Path, host: str) -> None:
        self._kubectl = kubectl
        self._kubeconfig = kubeconfig
        self.host = host

    def kubectl(self, *words: str, stdin: str | Mapping[str, Any] = "", user: str = "") -> Done:
        command = [self._kubectl, "--kubeconfig", str(self._kubeconfig), *words]
        if user:
            command += ["--as", user]
            if user.startswith("system:serviceaccount:"):
                command += ["--as-group", "system:serviceaccounts", "--as-group", "system:masters"]
        text = stdin if isinstance(stdin, str) else yaml.safe_dump(dict(stdin))
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=120)
        return Done(done.returncode, done.stdout, done.stderr)

    def must(self, *words: str, stdin: str | Mapping[str, Any] = "", user: str = "") -> Done:
        done = self.kubectl(*words, stdin=stdin, user=user)
        assert done.code == 0, f"kubectl {' '.join(words)}: {done.err}"
        return done


@contextmanager
def control_plane(folder: Path, kubectl: str) -> Iterator[ControlPlane]:
    """NotAtHandError: neither is there. ``kubectl`` counts where the assets hold none."""
    crds = os.environ.get("RAYLINT_E2E_CRDS", "")
    assets = os.environ.get("KUBEBUILDER_ASSETS", "")
    kubeconfig = os.environ.get("RAYLINT_E2E_KUBECONFIG", "")
    host = os.environ.get("RAYLINT_E2E_WEBHOOK_HOST", "")
    if not (assets or kubeconfig):
        raise NotAtHandError("neither KUBEBUILDER_ASSETS nor RAYLINT_E2E_KUBECONFIG names an API server")
    if not crds:
        raise NotAtHandError("RAYLINT_E2E_CRDS does not say where KubeRay's CRDs are")
    if assets:
        with _started(folder, Path(assets), kubectl) as plane:
            _install(plane, Path(crds))
            yield plane
        return
    if not host:
        raise NotAtHandError("RAYLINT_E2E_WEBHOOK_HOST does not say where that API server reaches this host")
    plane = ControlPlane(shutil.which("kubectl") or kubectl, Path(kubeconfig), host)
    _install(plane, Path(crds))
    yield plane


def _install(plane: ControlPlane, crds: Path) -> None:
    """CRDs that are there stay as they are."""
    files = sorted(crds.rglob("*.y*ml")) if crds.is_dir() else [crds]
    for file in files:
        done = plane.kubectl("create", "-f", str(file))
        assert done.code == 0 or "AlreadyExists" in done.err, done.err
    names = [f"crd/{plural}.ray.io" for plural in ("rayclusters", "rayjobs", "rayservices")]
    plane.must("wait", "--for=condition=Established", "--timeout=60s", *names)


@contextmanager
def _started(folder: Path, assets: Path, kubectl: str) -> Iterator[ControlPlane]:
    keys = _Keys(folder)
    etcd, peers, port = _free_port(), _free_port(), _free_port()
    client = f"http://127.0.0.1:{etcd}"
    peer = f"http://127.0.0.1:{peers}"
    with _process(
        folder / "etcd.log",
        str(assets / "etcd"),
        f"--data-dir={folder / 'etcd'}",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
        "--unsafe-no-fsync",
    ), _process(
        folder / "kube-apiserver.log",
        str(assets / "kube-apiserver"),
        f"--etcd-servers={client}",
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        f"--secure-port={port}",
        f"--tls-cert-file={keys.server[0]}",
        f"--tls-private-key-file={keys.server[1]}",
        f"--client-ca-file={keys.authority}",
        f"--service-account-key-file={keys.accounts}",
        f"--service-account-signing-key-file={keys.accounts}",
        "--service-account-issuer=https://kubernetes.default.svc",
        "--service-cluster-ip-range=10.0.0.0/24",
        "--authorization-mode=RBAC",
        "--disable-admission-plugins=ServiceAccount",
    ):  # fmt: skip
        own = assets / "kubectl"
        plane = ControlPlane(str(own) if own.exists() else kubectl, keys.kubeconfig(port), "127.0.0.1")
        end = time.monotonic() + STARTING
        while plane.kubectl("get", "--raw", "/readyz").code:
            log = (folder / "kube-apiserver.log").read_text()[-2000:]
            assert time.monotonic() < end, f"the API server does not start: {log}"
            time.sleep(0.5)
        yield plane


@contextmanager
def _process(log: Path, *command: str) -> Iterator[None]:
    with log.open("wb") as stream:
        process = subprocess.Popen(command, stdout=stream, stderr=stream)
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


class _Keys:
    """What an API server and its administrator need."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "e2e CA")])
        self._issuer = subject
        certificate = self._signed(subject, self._key, ca=True)
        self.authority = self._file("ca.crt", certificate.public_bytes(Encoding.PEM))
        self.server = self._pair("server", [("kube-apiserver", NameOID.COMMON_NAME)])
        admin = [("system:masters", NameOID.ORGANIZATION_NAME), ("admin", NameOID.COMMON_NAME)]
        self._admin = self._pair("admin", admin)
        self.accounts = self._file("accounts.key", _pem(rsa.generate_private_key(65537, 2048)))

    def _pair(self, name: str, subject: list[tuple[str, x509.ObjectIdentifier]]) -> tuple[Path, Path]:
        key = ec.generate_private_key(ec.SECP256R1())
        attributes = x509.Name([x509.NameAttribute(kind, value) for value, kind in subject])
        certificate = self._signed(attributes, key, ca=False)
        return (
            self._file(f"{name}.crt", certificate.public_bytes(Encoding.PEM)),
            self._file(f"{name}.key", _pem(key)),
        )

    def _signed(self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, *, ca: bool) -> x509.Certificate:
        now, day = datetime.now(timezone.utc), timedelta(days=1)
        builder = x509.CertificateBuilder().subject_name(subject).issuer_name(self._issuer)
        builder = builder.public_key(key.public_key()).serial_number(x509.random_serial_number())
        builder = builder.not_valid_before(now - day).not_valid_after(now + day)
        builder = builder.add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
        if not ca:
            local = x509.IPAddress(ip_address("127.0.0.1"))
            builder = builder.add_extension(x509.SubjectAlternativeName([local]), critical=False)
        return builder.sign(self._key, hashes.SHA256())

    def _file(self, name: str, content: bytes) -> Path:
        file = self._folder / name
        file.write_bytes(content)
        return file

    def kubeconfig(self, port: int) -> Path:
        cluster = {"server": f"https://127.0.0.1:{port}", "certificate-authority": str(self.authority)}
        user = {"client-certificate": str(self._admin[0]), "client-key": str(self._admin[1])}
        data = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "e2e",
            "clusters": [{"name": "e2e", "cluster": cluster}],
            "users": [{"name": "admin", "user": user}],
            "contexts": [{"name": "e2e", "context": {"cluster": "e2e", "user": "admin"}}],
        }
        return self._file("kubeconfig", yaml.safe_dump(data).encode())


def _pem(key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
