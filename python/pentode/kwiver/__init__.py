"""The modules that processes written for KWIVER import, in plain Python.

`install` makes the modules importable as `kwiver.*`, and under the older names
`sprokit.*` and `vital.*`. If a package with such a name is installed, that
package is used instead.

The names in this package are the names in KWIVER's own Python packages, which users' processes
import, call and override, even if PEP 8 prefers others.
"""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from types import ModuleType
from typing import Any, Dict, List, Optional, Sequence

_ALIASES = (
    ("kwiver.kwiver_process", "pentode.kwiver.sprokit.processes.kwiver_process"),
    ("kwiver", "pentode.kwiver"),
    ("sprokit", "pentode.kwiver.sprokit"),
    ("vital", "pentode.kwiver.vital"),
)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """A finder of this package's modules by their KWIVER names."""

    def __init__(self) -> None:
        self.roots: List[str] = []  # the top-level names that this package provides

    def find_spec(
        self, fullname: str, path: Optional[Sequence[Any]] = None, target: Optional[ModuleType] = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        ours = _ours(fullname) if fullname.partition(".")[0] in self.roots else None
        try:
            if ours is None or importlib.util.find_spec(ours) is None:
                return None
        except ModuleNotFoundError:  # the parent package does not exist
            return None
        return importlib.machinery.ModuleSpec(fullname, self)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        name = _ours(spec.name)
        assert name is not None
        module = importlib.import_module(name)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec  # keeps the spec of the imported module


def _ours(name: str) -> Optional[str]:
    for theirs, ours in _ALIASES:
        if name == theirs or name.startswith(theirs + "."):
            return ours + name[len(theirs) :]
    return None


_finder = _Finder()


def install() -> None:
    """Make the modules importable under the KWIVER names that no installed package has."""
    if _finder in sys.meta_path:
        return
    for root in ("kwiver", "sprokit", "vital"):
        if importlib.util.find_spec(root) is None:
            _finder.roots.append(root)
    sys.meta_path.insert(0, _finder)  # before the finder of files, which would load a module twice


def adapt(cls: Any, hello: Dict[str, Any]) -> Any:
    """Return a function that makes a process: the class itself, or a wrapper for a class written for KWIVER."""
    if isinstance(cls, type) and issubclass(cls, _base()):
        return lambda: Guest(cls, hello)
    return cls


def player(hello: Dict[str, Any]) -> Any:
    """Return the process that runs an algorithm."""
    from .roles import Player
    from .vital.modules import load_known_modules

    load_known_modules()
    return Player(hello)


def lacks(process_type: str, name: str) -> str:
    """Return why a process of a type cannot use an algorithm with this name; empty if it can."""
    from .roles import known

    return known(process_type, name)


def _base() -> Any:
    """Return the base class of KWIVER processes, imported at the first call."""
    from .sprokit.pipeline.process import PythonProcess

    return PythonProcess


def guest(own: Any, hello: Dict[str, Any]) -> Any:
    """Return a function that wraps an existing KWIVER process."""
    return lambda: Guest(None, hello, own)


class Guest:
    """A wrapper that gives a process written for KWIVER the interface of `Process`."""

    pushes_itself = True

    def __init__(self, cls: Any, hello: Dict[str, Any], own: Any = None):
        from .vital.config import Config

        self.log: Any = None
        self._connected: Any = frozenset()
        if own is None:
            config = Config(hello["config"])
            config.set_value("_name", hello["process"])
            config.set_value("_type", hello["type"] or cls.__name__)
            own = cls(config)
        self._own = own
        self._names: List[str] = [p.name for p in self.inputs()]

    @property
    def _pushed(self) -> List[Any]:
        return self._own._pushed

    @property
    def _ending(self) -> bool:
        return self._own._complete

    @_ending.setter
    def _ending(self, ending: bool) -> None:
        self._own._complete = ending

    def inputs(self) -> List[Any]:
        return list(self._own._ports_in.values())

    def outputs(self) -> List[Any]:
        return list(self._own._ports_out.values())

    def parameters(self) -> List[str]:
        return self._names

    def changes(self, config: Dict[str, str], tunable_only: bool = True) -> Dict[str, str]:
        own = self._own
        before = own._config.values
        changed = {k: v for k, v in config.items() if before.get(k) != v}
        for k in changed:
            if tunable_only and not own._keys.get(k, own.ConfInfo("", "", False)).tunable:
                raise ValueError("key `%s` cannot change while the process runs" % k)
        return changed

    def configure(self, config: Dict[str, str], tunable_only: bool = False) -> Dict[str, str]:
        changed = self.changes(config, tunable_only)
        self._own._config.values = {**self._own._config.values, **changed}
        return changed

    def prepare(self, changed: Dict[str, str]) -> None:
        pass  # the original does nothing either

    def setup(self) -> None:
        self._own._edges = frozenset(self._connected)
        if not self._own._configured:
            self._own.configure()
            self._own.init()

    def step(self, *args: Any) -> None:
        own = self._own
        if not self._names and type(own)._step is _base()._step:
            own._complete = True  # a source without a step does nothing
        own._taken = dict(zip(self._names, args))
        own._step()

    def reconfigure(self, changed: Dict[str, str]) -> None:
        from .vital.config import Config

        self._own._reconfigure(Config(changed))

    def flush(self) -> None:
        self._own._flush()

    def finish(self) -> None:
        self._own._finalize()
