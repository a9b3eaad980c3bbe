"""GCS fault tolerance as KubeRay and Ray see it: by ``gcsFaultToleranceOptions``, by annotation, or not at all.

Facts: ray-project/kuberay v1.7.0 ``common/pod.go`` (``configureGCSFaultTolerance``) and ``utils/util.go``
(``IsGCSFaultToleranceEnabled``); Ray's side: ``python/ray/_private/node.py`` and ``services.py``.
"""

from __future__ import annotations

from raylint.derived import cached_property
from raylint.field import Field, Origin, View
from raylint.typed import Enum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.cluster import RayCluster
    from raylint.pod import EnvVar
    from raylint.rule import Location

__all__ = ["GcsFaultTolerance", "Means"]

REDIS_ADDRESS_ENV = "RAY_REDIS_ADDRESS"
NAMESPACE_ENV = "RAY_external_storage_namespace"
FT_ANNOTATION = "ray.io/ft-enabled"
NAMESPACE_ANNOTATION = "ray.io/external-storage-namespace"
_DEFAULT_BACKEND = "unless a backend is written (utils/util.go)"


class Means(Enum):
    """How fault tolerance is asked for."""

    __slots__ = ()

    OPTIONS = "gcsFaultToleranceOptions"
    ANNOTATION = "annotation"
    NONE = "none"


class GcsFaultTolerance(View):
    """Fault tolerance of the GCS; truthy where KubeRay takes it as on. ``path`` is that of the options."""

    def __init__(self, cluster: RayCluster) -> None:
        super().__init__(
            cluster.document,
            (*cluster.path, "gcsFaultToleranceOptions"),
            cluster.data.get("gcsFaultToleranceOptions"),
        )
        self.cluster = cluster

    def __bool__(self) -> bool:
        return self.means is not Means.NONE

    @cached_property
    def means(self) -> Means:
        """The options count from KubeRay 1.3 on (earlier releases and v1alpha1 drop the field), even empty ones;
        the annotation counts if it says ``true`` in any letter case."""
        if self.by_options:
            return Means.OPTIONS
        annotation = self.cluster.annotations.string(FT_ANNOTATION).value or ""
        return Means.ANNOTATION if annotation.lower() == "true" else Means.NONE

    @property
    def by_options(self) -> bool:
        written = isinstance(self.cluster.data.get("gcsFaultToleranceOptions"), dict)
        return written and self.cluster.target.kuberay_at_least(1, 3) and self.cluster.serves_v1

    @property
    def at_switch(self) -> Location:
        """Where fault tolerance is turned on."""
        if self.means is Means.ANNOTATION:
            return self.cluster.annotations.at_key(FT_ANNOTATION)
        return self.at

    @cached_property
    def backend(self) -> Field[str]:
        """``redis`` or ``rocksdb`` (KubeRay 1.7, gate GCSFaultToleranceEmbeddedStorage)."""
        if self.by_options and self.cluster.target.kuberay_at_least(1, 7):
            backend = self.string("backend", "redis", Origin.KUBERAY)
            return backend if backend else Field("redis", Origin.KUBERAY, backend.at, _DEFAULT_BACKEND)
        return Field("redis", Origin.KUBERAY, self.at_switch, _DEFAULT_BACKEND)

    @property
    def uses_redis(self) -> bool:
        return bool(self) and self.backend.value == "redis"

    @property
    def address_env(self) -> EnvVar | None:
        """``RAY_REDIS_ADDRESS`` in the head's Ray container, which counts under the annotation."""
        return self.cluster.head.ray_container.env(REDIS_ADDRESS_ENV)

    @cached_property
    def redis_address(self) -> Field[str]:
        """The address as Ray's head receives it, ``$(NAME)`` expanded: from the options, which KubeRay appends
        to the head's ``env`` (an absent one as empty text), or from the head's own ``env``."""
        if self.by_options:
            written = self.string("redisAddress")
            if not written:
                return Field("", Origin.KUBERAY, written.at, "none is written: an empty text (common/pod.go)")
            return self._expanded(written, before=None)
        variable = self.address_env
        if variable is None:
            return Field(None, Origin.ABSENT, self.cluster.head.ray_container.at_key("env"))
        return self._expanded(variable.value, before=REDIS_ADDRESS_ENV)

    def _expanded(self, written: Field[str], before: str | None) -> Field[str]:
        if written.value is None:
            return written
        value = self.cluster.head.ray_container.expand(written.value, before)
        return Field(value, Origin.UNKNOWN if value is None else written.origin, written.at)

    @property
    def redis_password(self) -> View:
        """``redisPassword`` of the options: ``value`` or ``valueFrom``."""
        return self.part("redisPassword")

    @property
    def redis_username(self) -> View:
        return self.part("redisUsername")

    @cached_property
    def storage_namespace(self) -> Field[str]:
        """The prefix of the cluster's keys: the head's ``RAY_external_storage_namespace``, else the options'
        ``externalStorageNamespace``, else the annotation. Absent: the RayCluster's UID, unique by nature."""
        variable = self.cluster.head.ray_container.env(NAMESPACE_ENV)
        return self.namespace_of_cluster if variable is None else variable.value

    @cached_property
    def namespace_of_cluster(self) -> Field[str]:
        """The prefix as KubeRay computes it, whatever the head's own environment says. Absent: the UID."""
        if self.by_options:
            option = self.string("externalStorageNamespace")
            if option and option.value != "":
                return option
        annotation = self.cluster.annotations.string(NAMESPACE_ANNOTATION)
        if annotation and annotation.value != "":
            return annotation
        return Field(None, Origin.ABSENT, self.at_switch)
