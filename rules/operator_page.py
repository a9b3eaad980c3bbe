"""Pages made of a short form when somebody reads them: of the operator's checks, and of rules over objects of
which a few lines matter.

A check's docstring holds what only this check can tell: a summary line, paragraphs on what it flags, then
paragraphs that begin with ``Then:`` (what happens besides the refusal), ``Versions:``, ``Gate:`` (the name of a
feature gate), ``Fix:``, ``Ignore:`` and ``Source:``, and examples. What holds for every check is added here.

An example is written as what differs from the smallest manifest of its kind: a line ``bad RayJob -- a remark``,
``good ...`` or ``near-miss ...`` (with fence options before ``--``), then indented lines ``slot: YAML``. The
slots:

``meta``, ``spec``       lines of ``metadata`` and of the object's ``spec``
``job``                  lines of the RayJob's spec, or of ``jobTemplate``
``cluster``              lines of the cluster's spec, wherever it stands
``head``, ``group``      lines of the head group and of the worker group (``group2``: of a second)
``head.pod``, ``head.ray``, ``head.containers``   lines of the pod's spec, of its first container, the whole list
``head.template``        the whole template
``head.meta``            lines of the pod template's metadata
``no-cluster``           leaves the cluster out
``also``                 lines of what follows the manifest: further documents, from ``---`` on; all there is
                         where the kind is ``-``

``marked=KEY`` among the options marks the first line of the frame that begins with that key. A feature gate that
the page names is on in its examples, unless an example says otherwise.
"""

from __future__ import annotations

from raylint.feature_gates import is_on
from raylint.rule import Severity
from raylint.target import NEWEST_KUBERAY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Rule

__all__ = ["compose"]

_KEYS = ("Then", "Versions", "Gate", "Fix", "Ignore", "Source")
_VERDICTS = {"bad": "bad", "good": "good", "near-miss": "good near-miss"}

_VALIDATION = {
    "RayClusterObject": "ValidateRayClusterMetadata",
    "RayObject": "ValidateRayClusterMetadata",
    "RayJob": "ValidateRayJobSpec",
    "RayService": "ValidateRayServiceSpec",
    "RayCronJob": "ValidateRayCronJobSpec",
}
_CLUSTER = """\
The API server stores the object and kubectl says created; the operator refuses it afterwards. A RayCluster gets a
warning event and no pods; one that already runs is no longer reconciled: no scaling, no new head, no deletion
while a finalizer waits. A RayJob ends with `jobDeploymentStatus: ValidationFailed` (KubeRay 1.5; before, it is
retried for ever), a RayService stays `Ready=False` with reason `ValidationFailed` (1.6), a RayCronJob never
starts a job. The error of a RayJob or RayService begins with words on its cluster spec (KR-142, KR-161, KR-184 in
a RayCronJob); up
to 1.3 only the RayCluster made of it is refused."""
_HAPPENS = {
    "RayClusterObject": "The API server stores the RayCluster and kubectl says created; the operator refuses it"
    " afterwards with a\nwarning event, and there are no pods.",
    "RayJob": """\
The API server stores the RayJob and kubectl says created; the operator refuses it afterwards:
`jobDeploymentStatus: ValidationFailed` with the reason, no cluster, no job, no retry (KubeRay 1.5; before, it is
retried for ever). A RayCronJob whose `jobTemplate` is refused (KR-184) gets the event `InvalidRayCronJobSpec` and
starts nothing.""",
    "RayService": """\
The API server stores the RayService and kubectl says created; the operator refuses it afterwards: the condition
`Ready` is `False` with reason `ValidationFailed` (KubeRay 1.6; before, an event and endless retries). Nothing is
deployed, and what already serves is not updated.""",
    "RayCronJob": """\
The API server stores the RayCronJob and kubectl says created; the operator then writes the event
`InvalidRayCronJobSpec`, and no job is ever started.""",
}
_WIDTH = 113
_NEVER = "Never; the operator will not go on with the object."


def compose(rule: Rule) -> str:
    """The page of a rule whose docstring is written in the short form."""
    flags, said, examples = _parse(rule.check.__doc__ or "")
    summary, _, flags = flags.partition("\n\n")
    is_refusal = rule.severity is Severity.ERROR and rule.id.startswith("KR")
    happens = [_HAPPENS.get(rule.visits, _CLUSTER)] if is_refusal else []
    releases = [f"{name} {range}." for name, range in (("KubeRay", rule.kuberay), ("Ray", rule.ray)) if range.text]
    versions = [" ".join(releases), said.get("Versions", "" if releases else "All.")]
    if "Gate" in said:
        gate = said["Gate"]
        versions.append(
            f"The field works with the operator's feature gate {gate} on (`--feature-gates={gate}=true`)."
        )
    sections = (
        ("What it flags", [flags]),
        ("What happens", [*happens, said.get("Then", "")]),
        ("Versions", versions),
        ("Fix", [said.get("Fix", "")]),
        ("When to ignore it", [said.get("Ignore", _NEVER)]),
        ("Source", [said.get("Source", _source(rule))]),
    )
    texts = [f"## {title}\n" + "\n\n".join(_wrapped(text) for text in parts if text) for title, parts in sections]
    gate = said.get("Gate", "")
    shown = [_example(lines, gate) for lines in examples]
    return "\n\n".join([summary, *texts, "## Examples\n" + "\n\n".join(shown), ""])


def _wrapped(text: str) -> str:
    """Each paragraph in lines of one width, whatever its lines were."""
    from textwrap import fill

    paragraphs = (" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
    return "\n\n".join(
        fill(paragraph, _WIDTH, break_long_words=False, break_on_hyphens=False) for paragraph in paragraphs
    )


def _source(rule: Rule) -> str:
    function = _VALIDATION.get(rule.visits, "ValidateRayClusterSpec")
    return f"ray-project/kuberay v1.7.0, `ray-operator/controllers/ray/utils/validation.go` (`{function}`)."


def _parse(doc: str) -> tuple[str, dict[str, str], list[list[str]]]:
    """Free text, the paragraphs by keyword, and the lines of each example."""
    lines = doc.strip().split("\n")
    indent = min((len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()), default=0)
    lines = [lines[0], *(line[indent:] for line in lines[1:])]
    examples: list[list[str]] = []
    paragraphs: list[str] = []
    for block in "\n".join(lines).split("\n\n"):
        if block.split(" ")[0] in _VERDICTS:
            for line in block.split("\n"):
                if not line.startswith(" "):
                    examples.append([])
                examples[-1].append(line)
        else:
            paragraphs.append(block)
    said: dict[str, str] = {}
    free: list[str] = []
    for paragraph in paragraphs:
        for part in _by_keyword(paragraph):
            key, _, text = part.partition(": ")
            if key in _KEYS:
                said[key] = text
            else:
                free.append(part)
    return "\n\n".join(free), said, examples


def _by_keyword(paragraph: str) -> list[str]:
    """A paragraph cut where a line begins with a keyword."""
    parts: list[str] = []
    for line in paragraph.split("\n"):
        if not parts or line.partition(": ")[0] in _KEYS:
            parts.append(line)
        else:
            parts[-1] += f"\n{line}"
    return parts


def _example(lines: list[str], gate: str) -> str:
    head, _, remark = lines[0].partition(" -- ")
    verdict, kind, *options = head.split()
    if gate and not any(option.startswith(("gates=", "kuberay=")) for option in options):
        options += [] if is_on(gate, NEWEST_KUBERAY, {}) else [f"gates={gate}=true"]
    slots: dict[str, list[str]] = {}
    for line in lines[1:]:
        slot, _, text = line.strip().partition(":")
        slots.setdefault(slot, []).append(text[1:])
    manifest = _manifest(kind, slots)
    for option in [option for option in options if option.startswith("marked=")]:
        options.remove(option)
        key = option.removeprefix("marked=")
        number = next(number for number, line in enumerate(manifest) if line.lstrip().startswith(f"{key}:"))
        manifest[number] += "  # <-"
    fence = " ".join([_VERDICTS[verdict], *options])
    text = "\n".join(manifest)
    return (f"{remark}\n\n" if remark else "") + f"```yaml {fence}\n{text}\n```"


def _manifest(kind: str, slots: dict[str, list[str]]) -> list[str]:
    return [*([] if kind == "-" else _object(kind, slots)), *slots.get("also", [])]


def _object(kind: str, slots: dict[str, list[str]]) -> list[str]:
    meta = slots.get("meta", [])
    lines = ["apiVersion: ray.io/v1", f"kind: {kind}", "metadata:"]
    named = any(line.lstrip().startswith(("name:", "generateName:")) for line in meta)
    lines += _indented([*([] if named else ["name: demo"]), *meta], 2)
    lines.append("spec:")
    spec = list(slots.get("spec", []))
    if kind == "RayCluster":
        return lines + _indented(spec + _cluster(slots), 2)
    if kind == "RayService":
        return lines + _indented([*spec, "rayClusterConfig:", *_indented(_cluster(slots), 2)], 2)
    job = list(slots.get("job", []))
    if not any(line.startswith("entrypoint:") for line in job):
        job.append("entrypoint: python main.py")
    if "no-cluster" not in slots:
        job += ["rayClusterSpec:", *_indented(_cluster(slots), 2)]
    if kind == "RayJob":
        return lines + _indented(spec + job, 2)
    if not any(line.startswith("schedule:") for line in spec):
        spec.append('schedule: "0 3 * * *"')
    return lines + _indented([*spec, "jobTemplate:", *_indented(job, 2)], 2)


def _cluster(slots: dict[str, list[str]]) -> list[str]:
    lines = [*slots.get("cluster", []), "headGroupSpec:", *_indented(_group("head", "head", slots), 2)]
    groups = [slot for slot in ("group", "group2") if any(name.split(".")[0] == slot for name in slots)]
    if groups:
        lines.append("workerGroupSpecs:")
    for slot in groups:
        own = slots.get(slot, [])
        named = any(line.startswith("groupName:") for line in own)
        name = [] if named else [f"groupName: {'cpu' if slot == 'group' else 'gpu'}"]
        lines += _item([*name, *_group(slot, "worker", slots)])
    return lines


def _group(slot: str, role: str, slots: dict[str, list[str]]) -> list[str]:
    own = slots.get(slot, [])
    if f"{slot}.template" in slots:
        return [*own, *slots[f"{slot}.template"]]
    pod = list(slots.get(f"{slot}.pod", []))
    ray = slots.get(f"{slot}.ray", [])
    if f"{slot}.containers" in slots:
        pod += slots[f"{slot}.containers"]
    elif ray:
        pod += ["containers:", *_item([f"name: ray-{role}", "image: rayproject/ray:2.52.0", *ray])]
    else:
        pod.append(f'containers: [{{name: ray-{role}, image: "rayproject/ray:2.52.0"}}]')
    meta = slots.get(f"{slot}.meta", [])
    if len(pod) == 1 and "#" not in pod[0] and not meta:
        return [*own, f"template: {{spec: {{{pod[0]}}}}}"]
    metadata = ["  metadata:", *_indented(meta, 4)] if meta else []
    return [*own, "template:", *metadata, "  spec:", *_indented(pod, 4)]


def _item(lines: list[str]) -> list[str]:
    first, *rest = lines
    return [f"- {first}", *_indented(rest, 2)]


def _indented(lines: list[str], width: int) -> list[str]:
    return [" " * width + line for line in lines]
