"""The process types of this interpreter and of the program `pentode`, by name."""

from typing import Any, Dict, List, Optional, Set, Tuple

from ...vital.config import Config
from . import declared
from .process import Process

__all__ = ["Process", "add_process", "create_process", "description", "types"]

_types: Dict[str, Tuple[str, Any]] = {}
_modules: Set[str] = set()


def add_process(type: str, description: str, ctor: Any) -> None:
    """Register a class as a process type."""
    _types[type] = (description, ctor)


def create_process(type: str, name: str, config: Optional[Config] = None) -> Any:
    """Make a process of a type: from a registered class, or as a stand-in for a process of the program `pentode`."""
    conf = config if config is not None else Config()
    conf.set_value("_name", name)
    conf.set_value("_type", type)
    if type in _types:
        return _types[type][1](conf)
    return declared.Declared(type, conf)


def types() -> List[str]:
    """Return the names of all process types."""
    return list(dict.fromkeys([*_types, *declared.types()]))


def description(type: str) -> str:
    """Return the description of a type."""
    return _types[type][0] if type in _types else declared.declaration(type).get("doc", "")


def is_process_module_loaded(module: str) -> bool:
    """Report whether a module has registered its types."""
    return module in _modules


def mark_process_module_as_loaded(module: str) -> None:
    """Record that a module has registered its types."""
    _modules.add(module)
