"""The command line: arguments, a run, a report, an exit code.

Each command imports what it needs when it runs, so that ``raylint version`` does not pay for a YAML parser.
"""

from __future__ import annotations

import gc
import os
import sys
from itertools import chain

from raylint import output
from raylint.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, NoReturn

    from raylint.fixing import Fixing, Outcome
    from raylint.options import Options
    from raylint.policy import Policies
    from raylint.registry import Choice
    from raylint.report import Report
    from raylint.revision import Revision
    from raylint.rule import Rule
    from raylint.source import Source
    from raylint.target import Target

__all__ = ["color_wanted", "exit_code", "main", "program", "refuse_output"]

CLEAN = 0
FINDINGS = 1
WRONG_USAGE = 2
NOTHING_CHECKED = 3
FAULT = 4
# How the names of variables begin that stand for flags.
_VARIABLES = "RAYLINT_"
# What the shell reports of a program that Ctrl-C or a closed pipe ended.
INTERRUPTED = 130
BROKEN_PIPE = 141
# Found through the entry-point group raylint.commands; what they need comes with an extra of the same name.
EXTRA_COMMANDS = ("cluster", "webhook")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line (without the program's name; default: that of the process) and return the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _run(words)
    except UsageError as error:
        output.say(f"raylint: {_one_line(str(error))}")
        return WRONG_USAGE
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        output.abandon_stdout()
        return BROKEN_PIPE
    except Exception as error:
        _report_fault(error, debug="--debug" in words)
        return FAULT


# So many new objects wait for the search for cycles, instead of 700. The cycles of a file are a hundred objects,
# without its text and its nodes, so those that wait take less than 1 MiB.
GARBAGE = 3_000


def program() -> NoReturn:
    """The process ``raylint``: all output is flushed where it is written, so it leaves without taking the
    interpreter apart, which would cost a tenth of a short run. What starting makes stays: no cycles are looked for
    before there are sources to read."""
    from raylint.bytecode import use_bytecode

    gc.disable()
    use_bytecode()
    os._exit(main())


def _look_for_cycles() -> None:
    """From now on, and not among what is there already."""
    if not gc.isenabled():
        gc.freeze()
        gc.set_threshold(GARBAGE)
        gc.enable()


def _run(words: list[str]) -> int:
    from raylint.options import parse

    if words and words[0] in EXTRA_COMMANDS:
        return _run_extra(words[0], words[1:])
    options = parse(words)
    if options.help:
        from raylint.help import help_text

        output.write(help_text(options.command if options.names_command else ""))
        return CLEAN
    if options.version or options.command == "version":
        from raylint import __version__

        output.write(f"raylint {__version__}\n")
        return CLEAN
    if any(name.startswith(_VARIABLES) for name in os.environ):
        from raylint.config import environ

        environ.apply(options, os.environ)
    if options.command in _OF_NO_FILES:
        refuse_output(options)
        return _OF_NO_FILES[options.command](options)
    from raylint.policy import Policies

    if options.command == "schema" and options.arguments == ["config"]:
        # Whoever wants to mend a configuration may ask how it should be.
        options.no_config = True
    policies = Policies(options)
    refuse_output(policies.settings)
    commands = {
        "baseline": _baseline,
        "check": _check,
        "config": _config,
        "effective": _effective,
        "schema": _schema,
    }
    return commands[options.command](policies)


def refuse_output(options: Options) -> None:
    files = [file for file in (options.output, *options.report.values()) if file]
    taken: set[str] = set()
    for file in files:
        real = output.real_path(file)
        if real in taken:
            raise UsageError(f"two reports go to {file!r}")
        taken.add(real)
        output.refuse_unwritable(file)
        output.refuse_to_replace(file, _inputs(options))


def _run_extra(command: str, words: list[str]) -> int:
    """A command of a package that is installed beside this one, which reads the words that follow by itself."""
    from raylint.packs import find_entry_points, imported

    for entry_point in find_entry_points("raylint.commands"):
        if entry_point.name == command:
            _look_for_cycles()
            run: Any = imported(entry_point)
            return int(run(words))
    raise UsageError(
        f"'raylint {command}' is not installed; install raylint again (in a clone: `pip install -e .`)"
    )


def _inputs(options: Options) -> list[str]:
    """What the command line names to be read."""
    read = options.command in ("check", "effective", "baseline")
    return [*options.crd, *options.values, *(options.paths if read else ())]


def _check(policies: Policies) -> int:
    from raylint.options import MACHINE_FORMATS
    from raylint.report import pieces, writer
    from raylint.run import run

    options = policies.settings
    _refuse_misspelt_command(options)
    default = policies.default
    _refuse_to_check_nothing(default.choice, options, default.target)
    passed_over: list[tuple[str, str]] = []
    sources = _sources(options, passed_over)
    cache = None
    if options.cache_dir:
        from raylint.result_cache import ResultCache, usable

        if usable(policies):
            sources = list(sources)
            cache = ResultCache(policies, sources, [color_wanted(options)])
            known = cache.answer()
            if known is not None:
                output.write(known[0], options.output, utf8=options.format in MACHINE_FORMATS)
                return known[1]
    report, inspection = run(
        default.choice,
        default.target,
        sources,
        policies=policies,
        processes=_processes(options),
        verbose=options.verbose,
        debug=options.debug,
        fixing=_fixing(options),
        base=_revision(options),
        watch=_watch(options),
        write=writer(options.format, color=color_wanted(options)),
    )
    if options.baseline:
        from raylint.baseline_command import accept

        report = accept(report, policies)
    text = pieces(
        report,
        options.format,
        color=color_wanted(options),
        quiet=options.quiet,
        written=inspection.written,
    )
    if cache is not None:
        text = ["".join(text)]
        cache.keep(text[0], exit_code(report, policies))
    if inspection.outcome is None:
        output.write(text, options.output, utf8=options.format in MACHINE_FORMATS)
    else:
        _write_fixed(inspection.outcome, report, text, options)
    for format, file in options.report.items():
        output.write(pieces(report, format, quiet=options.quiet), file)
    # Where the standard output is a diff or a manifest, annotations would be part of it.
    taken = options.diff or (options.fix and "-" in options.arguments)
    if options.format == "auto" and not taken and os.environ.get("GITHUB_ACTIONS") == "true":
        _annotate(report)
    if options.verbose:
        left_out = sorted(passed_over + inspection.passed_over)
        _say_what_was_left_out(left_out, default.choice.rules, default.target)
    if inspection.outcome is not None and inspection.outcome.unwritten:
        return WRONG_USAGE
    return exit_code(report, policies)


def _annotate(report: Report) -> None:
    """In a job of GitHub Actions: annotations on the change, and a table in the summary of the step."""
    from raylint.report import pieces
    from raylint.report.folders import Folders
    from raylint.report.github import step_summary

    output.write(pieces(report, "github"), utf8=True)
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        output.append(step_summary(report, Folders(os.environ)), summary)


def _watch(options: Options) -> Callable[[Iterable[Source]], Iterable[Source]] | None:
    """What tells on a terminal how far a run has come."""
    if options.quiet or sys.stderr is None or not sys.stderr.isatty():
        return None
    from raylint.progress import progress

    return progress


def _revision(options: Options) -> Revision | None:
    if not options.diff_base:
        return None
    from raylint.revision import Revision

    return Revision(options.diff_base)


def _baseline(policies: Policies) -> int:
    from raylint.baseline_command import baseline

    options = policies.settings
    _refuse_to_check_nothing(policies.default.choice, options, policies.default.target)
    up_to_date = baseline(policies, _sources(options, []), _processes(options))
    return CLEAN if up_to_date else FINDINGS


def _fixing(options: Options) -> Fixing | None:
    if not (options.fix or options.diff):
        return None
    from raylint.fixing import Fixing

    return Fixing(unsafe=options.unsafe_fixes, writes=options.fix)


def _write_fixed(outcome: Outcome, report: Report, text: Iterable[str], options: Options) -> None:
    """The report, or in its place what the fixes make of the files."""
    from raylint.options import MACHINE_FORMATS
    from raylint.report.terminal import printable
    from raylint.report.text import would_fix

    if options.diff:
        output.write(outcome.diffs, options.output, utf8=True)
        if not options.quiet:
            output.say(f"raylint: {would_fix(report)}")
    elif "-" not in options.arguments or options.output:
        output.write(text, options.output, utf8=options.format in MACHINE_FORMATS)
    else:
        output.say("".join(text).rstrip("\n"))
    if options.fix and outcome.text is not None:
        output.write_bytes(outcome.text)
    for note in outcome.notes:
        output.say(f"raylint: {printable(note)}")


def _sources(options: Options, passed_over: list[tuple[str, str]]) -> Iterable[Source]:
    """What is to be read: files, and what a chart or a kustomization is rendered to."""
    from raylint.selection import Selection

    _look_for_cycles()
    named = {"--helm", "--kustomize"} & options.given
    # A configuration's charts are part of a run over everything, not of one over single files.
    wanted = bool(named) or not (options.arguments or options.fix or options.diff or options.diff_base)
    renderings: list[Source] = []
    if (options.helm or options.kustomize) and wanted:
        from raylint.rendering import rendered

        renderings += rendered(options)
    lost = sorted({"--values", "--set", "--variant"} & options.given)
    if lost and not (options.helm and wanted):
        raise UsageError(f"{lost[0]} has no effect: no chart is rendered, name one with --helm")
    selection = Selection(
        options.paths,
        rendered=[os.path.join(chart, "templates") for chart in (options.helm if wanted else ())],
        exclude=options.exclude,
        exclude_base=options.exclude_base,
        force_exclude=options.force_exclude,
        gitignore=not options.no_gitignore,
        stdin_name=options.stdin_filename,
        output=options.output,
        passed_over=lambda name, reason: passed_over.append((name, reason)) if options.verbose else None,
    )
    return chain(selection, renderings)


def _effective(policies: Policies) -> int:
    from raylint.effective_command import render, run
    from raylint.policy import target_of

    options = policies.settings
    data, complete = run(_sources(options, []), target_of(options))
    text = render(data, options.format, color=color_wanted(options))
    output.write(text, options.output, utf8=options.format in ("json", "yaml"))
    if not data["objects"]:
        output.say("raylint: there is no Ray object in what was read")
    return CLEAN if complete else FINDINGS


def exit_code(report: Report, policies: Policies) -> int:
    from raylint.remarks import RULE_CRASHED

    options = policies.settings
    if any(finding.rule_id == RULE_CRASHED for finding in report.findings):
        output.say(f"raylint: a rule crashed: please report what {RULE_CRASHED} says")
        return FAULT
    if options.require_objects and not report.coverage.ray_objects:
        output.say("raylint: no Ray object was checked, and --require-objects asks for one")
        return NOTHING_CHECKED
    if options.diff:
        return FINDINGS if report.coverage.fixed_files and not options.exit_zero else CLEAN
    if not options.exit_zero and any(policies.fails(finding) for finding in report.findings):
        return FINDINGS
    return CLEAN


def _say_what_was_left_out(passed_over: list[tuple[str, str]], rules: Sequence[Rule], target: Target) -> None:
    from raylint.report.terminal import printable

    for name, reason in passed_over:
        output.say(f"raylint: passed over {printable(name)}: {printable(reason)}")
    for rule in rules:
        if target.kuberay not in rule.kuberay:
            output.say(f"raylint: left out {rule.id} ({rule.name}): it is for KubeRay {rule.kuberay}")
        elif target.ray is not None and target.ray not in rule.ray:
            output.say(f"raylint: left out {rule.id} ({rule.name}): it is for Ray {rule.ray}")


def _explain(options: Options) -> int:
    from raylint.operator_checks import why_without_rule
    from raylint.packs import installed_rules
    from raylint.pages import called, page
    from raylint.registry import catalogue
    from raylint.report.catalogue import catalogue_text
    from raylint.report.terminal import Paint

    wanted = " ".join(options.arguments)
    rules = catalogue(installed_rules())
    if not called(rules, wanted):
        rules = (*rules, *_own_rules(options))
    found, guessed = _meant(rules, wanted)
    color = color_wanted(options)
    why = why_without_rule(wanted)
    if not (found or why):
        raise UsageError(f"no rule is called {wanted!r} or speaks of it; 'raylint rules' lists them")
    if why:
        text = f"{wanted} is a check of KubeRay without a rule: {why}.\n"
    elif len(found) == 1 and not guessed:
        text = page(found[0], color=color)
    else:
        head = "no rule is called so, and no known message is like it; pages with some of these words:\n\n"
        text = catalogue_text(found, Paint(color)) + "\n'raylint explain ID' shows one rule's page\n"
        text = head * guessed + text
    output.write(text, options.output)
    return CLEAN


def _meant(rules: Sequence[Rule], wanted: str) -> tuple[list[Rule], bool]:
    """The rules of this name; else those that explain such a message; else, as a guess, those whose pages speak of
    it."""
    from raylint.messages import explaining, known_messages
    from raylint.packs import find_entry_points
    from raylint.pages import called, find

    named = called(rules, wanted)
    if named:
        return named, False
    packs = [entry_point.value.partition(":")[0].strip() for entry_point in find_entry_points()]
    by_id = {rule.id: rule for rule in rules}
    explained = explaining(wanted, known_messages(packs))
    sure = [by_id[id] for id in explained if id in by_id]
    return (sure, False) if sure else (find(rules, wanted), True)


def _rules(options: Options) -> int:
    from raylint.packs import installed_rules
    from raylint.registry import catalogue, matching
    from raylint.report.catalogue import catalogue_json, catalogue_text
    from raylint.report.terminal import Paint

    rules = (*catalogue(installed_rules()), *_own_rules(options))
    families = [*options.select, *options.arguments]
    if families:
        named = {rule.id for family in families for rule in matching(rules, family)}
        rules = tuple(rule for rule in rules if rule.id in named)
    as_json = options.format == "json"
    text = catalogue_json(rules) if as_json else catalogue_text(rules, Paint(color_wanted(options)))
    output.write(text, options.output, utf8=as_json)
    return CLEAN


def _own_rules(options: Options) -> Sequence[Rule]:
    """The rules that the configuration of the working directory writes itself."""
    from raylint.policy import Policies

    return tuple(Policies(options).settings.cel_rules.values())


def _completion(options: Options) -> int:
    from raylint.completion import completion

    output.write(completion(options.arguments[0], EXTRA_COMMANDS), options.output, utf8=True)
    return CLEAN


# The commands that no configuration concerns.
_OF_NO_FILES = {"completion": _completion, "explain": _explain, "rules": _rules}


def _schema(policies: Policies) -> int:
    options = policies.settings
    if options.arguments[0] == "config":
        from raylint.config.schema import config_schema_text

        text = config_schema_text()
    else:
        from raylint.editor_schema import editor_schema_text
        from raylint.policy import target_of
        from raylint.schema import bundled_schema

        target = target_of(options)
        text = editor_schema_text(target.schema or bundled_schema(target.kuberay_line), options.arguments[0])
    output.write(text, options.output, utf8=True)
    return CLEAN


def _config(policies: Policies) -> int:
    from raylint.config import command

    what, *rest = policies.settings.arguments
    if what == "init":
        output.say(f"raylint: {command.init(policies.settings.kuberay)}")
    elif what == "show":
        output.write(command.show(policies, *rest))
    else:
        output.write(command.validate(policies))
    return CLEAN


def _refuse_to_check_nothing(choice: Choice, options: Options, target: Target) -> None:
    """A run without a rule passes everything: that is nobody's wish. raylint's own remarks are no rules here,
    unless they are what was selected."""
    from raylint.remarks import REMARKS

    if any(selector.upper().startswith("RL") for selector in options.select):
        return
    rules = [rule for rule in choice.rules if rule not in REMARKS]
    if not rules:
        raise UsageError("no rule is left to run: --ignore takes away what --select picks")
    if not target.auto and not any(target.kuberay in rule.kuberay for rule in rules):
        raise UsageError(f"no rule is left to run: {rules[0].id} is for KubeRay {rules[0].kuberay}")


def color_wanted(options: Options) -> bool:
    return output.wants_color(options.color, os.environ, to_file=bool(options.output))


def _processes(options: Options) -> int:
    if options.jobs:
        return options.jobs
    from raylint.workers import cores

    return cores()


def _refuse_misspelt_command(options: Options) -> None:
    """``raylint explan RAY101`` means a command, not a file that is missing."""
    first = options.paths[0] if options.paths else ""
    if first.isalpha() and not os.path.lexists(first):
        from raylint.options import COMMANDS, suggestion

        known = (*COMMANDS, *EXTRA_COMMANDS)
        raise UsageError(f"no such file or folder: {first!r}{suggestion(first, known)}")


def _report_fault(error: Exception, *, debug: bool) -> None:
    from raylint.workers import WorkerError

    if isinstance(error, WorkerError):
        headline, _, trace = str(error).partition("\n")
    else:
        import traceback

        headline = f"{type(error).__name__}: {error}".splitlines()[0]
        trace = traceback.format_exc()
    if not trace:
        output.say(f"raylint: {headline}")
    elif debug:
        output.say(f"{trace.rstrip()}\nraylint: internal fault, please report it")
    else:
        output.say(f"raylint: internal fault: {_one_line(headline)}; please report it, with what --debug shows")


def _one_line(text: str) -> str:
    from raylint.report.terminal import printable

    return printable(text)
