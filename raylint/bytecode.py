"""Imports for a short life: raylint's and PyYAML's modules straight from the bytecode that Python keeps of them.

One run of the command line imports more than a hundred small modules. Python looks for each with five endings,
asks three finders, and works out the names of files again and again: that takes longer than to run the module.
Here one file is opened, the bytecode in ``__pycache__``, and taken if it was made of the source as it stands (its
time and size, PEP 552). In any other case Python's own finders go on, and keep the bytecode for the next time.
"""

from __future__ import annotations

import os
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader
from marshal import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

__all__ = ["BytecodeFinder", "use_bytecode"]

# The bytecode of a larger module is left to Python.
_MOST_BYTES = 1 << 16
_HEADER = 16
# How the names of modules begin: of raylint's packages and packs, and of PyYAML, which has no module twice.
_PACKAGES = ("raylint", "yaml.")
# How a file begins that Python checks by the time and the size of the source, four bytes each.
_BY_TIME = MAGIC_NUMBER + bytes(4)
_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def use_bytecode() -> None:
    """From now on modules of raylint's packages are imported this way, where Python runs as it usually does."""
    tag = sys.implementation.cache_tag
    if tag and not sys.flags.optimize and sys.pycache_prefix is None:
        sys.meta_path.insert(0, BytecodeFinder(f".{tag}.pyc"))


class BytecodeFinder:
    """Finds modules in packages whose names begin with ``raylint``, and in PyYAML. ``ending``: of the names of
    their bytecode."""

    __slots__ = ("_ending",)

    def __init__(self, ending: str) -> None:
        self._ending = ending

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not path or not name.startswith(_PACKAGES):
            return None
        folder, own = path[0], name.rpartition(".")[2]
        source = f"{folder}{os.sep}{own}.py"
        try:
            content = _read(f"{folder}{os.sep}__pycache__{os.sep}{own}{self._ending}")
            known = os.stat(source)
        except OSError:
            return None
        stamp = int(known.st_mtime) & 0xFFFFFFFF, known.st_size & 0xFFFFFFFF
        made_of_it = b"".join((_BY_TIME, *(number.to_bytes(4, "little") for number in stamp)))
        if not content.startswith(made_of_it) or len(content) == _MOST_BYTES:
            return None
        return ModuleSpec(name, BytecodeLoader(name, source, content), origin=source)


class BytecodeLoader(SourceFileLoader):
    """Loads a module from bytecode that was read already, and once; after that it is any module of Python's."""

    def __init__(self, name: str, source: str, content: bytes) -> None:
        super().__init__(name, source)
        self._content = content

    def exec_module(self, module: ModuleType) -> None:
        """Run the module."""
        code = loads(memoryview(self._content)[_HEADER:])
        self._content = b""
        module.__file__ = self.path
        if code.co_filename == self.path:
            exec(code, module.__dict__)
        else:
            # The folder was moved; Python tells the functions where they are now.
            super().exec_module(module)


def _read(file: str) -> bytes:
    opened = os.open(file, _FLAGS)
    try:
        return os.read(opened, _MOST_BYTES)
    finally:
        os.close(opened)
