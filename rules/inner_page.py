"""Rules over the texts and parts inside a manifest, and their pages.

A page is written as every other, but its examples show only what the rule is about. A fence ``yaml bad serve``
holds the text of ``serveConfigV2``, ``service`` lines of a RayService's spec, ``env`` the text of
``runtimeEnvYAML``, ``job`` lines of a RayJob's spec, ``cron`` lines of a RayCronJob's, ``cluster`` lines of a
RayCluster's, ``worker`` those of its only worker group; the smallest manifest around them is added when somebody
reads the page. With ``update`` before that word, the lines before a change and those after it are two documents.
"""

from __future__ import annotations

import re

from raylint.rule import Confidence, Rule, Severity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    from raylint.rule import Problem

    Check: TypeAlias = Callable[..., Iterable[Problem]]

__all__ = ["looks_into"]

_FENCE = r"(?ms)^```yaml (bad|good)\b([^\n]*?) (serve|service|env|job|cron|cluster|worker)\b([^\n]*)\n(.*?)^```$"
_KINDS = {
    "serve": "RayService", "service": "RayService", "env": "RayJob", "job": "RayJob", "cron": "RayCronJob",
    "cluster": "RayCluster", "worker": "RayCluster",
}  # fmt: skip
_CLUSTER = """\
  headGroupSpec:
    template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.60.0"}]}}
"""


def looks_into(
    id: str,
    severity: Severity,
    where: str = "",
    *,
    confidence: Confidence = Confidence.HIGH,
    kuberay: str = "",
    ray: str = "",
    preview: bool = False,
    reports: tuple[str, ...] = (),
    fixes: str = "",
) -> Callable[[Check], Rule]:
    """Turn a check into a rule. ``where``: the field without which there is nothing to check."""

    def decorate(check: Check) -> Rule:
        return Rule(
            id,
            check.__name__.replace("_", "-"),
            severity,
            confidence,
            check,
            kuberay=kuberay,
            ray=ray,
            preview=preview,
            fixes=fixes,
            where=where,
            compose=_compose,
            reports=reports,
        )

    return decorate


def _compose(rule: Rule) -> str:
    lines = (rule.check.__doc__ or "").strip("\n").split("\n")
    indent = min((len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()), default=0)
    text = "\n".join([lines[0], *(line[indent:] for line in lines[1:])])
    return re.sub(_FENCE, _example, text)


def _example(match: re.Match[str]) -> str:
    verdict, before, shape, after, body = match.groups()
    parts = body.split("---\n") if "update" in before.split() else [body]
    whole = "---\n".join([_whole(shape, part) for part in parts])
    return f"```yaml {verdict}{before}{after}\n{whole}```"


def _whole(shape: str, body: str) -> str:
    """The smallest manifest around it."""
    kind = _KINDS[shape]
    spec = body
    if shape in ("serve", "env"):
        field = "serveConfigV2" if shape == "serve" else "runtimeEnvYAML"
        spec = f"{field}: |\n{_indented(body)}"
    if kind == "RayCluster":
        spec = _cluster(f"workerGroupSpecs:\n- groupName: gpu\n{_indented(body)}" if shape == "worker" else body)
    elif kind == "RayService":
        spec += _cluster_of("rayClusterConfig", body)
    else:
        spec = _job(spec)
    if kind == "RayCronJob":
        spec = _scheduled(spec)
    # A shell in the text may need its own quotes, so nothing here is written in flow style.
    return f"apiVersion: ray.io/v1\nkind: {kind}\nmetadata:\n  name: shop\nspec:\n{_indented(spec)}"


def _job(spec: str) -> str:
    if not re.search(r"(?m)^entrypoint:", spec):
        spec = f"entrypoint: python train.py\n{spec}"
    if re.search(r"(?m)^clusterSelector:", spec):
        return spec
    return spec + _cluster_of("rayClusterSpec", spec)


def _cluster(spec: str) -> str:
    """The head goes first, where none is written."""
    if re.search(r"(?m)^headGroupSpec:", spec):
        return spec
    return "".join(f"{line[2:]}\n" for line in _CLUSTER.splitlines()) + spec


def _scheduled(spec: str) -> str:
    """The lines of the job go below ``jobTemplate``; those of the schedule do not."""
    blocks = re.findall(r"(?m)^\S[^\n]*\n(?:[ ][^\n]*\n|\n)*", spec)
    own = [block for block in blocks if block.startswith(("schedule:", "timeZone:", "suspend:"))]
    if not any(block.startswith("schedule:") for block in own):
        own.insert(0, 'schedule: "0 3 * * *"\n')
    job = "".join(block for block in blocks if block not in own)
    return f"{''.join(own)}jobTemplate:\n{_indented(job)}"


def _cluster_of(field: str, body: str) -> str:
    return "" if re.search(rf"(?m)^{field}:", body) else f"{field}:\n{_CLUSTER}"


def _indented(text: str) -> str:
    return "".join(f"  {line}\n" if line else "\n" for line in text.removesuffix("\n").split("\n"))
