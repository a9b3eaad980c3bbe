"""The command line: one table of flags, and the parser and the defaults that follow from it.

``argparse`` alone costs a third of what linting one file takes (9 ms to import, 13 with the flags below), so the
table is read by a small parser; a test holds that it understands every line as ``argparse`` would.
"""

from __future__ import annotations

import re

from raylint.errors import UsageError
from raylint.target import KUBERAY_RELEASES, NEWEST_KUBERAY, parse_version, version_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, TypeVar

    from raylint.registry import Pick
    from raylint.rule import Rule
    from raylint.target import Version

    Value = TypeVar("Value", str, bool)

__all__ = [
    "COMMANDS",
    "CONFIG_COMMANDS",
    "FLAGS",
    "FORMATS",
    "GROUPS",
    "MACHINE_FORMATS",
    "OPPOSED",
    "SHELLS",
    "Flag",
    "Options",
    "formats_of",
    "parse",
    "suggestion",
]

COMMANDS = ("baseline", "check", "completion", "config", "effective", "explain", "rules", "schema", "version")
BASELINE_COMMANDS = ("write", "prune", "check")
CONFIG_COMMANDS = ("init", "show", "validate")
SHELLS = ("bash", "zsh", "fish")

# The groups that --help shows, in its order.
GROUPS = ("rules", "target", "input", "fixes", "output", "general")


class Options:
    """What a command line asks for. The values here are the defaults, for the parser and for --help."""

    def __init__(self) -> None:
        self.command = "check"
        # Does the line name it?
        self.names_command = False
        # What `raylint baseline` is to do.
        self.action = ""
        self.arguments: list[str] = []
        self.select: list[str] = []
        self.extend_select: list[str] = []
        self.ignore: list[str] = []
        self.severity: dict[str, str] = {}
        self.profile = ""
        self.preview = False
        self.min_confidence = "low"
        self.no_ignores = False
        self.baseline = ""
        self.diff_base = ""
        # None: as each file shows.
        self.kuberay: Version | None = NEWEST_KUBERAY
        self.ray: Version | None = None
        # None: not told.
        self.kubernetes: Version | None = None
        self.feature_gates: dict[str, bool] = {}
        self.crd: list[str] = []
        self.config = ""
        self.no_config = False
        self.exclude: list[str] = []
        self.force_exclude = False
        self.no_gitignore = False
        self.stdin_filename = "<stdin>"
        self.helm: list[str] = []
        self.values: list[str] = []
        self.set: list[str] = []
        self.variant: list[str] = []
        self.kustomize: list[str] = []
        self.require_objects = False
        self.jobs = 1
        self.cache_dir = ""
        self.no_cache = False
        self.format = "auto"
        self.output = ""
        self.report: dict[str, str] = {}
        self.fix = False
        self.unsafe_fixes = False
        self.diff = False
        self.fail_on = "error"
        self.exit_zero = False
        self.color = "auto"
        self.quiet = False
        self.verbose = False
        self.debug = False
        self.version = False
        self.help = False
        self.given: set[str] = set()
        # What no flag says: the environment and the configuration do. Origins are told by the name of a setting.
        self.picks: list[Pick] = []
        self.rule_options: dict[str, dict[str, Any]] = {}
        self.suppressions: dict[str, Any] = {}
        self.webhook: dict[str, Any] = {}
        self.cel_rules: dict[str, Rule] = {}
        self.exclude_base = ""
        self.origins: dict[str, str] = {}

    @property
    def paths(self) -> list[str]:
        """The files and folders to lint, as they were typed; none where only something to render is named."""
        return self.arguments or ([] if self.given & {"--helm", "--kustomize"} else ["."])


def _text(flag: str, text: str) -> object:
    if not text:
        raise UsageError(f"{flag} needs a value that is not empty")
    return text


def _list(flag: str, text: str) -> object:
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise UsageError(f"{flag}: an entry of the list {text!r} is empty")
    return parts


def _one(flag: str, text: str) -> object:
    return [_text(flag, text)]


def _setting(flag: str, text: str) -> object:
    key, equals, _ = text.partition("=")
    if not (key and equals):
        raise UsageError(f"{flag} wants KEY=VALUE, such as head.resources.limits.cpu=2, and got {text!r}")
    return [text]


def _report(flag: str, text: str) -> object:
    format, equals, file = text.partition("=")
    if not (equals and file):
        raise UsageError(f"{flag} wants FORMAT=FILE, such as sarif=raylint.sarif, and got {text!r}")
    return {_member(flag, format, REPORT_FORMATS): file}


def _severity(flag: str, text: str) -> object:
    levels: dict[str, str] = {}
    for part in text.split(","):
        rule, equals, level = (piece.strip() for piece in part.partition("="))
        if not (rule and equals):
            raise UsageError(f"{flag} wants RULE=LEVEL, such as RAY101=error, and got {part!r}")
        _add(flag, levels, rule, _member(flag, level, SEVERITIES))
    return levels


def _gates(flag: str, text: str) -> object:
    """As the operator reads its own flag of this name (Go: strconv.ParseBool); any release's gates are known."""
    from raylint.feature_gates import GATES

    gates: dict[str, bool] = {}
    for part in text.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not (name and equals):
            raise UsageError(f"{flag} wants NAME=true or NAME=false, and got {part!r}")
        if value.lower() not in ("true", "false"):
            raise UsageError(f"{flag}: {name} is true or false, not {value!r}")
        if name not in GATES:
            raise UsageError(f"{flag}: KubeRay has no feature gate {name!r}{suggestion(name, GATES)}")
        _add(flag, gates, name, value.lower() == "true")
    return gates


def _add(flag: str, known: dict[str, Value], key: str, value: Value) -> None:
    earlier = known.setdefault(key, value)
    if earlier != value:
        raise UsageError(f"{flag} gives {key} two values: {_shown(earlier)} and {_shown(value)}")


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _kuberay(flag: str, text: str) -> object:
    if text == "auto":
        return None
    release = _release(flag, text, "auto, 1.7 or v1.6.2")[:3]
    if release[:2] not in KUBERAY_RELEASES:
        known = ", ".join(version_text(known) for known in KUBERAY_RELEASES)
        raise UsageError(f"{flag}: raylint does not know KubeRay {text!r}; it knows {known}")
    return release


def _ray(flag: str, text: str) -> object:
    return None if text == "auto" else _release(flag, text, "auto, 2.43 or 2.43.0")


def _kubernetes(flag: str, text: str) -> object:
    return None if text == "auto" else _release(flag, text, "auto, 1.28 or v1.28.3")


def _jobs(flag: str, text: str) -> object:
    if text == "auto":
        return 0
    if not re.fullmatch("[0-9]{1,4}", text):
        raise UsageError(f"{flag} wants a number of processes or auto, and got {text!r}")
    return int(text)


def _release(flag: str, text: str, example: str) -> Version:
    version = parse_version(text) if re.fullmatch(r"v?[0-9]+(\.[0-9]+)+([-+.]?[0-9A-Za-z.-]+)?", text) else None
    if version is None:
        raise UsageError(f"{flag} wants a release, such as {example}, and got {text!r}")
    return version


def _member(flag: str, value: str, members: Sequence[str]) -> str:
    if value not in members:
        raise UsageError(f"{flag}: {value!r} is not one of {', '.join(members)}{suggestion(value, members)}")
    return value


SEVERITIES = ("error", "warning", "info")
CONFIDENCES = ("high", "medium", "low")
# The formats that machines read: they stand alone on the standard output, in UTF-8, without a closing line.
MACHINE_FORMATS = (
    "json",
    "jsonl",
    "sarif",
    "github",
    "gitlab",
    "junit",
    "checkstyle",
    "rdjson",
    "markdown",
    "html",
)
FORMATS = ("auto", "text", "concise", "yaml", *MACHINE_FORMATS)
# What the other commands than check write.
_FORMATS_OF = {"effective": ("text", "json", "yaml"), "rules": ("text", "json")}
REPORT_FORMATS = ("text", "concise", *MACHINE_FORMATS)
COLORS = ("auto", "always", "never")
# What is said nearer outdoes what is said to the contrary farther away: by key, the flag of the contrary.
OPPOSED = {
    "config": "--no-config",
    "no-config": "--config",
    "exit-zero": "--fail-on",
    "fail-on": "--exit-zero",
    "cache-dir": "--no-cache",
    "no-cache": "--cache-dir",
    "quiet": "--verbose",
    "verbose": "--quiet",
}


class Flag:
    """One flag. ``read`` turns (flag, text) into a value, a list (added to earlier ones) or a dict (merged);
    without it the flag is a switch. ``commands`` are those that it has an effect on."""

    __slots__ = ("attribute", "choices", "commands", "group", "help", "metavar", "names", "read")

    def __init__(
        self,
        names: str,
        group: str,
        help: str,
        *,
        metavar: str = "",
        read: Callable[[str, str], object] | None = None,
        choices: tuple[str, ...] = (),
        commands: tuple[str, ...] = ("check",),
    ) -> None:
        self.names = tuple(names.split())
        self.attribute = self.long.lstrip("-").replace("-", "_")
        self.group = group
        self.help = help
        self.metavar = metavar or "|".join(choices)
        self.read = read
        self.choices = choices
        self.commands = commands

    @property
    def long(self) -> str:
        return self.names[-1]

    @property
    def takes_value(self) -> bool:
        return bool(self.read or self.choices)

    @property
    def kind(self) -> str:
        """What a configuration writes: a switch, a list, a mapping, a number or a text."""
        default = getattr(Options(), self.attribute)
        return next((kind for type, kind in _KINDS if isinstance(default, type)), "text")

    def value(self, text: str) -> object:
        """What the text means. UsageError where it means nothing."""
        if self.choices:
            return _member(self.long, text, self.choices)
        return self.read(self.long, text) if self.read else True


_KINDS = ((bool, "switch"), (list, "list"), (dict, "mapping"), (int, "number"))
_SHOWN = ("check", "effective", "rules", "explain")
_LINTING = ("check", "baseline")
_READING = (*_LINTING, "effective")
_JUDGING = (*_READING, "schema", "config")

FLAGS = (
    Flag("--select", "rules", "only these rules: ids, names or families (RAY101, RAY1, KR)", metavar="RULE,...",
         read=_list, commands=(*_LINTING, "rules")),
    Flag("--extend-select", "rules", "these rules too, besides those that run anyway", metavar="RULE,...",
         read=_list, commands=_LINTING),
    Flag("--ignore", "rules", "all but these rules", metavar="RULE,...", read=_list, commands=_LINTING),
    Flag("--severity", "rules", "give a rule another level: error, warning or info", metavar="RULE=LEVEL,...",
         read=_severity, commands=_LINTING),
    Flag("--profile", "rules", "start from a choice that raylint brings: recommended, production, dev or all",
         metavar="NAME", read=_text, commands=_LINTING),
    Flag("--preview", "rules", "run rules that are in preview, too", commands=_LINTING),
    Flag("--min-confidence", "rules", "leave out findings of which raylint is less sure (default: low)",
         choices=CONFIDENCES, commands=_LINTING),
    Flag("--no-ignores", "rules", "heed no comment or annotation that suppresses findings", commands=_LINTING),
    Flag("--baseline", "rules", "accept the findings that this file lists; `raylint baseline write` makes it",
         metavar="FILE", read=_text, commands=_LINTING),
    Flag("--diff-base", "rules", "report only what was not found in this git revision", metavar="REV", read=_text),
    Flag("--kuberay", "target", "the operator's release (default: the newest known); auto: as a file shows by the "
         "labels of Helm or the operator's image", metavar="auto|X.Y[.Z]", read=_kuberay, commands=_JUDGING),
    Flag("--ray", "target", "the Ray release (default: auto, as each manifest says)", metavar="auto|X.Y[.Z]",
         read=_ray, commands=_READING),
    Flag("--kubernetes", "target", "the release of Kubernetes, for the few rules that depend on it (default: "
         "auto, which assumes a new one)", metavar="auto|X.Y[.Z]", read=_kubernetes),
    Flag("--feature-gates", "target", "the operator's feature gates that differ from the release's defaults "
         "(told of none, a field that needs one is a warning)",
         metavar="NAME=true|false,...", read=_gates, commands=_READING),
    Flag("--crd", "target", "judge by the CRDs in this file (kubectl get crd -o yaml, helm show crds) instead of "
         "the bundled ones; may be repeated", metavar="FILE", read=_one, commands=_JUDGING),
    Flag("--config", "target", "the configuration of all files; without it the nearest .raylint.yaml or "
         "pyproject.toml, up to the root of the repository", metavar="FILE", read=_text, commands=_JUDGING),
    Flag("--no-config", "target", "read no configuration file", commands=_JUDGING),
    Flag("--exclude", "input", "leave out files and folders: a pattern as in .gitignore, relative to the working "
         "directory; may be repeated", metavar="GLOB", read=_one, commands=_READING),
    Flag("--force-exclude", "input", "leave out what --exclude or a .gitignore names even if it is given as PATH",
         commands=_READING),
    Flag("--no-gitignore", "input", "read files that a .gitignore names, too", commands=_READING),
    Flag("--stdin-filename", "input", "the file name to show for the standard input", metavar="NAME", read=_text,
         commands=_READING),
    Flag("--helm", "input", "render this chart, a folder or an archive, with the program helm, and lint the "
         "outcome; may be repeated", metavar="CHART", read=_one, commands=_READING),
    Flag("-f --values", "input", "values for --helm; may be repeated, a later file counts more",
         metavar="FILE,...", read=_list, commands=_READING),
    Flag("--set", "input", "a value for --helm, as helm takes it; may be repeated", metavar="KEY=VALUE",
         read=_setting, commands=_READING),
    Flag("--variant", "input", "render --helm once more, with these values over those of --values; may be "
         "repeated, once for each set of values", metavar="FILE,...", read=_one, commands=_READING),
    Flag("--kustomize", "input", "build this kustomization with kustomize or kubectl, and lint the outcome; may "
         "be repeated", metavar="DIR", read=_one, commands=_READING),
    Flag("--require-objects", "input", "exit with 3 if no Ray object was checked"),
    Flag("-j --jobs", "input", "processes to use; auto or 0: one a core (default: 1)", metavar="N", read=_jobs,
         commands=_LINTING),
    Flag("--cache-dir", "input", "keep answers in this folder, and give them again where nothing has changed",
         metavar="DIR", read=_text),
    Flag("--no-cache", "input", "keep no answers, whatever the configuration says"),
    Flag("--format", "output", "how to write the outcome (default: auto, which is text, and in a job of GitHub "
         "Actions annotations as well); each command has some", choices=FORMATS,
         commands=("check", "effective", "rules")),
    Flag("--report", "output", "write a report to a file, besides what is shown; may be repeated, with another "
         "format each time", metavar="FORMAT=FILE", read=_report),
    Flag("-o --output", "output", "write to a file instead of the standard output", metavar="FILE", read=_text,
         commands=(*_SHOWN, "completion", "schema")),
    Flag("--fix", "fixes", "make the safe fixes in the files, and report what is left; one that brings "
         "something as severe to light is taken back; the text of '-' goes to the standard output, fixed"),
    Flag("--diff", "fixes", "write nothing into the files, and show as a unified diff what --fix would"),
    Flag("--unsafe-fixes", "fixes", "with --fix or --diff: also fixes that change how the cluster behaves"),
    Flag("--fail-on", "output", "the least severity that makes the exit code 1 (default: error)",
         choices=SEVERITIES),
    Flag("--exit-zero", "output", "exit with 0 in spite of findings"),
    Flag("--color", "output", "colours (default: auto, on a terminal)", choices=COLORS, commands=_SHOWN),
    Flag("-q --quiet", "output", "findings only, without the closing line"),
    Flag("-v --verbose", "output", "also list what was passed over, and why"),
    Flag("--debug", "general", "show the traceback of an internal fault", commands=COMMANDS),
    Flag("--version", "general", "show raylint's version", commands=COMMANDS),
    Flag("-h --help", "general", "show this text", commands=COMMANDS),
)  # fmt: skip
_BY_NAME = {name: flag for flag in FLAGS for name in flag.names}


def parse(words: Sequence[str]) -> Options:
    """Read a command line (without the program's name). UsageError where it makes no sense."""
    options = Options()
    queue = list(reversed(words))
    command_may_follow = True
    while queue:
        word = queue.pop()
        if word == "--":
            options.arguments += reversed(queue)
            break
        if word.startswith("-") and word != "-":
            _read_flag(options, word, queue)
        elif command_may_follow and word in COMMANDS:
            options.command = word
            options.names_command = True
            command_may_follow = False
        else:
            options.arguments.append(word)
            command_may_follow = False
    if not (options.help or options.version):
        _refuse_what_has_no_effect(options)
    return options


def _read_flag(options: Options, word: str, queue: list[str]) -> None:
    """Read the flag at hand, and its value from the word or the queue (``-qv``, ``-j4``, ``--ray=2.9``)."""
    if word.startswith("--"):
        name, attached, text = word.partition("=")
    else:
        name, text = word[:2], word[2:]
        attached = text
    flag = _BY_NAME.get(name)
    if flag is None:
        raise UsageError(f"unknown flag {name!r}{suggestion(word, _BY_NAME)}")
    if flag.takes_value:
        if not attached:
            if not queue or (queue[-1].startswith("-") and queue[-1] != "-"):
                raise UsageError(f"{name} needs a value: {name} {flag.metavar}")
            text = queue.pop()
        elif not word.startswith("--"):
            text = text.removeprefix("=")
    elif word.startswith("--") and attached:
        raise UsageError(f"{name} takes no value, and got {text!r}")
    elif attached:
        if text.startswith("-"):
            raise UsageError(f"unknown flag {word!r}")
        queue.append(f"-{text}")
    _store(options, flag, flag.value(text))


def _store(options: Options, flag: Flag, value: object) -> None:
    known = getattr(options, flag.attribute)
    if isinstance(known, list) and isinstance(value, list):
        known += value
    elif isinstance(known, dict) and isinstance(value, dict):
        for key, chosen in value.items():
            _add(flag.long, known, key, chosen)
    elif flag.long in options.given and known != value:
        raise UsageError(f"{flag.long} is given twice, with different values")
    else:
        setattr(options, flag.attribute, value)
    options.given.add(flag.long)


def _refuse_what_has_no_effect(options: Options) -> None:
    """A flag that would change nothing is a misunderstanding that somebody wants to know of."""
    for name in sorted(options.given):
        if options.command not in _BY_NAME[name].commands:
            raise UsageError(f"{name} has no effect on 'raylint {options.command}'")
    if options.command == "explain" and not options.arguments:
        raise UsageError("raylint explain needs a rule's id or name, or a text to search for")
    if options.command == "schema" and len(options.arguments) != 1:
        raise UsageError("raylint schema needs one kind, such as RayCluster, or config")
    if options.command == "completion" and options.arguments not in [[shell] for shell in SHELLS]:
        raise UsageError(f"raylint completion needs one of {', '.join(SHELLS)}")
    if options.command == "baseline":
        if not options.arguments or options.arguments[0] not in BASELINE_COMMANDS:
            wanted = ", ".join(BASELINE_COMMANDS)
            raise UsageError(
                f"raylint baseline needs one of {wanted}; to lint a folder of this name write ./baseline"
            )
        options.action = options.arguments.pop(0)
    if options.command == "config":
        _refuse_unclear_config(options.arguments)
    if options.command == "version" and options.arguments:
        raise UsageError(f"raylint {options.command} takes no argument, and got {options.arguments[0]!r}")
    given = options.given
    stdin = "-" in options.arguments
    if options.fix and stdin and len(options.arguments) > 1:
        raise UsageError("--fix writes the text of '-' to the standard output: give '-' alone")
    conflicts = (
        (stdin and options.command in _READING, {"--stdin-filename"}, "the standard input is not read: add '-'"),
        ("--no-gitignore" not in given or "--exclude" in given, {"--force-exclude"},
         "there is no --exclude, and --no-gitignore"),
        ("--exit-zero" not in given, {"--fail-on"}, "--exit-zero is given as well"),
        ("--quiet" not in given, {"--verbose"}, "--quiet is given as well"),
        ("--diff" not in given, {"--fix", "--fail-on", "--format", "--color", "--report"},
         "--diff is given as well"),
        (options.fix or options.diff, {"--unsafe-fixes"}, "there is no --fix, and no --diff"),
        (not (options.fix and stdin and options.format in MACHINE_FORMATS) or options.output, {"--format"},
         "the standard output takes the fixed text; write the report with --output"),
        ("--no-cache" not in given, {"--cache-dir"}, "--no-cache is given as well"),
        (not (options.fix or options.diff), {"--helm", "--kustomize"},
         "what is rendered cannot be fixed; its sources can, by hand"),
        (not options.diff_base, {"--helm", "--kustomize"}, "--diff-base is given, which compares files"),
        (set(options.arguments) or not {"--helm", "--kustomize"} & given,
         {"--exclude", "--force-exclude", "--no-gitignore"}, "no folder is searched"),
        ("--no-config" not in given, {"--config"}, "--no-config is given as well"),
        (options.format in ("auto", *formats_of(options.command)), {"--format"},
         f"raylint {options.command} knows the formats {_listed(formats_of(options.command))}"),
        (options.format not in MACHINE_FORMATS, {"--quiet"}, f"--format {options.format} has no closing line"),
        (options.format not in ("yaml", *MACHINE_FORMATS) or options.color != "always", {"--color"},
         f"--format {options.format} has no colours"),
        (not stdin, {"--diff-base"}, "git knows nothing of the standard input"),
        (set(options.arguments) != {"-"}, {"--exclude", "--force-exclude", "--no-gitignore"},
         "only the standard input is read"),
    )  # fmt: skip
    for effective, flags, reason in conflicts:
        if not effective and flags & given:
            raise UsageError(f"{min(flags & given)} has no effect: {reason}")


def _refuse_unclear_config(arguments: list[str]) -> None:
    if not arguments or arguments[0] not in CONFIG_COMMANDS:
        wanted = ", ".join(CONFIG_COMMANDS)
        raise UsageError(f"raylint config needs one of {wanted}; to lint a folder of this name write ./config")
    if len(arguments) > (2 if arguments[0] == "show" else 1):
        raise UsageError(f"raylint config {arguments[0]} takes no argument {arguments[-1]!r}")


def formats_of(command: str) -> tuple[str, ...]:
    """The formats that a command writes, ``auto`` left out."""
    return _FORMATS_OF.get(command, REPORT_FORMATS)


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def suggestion(word: str, known: Iterable[str]) -> str:
    """`` (did you mean ...?)`` where one of the known words is near, else nothing."""
    from difflib import get_close_matches

    names = list(known)
    near = [name for name in names if name.startswith(word)] or get_close_matches(word, names, 1)
    return f" (did you mean {near[0]}?)" if near else ""
