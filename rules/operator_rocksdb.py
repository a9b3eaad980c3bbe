"""The embedded store of the GCS (RocksDB on a volume) as the operator refuses it. KubeRay 1.7, by feature gate."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.rule import Location, Problem

from .refusal import gate_is_off, refused, refuses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

# One of these is written wherever a rule here has something to say.
MENTIONS = ("rocksdb", "storage")
_OPTIONS = "gcsFaultToleranceOptions"
_GATE = "GCSFaultToleranceEmbeddedStorage"
_MOUNT = "/data/gcs"
_VOLUME = "gcs-storage"


def _is_embedded(cluster: RayCluster) -> bool:
    return cluster.gcs_fault_tolerance.data.get("backend") == "rocksdb"


@refuses("KR044", "1.7..", _OPTIONS, reports=("FR-157",))
def rocksdb_gate(cluster: RayCluster) -> Problems:
    """The operator refuses `backend: rocksdb` while its feature gate is off.

    `gcsFaultToleranceOptions.backend: rocksdb` where GCSFaultToleranceEmbeddedStorage is off, which it is in
    KubeRay 1.7 unless somebody turns it on.

    Versions: The field `backend` came with 1.7.
    Gate: GCSFaultToleranceEmbeddedStorage
    Fix: Turn the gate on in the operator and tell raylint so, or use Redis.
    Ignore: Never; give `--feature-gates` what the operator has. Told of no gate at all, raylint only warns.

    bad RayCluster gates=GCSFaultToleranceEmbeddedStorage=false
      cluster: gcsFaultToleranceOptions: {backend: rocksdb}  # <-
    bad RayService gates=GCSFaultToleranceEmbeddedStorage=false
      cluster: gcsFaultToleranceOptions: {backend: rocksdb, storage: {claimName: gcs}}  # <-
    good RayCluster
      cluster: gcsFaultToleranceOptions: {backend: rocksdb}
    near-miss RayCluster
      cluster: gcsFaultToleranceOptions: {backend: redis, redisAddress: "redis:6379"}
    """
    if _is_embedded(cluster) and not cluster.target.gate(_GATE):
        yield gate_is_off(cluster, cluster.gcs_fault_tolerance.at_key("backend"), "backend: rocksdb", _GATE)


def _redis_beside(cluster: RayCluster, key: str, *, written: bool) -> Problems:
    """``key`` of the options speaks of Redis. ``written``: it counts."""
    if written and _is_embedded(cluster):
        yield refused(
            cluster,
            cluster.gcs_fault_tolerance.at_key(key),
            f"gcsFaultToleranceOptions.{key} beside backend: rocksdb",
            because=[(cluster.gcs_fault_tolerance.at_key("backend"), "the embedded store knows no Redis")],
            fix=f"remove {key}, or write backend: redis",
        )


@refuses("KR045", "1.7..", _OPTIONS)
def rocksdb_with_redis_address(cluster: RayCluster) -> Problems:
    """The operator refuses a Redis address beside the embedded store.

    `redisAddress`, unless it is empty text, in `gcsFaultToleranceOptions` with `backend: rocksdb`.

    Gate: GCSFaultToleranceEmbeddedStorage
    Fix: Keep one of the two.

    bad RayCluster
      cluster: gcsFaultToleranceOptions:
      cluster:   backend: rocksdb
      cluster:   redisAddress: redis:6379  # <-
    bad RayJob
      cluster: gcsFaultToleranceOptions: {backend: rocksdb, redisAddress: "rediss://redis:6380"}  # <-
    good RayCluster
      cluster: gcsFaultToleranceOptions: {backend: rocksdb}
    near-miss RayCluster
      cluster: gcsFaultToleranceOptions: {backend: rocksdb, redisAddress: ""}
    """
    address = cluster.gcs_fault_tolerance.string("redisAddress")
    return _redis_beside(cluster, "redisAddress", written=bool(address) and address.value != "")


@refuses("KR046", "1.7..", _OPTIONS)
def rocksdb_with_redis_username(cluster: RayCluster) -> Problems:
    """The operator refuses a Redis user beside the embedded store.

    `redisUsername`, even empty, in `gcsFaultToleranceOptions` with `backend: rocksdb`.

    Gate: GCSFaultToleranceEmbeddedStorage
    Fix: Keep one of the two.

    bad RayCluster
      cluster: gcsFaultToleranceOptions:
      cluster:   backend: rocksdb
      cluster:   redisUsername: {value: default}  # <-
    bad RayCluster
      cluster: gcsFaultToleranceOptions: {backend: rocksdb, redisUsername: {}}  # <-
    good RayCluster
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis:6379", redisUsername: {value: default}}
    near-miss RayCluster -- Null is no value:
      cluster: gcsFaultToleranceOptions: {backend: rocksdb, redisUsername: null}
    """
    return _redis_beside(cluster, "redisUsername", written=cluster.gcs_fault_tolerance.has("redisUsername"))


@refuses("KR047", "1.7..", _OPTIONS)
def rocksdb_with_redis_password(cluster: RayCluster) -> Problems:
    """The operator refuses a Redis password beside the embedded store.

    `redisPassword`, even empty, in `gcsFaultToleranceOptions` with `backend: rocksdb`.

    Gate: GCSFaultToleranceEmbeddedStorage
    Fix: Keep one of the two.

    bad RayCluster
      cluster: gcsFaultToleranceOptions:
      cluster:   backend: rocksdb
      cluster:   redisPassword: {valueFrom: {secretKeyRef: {name: redis, key: password}}}  # <-
    bad RayCluster
      cluster: gcsFaultToleranceOptions: {backend: rocksdb, redisPassword: {}}  # <-
    good RayCluster
      cluster: gcsFaultToleranceOptions: {backend: rocksdb}
    near-miss RayCluster
      cluster: gcsFaultToleranceOptions: {backend: rocksdb, redisPassword: null}
    """
    return _redis_beside(cluster, "redisPassword", written=cluster.gcs_fault_tolerance.has("redisPassword"))


@refuses("KR048", "1.7..", _OPTIONS)
def rocksdb_with_storage_namespace(cluster: RayCluster) -> Problems:
    """The operator refuses `externalStorageNamespace` beside the embedded store.

    The field, unless it is empty text, in `gcsFaultToleranceOptions` with `backend: rocksdb`: a namespace is the
    prefix of keys in a shared Redis.

    Gate: GCSFaultToleranceEmbeddedStorage
    Fix: Remove it; use `storage.subPath` to share a volume.

    bad RayCluster
      cluster: gcsFaultToleranceOptions: {backend: rocksdb, externalStorageNamespace: team-a}  # <-
    bad RayService
      cluster: gcsFaultToleranceOptions:
      cluster:   backend: rocksdb
      cluster:   externalStorageNamespace: ranker  # <-
    good RayCluster
      cluster: gcsFaultToleranceOptions: {backend: rocksdb, storage: {claimName: gcs, subPath: team-a}}
    near-miss RayCluster
      cluster: gcsFaultToleranceOptions: {backend: rocksdb, externalStorageNamespace: ""}
    """
    namespace = cluster.gcs_fault_tolerance.string("externalStorageNamespace")
    return _redis_beside(cluster, "externalStorageNamespace", written=bool(namespace) and namespace.value != "")


@refuses("KR049", "1.7..", _OPTIONS)
def rocksdb_claim_and_its_shape(cluster: RayCluster) -> Problems:
    """The operator refuses a `claimName` together with what a new claim would look like.

    With `backend: rocksdb`, `storage.claimName` that is not empty beside `size`, `storageClassName` (even empty)
    or a non-empty `accessModes`. `subPath` and `deletionPolicy` may stand beside it; the latter then has no
    effect.

    Gate: GCSFaultToleranceEmbeddedStorage
    Fix: Name an existing claim, or describe the one that KubeRay makes.

    bad RayCluster
      cluster: gcsFaultToleranceOptions: {backend: rocksdb, storage: {claimName: gcs, size: 5Gi}}  # <-
    bad RayCluster
      cluster: gcsFaultToleranceOptions:
      cluster:   backend: rocksdb
      cluster:   storage:
      cluster:     claimName: gcs  # <-
      cluster:     accessModes: [ReadWriteOnce]
    good RayCluster
      cluster: gcsFaultToleranceOptions: {backend: rocksdb, storage: {size: 5Gi}}
    near-miss RayCluster
      cluster: gcsFaultToleranceOptions: {backend: rocksdb, storage: {claimName: gcs, deletionPolicy: Retain}}
    """
    storage = cluster.gcs_fault_tolerance.part("storage")
    claim = storage.string("claimName")
    shape = [key for key in ("size", "storageClassName") if storage.has(key)]
    shape += ["accessModes"] if storage.data.get("accessModes") else []
    if shape and claim and claim.value != "" and _is_embedded(cluster):
        yield refused(
            cluster,
            claim,
            f"storage.claimName beside {' and '.join(shape)}",
            because=[(storage.at_key(key), "says what a new claim looks like") for key in shape],
            fix=f"keep claimName for a claim that exists, or {' and '.join(shape)} for one that KubeRay makes",
        )


@refuses("KR050", "1.7..", _OPTIONS)
def rocksdb_env_by_hand(cluster: RayCluster) -> Problems:
    """The operator refuses the embedded store's variables where it would set them itself.

    With `backend: rocksdb`, `RAY_gcs_storage` or `RAY_gcs_storage_path` in the `env` of the head's first
    container.

    Gate: GCSFaultToleranceEmbeddedStorage
    Fix: Remove the variables.

    bad RayCluster
      cluster: gcsFaultToleranceOptions: {backend: rocksdb}
      head.ray: env: [{name: RAY_gcs_storage, value: rocksdb}]  # <-
    bad RayCluster
      cluster: gcsFaultToleranceOptions: {backend: rocksdb}
      head.ray: env: [{name: RAY_gcs_storage_path, value: /data/gcs}]  # <-
    good RayCluster
      cluster: gcsFaultToleranceOptions: {backend: rocksdb}
    near-miss RayCluster -- Without KubeRay's help:
      head.ray: env: [{name: RAY_gcs_storage, value: rocksdb}]
    """
    if _is_embedded(cluster):
        for name in ("RAY_gcs_storage", "RAY_gcs_storage_path"):
            variable = cluster.head.ray_container.env(name)
            if variable is not None:
                yield _taken(cluster, variable.at, f"the variable {name}")


def _taken(cluster: RayCluster, at: Location, what: str) -> Problem:
    return refused(
        cluster,
        at,
        f"{what} on the head is what KubeRay adds for backend: rocksdb",
        fix=f"remove {what}; size and class of the volume stand in gcsFaultToleranceOptions.storage",
    )


@refuses("KR051", "1.7..", _OPTIONS)
def rocksdb_mount_by_hand(cluster: RayCluster) -> Problems:
    """The operator refuses a mount where the embedded store's own will be.

    With `backend: rocksdb`, a `volumeMounts` entry of the head's first container with the name `gcs-storage` or
    exactly at `/data/gcs`.

    Gate: GCSFaultToleranceEmbeddedStorage
    Fix: Remove the mount; KubeRay adds it. A claim of your own is named in `storage.claimName`.

    bad RayCluster
      cluster: gcsFaultToleranceOptions: {backend: rocksdb}
      head.ray: volumeMounts: [{name: disk, mountPath: /data/gcs}]  # <-
      head.pod: volumes: [{name: disk, emptyDir: {}}]
    bad RayCluster
      cluster: gcsFaultToleranceOptions: {backend: rocksdb}
      head.ray: volumeMounts: [{name: gcs-storage, mountPath: /gcs}]  # <-
    good RayCluster
      cluster: gcsFaultToleranceOptions: {backend: rocksdb, storage: {claimName: gcs}}
    near-miss RayCluster -- Another path, be it next to it:
      cluster: gcsFaultToleranceOptions: {backend: rocksdb}
      head.ray: volumeMounts: [{name: disk, mountPath: /data/gcs/}]
      head.pod: volumes: [{name: disk, emptyDir: {}}]
    """
    if _is_embedded(cluster):
        for path, mount in cluster.head.ray_container.parts("volumeMounts"):
            if isinstance(mount, dict) and (mount.get("mountPath") == _MOUNT or mount.get("name") == _VOLUME):
                yield _taken(
                    cluster,
                    Location(cluster.document, path),
                    f"the mount {mount.get('name')!r} at {mount.get('mountPath')!r}",
                )


@refuses("KR052", "1.7..", _OPTIONS)
def rocksdb_volume_by_hand(cluster: RayCluster) -> Problems:
    """The operator refuses a volume with the name of the embedded store's own.

    With `backend: rocksdb`, a volume `gcs-storage` of the head's pod.

    Gate: GCSFaultToleranceEmbeddedStorage
    Fix: Remove the volume, or give it another name. A claim of your own is named in `storage.claimName`.

    bad RayCluster
      cluster: gcsFaultToleranceOptions: {backend: rocksdb}
      head.pod: volumes: [{name: gcs-storage, emptyDir: {}}]  # <-
    bad RayService
      cluster: gcsFaultToleranceOptions: {backend: rocksdb}
      head.pod: volumes: [{name: gcs-storage, persistentVolumeClaim: {claimName: gcs}}]  # <-
    good RayCluster
      cluster: gcsFaultToleranceOptions: {backend: rocksdb, storage: {claimName: gcs}}
    near-miss RayCluster
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis:6379"}
      head.pod: volumes: [{name: gcs-storage, emptyDir: {}}]
    """
    if _is_embedded(cluster):
        for path, volume in cluster.head.pod.parts("volumes"):
            if isinstance(volume, dict) and volume.get("name") == _VOLUME:
                yield _taken(cluster, Location(cluster.document, path), f"the volume {_VOLUME}")


@refuses("KR053", "1.7..", _OPTIONS)
def storage_without_rocksdb(cluster: RayCluster) -> Problems:
    """The operator refuses `storage` for a store that is not embedded.

    `gcsFaultToleranceOptions.storage`, even empty, where `backend` is not `rocksdb`: without `backend` it is
    Redis.

    Versions: Both fields came with 1.7.
    Fix: Write `backend: rocksdb`, or remove `storage`.

    bad RayCluster
      cluster: gcsFaultToleranceOptions: {storage: {size: 5Gi}}  # <-
    bad RayCluster
      cluster: gcsFaultToleranceOptions: {backend: redis, redisAddress: "redis:6379", storage: {}}  # <-
    good RayCluster gates=GCSFaultToleranceEmbeddedStorage=true
      cluster: gcsFaultToleranceOptions: {backend: rocksdb, storage: {size: 5Gi}}
    near-miss RayCluster
      cluster: gcsFaultToleranceOptions: {redisAddress: "redis:6379", storage: null}
    """
    options = cluster.gcs_fault_tolerance
    if options.has("storage") and not _is_embedded(cluster):
        yield refused(
            cluster,
            options.at_key("storage").key(),
            "gcsFaultToleranceOptions.storage without backend: rocksdb",
            fix="write backend: rocksdb, or remove storage: Redis keeps its own",
        )
