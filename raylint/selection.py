"""What a run reads: files, folders and the standard input, each file once and in an order that never changes."""

from __future__ import annotations

import os
import stat

from raylint.errors import UsageError
from raylint.source import Source, UnreadableError, failure, load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from raylint.gitignore import IgnoreRules

__all__ = ["Selection"]

_SUFFIXES = (".yaml", ".yml", ".json")
_VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", "CVS", "_darcs"})


class Selection:
    """The files that a command line names, as an iterator of sources.

    What is given by name is always read, whatever its ending; in folders, the manifests (``*.yaml``, ``*.yml``,
    ``*.json``) that neither a ``.gitignore`` nor ``--exclude`` leaves out. Links are followed after everything
    that is really there, and no folder twice. ``passed_over(name, reason)`` is told what is left out.
    ``exclude_base``: the folder that the patterns of ``exclude`` are relative to.
    ``rendered``: folders of templates whose outcome is read instead.
    ``output``: the file that the run will write; an older one of raylint's is left out. UsageError: a path does
    not exist, or the output would replace a file that is to be read.
    """

    def __init__(
        self,
        paths: Sequence[str],
        *,
        exclude: Sequence[str] = (),
        exclude_base: str = "",
        force_exclude: bool = False,
        gitignore: bool = True,
        stdin_name: str = "<stdin>",
        output: str = "",
        rendered: Sequence[str] = (),
        passed_over: Callable[[str, str], None] = lambda name, reason: None,
    ) -> None:
        self._paths = paths
        self._exclusions = Exclusions(exclude, exclude_base)
        self._force_exclude = force_exclude
        self._gitignore = gitignore
        self._stdin_name = stdin_name
        self._passed_over = passed_over
        self._output = output
        self._rendered = {os.path.realpath(folder) for folder in rendered}
        # The real path of the output, if there is such a file already.
        self._replaced = ""
        # Real paths: of files that were named or linked to, of folders that were walked, and of manifests in
        # these that were left out. With them no list of all files is needed to read each one once.
        self._named: set[str] = set()
        self._walked: set[str] = set()
        # Real paths of the folders that were named.
        self._roots: set[str] = set()
        self._left_out: set[str] = set()

    def __iter__(self) -> Iterator[Source]:
        if any(typed != "-" for typed in self._paths):
            _refuse_lost_directory()
        if os.path.isfile(self._output):
            self._replaced = os.path.realpath(self._output)
        files = []
        folders = []
        for typed in dict.fromkeys(self._paths):
            path = None if typed == "-" else _tidy(typed)
            mode, fault = (0, "") if path is None else _look(path, typed)
            if path is not None and stat.S_ISDIR(mode):
                folders.append(path)
            else:
                files.append((path, fault))
        if self._exclusions and not folders and not self._force_exclude:
            raise UsageError("--exclude has no effect on files given by name: add --force-exclude")
        for path, fault in files:
            if path is None:
                yield Source(self._stdin_name, None)
            elif not (self._force_exclude and self._refused(path)) and self._first_time(path):
                yield Source(_shown(path) or ".", path, fault)
        yield from self._walk(folders)

    def _first_time(self, path: str) -> bool:
        real = os.path.realpath(path)
        if real in self._named:
            return False
        self._named.add(real)
        return True

    def _refused(self, path: str) -> bool:
        """Is a path that was given by name left out all the same (``--force-exclude``)?"""
        relative = _relative(path)
        reason = self._exclusions.reason(relative, False) or (self._gitignore and _ignored_below(path, relative))
        if reason:
            self._passed_over(_shown(path), reason if isinstance(reason, str) else _GITIGNORE)
        return bool(reason)

    def _walk(self, folders: Sequence[str]) -> Iterator[Source]:
        links: list[str] = []
        self._roots = {os.path.realpath(path or ".") for path in folders}
        # A list instead of a recursion: a tree may be deeper than Python's stack.
        pending = [
            Folder(path, self._rules(path))
            for path in reversed(folders)
            if not (self._force_exclude and self._refused_folder(path))
        ]
        while pending or links:
            while pending:
                folder = pending.pop()
                if folder.real not in self._walked:
                    self._walked.add(folder.real)
                    yield from self._list(folder, pending, links)
            waiting, links = links, []
            for path in waiting:
                yield from self._follow(path, pending)

    def _refused_folder(self, path: str) -> bool:
        reason = self._exclusions.reason(_relative(path), True)
        if reason:
            self._passed_over(_shown(path), reason)
        return bool(reason)

    def _rules(self, path: str) -> IgnoreRules | None:
        return _ignore_rules(path or ".") if self._gitignore else None

    def _list(self, folder: Folder, pending: list[Folder], links: list[str]) -> Iterator[Source]:
        """The manifests right in a folder; its own folders and links are left for later."""
        try:
            with os.scandir(folder.path or ".") as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError as error:
            yield Source(_shown(folder.path) or ".", folder.path, failure(error))
            return
        folders = []
        is_outside = self._is_outside(folder.real)
        for entry in entries:
            path = f"{folder.prefix}{entry.name}"
            is_folder = entry.is_dir(follow_symlinks=False)
            if not (is_folder or entry.is_symlink() or entry.name.endswith(_SUFFIXES)):
                continue
            if is_folder and entry.name in _VERSION_CONTROL:
                continue
            reason = self._exclusions and self._exclusions.reason(folder.below(entry.name), is_folder)
            if not reason and folder.rules and folder.rules.ignored(entry.name, is_folder):
                reason = _GITIGNORE
            if (
                not reason
                and is_folder
                and self._rendered
                and os.path.join(folder.real, entry.name) in self._rendered
            ):
                reason = "its chart is rendered"
            if reason:
                self._passed_over(_shown(path), reason)
                self._left_out.add(os.path.join(folder.real, entry.name))
            elif is_folder:
                folders.append(folder.sub(entry.name))
            elif entry.is_symlink():
                links.append(path)
            elif self._replaced and os.path.join(folder.real, entry.name) == self._replaced:
                self._leave_output_out(path)
            elif not self._named or os.path.join(folder.real, entry.name) not in self._named:
                yield Source(_shown(path), path, is_outside=is_outside)
        pending += reversed(folders)

    def _follow(self, path: str, pending: list[Folder]) -> Iterator[Source]:
        try:
            mode = os.stat(path).st_mode
        except OSError:
            self._passed_over(_shown(path), "the link leads nowhere")
            return
        if stat.S_ISDIR(mode):
            pending.append(Folder(path, self._rules(path)))
        elif path.endswith(_SUFFIXES):
            real = os.path.realpath(path)
            walked = os.path.dirname(real) in self._walked and real.endswith(_SUFFIXES)
            if self._replaced == real:
                self._leave_output_out(path)
            elif not (walked and real not in self._left_out) and self._first_time(path):
                yield Source(_shown(path), path, is_outside=self._is_outside(real))

    def _is_outside(self, real: str) -> bool:
        """Is a real path in none of the folders that were named?"""
        return not any(real == root or real.startswith(os.path.join(root, "")) for root in self._roots)

    def _leave_output_out(self, path: str) -> None:
        """Pass over the output of an earlier run. UsageError: the file is none, and would be lost."""
        try:
            content = load(path, lambda _: True)
        except UnreadableError as fault:
            raise UsageError(f"cannot write to {self._output!r}: it is to be read, and {fault}") from fault
        if content and not content.startswith(_EFFECTIVE_YAML):
            raise UsageError(f"cannot write to {self._output!r}: it is one of the files to read")
        self._passed_over(_shown(path), "the output goes there")


class Folder:
    """A folder that waits for the walk, with what git ignores in it. ``real``: its real path, ``relative``: the
    path from the working directory."""

    __slots__ = ("path", "prefix", "real", "relative", "rules")

    def __init__(self, path: str, rules: IgnoreRules | None, real: str = "", relative: str | None = None) -> None:
        self.path = path
        self.prefix = path if not path or path.endswith(os.sep) else path + os.sep
        self.rules = rules
        self.real = real or os.path.realpath(path or ".")
        self.relative = _relative(path) if relative is None else relative

    def below(self, name: str) -> str:
        return f"{self.relative}/{name}" if self.relative else name

    def sub(self, name: str) -> Folder:
        """A folder in this one, which is no link: its real path need not be asked for."""
        rules = self.rules and self.rules.enter(os.path.join(self.rules.directory, name))
        return Folder(self.prefix + name, rules, os.path.join(self.real, name), self.below(name))


class Exclusions:
    """What ``--exclude`` leaves out: patterns as in a ``.gitignore`` of the folder ``base``, which is the working
    directory unless it is named."""

    __slots__ = ("_base", "_patterns")

    def __init__(self, globs: Sequence[str], base: str = "") -> None:
        self._base = base
        self._patterns = []
        if globs:
            from raylint.gitignore import Pattern

            # The last pattern that matches decides, as in a .gitignore.
            self._patterns = [(glob, Pattern(os.fsencode(_from_base(glob)))) for glob in reversed(globs)]

    def __bool__(self) -> bool:
        return bool(self._patterns)

    def reason(self, path: str, is_folder: bool) -> str:
        """Why the path (relative to the working directory, with ``/``) or a folder above it is left out."""
        if self._base:
            path = os.path.relpath(path or ".", self._base).replace(os.sep, "/")
        encoded = os.fsencode(path)
        parts = encoded.split(b"/")
        for depth, name in enumerate(parts, 1):
            above = b"/".join(parts[:depth])
            for glob, pattern in self._patterns:
                if pattern.matches(name, above, is_folder or depth < len(parts)):
                    if pattern.negated:
                        break
                    return f"--exclude {glob}"
        return ""


def _from_base(glob: str) -> str:
    """A shell completes ``./jobs``, which matches nothing in a ``.gitignore``: there it is ``/jobs``."""
    negation = "!" if glob.startswith("!") else ""
    path = glob[len(negation) :]
    return negation + path[1:] if path.startswith("./") else glob


_GITIGNORE = "git ignores it"
# How `raylint effective --format yaml` begins.
_EFFECTIVE_YAML = b"version: raylint-effective/"


def _refuse_lost_directory() -> None:
    try:
        os.getcwd()
    except OSError as error:
        raise UsageError(f"the working directory cannot be told: {failure(error)}") from error


def _look(path: str, typed: str) -> tuple[int, str]:
    """The mode of a path that was given by name, and why it cannot be read."""
    try:
        return os.stat(path or (typed and ".")).st_mode, ""
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(f"no such file or folder: {typed!r}") from None
    except OSError as error:
        return 0, failure(error)


def _ignored_below(path: str, relative: str) -> bool:
    """Does git ignore the file, or a folder between the working directory and it?"""
    if relative.startswith("../") or os.path.isabs(relative):
        folder, name = os.path.split(os.path.abspath(path))
        return _ignore_rules(folder).ignored(name, False)
    rules = _ignore_rules(".")
    *folders, name = relative.split("/")
    for folder in folders:
        if rules.ignored(folder, True):
            return True
        rules = rules.enter(os.path.join(rules.directory, folder))
    return rules.ignored(name, False)


def _ignore_rules(folder: str) -> IgnoreRules:
    from raylint.gitignore import IgnoreRules  # a file alone is not looked for

    return IgnoreRules.for_directory(folder)


def _relative(path: str) -> str:
    """The path from the working directory, with ``/``; ``""`` for the working directory itself."""
    try:
        relative = os.path.relpath(path or ".")
    except ValueError:  # another drive
        relative = os.path.abspath(path)
    return "" if relative == os.curdir else _shown(relative)


def _tidy(typed: str) -> str:
    """A path as it was typed, without ``./`` in front and slashes at the end; ``""`` is the working directory."""
    path = typed.replace(os.altsep, os.sep) if os.altsep else typed
    parts = [part for part in path.split(os.sep) if part not in ("", os.curdir)]
    tidy = os.sep.join(parts)
    return os.sep + tidy if path.startswith(os.sep) else tidy


def _shown(path: str) -> str:
    return path if os.sep == "/" else path.replace(os.sep, "/")
