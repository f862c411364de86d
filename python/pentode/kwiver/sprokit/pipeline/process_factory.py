"""The process types of this interpreter and of the program `pentode`, by name."""

from typing import Any, Dict, List, Optional, Set, Tuple

from ...vital.config import Config
from . import declared
from .process import Process

__all__ = ["Process", "add_process", "create_process", "description", "types"]

_types: Dict[str, Tuple[str, Any]] = {}
_modules: Set[str] = set()


def add_process(type: str, description: str, ctor: Any) -> None:
    """Makes a class known by a name."""
    _types[type] = (description, ctor)


def create_process(type: str, name: str, config: Optional[Config] = None) -> Any:
    """Makes a process of a type: from an added class, or as a stand-in for a process of the program."""
    conf = config if config is not None else Config()
    conf.set_value("_name", name)
    conf.set_value("_type", type)
    if type in _types:
        return _types[type][1](conf)
    return declared.Declared(type, conf)


def types() -> List[str]:
    """The names."""
    return list(dict.fromkeys([*_types, *declared.types()]))


def description(type: str) -> str:
    """What a type was registered with."""
    return _types[type][0] if type in _types else declared.declaration(type).get("doc", "")


def is_process_module_loaded(module: str) -> bool:
    """Whether a module has registered its types."""
    return module in _modules


def mark_process_module_as_loaded(module: str) -> None:
    """Notes that a module has registered its types."""
    _modules.add(module)
