"""The same functions by their longer name."""

from . import is_module_loaded, load_known_modules, load_module, mark_module_as_loaded

__all__ = ["is_module_loaded", "load_known_modules", "load_module", "mark_module_as_loaded"]
