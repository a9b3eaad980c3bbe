"""Container images: repository, tag, and the Ray and Python version that an official tag tells.

Sources: ray-project/ray ``docker/base-deps/README.md`` and ``docker/README.md`` (2.60.0): a tag is
``VERSION[-pyXY][-platform][-arch]``.
"""

from __future__ import annotations

from functools import lru_cache

from raylint.field import is_template
from raylint.patterns import pattern
from raylint.target import parse_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from raylint.target import Version

    # Ray's version, Python, what follows.
    Told: TypeAlias = tuple[Version | None, str | None, tuple[str, ...]]

__all__ = ["Image", "image_in", "image_of", "python_text"]

# The registry that a reference without one means.
_DEFAULT_REGISTRY = "docker.io/"

# Mirrors keep the repository's last part: registry.example/mirror/rayproject/ray:2.43.0.
_RAY_REPOSITORIES = frozenset({"ray", "ray-ml", "ray-llm"})
_LONG = 200
_NOTHING: Told = (None, None, ())
# A release that is not three numbers alone.
_ODD_RELEASE = pattern(r"(\d+\.\d+\.\d+(?:rc\d+|\.post\d+)?)(?:\.(?:[0-9a-f]{6}|deprecated))?\Z")
_FLAVOUR = "abcdefghijklmnopqrstuvwxyz0123456789."


class Image:
    """An image reference as text, taken apart. A digest hides the tag's meaning: nothing is known then."""

    __slots__ = ("_told", "digest", "is_ray", "moves", "reference", "repository", "tag")

    def __init__(self, reference: str) -> None:
        self.reference = reference
        name, _, self.digest = reference.partition("@")
        head, colon, tag = name.rpartition(":")
        # A colon before the last slash belongs to the registry's port.
        self.repository, self.tag = (head, tag) if colon and "/" not in tag else (name, "")
        parts = self.repository.split("/")
        # Is it an official Ray image, or a mirror that keeps its name (``rayproject/ray``)?
        self.is_ray = parts[-1] in _RAY_REPOSITORIES and "rayproject" in parts
        self._told = _told(self.tag) if self.is_ray and not self.digest else _NOTHING
        # May the same reference name another build tomorrow? A dollar: something has yet to put the image in.
        self.moves = not self.digest and "$" not in reference and (not self.tag or self._has_moving_tag())

    def _has_moving_tag(self) -> bool:
        """``latest``; of an official image also what names no patch release, such as ``2.52``."""
        if self.tag == "latest":
            return True
        if not self.is_ray:
            return False
        version = self.tag.split("-")[0]
        return version in ("latest", "nightly") or (
            version.count(".") <= 1 and version.replace(".", "").isdecimal()
        )

    @property
    def ray_version(self) -> Version | None:
        """Ray's version by the tag of an official image; None for other images, moving tags and digests."""
        return self._told[0]

    @property
    def python(self) -> str | None:
        """``py310`` and the like, where the tag says it."""
        return self._told[1]

    @property
    def flavours(self) -> tuple[str, ...]:
        """What follows the versions in an official tag: ``gpu``, ``cu128``, ``cpu``, ``tpu``, ``aarch64``."""
        return self._told[2]

    @property
    def public_name(self) -> str:
        """The repository without the default registry and its ``library/``: ``python``, ``rayproject/ray``. As it
        is written for any other registry."""
        return self.repository.removeprefix(_DEFAULT_REGISTRY).removeprefix("library/")


# The groups of a run have few images among them.
_known = lru_cache(maxsize=64)(Image)


def image_of(reference: str) -> Image:
    """The image of a reference; that of a reference of usual length is kept."""
    return _known(reference) if len(reference) < _LONG else Image(reference)


def image_in(container: dict[str, object]) -> Image | None:
    """The image of a container; None where it is not written or cannot be known."""
    reference = container.get("image")
    if not isinstance(reference, str) or not reference or is_template(reference):
        return None
    return image_of(reference)


def _told(tag: str) -> Told:
    release, *rest = tag.split("-")
    parts = release.split(".")
    if len(parts) != 3 or not all(map(str.isdecimal, parts)):
        odd = _ODD_RELEASE.match(release) if release[:1].isdecimal() else None
        if odd is None:
            return _NOTHING
        release = odd[1]
    python = rest.pop(0) if rest and _is_python(rest[0]) else None
    if any(not flavour or flavour.strip(_FLAVOUR) for flavour in rest):
        return _NOTHING
    return parse_version(release), python, tuple(rest)


def _is_python(word: str) -> bool:
    return word.startswith("py") and len(word) in (4, 5) and word[2:].isdecimal()


def python_text(tag: str) -> str:
    """``py310`` as ``Python 3.10``."""
    return f"Python {tag[2]}.{tag[3:]}"
