"""The algorithms of this interpreter, by kind and name."""

import difflib
from typing import Any, Dict, List, Set, Tuple

_made: Dict[Tuple[str, str], Tuple[str, Any]] = {}
_loaded: Set[str] = set()


def add_algorithm(impl_name: str, description: str, conc_t: Any) -> None:
    """Register a class as an algorithm."""
    _made[conc_t.static_type_name(), impl_name] = (description, conc_t)


def has_algorithm_impl_name(type_name: str, impl_name: str) -> bool:
    """Report whether there is an algorithm with a kind and name."""
    return (type_name, impl_name) in _made


def implementations(type_name: str) -> List[str]:
    """Return the names of the algorithms of a kind."""
    return [name for kind, name in _made if kind == type_name]


def description(type_name: str, impl_name: str) -> str:
    """Return the description of an algorithm."""
    return _made[type_name, impl_name][0]


def create_algorithm(algo_name: str, impl_name: str) -> Any:
    """Make the algorithm with a kind and name."""
    if (algo_name, impl_name) not in _made:
        from ..modules import load_known_modules

        load_known_modules()  # a process may ask before the modules are loaded
    if (algo_name, impl_name) not in _made:
        raise RuntimeError(missing(algo_name, impl_name))
    made = _made[algo_name, impl_name][1]()
    made.impl_name = impl_name
    return made


def lacks(algo_name: str, impl_name: str) -> str:
    """Return why the algorithm with a kind and name cannot be made here; empty if it can."""
    if (algo_name, impl_name) not in _made:
        return missing(algo_name, impl_name)
    ask = getattr(_made[algo_name, impl_name][1], "lacks", None)
    return ask() if ask is not None else ""


def missing(algo_name: str, impl_name: str) -> str:
    """Return a message that explains why there is no algorithm with a kind and name."""
    from ..modules import failures

    if impl_name.endswith("_SURF"):
        return "`%s` is a non-free part of OpenCV, which Debian's build leaves out: use `ocv_SIFT` or `ocv_ORB`" % impl_name
    text = "no Python module registers `%s` as %s" % (impl_name, algo_name)
    names = implementations(algo_name)
    near = difflib.get_close_matches(impl_name, names, 1)
    if near:
        return text + ", but `%s`" % near[0]
    if names:
        text += ", but " + ", ".join("`%s`" % n for n in names)
    for module, why in failures.items():
        text += "; module `%s` could not be loaded: %s" % (module, why)
    return text


def mark_algorithm_as_loaded(module_name: str) -> None:
    """Record that a module has registered its algorithms."""
    _loaded.add(module_name)


def is_algorithm_loaded(module_name: str) -> bool:
    """Report whether a module has registered its algorithms."""
    return module_name in _loaded
