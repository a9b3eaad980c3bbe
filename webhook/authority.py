"""A certificate authority of the webhook's own: its certificate, and those that it signs for a Service."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

__all__ = ["Authority", "Pair", "is_good_leaf"]

DAY = timedelta(days=1)
AUTHORITY_LASTS = 3650 * DAY
LEAF_LASTS = 365 * DAY
# An API server whose clock is behind takes the certificate all the same.
BACKDATED = timedelta(hours=1)


@dataclass(frozen=True)
class Pair:
    """A certificate and its private key, as PEM texts."""

    certificate: bytes
    key: bytes


class Authority:
    """Signs certificates of servers. ValueError: the pair is none of an authority."""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self._certificate = x509.load_pem_x509_certificate(pair.certificate)
        key = load_pem_private_key(pair.key, None)
        if not isinstance(key, ec.EllipticCurvePrivateKey) or not _fit(self._certificate, key):
            raise ValueError("the key is not that of the certificate")
        self._key = key

    @classmethod
    def made(cls, name: str, now: datetime) -> Authority:
        """A new one, good for ten years."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = _name(name)
        builder = _builder(subject, subject, key.public_key(), now, AUTHORITY_LASTS)
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        builder = builder.add_extension(_usage(signs_certificates=True), critical=True)
        return cls(Pair(_pem(builder.sign(key, hashes.SHA256())), _key_pem(key)))

    def outlives_a_leaf(self, now: datetime) -> bool:
        """Will what is signed now end before the authority does?"""
        starts, ends = self._certificate.not_valid_before_utc, self._certificate.not_valid_after_utc
        return starts <= now and now + LEAF_LASTS + DAY < ends

    def leaf(self, names: tuple[str, ...], now: datetime) -> Pair:
        """A certificate for a server of these DNS names, good for a year."""
        key = ec.generate_private_key(ec.SECP256R1())
        public = key.public_key()
        builder = _builder(_name(names[0]), self._certificate.subject, public, now, LEAF_LASTS)
        builder = builder.add_extension(
            x509.SubjectAlternativeName(list(map(x509.DNSName, names))), critical=False
        )
        builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        builder = builder.add_extension(_usage(signs_certificates=False), critical=True)
        builder = builder.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        builder = builder.add_extension(issuer, critical=False)
        return Pair(_pem(builder.sign(self._key, hashes.SHA256())), _key_pem(key))


def is_good_leaf(pair: Pair, authority: Authority, names: tuple[str, ...], now: datetime) -> bool:
    """Can the pair still be served: signed by the authority, for these names, its key its own, and with more than
    a third of its time before it?"""
    try:
        certificate = x509.load_pem_x509_certificate(pair.certificate)
        key = load_pem_private_key(pair.key, None)
        certificate.verify_directly_issued_by(authority._certificate)
        extension = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except (ValueError, TypeError, InvalidSignature, UnsupportedAlgorithm, x509.ExtensionNotFound):
        return False
    starts, ends = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    held = extension.value.get_values_for_type(x509.DNSName)
    fits = isinstance(key, ec.EllipticCurvePrivateKey) and _fit(certificate, key)
    return fits and set(names) <= set(held) and starts <= now < ends - (ends - starts) / 3


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, now: datetime, lasts: timedelta
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATED)
        .not_valid_after(now + lasts)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _name(common_name: str) -> x509.Name:
    # The field holds 64 characters; what counts is the alternative name.
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name[:64])])


def _fit(certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey) -> bool:
    form = Encoding.DER, PublicFormat.SubjectPublicKeyInfo
    return certificate.public_key().public_bytes(*form) == key.public_key().public_bytes(*form)


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(Encoding.PEM)


def _key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
