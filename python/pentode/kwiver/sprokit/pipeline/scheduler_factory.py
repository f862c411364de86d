"""The schedulers by name: schedulers of the program `pentode`, and registered classes."""

from typing import Any, Dict, List, Optional, Set, Tuple

from ...vital.config import Config
from .scheduler import Engine, PythonScheduler

Scheduler = PythonScheduler
default_type = "thread_per_process"

_ENGINE = {
    "sync": "One process at a time.",
    "thread_per_process": "All processes at the same time.",
    "pythread_per_process": "All processes at the same time.",
    "thread_pool": "As many processes at a time as there are cores.",
}
_types: Dict[str, Tuple[str, Any]] = {}
_modules: Set[str] = set()


def add_scheduler(type: str, description: str, ctor: Any) -> None:
    """Register a class as a scheduler."""
    _types[type] = (description, ctor)


def create_scheduler(type: str, pipe: Any, config: Optional[Config] = None) -> Any:
    """Make a scheduler for a pipeline."""
    if type in _types:
        return _types[type][1](pipe, config if config is not None else Config())
    if type not in _ENGINE:
        raise RuntimeError("there is no scheduler `%s`: expected one of %s" % (type, ", ".join(types())))
    return Engine(type, pipe, config)


def types() -> List[str]:
    return list(dict.fromkeys([*_types, *_ENGINE]))


def description(type: str) -> str:
    return _types[type][0] if type in _types else _ENGINE[type]


def is_scheduler_module_loaded(module: str) -> bool:
    return module in _modules


def mark_scheduler_module_as_loaded(module: str) -> None:
    _modules.add(module)
