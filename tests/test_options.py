from __future__ import annotations

import argparse
import random
import re
from typing import Any, NoReturn

import pytest

from raylint import options
from raylint.errors import UsageError
from raylint.help import help_text
from raylint.options import COMMANDS, FLAGS, FORMATS, GROUPS, Options, parse
from raylint.target import KUBERAY_RELEASES, NEWEST_KUBERAY

GOOD_VALUES = {
    "--select": ["RAY101", "RAY1,KR"],
    "--ignore": ["RAY2"],
    "--severity": ["RAY101=error", "KR=info,RAY2=warning"],
    "--extend-select": ["RAY101", "RAY1,KR"],
    "--profile": ["production"],
    "--baseline": ["base.json"],
    "--cache-dir": ["cache"],
    "--diff-base": ["main"],
    "--min-confidence": ["medium"],
    "--kuberay": ["1.5", "v1.6.2"],
    "--config": ["team.yaml"],
    "--crd": ["crds.yaml"],
    "--feature-gates": ["RayCronJob=true", "RayClusterMTLS=false,RayCronJob=true"],
    "--ray": ["auto", "2.43", "2.9.0"],
    "--kubernetes": ["auto", "1.28", "v1.33.1"],
    "--helm": ["charts/a"],
    "--values": ["a.yaml,b.yaml", "c.yaml"],
    "--set": ["a=b", "c.d={1,2}"],
    "--variant": ["prod.yaml,eu.yaml"],
    "--kustomize": ["overlays/prod"],
    "--exclude": ["dev/**", "a,b"],
    "--stdin-filename": ["x.yaml", "-"],
    "--jobs": ["4", "0", "auto"],
    "--format": ["json", "concise"],
    "--output": ["out.txt", "-"],
    "--report": ["sarif=out.sarif", "junit=a=b.xml"],
    "--fail-on": ["info"],
    "--color": ["never"],
}


class Oracle(argparse.ArgumentParser):
    """The same table, read by argparse."""

    def __init__(self) -> None:
        super().__init__(allow_abbrev=False, add_help=False)
        for flag in FLAGS:
            if flag.takes_value:
                self.add_argument(*flag.names, dest=flag.attribute, action="append", default=[])
            else:
                self.add_argument(*flag.names, dest=flag.attribute, action="store_true")
        self.add_argument("arguments", nargs="*")

    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


ORACLE = Oracle()


def expected(words: list[str]) -> dict[str, Any]:
    # argparse itself stumbles over "--" among intermixed arguments.
    end = words.index("--") if "--" in words else len(words)
    found = vars(ORACLE.parse_intermixed_args(words[:end]))
    found["arguments"] += words[end + 1 :]
    values = dict(vars(Options()))
    for flag in FLAGS:
        if not flag.takes_value:
            values[flag.attribute] = found[flag.attribute]
            continue
        for text in found[flag.attribute]:
            value: Any = flag.value(text)
            if isinstance(value, list):
                values[flag.attribute] = values[flag.attribute] + value
            elif isinstance(value, dict):
                values[flag.attribute] = values[flag.attribute] | value
            else:
                values[flag.attribute] = value
    values["arguments"] = found["arguments"]
    return values


def outcome(function: Any, words: list[str]) -> dict[str, Any] | None:
    try:
        found = function(words)
    except UsageError:
        return None
    values = dict(found if isinstance(found, dict) else vars(found))
    values.pop("given")
    return values


def lines() -> list[list[str]]:
    """Command lines, good and bad: flags in all their spellings, among paths."""
    dice = random.Random(7)
    found = []
    for _ in range(1500):
        words: list[str] = []
        for flag in dice.sample(FLAGS, dice.randint(0, 4)):
            name = dice.choice(flag.names)
            if not flag.takes_value:
                words.append(dice.choice([name, name, f"{name}=x", name + "q" if len(name) == 2 else name]))
                continue
            value = dice.choice([*GOOD_VALUES[flag.long], *GOOD_VALUES[flag.long], "", "nonsense", "-v"])
            attached = f"{name}{value}" if len(name) == 2 and value else f"{name}={value}"
            words += dice.choice([[name, value], [attached], [f"{name}={value}"], [name]])
        for path in dice.sample(["a.yaml", "dir/b.yaml", "-", "--bogus", "-z", "c d"], dice.randint(0, 2)):
            words.insert(dice.randint(0, len(words)), path)
        if not dice.randrange(10):
            words += ["--", "-x", "last.yaml"]
        found.append(words)
    return found


def test_the_parser_agrees_with_argparse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(options, "_refuse_what_has_no_effect", lambda _: None)
    accepted = 0
    for words in lines():
        got = outcome(parse, words)
        accepted += got is not None
        assert got == outcome(expected, words), words
    assert accepted > 300


def test_defaults() -> None:
    empty = parse([])
    assert vars(empty) == vars(Options())
    assert empty.command == "check"
    assert empty.paths == ["."]
    assert (empty.kuberay, empty.ray, empty.jobs, empty.fail_on) == (NEWEST_KUBERAY, None, 1, "error")


@pytest.mark.parametrize("command", COMMANDS)
def test_the_first_word_may_be_a_command(command: str) -> None:
    arguments = {"completion": ["zsh"], "config": ["show"], "rules": [], "version": []}.get(command, ["x"])
    actions = ["write"] if command == "baseline" else []
    assert parse([command, *actions, *arguments]).command == command
    assert parse(["--debug", command, *actions, *arguments]).arguments == arguments


@pytest.mark.parametrize("words", [["./check"], ["x", "rules"], ["--", "rules"], ["check", "rules"]])
def test_anything_else_is_a_path(words: list[str]) -> None:
    assert parse(words).command == "check"
    assert parse(words).arguments == [word for word in words if word not in ("--", "check")]


@pytest.mark.parametrize(
    ("text", "release"), [("1.6", (1, 6)), ("v1.6", (1, 6)), ("1.6.2", (1, 6, 2)), ("v1.0.0-rc.1", (1, 0, 0))]
)
def test_kuberay(text: str, release: tuple[int, ...]) -> None:
    assert parse(["--kuberay", text]).kuberay == release


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("auto", None),
        ("2.43", (2, 43)),
        ("v2.43.0", (2, 43, 0)),
        ("2.9.0rc1", (2, 9, 0)),
        ("3.0.0.dev0", (3, 0, 0)),
    ],
)
def test_ray(text: str, release: tuple[int, ...] | None) -> None:
    assert parse(["--ray", text]).ray == release


@pytest.mark.parametrize(("text", "release"), [("auto", None), ("1.28", (1, 28)), ("v1.33.1", (1, 33, 1))])
def test_kubernetes(text: str, release: tuple[int, ...] | None) -> None:
    assert parse(["--kubernetes", text]).kubernetes == release
    assert parse([]).kubernetes is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--formt", "json"], "unknown flag '--formt' (did you mean --format?)"),
        (["-Format"], "unknown flag '-F' (did you mean --format?)"),
        (["--stdin"], "unknown flag '--stdin' (did you mean --stdin-filename?)"),
        (["--zzz"], "unknown flag '--zzz'"),
        (["-q-"], "unknown flag '-q-'"),
        (["--format"], f"--format needs a value: --format {'|'.join(FORMATS)}"),
        (["--format", "--quiet"], f"--format needs a value: --format {'|'.join(FORMATS)}"),
        (["--format=jsn"], f"--format: 'jsn' is not one of {', '.join(FORMATS)} (did you mean json?)"),
        (["--quiet=yes"], "--quiet takes no value, and got 'yes'"),
        (["--select", "RAY1,,KR"], "--select: an entry of the list 'RAY1,,KR' is empty"),
        (["--severity", "RAY101"], "--severity wants RULE=LEVEL, such as RAY101=error, and got 'RAY101'"),
        (["--severity", "RAY101=eror"],
         "--severity: 'eror' is not one of error, warning, info (did you mean error?)"),
        (["--severity", "A=info,A=error"], "--severity gives A two values: info and error"),
        (["--kuberay", "1.99"], "--kuberay: raylint does not know KubeRay '1.99'; it knows "
         + ", ".join(f"{major}.{minor}" for major, minor in KUBERAY_RELEASES)),
        (["--feature-gates", "RayClusterMTL=true"], "--feature-gates: KubeRay has no feature gate 'RayClusterMTL' "
         "(did you mean RayClusterMTLS?)"),
        (["--feature-gates", "RayCronJob"], "--feature-gates wants NAME=true or NAME=false, and got 'RayCronJob'"),
        (["--feature-gates", "RayCronJob=on"], "--feature-gates: RayCronJob is true or false, not 'on'"),
        (["--feature-gates", "RayCronJob=true", "--feature-gates", "RayCronJob=False"],
         "--feature-gates gives RayCronJob two values: true and false"),
        (["--kuberay", "latest"], "--kuberay wants a release, such as auto, 1.7 or v1.6.2, and got 'latest'"),
        (["--ray", "2"], "--ray wants a release, such as auto, 2.43 or 2.43.0, and got '2'"),
        (["-j", "many"], "--jobs wants a number of processes or auto, and got 'many'"),
        (["-j", "-1"], "-j needs a value: -j N"),
        (["--format=json", "--format=text"], "--format is given twice, with different values"),
        (["--output", ""], "--output needs a value that is not empty"),
        (["rules", "--ignore", "X"], "--ignore has no effect on 'raylint rules'"),
        (["version", "-q"], "--quiet has no effect on 'raylint version'"),
        (["version", "x"], "raylint version takes no argument, and got 'x'"),
        (["rules", "--format", "concise"],
         "--format has no effect: raylint rules knows the formats text and json"),
        (["--format", "yaml"], "--format has no effect: raylint check knows the formats text, concise, json,"
         " jsonl, sarif, github, gitlab, junit, checkstyle, rdjson, markdown and html"),
        (["effective", "--format", "concise"],
         "--format has no effect: raylint effective knows the formats text, json and yaml"),
        (["effective", "--format", "yaml", "--color", "always"],
         "--color has no effect: --format yaml has no colours"),
        (["effective", "--select", "KR"], "--select has no effect on 'raylint effective'"),
        (["explain"], "raylint explain needs a rule's id or name, or a text to search for"),
        (["--stdin-filename", "x"], "--stdin-filename has no effect: the standard input is not read: add '-'"),
        (["--force-exclude", "--no-gitignore"],
         "--force-exclude has no effect: there is no --exclude, and --no-gitignore"),
        (["--exit-zero", "--fail-on", "info"], "--fail-on has no effect: --exit-zero is given as well"),
        (["-qv"], "--verbose has no effect: --quiet is given as well"),
        (["--format", "json", "-q"], "--quiet has no effect: --format json has no closing line"),
        (["--format", "json", "--color", "always"], "--color has no effect: --format json has no colours"),
        (["-", "--exclude", "x"], "--exclude has no effect: only the standard input is read"),
    ],
)  # fmt: skip
def test_wrong_usage(words: list[str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(words)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "words",
    [
        ["check", "--force-exclude", "a.yaml"],
        ["--force-exclude", "--no-gitignore", "--exclude", "x"],
        ["--format", "json", "--color", "never"],
        ["-", "--stdin-filename", "x.yaml"],
        ["-q", "-q", "--format=json", "--help"],
        ["--format", "json", "--format", "json"],
        ["-", "dir", "--exclude", "x"],
        ["rules", "--format", "json", "-o", "rules.json"],
        ["explain", "--color", "always", "RAY101"],
    ],
)
def test_what_has_an_effect_is_accepted(words: list[str]) -> None:
    assert parse(words).given


def test_help_shows_every_flag_once_and_in_its_group() -> None:
    text = help_text()
    sections = text.split("\n\n")
    for group in GROUPS:
        section = next(part for part in sections if part.startswith(f"{group}:"))
        for flag in FLAGS:
            named = f"{', '.join(flag.names)} {flag.metavar}".strip()
            assert bool(re.search(rf"  {re.escape(named)}(?: |$)", section, re.M)) == (flag.group == group)
    assert all(len(line) <= 105 for line in text.split("\n"))
    assert "the first of 2, 4, 3, 1 counts" in text


@pytest.mark.parametrize("flag", [flag for flag in FLAGS if "default: " in flag.help], ids=lambda flag: flag.long)
def test_the_defaults_in_help_are_the_real_ones(flag: Any) -> None:
    said = re.split("[,)]", flag.help.partition("default: ")[2])[0]
    default = getattr(Options(), flag.attribute)
    written = {NEWEST_KUBERAY: "the newest known", None: "auto"}.get(default, str(default))
    assert said == written
