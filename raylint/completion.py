"""Completion of command lines for bash, zsh and fish, written from the table of flags.

The rules' names are asked for when they are completed, so that those of all installed packs are among them.
"""

from __future__ import annotations

from raylint.options import BASELINE_COMMANDS, COMMANDS, CONFIG_COMMANDS, FLAGS, SHELLS, formats_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from raylint.options import Flag

__all__ = ["completion"]

_KINDS = ("RayCluster", "RayJob", "RayService", "RayCronJob", "config")
# What follows a command, where that is no file; "rules": the names of the rules.
_ARGUMENTS: Mapping[str, Sequence[str]] = {
    "baseline": BASELINE_COMMANDS,
    "config": CONFIG_COMMANDS,
    "schema": _KINDS,
    "completion": SHELLS,
}
_RULES = ("explain", "rules")
_FILES = ("FILE", "FILE,...", "DIR", "CHART")
_LIST_RULES = "raylint rules 2>/dev/null"


def completion(shell: str, extra: Sequence[str]) -> str:
    """The script for ``bash``, ``zsh`` or ``fish``. ``extra``: commands that other packages bring."""
    scripts = {"bash": _bash, "zsh": _zsh, "fish": _fish}
    return scripts[shell](extra)


def _values(flag: Flag, command: str) -> tuple[str, ...]:
    """What the value of a flag may be, where it is one of a few words."""
    return ("auto", *formats_of(command)) if flag.long == "--format" else flag.choices


def _of(command: str) -> list[Flag]:
    return [flag for flag in FLAGS if command in flag.commands]


def _takes_rules(flag: Flag) -> bool:
    return flag.metavar.startswith("RULE")


def _bash(extra: Sequence[str]) -> str:
    every = " ".join((*COMMANDS, *extra))
    lines = [
        "# Completion of raylint for bash.",
        "_raylint() {",
        '    local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" command= seen',
        '    for seen in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
        f'        case "$seen" in {"|".join((*COMMANDS, *extra))}) command=$seen; break ;; esac',
        "    done",
        "    # --flag=value comes as three words.",
        '    [[ $word == "=" ]] && word=""',
        '    [[ $before == "=" ]] && before="${COMP_WORDS[COMP_CWORD-2]}"',
        "    COMPREPLY=()",
        '    case "${command:-check} $before" in',
    ]
    for command in COMMANDS:
        for flag in _of(command):
            if flag.takes_value:
                names = "|".join(f'"{command} {name}"' for name in flag.names)
                lines.append(f"        {names}) {_bash_value(flag, command)}; return ;;")
    lines += ["    esac", "    if [[ $word == -* ]]; then", '        case "${command:-check}" in']
    for command in COMMANDS:
        flags = " ".join(name for flag in _of(command) for name in flag.names)
        lines.append(f'            {command}) COMPREPLY=($(compgen -W "{flags}" -- "$word")) ;;')
    lines += ["        esac", "        return", "    fi", '    case "$command" in']
    for command, words in _ARGUMENTS.items():
        lines.append(f'        {command}) COMPREPLY=($(compgen -W "{" ".join(words)}" -- "$word")) ;;')
    lines += [
        f"        {'|'.join(_RULES)}) {_bash_rules()} ;;",
        f'        "") COMPREPLY=($(compgen -W "{every}" -- "$word") $(compgen -f -- "$word")) ;;',
        '        *) COMPREPLY=($(compgen -f -- "$word")) ;;',
        "    esac",
        "}",
        "complete -o filenames -F _raylint raylint kubectl-raylint",
    ]
    return "\n".join(lines) + "\n"


def _bash_rules() -> str:
    return f"""COMPREPLY=($(compgen -W "$({_LIST_RULES} | awk 'NR > 1 {{print $1; print $2}}')" -- "$word"))"""


def _bash_value(flag: Flag, command: str) -> str:
    values = _values(flag, command)
    if values:
        return f'COMPREPLY=($(compgen -W "{" ".join(values)}" -- "$word"))'
    if _takes_rules(flag):
        return _bash_rules()
    return 'COMPREPLY=($(compgen -f -- "$word"))' if flag.metavar in _FILES else ":"


def _zsh(extra: Sequence[str]) -> str:
    lines = [
        "#compdef raylint kubectl-raylint",
        "# Completion of raylint for zsh.",
        "_raylint_rules() {",
        "    local -a rules",
        f"    rules=(${{(f)\"$({_LIST_RULES} | awk 'NR > 1 {{print $1; print $2}}')\"}})",
        "    compadd -a rules",
        "}",
        "_raylint() {",
        "    local command= seen",
        '    for seen in "${(@)words[2,CURRENT-1]}"; do',
        f'        case "$seen" in ({"|".join((*COMMANDS, *extra))}) command=$seen; break ;; esac',
        "    done",
        "    local -a flags",
        '    case "${command:-check}" in',
    ]
    for command in COMMANDS:
        lines.append(f"        ({command}) flags=(")
        lines += [f"            {spec}" for flag in _of(command) for spec in _zsh_specs(flag, command)]
        lines.append("        ) ;;")
    lines += [
        "    esac",
        "    _arguments -s $flags '*: :_raylint_words'",
        "}",
        "_raylint_words() {",
        '    case "$command" in',
    ]
    lines += [f"        ({command}) compadd {' '.join(words)} ;;" for command, words in _ARGUMENTS.items()]
    lines += [
        f"        ({'|'.join(_RULES)}) _raylint_rules ;;",
        f'        ("") compadd {" ".join((*COMMANDS, *extra))}; _files ;;',
        "        (*) _files ;;",
        "    esac",
        "}",
        # A file in fpath is the function itself; one that is sourced announces it.
        'if [[ "${funcstack[1]}" == "_raylint" ]]; then _raylint "$@"',
        "else compdef _raylint raylint kubectl-raylint; fi",
    ]
    return "\n".join(lines) + "\n"


def _zsh_specs(flag: Flag, command: str) -> list[str]:
    help = "".join("\\" + sign if sign in "[]:\\" else sign for sign in flag.help).replace("'", "'\\''")
    specs = []
    for name in flag.names:
        if not flag.takes_value:
            specs.append(f"'{name}[{help}]'")
            continue
        values = _values(flag, command)
        if values:
            action = f"({' '.join(values)})"
        elif _takes_rules(flag):
            action = "_raylint_rules"
        else:
            action = "_files" if flag.metavar in _FILES else " "
        follows = "=" if name.startswith("--") else "+"
        specs.append(f"'*{name}{follows}[{help}]:{flag.attribute}:{action}'")
    return specs


def _fish(extra: Sequence[str]) -> str:
    others = " ".join((*COMMANDS, *extra))
    lines = [
        "# Completion of raylint for fish.",
        f"set -l commands {others}",
        'set -l none "not __fish_seen_subcommand_from $commands"',
        'complete -c raylint -n $none -a "$commands"',
    ]
    for command, words in _ARGUMENTS.items():
        lines.append(f'complete -c raylint -f -n "__fish_seen_subcommand_from {command}" -a "{" ".join(words)}"')
    lines += [
        f'complete -c raylint -f -n "__fish_seen_subcommand_from {command}" -a "{_fish_rules()}"'
        for command in _RULES
    ]
    for command in COMMANDS:
        condition = f"__fish_seen_subcommand_from {command}"
        if command == "check":
            condition = f"$none; or {condition}"
        lines += [f'complete -c raylint -n "{condition}" {_fish_flag(flag, command)}' for flag in _of(command)]
    return "\n".join(lines) + "\n"


def _fish_rules() -> str:
    return f"({_LIST_RULES} | string match -r '^[A-Z]+[0-9]+')"


def _fish_flag(flag: Flag, command: str) -> str:
    words = [f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in flag.names]
    values = _values(flag, command)
    if values:
        words.append(f'-x -a "{" ".join(values)}"')
    elif _takes_rules(flag):
        words.append(f'-x -a "{_fish_rules()}"')
    elif flag.takes_value:
        words.append("-r" if flag.metavar in _FILES else "-x")
    help = flag.help.replace("\\", "\\\\").replace("'", "\\'")
    return " ".join([*words, f"-d '{help}'"])
