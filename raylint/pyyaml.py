"""The one door to PyYAML.

raylint takes libyaml's binding and the nodes that it makes. On import PyYAML brings its own parser and the classes
that load and dump as well, and compiles the patterns of its reader: nine tenths of the time that the import takes,
and more than an interpreter needs to start. Here all that is left until somebody asks for it. Whatever else uses
PyYAML in this process finds it as usual.
"""

from __future__ import annotations

import re
import sys
from types import ModuleType

from raylint.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from typing import Any

# libyaml's binding asks the package for all its classes when it is imported. From these modules it needs none of
# them to make nodes: tokens and events are for who asks for such, and errors are raised where something is wrong.
_LATER = (
    "composer",
    "constructor",
    "emitter",
    "events",
    "parser",
    "representer",
    "scanner",
    "serializer",
    "tokens",
)
_AT_ONCE = ("error", "reader", "nodes")
_COMPOSER_ERROR = "ComposerError"
# What the binding was promised: modules, and names in them.
_promised: list[tuple[str, str]] = []


def fulfil(*modules: str) -> None:
    """Give the binding what it asked of these modules."""
    binding = sys.modules.get("yaml._yaml")
    for promise in [promise for promise in _promised if promise[0] in modules]:
        module, name = promise
        __import__(f"yaml.{module}")
        setattr(binding, name, getattr(sys.modules[f"yaml.{module}"], name))
        _promised.remove(promise)


def is_of_composer(error: YAMLError) -> bool:
    """Was it raised where nodes are made, and not where the text is read? There may be two classes of the name."""
    return type(error).__name__ == _COMPOSER_ERROR


class _Promise:
    """Stands for a module that is not imported yet, and the class of all errors with a place for what is in it."""

    __slots__ = ("_class", "_module")

    def __init__(self, module: str, stand_in: type[Exception]) -> None:
        self._module = module
        self._class = stand_in

    def __getattr__(self, name: str) -> type[Exception]:
        _promised.append((self._module, name))
        return type(name, (self._class,), {}) if name == _COMPOSER_ERROR else self._class


class _Package(ModuleType):
    """The package ``yaml`` whose ``__init__`` runs when somebody asks for what is in it."""

    def __init__(self, spec: ModuleSpec) -> None:
        super().__init__(spec.name)
        self.__spec__ = spec
        self.__loader__ = spec.loader
        self.__package__ = spec.name
        self.__file__ = spec.origin
        self.__path__ = list(spec.submodule_search_locations or ())
        self._to_run = spec.loader

    def __getattr__(self, name: str) -> Any:
        loader = vars(self).pop("_to_run", None)
        if loader is None:
            raise AttributeError(f"module 'yaml' has no attribute {name!r}")
        loader.exec_module(self)
        fulfil(*_LATER)
        return getattr(self, name)


def _open_package() -> None:
    """Put the package in its place, with as much of it as the binding asks for."""
    specs = (finder.find_spec("yaml", None) for finder in sys.meta_path)
    spec = next((spec for spec in specs if spec is not None), None)
    if spec is None:
        return
    package = sys.modules["yaml"] = _Package(spec)
    for module in _AT_ONCE:
        __import__(f"yaml.{module}")
    stand_in = sys.modules["yaml.error"].MarkedYAMLError
    for module in _LATER:
        setattr(package, module, _Promise(module, stand_in))
    try:
        __import__("yaml._yaml")
    except ImportError:
        _promised.clear()  # a PyYAML without libyaml
    finally:
        for module in _LATER:
            # Another release may ask for more, and have found the real ones.
            if f"yaml.{module}" not in sys.modules:
                delattr(package, module)


_compile = re.compile
vars(re)["compile"] = pattern
try:
    # json, which reads the schemas, compiles the patterns of its parser in Python; the one in C does the work.
    __import__("json")
    if "yaml" not in sys.modules:
        _open_package()
    from yaml.error import Mark, YAMLError
    from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
    from yaml.reader import ReaderError
finally:
    vars(re)["compile"] = _compile

__all__ = [
    "MappingNode",
    "Mark",
    "Node",
    "ReaderError",
    "ScalarNode",
    "SequenceNode",
    "YAMLError",
    "fulfil",
    "is_of_composer",
]
