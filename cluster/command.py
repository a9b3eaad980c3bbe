"""``raylint cluster``: the objects that live in a cluster, judged as files are."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from raylint import output
from raylint.cli import color_wanted, exit_code, refuse_output
from raylint.config import environ
from raylint.errors import UsageError
from raylint.live import LiveAudit
from raylint.options import FLAGS, MACHINE_FORMATS, Options, parse
from raylint.policy import Policies
from raylint.report import pieces
from raylint.report.terminal import printable

if TYPE_CHECKING:
    from .api import Cluster

__all__ = ["main"]

EXTRA = "raylint[cluster]"
INCOMPLETE = 2
_VARIABLES = "RAYLINT_"
# Flags of `check` that are about files, and about what is kept in files between runs.
_ABOUT_FILES = frozenset(
    ("--exclude", "--force-exclude", "--no-gitignore", "--stdin-filename", "--jobs", "--fix", "--diff")
) | {"--unsafe-fixes", "--baseline", "--diff-base", "--cache-dir", "--no-cache"}

HELP = """\
usage: raylint cluster [options]

Judge the Ray objects that live in a cluster. Nothing is written to it: the verb `list` on the resources of
ray.io is all that is needed. What a RayJob, RayService or RayCronJob made of itself is left out; its parent is
judged.

the cluster:
  --kubeconfig FILE       default: $KUBECONFIG, ~/.kube/config, or in a pod its service account
  --context NAME          default: the current one
  -n, --namespace NAME    only this one (repeat, or with commas); default: all
  --with-children         judge what parents made of themselves, too
  --allow-partial         exit as if all had been read where some of it could not be
  --timeout SECONDS       for each call (default: 30)
  --page N                objects in one answer (default: 100)

and these of `raylint check`, see there:
  {flags}

exit codes: 0 no finding that counts, 1 findings, 2 wrong usage, or not all could be read, 3 no Ray object where
--require-objects asks for one, 4 a fault of raylint
"""


class _Wanted:
    """The flags that `check` does not have."""

    def __init__(self) -> None:
        self.kubeconfig = ""
        self.context = ""
        self.namespaces: list[str] = []
        self.with_children = False
        self.allow_partial = False
        self.timeout = 30.0
        self.page = 100

    def take(self, words: Sequence[str]) -> list[str]:
        """The words that are left. UsageError: a value is missing or none."""
        rest: list[str] = []
        stream = iter(words)
        for word in stream:
            flag, equals, text = word.partition("=")
            if flag in ("--with-children", "--allow-partial") and not equals:
                setattr(self, flag.lstrip("-").replace("-", "_"), True)
            elif flag in ("--kubeconfig", "--context", "-n", "--namespace", "--timeout", "--page"):
                self._set(flag, text if equals else next(stream, ""))
            else:
                rest.append(word)
        return rest

    def _set(self, flag: str, text: str) -> None:
        if not text:
            raise UsageError(f"{flag} needs a value that is not empty")
        if flag in ("-n", "--namespace"):
            self.namespaces += [name for name in text.split(",") if name not in ("", *self.namespaces)]
        elif flag in ("--kubeconfig", "--context"):
            setattr(self, flag.lstrip("-"), text)
        elif not (text.isascii() and text.isdecimal() and 1 <= int(text) <= 3600):
            raise UsageError(f"{flag} wants a whole number from 1 to 3600, and got {text!r}")
        elif flag == "--page":
            self.page = int(text)
        else:
            self.timeout = float(text)


def main(words: Sequence[str]) -> int:
    """Run the words that follow ``raylint cluster``; the exit code. UsageError: something is missing or wrong."""
    wanted = _Wanted()
    options = _options(wanted.take(words))
    if options.help:
        output.write(HELP.format(flags=_flags()))
        return 0
    policies = Policies(options)
    refuse_output(policies.settings)
    try:
        from .api import Cluster, ClusterError
    except ModuleNotFoundError as error:
        raise UsageError(
            f"raylint cluster needs '{error.name}', which is not installed: pip install '{EXTRA}'"
        ) from None
    try:
        cluster = Cluster(wanted.kubeconfig, wanted.context, timeout=wanted.timeout, page=wanted.page)
        served = cluster.served()
    except ClusterError as error:
        raise UsageError(str(error)) from None
    audit = LiveAudit(policies, with_children=wanted.with_children, debug=options.debug)
    faults = list(_audit(cluster, served, wanted.namespaces or [""], audit))
    return _tell(audit, faults, policies, allow_partial=wanted.allow_partial)


def _options(words: Sequence[str]) -> Options:
    options = parse(["check", *words])
    if options.arguments:
        raise UsageError(f"raylint cluster takes no files, and got {options.arguments[0]!r}")
    for flag in sorted(options.given):
        if flag in _ABOUT_FILES:
            raise UsageError(f"{flag} is for files, and raylint cluster reads none")
    if any(name.startswith(_VARIABLES) for name in os.environ):
        environ.apply(options, os.environ)
    return options


def _flags() -> str:
    known = [flag.long for flag in FLAGS if "check" in flag.commands and flag.long not in _ABOUT_FILES]
    lines = [" ".join(known[start : start + 6]) for start in range(0, len(known), 6)]
    return "\n  ".join(lines)


def _audit(cluster: Cluster, served: dict[str, str], namespaces: list[str], audit: LiveAudit) -> Iterator[str]:
    """Judge everything; what could not be read, in words for people."""
    for plural, version in served.items():
        for namespace in namespaces:
            yield from _audit_list(cluster, plural, version, namespace, audit)


def _audit_list(cluster: Cluster, plural: str, version: str, namespace: str, audit: LiveAudit) -> Iterator[str]:
    from .api import ClusterError

    try:
        for item in cluster.objects(plural, version, namespace):
            audit.judge(item)
    except ClusterError as error:
        where = f"in namespace {namespace}" if namespace else "in all namespaces"
        hint = "" if namespace or not error.forbidden else "; --namespace asks for less"
        yield f"{plural} {where} cannot be read: {error}{hint}"


def _tell(audit: LiveAudit, faults: list[str], policies: Policies, *, allow_partial: bool) -> int:
    options = policies.settings
    report = audit.report()
    text = pieces(report, options.format, color=color_wanted(options), quiet=options.quiet)
    output.write(text, options.output, utf8=options.format in MACHINE_FORMATS)
    for format, file in options.report.items():
        output.write(pieces(report, format, quiet=options.quiet), file)
    if audit.children and options.verbose:
        output.say(f"raylint: {audit.children} objects that parents made of themselves are left out")
    for fault in faults:
        output.say(f"raylint: {printable(fault)}")
    code = exit_code(report, policies)
    if faults and not allow_partial and code < INCOMPLETE:
        return INCOMPLETE
    return code
