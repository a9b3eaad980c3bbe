"""Views of whole objects: what a user writes and applies."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.derived import cached_property
from raylint.field import Field, Origin, View
from raylint.finding import ObjectRef
from raylint.glance import KEYS, has_prefix
from raylint.kube_names import is_dns1035
from raylint.schema import bundled_schema
from raylint.serve import ServeConfig
from raylint.settle import settled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.document import Document
    from raylint.embedded_document import EmbeddedDocument
    from raylint.finding import Path
    from raylint.ray_release import Fault
    from raylint.runtime_environments import Environment
    from raylint.schema import Schema
    from raylint.schema_fault import SchemaFault
    from raylint.target import Target, Version

__all__ = [
    "OPERATOR",
    "KubeObject",
    "Labels",
    "RayClusterObject",
    "RayCronJob",
    "RayJob",
    "RayObject",
    "RayService",
    "objects",
]

RAY_GROUP = "ray.io/"
# So long the name of any of KubeRay's objects may be: a RayCronJob's leaves the least room.
_SHORT_NAME = 36
# Of these alone a line means to a shell what it says.
_PLAIN_LINE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_./=:,+@%")
# What managedBy calls KubeRay itself; empty text counts as another.
OPERATOR = "ray.io/kuberay-operator"


class KubeObject(View):
    """Any Kubernetes object."""

    def __init__(self, document: Document, path: Path, data: object, target: Target) -> None:
        super().__init__(document, path, data)
        self.target = target
        self.api_version = _text(self.data.get("apiVersion"))
        self.kind = _text(self.data.get("kind"))

    @cached_property
    def metadata(self) -> View:
        return self.part("metadata")

    @property
    def name(self) -> Field[str]:
        return self.metadata.string("name")

    @property
    def namespace(self) -> Field[str]:
        return self.metadata.string("namespace")

    @cached_property
    def annotations(self) -> View:
        return self.metadata.part("annotations")

    @cached_property
    def labels(self) -> View:
        return self.metadata.part("labels")

    @cached_property
    def ref(self) -> ObjectRef:
        """The object's identity for people. A ``generateName`` stands for the name it will get."""
        name = _text(self.metadata.data.get("name")) or _text(self.metadata.data.get("generateName"))
        return ObjectRef(self.api_version, self.kind, _text(self.metadata.data.get("namespace")), name)

    @property
    def is_ray(self) -> bool:
        return self.api_version.startswith(RAY_GROUP)

    @property
    def has_odd_kind(self) -> bool:
        """Is there anything to say of its kind and version: one of KubeRay's that the API server does not serve,
        or not for long, or KubeRay's word for a kind in another group?"""
        if self.is_ray:
            return not self.schema.serves_for_long(self.api_version, self.kind)
        return self.kind in _KINDS

    @cached_property
    def schema(self) -> Schema:
        """What the API server of the target knows of KubeRay's kinds."""
        return self.target.schema or bundled_schema(self.target.kuberay_line)


class Labels(View):
    """The labels of an object of KubeRay's kinds, for rules that one label concerns."""

    def __init__(self, owner: RayObject) -> None:
        labels = owner.metadata.part("labels")
        super().__init__(labels.document, labels.path, labels.data)
        self.owner = owner


class RayObject(KubeObject):
    """One of KubeRay's four kinds. ``cluster`` is None where the object describes none."""

    # Where the cluster stands inside the object.
    cluster_path: Path = ("spec",)

    @cached_property
    def schema_faults(self) -> list[SchemaFault]:
        """All that the API server objects to in this object; empty as well where it does not serve the kind."""
        return self.schema.faults(self.data, self.path)

    @property
    def own_metadata(self) -> list[View]:
        """The metadata of the object and of its groups' pods."""
        groups = self.cluster.groups if self.cluster is not None else ()
        return [self.metadata, *[group.template.part("metadata") for group in groups]]

    @property
    def has_prefixed_keys(self) -> bool:
        """Is there a label or annotation with a prefix, as all have that programs read?"""
        cluster = self.cluster
        metadata = self.data.get("metadata")
        if isinstance(metadata, dict) and has_prefix(metadata):
            return True
        return cluster is not None and bool(cluster.doubts & KEYS)

    @property
    def is_oddly_named(self) -> bool:
        """Is its name anything but a short DNS-1035 label, which KubeRay takes of every kind?"""
        metadata = self.data.get("metadata")
        name = metadata.get("name") if isinstance(metadata, dict) else None
        return not (isinstance(name, str) and len(name) <= _SHORT_NAME and is_dns1035(name))

    def as_operator_reads_it(self) -> RayObject | None:
        """The object as the API server stores it and the operator reads it: without the fields that the target's
        CRD does not know. None where the server does not serve the kind, or where ``managedBy`` gives the object
        to another controller: KubeRay then checks nothing (C and J since 1.3, S since 1.6)."""
        stored: RayObject = self
        faults = self.schema_faults
        if faults and any(fault.dropped for fault in faults):
            root = self.schema.root(self.api_version, self.kind)
            stored = type(self)(self.document, self.path, root and settled(root, self.data), self.target)
        elif not self.schema.serves(self.api_version, self.kind):
            return None
        managed = stored.spec.data.get("managedBy")
        if managed is not None and managed != OPERATOR:
            return None
        return stored.with_the_cluster_that_is_read()

    def with_the_cluster_that_is_read(self) -> RayObject:
        """The object with the cluster that the operator looks at or makes: where a RayCluster or RayService
        describes none, that of its Go types, a head and nothing in it; a RayJob may do without."""
        if self.cluster is not None:
            return self
        spec: dict[str, object] = {"headGroupSpec": {"template": {}}}
        for step in self.cluster_path[:0:-1]:
            spec = {**self.spec.data, str(step): spec}
        return type(self)(self.document, self.path, {**self.data, "spec": spec}, self.target)

    @property
    def body(self) -> dict[str, object]:
        return self.spec.data

    @cached_property
    def labels(self) -> Labels:
        return Labels(self)

    @cached_property
    def cluster(self) -> RayCluster | None:
        data: object = self.data
        for step in self.cluster_path:
            data = data.get(step) if isinstance(data, dict) else None
        return RayCluster(self, self.path + self.cluster_path, data) if isinstance(data, dict) else None

    @cached_property
    def runtime_environments(self) -> tuple[Environment, ...]:
        """The runtime environments that Ray gets to see (:mod:`raylint.runtime_environments`)."""
        from raylint.runtime_environments import environments  # few objects hold one

        return tuple(environments(self))

    @property
    def has_odd_environments(self) -> bool:
        """Has it a runtime environment that is more than the address of the code, or at fault?"""
        return False

    @property
    def inner_document(self) -> EmbeddedDocument | None:
        """The YAML in a text of its spec; None where there is none."""
        return None

    @property
    def has_odd_text(self) -> bool:
        """May something in the YAML in a text of its spec be passed over?"""
        return self.inner_document is not None and not self.inner_document.is_plain

    @property
    def ray_version(self) -> Version | None:
        """The Ray version of its cluster; None where it cannot be told."""
        return self.cluster.ray_version if self.cluster is not None else self.target.ray

    @cached_property
    def spec(self) -> View:
        return self.part("spec")

    @property
    def job(self) -> RayJob | None:
        """The job part of a RayJob or RayCronJob."""
        return None


class RayClusterObject(RayObject):
    """``kind: RayCluster``."""


class RayJob(RayObject):
    """A RayJob, or the ``jobTemplate`` of a RayCronJob seen as one. ``job_spec`` is its spec."""

    cluster_path: Path = ("spec", "rayClusterSpec")

    @property
    def job(self) -> RayJob | None:
        return self

    @cached_property
    def job_spec(self) -> View:
        return self.spec

    @property
    def body(self) -> dict[str, object]:
        return self.job_spec.data

    @cached_property
    def submission_mode(self) -> Field[str]:
        """Who submits the job: K8sJobMode unless written (the CRD's default since KubeRay 1.1)."""
        return self.job_spec.string("submissionMode", "K8sJobMode")

    @property
    def is_odd(self) -> bool:
        """Is anything odd about how it runs? Not with a cluster of its own, an entrypoint that any shell leaves as
        it is, and a time to live, if any, after which the cluster may go."""
        entrypoint, time_to_live = self.body.get("entrypoint"), self.body.get("ttlSecondsAfterFinished")
        if not (isinstance(entrypoint, str) and entrypoint and _PLAIN_LINE.issuperset(entrypoint)):
            return True
        if time_to_live is not None and self.body.get("shutdownAfterJobFinishes") is not True:
            return True
        negative = time_to_live is not None and not (isinstance(time_to_live, int) and time_to_live >= 0)
        return negative or self.body.get("rayClusterSpec") is None

    @property
    def uses_existing_cluster(self) -> bool:
        """Is there a ``clusterSelector`` with a key? Then ``rayClusterSpec`` is not used."""
        selector = self.job_spec.data.get("clusterSelector")
        return isinstance(selector, dict) and bool(selector)

    def with_the_cluster_that_is_read(self) -> RayObject:
        """Up to 1.3 the cluster beside a ``clusterSelector`` is read by nobody; since 1.4 it is checked."""
        if (
            not self.uses_existing_cluster
            or self.target.kuberay_at_least(1, 4)
            or "rayClusterSpec" not in self.body
        ):
            return self
        spec = {key: value for key, value in self.body.items() if key != "rayClusterSpec"}
        return type(self)(self.document, self.path, {**self.data, "spec": spec}, self.target)

    @property
    def backoff_limit(self) -> Field[int]:
        """Retries, each on a new cluster (KubeRay 1.2 and later)."""
        return self.job_spec.integer("backoffLimit", 0)

    @cached_property
    def runtime_env_document(self) -> EmbeddedDocument | None:
        """The YAML in ``runtimeEnvYAML``; None where there is no text."""
        return self.job_spec.embedded("runtimeEnvYAML")

    @property
    def inner_document(self) -> EmbeddedDocument | None:
        return self.runtime_env_document

    @property
    def has_odd_environments(self) -> bool:
        return self.body.get("runtimeEnvYAML") is not None and _are_odd(self.runtime_environments)

    @property
    def runtime_env(self) -> dict[str, object] | None:
        """``runtimeEnvYAML``, read; None where there is none or it cannot be read."""
        data = self.runtime_env_document.data if self.runtime_env_document is not None else None
        return data if isinstance(data, dict) else None

    @property
    def entrypoint_num_cpus(self) -> Field[float]:
        """CPUs that the driver asks Ray for; 0 unless written."""
        value = self.job_spec.data.get("entrypointNumCpus")
        at = self.job_spec.at_key("entrypointNumCpus")
        if value is None:
            return Field(0.0, Origin.RAY, at)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return Field(float(value), Origin.WRITTEN, at)
        return Field(None, Origin.UNKNOWN, at)


class RayCronJob(RayJob):
    """A RayCronJob: a RayJob on a schedule (KubeRay 1.6 and later)."""

    cluster_path: Path = ("spec", "jobTemplate", "rayClusterSpec")

    @cached_property
    def job_spec(self) -> View:
        return self.spec.part("jobTemplate")


class RayService(RayObject):
    """A RayService: Serve applications on a cluster that KubeRay may replace at every change."""

    cluster_path: Path = ("spec", "rayClusterConfig")

    @cached_property
    def serve_config(self) -> ServeConfig:
        return ServeConfig(self.spec)

    @cached_property
    def is_plainly_served(self) -> bool:
        """Is it certain at a glance that Serve finds no fault in ``serveConfigV2``?"""
        return self.serve_config.is_plain_to(self.ray_version)

    @property
    def has_odd_environments(self) -> bool:
        return not self.is_plainly_served and _are_odd(self.runtime_environments)

    @cached_property
    def serve_faults(self) -> list[Fault]:
        """What Serve refuses, drops or fails on in ``serveConfigV2``; empty where the text cannot be read."""
        if self.is_plainly_served:
            return []
        from raylint.serve_check import judged  # large, and most configurations are plain

        document = self.serve_config.document
        if document is None or document.fault is not None or not isinstance(document.data, (dict, type(None))):
            return []
        only_image = self.cluster is not None and self.cluster.head.ray_container.holds_only_its_image
        return judged(document.data or {}, self.ray_version, only_image=only_image)

    @property
    def is_served_oddly(self) -> bool:
        """Does Serve find a fault in ``serveConfigV2``, or nothing to run?"""
        if self.serve_faults:
            return True
        data = self.serve_config.data
        return data is not None and not data.get("applications")

    @property
    def may_be_crowded(self) -> bool:
        """Is there something listed in ``serveConfigV2`` for which no single worker group plainly has room?"""
        demands, cluster = self.serve_config.plain_demands, self.cluster
        if cluster is None or demands == []:
            return False
        if demands is not None:
            for group in cluster.worker_groups:
                if group.surely_holds(demands):
                    return False
        return True

    @property
    def inner_document(self) -> EmbeddedDocument | None:
        return self.serve_config.document

    @property
    def upgrade_strategy(self) -> Field[str]:
        """How a changed spec is rolled out: NewCluster unless written (KubeRay 1.3 and later)."""
        return self.spec.part("upgradeStrategy").string("type", "NewCluster", Origin.KUBERAY)


def _are_odd(environments: tuple[Environment, ...]) -> bool:
    return any(not environment.is_plain for environment in environments)


_KINDS: dict[str, type[RayObject]] = {
    "RayCluster": RayClusterObject,
    "RayJob": RayJob,
    "RayService": RayService,
    "RayCronJob": RayCronJob,
}


def objects(document: Document, target: Target) -> Iterator[KubeObject]:
    """The objects of a document: itself, or the items of ``kind: List``, ``RayClusterList`` and the like, as
    kubectl takes lists apart, however deep. Objects of KubeRay's kinds come as their own views."""
    waiting: list[tuple[Path, object]] = [((), document.data)]
    while waiting:
        path, data = waiting.pop()
        if not isinstance(data, dict):
            continue
        kind, api_version = _text(data.get("kind")), _text(data.get("apiVersion"))
        items = data.get("items")
        if isinstance(items, list) and kind.endswith("List"):
            waiting.extend(
                ((*path, "items", index), _item(items[index], kind, api_version))
                for index in range(len(items) - 1, -1, -1)
            )
            continue
        view = _KINDS.get(kind) if api_version.startswith(RAY_GROUP) else None
        yield (view or KubeObject)(document, path, data, target)


def _item(item: object, kind: str, api_version: str) -> object:
    """An item of a list, which may leave it to the list to say what it is: apimachinery's ``decodeToList``
    (``unstructured/helpers.go`` of Kubernetes 1.36) where neither kind nor apiVersion are written."""
    if not isinstance(item, dict) or item.get("kind") or item.get("apiVersion"):
        return item
    return {**item, "apiVersion": api_version, "kind": kind.removesuffix("List")}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
