"""Modules that register process types."""

import importlib
import os
from typing import Set

_loaded: Set[str] = set()


def load_known_modules() -> None:
    """Loads the modules of SPROKIT_PYTHON_MODULES and registers their types."""
    for name in filter(None, os.environ.get("SPROKIT_PYTHON_MODULES", "").split(os.pathsep)):
        register = getattr(importlib.import_module(name), "__sprokit_register__", None)
        if register is not None:
            register()


def is_module_loaded(name: str) -> bool:
    """Whether a module is marked as loaded."""
    return name in _loaded


def mark_module_as_loaded(name: str) -> None:
    """Marks a module as loaded."""
    _loaded.add(name)
