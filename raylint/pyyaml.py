"""The one door to PyYAML.

raylint takes PyYAML's parser and its nodes. On import PyYAML brings the classes that load and dump as well, and
compiles the patterns of its reader: three quarters of the time that the import takes, and as much as an
interpreter needs to start. Here both are left until somebody asks for them. Whatever else uses PyYAML in this
process finds it as usual.
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

# libyaml's binding asks the package for all its exceptions when it is imported. From these modules it needs
# nothing else, and raises what they define only where it loads or dumps.
_LATER = {
    "constructor": "ConstructorError",
    "emitter": "EmitterError",
    "representer": "RepresenterError",
    "serializer": "SerializerError",
}
_AT_ONCE = ("error", "reader", "scanner", "parser", "composer", "tokens", "events", "nodes")


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
        for module, error in _LATER.items():
            binding = sys.modules.get("yaml._yaml")
            if binding is not None:
                setattr(binding, error, getattr(sys.modules[f"yaml.{module}"], error))
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
    for module, error in _LATER.items():
        substitute = ModuleType(module)
        setattr(substitute, error, Exception)
        setattr(package, module, substitute)
    try:
        __import__("yaml._yaml")
    except ImportError:
        return  # a PyYAML without libyaml
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
    from yaml.composer import ComposerError
    from yaml.error import Mark, YAMLError
    from yaml.events import (
        AliasEvent,
        DocumentEndEvent,
        MappingEndEvent,
        MappingStartEvent,
        ScalarEvent,
        SequenceEndEvent,
        SequenceStartEvent,
        StreamEndEvent,
    )
    from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
    from yaml.reader import ReaderError
finally:
    vars(re)["compile"] = _compile

__all__ = [
    "AliasEvent",
    "ComposerError",
    "DocumentEndEvent",
    "MappingEndEvent",
    "MappingNode",
    "MappingStartEvent",
    "Mark",
    "Node",
    "ReaderError",
    "ScalarEvent",
    "ScalarNode",
    "SequenceEndEvent",
    "SequenceNode",
    "SequenceStartEvent",
    "StreamEndEvent",
    "YAMLError",
]
