"""The parts of a process: ports, keys, and the class that has them."""

import inspect
import logging
from typing import Any, Callable, Dict, Generic, Iterable, List, Optional, Sequence, TypeVar, overload

_T = TypeVar("_T")


class Complete(Exception):
    """The exception that a step raises to complete the process; this step has no data."""


class _Word:
    """A datum without a value."""

    __slots__ = ("name",)

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return self.name


EMPTY = _Word("EMPTY")
"""The datum of a step without a value; a step that returns None gives it too."""

FLUSH = _Word("FLUSH")
"""The datum that separates sequences: later data do not belong to earlier data."""


class Error:
    """A datum that holds the reason why there is no value."""

    __slots__ = ("why",)

    def __init__(self, why: str):
        self.why = why

    def __repr__(self) -> str:
        return "Error(%r)" % self.why

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Error) and other.why == self.why

    def __hash__(self) -> int:
        return hash(self.why)


class Port:
    """A port, where edges attach; `port.input` and `port.output` make one."""

    def __init__(self, type: str, name: Optional[str], doc: str, required: bool, output: bool):
        self.type = type
        self.name = name
        self.doc = doc
        self.required = required
        self.output = output
        self.attribute = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.attribute = name
        self.name = self.name or name

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        return BoundPort(instance, self)


class BoundPort:
    """A port of a running process."""

    __slots__ = ("_process", "_port")

    def __init__(self, process: "Process", port: Port):
        self._process = process
        self._port = port

    @property
    def name(self) -> str:
        """The name of the port in the pipeline."""
        return self._port.name or ""

    @property
    def connected(self) -> bool:
        """Whether the port has an edge."""
        return self._port.attribute in self._process._connected

    def push(self, value: Any) -> None:
        """Send a datum; a step may call this any number of times."""
        if not self._port.output:
            raise TypeError("`%s` is an input: only outputs push" % self.name)
        self._process._pushed.append((self._port.attribute, value))


class _Ports:
    """The maker of ports: `port.input("kwiver:image")`."""

    @staticmethod
    def input(type: str = "_any", name: Optional[str] = None, doc: str = "", required: bool = True) -> Port:
        """Make an input port. Its step parameter has the name of the attribute."""
        return Port(type, name, doc, required, False)

    @staticmethod
    def output(type: str = "_any", name: Optional[str] = None, doc: str = "", required: bool = False) -> Port:
        """Make an output port. With `required`, the pipeline must connect it."""
        return Port(type, name, doc, required, True)


port = _Ports()


class Key(Generic[_T]):
    """A setting of a process; `key` makes one.

    `type` converts the text in the pipeline to the value. Without a default,
    the pipeline must give a value. A tunable key may change between two steps.
    With `choices`, other values are refused.
    """

    def __init__(
        self,
        type: Callable[[str], _T],
        default: Optional[_T] = None,
        doc: str = "",
        tunable: bool = False,
        choices: Optional[Sequence[Any]] = None,
    ):
        self.type = type
        self.default = default
        self.doc = doc
        self.tunable = tunable
        self.choices = choices
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> "Key[_T]": ...

    @overload
    def __get__(self, instance: Any, owner: type) -> _T: ...

    def __get__(self, instance: Any, owner: type) -> Any:
        # Python finds a value that was set in the instance first; without one, this returns the default.
        return self if instance is None else self.default

    def parse(self, text: str) -> Any:
        """Convert a text to the value; ValueError says what was expected."""
        text = text.strip()
        if self.type is bool:
            value: Any = _flags.get(text.lower())
            if value is None:
                raise ValueError("key `%s` is `%s`, but must be true or false" % (self.name, text))
        else:
            try:
                value = self.type(text)
            except (ValueError, TypeError) as e:
                kind = _kinds.get(self.type)
                why = "must be " + kind if kind else str(e)
                raise ValueError("key `%s` is `%s`, but %s" % (self.name, text, why)) from None
        if self.choices is not None and value not in self.choices:
            raise ValueError(
                "key `%s` is `%s`, but must be one of %s" % (self.name, text, ", ".join(map(str, self.choices)))
            )
        return value


def key(
    type: Callable[[str], _T] = str,  # type: ignore[assignment]
    default: Optional[_T] = None,
    doc: str = "",
    tunable: bool = False,
    choices: Optional[Sequence[Any]] = None,
) -> Key[_T]:
    """Make a key, a setting of the process: `radius = key(int, 3, "Pixels on each side.")`."""
    return Key(type, default, doc, tunable, choices)


_flags = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
_kinds: Dict[Any, str] = {int: "a whole number", float: "a number"}


class Process:
    """A process of a pipeline; a subclass has ports, keys and a step.

    The pipeline calls `setup` once, when the settings are in place; `step` for
    each set of data; between two steps `prepare` before settings change,
    `reconfigure` after they have changed, and `flush` after a flush datum;
    and `finish` at the end, which may still push.
    """

    log: logging.Logger

    def __init__(self) -> None:
        self._connected: Iterable[str] = frozenset()
        self._pushed: List[Any] = []
        self._ending = False

    def setup(self) -> None:
        """Prepare the process; if it raises an exception, the pipeline does not start."""

    def step(self, *args: Any, **named: Any) -> Any:
        """Do the work of one step.

        The parameters have the names of the input ports; an unconnected input
        is None. With one output, the step returns its value, or yields several
        values. With several outputs, it returns a dict by name, or a tuple in
        the order of the ports.
        """
        raise NotImplementedError("a process needs a method `step`")

    def prepare(self, changed: Dict[str, Any]) -> None:
        """Check new settings before they are set; an exception refuses them.

        This must have no effect, since another process may still refuse them.
        """

    def reconfigure(self, changed: Dict[str, Any]) -> None:
        """React to new settings.

        An exception restores the old settings in the whole pipeline. Refuse
        settings in `prepare` if you can.
        """

    def flush(self) -> None:
        """Forget the state that belongs to the data before a flush."""

    def finish(self) -> None:
        """Finish the work after the last step."""

    def complete(self) -> None:
        """End the process after this step."""
        self._ending = True

    @classmethod
    def inputs(cls) -> List[Port]:
        """Return the input ports, in the order of the class."""
        return [p for p in _members(cls, Port) if not p.output]

    @classmethod
    def outputs(cls) -> List[Port]:
        """Return the output ports, in the order of the class."""
        return [p for p in _members(cls, Port) if p.output]

    @classmethod
    def keys(cls) -> List[Key[Any]]:
        """Return the keys, in the order of the class."""
        return _members(cls, Key)

    @classmethod
    def parameters(cls) -> List[str]:
        """Return the attributes of the input ports, in the order of the step's parameters."""
        known = {p.attribute for p in cls.inputs()}
        names = [p for p in inspect.signature(cls.step).parameters if p != "self"]
        for name in names:
            if name not in known:
                raise TypeError(
                    "the step of `%s` has a parameter `%s`, which is not an input port" % (cls.__name__, name)
                )
        missing = known - set(names)
        if missing:
            raise TypeError("the step of `%s` has no parameter `%s`" % (cls.__name__, sorted(missing)[0]))
        return names

    def changes(self, config: Dict[str, str], tunable_only: bool = True) -> Dict[str, Any]:
        """Return the keys whose values a configuration changes, with the new values."""
        changed: Dict[str, Any] = {}
        for k in self.keys():
            if k.name in config:
                value = k.parse(config[k.name])
            elif k.default is not None:
                value = k.default
            else:
                raise ValueError("key `%s` has no value: %s" % (k.name, k.doc or "the pipeline must give one"))
            if k.name not in self.__dict__ or self.__dict__[k.name] != value:
                if tunable_only and not k.tunable:
                    raise ValueError("key `%s` cannot change while the process runs" % k.name)
                changed[k.name] = value
        return changed

    def configure(self, config: Dict[str, str], tunable_only: bool = False) -> Dict[str, Any]:
        """Set the keys from texts, all or none, and return the changed ones."""
        changed = self.changes(config, tunable_only)
        self.__dict__.update(changed)
        return changed


def _members(cls: type, kind: type) -> List[Any]:
    """Return the attributes of a kind, base classes first."""
    found: Dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        for name, value in vars(base).items():
            found.pop(name, None)
            if isinstance(value, kind):
                found[name] = value
    return list(found.values())
