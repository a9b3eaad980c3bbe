"""Redis addresses that Ray's head cannot start with."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.patterns import pattern
from raylint.rule import Severity, rule
from raylint.target import version_text

from .address import RedisAddress, address_in_force, is_ipv6, readers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems
    from raylint.target import Version

MENTIONS = ("gcsFaultToleranceOptions", "ray.io/ft-enabled", "RAY_REDIS_ADDRESS")

_VARIABLE = pattern(r"\$\([^()]*\)?|\$\{[^{}]*\}?|\$[A-Za-z_]\w*|%\([^()]*\)s?")
_LIST_SEPARATOR = pattern(r"[;|\s]+")


@rule("RAY108", Severity.ERROR)
def redis_address_unusable(cluster: RayCluster) -> Problems:
    """A Redis address that Ray cannot use keeps the head from starting; nobody refuses it before.

    ## What it flags
    `gcsFaultToleranceOptions.redisAddress`, or `RAY_REDIS_ADDRESS` in the head's Ray container where the
    annotation `ray.io/ft-enabled` turns fault tolerance on, if the Ray version in force cannot start with it: no
    port, an empty or blank value, credentials, a path or a database number, a query, a scheme other than `redis`
    and `rediss` in lower case, two schemes, a variable that nobody expands, a port that is no number from 1 to
    65535, no host, characters that no host name has, several addresses without a comma between them, and IPv6 in
    the form that the other Ray versions want. Only the first address of a comma list counts (RAY109 speaks of the
    rest).

    `host:port`, `redis://host:port` and `rediss://host:port` are right in every version. It stays silent where the
    value cannot be known (a template, `valueFrom`, a variable from `envFrom`) and, for IPv6, where Ray's version
    is not known. Whether a name resolves and who listens there is not for a linter to say.

    ## What happens
    KubeRay copies the value into the head's environment without a look at it. `ray start` then ends with an error,
    the head pod restarts for ever and no worker joins. An address without a database number or credentials is all
    that Ray knows: no part of it reads a user, a password or a number from there. A name that is not found is not
    tried again, a connection that fails is tried for about a minute. An empty address does not turn fault
    tolerance off: Ray asks only whether the variable is there.

    ## Versions
    All. Ray 2.49 changed the reading of IPv6: up to 2.48 `[fd00::1]:6379` fails and `fd00::1:6379` works, from
    2.49 on it is the other way round.

    ## Fix
    Write `host:port`, with the full name `redis.NAMESPACE.svc` for a Redis in another namespace. The password
    belongs into `redisPassword`, the user into `redisUsername` (Ray 2.41), TLS is asked for by `rediss://`. A
    Redis Sentinel is given by its own host and port (Ray 2.40). A Valkey server takes the same plain address.

    ## When to ignore it
    Never: the head cannot start.

    ## Source
    Each form was run with `ray start --head` of Ray 2.9.3, 2.40.0, 2.51.1 and 2.60.0 against real servers; Ray
    `python/ray/_private/node.py`, `services.py` (`get_address`); ray-project/ray#47335 for Sentinel. Ray Serve's
    guide to fault tolerance shows `redis://user:secret@localhost:6379/0?foo=bar&qux=baz`, which has never worked.

    ## Examples
    No port:

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions:
        redisAddress: redis.data.svc  # <-
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    A database number, the older way:

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayService
    metadata:
      name: ranker
      annotations: {ray.io/ft-enabled: "true"}
    spec:
      rayClusterConfig:
        headGroupSpec:
          template:
            spec:
              containers:
              - name: ray-head
                image: rayproject/ray:2.9.3
                env:
                - name: RAY_REDIS_ADDRESS
                  value: redis://redis:6379/0  # <-
    ```

    The variable is defined in another container:

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions:
        redisAddress: $(REDIS_HOST):6379  # <-
      headGroupSpec:
        template:
          spec:
            containers:
            - {name: ray-head, image: "rayproject/ray:2.52.0"}
            - {name: agent, image: agent, env: [{name: REDIS_HOST, value: redis}]}
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions: {redisAddress: "redis.data.svc:6379"}
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    The scheme is fine, whatever is said of it:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions: {redisAddress: "redis://redis.data.svc:6379"}
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.51.0"}]}}
    ```

    The variable stands in the head's own `env`, to which KubeRay appends the address:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      gcsFaultToleranceOptions: {redisAddress: "$(REDIS_HOST):6379"}
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              env: [{name: REDIS_HOST, value: redis.data.svc}]
    ```
    """
    field = address_in_force(cluster)
    if field is None or field.value is None:
        return
    address = RedisAddress(field.value)
    refusals = [address.refusal(reader) for reader in readers(cluster.ray_version)]
    words = [refusal for refusal in refusals if refusal is not None]
    if len(words) < len(refusals):
        return
    fault, fix = _fault(address)
    yield field.flag(
        f"the Redis address {address.shown} {fault}; the head cannot start",
        label=f"this {fault}",
        effect="the head pod restarts for ever and no worker joins; its log says"
        f" {_quoted(words, cluster.ray_version)}",
        fix=fix,
    )


def _quoted(words: list[str], ray: Version | None) -> str:
    """Ray's words, for the version at hand or, where it is unknown, for both readers."""
    if ray is not None:
        return f'"{words[0]}" (Ray {version_text(ray)})'
    if words[0] == words[-1]:
        return f'"{words[0]}"'
    return f'"{words[0]}" (Ray up to 2.48) or "{words[-1]}" (Ray 2.49 and later)'


def _fault(address: RedisAddress) -> tuple[str, str]:
    """What is wrong with a refused address, and what to write instead."""
    if not address.text.strip():
        what = "is empty, which does not turn fault tolerance off" if not address.text else "is blank"
        return what, "write host:port, or remove the whole setting to run without fault tolerance"
    for find in (_credentials, _fault_around, _scheme_fault, _fault_behind, _host_fault):
        found = find(address)
        if found is not None:
            return found
    return _port_or_name_fault(address)


def _write(address: RedisAddress, otherwise: str = "write host:port") -> str:
    return f"write {address.repaired!r}" if address.repaired else otherwise


def _credentials(address: RedisAddress) -> tuple[str, str] | None:
    if "@" not in address.rest:
        return None
    write = _write(address)
    return (
        "holds credentials, which Ray takes for a part of the host name",
        f"{write} and give the password in gcsFaultToleranceOptions.redisPassword, best by valueFrom (a Secret);"
        " the user goes into redisUsername (Ray 2.41 and later)",
    )


def _fault_around(address: RedisAddress) -> tuple[str, str] | None:
    """What stands before the address, or in its place."""
    first = address.first
    if not first.strip():
        return "has nothing before its first comma, and Ray uses nothing else", _write(address)
    variable = _VARIABLE.search(first)
    if variable:
        return (
            f"still holds {variable[0]!r} when Ray reads it",
            "define the variable in the env of the head's first container (before the entry that uses it) and"
            " write $(NAME), the only form that Kubernetes expands; or write the host itself",
        )
    if first[0] in "'\"" or first[-1] in "'\"":
        return "has quotation marks inside the value", _write(address)
    if first[0].isspace():
        return "begins with a blank", _write(address)
    return None


def _scheme_fault(address: RedisAddress) -> tuple[str, str] | None:
    scheme = address.scheme
    if scheme is None:
        one_slash = address.rest.startswith(("redis:/", "rediss:/"))
        return ("has one slash after its scheme", _write(address)) if one_slash else None
    lower = scheme.lower()
    if "://" in address.rest:
        return "has two schemes", _write(address)
    if lower in ("redis", "rediss"):
        if lower != scheme:
            return f"has its scheme {scheme!r} in upper case, and Ray knows lower case only", _write(address)
        three = address.rest.startswith("/")
        return ("has a slash too many after its scheme", _write(address)) if three else None
    if "sentinel" in lower:
        sentinel = _write(address, "write the sentinel's own host:port")
        return (
            f"has the scheme {scheme!r}, which Ray does not know",
            f"{sentinel}: Ray 2.40 and later find out by themselves that it is a sentinel (with one primary)",
        )
    if lower == "unix":
        return "names a socket file, and Ray speaks TCP only", "let Redis listen on a TCP port and write host:port"
    return (
        f"has the scheme {scheme!r}, and Ray knows only redis and rediss",
        _write(address) + " (rediss:// in front asks for TLS)",
    )


def _fault_behind(address: RedisAddress) -> tuple[str, str] | None:
    """What stands behind host and port."""
    rest = address.rest
    parts = _LIST_SEPARATOR.split(rest.strip())
    if len(parts) > 1 and all(part.rpartition(":")[0] for part in parts):
        return "lists several addresses, and Ray uses one", _write(address)
    for mark, name in (("/", "a path or a database number"), ("?", "a query"), ("#", "a fragment")):
        if mark in rest:
            return (
                f"has {name}, which Ray takes for a part of the port",
                _write(address) + "; Ray uses database 0 and keeps clusters apart by their storage namespace",
            )
    return None


def _host_fault(address: RedisAddress) -> tuple[str, str] | None:
    rest, host = address.rest, address.host
    if ":" not in rest.rpartition("]")[2]:
        example = f"{address.first}:6379" if _is_usable(f"{address.first}:6379") else "host:6379"
        return (
            "has no port, and Ray knows no default",
            f"add the port: {example!r} if Redis listens on its usual one",
        )
    if not host:
        return "has no host", "write the host before the colon"
    if is_ipv6(address.bare_host):
        if address.bare_host != host:
            return (
                "is an IPv6 address in brackets, which Ray reads from 2.49 on",
                "give Redis a name (a Service), or use Ray 2.49 or later",
            )
        return "is an IPv6 address without brackets", f"write '[{host}]:{address.port}', or give Redis a name"
    if ":" in host or "[" in rest or "]" in rest:
        return "has colons or brackets that make no host and port", "write host:port, and IPv6 as [address]:port"
    return None


def _port_or_name_fault(address: RedisAddress) -> tuple[str, str]:
    port = address.port_number
    if port is None:
        what = f"has the port {address.port!r}, which is no number" if address.port else "ends in a colon, no port"
        return what, _write(address, "write the port as digits: host:6379")
    if port not in range(1, 65536):
        return f"has the port {port}, and ports go from 1 to 65535", "write the port that Redis listens on"
    return (
        f"names the host {address.host!r}, which cannot be a host name",
        "write the name or the IP address of the Redis host",
    )


def _is_usable(text: str) -> bool:
    return not any(RedisAddress(text).refusal(reader) for reader in readers(None))
