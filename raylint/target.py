"""The releases a manifest is judged against: of KubeRay, of Ray, and ranges of them.

Versions are tuples of integers, so that 1.10 comes after 1.9.
"""

from __future__ import annotations

from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from raylint.schema import Schema

    Version: TypeAlias = tuple[int, ...]

__all__ = ["KUBERAY_RELEASES", "NEWEST_KUBERAY", "Target", "VersionRange", "parse_version", "version_text"]

# The KubeRay lines whose behaviour the rules know (tags v1.0.0 to v1.7.0 of ray-project/kuberay).
KUBERAY_RELEASES: tuple[Version, ...] = ((1, 0), (1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6), (1, 7))
NEWEST_KUBERAY = KUBERAY_RELEASES[-1]

# Go's parser refuses a part beyond 64 bits.
_MAX_DIGITS = 19
_LONG = 64
_DIGITS = "0123456789"


def parse_version(text: str) -> Version | None:
    """Read ``2.43.0`` or ``v2.52`` as KubeRay does (kubernetes apimachinery ``pkg/util/version``, generic
    parser): leading blanks and one ``v``, two numeric parts or more, whatever follows is ignored but for a
    line break. ``nightly``, ``2`` and the empty text are no versions: None."""
    return _known(text) if len(text) < _LONG else _read(text)


def _read(text: str) -> Version | None:
    # By plain words: to compile a pattern takes as long as to judge an object.
    text = text.lstrip()
    major, *others = text.removeprefix("v").split(".")
    if "\n" in text or not major or major.strip(_DIGITS) or (major[0] == "0" and major != "0"):
        return None
    parts = [major]
    for part in others:
        digits = part[: len(part) - len(part.lstrip(_DIGITS))]
        if not digits:
            break
        parts.append(digits)
        if digits != part:
            break
    if len(parts) < 2 or any(len(part) > _MAX_DIGITS for part in parts):
        return None
    return tuple(map(int, parts))


# The files of a run name few versions.
_known = lru_cache(maxsize=64)(_read)


def version_text(version: Version) -> str:
    return ".".join(str(part) for part in version)


class VersionRange:
    """Releases from ``since`` to ``until``, both included, written ``"1.3..1.6"``, ``"1.6.."``, ``"..2.48"``;
    ``""`` is every release. An end counts with all its patch releases: 1.6.2 lies within ``"1.3..1.6"``. A
    version without a patch stands for the newest of its line: 1.5 lies within ``"1.5.1.."``, 1.5.0 does not."""

    __slots__ = ("since", "text", "until")

    def __init__(self, text: str = "") -> None:
        since, dots, until = text.partition("..")
        if text and not dots:
            raise ValueError(f"version range {text!r} has no '..'")
        self.text = text
        self.since = _bound(since)
        self.until = _bound(until)

    def __contains__(self, version: Version) -> bool:
        if self.since is not None and not _reaches(version, self.since):
            return False
        return self.until is None or version[: len(self.until)] <= self.until

    def __str__(self) -> str:
        """``1.3 to 1.6``, ``1.6 and later``, ``up to 2.48``, ``all``."""
        since = self.since and version_text(self.since)
        until = self.until and version_text(self.until)
        if since and until:
            return since if since == until else f"{since} to {until}"
        if since:
            return f"{since} and later"
        return f"up to {until}" if until else "all"


def _bound(text: str) -> Version | None:
    return tuple(int(part) for part in text.split(".")) if text else None


def _reaches(version: Version, since: Version) -> bool:
    """A line of releases (major, minor) stands for its newest patch."""
    return version >= since or (len(version) == 2 and version == since[:2])


class Target:
    """What the manifests will meet.

    ``kuberay`` is the operator's release: a line (1.5), which stands for its newest patch, or one patch (1.5.0).
    ``ray`` overrides what each manifest says of its Ray version; None means: as the manifest says. ``schema`` is
    what the API server knows of KubeRay's kinds; None means: what that release brings. ``gates`` are the
    operator's feature gates that somebody set; the others have the release's defaults. None: nobody told of any,
    and ``knows_gates`` is False. With ``auto`` a file that shows its release is judged for that one, and
    ``kuberay`` is for the others. ``kubernetes`` is the release
    of the API server and the kubelets; None: not told, and nothing is held against it.
    """

    __slots__ = ("_open", "auto", "gates", "knows_gates", "kuberay", "kubernetes", "ray", "schema")

    def __init__(
        self,
        kuberay: Version = NEWEST_KUBERAY,
        ray: Version | None = None,
        schema: Schema | None = None,
        gates: dict[str, bool] | None = None,
        *,
        auto: bool = False,
        kubernetes: Version | None = None,
    ) -> None:
        self.auto = auto
        self.kuberay = kuberay
        self.kubernetes = kubernetes
        self.ray = ray
        self.schema = schema
        self.gates = gates or {}
        self.knows_gates = gates is not None
        self._open: dict[str, bool] = {}

    @property
    def kuberay_line(self) -> Version:
        """The release without its patch: what rules and schemas of one line go by."""
        return self.kuberay[:2]

    def of(self, kuberay: Version, gates: dict[str, bool] | None) -> Target:
        """The same target with this release of the operator and these gates of it."""
        return Target(kuberay, self.ray, self.schema, gates, kubernetes=self.kubernetes)

    def kuberay_at_least(self, *version: int) -> bool:
        return _reaches(self.kuberay, version)

    def kubernetes_before(self, *version: int) -> bool:
        """Is Kubernetes known to be older than this release?"""
        return self.kubernetes is not None and not _reaches(self.kubernetes, version)

    def gate(self, name: str) -> bool:
        """Is the operator's feature gate on? KeyError: no release has a gate of this name."""
        if name not in self._open:
            from raylint.feature_gates import is_on  # few manifests ask

            self._open[name] = is_on(name, self.kuberay, self.gates)
        return self._open[name]
