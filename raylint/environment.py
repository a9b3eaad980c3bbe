"""The environment of a container that KubeRay has a hand in: what the user wrote, and what is appended to it.

Facts: ray-project/kuberay v1.7.0 ``common/pod.go`` (``setContainerEnvVars``, ``configureGCSFaultTolerance``,
``SetContainerTokenAuthEnvVars``, ``SetContainerTLSConfig``), and the differences of older releases.
"""

from __future__ import annotations

from raylint.field import Field, Origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from raylint.field import View
    from raylint.pod import Container, EnvVar
    from raylint.rule import Location

__all__ = ["Environment", "Reference", "Variable", "source_of"]


class Reference:
    """A value that stands elsewhere: ``kind`` is ``secretKeyRef`` or the like, ``target`` names it."""

    __slots__ = ("kind", "target")

    def __init__(self, kind: str, target: str) -> None:
        self.kind = kind
        self.target = target

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and (self.kind, self.target) == (other.kind, other.target)

    def __hash__(self) -> int:
        return hash((self.kind, self.target))

    def __repr__(self) -> str:
        return f"Reference({self.kind!r}, {self.target!r})"


class Variable:
    """One entry of ``env``. ``added``: by KubeRay. ``field.value`` is a text, or None where it cannot be known."""

    __slots__ = ("added", "field", "name")

    def __init__(self, name: str, field: Field[str | Reference], *, added: bool) -> None:
        self.name = name
        self.field = field
        self.added = added


class Environment:
    """The entries of a container's ``env`` in their order; of several with one name the last one counts."""

    def __init__(self, variables: Iterable[Variable], at: Location, source: str = "common/pod.go") -> None:
        """``source``: the file of KubeRay that appends to it."""
        self._variables = list(variables)
        self._at = at
        self._source = source

    @classmethod
    def of(cls, container: Container) -> Environment:
        """What the user wrote for the container."""
        return cls(map(_written, container.env_vars), container.at_key("env"))

    def __iter__(self) -> Iterator[Variable]:
        return iter(self._variables)

    def appended_by(self, source: str) -> Environment:
        """A copy to which another file of KubeRay appends."""
        return Environment(self._variables, self._at, source)

    def extend(self, variables: Iterable[Variable]) -> None:
        self._variables += variables

    def __contains__(self, name: object) -> bool:
        return any(variable.name == name for variable in self._variables)

    def add(self, name: str, value: str | Reference | None, reason: str, at: Location | None = None) -> None:
        """Append, whatever is there already."""
        origin = Origin.UNKNOWN if value is None else Origin.KUBERAY
        field: Field[str | Reference] = Field(value, origin, at or self._at, f"{reason} ({self._source})")
        self._variables.append(Variable(name, field, added=True))

    def add_missing(self, name: str, value: str | Reference, reason: str, at: Location | None = None) -> None:
        """Append unless the user has an entry of this name; ``envFrom`` is not looked at."""
        if name not in self:
            self.add(name, value, f"{reason}, unless the container sets it", at)

    def adopt(self, name: str, option: View, reason: str) -> None:
        """Append what stands as ``value`` or ``valueFrom`` in an option, such as ``redisPassword``."""
        source = option.part("valueFrom")
        if source.data:
            self.add(name, source_of(source), reason, option.at)
        else:
            self.add(name, option.string("value", "").value, reason, option.at)

    @property
    def effective(self) -> dict[str, Variable]:
        """Name: the entry that counts; in the order in which the names first come up."""
        return {variable.name: variable for variable in self._variables}

    @property
    def added(self) -> list[str]:
        return [variable.name for variable in self._variables if variable.added]

    @property
    def twice(self) -> list[str]:
        """Names that the user set and KubeRay appended all the same: its entry wins."""
        own = {variable.name for variable in self._variables if not variable.added}
        return sorted(own.intersection(self.added))


def _written(entry: EnvVar) -> Variable:
    value: str | Reference | None = entry.value.value
    origin = entry.value.origin
    if entry.has("valueFrom"):
        value = source_of(entry.part("valueFrom"))
        origin = Origin.UNKNOWN if value is None else Origin.WRITTEN
    return Variable(entry.name, Field(value, origin, entry.value.at), added=False)


def source_of(value_from: View) -> Reference | None:
    """What a ``valueFrom`` refers to; None where that does not show."""
    for kind in ("secretKeyRef", "configMapKeyRef", "fieldRef", "resourceFieldRef", "fileKeyRef"):
        source = value_from.part(kind)
        if source.data:
            names = (
                ("fieldPath",)
                if kind == "fieldRef"
                else ("containerName", "volumeName", "name", "resource", "key")
            )
            parts = [part for name in names if (part := source.string(name).value)]
            return Reference(kind, "/".join(parts))
    return None
