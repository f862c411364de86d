"""Algorithms of KWIVER are no part of this package. Modules that name them
can be loaded; whatever needs one fails and says so."""

from typing import Any


class _Algorithm:
    """Stands for any algorithm."""

    @classmethod
    def static_type_name(cls) -> str:
        return cls.__name__

    @classmethod
    def set_nested_algo_configuration(cls, name: str, config: Any, *rest: Any) -> Any:
        raise RuntimeError("key `%s` needs the algorithm `%s` of KWIVER, which is not installed" % (name, cls.__name__))

    check_nested_algo_configuration = get_nested_algo_configuration = set_nested_algo_configuration


def __getattr__(name: str) -> Any:
    if not name[0].isupper():  # algorithms are classes; others ask for what modules may have
        raise AttributeError(name)
    made = type(name, (_Algorithm,), {})
    globals()[name] = made
    return made
