"""What is read of a cluster: which of KubeRay's kinds it serves, and their objects, page by page. Nothing is ever
written.

Lists may be long and API servers busy: pages are small, a call that fails for a passing reason is made again, and
a list whose continue token has expired goes on from where it was.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from kubernetes import client, config
from kubernetes.client.exceptions import ApiException
from urllib3.exceptions import HTTPError

from raylint.admission import GROUP, KINDS, VERSIONS

__all__ = ["Cluster", "ClusterError"]

_ATTEMPTS = 4
_LONGEST_PAUSE = 30.0
# 410: the continue token is older than what etcd keeps (five minutes unless it is told otherwise).
_EXPIRED = 410
_RESTARTS = 3


class ClusterError(Exception):
    """Why something could not be read, in a few words. ``forbidden``: for lack of permission; ``absent``: it is
    not there."""

    def __init__(self, message: str, *, status: int = 0) -> None:
        super().__init__(message)
        self.forbidden = status in (401, 403)
        self.absent = status == 404


class Cluster:
    """One cluster, as a kubeconfig or, in a pod, its service account shows it."""

    def __init__(
        self,
        kubeconfig: str = "",
        context: str = "",
        *,
        timeout: float = 30.0,
        page: int = 100,
    ) -> None:
        """``timeout`` is in seconds, for each call; ``page`` is how many objects one answer may hold.
        ClusterError: there is no configuration, or it cannot be used."""
        self._timeout = timeout
        self._page = page
        self._objects = client.CustomObjectsApi(_connection(kubeconfig, context))

    def served(self) -> dict[str, str]:
        """The kinds of KubeRay that the cluster serves, as plural names, each with the version to read it in:
        v1 where it is served. ClusterError: the API server cannot be asked, or KubeRay is not installed."""
        found: dict[str, str] = {}
        for version in VERSIONS:
            for plural in self._resources(version):
                found.setdefault(plural, version)
        if not found:
            raise ClusterError(f"this cluster serves no kind of {GROUP}: KubeRay's CRDs are not installed")
        return {plural: found[plural] for plural in map(_plural, KINDS) if plural in found}

    def _resources(self, version: str) -> list[str]:
        try:
            listed = self._called(lambda: self._objects.get_api_resources(GROUP, version, **self._limits))
        except ClusterError as error:
            if error.absent:
                return []
            raise
        known = set(map(_plural, KINDS))
        return [resource.name for resource in listed.resources if resource.name in known]

    def objects(self, plural: str, version: str, namespace: str = "") -> Iterator[dict[str, Any]]:
        """The objects of a kind, of one namespace or (``""``) of all, each once. ClusterError: the list cannot be
        read, or not to its end."""
        seen: set[str] = set()
        for item in self._items(plural, version, namespace):
            metadata = item.get("metadata")
            uid = metadata.get("uid") if isinstance(metadata, dict) else None
            if isinstance(uid, str):
                if uid in seen:
                    continue
                seen.add(uid)
            # What a list holds leaves out what all of them are.
            yield {"apiVersion": f"{GROUP}/{version}", "kind": _kind(plural), **item}

    def _items(self, plural: str, version: str, namespace: str) -> Iterator[dict[str, Any]]:
        token = ""
        restarts = 0
        while True:
            try:
                answer = self._called(partial(self._list, plural, version, namespace, token))
            except _ExpiredError as expired:
                restarts += 1
                if restarts > _RESTARTS:
                    message = "the list expired again and again before its end: ask for larger pages"
                    raise ClusterError(message) from None
                # Without a token to go on with, the list begins anew; what was seen is passed over.
                token = expired.token
                continue
            yield from (item for item in answer["items"] if isinstance(item, dict))
            metadata = answer.get("metadata")
            token = (metadata.get("continue") or "") if isinstance(metadata, dict) else ""
            if not token:
                return

    def _list(self, plural: str, version: str, namespace: str, token: str) -> dict[str, Any]:
        options: dict[str, Any] = {"limit": self._page, **self._limits}
        if token:
            options["_continue"] = token
        if namespace:
            answer = self._objects.list_namespaced_custom_object(GROUP, version, namespace, plural, **options)
        else:
            answer = self._objects.list_cluster_custom_object(GROUP, version, plural, **options)
        if not isinstance(answer, dict) or not isinstance(answer.get("items"), list):
            raise TypeError("no list")
        return answer

    @property
    def _limits(self) -> dict[str, Any]:
        # To connect, and to read. A single number must be whole for older clients, and counts for nothing if not.
        return {"_request_timeout": (self._timeout, self._timeout)}

    def _called(self, call: Callable[[], Any]) -> Any:
        """The answer to a call, which is made again where it failed for a passing reason."""
        for attempt in range(_ATTEMPTS):
            last = attempt == _ATTEMPTS - 1
            try:
                return call()
            except ApiException as error:
                if error.status == _EXPIRED:
                    raise _ExpiredError(_token(error)) from None
                if last or not (error.status == 429 or error.status >= 500):
                    raise ClusterError(_reason(error), status=error.status) from None
                time.sleep(_retry_after(error) or 2.0**attempt / 2)
            except HTTPError as error:
                if last:
                    raise ClusterError(f"the API server does not answer ({_what(error)})") from None
                time.sleep(2.0**attempt / 2)
            except (ValueError, TypeError) as error:
                raise ClusterError(f"the answer is none of an API server ({type(error).__name__})") from None
        raise AssertionError("the last attempt returns or raises")


class _ExpiredError(Exception):
    """The continue token is too old. ``token`` goes on from there with what is there now; it may be empty."""

    def __init__(self, token: str) -> None:
        super().__init__()
        self.token = token


def _connection(kubeconfig: str, context: str) -> client.ApiClient:
    settings = client.Configuration()
    # Calls are repeated here, where it is known which may be.
    settings.retries = False
    try:
        if _in_pod(kubeconfig, context):
            config.load_incluster_config(client_configuration=settings)
        else:
            config.load_kube_config(
                kubeconfig or None, context or None, client_configuration=settings, persist_config=False
            )
    except (config.ConfigException, OSError) as error:
        raise ClusterError(f"no cluster to speak to: {str(error).rstrip('.')}") from None
    return client.ApiClient(settings)


def _in_pod(kubeconfig: str, context: str) -> bool:
    """Does nothing but the pod's service account tell of a cluster?"""
    named = kubeconfig or context or os.environ.get("KUBECONFIG")
    default = os.path.expanduser("~/.kube/config")
    return not named and "KUBERNETES_SERVICE_HOST" in os.environ and not os.path.exists(default)


def _plural(kind: str) -> str:
    return f"{kind.lower()}s"


def _kind(plural: str) -> str:
    return next(kind for kind in KINDS if _plural(kind) == plural)


def _status(error: ApiException) -> dict[str, Any]:
    """The Status object that an API server sends with an error; a proxy sends something else."""
    try:
        status = json.loads(error.body or "")
    except (ValueError, TypeError):
        return {}
    return status if isinstance(status, dict) else {}


def _token(error: ApiException) -> str:
    token = (_status(error).get("metadata") or {}).get("continue")
    return token if isinstance(token, str) else ""


def _reason(error: ApiException) -> str:
    message = _status(error).get("message")
    return str(message) if message else f"{error.status} {error.reason or ''}".strip()


def _retry_after(error: ApiException) -> float:
    text = (error.headers or {}).get("Retry-After") or ""
    return min(float(text), _LONGEST_PAUSE) if str(text).isdecimal() else 0.0


def _what(error: HTTPError) -> str:
    return type(error).__name__.removesuffix("Error")
