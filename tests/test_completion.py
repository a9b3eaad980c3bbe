"""Completion, tried in the real shells."""

from __future__ import annotations

import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from raylint.cli import main
from raylint.options import COMMANDS, FLAGS, SHELLS

BIN = Path(sys.executable).parent


def script(shell: str, folder: Path) -> Path:
    file = folder / f"raylint.{shell}"
    assert main(["completion", shell, "-o", str(file)]) == 0
    return file


def environment() -> dict[str, str]:
    return {"PATH": f"{BIN}:/usr/bin:/bin", "HOME": "/nonexistent", "TERM": "dumb", "LC_ALL": "C.UTF-8"}


def run(*words: str, cwd: Path) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=True, cwd=cwd, env=environment()).stdout


def bash(line: str, folder: Path) -> set[str]:
    """What bash offers: its own function is called as it calls it."""
    words = line.replace("=", " = ").split(" ")
    quoted = " ".join(f"'{word}'" for word in words)
    commands = (
        f"source {script('bash', folder)}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1};"
        ' _raylint; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    return set(run("bash", "--norc", "-c", commands, cwd=folder).split())


def fish(line: str, folder: Path) -> set[str]:
    commands = f"source {script('fish', folder)}; complete -C '{line}'"
    said = run("fish", "--no-config", "-c", commands, cwd=folder)
    return {row.split("\t")[0].rpartition("=")[2] for row in said.splitlines()}


def zsh(line: str, folder: Path) -> set[str]:
    """zsh completes on a terminal alone. A key there completes, and says in a file what was offered."""
    setup = f"""
        PS1=; autoload -Uz compinit; compinit -D -u; source {script("zsh", folder)}
        compadd() {{
            local -a offered
            [[ " $*" == *" -"[OAD]* ]] || builtin compadd -A offered "$@"
            print -rl -- $offered >>offers
            builtin compadd "$@"
        }}
        tried() {{ zle complete-word; print >tried; }}
        zle -N tried; bindkey '^T' tried; print >ready
    """
    for name in ("ready", "tried"):
        (folder / name).unlink(missing_ok=True)
    (folder / "offers").write_text("")
    child, terminal = pty.fork()
    if not child:
        os.chdir(folder)
        os.execve(shutil.which("zsh") or "zsh", ["zsh", "-f", "-i"], environment())
    try:
        for row in setup.splitlines():
            os.write(terminal, row.strip().encode() + b"\n")
        wait_for(terminal, folder / "ready")
        os.write(terminal, line.encode() + b"\x14")
        wait_for(terminal, folder / "tried")
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(terminal)
    return {offer.rstrip() for offer in (folder / "offers").read_text().splitlines() if offer}


def wait_for(terminal: int, file: Path) -> None:
    """Read what the shell shows, so that it goes on, until the file is there."""
    said = b""
    end = time.monotonic() + 60
    while not file.exists():
        assert time.monotonic() < end, said[-500:]
        if select.select([terminal], [], [], 0.05)[0]:
            said += os.read(terminal, 4096)


# Not every machine has all three, and what is shipped for one can only be tried with it.
@pytest.fixture(
    params=[
        pytest.param(
            shell, marks=pytest.mark.skipif(not shutil.which(shell.__name__), reason="no such shell here")
        )
        for shell in (bash, zsh, fish)
    ]
)
def complete(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], set[str]]:
    (tmp_path / "cluster.yaml").write_text("")
    shell = request.param
    return lambda line: {word.rstrip("/") for word in shell(line, tmp_path)}


def test_commands_and_files_stand_first(complete: Callable[[str], set[str]]) -> None:
    offered = complete("raylint c")
    assert {"check", "completion", "config", "cluster.yaml"} <= offered


def test_flags_are_those_of_the_command(complete: Callable[[str], set[str]]) -> None:
    check = {name for flag in FLAGS if "check" in flag.commands for name in flag.names if name.startswith("--")}
    assert {"--format", "--fail-on", "--feature-gates", "--fix", "--force-exclude"} <= complete("raylint --f")
    assert complete("raylint --fa") == {"--fail-on"}
    assert complete("raylint explain --f") == set()
    assert {word for word in complete("raylint check --") if word.startswith("--")} == check


def test_values_are_offered(complete: Callable[[str], set[str]]) -> None:
    assert complete("raylint --color a") == {"auto", "always"}
    assert complete("raylint --color=n") == {"never"}
    assert complete("raylint effective --format ") == {"auto", "text", "json", "yaml"}
    assert complete("raylint rules --output clu") == {"cluster.yaml"}


def test_rules_are_offered(complete: Callable[[str], set[str]]) -> None:
    assert "RAY101" in complete("raylint explain RAY10")
    assert "KR028" in complete("raylint --select KR02")


def test_other_commands_have_their_own_words(complete: Callable[[str], set[str]]) -> None:
    assert complete("raylint config ") == {"init", "show", "validate"}
    assert complete("raylint schema RayC") == {"RayCluster", "RayCronJob"}
    assert complete("raylint completion ") == set(SHELLS)


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_and_flag_is_in_the_script(shell: str, tmp_path: Path) -> None:
    text = script(shell, tmp_path).read_text()
    assert all(command in text for command in (*COMMANDS, "webhook"))
    assert all((flag.long if shell != "fish" else f"-l {flag.long[2:]} ") in text for flag in FLAGS)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["completion"], "raylint completion needs one of bash, zsh, fish"),
        (["completion", "tcsh"], "raylint completion needs one of bash, zsh, fish"),
    ],
)
def test_an_unknown_shell_is_refused(words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert complaint in capsys.readouterr().err
