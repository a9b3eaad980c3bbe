"""Certificates for tests, made when they are needed."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import cached_property
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

DAY = timedelta(days=1)


def _name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _alternative(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _key_text(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


@dataclass(frozen=True)
class Pair:
    """PEM texts."""

    certificate: bytes
    key: bytes

    @property
    def serial(self) -> int:
        return x509.load_pem_x509_certificate(self.certificate).serial_number


class Authority:
    """A CA that signs leaves."""

    def __init__(self, name: str = "test CA") -> None:
        self._name = _name(name)
        self._key = ec.generate_private_key(ec.SECP256R1())

    @cached_property
    def certificate(self) -> bytes:
        return (
            self._build(self._name, self._key, -DAY, 30 * DAY)
            .sign(self._key, hashes.SHA256())
            .public_bytes(Encoding.PEM)
        )

    def _build(
        self, name: x509.Name, key: ec.EllipticCurvePrivateKey, starts: timedelta, ends: timedelta, ca: bool = True
    ) -> x509.CertificateBuilder:
        now = datetime.now(timezone.utc)
        return (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now + starts)
            .not_valid_after(now + ends)
            .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
        )

    def leaf(
        self,
        name: str = "raylint.raylint.svc",
        *,
        starts: timedelta = -DAY,
        ends: timedelta = 10 * DAY,
    ) -> Pair:
        """A certificate for ``name`` (a DNS name or an address), localhost and 127.0.0.1."""
        key = ec.generate_private_key(ec.SECP256R1())
        names = [
            _alternative(name),
            x509.DNSName("localhost"),
            x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
        ]
        builder = self._build(_name(name), key, starts, ends, ca=False)
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        return Pair(builder.sign(self._key, hashes.SHA256()).public_bytes(Encoding.PEM), _key_text(key))


class SecretVolume:
    """A folder as kubelet mounts a Secret: files are links into a folder of data that is swapped whole."""

    def __init__(self, folder: Path, pair: Pair) -> None:
        self._folder = folder
        self._number = 0
        folder.mkdir()
        self.put(pair)
        for name in ("tls.crt", "tls.key"):
            (folder / name).symlink_to(Path("..data") / name)

    @property
    def certificate(self) -> Path:
        return self._folder / "tls.crt"

    @property
    def key(self) -> Path:
        return self._folder / "tls.key"

    def put(self, pair: Pair) -> None:
        """Swap the data, as kubelet does."""
        self._number += 1
        data = self._folder / f"..{self._number}"
        data.mkdir()
        (data / "tls.crt").write_bytes(pair.certificate)
        (data / "tls.key").write_bytes(pair.key)
        fresh = self._folder / "..data_tmp"
        fresh.symlink_to(data.name)
        os.replace(fresh, self._folder / "..data")

    def tear(self, certificate: bytes | None = None, key: bytes | None = None) -> None:
        """Write one file and not the other, as a careless script does."""
        data = (self._folder / "..data").resolve()
        if certificate is not None:
            (data / "tls.crt").write_bytes(certificate)
        if key is not None:
            (data / "tls.key").write_bytes(key)
