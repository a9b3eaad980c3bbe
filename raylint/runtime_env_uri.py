"""Where a runtime environment's code may come from: schemes and archives by Ray release.

Source: ``_private/runtime_env/packaging.py`` and ``validation.py`` up to Ray 2.51, ``_common/runtime_env_uri.py``
and ``runtime_env_package.py`` in 2.60.
"""

from __future__ import annotations

from raylint.serve_types import written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.ray_release import Bound, RayRelease

__all__ = ["archive_fault", "is_remote", "remote_uri_fault", "scheme_of"]

_SINCE: dict[str, Bound | None] = {
    "https": None,
    "s3": None,
    "gs": None,
    "file": None,
    "azure": ((2, 40), (2, 51)),
    "abfss": ((2, 40), (2, 51)),
    "http": (2, 56),
    "local": (2, 60),
    # Ray's own, for what it has uploaded or installed itself.
    "gcs": None,
    "conda": None,
    "pip": None,
}
_ARCHIVES = {"working_dir": (".zip",), "py_modules": (".zip", ".whl")}
# Of 2.60; 2.51 has none of them.
_TARS = (".tar.gz", ".tgz", ".tar.xz")
_TARS_SINCE = ((2, 51), (2, 60))
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
_REST = _LETTERS | frozenset("0123456789+-.")


def scheme_of(uri: str) -> str:
    """The scheme of an address in lower case; ``""`` of a path."""
    scheme, colon, _ = uri.partition(":")
    if not colon:
        return ""
    scheme = scheme.lower()
    if scheme in _SINCE or (scheme and scheme[0] in _LETTERS and _REST.issuperset(scheme)):
        return scheme
    return ""


def is_remote(uri: str, release: RayRelease) -> bool:
    """Does Ray know how to fetch it?"""
    scheme = scheme_of(uri)
    if scheme not in _SINCE:
        return False
    since = _SINCE[scheme]
    return since is None or release.reached(since)


def remote_uri_fault(uri: object, release: RayRelease) -> str:
    """Why Serve cannot take code from there; ``""`` where it can."""
    if not isinstance(uri, str):
        return f"code at {written(uri)}, which is no address"
    scheme = scheme_of(uri)
    if not scheme:
        return f"code at {written(uri)}, a path; Serve takes it from addresses alone"
    if not is_remote(uri, release):
        return f"code at {written(uri)}, and Ray does not fetch from {scheme} addresses"
    return local_fault(uri) if scheme == "local" else ""


def local_fault(uri: str) -> str:
    """What is wrong with a ``local://`` address of a directory that is in the image; ``""``: nothing."""
    path = uri[len("local://") :]
    if not uri.lower().startswith("local://") or not path.startswith("/"):
        return f"at {written(uri)}, which is no absolute path"
    if path.endswith((".zip", ".whl", ".jar", *_TARS)):
        return f"at {written(uri)}, an archive; local:// takes a directory"
    return ""


def archive_fault(uri: str, key: str, release: RayRelease, *, wheels: bool = True) -> str:
    """Why what a remote address of ``key`` names is no package; ``""`` where it is one. ``wheels``: does the
    reader take a wheel as a working_dir (up to 2.51 the class does, the submitter does not)?"""
    scheme = scheme_of(uri)
    if scheme in ("conda", "pip", "local") or (scheme == "gcs" and not release.reached(_TARS_SINCE)):
        return ""
    path = uri.partition("#")[0].partition("?")[0]
    allowed = _ARCHIVES[key]
    if release.reached(_TARS_SINCE):
        allowed += _TARS
    elif wheels:
        allowed = (".zip", ".whl")
    if path.endswith(allowed):
        return ""
    choice = " or ".join(part for part in (", ".join(allowed[:-1]), allowed[-1]) if part)
    return f"{written(uri)} does not end in {choice}"
