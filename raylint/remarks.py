"""raylint's own remarks (``RL###``): what it says of files and of itself, not of Ray.

They are catalogued like rules, so that ``explain``, ``--select`` and ``--severity`` know them; the reader and the
engine make the findings.
"""

from __future__ import annotations

from raylint.finding import Confidence, Severity
from raylint.rule import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from raylint.rule import Problems

__all__ = ["LEFT_OUT", "REMARKS", "RULE_CRASHED"]

RULE_CRASHED = "RL000"
LEFT_OUT = "RL013"


def internal_fault(_: None) -> Problems:
    """raylint itself failed on this object.

    One rule ended with an error of its own. The other rules still report; exit code 4 tells that the answer is
    not complete. It says nothing about the manifest.

    **Fix**: run again with `--debug` and report what it prints; leave the rule out with `--ignore` until then.
    """
    yield from ()


def unreadable(_: None) -> Problems:
    """The file or document cannot be read as kubectl reads it.

    kubectl stops at such a document: nothing of it, and nothing that follows in the file, reaches the cluster.
    raylint reads on with the next document, so that the other findings are not lost.

    It stays silent on documents that are evidently not Ray manifests.

    **Fix**: the message names the line, the column and the reason.

    **Source**: the decoder of kubectl (`k8s.io/apimachinery/pkg/util/yaml`, `sigs.k8s.io/yaml`, Kubernetes 1.36).
    """
    yield from ()


def needs_rendering(_: None) -> Problems:
    """The file is a template: only its rendered output can be checked.

    `{{ }}` and `{% %}` are filled in by Helm, Jinja or the like. What will stand there cannot be known, and the
    text is often no YAML before that.

    **Fix**: pipe the rendered output in: `helm template ... | raylint -`.
    """
    yield from ()


def duplicate_key(_: None) -> Problems:
    """A key is written twice in one mapping; kubectl takes the last one without a word.

    The first value is lost, and nobody is told: kubectl sends JSON to the server, which therefore cannot see
    the first one. Later tools (kubeconform, strict decoders) refuse the file.

    **Fix**: delete one of the two.

    **Source**: `sigs.k8s.io/yaml` v1.6.0, `YAMLToJSON`; tried with kubectl of Kubernetes 1.36.
    """
    yield from ()


def ambiguous_key(_: None) -> Problems:
    """Two keys are one text in JSON (`1` and `"1"`): kubectl keeps one of them at random.

    Numbers and booleans as keys become texts. Which of two equal ones survives depends on the order of a Go map,
    and changes from run to run.

    **Fix**: delete one of the two.

    **Source**: `sigs.k8s.io/yaml` v1.6.0, `convertToJSONableObject`; tried with Kubernetes 1.36.
    """
    yield from ()


def kustomize_patch(_: None) -> Problems:
    """The file is a patch of Kustomize: only the built output can be checked.

    A kustomization beside it, or close above it, lists the file under `patches`. A patch holds what changes and
    lacks the rest, so judging it alone would call it incomplete.

    **Fix**: pipe the built output in: `kubectl kustomize DIR | raylint -`.

    **Source**: Kustomize's `kustomization.yaml`: `patches`, `patchesStrategicMerge`, `patchesJson6902`.
    """
    yield from ()


def more_findings(_: None) -> Problems:
    """The file has more findings than are shown: the first 1,000 stand in the report.

    A file of aliases, or one made by a program, can have more findings than anybody reads. What is left out still
    counts: this remark is as severe as the worst of it, so that the exit code is the same.

    **Fix**: correct what is shown and run again, or choose with `--select` and `--ignore`.
    """
    yield from ()


def _remark(id: str, severity: Severity, check: Callable[[None], Problems], fixes: str = "") -> Rule:
    return Rule(id, check.__name__.replace("_", "-"), severity, Confidence.HIGH, check, fixes=fixes)


REMARKS: tuple[Rule, ...] = (
    _remark(RULE_CRASHED, Severity.ERROR, internal_fault),
    _remark("RL001", Severity.ERROR, unreadable),
    _remark("RL008", Severity.WARNING, needs_rendering),
    _remark("RL010", Severity.WARNING, duplicate_key, "safe"),
    _remark("RL011", Severity.ERROR, ambiguous_key),
    _remark("RL012", Severity.INFO, kustomize_patch),
    _remark(LEFT_OUT, Severity.ERROR, more_findings),
)
