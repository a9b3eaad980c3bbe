"""The certificate that is served, and its change while connections are open.

A new pair is loaded into a context of its own, checked, and only then put in the place of the old one: a live
context that was given a certificate without its key fails every later handshake. A handshake takes the context of
the moment it begins; connections that stand keep theirs.
"""

from __future__ import annotations

import logging
import ssl
from datetime import datetime, timezone
from fnmatch import fnmatchcase
from hashlib import sha256

from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509 import Certificate, DNSName, ExtensionNotFound, SubjectAlternativeName
from cryptography.x509 import load_pem_x509_certificates as certificates_in

from raylint.errors import UsageError

from .logs import event
from .metrics import Metrics
from .settings import Settings

__all__ = ["Certificates"]

_MINIMUM = {"1.2": ssl.TLSVersion.TLSv1_2, "1.3": ssl.TLSVersion.TLSv1_3}


class _Pair:
    """A pair that can be served. ``starts`` and ``ends`` bound the days on which it is valid."""

    def __init__(self, context: ssl.SSLContext, certificate: Certificate, digest: str) -> None:
        self.context = context
        self.starts = certificate.not_valid_before_utc
        self.ends = certificate.not_valid_after_utc
        self.shown = certificate.public_bytes(Encoding.DER)
        self.digest = digest

    @property
    def fault(self) -> str:
        """Why it is not to be served now; by the wall clock, which a suspended machine does not stop."""
        now = datetime.now(timezone.utc)
        if now < self.starts:
            return f"the certificate is not valid before {self.starts:%Y-%m-%dT%H:%M:%SZ}"
        return f"the certificate expired on {self.ends:%Y-%m-%dT%H:%M:%SZ}" if now > self.ends else ""


class Certificates:
    """The pair in the files of the settings, kept as new as they are."""

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        """UsageError: there is no pair to begin with."""
        self._settings = settings
        self._metrics = metrics
        # Of files that were tried and not taken: they are tried again when they change, or when their day comes.
        self._refused = ""
        self._refused_until: datetime | None = None
        self.last_error = ""
        # What a handshake may show, as DER: that of now, and that of before for those that are under way.
        self.served: tuple[bytes, ...] = ()
        try:
            self._pair = self._load(self._digest())
        except (OSError, ValueError, ssl.SSLError) as error:
            raise UsageError(f"the certificate cannot be served: {_reason(error)}") from None
        self._served()
        self.listening = self._context()
        self.listening.sni_callback = self._choose

    @property
    def fault(self) -> str:
        """Why clients would not accept what is served; empty where they would."""
        return self._pair.fault

    def refresh(self) -> None:
        """Take the pair in the files if it is another one and can be served. Blocks for some milliseconds."""
        try:
            digest = self._digest()
            if digest == self._pair.digest:
                # What could not be served was taken back.
                self._refused, self.last_error = "", ""
                self._metrics.tls_reloaded.set(1)
                return
            if digest == self._refused and not self._has_come():
                return
            self._refused_until = None
            pair = self._load(digest)
            if pair.fault:
                self._refused_until = pair.starts
                raise ValueError(pair.fault)
            if self._digest() != digest:
                raise ValueError("the files changed while they were read")
        except (OSError, ValueError, ssl.SSLError) as error:
            self._refuse(_reason(error))
            return
        self._pair, self._refused, self.last_error = pair, "", ""
        self._served()
        self._metrics.tls_reloads.labels("success").inc()
        self._metrics.tls_reloaded.set(1)
        event(logging.INFO, "certificate loaded", expires=f"{pair.ends:%Y-%m-%dT%H:%M:%SZ}")

    def _has_come(self) -> bool:
        """Has the day come from which on the refused pair is valid? (Of one that has expired, the day is over.)"""
        if self._refused_until is None or datetime.now(timezone.utc) < self._refused_until:
            return False
        self._refused_until = None
        return True

    def _refuse(self, reason: str) -> None:
        if reason != self.last_error:
            event(logging.ERROR, "certificate not loaded; the old one is served", reason=reason)
        self.last_error = reason
        self._metrics.tls_reloads.labels("failure").inc()
        self._metrics.tls_reloaded.set(0)
        try:
            self._refused = self._digest()
        except OSError:
            self._refused = ""

    def _served(self) -> None:
        self.served = (*self.served[-1:], self._pair.shown)
        self._metrics.expiry.set(self._pair.ends.timestamp())

    def _choose(self, connection: ssl.SSLObject, name: str | None, listening: ssl.SSLContext) -> None:
        """Called in each handshake, with a server name or without."""
        connection.context = self._pair.context

    def _digest(self) -> str:
        digest = sha256()
        for path in filter(None, (self._settings.certificate, self._settings.key, self._settings.client_ca)):
            with open(path, "rb") as stream:
                content = stream.read()
            digest.update(len(content).to_bytes(8, "big") + content)
        return digest.hexdigest()

    def _load(self, digest: str) -> _Pair:
        context = self._context()
        # Fails where the key is not that of the certificate.
        context.load_cert_chain(self._settings.certificate, self._settings.key)
        with open(self._settings.certificate, "rb") as stream:
            leaf = certificates_in(stream.read())[0]
        wanted = self._settings.server_names
        names = _names(leaf)
        if wanted and not any(fnmatchcase(name, pattern) for name in wanted for pattern in names):
            raise ValueError(
                f"the certificate is for {', '.join(names) or 'no name'}, not for {', '.join(wanted)}"
            )
        return _Pair(context, leaf, digest)

    def _context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = _MINIMUM[self._settings.tls_minimum]
        context.options |= ssl.OP_NO_RENEGOTIATION
        if self._settings.client_ca:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(self._settings.client_ca)
            # A resumed session would not be checked again.
            context.num_tickets = 0
            context.options |= ssl.OP_NO_TICKET
        return context


def _names(certificate: Certificate) -> list[str]:
    try:
        names = certificate.extensions.get_extension_for_class(SubjectAlternativeName).value
    except ExtensionNotFound:
        return []
    return names.get_values_for_type(DNSName)


def _reason(error: Exception) -> str:
    if isinstance(error, ssl.SSLError):
        return f"the certificate and the key do not fit together, or cannot be read ({error.reason})"
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}"
    return str(error)
