"""Helm charts and kustomizations, rendered by their own programs into texts to lint."""

from __future__ import annotations

import os

from raylint.errors import UsageError
from raylint.origin import Origins
from raylint.source import LARGEST, Source, UnreadableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from raylint.options import Options

__all__ = ["Rendered", "rendered"]

# Seconds that a program may take.
_PATIENCE = 120
_HELM = "https://helm.sh/docs/intro/install"
_KUSTOMIZE = "https://kubernetes.io/docs/tasks/tools or https://kubectl.docs.kubernetes.io/installation/kustomize"
_KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")


class Rendered(Source):
    """What a program made of a chart or a kustomization. ``variant`` tells it from other renderings of ``whole``,
    the file that stands for all that has no file of its own."""

    __slots__ = ("_content", "variant", "whole")

    def __init__(self, whole: str, words: str, content: bytes, origins: Origins, variant: str = "") -> None:
        super().__init__(f"{whole} ({words})", None)
        self.whole = whole
        self.origins = origins
        self.variant = variant
        self._content = content

    @property
    def judged_as(self) -> str:
        return self.whole

    def read(self, concerns: Callable[[bytes], bool]) -> bytes:
        if len(self._content) > LARGEST:
            raise UnreadableError(f"it is larger than {LARGEST >> 20} MiB")
        return self._content


def rendered(options: Options) -> Iterator[Rendered]:
    """What ``--helm`` and ``--kustomize`` name. UsageError: it is not there, the program is missing or fails."""
    for chart in options.helm:
        yield from _chart(_named(chart, "helm", options), options)
    for folder in options.kustomize:
        yield _kustomization(_named(folder, "kustomize", options))


def _named(path: str, key: str, options: Options) -> str:
    """The path as reports show it: a configuration's are absolute."""
    inside = key in options.origins and path.startswith(os.path.join(os.getcwd(), ""))
    return os.path.relpath(path) if inside else os.path.normpath(path)


def _chart(chart: str, options: Options) -> Iterator[Rendered]:
    whole = os.path.join(chart, "Chart.yaml") if os.path.isdir(chart) else chart
    if not os.path.isfile(whole):
        raise UsageError(
            f"no chart at {chart!r}: --helm takes a chart's folder or archive; 'helm pull' fetches one from afar"
        )
    for file in (*options.values, *(file for variant in options.variant for file in variant.split(","))):
        if not os.path.isfile(file):
            raise UsageError(f"no such file of values: {file!r}")
    program = _found("helm")
    if program is None:
        raise UsageError(f"--helm needs the program helm, and there is none on the PATH: {_HELM}")
    words = [program, "template", os.path.abspath(chart)]
    if options.kubernetes:
        words += ["--kube-version", ".".join(map(str, options.kubernetes))]
    for variant in options.variant or [""]:
        files = [*options.values, *(variant.split(",") if variant else ())]
        flags = [word for file in files for word in ("--values", file)]
        flags += [word for setting in options.set for word in ("--set", setting)]
        content = _output([*words, *flags], f"helm cannot render {chart}", "Error: ")
        told = f"rendered with {variant}" if variant else "rendered"
        yield Rendered(whole, told, content, Origins(content, lambda written: _in_chart(chart, written)), variant)


def _in_chart(chart: str, written: str) -> str:
    """The file that ``# Source:`` means: the chart's name stands in front, which need not be its folder's."""
    _, _, inside = written.partition("/")
    return os.path.join(chart, inside)


def _kustomization(folder: str) -> Rendered:
    whole = next(
        (file for name in _KUSTOMIZATIONS if os.path.isfile(file := os.path.join(folder, name))),
        "",
    )
    if not whole:
        raise UsageError(f"no kustomization in {folder!r}: --kustomize takes a folder with a kustomization.yaml")
    kubectl, kustomize = _found("kubectl"), _found("kustomize")
    if kubectl is None and kustomize is None:
        raise UsageError(
            "--kustomize needs the program kubectl or kustomize, and there is none on the PATH: " + _KUSTOMIZE
        )
    words = [kustomize, "build"] if kustomize is not None else [str(kubectl), "kustomize"]
    import tempfile

    # A kustomization around the one that is meant asks for the origins, which its own author need not have done.
    with tempfile.TemporaryDirectory(prefix="raylint-") as around:
        around = os.path.realpath(around)
        real = os.path.realpath(folder)
        with open(os.path.join(around, _KUSTOMIZATIONS[0]), "w", encoding="utf-8") as outer:
            import json

            resources = [os.path.relpath(real, around).replace(os.sep, "/")]
            json.dump({"resources": resources, "buildMetadata": ["originAnnotations"]}, outer)
        content = _output([*words, around], f"{os.path.basename(words[0])} cannot build {folder}", "error: ")

    def original(written: str) -> str:
        return os.path.normpath(os.path.join(folder, os.path.relpath(os.path.join(around, written), real)))

    return Rendered(whole, "built", content, Origins(content, original))


def _found(program: str) -> str | None:
    import shutil

    return shutil.which(program)


def _output(words: Sequence[str], failing: str, prefix: str) -> bytes:
    """What a program prints. It sees no kubeconfig: what is linted must not depend on a cluster at hand."""
    import subprocess

    environment = {**os.environ, "KUBECONFIG": os.devnull}
    try:
        done = subprocess.run(
            words, capture_output=True, stdin=subprocess.DEVNULL, env=environment, timeout=_PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        raise UsageError(f"{failing}: it took more than {_PATIENCE} seconds") from None
    except OSError as error:
        raise UsageError(f"{failing}: {words[0]} cannot be run: {error.strerror}") from error
    if done.returncode:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())
        raise UsageError(f"{failing}: {said.removeprefix(prefix) or f'it ended with {done.returncode}'}")
    return done.stdout
