"""The Redis that fault tolerance depends on, where the same files make it.

What keeps a GCS alive must outlive its own pod, and must not throw keys away. Facts: Ray "GCS fault tolerance in
KubeRay"; redis 7 ``redis.conf`` (``maxmemory-policy`` is ``noeviction`` unless set; the official image keeps its
data below ``/data``).
"""

from __future__ import annotations

import re

from raylint.field import View
from raylint.image import Image
from raylint.manifest import KubeObject, RayObject
from raylint.rule import Confidence, Fact, Problem, Severity

from .address import RedisAddress, address_in_force
from .bundle import beside
from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from raylint.rule import Problems

__all__ = ["redis_evicts_keys", "redis_without_persistence"]

MENTIONS = ("redis", "valkey")
_WORKLOADS = ("Deployment", "StatefulSet")
_SERVERS = ("redis", "valkey", "redis-stack-server", "keydb", "dragonfly")
# Volumes whose content is still there when the pod is not.
_LASTING = (
    "persistentVolumeClaim",
    "ephemeral",
    "hostPath",
    "nfs",
    "csi",
    "awsElasticBlockStore",
    "gcePersistentDisk",
)
_POLICY = r"maxmemory-policy[\s=\"',]+([a-z-]+)"
_CONTEXT = tuple(
    f"{kind}/{word}" for kind in (*_WORKLOADS, "Service", "ConfigMap") for word in ("redis", "valkey")
)


def servers(found: KubeObject) -> Iterator[Fact]:
    """Redis servers that clusters use, workloads that run one, Services in front of them, and their settings."""
    namespace = found.ref.namespace
    if isinstance(found, RayObject):
        yield from _used(found)
    elif found.kind in _WORKLOADS:
        yield from _workload(found)
    elif found.kind == "Service":
        selector = found.part("spec").part("selector").data
        yield Fact(("service", namespace, found.ref.name, *_pairs(selector)), found.at, str(found.ref))
    elif found.kind == "ConfigMap":
        for key, text in found.part("data").data.items():
            policy = _policy(text) if isinstance(text, str) else ""
            if policy:
                at = found.part("data").at_key(key)
                yield Fact(("settings", namespace, found.ref.name, policy), at, str(found.ref))


def _used(found: RayObject) -> Iterator[Fact]:
    cluster = found.cluster
    written = address_in_force(cluster) if cluster is not None and cluster.is_built else None
    if written is None or not written.value:
        return
    host, _, rest = RedisAddress(written.value).bare_host.lower().partition(".")
    namespace = rest.partition(".")[0] or found.ref.namespace
    yield Fact(("used", namespace, host), written.at, str(found.ref))


def _workload(found: KubeObject) -> Iterator[Fact]:
    spec = found.part("spec")
    template = spec.part("template")
    pod = template.part("spec")
    labels = _pairs(template.part("metadata").part("labels").data)
    for path, item in pod.parts("containers"):
        container = View(found.document, path, item)
        image = container.data.get("image")
        if not isinstance(image, str) or Image(image).repository.rpartition("/")[2] not in _SERVERS:
            continue
        kept = "kept" if _keeps_data(spec, pod, container) else "lost"
        words = [word for name in ("command", "args") for word in container.strings(name)]
        key = ("server", found.ref.namespace, found.ref.name, kept, *labels)
        yield Fact(key, container.at_key("image"), str(found.ref))
        policy = _policy(" ".join(words))
        if policy:
            list_name = "args" if container.has("args") else "command"
            key = ("policy", found.ref.namespace, found.ref.name, policy)
            yield Fact(key, container.at_key(list_name), str(found.ref))
        for name in _config_maps(pod):
            yield Fact(("mounts", found.ref.namespace, found.ref.name, name), container.at, str(found.ref))


def _keeps_data(spec: View, pod: View, container: View) -> bool:
    """Is anything mounted that outlives the pod? What is no plain volume counts as such."""
    claims = (View(spec.document, path, item) for path, item in spec.parts("volumeClaimTemplates"))
    lasting = {str(claim.part("metadata").data.get("name")) for claim in claims}
    for _, item in pod.parts("volumes"):
        if isinstance(item, dict) and any(item.get(kind) is not None for kind in _LASTING):
            lasting.add(str(item.get("name")))
    mounts = (item for _, item in container.parts("volumeMounts") if isinstance(item, dict))
    return any(str(mount.get("name")) in lasting for mount in mounts)


def _config_maps(pod: View) -> Iterator[str]:
    for path, item in pod.parts("volumes"):
        name = View(pod.document, path, item).part("configMap").data.get("name")
        if isinstance(name, str):
            yield name


def _policy(text: str) -> str:
    match = re.search(_POLICY, text) if "maxmemory-policy" in text else None
    return match[1] if match else ""


def _pairs(labels: dict[str, object]) -> list[str]:
    return sorted(f"{key}={value}" for key, value in labels.items())


class _Servers:
    """Facts of a run, and which workload is behind which address."""

    def __init__(self, facts: Sequence[Fact]) -> None:
        self.by_role: dict[str, list[Fact]] = {}
        for fact in facts:
            self.by_role.setdefault(fact.key[0], []).append(fact)

    def pairs(self) -> Iterator[tuple[Fact, Fact]]:
        """Each workload once, with the first cluster that uses it."""
        seen: set[tuple[str, str]] = set()
        for use in self.by_role.get("used", ()):
            for server in self.by_role.get("server", ()):
                name = (server.key[1], server.key[2])
                if name not in seen and self._leads_to(use, server):
                    seen.add(name)
                    yield use, server

    def _leads_to(self, use: Fact, server: Fact) -> bool:
        _, namespace, host = use.key
        if namespace != server.key[1] or not beside(use, server):
            return False
        for service in self.by_role.get("service", ()):
            if service.key[1:3] == (namespace, host) and beside(use, service):
                return len(service.key) > 3 and set(service.key[3:]) <= set(server.key[4:])
        return host == server.key[2]

    def policies(self, server: Fact) -> Iterator[tuple[str, Fact]]:
        name = server.key[1:3]
        for fact in self.by_role.get("policy", ()):
            if fact.key[1:3] == name:
                yield fact.key[3], fact
        for mount in self.by_role.get("mounts", ()):
            for setting in self.by_role.get("settings", ()):
                if mount.key[1:3] == name and setting.key[1:3] == (name[0], mount.key[3]):
                    yield setting.key[3], setting


@outlined("RAY131", Severity.WARNING, confidence=Confidence.MEDIUM, gathers=servers, context=_CONTEXT)
def redis_without_persistence(facts: Sequence[Fact]) -> Problems:
    """The Redis behind GCS fault tolerance keeps its data in its own pod: when that goes, the state goes.

    A Deployment or StatefulSet of Redis or Valkey among the files, behind the address of a cluster with GCS fault
    tolerance (by its Service's selector, or by its name), whose container mounts nothing that outlives the pod.

    It stays silent on a Redis that the files do not make, and on any volume that lasts.

    Then: The head restarts and finds its state; but a node that is drained, an update of Redis or its own crash
    empties the store, and the next start of the head begins with nothing: all actors and jobs are lost, workers
    are turned away and restart. It is the outage that fault tolerance was to prevent, moved to another pod.

    Fix: Use a StatefulSet with a `volumeClaimTemplates` mounted at the data directory and `appendonly yes`, or a
    managed Redis.
    Ignore: In a demonstration.
    Source: Ray "GCS fault tolerance in KubeRay" and "Tuning Redis for a Persistent Fault Tolerant GCS".

    bad RayCluster
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis:6379"}
      also: ---
      also: apiVersion: v1
      also: kind: Service
      also: metadata: {name: redis}
      also: spec: {selector: {app: redis}, ports: [{port: 6379}]}
      also: ---
      also: apiVersion: apps/v1
      also: kind: Deployment
      also: metadata: {name: redis-server}
      also: spec:
      also:   selector: {matchLabels: {app: redis}}
      also:   template:
      also:     metadata: {labels: {app: redis}}
      also:     spec:
      also:       containers:
      also:       - name: redis
      also:         image: redis:7.4  # <-
    bad RayService
      meta: namespace: ml
      cluster: gcsFaultToleranceOptions: {redisAddress: "valkey.data.svc.cluster.local:6379"}
      also: ---
      also: apiVersion: apps/v1
      also: kind: StatefulSet
      also: metadata: {name: valkey, namespace: data}
      also: spec:
      also:   serviceName: valkey
      also:   selector: {matchLabels: {app: valkey}}
      also:   template:
      also:     metadata: {labels: {app: valkey}}
      also:     spec:
      also:       containers:
      also:       - {name: valkey, image: "valkey/valkey:8", volumeMounts: [{name: data, mountPath: /data}]}  # <-
      also:       volumes: [{name: data, emptyDir: {}}]
    good RayCluster
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis:6379"}
      also: ---
      also: apiVersion: apps/v1
      also: kind: StatefulSet
      also: metadata: {name: redis}
      also: spec:
      also:   serviceName: redis
      also:   selector: {matchLabels: {app: redis}}
      also:   template:
      also:     metadata: {labels: {app: redis}}
      also:     spec:
      also:       containers: [{name: redis, image: "redis:7.4", volumeMounts: [{name: data, mountPath: /data}]}]
      also:   volumeClaimTemplates:
      also:   - metadata: {name: data}
      also:     spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
    good RayCluster -- Redis lives elsewhere:
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis.data.svc:6379"}
    near-miss RayCluster -- The Redis here is a cache of something else:
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis.data.svc:6379"}
      also: ---
      also: apiVersion: apps/v1
      also: kind: Deployment
      also: metadata: {name: redis}
      also: spec:
      also:   selector: {matchLabels: {app: cache}}
      also:   template:
      also:     metadata: {labels: {app: cache}}
      also:     spec: {containers: [{name: redis, image: "redis:7.4"}]}
    """
    for use, server in _Servers(facts).pairs():
        if server.key[3] == "lost":
            yield Problem(
                server.at,
                f"the Redis of {use.owner} keeps its data in its own pod; when the pod goes, the state goes",
                because=[(use.at, f"{use.owner} keeps its state there")],
                effect="a drained node or an update of Redis empties the store: the next head begins anew",
                fix="mount a persistent volume at its data directory and set appendonly yes",
            )


@outlined("RAY132", Severity.WARNING, confidence=Confidence.MEDIUM, gathers=servers, context=_CONTEXT)
def redis_evicts_keys(facts: Sequence[Fact]) -> Problems:
    """The Redis behind GCS fault tolerance throws keys away when memory is short: parts of the state are gone.

    A `maxmemory-policy` other than `noeviction`, among the words of the container or in a ConfigMap that it
    mounts, of a Redis or Valkey that the files make and a cluster with GCS fault tolerance uses.

    Then: The keys of the GCS have no expiry. Under `allkeys-lru` and its like Redis drops nodes, actors and jobs
    that were not touched for long, and the next head reads a state with holes; `volatile-` policies find nothing
    to drop, and mean only that somebody shares the server.

    Fix: Write `maxmemory-policy noeviction`, and give Redis memory enough.
    Ignore: Where the cleanup of deleted clusters is turned off and left-overs are to go, at the price of live
    keys. Source: Ray "Tuning Redis for a Persistent Fault Tolerant GCS"; redis 7 `redis.conf`.

    bad RayCluster
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis:6379"}
      also: ---
      also: apiVersion: apps/v1
      also: kind: StatefulSet
      also: metadata: {name: redis}
      also: spec:
      also:   template:
      also:     metadata: {labels: {app: redis}}
      also:     spec:
      also:       containers:
      also:       - name: redis
      also:         image: redis:7.4
      also:         args: [--maxmemory, 2gb, --maxmemory-policy, allkeys-lru]  # <-
    bad RayService
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis:6379"}
      also: ---
      also: apiVersion: v1
      also: kind: ConfigMap
      also: metadata: {name: redis-settings}
      also: data:
      also:   redis.conf: "maxmemory-policy allkeys-random"  # <-
      also: ---
      also: apiVersion: apps/v1
      also: kind: Deployment
      also: metadata: {name: redis}
      also: spec:
      also:   template:
      also:     metadata: {labels: {app: redis}}
      also:     spec:
      also:       containers: [{name: redis, image: "redis:7.4"}]
      also:       volumes: [{name: settings, configMap: {name: redis-settings}}]
    good RayCluster
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis:6379"}
      also: ---
      also: apiVersion: apps/v1
      also: kind: StatefulSet
      also: metadata: {name: redis}
      also: spec:
      also:   template:
      also:     metadata: {labels: {app: redis}}
      also:     spec: {containers: [{name: redis, image: "redis:7.4", args: [--maxmemory-policy, noeviction]}]}
    near-miss RayCluster -- No cluster keeps its state there:
      also: ---
      also: apiVersion: apps/v1
      also: kind: Deployment
      also: metadata: {name: redis}
      also: spec:
      also:   template:
      also:     metadata: {labels: {app: redis}}
      also:     spec: {containers: [{name: redis, image: "redis:7.4", args: [--maxmemory-policy, allkeys-lru]}]}
    """
    run = _Servers(facts)
    for use, server in run.pairs():
        for policy, fact in run.policies(server):
            if policy != "noeviction":
                yield Problem(
                    fact.at,
                    f"the Redis of {use.owner} drops keys when memory is short: maxmemory-policy {policy}",
                    because=[(use.at, f"{use.owner} keeps its state there")],
                    effect="nodes, actors and jobs that were not touched for long are gone for the next head",
                    fix="write maxmemory-policy noeviction, and give Redis memory enough",
                )
