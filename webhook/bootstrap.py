"""``raylint webhook bootstrap-certs``: certificates where nobody else makes them.

Two Secrets: one with the authority, one with the pair that the webhook serves. What is good is left as it is, so
it can be run again at any time; it renews what has less than a third of its time before it. API servers must trust
a new authority before anything that it signed is served, and the old one for as long as its certificate is: so the
bundle is written first, and holds the one before, too.
"""

from __future__ import annotations

import base64
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from kubernetes import client, config
from kubernetes.client.exceptions import ApiException
from urllib3.exceptions import HTTPError

from raylint.errors import UsageError

from .authority import Authority, Pair, is_good_leaf
from .logs import configure, event

__all__ = ["Wanted", "bootstrap"]

# Seconds to connect, and to read.
_TIMEOUT = (10.0, 10.0)
_PAUSE = 2.0
_CERTIFICATE, _KEY, _BUNDLE = "tls.crt", "tls.key", "ca.crt"
_END = b"-----END CERTIFICATE-----"
# Two runs at a time: the second sees what the first has written, and need not write.
_CONFLICT = 409


@dataclass(frozen=True)
class Wanted:
    """What is to be there. ``wait``: how many seconds to wait for what is not there yet, or does not answer."""

    namespace: str
    service: str
    secret: str
    authority_secret: str
    # The ValidatingWebhookConfiguration; empty: its bundle is written by somebody else.
    configuration: str = ""
    wait: float = 0.0
    kubeconfig: str = ""
    context: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """What an API server checks is the first."""
        host = f"{self.service}.{self.namespace}"
        return f"{host}.svc", f"{host}.svc.cluster.local", host


class _Secret:
    """A Secret as it was read; ``version`` is empty where there is none."""

    def __init__(self, name: str, data: dict[str, bytes], version: str) -> None:
        self.name = name
        self.version = version
        self.data = data
        self.pair = Pair(data.get(_CERTIFICATE, b""), data.get(_KEY, b""))


def bootstrap(wanted: Wanted) -> int:
    """Make what is missing; the exit code. UsageError: there is no cluster to speak to, or it refuses."""
    configure("info")
    settings = client.Configuration()
    settings.retries = False
    try:
        if wanted.kubeconfig or wanted.context:
            config.load_kube_config(
                wanted.kubeconfig or None,
                wanted.context or None,
                client_configuration=settings,
                persist_config=False,
            )
        else:
            config.load_incluster_config(client_configuration=settings)
    except (config.ConfigException, OSError) as error:
        hint = "outside of a pod --kubeconfig or --context says which"
        raise UsageError(f"no cluster to speak to: {error}; {hint}") from None
    with client.ApiClient(settings) as connection:
        _patiently(wanted.wait, lambda: _Bootstrap(wanted, connection).run())
    return 0


def _patiently(seconds: float, work: Callable[[], None]) -> None:
    """Work until it is done; what is done already is not done again."""
    end = time.monotonic() + seconds
    while True:
        try:
            work()
            return
        except ApiException as error:
            passing = error.status in (404, _CONFLICT, 429) or error.status >= 500
            reason = f"{error.status} {error.reason}"
        except HTTPError as error:
            passing, reason = True, type(error).__name__
        if not passing or time.monotonic() >= end:
            raise UsageError(f"the API server refuses: {reason}")
        event(logging.INFO, "waiting", reason=reason)
        time.sleep(min(_PAUSE, max(0.0, end - time.monotonic())))


class _Bootstrap:
    def __init__(self, wanted: Wanted, connection: client.ApiClient) -> None:
        self._wanted = wanted
        self._core = client.CoreV1Api(connection)
        self._admission = client.AdmissionregistrationV1Api(connection)
        self._now = datetime.now(timezone.utc)

    def run(self) -> None:
        authority, bundle = self._authority()
        if self._wanted.configuration:
            self._trust(bundle)
        self._leaf(authority, bundle)

    def _authority(self) -> tuple[Authority, bytes]:
        """The authority that signs, and all certificates that are to be trusted."""
        secret = self._read(self._wanted.authority_secret)
        try:
            known = Authority(secret.pair)
        except ValueError:
            known = None
        if known is not None and known.outlives_a_leaf(self._now):
            return known, secret.data.get(_BUNDLE) or known.pair.certificate
        made = Authority.made(f"{self._wanted.service} CA", self._now)
        before = secret.pair.certificate if known is not None else b""
        bundle = made.pair.certificate + before
        self._write(secret, {_CERTIFICATE: made.pair.certificate, _KEY: made.pair.key, _BUNDLE: bundle})
        event(logging.INFO, "authority made", secret=secret.name, replaces=bool(before))
        return made, bundle

    def _trust(self, bundle: bytes) -> None:
        """Let API servers trust the bundle. What else there is in the configuration stays as it is."""
        name = self._wanted.configuration
        found = self._admission.read_validating_webhook_configuration(name, _request_timeout=_TIMEOUT)
        text = base64.b64encode(bundle).decode()
        stale = [hook.name for hook in found.webhooks or () if hook.client_config.ca_bundle != text]
        if not stale:
            return
        # A strategic merge: webhooks are told apart by their names.
        body = {
            "metadata": {"resourceVersion": found.metadata.resource_version},
            "webhooks": [{"name": hook, "clientConfig": {"caBundle": text}} for hook in stale],
        }
        self._admission.patch_validating_webhook_configuration(name, body, _request_timeout=_TIMEOUT)
        event(logging.INFO, "bundle written", configuration=name, certificates=bundle.count(_END))

    def _leaf(self, authority: Authority, bundle: bytes) -> None:
        secret = self._read(self._wanted.secret)
        names = self._wanted.names
        if is_good_leaf(secret.pair, authority, names, self._now):
            event(logging.INFO, "certificate is good", secret=secret.name)
            return
        pair = authority.leaf(names, self._now)
        self._write(secret, {_CERTIFICATE: pair.certificate, _KEY: pair.key, _BUNDLE: bundle})
        event(logging.INFO, "certificate made", secret=secret.name, names=list(names))

    def _read(self, name: str) -> _Secret:
        try:
            found = self._core.read_namespaced_secret(name, self._wanted.namespace, _request_timeout=_TIMEOUT)
        except ApiException as error:
            if error.status != 404:
                raise
            return _Secret(name, {}, "")
        data = {key: base64.b64decode(value) for key, value in (found.data or {}).items()}
        return _Secret(name, data, str(found.metadata.resource_version))

    def _write(self, secret: _Secret, content: dict[str, bytes]) -> None:
        """ApiException 409: somebody else has written since it was read."""
        data = {key: base64.b64encode(value).decode() for key, value in content.items()}
        body: dict[str, Any] = {"data": data}
        namespace = self._wanted.namespace
        if secret.version:
            body["metadata"] = {"resourceVersion": secret.version}
            self._core.patch_namespaced_secret(secret.name, namespace, body, _request_timeout=_TIMEOUT)
        else:
            body |= {"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "metadata": {"name": secret.name}}
            self._core.create_namespaced_secret(namespace, body, _request_timeout=_TIMEOUT)
