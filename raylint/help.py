"""The texts of ``raylint --help`` and ``raylint COMMAND --help``, from the table of flags."""

from __future__ import annotations

from textwrap import wrap

from raylint.options import FLAGS, GROUPS, formats_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from raylint.options import Flag

__all__ = ["help_text"]

_INTRODUCTION = "raylint says what will go wrong with a KubeRay manifest before it is applied.\n"

# What stands behind `raylint`, what the command does in a few words, and more than that.
_ABOUT = {
    "check": (
        "[check] [FLAG ...] [PATH ...|-]",
        "lint files, folders (default: .) or standard input",
        "A folder is searched for .yaml, .yml and .json files. Only what mentions ray.io is parsed.",
    ),
    "effective": (
        "effective [FLAG ...] [PATH ...|-]",
        "show what KubeRay makes of each Ray object",
        "For each object a summary, then the pods of each group, Services and Jobs; behind each value stands who"
        " decided it, and by which rule. Secrets are covered.",
    ),
    "explain": (
        "explain RULE|TEXT",
        "show a rule's page, or search the pages",
        "RULE is an id or a name (KR026, min-replicas-negative). Anything else, such as a message of the operator,"
        " is looked for in the pages.",
    ),
    "rules": (
        "rules [FAMILY ...]",
        "list the rules",
        "FAMILY is a name, or the beginning of ids (KR, RAY1, KR20); none: all rules.",
    ),
    "baseline": (
        "baseline write|prune|check [PATH ...]",
        "accept what is found today",
        "write lists it in a file that --baseline heeds; prune takes out what is found no more; check says what"
        " that is, and exits with 1 if it is anything.",
    ),
    "config": (
        "config init|show|validate",
        "write, show or check a configuration",
        "",
    ),
    "schema": (
        "schema KIND|config",
        "print a JSON Schema, for editors",
        "KIND is RayCluster, RayJob, RayService or RayCronJob, as the chosen release of KubeRay serves it; config:"
        " the schema of .raylint.yaml.",
    ),
    "cluster": (
        "cluster [FLAG ...]",
        "judge the objects that live in a cluster",
        "",
    ),
    "webhook": (
        "webhook serve|bootstrap-certs",
        "refuse and warn where objects are applied",
        "",
    ),
    "completion": (
        "completion bash|zsh|fish",
        "print the completion script of a shell",
        "",
    ),
    "version": ("version", "show raylint's version", ""),
}
_EXIT_CODES = """\
exit codes:
  0  nothing at or above --fail-on was found, or --exit-zero
  1  something at or above --fail-on was found, with --fix: is left; --diff: something would be fixed;
     effective: some file could not be read
  2  wrong usage: an unknown flag or rule, a PATH that does not exist, an output that cannot be written,
     a file that could not be fixed (it was changed meanwhile, is protected or has a second name)
  3  --require-objects, and no Ray object was checked
  4  raylint itself failed: a rule crashed (RL000), or worse
  130 and 141: ended by Ctrl-C, or by a reader of its output that went away
  Where several apply, the first of 2, 4, 3, 1 counts.
"""
_WIDTH = 100


def help_text(command: str = "") -> str:
    """The text of --help: of a command with the flags that it takes, or of all."""
    if not command:
        usages = [f"raylint {_ABOUT[name][0]}".ljust(48) + _ABOUT[name][1] for name in _ABOUT]
        head = [_INTRODUCTION, "usage: " + "\n       ".join(usages)]
        return "\n".join(
            [*head, "", *_flags(FLAGS, ""), "'raylint COMMAND --help' shows a command's own.\n", _EXIT_CODES]
        )
    usage, short, more = _ABOUT[command]
    head = [f"usage: raylint {usage}", "", f"{short[0].upper()}{short[1:]}.", *wrap(more, _WIDTH), ""]
    codes = [_EXIT_CODES] if command == "check" else []
    return "\n".join([*head, *_flags([flag for flag in FLAGS if command in flag.commands], command), *codes])


def _flags(flags: Sequence[Flag], command: str) -> list[str]:
    """Group by group, each with an empty line behind it."""
    lines = []
    for group in GROUPS:
        of_group = [line for flag in flags if flag.group == group for line in _flag_help(flag, command)]
        if of_group:
            lines += [f"{group}:", *of_group, ""]
    return lines


def _flag_help(flag: Flag, command: str) -> list[str]:
    metavar = "|".join(["auto", *formats_of(command)]) if command and flag.long == "--format" else flag.metavar
    left = f"  {', '.join(flag.names)} {metavar}".rstrip()
    right = wrap(flag.help, 72)
    if len(left) < 30:
        right[0] = left.ljust(30) + right[0]
        return [right[0], *(" " * 30 + line for line in right[1:])]
    return [left, *(" " * 30 + line for line in right)]
