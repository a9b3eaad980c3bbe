"""Secrets, ConfigMaps, claims and accounts that pods ask for and that the files do not make."""

from __future__ import annotations

from raylint.field import View
from raylint.manifest import KubeObject, RayObject
from raylint.rule import Confidence, Fact, Problem, Severity

from .bundle import beside
from .near_miss import nearest
from .outline import outlined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from raylint.rule import Location, Problems

__all__ = ["referenced_object_missing"]

_KINDS = ("Secret", "ConfigMap", "PersistentVolumeClaim", "ServiceAccount")
# What makes a Secret of the same name.
_MAKERS = {"ExternalSecret": "Secret", "SealedSecret": "Secret"}


def references(found: KubeObject) -> Iterator[Fact]:
    """What pods of a Ray object cannot start without, and what the files make."""
    namespace = found.ref.namespace
    if isinstance(found, RayObject):
        cluster = found.cluster
        for group in cluster.groups if cluster is not None and cluster.is_built else ():
            for at, kind, name in _needs(group.pod):
                if isinstance(name, str) and name and "{{" not in name:
                    yield Fact(("needs", namespace, kind, name), at, str(found.ref))
    else:
        kind = _MAKERS.get(found.kind, found.kind)
        if kind in _KINDS:
            yield Fact(("made", namespace, kind, found.ref.name), found.at, str(found.ref))


def _needs(pod: View) -> Iterator[tuple[Location, str, object]]:
    if pod.has("serviceAccountName"):
        yield pod.at_key("serviceAccountName"), "ServiceAccount", pod.data["serviceAccountName"]
    for path, item in pod.parts("imagePullSecrets"):
        secret = View(pod.document, path, item)
        yield secret.at, "Secret", secret.data.get("name")
    for path, item in pod.parts("volumes"):
        yield from _of_volume(View(pod.document, path, item))
    for list_name in ("containers", "initContainers"):
        for path, item in pod.parts(list_name):
            yield from _of_container(View(pod.document, path, item))


def _of_volume(volume: View) -> Iterator[tuple[Location, str, object]]:
    for field, kind, key in (
        ("secret", "Secret", "secretName"),
        ("configMap", "ConfigMap", "name"),
        ("persistentVolumeClaim", "PersistentVolumeClaim", "claimName"),
    ):
        source = volume.part(field)
        if source.has(key) and source.data.get("optional") is not True:
            yield source.at_key(key), kind, source.data[key]


def _of_container(container: View) -> Iterator[tuple[Location, str, object]]:
    for list_name, fields in (
        ("env", (("secretKeyRef", "Secret"), ("configMapKeyRef", "ConfigMap"))),
        ("envFrom", (("secretRef", "Secret"), ("configMapRef", "ConfigMap"))),
    ):
        for path, item in container.parts(list_name):
            entry = View(container.document, path, item)
            owner = entry.part("valueFrom") if list_name == "env" else entry
            for field, kind in fields:
                source = owner.part(field)
                if source.has("name") and source.data.get("optional") is not True:
                    yield source.at_key("name"), kind, source.data["name"]


@outlined(
    "RAY822",
    Severity.WARNING,
    confidence=Confidence.LOW,
    gathers=references,
    context=(*_KINDS, *_MAKERS),
    preview=True,
)
def referenced_object_missing(facts: Sequence[Fact]) -> Problems:
    """A pod asks for a Secret, ConfigMap, claim or account that is not there; almost the same is.

    A name in `secretKeyRef`, `configMapKeyRef`, `envFrom`, a volume, `imagePullSecrets` or `serviceAccountName`
    of a Ray pod for which the files hold no such object in its namespace, while one of that kind is there whose
    name differs by a letter or two and that no pod asks for, or one of that very name in another namespace.

    It stays silent on what is `optional`, and where the files hold nothing like it: it then lives elsewhere. The
    rule is in preview: name it (`--select RAY822`) to turn it on.

    Then: The pod stays in `ContainerCreating`, `CreateContainerConfigError` or `ImagePullBackOff`, or is never
    made; the cluster waits for it.

    Fix: Correct the name, or put the object into the namespace of the Ray object.
    Ignore: Where the object is made elsewhere.
    Source: Kubernetes "Secrets", "ConfigMaps" and "Persistent Volumes": they are found in the pod's namespace
    alone.

    bad RayCluster
      head.ray: env:
      head.ray: - name: TOKEN
      head.ray:   valueFrom:
      head.ray:     secretKeyRef:
      head.ray:       name: registry-tokn  # <-
      head.ray:       key: token
      also: ---
      also: apiVersion: v1
      also: kind: Secret
      also: metadata: {name: registry-token}
    bad RayJob
      meta: namespace: research
      group.pod: volumes: [{name: data, persistentVolumeClaim: {claimName: datasets}}]  # <-
      group.ray: volumeMounts: [{name: data, mountPath: /data}]
      also: ---
      also: apiVersion: v1
      also: kind: PersistentVolumeClaim
      also: metadata: {name: datasets, namespace: prod}
      also: spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 1Ti}}}
    good RayCluster
      head.ray: envFrom: [{secretRef: {name: registry-token}}]
      also: ---
      also: apiVersion: v1
      also: kind: Secret
      also: metadata: {name: registry-token}
    good RayCluster
      head.pod: serviceAccountName: trainer
      head.pod: imagePullSecrets: [{name: registry}]
      head.ray: envFrom: [{configMapRef: {name: settings, optional: true}}]
    near-miss RayCluster -- Both are asked for, one of them lives elsewhere:
      head.ray: envFrom: [{secretRef: {name: bucket-a-key}}, {secretRef: {name: bucket-b-key}}]
      also: ---
      also: apiVersion: v1
      also: kind: Secret
      also: metadata: {name: bucket-b-key}
    """
    made = {fact.key[1:]: fact for fact in facts if fact.key[0] == "made"}
    needed = {fact.key[1:] for fact in facts if fact.key[0] == "needs"}
    for fact in facts:
        _, namespace, kind, name = fact.key
        if fact.key[0] != "needs" or (namespace, kind, name) in made:
            continue
        idle = [key for key in made if key[1] == kind and key not in needed and beside(made[key], fact)]
        near = nearest(name, [other for space, _, other in idle if space == namespace])
        key = (namespace, kind, near) if near else next((key for key in idle if key[2] == name), None)
        if key is not None:
            yield Problem(
                fact.at,
                f"there is no {kind} {name!r} in this namespace; {made[key].owner} is there",
                because=[(made[key].at, "this one is there, and no Ray pod asks for it")],
                effect="the pod never starts, and the cluster waits for it",
                fix="correct the name, or put the object into the namespace of the Ray object",
            )
