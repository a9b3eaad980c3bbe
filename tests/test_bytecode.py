"""raylint's modules straight from the bytecode that Python keeps of them, and only from what fits the source."""

from __future__ import annotations

import importlib.util
import os
import py_compile
import subprocess
import sys
import traceback
from pathlib import Path
from types import ModuleType

import pytest

from raylint.bytecode import BytecodeFinder

ENDING = f".{sys.implementation.cache_tag}.pyc"


@pytest.fixture
def module(tmp_path: Path) -> Path:
    """A module of a package that is called like one of raylint's, with its bytecode."""
    folder = tmp_path / "raylint_pack"
    folder.mkdir()
    source = folder / "theme.py"
    source.write_text("def fail():\n    raise ValueError('at work')\n\nANSWER = 42\n")
    _compile(source)
    return source


def _compile(source: Path) -> None:
    # As a program does that imports it: checked by time, wherever SOURCE_DATE_EPOCH is set.
    py_compile.compile(
        str(source), doraise=True, invalidation_mode=py_compile.PycInvalidationMode.TIMESTAMP, optimize=0
    )


def _found(source: Path, name: str = "raylint_pack.theme") -> importlib.machinery.ModuleSpec | None:
    return BytecodeFinder(ENDING).find_spec(name, [str(source.parent)])


def _loaded(source: Path) -> ModuleType:
    spec = _found(source)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def test_a_module_is_what_it_is_to_python(module: Path) -> None:
    loaded = _loaded(module)
    assert loaded.ANSWER == 42
    assert loaded.__file__ == str(module)
    assert (loaded.__name__, loaded.__package__) == ("raylint_pack.theme", "raylint_pack")
    # What `python -m` and debuggers ask for.
    assert isinstance(loaded.__loader__, importlib.machinery.SourceFileLoader)
    assert loaded.__loader__.get_source("raylint_pack.theme") == module.read_text()
    assert loaded.__loader__.get_code("raylint_pack.theme") is not None


def test_bytecode_of_another_source_is_left_alone(module: Path) -> None:
    known = module.stat()
    module.write_text(module.read_text() + "# longer\n")
    os.utime(module, (known.st_atime, known.st_mtime))
    assert _found(module) is None


def test_bytecode_of_another_time_is_left_alone(module: Path) -> None:
    known = module.stat()
    os.utime(module, (known.st_atime, known.st_mtime + 2))
    assert _found(module) is None


def test_bytecode_that_is_checked_by_a_hash_is_left_to_python(module: Path) -> None:
    py_compile.compile(
        str(module), doraise=True, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH, optimize=0
    )
    assert _found(module) is None


def test_without_bytecode_or_source_nothing_is_found(module: Path) -> None:
    cached = Path(importlib.util.cache_from_source(str(module), optimization=""))
    content = cached.read_bytes()
    cached.unlink()
    assert _found(module) is None
    cached.write_bytes(content)
    assert _found(module) is not None
    module.unlink()
    assert _found(module) is None


def test_what_is_cut_off_or_large_is_left_to_python(module: Path) -> None:
    cached = Path(importlib.util.cache_from_source(str(module), optimization=""))
    cached.write_bytes(cached.read_bytes()[:10])
    assert _found(module) is None
    module.write_text(f"TEXT = {'x' * 70_000!r}\n")
    _compile(module)
    assert _found(module) is None


def test_other_packages_are_nobodys_business_here(module: Path) -> None:
    assert _found(module, "json.theme") is None
    assert BytecodeFinder(ENDING).find_spec("raylint_pack") is None


def test_functions_of_a_moved_folder_know_where_they_are(module: Path, tmp_path: Path) -> None:
    moved = module.parent.rename(tmp_path / "raylint_moved") / module.name
    loaded = _loaded(moved)
    with pytest.raises(ValueError, match="at work") as raised:
        loaded.fail()
    assert traceback.extract_tb(raised.value.__traceback__)[-1].filename == str(moved)


def _first_finder(*flags: str, **variables: str) -> str:
    code = "import sys; from raylint.bytecode import use_bytecode; use_bytecode(); print(sys.meta_path[0])"
    child = subprocess.run(
        [sys.executable, *flags, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **variables},
    )
    return child.stdout


def test_it_is_used_where_bytecode_is_where_it_usually_is(tmp_path: Path) -> None:
    assert "BytecodeFinder" in _first_finder()
    assert "BytecodeFinder" not in _first_finder("-O")
    assert "BytecodeFinder" not in _first_finder(PYTHONPYCACHEPREFIX=str(tmp_path))


@pytest.mark.usefixtures("module")
def test_the_program_imports_modules_this_way(tmp_path: Path) -> None:
    (tmp_path / "raylint_pack" / "__init__.py").touch()
    code = (
        "import raylint.cli\n"
        "def main():\n"
        "    from raylint_pack import theme\n"
        "    return theme.ANSWER if type(theme.__loader__).__name__ == 'BytecodeLoader' else 1\n"
        "raylint.cli.main = main\n"
        "raylint.cli.program()\n"
    )
    variables = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONPYCACHEPREFIX": ""}
    assert subprocess.run([sys.executable, "-c", code], env=variables, check=False).returncode == 42
