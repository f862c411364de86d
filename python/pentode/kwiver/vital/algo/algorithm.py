"""The base class of algorithms."""

from typing import Any, List, Optional, Tuple

from ..config import Config
from . import algorithm_factory


class Algorithm:
    """An algorithm.

    Its base class determines its kind of work. `algorithm_factory` has the
    implementations of each kind by name.
    """

    type_name_ = ""
    methods: Tuple[str, ...] = ()

    def __init__(self) -> None:
        self.impl_name = ""

    @classmethod
    def static_type_name(cls) -> str:
        return cls.type_name_

    @classmethod
    def type_name(cls) -> str:
        return cls.type_name_

    @classmethod
    def create(cls, name: str) -> Any:
        """Make the algorithm of this kind with the given name."""
        return algorithm_factory.create_algorithm(cls.static_type_name(), name)

    @classmethod
    def registered_names(cls) -> List[str]:
        return algorithm_factory.implementations(cls.static_type_name())

    def get_configuration(self) -> Config:
        """Return the current settings; settings that were not given have their defaults."""
        return Config()

    def set_configuration(self, config: Config) -> Any:
        """Apply settings. An algorithm without settings need not override this."""

    def check_configuration(self, config: Config) -> bool:
        return True

    @classmethod
    def set_nested_algo_configuration(cls, name: str, config: Config, algo: Any = None) -> Optional[Any]:
        """Return the algorithm that `NAME:type` chooses, or None if nothing is chosen.

        It has the settings below `NAME:TYPE`.
        """
        kind = config.get_value(name + ":type", "")
        if not kind:
            return None
        if algo is None or algo.impl_name != kind:
            algo = cls.create(kind)
        algo.set_configuration(config.subblock(name + ":" + kind))
        return algo

    @classmethod
    def get_nested_algo_configuration(cls, name: str, config: Config, algo: Any) -> None:
        """Write the settings of an algorithm to the keys from which `set_nested_algo_configuration` reads them."""
        if algo is None:
            return
        config.set_value(name + ":type", algo.impl_name)
        for key, value in algo.get_configuration().values.items():
            config.set_value("%s:%s:%s" % (name, algo.impl_name, key), value)

    @classmethod
    def check_nested_algo_configuration(cls, name: str, config: Config) -> bool:
        """Report whether `NAME:type` names an algorithm that accepts its settings."""
        kind = config.get_value(name + ":type", "")
        if not algorithm_factory.has_algorithm_impl_name(cls.static_type_name(), kind):
            return False
        return bool(cls.create(kind).check_configuration(config.subblock(name + ":" + kind)))


def kind(class_name: str, type_name: str, *methods: str) -> Any:
    """Make the base class of one kind of algorithm, with the methods that each implementation must have."""
    members: Any = {"type_name_": type_name, "methods": methods, "__doc__": "Algorithms of the kind `%s`." % type_name}
    for method in methods:
        members[method] = _missing(type_name, method)
    return type(class_name, (Algorithm,), members)


def _missing(type_name: str, method: str) -> Any:
    def missing(self: Algorithm, *args: Any, **named: Any) -> Any:
        raise RuntimeError("`%s` is a %s, but has no method `%s`" % (type(self).__name__, type_name, method))

    missing.__name__ = method
    return missing
