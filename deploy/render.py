"""Write the plain manifests in ``deploy/manifests/`` from the chart: ``python -m deploy.render HELM``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

__all__ = ["MANIFESTS", "manifests"]

HERE = Path(__file__).resolve().parent
CHART = HERE / "helm" / "raylint-webhook"
MANIFESTS = HERE / "manifests"
NAMESPACE = "raylint"
# File: what differs from the chart's defaults.
VARIANTS = {
    "self-signed.yaml": (),
    "cert-manager.yaml": ("certificates.mode=certManager",),
}
HEAD = """\
# Rendered from deploy/helm/raylint-webhook by deploy/render.py: change the chart, not this file.
# The image is built from deploy/Containerfile; name it as the registry of your cluster does.
apiVersion: v1
kind: Namespace
metadata:
  name: {namespace}
  labels:
    pod-security.kubernetes.io/enforce: restricted
"""


def manifests(helm: str) -> dict[str, str]:
    """The text of each file, as ``helm`` renders it now."""
    return {file: HEAD.format(namespace=NAMESPACE) + _rendered(helm, values) for file, values in VARIANTS.items()}


def _rendered(helm: str, values: tuple[str, ...]) -> str:
    command = [helm, "template", "raylint-webhook", str(CHART), "--namespace", NAMESPACE]
    for value in values:
        command += ["--set", value]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    MANIFESTS.mkdir(exist_ok=True)
    for file, text in manifests(sys.argv[1]).items():
        (MANIFESTS / file).write_text(text)
