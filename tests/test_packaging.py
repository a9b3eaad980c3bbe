"""What is built and shipped: the wheel made from the source distribution, as a release is."""

from __future__ import annotations

import configparser
import email
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# Folder: the name it is installed under. Of a folder everything is shipped.
PACKAGES = {
    "raylint": "raylint",
    "rules": "raylint_rules",
    "schemas": "raylint_schemas",
    "webhook": "raylint_webhook",
    "cluster": "raylint_cluster",
}

# What belongs to a folder and is no part of the installed package: it is for readers of the repository.
NOT_INSTALLED = {".md"}


def repository_files() -> set[str]:
    """The files that git has or would take: new ones count before they are committed."""
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, check=True).stdout
    return {name for name in map(os.fsdecode, listed.split(b"\0")) if name and (ROOT / name).exists()}


class Built:
    """What was built of ``source``: names of the files, without the folder that an archive puts them in, and the
    wheel's metadata."""

    def __init__(self, source: set[str], folder: Path) -> None:
        self.source = source
        (sdist,) = folder.glob("*.tar.gz")
        (wheel,) = folder.glob("*.whl")
        with tarfile.open(sdist) as archive:
            self.sdist = {member.name.partition("/")[2] for member in archive if not member.isdir()}
        with zipfile.ZipFile(wheel) as archive:
            names = set(archive.namelist())
            (info,) = {name.partition("/")[0] for name in names if ".dist-info/" in name}
            self.wheel = {name for name in names if not name.startswith(f"{info}/")}
            self.info = {name.removeprefix(f"{info}/") for name in names - self.wheel}
            self.metadata = email.message_from_bytes(archive.read(f"{info}/METADATA"))
            self.entry_points = configparser.ConfigParser()
            self.entry_points.read_string(archive.read(f"{info}/entry_points.txt").decode())

    def requirements(self, extra: str | None) -> set[str]:
        """Names of the distributions that are required always, or with an extra."""
        found = set()
        for requirement in self.metadata.get_all("Requires-Dist") or ():
            wanted, _, marker = requirement.partition(";")
            if ("extra" in marker) == (extra is not None) and (extra is None or f'"{extra}"' in marker):
                found.add(wanted.split(">")[0].split("[")[0].strip().lower())
        return found


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Built in a copy, so that the tree stays clean, and in isolation: setuptools must be new enough."""
    source = tmp_path_factory.mktemp("source")
    files = repository_files()
    for name in files:
        target = source / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / name).read_bytes())
    output = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--outdir", str(output), str(source)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return Built(files, output)


def test_the_wheel_holds_the_folders_under_their_names(built: Built) -> None:
    expected = set()
    for name in built.source:
        folder, _, rest = name.partition("/")
        if folder in PACKAGES and rest and Path(name).suffix not in NOT_INSTALLED:
            expected.add(f"{PACKAGES[folder]}/{rest}")
    assert built.wheel - expected == set()
    assert expected - built.wheel == set()


def test_the_wheel_holds_the_licence_and_what_it_asks_to_be_kept(built: Built) -> None:
    assert {"licenses/LICENSE", "licenses/NOTICE"} <= built.info
    assert built.metadata["License-Expression"] == "Apache-2.0"


def test_the_source_distribution_holds_what_its_tests_need(built: Built) -> None:
    expected = {
        name
        for name in built.source
        if name.startswith(("tests/", "examples/", "docs/", "deploy/", "bench/", "integrations/"))
    }
    expected |= {
        "LICENSE",
        "NOTICE",
        "CHANGELOG.md",
        "README.md",
        "pyproject.toml",
        ".pre-commit-hooks.yaml",
        "action.yml",
    }
    assert expected - built.sdist == set()
    assert not {name for name in built.sdist if name.endswith((".pyc", ".pyo"))}


def test_entry_points(built: Built) -> None:
    assert built.entry_points["console_scripts"]["raylint"] == "raylint.cli:program"
    assert built.entry_points["console_scripts"]["kubectl-raylint"] == "raylint.cli:program"
    assert dict(built.entry_points["raylint.rules"]) == {"builtin": "raylint_rules:RULES"}


def test_the_core_needs_three_distributions(built: Built) -> None:
    # Python reads TOML itself from 3.11 on.
    assert built.requirements(None) - {"tomli"} == {"pyyaml", "jsonschema", "ruamel.yaml"}
    wanted = built.metadata.get_all("Requires-Dist") or ()
    assert any(line.startswith("tomli") and 'python_version < "3.11"' in line for line in wanted)


def test_extras(built: Built) -> None:
    assert set(built.metadata.get_all("Provides-Extra") or ()) == {
        "webhook",
        "cluster",
        "cel",
        "docs",
        "dev",
        "all",
    }
    assert {"fastapi", "uvicorn"} <= built.requirements("webhook")
    assert built.requirements("cluster") == {"kubernetes"}
    assert {"pytest", "mypy", "ruff", "pre-commit", "build"} <= built.requirements("dev")
    assert built.requirements("cel") == {"common-expression-language"}
    assert built.requirements("all") == {"raylint"}
