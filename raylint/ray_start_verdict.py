"""What becomes of the ``ray start`` line of a group: in the release that it runs, or in all of them.

Facts: ray-project/kuberay v1.7.0 ``common/pod.go`` (which line is run at all); the verdicts were compared with Ray
2.9.3, 2.40.0, 2.51.1 and 2.60.0.
"""

from __future__ import annotations

from raylint.object_names import Assigned, ObjectNames
from raylint.ray_start import Arguments, Fault, Line, quoting
from raylint.ray_start_checks import check
from raylint.start_command import StartCommand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from raylint.group import Group
    from raylint.target import Version

__all__ = ["GENERATED", "QUOTED", "faults", "judge", "start_command"]

# The variable in which KubeRay hands its line to a container that overwrites the command (KubeRay 1.1).
GENERATED: Final = "KUBERAY_GEN_RAY_START_CMD"
# Faults that depend on the quotes of a value.
QUOTED: Final = ("shell", "resources", "labels", "system-config")
# Releases that stand for all of them where a manifest does not tell its own: what each of them refuses is certain.
_ALL: Final = ((2, 60, 0), (2, 51, 1), (2, 45, 0), (2, 40, 0), (2, 9, 3))


def start_command(group: Group) -> StartCommand:
    """The command that KubeRay writes for the group; names that only a cluster decides have place holders."""
    names = ObjectNames(group.cluster, Assigned())
    return StartCommand(group, names, is_head=group is group.cluster.head)


def faults(group: Group) -> tuple[Fault, ...]:
    """All that is wrong with the line of a group: for the release that it runs, or what all releases agree on
    where that is not known. Empty where KubeRay's line is not run."""
    if not group.cluster.is_built or not _has_options(group):
        return ()
    start = start_command(group)
    line = Line(start, is_head=group is group.cluster.head)
    # Of what KubeRay adds by itself other rules speak, at the field that it comes from.
    found = [fault for fault in judge(group, line) if not line.own.isdisjoint(fault.options)]
    if not start.overwritten_by:
        return tuple(found)
    words = own_words(group)
    if GENERATED not in words or not start.overwritten_by.startswith("annotation"):
        return ()
    # The line comes out of a variable: without eval its quotes are text, and what they do is another rule's
    # matter.
    return tuple(fault for fault in found if "eval" in words or fault.kind not in QUOTED)


def own_words(group: Group) -> str:
    """``command`` and ``args`` of the Ray container, with a blank between the words."""
    container = group.ray_container
    return " ".join((*container.strings("command"), *container.strings("args")))


def _has_options(group: Group) -> bool:
    """Without options of its own the line is KubeRay's, which Ray takes."""
    return bool(group.start_params.data) or (
        group.has_fields_for_ray and (group.has("resources") or group.has("labels"))
    )


def judge(group: Group, line: Line) -> list[Fault]:
    """What is wrong with a line in the release that the group runs, or in all of them."""
    ray = group.ray_version
    if ray is not None:
        return _judged(line, ray)
    newest, *others = (_judged(line, release) for release in _ALL)
    common = set.intersection(*({(fault.options, fault.fatal) for fault in found} for found in others))
    return [fault for fault in newest if (fault.options, fault.fatal) in common]


def _judged(line: Line, ray: Version) -> list[Fault]:
    found = line.command
    if found.fault:
        owner = line.option_at(found.fault_at)
        written = line.written.get(owner, "")
        what = "is no complete text to the shell, which runs nothing"
        return [Fault("shell", (owner,), what, fix=quoting(written), log=f"bash: {found.fault}")]
    arguments = Arguments(line, ray)
    faults = arguments.faults
    if found.cut:
        owner = line.option_at(found.cut_at)
        character = {"\n": "a line break", "#": "#"}.get(found.cut, repr(found.cut))
        what = f"ends the command at {character}: the shell passes nothing behind it to Ray"
        faults.append(Fault("shell", (owner,), what, fix=quoting(line.written.get(owner, "")), fatal=False))
    if not faults or not any(fault.kind == "switch" and fault.fatal for fault in faults):
        faults += check(arguments)
    return _without_sequels(faults)


def _without_sequels(faults: list[Fault]) -> list[Fault]:
    """One fault of a kind for an option; what the shell did to a value explains the rest of it."""
    in_shell = {fault.options for fault in faults if fault.kind == "shell" and fault.fatal}
    kept: dict[tuple[str, tuple[str, ...]], Fault] = {}
    for fault in faults:
        if fault.kind == "shell" or fault.options not in in_shell:
            kept.setdefault((fault.kind, fault.options), fault)
    return list(kept.values())
