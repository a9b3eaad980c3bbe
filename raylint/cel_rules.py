"""Rules that a configuration writes in CEL, the language of Kubernetes' own admission policies.

Evaluated by the package ``common-expression-language``, the extra ``cel``: it is a binding of a complete CEL that
says what is wrong with an expression and where, and it needs no protocol buffers. ``raylint.cel`` knows only what
the rules of KubeRay's CRDs use, and reads those without an extra.
"""

from __future__ import annotations

import math
import re

from raylint.effective import Effective
from raylint.effective_sheet import sheet
from raylint.errors import UsageError
from raylint.field import Field
from raylint.finding import Confidence, Severity
from raylint.rule import Location, Problem, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from raylint.finding import Path
    from raylint.manifest import RayObject

__all__ = ["KINDS", "cel_rule", "check_expression", "check_id"]

KINDS = ("RayCluster", "RayJob", "RayService", "RayCronJob")
VARIABLES = ("object", "effective", "target")
_ID = re.compile(r"[A-Z]{2,12}[0-9]{3,5}")
_OWN = re.compile(r"(API|KR|RAY|RL)[0-9]")
# The names that an expression gives to items: list.all(item, ...).
_BOUND = re.compile(r"\.\w+\(\s*(\w+)\s*,(?:\s*(\w+)\s*,)?")
_STEP = re.compile(r"([A-Za-z_][\w-]*)|\[(\d+)\]")
# Larger numbers have no place in CEL.
_LARGEST = 2**63
_DEEPEST = 40
_EXTRA = (
    "CEL rules need the package common-expression-language: pip install 'raylint[cel]'"
    " (for a hook of pre-commit: additional_dependencies)"
)


def check_id(text: str) -> None:
    """UsageError: it is no id for a rule of one's own."""
    if not _ID.fullmatch(text):
        raise UsageError(f"{text!r} is no id: capital letters and at least three digits, such as ACME101")
    if _OWN.match(text):
        raise UsageError(f"{text!r} is the id of a rule of raylint: take a prefix of your own, such as ACME101")


def check_expression(text: str) -> None:
    """UsageError, with the line and the column in the text: it is no CEL, or asks for unknown variables."""
    program = _compiled(text)
    bound = {name for names in _BOUND.findall(text) for name in names}
    unknown = sorted(set(program.variables()) - set(VARIABLES) - bound)
    if unknown:
        raise UsageError(f"there is no variable {unknown[0]!r} in a rule; there are {', '.join(VARIABLES)}")


def _compiled(text: str) -> Any:
    try:
        import cel
    except ImportError:
        raise UsageError(_EXTRA) from None
    try:
        return cel.compile(text)
    except ValueError as error:
        found = re.search(r"ERROR: <input>:(\d+):(\d+): (.*)", str(error))
        if found is None:
            raise UsageError(f"this is no CEL: {str(error).splitlines()[0]}") from None
        said = re.sub(r", expecting .*| expecting \{.*", "", found[3])
        said = said.replace("Syntax error: ", "")
        raise UsageError(f"this is no CEL: line {found[1]}, column {found[2]}: {said}") from None


def cel_rule(written: Mapping[str, Any], place: str) -> Rule:
    """The rule of an entry of ``cel-rules`` whose expression is sound; ``place`` is where it is written."""
    program = _compiled(written["expression"])
    kinds = frozenset(written.get("kinds", KINDS))
    at = _path(written.get("at", "metadata.name"))
    message, fix = written["message"], written.get("fix", "")

    def check(found: RayObject) -> Iterator[Problem]:
        if found.kind not in kinds:
            return
        failure = _failure(program, found)
        if failure is not None:
            yield Problem(
                Location(found.document, _written(found, at)),
                f"{message} (the rule {failure})" if failure else message,
                effect=f"a rule of this repository asks for it ({place})",
                fix=fix or f"make the rule's expression true: {_one_line(written['expression'])}",
            )

    name = written.get("name") or written["id"].lower()
    severity = Severity[written.get("severity", "warning").upper()]
    return Rule(
        written["id"], name, severity, Confidence.HIGH, check, compose=lambda _: _page(written, place, kinds)
    )


def _failure(program: Any, found: RayObject) -> str | None:
    """None: the expression is true. Empty: it is false. Else why it has no answer: the rule then speaks up, since
    silence would look like consent."""
    target = found.target
    ray = found.ray_version or ()
    variables = {
        "object": _plain(found.data),
        "effective": _plain(sheet(Effective(found))),
        "target": {"kuberay": list(target.kuberay), "ray": list(ray)},
    }
    try:
        answer = program.execute(variables)
    except KeyError as error:
        return f"asks for {str(error.args[0])!r}, which is not written; has() asks whether it is"
    except Exception as error:
        # The words of an error may quote a value, and that may be a secret.
        return f"cannot be evaluated here: {_REASONS.get(type(error).__name__, 'it ends in an error')}"
    if not isinstance(answer, bool):
        return f"answers with {type(answer).__name__}, not with true or false"
    return None if answer else ""


_REASONS = {
    "TypeError": "it applies an operation to values of other types",
    "RuntimeError": "it calls a function that there is not, or calls one with the wrong arguments",
}


def _plain(node: object, depth: int = 0) -> Any:
    """Data that CEL knows: a field is its value, and what is unknown is null."""
    if depth > _DEEPEST:
        return None
    if isinstance(node, Field):
        return _plain(node.value, depth)
    if isinstance(node, tuple):
        return [_plain(item, depth + 1) for item in node]
    if isinstance(node, dict):
        return {str(key): _plain(item, depth + 1) for key, item in node.items()}
    if isinstance(node, list):
        return [_pair(item, depth + 1) for item in node]
    if isinstance(node, bool) or node is None or isinstance(node, str):
        return node
    if isinstance(node, int):
        return node if -_LARGEST <= node < _LARGEST else float(node) if node.bit_length() < 1000 else None
    if isinstance(node, float):
        return node if math.isfinite(node) else None
    return str(node)


def _pair(item: object, depth: int) -> Any:
    """An item of a list. A name that may come up twice, such as that of a variable, comes with its value."""
    if isinstance(item, tuple) and len(item) == 2 and isinstance(item[1], Field):
        return {"name": item[0], "value": _plain(item[1], depth)}
    return _plain(item, depth)


def _path(text: str) -> Path:
    return tuple(int(index) if index else key for key, index in _STEP.findall(text))


def _written(found: RayObject, path: Path) -> Path:
    """As much of a path as the object has."""
    data: Any = found.data
    reached = found.path
    for step in path:
        inside = isinstance(data, list) and isinstance(step, int) and step < len(data)
        if not (inside or (isinstance(data, dict) and step in data)):
            break
        data = data[step]
        reached = (*reached, step)
    return reached


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 200 else f"{line[:200]}..."


def _page(written: Mapping[str, Any], place: str, kinds: frozenset[str]) -> str:
    fix = written.get("fix") or "Make the expression true."
    return f"""{written["message"]}

## What it flags

Objects of the kinds {", ".join(sorted(kinds))} of which this expression is not true:

    {_one_line(written["expression"])}

## What happens

A rule of this repository is broken ({place}).

## Fix

{fix}
"""
