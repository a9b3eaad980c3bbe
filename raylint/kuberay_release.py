"""Which release of KubeRay a file shows, and which feature gates, for ``--kuberay auto``.

Helm writes the chart's version into a label, KubeRay's charts carry the release's number, and the operator's own
Deployment names its image and the gates that it is started with. Anything else (a field that only some releases
have) is a hint at best and is not used.
"""

from __future__ import annotations

from raylint.patterns import pattern
from raylint.target import KUBERAY_RELEASES, parse_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from raylint.target import Target, Version

__all__ = ["shown_gates", "shown_release", "target_of_file"]

# One of these is in a file that shows something.
_SIGNS = (b"helm.sh/chart", b"kuberay/operator")
_GATES_FLAG = "--feature-gates"

# helm-chart/*/Chart.yaml of ray-project/kuberay: chart and operator are released together since 1.0.
_CHART = pattern(r"(?:ray-cluster|kuberay-operator)-(v?[0-9]+\.[0-9]+\.[0-9].*)\Z")
_OPERATOR = pattern(r"(?:.*/)?kuberay/operator(?:[:@]|\Z)")
_OPERATOR_IMAGE = pattern(r"(?:.*/)?kuberay/operator:(v?[0-9]+\.[0-9]+\.[0-9][^@]*)")


def shown_release(documents: Iterable[object]) -> Version | None:
    """The release (major, minor) that the objects of a file show; None where they show none, or several.

    It may be a release that raylint does not know: that is for the caller to say.
    """
    found = {version[:2] for text in _texts(documents) if (version := parse_version(text)) is not None}
    return found.pop() if len(found) == 1 else None


def shown_gates(documents: Iterable[object]) -> dict[str, bool] | None:
    """The gates that the operator in the objects of a file is started with, as far as raylint knows them; None
    where no operator is among the objects."""
    from raylint.feature_gates import GATES

    operators = list(_operators(documents))
    if not operators:
        return None
    found: dict[str, bool] = {}
    for container in operators:
        for text in _gate_texts(container):
            for part in text.split(","):
                name, _, value = (piece.strip() for piece in part.partition("="))
                if name in GATES and value.lower() in ("true", "false"):
                    found[name] = value.lower() == "true"
    return found


def target_of_file(target: Target, raw: bytes) -> Target:
    """The target for a file: that of the run, or with ``auto`` one of the release and gates that the file shows.
    A release that raylint does not know is left alone; gates that somebody chose for the run stay as they are."""
    if not (target.auto and any(sign in raw for sign in _SIGNS)):
        return target
    from raylint.reader import read

    documents = [document.data for document in read("", raw).documents]
    release = shown_release(documents)
    shown = shown_gates(documents)
    known = release if release in KUBERAY_RELEASES else None
    if known is None and shown is None:
        return target
    told = shown is not None or target.knows_gates
    return target.of(known or target.kuberay, {**(shown or {}), **target.gates} if told else None)


def _texts(documents: Iterable[object]) -> Iterator[str]:
    documents = list(documents)
    for data in documents:
        chart = _CHART.match(_text(_at(data, "metadata", "labels", "helm.sh/chart")))
        if chart is not None:
            yield chart[1]
    for container in _operators(documents):
        image = _OPERATOR_IMAGE.match(_text(_at(container, "image")))
        if image is not None:
            yield image[1]


def _operators(documents: Iterable[object]) -> Iterator[object]:
    """The containers that run KubeRay's operator."""
    for data in documents:
        containers = _at(data, "spec", "template", "spec", "containers")
        for container in containers if isinstance(containers, list) else ():
            if _OPERATOR.match(_text(_at(container, "image"))):
                yield container


def _gate_texts(container: object) -> Iterator[str]:
    """What follows the flag, in the same word or in the next."""
    for key in ("command", "args"):
        words = _at(container, key)
        texts = [_text(word) for word in words] if isinstance(words, list) else []
        for number, word in enumerate(texts):
            flag, equals, value = word.partition("=")
            if flag == _GATES_FLAG:
                yield value if equals else "".join(texts[number + 1 : number + 2])


def _at(data: object, *steps: str) -> object:
    for step in steps:
        data = data.get(step) if isinstance(data, dict) else None
    return data


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
