"""The base class of algorithms."""

from typing import Any, List, Optional, Tuple

from ..config import Config
from . import algorithm_factory


class Algorithm:
    """What does one kind of work, in one of several ways. Its kind is its base
    class; the way has a name, by which `algorithm_factory` knows it."""

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
        """The algorithm of this kind that has a name."""
        return algorithm_factory.create_algorithm(cls.static_type_name(), name)

    @classmethod
    def registered_names(cls) -> List[str]:
        return algorithm_factory.implementations(cls.static_type_name())

    def get_configuration(self) -> Config:
        """The settings as they are; those that say nothing are its defaults."""
        return Config()

    def set_configuration(self, config: Config) -> Any:
        """Follows settings. One without any has nothing to do."""

    def check_configuration(self, config: Config) -> bool:
        return True

    @classmethod
    def set_nested_algo_configuration(cls, name: str, config: Config, algo: Any = None) -> Optional[Any]:
        """The algorithm that `NAME:type` chooses, with the settings below
        `NAME:TYPE`; None where nothing is chosen."""
        kind = config.get_value(name + ":type", "")
        if not kind:
            return None
        if algo is None or algo.impl_name != kind:
            algo = cls.create(kind)
        algo.set_configuration(config.subblock(name + ":" + kind))
        return algo

    @classmethod
    def get_nested_algo_configuration(cls, name: str, config: Config, algo: Any) -> None:
        """Writes the settings of an algorithm where `set_nested_algo_configuration` reads them."""
        if algo is None:
            return
        config.set_value(name + ":type", algo.impl_name)
        for key, value in algo.get_configuration().values.items():
            config.set_value("%s:%s:%s" % (name, algo.impl_name, key), value)

    @classmethod
    def check_nested_algo_configuration(cls, name: str, config: Config) -> bool:
        """Whether `NAME:type` names an algorithm that takes its settings."""
        kind = config.get_value(name + ":type", "")
        if not algorithm_factory.has_algorithm_impl_name(cls.static_type_name(), kind):
            return False
        return bool(cls.create(kind).check_configuration(config.subblock(name + ":" + kind)))


def kind(class_name: str, type_name: str, *methods: str) -> Any:
    """The base class of one kind of algorithm; its methods are those that each way must have."""
    members: Any = {"type_name_": type_name, "methods": methods, "__doc__": "Algorithms of the kind `%s`." % type_name}
    for method in methods:
        members[method] = _missing(type_name, method)
    return type(class_name, (Algorithm,), members)


def _missing(type_name: str, method: str) -> Any:
    def missing(self: Algorithm, *args: Any, **named: Any) -> Any:
        raise RuntimeError("`%s` is a %s without a method `%s`" % (type(self).__name__, type_name, method))

    missing.__name__ = method
    return missing
