"""An Ingress or HTTPRoute of one's own in front of a head."""

from __future__ import annotations

from raylint.field import View
from raylint.manifest import KubeObject, RayObject
from raylint.rule import Confidence, Fact, Problem, Severity

from .bundle import beside
from .outline import outlined
from .token_auth import asks_for_token

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from raylint.cluster import RayCluster
    from raylint.rule import Problems, Test

__all__ = ["dashboard_behind_ingress"]

MENTIONS = ("-head-svc", "ray.io/")
_SUFFIX = "-head-svc"
_ROUTES = ("Ingress", "HTTPRoute")
# Serve's port is what users are to reach.
_SERVE = (8000, "serve")
# Annotations by what stands behind the controller's prefix.
_LOGINS = ("auth-url", "auth-type", "auth-secret", "auth-tls-secret", "basic-auth-secret")
# What these name may be a login, and is not among the annotations.
_CHAINS = ("router.middlewares", "plugins")
_SOURCES = ("whitelist-source-range", "allowlist-source-range", "allow-list", "whitelist", "inbound-cidrs")
_EVERYBODY = ("0.0.0.0/0", "::/0")


def ways_in(found: KubeObject) -> Iterator[Fact]:
    """Heads by the name of their Service, and what leads to such a Service from outside."""
    namespace = found.ref.namespace
    if isinstance(found, RayObject):
        if found.cluster is not None and found.kind in ("RayCluster", "RayService"):
            state = "token" if asks_for_token(found.cluster) else "tls" if _uses_tls(found.cluster) else "open"
            yield Fact(("head", namespace, f"{found.ref.name}{_SUFFIX}", state), found.at, str(found.ref))
        return
    if _asks_for_login(found):
        return
    who = "few" if _is_for_few(found) else "all"
    for at, name in _backends(found):
        if name.endswith(_SUFFIX):
            port = at.part("port").data.get("number") or at.part("port").data.get("name") or at.data.get("port")
            yield Fact(("route", namespace, name, str(port), who), at.at, str(found.ref))


def heads_behind(facts: Sequence[Fact]) -> Test:
    """Is it an object to whose head one of the routes leads?"""
    names = {fact.key[2].removesuffix(_SUFFIX) for fact in facts}
    return lambda found: found.ref.name in names


def _annotated(found: KubeObject, names: tuple[str, ...]) -> list[str]:
    """Values that are not empty, of annotations with one of the names behind a prefix."""
    written = found.annotations.data.items()
    return [str(value) for key, value in written if value and key.rpartition("/")[2] in names]


def _asks_for_login(found: KubeObject) -> bool:
    logins = _annotated(found, (*_LOGINS, *_CHAINS))
    return any(value.lower() not in ("none", "off") for value in logins)


def _is_for_few(found: KubeObject) -> bool:
    """Only for the addresses that an annotation lists?"""
    sources = _annotated(found, _SOURCES)
    return bool(sources) and not any(source in value for value in sources for source in _EVERYBODY)


def _may_filter(part: View) -> bool:
    """Does a filter of the controller's own, which may be a login, stand before the backend of an HTTPRoute?"""
    filters = (item for _, item in part.parts("filters") if isinstance(item, dict))
    return any(item.get("type") == "ExtensionRef" for item in filters)


def _uses_tls(cluster: RayCluster) -> bool:
    switch = cluster.head.ray_container.env("RAY_USE_TLS")
    return switch is not None and switch.value.value in ("1", "true")


def _is_open(head: Fact, route: Fact) -> bool:
    """Ray's own TLS asks for a client's certificate, on the port of Ray Client."""
    return head.key[3] == "open" or (head.key[3] == "tls" and route.key[3] not in ("10001", "client"))


def _backends(found: KubeObject) -> Iterator[tuple[View, str]]:
    """The Services that it leads to without a login, but for Serve's port."""
    spec = found.part("spec")
    for rule_path, rule in spec.parts("rules"):
        of_rule = View(spec.document, rule_path, rule)
        for path, item in of_rule.part("http").parts("paths"):
            service = View(spec.document, path, item).part("backend").part("service")
            port = service.part("port").data
            if port.get("number") not in _SERVE and port.get("name") not in _SERVE:
                yield service, str(service.data.get("name"))
        for path, item in of_rule.parts("backendRefs"):
            service = View(spec.document, path, item)
            if service.data.get("port") not in _SERVE and not (_may_filter(of_rule) or _may_filter(service)):
                yield service, str(service.data.get("name"))


@outlined(
    "RAY817",
    Severity.WARNING,
    confidence=Confidence.MEDIUM,
    gathers=ways_in,
    context=tuple(f"{kind}/{_SUFFIX}" for kind in _ROUTES),
    sought=heads_behind,
    reports=("FR-118",),
)
def dashboard_behind_ingress(facts: Sequence[Fact]) -> Problems:
    """An Ingress or HTTPRoute leads to a head that asks nobody for a token.

    A backend `...-head-svc` on another port than Serve's, of a RayCluster or RayService among the files that has
    neither `authOptions.mode: token` nor `RAY_AUTH_MODE`.

    An info where an annotation lets only some addresses in (`whitelist-source-range` and its like, not
    `0.0.0.0/0`).

    It stays silent where the Ingress asks for a login (annotations `auth-url`, `auth-type`, `auth-secret`,
    `auth-tls-secret`, `basic-auth-secret`, whatever the controller's prefix) or may do so (Traefik's
    `router.middlewares`, Kong's `plugins`, an HTTPRoute's filter `ExtensionRef`), where the cluster is not among
    the files of the same folder, and on the port of Ray Client where Ray's TLS asks for a certificate.

    Then: The dashboard's Jobs API runs whatever it is sent. What the Ingress lets through, it runs.

    Fix: Set `authOptions: {mode: token}`, or let the Ingress ask for a login.
    Ignore: Where a proxy in front of it, or a policy that is attached to it, asks for a login.
    Source: Ray "Security"; KubeRay's own sample of such an Ingress warns of it; annotations of ingress-nginx,
    HAProxy, Traefik, Kong and the AWS Load Balancer Controller.

    bad RayCluster
      meta: name: trainer
      also: ---
      also: apiVersion: networking.k8s.io/v1
      also: kind: Ingress
      also: metadata: {name: trainer}
      also: spec:
      also:   rules:
      also:   - http:
      also:       paths:
      also:       - path: /
      also:         pathType: Prefix
      also:         backend:
      also:           service: {name: trainer-head-svc, port: {number: 8265}}  # <-
    bad RayService
      meta: name: ranker
      also: ---
      also: apiVersion: gateway.networking.k8s.io/v1
      also: kind: HTTPRoute
      also: metadata: {name: ranker}
      also: spec:
      also:   rules:
      also:   - backendRefs:
      also:     - {name: ranker-head-svc, port: 8265}  # <-
    bad RayCluster severity=info -- Only the office gets in, and everybody in it without a token:
      meta: name: trainer
      also: ---
      also: apiVersion: networking.k8s.io/v1
      also: kind: Ingress
      also: metadata:
      also:   name: trainer
      also:   annotations: {nginx.ingress.kubernetes.io/whitelist-source-range: 10.0.0.0/8}
      also: spec:
      also:   rules:
      also:   - http:
      also:       paths:
      also:       - path: /
      also:         pathType: Prefix
      also:         backend:
      also:           service: {name: trainer-head-svc, port: {number: 8265}}  # <-
    good RayCluster
      meta: name: trainer
      cluster: rayVersion: 2.52.0
      cluster: authOptions: {mode: token}
      also: ---
      also: apiVersion: networking.k8s.io/v1
      also: kind: Ingress
      also: metadata: {name: trainer}
      also: spec:
      also:   rules: [{http: {paths: [{backend: {service: {name: trainer-head-svc, port: {number: 8265}}}}]}}]
    near-miss RayCluster -- The Ingress asks for a login:
      meta: name: trainer
      also: ---
      also: apiVersion: networking.k8s.io/v1
      also: kind: Ingress
      also: metadata:
      also:   name: trainer
      also:   annotations: {nginx.ingress.kubernetes.io/auth-url: "https://login.example.com/oauth2/auth"}
      also: spec:
      also:   rules: [{http: {paths: [{backend: {service: {name: trainer-head-svc, port: {number: 8265}}}}]}}]
    near-miss RayService -- Serve is what it is for:
      meta: name: ranker
      also: ---
      also: apiVersion: networking.k8s.io/v1
      also: kind: Ingress
      also: metadata: {name: ranker}
      also: spec:
      also:   rules: [{http: {paths: [{backend: {service: {name: ranker-head-svc, port: {number: 8000}}}}]}}]
    """
    heads = [fact for fact in facts if fact.key[0] == "head"]
    for fact in facts:
        found = (head for head in heads if head.key[1:3] == fact.key[1:3] and beside(head, fact))
        head = next(found, None) if fact.key[0] == "route" else None
        if head is not None and _is_open(head, fact):
            yield Problem(
                fact.at,
                f"this leads to the head of {head.owner}, which asks nobody for a token",
                severity=Severity.INFO if fact.key[4] == "few" else None,
                because=[(head.at, "no authOptions.mode: token here")],
                effect="everybody whom it lets through submits jobs and reads what the pods can read",
                fix="set authOptions: {mode: token}, or let the Ingress ask for a login",
            )
