"""A Redis address as Ray takes it apart: what the head finds in ``RAY_REDIS_ADDRESS``.

Facts: Ray ``python/ray/_private/node.py`` and ``services.py`` (``get_address``), ``src/ray/gcs/store_client/
redis_context.cc``; every form was run against 2.9.3, 2.40.0, 2.51.1 and 2.60.0. Two readers exist: up to 2.48 the
last colon divides host and port and brackets stay; from 2.49 exactly one colon may stand outside of brackets.
"""

from __future__ import annotations

from raylint.field import Origin
from raylint.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.cluster import RayCluster
    from raylint.field import Field
    from raylint.target import Version

__all__ = ["RedisAddress", "address_in_force", "is_ipv6", "readers"]

SCHEMES = ("redis", "rediss")

NO_PORT = "ValueError: not enough values to unpack (expected 2, got 1)"
NO_ADDRESS = "TypeError: cannot unpack non-iterable NoneType object"
INVALID_SCHEME = "ValueError: Invalid redis address"
NO_NUMBER = "ValueError: invalid literal for int() with base 10"
NEGATIVE_PORT = "ValueError: Invalid Redis port provided"
NO_CONNECTION = "Could not establish connection to Redis"
HOST_NOT_FOUND = "resolve: Host not found"
EMPTY_HOST_OLD = "Redis server address is invalid!"
EMPTY_HOST = "Redis IP address cannot be empty"

# Labels of letters, digits, hyphens and underscores; a resolver finds nothing under any other name.
_DIGITS = "0123456789"
_LABEL_SIGNS = f"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz{_DIGITS}_-"
_LONGEST_LABEL = 63
_LOOPBACKS = ("localhost", "localhost.", "0.0.0.0")
_TLS_SCHEMES = frozenset({"rediss", "valkeys", "redis+ssl", "redis+tls"})
_ONE_SLASH = pattern(r"rediss?:/(?!/)")
_AFTER_THE_PORT = pattern(r"[/?#;|\s]")


class RedisAddress:
    """An address, taken apart. ``scheme`` is None where none is written; ``host`` and ``port`` are the texts on
    both sides of the last colon of the first element, ``port`` None where there is no colon."""

    __slots__ = ("first", "host", "others", "port", "rest", "scheme", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.first, *others = text.split(",")
        self.others = [other for other in others if other.strip()]
        scheme, mark, after = self.first.partition("://")
        self.scheme = scheme if mark else None
        self.rest = after if mark else self.first
        host, colon, port = self.rest.rpartition(":")
        self.host = host if colon else self.rest
        self.port = port if colon else None

    @property
    def port_number(self) -> int | None:
        """The port as Python's ``int`` reads it, which takes blanks around it, signs and underscores."""
        try:
            return None if self.port is None else int(self.port)
        except ValueError:
            return None

    @property
    def bare_host(self) -> str:
        """The host without the brackets of an IPv6 address."""
        return self.host[1:-1] if self.host[:1] == "[" and self.host[-1:] == "]" else self.host

    @property
    def is_loopback(self) -> bool:
        host = self.bare_host
        if host in ("::1", "::") or host.lower() in _LOOPBACKS:
            return True
        return host.startswith("127.") and host.count(".") < 4 and all(map(_is_number, host.split(".")))

    @property
    def is_fixed_ip(self) -> bool:
        numbers = self.host.split(".")
        is_ipv4 = len(numbers) == 4 and all(_is_number(number) and len(number) < 4 for number in numbers)
        return is_ipv4 or is_ipv6(self.bare_host)

    @property
    def shown(self) -> str:
        """The address in quotation marks for a message, without credentials and without a query."""
        text = self.text
        before, at, after = text.rpartition("@")
        scheme = text.partition("://")[0] + "://" if "://" in text else ""
        if at:
            text = scheme + "***" if "?" in before else f"{scheme}***@{after}"
        path, query, _ = text.partition("?")
        return repr(path + "?..." if query else text)

    @property
    def repaired(self) -> str | None:
        """The address in a form that every Ray takes; None where host and port cannot be told for certain."""
        text = next((part for part in self.text.split(",") if part.strip()), "").strip().strip("'\"").strip()
        text = _ONE_SLASH.sub(lambda match: match[0] + "/", text)
        *schemes, text = text.split("://")
        tls = any(scheme.lower() in _TLS_SCHEMES for scheme in schemes)
        host_and_port = _AFTER_THE_PORT.split(text.rpartition("@")[2].lstrip("/"), maxsplit=1)[0]
        repaired = ("rediss://" if tls else "") + host_and_port
        usable = not any(RedisAddress(repaired).refusal(reader) for reader in readers(None))
        return repaired if usable else None

    def refusal(self, brackets: bool) -> str | None:
        """Ray's own words for why the head cannot start with this address; None where it can.

        ``brackets``: the reader of Ray 2.49 and later, which wants IPv6 addresses in brackets."""
        if self.scheme is not None and self.scheme not in SCHEMES:
            return INVALID_SCHEME
        if self.port is None:
            return NO_ADDRESS if brackets else NO_PORT
        host = self.host
        if brackets and ":" in host:
            if self.bare_host == host:
                return NO_ADDRESS
            host = self.bare_host
        return self._refused_port() or _refused_host(host, brackets) or self._refused_range()

    def _refused_port(self) -> str | None:
        port = self.port_number
        if port is None:
            return NO_NUMBER
        return NEGATIVE_PORT if port < 0 else None

    def _refused_range(self) -> str | None:
        """Python looks at the sign only; the connection then fails at every retry, for about a minute."""
        return None if self.port_number in range(1, 65536) else NO_CONNECTION


def _refused_host(host: str, brackets: bool) -> str | None:
    if not host:
        return EMPTY_HOST if brackets else EMPTY_HOST_OLD
    return None if _is_name(host) or is_ipv6(host) else HOST_NOT_FOUND


def _is_name(host: str) -> bool:
    labels = host.removesuffix(".").split(".")
    return all(0 < len(label) <= _LONGEST_LABEL and not label.strip(_LABEL_SIGNS) for label in labels)


def _is_number(text: str) -> bool:
    return text != "" and not text.strip(_DIGITS)


def is_ipv6(host: str) -> bool:
    """Is it an IPv6 address without brackets? One with a zone counts, unless the percent sign is escaped as in a
    URL (``%25``), which no resolver understands."""
    if ":" not in host or "%25" in host:
        return False
    import socket  # few addresses get here

    try:
        socket.inet_pton(socket.AF_INET6, host.partition("%")[0])
    except (OSError, ValueError):
        return False
    return True


def readers(ray: Version | None) -> tuple[bool, ...]:
    """The readers (see :meth:`RedisAddress.refusal`) that may be in force: both where Ray is not known."""
    return (False, True) if ray is None else (ray >= (2, 49),)


def address_in_force(cluster: RayCluster) -> Field[str] | None:
    """The address that the head will use; None where it has none.

    Besides fault tolerance as KubeRay sees it: up to KubeRay 1.2 the head's ``RAY_REDIS_ADDRESS`` needs no
    annotation. From 1.3 on KubeRay refuses it alone. Up to 1.6 the API server wants ``redisAddress`` itself."""
    fault_tolerance = cluster.gcs_fault_tolerance
    unseen = not fault_tolerance and not cluster.target.kuberay_at_least(1, 3)
    if not fault_tolerance.uses_redis and not (unseen and fault_tolerance.address_env is not None):
        return None
    address = fault_tolerance.redis_address
    left_out = address.origin is Origin.KUBERAY
    return None if left_out and not cluster.target.kuberay_at_least(1, 7) else address
