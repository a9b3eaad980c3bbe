"""The configuration file: what a team has agreed on, in the words of the command line's flags.

``.raylint.yaml`` is looked for in the working directory and upwards to the root of the repository; a flag on the
command line wins over it. Each setting is read by the flag of its name, so both mean the same::

    target:
      kuberay: "1.6"
      feature-gates: {RayCronJob: true}
      crd: [crds/kuberay.yaml]     # relative to this file
    ignore: [RAY205]
    severity: {RAY204: warning}
    fail-on: warning
"""

from __future__ import annotations

import os

from raylint.errors import UsageError
from raylint.options import given_by, suggestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.document import Document
    from raylint.finding import Path
    from raylint.options import Options

__all__ = ["apply", "find"]

NAME = ".raylint.yaml"
_TARGET = ("kuberay", "ray", "feature-gates", "crd")
_TOP = ("target", "select", "ignore", "severity", "fail-on")
# How each setting is written; a flag takes the same as text.
_LISTS = ("crd", "select", "ignore")
_MAPPINGS = ("feature-gates", "severity")
_LARGEST = 1 << 20


def find(folder: str) -> str | None:
    """The nearest configuration file from ``folder`` upwards; not above the root of a repository."""
    try:
        folder = os.path.abspath(folder)
    except OSError:
        # The working directory is gone.
        return None
    while True:
        file = os.path.join(folder, NAME)
        if os.path.isfile(file):
            return file
        above = os.path.dirname(folder)
        if above == folder or os.path.lexists(os.path.join(folder, ".git")):
            return None
        folder = above


def apply(options: Options, file: str) -> None:
    """Set what the file says and no flag does. UsageError, with file, line and column: the file cannot be read,
    has an unknown setting or a value that its flag does not take."""
    document = _read(file)
    for path, name, text in _settings(document, os.path.dirname(file)):
        _apply(options, document, path, name, text)


def _apply(options: Options, document: Document, path: Path, name: str, text: str) -> None:
    try:
        given_by(options, f"--{name}", text)
    except UsageError as error:
        raise UsageError(f"{_at(document, path)}: {error}") from None


def _read(file: str) -> Document:
    from raylint.build import build
    from raylint.compose import compose
    from raylint.document import Document, Source
    from raylint.fault import RefusedError

    shown = os.path.relpath(file)
    try:
        with open(file, "rb") as stream:
            raw = stream.read(_LARGEST)
        root = compose(raw + b"\n")
        data: object = {} if root is None else build(root)[0]
    except OSError as error:
        raise UsageError(f"{shown} cannot be read: {error.strerror}") from None
    except RefusedError as error:
        raise UsageError(f"{shown} cannot be read: {error.message}") from None
    if not isinstance(data, dict):
        raise UsageError(f"{shown}: a configuration is a mapping of settings")
    return Document(shown, 0, data, None if root is None else Source(raw, 1, root=root))


def _settings(document: Document, folder: str) -> Iterator[tuple[Path, str, str]]:
    """Each setting: its path in the file, the flag of its name, and the text that the flag would get."""
    for path, name, value in _entries(document, (), _TOP):
        if name == "target":
            for inner, key, setting in _entries(document, path, _TARGET):
                yield from _texts(document, inner, key, setting, folder)
        else:
            yield from _texts(document, path, name, value, folder)


def _entries(document: Document, path: Path, known: tuple[str, ...]) -> Iterator[tuple[Path, str, object]]:
    data = document.data
    for step in path:
        data = data[step] if isinstance(data, dict) and isinstance(step, str) else None
    if not isinstance(data, dict):
        raise UsageError(f"{_at(document, path)}: {path[-1]} is a mapping of settings")
    for key, value in data.items():
        if key not in known:
            raise UsageError(f"{_at(document, (*path, key))}: unknown setting {key!r}{suggestion(key, known)}")
        if value is not None:
            yield (*path, key), key, value


def _texts(
    document: Document, path: Path, name: str, value: object, folder: str
) -> Iterator[tuple[Path, str, str]]:
    if name in _MAPPINGS and isinstance(value, dict):
        yield path, name, ",".join(f"{key}={_text(item)}" for key, item in value.items())
    elif name == "crd" and isinstance(value, list):
        yield from ((path, name, os.path.join(folder, _text(item))) for item in value)
    elif name in _LISTS and isinstance(value, list):
        yield path, name, ",".join(_text(item) for item in value)
    elif isinstance(value, str) and name not in _LISTS:
        yield path, name, value
    else:
        kind = "a mapping" if name in _MAPPINGS else "a list" if name in _LISTS else "a text in quotes"
        raise UsageError(f"{_at(document, path)}: {name} is {kind}")


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _at(document: Document, path: Path) -> str:
    span = document.locate(path, key=True)
    return f"{document.file}:{span.line}:{span.column}" if span else document.file
