"""Modules that register process types and algorithms."""

import importlib
import importlib.util
import logging
import os
import pkgutil
import threading
from importlib.metadata import entry_points
from typing import Any, Dict, Iterator, List, Set

REGISTRARS = ("__sprokit_register__", "__vital_algorithm_register__")
GROUP = "kwiver.python_plugin_registration"
"""The group of entry points through which installed packages register algorithms and processes."""

failures: Dict[str, str] = {}
"""The reasons why modules could not be loaded, by module."""

_loaded: Set[str] = set()
_known: Set[str] = set()
_loading = threading.RLock()  # each process of a shared interpreter loads modules in its own thread


def load_known_modules() -> None:
    """Load all modules that register process types or algorithms.

    These are the modules in SPROKIT_PYTHON_MODULES, the entry points of installed packages, and the algorithms of
    this package.
    """
    with _loading:
        for name in filter(None, os.environ.get("SPROKIT_PYTHON_MODULES", "").split(os.pathsep)):
            load_module(name)
        for point in _entry_points():
            if point.name not in _known:
                _known.add(point.name)
                _register(point.name, point.load)
        load_module("pentode.vision")


def load_module(name: str) -> None:
    """Load a module, or a package and its modules that register something."""
    if name in _known:
        return
    _known.add(name)
    if not _register(name, lambda: importlib.import_module(name)):
        return
    for below in _below(name):
        load_module(below)


def _register(name: str, load: Any) -> bool:
    """Load a module and call its registrar; on failure, record the reason for later messages."""
    try:
        found = load()
        if callable(found):  # an entry point may be the registrar itself
            found()
        for registrar in REGISTRARS:
            if callable(getattr(found, registrar, None)):
                getattr(found, registrar)()
    except Exception as e:
        failures[name] = str(e) or type(e).__name__
        logging.getLogger(__name__).debug("module `%s` could not be loaded: %s", name, failures[name])
        return False
    return True


def _below(name: str) -> Iterator[str]:
    """Yield the modules of a package whose sources define a registrar; the others need not be loaded."""
    spec = importlib.util.find_spec(name)
    for folder in (spec.submodule_search_locations if spec else None) or ():
        for module in pkgutil.iter_modules([folder]):
            path = os.path.join(folder, module.name, "__init__.py") if module.ispkg else os.path.join(folder, module.name + ".py")
            try:
                with open(path, encoding="utf-8", errors="replace") as f:
                    source = f.read()
            except OSError:
                continue
            if any("def " + registrar in source for registrar in REGISTRARS):
                yield name + "." + module.name


def _entry_points() -> List[Any]:
    found: Any = entry_points()
    if hasattr(found, "select"):
        return list(found.select(group=GROUP))
    return list(found.get(GROUP, ()))  # before Python 3.10


def is_module_loaded(name: str) -> bool:
    """Report whether a module is marked as loaded."""
    return name in _loaded


def mark_module_as_loaded(name: str) -> None:
    """Mark a module as loaded."""
    _loaded.add(name)
