"""An AdmissionReview as the API server sends it (``k8s.io/api``, ``admission/v1/types.go``, Kubernetes 1.36).

Null, missing and ``{}`` are one: a Kubernetes client may write any of them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["API_VERSION", "Review", "ReviewError"]

API_VERSION = "admission.k8s.io/v1"
_SERVICE_ACCOUNT = "system:serviceaccount:"


class ReviewError(Exception):
    """The data is no AdmissionReview that can be answered. ``reason`` is a word for metrics."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class Review:
    """One request. ``group``, ``version`` and ``kind`` are of the object as it is sent, after the API server has
    converted it; ``asked_kind`` and ``asked_version`` are what the client called. ``object`` and ``old_object``
    are empty where there is none.
    """

    __slots__ = (
        "asked_group",
        "asked_kind",
        "asked_version",
        "dry_run",
        "group",
        "groups",
        "kind",
        "name",
        "namespace",
        "object",
        "old_object",
        "operation",
        "subresource",
        "uid",
        "username",
        "version",
    )

    def __init__(self, data: object) -> None:
        """ReviewError: it is no AdmissionReview of version v1, or has no request or no uid."""
        request = _request(data)
        self.uid = _text(request.get("uid"))
        if not self.uid:
            raise ReviewError("no_uid", "the request has no uid")
        kind = _mapping(request.get("kind"))
        self.group = _text(kind.get("group"))
        self.version = _text(kind.get("version"))
        self.kind = _text(kind.get("kind"))
        asked = _mapping(request.get("requestKind"))
        self.asked_group = _text(asked.get("group")) or self.group
        self.asked_version = _text(asked.get("version")) or self.version
        self.asked_kind = _text(asked.get("kind")) or self.kind
        self.operation = _text(request.get("operation"))
        self.subresource = _text(request.get("subResource"))
        self.object = _mapping(request.get("object"))
        self.old_object = _mapping(request.get("oldObject"))
        self.dry_run = request.get("dryRun") is True
        metadata = _mapping(self.object.get("metadata")) or _mapping(self.old_object.get("metadata"))
        generated = _text(metadata.get("generateName"))
        self.name = _text(request.get("name")) or _text(metadata.get("name")) or (generated and f"{generated}?")
        self.namespace = _text(request.get("namespace")) or _text(metadata.get("namespace"))
        user = _mapping(request.get("userInfo"))
        self.username = _text(user.get("username"))
        groups = user.get("groups")
        self.groups = tuple(filter(None, map(_text, groups))) if isinstance(groups, list) else ()

    @property
    def metadata(self) -> dict[str, Any]:
        return _mapping(self.object.get("metadata"))

    @property
    def annotations(self) -> dict[str, Any]:
        return _mapping(self.metadata.get("annotations"))

    @property
    def old_annotations(self) -> dict[str, Any]:
        return _mapping(_mapping(self.old_object.get("metadata")).get("annotations"))

    @property
    def by_service_account(self) -> bool:
        """A program asks, which nobody watches."""
        return self.username.startswith(_SERVICE_ACCOUNT)

    @property
    def shown(self) -> str:
        """The object for people: ``RayCluster team/demo``, by the kind that the client called."""
        return f"{self.asked_kind} {'/'.join(filter(None, (self.namespace, self.name)))}".strip()


def _request(data: object) -> dict[str, Any]:
    if not isinstance(data, dict) or data.get("kind") != "AdmissionReview":
        raise ReviewError("not_a_review", "the body is no AdmissionReview")
    if data.get("apiVersion") != API_VERSION:
        raise ReviewError("version", f"the review is not of {API_VERSION}, the only version that is answered")
    request = _mapping(data.get("request"))
    if not request:
        raise ReviewError("no_request", "the review has no request")
    return request


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
