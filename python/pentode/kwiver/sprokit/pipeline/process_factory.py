"""The process types of this interpreter, by name."""

from typing import Any, Dict, List, Set, Tuple

_types: Dict[str, Tuple[str, Any]] = {}
_modules: Set[str] = set()


def add_process(type: str, description: str, ctor: Any) -> None:
    """Makes a class known by a name."""
    _types[type] = (description, ctor)


def create_process(type: str, name: str, config: Any = None) -> Any:
    """Makes a process of a type."""
    from ...vital.config import Config

    conf = config if config is not None else Config()
    conf.set_value("_name", name)
    conf.set_value("_type", type)
    return _types[type][1](conf)


def types() -> List[str]:
    """The names."""
    return list(_types)


def description(type: str) -> str:
    """What a type was registered with."""
    return _types[type][0]


def is_process_module_loaded(module: str) -> bool:
    """Whether a module has registered its types."""
    return module in _modules


def mark_process_module_as_loaded(module: str) -> None:
    """Notes that a module has registered its types."""
    _modules.add(module)
