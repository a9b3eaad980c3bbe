"""Which release of KubeRay a manifest shows, for ``--kuberay auto``.

Helm writes the chart's version into a label, KubeRay's charts carry the release's number, and the operator's own
Deployment names its image. Anything else (a field that only some releases have) is a hint at best and is not used.
"""

from __future__ import annotations

from raylint.patterns import pattern
from raylint.target import parse_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from raylint.target import Version

__all__ = ["shown_release"]

# helm-chart/*/Chart.yaml of ray-project/kuberay: chart and operator are released together since 1.0.
_CHART = pattern(r"(?:ray-cluster|kuberay-operator)-(v?[0-9]+\.[0-9]+\.[0-9].*)\Z")
_OPERATOR_IMAGE = pattern(r"(?:.*/)?kuberay/operator:(v?[0-9]+\.[0-9]+\.[0-9][^@]*)")


def shown_release(documents: Iterable[object]) -> Version | None:
    """The release (major, minor) that the objects of a file show; None where they show none, or several.

    It may be a release that raylint does not know: that is for the caller to say.
    """
    found = {version[:2] for text in _texts(documents) if (version := parse_version(text)) is not None}
    return found.pop() if len(found) == 1 else None


def _texts(documents: Iterable[object]) -> Iterator[str]:
    for data in documents:
        if not isinstance(data, dict):
            continue
        chart = _CHART.match(_text(_at(data, "metadata", "labels", "helm.sh/chart")))
        if chart is not None:
            yield chart[1]
        containers = _at(data, "spec", "template", "spec", "containers")
        for container in containers if isinstance(containers, list) else ():
            image = _OPERATOR_IMAGE.match(_text(_at(container, "image")))
            if image is not None:
                yield image[1]


def _at(data: object, *steps: str) -> object:
    for step in steps:
        data = data.get(step) if isinstance(data, dict) else None
    return data


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
