"""The text of ``raylint --help``, from the table of flags."""

from __future__ import annotations

from textwrap import wrap

from raylint.options import FLAGS, GROUPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.options import Flag

__all__ = ["help_text"]

_USAGE = """\
raylint says what will go wrong with a KubeRay manifest before it is applied.

usage: raylint [check] [FLAG ...] [PATH ... | -]   lint files, folders (default: .) or the standard input
       raylint effective [PATH ... | -]            show what KubeRay makes of each Ray object
       raylint explain RULE|TEXT                   show a rule's page, or search the pages
       raylint rules [--format text|json]          list the rules
       raylint config init|show|validate           write, show or check a configuration
       raylint schema KIND|config                  print a JSON Schema, for editors
       raylint webhook serve                       refuse and warn where objects are applied
       raylint version                             show raylint's version
"""
_EXIT_CODES = """\
exit codes:
  0  nothing at or above --fail-on was found, or --exit-zero
  1  something at or above --fail-on was found, with --fix: is left; --diff: something would be fixed;
     effective: some file could not be read
  2  wrong usage: an unknown flag or rule, a PATH that does not exist, an output that cannot be written,
     a file that could not be fixed (it was changed meanwhile, is protected or has a second name)
  3  --require-objects, and no Ray object was checked
  4  raylint itself failed: a rule crashed (RL000), or worse
  Where several apply, the first of 2, 4, 3, 1 counts.
"""


def help_text() -> str:
    """The text of --help."""
    lines = [_USAGE]
    for group in GROUPS:
        lines.append(f"{group}:")
        for flag in FLAGS:
            if flag.group == group:
                lines += _flag_help(flag)
        lines.append("")
    return "\n".join([*lines, _EXIT_CODES])


def _flag_help(flag: Flag) -> list[str]:
    left = f"  {', '.join(flag.names)} {flag.metavar}".rstrip()
    right = wrap(flag.help, 72)
    if len(left) < 30:
        right[0] = left.ljust(30) + right[0]
        return [right[0], *(" " * 30 + line for line in right[1:])]
    return [left, *(" " * 30 + line for line in right)]
