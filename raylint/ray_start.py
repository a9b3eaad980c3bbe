"""What ``ray start`` makes of the line that KubeRay writes for a group: the shell's part and the command's own.

The steps are those of a real start: bash splits the line into words (:mod:`raylint.shell`), click takes the
options apart and converts their values, then Ray checks them (:mod:`raylint.ray_start_checks`). Each step was
compared with Ray 2.9.3, 2.40.0, 2.51.1 and 2.60.0.
"""

from __future__ import annotations

from bisect import bisect_right

from raylint.ray_options import NEWEST, OLDEST, OPTIONS, complaint, convert, nearest
from raylint.shell import blank_separated, command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.shell import Command
    from raylint.start_command import StartCommand
    from raylint.target import Version

__all__ = ["Arguments", "Fault", "Line", "lost_quotes", "quoting", "shell_takes_quotes"]


# Values may be long, and may hold line breaks; messages do not.
_LONGEST = 160
# To look for a similar name costs a millisecond; nobody needs a hundred of them.
_MOST_SUGGESTIONS = 20


def _clipped(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."


class Fault:
    """Why Ray does not start, or what of a value is lost. ``kind`` is what rules pick by; ``options`` are the
    names of the options at fault as the manifest has them, the first one first; ``what`` follows their name in
    a sentence; ``log`` is Ray's or bash's own text. ``fatal`` is false where Ray starts all the same. ``meant`` is
    the option that was meant, where one is near."""

    __slots__ = ("fatal", "fix", "kind", "log", "meant", "options", "what")

    def __init__(
        self,
        kind: str,
        options: tuple[str, ...],
        what: str,
        *,
        fix: str,
        log: str = "",
        fatal: bool = True,
        meant: str = "",
    ) -> None:
        self.kind = kind
        self.meant = meant
        self.options = options
        self.what = _clipped(what)
        self.fix = fix
        self.log = _clipped(log)
        self.fatal = fatal


class Line:
    """The line of a group, and which option each part of it comes from. ``re_split``: the line comes out of an
    unquoted variable, so that its quotes stay."""

    def __init__(self, start: StartCommand, *, is_head: bool, re_split: bool = False) -> None:
        self.is_head = is_head
        self._starts: list[int] = []
        self._names: list[str] = []
        text = f"ray start {'--head ' if is_head else ''}"
        self.written: dict[str, str] = {}
        # The options that somebody wrote, as against those that KubeRay adds.
        self.own: set[str] = set()
        for name, field in start.options.items():
            self._starts.append(len(text))
            self._names.append(name)
            value = field.value or ""
            if "{{" in value:
                # What a template engine puts there is as unknown as a variable of the shell.
                text += f" --{name}=$TEMPLATE "
            elif name == "address" and not field:
                # KubeRay's own is an address whatever the cluster's name.
                text += " --address=head:6379 "
            else:
                text += start.word(name)
            self.written[name] = value
            if field:
                self.own.add(name)
        self.command: Command = blank_separated(text) if re_split else command(text)

    def option_at(self, offset: int) -> str:
        """The option whose part of the line the offset lies in."""
        index = bisect_right(self._starts, offset)
        return self._names[index - 1] if index else ""


class Arguments:
    """The options as the command sees them. ``values`` holds converted values by Ray's name of the option; a
    value that the line does not tell is missing there and its name in ``unknown``. ``owners`` says which of the
    manifest's options an option came from."""

    def __init__(self, line: Line, ray: Version) -> None:
        self.is_head = line.is_head
        self.ray = ray
        self.line = line
        self.values: dict[str, object] = {}
        self.unknown: set[str] = set()
        self.owners: dict[str, str] = {}
        self.faults: list[Fault] = []
        self._read()

    @property
    def starts_head(self) -> bool:
        """Does the line start a head, on whichever group it is?"""
        return self.is_head or self.has("head")

    def is_written(self, name: str) -> bool:
        """Is the option the manifest's own, not KubeRay's addition?"""
        owner = self.owners.get(name)
        return owner is not None and owner in self.line.own

    def owner(self, *names: str) -> tuple[str, ...]:
        return tuple(self.owners.get(name, name) for name in names)

    def has(self, name: str) -> bool:
        return name in self.values or name in self.unknown

    def number(self, name: str, default: int | None = None) -> int | None:
        """A converted whole number; None where it is not known."""
        value = self.values.get(name, None if name in self.unknown else default)
        return value if isinstance(value, int) else None

    def text(self, name: str) -> str | None:
        value = self.values.get(name)
        return value if isinstance(value, str) else None

    def _read(self) -> None:
        words = self.line.command.words[2:]
        raw: dict[str, tuple[str, bool]] = {}
        index = 0
        while index < len(words):
            word = words[index]
            index += 1
            owner = self.line.option_at(word.start)
            if not word.text.startswith("-") or word.text == "-":
                if word.known:
                    self._extra(owner, word.text)
                continue
            name, equals, value = word.text.partition("=")
            if not name.startswith("--"):
                if word.known and name.strip("-v"):
                    self._unknown(owner, name)
                continue
            name = name[2:]
            option = OPTIONS.get(name)
            if option is None or not option.is_known_to(self.ray):
                self._unknown(owner, name)
                continue
            self.owners[name] = owner
            if option.kind == "flag":
                if equals:
                    self._flag_with_value(owner, name)
                raw[name] = ("", word.known)
            elif equals:
                raw[name] = (value, word.known)
            elif index < len(words):
                raw[name] = (words[index].text, words[index].known)
                self._swallows(owner, name, words[index].text)
                index += 1
            else:
                self._no_value(owner, name)
        for name, (value, known) in raw.items():
            self._convert(name, value, known)

    def _convert(self, name: str, text: str, known: bool) -> None:
        if not known:
            self.unknown.add(name)
            return
        if OPTIONS[name].kind == "flag":
            self.values[name] = True
            return
        try:
            self.values[name] = convert(name, text)
        except ValueError:
            self.unknown.add(name)
            self._bad_value(name, text)

    def _bad_value(self, name: str, text: str) -> None:
        owner = self.owners[name]
        what, log = complaint(name, text)
        written = self.line.written.get(owner, "")
        if OPTIONS[name].kind == "json" and lost_quotes(written, text):
            self.faults.append(shell_takes_quotes(owner, written, text, log))
            return
        kind = "system-config" if name == "system-config" else "value"
        fix = _value_fix(name, text)
        self.faults.append(Fault(kind, (owner,), f"{text!r} {what}", fix=fix, log=log))

    def _unknown(self, owner: str, name: str) -> None:
        option = OPTIONS.get(name)
        meant = nearest(name, self.ray) if len(self.faults) < _MOST_SUGGESTIONS else ""
        release = ".".join(str(part) for part in self.ray[:2])
        certain = option is not None or bool(meant) or OLDEST <= self.ray[:2] <= NEWEST
        if not certain:
            return
        if name == "help":
            what = "makes ray start print its help and end"
        elif option is not None and option.since is not None and self.ray[:2] < option.since:
            what = f"is an option of Ray {option.since[0]}.{option.since[1]} and later, not of {release}"
        elif option is not None and option.until is not None:
            what = f"was removed after Ray {option.until[0]}.{option.until[1]}"
        else:
            what = "is no option of ray start"
        fix = f"write {meant} instead of {owner}" if meant else f"remove {owner}, Ray has no use for it"
        if option is not None and option.since is not None and self.ray[:2] < option.since:
            fix = f"remove it, or use Ray {option.since[0]}.{option.since[1]} or later"
            meant = ""
        log = f"No such option: --{name}"
        self.faults.append(Fault("unknown", (owner,), what, fix=fix, log=log, meant=meant))

    def _flag_with_value(self, owner: str, name: str) -> None:
        value = self.line.written.get(owner, "")
        self.faults.append(
            Fault(
                "switch",
                (owner,),
                f"takes no value, {value!r} is one",
                fix=f'write "true" to turn {name} on, or remove it: KubeRay makes a bare --{name} of true',
                log=f"Option '--{name}' does not take a value.",
            )
        )

    def _swallows(self, owner: str, name: str, following: str) -> None:
        self.faults.append(
            Fault(
                "switch",
                (owner,),
                f"needs a value, and KubeRay makes a bare --{name} of true: it swallows {following!r}",
                fix=f"give {name} its value, or remove it",
                fatal=False,
            )
        )

    def _no_value(self, owner: str, name: str) -> None:
        self.unknown.add(name)
        self.faults.append(
            Fault(
                "switch",
                (owner,),
                f"needs a value, and KubeRay makes a bare --{name} of true",
                fix=f"give {name} its value, or remove it",
                log=f"Option '--{name}' requires an argument.",
            )
        )

    def _extra(self, owner: str, word: str) -> None:
        if any(fault.kind == "shell" and fault.options == (owner,) for fault in self.faults):
            return
        self.faults.append(
            Fault(
                "shell",
                (owner,),
                f"is split at a blank by the shell, {word!r} is left over",
                fix=quoting(self.line.written.get(owner, "")),
                log=f"Got unexpected extra argument ({word})",
            )
        )


def _value_fix(name: str, text: str) -> str:
    if name in ("memory", "object-store-memory", "system-reserved-memory"):
        from raylint.quantity import parse_quantity

        quantity = parse_quantity(text.strip().removesuffix("B"))
        return f'write bytes: "{quantity.rounded_up}"' if quantity is not None else "write bytes as a whole number"
    if name in ("num-cpus", "num-gpus"):
        from raylint.quantity import parse_quantity

        quantity = parse_quantity(text.strip())
        whole = f': "{quantity.rounded_up}"' if quantity is not None and quantity.nanos >= 0 else ""
        return f"write a whole number{whole}, or leave it to the container's limit"
    if name == "system-config":
        return "write a JSON object in single quotes inside the YAML text"
    kind = OPTIONS[name].kind
    return {"bool": 'write "true" or "false"', "choice": "write one of them"}.get(kind, "write a whole number")


def lost_quotes(written: str, text: str) -> bool:
    """Did the shell take double quotes away that were needed? ``written`` reads as JSON, ``text`` does not."""
    return '"' in written and '"' not in text and written.lstrip().startswith(("{", "["))


def quoting(written: str) -> str:
    """How to protect a value from the shell."""
    if written.lstrip().startswith("{") and "'" not in written:
        return "wrap the JSON in single quotes inside the YAML text: \"'{...}'\""
    return "wrap the value in single quotes inside the YAML text: \"'...'\""


def shell_takes_quotes(owner: str, written: str, text: str, log: str) -> Fault:
    what = f"loses its double quotes to the shell, Ray sees {text!r}"
    return Fault("shell", (owner,), what, fix=quoting(written), log=log)
