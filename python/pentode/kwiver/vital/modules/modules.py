"""The functions of the package, under their longer module name."""

from . import is_module_loaded, load_known_modules, load_module, mark_module_as_loaded

__all__ = ["is_module_loaded", "load_known_modules", "load_module", "mark_module_as_loaded"]
