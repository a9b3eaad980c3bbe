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

__all__ = ["LEFT_OUT", "REMARKS", "RULE_CRASHED", "UNUSED"]

RULE_CRASHED = "RL000"
LEFT_OUT = "RL013"
UNUSED = "RL004"


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

    **Fix**: have it rendered, `raylint --helm CHART`, or pipe the rendered output in,
    `helm template ... | raylint -`.
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

    **Fix**: have it built, `raylint --kustomize DIR`, or pipe the built output in,
    `kubectl kustomize DIR | raylint -`.

    **Source**: Kustomize's `kustomization.yaml`: `patches`, `patchesStrategicMerge`, `patchesJson6902`.
    """
    yield from ()


def more_findings(_: None) -> Problems:
    """The file has more findings than are shown: the first 1,000 stand in the report.

    A file of aliases, or one made by a program, can have more findings than anybody reads. What is left out still
    counts: this remark is as severe as the worst of it, so that the exit code is the same. A rule is followed to
    2,000 problems in one part of an object; what it would have found beyond them counts as an error.

    **Fix**: correct what is shown and run again, or choose with `--select` and `--ignore`.
    """
    yield from ()


def malformed_suppression(_: None) -> Problems:
    """A suppression that counts for nothing: not written as one, covering nothing, or against the configuration.

    What it was to accept is reported.

    It stays silent on comments in documents that raylint does not read, because they are none of Ray's.

    **Fix**: `# raylint: ignore[RAY101] why`, behind a key or on the line above it, or the annotation
    `raylint/ignore-RAY101: why`. The configuration may ask for a reason (`require-reason`) or a day
    (`max-days`), and may make rules mandatory.
    """
    yield from ()


def unused_suppression(_: None) -> Problems:
    """A suppression accepts nothing: the rule finds nothing in what it covers.

    What it was written for has been corrected, or it stands in a wrong place. It would accept what comes later.

    It stays silent on rules that do not run, and on those that look at several files, which may not all be there.

    **Fix**: remove it.
    """
    yield from ()


def unknown_suppressed_rule(_: None) -> Problems:
    """A suppression names a rule that there is not, or a whole family of them.

    The other rules that it names are suppressed.

    **Fix**: write the rule's id or name.
    """
    yield from ()


def expired_suppression(_: None) -> Problems:
    """The day is over until which a suppression counts; what it accepted is reported again.

    So is the day of an exemption in the configuration: the finding stands where the exemption is written.

    Days are those of UTC; the day itself still counts.

    **Fix**: correct what was put off, or decide anew and write a later day.
    """
    yield from ()


def _remark(id: str, severity: Severity, check: Callable[[None], Problems], fixes: str = "") -> Rule:
    name = check.__name__.replace("_", "-")
    return Rule(id, name, severity, Confidence.HIGH, check, compose=_page, fixes=fixes)


def _page(remark: Rule) -> str:
    from raylint.remark_pages import page_of  # a run that only reports reads no pages

    return page_of(remark)


REMARKS: tuple[Rule, ...] = (
    _remark(RULE_CRASHED, Severity.ERROR, internal_fault),
    _remark("RL001", Severity.ERROR, unreadable),
    _remark("RL003", Severity.WARNING, malformed_suppression),
    _remark(UNUSED, Severity.WARNING, unused_suppression),
    _remark("RL005", Severity.WARNING, unknown_suppressed_rule),
    _remark("RL006", Severity.WARNING, expired_suppression),
    _remark("RL008", Severity.WARNING, needs_rendering),
    _remark("RL010", Severity.WARNING, duplicate_key, "safe"),
    _remark("RL011", Severity.ERROR, ambiguous_key),
    _remark("RL012", Severity.INFO, kustomize_patch),
    _remark(LEFT_OUT, Severity.ERROR, more_findings),
)
